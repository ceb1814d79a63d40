"""Writes `docs/strategy/GAME.md`, advice on playing a game, and draws its positions.

The words are in `templates/strategy/GAME.md`. Every figure is filled in by its name from results: the recorded verdicts
on claims (`tools/claims.py` says how they are written), `results/facts`, `results/atlas` and `results/exact`. A name
also says what the sentence around it takes the figure for, a gain, a loss or little; one that is not so is an error:

    python tools/strategy.py

A position is drawn from the deal that a verdict names; one is drawn again when the verdict has changed.
"""

import argparse
import json
import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

from fact_pages import answers, figures_of, plain, recorded, table_in
from writing import ROOT, content_of, fill, recorded_claims, written

from gupai_agents.evaluation.claims import read_claim
from gupai_agents.evaluation.claims.deals import play_again
from gupai_agents.evaluation.claims.report import share_text
from gupai_agents.evaluation.claims.results import FEWEST_OPEN, Example, Finding, Level, Verdict
from gupai_agents.evaluation.exact.all_hands import chances_against
from gupai_agents.evaluation.intervals import interval_text
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.players.card import READING, CardRule, card_agent, closes, notes, rule_in_words
from gupai_agents.shipped import shipped_card
from gupai_app.claims import terminal as claims
from gupai_app.play.session import Session
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.move import PLAY
from gupai_env.core.position import read_tiles
from gupai_env.core.scene import seat_names
from gupai_env.core.tiles import DECK, tile_name
from gupai_env.games import GAMES
from gupai_env.games.pai_gow.exact import TABLE, Opponent, splits_by
from gupai_env.games.pai_gow.hands import alike
from gupai_env.games.pai_gow.policies import WAYS
from gupai_env.games.pai_gow.policies.hand import Hand
from gupai_env.games.pai_gow.position import split_of
from gupai_env.render import draw_svg

FOLDER = ROOT / "docs" / "strategy"
PICTURES, POSITIONS = FOLDER / "positions", ROOT / "results" / "positions.json"
SEARCHED = 200  # deals


class UndrawnError(Exception):
    """A drawing on a page is not there, or shows what a verdict no longer names; its argument is the drawing's name."""


