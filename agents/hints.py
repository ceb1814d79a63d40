"""What a person is told of a game and its moves. A game without a line in `HINTS` gets plain words."""

import inspect
import re
import sys
import textwrap
import unicodedata
from collections.abc import Sequence

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.tiles import KINDS, PIPS, WEIGHT, tile_name
from gupai_env.core.variant import FULL, Variant
from gupai_env.games import ce_deng, da_ling, ding_niu
from gupai_env.games.connecting import DISCARD, join
from gupai_env.render.words import listed

TILE = re.compile(r"\[?([1-6]) ?:? ?([1-6])\]?")
PLAY = "play"  # the verb of an action that is named by its tiles alone


def rules_text(game: Game, width: int | None = None) -> str:
    """Return the rules of a game, the docstring of its rules file, in lines of at most `width` columns."""
    text = inspect.getdoc(sys.modules[game.deal.__module__]) or ""
    if width is None:
        return text
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") and lines:  # goes on with what the line before says
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(_filled(line, width) for line in lines)


def _filled(line: str, width: int) -> str:
    """Break a line of the rules; what follows a headword and spaces stays in its column."""
    head = re.match(r"\w+ {2,}", line)
    wide = sum(unicodedata.east_asian_width(letter) == "W" for letter in line)  # two columns each
    return textwrap.fill(line, width - wide, subsequent_indent=" " * len(head[0]) if head else "")


def tiles_named(text: str) -> tuple[tuple[int, int], ...]:
    """Return the tiles that a text names, the higher number of each first, in a fixed order."""
    return tuple(sorted((max(a, b), min(a, b)) for a, b in (map(int, pair) for pair in TILE.findall(text))))


def unturned(name: str) -> str:
    """Return the name of an action with the higher number of each tile first."""
    return TILE.sub(lambda tile: "[{}:{}]".format(*tiles_named(tile[0])[0]), name)


def verb_of(name: str) -> str:
    """Return what an action does, without its tiles: "discard" for "discard [6:4]"."""
    return " ".join(re.findall(r"[a-z]+", TILE.sub(" ", name))) or PLAY


ANSWERS = {
    ce_deng.DECLARE: "every other player pays you twice the pips in their hand",
    ce_deng.REDEAL: "all hands are thrown in and dealt afresh",
    ce_deng.PLAY_ON: "keep your doubles and play",
}


class Hints:
    """What can be said of any game; a game whose moves deserve better words has its own subclass."""

    def __init__(self, game: Game, variant: Variant) -> None:
        self.game, self.variant = game, variant

    def reminder(self) -> str:
        """Return the game in a sentence."""
        return rules_text(self.game).partition("\n")[0].partition(": ")[2]

    def answers(self) -> str:
        """Return what a person may type."""
        return "Type the number of a move, or its tile: 64 for [6:4]. ? shows the rules, q leaves the table."

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb; `verbs` are all that are legal now."""
        return "Your moves"

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return how a move reads in the list; its actions differ only in how tiles are turned."""
        return self.game.action_name(actions[0], view)

    def choice(self, view: np.record, actions: Sequence[int]) -> tuple[str, dict[str, int]]:
        """Return the question that tells such actions apart, and the action of every answer."""
        answers = {str(number): action for number, action in enumerate(actions, 1)}
        options = ", ".join(
            f"{number} for {self.game.action_name(action, view)}" for number, action in answers.items()
        )
        return f"Which way: {options}?", answers


