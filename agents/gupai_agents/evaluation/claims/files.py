"""A claim: its file, which says what is said, by whom, and in which readings, and its test, `try_claim`.

Every error in a file is one line that names the key.

A claim has one reading or more, each with a verdict of its own. The kind of a reading says how it is tested:

exact: enumerate, and compare facts with what is expected.
rate: how often, or how much, in deals of the same players at all seats.
policy: a player with a trait against the same without it: same deals, same seat, same chance.
action: the same position twice, with one action and with a named other one, played on by the same players.
ordering: several rates or effects, and which comes first.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Self, get_args

from pydantic import Field, model_validator

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims.actions import Action
from gupai_agents.evaluation.claims.check import Place, variant_of
from gupai_agents.evaluation.claims.exacts import Exact
from gupai_agents.evaluation.claims.orderings import Ordering
from gupai_agents.evaluation.claims.players import given_in, labels_in
from gupai_agents.evaluation.claims.policies import Policy
from gupai_agents.evaluation.claims.rates import Rate
from gupai_agents.evaluation.claims.readings import Reading
from gupai_agents.evaluation.claims.results import Finding, Request, Verdict
from gupai_agents.evaluation.claims.setting import Meter, Progress, Setting
from gupai_agents.play.workers import one_core
from gupai_env import __version__
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key
from gupai_env.games import get_game
from gupai_env.messages import messages_in
from gupai_env.messages.checks import as_path, key_context, nearest, short_repr
from gupai_env.storage.models import Written, checked, read_written

SUFFIX = ".yaml"
ID = r"[a-z0-9]+(-[a-z0-9]+)*"  # of a claim
MOST_ID = 60  # characters
Kind = Exact | Rate | Policy | Action | Ordering
KINDS: dict[str, type[Reading]] = {kind.__name__.lower(): kind for kind in get_args(Kind)}
AnyReading = Annotated[Kind, Field(discriminator="kind")]
RECORDED = Path(__file__).parent / "recorded"  # the verdicts on the claims that ship with gupai, as JSON
ORDER = ("jl", "cd", "dn", "dl", "tu", "sm")  # of the games in a list of claims


class Claim(Written):
    """A claim: what is said, by whom, and its readings, checked against the game it is about."""

    id: str = Field(pattern=f"^{ID}$", max_length=MOST_ID)
    statement: str = Field(min_length=1, description="in the words of its source")
    source: str = Field(min_length=1, description="who says so, and where")
    game: str
    readings: list[AnyReading] = Field([], max_length=20)
    untested: str = Field("", description="why it, or a part of it, is not tested")

    _about: Game

    @property
    def about(self) -> Game:
        """The game."""
        return self._about

    @model_validator(mode="after")
    def _something_is_tested(self) -> Self:
        if not self.readings and not self.untested:
            raise ValueError("a claim without readings says in `untested` why it cannot be tested")
        names = [reading.name for reading in self.readings]
        if len(set(names)) < len(names):
            raise ValueError("two readings have the same name")
        return self

    @model_validator(mode="after")
    def _the_game_has_all_of_it(self) -> Self:
        with key_context("game"):
            self._about = get_game(self.game)
        for number, reading in enumerate(self.readings):
            with key_context(f"readings.{number}.variant"):
                reading.placed(self._about, variant_of(self._about, reading.variant))
            reading.check(Place(f"readings.{number}", *reading.played))
        return self


def kind_of(finding: Finding) -> type[Reading]:
    """Return the kind of the reading that a finding is of."""
    return KINDS.get(finding.kind, Reading)


def schema() -> dict[str, Any]:
    """Return the JSON schema of a claim's file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Claim.model_json_schema()}


def folder() -> Path:
    """Return where the claims are that ship with gupai: next to the configurations of training."""
    spec = find_spec("gupai_training")
    places = [Path(location) / "configs" / "claims" for location in (spec and spec.submodule_search_locations) or ()]
    return next(filter(Path.is_dir, places), Path(__file__).parents[4] / "configs" / "claims")


def paths() -> list[Path]:
    """Return the files of all claims that ship with gupai, by game."""
    files = folder().glob(f"*{SUFFIX}")
    return sorted(files, key=lambda path: (ORDER.index(path.stem[:2]) if path.stem[:2] in ORDER else 9, path.stem))


