"""What people see and read of Deer Hunt."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core import hints
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.heuristic import weights_row
from gupai_env.core.scene import Pile, Place, Scene, Views
from gupai_env.core.tiles import ONE, RED, faces, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games import guide
from gupai_env.games.deer_hunt.players import FEATURES, HEURISTICS, score, trick_of
from gupai_env.games.deer_hunt.rules import HANDS, PARTNER, SEATS, TEAMS, DeerHunt
from gupai_env.games.guide import Payment, Phrase, counted
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.messages import count, joined, say


def scene(
    game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`. The trick is in the centre, and the tile that takes it is marked."""
    near = views[0]
    order = seats_from(near, SEATS)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    size = HANDS[variant.as_rules().deck]

    centre, places = [], []
    for place, seat in enumerate(order):
        hand = Pile("hand", hidden=int(near.sizes[place]), capacity=size)
        if seat in own:
            hand = Pile("hand", faces(own[seat].hand), capacity=size)
        kind = near.trick[place]
        played = () if kind == NOBODY else faces(ONE[kind])
        marked = (0,) if played and place == near.taking else ()
        centre.append(Pile(names[seat], played, marked=marked, capacity=1))
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        words.append(say("{pips} red pips taken", pips=near.red[place]))
        piles = (hand, Pile("taken", faces(near.taken[place]), capacity=SEATS * size // 2))
        places.append(
            Place(names[seat], piles, to_act=not terminated and place == near.mover, note=joined(", ", words))
        )

    if near.escape:
        centre.append(Pile("escaped", faces(near.escaped), capacity=SEATS * size // 2))
    notes = []
    if near.lying:
        red = sum(int(RED[kind]) for kind in near.trick if kind != NOBODY)
        takes = says(names[order[near.taking]], "{name} takes it", "{name} take it")
        notes.append(joined(", ", [say("{pips} red pips", pips=red), takes]))
    sides = [int(near.red[side] + near.red[side + PARTNER]) for side in range(2)]
    partners = [joined(" and ", [names[order[side]], names[order[side + PARTNER]]]) for side in range(2)]
    notes.append(say("dealer: {name}", name=names[order[near.leader]]))
    notes.append(say("red pips: {sides}", sides=counted(partners, sides, range(2))))
    notes += deal_of_match(near, terminated)
    return Scene(title(game, variant), tuple(centre), tuple(places), tuple(notes), _last_move(near, names, order))


def _last_move(near: np.record, names: Sequence[str], order: Sequence[int]) -> str:
    """Return the last tile that was played and, if it ended a trick, who took that."""
    if not near.plays:
        return says(names[order[near.leader]], "{name} leads", "{name} lead")
    if near.lying:
        player = (near.mover + SEATS - 1) % SEATS
        tile = tile_name(near.record[near.plays - 1])
        return says(names[order[player]], "{name} plays {tiles}", "{name} play {tiles}", tiles=tile)
    kinds = [int(kind) for kind in near.trick]
    taker = names[order[near.taking]]
    if near.escape and all(RED[kind] > 0 for kind in kinds):
        nothing = "{name} takes the trick, which counts for nobody", "{name} take the trick, which counts for nobody"
        return joined("; ", ["The deer escape", says(taker, *nothing)])
    return says(
        taker,
        "{name} takes the trick with {tile}: {pips} red pips",
        "{name} take the trick with {tile}: {pips} red pips",
        tile=tile_name(kinds[near.taking]),
        pips=sum(int(RED[kind]) for kind in kinds),
    )


BY_RED = weights_row(FEATURES, HEURISTICS["greedy"])


class Hints(hints.Hints):
    """Deer Hunt: every tile with its red pips and whether it takes the trick as it is."""

    variant: DeerHunt

    def reminder(self) -> str:
        """Return the game in a sentence."""
        reminder = (
            "You and your partner opposite collect tricks with red pips: ones, fours, and six on [6:6]. Play any tile. "
            "The larger half decides, then the smaller; of equal tiles the earlier takes the trick."
        )
        if self.variant.escape:
            return joined(" ", [reminder, "A trick of four tiles with red pips counts for nobody."])
        return reminder

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves."""
        return "Your tiles, with their red pips"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return about how many red pips a tile brings to the side now."""
        return float(score(view, actions[0], BY_RED))

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile with its red pips, and whether it takes the trick as it is."""
        red = int(RED[actions[0]])
        taker = trick_of(view, actions[0])[3] if view.lying else None
        pips = joined(", ", [say("{red} red", red=red), "takes the trick so far" if taker == 0 else ""])
        return joined("  ", [super().label(view, actions), pips])


class Guide(guide.Guide):
    """Deer Hunt: two sides, and the red pips in their tricks."""

    kind = "A trick-taking game of two against two, like Whist"

    variant: DeerHunt
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

    def goal(self) -> str:
        """Return the goal of the game in a line."""
        return "Take tricks with many red pips (ones and fours), together with your partner opposite."

    def task(self, view: np.record, mask: np.ndarray) -> str:
        """Return what the trick holds so far."""
        if not view.lying:
            return "lead any tile"
        best = tile_name(int(view.trick[view.taking]))
        if view.taking == 2:
            return say("play any tile; so far {tile} takes the trick, your partner's", tile=best)
        return say("play any tile; so far {tile} takes the trick, the others'", tile=best)

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

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield what takes a trick, and what it is good for."""
        yield (
            "The tile with the larger half takes the trick, then the one with the larger other half; of equal ones the "
            "earlier. You need not follow anything: play what you like."
        )
        yield "Only red pips count: ones, fours, and six on [6:6]. Give them to your partner, not to the others."
        if view.lying and view.taking == 2:
            yield (
                "Your partner has the strongest tile so far: red pips that you add are for your side, unless the next "
                "player beats it."
            )
        if view.escape:
            yield "If all four tiles of a trick have red pips, the deer escape: it counts for nobody."

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
