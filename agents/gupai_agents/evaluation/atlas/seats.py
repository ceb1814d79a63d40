"""Whom to sit behind: who gains what a weaker player loses among the best, and by which of its mistakes."""

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, ask, name_of
from gupai_agents.evaluation.atlas.report import CHIPS, NUMBER, WORDS, Cell, Table
from gupai_agents.evaluation.atlas.study import Study
from gupai_agents.evaluation.records.games import action_types_of
from gupai_agents.evaluation.statistics import estimate, ratio_of_means
from gupai_agents.play.decisions import decisions, resume_lanes
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.messages import say

RARE = 0.01  # of all mistakes: kinds that are rarer are left out


def around(players: int) -> list[str]:
    """Return what a weaker player and the seats after it are called, in order of turn."""
    turns = range(2, players - 1)
    middle = ["opposite"] if players == 4 else [say("{turns} turns after it", turns=number) for number in turns]
    return ["the weaker player", "the next in turn", *middle, "the one before it"][:players]


class Slips:
    """A player that errs in one way alone: it plays like the best but where it would take a type of action, and a
    weaker player another one."""

    game: Game
    variant: Variant

    def __init__(self, study: Study, weaker: Agent, types: tuple[int, int]) -> None:
        """Make a player of two.

        Args:
            study: What it plays, and who is the best.
            weaker: Whom it follows where both take these types.
            types: Numbers of types of action, of the best player and of the weaker one.
        """
        self.game, self.variant, self.name = study.game, study.variant, name_of(weaker)
        self.both, self.types = (study.best, weaker), types

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        best, weaker = (ask(agent, self.game, self.variant, batch) for agent in self.both)
        type_of = action_types_of(self.game)[1]
        slips = (type_of[best] == self.types[0]) & (type_of[weaker] == self.types[1])
        return np.where(slips, weaker, best).astype(np.int16)


class Apart(NamedTuple):
    """Where a weaker player, among the best, takes other actions than these would.

    differ: How often in each deal, by the types of action of both, int [deals, types, types].
    more: By how many legal actions more the next to act then has, summed up likewise.
    """

    differ: np.ndarray
    more: np.ndarray


def apart(study: Study, weaker: Agent) -> Apart:
    """Return where a weaker player differs, which has a seat among the best, another one in every deal."""
    game, players = study.game, study.variant.players
    names, type_of = action_types_of(game)
    counts = Apart(*np.zeros((2, study.deals, len(names), len(names)), int))
    for deals, envs in study.lanes():
        lanes = np.arange(envs.num_envs)
        seating = np.where(np.arange(players) == ((deals.start + lanes) % players)[:, None], 0, 1)
        for now in decisions(envs, [weaker, study.best], seating):
            mine = np.flatnonzero((seating[now.rows, envs.seats[now.rows]] == 0) & (now.batch.masks.sum(1) > 1))
            if not len(mine):
                continue
            rows, taken = now.rows[mine], now.actions[mine]
            best = ask(study.best, game, study.variant, now.batch.at(mine))
            parted = np.flatnonzero(taken != best)
            where = deals.start + rows[parted], type_of[best[parted]], type_of[taken[parted]]
            after = [_choices_after(study, envs.states[rows[parted]], actions[parted]) for actions in (taken, best)]
            np.add.at(counts.differ, where, 1)
            np.add.at(counts.more, where, after[0] - after[1])
    return counts


def _choices_after(study: Study, states: np.recarray, actions: np.ndarray) -> np.ndarray:
    """Return how many legal actions the next to act has after an action in each state, int [N]; none after a deal."""
    if not len(states):
        return np.zeros(0, int)
    envs = resume_lanes(study.game, study.variant, states)
    envs.step(actions)
    return np.where(envs.terminated, 0, envs.masks.sum(1))


def tables(study: Study) -> Sequence[Table]:
    """Return who gains what one weaker player loses among the best, by turn, and by which of its mistakes."""
    weaker, best = study.weaker, name_of(study.best)
    won, names = [study.among_best(agent) for agent in weaker], around(study.variant.players)
    rows: list[Sequence[Cell]] = [
        (name, *(estimate(chips[place]) for chips in won)) for place, name in enumerate(names)
    ]
    if len(names) > 2:
        rows.append(("the next in turn, less the one before it", *(estimate(chips[1] - chips[-1]) for chips in won)))
    heads = [name_of(agent) for agent in weaker]
    tables = [
        Table(
            say("Chips per deal where one weaker player sits among {best}", best=best),
            ("seat", *heads),
            (WORDS, *[CHIPS] * len(heads)),
            rows,
            "Every deal is played with the weaker player in each seat; among equals everybody would come out even.",
        )
    ]
    if not study.game.simultaneous and study.skilled[0] is not study.best:
        tables.append(_mistakes(study, study.skilled[0]))
    return tuple(tables)


def _mistakes(study: Study, weaker: Agent) -> Table:
    """Return what each type of mistake of a weaker player costs it, and whom it pays."""
    types, parted = action_types_of(study.game)[0], apart(study, weaker)
    differ = parted.differ.sum(0)
    rows: list[tuple[float, Sequence[Cell]]] = []
    for own, other in np.argwhere(differ > RARE * differ.sum()).tolist():
        label = say("{type}: another one", type=say(types[own]))
        if own != other:
            label = say("{other} instead of {own}", other=say(types[other]), own=say(types[own]))
        times, more = (np.array(part, float) for part in (parted.differ[:, own, other], parted.more[:, own, other]))
        won = [*map(estimate, study.among_best(Slips(study, weaker, (own, other))))]
        cells: Sequence[Cell] = label, estimate(times), ratio_of_means(np.stack([more, times], 1)), *won
        rows.append((won[0].mean, cells))
    names, best = around(study.variant.players), name_of(study.best)
    return Table(
        say("What each kind of mistake of {weaker} costs, and whom it pays", weaker=name_of(weaker)),
        ("mistake", "per deal", "legal actions added for the next", *names),
        (WORDS, NUMBER, CHIPS, *[CHIPS] * len(names)),
        [row for _, row in sorted(rows, key=itemgetter(0))],
        say("Chips per deal of a player that errs in this way alone, and of the others, {best}.", best=best),
    )