def find(name: str) -> Path:
    """Return the file of a claim by its id or path. Raises: ValueError naming the nearest ids."""
    if name.endswith(SUFFIX):
        return Path(name)
    known = [path.stem for path in paths()]
    if name not in known:
        hint = nearest(name, known)
        raise ValueError(f"there is no claim {name!r}; {hint}`gupai claim list` lists them, FILE{SUFFIX} is your own")
    return folder() / f"{name}{SUFFIX}"


def read_claim(path: str | Path) -> Claim:
    """Return a claim, checked against the game it is about.

    Args:
        path: A file, or the id of a claim that ships with gupai, such as "jl-attack-2".

    Raises:
        ValueError: There is no such claim, or its file is wrong; in one line that names the file and the key.
        OSError: There is no such file.
    """
    path = path if as_path("path", path).is_file() or isinstance(path, Path) else find(path)
    content = read_written(path)
    with key_context(str(path)):
        return claim_of(content)


def claim_of(content: Any) -> Claim:
    """Return a claim from the mapping that a file holds; raises ValueError naming the key."""
    if not isinstance(content, dict):
        raise ValueError(f"a claim is a mapping with `id`, `statement`, ..., not {short_repr(content)}")
    return checked(Claim, content)


# --- tests ----------------------------------------------------------------------------------------


def try_claim(
    claim: Claim,
    *,
    seed: int = 0,
    deals: int | None = None,
    panel: Sequence[str | Agent] | None = None,
    strong: bool = False,
    masters: bool = False,
    progress: Progress | None = None,
) -> Verdict:
    """Test all readings of a claim; the same claim and seed give the same verdict.

    Args:
        claim: As `read_claim` returns it.
        seed: Of all deals, 0..2**63 - 1.
        deals: Of each figure, instead of those the file asks for.
        panel: Players instead of the file's: agents, or texts as `make_agent` takes them, factories too.
        strong: Test policies and actions against STRONG players as well, where the variant has them.
        masters: Ask what strong players do where the claimed action and the one compared with it are both open.
        progress: Called with the share of the claim that is done, and what is being done.

    Raises:
        ValueError: For a player that cannot play the variant, and a bad seed.
    """
    readings, findings = with_panel(claim, panel, strong), []
    meter = Meter([weight for reading in readings for weight in reading.weights(deals, masters)], progress)
    with one_core():
        for reading in readings:
            given = given_in(panel or (), *reading.played)
            findings.append(reading.test(Setting(*reading.played, as_key(seed), deals, meter, masters, given)))
    request = Request(seed=seed, deals=deals, panel=panel and labels_in(panel), strong=strong, masters=masters)
    verdict = Verdict(
        format="gupai-verdict-1",
        gupai=__version__,
        **{name: getattr(claim, name) for name in ("id", "statement", "source", "game", "untested")},
        seed=seed,
        findings=findings,
        messages={},
        request=request,
        file=claim.model_dump(mode="json", exclude_defaults=True),
    )
    return verdict.model_copy(update={"messages": messages_in(verdict.as_numbers())})


def with_panel(claim: Claim, panel: Sequence[str | Agent] | None, strong: bool = False) -> list[Reading]:
    """Return the readings of a claim, with other players than the file's if there are any, and with strong ones.

    Args:
        claim: The claim.
        panel: The players that replace those of its file, None for none.
        strong: Whether the strongest players play too.
    """
    return [reading.with_panel(panel, strong) for reading in claim.readings]


def work(
    claim: Claim, deals: int | None = None, panel: Sequence[str | Agent] | None = None, strong: bool = False
) -> float:
    """Return about how long a claim takes, compared with others: as much as so many deals of rule-based players.

    Args:
        claim, deals, panel, strong: As of `try_claim`.
    """
    return sum(sum(reading.weights(deals, False)) for reading in with_panel(claim, panel, strong)) or 1.0


def planned(claim: Claim, seed: int = 0) -> list[dict[str, Any]]:
    """Return for every reading how often it is eligible and how many deals it would play, having played a few."""
    plans = []
    for reading in claim.readings:
        setting = Setting(*reading.played, as_key(seed), None, Meter(()))
        plans.append({"name": reading.name, "kind": reading.kind, **reading.planned(setting)})
    return plans
