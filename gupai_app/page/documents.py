"""What a page asks for, wherever it is: a table, the form that begins one, rules, a puzzle, or a game to look at."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from gupai_agents.shipped import levels
from gupai_app.kept.puzzles import puzzle
from gupai_app.play.address import ANY, COACH, PERSON, Address, complete, query_of, rules_of, words_of_rules
from gupai_app.play.pictures import rules_in_words
from gupai_app.play.table import document
from gupai_app.review.document import review
from gupai_app.server.players import Players, level_names
from gupai_app.words.languages import spoken
from gupai_app.words.sentences import choice_in, compass, option_in, title_in
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant, typed
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import title
from gupai_env.messages import word

MATCHES = (1, 2, 3, 4, 5, 8, 10, 16, 20, 25)  # deals of a match that a form offers
LABELS = {
    "rules": "All rules, with pictures",
    "terms": "Terms",
    "begin": "Rules and players",
    "play": "Play",
    "colon": ": ",
}
KINDS = {"1": "practice", COACH: "practice with a coach", "0": "serious"}


def document_at(query: Mapping[str, str], players: Players, waits: Callable[[str], str]) -> dict[str, Any]:
    """Return what an address shows, as JSON holds it. Raises: ValueError, in one line.

    Args:
        query: The words of the address: `review` asks for a game to look at, `puzzle` for a puzzle, `rules` for the
            rules, `begin` for a form in which they and the players are chosen.
        players, waits: As of `document`.
    """
    if "review" in query:
        return review(query, players)
    if "puzzle" in query:
        return puzzle(query, players)
    if "rules" in query:
        return rules(query)
    return begin(query, players) if "begin" in query else document(query, players, waits)


def _head(query: Mapping[str, str]) -> dict[str, Any]:
    """Return what pages of a game share: its address, title, terms and labels."""
    game, variant = rules_of(query)
    words = words_of_rules(game, variant)
    return {
        "address": query_of(query),
        "table": query_of(words),
        "begin": query_of({**words, "begin": "1"}),
        "game": game.id,
        "language": spoken(),
        "title": title_in(title(game, game.variant())),
        "terms": [[word(term), word(meaning)] for term, meaning in guide_of(game, variant).terms.items()],
        "labels": {name: word(label) for name, label in LABELS.items()},
    }


def rules(query: Mapping[str, str]) -> dict[str, Any]:
    """Return the rules of a game, each with its headword, and what its terms mean."""
    game, variant = rules_of(query)
    head = _head(query)
    return head | {
        "heading": word("Rules of {0}").format(head["title"]),
        "goal": word(guide_of(game, variant).goal),
        "rules": [list(rule) for rule in rules_in_words(game)],
    }


def begin(query: Mapping[str, str], players: Players) -> dict[str, Any]:
    """Return a form in which rules and players are chosen; it begins with those of the address.

    `parts` are its fieldsets, each with a heading, a sentence and fields: `code` is the name in an address, `now` the
    value, and `choices` what may be chosen, each with its value, words and the heading of its group; none where a text
    is written. `strength` is a table that says how strong the levels are, None for a game without.
    """
    there = Address.read(complete({**query, "seat": ANY}), players)
    game, variant = there.game, there.variant
    return _head(query) | {
        "about": word(game.hints(game, variant).reminder()),
        "parts": [
            {
                "heading": word("Players"),
                "help": word(
                    "An easy player makes mistakes, a master is the strongest; the players by name are explained in "
                    "the documentation."
                ),
                "fields": [option_field(variant, "players"), *_seats(there), *_ways(there, query.get("seed", ""))],
            },
            {
                "heading": word("Rules"),
                "help": word("These are the usual rules; you need not change any of them."),
                "fields": [
                    option_field(variant, option.name) for option in fields(variant) if option.name != "players"
                ],
            },
        ],
        "strength": _strength(game),
    }


def _field(code: str, label: str, now: str, choices: Iterable[dict[str, str]] = (), help: str = "") -> dict[str, Any]:
    return {"code": code, "label": label, "now": now, "choices": list(choices), "help": help}


def _choice(code: str, words: str, group: str = "") -> dict[str, str]:
    return {"code": code, "words": words, "group": group}


def _seats(there: Address) -> Iterator[dict[str, Any]]:
    """Yield the fields of who sits at the other seats, in the order of play from the person's."""
    game, places, named = there.game, compass(there.variant.players), level_names(there.game)
    who = [_choice(name, word(name), word("Levels")) for name in named]
    others = [name for name in there.players.known(game) if name not in named]
    who += [_choice(name, name, word("Players by name")) for name in others]
    who.append(_choice(PERSON, word("another person at this screen")))
    for place in range(1, len(places)):
        same = [_choice("", word("the same as {0}").format(word(places[place - 1])))] if place > 1 else []
        now, before = (there.others[(place - back) % len(there.others)] for back in (1, 2))
        yield _field("with", word(places[place]), "" if place > 1 and now == before else now, [*same, *who])


def _ways(there: Address, seed: str) -> Iterator[dict[str, Any]]:
    """Yield the fields of how a table is played; seed: as the address names it, "" for a random one."""
    seats = [_choice(str(seat), str(seat)) for seat in range(there.variant.players)]
    where = word("Where you come in the order of play; seat 0 is the first.")
    yield _field("seat", word("Your seat in the order of the deal"), ANY, [_choice(ANY, word("random")), *seats], where)
    kinds = [_choice(code, word(kind)) for code, kind in KINDS.items()]
    how = word(
        "In a practice game, rules are explained, hints are given and moves can be taken back; a coach also says "
        "what each mistake costs. A serious game has none of these."
    )
    yield _field("practice", word("Kind of game"), COACH if there.coach else str(int(there.practice)), kinds, how)
    same = word("The number by which the tiles are shuffled: the same number deals the same tiles.")
    yield _field("seed", word("Seed"), seed, help=same)


def option_field(variant: Variant, name: str) -> dict[str, Any]:
    """Return an option of a variant as a field of a form, its code in an address being "o.deals"."""
    option = next(option for option in fields(variant) if option.name == name)
    choices = (True, False) if isinstance(option.default, bool) else option.metadata["choices"]
    offered = [_choice(typed(value), choice_in(name, value)) for value in (MATCHES if name == "deals" else choices)]
    allowed = "" if offered else word(" ({0})").format(word(variant.allowed(name)))
    help = f"{word(option.metadata['help'])}{allowed}"
    return _field(f"o.{name}", option_in(name), typed(getattr(variant, name)), offered, help)


def _strength(game: Game) -> dict[str, Any] | None:
    """Return a table that says how strong the levels of a game are, None for a game without: a note, heads and rows."""
    if not (listed := levels(game)):
        return None
    note = (
        "Chips per deal as one among players of {0}, who play about as people do, under the default rules, with 95% "
        "intervals."
    )
    rows = [
        [
            word(level.name),
            level.player,
            word("0, by definition")
            if level.player == level.against
            else f"{level.mean:+z.2f} ±{(level.high - level.low) / 2:.2f}",
            f"{level.n:,}",
        ]
        for level in listed
    ]
    return {
        "heading": word("How strong the levels are"),
        "note": word(note).format(listed[0].against),
        "heads": [word(head) for head in ("level", "player", "chips per deal", "deals")],
        "rows": rows,
    }
