"""What people read is what it was: goals, and in some deals tasks, lessons, moves with remarks, reasons and payments.

After a deliberate change of a text, `python tests/test_pinned_words.py` prints the new digests, and
`python tests/test_pinned_words.py GAME` the lines themselves, to compare with those of before.
"""

import sys

import numpy as np
import pytest

from gupai_env.core.guide import guide_of
from gupai_env.games import GAMES
from pins import digest_of
from sessions import decisions
from variants import variants

DEALS = 8
PINNED = {
    "jie-long": "f55f28a7 888b907e 151816ca 4cd7cbdf a5906218 006fb89a",
    "ce-deng": "dc397f67 b106e1d3 7534e1e4 f5b2883a 6a098834 6944d3bb",
    "ding-niu": "b9db77c6 22bb1aa7 709b7a0b b9aa84e0 3c1f934a 35e18015",
    "da-ling": "5956ac18 ae40d08d f19d744d df69dfed 2dabdef5 b361cb6d",
    "tiu-u": "80288778 95aa6efc b3b6f9c6 d96e746a 2e04b690 363b936f",
    "small-mahjong": "eb98d6ad 2e193e0a 967ec57b 6f9054c6 0f6739be abeeb656",
    "tien-gow": "5324ec1b 3f4dfc40 740cf1da d08d891e 5bdf70cb a435c894",
    "deer-hunt": "c85395c1 6edda95c 80f1484a 7fb76bd4 f335d175 64ffd241",
    "shi-wu-hu": "fd297965 f724650e 7e93da0e 6af13f19 985f252c 6354ea34",
    "pai-gow": "dd218a19 1f7b9ca7 138440c8 06259091 4c0e3b4d 5d3b44fb",
}


def lines_of(name: str) -> dict[str, list[str]]:
    """Return the lines of each part: the goal of every variant, then deals between seats that play at random.

    Every second deal is the first of a match.
    """
    found: dict[str, list[str]] = {part: [] for part in ("goal", "task", "lessons", "moves", "reasons", "payments")}
    for variant in variants(game := GAMES[name]):
        guide, hints = guide_of(game, variant), game.hints(game, variant)
        found["goal"] += [guide.kind, guide.goal(), hints.reminder(), hints.answers(), *map(str, guide.terms.items())]
    for seed in range(DEALS):
        for session in decisions(name, seed, **({"deals": 2} if seed % 2 else {})):
            guide, hints = guide_of(session.game, session.variant), session.game.hints(session.game, session.variant)
            if session.terminated:
                break
            mask, view = session.mask(), session.view(session.seat)
            found["task"].append(guide.task(view, mask))
            found["lessons"] += guide.lessons(view, mask)
            if seed < 2:  # a line for each of many moves
                found["moves"] += [_move(hints, view, int(action)) for action in mask.nonzero()[0]]
        views, chips = session.shown(session.payoffs[0]).views(), session.payoffs[0]
        found["reasons"] += guide.reasons(views, [f"seat {seat}" for seat in range(len(views))], chips)
        found["payments"] += map(str, guide.payments(views, chips))
    return found


def _move(hints, view: np.record, action: int) -> str:
    parts = hints.label(view, [action]), hints.value(view, [action]), *hints.makes(view, action), hints.discards(view)
    return " | ".join(map(str, parts))


def digests(name: str) -> str:
    """Return the beginning of the digest of each part."""
    return " ".join(digest_of("\n".join(lines)) for lines in lines_of(name).values())


@pytest.mark.parametrize("name", GAMES)
def test_what_people_read_in_some_deals_is_what_it_was(name):
    assert digests(name) == PINNED[name]


if __name__ == "__main__":
    for each in sys.argv[1:] or GAMES:
        print(*lines_of(each).items() if sys.argv[1:] else (each, digests(each)))
