"""Search: a player that tries every legal action in many deals that its view allows, played out by heuristics.

Each deal is drawn from the view (`determinize`), so search knows no more than a seat may. All actions meet the same
deals and random numbers, so that the luck of a deal cancels where they are compared. The search goes in rounds: after
each the worse half of the actions is left out, and the others share the deals that remain (sequential halving). What
the heuristic itself would play stays to the end: it is left only for an action that is better beyond doubt. Within a
round, an action that looks worse than that one goes too, and nobody gets its deals; once one action is left, or one
that is better beyond doubt, the search is over.

Where actions are compared for people, no half is left out: an action goes once it is worse than the best one beyond
doubt, judged by the differences in the same deals, so that all others are known from the same, full number of deals.
The comparison is over once the second best is worse too, in the full number of deals; or sooner, where its loss is
already known within a third.

Where all decide at once, as in Da Ling, the others decide once in each deal that is drawn. That takes most of the time
and trying one more action little, so that there is one round.

With a belief about the others the deals are weighted: one in which their past moves are more likely is met more often.
The belief is a heuristic by which they are assumed to have played, or one that was learned (`gupai_agents.belief`).
"""

import contextlib
import functools
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from gupai_agents.agent import DecisionBatch, check_batch
from gupai_agents.play.workers import cores, in_threads, pause
from gupai_agents.players.heuristics import RANDOM, batch_actions, decide, writable
from gupai_env.core.byte_rows import count_marks
from gupai_env.core.compiling import compiled
from gupai_env.core.episode import advance, seat_after
from gupai_env.core.game import Game, no_history
from gupai_env.core.heuristic import COLDEST, MAX_SCORE, WEIGHT, highest_score, score_all
from gupai_env.core.kernels import FLAG
from gupai_env.core.memory import blank, scratch
from gupai_env.core.rng import KEYS, derive
from gupai_env.core.rule import rule
from gupai_env.core.streams import DEAL_STREAM, PICK_STREAM
from gupai_env.core.tiles import MOST_TILES, ONE, count, first_kind
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import real_number, whole_number

PLAYOUTS, MOST_PLAYOUTS = 200, 1_000_000  # deals for each action if none is left out
PARTICLES = 200  # deals that are weighted where there is a belief about the others
STEADY = 1.0  # standard errors by which an action must be better than that of the heuristic
LOSING = 2.0  # standard errors by which an action must be worse than that of the heuristic to be left out early
LOOK = 16  # deals between two looks at which actions are left out early
LUCK = 2.0  # standard errors by which the deals to come may change what an action has gained
SAME = 32  # deals after which an action that never made a difference is left out
DOUBT = 3.0  # standard errors by which an action must be worse than the best to be left out of a comparison
CLEAR = 6.0  # standard errors by which the second best must be worse to end a comparison before that
MOST_TIMES = 5  # where it is in doubt which action is best, they are compared in at most so many times the playouts
OWN, OTHERS = range(2)  # rows of the table of heuristics
CHIPS, SQUARES, DEALS, BETTER, BETTER_SQUARES = range(5)  # what is added up for an action
MOST_ROUNDS = 64  # more than any number of actions can be halved
MOST_PARTICLES, MOST_THREADS = 100_000, 256
GOLDEN = (math.sqrt(5) - 1) / 2  # any number of its multiples, modulo 1, is spread evenly
FIRST_PLAYOUTS = 8  # playouts by which a search of so many seconds learns how long one takes
AT_ONCE = 20_000  # decisions times playouts between two pauses
MIN_SHARED_ROWS = 200  # decisions times playouts; below it waking threads costs more
KIND, ACTION = np.dtype(np.int8), np.dtype(np.int16)


