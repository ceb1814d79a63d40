"""What a person sees of a game, move by move, and how each deal ended."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gupai_app.play.session import Session
from gupai_app.words.sentences import headline, payment, result
from gupai_env.core.deal import fields_of
from gupai_env.core.scene import Scene
from gupai_env.games.guide import Guide
from gupai_env.games.phrases import chips
from gupai_env.messages import joined


class End(NamedTuple):
    """How a deal ended, in sentences.

    winner: who won most. reasons: why, in the game's terms. yours, others: who pays whom, the reader's payments first.
    paid: chips by seat, each with the name of who won them.
    """

    winner: str
    reasons: list[str]
    yours: list[str]
    others: list[str]
    paid: list[tuple[str, str]]


class Frame(NamedTuple):
    """What the person sees after a move. end: how a deal ended, where it ended one, whose count is then shown."""

    scene: Scene
    words: str
    end: End | None = None


def frames_of(session: Session, moves: Sequence[int], seat: int, names: Sequence[str], guide: Guide) -> Iterator[Frame]:
    """Play moves; yield what a seat sees after each that shows it something.

    Args:
        session: The game before them, which is played on.
        names: How that seat calls the seats, by seat.
    """
    previous = None
    if not session.actions:
        yield (previous := _frame(session, seat, names))
    for action in moves:
        paid = session.play(action)
        if paid is not None:
            ended = session.as_paid(paid)
            scene = ended.scene(names, first=seat)
            words = joined(". ", [scene.last_move, result(paid[seat])])
            yield Frame(scene, words, _end(ended, paid, seat, names, guide))
            if session.terminated:
                return
        frame = _frame(session, seat, names)
        if paid is not None or frame != previous:  # something happened that the person may know of
            yield (previous := frame)


def _frame(session: Session, seat: int, names: Sequence[str]) -> Frame:
    scene = session.game.scene(session.variant, [fields_of(session.view(seat))], names)
    return Frame(scene, scene.last_move)


def _end(ended: Session, paid: Sequence[float], seat: int, names: Sequence[str], guide: Guide) -> End:
    """Return how a deal came out."""
    views = ended.views()
    transfers = [(transfer, payment(transfer, names)) for transfer in guide.payments(views, paid)]
    yours = [sentence for transfer, sentence in transfers if seat in (transfer.payer, transfer.winner)]
    return End(
        headline(names, paid),
        list(guide.reasons(views, names, paid)),
        yours,
        [sentence for _, sentence in transfers if sentence not in yours],
        [(name, chips(won)) for name, won in zip(names, paid, strict=True)],
    )
