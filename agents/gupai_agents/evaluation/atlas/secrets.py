"""What it gains to know what others hide, and what it costs to be seen: a search is given the deals."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import DecisionBatch, name_of
from gupai_agents.belief import drawn, hidden_fields
from gupai_agents.evaluation.atlas.report import CHIPS, WORDS, Table, verdicts
from gupai_agents.evaluation.atlas.study import Study
from gupai_agents.evaluation.atlas.tiles import listed
from gupai_agents.evaluation.matches.match import chunks
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.play.decisions import chips_won, decisions
from gupai_agents.players.search import SearchAgent
from gupai_agents.registry import agents_of
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.streams import DEAL_STREAM
from gupai_env.core.tiles import NO_TILE, ONE, WEIGHT
from gupai_env.core.variant import Variant
from gupai_env.games.claims import counts_of
from gupai_env.messages import say

SEARCHED = 24  # deals in which each action is tried
BLOCK = 512  # decisions that are searched at once
STOCKS = {"stock": "turned", "wall": "top"}  # where tiles lie in order, and the field that says which one is next
Place = tuple[str, int | None]  # a field of the state where tiles lie, and the seat whose they are, None for nobody's
# States, a place, and the subject of a secret, a seat -> which tiles of the place it reveals, bool or bool [N, most]:
Revealed = Callable[[np.recarray, Place, int], np.ndarray | bool]


def hidden_places(game: Game, variant: Variant, seat: int) -> list[Place]:
    """Return where tiles lie that a seat does not see."""
    names, others = set(game.state.names or ()), [other for other in range(variant.players) if other != seat]
    places: list[Place] = [(name, other) for name in hidden_fields(game) for other in others]
    return places + [(name, None) for name in (*STOCKS, "unused") if name in names]


def tiles_at(states: np.recarray, place: Place) -> np.ndarray:
    """Return the hidden tiles that lie in a place, int [N, most], with -1 where there is none."""
    field, seat = place
    if field in STOCKS:
        return np.where(np.arange(states[field].shape[1]) < states[STOCKS[field]][:, None], -1, states[field])
    return listed(
        counts_of(states[field] if seat is None else states[field][:, seat] - _known_tiles(states, field, seat))
    )


def _known_tiles(states: np.recarray, field: str, seat: int) -> Any:
    """Return the tiles of a hand that all know, tile sets [N], or 0."""
    return states.known[:, seat] if field == "hands" and "known" in (states.dtype.names or ()) else 0


def put_tiles(states: np.recarray, place: Place, kinds: np.ndarray) -> None:
    """Put tiles, as of `tiles_at`, to a place, for those that lay there."""
    (field, seat), names = place, states.dtype.names or ()
    ones, pips = np.append(ONE, 0), np.append(WEIGHT.astype(int), 0)
    if field in STOCKS:
        states[field] = np.where(kinds < 0, states[field], kinds)
    elif seat is None:
        states[field] = ones[kinds].sum(1)
    else:
        if field == "discards" and "points" in names:  # of the pips that are discarded
            more = pips[kinds].sum(1) - pips[tiles_at(states, place)].sum(1)
            states.points[:, seat] += more.astype(states.points.dtype)
        states[field][:, seat] = ones[kinds].sum(1) + _known_tiles(states, field, seat)
        if "splits" in names:  # of a hand as it is listed
            states.tiles[:, seat, : kinds.shape[1]] = np.sort(np.where(kinds < 0, NO_TILE, kinds), 1)


@functools.cache
def waits_loop(game: Game) -> Callable[..., Any]:
    """Return the compiled loop that notes what hands wait for, of all seats except one, in a game of `waits`."""
    note_waits = game.module.rules.study

    def note_hands(states, players, viewer):
        for lane in range(len(states)):
            for seat in range(players):
                if seat != viewer:
                    note_waits(states[lane], seat)

    return compiled(note_hands, game)


class Secret(NamedTuple):
    """Something that others hide.

    fields: Of a state in which it is; without one, all that is hidden.
    revealed: Which tiles.
    """

    fields: tuple[str, ...]
    revealed: Revealed


NEXT_HAND = Secret(("hands",), lambda states, place, seat: place == ("hands", seat))
SECRETS: Mapping[str, Secret] = {
    "everything": Secret((), lambda states, place, seat: True),
    "the hand of the next in turn": NEXT_HAND,
    "the tiles that lie face down": Secret(("discards",), lambda states, place, seat: place[0] == "discards"),
    "the next tile of the stock": Secret(
        tuple(STOCKS),
        lambda states, place, seat: (
            place[0] in STOCKS and np.arange(states[place[0]].shape[1]) == states[STOCKS[place[0]]][:, None]
        ),
    ),
}


def reveal(
    game: Game,
    variant: Variant,
    deals: np.recarray,
    true: np.recarray,
    revealed: Revealed,
    viewer: int,
    subject: int,
    key: int,
) -> None:
    """Let some tiles lie where they do in truth, in exchange for those that were drawn for there.

    All others stay as random as they were.

    Args:
        game, variant: What is played.
        deals: Some that were drawn for a seat, record array [N]; are changed.
        true: What they are in truth.
        revealed: What is revealed to the viewer, about the subject, a seat.
        viewer, subject: Seats.
        key: An RNG key: which of equal tiles are exchanged.
    """
    places = hidden_places(game, variant, viewer)
    lists = [[tiles_at(states, place) for place in places] for states in (deals, true)]
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
        put_tiles(deals, place, part)
    if "waits" in (deals.dtype.names or ()):
        waits_loop(game)(deals, variant.players, viewer)


def deals_known(
    study: Study, batch: DecisionBatch, true: np.recarray, secret: Secret, subjects: np.ndarray
) -> np.ndarray:
    """Return deals that look to who decides, and knows a secret, like the true ones, a record array [N, D].

    Args:
        batch: The decisions, N.
        true: The states in which they are made, record array [N].
        subjects: The seat whose secret it is in each, int [N].
    """
    game, times = study.game, SEARCHED if secret.fields else 1
    rows = np.repeat(np.arange(len(true)), times)
    keys = np.concatenate([derive_each(derive(int(key), DEAL_STREAM), 0, times) for key in batch.rng_keys])
    deals = drawn(game, study.variant, batch.views[rows], keys)
    viewers, subjects = batch.views.seat[rows], subjects[rows]
    for viewer, subject in np.unique(np.stack([viewers, subjects]), axis=1).T.tolist():
        some = np.flatnonzero((viewers == viewer) & (subjects == subject))
        part, truth = (states.view(np.recarray) for states in (deals[some], true[rows[some]]))
        reveal(game, study.variant, part, truth, secret.revealed, viewer, subject, int(keys[0]))
        deals[some] = part
    return deals.reshape(len(true), times)


def played_knowing(study: Study, secret: Secret | None, seen: bool) -> np.ndarray:
    """Return what a seat wins among the best that searches, another one in every deal, float64 [deals].

    Args:
        secret: What it knows besides, None for nothing.
        seen: All others search and know it, and the seat plays as the best.
    """
    chips, players = np.zeros(study.deals), study.variant.players
    (search,) = agents_of(study.game, study.variant, [f"search:playouts={SEARCHED}"])
    assert isinstance(search, SearchAgent)
    for deals, envs in study.lanes():
        lanes = np.arange(envs.num_envs)
        hero = (deals.start + lanes) % players
        searching = (np.arange(players) == hero[:, None]) != seen
        subjects = hero if seen else (hero + 1) % players
        for now in decisions(envs, [study.best], np.where(searching, 1, 0)):
            asking = np.flatnonzero(searching[now.rows, envs.seats[now.rows]] & (now.batch.masks.sum(1) > 1))
            for first, some in chunks(len(asking), BLOCK):
                part = asking[first : first + some]
                batch, rows = now.batch.at(part), now.rows[part]
                known = secret and deals_known(study, batch, envs.states[rows], secret, subjects[rows])
                values = search.values(batch, halving=False, deals=known)
                now.actions[part] = values.choice(search.plan.steady)
        chips[deals] = chips_won(envs)[lanes, hero]
    return chips


def tables(study: Study) -> Sequence[Table]:
    """Return what it gains to know what others hide, and what it costs to be seen."""
    fields = {field for field, _ in hidden_places(study.game, study.variant, 0)}
    plain = played_knowing(study, None, False)
    rows = {
        say("it sees {secret}", secret=say(name)): estimate(played_knowing(study, secret, False) - plain)
        for name, secret in SECRETS.items()
        if not secret.fields or fields & {*secret.fields}
    }
    rows[say("all others see its hand")] = estimate(
        played_knowing(study, NEXT_HAND, True) - played_knowing(study, None, True)
    )
    return (
        Table(
            "What a secret is worth",
            ("a seat", "chips per deal", "verdict"),
            (WORDS, CHIPS, WORDS),
            list(zip(rows, rows.values(), verdicts([*rows.values()]), strict=True)),
            say(
                "One seat searches among {best}: each action in {deals} deals that look to it like the true one, "
                "played out by the strongest heuristic. One that sees a secret draws only deals that agree with it; "
                "whoever knows better what others will do may gain more by it.",
                best=name_of(study.best),
                deals=SEARCHED,
            ),
        ),
    )
