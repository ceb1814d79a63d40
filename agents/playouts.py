"""Playouts: rule-based players inside the compiled loop, which then needs no masks, views and actions of a batch."""

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from agents.agent import Agent
from agents.registry import make_agent
from agents.rules import RuleAgent, policies_digest, policies_of
from gupai_env.core.game import Game, advance, noise_key, start
from gupai_env.core.lanes import (
    BYTE,
    FLAG,
    LEGAL,
    LONG,
    WAIT,
    compiled,
    first_refused,
    show_turn,
)
from gupai_env.core.rng import derive, draw
from gupai_env.core.rows import array_at, blank, borrow_row
from gupai_env.core.rule import rule
from gupai_env.encoders import encoder_of
from gupai_env.vector import Lanes

MOST = 4  # policies in one compiled loop
LEARNER = -1  # where no agent sits
SEAT_STREAM = 1 << 44  # counter of an episode's key: draws the learner's seat
ANY_SEAT = -1


class Playouts(NamedTuple):
    """The compiled loops of one game and its policies; arrays have one row a lane.

    A line-up, int8 [seats], names the player of every seat by number: 0..MOST - 1 is one of the policies. At the
    turn of any other player a loop leaves the lane as it is.

    finish(rules, states, line_ups): plays every lane up to the turn of such a player or to the end of
        its episode; returns the number of decisions.
    respond(rules, table, actions, seat, line_up, learners, final_observations, rewards, owed, over): plays one action
        a lane (or none for WAIT), then the policies. The learner sits at `seat` (ANY_SEAT: drawn for every episode),
        the line-up counts seats from there. Chips paid to it are added to `rewards`, or, where `over` is set, to what
        is `owed` to it in the next episode. Where an episode ends, this sets `over`, writes what the learner observes
        at the end, and deals the next one. Then shows the turn. Returns the first lane whose action its mask forbids,
        with nothing changed, or LEGAL.
    """

    finish: Callable
    respond: Callable


@rule
def play_policies(
    deal,
    legal_actions,
    information_set,
    step,
    payoffs,
    next_deal,
    first,
    second,
    third,
    fourth,
    rules,
    state,
    line_up,
    learner,
    view,
    mask,
):
    """Play on while it is a policy's turn; the line-up counts seats from `learner`.

    Returns how many decisions were made, and the chips that `learner` was paid.
    """
    decisions, chips = 0, 0.0
    while not state.over:
        place = state.to_act - learner
        player = line_up[place if place >= 0 else place + rules.players]
        if player < 0 or player >= MOST:
            break
        mask[:] = False
        legal_actions(rules, state, mask)
        information_set(rules, state, state.to_act, view)
        key = noise_key(state)
        if player == 0:
            action = first(view, mask, key)
        elif player == 1:
            action = second(view, mask, key)
        elif player == 2:
            action = third(view, mask, key)
        else:
            action = fourth(view, mask, key)
        advance(step, payoffs, next_deal, deal, rules, state, action)
        decisions += 1
        if state.settled:
            chips += state.payoff[learner]
    return decisions, chips


@rule
def learning_seat(players, key, seat):
    """Return where the learner sits in the episode of a key: at `seat`, or for ANY_SEAT where the key says."""
    return draw(derive(key, SEAT_STREAM), 0, players) if seat == ANY_SEAT else seat