class Figures:
    """What the words about a game can name.

    A reading of a claim is named by the claim, its number from 1, and one of its doses. Of a reading that compares two
    ways of playing, figures are of the way that it tests, or with `other` of the other way. A ValueError names the
    figure that the words take for what it is not.
    """

    def __init__(self, game: Game, verdicts: dict[str, Verdict], positions: dict[str, Any]) -> None:
        self.game, self.verdicts, self.positions = game, verdicts, positions
        self.drawn: dict[str, dict[str, Any]] = {}  # the examples of the positions on the page

    def finding(self, claim: str, number: int = 1) -> Finding:
        """Return what a reading has come to."""
        return self.verdicts[claim].findings[number - 1]

    def level(self, claim: str, number: int = 1, dose: str = "") -> Finding | Level:
        """Return what a reading has come to, or what it found at a dose."""
        finding = self.finding(claim, number)
        return next(level for level in finding.doses if level.dose and level.dose.text == dose) if dose else finding

    def estimate(
        self, claim: str, number: int = 1, dose: str = "", other: bool = False, against: str = ""
    ) -> tuple[str, Estimate]:
        """Return the name of a figure for errors, and the chips that a way gains, over all opponents or against one."""
        level = self.level(claim, number, dose)
        assert level.pooled
        figures = {"": level.pooled.effect} | {effect.label: effect.estimate for effect in level.effects}
        estimate = -figures[against] if other else figures[against]
        return f"{claim} {number} {dose} {against}: {estimate}", estimate

    def figure(self, *name: Any, **which: Any) -> str:
        """Return what a way of playing gains, or loses, for words that leave open which."""
        return self.estimate(*name, **which)[1].text()

    def is_settled(self, claim: str, number: int = 1, dose: str = "", other: bool = False, against: str = "") -> bool:
        """Return whether a figure stands among all that were tested, and is not one on which opponents disagree."""
        depends = self.level(claim, number, dose).verdict == "it depends" and not against
        return self.finding(claim, number).stands is not False and not depends

    def gain(self, *name: Any, **which: Any) -> str:
        """Return what a way of playing gains; an error if it may gain nothing, or if chance may have found it."""
        where, estimate = self.estimate(*name, **which)
        if estimate.side() <= 0 or not self.is_settled(*name, **which):
            raise ValueError(f"{where}, which is no gain")
        return estimate.text()

    def loss(self, *name: Any, **which: Any) -> str:
        """Return what a way of playing costs, without a sign; an error if it may cost nothing."""
        where, estimate = self.estimate(*name, **which)
        if estimate.side() >= 0 or not self.is_settled(*name, **which):
            raise ValueError(f"{where}, which is no loss")
        return (-estimate).text().removeprefix("+")

    def little(self, *name: Any, **which: Any) -> str:
        """Return a figure that may be zero, or that is less than what its claim calls worth naming."""
        where, estimate = self.estimate(*name, **which)
        margin = self.finding(*name[:2]).about["margin"]
        if estimate.side() and max(-estimate.low, estimate.high) > margin:
            raise ValueError(f"{where}, which is not little")
        return estimate.text()

    def rate(self, claim: str, number: int, label: str, share: bool = True) -> str:
        """Return a share, or another rate, of a player or an item."""
        effects = self.finding(claim, number).effects
        estimate = next(effect.estimate for effect in effects if effect.label == label)
        if not share:
            return estimate.text().removeprefix("+")
        mean, low, high = (100 * number for number in estimate[:3])
        return interval_text(
            mean, low, high, estimate.samples, int(estimate.half_width < 0.005), unit="%", signed=False
        )

    def proved(self, claim: str, number: int = 1, fact: str = "", wrong: bool = False, share: bool = False) -> str:
        """Return an enumerated fact, "" for none; an error unless the reading is proved, or disproved if `wrong`."""
        finding = self.finding(claim, number)
        if finding.verdict != ("disproved" if wrong else "proved"):
            raise ValueError(f"{claim} {number} is {finding.verdict}")
        value = finding.facts[fact] if fact else ""
        return value if isinstance(value, str) else f"{value:.0%}" if share else f"{value:.3g}"

    def spelled(self, figure: str, value: str, words: str) -> str:
        """Return words for a figure; an error unless it has the value that they spell."""
        if figure != value:
            raise ValueError(f"{words!r} is said of {figure}")
        return words

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The tables of exact figures, by title."""
        return {table["title"]: table for table in content_of("exact", self.game)["tables"]}

    def cell(self, title: str, row: str, column: str) -> str:
        """Return a cell of such a table, by the first cell of its row and the head of its column."""
        table = self.tables[title]
        cells = next(cells for cells in table["rows"] if cells[0] == row)
        text = str(cells[table["columns"].index(column)])
        return f"{float(text):.3g}" if re.fullmatch(r"-?\d+\.\d+", text) else text

    def ending(self, name: str) -> str:
        """Return the share of deals of `best` that end in a way."""
        *_, shares = table_in(recorded(self.game)[0], "How deals end").columns().values()
        return share_text(shares[name])

    def strong(self, *name: Any, do: str = "do so", other: bool = False, when: str = "") -> str:
        """Return in a sentence whether strong players play in a way, and how often they could have.

        do: what they do if they play so. when: in which of the cases that the words speak of.
        """
        shares, sides = [], set()
        for master in self.level(*name).masters:
            if master.deals >= FEWEST_OPEN:
                does, instead = (master.chooses, master.other)[:: -1 if other else 1]
                player = NAMES.get(master.who.partition(",")[0], "a quick search")
                choices = f"{share_text(does)} of {master.decisions:,} such choices"
                shares.append(f"{player} in {choices}, the other way in {instead.mean:.0%}")
                sides.add(does.side(instead))
        if not shares:
            return "In the deals of strong players it comes up too rarely to say what they do."
        words = {1: do, -1: "do not", 0: "have no clear preference"}
        does_so = words[sides.pop()] if len(sides) == 1 else "are not of one mind"
        return f"{' '.join(filter(None, ['Strong players', does_so, when]))}: {'; '.join(shares)}."

    def position(self, claim: str, number: int = 1, other: bool = False, verb: str = "") -> str:
        """Return the drawing of the deal in which a way of playing gains most, and what its two moves are.

        verb: of both moves, such as "discard"; such a deal is looked for among those that were played next.
        """
        side = -1 if other else 1
        example = max(self.finding(claim, number).examples, key=lambda example: side * example.gain)
        words = {name: value for name, value in vars(example).items() if value not in ("", None)}
        return self.drawing(f"{claim}-{number}", words | {"other": other} | ({"verb": verb} if verb else {}))

    def hand(self, name: str, tiles: str, split: str, instead: str) -> str:
        """Return the drawing of a hand of Pai Gow whose best split against the house way is counted out."""
        return self.drawing(name, {"tiles": tiles, "split": split, "instead": instead})

    def drawing(self, name: str, example: dict[str, Any]) -> str:
        """Return a drawing with its caption; raises UndrawnError where it is still to be drawn."""
        self.drawn[name], position = example, self.positions.get(name, {})
        if position.get("example") != example:
            raise UndrawnError(name)
        (move, instead), seat, gain = position["moves"], position["seat"], position["gain"]
        won, when = f"{gain:,.0f} chip{'s' * (gain > 1)}", "in this deal"
        if "tiles" in example:
            won, when = f"{gain:.2g} chips", "on average"
        comma = "," if "," in move else ""
        return (
            f"![Seat {seat} is to play](positions/{name}.svg)\n\n"
            f"*Seat {seat}, at the bottom, is to play: {move}{comma} wins {won} more than {instead} {when}.*"
        )


def where_to_sit(game: Game) -> str:
    """Return the advice whom to sit behind, "" where the seats around a weaker player win alike."""
    if "seats" not in answers(game):
        return ""
    content = answers(game)["seats"]
    around, *mistakes = figures_of(game.id, "seats")
    greedy, less = around["greedy"], "the next in turn, less the one before it"
    if greedy[less].mean < SURE * greedy[less].half_width:
        return ""
    players = content["variant"].get("players")
    table = f", with {players} players" if players else ""
    opposite = f"the seat opposite {greedy['opposite']}, " if "opposite" in greedy else ""
    text = (
        f"**Take the seat after the weakest player ({greedy[less]}{table}).**\n\n"
        f"One `greedy` among players like `best` loses {plain(-greedy['the weaker player'])} chips per deal. The next "
        f"in turn wins {plain(greedy['the next in turn'])} of them, {opposite}the one before it "
        f"{greedy['the one before it']}; in the bracket is what the next one wins more than the one before it."
    )
    for figures in mistakes:
        gains, more = figures["the next in turn"], figures["legal actions added for the next"]
        label = max(gains, key=lambda name: gains[name].mean)
        alike = ", a move of the type that `best` would take, but another one" if ": another" in label else ""
        text += f" Most of it comes from one kind of mistake (*{label}*{alike}; {gains[label]})"
        opens = more[label].side() > 0 and more[label].mean > WORTH_NAMING
        text += f": the next one then has {plain(more[label])} more legal moves on average." if opens else "."
    if around["random"][less].side() <= 0:
        text += f" Next to a player at random it does not hold ({around['random'][less]})."
    return text


def what_to_hide(game: Game) -> str:
    """Return the advice to hide a hand, "" where it is not known to cost anything to be seen."""
    if "secrets" not in answers(game):
        return ""
    chips = figures_of(game.id, "secrets")[0]["chips per deal"]
    cost = -chips.get("all others see its hand", Estimate.symmetric(0, 1, 0))
    if cost.mean < SURE * cost.half_width:
        return ""
    return (
        f"**Hide what you hold ({plain(cost)}).**\n\n"
        "So much you lose if all others see your hand: one seat played like `best` and all others searched, once with "
        f"its hand in sight and once without. To see all other hands gained a seat {chips['it sees everything']}."
    )


SURE = 1.31  # half widths: of 95%, for an interval of 99%
WORTH_NAMING = 0.1  # legal moves
NAMES = {"best": "`best`", "search:playouts=1000": "the search"}


def verdicts_of(game: Game) -> dict[str, Verdict]:
    """Return the recorded verdicts on the claims about a game."""
    return {verdict.id: verdict for verdict in recorded_claims() if verdict.game == game.id}


def recorded_positions() -> dict[str, Any]:
    """Return what is known of the drawings."""
    content: dict[str, Any] = json.loads(POSITIONS.read_text(encoding="utf-8"))
    return content


def page(game: Game, figures: Figures | None = None) -> str:
    """Return the page of a game; raises ValueError where its words and its figures disagree."""
    figures = figures or Figures(game, verdicts_of(game), recorded_positions())
    card, rules = _card(game)
    names = [
        "figure",
        "gain",
        "loss",
        "little",
        "rate",
        "ending",
        "proved",
        "cell",
        "spelled",
        "strong",
        "position",
        "hand",
    ]
    of_figures: dict[str, Callable[..., str]] = {name: getattr(figures, name) for name in names}
    text = written(
        f"strategy/{game.id}.md",
        game=game,
        card=card,
        rules=rules,
        reading=READING,
        closes=closes,
        notes=notes(game, [rule for rule, _ in rules]),
        rule_in_words=rule_in_words,
        where_to_sit=where_to_sit(game),
        what_to_hide=what_to_hide(game),
        **of_figures,
    )
    return re.sub(r"\n{3,}", "\n\n", fill(text))


def _card(game: Game) -> tuple[dict[str, Any] | None, list[tuple[CardRule, str]]]:
    """Return the game's card, and its rules with what each adds."""
    content, card = shipped_card(game, game.variant()), card_agent(game, game.variant())
    return content, list(zip(card.rules, content["adds"], strict=True)) if content and card else []


