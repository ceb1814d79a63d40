"""What all environments with a learning seat share: opponents drawn from a pool, and actions that the mask forbids."""

import math
from collections.abc import Sequence

import numpy as np

from gupai_agents.agent import Agent, distinct
from gupai_agents.play.playouts import ANY_SEAT, draw_legal
from gupai_agents.players.identity import require_steady
from gupai_agents.registry import agents_of
from gupai_agents.shipped import plainest_heuristic
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import as_list, counted, is_whole, one_of, refused

Opponents = str | Agent | Sequence[str | Agent]
MOST_IN_POOL = 1 << 10
RAISE, END, RESAMPLE = ILLEGAL = ("raise", "end", "resample")  # what an illegal action may do
NONE_PLAYED = -1  # in infos, for the action that was played


def opponents_at(game: Game, variant: Variant, opponents: Opponents) -> list[Agent]:
    """Return an agent for every seat except the learner's, in order of the seats after it.

    Args:
        game, variant: What is played, by `variant.players` seats.
        opponents: One for all seats except the learner's, or one for each; a name as `make_agent` takes it, or an
            agent.

    Raises:
        ValueError: As `agents_of`, and for too many or few.
    """
    others = variant.players - 1
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        opponents = [opponents] * others
    if len(opponents) != others:
        raise ValueError(
            f"{counted(len(opponents), 'opponent')} for {others} seats; give one for each seat or one for all"
        )
    return agents_of(game, variant, opponents)


def pool_of(game: Game, variant: Variant, pool: Sequence[str | Agent]) -> list[Agent]:
    """Return the agents from which one is drawn for each other seat; raises ValueError as `agents_of`, and for none.

    Args:
        game, variant: What is played.
        pool: Names as `make_agent` takes them, or agents: 1 to MOST_IN_POOL.
    """
    specs = as_list("pool", pool, "agents")
    if not 0 < len(specs) <= MOST_IN_POOL:
        raise refused("pool", pool, f"it must be a list of 1 to {MOST_IN_POOL:,} agents")
    return agents_of(game, variant, specs)


def others_of(
    game: Game, variant: Variant, opponents: Opponents | None, pool: Sequence[str | Agent] | None
) -> tuple[list[Agent], list[Agent]]:
    """Return the agents of the other seats, and the pool from which they are drawn instead; one of the two is empty.

    Args:
        game, variant: What is played.
        opponents: As of `opponents_at`; None: the plainest heuristic of the game, unless there is a pool.
        pool: As of `pool_of`, or None.

    Raises:
        ValueError: As `opponents_at` and `pool_of`, where both are given, and for an agent that answers equal decisions
            differently.
    """
    if pool is not None and opponents is not None:
        raise refused("pool", pool, "give either opponents or a pool")
    opponents = plainest_heuristic(game) if opponents is None else opponents
    others = opponents_at(game, variant, opponents) if pool is None else []
    drawn = [] if pool is None else pool_of(game, variant, pool)
    for agent in distinct([*others, *drawn])[0]:
        require_steady(agent, game, variant)
    return others, drawn


def reward_of_illegal(game: Game, variant: Variant, illegal: str, illegal_reward: float | None) -> float:
    """Return the chips that an illegal action pays where it ends the episode.

    By default, these are minus the most that a seat can lose in an episode, so that no legal play pays less. Nobody
    receives what the offender loses.

    Args:
        game, variant: What is played.
        illegal: What an illegal action does, one of ILLEGAL.
        illegal_reward: Chips that the caller wants it to pay, None for the default.

    Raises:
        ValueError: For an unknown `illegal`, a reward that is not a number, and one that would never be paid.
    """
    one_of("illegal", illegal, ILLEGAL)
    if illegal_reward is None:
        return -float(game.payoff_bound(variant)) * variant.deals
    if illegal != END:
        raise refused("illegal_reward", illegal_reward, 'it is only paid with illegal="end"')
    if not (is_whole(illegal_reward) or isinstance(illegal_reward, float)) or not math.isfinite(illegal_reward):
        raise refused("illegal_reward", illegal_reward, "it must be a number of chips")
    return float(illegal_reward)


def forbidden(masks: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return which actions, integers [N], are not legal by their masks, bool [N, num_actions]: bool [N]."""
    known = actions.clip(0, masks.shape[1] - 1)
    return (known != actions) | ~masks[np.arange(len(masks)), known]


def legal_instead(masks: np.ndarray, rng_keys: np.ndarray) -> np.ndarray:
    """Return a random legal action for each decision, int64 [N], drawn from its RNG key."""
    actions = np.zeros(len(masks), np.int64)
    draw_legal(masks, rng_keys, actions)
    return actions


def seat_number(seat: int | str, players: int) -> int:
    """Return the learner's seat as a number, ANY_SEAT for "random"."""
    if isinstance(seat, str) and seat == "random":
        return ANY_SEAT
    if is_whole(seat) and 0 <= int(seat) < players:
        return int(seat)
    raise refused("seat", seat, f'choose "random" or a seat of {list(range(players))}')
