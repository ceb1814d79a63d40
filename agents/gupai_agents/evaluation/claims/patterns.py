"""Patterns of actions: "catches [4:2]", "lays a double", "leads the heaviest", read off the names of a game's actions.

A pattern is what is done, and with what: a verb, then tiles or words about the tiles that the action names. It is
matched against the names that people read, so every game has them, one of another package too. `or` stands between
patterns of which either may hold.
"""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.decisions import standing
from gupai_env.core.claims import Positions, vocabulary_of
from gupai_env.core.game import Game
from gupai_env.core.hints import PLAY, TILE, tiles_named, verb_of

WORDS = """\
VERB                 what is done, as the game's actions are called: lays, discards, catches, claims, passes, ...;
                     plays or lays also where actions are called by their tiles alone; leads: before anything is played
VERB [4:2]           with this tile (with several: with all of them); [2:1] catches [4:2] also says by which
VERB a double        with a double; a pair, two tiles, three tiles: so many; a 6: a tile that carries the number
VERB the heaviest    no other action of this verb has more pips, or fewer: the lightest
VERB no double       with none that is one; `no` stands before all of these words but the last
leaves 6 open        the number is at the end of the tile that stays open
PATTERN or PATTERN   either of them"""
ARTICLES = ("a", "an", "the", "any", "with", "tile", "tiles")
COUNTS = {"single": 1, "one": 1, "pair": 2, "two": 2, "three": 3, "four": 4}
HEAVIEST, LIGHTEST = "heaviest", "lightest"
LEADS = "lead"
Named = tuple[str, tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]  # verb, tiles before it, tiles after


class Pattern(NamedTuple):
    """One pattern, read.

    verb: without its ending; "" for any. before, tiles: that stand before and after it. asks: what each says of the
    tiles of an action, and whether it shall be so. extreme: +1 for the heaviest, -1 for the lightest. leaves: the
    number left open. lead: whether nothing may have been played.
    """

    verb: str
    before: tuple[tuple[int, int], ...]
    tiles: tuple[tuple[int, int], ...]
    asks: tuple[tuple[Callable[[Sequence[tuple[int, int]]], bool], bool], ...]
    extreme: int = 0
    leaves: int = 0
    lead: bool = False


