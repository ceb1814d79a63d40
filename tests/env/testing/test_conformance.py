"""Every game of this project passes the whole conformance kit, and what the kit is told of it can fail."""

import dataclasses
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.game import Game
from gupai_env.testing import CHECKS, check_env
from gupai_env.testing.game_hooks import hidden, table_text
from our_hooks import WitnessedEnv, hooks_for
from variants import name_of, table_sizes, values

TINY = {"deck": "tiny", "players": 2}
DEALS = 20_000  # to look through for a rare one


MANY, SHORT = 20, 8  # games that are played to find a fault, where one has no more decisions


def cases(game: Game) -> list[dict[str, Any]]:
    """The game as it is, a match, the tiny deck, and another choice of every option at once."""
    choices = {each.name: values(each) for each in dataclasses.fields(game.variant) if each.name != "players"}
    decks, default = choices.pop("deck"), game.variant()
    others = {
        name: [value for value in each if value != getattr(default, name)]
        for name, each in choices.items()
        if len(each) > 1
    }
    others["players"] = table_sizes(game)
    varied = [{name: each[0] for name, each in others.items()}]
    varied += [{"deck": deck, "players": 2} for deck in decks if deck not in (default.deck, "tiny")]
    tiny = game.variant.tiny_options()
    match = {"deals": 2} | ({} if game is next(iter(GAMES.values())) else tiny)  # long ones in one game
    return [{}, match, tiny, *varied]


def rare_seed(game: Game, **variant: Any) -> int:
    """A seed whose deal begins with as many silent actions as possible, such as the answers of Ce Deng, or 0."""
    envs = VectorEnv(game, DEALS, observe=False, **variant)
    envs.reset(seeds=np.arange(DEALS))
    if envs.masks[0].all():  # in Pai Gow many hands may be split in every way
        return int((~envs.masks).any(1).argmax())
    return int(envs.masks[:, list(ADAPTERS[game.id].silent)].sum(1).argmax())


CASES = [
    pytest.param(game, options, mask_in, id=f"{name_of(game, game.variant(**options))} mask_in={mask_in}")
    for game in GAMES.values()
    for number, options in enumerate(cases(game))
    for mask_in in [("observation", "info")[number % 2]]
]


# What takes longest, and no option changes: how a step answers what the mask forbids, copies, and seeds. It is judged
# with the tiny deck of each game, which is short.
UNCHANGED = {
    "illegal-actions", "refusal-purity", "malformed-actions", "pickle-round-trip", "deepcopy-round-trip", "seeds-differ"
}  # fmt: skip
# Other options and long games are judged by their masks, views and payoffs: test_lock_step.py plays every legal action
# of each, test_sections.py holds what a view tells, test_hidden.py deals again what it hides, and the text of a table
# is drawn from a view.
PLAIN = {"deals", "deck", "players"}


@pytest.mark.parametrize(("game", "options", "mask_in"), CASES)
def test_environment_passes_every_check(game, options, mask_in):
    hooks, checks = hooks_for(game.id, **options), set(CHECKS)
    if options != game.variant.tiny_options():
        checks -= UNCHANGED
    elif game is next(iter(GAMES.values())):  # a short game: every table of it is drawn
        hooks = replace(hooks, render_modes=("ansi", "rgb_array"))
    if not options.keys() <= PLAIN:
        hooks = replace(hooks, shown=None)
    if not options.keys() <= PLAIN or (
        game is not next(iter(GAMES.values())) and options != game.variant.tiny_options()
    ):
        checks -= {"mask-soundness", "public-differences", "information-set", "hidden-tiles-move"}
    make_env = partial(WitnessedEnv, game.id, mask_in=mask_in, **options)
    seed = rare_seed(game, **options)
    games = 2 if seed else 1  # a rare deal may be over at once, and an ordinary one follows it
    report = check_env(make_env, hooks, games=games, seed=seed, checks=sorted(checks))
    house = set() if game.variant(**options).zero_sum else {"zero-sum"}
    assert set(report.passed) == checks - house, str(report)


# The hooks at work: each fault, planted in the environment of any game, is found by the check of its name


class Leak(WitnessedEnv):
    """Each seat sees what the next one holds."""

    def observe(self, agent):
        seen = super().observe(agent)
        seat = (self.possible_agents.index(agent) + 1) % self.variant.players
        seen["observation"][0] = self.deal.states.hands[0, seat] % 100
        return seen


class Blind(WitnessedEnv):
    """Nobody sees the table."""

    def observe(self, agent):
        seen = super().observe(agent)
        seen["observation"][:] = 0
        return seen


class Numbered(WitnessedEnv):
    """A seat sees its own number."""

    def observe(self, agent):
        seen = super().observe(agent)
        seen["observation"][0] = self.possible_agents.index(agent)
        return seen