class ConnectingHints(Hints):
    """The connecting games."""

    def reminder(self) -> str:
        """Return the game in a sentence, as the variant is played."""
        ends = "either open number" if self._both_ends else "the open number"
        forced = getattr(self.variant, "forced_play", True)
        discards = "If you cannot, you discard" if forced else "If you cannot or will not, you discard"
        return (
            f"Play a tile that has {ends}; its other end is open for the next player. {discards} a tile face "
            "down, and its pips are points against you: fewest points wins, and every two players settle "
            "their difference"
            + (", doubled if just one of them played all tiles or none." if self._doubles else ".")
        )

    def answers(self) -> str:
        """Return what a person may type."""
        return super().answers().replace("[6:4].", "[6:4], d64 to discard it.")

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb."""
        if verb == PLAY:
            return "Play a tile"
        if verb == "discard":
            start = "Or discard" if PLAY in verbs else "Nothing fits, so discard"
            return f"{start} a tile face down; the points it costs stand beside it"
        return "Before the play"

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile and the numbers it leaves open, or what discarding it costs."""
        kind = actions[0] % KINDS
        if actions[0] in ANSWERS:
            return f"{self.game.action_names[actions[0]]}: {ANSWERS[actions[0]]}"
        if actions[0] >= DISCARD:
            return f"{tile_name(kind)} {WEIGHT[kind]}"
        leaves = [listed(self._ends_after(view, action)) for action in actions]
        return f"{tile_name(kind)} leaves {listed(leaves, 'or')}"

    def choice(self, view: np.record, actions: Sequence[int]) -> tuple[str, dict[str, int]]:
        """Ask for the end that stays open."""
        answers = {str(PIPS[action % KINDS, action // KINDS]): action for action in actions}
        return f"Which of its numbers stays open, {listed(list(answers), 'or')}?", answers

    @property
    def _doubles(self) -> bool:
        return isinstance(self.variant, ce_deng.CeDeng)

    @property
    def _both_ends(self) -> bool:
        return isinstance(self.variant, ding_niu.DingNiu) or getattr(self.variant, "open_ends", 1) == 2

    def _ends_after(self, view: np.record, action: int) -> np.ndarray:
        ends = view.ends.copy()
        join(ends, action % KINDS, action // KINDS, self._both_ends)
        return ends


class DingNiuHints(ConnectingHints):
    """Ding Niu: the plays that would make a suan zhang are marked."""

    def reminder(self) -> str:
        """Return the game in a sentence, as the variant is played."""
        return (
            f"{super().reminder().partition(': fewest')[0]}: who has fewest wins. If your tile makes a suan zhang, "
            "so that nothing more can be laid, you win twice as much if you have fewest, and else pay it all."
        )

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile and the numbers it leaves open, or what discarding it costs."""
        blocks = [a for a in actions if a < DISCARD and view.makes[a] != ding_niu.NONE]
        if not blocks:
            return super().label(view, actions)
        lost = " you may lose" if any(view.losing[action] for action in blocks) else ""
        ends = (
            ""
            if len(blocks) == len(actions)
            else f" {listed(listed(self._ends_after(view, a)) for a in blocks)}:"
        )
        return f"{super().label(view, actions)},{ends} a suan zhang{lost}"


class DaLingHints(Hints):
    """Da Ling: every split with the stakes that it matches."""

    def reminder(self) -> str:
        """Return the game in a sentence."""
        split = (
            "six tiles into a single, a pair and a triple"
            if self.variant.deck == FULL
            else "three tiles, one as the single, one as the pair and one as the triple"
        )
        return (
            f"Split your {split}. A group matches if its points end in the target; "
            "[4:2] and [2:1] count 3 or 6. All three take everything; else the strongest group takes its stake."
        )

    def answers(self) -> str:
        """Return what a person may type."""
        return "Type the number of a split. ? shows the rules, q leaves the table."

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the splits."""
        return "Your splits, and the stakes of the groups that match"

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a split and the stakes of its groups that match."""
        groups = da_ling.SPLITS[actions[0]]
        stakes = [
            f"{view.stakes[at]:g}"
            for at in range(len(groups))
            if view.strength[groups[at]] != da_ling.NO_MATCH
        ]
        return f"{super().label(view, actions)}  {'+'.join(stakes) or '-'}"


HINTS: dict[str, type[Hints]] = {
    "jie-long": ConnectingHints,
    "ce-deng": ConnectingHints,
    "ding-niu": DingNiuHints,
    "da-ling": DaLingHints,
}


def hints_of(game: Game, variant: Variant) -> Hints:
    """Return the hints of a game's variant."""
    return HINTS.get(game.id, Hints)(game, variant)
