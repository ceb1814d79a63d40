"""What people see and read of Deer Hunt."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core import table
from gupai_env.core.episode import NOBODY
from gupai_env.core.hints import Line
from gupai_env.core.scene import Pile, Views
from gupai_env.core.tiles import ONE, RED, faces, tile_name
from gupai_env.games import guide
from gupai_env.games.deer_hunt.players import taker_of
from gupai_env.games.deer_hunt.rules import HANDS, PARTNER, SEATS, TEAMS
from gupai_env.games.guide import Payment, Phrase, counted
from gupai_env.games.phrases import says
from gupai_env.messages import count, joined, say


class Table(table.Table):
    """The trick in the centre, where the tile that takes it is marked, hands, and the tricks taken."""

    @property
    def size(self) -> int:
        """Tiles dealt to each seat."""
        return HANDS[self.deck]

    def centre(self) -> Sequence[Pile]:
        """Return the tiles of the trick, and those that have escaped."""
        near, piles = self.near, []
        for place, name in enumerate(self.names):
            played = () if near.trick[place] == NOBODY else faces(ONE[near.trick[place]])
            piles.append(Pile(name, played, marked=(0,) if played and place == near.taking else (), capacity=1))
        escaped = Pile("escaped", faces(near.escaped), capacity=SEATS * self.size // 2)
        return [*piles, escaped] if near.escape else piles

    def piles(self, place: int) -> Sequence[Pile]:
        """Return a seat's hand, and what it has taken."""
        taken = Pile("taken", faces(self.near.taken[place]), capacity=SEATS * self.size // 2)
        return [self.pile("hand", place, "hand", "sizes", capacity=self.size), taken]

    def note(self, place: int) -> list[str]:
        """Return what a seat has won, and its red pips."""
        return [*super().note(place), say("{pips} red pips taken", pips=self.near.red[place])]

    def notes(self) -> list[str]:
        """Return what is in the trick, who deals, and the red pips of both sides."""
        near, names, notes = self.near, self.names, []
        if near.lying:
            takes = says(names[near.taking], "{name} takes it", "{name} take it")
            notes.append(joined(", ", [say("{pips} red pips", pips=self.red), takes]))
        sides = [int(near.red[side] + near.red[side + PARTNER]) for side in range(2)]
        partners = [joined(" and ", [names[side], names[side + PARTNER]]) for side in range(2)]
        dealer, red = say("dealer: {name}", name=names[near.leader]), counted(partners, sides, range(2))
        return [*notes, dealer, say("red pips: {sides}", sides=red), *super().notes()]

    @property
    def red(self) -> int:
        """The red pips of the trick."""
        return sum(int(RED[kind]) for kind in self.near.trick if kind != NOBODY)

    def last_move(self) -> str:
        """Return the last tile that was played and, if it ended a trick, who took that."""
        near, names = self.near, self.names
        if not near.plays:
            return says(names[near.leader], "{name} leads", "{name} lead")
        if near.lying:
            tile = tile_name(near.record[near.plays - 1])
            return says(names[near.mover - 1], "{name} plays {tiles}", "{name} play {tiles}", tiles=tile)
        if near.escape and all(RED[kind] > 0 for kind in near.trick):
            nothing = (
                "{name} takes the trick, which counts for nobody",
                "{name} take the trick, which counts for nobody",
            )
            return joined("; ", ["The deer escape", says(names[near.taking], *nothing)])
        return says(
            names[near.taking],
            "{name} takes the trick with {tile}: {pips} red pips",
            "{name} take the trick with {tile}: {pips} red pips",
            tile=tile_name(int(near.trick[near.taking])),
            pips=self.red,
        )


class Guide(guide.Guide):
    """Deer Hunt: two sides, and the red pips in their tricks and on every tile."""

    kind = "A trick-taking game of two against two, like Whist"
    goal = "Take tricks with many red pips (ones and fours), together with your partner opposite."
    reminders = (
        Line(
            "You and your partner opposite collect tricks with red pips: ones, fours, and six on [6:6]. Play any tile. "
            "The larger half decides, then the smaller; of equal tiles the earlier takes the trick."
        ),
        Line("A trick of four tiles with red pips counts for nobody.", lambda moment: moment.variant.escape),
    )
    headings: ClassVar[Mapping[str, str | tuple[str, str]]] = {"": "Your tiles, with their red pips"}
    sorted_by = "greedy"
    tasks = (
        Line("lead any tile", lambda moment: not moment.view.lying),
        Line(
            "play any tile; so far {tile} takes the trick, your partner's", lambda moment: moment.view.taking == PARTNER
        ),
        Line("play any tile; so far {tile} takes the trick, the others'"),
    )
    lessons = (
        Line(
            "The tile with the larger half takes the trick, then the one with the larger other half; of equal ones the "
            "earlier. You need not follow anything: play what you like."
        ),
        Line("Only red pips count: ones, fours, and six on [6:6]. Give them to your partner, not to the others."),
        Line(
            "Your partner has the strongest tile so far: red pips that you add are for your side, unless the next "
            "player beats it.",
            lambda moment: moment.view.lying and moment.view.taking == PARTNER,
        ),
        Line(
            "If all four tiles of a trick have red pips, the deer escape: it counts for nobody.",
            lambda moment: moment.view.escape,
        ),
    )
    terms: ClassVar[Mapping[str, str]] = {
        "trick": "Four tiles, one of each player; the strongest takes them all.",
        "deer": "A red pip: every one and every four is red, and six of the pips of [6:6].",
        "partner": "The player opposite: what either of you takes counts for both.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "red": "red pips on the tile",
        "rank": ("the strongest tile", "the weakest tile"),
        "takes": "take the trick from the other side",
        "over_partner": "take the trick from your partner",
        "top": "play an unbeatable tile",
        "pair": "play one of two equal tiles",
        "trick_red": "red pips in the trick",
        "stronger": "unseen tiles that beat the trick",
        "leads": ("you lead", "you do not lead"),
        "ends": ("you play last", "you do not play last"),
        "table_red": ("at least {number} red pips lie on the table", "at most {number} red pips lie on the table"),
        "thrown": "red pips thrown to the other side",
        "sure_red": "red pips thrown to your partner",
        "partner": ("your partner holds the trick", "your partner does not hold the trick"),
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        "in the trick": "Your own tile counts too.",
        "the trick from": "Your tile takes the trick, as it lies, from the side that holds it before.",
        "unbeatable": "A tile that takes the trick, as it lies, and that no unseen tile beats.",
        "on the table": "In the trick, before you play to it.",
        "to the other side": "The red pips on your tile if a tile of the other side stays the strongest and your "
        "partner has played or no unseen tile beats it; else 0.",
        "to your partner": "The red pips on your tile if your partner's tile stays the strongest and you play last or "
        "no unseen tile beats it; else 0.",
        "beat the trick": "A tile beats it if it is stronger than all in it, your own tile included.",
    }

    phrases: ClassVar[Mapping[str, Phrase]] = {
        "ours": Phrase(
            "{wins}", shows={"ours": 1, "theirs": -1}, weighs=("theirs", "red", "lead_red", "sure_red", "lost_red")
        ),
        "takes": Phrase("takes the trick from the other side", none="leaves it to them"),
        "over_partner": Phrase("takes the trick over from your partner", none="leaves it to your partner"),
        "rank": Phrase(
            "saves {other} for later", better=-1, weighs=("lead_rank", "last_rank", "top", "top_lead"), alone=True
        ),
        "escapes": Phrase("makes the trick count for nobody", none="does not"),
    }

    def leads(self, view: np.record) -> bool:
        """Return whether no tile lies yet."""
        return not view.lying

    def facts(self, view: np.record | None) -> dict[str, Any]:
        """Return the tile that takes the trick."""
        return {"tile": tile_name(int(view.trick[view.taking]))} if view is not None and view.lying else {}

    def remark(self, view: np.record, action: int) -> str:
        """Return the red pips of a tile, and whether it takes the trick as it is."""
        takes = view.lying and taker_of(view, action)[1] == 0
        return joined(", ", [say("{red} red", red=int(RED[action])), "takes the trick so far" if takes else ""])

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also how many red pips a tile is likely to bring either side."""
        ours, theirs = (round(values[name]) for name in ("ours", "theirs"))
        if values["ours"] == 0 or values["theirs"] == 0:  # it is sure who takes the trick
            wins = count("wins one red pip", "wins {number} red pips", ours)
            gives = count("gives them one red pip", "gives them {number} red pips", theirs)
        else:
            wins = count("wins about one red pip", "wins about {number} red pips", ours)
            gives = count("gives them about one red pip", "gives them about {number} red pips", theirs)
        parts = [part for part, pips in ((wins, ours), (gives, theirs)) if pips]
        return super().slots(view, action, other, values) | {"wins": joined(" and ", parts or ["wins no red pips"])}

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the red pips of both sides."""
        ranked = sorted(TEAMS, key=lambda team: -self._red(views, team))
        sides = [joined(" and ", [names[seat] for seat in team]) for team in ranked]
        red = [self._red(views, team) for team in ranked]
        yield say("Most red pips: {sides}.", sides=counted(sides, red, range(len(ranked))))

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return what each player pays the next one, who is of the other side."""
        return [Payment(seat, (seat + 1) % len(payoffs), -chips) for seat, chips in enumerate(payoffs) if chips < 0]

    @staticmethod
    def _red(views: Views, team: Sequence[int]) -> int:
        return sum(int(views[seat].red[0]) for seat in team)
