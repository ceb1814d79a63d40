"""What claims can name of Deer Hunt."""

import numpy as np

from gupai_env.core.tiles import KINDS, RED, kind_of
from gupai_env.games.claims import (
    CHIPS,
    SHARE,
    ActionFeature,
    Endings,
    HandFeature,
    Metric,
    Outcome,
    PositionFeature,
    Positions,
    Vocabulary,
    counts_of,
    leader_chips,
    of_moves,
    per_case,
    ratio,
)
from gupai_env.games.deer_hunt.rules import HEAVEN, PARTNER, PLAYS, SEATS

KIND = np.arange(KINDS)
FOURS = kind_of(4, 4)


def trick_red(positions: Positions, number: int) -> np.ndarray:
    """Return the red pips in the trick."""
    trick = positions.states.trick
    return np.where((trick >= 0) & (positions.states.lying > 0)[:, None], RED[trick], 0).sum(1)


def partner_sure(positions: Positions, number: int) -> np.ndarray:
    """Return where the partner of the seat to act takes the trick, and no opponent can take it any more."""
    state, rows = positions.states, positions.rows
    mine, taking = state.to_act.astype(int), state.taking.astype(int)
    partner = (state.lying > 0) & (taking == (mine + PARTNER) % SEATS)
    unseen = state.hands.sum(1) - state.hands[rows, mine]
    stronger = (counts_of(unseen) * (KIND[None] > state.trick[rows, taking][:, None])).sum(1)
    return partner & ((state.lying == SEATS - 1) | (stronger == 0))


def strongest(positions: Positions, number: int) -> np.ndarray:
    """Return which actions play the strongest tile of the hand."""
    held = counts_of(positions.hands) > 0
    return held & (KIND[None] == (held * KIND).max(1)[:, None])


def red_taken(outcome: Outcome, number: int) -> np.ndarray:
    """Return the red pips that the seat in question and its partner took."""
    red, seat = outcome.states.red.astype(float), outcome.seats[:, 0]
    rows = np.arange(len(red))
    return red[rows, seat] + red[rows, (seat + PARTNER) % SEATS]


def caught_four(outcome: Outcome, number: int) -> np.ndarray:
    """Return where a trick was taken that has both a [6:6] and a [4:4]."""
    record = outcome.states.record.reshape(-1, PLAYS // SEATS, SEATS)
    both = (record == HEAVEN).any(2) & (record == FOURS).any(2)
    return both.any(1)


def endings(outcome: Outcome) -> Endings:
    """Return which side wins."""
    chips = leader_chips(outcome)
    return {"the dealer's side wins": chips > 0, "the other side wins": chips < 0, "neither side wins": chips == 0}


def ahead_and_heavens(outcome: Outcome) -> tuple[np.ndarray, np.ndarray]:
    """Return by how many red pips seats 0 and 2 are ahead, and 1 if they were dealt both [6:6], -1 if the others."""
    red, dealt = outcome.states.red.astype(float), outcome.states.hands + outcome.states.played
    held = counts_of(dealt.reshape(-1))[:, HEAVEN].reshape(dealt.shape)
    pips, heavens = (figures[:, 0] + figures[:, PARTNER] - figures[:, 1] - figures[:, 3] for figures in (red, held))
    return pips, heavens / 2


def heavens_gain(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], by how many red pips the side that was dealt both [6:6] is ahead, and where a side was."""
    ahead, side = ahead_and_heavens(outcome)
    return np.stack([ahead * side, side != 0], 1)


def heavens_win(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], where the side that was dealt both [6:6] has more red pips, and where a side was."""
    ahead, side = ahead_and_heavens(outcome)
    return np.stack([ahead * side > 0, side != 0], 1)


CLAIMS = Vocabulary(
    hand={"red": HandFeature("red pips", lambda _: RED.astype(int))},
    positions={
        "trick_red": PositionFeature("red pips in the trick", trick_red),
        "lying": PositionFeature("tiles in the trick", lambda positions, _: positions.states.lying),
        "partner_sure": PositionFeature("1 if the partner takes the trick for sure", partner_sure),
    },
    actions={
        "deer": ActionFeature(
            "the tile has red pips, at least as many as the number",
            lambda _, number: (max(number, 1) <= RED)[None],
            number=None,
        ),
        "heaven": of_moves("[6:6] is played", lambda move, _: move.tiles == (HEAVEN,)),
        "strongest": ActionFeature("the strongest tile of the hand is played", strongest),
    },
    metrics={
        "red": Metric("red pips that the seat in question and its partner take", "red pips", red_taken),
        "dealer_chips": Metric("chips of the dealer, and of its partner", CHIPS, leader_chips),
        "heavens_gain": Metric(
            "red pips more of a side that is dealt both [6:6]", "red pips", heavens_gain, statistic=per_case
        ),
        "heavens_win": Metric(
            "a side that is dealt both [6:6] has more red pips", "share of such deals", heavens_win, statistic=ratio
        ),
        "six_takes_four": Metric("a trick has both a [6:6] and a [4:4]", SHARE, caught_four),
    },
    endings=endings,
)
