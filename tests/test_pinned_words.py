"""What people read in some deals is what it was: tasks, lessons, moves with their remarks, reasons, and who pays whom.

A change of a text is wanted or not: `python tests/test_pinned_words.py` prints the digests anew, and
`python tests/test_pinned_words.py GAME` the lines themselves, to compare with those of before.
"""

import hashlib
import sys

import numpy as np
import pytest

from gupai_app.session import Session
from gupai_env.core.guide import guide_of
from gupai_env.core.rng import draw
from gupai_env.games import GAMES, get_game

DEALS = 16
PINNED = {
    "jie-long": "8c9892d1 bc890047 4cd7cbdf 3a2d8637 9199e1e9",
    "ce-deng": "36c9ca32 1f232257 f5b2883a 8e520eb6 02d5ab7d",
    "ding-niu": "d851fb18 d2bb33aa b9aa84e0 fa7626f2 a43c16ef",
    "da-ling": "4dc47697 2ac53ee5 df69dfed 2f753e70 6340f52f",
    "tiu-u": "49b3ef22 33af1216 d96e746a c6df7068 613902c3",
    "small-mahjong": "3de76bf2 89e24ed0 6f9054c6 a3153479 1fb8dea9",
    "tien-gow": "a5b94d6a e713cced d08d891e 85a9e9fc 76e24483",
    "deer-hunt": "8831161d aaff194b 7fb76bd4 1e8f3bb7 cfdb7293",
    "shi-wu-hu": "3fbf5c43 54229912 6af13f19 8027c7ed a4f6a694",
    "pai-gow": "95be9c9e ab0a0d29 06259091 fcba8699 93265af6",
}


def lines_of(name: str) -> dict[str, list[str]]:
    """Return the lines of each part, in deals between seats that play at random, alternately of a match."""
    game = get_game(name)
    found: dict[str, list[str]] = {part: [] for part in ("task", "lessons", "moves", "reasons", "payments")}
    for seed in range(DEALS):
        variant = game.variant.make(**({"deals": 2} if seed % 2 else {}))
        session, guide, hints = Session(game, variant, seed), guide_of(game, variant), game.hints(game, variant)
        while not session.terminated:
            mask, view = session.mask(), session.view(session.seat)
            legal = mask.nonzero()[0]
            found["task"].append(guide.task(view, mask))
            found["lessons"] += guide.lessons(view, mask)
            if seed < 2:  # a line for each of many moves
                found["moves"] += [_move(hints, view, int(action)) for action in legal]
            session.play(int(legal[draw(seed, len(session.actions), len(legal))]))
        views, names = session.shown(session.payoffs[0]).views(), [f"seat {seat}" for seat in range(variant.players)]
        found["reasons"] += guide.reasons(views, names, session.payoffs[0])
        found["payments"] += map(str, guide.payments(views, session.payoffs[0]))
    return found


def _move(hints, view: np.record, action: int) -> str:
    parts = hints.label(view, [action]), hints.value(view, [action]), *hints.makes(view, action), hints.discards(view)
    return " | ".join(map(str, parts))


def digests(name: str) -> str:
    """Return the beginning of the digest of each part."""
    return " ".join(hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8] for lines in lines_of(name).values())


@pytest.mark.parametrize("name", GAMES)
def test_what_people_read_in_some_deals_is_what_it_was(name):
    assert digests(name) == PINNED[name]


if __name__ == "__main__":
    for each in sys.argv[1:] or GAMES:
        print(*lines_of(each).items() if sys.argv[1:] else (each, digests(each)))
