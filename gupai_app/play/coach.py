"""A coach: what a mistake of a person cost, and the reply that punishes it.

Both are judged by what the person could know when they moved: by the search of a review, and in deals that were
possible then, in which the strongest player that answers at once sits at the other seats.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent, concatenated
from gupai_agents.evaluation.intervals import figure
from gupai_agents.play.decisions import decisions, play_out, resume_lanes
from gupai_agents.registry import heuristic_agent
from gupai_agents.shipped import best_heuristic
from gupai_app.play.moves import WIDE, in_words, move_values, value_texts
from gupai_app.play.reasons import reason
from gupai_app.play.session import Session
from gupai_app.play.unseen import possible_deals
from gupai_app.server.players import adviser, strongest
from gupai_env.core.game import Game
from gupai_env.games.guide import guide_of
from gupai_env.messages import say
from gupai_env.vector import VectorEnv

DEALS = 200  # in which replies are looked for
RARE = 0.05  # share of them below which a reply is not worth a word
COST = "Your move, {move}, costs {loss} chips: it brings {own}, and {better} {most}"


class Mistake(NamedTuple):
    """A move that loses more chips than the noise of the search, in sentences without full stops.

    cost: what it costs. why: what speaks for the best move instead, "" if that cannot be said. reply: which reply of
    whom punishes it most, "" if none does beyond noise.
    """

    cost: str
    why: str
    reply: str


class Reply(NamedTuple):
    """A reply to a move.

    seat: whose it is. words: what it does. share: of the possible deals in which it is played. chips: that the move
    then brings on average.
    """

    seat: int
    words: str
    share: float
    chips: float


def mistake(session: Session, actions: Sequence[int], names: Sequence[str], template: str = COST) -> Mistake | None:
    """Return the largest mistake among actions that a seat plays one after another, None if there is none.

    Args:
        session: The game before these actions, which is played on.
        actions: One, or several where tiles are discarded together.
        names: How the seats are called, by seat.
        template: Of the sentence that says what it costs.
    """
    game, variant, seat = session.game, session.variant, session.seat
    batches, last = [], session
    for action in actions:
        last = session.copy()
        batches.append(session.decision_batch())
        session.play(action)
    values = adviser(game, variant).compare(concatenated(batches))
    played = [move_values(values, row, [[action]])[0] for row, action in enumerate(actions)]
    worst = max(range(len(actions)), key=lambda index: played[index].loss)
    if (value := played[worst]).loss <= value.half:
        return None
    view = batches[worst].views[0]
    legal = [action for action, allowed in enumerate(batches[worst].masks[0]) if allowed]
    chips = dict(zip(legal, value_texts(move_values(values, worst, [[action] for action in legal])), strict=True))
    best = int(values.usual[worst])
    cost = say(
        template,
        move=in_words(game.move(value.action, view)),
        better=in_words(game.move(best, view)),
        loss=figure(value.loss, value.half, signed=False),
        own=chips[value.action],
        most=chips[best],
    )
    why = reason(guide_of(game, variant), view, best, value.action)
    return Mistake(cost, why, reply_in_words(last, actions[-1], seat, names))


def reply_in_words(session: Session, action: int, seat: int, names: Sequence[str]) -> str:
    """Return in a sentence, without full stop, which reply costs a seat most after an action, "" if none beyond noise.

    Args:
        session, action, seat: As of `punishing_reply`.
        names: How the seats are called, by seat.
    """
    reply = punishing_reply(session, action, seat)
    if reply is None:
        return ""
    return say(
        "The reply that hurts most: {reply} by {name}, in {share:.0%} of the possible deals; the move then brings "
        "{chips:+z.1f}",
        name=names[reply.seat],
        reply=reply.words,
        share=reply.share,
        chips=reply.chips,
    )


def punishing_reply(session: Session, action: int, seat: int) -> Reply | None:
    """Return the reply of an opponent that costs a seat most after an action, by how often and how much.

    None: no reply costs more than noise, or the others do not see the action before they decide.

    Args:
        session: A deal under way.
        action: Legal for the seat to act.
        seat: Whose chips count.
    """
    game, variant = session.game, replace(session.variant, deals=1)
    if game.simultaneous:
        return None
    states = possible_deals(game, variant, session.view(seat), DEALS)
    for state in states:
        state.deal = 0
    lanes = resume_lanes(game, variant, states)
    lanes.step(np.full(DEALS, action))
    replies = _first_replies(lanes, game, strongest(game, variant), seat)
    play_out(lanes, [heuristic_agent(best_heuristic(game), game, variant)])
    chips = [float(state.payoff[seat]) for state in lanes.states]
    usual = sum(chips) / DEALS
    spread = (sum((paid - usual) ** 2 for paid in chips) / DEALS) ** 0.5
    partners = next((team for team in game.teams if seat in team), ())
    most, worst = 0.0, None
    for (other, words), rows in replies.items():
        drop = usual - sum(chips[row] for row in rows) / len(rows)
        clear = drop > WIDE * spread / len(rows) ** 0.5
        if other not in partners and clear and len(rows) >= RARE * DEALS and len(rows) * drop > most:
            most = len(rows) * drop
            worst = Reply(other, words, len(rows) / DEALS, usual - drop)
    return worst


def _first_replies(lanes: VectorEnv, game: Game, agent: Agent, seat: int) -> dict[tuple[int, str], list[int]]:
    """Play until a seat is to act again; return the rows in which each other seat first did what, in words."""
    replies: dict[tuple[int, str], list[int]] = {}
    everybody = set(range(lanes.variant.players))
    answered = [{seat} for _ in range(lanes.num_envs)]  # which seats, by lane
    for step in decisions(lanes, [agent]):
        turns = [(int(row), int(lanes.seats[row])) for row in step.rows]
        for row, mover in turns:
            if mover == seat:
                answered[row] = everybody
        if all(answered[row] == everybody for row, _ in turns):
            break
        for index, (row, mover) in enumerate(turns):
            if mover not in answered[row]:
                move = game.move(int(step.actions[index]), step.batch.views[index])
                words = move.verb if move.discards else in_words(move)
                replies.setdefault((mover, words), []).append(row)
                answered[row] = answered[row] | {mover}
    return replies
