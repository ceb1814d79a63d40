"""Writes `docs/strategy/GAME.md`, advice on playing a game with the evidence for each piece, and a position for each.

It reads the recorded verdicts on claims (`tools/claims.py` says how they are written), what features matter
(`results/features/GAME.json`, by `gupai discover GAME --out results/features`), tables of exact figures
(`results/exact/GAME.json`, by the command in the file), and `tools/advice.yaml`, which says what each reading of a
claim would have a player do. Which of two ways is advised, and what it gains, comes from the verdicts alone:

    python tools/strategy.py              # the pages
    python tools/strategy.py --pictures   # and the positions, from deals that the verdicts name
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fact_pages import endings, recorded
from writing import recorded_claims, written

from gupai_agents.card import READING, CardRule, card_agent, closes, rule_in_words
from gupai_agents.evaluation.claims import read_claim
from gupai_agents.evaluation.claims.deals import play_again
from gupai_agents.evaluation.claims.effects import in_words as dose_in_words
from gupai_agents.evaluation.claims.report import levels, master_words
from gupai_agents.evaluation.claims.results import written as figure_in_words
from gupai_agents.evaluation.claims.schema import dose_of
from gupai_agents.evaluation.claims.verdicts import word_of
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.plain_yaml import parse_yaml
from gupai_agents.shipped import shipped_card
from gupai_app.claims import terminal as claims
from gupai_app.facts.tables import chips, percent
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
DECIDED = ("supported", "contradicted")
ANSWERS = {
    "no practical effect": "little difference",
    "small effect": "little difference",
    "it depends": "depends on the opponents",
}
WRONG_TOPIC, OPEN_TOPIC = "What people say that is wrong", "What nobody knows yet"
FACTS, LITTLE = "Good to know", "What makes little difference"
LAST = (FACTS, LITTLE, WRONG_TOPIC, OPEN_TOPIC)  # headings, in this order
FIGURES = r" -?[\d.]+%? (±[\d.]+|\([^)]*\))| did not occur in [\d,]+ deals| \(all alike[^)]*\)"


class Advice(NamedTuple):
    """One reading of a claim, and what a player makes of it: a fact, or one of two ways of playing.

    ways: the fact, or the way that the reading tests and the other one. side: 1 for the first, -1 for the second.
    """

    content: dict[str, Any]  # the verdict on the claim
    number: int  # of the reading
    ways: tuple[str, ...]
    side: int
    heading: str
    dose: str = ""

    @property
    def reading(self) -> dict[str, Any]:
        """The verdict on the reading."""
        return self.content["readings"][self.number]

    @property
    def rule(self) -> str:
        """The fact, or the way of playing that it is about."""
        return self.ways[self.side < 0]

    @property
    def is_followed(self) -> bool:
        """Whether it says what to do."""
        return len(self.ways) == 2 and self.heading not in LAST

    @property
    def mark(self) -> str:
        """How sure it is."""
        if self.heading == OPEN_TOPIC:
            return OPEN
        return HOLDS if self.reading.get("stands", True) else EXPLORATORY

    @property
    def picture(self) -> str:
        """The file of its position."""
        return f"{self.content['id']}-{self.number + 1}.svg"

    def gain(self, figure: dict[str, Any]) -> Estimate:
        """Return a figure of the way that the reading tests as one of this way."""
        estimate = Estimate.of(figure)
        return estimate if self.side > 0 else -estimate


def page(game: Game) -> str:
    """Return the page of a game."""
    all_advice = list(advice_on(game))
    headings = {advice.heading: None for advice in all_advice}
    topics = sorted((name for name in headings if name not in LAST), key=lambda name: name != "Every deal")
    ordered = [*topics, *(name for name in LAST if name in headings)]
    (card, rules), (facts, *_) = _card(game), recorded(game)
    ablation, exact = _content(FEATURES, game), _content(EXACT, game)
    return written(
        "strategy.md",
        game=game,
        holds=HOLDS,
        exploratory=EXPLORATORY,
        open=OPEN,
        strong_players=any(map(_has_masters, all_advice)),
        card=card,
        rules=rules,
        reading=READING,
        closes=closes,
        rule_in_words=rule_in_words,
        facts=facts,
        best=facts["self_play"][-1],
        chips=chips,
        percent=percent,
        endings=endings,
        advice_by_heading=[
            (heading, [f"{line}\n" for advice in all_advice if advice.heading == heading for line in _written(advice)])
            for heading in ordered
        ],
        ablation=ablation,
        features=_features(game, ablation) if ablation else [],
        label=label,
        figure=figure,
        exact=exact,
    )


def _content(folder: Path, game: Game) -> dict[str, Any] | None:
    """Return what a folder of results has on a game."""
    file = folder / f"{game.id}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def _has_masters(advice: Advice) -> bool:
    return any("masters" in figure for figure in (advice.reading, *levels(advice.reading)))


def _card(game: Game) -> tuple[dict[str, Any] | None, list[tuple[CardRule, str]]]:
    """Return the game's card, and its rules with what each adds."""
    content, card = shipped_card(game, game.variant()), card_agent(game, game.variant())
    return content, list(zip(card.rules, content["adds"], strict=True)) if content and card else []


