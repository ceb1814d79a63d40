"""The protocol of a player: it sees views, never states, and answers a whole batch at once.

All code asks players through `ask` or `probabilities`: the agent gets copies, its answers are checked against the
originals, and whatever its code raises becomes an `AgentError` that names it.
"""

import contextlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from gupai_agents.failure import AgentError, called
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError, describe_illegal
from gupai_env.core.kernels import kernels
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.messages import say
from gupai_env.messages.checks import short_repr, whole_numbers

# Options that change neither what a seat observes nor what it may do, so a player made for one value plays with all.
FREE_OPTIONS = ("leader", "deals", "stake")


class DecisionBatch(NamedTuple):
    """Decisions to be made, one per row.

    views: record array [N] of the game's view, what the seat to act knows.
    masks: bool [N, num_actions], its legal actions; at least one per row.
    rng_keys: int64 [N], the RNG key the player may use in this decision (see `gupai_env.core.rng`).
    """

    views: np.recarray
    masks: np.ndarray
    rng_keys: np.ndarray

    def at(self, rows: Any) -> "DecisionBatch":
        """Return some of the decisions; `rows` selects them as it would from an array."""
        return DecisionBatch(
            _as_bytes(self.views)[rows].view(self.views.dtype, np.recarray), self.masks[rows], self.rng_keys[rows]
        )

    def observations(self, game: Game) -> np.ndarray:
        """Return what the environments of a game show the seats to act, int8 [N, layout.size]."""
        return observations_of(game, self.views)

    def copy(self) -> "DecisionBatch":
        """Return the same decisions in arrays of their own."""
        views = _as_bytes(self.views).copy().view(self.views.dtype, np.recarray)
        return DecisionBatch(views, self.masks.copy(), self.rng_keys.copy())


def observations_of(game: Game, views: np.recarray) -> np.ndarray:
    """Return what the environments of a game show seats with these views, int8 [N, layout.size]."""
    observations = np.zeros((len(views), game.encoder.layout.size), np.int8)
    kernels(game).encode(views, observations)
    return observations


def concatenated(batches: Sequence[DecisionBatch]) -> DecisionBatch:
    """Return the concatenation of several batches of one game."""
    views = np.concatenate([_as_bytes(batch.views) for batch in batches]).view(batches[0].views.dtype, np.recarray)
    masks, rng_keys = (np.concatenate([getattr(batch, name) for batch in batches]) for name in ("masks", "rng_keys"))
    return DecisionBatch(views, masks, rng_keys)


def _as_bytes(views: np.recarray) -> np.ndarray:
    """Return records as bytes: otherwise numpy copies them field by field, fifteen times as slowly."""
    return np.asarray(views).view(f"V{views.itemsize}")


class Agent(Protocol):
    """A player of one variant. Equal views, masks and keys must give equal actions, whatever the batch.

    Two more attributes are optional: `game`, a game or its id, and `variant`, a `Variant`, say what the agent was made
    for; it is refused elsewhere. An agent with an array `memory` remembers what its seat has decided in a deal: its
    `act(batch, memory)` gets what the seat to act remembers, [N, *memory.shape], and returns actions and what is to be
    remembered.
    """

    name: str

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        ...


@runtime_checkable
class PolicyAgent(Agent, Protocol):
    """An agent that knows its whole policy, which exact evaluation needs from one that draws its actions."""

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]; the keys do not matter."""
        ...


def check_batch(game: Game, batch: DecisionBatch) -> None:
    """Raise ValueError for decisions that do not fit a game: compiled loops would read them unchecked."""
    rows = len(batch.rng_keys)
    for name, array, dtype, shape in (
        ("views", batch.views, game.view, (rows,)),
        ("masks", batch.masks, np.dtype(np.bool_), (rows, game.num_actions)),
        ("keys", batch.rng_keys, np.dtype(np.int64), (rows,)),
    ):
        kind = array.dtype  # for records, names and size are compared: comparing all takes longer than some decisions
        same = kind.names == dtype.names and kind.itemsize == dtype.itemsize if dtype.names else kind == dtype
        if not same or array.shape != shape or not array.flags.c_contiguous:
            raise ValueError(
                f"decisions of {game.id}: {name} must be contiguous {list(shape)} of its type, not "
                f"{short_repr(str(array.dtype))} {list(array.shape)}"
            )
    if not batch.masks.any(1).all():
        raise ValueError(f"decisions of {game.id}: row {int(batch.masks.any(1).argmin())} has no legal action")


def name_of(agent: Any) -> str:
    """Return what errors and tables call an agent, in one line."""
    name = getattr(agent, "name", None)
    return " ".join(name.split()) if isinstance(name, str) else type(agent).__name__


class Origin(NamedTuple):
    """What `make_agent` made an agent from: its text, and the files that were read for it, a factory's module too."""

    spec: str
    files: tuple[Path, ...] = ()


AnyAgent = TypeVar("AnyAgent", bound=Agent)


