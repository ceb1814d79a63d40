"""What people see and read of Ce Deng."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.move import PLAY
from gupai_env.core.scene import Scene, Views
from gupai_env.core.tiles import faces, weight
from gupai_env.core.variant import Variant
from gupai_env.games.ce_deng.rules import DECLARE, PLAY_ON, REDEAL, is_head_or_tail, is_pass
from gupai_env.games.connecting import table as connecting
from gupai_env.games.connecting.guide import ConnectingGuide, ConnectingHints
from gupai_env.games.guide import Payment, Phrase, direct
from gupai_env.games.phrases import says
from gupai_env.messages import joined, say


def scene(
    game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`."""
    table, near = connecting.scene(game, variant, views, names, payoffs), views[0]
    if payoffs is None and near.turn < variant.players * near.hand_size:
        return table
    if payoffs is not None and near.turn == 0:  # nothing was played: who is paid declared
        declarer = max(range(variant.players), key=lambda seat: payoffs[seat])
        return replace(
            table, last_move=says(names[declarer], "{name} declares eight doubles", "{name} declare eight doubles")
        )
    rules = variant.as_rules()
    places = [
        replace(scene_place, note=joined(", ", [scene_place.note, *_doublings(rules, near, place)]))
        for place, scene_place in enumerate(table.places)
    ]
    return replace(table, places=tuple(places))


def _doublings(rules: Any, near: np.record, place: int) -> list[str]:
    """Return what doubles the payments of a seat."""
    words = ["pass"] if is_pass(rules, near, place) else []
    if is_head_or_tail(rules, near, place):
        missed = near.hand_size - near.plays[place]  # tiles never played: head seven, tail eight
        words.append(
            say("head {missed}", missed=missed) if place == near.leader else say("tail {missed}", missed=missed)
        )
    return words


ANSWERS = {
    DECLARE: "every other player pays you twice the pips in their hand",
    REDEAL: "all hands are thrown in and dealt afresh",
    PLAY_ON: "keep your doubles and play",
}


class Hints(ConnectingHints):
    """Ce Deng: the answers before the play are explained."""

    difference = "their difference, doubled if just one of them played all tiles or none"

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb."""
        return super().heading(verb, verbs) if verb in (PLAY, "discard") else "Before the play"

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile and the numbers it leaves open, what discarding it costs, or what an answer means."""
        if actions[0] in ANSWERS:
            return joined(": ", [self.game.action_name(actions[0]), ANSWERS[actions[0]]])
        return super().label(view, actions)


class Guide(ConnectingGuide):
    """Ce Deng: declarations before the play, a block, and what doubles payments."""

    terms: ClassVar[Mapping[str, str]] = {
        **ConnectingGuide.terms,
        "drink": "A discard.",
        "dragon, plum, blood, slant, nail": "The names of the numbers 6, 5, 4, 3 and 1; a 2 is a two.",
        "stubborn": "Said of doubles, which only their own number lets you lay.",
        "block": "All others drank, and the one who laid the last tile cannot match either: the deal ends at once.",
        "pass": "You laid all eight tiles; who did not pays you double.",
        "head seven, tail eight": "You laid hardly any tile (the leader one, another none); you pay double.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        **ConnectingGuide.card_words,
        "declare": "declare eight doubles",
        "redeal": "demand a redeal",
    }

    phrases: ClassVar[Mapping[str, Phrase]] = {
        **ConnectingGuide.phrases,
        "declare": Phrase("wins the deal at once", none="does not"),
    }

    def goal(self) -> str:
        """Return the goal of the game in a line."""
        return "Lay as many tiles as you can; the player with the fewest pips left and discarded wins."

    def task(self, view: np.record, mask: np.ndarray) -> str:
        """Return what is to be decided before the play, or which number is to be matched."""
        if mask[PLAY_ON]:
            return "declare your doubles or demand a redeal if you may, or play on"
        return super().task(view, mask)

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield what a declaration is, and the block."""
        if mask[PLAY_ON]:
            yield "Many doubles are a bad hand to play, so before the play you may have the deal end or dealt again."
            return
        yield from super().lessons(view, mask)
        if view.turn == 0:
            yield (
                "The numbers have names: 6 dragon, 5 plum, 4 blood, 3 slant, 2 two, 1 nail. Doubles are called "
                "stubborn."
            )
        if view.turn and view.passes:
            yield "If all others drink in a row and who laid the last tile cannot match, hands count too: a block."

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the declaration, or the points, the block with what was left in hand, and what doubles payments."""
        near, players = views[0], self.variant.players
        if near.turn == 0:
            declarer = max(range(players), key=lambda seat: payoffs[seat])
            yield say(
                "{name} declared eight doubles: all others pay twice the pips in their hand.", name=names[declarer]
            )
            return
        yield from super().reasons(views, names, payoffs)
        if near.turn < players * near.hand_size:
            yield "A block: nobody could match, so the tiles left in hand count too."
            for seat, view in enumerate(views):
                if view.hand:
                    tiles = "".join(f"[{high}:{low}]" for high, low in faces(view.hand))
                    yield say(
                        "{name} had {tiles} left, {pips} pips.", name=names[seat], tiles=tiles, pips=weight(view.hand)
                    )
        for seat in range(players):
            if self._laid_all(views, seat):
                yield says(
                    names[seat],
                    "{name} has laid all tiles: who has not pays double.",
                    "{name} have laid all tiles: who has not pays double.",
                )
            if self._laid_none(views, seat):
                yield says(
                    names[seat],
                    "{name} has laid next to none: payments with who laid more are doubled.",
                    "{name} have laid next to none: payments with who laid more are doubled.",
                )

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return what every two seats settle, or what the declarer gets."""
        return direct(payoffs) if views[0].turn == 0 else super().payments(views, payoffs)

    def settled(self, views: Views, points: Sequence[int], seat: int, other: int) -> float:
        """Return how many stakes a seat wins from another one, with its doublings."""
        chips = super().settled(views, points, seat, other)
        for doubles in (self._laid_all, self._laid_none):
            if doubles(views, seat) != doubles(views, other):
                chips *= 2
        return chips

    def _laid_all(self, views: Views, seat: int) -> bool:
        return bool(is_pass(self.variant.as_rules(), views[seat], 0))

    def _laid_none(self, views: Views, seat: int) -> bool:
        return bool(is_head_or_tail(self.variant.as_rules(), views[seat], 0))
