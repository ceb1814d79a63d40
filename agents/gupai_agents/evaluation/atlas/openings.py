"""What to lead first, by kind of hand, and what other leads cost."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, ask, name_of
from gupai_agents.evaluation.atlas.report import CHIPS, SHARE, WORDS, Table
from gupai_agents.evaluation.atlas.study import Study
from gupai_agents.evaluation.atlas.tiles import alike_in_pips, by_number, lays_lines
from gupai_agents.evaluation.statistics import estimate, share
from gupai_agents.players.search import SearchAgent
from gupai_agents.registry import agents_of
from gupai_env.core.game import Game
from gupai_env.core.move import PLAY
from gupai_env.core.rng import derive
from gupai_env.core.streams import PICK_STREAM
from gupai_env.core.tiles import PIPS, WEIGHT
from gupai_env.games.claims import counts_of
from gupai_env.messages import count, say

PLAYOUTS = 200  # deals in which a first lead is tried
RARE = 0.01  # of all: kinds of hands and leads that are rarer are left out


class Leads(NamedTuple):
    """First leads, and what the leader wins by them.

    hands: Of the leaders, copies by kind, int [N, KINDS].
    actions: The best lead, the second best, and what a weaker player leads, int [N, 3].
    values: What the leader wins by each, in deals that had no part in the choice, float64 [N, 3].
    """

    hands: np.ndarray
    actions: np.ndarray
    values: np.ndarray


def first_leads(study: Study, weaker: Agent) -> Leads:
    """Return the first lead of every deal in which the leader has a choice, as a search finds it and another judges."""
    game, variant, parts = study.game, study.variant, []
    (search,) = agents_of(game, variant, [f"search:playouts={PLAYOUTS}"])
    assert isinstance(search, SearchAgent)
    for _, envs in study.lanes():
        rows = np.flatnonzero(~envs.terminated & (envs.masks.sum(1) > 1))
        views, rng_keys = envs.views(rows)
        batch = DecisionBatch(views, envs.masks[rows], rng_keys)
        other_keys = np.array([derive(int(key), PICK_STREAM) for key in rng_keys], np.int64)
        batches = batch, batch._replace(rng_keys=other_keys)
        means, fresh = (np.nan_to_num(search.values(part, halving=False).means, nan=-np.inf) for part in batches)
        best = np.argsort(-means, 1, kind="stable")[:, :2]
        actions = np.column_stack([best, ask(weaker, game, variant, batch)])
        hands = counts_of(envs.states.hands[rows, envs.seats[rows]])
        parts.append(Leads(hands, actions, np.take_along_axis(fresh, actions, 1)))
    return Leads(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def kind_of_hand(game: Game, hand: np.ndarray) -> str:
    """Return the kind of a hand, copies by kind: by its longest number where lines are laid, or else by its pairs."""
    if lays_lines(game):
        longest = int(by_number(hand[None]).max())
        return count("{number} tile with its commonest number", "{number} tiles with its commonest number", longest)
    return count("{number} pair of equal pips", "{number} pairs of equal pips", int(alike_in_pips(hand[None])[0]))


def kind_of_lead(game: Game, action: int, hand: np.ndarray) -> str:
    """Return what kind of lead an action is from a hand, copies by kind."""
    move = game.moves[action]
    kinds = [*move.tiles]
    led = say("a tile lighter than the mean of the hand")
    if not kinds:
        return say(move.verb)
    if len(kinds) != 1:
        led = say("{number} tiles together", number=len(kinds))
    elif PIPS[kinds[0], 0] == PIPS[kinds[0], 1]:
        led = say("a double")
    elif WEIGHT[kinds[0]] * hand.sum() >= hand @ WEIGHT:
        led = say("a tile heavier than the mean of the hand")
    return led if move.verb == PLAY else say("{verb}: {tiles}", verb=say(move.verb), tiles=led)


def tables(study: Study) -> Sequence[Table]:
    """Return what to lead, by kind of hand, and what other leads cost; raises ValueError where all decide at once."""
    game, weaker = study.game, study.skilled[0]
    if game.simultaneous:
        raise ValueError(f"nobody leads in {game.id}: all decide at once")
    leads = first_leads(study, weaker)
    best, second, other = leads.values.T
    hands = _parted([kind_of_hand(game, hand) for hand in leads.hands])
    hands = {"all hands": np.ones(len(best), bool), **{kind: hands[kind] for kind in sorted(hands)}}
    best_leads = zip(leads.actions[:, 0].tolist(), leads.hands, strict=True)
    led = _parted([kind_of_lead(game, action, hand) for action, hand in best_leads])
    rivals = say("what {weaker} leads costs", weaker=name_of(weaker))
    return (
        Table(
            "What the first lead wins and costs, by the leader's hand",
            ("the leader's hand", "such hands", "the best lead wins", "the second best costs", rivals),
            (WORDS, SHARE, CHIPS, CHIPS, CHIPS),
            [
                (kind, share(rows), *(estimate(chips[rows]) for chips in (best, best - second, best - other)))
                for kind, rows in hands.items()
            ],
            say(
                "Chosen by a search of {playouts} deals for each lead, and judged in as many others; after it all play "
                "by the strongest heuristic.",
                playouts=PLAYOUTS,
            ),
        ),
        Table(
            "Which leads are best, by the leader's hand",
            ("the best lead", *hands),
            (WORDS, *[SHARE] * len(hands)),
            [(kind, *(share(rows[some]) for some in hands.values())) for kind, rows in led.items()],
        ),
    )


def _parted(kinds: Sequence[str]) -> dict[str, np.ndarray]:
    """Return by kind, the commonest first, where it is, bool [N]; rare kinds are left out."""
    common = [(kind, times) for kind, times in Counter(kinds).most_common() if times >= RARE * len(kinds)]
    return {kind: np.array([other == kind for other in kinds]) for kind, _ in common}