# --- advice ---------------------------------------------------------------------------------------


def advice_on(game: Game) -> Iterator[Advice]:
    """Yield what is said of a game, with the verdicts."""
    given = parse_yaml(Path(__file__).with_name("advice.yaml").read_text(encoding="utf-8"))
    for content in recorded_claims():
        if content["game"] == game.id:
            mine = given[content["id"]]
            for number, (rule, reading) in enumerate(zip(mine["rules"], content["readings"], strict=True)):
                ways = tuple(rule) if isinstance(rule, list) else (rule,)
                for heading, side in _places(reading, ways, mine["topic"]) if rule else ():
                    yield Advice(content, number, ways, side, heading, mine.get("dose", ""))


def _places(reading: dict[str, Any], ways: Sequence[str], topic: str) -> Iterator[tuple[str, int]]:
    """Yield the heading under which the verdict puts a fact or a way of playing, and which way that is.

    The way that gains is advised, of doses that differ the one that is claimed, if it gains at any; what people say is
    under what is wrong as well, if it is the way that loses.
    """
    verdict = reading["verdict"]
    if verdict == "it depends" and not levels(reading):  # on the players
        yield OPEN_TOPIC, -1 if reading.get("about", {}).get("alternative") == "less" else 1
        return
    if len(ways) == 1:
        yield topic if verdict in GOOD else WRONG_TOPIC if verdict in WRONG else OPEN_TOPIC, 1
        return
    claimed = -1 if reading["about"]["alternative"] == "less" else 1
    figures = levels(reading) or [{**reading["pooled"], "verdict": verdict}]
    sides = [1 if figure["mean"] > 0 else -1 for figure in figures if figure["verdict"] in DECIDED]
    if sides:
        yield topic, claimed if claimed in sides else -claimed
    elif verdict in (*GOOD, *WRONG):
        yield LITTLE, 1 if figures[0]["mean"] > 0 else -1
    else:
        yield OPEN_TOPIC, claimed
    if verdict == "contradicted":
        yield WRONG_TOPIC, claimed


def _written(advice: Advice) -> Iterator[str]:
    reading = advice.reading
    link = f"[Statistics](../claims/{advice.content['game']}.md#{advice.content['id']})"
    variant = in_words(reading["variant"], "")
    played = f" Played with {variant}." if variant else ""
    evidence = _of_ways(advice) if len(advice.ways) == 2 else _of_fact(reading)
    yield f"{advice.mark} **{advice.rule}** {' '.join(evidence)}{played} {link}"
    yield ""
    if levels(reading) and len(advice.ways) == 2:
        yield from (*_doses(advice), "")
    if advice.is_followed and (PICTURES / advice.picture).exists():
        yield from (f"![A position: {advice.rule}](positions/{advice.picture})", "", _caption(advice), "")


def _of_fact(reading: dict[str, Any]) -> Iterator[str]:
    """Yield what was found about a fact, in a sentence or two."""
    if reading["verdict"] in WRONG:
        yield "Not so."
    if reading["verdict"] == "proved":
        yield PROVED
    elif "first" in reading.get("about", {}):
        order = re.sub(FIGURES, "", reading["sentence"]).replace(" >", ",").rstrip(".")
        yield f"In this order: {order}."
    else:
        yield reading["sentence"]


