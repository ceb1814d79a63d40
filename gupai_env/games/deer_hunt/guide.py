"""What leads newcomers through a deal of Deer Hunt."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.tiles import tile_name
from gupai_env.games.deer_hunt.rules import TEAMS, DeerHunt
from gupai_env.games.guide import Guide, Payment, Phrase, counted
from gupai_env.words.messages import count, joined, say
from gupai_env.words.scene import Views


class DeerHuntGuide(Guide):
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
        "top": "hold the trick with a tile that no unseen tile beats",
        "pair": "play one of two equal tiles",
        "trick_red": "red pips in the trick",
        "stronger": "unseen tiles that beat the trick",
        "leads": ("you lead", "you do not lead"),
        "ends": ("you play last", "you do not play last"),
        "partner": ("your partner holds the trick", "your partner does not hold the trick"),
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        "in the trick": "Your own tile is one of it.",
        "the trick from": "Your tile takes the trick, as it lies, from the side that holds it before.",
        "beat the trick": "A tile beats it that is stronger than the strongest one in it, your own tile among them.",
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


GUIDE = DeerHuntGuide
