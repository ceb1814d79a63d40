"""The benchmark: one agent in fixed tasks, with a score that anybody can compute again.

In every task the agent plays a duel with each player of a fixed population, in fixed deals, each from every seat (of
teams: from every side). What it won per deal, averaged over the population, is put on a scale on which 0 is what the
first player, `random`, won in the same deals and 100 what the last one won, the `best` of the time. The score of a
suite is the mean of its tasks. Intervals are a bootstrap over deals, of which the agent and both ends of the scale play
the same: so `random` has exactly 0 and that `best` exactly 100.

A `Card` holds the chips of every deal, and figures that follow from them. `verify_card` computes all of it again.
"""

import functools
import hashlib
import re
import time
import zlib
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from gupai_agents.agent import Agent, name_of, origin_of
from gupai_agents.evaluation.benchmark.models import (
    FORMAT,
    HELD_OUT,
    SUITES,
    Card,
    CardError,
    Result,
    Score,
    Suite,
    Task,
    Timing,
    as_text,
    read_card,
    read_suite,
)
from gupai_agents.evaluation.matches.match import Progress, duel
from gupai_agents.evaluation.tournaments.ladder import some_decisions, speed
from gupai_agents.play.workers import Workers, one_core
from gupai_agents.players.identity import Player, digest_of, identity_of, moves_of
from gupai_agents.players.text_agent import CommandAgent
from gupai_agents.registry import KINDS, agent_of_data, agents_of, runs_code
from gupai_agents.shipped import BEST, best_file
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import counted, key_context, short_repr, whole_number
from gupai_env.storage.files import naming
from gupai_env.storage.models import difference

RESAMPLES = 1000  # of the bootstrap
ENDS = "zero", "hundred"  # of a scale
Key = TypeVar("Key", bound=Hashable)
PLACES = 2  # decimals of a score; sums differ in later ones between machines
REPLACED = SUITES / "networks"  # that a suite names and a later `best` has replaced, by hash
CLASSES: dict[float, str] = {
    1: "1 µs",
    10: "10 µs",
    100: "100 µs",
    1e3: "1 ms",
    1e4: "10 ms",
    1e5: "100 ms",
    1e6: "1 s",
}


def hash_of(spec: str, game: Game, variant: Variant) -> str:
    """Return what identifies a player of a population: SHA-256 of its file, or of its answers to fixed decisions.

    Args:
        spec: The name of the player.
        game, variant: What it plays.
    """
    path = best_file(game, variant) if spec == BEST else None
    if path is not None:
        return digest_of(path)
    digest = moves_of(agent_of_data(spec, game, variant), game, variant)
    assert digest is not None, "players of a population answer alike"
    return digest


def replaced_file(known: str) -> Path | None:
    """Return the network of a hash that a suite names and that a later `best` has replaced, or None."""
    path = REPLACED / f"{known}.safetensors"
    return path if path.exists() else None


def recorded_player(task: Task, spec: str) -> str:
    """Return the spec of the player that a task's population calls `spec`."""
    file = replaced_file(task.players[spec])
    return spec if file is None else f"checkpoint:{file}"


def check_population(suite: Suite, task: Task) -> None:
    """Raise ValueError unless the players of a task are those with which it was recorded."""
    game, variant = task.played
    for spec, known in task.players.items():
        file = replaced_file(known)
        digest = hash_of(spec, game, variant) if file is None else digest_of(file)
        if digest != known:
            raise ValueError(
                f"suite {suite.name}, task {task.name}: {spec} is not the player that it was recorded with; scores of "
                f"this suite are those of gupai {suite.made_with}"
            )


def play_duel(task: Task, agent: str | Agent, rival: str, seed: int, deals: int) -> np.ndarray:
    """Return what an agent wins per deal from one player of a population, float64 [deals], over all its seats.

    Args:
        task: What is played.
        agent: The one that is measured, or its name.
        rival: The name of a player of the population.
        seed: Of the deals.
        deals: How many.
    """
    game, variant = task.played
    (made,) = agents_of(game, variant, [agent])
    met = agent_of_data(recorded_player(task, rival), game, variant)
    chips = duel(game, made, met, deals, seed=seed, **task.options).chips
    return chips[:, :, 0].mean(1)


