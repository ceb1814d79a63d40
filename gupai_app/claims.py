"""`gupai claim`: which claims there are, testing them, and what a player is told of the verdict."""

import json
import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from gupai_agents.evaluation.claims import Claim, Verdict, planned, read_claim, schema, try_claim
from gupai_agents.evaluation.claims.exacts import ENUMERATIONS
from gupai_agents.evaluation.claims.features import ACTIONS, POSITIONS
from gupai_agents.evaluation.claims.measures import MEASURES
from gupai_agents.evaluation.claims.report import markdown, text
from gupai_agents.evaluation.claims.sampling import HAND_FEATURES
from gupai_agents.evaluation.records import naming
from gupai_app.report import progress, put, table_of

SUFFIX = ".yaml"
ORDER = ("jl", "cd", "dn", "dl", "tu", "sm")  # of the games in a list of claims

NEW = """\
# A claim about strategy, tested by: gupai claim {name}{suffix}
# Its keys: gupai claim schema. Features, metrics and what is enumerated: gupai claim features.
id: {name}
statement: With four or more 2s, playing so that 2 is left open wins chips.
source: who says so, and where
game: jie-long
readings:
  - name: the first way to read it
    kind: policy                # exact, rate, policy, action or ordering
    population:
      hand: [{{feature: carrying, number: 2, at_least: 4}}]
    treated: +attack_2=40       # a player, or weights that are added to the baseline
    baseline: variety
    panel: [greedy, variety]    # opponents
    metric: chips
    alternative: greater
    margin: 0.5                 # the smallest effect worth naming
    plan: {{mode: fixed, power: 0.9}}
"""


def folder() -> Path:
    """Return where the claims lie that come with gupai: beside the configurations of training."""
    installed = Path(str(files("gupai_training"))) / "configs" / "claims"
    return installed if installed.is_dir() else Path(__file__).parents[1] / "configs" / "claims"


def paths() -> list[Path]:
    """Return the files of all claims that come with gupai, by game."""
    found = folder().glob(f"*{SUFFIX}")
    return sorted(
        found, key=lambda path: (ORDER.index(path.stem[:2]) if path.stem[:2] in ORDER else 9, path.stem)
    )


def find(name: str) -> Path:
    """Return the file of a claim by its id or path. Raises: ValueError naming the nearest ids."""
    if name.endswith(SUFFIX):
        return Path(name)
    known = [path.stem for path in paths()]
    if name not in known:
        import difflib

        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(
            f"there is no claim {name!r}; {hint}`gupai claim list` lists them, FILE{SUFFIX} is one's own"
        )
    return folder() / f"{name}{SUFFIX}"


def listed() -> None:
    """Print all claims that come with gupai."""
    table = table_of("claim", "game", "readings", "statement")
    for path in paths():
        claim = read_claim(path)
        table.add_row(
            claim.id, claim.game, str(len(claim.readings)) if claim.readings else "untested", claim.statement
        )
    put(table, "To test one: gupai claim ID")


def features() -> None:
    """Print what claim files can name."""
    table = table_of("where", "name", "games", "meaning")
    for name in HAND_FEATURES:
        table.add_row("hand", name, "all", "")
    for where, registry in (("position", POSITIONS), ("action", ACTIONS)):
        for name, (games, number, what, _) in registry.items():
            table.add_row(where, name + (" (number)" if number else ""), " ".join(games), what)
    for name, measure in MEASURES.items():
        table.add_row(
            "metric", name + (" (number)" if measure.number else ""), " ".join(measure.games), measure.what
        )
    for name, (game, function) in ENUMERATIONS.items():
        table.add_row("enumerate", name, game, (function.__doc__ or "").partition("\n")[0])
    put(table)


def new(name: str) -> None:
    """Write the beginning of a claim's file. Raises: ValueError if it is there; OSError."""
    path = Path(name if name.endswith(SUFFIX) else f"{name}{SUFFIX}")
    content = NEW.format(name=path.stem, suffix=SUFFIX)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(content)
    except FileExistsError:
        raise ValueError(f"{path} is there already") from None
    print(f"{path} is written; test it with: gupai claim {path}")


def show_schema() -> None:
    """Print the JSON schema of a claim's file."""
    print(json.dumps(schema(), indent=2))


def plan(claims: Sequence[Claim], seed: int, as_json: bool) -> None:
    """Print how often each reading is eligible, how many deals it would play, and about how long that takes."""
    found: list[dict[str, Any]] = []
    for claim in claims:
        begin = time.perf_counter()
        found.append(
            {"id": claim.id, "readings": planned(claim, seed), "seconds": time.perf_counter() - begin}
        )
    if as_json:
        print(json.dumps(found, indent=2))
        return
    table = table_of("claim", "reading", "share of hands", "comes up", "deals of a figure", "figures")
    for each in found:
        for reading in each["readings"]:
            table.add_row(
                each["id"],
                f"{reading['name']} ({reading['kind']})",
                f"{100 * reading['share_of_hands']:.2f}%" if "share_of_hands" in reading else "",
                f"{100 * reading['comes_up_in_share_of_deals']:.1f}% of deals"
                if "comes_up_in_share_of_deals" in reading
                else "",
                f"{reading.get('deals', 0):,}",
                str(reading.get("figures", "")),
            )
    put(table)


def test(
    claims: Sequence[Claim],
    seed: int,
    deals: int | None,
    panel: Sequence[str] | None,
    shown: str,
    out: str | None,
) -> list[dict[str, Any]]:
    """Test claims and print what has been found, as "text", "markdown" or "json"; `out` keeps the JSON of each.

    A claim whose verdict lies in the folder `out` already, by the same command, is not tested again. Returns them.
    """
    parts, command = [], {"seed": seed, "deals": deals, "panel": list(panel) if panel else None}
    with progress("claims", len(claims)) as done:
        for claim in claims:
            kept = None if out is None else Path(out) / f"{claim.id}.json"
            content = _kept(kept, claim, command)
            if content is None:
                content = numbers(try_claim(claim, seed=seed, deals=deals, panel=panel), command)
                if kept is not None:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    partial = kept.with_suffix(".part")
                    with naming(partial):
                        partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
                    partial.replace(kept)
            parts.append(content)
            done(1)
    if shown == "json":
        print(json.dumps(parts if len(parts) > 1 else parts[0], indent=2))
    elif shown == "markdown":
        print(markdown(parts), end="")
    else:
        for content in parts:
            print(text(content))
    return parts


def numbers(found: Verdict, command: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict for JSON, with what made it."""
    from gupai_env import __version__

    return {
        "format": "gupai-verdict-1",
        "gupai": __version__,
        **found.as_numbers(),
        "asked": command,
        "file": found.claim.model_dump(mode="json", exclude_defaults=True),
    }


def _kept(path: Path | None, claim: Claim, command: dict[str, Any]) -> dict[str, Any] | None:
    """Return the verdict that lies at a path, if it is that of this claim and command."""
    from gupai_env import __version__

    if path is None or not path.exists():
        return None
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        file = claim.model_dump(mode="json", exclude_defaults=True)
        same = content["asked"] == command and content["file"] == file and content["gupai"] == __version__
    except (ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise ValueError(f"{path} is the verdict of another command, claim or version; name another folder")
    print(f"{path}: taken as it is", file=sys.stderr)
    return content
