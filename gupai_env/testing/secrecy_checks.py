"""Checks of who sees what: the hidden stays hidden, the open is seen, and all seats see alike."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from gupai_env.testing.games import Game, Snapshot, difference, frozen, is_out
from gupai_env.testing.hooks import Hooks
from gupai_env.testing.report import ConformanceError
from gupai_env.testing.trial import Trial, check, chooser

Redeal = Callable[[AECEnv, str, np.random.Generator], AECEnv]
Hidden = Callable[[AECEnv, str], Mapping[str, Iterable[Any]]]
REDEALS = 2  # of each position, for each seat
MOST_REDEALS = 200  # of one position, until each tile has moved: one that should leaves its place sooner, but for luck


def known(env: AECEnv, agent: str, hooks: Hooks) -> Snapshot:
    """All that the environment shows to one seat.

    Args:
        env: The environment.
        agent: The seat.
        hooks: Say what else is shown to it.
    """
    observation = env.observe(agent)
    parts = observation if isinstance(observation, Mapping) else {"observation": observation}
    seen: Snapshot = {f"its {name}": frozen(part) for name, part in parts.items()}
    seen["its info"] = frozen(env.infos[agent])
    if hooks.shown:
        others = hooks.shown(env, agent)
        things = others if isinstance(others, Mapping) else {"what else is shown to it": others}
        seen |= {name: frozen(thing) for name, thing in things.items()}
    return seen


@check(needs=("redeal",))
def information_set(trial: Trial, redeal: Redeal) -> None:
    """Dealing again all that a seat cannot know changes nothing that it sees, not a byte, on turn or off.

    The deals must differ from the one under way and from each other, or they would prove nothing.
    """
    hooks = trial.hooks
    anything_moved = draws_differ = False
    for game in trial.positions():
        for agent in game.env.agents:
            rng, here = np.random.default_rng([game.seed, len(game.moves)]), known(game.env, agent, hooks)
            redeals = [redeal(game.env, agent, rng) for _ in range(REDEALS)]
            for other in redeals:
                if mismatch := difference(here, known(other, agent, hooks)):
                    trial.fail(f"{mismatch} changes when what it cannot know is dealt again", agent)
            first, *others = redeals
            anything_moved = anything_moved or _seen_differently(game.env, first, hooks)
            draws_differ = draws_differ or any(_seen_differently(first, other, hooks) for other in others)
    trial.fail_if(not anything_moved, "hook redeal never changed what another seat sees, so this proves nothing")
    trial.fail_if(
        not draws_differ, "hook redeal ignores its random numbers: every deal that it draws for a seat is the same"
    )


def _seen_differently(one: AECEnv, other: AECEnv, hooks: Hooks) -> bool:
    """Whether two deals show any seat something different."""
    return any(known(one, seat, hooks) != known(other, seat, hooks) for seat in one.agents)


@check(needs=("redeal", "hidden"), rests_on=("information-set",))
def hidden_tiles_move(trial: Trial, redeal: Redeal, hidden: Hidden) -> None:
    """As a game begins, every tile that a seat cannot know leaves its place when it is dealt again and again.

    In a rare deal a seat can infer where a tile lies, so a seat fails only if some tile stays in every game.
    """
    moved: set[str] = set()
    stuck: dict[str, ConformanceError] = {}
    for seed in trial.seeds:
        game = trial.fresh(seed)
        for agent in game.env.agents if game.seat_to_act() else []:
            if fixed := _fixed_tiles(redeal, hidden, game, agent):
                place, tile = min(fixed, key=repr)
                problem = f"{tile} never leaves {place} when what it cannot know is dealt again"
                stuck.setdefault(agent, trial.error(problem, agent))
            elif fixed is not None:
                moved.add(agent)
    if errors := [error for agent, error in stuck.items() if agent not in moved]:
        raise errors[0]


def _fixed_tiles(redeal: Redeal, hidden: Hidden, game: Game, agent: str) -> set[tuple[str, Any]] | None:
    """The places and tiles that are the same however often they are dealt again; None if nothing is hidden."""
    rng, fixed = np.random.default_rng([game.seed, 3]), None
    for _ in range(MOST_REDEALS):
        tiles = hidden(redeal(game.env, agent, rng), agent)
        lying = {(place, tile) for place, pile in tiles.items() for tile in pile}
        if fixed is None and not lying:
            return None
        fixed = lying if fixed is None else fixed & lying
        if not fixed:
            break
    return fixed


@check(needs=("public",), rests_on=("replay-round-trip",))
def public_differences(trial: Trial, public: Callable[[AECEnv], Hashable]) -> None:
    """Positions that differ in public look different to every seat, above all those one move apart."""
    seen: dict[tuple[str, Hashable], Hashable] = {}
    for game in trial.positions():
        for action in trial.some(game, game.legal()):
            branch = trial.copy(game)
            if not branch.takes(action):
                continue
            env = branch.env
            for agent in [agent for agent in env.agents if not is_out(env, agent)]:
                table = public(env)
                trial.fail_if(
                    seen.setdefault((agent, frozen(env.observe(agent))), table) != table,
                    f"after action {action} it sees what it saw at a table that differs in public",
                    agent,
                )


@check(needs=("rotate",), rests_on=("replay-round-trip",))
def seat_rotation(trial: Trial, rotate: Callable[[AECEnv, int], AECEnv]) -> None:
    """With the seats renamed, the same game shows every seat the same and pays it the same."""
    for seed in trial.seeds:
        seats = list(trial.fresh(seed).env.possible_agents)
        for k in range(1, len(seats)):
            game = trial.fresh(seed)
            turned = Game(rotate(game.env, k), seed)
            name = {seat: seats[(i + k) % len(seats)] for i, seat in enumerate(seats)}
            _play_side_by_side(trial, game, turned, name)


def _play_side_by_side(trial: Trial, game: Game, turned: Game, name: Mapping[str, str]) -> None:
    """Play the same moves in both games; `name` is each seat's name in the turned one."""
    rng = chooser(game.seed)
    trial.game = game
    while (mover := game.seat_to_act()) and len(game.moves) < trial.hooks.max_moves:
        trial.fail_if(
            turned.seat_to_act() != name[mover], f"it is to act, but renamed to {name[mover]} it is not", mover
        )
        for seat in game.env.agents:
            here, there = (known(g.env, s, Hooks()) for g, s in ((game, seat), (turned, name[seat])))
            if mismatch := difference(here, there):
                trial.fail(f"{mismatch} differs when it is renamed to {name[seat]}", seat)
        if not game.take_any(rng, game.legal()):
            return
        turned.take(game.actions[-1])
    for seat in game.announced:
        paid, renamed = game.announced[seat], turned.announced.get(name[seat])
        trial.fail_if(paid != renamed, f"it is paid {paid:g}, but {renamed} when it is renamed to {name[seat]}", seat)