def stem(word: str) -> str:
    """Return a verb without its ending: "lay" for "lays", "catch" for "catches"."""
    for ending, kept in (("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss"):
            return word.removesuffix(ending) + kept
    return word


@functools.lru_cache(maxsize=4096)
def named(name: str) -> Named:
    """Return the verb of an action's name, without endings, and the tiles that stand before and after it."""
    verb = " ".join(stem(word) for word in verb_of(name).split())
    words = _words_in(name)
    before, after = (name[: words.start()], name[words.start() :]) if words else ("", name)
    return verb, tiles_named(before), tiles_named(after)


def _words_in(text: str) -> re.Match[str] | None:
    """Return where the first word outside tiles stands."""
    return re.search(r"[a-z]{2,}", TILE.sub(lambda tile: " " * len(tile[0]), text))


def verbs_of(game: Game) -> list[str]:
    """Return the verbs of a game's actions, without their endings."""
    if game.move_of is not None:
        return [PLAY]  # only a view gives these actions their full names
    return list(dict.fromkeys(named(name)[0] for name in game.action_names))


@functools.lru_cache(maxsize=256)
def read_pattern(text: str, game: Game) -> list[Pattern]:
    """Return what a pattern says, one of which must hold; raises ValueError naming what is not understood."""
    return [_read(part.strip(), game) for part in re.split(r"\bor\b", text.lower())]


def _read(text: str, game: Game) -> Pattern:
    if opened := re.fullmatch(r"leaves? ([1-6])( open)?", text):
        if "leaves" not in vocabulary_of(game).actions:
            raise ValueError(f"{text!r}: no action of {game.id} leaves a number open")
        return Pattern("", (), (), (), leaves=int(opened[1]))
    words = _words_in(text)
    if not words:
        raise ValueError(f"{text!r} does not say what is done; verbs of {game.id} are {', '.join(_shown(game))}")
    before, rest = text[: words.start()], text[words.start() :]
    verb, rest, lead = _verb(rest, text, game)
    tiles = tiles_named(rest)
    asks: list[tuple[Callable[[Sequence[tuple[int, int]]], bool], bool]] = []
    extreme, wanted = 0, True
    for word in TILE.sub(" ", rest).split():
        if word in ("no", "not", "without"):
            wanted = False
        elif word in (HEAVIEST, LIGHTEST) and wanted:
            extreme = 1 if word == HEAVIEST else -1
        elif word not in ARTICLES:
            asks.append((_about(word, text), wanted))
            wanted = True
    return Pattern(verb, tiles_named(before), tiles, tuple(asks), extreme, lead=lead)


def _verb(rest: str, text: str, game: Game) -> tuple[str, str, bool]:
    """Return the verb that a pattern begins with, what follows it, and whether it says that one leads."""
    stems = [stem(word) for word in re.findall(r"[a-z]+", rest)]
    known = sorted(verbs_of(game), key=lambda verb: -len(verb.split()))
    for verb in known:
        many = len(verb.split())
        if stems[:many] == verb.split():
            return verb, re.sub(rf"^(\s*[a-z]+){{{many}}}", "", rest), False
    first, after = stems[0], re.sub(r"^\s*[a-z]+", "", rest)
    if first == LEADS:
        plain = [verb for verb in ("play", "lay") if verb in known]
        return (plain[0] if plain else ""), after, True
    if first in ("lay", "play") and (PLAY in known or "lay" in known):
        return (PLAY if PLAY in known else "lay"), after, False
    if any(verb.split()[0] == first for verb in known):
        return first, after, False  # the beginning of several verbs, such as catch and catch three
    raise ValueError(f"{text!r}: {first!r} is not a verb of {game.id}; its verbs are {', '.join(_shown(game))}")


def _shown(game: Game) -> list[str]:
    return [*verbs_of(game), "lead"]


def _about(word: str, text: str) -> Callable[[Sequence[tuple[int, int]]], bool]:
    """Return what a word says of the tiles of an action; raises ValueError."""
    word = word.removesuffix("s")
    if word == "double":
        return lambda tiles: any(a == b for a, b in tiles)
    if word in COUNTS:
        return lambda tiles: len(tiles) == COUNTS[word]
    if word in "123456":
        return lambda tiles: any(int(word) in tile for tile in tiles)
    allowed = f"a tile as [4:2], a double, a number, {', '.join(COUNTS)}, {HEAVIEST} and {LIGHTEST}"
    raise ValueError(f"{text!r}: {word!r} does not describe tiles in a pattern; write {allowed}")


def has(at: Positions, text: str) -> np.ndarray:
    """Return which actions a pattern fits, bool [N, num_actions]."""
    found = np.zeros(at.masks.shape, bool)
    for pattern in read_pattern(text, at.game):
        found |= _fits(at, pattern)
    return found


def _fits(at: Positions, pattern: Pattern) -> np.ndarray:
    if pattern.leaves:
        return np.broadcast_to(vocabulary_of(at.game).actions["leaves"].has(at, pattern.leaves), at.masks.shape)
    fits, pips = np.zeros(at.masks.shape, bool), np.zeros(at.masks.shape, int)
    for rows, names in _names(at):
        own, weights = zip(*(_fit(pattern, name) for name in names), strict=True)
        fits[rows], pips[rows] = own, weights
    if pattern.extreme:
        among = np.where(at.masks & fits, pattern.extreme * pips, np.iinfo(int).min)
        fits &= among == among.max(1, keepdims=True)
    if pattern.lead:
        lead = vocabulary_of(at.game).positions.get(LEADS)
        begun = lead.values(at, 0) if lead else at.states.moves == 0
        fits &= np.asarray(begun, bool)[:, None]
    return fits


def _names(at: Positions) -> Iterator[tuple[np.ndarray | slice, Sequence[str]]]:
    """Yield the names of all actions, with the rows in which they are called so."""
    if at.game.move_of is None:
        yield slice(None), at.game.action_names
        return
    views = views_of(at)
    for row in range(len(at.states)):
        legal = at.masks[row]
        names = [_tiles_of(at.game.action_name(each, views[row])) if legal[each] else "" for each in range(len(legal))]
        yield np.array([row]), names


def _tiles_of(name: str) -> str:
    return "".join(f"[{a}:{b}]" for a, b in tiles_named(name))


def views_of(at: Positions) -> np.recarray:
    """Return what the seats to act know, a record array [N]."""
    views: np.recarray = standing(at.game, at.variant, at.states).views()[0]
    return views


@functools.lru_cache(maxsize=1 << 16)
def _fit(pattern: Pattern, name: str) -> tuple[bool, int]:
    """Return whether a name is one that a pattern means, and the pips of what is played."""
    verb, before, after = named(name)
    played = after or before
    longer = bool(played) and verb.split()[:1] == pattern.verb.split()  # catch three is to catch, play on not to play
    same = not pattern.verb or verb == pattern.verb or longer
    good = bool(name) and same and _among(pattern.before, before) and _among(pattern.tiles, played)
    good = good and all(asked(played) == wanted for asked, wanted in pattern.asks)
    return good, sum(map(sum, played))


def _among(some: Sequence[tuple[int, int]], tiles: Sequence[tuple[int, int]]) -> bool:
    return all(list(tiles).count(each) >= list(some).count(each) for each in some)