class Values(NamedTuple):
    """The values of actions: all arrays are [N, num_actions] except the last two.

    means, errors: chips and their standard errors, NaN where an action is not legal.
    deals: in how many it was tried.
    gains, gain_errors: chips by which it is better than the usual action, paired over the same deals.
    usual: int16 [N], what the heuristic itself would play; of a comparison the best action.
    effective: float64 [N], how many equally weighted deals the weighted ones are as good as; NaN without a belief.
    """

    means: np.ndarray
    errors: np.ndarray
    deals: np.ndarray
    gains: np.ndarray
    gain_errors: np.ndarray
    usual: np.ndarray
    effective: np.ndarray

    def at(self, row: int) -> "Values":
        """Return the values of one row, N = 1."""
        return Values(*(array[row : row + 1] for array in self))

    def choice(self, steady: float) -> np.ndarray:
        """Return what to play, int16 [N]: the best of those that were never left out, if it is better than the usual
        action by more than `steady` standard errors.
        """
        rows = np.arange(len(self.usual))
        last = self.deals == self.deals.max(1, keepdims=True)
        best = np.where(last, self.gains, -np.inf).argmax(1)
        better = self.gains[rows, best] > steady * self.gain_errors[rows, best]
        return np.where(better, best, self.usual).astype(np.int16)


@rule
def try_action(game, rules, heuristics, state, action, sides, view, mask):
    """Play an action and the rest of the deal, the side to act by the heuristic OWN, all others by OTHERS.

    Returns the chips of the seat to act. Args: sides: the side of every seat, see `Game.sides`.
    """
    seat = state.to_act
    while True:
        advance(game, rules, state, action)
        if state.settled:
            return state.payoff[seat]
        player = RANDOM + 1 + (OWN if sides[state.to_act] == sides[seat] else OTHERS)
        action = decide(game, rules, heuristics, state, player, view, mask)


@rule
def others_first(game, rules, heuristics, state, view, mask):
    """Let all except the seat to act decide, where nobody sees it: once for all actions that are tried afterwards.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        heuristics: The weights of all heuristics, float64 [heuristics, features + 1]; the others play by row OTHERS.
        state: A deal, which is played on up to the next decision of the seat to act.
        view, mask: Scratch, a view and bool [num_actions].
    """
    seat = state.to_act
    state.to_act = seat_after(rules, state, seat)
    while state.to_act != seat:
        advance(game, rules, state, decide(game, rules, heuristics, state, RANDOM + 1 + OTHERS, view, mask))


@rule
def take_deal(game, rules, views, turn, given, number, key, states):
    """Fill the first of some states with a deal that is given, or with a draw from a view where none are.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        views: What seats know, [N].
        turn: The row of the view.
        given: The deals of all rows, [N * D].
        number: Of the deal, from 0; after D the given ones come again.
        key: An RNG key of the draw.
        states: Is written, of its first one alone.
    """
    copies = len(given) // len(views)
    if copies:
        states[0] = given[turn * copies + number % copies]
    else:
        game.determinize(rules, views[turn], key, states[0])


@rule
def leave_out(alive, sums, keep, protected):
    """Leave out all except the `keep` actions of the highest sums, of equals the later ones, and never `protected`.

    Args:
        alive: The actions that are still tried, bool [num_actions]; is written.
        sums: Chips of each, float64 [num_actions].
        keep: How many stay.
        protected: The action that always stays, -1 for none.
    """
    while count_marks(alive) > keep:
        worst = -1
        for action in range(len(alive)):
            if alive[action] and action != protected and (worst < 0 or sums[action] <= sums[worst]):
                worst = action
        alive[worst] = False


@rule
def best_of(alive, sums):
    """Return the action with the highest sum, of equals the first one."""
    best = -1
    for action in range(len(alive)):
        if alive[action] and (best < 0 or sums[action] > sums[best]):
            best = action
    return best