def write_page(game: Game, positions: dict[str, Any]) -> set[str]:
    """Write the page of a game, draw those of its positions that are new, and return the names of all of them."""
    while True:
        figures = Figures(game, verdicts_of(game), positions)
        try:
            text = page(game, figures)
        except UndrawnError as missing:
            (name,) = missing.args
            positions[name] = draw(game, name, figures.drawn[name], figures.verdicts)
        else:
            (FOLDER / f"{game.id}.md").write_text(text, encoding="utf-8")
            return set(figures.drawn)


def draw(game: Game, name: str, example: dict[str, Any], verdicts: dict[str, Verdict]) -> dict[str, Any]:
    """Draw a position, and return who is to play, its two moves, and what the first gains."""
    if "tiles" in example:
        deal, moves, gain = counted_hand(game, **example)
    else:
        deal, moves, gain = parting_deal(game, name, example, verdicts)
    seat, hints = deal.seat, game.hints(game, deal.variant)
    view = deal.view(seat)
    scene = game.scene(deal.variant, [view], seat_names(deal.variant.players))
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / f"{name}.svg").write_text(draw_svg(scene) + "\n", encoding="utf-8")
    texts = []
    for move in moves:
        plain = game.move(move, view).verb == PLAY
        label = hints.label(view, [move]).partition("  ")[0].removesuffix(" *")
        texts.append(label if plain else game.action_name(move, view))
    return {"seat": seat, "moves": texts, "gain": gain, "example": example}


