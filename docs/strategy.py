"""Writes `docs/strategy/GAME.md`: what the evidence says about playing a game well, in sentences with their figures.

It reads verdicts on claims (`docs/claims/*.json`, which `docs/claims.py` and `gupai claim run --all --optimise --out
docs/claims` write) and what features matter (`docs/strategy/GAME.json`, by `gupai discover GAME --out docs/strategy`).
Nothing is written by hand:

    python docs/strategy.py
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gupai_agents.evaluation.claims.report import headline, what_masters_do
from gupai_agents.evaluation.claims.verdicts import RATE, corrected
from gupai_app import claims
from gupai_app.discover import figure, label
from gupai_env.core.game import Game
from gupai_env.core.heuristic import Feature
from gupai_env.core.variant import in_words
from gupai_env.games import GAMES

DOCS = Path(__file__).parent
FOLDER, VERDICTS = DOCS / "strategy", DOCS / "claims"
SETTLED = {  # verdicts under their headings
    "What is said and holds": ("supported", "proved"),
    "What is said and holds in part": ("it depends",),
    "What is said and does not hold": ("contradicted", "disproved"),
    "What is said and makes no difference": ("no practical effect",),
    "What is said and not settled": ("inconclusive", "too rare"),
    "What was measured": ("measured",),
}


def page(game: Game) -> str:
    """Return the page of a game."""
    lines = [
        f"# {game.title}: what the evidence says about playing well",
        "",
        "*Written by `docs/strategy.py` from [verdicts on claims](../claims.md) and from what `gupai discover` found; "
        "[how claims are tested](../claims-guide.md).*",
        "",
        "± is half of a 95% interval; chips are as the rules pay them. All of it holds for the players and the variant "
        "that are named, and for no others.",
        "",
    ]
    ranking = FOLDER / f"{game.id}.json"
    if ranking.exists():
        lines += _ranking(game, json.loads(ranking.read_text(encoding="utf-8")))
    return "\n".join([*lines, *_said(game)])


# --- what matters ---------------------------------------------------------------------------------


def _ranking(game: Game, found: dict[str, Any]) -> list[str]:
    """Return what is lost by a player who leaves a feature out of account."""
    options = in_words(found["variant"])
    budget, features = found["budget"], {feature.name: feature for feature in game.features}
    replicates = any("found" in each for each in found["features"])
    clear = [each for each in found["features"] if _is_found(each)]
    alone = [each for each in found["features"] if each not in clear and _low(each["lost"]) > 0]
    small = max((each["lost"]["mean"] for each in clear), default=0.0) / 4
    rest = [each for each in found["features"] if each not in clear and each not in alone]
    spared = [each for each in rest if _high(each["lost"]) < small]
    others = [each for each in rest if each not in spared]
    number = sum(len(each["features"]) == 1 for each in found["features"])
    lines = [
        "## What matters",
        "",
        f"A player that weighs {number} [features](../games/{game.id}.md#players) of an action was tuned "
        f"{budget['seeds']} times against {', '.join(f'`{name}`' for name in found['rivals'])} ({options}). It wins "
        f"{figure(found['chips'])} chips per deal from them. Tuned again without one of the features, the others "
        "making up for it as well as so much tuning finds, it loses:",
        "",
    ]
    lines += [f"- {_sentence(each, features)}" for each in clear] or ["- nothing that is clear with so many deals."]
    if alone:
        tried = f"Clear by itself, but perhaps chance among {len(found['features'])} that were tried:"
        if replicates:
            tried = "Clear in all searches together, but not stated in one half of them and found again in the other:"
        lines += ["", tried, "", *(f"- {_sentence(each, features)}" for each in alone)]
    if spared:
        high = max(_high(each["lost"]) for each in spared)
        named = ", ".join(f"`{label(each['features'])}`" for each in spared)
        lines += ["", f"Next to nothing, at most {high:.2f} chips per deal by the interval, is lost without {named}."]
    if others:
        named = ", ".join(f"`{label(each['features'])}` {figure(each['lost'])}" for each in others)
        lines += ["", f"Not clear, in chips lost per deal: {named}."]
    if found["idle"]:
        lines += ["", f"Never a choice in this variant: {', '.join(f'`{name}`' for name in found['idle'])}."]
    table = [
        "| without | chips lost | q | if set to zero | weight |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| `{label(each['features'])}` | {figure(each['lost'])} | {each['q']:.3f} | {figure(each['dropped'])} | "
            f"{figure(each['weight']) if len(each['features']) == 1 else ''} |"
            for each in found["features"]
        ),
    ]
    return [*lines, "", "<details><summary>All figures</summary>", "", *table, "", "</details>", ""]


def _is_found(each: dict[str, Any]) -> bool:
    """Whether a feature matters: found again in a second half of the searches; in older files, by its q."""
    found: bool = each["found"] if "found" in each else each["q"] <= RATE and _low(each["lost"]) > 0
    return found


def _sentence(each: dict[str, Any], features: dict[str, Feature]) -> str:
    """Return what is lost without a feature or a family of them, which side of it is better, and its weight."""
    names, weight = each["features"], each["weight"]
    feature = features[names[0]]
    lost = f"{figure(each['lost']).removeprefix('+')} chips per deal"
    if len(names) > 1:
        of_any = feature.meaning.replace(names[0].rpartition("_")[2], "n")
        return f"{lost} without the family `{label(names)}`: {of_any}."
    flag = feature.unit == "1 if so"
    if _low(weight) > 0:
        side = "better if so" if flag else "the more, the better"
    elif _high(weight) < 0:
        side = "worse if so" if flag else "the less, the better"
    else:
        side = "which side is better depends on the rest"
    return f"{lost} without `{names[0]}`: {feature.meaning}; {side} (weight {figure(weight)})."


def _low(found: dict[str, float]) -> float:
    return found["mean"] - found["half_width"]


def _high(found: dict[str, float]) -> float:
    return found["mean"] + found["half_width"]


# --- what is said ---------------------------------------------------------------------------------


def _said(game: Game) -> Iterator[str]:
    """Yield the verdicts on what is said of a game, by what has come of them."""
    files = [VERDICTS / f"{path.stem}.json" for path in claims.paths()]
    contents = corrected([json.loads(path.read_text(encoding="utf-8")) for path in files if path.exists()])
    mine = [content for content in contents if content["game"] == game.id]
    for heading, verdicts in SETTLED.items():
        readings = [
            (content, reading) for content in mine for reading in content["readings"] if reading["verdict"] in verdicts
        ]
        if readings:
            yield from (f"## {heading}", "")
            yield from (_of_reading(content, reading) for content, reading in readings)
            yield ""
    untested = [content for content in mine if "untested" in content]
    if untested:
        yield from ("## What is said and cannot be tested", "")
        yield from (f"- “{each['statement']}” {each['untested']}" for each in untested)
        yield ""


def _of_reading(content: dict[str, Any], reading: dict[str, Any]) -> str:
    variant = in_words(reading["variant"], "")
    facts = ", ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in reading.get("facts", {}).items()
    )
    parts = [
        f"- “{content['statement']}” ({reading['name']}): **{headline(reading)}**. {reading['sentence']}",
        *(f"*{line}*" for line in what_masters_do(reading)),
        f"{facts[0].upper()}{facts[1:]}." if facts else "",
        f"Played with {variant}." if variant else "",
        "Among so many tests it may be chance." if not reading.get("stands", True) else "",
        *(f"*The optimiser:* {each['sentence']}" for each in _optimised(content["id"], reading["name"])),
        f"[Figures](../claims.md#{content['id']})",
    ]
    return " ".join(filter(None, parts))


def _optimised(claim: str, reading: str) -> list[dict[str, Any]]:
    """Return what an optimiser does with the trait of a reading, if that was asked."""
    path = VERDICTS / f"{claim}.optimised.json"
    if not path.exists():
        return []
    found = json.loads(path.read_text(encoding="utf-8"))["readings"]
    return [each for each in found if each["name"] == reading]


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for game in GAMES.values():
        (FOLDER / f"{game.id}.md").write_text(page(game), encoding="utf-8")


if __name__ == "__main__":
    main()
