"""Errors of the command line: one line each, and the exit status of the process."""

import difflib
import functools
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from gupai_app.shell.stop import STOPPED
from gupai_app.shell.streams import OutputLostError, choose, say, worded

READER_LEFT = 141  # exit status where nobody reads the output any more, as of what SIGPIPE ends
LONGEST = 1000  # characters of an error's line
USAGE = "Usage:"
# What typer says in help, by the names in its module, and of words that it does not take:
HELP_TEXTS = {
    "ARGUMENTS_PANEL_TITLE": "Arguments",
    "OPTIONS_PANEL_TITLE": "Options",
    "COMMANDS_PANEL_TITLE": "Commands",
    "DEFAULT_STRING": "[default: {}]",
    "REQUIRED_LONG_STRING": "[required]",
}
USAGE_ERRORS = (
    "Missing argument {name}.",
    "Missing option {name}.",
    "No such option: {name}",
    "No such option: {name} (Possible options: {options})",
    "Option {name!r} requires an argument.",
    "Option {name!r} does not take a value.",
)


class Mistake(typer.TyperException):
    """What is wrong with the user's words, in one line: a text, or a template and its arguments."""

    exit_code = 2

    def __init__(self, template: str, **arguments: Any) -> None:
        super().__init__(worded(template, **arguments))


class Stopped(typer.TyperException):
    """Ctrl-C, or another request to end: what is kept and how to continue, in one line."""

    def __init__(self, by: KeyboardInterrupt, go_on: str = "") -> None:
        super().__init__(worded("stopped; {advice}", advice=worded(go_on)) if go_on else worded("stopped"))
        self.exit_code = STOPPED + (by.args[0] if by.args else signal.SIGINT)


