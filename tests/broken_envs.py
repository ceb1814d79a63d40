"""Little Dragon with one defect at a time.

Each class breaks one promise; `DEFECTS` lists them with the checks that must say so. Where PettingZoo's own
tests pass a class, nothing but this project's kit stands between the defect and a training run.
"""

import copy
import ctypes
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gupai_env.testing import Hooks
from little_dragon import ACTIONS, DISCARD, FACE_DOWN, MOVES, SEATS, TILES, LittleDragon, clone, hooks_for, tile_of


@dataclass(frozen=True)
class Defect:
    """One broken game: its class, the checks that must fail, whether PettingZoo's own tests pass it (None: by
    luck), and the hooks that go with it."""

    make: type[LittleDragon]
    checks: tuple[str, ...]
    pettingzoo_passes: bool | None
    hooks: Hooks


DEFECTS: list[Defect] = []


def fails(*checks: str, pettingzoo_passes: bool | None = True) -> Callable:
    """List a class as a defect that these checks, and no others, must find."""

    def listed(make: type[LittleDragon]) -> type[LittleDragon]:
        DEFECTS.append(Defect(make, checks, pettingzoo_passes, hooks_for(make)))
        return make

    return listed


# Defects: what may end a process


@fails("plain-rules", pettingzoo_passes=None)
class TileFromTheEnd(LittleDragon):
    """Tiles are numbered from the end of their table, below 0."""

    def deal(self):
        super().deal()
        self.hands = [[tile - len(TILES) for tile in hand] for hand in self.hands]


@fails("no-crash", pettingzoo_passes=None)
class MemoryOverrun(LittleDragon):
    """A move reads memory that is nobody's, which ends the process."""

    def step(self, action):
        super().step(action)
        ctypes.string_at(0)


# Defects: what is hidden, what is open


@fails("information-set")
class LeakedHand(LittleDragon):
    """The next seat's tiles are marked among the seat's own discards."""

    def view(self, seat):
        seen = super().view(seat)
        seen[[len(TILES) + tile for tile in self.hands[(seat + 1) % SEATS]]] = 1
        return seen


@fails("information-set")
class LeakedSleeper(LittleDragon):
    """The sleeping tile is visible while the seat waits for its turn."""

    def view(self, seat):
        seen = super().view(seat)
        if seat != self.to_act:
            seen[self.asleep] = 1
        return seen


