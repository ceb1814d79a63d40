"""What people see and read of Tien Gow."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.hints import Line
from gupai_env.core.move import PLAY
from gupai_env.core.scene import Views
from gupai_env.core.tiles import tile_name
from gupai_env.games import guide
from gupai_env.games.guide import Phrase, counted
from gupai_env.games.phrases import says
from gupai_env.games.tien_gow.combinations import CLASS, CLASS_NAMES, KIND_STRENGTH, NAMES, SIZE, STRENGTH
from gupai_env.games.tien_gow.rules import DISCARD
from gupai_env.games.tien_gow.table import Table as Table
from gupai_env.messages import count, joined, say


def _is_sure(view: np.record, action: int) -> bool:
    """Return whether no tiles that the viewer does not see beat a combination."""
    return action < DISCARD and not int(view.beatable) >> action & 1


DISCARDED = ("discard_strength", "discard_sure", "discard_breaks")  # what a seat that beats does without


class Guide(guide.Guide):
    """Tien Gow: classes of combinations, with what nobody can beat marked, discards, and the last trick."""

    kind = "A trick-taking game with combinations, like Big Two"
    goal = "Win the last trick: everybody then pays you for the tricks that they lack."
    reminders = (
        Line(
            "Lead one to four tiles that belong together; the others beat them with higher ones of the same class or "
            "discard as many face down. Who wins the last trick wins the deal, and each other pays for the tricks "
            "that it lacks. Civil tiles, the highest first: [6:6] [1:1] [4:4] [3:1] [5:5] [3:3] [2:2] [6:5] [6:4] "
            "[6:1] [5:1]; all others are military, and their pips count."
        ),
    )
    most_shown = 40
    composed = True
    answers = "Type the number of a move or its tiles: 6663 for [6:6][6:3], d6451 to discard [6:4][5:1]."
    headings: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        PLAY: "Play face up; * cannot be beaten by any tiles that you do not see",
        "": ("Or discard face down", "Discard face down"),
    }
    tasks = (
        Line("lead a tile, or several that belong together", lambda moment: not moment.view.tiles),
        Line("discard another tile", lambda moment: moment.view.to_discard),
        Line(
            "beat {best} ({combination}) with a higher one of the same class, or discard {tiles} face down",
            lambda moment: PLAY in moment.verbs,
        ),
        Line("discard {tiles} face down, for you cannot beat {best}"),
    )
    lessons = (
        Line(
            "You lead: one tile, an equal pair, or tiles of one family such as [6:6][6:3]. The others must beat it "
            "with a higher one of the same class or throw as many tiles away.",
            lambda moment: not moment.view.tiles,
        ),
        Line(
            "Only the same class beats a combination: civil tiles beat civil ones by rank, military ones military "
            "ones by pips. You need not beat it: what you discard instead lies face down and wins nothing.",
            lambda moment: moment.view.tiles,
        ),
        Line(
            "Keep something strong for the end, for the last trick alone wins; without any trick you pay five.",
            lambda moment: not moment.view.taken[0],
        ),
        Line("This is the last trick: who wins it wins the deal.", lambda moment: moment.view.last),
    )
    terms: ClassVar[Mapping[str, str]] = {
        "trick": "What everybody puts down for one lead; the best combination wins it and leads the next one.",
        "civil": "[6:6] [1:1] [4:4] [3:1] [5:5] [3:3] [2:2] [6:5] [6:4] [6:1] [5:1], the highest first.",
        "military": "All other tiles; more pips are higher.",
        "family": "[6:6] and the nines, [1:1] and the eights, [4:4] and the sevens, [3:1] and the fives.",
        "supreme pair": "[4:2][2:1]: nothing beats it when it is led.",
        "banker": "Who won the deal before; what the banker pays and gets is multiplied.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "tiles": "tiles led",
        "sure": "play what no unseen tiles beat",
        "threats": "unseen combinations that beat what is played",
        "strength": ("moves with the most strength played", "moves with the least strength played"),
        "beat": "beat what is on the table",
        "takes": "play what nobody can still beat",
        "first_trick": "play for your first trick",
        "breaks": "combinations broken by playing",
        "supreme": "lead the supreme pair",
        "controls": "kept combinations that no unseen tiles beat",
        "closes": "keep one combination that no unseen tiles beat",
        "ends": "keep just one combination",
        "discard_breaks": "combinations broken by discarding",
        "discard_sure": "discard what no unseen tile beats",
        "discard_all": ("moves with the most strength discarded", "moves with the least strength discarded"),
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        "strength": "Civil tiles count from 10 for [6:6] down to 0 for [5:1]; nines 10, eights 8, sevens 6, [4:2] 4, "
        "fives 2, [2:1] 0. Tiles played together count together.",
        "discard": "Several tiles are discarded one by one in the order [1:1], [2:1], [2:2], [3:1] and so on to [6:6], "
        "and each is a move. Its strength is counted with that of the weakest tiles that may follow it.",
        "nobody can still beat": "You play last, or no unseen tiles beat it.",
        "combinations": "A single tile is one, too; two with equal tiles are one and the same.",
        "broken": "Of two tiles or more, that your hand can make before the move and not after it; those that you play "
        "are not broken.",
        "first trick": "Play face up while you have no trick.",
        "one combination": "All tiles that you keep are one combination.",
    }

    phrases: ClassVar[Mapping[str, Phrase]] = {
        "tiles": Phrase("leads {number} tiles at once", "leads a single tile", weighs=("set_late",)),
        "takes": Phrase("wins the trick for sure", none="{fails}", weighs=("sure", "sure_tiles", *DISCARDED)),
        "beat": Phrase("beats the tiles on the table", none="{fails}", weighs=DISCARDED),
        "owed": Phrase("saves you {number} chips{if_it_wins}", "saves you a chip{if_it_wins}", "saves none"),
        "first_trick": Phrase("may win your first trick", none="{fails}"),
        "breaks": Phrase("breaks up {number} sets", "breaks up a set", "breaks up no set", better=-1, alike=True),
        "discard_breaks": Phrase(
            "breaks up {number} sets", "breaks up a set", "breaks up no set", better=-1, alike=True
        ),
        "controls": Phrase(
            "keeps {number} combinations that nobody can beat",
            "keeps one combination that nobody can beat",
            "keeps none that is sure to win",
            weighs=("closes", "ends"),
        ),
        "strength": Phrase("saves {other} for later", better=-1, weighs=("late_strength",), alike=True, alone=True),
        "discard_strength": Phrase(
            "keeps {other}, which is higher in its suit",
            shows={"margin": 1},
            weighs=("discard_sure",),
            alike=True,
            alone=True,
        ),
        "supreme": Phrase("leads the supreme pair", none="does not", weighs=("supreme_early",)),
    }

    def leads(self, view: np.record) -> bool:
        """Return whether no tile lies yet."""
        return not view.tiles

    def facts(self, view: np.record | None) -> dict[str, Any]:
        """Return what is to be beaten, and how many tiles are to be played."""
        if view is None or not view.tiles:
            return {}
        tiles, best = count("a tile", "{number} tiles", int(view.tiles)), int(view.best)
        return {"tiles": tiles, "best": NAMES[best], "combination": CLASS_NAMES[int(CLASS[best])]}

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return by what the moves are listed: the most tiles and the strongest first; of discards the weakest."""
        action = actions[0]
        if action >= DISCARD:
            return -float(KIND_STRENGTH[action - DISCARD])
        return 10.0 * float(SIZE[action]) + float(STRENGTH[action])

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return the tiles, marked if none that the viewer does not see beat them."""
        tiles = "".join(map(tile_name, self.game.move(actions[0]).tiles))
        return f"{tiles} *" if _is_sure(view, actions[0]) else tiles

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return the class of the tiles, and whether anything can beat them."""
        if action >= DISCARD:
            return ()
        return (joined(", ", [CLASS_NAMES[CLASS[action]], "which nothing can beat" if _is_sure(view, action) else ""]),)

    def discards(self, view: np.record) -> int:
        """Return how many tiles are discarded to this trick, or must still be."""
        return int(view.to_discard or view.tiles)

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also how a move fails to win the trick for sure, that it may, and how much higher the tile kept is.

        Of tiles that are discarded together, one that comes later in their order may go too.
        """
        may_follow = self.discards(view) > 1 and other > action
        margin = -math.inf if may_follow else self.value(view, [action]) - self.value(view, [other])
        fails = say("can be beaten" if action < DISCARD else "gives the trick up")
        if_it_wins = "" if values["takes"] else say(" if it wins")
        return super().slots(view, action, other, values) | {"fails": fails, "if_it_wins": if_it_wins, "margin": margin}

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield who won the last trick with what, and the tricks of all."""
        near = views[0]
        players = self.variant.players
        seats = [(int(near.seat) + place) % players for place in range(players)]
        winner = seats[int(near.holder)]
        yield say("{name} won the last trick with {tiles}.", name=names[winner], tiles=NAMES[int(near.best)])
        tricks = counted([names[seat] for seat in seats], near.taken, range(players))
        yield say("Tricks: {tricks}. Everybody owes the winner for those that they lack of four.", tricks=tricks)
        if near.multiplier > 1:
            yield says(
                names[seats[int(near.leader)]],
                "{name} is the banker: payments count {times} times.",
                "{name} are the banker: payments count {times} times.",
                times=near.multiplier,
            )
        for place, seat in enumerate(seats):
            if near.bonus[place] > 0:
                yield say("{name} won {chips} chips at once for tricks.", name=names[seat], chips=near.bonus[place])
