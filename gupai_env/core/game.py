"""The contract of a game.

A rules function handles one deal: it changes one `state` record in place, or fills an array or record that
its caller has cleared. `rules` is the variant as a named tuple of numbers (see `variant.py`).
"""

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import ModuleType
from typing import Any, Self

import numpy as np

from gupai_env.core.episode import empty_state, pass_lead
from gupai_env.core.heuristic import Feature, parts_of, weights_row
from gupai_env.core.hints import Hints
from gupai_env.core.layout import Encoder
from gupai_env.core.move import Move
from gupai_env.core.rule import rule
from gupai_env.core.scene import Scene, seat_names
from gupai_env.core.table import Table
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import short_repr


def table_of(game: "Game", *arguments: Any) -> Table:
    """Return the table that the module `guide` of a game has, or else a plain one."""
    table: Table = getattr(game.guide, "Table", Table)(game, *arguments)
    return table


def hints_of(game: "Game", variant: Variant) -> Hints:
    """Return the texts that the module `guide` of a game has, or else plain ones."""
    hints: Hints = getattr(game.guide, "Guide", Hints)(game, variant)
    return hints


@dataclass(frozen=True)
class Game:
    """All there is to know of a game. As GAME it closes the `__init__.py` of the game's module, or the one file it has.

    modules: of a package, `rules`, `knowledge`, `players`; what the package does not define itself is taken from the
    first of them that has it.

    module_name: the import name of that package. Compiled loops take it as one argument and find in it, under these
    very names, what follows (functions are `@rule`, plain Python that also compiles):
        STATE, VIEW: the dtypes of a state (`state_dtype`) and of a view.
        DECKS: by deck of the option, the kinds of all tiles, each a sorted int8 array.
        deal_from(rules, state, order): deals the tiles of the deck as they lie in `order`, whatever was in the state,
            which `clearing(STATE)` empties; `state.leader` and `state.direction` are set already. All randomness of a
            deal is the order, and the first leader.
        legal_actions(rules, state, mask): marks in a cleared bool [num_actions] the moves of the seat to act.
        step(rules, state, action): plays one legal decision; sets `to_act`, or `terminated` when the deal has ended.
        payoffs(rules, state, out): fills float32 [max_seats] with the chips of a deal that is over.
        information_set(rules, state, seat, view, history=True): fills a view with all that the seat may know. The only
            place that decides what is hidden. Without `history` it leaves out what no encoder reads, move by move.
        determinize(rules, view, key, state): fills a state drawn uniformly among the deals the view allows, whatever
            was in it. The view must be of a deal under way.
        encode(view, out): fills a cleared int8 [encoder.layout.size], the observation.

    What a module may leave out, and gets then:
        next_deal(rules, state): sets `leader` and `direction` for the next deal of a match; the next seat leads it.
        history(rules, state, order, actions): reconstructs a deal under way: fills `order`, int8, with how its deck was
            dealt and `actions`, [max_decisions], with all decisions since; returns how many these are. Dealt and played
            like this the deal comes to the same state, so that what the others did can be weighed, as search with a
            belief does; without it there is no such search.
        FEATURES: tuple of `Feature`, the numbers about an action that heuristics weigh.
        HEURISTICS: name -> weights by feature, the rule-based players; the plainest, `greedy`, first, the best last.
        score(view, action, weights): the weighted sum of the features of a legal action, `weights` in their order;
            without these three only `random` and what is trained play. `prepared` makes one whose actions share work.
        POLICIES: name -> function of a view that returns a legal action, players that are no weights of features.
        LAYOUT: the sections of an observation, where the record names no `encoder`.
    """

    module_name: str
    id: str
    title: str
    version: int
    variant: type[Variant]
    max_seats: int
    max_decisions: int  # of one deal, dealt once
    moves: tuple[Move, ...]  # what each action does; their names, in which a hand is not known yet, stay for ever
    payoff_bound: Callable[[Any], float]  # variant -> the most a seat can win or lose in one deal
    modules: tuple[ModuleType, ...] = field(default=(), repr=False)
    summary: str = ""  # the game in a sentence, for people
    encoder: Encoder = None  # type: ignore[assignment]  # default: of the module's LAYOUT, by the game's id and version
    table: Callable[..., Table] = table_of  # a subclass of `Table`
    hints: Callable[..., Hints] = hints_of  # a subclass of `Hints`, such as `gupai_env.games.guide.Guide`
    # Each seat decides once in a deal, and none sees the decisions of others before all have decided: search lets the
    # others decide first.
    simultaneous: bool = False
    # Seats that share a payoff; without teams every seat plays for itself. Shifting all seats by one maps teams to
    # teams, as the rotations of a duplicate match need.
    teams: tuple[tuple[int, ...], ...] = ()
    # (view, action) -> move, where the meaning of an action depends on the hand.
    move_of: Callable[[np.record, int], Move] | None = None

    state: np.dtype = field(init=False, repr=False)
    view: np.dtype = field(init=False, repr=False)
    decks: tuple[np.ndarray, ...] = field(init=False, repr=False)
    deal_from: Callable[..., Any] = field(init=False, repr=False)
    legal_actions: Callable[..., Any] = field(init=False, repr=False)
    step: Callable[..., Any] = field(init=False, repr=False)
    payoffs: Callable[..., Any] = field(init=False, repr=False)
    next_deal: Callable[..., Any] = field(init=False, repr=False)
    information_set: Callable[..., Any] = field(init=False, repr=False)
    determinize: Callable[..., Any] = field(init=False, repr=False)
    history: Callable[..., Any] = field(init=False, repr=False)
    encode: Callable[..., Any] = field(init=False, repr=False)
    score: Callable[..., Any] = field(init=False, repr=False)
    features: tuple[Feature, ...] = field(init=False, repr=False)
    heuristics: Mapping[str, Mapping[str, float]] = field(init=False, repr=False)
    policies: Mapping[str, Callable[[np.record], int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Read what the module provides.

        Raises:
            TypeError: Naming what the game's module does not provide.
            ValueError: The option `players`, which Variant declares for four seats, allows more than `max_seats`.
        """
        self.variant.rules_type()  # so that pickles find it
        players = next(option for option in fields(self.variant) if option.name == "players")
        most = max((players.default, *players.metadata["choices"]))
        if most > self.max_seats:
            raise ValueError(
                f"{self.id}: max_seats is {self.max_seats}, but the option players allows {most}; declare it in "
                f'{self.variant.__name__}, as players: int = option({self.max_seats}, "number of seats", (2, ...))'
            )
        # A module `history` of the package is an attribute of it too.
        vars(self.module).update(
            (name, value)
            for place in (DEFAULTS, *map(vars, reversed(self.modules)), dict(vars(self.module)))
            for name, value in place.items()
            if name in (*PROVIDED, "LAYOUT") and not isinstance(value, ModuleType)
        )
        missing = [name for name in PROVIDED if not hasattr(self.module, name)]
        if missing:
            raise TypeError(f"{self.module_name} is not the module of a game: it has no {', '.join(missing)}")
        for name in PROVIDED:
            object.__setattr__(self, name.lower(), getattr(self.module, name))
        module: Any = self.module
        module.prepare, module.score_with = parts_of(module.score)
        if self.encoder is None:
            object.__setattr__(self, "encoder", Encoder(self.id, self.version, self.module.LAYOUT))

    def deck(self, rules: Any) -> np.ndarray:
        """Return the one of DECKS that the option `deck` names, int8 [tiles], sorted."""
        return self.decks[rules.deck]

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of, (self.module_name,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # it never changes

    def __hash__(self) -> int:
        return hash((self.id, self.version))  # the fields are compared; hashing them all would be slow

    @property
    def module(self) -> ModuleType:
        """The module that provides the functions."""
        return sys.modules[self.module_name]

    @property
    def positions(self) -> ModuleType:
        """The module `position` of the package: `from_tiles` and `settle` build and pay positions by hand."""
        return importlib.import_module(f"{self.module_name}.position")

    @property
    def claims(self) -> ModuleType | None:
        """The module `claims` of the package, whose CLAIMS lists what claims can name; None if there is none."""
        return self._optional("claims")

    @property
    def hands(self) -> ModuleType | None:
        """The module `hands` of the package, for exact work on the whole deck; None if there is none.

        A game in which each of two seats decides once, seeing its hand alone, may have it: `hands_of`, `alike`,
        `groups_by_split` and `chips_between`, see `gupai_agents.evaluation.exact.all_hands`.
        """
        return self._optional("hands")

    @functools.cached_property
    def guide(self) -> ModuleType | None:
        """The module `guide` of the package, of what people see and read; None if there is none.

        It may have `Table`, which draws the table, see `gupai_env.core.table`, and `Guide`, texts about moves and for
        newcomers, see `gupai_env.games.guide`. Compiled loops know nothing of it, so that a text can be changed without
        compiling.
        """
        return self._optional("guide")

    def _optional(self, name: str) -> ModuleType | None:
        """Return a module of the package; None if there is none."""
        try:
            return importlib.import_module(f"{self.module_name}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{self.module_name}.{name}":
                raise
            return None

    @property
    def rules_text(self) -> str:
        """The rules: the docstring of the module that defines `step`."""
        return inspect.getdoc(sys.modules[self.step.__module__]) or ""

    @functools.cached_property
    def placed(self) -> tuple[str, ...]:
        """The fields of a view that hold a tile set for each place."""
        return tuple(
            name for name in self.view.names or () if self.view[name] == np.dtype((np.int64, (self.max_seats,)))
        )

    @property
    def num_actions(self) -> int:
        return len(self.moves)

    @functools.cached_property
    def action_names(self) -> tuple[str, ...]:
        """The names of the actions without a view, which checkpoints and records carry."""
        return tuple(move.name for move in self.moves)

    def move(self, action: int, view: np.record | None = None) -> Move:
        """Return what an action does; in some games the view of the seat to act makes it a plainer one."""
        return self.moves[action] if view is None or self.move_of is None else self.move_of(view, action)

    def action_name(self, action: int, view: np.record | None = None) -> str:
        """Return the name of an action, as `move`."""
        return self.move(action, view).name

    def sides(self, players: int) -> np.ndarray:
        """Return the number of the side that each seat plays for, int [players]; a side is a team, or one seat."""
        sides = np.arange(players)
        for number, team in enumerate(self.teams):
            sides[list(team)] = number
        return sides

    @property
    def identifier(self) -> str:
        """The game's id as a Python identifier."""
        return self.id.replace("-", "_")

    def heuristic(self, weights: str | Mapping[str, float], temperature: float = 0.0) -> np.ndarray:
        """Return a heuristic, given by name or by the weights of features, as loops take it, float64 [features + 1].

        Raises:
            ValueError: For an unknown name, and as `weights_row`.
        """
        if isinstance(weights, str):
            if weights not in self.heuristics:
                known = ", ".join(self.heuristics) or "none"
                raise ValueError(f"{short_repr(weights)} is not a heuristic of {self.id}; they are {known}")
            weights = self.heuristics[weights]
        return weights_row(self.features, weights, temperature)

    def new_states(self, num: int) -> np.recarray:
        """Return `num` empty states, a structured array whose records read as `states[i].to_act`.

        Nothing is dealt, nothing has happened, and the order of turn is upwards.
        """
        states: np.recarray = self._empty.repeat(num)  # type: ignore[assignment]
        return states

    @functools.cached_property
    def _empty(self) -> np.recarray:
        """The only empty state, a record array [1]."""
        return empty_state(self.state).view(np.recarray)

    def scene(
        self,
        variant: Variant,
        views: Sequence[np.record],
        names: Sequence[str] | None = None,
        payoffs: Sequence[float] | None = None,
    ) -> Scene:
        """Return the table as seen by the seats whose views are given; no other information goes in.

        Args:
            variant: The options.
            views: Information sets of one moment, one per seat whose hand is shown. A single view gives the table of
                that player; the views of all seats give that of a spectator. The first view's seat is at the near side,
                the others follow in order of turn.
            names: One per seat; default "Seat 0", "Seat 1", ...
            payoffs: Chips by seat of a deal that is over, to show its count; None while it continues.
        """
        names = seat_names(variant.players) if names is None else names
        return self.table(self, variant, views, names, payoffs).scene()


def _game_of(module_name: str) -> Game:
    """Return the game whose record closes a module, under the name GAME."""
    return importlib.import_module(module_name).GAME


@rule
def no_history(rules, state, order, actions):
    """Stand for the history of a game that reconstructs none."""
    return 0


@rule
def no_score(view, action, weights):
    """Score the actions of a game without features, all alike."""
    return 0.0


DEFAULTS: dict[str, Any] = {
    "next_deal": pass_lead,
    "history": no_history,
    "FEATURES": (),
    "HEURISTICS": {},
    "score": no_score,
    "POLICIES": {},
}
CAPITALS = ("state", "view", "decks", "features", "heuristics", "policies")
# What the module of a game provides: functions by their names, data in capitals.
PROVIDED = tuple(
    field.name.upper() if field.name in CAPITALS else field.name for field in fields(Game) if not field.init
)