@fails("information-set", "mask-completeness")
class LeakedInMask(LittleDragon):
    """The mask warns of a play that the next seat can follow, and to do so it also leaves out legal plays."""

    def mask(self, seat):
        mask = super().mask(seat)
        held = {pip for tile in self.hands[(seat + 1) % SEATS] for pip in TILES[tile]}
        safe = [a for a in np.flatnonzero(mask) if a >= DISCARD or TILES[a // 2][a % 2] not in held]
        if safe:
            mask[:] = 0
            mask[safe] = 1
        return mask


@fails("information-set")
class LeakedInInfo(LittleDragon):
    """The info says whether the next seat could play now."""

    def info(self, seat):
        return super().info(seat) | {"next_can_play": min(self.legal((seat + 1) % SEATS), default=0) < DISCARD}


@fails("information-set")
class LeakedInTable(LittleDragon):
    """The text table shows discards face up."""

    def log(self):
        return " ".join(str(TILES[tile_of(action)]) for action in self.moves)


@fails("information-set")
class RedealIgnoresNumber(LittleDragon):
    """Dealing again what a seat cannot know takes no random number: each position has one such deal."""

    def redealt(self, agent, rng):
        return super().redealt(agent, np.random.default_rng(1))


@fails("hidden-tiles-move")
class RedealKeepsTile(LittleDragon):
    """Dealing again what a seat cannot know leaves one tile where it was: the first of the next seat's hand."""

    def redealt(self, agent, rng):
        next_seat = (self.possible_agents.index(agent) + 1) % SEATS
        while True:
            dealt = super().redealt(agent, rng)
            if set(self.hands[next_seat][:1]) <= set(dealt.hands[next_seat]):
                return dealt


@fails("public-differences")
class OpenEndUnseen(LittleDragon):
    """The history shows which tile was played, but not which end it left open."""

    def seen(self, action):
        return action - action % 2 if action < DISCARD else FACE_DOWN


@fails("seat-rotation")
class SeatZeroSpecial(LittleDragon):
    """Seat 0 does not see its own discards."""

    def view(self, seat):
        seen = super().view(seat)
        if seat == 0:
            seen[len(TILES) : 2 * len(TILES)] = 0
        return seen


# Defects: the mask


@fails("mask-soundness")
class MaskTooWide(LittleDragon):
    """The mask says that a double may always be played, and step accepts it."""

    def legal(self, seat):
        doubles = {2 * tile for tile in self.hands[seat] if len(set(TILES[tile])) == 1}
        return sorted({*super().legal(seat), *doubles})


@fails("mask-soundness", pettingzoo_passes=False)
class MaskWiderThanStep(LittleDragon):
    """The mask shows every play of the hand, but step refuses those that do not fit."""

    def mask(self, seat):
        mask = super().mask(seat)
        if mask.any():
            mask[[2 * tile for tile in self.hands[seat]]] = 1
        return mask


@fails("mask-completeness")
class MaskTooNarrow(LittleDragon):
    """Only the first legal play is offered, and step accepts no other."""

    def legal(self, seat):
        legal = super().legal(seat)
        return legal[:1] if legal and legal[0] < DISCARD else legal


@fails("mask-completeness")
class MaskNarrowerThanStep(LittleDragon):
    """The mask leaves out the low end of the first tile, which step would accept."""

    def mask(self, seat):
        mask = super().mask(seat)
        if self.open_pip is None:
            mask[1:DISCARD:2] = 0
        return mask


@fails("off-turn-masks")
class OffTurnMask(LittleDragon):
    """Seats that wait see what they could play now."""

    def mask(self, seat):
        mask = np.zeros(ACTIONS, np.int8)
        mask[self.legal(seat)] = 1
        return mask


@fails("non-empty-mask", pettingzoo_passes=False)
class EmptyMask(LittleDragon):
    """The mask of a seat that cannot play is empty."""

    def mask(self, seat):
        mask = super().mask(seat)
        mask[DISCARD:] = 0
        return mask


@fails("mask-form")
class InfoMaskOffTurn(LittleDragon):
    """The info has a mask even for seats that wait, unlike the observation."""

    def info(self, seat):
        mask = np.zeros(ACTIONS, np.int8)
        mask[self.legal(seat)] = 1
        return {"action_mask": mask}


@fails("observation-form")
class WrongDtypeOffTurn(LittleDragon):
    """A seat that waits gets its observation in another dtype than its space declares."""

    def view(self, seat):
        return super().view(seat).astype(np.int8 if seat == self.to_act or not any(self.hands) else np.int64)


@fails("sampled-actions")
class SampleIgnoresNumber(LittleDragon):
    """A random legal action takes no random number: each position has one."""

    def sample_action(self, rng):
        return super().sample_action(np.random.default_rng(1))


@fails("sampled-actions")
class SampleOfAnyTile(LittleDragon):
    """A random action is one of a tile in the hand, whether or not it fits."""

    def sample_action(self, rng):
        return 2 * int(rng.choice(self.hands[self.to_act]))


# Defects: chance


@fails("seeds-differ")
class SameDealEveryGame(LittleDragon):
    """The generator is created again from a constant for every game."""

    def seed(self, seed):
        self.rng = np.random.default_rng(1)


@fails("seed-repeats", pettingzoo_passes=False)
class SeedOnlyOnce(LittleDragon):
    """Only the first reset uses its seed."""

    def seed(self, seed):
        if self.rng is None:
            self.rng = np.random.default_rng(seed)


@fails("seed-repeats", pettingzoo_passes=None)
class SeedZeroIsNone(LittleDragon):
    """`if seed:` treats seed 0 as no seed."""

    def seed(self, seed):
        super().seed(seed or None)


@fails("seed-repeats", pettingzoo_passes=False)
class SeedIgnored(LittleDragon):
    """Every deal comes from the operating system's entropy."""

    def seed(self, seed):
        self.rng = np.random.default_rng()


@fails("seed-repeats", pettingzoo_passes=False)
class GamesCounted(LittleDragon):
    """Something of the last game remains: the lead rotates from game to game."""

    games = 0

    def deal(self):
        super().deal()
        self.games += 1
        self.leader = (self.leader + self.games) % SEATS


@fails("episodes-repeat")
class SeedForOneEpisode(LittleDragon):
    """A reset without a seed forgets the generator instead of continuing with it."""

    def seed(self, seed):
        self.rng = np.random.default_rng(seed)


@fails("episodes-differ")
class EpisodeRepeats(LittleDragon):
    """A reset without a seed deals the last seed again."""

    last_seed = 0

    def seed(self, seed):
        self.last_seed = self.last_seed if seed is None else seed
        self.rng = np.random.default_rng(self.last_seed)


@fails("second-process")
class SeedHashed(LittleDragon):
    """The seed goes through `hash` of a string, which differs from process to process."""

    def seed(self, seed):
        if seed is not None or self.rng is None:
            self.rng = np.random.default_rng(abs(hash(f"deal {seed}")))


@fails("global-rng")
class GlobalGenerator(LittleDragon):
    """The deal comes from `np.random`, seeded by reset for everybody in the process."""

    def seed(self, seed):
        if seed is not None:
            np.random.seed(seed)

    def deal(self):
        self.rng = np.random.default_rng(np.random.randint(2**31))
        super().deal()


UNSEEDED = itertools.cycle(range(20))


@fails("replay-round-trip", pettingzoo_passes=False)
class UnseededNoise(LittleDragon):
    """Each move draws a number that does not depend on the seed, and the seats see it."""

    noise = 0

    def make(self, action):
        super().make(action)
        self.noise = next(UNSEEDED)  # never the same twice in a row, so that no run of a check misses it

    def view(self, seat):
        seen = super().view(seat)
        seen[-1] += 3 * self.noise if self.moves else 0
        return seen.clip(max=FACE_DOWN + 1)


@fails("lanes-equal-single")
class EnvsOutOfStep(LittleDragon):
    """The payoffs of each lane are credited to the next one."""

    @classmethod
    def lane_games(cls, seeds, actions):
        games = super().lane_games(seeds, actions)
        shifted = games[-1:] + games[:-1]
        return [replace(game, payoffs=b.payoffs) for game, b in zip(games, shifted, strict=True)]


# Defects: tiles and payoffs


@fails("tile-conservation")
class TileLost(LittleDragon):
    """The sleeping tile is counted nowhere."""

    def deal(self):
        super().deal()
        self.asleep = []


@fails("tile-conservation")
class TileTwice(LittleDragon):
    """One of the leader's tiles is also the sleeping tile."""

    def deal(self):
        super().deal()
        self.asleep = self.asleep + self.hands[self.leader][:1]


@fails("bounded-length")
class NeverEnds(LittleDragon):
    """When all tiles have been played they are dealt again, and nobody is paid."""

    def make(self, action):
        super().make(action)
        if not any(self.hands):
            self.deal()


@fails("zero-sum")
class NotZeroSum(LittleDragon):
    """Every seat gets an extra chip that nobody pays."""

    def payoffs(self):
        return [pips + 1 for pips in super().payoffs()]


@fails("payoff-recomputed")
class WinnerSwapped(LittleDragon):
    """Whoever discards most wins."""

    def payoffs(self):
        return [-pips for pips in super().payoffs()]


@fails("reward-delivery")
class WrongSeatPaid(LittleDragon):
    """Each seat is paid what its neighbour won."""

    def finish(self):
        super().finish()
        paid = list(self.rewards.values())
        self.rewards = dict(zip(self.rewards, paid[1:] + paid[:1], strict=True))


@fails("reward-delivery", pettingzoo_passes=False)
class LastMoverNotPaid(LittleDragon):
    """The mover's rewards are cleared after the payoff instead of before it."""

    def turn_to_next(self):
        if self.moves:
            self._cumulative_rewards[self.agent_selection] = 0.0
        super().turn_to_next()


# Defects: looking and copying


@fails("render-purity")
class RenderChangesState(LittleDragon):
    """Drawing the table forgets the open pip."""

    def render(self):
        self.open_pip = None
        return super().render()


@fails("render-purity")
class RenderDraws(LittleDragon):
    """Drawing the table takes a number from the generator of the deals."""

    def render(self):
        self.rng.random()
        return super().render()


@fails("observe-purity")
class ObserveDraws(LittleDragon):
    """Observing takes a number from the generator of the deals."""

    def observe(self, agent):
        self.rng.random()
        return super().observe(agent)


@fails("observation-alias")
class ObservationReused(LittleDragon):
    """All observations are the same array, which is overwritten each time."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.buffer = np.zeros(2 * len(TILES) + MOVES + 1, np.int8)

    def view(self, seat):
        self.buffer[:] = super().view(seat)
        return self.buffer


@fails("observation-alias")
class MaskShared(LittleDragon):
    """The mask that the environment returns is the one that step uses."""

    def turn_to_next(self):
        self.current = super().mask(self.to_act)
        super().turn_to_next()

    def mask(self, seat):
        return self.current if seat == self.to_act else super().mask(seat)

    def info(self, seat):
        return {"action_mask": self.mask(seat).copy()}


@fails("deepcopy-round-trip")
class DeepcopyShares(LittleDragon):
    """A deepcopy shares the tiles with the original."""

    def __deepcopy__(self, memo):
        return copy.copy(self)


@fails("pickle-round-trip")
class PickleForgets(LittleDragon):
    """Pickling keeps the arguments and drops the game, as gymnasium's EzPickle does."""

    def __reduce__(self):
        return type(self), (self.render_mode,)

    def __deepcopy__(self, memo):
        return clone(self)


# Defects: what step does with anything but a legal action


@fails("illegal-actions")
class IllegalTaken(LittleDragon):
    """Any tile of the hand may be played or discarded, whatever the mask says."""

    def checked(self, action):
        whole = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if whole and 0 <= action < ACTIONS and tile_of(action) in self.hands[self.to_act]:
            return int(action)
        return super().checked(action)


@fails("illegal-actions")
class WordyRefusal(LittleDragon):
    """The error for an illegal action is a page of text."""

    def checked(self, action):
        try:
            return super().checked(action)
        except ValueError as error:
            if type(action) is int and action in range(ACTIONS):
                raise ValueError(f"{error}\nhere is everything I know:\n{vars(self)}") from None
            raise


@fails("refusal-purity")
class RefusalLosesTurn(LittleDragon):
    """An illegal action raises an error, but the lead has already moved to the next seat."""

    def checked(self, action):
        try:
            return super().checked(action)
        except ValueError:
            self.leader = (self.leader + 1) % SEATS
            raise


@fails("malformed-actions")
class NegativeWraps(LittleDragon):
    """A negative action counts from the end, as an index does."""

    def checked(self, action):
        negative = isinstance(action, int) and -ACTIONS <= action < 0
        return super().checked(range(ACTIONS)[action] if negative else action)


@fails("malformed-actions")
class FloatTruncated(LittleDragon):
    """A fraction is silently truncated."""

    def checked(self, action):
        return super().checked(int(action) if isinstance(action, float) and np.isfinite(action) else action)


@fails("malformed-actions")
class TextConverted(LittleDragon):
    """A string of digits is accepted as a number."""

    def checked(self, action):
        return super().checked(int(action) if isinstance(action, str) and action.isdigit() else action)


@fails("malformed-actions")
class NotANumberCrashes(LittleDragon):
    """An action that cannot be compared with a number causes Python's own error."""

    def checked(self, action):
        return super().checked(action if action >= 0 else -1)


@fails("step-after-end")
class StepAfterEndCrashes(LittleDragon):
    """When all agents have left, step fails because it looks up an agent that is gone."""

    def step(self, action):
        if not self.agents and self.rng is not None:
            self.terminations[self.agent_selection]
        super().step(action)


@fails("step-before-reset")
class StepBeforeResetCrashes(LittleDragon):
    """Before the first deal, step fails because only reset creates the rewards."""

    def step(self, action):
        self._clear_rewards()
        super().step(action)