def note_origin(agent: AnyAgent, spec: str, files: Sequence[Path] = ()) -> AnyAgent:
    """Record in an agent what it was made from, if it takes attributes; return the agent.

    Args:
        agent: Any agent; one that takes no attributes stays as it is.
        spec: The text that `make_agent` made it of.
        files: Those that it was read from, whose digests identify it.
    """
    with contextlib.suppress(AttributeError, TypeError):
        object.__setattr__(agent, "made_from", Origin(spec, tuple(files)))
    return agent


def origin_of(agent: Any) -> Origin | None:
    """Return what an agent was made from, None for one that `make_agent` did not make."""
    origin = getattr(agent, "made_from", None)
    return origin if isinstance(origin, Origin) else None


def labels_of(agents: Sequence[Any], taken: Sequence[str] = ()) -> list[str]:
    """Return a label for each agent: its name or, where names are equal, whatever distinguishes it.

    Args:
        taken: Labels of others.
    """
    names = [name_of(agent) for agent in agents]
    often = Counter(names)
    for index, agent in enumerate(agents):
        origin = origin_of(agent)
        if often[names[index]] > 1 and origin and origin.spec != names[index]:
            names[index] = f"{names[index]} ({origin.spec})"
    labels: list[str] = []
    for name in names:
        number, label = 1, name
        while label in labels or label in taken or (number > 1 and label in names):
            number += 1
            label = f"{name} ({number})"
        labels.append(label)
    return labels


def check_agent(agent: Any, game: Game, variant: Variant) -> None:
    """Raise ValueError, in one line, for anything except an agent, and for one made for another game or variant.

    Args:
        agent: What is to play.
        game, variant: What it is to play. FREE_OPTIONS may differ from those it was made for.
    """
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
        raise ValueError(
            f"{short_repr(agent)} is not an agent: it needs a method `act`; make_agent creates one from its name"
        )
    if not isinstance(getattr(agent, "name", None), str):
        raise ValueError(f"{short_repr(agent)} has no name; an agent has an attribute `name`, a string")
    made_for = getattr(agent, "game", None)
    if isinstance(made_for, (Game, str)):
        made_for = get_game(made_for)
        if made_for is not game and made_for != game:
            raise ValueError(f"{agent.name} plays {made_for.id}, not {game.id}")
    own = getattr(agent, "variant", None)
    if isinstance(own, Variant) and own is not variant and own != variant:
        for name, value in vars(variant).items():
            if name not in FREE_OPTIONS and getattr(own, name, None) != value:
                raise ValueError(f"{agent.name} was made for {name}={getattr(own, name, None)!r}, not {name}={value!r}")


def distinct(agents: Sequence[Agent]) -> tuple[list[Agent], list[int]]:
    """Return the distinct agents, and for each agent its index among these."""
    numbers: dict[int, int] = {}
    places = [numbers.setdefault(id(agent), len(numbers)) for agent in agents]
    return list({id(agent): agent for agent in agents}.values()), places


def first_memory(agent: Any, rows: int) -> np.ndarray | None:
    """Return what an agent remembers at the beginning of so many deals, [rows, ...]; None for one without a memory."""
    memory = getattr(agent, "memory", None)
    return np.repeat(memory[None], rows, 0) if isinstance(memory, np.ndarray) else None


def ask(
    agent: Agent,
    game: Game,
    variant: Variant,
    batch: DecisionBatch,
    envs: Sequence[int] | np.ndarray | None = None,
    memory: np.ndarray | None = None,
) -> np.ndarray:
    """Return an agent's actions, integers [N], checked: one per row, and each legal.

    The agent gets copies: whatever it does to them changes neither the game nor the check of its answers.

    Args:
        envs: What an error calls the rows; without it they are counted from 0.
        memory: What a stateful agent remembers in each row, [N, ...]; it is replaced by what it remembers then.

    Raises:
        ValueError: As `check_agent`.
        AgentError: A ValueError, for whatever the agent's code raises, and for answers of another shape or type.
        IllegalActionError: A ValueError, naming agent, row and seat, the action and the legal ones.
    """
    check_agent(agent, game, variant)
    name = name_of(agent)
    if first_memory(agent, 0) is None:
        answers = called(name, agent.act, batch.copy())
    elif memory is None:
        raise AgentError(f"{name} remembers its deal, and this asks for single decisions (docs/writing-an-agent.md)")
    else:
        answers = _stateful_answers(agent, batch, memory)
    try:
        actions = whole_numbers(f"{name}: actions", answers, len(batch.rng_keys), "row")
    except ValueError as error:
        raise AgentError(str(error)) from None
    # A negative action would count from the end; as a large number it is clipped like all that are too large.
    places = actions.astype(np.uint64).clip(max=game.num_actions - 1).astype(np.int64)
    wrong = (places != actions) | ~batch.masks[np.arange(len(places)), places]
    if wrong.any():
        row = int(wrong.argmax())
        if envs is None:
            who = say("{agent}, row {row}, seat {seat}", agent=name, row=row, seat=batch.views[row].seat)
        else:
            who = say("{agent}, lane {lane}, seat {seat}", agent=name, lane=envs[row], seat=batch.views[row].seat)
        raise IllegalActionError(describe_illegal(game, who, int(actions[row]), batch.masks[row], batch.views[row]))
    return actions


