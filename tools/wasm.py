"""WebAssembly that ships: the loops of a game that a page and a program without Python need, one module for each game.

`tools/machine_code.py --system wasm32` runs it. `GAME.wasm` imports nothing; it exports its memory and an entry for
each loop, by the loop's name. Beside it `GAME.json` holds what `gupai_app/page/engine.js` needs: how records are
laid out, which words an entry takes, the options and the players, and the digests of the sources.
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.networks.network_agent import derive_rows
from gupai_agents.play.playouts import playouts
from gupai_agents.players.card import CardRule, card_loop, card_rows
from gupai_agents.players.heuristics import heuristic_loops
from gupai_agents.players.search import search_loop, weigh_loop
from gupai_agents.shipped import BEST, CARD, TUNED, levels, networks, shipped_card, shipped_cards, shipped_heuristics
from gupai_env.core.compiling import compiled
from gupai_env.core.emitting import Call, emit
from gupai_env.core.episode import next_deal, settle, start
from gupai_env.core.game import Game, no_history
from gupai_env.core.kernels import TABLE, kernels
from gupai_env.core.memory import record_of
from gupai_env.core.shipped import digest_of
from gupai_env.core.sources import sources_of
from gupai_env.core.target import Target
from gupai_env.games import get_game

# Without vectors (+simd128): with them Jie Long plays 15% more decisions per second, but of the search of Small Mahjong
# LLVM 20 makes one that finds other values.
TRIPLE = "wasm32-unknown-unknown"
STACK = 1 << 18  # bytes
SCRIPT, EMITTED_BY = "tools/wasm.py", "gupai_env.core.emitting"  # among the sources
MOVE, STEP, NEXT = range(3)  # of `play`: a decision of the deal alone, of an episode, and the deal that follows


def deal_loops(game: Game) -> dict[str, Callable[..., Any]]:
    """Return the loops over a single deal, to be compiled: what `Deal` and `Session` do by the plain rules.

    begin_deal(rules, states, key, orders): starts an episode of a key, its tiles as they lie in the only row of
        `orders`, int8 [1, tiles], unless that has no rows.
    play(rules, states, action, how): plays an action, for MOVE without its payment, or for NEXT deals again.
    pay(rules, states, chips): the chips by seat, float32 [1, max_seats], as if the deal were over.
    """
    module = game.module

    def begin_deal(rules, states, key, orders):
        start(module, rules, states[0], key)
        for number in range(len(orders)):
            module.deal_from(rules, states[0], orders[number])

    def play(rules, states, action, how):
        state = states[0]
        if how == NEXT:
            next_deal(module, rules, state)
            return
        if how == STEP:
            state.settled = 0
            state.moves += 1
        module.step(rules, state, action)
        if how == STEP and state.terminated:
            settle(module, rules, state)

    def pay(rules, states, chips):
        module.payoffs(rules, states[0], chips[0])

    return {loop.__name__: loop for loop in (begin_deal, play, pay)}


def calls_of(game: Game) -> dict[str, Call]:
    """Return the loops that a page needs by the names of their entries, each with arguments as it takes them."""
    loops, heuristics, plays = kernels(game), heuristic_loops(game), playouts(game)
    rules, states, views = game.variant().as_rules(), game.new_states(1), np.zeros(1, game.view)
    table, keys, key, action = np.zeros(1, TABLE), np.zeros(1, np.int64), 1, 1
    long, actions = np.zeros(1, np.int64), np.zeros(1, np.int16)
    masks, observations = np.zeros((1, game.num_actions), np.bool_), np.zeros((1, game.encoder.layout.size), np.int8)
    weights, floats = np.zeros((1, len(game.features) + 1)), np.zeros((1, game.num_actions))
    span, totals = (0, 1), np.zeros((1, game.num_actions, 5))
    calls = {
        "begin": (loops.begin, table),
        "step": (loops.step, table, long),
        "play_random": (loops.play_random, table, 1, key),
        "show": (loops.show, table),
        "observe_seat": (loops.observe_seat, table, 0, observations[0]),
        "pick": (loops.pick, masks, key, long),
        "views": (loops.views, rules, states, views, keys),
        "view_of": (loops.view_of, rules, states, 0, views),
        "encode": (loops.encode, views, observations),
        "determinize": (loops.determinize, rules, views, keys, states),
        "derive_rows": (derive_rows, keys, keys[None]),
        "choose": (heuristics.choose, 1, weights, views, masks, keys, actions),
        "scores": (heuristics.weigh, weights[0], views, masks, floats),
        "finish": (plays.finish, rules, weights, states, actions[None]),
        "search": (
            search_loop(game),
            *(rules, weights, views, masks, keys, (0, 1, 1, 1, 1.0), floats, states, actions, totals, floats),
        ),
    }
    if shipped_card(game, game.variant()):
        card = np.zeros((1, 7))
        calls["card"] = card_loop(game), card, views, masks, keys, actions, observations
    if game.history is not no_history:
        calls["weigh"] = weigh_loop(game), rules, weights[0], views, keys, span, floats, floats[0]
    own = {name: compiled(loop, game) for name, loop in deal_loops(game).items()}
    calls |= {
        "begin_deal": (own["begin_deal"], rules, states, key, observations),
        "play": (own["play"], rules, states, action, STEP),
        "pay": (own["pay"], rules, states, np.zeros((1, game.max_seats), np.float32)),
    }
    return {name: Call(loop, arguments) for name, (loop, *arguments) in calls.items()}


# --- what engine.js has to know --------------------------------------------------------------------


def fields_of(dtype: np.dtype) -> dict[str, Any]:
    """Return how a record is laid out: its size, and its fields as (name, type of an entry, offset, shape)."""
    fields = [
        (name, (kind.base or kind).str[1:], offset, list(kind.shape))
        for name, (kind, offset, *_) in (dtype.fields or {}).items()
    ]
    return {"size": dtype.itemsize, "fields": fields}


def words_of(argument: Any) -> Any:
    """Return which words an argument is for an entry: the dimensions of an array, "i" or "f", or a list of these."""
    if isinstance(argument, np.ndarray):
        return argument.ndim
    if isinstance(argument, tuple):
        return list(map(words_of, argument))
    return "f" if isinstance(argument, float) else "i"


def option_of(game: Game, field: dataclasses.Field) -> dict[str, Any]:
    """Return an option: its name, its default, what is allowed, and the numbers that the rules see of words."""
    choices, number = field.metadata["choices"], getattr(game.variant().as_rules(), field.name)
    words = [choice for choice in choices if isinstance(choice, str)] or ["random"] * (field.name == "leader")
    return {
        "name": field.name,
        "default": field.default,
        "choices": choices,
        "codes": {word: code_of(game, field.name, word) for word in words},
        "real": isinstance(number, float),
        "set": isinstance(field.default, tuple) and isinstance(number, int),
    }


def code_of(game: Game, name: str, word: str) -> int | dict[str, int]:
    """Return the number that the rules see of the word of an option; by deck, where that decides it."""
    codes = {}
    for deck, limits in game.variant.LIMITS.items():
        options = {"deck": deck, "players": limits.get("players", (game.variant().players,))[0], name: word}
        with contextlib.suppress(ValueError):  # a word that needs another option too
            codes[deck] = getattr(game.variant(**options).as_rules(), name)
    return codes if len({*codes.values()}) > 1 else next(iter(codes.values()))


def card_of(game: Game, written: dict[str, Any]) -> dict[str, Any]:
    """Return a card for a variant, as loops take it; None is a bound that there is not."""
    rows = card_rows(game, [CardRule(**rule) for rule in written["rules"]])
    return {"variant": written["variant"], "rows": [[n if np.isfinite(n) else None for n in row] for row in rows]}


def players_of(game: Game) -> dict[str, Any]:
    """Return the players of a game as numbers: heuristics, which come first, cards, networks and levels."""
    return {
        "heuristics": {name: game.heuristic(name).tolist() for name in game.heuristics},
        TUNED: [
            {"variant": written["variant"], "weights": game.heuristic(written["weights"]).tolist()}
            for written in shipped_heuristics(game.id)
        ],
        CARD: [card_of(game, written) for written in shipped_cards(game.id)],
        BEST: [{"file": file.name, "variant": header["rules"]} for file, header in networks(game.id)],
        "levels": {level.name: level.player for level in levels(game)},
    }


def layout_of(game: Game, calls: dict[str, Call]) -> dict[str, Any]:
    """Return what GAME.json holds."""
    encoder, rules = game.encoder, game.variant().as_rules()
    modules = {module for call in calls.values() for module in (call.loop.name.module, call.loop.name.game)}
    sources = sources_of(*sorted(name for name in {*modules, EMITTED_BY} if name.startswith("gupai_")))
    numbers = record_of(rules).dtype
    named = dict(zip(numbers.names or (), rules._fields, strict=True))
    return {
        "id": game.id,
        "title": game.title,
        "version": game.version,
        "num_actions": game.num_actions,
        "max_seats": game.max_seats,
        "max_decisions": game.max_decisions,
        "simultaneous": game.simultaneous,
        "actions": game.action_names,
        "options": [option_of(game, field) for field in dataclasses.fields(game.variant)],
        "limits": game.variant.LIMITS,
        "records": {
            "state": fields_of(game.state),
            "view": fields_of(game.view),
            "table": fields_of(TABLE),
            "rules": {
                "size": numbers.itemsize,
                "fields": [(named[name], *rest) for name, *rest in fields_of(numbers)["fields"]],
            },
        },
        "empty": game.new_states(1).tobytes().hex(),
        "observation": {
            "encoder": encoder.name,
            "version": encoder.version,
            "size": encoder.layout.size,
            "digest": encoder.layout.digest,
            "sections": [
                {"name": s.name, "shape": s.shape, "high": s.high, "signed": s.signed, "meaning": s.meaning}
                for s in encoder.layout.sections
            ],
        },
        "features": [feature.name for feature in game.features],
        "players": players_of(game),
        "entries": {name: list(map(words_of, call.arguments)) for name, call in calls.items()},
        "sources": {SCRIPT: _own_digest(), **{module: digest_of(module) for module in sorted(sources)}},
    }


def _own_digest() -> str:
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def is_current(folder: Path, game: str) -> bool:
    """Return whether a folder has the module of a game, made from the sources that are there."""
    try:
        sources = json.loads((folder / f"{game}.json").read_text(encoding="utf-8"))["sources"]
    except OSError:
        return False
    return (folder / f"{game}.wasm").exists() and all(
        digest == (_own_digest() if module == SCRIPT else digest_of(module)) for module, digest in sources.items()
    )


# --- making it -------------------------------------------------------------------------------------


def emit_game(game_id: str) -> tuple[str, bytes, str, list[str]]:
    """Return a game's id, its object file, what its JSON holds as text, and the names of its entries."""
    game = get_game(game_id)
    calls = calls_of(game)
    target = Target(TRIPLE, "generic")
    text = json.dumps(layout_of(game, calls), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return game_id, emit(calls, target), text, list(calls)


def link(out: Path, source: Path, entries: Sequence[str]) -> None:
    """Link an object file as a module that exports its memory, where its heap begins, and some entries."""
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi", "-mexec-model=reactor", "-s", "-O2"]
    command += [f"-Wl,-z,stack-size={STACK}"]
    command += [f"-Wl,--export={name}" for name in ("__heap_base", *entries)]
    subprocess.run([*command, "-o", str(out), str(source)], check=True)


def make(games: Sequence[str], out: Path) -> None:
    """Write GAME.wasm and GAME.json for some games into a folder.

    Args:
        games: By id.
        out: The folder.
    """
    out.mkdir(parents=True, exist_ok=True)
    os.environ |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}  # read where a process of the pool starts
    with (
        ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn"), max_tasks_per_child=1) as pool,
        tempfile.TemporaryDirectory() as folder,
    ):
        for game, content, text, entries in pool.map(emit_game, games):
            source = Path(folder) / f"{game}.o"
            source.write_bytes(content)
            link(out / f"{game}.wasm", source, entries)
            (out / f"{game}.json").write_text(text, encoding="utf-8")
