"""What people see and read of Ce Deng."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from gupai_env.core.hints import Line
from gupai_env.core.move import PLAY
from gupai_env.core.scene import Views
from gupai_env.core.tiles import faces, weight
from gupai_env.games.ce_deng.rules import DECLARE, PLAY_ON, REDEAL, is_head_or_tail, is_pass
from gupai_env.games.connecting import table
from gupai_env.games.connecting.guide import ConnectingGuide
from gupai_env.games.guide import Payment, Phrase, direct
from gupai_env.games.phrases import says
from gupai_env.messages import joined, say


class Table(table.Table):
    """Ce Deng: a declaration, and what doubles payments."""

    def note(self, place: int) -> list[str]:
        """Return what is noted of a seat, and what doubles its payments."""
        words, rules, near = super().note(place), self.variant.as_rules(), self.near
        if self.over and near.turn:
            words += ["pass"] * bool(is_pass(rules, near, place))
            if is_head_or_tail(rules, near, place):
                missed = near.hand_size - near.plays[place]  # tiles never played: head seven, tail eight
                words.append(say("head {missed}" if place == near.leader else "tail {missed}", missed=missed))
        return words

    def last_move(self) -> str:
        """Return the last public move; where nothing was played, who is paid declared."""
        if self.payoffs is None or self.near.turn:
            return super().last_move()
        declarer = int(np.argmax([self.payoffs[seat] for seat in self.seats]))
        return says(self.names[declarer], "{name} declares eight doubles", "{name} declare eight doubles")


ANSWERS = {
    DECLARE: "every other player pays you twice the pips in their hand",
    REDEAL: "all hands are thrown in and dealt afresh",
    PLAY_ON: "keep your doubles and play",
}


class Guide(ConnectingGuide):
    """Ce Deng: declarations before the play, a block, and what doubles payments."""

    goal = "Lay as many tiles as you can; the player with the fewest pips left and discarded wins."
    difference = "their difference, doubled if just one of them played all tiles or none"
    headings: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        PLAY: ConnectingGuide.headings[PLAY],
        "discard": ConnectingGuide.headings[""],
        "": "Before the play",
    }
    tasks = (
        Line(
            "declare your doubles or demand a redeal if you may, or play on", lambda moment: "play on" in moment.verbs
        ),
        *ConnectingGuide.tasks,
    )
    lessons = (
        Line(
            "Many doubles are a bad hand to play, so before the play you may have the deal end or dealt again.",
            lambda moment: "play on" in moment.verbs,
        ),
        *ConnectingGuide.lessons,
        Line(
            "The numbers have names: 6 dragon, 5 plum, 4 blood, 3 slant, 2 two, 1 nail. Doubles are called stubborn.",
            lambda moment: moment.view.turn == 0 and PLAY in moment.verbs,
        ),
        Line(
            "If all others drink in a row and who laid the last tile cannot match, hands count too: a block.",
            lambda moment: moment.view.turn and moment.view.passes,
        ),
    )
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

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile and the numbers it leaves open, what discarding it costs, or what an answer means."""
        if actions[0] in ANSWERS:
            return joined(": ", [self.game.action_name(actions[0]), ANSWERS[actions[0]]])
        return super().label(view, actions)

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
