"""Watching games of agents, and stepping through recorded ones, in a terminal."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from gupai_agents.agent import Agent
from gupai_agents.evaluation.matches.match import labels_of_line_up
from gupai_agents.evaluation.records.games import GameRecord, RecordWriter
from gupai_app.play.session import Session
from gupai_app.shell.terminal import Terminal
from gupai_env.core.game import Game
from gupai_env.core.rng import in_json
from gupai_env.core.scene import seat_names
from gupai_env.core.text import columns
from gupai_env.core.variant import Variant
from gupai_env.games.phrases import title
from gupai_env.messages import say, word
from gupai_env.storage.files import json_text


def watch(
    game: Game,
    variant: Variant,
    agents: Sequence[Agent],
    seed: int,
    terminal: Terminal,
    *,
    tables: bool = False,
    record: RecordWriter | None = None,
) -> None:
    """Show one episode of agents, one per seat, move by move; with `tables` the table after every move.

    Args:
        game, variant: What is played.
        agents: One for each seat.
        seed: Of the episode.
        terminal: Where it is shown.
        tables: Whether the table is shown after every move.
        record: Where the game is written, None for nowhere.
    """
    session = Session(game, variant, seed)
    names = labels_of_line_up(agents)
    terminal.paragraph(say("{game}, seed {seed}", game=title(game, variant), seed=seed))
    for _ in _show(session, names, lambda session: session.answer(agents[session.seat]), terminal, tables=tables):
        pass
    if record is not None:
        record.write([session.record(names)])


def replay(games: Iterable[GameRecord], first: int, *, tables: bool = False) -> Iterator[str]:
    """Yield what shows recorded games, the first of them number `first`, as `watch` does: text after text, in lines."""
    lines: list[str] = []
    terminal = Terminal(say=lines.append)
    for number, game in enumerate(games, first):
        session = Session.of(game)
        terminal.say("")
        head = "Game {number}: {game}, seed {seed}, episode {episode}"
        game_title = title(game.game, game.variant)
        terminal.paragraph(say(head, number=number, game=game_title, seed=game.seed, episode=game.episode))
        moves = iter(game.actions)
        for _ in _show(session, game.agents, lambda _, moves=moves: next(moves), terminal, tables=tables):  # type: ignore[misc]
            yield "".join(f"{line}\n" for line in lines)
            lines.clear()


def _show(
    session: Session, agents: Sequence[str], answer: Callable[[Session], int], terminal: Terminal, *, tables: bool
) -> Iterator[None]:
    """Show an episode move by move, and yield after each; `answer` says what is played."""
    names = [
        say("{seat} {agent}", seat=seat, agent=name) for seat, name in zip(seat_names(len(agents)), agents, strict=True)
    ]
    deal = -1
    known: tuple[str, ...] = ()  # the notes of the last table shown
    while not session.terminated:
        begins, deal = session.state.deal > deal, int(session.state.deal)
        if begins or tables:
            scene = session.scene(names)
            terminal.table(scene)
            known = scene.notes
        step = session.take(answer(session), names, known)
        done = word(say("{name}: {move}", name=names[step.seat], move=say(step.words)))
        space = " " * max(36 - columns(done), 0)
        terminal.say(f"{step.number:>3}  {done}{space}  {word(step.news)}".rstrip())
        if step.payoffs:
            terminal.table(step.scene)
        yield


def watch_json(
    game: Game, variant: Variant, agents: Sequence[Agent], seed: int, record: RecordWriter | None = None
) -> None:
    """Print one episode as one JSON object per move; where a move ends a deal, `payoffs` are chips by seat.

    Args:
        game, variant: What is played.
        agents: One for each seat.
        seed: Of the episode.
        record: Where the game is written, None for nowhere.
    """
    session, names = Session(game, variant, seed), labels_of_line_up(agents)
    while not session.terminated:
        deal = int(session.state.deal)
        seat = session.seat
        view, legal = session.view(seat), session.mask().nonzero()[0].tolist()
        action = session.answer(agents[seat])
        payoffs = session.play(action)
        line = {
            "game": game.id,
            "seed": in_json(seed),
            "deal": deal,
            "move": int(session.state.moves),
            "seat": seat,
            "agent": names[seat],
            "action": action,
            "name": game.action_name(action, view),
            "legal": legal,
            "payoffs": payoffs,
        }
        print(json_text(line))
    if record is not None:
        record.write([session.record(names)])