@functools.cache
def playouts(game: Game, policies: tuple[Callable, ...]) -> Playouts:
    """Return the compiled loops of a game and 1 to MOST policies; compiling (seconds) happens at their first call."""
    deal, legal_actions, step, payoffs = game.deal, game.legal_actions, game.step, game.payoffs
    encoder = encoder_of(game)
    next_deal, information_set, encode = game.next_deal, game.information_set, encoder.encode
    state_type, view_type = game.state, game.view
    num_actions, size = game.num_actions, encoder.layout.size
    first, second, third, fourth = (policies + policies[-1:] * MOST)[:MOST]
    digest = policies_digest(deal, encode, *policies)

    def finish(rules, states, line_ups):
        _ = digest
        view, mask = blank(1, view_type)[0], blank(num_actions, FLAG)
        decisions = 0
        for lane in range(len(states)):
            decisions += play_policies(
                deal,
                legal_actions,
                information_set,
                step,
                payoffs,
                next_deal,
                first,
                second,
                third,
                fourth,
                rules,
                states[lane],
                borrow_row(line_ups, lane, line_ups.shape[1]),
                0,
                view,
                mask,
            )[0]
        return decisions

    def respond(rules, tables, actions, seat, line_up, learners, final_observations, rewards, owed, over):
        _ = digest
        table = tables[0]
        lanes = table.lanes
        states = array_at(table.states, (lanes,), state_type)
        seeds = array_at(table.seeds, (lanes,), LONG)
        episodes = array_at(table.episodes, (lanes,), LONG)
        seats = array_at(table.seats, (lanes,), BYTE)
        masks = array_at(table.masks, (lanes, num_actions), FLAG)
        observations = array_at(table.observations, (lanes, size), BYTE)
        view = blank(1, view_type)[0]
        lane = first_refused(states, masks, actions, 0, lanes)
        if lane != LEGAL:
            return lane
        for lane in range(lanes):
            state, action, mask = states[lane], actions[lane], borrow_row(masks, lane, num_actions)
            learner = learning_seat(rules.players, state.seed, seat)
            if action == WAIT and state.to_act == learner:
                learners[lane] = learner
                continue
            chips = 0.0
            if action != WAIT:
                advance(step, payoffs, next_deal, deal, rules, state, action)
                if state.settled:
                    chips += state.payoff[learner]
            while True:
                chips += play_policies(
                    deal,
                    legal_actions,
                    information_set,
                    step,
                    payoffs,
                    next_deal,
                    first,
                    second,
                    third,
                    fourth,
                    rules,
                    state,
                    line_up,
                    learner,
                    view,
                    mask,
                )[1]
                if over[lane]:
                    owed[lane] += chips
                else:
                    rewards[lane] += chips
                if not state.over:
                    break
                if not over[lane]:
                    final_observation = borrow_row(final_observations, lane, size)
                    final_observation[:] = 0
                    information_set(rules, state, learner, view, False)
                    encode(view, final_observation)
                over[lane] = True
                owed[lane] = 0  # an episode in which the learner decided nothing is none of its
                chips = 0.0
                episodes[lane] += 1
                start(deal, rules, state, derive(seeds[lane], episodes[lane]))
                learner = learning_seat(rules.players, state.seed, seat)
            learners[lane] = learner
            seats[lane] = state.to_act
            show_turn(
                legal_actions,
                information_set,
                encode,
                rules,
                state,
                state.to_act == learner,
                view,
                mask,
                borrow_row(observations, lane, size),
            )
        return LEGAL

    return Playouts(finish=compiled(finish), respond=compiled(respond))


def numbered(game: Game, agents: Sequence[Agent]) -> tuple[Playouts, np.ndarray]:
    """Return the loops in which rule-based agents play, and the agents' numbers there, int8 [agents].

    An agent that the loops do not play is MOST + its place in `agents`. All named players of a game share one
    set of loops, so that a game compiles once.
    """
    policies = tuple(dict.fromkeys(agent.policy for agent in agents if isinstance(agent, RuleAgent)))
    named = policies_of(game)
    inside = named if set(policies) <= set(named) else policies[:MOST]
    numbers = [
        inside.index(agent.policy)
        if isinstance(agent, RuleAgent) and agent.policy in inside
        else MOST + place
        for place, agent in enumerate(agents)
    ]
    return playouts(game, inside), np.array(numbers, np.int8)


def finish(lanes: Lanes, loops: Playouts, line_ups: np.ndarray) -> int:
    """Play every lane up to the turn of a player who is not in the loops, or to the end of its episode.

    Args: line_ups: int8 [B, seats], who sits where, as `numbered` says.
    Returns: how many decisions were made.
    """
    decisions = loops.finish(lanes.rules, lanes.states, line_ups)
    lanes.over[:] = lanes.states.over
    lanes.refresh()
    return decisions


def playout_runs(game: Game, player: str = "greedy", num_lanes: int = 4096) -> Callable[[int], int]:
    """Return what measures playouts: `run(number)` deals in every lane, plays to the end and counts the decisions."""
    lanes = Lanes(game, num_lanes, observe=False)
    loops, numbers = numbered(game, [make_agent(player, game)])
    line_ups = np.full((num_lanes, game.max_seats), numbers[0])

    def run(number: int) -> int:
        lanes.episodes[:] = number
        lanes.begin()
        return loops.finish(lanes.rules, lanes.states, line_ups)

    return run