def with_scales(
    tasks: Sequence[Task], seed: int, deals: int, progress: Progress | None = None, workers: Workers | None = None
) -> list[Task]:
    """Return tasks with what both ends of their scales win in the deals of a seed.

    Args:
        deals: Of every duel.
        progress: Called with 1 after every duel.
        workers: Who plays, default this process.
    """
    ends = {
        (task.name, end): (task, recorded_player(task, spec), deals)
        for task in tasks
        for end, spec in zip(ENDS, task.scale, strict=True)
    }
    chips = play_duels(ends, seed, progress, workers)
    return [
        task.model_copy(update={end: np.mean([*chips[task.name, end].values()], 0).tolist() for end in ENDS})
        for task in tasks
    ]


def play_duels(
    agents: Mapping[Key, tuple[Task, str | Agent, int]], seed: int, progress: Progress | None, workers: Workers | None
) -> dict[Key, dict[str, np.ndarray]]:
    """Return what agents win in each deal from the players of a population, by these; see `play_duel`.

    Args:
        agents: Each with its task and how many deals a duel has; the result has the same keys.
        seed: Of the deals.
        progress: Called with 1 after every duel.
        workers: Who plays, None for this process.
    """
    chips: dict[Key, dict[str, np.ndarray]] = {key: {} for key in agents}
    todo: dict[Hashable, tuple] = {
        (key, rival): (task, agent, rival, seed, deals)
        for key, (task, agent, deals) in agents.items()
        for rival in task.population
    }
    for (key, rival), won in (workers or Workers()).as_done(play_duel, todo):
        chips[key][rival] = won
        if progress:
            progress(1)
    return chips


def play_benchmark(
    agents: Mapping[str, str | Agent],
    /,
    *,
    suite: Suite | None = None,
    name: str | None = None,
    deals: int | None = None,
    progress: Progress | None = None,
    workers: Workers | None = None,
) -> Card:
    """Let an agent play tasks of a suite.

    Args:
        agents: By the name of each task who plays it: a spec or, by this process alone, an agent.
        suite: Default: v1.
        name: What the card calls the agent, default its spec.
        deals: Only the first so many of every task, for a quick evaluation. Default: all.
        progress: Called with 1 after every duel.
        workers: Who plays, default this process; the card is the same.

    Raises:
        ValueError: For no task or an unknown one, an agent that cannot play it, or whose answers to the same decisions
            differ, and a population that is not as recorded.
    """
    suite = suite or read_suite()
    for task_name in agents:
        suite.task(task_name)
    tasks = [task for task in suite.tasks if task.name in agents]
    if not tasks:
        raise ValueError(f"no task was named; they are {', '.join(task.name for task in suite.tasks)}")
    deals = _deals_of(tasks, deals)
    if suite.complete is not suite:  # so that a card of few held-out deals needs only these to be verified
        suite = suite.part(agents, deals)
    made = {task.name: _made(agents[task.name], task) for task in tasks}
    players = {task.name: _player(made[task.name], task) for task in tasks}
    for task in tasks:
        check_population(suite, task)
    duels = {task.name: (task, agents[task.name], min(deals, task.deals)) for task in tasks}
    chips = play_duels(duels, suite.seed, progress, workers)
    specs = dict.fromkeys(origin.spec if (origin := origin_of(agent)) else name_of(agent) for agent in made.values())
    return card_of(suite, name or ", ".join(specs), deals, players, chips)


def _deals_of(tasks: Sequence[Task], deals: int | None) -> int:
    """Return how many deals of each task are played, by default all; raises ValueError for more than there are."""
    most = max(task.deals for task in tasks)
    return most if deals is None else whole_number("deals", deals, 2, most)


def _made(agent: str | Agent, task: Task) -> Agent:
    """Return the agent of a task; raises ValueError, naming the task."""
    with key_context(f"task {task.name}"):
        return agents_of(*task.played, [agent])[0]


