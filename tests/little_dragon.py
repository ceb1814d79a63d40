"""Little Dragon, a small and correct hidden-information game for PettingZoo, to try a conformance kit on.

Tiles    The ten dominoes from [0:0] to [3:3]. Three to each of three seats; one sleeps, unseen by all.
Move     Play a tile that has the open pip; its other end becomes the open pip. The first tile may leave
         either end open. A seat that cannot play discards one tile, face down.
End      All nine tiles are played or discarded.
Payoff   Every two seats settle the difference of the pips they have discarded.
Actions  2 * tile + end plays `tile` and leaves `end` open (0 high, 1 low); 20 + tile discards it.

The leader is drawn with the deal, so that all seats are alike. `hooks_for` tells the kit of the game.
"""

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from gupai_env.testing import ConformanceError, Hooks, LaneGame, Record

SEATS, HAND, HIGHEST = 3, 3, 3
TILES = [(high, low) for high in range(HIGHEST + 1) for low in range(high + 1)]
DISCARD = 2 * len(TILES)  # the first discard action
ACTIONS = DISCARD + len(TILES)
MOVES = SEATS * HAND
FACE_DOWN = ACTIONS  # what the others see of a discard


def tile_of(action: int) -> int:
    return action - DISCARD if action >= DISCARD else action // 2


def others(seat: int) -> list[int]:
    return [other for other in range(SEATS) if other != seat]


