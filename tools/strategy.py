"""Writes `docs/strategy/GAME.md`, advice on playing a game with the evidence for each piece, and a position for each.

It reads the recorded verdicts on claims (`tools/claims.py` says how they are written), what features matter
(`results/features/GAME.json`, by `gupai discover GAME --out results/features`), tables of exact figures
(`results/exact/GAME.json`, by the command in the file), and `tools/advice.yaml`, which says what each reading of a
claim would have a player do. Whether that is good advice, and what it gains, comes from the verdicts alone:

    python tools/strategy.py              # the pages
    python tools/strategy.py --pictures   # and the positions, from deals that the verdicts name
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fact_pages import summary
from writing import fill_paragraphs

from gupai_agents.evaluation.claims import read_claim
from gupai_agents.evaluation.claims.deals import play_again
from gupai_agents.evaluation.claims.files import RECORDED, kind_of
from gupai_agents.evaluation.claims.report import figure_text, headline, levels, master_sentence
from gupai_agents.evaluation.claims.verdicts import corrected
from gupai_agents.plain_yaml import parse_yaml
from gupai_app.claims import terminal as claims
from gupai_app.play.session import Session
from gupai_app.training.discover import figure, label
from gupai_env.core.game import Game
from gupai_env.core.heuristic import Feature
from gupai_env.core.move import PLAY
from gupai_env.core.variant import in_words
from gupai_env.games import GAMES
from gupai_env.render import draw_svg
from gupai_env.words.messages import capitalized
from gupai_env.words.scene import seat_names

ROOT = Path(__file__).parents[1]
FOLDER, FEATURES = ROOT / "docs" / "strategy", ROOT / "results" / "features"
EXACT = ROOT / "results" / "exact"
PICTURES, POSITIONS = FOLDER / "positions", ROOT / "results" / "positions.json"
PROVED = "Every case was counted."
HOLDS, EXPLORATORY, OPEN = "●", "○", "?"
GOOD = ("supported", "proved", "measured", "it depends")
WRONG = ("contradicted", "disproved", "no practical effect")
WRONG_TOPIC, OPEN_TOPIC, FACTS = "What people say that is wrong", "What nobody knows yet", "Good to know"
FIGURES = r" -?[\d.]+%? (±[\d.]+|\([^)]*\))| did not occur in [\d,]+ deals| \(all alike[^)]*\)"
DOES = {"supported": "yes", "contradicted": "no", "no practical effect": "makes no difference"}


class Advice(NamedTuple):
    """One reading of a claim, and what it would have a player do."""

    content: dict[str, Any]  # the verdict on the claim
    number: int  # of the reading
    rule: str
    topic: str
    dose: str

    @property
    def reading(self) -> dict[str, Any]:
        """The verdict on the reading."""
        reading: dict[str, Any] = self.content["readings"][self.number]
        return reading

    @property
    def heading(self) -> str:
        """Under which heading the verdict puts it."""
        verdict = self.reading["verdict"]
        return self.topic if verdict in GOOD else WRONG_TOPIC if verdict in WRONG else OPEN_TOPIC

    @property
    def mark(self) -> str:
        """How sure it is."""
        if self.reading["verdict"] not in (*GOOD, *WRONG):
            return OPEN
        return HOLDS if self.reading.get("stands", True) else EXPLORATORY

    @property
    def picture(self) -> str:
        """The file of its position."""
        return f"{self.content['id']}-{self.number + 1}.svg"


def page(game: Game) -> str:
    """Return the page of a game."""
    all_advice = list(_advice(game))
    by_heading = {advice.heading: None for advice in all_advice}
    last = [name for name in (FACTS, WRONG_TOPIC, OPEN_TOPIC) if name in by_heading]
    topics = [name for name in by_heading if name not in last]
    lines = [
        f"# {game.title}: how to play it well",
        "",
        f"{HOLDS} holds, after correction for the number of tests; {EXPLORATORY} exploratory, perhaps chance; {OPEN} "
        "open. Chips are per deal in which it comes up, with their 95% interval, against the players that "
        "[the statistics](../claims.md) name.",
        "",
    ]
    lines += [fill_paragraphs(summary(game))]
    for heading in sorted(topics, key=lambda name: name != "Every deal") + last:
        lines += [f"## {heading}", ""]
        for advice in all_advice:
            if advice.heading == heading:
                lines += _written(advice)
    ranking = FEATURES / f"{game.id}.json"
    if ranking.exists():
        lines += _ranking(game, json.loads(ranking.read_text(encoding="utf-8")))
    exact = EXACT / f"{game.id}.json"
    if exact.exists():
        lines += _exact(json.loads(exact.read_text(encoding="utf-8")))
    source = "*Written by `tools/strategy.py` from [verdicts on claims](../claims.md)"
    return "\n".join([*lines, f"{source}; [how claims are tested](../claims-guide.md).*", ""])


# --- advice ---------------------------------------------------------------------------------------


def _advice(game: Game) -> Iterator[Advice]:
    """Yield what is said of a game, with the verdicts."""
    files = [RECORDED / f"{path.stem}.json" for path in claims.paths()]
    contents = corrected([json.loads(path.read_text(encoding="utf-8")) for path in files if path.exists()])
    given = parse_yaml(Path(__file__).with_name("advice.yaml").read_text(encoding="utf-8"))
    for content in contents:
        if content["game"] == game.id:
            mine = given[content["id"]]
            for number, (rule, _) in enumerate(zip(mine["rules"], content["readings"], strict=True)):
                if rule is not None:
                    yield Advice(content, number, rule, mine["topic"], mine.get("dose", ""))


def _written(advice: Advice) -> Iterator[str]:
    reading = advice.reading
    link = f"[Statistics](../claims/{advice.content['game']}.md#{advice.content['id']})"
    variant = in_words(reading["variant"], "")
    played = f" Played with {variant}." if variant else ""
    yield f"{advice.mark} **{advice.rule}** {_evidence(advice)}{played} {link}"
    yield ""
    if reading.get("doses") and advice.dose:
        yield from (*_doses(advice), "")
    if (PICTURES / advice.picture).exists():
        yield from (f"![A position: {advice.rule}](positions/{advice.picture})", "", _caption(advice), "")


def _evidence(advice: Advice) -> str:
    """Return what was found, in a sentence or two."""
    reading = advice.reading
    pooled = reading.get("pooled")
    if reading.get("doses"):
        sentences = [f"{capitalized(headline(reading))}."]
    elif pooled and reading["unit"] == "chips":
        low, high = pooled["low"], pooled["high"]
        sentences = [f"{pooled['mean']:+z.2f} chips ({low:+z.2f} to {high:+z.2f})."]
        if reading["verdict"] == "supported" and high < 0:  # of something that is better left alone
            sentences = [f"Otherwise it costs {-pooled['mean']:z.2f} chips ({-high:z.2f} to {-low:z.2f})."]
    elif "first" in reading.get("about", {}):
        order = re.sub(FIGURES, "", reading["sentence"]).replace(" >", ",").rstrip(".")
        sentences = [f"In this order: {order}."]
    else:
        sentences = [PROVED if reading["verdict"] == "proved" else reading["sentence"]]
    if not kind_of(reading).sides and reading["verdict"] in WRONG:
        sentences.insert(0, "Not so.")
    if not reading.get("doses"):
        sentences += [f"Strong players: {master_sentence(one)}." for one in reading.get("masters", ())]
    return " ".join(sentences)


def _doses(advice: Advice) -> Iterator[str]:
    """Yield the table of what to do at each dose."""
    reading = advice.reading
    most = max((level["mean"] for level in levels(reading)), default=0.0)
    yield f"| {advice.dose} | chips | do it? | do strong players? |"
    yield "| --- | --- | --- | --- |"
    for level in levels(reading):
        chips = figure_text(level, reading)
        strong = ", ".join(
            f"{one['who'].partition(',')[0]} in {100 * one['chooses']['mean']:.0f}%" for one in level.get("masters", ())
        )
        answer = DOES.get(level.get("verdict", ""), "open")
        if answer == "yes" and level["mean"] < most / 3:
            answer = "it matters little"
        yield f"| {level['label'].partition(': ')[2] or level['label']} | {chips} | {answer} | {strong} |"


def _caption(advice: Advice) -> str:
    example = json.loads(POSITIONS.read_text(encoding="utf-8"))[Path(advice.picture).stem]
    return (
        f"*Seat {example['seat']} is to play: {example['one']} rather than {example['other']} changes this deal by "
        f"{example['gain']:+g} chips.*"
    )


def draw_positions() -> None:
    """Draw a position for each piece of advice on a move, from the deal that it changes most in its favour."""
    PICTURES.mkdir(exist_ok=True)
    positions = {}
    for game in GAMES.values():
        for advice in _advice(game):
            examples = advice.reading.get("examples", ())
            if examples and kind_of(advice.reading).sides and advice.heading not in (OPEN_TOPIC, FACTS):
                positions[Path(advice.picture).stem] = _draw(game, advice, examples)
    lines = (f" {json.dumps(name)}: {json.dumps(position)}" for name, position in sorted(positions.items()))
    POSITIONS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _draw(game: Game, advice: Advice, examples: list[dict[str, Any]]) -> dict[str, Any]:
    claim = read_claim(next(path for path in claims.paths() if path.stem == advice.content["id"]))
    good = advice.reading["verdict"] in GOOD and advice.reading.get("pooled", {"mean": 0})["mean"] >= 0
    example = max(examples, key=lambda example: example["gain"] if good else -example["gain"])
    pair = play_again(claim, claim.readings[advice.number], advice.content["seed"], example)
    both = enumerate(zip(pair.treated.actions, pair.baseline.actions, strict=False))
    number, (one, other) = next((number, moves) for number, moves in both if moves[0] != moves[1])
    session = Session.of(pair.treated)
    for action in pair.treated.actions[:number]:
        session.play(action)
    seat, hints = session.seat, game.hints(game, session.variant)
    view = session.view(seat)
    scene = game.scene(session.variant, [view], seat_names(session.variant.players))
    (PICTURES / advice.picture).write_text(draw_svg(scene) + "\n", encoding="utf-8")
    position: dict[str, Any] = {"seat": seat, "gain": example["gain"]}
    for name, move in (("one", one), ("other", other)):
        plain = game.move(move, view).verb == PLAY
        position[name] = hints.label(view, [move]).partition("  ")[0] if plain else game.action_name(move, view)
    return position


# --- what a tuned player weighs -------------------------------------------------------------------


def _ranking(game: Game, ablation: dict[str, Any]) -> list[str]:
    """Return what is lost by a player who leaves a feature out of account."""
    options = in_words(ablation["variant"])
    features = {feature.name: feature for feature in game.features}
    clear = [entry for entry in ablation["features"] if _is_found(entry)]
    alone = [entry for entry in ablation["features"] if entry not in clear and entry["lost"]["low"] > 0]
    if not clear and not alone:
        return []
    table = [
        "| without | chips lost | q | if set to zero |",
        "| --- | --- | --- | --- |",
        *(
            f"| `{label(row['features'])}` | {figure(row['lost'])} | {row['q']:.3f} | {figure(row['dropped'])} |"
            for row in ablation["features"]
        ),
    ]
    return [
        "## What matters in every move",
        "",
        f"A rule-based player was tuned {ablation['budget']['seeds']} times ({options}), with everything it can "
        "look at, and without one thing at a time. It plays worse without:",
        "",
        *(f"- {HOLDS} {_sentence(entry, features)}" for entry in clear),
        *(f"- {EXPLORATORY} {_sentence(entry, features)}" for entry in alone),
        "",
        "<details><summary>All figures</summary>",
        "",
        *table,
        "",
        "</details>",
        "",
    ]


def _is_found(entry: dict[str, Any]) -> bool:
    """Whether a feature matters: found again in a second half of the searches."""
    is_found: bool = entry["found"]
    return is_found


def _sentence(entry: dict[str, Any], features: dict[str, Feature]) -> str:
    """Return a thing to look at, which side of it is better, and what is lost without it."""
    names, weight = entry["features"], entry["weight"]
    feature = features[names[0]]
    lost = f"({figure(entry['lost']).removeprefix('+')} chips per deal)"
    meaning = capitalized(feature.meaning)
    if len(names) > 1:
        return f"{meaning.replace(names[0].rpartition('_')[2], 'n')}, for every n {lost}."
    flag = feature.unit == "1 if so"
    if weight["low"] > 0:
        side = "better if so" if flag else "the more, the better"
    elif weight["high"] < 0:
        side = "worse if so" if flag else "the less, the better"
    else:
        side = "which side is better depends on the rest"
    return f"{meaning}: {side} {lost}."


# --- what was computed from all hands -------------------------------------------------------------


def _exact(content: dict[str, Any]) -> Iterator[str]:
    """Yield the tables of a file in `results/exact`: each has a title, a text, columns and rows."""
    for one in content["tables"]:
        yield from (f"## {one['title']}", "", one["text"], "")
        yield from (f"| {' | '.join(row)} |" for row in (one["columns"], ["---"] * len(one["columns"]), *one["rows"]))
        yield ""
    yield from (f"These figures are exact: `{content['command']}`.", "")


def main() -> None:
    """Write all pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", action="store_true", help="also the positions, from deals that the verdicts name")
    if parser.parse_args().pictures:
        draw_positions()
    for game in GAMES.values():
        (FOLDER / f"{game.id}.md").write_text(page(game), encoding="utf-8")


if __name__ == "__main__":
    main()
