"""`gupai claim`: a group of commands that test what is said about playing, see docs/claims-guide.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gupai_app.shell.errors import Command, Commands, check_target, mistakes, resume_hint
from gupai_app.shell.options import (
    NOTHING_SAVED,
    Force,
    Options,
    Sharing,
    folder_hint,
    grouped,
    one_of,
    path_option,
    read_seed,
)
from gupai_app.shell.streams import say

if TYPE_CHECKING:
    from gupai_agents.evaluation.claims import Claim, Verdict

ClaimName = Annotated[str, typer.Argument(metavar="ID|FILE", help="Claim, as listed by `gupai claim list`, or a file")]


app = typer.Typer(cls=Commands, help="Test claims about good play, or list those that ship with gupai.")


@app.callback(invoke_without_command=True)
def options(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@dataclass(frozen=True)
class Sample:
    """Options that change what a claim is tested with."""

    deals: Annotated[
        int | None, typer.Option(min=2, max=1_000_000, help="Deals per figure (default: as in the file)")
    ] = None
    panel: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Player to test with (default: those in the file); may be repeated"),
    ] = None
    strong: Annotated[
        bool, typer.Option("--strong", help="Also test with the network `best` and a search; takes minutes")
    ] = False
    masters: Annotated[
        bool,
        typer.Option(help="Report what strong players do where the claimed action and the alternative are both legal"),
    ] = True


@dataclass(frozen=True)
class Changes:
    """Options that change the claim itself."""

    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change the claim; `gupai claim show ID` lists the keys"),
    ] = None
    option: Options = None


@dataclass(frozen=True)
class Output:
    """Options that say in which form a verdict is given."""

    full: Annotated[bool, typer.Option("--full", help="Print every figure, not only what fits a screen")] = False
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown")] = False
    html: Annotated[
        str | None, path_option("FILE", "Write an HTML page with deals to step through, and its games next to it")
    ] = None
    force: Force = False

    @property
    def formats(self) -> dict[str, bool]:
        return {"json": self.as_json, "markdown": self.as_markdown, "text": self.full}

    def check(self, claims: "Sequence[Claim]") -> None:
        """Refuse beforehand a page that could not be written in the end. Raises: ValueError, Mistake."""
        if self.html is not None:
            from gupai_app.claims import page as claim_page

            claim_page.check(self.html, claims)
            for file in (self.html, str(claim_page.records_of(self.html))):
                check_target("--html", file, self.force, stream=False)

    def write(self, claim: "Claim", verdict: "Verdict", panel: Sequence[str]) -> None:
        """Write the page of a verdict, if one is asked for.

        Args:
            claim: What was tested.
            verdict: What came of it.
            panel: The players that were given.
        """
        if self.html is not None:
            from gupai_app.claims import page as claim_page

            games = claim_page.write_claim(self.html, claim, verdict, panel=panel, force=self.force)
            template = (
                "{page}: to be opened in a browser; its games: {games}"
                if games
                else "{page}: to be opened in a browser"
            )
            say(template, error=True, page=self.html, games=games)


@app.command(cls=Command)
@grouped
def run(
    name: Annotated[
        str | None, typer.Argument(metavar="ID|FILE", help="Claim, as listed by `gupai claim list`, or a file")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Test all claims that ship with gupai")] = False,
    *,
    sample: Sample,
    changes: Changes,
    seed: Annotated[int, typer.Option(help="Random seed")] = 0,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Report only how often the situation occurs and how many deals the test takes"),
    ] = False,
    out: Annotated[
        str | None, path_option("FOLDER", "Keep each verdict in this folder; existing ones are not computed again")
    ] = None,
    sharing: Sharing,
    output: Output,
) -> None:
    """Test a claim and print a verdict with its confidence interval."""
    from gupai_app.claims import terminal as claims

    with mistakes():
        if (name is None) != everything:
            raise ValueError("name a claim, or --all; `gupai claim list` lists them")
        selection, more = _read_claims(name, sample, changes)
        _check_together(sample, dry_run, output)
        if dry_run:
            with resume_hint(NOTHING_SAVED):
                claims.plan(selection, read_seed(seed), output.as_json)
        else:
            output.check(selection)
            output_format = next((name for name, chosen in output.formats.items() if chosen), "brief")
            figures = sample.deals, sample.panel, sample.strong
            with resume_hint(folder_hint(out)), sharing.workers(folder_hint(out)) as workers:
                verdicts = claims.test(selection, read_seed(seed), *figures, output_format, out, workers, more)
            output.write(selection[0], verdicts[0], sample.panel or ())


def _read_claims(name: str | None, sample: Sample, changes: Changes) -> "tuple[list[Claim], dict[str, Any]]":
    """Return the claims that are to be tested, changed if that is asked, and what else their command says."""
    from gupai_app.claims import terminal as claims

    selection = claims.read(name)
    more: dict[str, Any] = {} if sample.masters else {"masters": False}
    if changes.changes or changes.option:
        if name is None:
            raise ValueError("--set and -o change one claim; name it instead of --all")
        claim, made = claims.changed_by(selection[0], changes.changes or (), changes.option or ())
        return [claim], {**more, "claim": name, "set": made}
    return selection, more


def _check_together(sample: Sample, dry_run: bool, output: Output) -> None:
    """Refuse options of which one makes another mean nothing. Raises: ValueError."""
    of_verdicts = {"--html": output.html, "--panel": sample.panel, "--deals": sample.deals}
    of_verdicts |= {"--strong": sample.strong, "--markdown": output.as_markdown, "--full": output.full}
    for flag, value in of_verdicts.items():
        one_of({"--dry-run": dry_run, flag: value})
    one_of({"--json": output.as_json, "--markdown": output.as_markdown, "--full": output.full})


@app.command("list", cls=Command)
def list_claims() -> None:
    """List all claims that ship with gupai."""
    from gupai_app.claims import terminal as claims

    claims.listed()


@app.command(cls=Command)
def show(name: ClaimName) -> None:
    """Print the file of a claim and the settings that can be changed."""
    from gupai_app.claims import terminal as claims

    with mistakes():
        claims.show(name)


@app.command(cls=Command)
def new(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Game that the claim is about")],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Name of the claim and its file (default: my-GAME)")
    ] = None,
    force: Force = False,
) -> None:
    """Write a template for a claim about a game."""
    from gupai_app.claims import terminal as claims

    with mistakes():
        claims.new(game, name, force=force)


@app.command(cls=Command)
def features() -> None:
    """Print the features, metrics and enumerations that a claim's file can name."""
    from gupai_app.claims import terminal as claims

    claims.features()


@app.command(cls=Command)
def schema() -> None:
    """Print the JSON schema of a claim's file, for editors."""
    from gupai_agents.evaluation import claims
    from gupai_app.shell.screen import put_json

    put_json(claims.schema())