class Worded:
    """A command whose help and usage errors are in the language that was chosen."""

    def format_usage(self: Any, ctx: Any, formatter: Any) -> None:
        """Write how the command is called."""
        usage = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, usage, f"{worded(USAGE)} ")

    def format_help(self: Any, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        from rich.table import Table
        from typer import rich_utils

        if worded(USAGE) != USAGE:  # Chinese has no spaces at which lines could be broken
            from gupai_app.shell.screen import FoldedTable as Table
        setattr(rich_utils, "Table", Table)  # noqa: B010
        for name, text in HELP_TEXTS.items():
            setattr(rich_utils, name, worded(text))
        for part in (self, *self.get_params(ctx), *getattr(self, "commands", {}).values()):
            part.help = part.help and worded(part.help)
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def parse_args(self: Any, ctx: Any, args: list[str]) -> list[str]:
        """Read the words after the command. Raises: Mistake for too many."""
        allowed, ctx.allow_extra_args = ctx.allow_extra_args, True
        extra: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        if extra and not allowed:
            raise Mistake("Got unexpected extra argument(s) ({words})", words=" ".join(extra))
        return extra


class Command(Worded, TyperCommand):
    """A command of our own."""


class Commands(Worded, TyperGroup):
    """Commands that read numbers as the pages of `gupai web` do."""

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        """Return the command that is named. Raises: Mistake if there is none of that name."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            if near := difflib.get_close_matches(args[0], self.commands):
                names = ", ".join(map(repr, near))
                raise Mistake("No such command {name!r}. Did you mean {names}?", name=args[0], names=names)
            raise Mistake("No such command {name!r}.", name=args[0])
        name, command, rest = super().resolve_command(ctx, args)
        parameters: list[Any] = list(command.params) if command else []
        for parameter in parameters:
            if parameter.type_descriptor.annotation is int:
                parameter.process_value = functools.partial(_with_number, parameter, parameter.process_value)
        return name, command, rest


def _with_number(parameter: Any, process: Callable[[Any, Any], Any], ctx: typer.Context, value: Any) -> Any:
    """Process the text of an option as the number that it stands for. Raises: Mistake if it stands for none."""
    from gupai_env.messages import say as message
    from gupai_env.messages.checks import in_bounds, read_whole

    number = read_whole(value) if isinstance(value, str) else value
    if number is None and value is not None:
        bounds = parameter.get_runtime_param().parameter_info
        allowed = in_bounds(True, ge=bounds.min, le=bounds.max)
        raise Mistake(_refused(parameter, value, message("write {allowed}", allowed=allowed)))
    return process(ctx, number)


class OneLineErrors(Commands):
    """Commands whose errors are one line on standard error.

    debug: whether the traceback of an error is shown above its line.
    """

    debug = False

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run a command; what typer would handle itself is reported in one line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            raise Stopped(stopped) from None
        except EOFError as error:
            raise Mistake("the input ended too early ({problem})", problem=error) from error

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and end the process with its exit status: 0, 2 for a mistake of the user."""
        return copy_context().run(self._main, *args, **extra)  # the language that is chosen stays within

    def _main(self, *args: Any, **extra: Any) -> Any:
        message: object = None
        words = extra.get("args")
        choose(sys.argv[1:] if words is None else words)
        try:
            status = super().main(*args, **{**extra, "standalone_mode": False})
            sys.stdout.flush()
            if status == STOPPED + signal.SIGINT:  # while the words were read
                message = "stopped"
        except typer.TyperException as error:
            self.explain(error)
            message, status = _in_our_words(error), error.exit_code
        except ValueError as error:
            from gupai_agents.failure import AgentError
            from gupai_env.core.illegal import IllegalActionError

            if not isinstance(error, (AgentError, IllegalActionError)):
                raise
            self.explain(error)
            message, status = error, Mistake.exit_code
        except typer.Abort:
            message, status = "stopped", 1
        except OutputLostError as lost:
            message, status = (None, READER_LEFT) if lost.reader_left else (_described(lost.error), 1)
        except OSError as error:  # what the user names is read within `mistakes`
            message, status = _described(error), 1
        except MemoryError as error:
            message, status = "there is not enough memory", 1
            if str(error):
                message = worded("there is not enough memory ({problem})", problem=error)
        if message is not None:
            line = f"gupai: {_worded(message)}"
            say(line if len(line) <= LONGEST else f"{line[: LONGEST - 200]} ... {line[-200:]}", error=True)
        sys.exit(status)

    def explain(self, error: Exception) -> None:
        """Show where an error comes from, if that is asked for."""
        if self.debug:
            traceback.print_exception(error)


def _worded(error: object) -> str:
    """Return what went wrong in one line, in the language that was chosen."""
    text = str(error)
    line = " ".join(text.split())
    return worded(text if text == line else line)  # the former may be a message


def _described(error: OSError) -> str:
    from gupai_env.storage.files import describe

    return describe(error)


def _in_our_words(error: typer.TyperException) -> str:
    """Return what a mistake is, for a value that typer has refused as our own refusals say it."""
    refused, parameter = getattr(error.__cause__, "errors", None), getattr(error, "param", None)
    if refused is None or parameter is None:
        text, name = error.format_message(), getattr(error, "option_name", "")
        options = ", ".join(sorted(getattr(error, "possibilities", None) or ()))
        arguments = {"name": parameter.get_error_hint() if parameter else name, "options": options}
        return next((worded(usage, **arguments) for usage in USAGE_ERRORS if usage.format(**arguments) == text), text)
    from gupai_env.messages.checks import allowed_instead

    first, typed = refused()[0], parameter.get_runtime_param()
    bounds = typed.parameter_info
    instead = allowed_instead(first, typed.annotation is int, ge=bounds.min, le=bounds.max)
    if instead is None:
        return error.format_message()
    return _refused(parameter, first["input"], instead)


def _refused(parameter: Any, value: object, instead: str) -> str:
    """Return that a value of an option or an argument is not allowed, and what is."""
    from gupai_env.messages import say as message
    from gupai_env.messages.checks import short_repr

    name = parameter.opts[-1] if parameter.param_type_name == "option" else parameter.metavar.strip("[]")
    value = value if isinstance(value, str) and len(value) < 60 else short_repr(value)
    return message("{option}={value} is not allowed; {instead}", option=name, value=value, instead=message(instead))


@contextmanager
def mistakes() -> Iterator[None]:
    """Turn what is refused here, where the user's words are read, into a `Mistake`."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise Mistake("a file you named is not UTF-8 text") from error
    except OSError as error:
        raise Mistake(_described(error)) from error
    except ValueError as error:
        raise Mistake(str(error)) from error


def check_target(option: str, path: str, force: bool, *, stream: bool = True) -> None:
    """Refuse beforehand a file that could not be written in the end; stream: standard output may be named too.

    Args:
        option: That names the file.
        path: The file.
        force: Whether an existing file may be replaced.
        stream: Whether standard output may be named too.
    """
    from gupai_env.storage.files import check_output, check_target

    try:
        (check_output if stream else check_target)(path, force=force)
    except ValueError as error:
        raise Mistake(f"{option} {error}") from None


@contextmanager
def resume_hint(words: str) -> Iterator[None]:
    """Say how to continue, to whoever stops this."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        raise Stopped(stopped, words) from None