def _stateful_answers(agent: Any, batch: DecisionBatch, memory: np.ndarray) -> Any:
    """Return the answers of a stateful agent, and write what it remembers then into `memory`; raises AgentError."""
    pair = called(name_of(agent), agent.act, batch.copy(), memory.copy())
    try:
        answers, after = pair
        after = np.asarray(after)
    except (TypeError, ValueError):
        raise AgentError(f"{name_of(agent)}: a stateful agent returns its actions and its memory") from None
    if after.shape != memory.shape or not np.can_cast(after.dtype, memory.dtype, "same_kind"):
        raise AgentError(
            f"{name_of(agent)}: its memory must be {memory.dtype} {list(memory.shape)}, not {after.dtype} "
            f"{list(after.shape)}"
        )
    memory[:] = after
    return answers


class Memories:
    """What stateful agents remember in the lanes of an environment, one memory for each seat; empty in a new deal.

    A deal is new where its key or its number in the match is another one than at the last decision of the seat, or
    where it has gone back.
    """

    def __init__(self, num_envs: int, seats: int) -> None:
        self._shape = num_envs, seats
        self._kept: dict[int, tuple[Agent, np.ndarray, np.ndarray]] = {}

    def ask(
        self,
        number: int,
        agent: Agent,
        game: Game,
        variant: Variant,
        batch: DecisionBatch,
        states: np.ndarray,
        rows: np.ndarray,
    ) -> np.ndarray:
        """Return an agent's actions in some lanes; see `ask`.

        Args:
            number: The agent's, among those that play here.
            states: Of all lanes.
            rows: int [N], the lanes.
        """
        empty = first_memory(agent, len(rows))
        if empty is None:
            return ask(agent, game, variant, batch, rows)
        if number not in self._kept or self._kept[number][0] is not agent:
            memories = np.zeros((*self._shape, *empty.shape[1:]), empty.dtype)
            self._kept[number] = agent, memories, np.full((*self._shape, 3), -1, np.int64)
        _, memories, moments = self._kept[number]
        where = rows, batch.views.seat.astype(int)
        now = np.stack([states[field][rows].astype(np.int64) for field in ("seed", "deal", "moves")], 1)
        before = moments[where]
        same = (before[:, :2] == now[:, :2]).all(1) & (before[:, 2] < now[:, 2])
        memory = np.where(same.reshape(-1, *[1] * (empty.ndim - 1)), memories[where], empty)
        actions = ask(agent, game, variant, batch, rows, memory)
        memories[where], moments[where] = memory, now
        return actions


KEYS_TRIED = range(6)  # enough to notice an agent that draws its actions in more than a few decisions


def certain(actions: np.ndarray, num_actions: int) -> np.ndarray:
    """Return the policy that plays these actions, [N], with certainty: float64 [N, num_actions]."""
    return (np.arange(num_actions) == np.asarray(actions)[:, None]).astype(np.float64)


def probabilities(agent: Agent, game: Game, variant: Variant, batch: DecisionBatch) -> np.ndarray:
    """Return the policy of any agent, float64 [N, num_actions]: its own `probabilities`, or certainty of its answers.

    Args:
        agent: Any agent; it gets a copy of the batch.
        game, variant: What is played.
        batch: Decisions of N seats.

    Raises:
        ValueError: As `ask`.
        AgentError: For an agent without `probabilities` whose answers depend on the keys, and for one whose
            probabilities are not a distribution over the legal actions.
    """
    check_agent(agent, game, variant)
    name = name_of(agent)
    if isinstance(agent, PolicyAgent):
        answer = called(name, agent.probabilities, batch.copy())
        try:
            given = np.array(answer).astype(np.float64, casting="same_kind")
        except Exception:  # no numbers, lists of different lengths, or what cannot be an array
            given = np.zeros(0)
        if given.shape != batch.masks.shape or not (given >= 0).all() or (given > 0)[~batch.masks].any():
            raise AgentError(f"{name}: its probabilities are not those of the legal actions")
        if not np.allclose(given.sum(1), 1, rtol=0, atol=1e-6):
            raise AgentError(f"{name}: its probabilities do not add up to 1")
        return given / given.sum(1, keepdims=True)
    answers = ask(agent, game, variant, batch)
    for key in KEYS_TRIED:
        rekeyed = batch._replace(rng_keys=np.full_like(batch.rng_keys, key))
        if (ask(agent, game, variant, rekeyed) != answers).any():
            raise AgentError(f"{name} draws its actions; give it a method `probabilities` (docs/writing-an-agent.md)")
    return certain(answers, batch.masks.shape[1])