def _player(agent: Agent, task: Task) -> Player:
    game, variant = task.played
    player = identity_of(agent, game, variant)
    if player.moves is None:
        raise ValueError(
            f"task {task.name}: {name_of(agent)} answers the same decisions differently, so nobody could recompute its "
            "card; draw from the RNG keys of decisions, and limit a search by playouts"
        )
    return player


# --- held-out deals -------------------------------------------------------------------------------


def held_out_seed(name: str) -> int:
    """Return the seed of held-out deals, below 2**53: the first bits of the SHA-256 of their suite's name.

    Raises:
        ValueError: Unless 64 hexadecimal digits of randomness are in it.
    """
    randomness = name.partition(HELD_OUT)[2]
    if not re.fullmatch("[0-9a-f]{64}", randomness):
        raise ValueError(f"randomness must be 64 hexadecimal digits in small letters, not {short_repr(randomness)}")
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) >> 11


def held_out(
    suite: Suite,
    randomness: str,
    *,
    tasks: Collection[str] | None = None,
    deals: int | None = None,
    progress: Progress | None = None,
    workers: Workers | None = None,
) -> Suite:
    """Return a suite in deals that nobody knew before some randomness was public; both ends of its scale play them.

    Args:
        suite: Whose tasks, players and number of deals it has.
        randomness: 64 hexadecimal digits, from where docs/benchmark.md says.
        tasks: Only these, default all.
        deals: Only the first so many, default all.
        progress: Called with 1 after every duel.
        workers: Who plays, default this process.

    Raises:
        ValueError: For other randomness, an unknown task, more deals than the suite has, and a population that is not
            as recorded.
    """
    name = f"{suite.name}{HELD_OUT}{randomness}"
    seed = held_out_seed(name)
    deals = _deals_of(suite.tasks, deals)
    part = suite.part([task.name for task in suite.tasks] if tasks is None else tasks, deals)
    key = suite.digest, name, tuple(task.name for task in part.tasks), deals
    if key not in _played:
        for task in part.tasks:
            check_population(suite, task)
        scaled = with_scales(part.tasks, seed, deals, progress, workers)
        _played[key] = Suite(name=name, made_with=suite.made_with, seed=seed, tasks=scaled)
    return _played[key]


_played: dict[tuple[str, str, tuple[str, ...], int], Suite] = {}  # by this process, which asks for one several times


def suite_of(card: Card, workers: Workers | None = None) -> Suite:
    """Return the suite of a card, which has to be played again if its deals were held out. Raises: ValueError."""
    base, mark, randomness = card.suite.partition(HELD_OUT)
    suite = read_suite(base)
    if not mark:
        return suite
    return held_out(
        suite, randomness, tasks=[result.task for result in card.results], deals=card.deals, workers=workers
    )


# --- figures --------------------------------------------------------------------------------------


def card_of(
    suite: Suite, name: str, deals: int, players: Mapping[str, Player], chips: Mapping[str, Mapping[str, np.ndarray]]
) -> Card:
    """Return the card that follows from chips, by task and by player of the population.

    Args:
        suite: What was played.
        name: What the card calls the agent.
        deals: The most deals of a task.
        players: Who the agent was in each task, by its name.
        chips: What it won in each deal, float [deals], by task and by player of the population.

    Raises:
        ValueError: Unless they are of the population, in as many deals as are to be played.
    """
    results, samples = [], []
    for task in (task for task in suite.tasks if task.name in chips):
        won, n = chips[task.name], min(deals, task.deals)
        if set(won) != set(task.population):
            raise ValueError(f"task {task.name}: its population is {', '.join(task.population)}")
        if any(len(samples) != n for samples in won.values()):
            raise ValueError(f"task {task.name}: chips are not of {counted(n, 'deal')}")
        ordered = {rival: np.asarray(won[rival], np.float64) for rival in task.population}
        samples.append(scores_of(task, ordered))
        result = Result(
            task=task.name,
            player=players[task.name],
            chips={rival: samples.tolist() for rival, samples in ordered.items()},
            against={rival: _interval(_means(task, samples), n) for rival, samples in ordered.items()},
            score=_interval(samples[-1], n),
        )
        results.append(result)
    full = suite.complete.tasks
    whole = len(results) == len(full) and deals >= max(task.deals for task in full)
    return Card(
        format=FORMAT,
        suite=suite.name,
        digest=suite.digest,
        agent=name,
        deals=deals,
        whole=whole,
        score=_interval(np.mean(samples, 0), deals),
        results=results,
    )