class LittleDragon(AECEnv):
    """The correct game."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "little_dragon_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(SEATS)]
        self.agents: list[str] = []
        self.rng: np.random.Generator | None = None
        mask = spaces.Box(0, 1, (ACTIONS,), np.int8)
        view = spaces.Box(0, FACE_DOWN + 1, (2 * len(TILES) + MOVES + 1,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": view, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    # The deal

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        self.seed(seed)
        self.deal()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.turn_to_next()

    def seed(self, seed: int | None) -> None:
        if seed is not None or self.rng is None:
            self.rng = np.random.default_rng(seed)

    def deal(self) -> None:
        order = [int(tile) for tile in self.rng.permutation(len(TILES))]
        self.hands = [sorted(order[seat * HAND : (seat + 1) * HAND]) for seat in range(SEATS)]
        self.asleep = order[MOVES:]
        self.leader = int(self.rng.integers(SEATS))
        self.moves: list[int] = []
        self.open_pip: int | None = None

    # The rules

    def seat_of(self, move: int) -> int:
        """The seat that makes this move, from 0."""
        return (self.leader + move) % SEATS

    @property
    def to_act(self) -> int:
        return self.seat_of(len(self.moves))

    def legal(self, seat: int) -> list[int]:
        """What the seat may do if it is to act; discarding is legal only when nothing fits."""
        plays = []
        for tile in self.hands[seat]:
            high, low = TILES[tile]
            if self.open_pip in (None, low):
                plays.append(2 * tile)
            if self.open_pip in (None, high) and high != low:
                plays.append(2 * tile + 1)
        return plays or [DISCARD + tile for tile in self.hands[seat]]

    def checked(self, action: Any) -> int:
        whole = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if whole and action in self.legal(self.to_act):
            return int(action)
        raise ValueError(f"{self.agent_selection} may not do {action!r}, only {self.legal(self.to_act)}")

    def step(self, action: Any) -> None:
        if not self.agents:
            raise ValueError("nobody is at the table: call reset()")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        action = self.checked(action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.make(action)
        if not any(self.hands):
            self.finish()
        self._accumulate_rewards()
        self.turn_to_next()

    def make(self, action: int) -> None:
        self.hands[self.to_act].remove(tile_of(action))
        self.moves.append(action)
        if action < DISCARD:
            self.open_pip = TILES[tile_of(action)][action % 2]

    def finish(self) -> None:
        self.rewards = {self.possible_agents[seat]: pips for seat, pips in enumerate(self.payoffs())}
        self.terminations = dict.fromkeys(self.agents, True)

    def payoffs(self) -> list[float]:
        discarded = [0] * SEATS
        for move, action in enumerate(self.moves):
            if action >= DISCARD:
                discarded[self.seat_of(move)] += sum(TILES[tile_of(action)])
        return [float(sum(discarded) - SEATS * own) for own in discarded]

    # What the seats see

    def turn_to_next(self) -> None:
        self.agent_selection = self.possible_agents[self.to_act]
        self.infos = {agent: self.info(self.possible_agents.index(agent)) for agent in self.agents}

    def info(self, seat: int) -> dict:
        return {"action_mask": self.mask(seat)}

    def mask(self, seat: int) -> np.ndarray:
        mask = np.zeros(ACTIONS, np.int8)
        if seat == self.to_act and any(self.hands):
            mask[self.legal(seat)] = 1
        return mask

    def view(self, seat: int) -> np.ndarray:
        """Own tiles, own discards, the moves as the table saw them, and who led, counted from the seat."""
        seen = np.zeros(2 * len(TILES) + MOVES + 1, np.int8)
        seen[self.hands[seat]] = 1
        for move, action in enumerate(self.moves):
            seen[2 * len(TILES) + move] = 1 + self.seen(action)
            if action >= DISCARD and self.seat_of(move) == seat:
                seen[len(TILES) + tile_of(action)] = 1
        seen[-1] = (self.leader - seat) % SEATS
        return seen

    def seen(self, action: int) -> int:
        return action if action < DISCARD else FACE_DOWN

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seat = self.possible_agents.index(agent)
        return {"observation": self.view(seat), "action_mask": self.mask(seat)}

    def log(self) -> str:
        return " ".join(str(TILES[tile_of(action)]) if action < DISCARD else "[]" for action in self.moves)

    def render(self) -> str:
        return self.log()

    def close(self) -> None:
        pass

    # Chance

    def sample_action(self, rng: np.random.Generator) -> int:
        return int(rng.choice(self.legal(self.to_act)))

    def redealt(self, agent: str, rng: np.random.Generator) -> "LittleDragon":
        return redeal(self, agent, rng)

    # The same game in lanes

    @classmethod
    def lane_games(cls, seeds: Sequence[int], actions: Sequence[Sequence[int]]) -> list[LaneGame]:
        """A batch: all tables are dealt, then each makes its next move in turn until the last is done."""
        tables = [cls() for _ in seeds]
        turns: list[list[tuple[str, np.ndarray, np.ndarray]]] = [[] for _ in seeds]
        for table, seed in zip(tables, seeds, strict=True):
            table.reset(seed=seed)
        for move in range(MOVES):
            for table, turn, mine in zip(tables, turns, actions, strict=True):
                if move < len(mine):
                    seat = table.to_act
                    turn.append((table.agent_selection, table.view(seat).copy(), table.mask(seat)))
                    table.step(mine[move])
        return [
            LaneGame(turn, dict(zip(table.possible_agents, table.payoffs(), strict=True)))
            for table, turn in zip(tables, turns, strict=True)
        ]


# What the kit is told: each function reads the rules anew, none calls the game's own


def clone(env: LittleDragon) -> LittleDragon:
    twin = type(env)(env.render_mode)
    twin.__dict__.update({name: copy.deepcopy(value) for name, value in vars(env).items()})
    return twin


def fits_what_was_said(env: LittleDragon) -> bool:
    """Whether no seat holds, from its discards on, a tile that it should have played instead."""
    open_pip = None
    for move, action in enumerate(env.moves):
        seat = env.seat_of(move)
        if action < DISCARD:
            open_pip = TILES[action // 2][action % 2]
            continue
        later = [tile_of(other) for other in env.moves[move::SEATS]]
        if any(open_pip in TILES[tile] for tile in env.hands[seat] + later):
            return False
    return True


def redeal(env: LittleDragon, agent: str, rng: np.random.Generator) -> LittleDragon:
    seat, dealt = env.possible_agents.index(agent), clone(env)
    hidden = [move for move, action in enumerate(env.moves) if action >= DISCARD and env.seat_of(move) != seat]
    pool = env.asleep + [tile for other in others(seat) for tile in env.hands[other]]
    pool += [tile_of(env.moves[move]) for move in hidden]
    while True:
        drawn = iter([int(tile) for tile in rng.permutation(pool)])
        dealt.asleep = [next(drawn) for _ in env.asleep]
        for other in others(seat):
            dealt.hands[other] = sorted(next(drawn) for _ in env.hands[other])
        for move in hidden:
            dealt.moves[move] = DISCARD + next(drawn)
        if fits_what_was_said(dealt):
            break
    dealt.turn_to_next()
    return dealt


def hidden(env: LittleDragon, agent: str) -> dict[str, list[int]]:
    seat = env.possible_agents.index(agent)
    return {"sleep": env.asleep} | {
        f"the hand of {env.possible_agents[other]}": env.hands[other] for other in others(seat)
    }


def rotate(env: LittleDragon, k: int) -> LittleDragon:
    turned = clone(env)
    turned.leader = (env.leader + k) % SEATS
    turned.hands = [list(env.hands[(seat - k) % SEATS]) for seat in range(SEATS)]
    turned.turn_to_next()
    return turned


def legal_actions(env: LittleDragon) -> Iterator[int]:
    hand = env.hands[(env.leader + len(env.moves)) % SEATS]
    played = [action for action in env.moves if action < DISCARD]
    open_pips = {TILES[played[-1] // 2][played[-1] % 2]} if played else set(range(HIGHEST + 1))
    if not any(open_pips & set(TILES[tile]) for tile in hand):
        yield from (DISCARD + tile for tile in hand)
    for tile in hand:
        for end in range(len(set(TILES[tile]))):
            if TILES[tile][1 - end] in open_pips:
                yield 2 * tile + end


def score(record: Record) -> dict[str, float]:
    discarded = Counter(dict.fromkeys(record.start.possible_agents, 0))
    for agent, action in record.moves:
        discarded[agent] += sum(TILES[action - DISCARD]) if action >= DISCARD else 0
    return {
        agent: sum(discarded[other] - discarded[agent] for other in discarded if other != agent) for agent in discarded
    }


def tiles(env: LittleDragon) -> list[tuple[int, int]]:
    return [TILES[tile] for tile in [*chain(*env.hands), *map(tile_of, env.moves), *env.asleep]]


def public(env: LittleDragon) -> tuple:
    return env.leader, tuple(action if action < DISCARD else "face down" for action in env.moves)


def rules(make: type[LittleDragon], place: Callable[[int, int, str], None], seeds: Sequence[int]) -> list[str]:
    """Deal by the game's own rules; no tile may be an index that counts from the end."""
    for seed in seeds:
        env = make()
        place(seed, 0, "deal")
        env.reset(seed=seed)
        if min(chain(*env.hands)) < 0:
            raise ConformanceError("", seed, 0, None, "deal raises IndexError: an index below 0")
    return []


def hooks_for(make: type[LittleDragon]) -> Hooks:
    return Hooks(
        max_moves=MOVES,
        illegal=("raise",),
        refusals=(ValueError,),
        deck=Counter(TILES),
        redeal=make.redealt,
        hidden=hidden,
        sample=make.sample_action,
        shown=lambda env, agent: env.log(),
        public=public,
        rotate=rotate,
        tiles=tiles,
        score=score,
        payoffs=lambda env: dict(zip(env.possible_agents, env.payoffs(), strict=True)),
        legal_actions=legal_actions,
        lane_games=make.lane_games,
        rules=partial(rules, make),
    )


HOOKS = hooks_for(LittleDragon)
BARE = Hooks(max_moves=9, illegal=("raise",))  # facts of Little Dragon, but no functions
