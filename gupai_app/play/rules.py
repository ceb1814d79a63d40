"""The rules of a game in the terminal, its options, its agents and its card."""

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import fields

from gupai_agents import agent_names
from gupai_agents.players.card import READING, card_agent, closes, notes, rule_in_words
from gupai_agents.registry import NOT_NAMED
from gupai_agents.shipped import plainest_heuristic, shipped_card
from gupai_app.play.pictures import rules_in_words
from gupai_app.shell.errors import Mistake
from gupai_app.shell.screen import Screen, put, table_of
from gupai_app.shell.terminal import WIDEST, Terminal
from gupai_app.words.languages import ENGLISH, spoken
from gupai_env.core.game import Game
from gupai_env.core.text import wrap
from gupai_env.core.variant import Variant, typed
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import latin, title
from gupai_env.messages import joined, say, word

NARROWEST = 8  # columns of a text; a narrower terminal breaks its lines itself


def rules_text(game: Game, width: int) -> str:
    """Return the rules of a game in the language that is spoken, in lines of at most `width` columns."""
    if spoken() == ENGLISH:
        return fill_rules(game.rules_text, width)
    rules = [_heading(game), *(joined(": ", rule) for rule in rules_in_words(game))]
    return "\n".join(line for rule in rules for line in wrap(word(rule), width))


def key_lines(game: Game, variant: Variant, width: int, *, practises: bool) -> list[str]:
    """Return what a person can type, in lines; practises: whether they may have hints and take moves back.

    Args:
        game, variant: What is played.
        width: Columns of a line.
        practises: Whether the person may have hints and take moves back.
    """
    keys = {
        "!": "a hint: what to think about, then why, then values",
        "u": "take back your last move",
        "o": "what the others may hold",
        "all": "list all your moves",
        "s": "sort your hand by pips, or as the game ranks its tiles",
        "64; 31": "several moves, one after another as your turns come",
        "? rules": "the rules of the game",
        "? terms": "what its terms mean",
        "? options": "the options of its rules",
        "? card": "seven rules or fewer to play by",
        "q": "leave the table",
    }
    return [
        *wrap(word(game.hints(game, variant).answers), width),
        *(f"  {key:<9}  {word(meaning)}" for key, meaning in keys.items() if practises or key not in "!uo"),
    ]


def _rule_lines(game: Game, variant: Variant, width: int) -> list[str]:
    """Return the rules of a game as a person needs them."""
    return [*wrap(word(_heading(game)), width), *_entries(rules_in_words(game), width)]


def _term_lines(game: Game, variant: Variant, width: int) -> list[str]:
    """Return what the terms of a game mean."""
    terms = guide_of(game, variant).terms
    return list(_entries(terms.items(), width)) if terms else [word("This game has no terms of its own.")]


def _option_lines(game: Game, variant: Variant, width: int) -> list[str]:
    """Return the options of a variant with their values, first those that are not as usual."""
    changed = say("Not as usual at this table: {options}.", options=", ".join(variant.typed()))
    values = [f"{field.name}={typed(getattr(variant, field.name))}" for field in fields(variant)]
    meanings = [say(field.metadata["help"]) for field in fields(variant)]
    first = wrap(word(changed if variant.typed() else "All options are as usual at this table."), width)
    return [*first, *_entries(zip(values, meanings, strict=True), width)]


def _card_lines(game: Game, variant: Variant, width: int) -> list[str]:
    """Return the rules of the card of a game, in their order."""
    player = card_agent(game, variant)
    if player is None:
        return [word(say("{game} has no card", game=title(game, variant)))]
    numbered = [(str(number), rule_in_words(game, rule)) for number, rule in enumerate(player.rules, 1)]
    counts = _entries(notes(game, player.rules), width)
    return [*wrap(word(READING), width), *_entries(numbered, width), *counts]


