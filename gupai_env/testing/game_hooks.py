"""The hooks that follow from a game itself: how it is dealt again, shown, paid, copied and played in lanes.

What only somebody else can know, such as an independent count of the payoffs, `dataclasses.replace` adds.
"""

import copy
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from gupai_env.aec import GupaiEnv
from gupai_env.core.game import Game
from gupai_env.core.kernels import WAIT
from gupai_env.core.rng import KEYS
from gupai_env.core.tiles import tile_name, tiles_in
from gupai_env.games import get_game
from gupai_env.render import draw_text
from gupai_env.testing.hooks import Hooks, LaneGame
from gupai_env.testing.plain_rules import play_by_rules
from gupai_env.vector import VectorEnv


def hooks_of(game: str | Game, **variant: Any) -> Hooks:
    """Return what the kit knows about its environment `GupaiEnv(game, **variant)`."""
    game = get_game(game)
    options = game.variant.make(**variant)
    plain = game.variant.make(players=options.players, deck=options.deck, deals=options.deals)
    deals_freely = options == plain and "hands" in (game.state.names or ())  # others may bind who holds what
    return Hooks(
        max_moves=game.max_decisions * options.deals,
        expected_sum=0.0 if options.zero_sum else None,
        illegal=("raise",),
        refusals=(ValueError,),
        render_modes=("ansi",),
        redeal=redeal,
        hidden=hidden if deals_freely else None,
        sample=sample,
        shown=table_and_view,
        payoffs=payoffs,
        lane_games=partial(lane_games, game, variant),
        rules=partial(play_by_rules, game, variant),
        clone=clone,
    )


def clone(env: GupaiEnv) -> GupaiEnv:
    """Return an independent copy; what never changes is shared."""
    unchanging = (env.game, env.variant, env.layout, env.observation_spaces, env.action_spaces, env.state_space)
    return copy.deepcopy(env, {id(part): part for part in unchanging})


def put(env: GupaiEnv, states: np.recarray) -> None:
    """Put another deal on the table; what was paid so far stays."""
    env.deal.states[:] = states
    env._envs.refresh()
    mover = env.possible_agents[env.deal.seat]
    env.__dict__.update(_selected=mover, _infos={}, _announced=env._moves[0])


def redeal(env: GupaiEnv, agent: str, rng: np.random.Generator) -> GupaiEnv:
    """Return a copy in which all that a seat cannot know is dealt again.

    Args:
        env: A deal under way, which stays as it is.
        agent: The seat whose knowledge stays.
        rng: Draws the rest.
    """
    dealt, seat = clone(env), env.possible_agents.index(agent)
    drawn = env.deal.redealt(seat, int(rng.integers(KEYS)))
    if drawn.seat == seat:  # it knows whether it is to act, but not by its view who is asked before it
        drawn.state.to_act = env.deal.seat
    put(dealt, drawn.states)
    return dealt


def hidden(env: GupaiEnv, agent: str) -> dict[str, list[str]]:
    """Return the tiles that the other seats hold, where the state has them as the tile sets `hands`.

    Those are left out that a seat knows by counting: so few tiles lie elsewhere that another seat must hold them.
    """
    held = {seat: tiles_in(hand) for seat, hand in zip(env.possible_agents, env.deal.state.hands, strict=False)}
    unknown = Counter(env.game.deck(env.deal.rules).tolist()) - Counter(held.pop(agent))
    places = {}
    for seat, hand in held.items():
        elsewhere = unknown.total() - len(hand)
        known = Counter({kind: max(0, copies - elsewhere) for kind, copies in unknown.items()})
        places[f"the hand of {seat}"] = list(map(tile_name, (Counter(hand) - known).elements()))
    return places


def sample(env: GupaiEnv, rng: np.random.Generator) -> int:
    """Return a random legal action."""
    return int(env._envs.sample(int(rng.integers(KEYS)))[0])


def table_text(env: GupaiEnv, agent: str) -> str:
    """Return the table that a seat is shown."""
    return draw_text(env.game.scene(env.variant, [env.deal.view(env.possible_agents.index(agent))]))


def table_and_view(env: GupaiEnv, agent: str) -> dict[str, Any]:
    """Return the table that a seat is shown, and every field of its view, which players read."""
    view = env.deal.view(env.possible_agents.index(agent))
    return {"its table": table_text(env, agent)} | {
        f"the field {name} of its view": view[name] for name in env.game.view.names or ()
    }


def payoffs(env: GupaiEnv) -> dict[str, float]:
    """Return what the seats have won."""
    return dict(zip(env.possible_agents, env.deal.state.total.tolist(), strict=False))


def lane_games(
    game: Game, variant: dict[str, Any], seeds: Sequence[int], actions: Sequence[Sequence[int]]
) -> list[LaneGame]:
    """Play each list of actions in a lane of its own.

    Args:
        game: The game.
        variant: Options of the rules.
        seeds: Of the lanes.
        actions: What is played in each, one list for each seed.
    """
    envs = VectorEnv(game, len(seeds), renew=False, **variant)
    envs.reset(seeds=np.array(seeds))
    turns: list[list] = [[] for _ in seeds]
    paid = np.zeros_like(envs.rewards)
    for move in range(max(map(len, actions))):
        chosen = [mine[move] if move < len(mine) else WAIT for mine in actions]
        for lane, action in enumerate(chosen):
            if action != WAIT:
                seat = f"seat_{envs.seats[lane]}"
                turns[lane].append((seat, envs.observations[lane].copy(), envs.masks[lane].copy()))
        paid += envs.step(np.array(chosen))[0]
    return [
        LaneGame(turn, {f"seat_{seat}": chips for seat, chips in enumerate(row)})
        for turn, row in zip(turns, paid.tolist(), strict=True)
    ]
