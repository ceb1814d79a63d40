"""Packages of an extra that is not installed: one line that says what to install."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def require_package(extra: str, feature: str) -> Iterator[None]:
    """Import or call what needs the packages of an extra.

    Args:
        extra: Its name in `pip install gupai[extra]`.
        feature: What needs them, the beginning of the sentence.

    Raises:
        ValueError: One is missing.
    """
    try:
        yield
    except ImportError as error:
        from gupai_env.messages import say  # a command says at once what it can do

        missing = error.name.partition(".")[0] if error.name else error
        raise ValueError(
            say(
                "{what} needs a package that is not installed ({package}): {command}",
                what=feature,
                package=missing,
                command=f"pip install 'gupai[{extra}]'",
            )
        ) from None