def _entries(entries: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield lines of texts with a headword each."""
    for headword, text in entries:
        yield from wrap(word(joined(": ", [headword, text])), width, subsequent_indent="  ")


TOPICS = {"rules": _rule_lines, "terms": _term_lines, "options": _option_lines, "card": _card_lines}


def _heading(game: Game) -> str:
    if spoken() == ENGLISH:
        return game.rules_text.partition("\n")[0]
    return joined(": ", [latin(game.title), guide_of(game, game.variant()).goal])


def games(listed: Iterable[Game]) -> None:
    """Print the games, a line each."""
    table = table_of("game", "", show_header=False)
    for game in listed:
        table.add_row(game.id, _heading(game))
    put(table, "For the rules of a game, its options and its agents: gupai rules GAME")


def rules(game: Game) -> None:
    """Print the rules of a game, its options and who plays it."""
    table = table_of("option", "default", "allowed", "meaning")
    table.columns[0].no_wrap = True
    for field in fields(game.variant):
        allowed = game.variant.allowed(field.name)
        table.add_row(field.name, str(field.default).lower(), say(allowed), say(field.metadata["help"]))
    features = table_of("feature", "unit", "range", "meaning")
    features.columns[0].no_wrap = True
    for feature in game.features:
        bounds = say("{bottom} to {top}", bottom=f"{feature.low:g}", top=f"{feature.high:g}")
        features.add_row(feature.name, say(feature.unit), bounds, say(feature.meaning))
    heuristics = table_of("player", "weights")
    heuristics.columns[0].no_wrap = True
    for name, weights in game.heuristics.items():
        heuristics.add_row(name, ", ".join(f"{feature}={weight:g}" for feature, weight in weights.items()))
    Terminal().say(rules_text(game, Screen().width))
    first, last = game.moves[0].name, game.moves[-1].name
    put(
        table,
        say("Set options with -o: gupai play {game} -o {option}", game=game.id, option=game.variant.example()),
        say("Actions: {number}, from {first} to {last}.", number=game.num_actions, first=first, last=last),
        say("Agents: {names}.", names=", ".join([*agent_names(game), *NOT_NAMED])),
    )
    if game.features:
        plainest = plainest_heuristic(game)
        put(
            "Rule-based agents weigh features of each action and play the best one:",
            heuristics,
            features,
            say(
                "To change weights: heuristic:FEATURE=WEIGHT,..., {player}+FEATURE=WEIGHT, or with a temperature, "
                "{player}@1.5",
                player=plainest,
            ),
        )


def card(game: Game) -> None:
    """Print the rules of a game's card, and what each of them adds."""
    written, player = shipped_card(game, game.variant()), card_agent(game, game.variant())
    if written is None or player is None:
        raise Mistake("{game} has no card", game=game.id)
    rules = table_of("", "rule", "adds")
    rules.columns[1].max_width = WIDEST - 30  # also in a file
    for number, (rule, adds) in enumerate(zip(player.rules, written["adds"], strict=True), 1):
        rules.add_row(str(number), rule_in_words(game, rule), adds)
    counts = (joined(": ", note) for note in notes(game, player.rules))
    put(
        say("{game}: rules to follow in their order", game=title(game, game.variant())),
        READING,
        rules,
        *counts,
        closes(written),
        say("The player card follows them: gupai tournament {game} card greedy best", game=game.id),
    )


def fill_rules(text: str, width: int) -> str:
    """Return the rules of a game in lines of at most `width` columns."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") and lines:  # continues the line before
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(_filled(line, width) for line in lines)


def _filled(line: str, width: int) -> str:
    """Break a line of the rules; what follows a headword and spaces stays in its column."""
    head = re.match(r"\w+ {2,}", line)
    wide = sum(unicodedata.east_asian_width(letter) == "W" for letter in line)  # two columns each
    return textwrap.fill(line, max(width - wide, NARROWEST), subsequent_indent=" " * len(head[0]) if head else "")
