"""The games for OpenSpiel: `import gupai_env.openspiel` registers each one, as `python_gupai_jie_long` and so on.

    game = pyspiel.load_game("python_gupai_jie_long", {"deck": "tiny", "players": 2})
    game = as_openspiel("jie-long", deck="tiny", players=2)  # the same

Parameters are the options of the rules; a leader and an option with several numbers are written as text, "0" or
"2 3". With deck="tiny" the chance is explicit: one chance node with every different deal. A full deck has too many
deals to list; its chance is sampled: the one outcome of the chance node draws a deal, from `rng_seed` if that
is not -1.

An information state string is a fingerprint of all that a player has seen so far, with perfect recall. The tensor
of an observation is the encoder's vector; that of an information state is the same, so a network remembers
only what the encoder keeps. `resample_from_infostate` draws uniformly among the states that the player cannot
distinguish; OpenSpiel's C++ algorithms do not call it in games of Python, its Python ISMCTS does.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self, Unpack

import numpy as np

try:
    import pyspiel
except ImportError as error:
    raise ImportError(f"OpenSpiel is missing ({error}): pip install 'gupai[openspiel]'") from error

from gupai_env.core.deal import Deal, fields_of
from gupai_env.core.game import Game
from gupai_env.core.rng import KEYS
from gupai_env.core.variant import TINY, Variant
from gupai_env.deals import Deals, all_deals
from gupai_env.games import GAMES, get_game, variant_from
from gupai_env.messages.checks import is_whole, one_of_an_array, real_number, short_repr, whole_number
from gupai_env.options import Options
from gupai_env.vector import VectorEnv

PREFIX = "python_gupai_"
SEED = "rng_seed"
MOST_SEED = (1 << 31) - 1  # that OpenSpiel takes
FINGERPRINT = 16  # bytes


def as_openspiel(game: str | Game, /, *, rng_seed: int = -1, **variant: Unpack[Options]) -> "GupaiGame":
    """Return a game's variant as a pyspiel game; raises ValueError as the variant does."""
    game, rng_seed = get_game(game), whole_number(SEED, rng_seed, -1, MOST_SEED)
    return pyspiel.load_game(
        f"{PREFIX}{game.identifier}", {**_parameters(variant_from(game, variant, as_openspiel)), SEED: rng_seed}
    )


def _parameters(variant: Variant) -> dict[str, Any]:
    """Return the options of a variant as OpenSpiel takes them."""
    parameters = dataclasses.asdict(variant)
    for field in dataclasses.fields(variant):
        if isinstance(field.default, tuple):
            parameters[field.name] = " ".join(map(str, parameters[field.name]))
        elif isinstance(field.default, str):
            parameters[field.name] = str(parameters[field.name])  # a leader may be a number
    return parameters


