"""Redeals: how much luck a hero had with the tiles that it did not see, in a duel against a heuristic.

A hero wins by its departures, the decisions in which it plays another action than the villain would. Each is worth the
payoff after its action less that after the villain's, if the villain then plays on in all seats. This depends on tiles
that the hero does not see. All deals are equally likely in which the villain's play would have shown the hero's side
the same up to now. They are reached from the real deal by swaps of two tiles (Metropolis): the deal is played again up
to the decision, and a swap that the hero's side would have noticed is taken back. Luck is what a departure is worth in
the real deal less its mean over the deals reached. Its expectation is exactly zero, however few these are and however
much they resemble each other: the real deal is one of those that are equally likely, and swaps keep it so.

AIVAT (Burch and others, 2018) averages over the hidden hands of agents with known policies in a similar way.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gupai_agents.agent import Agent, name_of
from gupai_agents.evaluation.records.games import GameRecord, deal_again
from gupai_agents.play.decisions import new_lanes
from gupai_agents.play.playouts import ASKED, numbered
from gupai_agents.players.heuristics import decide
from gupai_env.core.compiling import compiled
from gupai_env.core.episode import advance
from gupai_env.core.game import Game, no_history
from gupai_env.core.kernels import FLAG
from gupai_env.core.memory import blank, scratch
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule
from gupai_env.core.tiles import MOST_TILES
from gupai_env.core.variant import Variant

KIND, ACTION = np.dtype(np.int8), np.dtype(np.int16)


@rule
def play_on(game, rules, villain, state, seat, view, mask):
    """Let the villain, (heuristics, player), play a deal to its end in all seats; return the chips of a seat.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        villain: The weights of heuristics and the number of the player, as of `gupai_agents.players.heuristics.choose`.
        state: A deal, which is played to its end.
        seat: Whose chips are returned.
        view, mask: Scratch, a view and bool [num_actions].
    """
    while not state.terminated:
        advance(game, rules, state, decide(game, rules, villain[0], state, villain[1], view, mask))
    return state.payoff[seat]


@rule
def worth(game, rules, villain, state, tried, action, view, mask):
    """Return the chips by which an action is better than the villain's for the seat to act; `tried` is scratch.

    Args:
        game, rules, villain: As of `play_on`.
        state: A deal, which stays as it is.
        tried: Scratch, a record array [1] of states.
        action: Legal for the seat to act.
        view, mask: Scratch, a view and bool [num_actions].
    """
    seat = state.to_act
    tried[0] = state
    usual = play_on(game, rules, villain, tried[0], seat, view, mask)
    tried[0] = state
    advance(game, rules, tried[0], action)
    return play_on(game, rules, villain, tried[0], seat, view, mask) - usual


@rule
def observe_into(game, rules, state, seen, row):
    """Write all that the seat to act knows into a row of `seen`, views and their bytes.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        state: A deal.
        seen: Views, record array [rows], and their bytes, uint8 [rows, size]: the same memory.
        row: Which of them is written.
    """
    seen[1][row, :] = 0
    game.information_set(rules, state, np.int64(state.to_act), seen[0][row], True)


@rule
def looks_alike(game, rules, villain, state, played, move, heroes, seen, view, mask):
    """Play a fresh deal up to a decision of the hero's side; return whether that side would have seen the same.

    Args:
        state: The deal, which is changed.
        played: The actions of the game, and whether each was one of the hero's side.
        move: The number of the decision.
        heroes: Whether each seat is one of the hero's side.
        seen: What the side saw at each of its decisions, as of `observe_into`; the last row is scratch.
    """
    actions, own = played
    last = len(seen[1]) - 1
    for number in range(move + 1):
        if state.terminated or heroes[state.to_act] != own[number]:
            return False
        action = np.int64(actions[number])
        if own[number]:
            observe_into(game, rules, state, seen, last)
            for byte in range(seen[1].shape[1]):
                if seen[1][last, byte] != seen[1][number, byte]:
                    return False
        else:
            action = np.int64(decide(game, rules, villain[0], state, villain[1], view, mask))
        if number < move:
            advance(game, rules, state, action)
    return True


@rule
def luck_of_departure(game, rules, villain, state, action, deal, seen, redeals, order, room):
    """Return how much luck the seat to act has with an action that the villain would not play.

    Args:
        state: At the decision.
        deal: The state before the first decision; the actions, and whose they are, as of `looks_alike`; and its heroes.
        redeals: Swaps of two tiles.
        order: How the deck was dealt, which is changed.
        room: Scratch: two states, a view and a mask.
    """
    (start, played, heroes), (fresh, tried, view, mask) = deal, room
    move = int(state.moves)
    real = worth(game, rules, villain, state, tried, action, view, mask)
    gain, total, key = real, real, derive(state.seed, move)
    for number in range(redeals):
        one, other = draw(derive(key, number), 0, len(order)), draw(derive(key, number), 1, len(order))
        if order[one] != order[other]:
            order[one], order[other] = order[other], order[one]
            fresh[0] = start
            game.deal_from(rules, fresh[0], order)
            if looks_alike(game, rules, villain, fresh[0], played, move, heroes, seen, view, mask):
                gain = worth(game, rules, villain, fresh[0], tried, action, view, mask)
            else:
                order[one], order[other] = order[other], order[one]
        total += gain
    return real - total / (redeals + 1)


@functools.cache
def redeal_loop(game: Game) -> Callable[..., Any]:
    """Return the loop of a game; compiling (seconds) happens at its first call.

    It adds the luck of the hero's side to `luck`, float64 [B]. `starts` are the states before the
    first decision, `heroes`, bool [B, seats], the seats of the side; `played` are actions, int16 [B, any], and room for
    whose they are, bool [any]; `seen` is room for views and their bytes, [any + 1, itemsize].
    """
    module, num_actions, max_decisions = game.module, game.num_actions, game.max_decisions

    def redeal(rules, villain, starts, played, heroes, seen, redeals, luck):
        state, fresh, tried = blank(1, module.STATE), blank(1, module.STATE), blank(1, module.STATE)
        view, mask = blank(1, module.VIEW)[0], blank(num_actions, FLAG)
        order, actions = scratch(MOST_TILES, KIND)[: len(module.DECKS[rules.deck])], scratch(max_decisions, ACTION)
        for lane in range(len(starts)):
            state[0] = starts[lane]
            while not state[0].terminated:
                move = int(state[0].moves)
                action = np.int64(played[0][lane, move])
                played[1][move] = heroes[lane, state[0].to_act]
                if played[1][move]:
                    observe_into(module, rules, state[0], seen, move)
                    if action != decide(module, rules, villain[0], state[0], villain[1], view, mask):
                        module.history(rules, starts[lane], order, actions)
                        deal = starts[lane], (played[0][lane], played[1]), heroes[lane]
                        room = fresh, tried, view, mask
                        luck[lane] += luck_of_departure(
                            module, rules, villain, state[0], action, deal, seen, redeals, order, room
                        )
                advance(module, rules, state[0], action)

    return compiled(redeal, game)


def check_redeals(game: Game, variant: Variant, villain: Agent) -> None:
    """Raise ValueError where nothing can be dealt again.

    Args:
        game, variant: What is played.
        villain: The player by which deals would be played on.

    Raises:
        ValueError: It is not rule-based, the game reconstructs no history, or a match has several deals.
    """
    if numbered(game, [villain]).numbers[0] >= ASKED:
        raise ValueError(
            f"redeals play by the villain millions of times: a heuristic or random, not {name_of(villain)}"
        )
    if game.history is no_history:
        raise ValueError(f"{game.id} reconstructs no history, so that nothing can be dealt again")
    if variant.deals > 1:
        raise ValueError(f"deals={variant.deals}: redeals need matches of one deal")


def luck_of(games: Sequence[GameRecord], hero: str, villain: Agent, redeals: int) -> np.ndarray:
    """Return how much luck a hero had with its departures in each game, chips per deal, float64 [games].

    Args:
        games: Of one variant; in each, the seats that are not the hero's are the villain's.
        hero: Its name in them.
        villain: A heuristic or `random`.
        redeals: Swaps of two tiles for each departure.

    Raises:
        ValueError: As `check_redeals`.
    """
    game, variant = games[0].game, games[0].variant
    check_redeals(game, variant, villain)
    player, heuristics = numbered(game, [villain])
    envs = new_lanes(game, variant, len(games))
    deal_again(envs, games)
    actions = np.zeros((len(games), game.max_decisions), np.int16)
    for row, record in zip(actions, games, strict=True):
        row[: len(record.actions)] = record.actions
    heroes = np.array([[name == hero for name in record.agents] for record in games])
    rows = np.zeros((game.max_decisions + 1, game.view.itemsize), np.uint8)
    seen = rows.view(game.view)[:, 0].view(np.recarray), rows
    luck = np.zeros(len(games))
    played = actions, np.zeros(game.max_decisions, bool)
    redeal_loop(game)(envs.rules, (heuristics, int(player[0])), envs.states, played, heroes, seen, redeals, luck)
    return luck