def parting_deal(
    game: Game, name: str, example: dict[str, Any], verdicts: dict[str, Verdict]
) -> tuple[Deal, Sequence[int], float]:
    """Return a deal where the two ways of playing that a verdict compares part, the moves, and what the first gains.

    The moves are that of the way which the page advises, and that of the other one.
    """
    id_, _, number = name.rpartition("-")
    claim, way = read_claim(next(path for path in claims.paths() if path.stem == id_)), -1 if example["other"] else 1
    parting: list[tuple[Deal, Sequence[int], float]] = []
    first = example["deal"]
    for deal in range(first + 1, first + SEARCHED) if "verb" in example else (first,):
        of_deal = Example(**{**{key: example[key] for key in example if key not in ("other", "verb")}, "deal": deal})
        pair = play_again(claim, claim.readings[int(number) - 1], verdicts[id_].seed, of_deal)
        both = enumerate(zip(pair.treated.actions, pair.baseline.actions, strict=False))
        turn, moves = next(((turn, moves) for turn, moves in both if moves[0] != moves[1]), (0, ()))
        session = Session.of(pair.treated)
        for action in pair.treated.actions[:turn]:
            session.play(action)
        verbs = {game.move(move, session.view(session.seat)).verb for move in moves}
        if moves and example.get("verb") in (None, *verbs) and ("verb" not in example or len(verbs) == 1):
            one, two = (sum(payoffs[pair.seats[0]] for payoffs in record.payoffs) for record in pair[:2])
            parting.append((session, moves[::way], way * (one - two)))
    if not parting:
        raise ValueError(f"{name}: no deal in which the two ways part; have its players changed since the verdict?")
    return max(parting, key=lambda entry: entry[2])


