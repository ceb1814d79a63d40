"""What `gupai games` prints."""

import json
from collections.abc import Iterable, Iterator

from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.records.games import GameRecord, game_of_line
from gupai_app.kept.figures import FEWEST, figures, mean_text, note_review, review_all
from gupai_app.kept.puzzles import Shipped, puzzles_in, solution
from gupai_app.kept.rematch import Duplicate
from gupai_app.kept.store import Kept, Search, Store
from gupai_app.play.address import Address, play_on
from gupai_app.play.moves import entries_of, in_words
from gupai_app.play.person import HumanPlayer
from gupai_app.play.session import Session
from gupai_app.play.table import WebGame
from gupai_app.review.analysis import largest_losses, luck, why
from gupai_app.shell.screen import progress, put, put_json, table_of, waiting
from gupai_app.shell.streams import worded
from gupai_app.shell.terminal import Terminal
from gupai_app.words.sentences import by_kind, game_in, names_at, result
from gupai_env.games.phrases import title
from gupai_env.messages import say, word


def listed(search: Search, most: int, *, as_json: bool = False) -> None:
    """Print the games that match, the latest first, up to so many.

    Args:
        search: Which games.
        most: How many are listed.
        as_json: Whether to print JSON.
    """
    store = Store()
    games, count = store.find(search, most), store.count(search)
    if as_json:
        put_json({"games": [game._asdict() | {"line": json.loads(game.line)} for game in games]})
        return
    if games:
        rows = (
            (str(game.number), game.day, game_in(game.game), worded(game.level), str(game.seat), f"{game.chips:+z.6g}")
            for game in games
        )
        put(table_of("number", "day", "game", "against", "seat", "chips", rows=rows))
    put(say("Games: {shown} of {count}, in {path}.", shown=len(games), count=count, path=store.path))
    for name, unfinished in store.unfinished().items():
        if search.game in ("", name):
            advice = "{game}, unfinished since {day}: gupai play {name} --resume"
            put(say(advice, day=unfinished.day, game=game_in(name), name=name))
    if not store.keeping:
        put("New games are not kept: gupai games keep on")


def statistics(search: Search, by: str, *, review: bool, as_json: bool) -> None:
    """Print how the person does by game, level and period; review: look at every decision of the games before.

    Args:
        search: Which games.
        by: A period, one of `gupai_app.kept.figures.PERIODS`.
        review: Whether to look first at every decision of games that were not reviewed yet.
        as_json: Whether to print JSON.
    """
    store = Store()
    games = store.find(search)
    if review and (new := [game for game in games if game.luck is None]):
        with progress("games", len(new)) as done:
            for _ in review_all(store, new):
                done(1)
        games = store.find(search)
    rows = figures(games, by)
    if as_json:
        means = ("chips", "adjusted", "loss")
        put_json({"rows": [row._asdict() | {name: getattr(row, name).as_numbers() for name in means} for row in rows]})
        return
    which = ["game", "against", by][: 2 if by == "all" else 3]
    keyed = [((game_in(row.game), worded(row.level), row.period)[: len(which)], row) for row in rows]
    results = [(*key, str(row.games), mean_text(row.chips), str(row.reviewed)) for key, row in keyed]
    reviewed = [
        (*key, mean_text(row.adjusted), mean_text(row.loss, signed=False), word(by_kind(row.kinds, 2)))
        for key, row in keyed
        if row.reviewed
    ]
    put(table_of(*which, "games", "chips per deal", "reviewed", rows=results))
    if reviewed:
        put(table_of(*which, "luck-adjusted", "loss per decision", "by kind", rows=reviewed))
    put(say("With 95% intervals from {number} games on. Luck and losses are those of reviewed games.", number=FEWEST))
    if any(row.reviewed < row.games for row in rows):
        put("--review looks at all that are left.")


def review(game: Kept) -> None:
    """Print what the person's decisions in a game lost, and what their tiles were worth."""
    record = game_of_line(game.line.encode())
    with waiting("looking at every decision"):
        own, tiles = note_review(Store(), record), luck(record)[game.seat]
    losses = largest_losses(own)
    rows = [
        (str(turn.number), *(word(in_words(record.game.move(value.action, turn.view))) for value in values), turn.lost)
        for turn in losses
        for values in [(turn.played, turn.ranked[0])]
    ]
    put(say("{game}, seed {seed}", game=title(record.game, record.variant), seed=record.seed), result(game.chips))
    worth = "Your tiles were worth {value} chips; without their luck you come to {adjusted}."
    adjusted = figure(tiles.won - tiles.value.mean, tiles.value.half_width).partition(" ")[0]
    put(say(worth, value=mean_text(tiles.value), adjusted=adjusted))
    if rows:
        put(table_of("move", "your move", "best move", "chips lost", rows=rows))
        for turn in losses:
            if because := why(record, turn):
                put(say("Move {number}: {sentence}.", number=turn.number, sentence=because))
    put(
        "Losses within the noise of the search are not listed."
        if rows
        else "No decision loses more than the noise of the search."
    )
    file = f"game-{game.number}.jsonl"
    put("To step through it:", f"gupai games export {file} {game.number} && gupai replay {file}")


def duplicate(played: Duplicate) -> None:
    """Print what a deal came to for a person and for another player at their seat."""
    rows = ((worded(name), f"{won:+z.6g}", f"{rerun:+z.6g}") for name, won, rerun in played.rows)
    put(table_of("seat", "your game", played.player, rows=rows), played.sentence)


def puzzles(games: Iterable[GameRecord], ready: Iterable[Shipped], terminal: Terminal) -> None:
    """Let a person solve puzzles, one after another; raises Quit if they leave.

    Args:
        games: In which puzzles are looked for.
        ready: Those that follow.
    """
    number = 0
    for number, (session, names) in enumerate(_positions(games, ready), 1):
        game, variant = session.game, session.variant
        head = "Puzzle {number}: {game}. One move is worth much more than the others; q leaves."
        terminal.paragraph(say(head, number=number, game=title(game, variant)))
        action = HumanPlayer(game, variant, terminal, names).choose(session.decision_batch())
        assert action is not None  # nothing is taken back here
        entries = entries_of(game.hints(game, variant), session.view(session.seat), session.mask())
        with waiting("looking at every move"):
            sentences, notes = solution(session, entries, names, action)
        for sentence in sentences:
            terminal.paragraph(sentence)
        for entry, (value, best) in zip(entries, notes, strict=True):
            terminal.say(f"{'*' if best else ' '} {word(entry.move.name)} {word(value)}")
    terminal.say("There are no more puzzles." if number else "There are no puzzles.")


def _positions(games: Iterable[GameRecord], ready: Iterable[Shipped]) -> Iterator[tuple[Session, list[str]]]:
    """Yield the decisions that are puzzles, each with the names of the seats."""
    for record in games:
        with waiting("looking for puzzles"):
            own = puzzles_in(record)
        for turn, _, _ in own:
            session = Session.of(record)
            play_on(session, record.actions[: turn.number - 1])
            yield session, names_at(record.variant.players, turn.seat, turn.seat)
    for puzzle in ready:
        seating = WebGame(Address.read(puzzle.words))
        yield seating.session, seating.names
