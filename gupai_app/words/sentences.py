"""What the app says to people in whole sentences, apart from the templates of its pages: one place for a catalogue."""

from collections.abc import Sequence
from dataclasses import replace

from gupai_env.core.scene import YOU, Pile, Place, Scene
from gupai_env.core.variant import value_named
from gupai_env.games import GAMES
from gupai_env.games.guide import Payment
from gupai_env.games.phrases import latin
from gupai_env.messages import Message, alias, capitalized, count, joined, one_line, say, word

# The places around a table in order of turn from the reader's, and those that are taken, by the number of seats:
COMPASS = tuple(map(say, ("South", "Southeast", "East", "Northeast", "North", "Northwest", "West", "Southwest")))
TAKEN = {2: "04", 3: "026", 4: "0246", 5: "02356", 6: "023456", 7: "0123567", 8: "01234567"}
HEADS = {
    404: "There is no such page",
    422: "That cannot be done",
    500: "Something went wrong",
    503: "Something is missing on this machine",
}
REFUSED = "This request is refused"  # the head of any other error
YES_OR_NO = {"true": "yes", "false": "no"}  # of an option, in English; other languages have their own


def compass(players: int, south: int = 0) -> list[str]:
    """Return the names of seats by their place at the table, by seat.

    Args:
        south: The seat at the near side.
    """
    return [COMPASS[int(TAKEN[players][(seat - south) % players])] for seat in range(players)]


def names_at(players: int, south: int, you: int | None) -> list[str]:
    """Return the names of seats, "You" for the reader's."""
    return [YOU if seat == you else name for seat, name in enumerate(compass(players, south))]


def counted_chips(amount: float) -> str:
    """Return "1 chip" or "2.5 chips"."""
    return count("{number:g} chip", "{number:g} chips", amount)


def result(paid: float) -> str:
    """Return in a sentence what a person won in a deal."""
    if paid == 0:
        return "You come out even."
    if paid < 0:
        return say("You lose {chips}.", chips=counted_chips(-paid))
    return say("You win {chips}.", chips=counted_chips(paid))


def won(name: str, paid: float) -> str:
    """Return in a sentence who won a deal."""
    return result(paid) if name == YOU else say("{name} wins {chips}.", name=name, chips=counted_chips(paid))


def being_prepared(game: str, doing: str, seconds: float) -> str:
    """Return in a sentence what a page waits for.

    Args:
        game: That the page is about.
        doing: What is being compiled now.
        seconds: Since when.
    """
    return say(
        "{game} is being prepared, once on this machine: it takes half a minute or less on a quiet one. "
        "Now: {doing}, for {seconds:.0f} s.",
        game=game,
        doing=doing,
        seconds=seconds,
    )


def by_kind(kinds: Sequence[tuple[str, int, float]], digits: int) -> str:
    """Return the chips that decisions of each kind lost, and how many there were: "discard 1.8 (2), play 0.4 (1)"."""
    lost = "{kind} {chips} ({number})"
    return joined(
        ", ", [say(lost, kind=say(kind), chips=f"{chips:.{digits}f}", number=number) for kind, number, chips in kinds]
    )


def winners(names: Sequence[str], payoffs: Sequence[float]) -> str:
    """Return in a sentence who won most in a deal."""
    most = max(payoffs)
    if most <= 0:
        return "Nobody wins."
    *others, last = [name for name, paid in zip(names, payoffs, strict=True) if paid == most]
    if not others:
        return won(last, most)
    both = joined(" and ", [joined(", ", others), last])
    return say("{names} win {chips} each.", names=both, chips=counted_chips(most))


def headline(names: Sequence[str], payoffs: Sequence[float]) -> str:
    """Return in a sentence who won most in a deal, after what the reader won if that was less."""
    won = payoffs[names.index(YOU)] if YOU in names else 0
    return joined(" ", [result(won) if won not in (0, max(payoffs)) else "", winners(names, payoffs)])


def payment(paid: Payment, names: Sequence[str]) -> str:
    """Return in a sentence who pays whom."""
    payer, winner, amount = names[paid.payer], names[paid.winner], counted_chips(paid.chips)
    if payer == YOU:
        return say("You pay {name} {chips}.", name=winner, chips=amount)
    if winner == YOU:
        return say("{name} pays you {chips}.", name=payer, chips=amount)
    return say("{payer} pays {winner} {chips}.", payer=payer, winner=winner, chips=amount)


def error_in(text: str) -> str:
    """Return an error as a sentence in the language of the request, in English where no entry is like it."""
    bare = one_line(text)
    for text in (bare, bare.removesuffix(".")):
        if (worded := word(text)) != text:
            return worded if worded.endswith(("。", "？")) else f"{worded.removesuffix('.')}。"
    first, space, _ = bare.replace("=", " ").partition(" ")
    plain = space and all(part.isascii() and part.isalpha() and part.islower() for part in first.split("_"))
    begun = str(capitalized(bare)) if plain else bare  # files, keys and agents stay as they are
    return begun if begun.endswith((".", "?", "!")) and not begun.endswith("..") else f"{begun.removesuffix('.')}."


def title_in(title: str) -> str:
    """Return a title; that of a game, "Jie Long 接龍", with its name in the language alone."""
    return word(title if isinstance(title, Message) else alias(title, latin(title)))


def game_in(game: str) -> str:
    """Return the name of a game by its id, as people of the language call it; the id of one that is not known."""
    return word(alias(game, latin(GAMES[game].title))) if game in GAMES else game


def option_in(name: str) -> str:
    """Return the name of an option as people read it."""
    return word(name if isinstance(name, Message) else name.replace("_", " "))


def choice_in(name: str, value: object) -> str:
    """Return a value of an option; an entry with the option's name as its context is for that option alone."""
    choice = word(value_named(name.replace(" ", "_"), value))
    return YES_OR_NO.get(choice.lower(), choice)


def translated(scene: Scene) -> Scene:
    """Return a table with its words in the language of the request."""
    places, notes = tuple(map(translated_place, scene.places)), tuple(map(word, scene.notes))
    words = {"title": title_in(scene.title), "last_move": word(scene.last_move)}
    return replace(scene, centre=_piles(scene.centre), places=places, notes=notes, **words)


def translated_place(place: Place) -> Place:
    """Return a place of a table with its words in the language of the request."""
    return replace(place, name=word(place.name), note=word(place.note), piles=_piles(place.piles))


def _piles(piles: tuple[Pile, ...]) -> tuple[Pile, ...]:
    return tuple(replace(pile, label=word(pile.label)) for pile in piles)
