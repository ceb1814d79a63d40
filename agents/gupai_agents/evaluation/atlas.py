"""Questions about a game that are answered by play: what a tile is worth, whom to sit behind, how sure one can be.

Each question is an entry of QUESTIONS, with a function that answers it by tables. A table holds figures with their
intervals; the terminal, pages and JSON are made of it alike.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple, Unpack

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, ask, name_of
from gupai_agents.belief import drawn, hidden_fields
from gupai_agents.evaluation.ablation import LEVEL
from gupai_agents.evaluation.claims.sampling import hands_in
from gupai_agents.evaluation.claims.verdicts import estimate_statistic, p_value
from gupai_agents.evaluation.exact.mixing import mixing
from gupai_agents.evaluation.exact.tree import GameTree, build_tree
from gupai_agents.evaluation.facts import RIDGE, TURNS, dealt_by_turn, tiny_options, turns_of
from gupai_agents.evaluation.matches.match import ENVS, MOST_FIGURES, chunks, duel, key_of, play_duplicates
from gupai_agents.evaluation.records.games import action_types_of
from gupai_agents.evaluation.statistics import Estimate, estimate, holm, ratio_of_means, share
from gupai_agents.play.decisions import chips_won, decisions, new_lanes, play_out, resume_lanes
from gupai_agents.players.heuristics import RandomAgent
from gupai_agents.players.search import SearchAgent
from gupai_agents.registry import agents_of
from gupai_agents.shipped import heuristic_names
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.move import PLAY
from gupai_env.core.position import rest_of
from gupai_env.core.rng import as_key, derive, in_json, shuffle
from gupai_env.core.streams import DEAL_STREAM, ORDER_STREAM, PICK_STREAM
from gupai_env.core.tiles import HIGHEST, KINDS, ONE, PIPS, WEIGHT, parse_tiles, set_name, tile_name, tile_set, tiles_in
from gupai_env.core.variant import Variant
from gupai_env.deals import laying_out
from gupai_env.games import get_game, variant_from
from gupai_env.games.claims import carrying, counts_of
from gupai_env.messages import count, messages_in, say
from gupai_env.messages.checks import as_list, short_repr, whole_number
from gupai_env.options import Options
from gupai_env.render import draw_text
from gupai_env.vector import VectorEnv

CHIPS, SHARE, NUMBER, EXACT, WORDS = "chips", "share", "number", "exact", "words"  # units of columns
LEAST_FITTED = 200  # deals of a fit
RARE = 0.01  # of all: kinds of mistakes, hands and leads that are rarer are left out
ERRORS = 2  # standard errors by which a player is ahead beyond luck
EVENING = 30  # deals
SEARCHED = 24  # deals in which each action is tried where secrets are told
BLOCK = 512  # decisions that are searched at once
PLAYOUTS = 200  # deals in which a first lead is tried
Cell = Estimate | float | str


class Table(NamedTuple):
    """Figures with their intervals.

    title: What they are of.
    heads: Of the columns.
    units: What each column holds: CHIPS, SHARE, NUMBER, EXACT chips without an interval, or WORDS.
    rows: A cell for each column.
    note: A sentence about them, "" for none.
    drawn: A position that they are about, as text, "" for none.
    """

    title: str
    heads: Sequence[str]
    units: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    drawn: str = ""

    def as_numbers(self) -> dict[str, Any]:
        """Return the table as JSON holds it."""
        rows = [[cell.as_numbers() if isinstance(cell, Estimate) else cell for cell in row] for row in self.rows]
        parts = {**self._asdict(), "rows": rows}
        return parts if self.drawn else {name: part for name, part in parts.items() if name != "drawn"}


@dataclass(frozen=True)
class Study:
    """What a question is asked about, and how.

    Attributes:
        agents: Players of the variant, the weakest first; questions are about the last one.
        deals: How many each comparison plays.
        seed: Of the deals.
    """

    game: Game
    variant: Variant
    agents: Sequence[Agent]
    deals: int
    seed: int

    @property
    def best(self) -> Agent:
        """The player that has all seats, or all except one."""
        return self.agents[-1]

    @property
    def weaker(self) -> Sequence[Agent]:
        """All other players; raises ValueError if there are none."""
        if len(self.agents) < 2:
            raise ValueError(f"{name_of(self.best)} is compared with nobody; name a weaker player before it")
        return self.agents[:-1]

    @property
    def skilled(self) -> Agent:
        """The weakest player that does not play at random."""
        return next(agent for agent in self.agents if not isinstance(agent, RandomAgent) or agent is self.best)

    def lanes(self) -> Iterator[tuple[slice, VectorEnv]]:
        """Yield lanes in which the deals of the seed are dealt, and which of all deals they are."""
        for first, some in chunks(self.deals, ENVS):
            envs = new_lanes(self.game, self.variant, some)
            envs.reset(seeds=[key_of(self.seed, deal) for deal in range(first, first + some)])
            yield slice(first, first + some), envs

    def duel(self, weaker: Agent) -> np.ndarray:
        """Return what the best player wins among equal weaker ones, float64 [deals, rotations]."""
        options = self.variant.changed()
        return duel(self.game, self.best, weaker, self.deals, seed=self.seed, **options).chips[:, :, 0]

    def among_best(self, other: Agent) -> list[np.ndarray]:
        """Return what another player wins among the best, and what they win by their turn after it, each [deals]."""
        line_up, options = [other, *[self.best] * (self.variant.players - 1)], self.variant.changed()
        return [*play_duplicates(self.game, line_up, self.deals, seed=self.seed, **options).chips.mean(1).T]


@dataclass(frozen=True)
class Answer:
    """The answer to a question about a variant.

    Attributes:
        question: Its name in QUESTIONS, or the hand that was asked about.
        study: What it was asked about, and how.
        tables: The figures.
    """

    question: str
    study: Study
    tables: Sequence[Table]

    def as_numbers(self) -> dict[str, Any]:
        """Return the answer as JSON holds it; `with_messages` makes its texts messages again."""
        study, tables = self.study, [table.as_numbers() for table in self.tables]
        return {
            "game": study.game.id,
            "version": study.game.version,
            "variant": study.variant.changed(),
            "question": self.question,
            "players": [name_of(agent) for agent in study.agents],
            "deals": study.deals,
            "seed": in_json(study.seed),
            "tables": tables,
            "messages": messages_in(tables),
        }


def study_of(
    game: str | Game, players: Sequence[str | Agent], deals: int, /, *, seed: int = 0, **variant: Unpack[Options]
) -> Study:
    """Return what questions about a variant are answered by.

    Args:
        game: Its id, or the game itself.
        players: The weakest first; questions are about the last one.
        deals: How many each comparison plays.
        seed: Of the deals.

    Raises:
        ValueError: For a match of several deals, no player, an agent of another game, and too few or too many deals.
    """
    game, players = get_game(game), as_list("players", players, "agents")
    made = variant_from(game, variant, study_of)
    if made.deals > 1:
        raise ValueError(f"deals={made.deals} is not allowed; facts are those of one deal, take deals=1")
    deals = whole_number("deals", deals, 2, MOST_FIGURES // made.players**2)
    return Study(game, made, agents_of(game, made, players), deals, as_key(seed))


def answer(study: Study, question: str) -> Answer:
    """Answer a question; raises ValueError for one that is not in QUESTIONS, and for too few deals."""
    if question not in QUESTIONS:
        raise ValueError(f"{short_repr(question)} is not a question; they are {', '.join(QUESTIONS)}")
    return Answer(question, study, QUESTIONS[question](study))


def answer_about_hand(study: Study, hand: str) -> Answer:
    """Answer what a hand, such as "[6:6][5:4]", is worth in each place; raises ValueError for one that is not dealt."""
    return Answer(hand, study, (hand_worth(study, parse_tiles(hand)),))


# --- what a tile is worth, and a hand -------------------------------------------------------------


class Fit:
    """Chips by place in turn and by hand: a linear fit to the deals that the best player plays in all seats."""

    def __init__(self, study: Study) -> None:
        """Play the deals; raises ValueError for too few."""
        game, players = study.game, study.variant.players
        whole_number("deals", study.deals, LEAST_FITTED, MOST_FIGURES)
        self.deck: np.ndarray = np.bincount(game.deck(study.variant.as_rules()), minlength=KINDS)
        self.shares: np.ndarray = self.deck / self.deck.sum()
        chips, hands = zip(*(dealt_by_turn(envs, [study.best]) for _, envs in study.lanes()), strict=True)
        self.chips, self.hands = np.concatenate(chips), np.concatenate(hands)
        places = np.broadcast_to(np.eye(players), (study.deals, players, players))
        self.known: np.ndarray = np.concatenate([places, self.over_mean(self.hands)], 2)
        self.values: np.ndarray = weights_by_deal(self.known, self.chips)

    def over_mean(self, hands: np.ndarray) -> np.ndarray:
        """Return how many copies of each kind hands, [..., KINDS], hold more than as many mean tiles."""
        return hands - hands.sum(-1, keepdims=True) * self.shares

    def tiles(self) -> dict[int, Estimate]:
        """Return what a tile of each kind is worth more than the mean tile of the deck, the best kind first."""
        worth = self.values[:, -KINDS:]
        worth = worth - (worth @ self.shares)[:, None]
        tiles = {kind: estimate(worth[:, kind]) for kind in np.flatnonzero(self.deck).tolist()}
        return dict(sorted(tiles.items(), key=lambda entry: -entry[1].mean))

    def hand(self, place: int, counts: np.ndarray) -> Estimate:
        """Return what a hand, copies of each kind, wins in a place."""
        return estimate(self.values[:, place] + self.values[:, -KINDS:] @ self.over_mean(counts))

    def besides(self, counted: Callable[[np.ndarray], np.ndarray]) -> Estimate | None:
        """Return what one more of something in a hand is worth besides its tiles; None where all hands have as many.

        Args:
            counted: Returns how many there are in each hand, [N], of copies by kind, [N, KINDS].
        """
        column = counted(self.hands.reshape(-1, KINDS)).reshape(*self.hands.shape[:2], 1)
        if np.ptp(column) == 0:
            return None
        return estimate(weights_by_deal(np.concatenate([self.known, column], 2), self.chips)[:, -1])


def weights_by_deal(known: np.ndarray, chips: np.ndarray) -> np.ndarray:
    """Return the weights of a linear fit as the mean of values of deals, float64 [deals, columns].

    The value of a deal is the weight, and by how much the deal moves it (its influence): seats of one deal depend on
    each other, deals do not.

    Args:
        known: What is known of each seat, [deals, players, columns].
        chips: What it won, [deals, players].
    """
    rows = known.reshape(-1, known.shape[2]).astype(float)
    products = rows.T @ rows
    # Some columns follow from the others: a ridge picks one of the fits.
    products += RIDGE * len(rows) * np.eye(len(products))
    weights = np.linalg.solve(products, rows.T @ chips.reshape(-1))
    moved = np.linalg.solve(products, np.einsum("dpk,dp->kd", known, chips - known @ weights))
    return weights + len(chips) * moved.T


def longest_chain(hands: np.ndarray) -> np.ndarray:
    """Return how many tiles of each hand, copies by kind [N, KINDS], can be laid to one line, int [N].

    Every set of a hand's tiles has the numbers, as bits, at which a line of just these tiles can end.
    """
    tiles = listed(hands)
    size = tiles.shape[1]
    high, low = (np.where(tiles >= 0, 1 << PIPS[tiles, end].astype(int), 0).astype(np.uint8) for end in (0, 1))
    ends = np.zeros((1 << size, len(hands)), np.uint8)
    longest = np.zeros(len(hands), int)
    for laid in range(1, 1 << size):
        for tile in range(size):
            if laid >> tile & 1:
                before = ends[laid ^ 1 << tile] if laid != 1 << tile else high[:, tile] | low[:, tile]
                ends[laid] |= np.where(before & high[:, tile], low[:, tile], 0).astype(np.uint8)
                ends[laid] |= np.where(before & low[:, tile], high[:, tile], 0).astype(np.uint8)
        longest = np.where(ends[laid] > 0, np.maximum(longest, laid.bit_count()), longest)
    return longest


def listed(counts: np.ndarray) -> np.ndarray:
    """Return the tiles of counts by kind, [N, KINDS], as sorted kinds, int [N, most], with -1 behind them."""
    tiles = np.full((len(counts), int(counts.sum(1).max(initial=0))), -1)
    held = np.arange(tiles.shape[1]) < counts.sum(1)[:, None]
    tiles[held] = np.repeat(np.tile(np.arange(KINDS), len(counts)), counts.reshape(-1))
    return tiles


def by_number(hands: np.ndarray) -> np.ndarray:
    """Return how many tiles of hands, copies by kind [N, KINDS], carry each number, int [N, HIGHEST]."""
    return hands @ np.array([carrying(number) for number in range(1, HIGHEST + 1)]).T


def alike_in_pips(hands: np.ndarray) -> np.ndarray:
    """Return how many tiles of hands, [N, KINDS], have as many pips as another one before them, int [N]."""
    by_pips = hands @ np.equal(WEIGHT[:, None], np.arange(WEIGHT.max() + 1))
    return np.maximum(by_pips - 1, 0).sum(1)


# What a sum over the tiles of a hand leaves out, counted in copies by kind, [N, KINDS].
BESIDES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "one more pair of equal tiles": lambda hands: (hands >= 2).sum(1),
    "one more tile with as many pips as another": alike_in_pips,
    "one more number that no tile carries": lambda hands: (by_number(hands) == 0).sum(1),
    "one more tile with the number that most tiles carry": lambda hands: by_number(hands).max(1),
}
# The same where tiles are laid to lines.
OF_LINES = {"one more tile in the longest line that the hand can lay": longest_chain}


def lays_lines(game: Game) -> bool:
    """Return whether tiles are laid to lines, with a number left open."""
    return any(move.leaves for move in game.moves)


def tiles(study: Study) -> tuple[Table, ...]:
    """Return what each tile is worth in the hand that is dealt, and what else of a hand matters."""
    fit, player = Fit(study), name_of(study.best)
    counts = BESIDES | (OF_LINES if lays_lines(study.game) else {})
    besides = {name: worth for name, counted in counts.items() if (worth := fit.besides(counted)) is not None}
    p = dict(zip(besides, holm([p_value(worth) for worth in besides.values()]), strict=True))
    return (
        Table(
            say("What a tile in the hand that is dealt is worth, with {player} in all seats", player=player),
            ("tile", "chips more than the mean tile"),
            (WORDS, CHIPS),
            [(tile_name(kind), worth) for kind, worth in fit.tiles().items()],
        ),
        Table(
            "What else of a hand matters, besides its tiles",
            ("in the hand", "chips", "verdict"),
            (WORDS, CHIPS, WORDS),
            [(name, worth, "beyond chance" if p[name] < LEVEL else "may be chance") for name, worth in besides.items()],
        ),
    )


def hand_worth(study: Study, hand: Sequence[int]) -> Table:
    """Return what a hand, kinds, wins in each place in turn, by the fit and by playing it out.

    Raises:
        ValueError: For a hand of another size, for tiles that the deck does not have, and as `hands_in`.
    """
    first, size = hands_in(study.game, study.variant)
    if len(hand) != size:
        raise ValueError(f"a hand of {study.game.id} has {size} tiles, not {len(hand)}")
    fit, deck = Fit(study), study.game.deck(study.variant.as_rules()).tolist()
    rest = np.array(tiles_in(rest_of(tile_set(deck), hand)), np.int8)
    counts, rows = np.bincount(hand, minlength=KINDS), []
    for place in range(study.variant.players):
        chips = []
        for _, envs in study.lanes():
            seats = turns_of(study.variant, envs.states)[:, place]
            orders = np.empty((envs.num_envs, len(deck)), np.int8)
            for order, seat, key in zip(orders, seats.tolist(), envs.states.seed.tolist(), strict=True):
                others = rest.copy()
                shuffle(others, derive(key, ORDER_STREAM))
                begin = first + seat * size
                order[:] = np.concatenate([others[:begin], hand, others[begin:]])
            laying_out(study.game)(envs.rules, envs.states, orders)
            envs.refresh()
            play_out(envs, [study.best])
            chips.append(chips_won(envs)[np.arange(envs.num_envs), seats])
        rows.append((TURNS[place], fit.hand(place, counts), estimate(np.concatenate(chips))))
    return Table(
        say("What {hand} wins, with {player} in all seats", hand=set_name(tile_set(hand)), player=name_of(study.best)),
        ("turn", "by the worth of its tiles", "played out"),
        (WORDS, CHIPS, CHIPS),
        rows,
        "The worth of its tiles is a sum, which knows nothing of how they go together.",
    )


# --- whom to sit behind ---------------------------------------------------------------------------


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


def seats(study: Study) -> tuple[Table, ...]:
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
    if not study.game.simultaneous and study.skilled is not study.best:
        tables.append(_mistakes(study, study.skilled))
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


# --- how sure -------------------------------------------------------------------------------------


def deals_needed(squares: np.ndarray) -> Estimate:
    """Return after how many deals a player is ahead by two standard errors, on average: four times variance over mean².

    Args:
        squares: What the player wins, and its square, of each deal, [N, 2].
    """
    effect = estimate_statistic(squares, lambda means: float(means[0] / np.sqrt(means[1] - means[0] ** 2)))
    mean, low, high = ((ERRORS / max(value, 0.0)) ** 2 if value > 0 else np.inf for value in effect[:3])
    return Estimate(mean if mean < np.inf else np.nan, high, low, effect.samples)


def sure(study: Study) -> tuple[Table, ...]:
    """Return how many deals it takes to see that the best player is better, and how often weaker ones choose alike."""
    rows = []
    for weaker in study.weaker:
        chips = study.duel(weaker)
        means = chips.mean(1)
        duplicates = deals_needed(np.stack([means, means**2], 1))
        plain = deals_needed(np.stack([means, (chips**2).mean(1)], 1))
        evenings = plain._replace(**{name: getattr(plain, name) / EVENING for name in ("mean", "low", "high")})
        rows.append((name_of(weaker), estimate(means), duplicates, plain, evenings, alike(study, weaker)))
    return (
        Table(
            say("How long it takes until {best} is ahead beyond luck", best=name_of(study.best)),
            ("against", "chips per deal", "duplicates", "single deals", "evenings", "they choose alike"),
            (WORDS, CHIPS, NUMBER, NUMBER, NUMBER, SHARE),
            rows,
            say(
                "Ahead beyond luck: by two standard errors. A duplicate is a deal that is played from all seats, an "
                "evening {deals} single deals; choices are those of decisions with more than one legal action.",
                deals=EVENING,
            ),
        ),
    )


def alike(study: Study, weaker: Agent) -> Estimate:
    """Return in which share of the decisions with a choice, between best players, a weaker one would choose alike."""
    counts = np.zeros((study.deals, 2), int)
    for deals, envs in study.lanes():
        for now in decisions(envs, [study.best]):
            some = np.flatnonzero(now.batch.masks.sum(1) > 1)
            other = ask(weaker, study.game, study.variant, now.batch.at(some)) if len(some) else some
            counts[deals.start + now.rows[some]] += np.stack([other == now.actions[some], np.ones_like(some)], 1)
    return share(counts[:, 0], counts[:, 1])


# --- openings -------------------------------------------------------------------------------------


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


def openings(study: Study) -> tuple[Table, ...]:
    """Return what to lead, by kind of hand, and what other leads cost; raises ValueError where all decide at once."""
    game, weaker = study.game, study.skilled
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


# --- what a secret is worth -----------------------------------------------------------------------

Place = tuple[str, int | None]  # a field of the state where tiles lie, and the seat whose they are, None for nobody's
# States, a place, and the subject of a secret, a seat -> which tiles of the place it reveals, bool or bool [N, most]:
Revealed = Callable[[np.recarray, Place, int], np.ndarray | bool]


def hidden_places(game: Game, variant: Variant, seat: int) -> list[Place]:
    """Return where tiles lie that a seat does not see; none where other fields of a state follow from them."""
    names, others = set(game.state.names or ()), [other for other in range(variant.players) if other != seat]
    if names & {"waits", "splits"}:  # follow from hands
        return []
    places: list[Place] = [(name, other) for name in hidden_fields(game) for other in others]
    return places + [(name, None) for name in ("stock", "unused") if name in names]


def tiles_at(states: np.recarray, place: Place) -> np.ndarray:
    """Return the tiles that lie in a place, int [N, most], with -1 where there is none."""
    field, seat = place
    if field == "stock":
        return np.where(np.arange(states.stock.shape[1]) < states.turned[:, None], -1, states.stock)
    return listed(counts_of(states[field] if seat is None else states[field][:, seat]))


def put_tiles(states: np.recarray, place: Place, kinds: np.ndarray) -> None:
    """Put tiles, as of `tiles_at`, to a place, for those that lay there."""
    field, seat = place
    ones, pips = np.append(ONE, 0), np.append(WEIGHT.astype(int), 0)
    if field == "stock":
        states.stock = np.where(kinds < 0, states.stock, kinds)
    elif seat is None:
        states[field] = ones[kinds].sum(1)
    else:
        if field == "discards" and "points" in (states.dtype.names or ()):  # of the pips that are discarded
            more = pips[kinds].sum(1) - pips[tiles_at(states, place)].sum(1)
            states.points[:, seat] += more.astype(states.points.dtype)
        states[field][:, seat] = ones[kinds].sum(1)


def reveal(
    drawn: np.recarray, true: np.recarray, places: Sequence[Place], revealed: Revealed, subject: int, key: int
) -> None:
    """Let some tiles lie where they do in truth, in exchange for those that were drawn for there.

    All others stay as random as they were.

    Args:
        drawn: Deals that were drawn for a seat, record array [N]; are changed.
        true: What they are in truth.
        places: Where tiles lie that the seat does not see.
        revealed, subject: What is revealed to it, and about which seat.
        key: An RNG key: which of equal tiles are exchanged.
    """
    lists = [[tiles_at(states, place) for place in places] for states in (drawn, true)]
    kinds, truth = (np.concatenate(columns, 1) for columns in lists)
    marks = [revealed(true, place, subject) for place in places]
    known = [np.broadcast_to(mark, tiles.shape) for mark, tiles in zip(marks, lists[1], strict=True)]
    fixed = np.concatenate(known, 1) & (truth >= 0)
    rows, free = np.arange(len(kinds)), np.ones(kinds.shape, bool)
    chance = np.random.default_rng(key).random(kinds.shape) + fixed  # a tile that lies there already stays
    for column in np.flatnonzero(fixed.any(0)).tolist():
        wanted = np.where(fixed[:, column], truth[:, column], kinds[:, column])
        source = np.where((kinds == wanted[:, None]) & free, chance, -1).argmax(1)
        source = np.where(fixed[:, column], source, column)
        kinds[rows, source] = kinds[:, column]
        kinds[:, column] = wanted
        free[:, column] &= ~fixed[:, column]
    widths = np.cumsum([part.shape[1] for part in lists[0]])[:-1]
    for place, part in zip(places, np.split(kinds, widths, 1), strict=True):
        put_tiles(drawn, place, part)


class Secret(NamedTuple):
    """Something that others hide.

    fields: Of a state in which it is; without one, all that is hidden.
    revealed: Which tiles.
    """

    fields: tuple[str, ...]
    revealed: Revealed


def _next_of_stock(states: np.recarray, place: Place, seat: int) -> np.ndarray | bool:
    return place[0] == "stock" and np.arange(states.stock.shape[1]) == states.turned[:, None]


SECRETS: Mapping[str, Secret] = {
    "everything": Secret((), lambda states, place, seat: True),
    "the hand of the next in turn": Secret(("hands",), lambda states, place, seat: place == ("hands", seat)),
    "the tiles that lie face down": Secret(("discards",), lambda states, place, seat: place[0] == "discards"),
    "the next tile of the stock": Secret(("stock",), _next_of_stock),
}


def searched(study: Study, envs: VectorEnv, rows: np.ndarray, secret: Secret | None, subject: np.ndarray) -> np.ndarray:
    """Return what a search plays in some lanes that knows a secret, int [N].

    Each legal action is tried in the same deals, drawn from what the seat knows, and played out by the
    strongest heuristic.

    Args:
        rows: The lanes.
        secret: What it knows besides, None for nothing.
        subject: The seat whose secret it is in each lane, int [B].
    """
    game, variant = study.game, study.variant
    (heuristic,) = agents_of(game, variant, [heuristic_names(game)[-1]])
    views, rng_keys = envs.views(rows)
    times = 1 if secret and not secret.fields else SEARCHED
    keys = np.concatenate([derive_each(derive(int(key), DEAL_STREAM), 0, times) for key in rng_keys])
    lanes, true = np.repeat(np.arange(len(rows)), times), np.repeat(envs.states[rows], times).view(np.recarray)
    deals = drawn(game, variant, np.repeat(views, times), keys)
    if secret and not secret.fields:
        deals = true.copy()
        deals.seed = keys
    elif secret:
        viewers, subjects = envs.seats[rows][lanes], subject[rows][lanes]
        for viewer, whose in np.unique(np.stack([viewers, subjects]), axis=1).T.tolist():
            some = np.flatnonzero((viewers == viewer) & (subjects == whose))
            part, places = deals[some].view(np.recarray), hidden_places(game, variant, viewer)
            reveal(part, true[some].view(np.recarray), places, secret.revealed, whose, int(keys[0]))
            deals[some] = part
    masks = envs.masks[rows]
    tried, actions = np.nonzero(masks[lanes])
    after = resume_lanes(game, variant, deals[tried])
    after.step(actions)
    play_out(after, [heuristic])
    won = chips_won(after)[np.arange(len(tried)), envs.seats[rows][lanes[tried]]]
    sums = np.where(masks, 0.0, -np.inf)
    np.add.at(sums, (lanes[tried], actions), won)
    return sums.argmax(1)


def played_knowing(study: Study, secret: Secret | None, seen: bool) -> np.ndarray:
    """Return what a seat wins among the best that searches, another one in every deal, float64 [deals].

    Args:
        secret: What it knows besides, None for nothing.
        seen: All others search and know it, and the seat plays as the best.
    """
    chips, players = np.zeros(study.deals), study.variant.players
    for deals, envs in study.lanes():
        lanes = np.arange(envs.num_envs)
        hero = (deals.start + lanes) % players
        search = (np.arange(players) == hero[:, None]) != seen
        subject = hero if seen else (hero + 1) % players
        for now in decisions(envs, [study.best], np.where(search, 1, 0)):
            asking = np.flatnonzero(search[now.rows, envs.seats[now.rows]] & (now.batch.masks.sum(1) > 1))
            for first, some in chunks(len(asking), BLOCK):
                part = asking[first : first + some]
                now.actions[part] = searched(study, envs, now.rows[part], secret, subject)
        chips[deals] = chips_won(envs)[lanes, hero]
    return chips


def secrets(study: Study) -> tuple[Table, ...]:
    """Return what it gains to know what others hide, and what it costs to be seen."""
    places = {field for field, _ in hidden_places(study.game, study.variant, 0)}
    plain = played_knowing(study, None, False)
    known = {name: secret for name, secret in SECRETS.items() if places.issuperset(secret.fields)}
    rows: list[Sequence[Cell]] = [
        (say("it sees {secret}", secret=say(name)), estimate(played_knowing(study, secret, False) - plain))
        for name, secret in known.items()
    ]
    if places:
        hand = SECRETS["the hand of the next in turn"]
        cost = played_knowing(study, hand, True) - played_knowing(study, None, True)
        rows.append(("all others see its hand", estimate(cost)))
    return (
        Table(
            "What a secret is worth",
            ("a seat", "chips per deal"),
            (WORDS, CHIPS),
            rows,
            say(
                "One seat searches among {best}: each action in {deals} deals that look to it like the true one, "
                "played out by the strongest heuristic. One that sees a secret draws only deals that agree with it.",
                best=name_of(study.best),
                deals=SEARCHED,
            ),
        ),
    )


# --- mixing ---------------------------------------------------------------------------------------


def mixed(study: Study) -> tuple[Table, ...]:
    """Return where a good player of the tiny deck must be unpredictable, and what it costs never to be.

    Raises:
        ValueError: For a game of teams.
    """
    tree = build_tree(study.game, **{**tiny_options(study.game, study.variant), "leader": 0})
    assert isinstance(tree, GameTree)
    result = mixing(tree)
    tables = [
        Table(
            "What it costs never to mix, on the tiny deck",
            ("turn", "chips per deal at an equilibrium", "who never mixes loses at most"),
            (WORDS, EXACT, EXACT),
            [
                (TURNS[seat], value, value - pure)
                for seat, value, pure in zip((0, 1), result.values, result.pure, strict=True)
            ],
            say(
                "Of the {tried} positions where mixing weighs most, in {number} every equilibrium mixes.",
                tried=result.tried,
                number=len(result.mixed),
            ),
        )
    ]
    for position in result.mixed[:1]:
        view = tree.batch.views[position.number]
        names = [study.game.action_name(action, view) for action in position.actions]
        tables.append(
            Table(
                "The latest of these positions",
                ("action", "share at an equilibrium", "always to play it costs at least"),
                (WORDS, EXACT, EXACT),
                list(zip(names, position.probabilities, position.costs, strict=True)),
                "A player that always does the same here wins so much less, in chips per deal, from one that knows it.",
                draw_text(study.game.scene(tree.variant, [view])),
            )
        )
    return tuple(tables)


QUESTIONS: Mapping[str, Callable[[Study], tuple[Table, ...]]] = {
    "tiles": tiles,
    "seats": seats,
    "sure": sure,
    "openings": openings,
    "secrets": secrets,
    "mixing": mixed,
}