class Position(NamedTuple):
    """A position of a game; immutable except for `next`.

    Attributes:
        deal: The deal.
        player: The player to act, or TERMINAL.
        legal: The legal actions.
        seen: For each player the fingerprint of all it has seen.
        views: For each player the fingerprint of what it sees now.
        moves: The actions so far.
        next: The positions after this one that were met before, by action.
    """

    deal: Deal
    player: int
    legal: list[int]
    seen: Sequence[bytes]
    views: Sequence[bytes]
    moves: tuple[int, ...]
    next: "dict[int, Position]"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class GupaiGame(pyspiel.Game):
    """A variant of a game; made by `as_openspiel` or `pyspiel.load_game`. Every game has its own subclass."""

    game: Game

    def __init__(self, parameters: dict[str, Any]) -> None:
        game = self.game
        options = {name: value for name, value in parameters.items() if name != SEED}
        self.variant: Variant = game.variant.parse(f"{name}={value}" for name, value in options.items())
        self.envs: VectorEnv = VectorEnv(game, 1, renew=False, **dataclasses.asdict(self.variant))
        self.deal: Deal = Deal(game, self.variant, self.envs.states, compiled=True)  # that is on the lane now
        self.deals: Deals | None = (
            all_deals(game, **dataclasses.asdict(self.variant)) if self.variant.deck == TINY else None
        )
        self.nothing: list[bytes] = [b""] * self.variant.players  # that anybody has seen
        self._dealt: dict[int, Position] = {}  # kept where all play is traversed repeatedly
        seed = whole_number(SEED, parameters[SEED], -1, MOST_SEED)
        self.rng: np.random.Generator = np.random.default_rng(None if seed < 0 else seed)
        bound = float(game.payoff_bound(self.variant)) * self.variant.deals
        super().__init__(
            game_type(game, self.variant),
            pyspiel.GameInfo(
                num_distinct_actions=game.num_actions,
                max_chance_outcomes=len(self.deals.states) if self.deals else 1,
                num_players=self.variant.players,
                min_utility=-bound,
                max_utility=bound,
                utility_sum=0.0 if self.variant.zero_sum else None,
                max_game_length=game.max_decisions * self.variant.deals,
            ),
            parameters,
        )

    def new_initial_state(self) -> "GupaiState":
        """Return a state before the deal."""
        return GupaiState(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy draws the same deals from now on; OpenSpiel's own way knows no games of Python that sample."""
        return _game_of, (self.game.identifier, self.get_parameters(), self.rng)

    def max_chance_nodes_in_history(self) -> int:
        """Return 1: all chance is drawn at the beginning."""
        return 1

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "Observer":
        """Return an observer of observations, or of information states if `kind` asks for perfect recall."""
        if params:
            raise ValueError(f"observations have no parameters here, not {params}")
        return Observer(self, bool(kind and kind.perfect_recall))

    # --- positions ----------------------------------------------------------------------------------

    def outcome(self, number: Any) -> int:
        """Return an outcome of chance as it is; raises ValueError if there is none."""
        return whole_number("a deal", number, 0, self.max_chance_outcomes() - 1)

    def player(self, number: Any) -> int:
        """Return a player as it is; raises ValueError if there is none."""
        return whole_number("player", number, 0, self.variant.players - 1)

    def dealt(self, outcome: int) -> Position:
        """Return the beginning of a deal: of number `outcome` if chance is explicit, else of one drawn now."""
        if outcome in self._dealt:
            return self._dealt[outcome]
        if not self.deals:
            self.envs.reset(int(self.rng.integers(KEYS)))
            return self._position(self.nothing, self.nothing, ())
        self._put(self.deals.states[outcome : outcome + 1])
        return self._dealt.setdefault(outcome, self._position(self.nothing, self.nothing, ()))

    def played(self, position: Position, action: int) -> Position:
        """Return the position after a legal action."""
        if action in position.next:
            return position.next[action]
        self._put(position.deal.states)
        self.envs.step(np.array([action]))
        seen = list(position.seen)
        seen[position.player] = _fingerprint(seen[position.player], b"action %d" % action)
        after = self._position(seen, position.views, (*position.moves, action))
        if self.deals:
            position.next[action] = after
        return after

    def redealt(self, position: Position, player: int, key: int) -> Position:
        """Return a position drawn from `key` among those that `player` cannot distinguish from this one.

        Args:
            position: Any position.
            player: A seat.
            key: An RNG key.
        """
        self._put(position.deal.redealt(player, key).states)
        # What the others have seen is known from their views of now alone.
        drawn = self._position(self.nothing, self.nothing, position.moves)
        return drawn._replace(seen=[*drawn.seen[:player], position.seen[player], *drawn.seen[player + 1 :]])

    def _put(self, states: np.ndarray) -> None:
        """Put a state on the one lane."""
        self.envs.states[:] = states
        self.envs.refresh()

    def _position(self, seen: Sequence[bytes], views: Sequence[bytes], moves: tuple[int, ...]) -> Position:
        """Return where the lane stands, for players who had seen this before."""
        deal = self.deal.copy()
        now = [_fingerprint(view.tobytes()) for view in deal.views()]
        memory = [
            known if view == last else _fingerprint(known, view)  # unchanged, it adds nothing new
            for known, last, view in zip(seen, views, now, strict=True)
        ]
        player = pyspiel.PlayerId.TERMINAL if deal.terminated else deal.seat
        return Position(deal, player, np.flatnonzero(self.envs.masks[0]).tolist(), memory, now, moves, {})


def _fingerprint(*parts: bytes) -> bytes:
    return hashlib.blake2b(b"|".join(parts), digest_size=FINGERPRINT).digest()


def _game_of(identifier: str, parameters: dict[str, Any], rng: np.random.Generator) -> GupaiGame:
    game = pyspiel.load_game(f"{PREFIX}{identifier}", parameters)
    game.rng = rng
    return game


def _state_of(game: GupaiGame, text: str) -> "GupaiState":
    return game.deserialize_state(text)


class GupaiState(pyspiel.State):
    """A state of OpenSpiel: the chance node of the deal, then decisions.

    What is wrong is a ValueError in one line, and the state is as before.
    """

    def __init__(self, game: GupaiGame) -> None:
        super().__init__(game)
        self.position: Position | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _state_of, (self.get_game(), self.serialize())

    def apply_action(self, action: int) -> None:
        """Play an action, or draw a deal.

        Raises:
            IllegalActionError: A ValueError, for an action that is not legal.
            ValueError: For an outcome of chance that there is not and for any move after the end.
        """
        super().apply_action(self._checked(action))

    apply_action_with_legality_check = apply_action

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Refuse: players do not act at the same time."""
        raise ValueError("one player acts at a time; use apply_action")

    apply_actions_with_legality_checks = apply_actions

    def child(self, action: int) -> "GupaiState":
        """Return the state after an action; errors as of `apply_action`."""
        state: GupaiState = self.clone()
        state.apply_action(action)
        return state

    def _checked(self, action: Any) -> int:
        action, game = one_of_an_array(action), self.get_game()
        if self.is_terminal():
            raise ValueError(f"the game is over; there is no move any more, not {short_repr(action)}")
        if self.position is None:
            return game.outcome(action)
        if is_whole(action) and int(action) in self.position.legal:
            return int(action)
        raise self.position.deal.illegal(f"player {self.position.player}", action)

    def current_player(self) -> int:
        """Return who is to act."""
        return self.position.player if self.position else pyspiel.PlayerId.CHANCE

    def is_terminal(self) -> bool:
        """Return whether the game has ended."""
        return self.current_player() == pyspiel.PlayerId.TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals with their probabilities, or one outcome that stands for a deal to be drawn."""
        deals = self.get_game().deals
        return list(enumerate(deals.probabilities.tolist())) if deals else [(0, 1.0)]

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal if self.position else []

    def _apply_action(self, action: int) -> None:
        game = self.get_game()
        self.position = game.played(self.position, action) if self.position else game.dealt(action)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game()
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {game.outcome(action)}"
        game.player(player)
        return game.game.action_name(whole_number("action", action, 0, game.game.num_actions - 1))

    def returns(self) -> list[float]:
        """Return the chips of all deals at the end, zeros before it."""
        players = self.get_game().variant.players
        if self.position and self.is_terminal():
            return self.position.deal.state.total[:players].tolist()
        return [0.0] * players

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> "GupaiState":
        """Return a state that the player cannot distinguish from this one, drawn with `rng`, numbers in [0, 1)."""
        game, drawn = self.get_game(), self.clone()
        game.player(player)
        if self.position and not self.is_terminal():
            number = real_number("a number of rng", rng(), 0, 1)
            drawn.position = game.redealt(self.position, player, min(int(number * KEYS), KEYS - 1))
        return drawn

    def __str__(self) -> str:
        if self.position is None:
            return "before the deal"
        game = self.get_game().game
        return ", ".join(game.action_name(move) for move in self.position.moves) or "dealt"


def _player_method(name: str) -> Callable[..., Any]:
    """Return a method of pyspiel's states that takes a player or nothing, and checks the player."""
    method = getattr(pyspiel.State, name)

    @functools.wraps(method)
    def call(self: GupaiState, *players: int) -> Any:
        for player in players:
            if not (name == "legal_actions" and player == self.current_player()):  # which may be chance
                self.get_game().player(player)
        return method(self, *players)

    return call


for _name in (
    "information_state_string",
    "information_state_tensor",
    "legal_actions",
    "observation_string",
    "observation_tensor",
    "player_return",
    "player_reward",
):
    setattr(GupaiState, _name, _player_method(_name))


class Observer:
    """What OpenSpiel reads of a state for a player, as tensor (`dict`) and string."""

    game: GupaiGame
    perfect_recall: bool

    def __init__(self, game: GupaiGame, perfect_recall: bool) -> None:
        self.game, self.perfect_recall = game, perfect_recall
        self.tensor: np.ndarray = np.zeros(game.envs.layout.size, np.float32)
        self.dict: dict[str, np.ndarray] = {"observation": self.tensor}

    def set_from(self, state: GupaiState, player: int) -> None:
        """Fill the tensor with what the encoder writes; zeros before the deal."""
        self.tensor[:] = 0
        if state.position:
            self.game._put(state.position.deal.states)
            self.tensor[:] = self.game.envs.observed_by(player)[0]

    def string_from(self, state: GupaiState, player: int) -> str:
        """Return a fingerprint of all the player has seen, or the fields of its view that are not zero."""
        if state.position is None:
            return f"{player}: before the deal"
        if self.perfect_recall:
            return f"{player}: {state.position.seen[player].hex()}"
        view = vars(fields_of(state.position.deal.view(player)))
        if getattr(self.game.variant, "stacked", False):  # the view remembers tiles that an observation hides
            self.set_from(state, player)
            view = self.game.envs.layout.split(self.tensor.astype(int))
        short_repr = {name: np.asarray(value).tolist() for name, value in view.items() if np.any(value)}
        return f"{player}: " + " ".join(f"{name}={value}" for name, value in short_repr.items())


def zero_sum(variant: Variant) -> bool:
    """Return whether payoffs sum to zero, as everywhere except where the house takes a fee."""
    return not getattr(variant, "casino_fee", 0)


def game_type(game: Game, variant: Variant) -> pyspiel.GameType:
    """Return the type under which a game is registered, with the chance and the payoffs of a variant."""
    chance = pyspiel.GameType.ChanceMode
    utility = pyspiel.GameType.Utility
    players = next(field for field in dataclasses.fields(game.variant) if field.name == "players")
    return pyspiel.GameType(
        short_name=f"{PREFIX}{game.identifier}",
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if variant.deck == TINY else chance.SAMPLED_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if variant.zero_sum else utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_seats,
        min_num_players=min(players.metadata["choices"]),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**_parameters(game.variant()), SEED: -1},
    )


def register() -> None:
    """Register all games with pyspiel; done at import."""
    for game in GAMES.values():
        # A class, which lives as long as the process: pyspiel drops its hold of it when Python has gone already.
        creator = type(f"{game.variant.__name__}Game", (GupaiGame,), {"game": game})
        pyspiel.register_game(game_type(game, game.variant()), creator)


register()