class Lost(WitnessedEnv):
    """A seat's tiles fall off the table."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.deal.states.hands[0, 0] = 0


class OtherMask(WitnessedEnv):
    """The mask is another one than the rules give."""

    def _announce_deal(self):
        super()._announce_deal()
        self._change_mask()

    def _announce(self, agent):
        super()._announce(agent)
        self._change_mask()

    def _change_mask(self):
        self.change(self._envs._arrays["masks"][0])


class Wide(OtherMask):
    """The mask allows everything."""

    def change(self, mask):
        mask[:] = True


class Narrow(OtherMask):
    """The mask leaves out the last of several legal actions."""

    def change(self, mask):
        if mask.sum() > 1:
            mask[np.flatnonzero(mask)[-1]] = False


class Swapped(WitnessedEnv):
    """Each seat is paid what its neighbour won."""

    def step(self, action):
        super().step(action)
        if action is not None and self.deal.states.terminated[0]:
            players = self.variant.players
            self.deal.states.total[0, :players] = np.roll(self.deal.states.total[0, :players], 1)


class Generous(WitnessedEnv):
    """The rewards are twice what was won."""

    def _announce(self, agent):
        super()._announce(agent)
        if self._paid:
            self._accumulate_rewards()  # once more
            self.rewards = {each: 2 * reward for each, reward in self.rewards.items()}


FAULTS = {
    Leak: "information-set",
    Blind: "public-differences",
    Numbered: "seat-rotation",
    Lost: "tile-conservation",
    Wide: "mask-soundness",
    Narrow: "mask-completeness",
    Swapped: "payoff-recomputed",
    Generous: "reward-delivery",
}
every_game = pytest.mark.parametrize("game", GAMES)


@every_game
@pytest.mark.parametrize(("fault", "check"), FAULTS.items(), ids=lambda each: getattr(each, "__name__", each))
def test_fault_is_found_by_the_check_of_its_name(game, fault, check):
    short = get_game(game).max_decisions <= SHORT
    options, games = ({"players": 3}, MANY) if short else ({}, 4)  # of two, each knows by its mask who was asked first
    report = check_env(partial(fault, game, **options), hooks_for(game, **options), games=games, checks=[check])
    assert report.failed == [check], str(report)
    assert report[check].error.__cause__ is None, str(report)  # it was found, nothing broke


@every_game
def test_table_that_shows_all_hands_is_found(game):
    hooks = replace(hooks_for(game), shown=lambda env, agent: [table_text(env, seat) for seat in env.agents])
    report = check_env(partial(WitnessedEnv, game), hooks, games=1, checks=["information-set"])
    assert "what else is shown to it changes" in report["information-set"].error.what


def fixed_redeal(redeal, hidden):
    """A redeal that ignores its random numbers."""
    return lambda env, agent, rng: redeal(env, agent, np.random.default_rng(1))


def keeping_redeal(redeal, hidden):
    """A redeal that leaves one tile of another seat's hand in its place."""

    def kept(env, agent, rng):
        place, (tile, *_) = next((place, tiles) for place, tiles in hidden(env, agent).items() if tiles)
        while True:
            dealt = redeal(env, agent, rng)
            if tile in hidden(dealt, agent)[place]:
                return dealt

    return kept


@pytest.mark.parametrize(
    ("game", "options", "unknown"),
    [
        ("tien-gow", {"deck": "tiny", "players": 2}, 0),
        ("jie-long", {"deck": "tiny", "players": 2}, 3),
        ("jie-long", {}, 8),
    ],
)
def test_tiles_known_by_counting_are_not_hidden(game, options, unknown):
    env = WitnessedEnv(game, **options)
    env.reset(seed=1)
    assert {len(tiles) for tiles in hidden(env, env.agent_selection).values()} == {unknown}


@pytest.mark.parametrize("game", ["jie-long", "pai-gow"])  # what is redealt is asked in one place for all games
@pytest.mark.parametrize(("wrong", "check"), [(fixed_redeal, "information-set"), (keeping_redeal, "hidden-tiles-move")])
def test_redeal_that_is_not_random_is_found(game, wrong, check):
    options = get_game(game).variant.tiny_options() if wrong is fixed_redeal else {}
    hooks = hooks_for(game, **options)
    hooks = replace(hooks, redeal=wrong(hooks.redeal, hooks.hidden))
    report = check_env(partial(WitnessedEnv, game, **options), hooks, games=1, checks=[check])
    assert report.failed == [check], str(report)
    assert report[check].error.__cause__ is None, str(report)  # it was found, nothing broke


@every_game
def test_sample_that_ignores_its_random_numbers_is_found(game):
    hooks = hooks_for(game)
    fixed = replace(hooks, sample=lambda env, rng: hooks.sample(env, np.random.default_rng(1)))
    report = check_env(partial(WitnessedEnv, game), fixed, games=1, checks=["sampled-actions"])
    assert report.failed == ["sampled-actions"], str(report)


@every_game
def test_lanes_that_play_other_deals_are_found(game):
    hooks = hooks_for(game)
    other = replace(hooks, lane_games=lambda seeds, actions: hooks.lane_games(seeds[::-1], actions[::-1]))
    make_env = partial(WitnessedEnv, game)
    assert check_env(make_env, other, games=2, checks=["lanes-equal-single"]).failed == ["lanes-equal-single"]