def _of_ways(advice: Advice) -> Iterator[str]:
    """Yield what a way of playing gains over the other, and what strong players do, in a sentence or two."""
    reading = advice.reading
    if levels(reading):
        answers = [f"{name} with {_dose(level)}" for level in levels(reading) if (name := _answer(advice, level))]
        yield f"By {advice.dose}: {', '.join(answers)}."
        return
    figure = f"{figure_in_words(advice.gain(reading['pooled']), reading['unit'])} chips"
    if advice.heading == WRONG_TOPIC:
        yield f"Not so: {figure}."
        return
    little = f", less than the {reading['about']['margin']:g} worth naming" if advice.heading == LITTLE else ""
    yield f"{figure}{little}."
    if advice.heading == OPEN_TOPIC and reading.get("remark"):
        yield f"{capitalized(reading['remark'])}."
    if strong := "; ".join(_strong(advice, master) for master in reading.get("masters", ())):
        yield f"Strong players: {strong}."


def _strong(advice: Advice, master: dict[str, Any]) -> str:
    """Return what a strong player does about a way of playing."""
    often, does, other, value, worth = master_words(master, advice.side)
    name, decisions = f"`{master['who'].partition(',')[0]}`", f"{master['decisions']:,}"
    if not does:
        return f"{name}, {often} ({decisions})"
    return f"{name} {often} ({does} against {other} of {decisions})" + (f" and {value} ({worth})" if value else "")


def _answer(advice: Advice, level: dict[str, Any]) -> str:
    """Return whether to play so at a dose."""
    return ANSWERS.get(level["verdict"]) or word_of("advice", advice.gain(level))


def _dose(level: dict[str, Any]) -> str:
    return dose_in_words(dose_of(level["dose"]))


def _doses(advice: Advice) -> Iterator[str]:
    """Yield the table of what to do at each dose."""
    yield f"| {advice.dose} | chips | do it? | strong players |"
    yield "| --- | --- | --- | --- |"
    for level in levels(advice.reading):
        chips = figure_in_words(advice.gain(level), advice.reading["unit"])
        strong = "; ".join(_strong(advice, master) for master in level.get("masters", ()))
        yield f"| {_dose(level)} | {chips} | {_answer(advice, level)} | {strong} |"


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
        for advice in advice_on(game):
            if advice.is_followed and advice.reading.get("examples"):
                positions[Path(advice.picture).stem] = _draw(game, advice)
    lines = (f" {json.dumps(name)}: {json.dumps(position)}" for name, position in sorted(positions.items()))
    POSITIONS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _draw(game: Game, advice: Advice) -> dict[str, Any]:
    claim = read_claim(next(path for path in claims.paths() if path.stem == advice.content["id"]))
    example = max(advice.reading["examples"], key=lambda example: advice.side * example["gain"])
    pair = play_again(claim, claim.readings[advice.number], advice.content["seed"], example)
    both = enumerate(zip(pair.treated.actions, pair.baseline.actions, strict=False))
    number, moves = next((number, moves) for number, moves in both if moves[0] != moves[1])
    session = Session.of(pair.treated)
    for action in pair.treated.actions[:number]:
        session.play(action)
    seat, hints = session.seat, game.hints(game, session.variant)
    view = session.view(seat)
    scene = game.scene(session.variant, [view], seat_names(session.variant.players))
    (PICTURES / advice.picture).write_text(draw_svg(scene) + "\n", encoding="utf-8")
    position: dict[str, Any] = {"seat": seat, "gain": advice.side * example["gain"]}
    for name, move in zip(("one", "other"), moves[:: advice.side], strict=True):
        plain = game.move(move, view).verb == PLAY
        position[name] = hints.label(view, [move]).partition("  ")[0] if plain else game.action_name(move, view)
    return position


# --- what a tuned player weighs -------------------------------------------------------------------


def _features(game: Game, ablation: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the features that matter, with a mark: those that a second half of the searches confirms come first."""
    features = {feature.name: feature for feature in game.features}
    confirmed = [(HOLDS, entry) for entry in ablation["features"] if entry["found"]]
    alone = [(EXPLORATORY, row) for row in ablation["features"] if not row["found"] and row["lost"]["low"] > 0]
    return [(mark, _sentence(entry, features)) for mark, entry in confirmed + alone]


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
