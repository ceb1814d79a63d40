"""Agents on a CUDA GPU: heuristics in kernels, networks in batches, and the targets that both play out there.

The kernels are made of the same rules as the loops of the processor. Experimental: they assemble for GPUs, and what is
assembled gives the same chips where a processor runs it; no GPU has run them yet. This is imported only when a GPU is
used.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from gupai_agents.agent import Agent
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.networks.network_agent import ROUND, ObservationAgent
from gupai_agents.play.playouts import OPEN, converse_of, numbered, observe_seldom, play_others
from gupai_agents.players.search import try_action
from gupai_env.core.cuda import PLAYERS, Kernel, run
from gupai_env.core.episode import noise_key
from gupai_env.core.game import Game
from gupai_env.core.heuristic import WEIGHT
from gupai_env.core.kernels import BYTE, FLAG, FLOAT, LONG, WAIT, Widths, lanes, rows_of
from gupai_env.core.memory import address_of, array_at, blank, bytes_of
from gupai_env.core.rng import KEYS, derive
from gupai_env.core.rule import rule
from gupai_env.cuda_vector import CudaVectorEnv
from gupai_training.scorer import Scorer, scorer_of

SEAT = np.dtype(np.int16)
Networks = dict[int, tuple[Scorer, bool]]  # by number, with whether it draws its actions


@functools.cache
def playout_kernels(game: Game) -> dict[str, Kernel]:
    """Return the kernels of a game by name; emitting and assembling them (seconds) happens at their first calls.

    A thread works on each of `count` rows, of `draw_keys` on each number. Arguments are integers, but for a table and
    the variant's numbers.

    try_actions(rules, heuristics, policies, played_by, states, actions, count, chips): as `true_hands_loop` of a table
        of `policies` pairs of heuristics; an action of each state, int64 [count], and its chips, float32 [count].
    finish(rules, heuristics, policies, line_ups, states, count): as the loop `finish` of `Playouts`.
    draw_keys(states, count, keys): numbers of the seat to act, int64 [count, num_actions], of its key in this decision.
    converse(table, heuristics, policies, members, agents, seating, seated, turns, played, length, why): as the loop
        `converse` of `Playouts` in all lanes of a table, whose observations are always shown; members is [agents],
        seating [B, seated], played [B, length], and turns, int64 [4, B], are lanes, actions, rounds and moves.
    """
    module, numbers, num_actions, seats = game.module, game.variant().as_rules(), game.num_actions, game.max_seats
    width, sides, widths = len(game.features) + 1, tuple(game.sides(seats).tolist()), Widths.of(game).wide()
    words, converse_in = widths.state // LONG.itemsize, rule(converse_of(game, widths))

    def try_actions(rules, heuristics, policies, played_by, states, actions, count, chips):
        tried, view, mask = blank(1, module.STATE), blank(1, module.VIEW)[0], blank(num_actions, FLAG)
        to = array_at(address_of(tried), (words,), LONG)
        for row in lanes(0, count):
            # Number by number: assigned whole, the record would be in registers meanwhile.
            for word in range(words):
                to[word] = array_at(states & widths.begin, (count, words), LONG)[row, word]
            pair = array_at(heuristics, (policies, 2, width), WEIGHT)[array_at(played_by, (count,), LONG)[row]]
            action = array_at(actions, (count,), LONG)[row]
            array_at(chips, (count,), FLOAT)[row] = try_action(module, rules, pair, tried[0], action, sides, view, mask)

    def finish(rules, heuristics, policies, line_ups, states, count):
        view, mask = blank(1, module.VIEW)[0], blank(num_actions, FLAG)
        table, seated = array_at(heuristics, (policies, width), WEIGHT), array_at(line_ups, (count, seats), SEAT)
        played = array_at(states & widths.begin, (count,), module.STATE)
        for row in lanes(0, count):
            play_others(module, rules, table, played[row], (seated, row), 0, view, mask)

    def draw_keys(states, count, keys):
        for cell in lanes(0, count * num_actions):
            own = noise_key(array_at(states & widths.begin, (count,), module.STATE)[cell // num_actions])
            array_at(keys, (count * num_actions,), LONG)[cell] = derive(own, cell % num_actions)

    def converse(table, heuristics, policies, members, agents, seating, seated, turns, played, length, why):
        view, envs = blank(1, module.VIEW)[0], table.envs
        # Of each lane a row of one: `converse_in` then has no loop over lanes, for which a thread has no registers.
        turn, reasons = array_at(turns, (4, envs, 1), LONG), array_at(why, (envs, 1), BYTE)
        for row in lanes(0, envs):
            converse_in(
                array_at(heuristics, (policies, width), WEIGHT),
                (table,),
                array_at(members, (agents,), SEAT),
                array_at(seating, (envs, seated), SEAT),
                (turn[0, row], turn[1, row], turn[2, row]),
                (array_at(played, (envs, length), SEAT), array_at(turns, (4, envs), LONG)[3]),
                reasons[row],
            )
            if reasons[row, 0] != OPEN:
                to = rows_of(module, widths, numbers, table)
                observe_seldom(module, to.rules, to.states[row], to.states[row].to_act, view, to.observations[row])

    return {body.__name__: Kernel(body, game, PLAYERS) for body in (try_actions, finish, draw_keys, converse)}


def chips_in_deals(
    game: Game,
    rules: tuple[Any, ...],
    heuristics: np.ndarray,
    played_by: np.ndarray,
    states: np.ndarray,
    rows: np.ndarray,
    actions: np.ndarray,
    device: torch.device,
) -> np.ndarray:
    """Return the chips that `chips_in_deals` of the processor finds for actions, float32 [M].

    Args:
        game: The game.
        rules: Its options, as numbers.
        heuristics: The rollout policies, see `true_hands_loop`.
        played_by: int [N], the table of heuristics in each state.
        states: Records [N].
        rows: int [M], the state in which each action is tried.
        actions: int [M], legal ones.
        device: The GPU.
    """
    on_gpu = functools.partial(torch.as_tensor, device=device)
    dealt, tried_by = on_gpu(bytes_of(states)), on_gpu(played_by.astype(LONG)[rows])
    won = torch.empty(len(rows), device=device)
    tried = tried_by, dealt[on_gpu(rows)], on_gpu(actions).contiguous(), len(rows), won
    run(playout_kernels(game)["try_actions"], won.device, len(rows), rules, on_gpu(heuristics), len(heuristics), *tried)
    return won.cpu().numpy()


def chips_played_out(
    game: Game,
    options: dict[str, Any],
    scorer: Scorer,
    others: Sequence[Agent],
    played_by: np.ndarray,
    states: np.ndarray,
    rows: np.ndarray,
    actions: np.ndarray,
    sample: bool,
) -> np.ndarray:
    """Return the chips that `chips_played_out` of the processor finds for actions, float32 [M].

    Args:
        game: The game.
        options: Its options.
        scorer: The network that is its own rollout policy, on the GPU.
        others: Heuristics, networks of torch, or random players.
        played_by: int [N], who has the other seats: 0 the network too, else one of `others`, counted from 1.
        states: Records [N].
        rows: int [M], the state in which each action is tried.
        actions: int [M], legal ones.
        sample: Whether the network draws its actions.
    """
    on_gpu = functools.partial(torch.as_tensor, device=scorer.device)
    device = str(scorer.device)
    envs = CudaVectorEnv(game, len(rows), renew=False, skip_forced=True, device=device, **options)
    envs.states.copy_(on_gpu(bytes_of(states))[on_gpu(rows)])
    envs.refresh()
    seats, sides = envs.seats.long(), on_gpu(game.sides(envs.variant.players))
    seating = torch.where(sides == sides[seats][:, None], 0, on_gpu(played_by.astype(LONG))[on_gpu(rows)][:, None])
    numbers, table = map(on_gpu, numbered(game, [ObservationAgent("network", game, scorer.scores), *others]))
    line_ups = torch.zeros((len(rows), game.max_seats), dtype=numbers.dtype, device=device)
    line_ups[:, : envs.variant.players] = numbers[seating]
    networks = {0: (scorer, sample)} | {1 + number: network for number, network in networks_of(others).items()}
    envs.step(on_gpu(actions))
    while True:
        finish = playout_kernels(game)["finish"]
        run(finish, envs.device, len(rows), envs.rules, table, len(table), line_ups, envs.states, len(rows))
        envs.refresh()
        if envs.terminated.all():
            break
        mover = torch.where(envs.terminated, -1, seating.gather(1, envs.seats.long()[:, None])[:, 0])
        envs.step(decisions(envs, networks, mover))
    return envs.field("payoff").gather(1, seats[:, None])[:, 0].cpu().numpy()


def networks_of(agents: Sequence[Agent]) -> Networks:
    """Return those agents that play by a `Scorer` alone."""
    return {
        number: (scorer, agent.sample)
        for number, agent in enumerate(agents)
        if isinstance(agent, NetworkAgent) and (scorer := scorer_of(agent))
    }


def decisions(envs: CudaVectorEnv, networks: Networks, movers: torch.Tensor) -> torch.Tensor:
    """Return an action per lane, int64 [B]: that of the mover if it is a network, else WAIT.

    Args:
        envs: The lanes.
        networks: Those that play, by number.
        movers: int64 [B], the number of who is to decide.
    """
    decided = torch.full_like(movers, WAIT)
    groups = movers.argsort(stable=True).split((movers + 1).bincount().tolist())  # waits once for all networks
    for number, group in enumerate(groups, -1):
        if number in networks:
            decided[group] = decide(envs, *networks[number], group)
    return decided


def decide(envs: CudaVectorEnv, scorer: Scorer, sample: bool, group: torch.Tensor) -> torch.Tensor:
    """Return the actions of a network in some lanes, int64 [N], chosen as `ObservationAgent.act` does.

    Args:
        envs: All lanes.
        scorer: The network.
        sample: Whether it draws its actions.
        group: int64 [N].
    """
    scores = scorer.logits(envs.observations[group])
    if sample:
        keys = torch.empty(scores.shape, dtype=torch.int64, device=scores.device)
        run(playout_kernels(envs.game)["draw_keys"], keys.device, keys.numel(), envs.states[group], len(group), keys)
        scores = scores - (-((keys.double() + 0.5) / KEYS).log()).log().float()
    return scores.round(decimals=ROUND).masked_fill(~envs.masks[group], -torch.inf).argmax(1)