def scores_of(task: Task, chips: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the score of chips by player of the population, then those of RESAMPLES samples of the deals.

    Returns:
        float64 [1 + RESAMPLES]; NaN where in these deals `hundred` does not win more than `zero`.
    """
    won = np.mean(list(chips.values()), 0)
    own, zero, hundred = (_means(task, np.asarray(values)[: len(won)]) for values in (won, task.zero, task.hundred))
    scale = hundred - zero
    return 100 * np.divide(own - zero, scale, out=np.full(len(own), np.nan), where=scale > 0)


def _means(task: Task, values: np.ndarray) -> np.ndarray:
    """Return the mean of values by deal, then those of samples of the deals, the same for all values of a task."""
    return np.concatenate([[values.mean()], values[_samples(task.name, len(values))].mean(1)])


@functools.lru_cache(maxsize=1)  # what a task asks for comes together
def _samples(name: str, deals: int) -> np.ndarray:
    """Return the indices of the deals of each sample, int64 [RESAMPLES, deals]."""
    random = np.random.RandomState(zlib.crc32(name.encode()))  # whose numbers no version of numpy changes
    return random.randint(deals, size=(RESAMPLES, deals))


def _interval(samples: np.ndarray, n: int) -> Score:
    """Return the first number with the interval of the others; what is not known, NaN, has none."""
    mean = None if np.isnan(samples[0]) else round(float(samples[0]), PLACES) + 0.0
    if mean is None or np.isnan(samples).any():
        return Score(mean=mean, low=None, high=None, n=n)
    low, high = (round(float(bound), PLACES) + 0.0 for bound in np.percentile(samples[1:], (2.5, 97.5)))
    return Score(mean=mean, low=low, high=high, n=n)


def gaps(cards: Sequence[Card]) -> Iterator[Score]:
    """Yield by how much the score of every card but the first is above that of the first, in the same deals.

    Raises:
        ValueError: For cards that are not of the same tasks and deals.
    """
    if len({(card.digest, card.deals, *(result.task for result in card.results)) for card in cards}) > 1:
        raise ValueError("these cards are not of the same suite, tasks and deals, so their scores cannot be compared")
    suite = suite_of(cards[0])
    first, *others = (
        np.mean([scores_of(suite.task(result.task), _as_arrays(result.chips)) for result in card.results], 0)
        for card in cards
    )
    for other in others:
        yield _interval(other - first, cards[0].deals)


def _as_arrays(chips: Mapping[str, Sequence[float]]) -> dict[str, np.ndarray]:
    return {rival: np.array(won) for rival, won in chips.items()}


# --- thinking time --------------------------------------------------------------------------------


def timed(card: Card, agents: Mapping[str, str | Agent], cpu: str) -> Card:
    """Return a card that says how long its agent thinks about a decision, of the processor's time: as on one core.

    What runs elsewhere, as on a GPU or on another machine, is not seen, and programs of a command are not timed.

    Args:
        card: A card of these agents.
        agents: As of `play_benchmark`.
        cpu: What the processor is called.
    """
    suite, microseconds = suite_of(card), {}
    with one_core():
        for task in (suite.task(result.task) for result in card.results):
            game, variant = task.played
            agent = _made(agents[task.name], task)
            if isinstance(agent, CommandAgent):
                return card
            batch = some_decisions(game, agent_of_data(list(task.players)[1], game, variant), variant)
            per_second = speed(agent, game, variant, batch, time.process_time)
            microseconds[task.name] = round(1e6 / per_second, PLACES)
    slowest = max(microseconds.values())
    word = next((f"under {limit}" for most, limit in CLASSES.items() if slowest < most), "a second or more")
    return card.model_copy(update={"timing": Timing(microseconds=microseconds, slowest=word, cpu=cpu)})


# --- cards ----------------------------------------------------------------------------------------


def read_cards(paths: Sequence[str | Path]) -> list[Card]:
    """Return cards whose figures follow from their chips. Raises: CardError in one line, and OSError."""
    return [_checked(Path(path)) for path in paths]


def _checked(path: Path, workers: Workers | None = None) -> Card:
    """Return a card; raises CardError unless every figure of it follows from its chips, to the byte."""
    card = read_card(path)
    with key_context(path, CardError):
        suite = suite_of(card, workers)
        if card.digest != suite.digest:
            raise ValueError(f"its suite {suite.name} is not the one that ships with this version of gupai")
        players = {result.task: result.player for result in card.results}
        for name in players:
            suite.task(name)
        chips = {result.task: _as_arrays(result.chips) for result in card.results}
        recomputed = card_of(suite, card.agent, card.deals, players, chips).model_copy(update={"timing": card.timing})
    if mismatch := difference(card.model_dump(), recomputed.model_dump()):
        raise CardError(f"{path}: {mismatch.place} does not follow from its chips")
    with naming(path):
        if path.read_bytes() != as_text(recomputed).encode():
            raise CardError(f"{path}: it is not formatted as a card")
    return card


def verify_card(
    path: str | Path,
    agents: Mapping[str, str] | None = None,
    *,
    progress: Callable[[int], object] | None = None,
    workers: Workers | None = None,
) -> Card:
    """Compute a card again: its figures from its chips, and its chips by playing. What it says of time is left.

    Args:
        path: The card.
        agents: Who played each task, as `play_benchmark` takes it. Default: the players that the card names, except
            factories and programs, for a file must not run code; their files are sought next to the card first, then
            from the current folder.
        progress: Called with 1 after every duel.
        workers: Who plays, default this process.

    Raises:
        CardError: In one line, for the first thing that differs.
        OSError: It cannot be read.
    """
    path = Path(path)
    card = _checked(path, workers)
    with key_context(path, CardError):
        named = {result.task: result.player.spec for result in card.results} | dict(agents or {})
        specs = {task: spec for task, spec in named.items() if spec is not None}
        for task, spec in named.items():
            if (spec is None or runs_code(spec)) and task not in (agents or {}):
                raise ValueError(f"task {task}: {spec or 'a program'} is not made from data; name it with --agent")
        played = {task: spec if task in (agents or {}) else _next_to(path, spec) for task, spec in specs.items()}
        suite = suite_of(card)
        replay = play_benchmark(
            played, suite=suite, name=card.agent, deals=card.deals, progress=progress, workers=workers
        )
    for there, here in zip(card.results, replay.results, strict=True):
        was, now = there.player, _as_named(here.player, played[here.task], there.player)
        if was.moves != now.moves or (there.task not in (agents or {}) and was != now):
            raise CardError(f"{path}: task {there.task}: the agent is not the card's player")
        if mismatch := difference(there.chips, here.chips, f"chips of {there.task}"):
            raise CardError(f"{path}: {mismatch.place} is not what the agent wins")
    return card


def _next_to(path: Path, spec: str) -> str:
    """Return a spec that names the file next to a card, if there is one."""
    kind, sign, name = spec.partition(":")
    beside = path.parent / name
    return f"{kind}:{beside}" if sign and kind in KINDS and beside.exists() else spec


def _as_named(player: Player, spec: str, recorded: Player) -> Player:
    """Return a player, made from a spec, with the names that a card gives it and its files."""
    if len(player.files) != len(recorded.files):
        return player
    files = dict(zip(recorded.files, player.files.values(), strict=True))
    drawing = spec.replace("checkpoint:", "sample:", 1)  # the name of a network that draws its actions
    name = recorded.name if player.name in (spec, drawing) else player.name
    return player.model_copy(update={"name": name, "spec": recorded.spec, "files": files})
