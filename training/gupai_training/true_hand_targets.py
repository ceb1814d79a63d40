"""True-hand targets: what actions win with the hands that were really dealt, which no player may see."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from gupai_agents.agent import Agent
from gupai_agents.networks.network_agent import ObservationAgent
from gupai_agents.play.decisions import play_out
from gupai_agents.players.search import in_blocks, try_action
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.kernels import FLAG
from gupai_env.core.memory import blank, scratch
from gupai_env.core.variant import Variant
from gupai_env.cuda_vector import plays_on
from gupai_env.vector import VectorEnv
from gupai_training.scorer import Scorer, kernels_can_play

CPU = torch.device("cpu")


@functools.cache
def true_hands_loop(game: Game) -> Callable[..., Any]:
    """Return the loop of one game; compiling (seconds) happens at its first call.

    It works in the rows of a span, from its first number to before its second, and writes into `chips`, float64
    [N, num_actions], what the seat to act wins by each legal action where that and the rest of the deal is played by
    heuristics: float64 [tables of heuristics, 2, features + 1], its side by row OWN, all others by row OTHERS of table
    `played_by`.
    """
    room, num_actions = game.module, game.num_actions
    sides = tuple(game.sides(game.max_seats).tolist())

    def try_all(rules, heuristics, played_by, states, masks, span, chips):
        tried = blank(1, room.STATE)
        view, mask = blank(1, room.VIEW)[0], scratch(num_actions, FLAG)
        for turn in range(span[0], span[1]):
            pair = heuristics[played_by[turn]]
            for action in range(num_actions):
                if masks[turn, action]:
                    tried[0] = states[turn]
                    chips[turn, action] = try_action(room, rules, pair, tried[0], action, sides, view, mask)

    return compiled(try_all, game)


def chips_in_deals(
    game: Game,
    rules: tuple[Any, ...],
    heuristics: np.ndarray,
    played_by: np.ndarray,
    states: np.ndarray,
    masks: np.ndarray,
    threads: int,
    device: torch.device = CPU,
) -> np.ndarray:
    """Return what every legal action wins in full states, chips, float64 [N, num_actions]; NaN where it is not legal.

    Args:
        game: The game.
        rules: Its options, as numbers.
        heuristics: The rollout policies, see `true_hands_loop`.
        played_by: int [N], the table of them that has the other seats.
        states: Records [N].
        masks: bool [N, num_actions], of the seats to act.
        threads: Of the processor.
        device: A GPU plays out itself, with `gupai[cuda]`.
    """
    chips = np.full(masks.shape, np.nan)
    if plays_on(str(device)):
        from gupai_training import cuda_targets

        rows, actions = np.nonzero(masks)
        tried = played_by, states, rows, actions
        chips[masks] = cuda_targets.chips_in_deals(game, rules, heuristics, *tried, device)
        return chips
    try_all = true_hands_loop(game)
    in_blocks(
        lambda first, end: try_all(rules, heuristics, played_by, states, masks, (first, end), chips),
        len(masks),
        threads,
        playouts=1,
    )
    return chips


def chips_played_out(
    game: Game,
    variant: Variant,
    scorer: Scorer,
    others: Sequence[Agent],
    played_by: np.ndarray,
    states: np.ndarray,
    masks: np.ndarray,
    sample: bool = False,
) -> np.ndarray:
    """Return what `chips_in_deals` does, with a network as its own rollout policy.

    Args:
        game: The game.
        variant: Its options; of a match only the deal on the table is played out.
        scorer: The network.
        others: Who may have the other seats.
        played_by: int [N], who has them: 0 the network too, else one of `others`, counted from 1.
        states: Records [N].
        masks: bool [N, num_actions], of the seats to act.
        sample: Whether the network draws its actions instead of taking the best.
    """
    rows, actions = np.nonzero(masks)
    chips = np.full(masks.shape, np.nan)
    if not len(rows):
        return chips
    options = {**variant.changed(), "deals": 1}  # of a match only the deal that is on the table is played out
    if plays_on(str(scorer.device)) and kernels_can_play(game, others):
        from gupai_training import cuda_targets

        tried = played_by, states, rows, actions
        chips[masks] = cuda_targets.chips_played_out(game, options, scorer, others, *tried, sample)
        return chips
    envs = VectorEnv(game, len(rows), observe=False, renew=False, skip_forced=True, **options)
    envs.states[:] = states[rows]
    envs.refresh()
    seats, sides = envs.seats.copy(), game.sides(variant.players)
    seating = np.where(sides == sides[seats][:, None], 0, played_by[rows, None])
    envs.step(actions)
    play_out(envs, [ObservationAgent("network", game, scorer.scores, sample=sample), *others], seating)
    chips[masks] = envs.states.payoff[np.arange(len(rows)), seats]
    return chips
