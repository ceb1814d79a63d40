"""Playouts: rule-based players inside the compiled loop, which then needs no masks, views or actions of a batch."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.players.heuristics import RANDOM, HeuristicAgent, RandomAgent, decide
from gupai_env.core.compiling import Loop, compiled
from gupai_env.core.episode import advance
from gupai_env.core.game import Game
from gupai_env.core.kernels import (
    BYTE,
    FLAG,
    LEGAL,
    WAIT,
    Widths,
    begin_next,
    first_refused,
    observe,
    only_action,
    play_on,
    random_action,
    rows_of,
    show_turn,
)
from gupai_env.core.memory import address_of, array_at, blank
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.streams import INSTEAD_STREAM, LEARNER_STREAM, POOL_STREAM
from gupai_env.vector import VectorEnv

ASKED = 1 << 14  # players from this number on are asked outside the loops
LEARNER = -1  # where no agent sits
ANY_SEAT = -1
OPEN, SETTLED, CALLED, FULL = range(4)  # why `converse` left a lane


class Playouts(NamedTuple):
    """The compiled loops of one game with its rule-based players; arrays have one row per lane.

    A line-up, int16 [seats], names the player of every seat by number: RANDOM, or one more than a row of `heuristics`,
    float64 [heuristics, features + 1]. At the turn of any other player (LEARNER, or ASKED and above) a loop leaves the
    lane as it is.

    finish(rules, heuristics, states, line_ups): plays every lane up to the turn of such a player or to the end of
        its episode; returns the number of decisions.
    respond(heuristics, table, (actions, abandoned), (seat, pool), line_ups, learners, final_observations, chips,
        terminated): plays one action per lane (or none for WAIT), then the players and, with `skip_forced`, decisions
        of the learner that are no choice (except the first of a deal). The learner sits at `seat` (ANY_SEAT: drawn for
        every episode), the line-ups, int16 [B, seats], count seats from there; unless the `pool`, int16 [any], is
        empty, they are drawn from it for every episode. Where `abandoned`, bool [B], is set, the episode first ends
        without payment. `chips` are two arrays, float [B]: what the learner is paid is added to the first, its rewards,
        or, where `terminated` is set, to the second, what the next episode owes it. Where an episode ends, this sets
        `terminated`, writes what the learner observes at the end, and deals the next one. Then shows the turn. Returns
        the first lane whose action its mask forbids, with nothing changed, or LEGAL.
    converse(heuristics, table, numbers, seating, (lanes, actions, rounds), (played, moves), why): plays on in
        some lanes, int [N], each until something is to be done for it outside the loop, and sets `why`, int8 [N]: OPEN,
        a learner is to decide (its observation is shown); SETTLED, the last action ended a deal (rewards and terminated
        are set, the next deal is begun); CALLED, a player is to be asked; FULL, `played` has no more room. The first
        action is given, or WAIT for none. `seating`, int16 [B, seats], names players by their place in `numbers`,
        int16, as of `numbered`, or LEARNER. Actions, except those that follow without a choice, are counted in
        `rounds`, int64 [N], and written into `played`, int16 [B, any], at `moves`, int64 [B].
    """

    finish: Loop
    respond: Loop
    converse: Loop


@rule
def play_others(game, rules, heuristics, state, line_up, learner, view, mask):
    """Play on while it is a rule-based player's turn; the line-up, (line-ups, row), counts seats from `learner`.

    Returns how many decisions were made, and the chips that `learner` was paid.

    Args:
        game: The module of a game, as in all compiled loops.
        rules: The options, as rules functions take them.
        heuristics: The weights of all heuristics, float64 [heuristics, features + 1].
        state: A deal, which is played on.
        line_up: Numbers of players, int16 [line-ups, players], and the row that sits at this table.
        learner: The seat from which a line-up is counted, and where play stops.
        view, mask: Scratch, a view and bool [num_actions].
    """
    decisions, chips = 0, 0.0
    while not state.terminated:
        place = state.to_act - learner
        player = np.int64(line_up[0][line_up[1], place if place >= 0 else place + rules.players])
        if player < 0 or player >= ASKED:
            break
        advance(game, rules, state, decide(game, rules, heuristics, state, player, view, mask))
        decisions += 1
        if state.settled:
            chips += state.payoff[learner]
    return decisions, chips


@rule
def observe_seldom(game, rules, state, seat, view, observation):
    """Write what a seat observes, rarely enough that the cost of a call does not matter.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        state: A deal.
        seat: Whose turn it would be to see it.
        view: Scratch, a view.
        observation: Is written, int8 [layout.size].
    """
    # By its address, because references to an array that is handed to a called function are counted.
    observe_at(game, rules, state, seat, view, address_of(observation), len(observation))


@long_rule
def observe_at(game, rules, state, seat, view, address, size):
    """Write what a seat observes, int8 [size], to an address; the other arguments as of `observe_seldom`."""
    observe(game, rules, state, seat, view, array_at(address, (size,), BYTE))


@rule
def learning_seat(players, key, seat):
    """Return where the learner sits in the episode of a key: at `seat`, or for ANY_SEAT where the key says.

    Args:
        players: The seats of the table.
        key: The RNG key of the episode.
        seat: A seat, or ANY_SEAT.
    """
    return draw(derive(key, LEARNER_STREAM), 0, players) if seat == ANY_SEAT else seat


@rule
def draw_line_up(players, key, pool, line_up):
    """Write who of a pool sits in the seats after the learner's, in the episode of a key; an empty pool draws none.

    Args:
        players: The seats of the table.
        key: The RNG key of the episode.
        pool: The numbers of the players in the pool, int16.
        line_up: Is written, int16 [players]; place 0 is the learner's and stays.
    """
    for place in range(1, players if len(pool) else 0):
        line_up[place] = pool[draw(derive(key, POOL_STREAM), place, len(pool))]


@rule
def next_episode(game, rules, rows, lane, tables, line_up):
    """Begin the next episode of a lane; return where the learner sits. `tables` are (seat, pool), as of `respond`.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        rows: The arrays of a batch of lanes.
        lane: Which of them.
        tables: The learner's seat (ANY_SEAT: drawn) and the pool, as of `respond`.
        line_up: Is written, int16 [players].
    """
    begin_next(game, rules, rows, lane)
    key = rows.states[lane].seed
    draw_line_up(rules.players, key, tables[1], line_up)
    return learning_seat(rules.players, key, tables[0])


@rule
def forced(rows, lane, learner):
    """Return the learner's action if it is to act and `skip_forced` plays it, else -1.

    Args:
        rows: The arrays of a batch of lanes.
        lane: Which of them.
        learner: The learner's seat there.
    """
    state = rows.states[lane]
    if not rows.skip_forced or state.to_act != learner or state.settled or not state.moves:
        return -1
    return only_action(rows.masks[lane])


def converse_of(game: Game, widths: Widths) -> Callable[..., Any]:
    """Return the loop `converse` of a game, to be compiled.

    Args:
        game: The game.
        widths: Of the rows of its tables.
    """
    module, num_actions, numbers_of = game.module, game.num_actions, game.variant().as_rules()

    def converse(heuristics, tables, numbers, seating, play, log, why):
        rows, view, mask = (
            rows_of(module, widths, numbers_of, tables[0]),
            blank(1, module.VIEW)[0],
            blank(num_actions, FLAG),
        )
        (lanes, actions, rounds), (played, moves), rules = play, log, rows.rules
        for number in range(len(lanes)):
            lane, action = lanes[number], np.int64(actions[number])
            state = rows.states[lane]
            while True:
                if action == WAIT:
                    member = seating[lane, state.to_act]
                    player = np.int64(numbers[member]) if member >= 0 else LEARNER
                    if player < 0:
                        observe_seldom(module, rules, state, state.to_act, view, rows.observations[lane])
                        why[number] = OPEN
                        break
                    if player >= ASKED:
                        why[number] = CALLED
                        break
                    if moves[lane] == played.shape[1]:
                        why[number] = FULL
                        break
                    action = decide(module, rules, heuristics, state, player, view, mask)
                played[lane, moves[lane]] = action
                moves[lane] += 1
                rounds[number] += 1
                if play_on(module, rules, rows, lane, action):
                    why[number] = SETTLED
                    break
                action = np.int64(WAIT)

    return converse


@functools.cache
def playouts(game: Game) -> Playouts:
    """Return the compiled loops of a game; compiling (seconds) happens at their first call."""
    module, widths, num_actions = game.module, Widths.of(game), game.num_actions
    numbers_of = game.variant().as_rules()

    def finish(rules, heuristics, states, line_ups):
        view, mask = blank(1, module.VIEW)[0], blank(num_actions, FLAG)
        decisions = 0
        for lane in range(len(states)):
            decisions += play_others(module, rules, heuristics, states[lane], (line_ups, lane), 0, view, mask)[0]
        return decisions

    def respond(heuristics, tables, given, seated, line_ups, learners, final_observations, chips, terminated):
        rows, view, (rewards, owed) = rows_of(module, widths, numbers_of, tables[0]), blank(1, module.VIEW)[0], chips
        rules, (actions, abandoned), (seat, pool) = rows.rules, given, seated
        refused = first_refused(rows, actions, 0, len(actions))
        for lane in range(len(actions) if refused == LEGAL else 0):
            state, action, mask = rows.states[lane], actions[lane], rows.masks[lane]
            learner = learning_seat(rules.players, state.seed, seat)
            if not state.moves:
                draw_line_up(rules.players, state.seed, pool, line_ups[lane])
            won = 0.0
            if abandoned[lane]:
                observe_seldom(module, rules, state, learner, view, final_observations[lane])
                terminated[lane] = True
                owed[lane] = 0
                learner = next_episode(module, rules, rows, lane, seated, line_ups[lane])
            elif action == WAIT and state.to_act == learner:
                learners[lane] = learner
                continue
            while True:
                if action >= 0:
                    advance(module, rules, state, action)
                    if state.settled:
                        won += state.payoff[learner]
                won += play_others(module, rules, heuristics, state, (line_ups, lane), learner, view, mask)[1]
                if terminated[lane]:
                    owed[lane] += won
                else:
                    rewards[lane] += won
                won = 0.0
                action = np.int64(WAIT)
                if state.terminated:
                    if not terminated[lane]:
                        observe_seldom(module, rules, state, learner, view, final_observations[lane])
                    terminated[lane] = True
                    owed[lane] = 0  # an episode in which the learner decided nothing does not count for it
                    learner = next_episode(module, rules, rows, lane, seated, line_ups[lane])
                    continue
                show_turn(module, rules, rows, lane)
                action = np.int64(forced(rows, lane, learner))
                if action < 0:
                    break
            learners[lane] = learner
            if state.to_act == learner:
                observe_seldom(module, rules, state, learner, view, rows.observations[lane])
        return refused

    loops = finish, respond, converse_of(game, widths)
    return Playouts(*(compiled(loop, game) for loop in loops))


def _draw_legal(masks, rng_keys, actions):
    for row in range(len(masks)):
        actions[row] = random_action(masks[row], derive(rng_keys[row], INSTEAD_STREAM), 0)


draw_legal = compiled(_draw_legal, plain_first=True)


class Numbered(NamedTuple):
    """Agents as the loops know them: `numbers`, int16 [agents], for line-ups, and the table of their `heuristics`."""

    numbers: np.ndarray
    heuristics: np.ndarray


def numbered(game: Game, agents: Sequence[Agent]) -> Numbered:
    """Return the number of each agent in the loops; agents that are asked outside them have ASKED + their index."""
    numbers, heuristics = [], []
    for place, agent in enumerate(agents):
        if isinstance(agent, RandomAgent):
            numbers.append(RANDOM)
        elif isinstance(agent, HeuristicAgent) and agent.game == game:
            heuristics.append(agent.weights)
            numbers.append(RANDOM + len(heuristics))
        else:
            numbers.append(ASKED + place)
    return Numbered(np.array(numbers, np.int16), np.array(heuristics).reshape(-1, len(game.features) + 1))


def finish(envs: VectorEnv, heuristics: np.ndarray, line_ups: np.ndarray) -> int:
    """Play every lane up to the turn of a player who is not in the loops, or to the end of its episode.

    Args:
        heuristics: As `numbered` returns them.
        line_ups: int16 [B, seats], who sits where.

    Returns:
        How many decisions were made.
    """
    decisions = playouts(envs.game).finish(envs.rules, heuristics, envs.states, line_ups)
    envs.refresh()
    return decisions