@rule
def compare_with(best, chips, totals):
    """Sum up how much better each action is than one that was tried in all deals, over the deals that both were.

    Args:
        best: An action that was tried in all deals.
        chips: What each action won, float64 [deals, num_actions].
        totals: The sums of each action, float64 [num_actions, columns]; BETTER and BETTER_SQUARES are written.
    """
    for action in range(len(totals)):
        totals[action, BETTER] = 0
        totals[action, BETTER_SQUARES] = 0
        for deal in range(int(totals[action, DEALS])):
            better = chips[deal, action] - chips[deal, best]
            totals[action, BETTER] += better
            totals[action, BETTER_SQUARES] += better * better


@rule
def differs(totals, action, doubt):
    """Return whether the gain of an action is not 0 by more than so many standard errors.

    Args:
        totals: The sums of each action, float64 [num_actions, 5].
        action: The action.
        doubt: The standard errors.
    """
    deals, gain = totals[action, DEALS], totals[action, BETTER]
    spread = deals * totals[action, BETTER_SQUARES] - gain * gain  # deals^2 times the variance
    return gain * gain * (deals - 1) > doubt * doubt * spread


@rule
def drop_losers(alive, totals, own, steady, share):
    """Leave out what looks worse than the action of the heuristic, will hardly be better by enough, or is the same.

    Args:
        alive: The actions that are still tried, bool [num_actions]; is written.
        totals: The sums of each action, float64 [num_actions, 5].
        own: The action of the heuristic.
        steady: Standard errors by which an action must be better in the end.
        share: How much of the deals of an action that stays to the end have been played, 0 to 1.
    """
    for action in range(len(alive)):
        if alive[action] and action != own:
            deals, gain = totals[action, DEALS], totals[action, BETTER]
            if totals[action, BETTER_SQUARES] == 0:
                alive[action] = deals < SAME
                continue
            spread = deals * totals[action, BETTER_SQUARES] - gain * gain
            needed = steady - LUCK * math.sqrt(1 - share)  # of the standard errors in the end, at the least
            hopeless = gain * math.sqrt((deals - 1) * share) < needed * math.sqrt(max(spread, 0.0))
            alive[action] = not (hopeless or (gain < 0 and differs(totals, action, LOSING)))


@rule
def add_deal(totals, alive, chips, own, deal, compared):
    """Add what the actions won in a deal that are still tried and have not had it yet.

    Args:
        totals: The sums of each action, float64 [num_actions, 5].
        alive: The actions that are still tried, bool [num_actions].
        chips: What each won, float64 [num_actions].
        own: The action of the heuristic.
        deal: Its number, from 0.
        compared: Where the chips of every deal are kept, float64 [deals, num_actions], or without rows.
    """
    for action in range(len(alive)):
        if alive[action] and totals[action, DEALS] == deal:
            better = chips[action] - chips[own]
            totals[action, CHIPS] += chips[action]
            totals[action, SQUARES] += chips[action] * chips[action]
            totals[action, DEALS] += 1
            totals[action, BETTER] += better
            totals[action, BETTER_SQUARES] += better * better
            if len(compared):
                compared[deal, action] = chips[action]


@rule
def rounds_of(candidates, most):
    """Return in how many rounds all actions but one can be halved away, no more than `most`."""
    rounds = 1
    while 1 << rounds < candidates and rounds < most:
        rounds += 1
    return rounds