@cache
def house_opponent() -> Opponent:
    """Return the house way as an opponent, with the chances of all hands against it."""
    return Opponent(chances_against(GAMES["pai-gow"], splits_by(WAYS["house-way"])))


def counted_hand(game: Game, tiles: str, split: str, instead: str) -> tuple[Deal, Sequence[int], float]:
    """Return a hand of Pai Gow that is to be split, two ways to do it, and what the first gains over the second.

    Against the house way, as player, with a commission; ValueError if it is not the best way.
    """
    opponent = house_opponent()
    spare = list(DECK)
    for kind in read_tiles(tiles):
        spare.remove(kind)
    position = game.positions.from_tiles([[tile_name(kind) for kind in spare[:4]], tiles], leader=0)
    position.play(int(position.mask().argmax()))  # the banker's split, which nobody sees
    tiles_held = tuple(map(int, position.state.tiles[1]))
    moves = [split_of(tiles_held, way) for way in (split, instead)]
    same = alike(position.rules)  # hands of equal worth are counted once
    kinds = sorted(same[list(tiles_held)])
    row, hand = next(entry for entry in enumerate(opponent.hands) if sorted(same[list(entry[1].tiles)]) == kinds)
    of_groups = {(way.high.value, way.low.value): opponent.chips[row, way.action] / 100 for way in hand.splits}
    worth = {way.action: of_groups[way.high.value, way.low.value] for way in Hand(TABLE, tiles_held).splits}
    if worth[moves[0]] < max(worth.values()):
        raise ValueError(f"{split} is not the best split of {tiles}: {worth}")
    return position, moves, worth[moves[0]] - worth[moves[1]]


def main() -> None:
    """Write all pages, and keep the drawings that are on them."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    positions = recorded_positions()
    drawings = {name for game in GAMES.values() for name in write_page(game, positions)}
    lines = (f" {json.dumps(name)}: {json.dumps(positions[name])}" for name in sorted(drawings))
    POSITIONS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    for picture in PICTURES.glob("*.svg"):
        if picture.stem not in drawings:
            picture.unlink()


if __name__ == "__main__":
    main()
