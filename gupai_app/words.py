"""What the app says to people in whole sentences, apart from the templates of its pages: one place for a catalogue."""

from collections.abc import Sequence

from gupai_env.core.guide import Payment
from gupai_env.core.phrases import YOU

# The places around a table in order of turn from the reader's, and those that are taken, by the number of seats:
COMPASS = ("South", "Southeast", "East", "Northeast", "North", "Northwest", "West", "Southwest")
TAKEN = {2: "04", 3: "026", 4: "0246", 5: "02356", 6: "023456", 7: "0123567", 8: "01234567"}
HEADS = {
    404: "There is no such page",
    422: "That cannot be done",
    500: "Something went wrong",
    503: "Something is missing on this machine",
}
REFUSED = "This request is refused"  # the head of any other error


def compass(players: int, south: int = 0) -> list[str]:
    """Return the names of seats by their place at the table, by seat.

    Args: south: the seat at the near side.
    """
    return [COMPASS[int(TAKEN[players][(seat - south) % players])] for seat in range(players)]


def names_at(players: int, south: int, you: int | None) -> list[str]:
    """Return the names of seats, "You" for the reader's."""
    return [YOU if seat == you else name for seat, name in enumerate(compass(players, south))]


def counted_chips(amount: float) -> str:
    """Return "1 chip" or "2.5 chips"."""
    return f"{amount:g} {'chip' if amount == 1 else 'chips'}"


def signed_chips(amount: float) -> str:
    """Return "+1 chip" or "-2.5 chips"."""
    return f"{amount + 0.0:+g} {'chip' if abs(amount) == 1 else 'chips'}"


def result(paid: float) -> str:
    """Return in a sentence what a person won in a deal."""
    if paid == 0:
        return "You come out even."
    return f"You {'win' if paid > 0 else 'lose'} {counted_chips(abs(paid))}."


def won(name: str, paid: float) -> str:
    """Return in a sentence who won a deal."""
    return f"{name} {'win' if name == YOU else 'wins'} {counted_chips(paid)}."


def being_prepared(game: str, doing: str, seconds: float) -> str:
    """Return in a sentence what a page waits for.

    Args: game: that the page is about. doing: what is being compiled now. seconds: since when.
    """
    return (
        f"{game} is being prepared, once on this machine: it takes half a minute or less on a quiet one. "
        f"Now: {doing}, for {seconds:.0f} s."
    )


def winners(names: Sequence[str], payoffs: Sequence[float]) -> str:
    """Return in a sentence who won most in a deal."""
    most = max(payoffs)
    if most <= 0:
        return "Nobody wins."
    found = [name for name, paid in zip(names, payoffs, strict=True) if paid == most]
    if len(found) == 1:
        return won(found[0], most)
    return f"{', '.join(found[:-1])} and {found[-1]} win {counted_chips(most)} each."


def payment(paid: Payment, names: Sequence[str]) -> str:
    """Return in a sentence who pays whom."""
    payer, winner = names[paid.payer], names[paid.winner]
    if payer == YOU:
        return f"You pay {winner} {counted_chips(paid.chips)}."
    return f"{payer} pays {'you' if winner == YOU else winner} {counted_chips(paid.chips)}."