@rule
def most_deals(budget, rounds, candidates):
    """Return in how many deals an action is tried that stays to the last round.

    Args:
        budget: The playouts of all rounds.
        rounds: Their number.
        candidates: The actions of the first one.
    """
    deals = 0
    for _ in range(rounds):
        deals += max(budget // (rounds * candidates), 1)
        candidates = (candidates + 1) // 2
    return deals


@rule
def is_decided(alive, totals, own, sure):
    """Return whether only one action is left, or besides it one of which it is beyond doubt whether it is better.

    Args:
        alive: The actions that are still tried, bool [num_actions].
        totals: The sums of each action, float64 [num_actions, 5].
        own: The action with which they are compared.
        sure: Standard errors beyond which there is no doubt.
    """
    rivals, clear = 0, False
    for action in range(len(alive)):
        if alive[action] and action != own:
            rivals += 1
            clear = differs(totals, action, sure)
    return rivals == 0 or (rivals == 1 and clear)


@rule
def is_clear(alive, totals, best, playouts):
    """Return whether the second best action is worse too: beyond doubt in so many playouts, or by more in fewer."""
    return is_decided(alive, totals, best, DOUBT if totals[best, DEALS] >= playouts else CLEAR)


@rule
def keep_rivals(alive, mask, totals, chips):
    """Mark the best action, the second best of those that were alive, and all that are not worse beyond doubt.

    Returns the best one.

    Args:
        alive: The actions that were still tried, all in the same deals, bool [num_actions]; is written.
        mask: The legal actions, bool [num_actions].
        totals: The sums of each action, see `compare_with`; is written.
        chips: What each action won, float64 [deals, num_actions].
    """
    best = best_of(alive, totals[:, CHIPS])
    compare_with(best, chips, totals)
    alive[best] = False
    second = best_of(alive, totals[:, CHIPS])
    for action in range(len(alive)):
        alive[action] = mask[action] and not (totals[action, BETTER] < 0 and differs(totals, action, DOUBT))
    if second >= 0:
        alive[second] = True
    return best


@rule
def fewest(alive, deals):
    """Return the fewest deals in which an action was tried that is not left out."""
    least = -1
    for action in range(len(alive)):
        if alive[action] and (least < 0 or deals[action] < least):
            least = int(deals[action])
    return least


@rule
def log_probability(game, weights, view, mask, played, scores):
    """Return the log-probability that a heuristic with a temperature plays an action; `scores` is scratch.

    Args:
        game: The module of a game.
        weights: Of the heuristic, float64 [features + 1]; the last is its temperature, above 0.
        view: What the seat knew.
        mask: What was legal for it, bool [num_actions].
        played: The action that it played.
        scores: Scratch, float64 [num_actions].
    """
    most, temperature = -np.inf, weights[len(weights) - 1]
    score_all(game, weights, view, mask, scores)
    for action in range(len(mask)):
        if mask[action]:
            most = max(most, scores[action])
    total, own = 0.0, 0.0
    for action in range(len(mask)):
        if mask[action]:
            terminated = (scores[action] - most) / temperature
            total += math.exp(terminated)
            if action == played:
                own = terminated
    return own - math.log(total)


@rule
def log_copies(before, after):
    """Return the logarithm of the number of ways to take the missing tiles out of a hand.

    A deal is drawn by the place of each single tile, but a player chooses a kind: either of two equal tiles may have
    gone.
    """
    total = 0.0
    changed = before ^ after
    while changed:
        kind = first_kind(changed)
        held, remaining = count(before, kind), count(after, kind)
        for gone in range(held - remaining):
            total += math.log((held - gone) / (gone + 1))
        changed &= ~(7 * ONE[kind])
    return total


@rule
def log_likelihood(game, rules, weights, state, past, order, actions, viewer, spare):
    """Return the logarithm of how likely the moves of all except the viewer are in a deal, if they play by a heuristic.

    `past` is a copy of the state, in which the deal is played again; `spare` are a view, a mask and scores to work in.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        weights: Of the heuristic, as of `log_probability`.
        state: A deal under way, dealt in a way that the viewer's view allows.
        past: A copy of the state.
        order: Scratch, int8 [32]: the tiles as they were dealt.
        actions: Scratch, int16: what was played.
        viewer: The seat whose moves say nothing.
        spare: A view, a mask and scores to work in.
    """
    view, mask, scores = spare
    moves = game.history(rules, state, order, actions)
    game.deal_from(rules, past, order)
    total = 0.0
    for move in range(moves):
        seat = past.to_act
        hand = past.hands[seat]
        if seat != viewer:
            mask[:] = False
            game.legal_actions(rules, past, mask)
            if count_marks(mask) > 1:
                game.information_set(rules, past, np.int64(seat), view, False)
                total += log_probability(game, weights, view, mask, actions[move], scores)
        game.step(rules, past, actions[move])
        if seat != viewer:
            total -= log_copies(hand, past.hands[seat])
    return total


@rule
def add_up(logs):
    """Turn logarithms of weights into sums of the weights so far, the last one 1; return the effective number."""
    most, total, squares = -np.inf, 0.0, 0.0
    for index in range(len(logs)):
        most = max(most, logs[index])
    for index in range(len(logs)):
        weight = math.exp(logs[index] - most)
        total += weight
        squares += weight * weight
        logs[index] = total
    logs /= total
    return total * total / squares


@rule
def particle_of(sums, key, number):
    """Return which particle is met as deal `number`: each in proportion to its weight, spread as evenly as can be.

    Args:
        sums: The running sums of the weights, float64 [particles], the last of which is 1.
        key: The RNG key of the decision.
        number: Of the deal, from 0.
    """
    place = (derive(key, 0) / KEYS + number * GOLDEN) % 1.0
    return min(np.searchsorted(sums, place, side="right"), len(sums) - 1)


@functools.cache
def weigh_loop(game: Game) -> Callable[..., Any]:
    """Return the loop of a game that weighs what may have been dealt; compiling (seconds) happens at its first call.

    It works in the rows of a span, from its first number to before its second: fills `logs`, float64 [N, particles],
    with the sums of `add_up` over particles, weighed by how likely a heuristic with a temperature would have done what
    the others did in them, and `effective`, float64 [N], with their effective number. Particle p of a row is what
    `determinize` draws by key p of its stream of deals.
    """
    module, num_actions, max_decisions = game.module, game.num_actions, game.max_decisions

    def weigh(rules, weights, views, rng_keys, span, logs, effective):
        states, pasts = blank(1, module.STATE), blank(1, module.STATE)
        view, mask = blank(1, module.VIEW)[0], blank(num_actions, FLAG)
        order, actions = scratch(MOST_TILES, KIND), scratch(max_decisions, ACTION)
        scores = scratch(num_actions, WEIGHT)
        tiles = len(module.DECKS[rules.deck])
        for turn in range(span[0], span[1]):
            stream = derive(rng_keys[turn], DEAL_STREAM)
            for particle in range(logs.shape[1]):
                module.determinize(rules, views[turn], derive(stream, particle), states[0])
                pasts[0] = states[0]
                logs[turn, particle] = log_likelihood(
                    module,
                    rules,
                    weights,
                    states[0],
                    pasts[0],
                    order[:tiles],
                    actions,
                    views[turn].seat,
                    (view, mask, scores),
                )
            effective[turn] = add_up(logs[turn])

    return compiled(weigh, game)


@functools.cache
def search_loop(game: Game) -> Callable[..., Any]:
    """Return the loop of a game that searches the rows of a span; compiling (seconds) happens at its first call.

    It adds up in `totals`, float64 [N, num_actions, 5]. `usual`, int16 [N], is what the heuristic would play. `effort`
    is the span, the playouts for each action, the most rounds, and the standard errors by which an action must be
    better than `usual`, for which losers are dropped early; below 0 none are. `sums` are those of `weigh_loop`, and
    without any all deals are alike. `given` are deals in place of draws (`take_deal`). With `compared`, float64 [most
    deals, num_actions], space for the chips of one row, actions are compared with the best, which is then `usual`.
    """
    module, num_actions, simultaneous = game.module, game.num_actions, game.simultaneous
    sides = tuple(game.sides(game.max_seats).tolist())

    def search(rules, heuristics, views, masks, rng_keys, effort, sums, given, usual, totals, compared):
        states, tried = blank(1, module.STATE), blank(1, module.STATE)
        view, mask, alive = blank(1, module.VIEW)[0], blank(num_actions, FLAG), scratch(num_actions, FLAG)
        chips = scratch(num_actions, WEIGHT)
        for turn in range(effort[0], effort[1]):
            own = usual[turn]
            for action in range(num_actions):
                alive[action] = masks[turn, action]
            candidates, decided = count_marks(alive), False  # among how many a round's playouts are shared
            budget, stream = effort[2] * candidates, derive(rng_keys[turn], DEAL_STREAM)
            number, deals, rounds, tried_in = 0, 0, rounds_of(candidates, effort[3]), totals[turn, :, DEALS]
            most, steady = most_deals(budget, rounds, candidates), effort[4]
            while not decided and (number < rounds or fewest(alive, tried_in) < deals):
                if number < rounds and fewest(alive, tried_in) == deals:
                    more = max(budget // (rounds * candidates), 1)
                    deals += min(more, len(compared) // rounds) if len(compared) else more
                    number += 1
                for deal in range(fewest(alive, tried_in), deals):
                    drawn = deal
                    if sums.shape[1]:
                        drawn = particle_of(sums[turn], derive(rng_keys[turn], PICK_STREAM), deal)
                    take_deal(module, rules, views, turn, given, drawn, derive(stream, drawn), states)
                    if simultaneous:
                        others_first(module, rules, heuristics, states[0], view, mask)
                    for action in range(num_actions):
                        if alive[action] and tried_in[action] == deal:
                            tried[0] = states[0]
                            chips[action] = try_action(module, rules, heuristics, tried[0], action, sides, view, mask)
                    add_deal(totals[turn], alive, chips, own, deal, compared)
                    looks = (deal + 1) % LOOK == 0
                    if looks and steady >= 0 and deal + 1 < most:
                        drop_losers(alive, totals[turn], own, steady, (deal + 1) / most)
                        decided = is_decided(alive, totals[turn], own, max(steady, DOUBT))
                    # Not where one that comes back is still behind the others.
                    if looks and len(compared) and fewest(alive, tried_in) == tried_in[own] >= SAME:
                        own = usual[turn] = keep_rivals(alive, masks[turn], totals[turn], compared)
                        decided = fewest(alive, tried_in) > deal and is_clear(alive, totals[turn], own, effort[2])
                    if decided:
                        break
                if len(compared):
                    if fewest(alive, tried_in) == tried_in[own]:
                        own = usual[turn] = keep_rivals(alive, masks[turn], totals[turn], compared)
                    candidates = count_marks(alive)
                elif number < rounds:
                    candidates = (candidates + 1) // 2
                    leave_out(alive, totals[turn, :, CHIPS], candidates, own)

    return compiled(search, game)


@dataclass(frozen=True)
class Plan:
    """How to search.

    playouts: deals for each action if none is left out. seconds: instead of them, how long to take over a decision;
        what is found then depends on the machine.
    particles: deals that are weighted where there is a belief about the others.
    steady: standard errors by which an action must be better than the heuristic's own to be played.
    threads: share the decisions of a batch, default as many as there are cores; the result does not depend on them.
    """

    playouts: int = PLAYOUTS
    seconds: float | None = None
    particles: int = PARTICLES
    steady: float = STEADY
    threads: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError: In one line, for a number out of range.
        """
        whole_number("playouts", self.playouts, 1, MOST_PLAYOUTS)
        whole_number("particles", self.particles, 1, MOST_PARTICLES)
        real_number("steady", self.steady, 0, 100)
        if self.seconds is not None:
            real_number("seconds", self.seconds, 0, 3600)
        if self.threads is not None:
            whole_number("threads", self.threads, 1, MOST_THREADS)


class LearnedBelief(Protocol):
    """Says how likely deals are; see `gupai_agents.belief.Belief`."""

    def weigh(self, views: np.recarray, rng_keys: np.ndarray, logs: np.ndarray) -> None:
        """Fill `logs`, float64 [N, particles], as `weigh_loop` does before it adds up."""


class SearchAgent:
    """A player that searches."""

    game: Game
    variant: Variant
    name: str
    plan: Plan
    infer: np.ndarray | None
    belief: LearnedBelief | None

    def __init__(
        self,
        game: Game,
        variant: Variant,
        name: str,
        heuristic: np.ndarray,
        *,
        others: np.ndarray | None = None,
        infer: np.ndarray | None = None,
        belief: LearnedBelief | None = None,
        plan: Plan = Plan(),
    ) -> None:
        """Args (heuristics as `Game.heuristic` returns them):
            heuristic: plays out for the seat that searches and its partners, and says what it would play without a
                search.
            others: plays out for all others, default the same.
            infer: how the others are assumed to have played so far; it has a temperature. Without it only the rules
                restrict what they may hold.
            belief: a learned belief, instead of `infer`.

        Raises:
            ValueError: For anything except a heuristic, and for a belief without a temperature: a single move that it
                would not play would rule out every deal.
        """
        for weights in (heuristic, others, infer):
            if weights is not None and not fits(game, weights):
                raise ValueError(
                    f"{name}: a heuristic of {game.id} is {len(game.features) + 1} numbers, as Game.heuristic gives"
                )
        if infer is not None and game.history is no_history:
            raise ValueError(f"{name}: {game.id} reconstructs no history, so that no belief can be had")
        if infer is not None and belief is not None:
            raise ValueError(f"{name}: infer and belief are two beliefs; choose one of them")
        if infer is not None and infer[-1] == 0:
            raise ValueError(f"{name}: a belief needs a temperature, such as infer=greedy@4")
        self.game, self.variant, self.name, self.plan = game, variant, name, plan
        self.infer, self.belief = infer, belief
        self.heuristics: np.ndarray = np.array([heuristic, heuristic if others is None else others])
        self.rules: Any = variant.as_rules()

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        check_batch(self.game, batch)
        actions = batch.masks.argmax(1).astype(np.int16)
        choices = np.flatnonzero(batch.masks.sum(1) > 1)
        if len(choices):
            actions[choices] = self._values(batch.at(choices)).choice(self.plan.steady)
        return actions

    def values(self, batch: DecisionBatch, *, halving: bool = True, deals: np.ndarray | None = None) -> Values:
        """Return the value of every legal action.

        Args:
            halving: Actions left out early have fewer deals; otherwise all are tried in the same ones.
            deals: States that the search takes for what was dealt, in place of draws from the views, record array
                [N, D]; all actions are tried in these D. So a player can be given what its view hides.
        """
        check_batch(self.game, batch)
        if deals is not None:
            return self._searched(batch, deals.shape[1], 1, given=deals.reshape(-1))
        return self._values(batch, MOST_ROUNDS if halving else 1)

    def compare(self, batch: DecisionBatch) -> Values:
        """Return the value of every legal action, compared with the best one in the same deals.

        An action that is worse beyond doubt is left out early and has fewer deals; all others have as many as the best.
        """
        check_batch(self.game, batch)
        return self._searched(batch, self.plan.playouts, MOST_ROUNDS, MOST_TIMES)

    def _values(self, batch: DecisionBatch, rounds: int = MOST_ROUNDS) -> Values:
        if self.plan.seconds is None:
            return self._searched(batch, self.plan.playouts, rounds)
        begin = time.perf_counter()
        values = self._searched(batch, FIRST_PLAYOUTS, rounds)
        spent = time.perf_counter() - begin
        seconds_left = self.plan.seconds * len(batch.rng_keys) - spent
        more = min(int(FIRST_PLAYOUTS * seconds_left / spent), MOST_PLAYOUTS)
        return self._searched(batch, more, rounds) if more > FIRST_PLAYOUTS else values

    def _searched(
        self, batch: DecisionBatch, playouts: int, rounds: int, most_times: int = 0, given: np.ndarray | None = None
    ) -> Values:
        rows, believes = len(batch.rng_keys), given is None and not (self.infer is None and self.belief is None)
        given = self.game.new_states(0) if given is None else given
        usual = batch_actions(self.game, RANDOM + 1 + OWN, self.heuristics, batch)
        totals = np.zeros((*batch.masks.shape, 5))
        sums = np.zeros((rows, self.plan.particles if believes else 0))
        effective = np.full(rows, np.nan)
        masks = writable(batch.masks)
        drops = rounds > 1 and not most_times  # losers early
        effort = playouts, 1 if self.game.simultaneous else rounds, float(self.plan.steady) if drops else -1.0
        weigh, search = weigh_loop(self.game), search_loop(self.game)

        def run_block(first: int, end: int) -> None:
            if self.infer is not None and believes:
                weigh(self.rules, self.infer, batch.views, batch.rng_keys, (first, end), sums, effective)
            elif self.belief is not None and believes:
                self.belief.weigh(batch.at(slice(first, end)).views, batch.rng_keys[first:end], sums[first:end])
                effective[first:end] = [add_up(logs) for logs in sums[first:end]]
            compared = np.empty((most_times * playouts, self.game.num_actions))
            search(
                self.rules,
                self.heuristics,
                batch.views,
                masks,
                batch.rng_keys,
                (first, end, *effort),
                sums,
                given,
                usual,
                totals,
                compared,
            )

        in_blocks(run_block, rows, self.plan.threads, playouts)
        return values_of(totals, batch.masks, usual, effective)


def in_blocks(run_block: Callable[[int, int], None], rows: int, threads: int | None, playouts: int) -> None:
    """Run blocks of rows, from a first to before an end, in threads (default: one per core).

    Args:
        playouts: Per row; if there are few in all, they run in this thread.
    """
    threads = min(threads or cores(), rows)
    shared = threads > 1 and rows * playouts >= MIN_SHARED_ROWS
    many = max(4 * threads if shared else 1, rows * playouts // AT_ONCE)
    ends = np.linspace(0, rows, min(rows, many) + 1).astype(int).tolist()
    blocks = itertools.pairwise(ends)
    if shared:
        with contextlib.closing(in_threads(lambda block: run_block(*block), blocks, threads)) as blocks_done:
            for _ in blocks_done:
                pass
    else:
        for first, end in blocks:
            pause()
            run_block(first, end)


def fits(game: Game, weights: np.ndarray) -> bool:
    """True for the weights of a heuristic of a game."""
    return (
        isinstance(weights, np.ndarray)
        and weights.dtype == WEIGHT
        and weights.shape == (len(game.features) + 1,)
        and bool(np.isfinite(weights).all())
        and highest_score(game.features, weights) <= MAX_SCORE
        and (weights[-1] == 0 or COLDEST <= weights[-1] <= MAX_SCORE)
    )


def values_of(totals: np.ndarray, masks: np.ndarray, usual: np.ndarray, effective: np.ndarray) -> Values:
    """Return the values from the sums of a search.

    Args:
        totals: The sums of a search, float64 [N, num_actions, columns].
        masks: The legal actions, bool [N, num_actions].
        usual: What the heuristic plays without a search, int16 [N].
        effective: Deals that weigh as much as those that were drawn, float64 [N].
    """
    deals = np.where(masks, totals[..., DEALS], np.nan)
    degrees = np.maximum(deals - 1, 1)
    means, gains = totals[..., CHIPS] / deals, totals[..., BETTER] / deals
    errors = np.sqrt(np.maximum(totals[..., SQUARES] / deals - means**2, 0) / degrees)
    gain_errors = np.sqrt(np.maximum(totals[..., BETTER_SQUARES] / deals - gains**2, 0) / degrees)
    return Values(means, errors, totals[..., DEALS].astype(np.int64), gains, gain_errors, usual, effective)
