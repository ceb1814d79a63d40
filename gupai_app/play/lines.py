"""`gupai play --json`: a program at the table in place of a person; it reads lines of JSON and writes its moves."""

import sys
from collections.abc import Sequence
from typing import NoReturn

from gupai_agents.agent import Agent
from gupai_agents.evaluation.matches.match import labels_of_line_up
from gupai_agents.evaluation.records.games import RecordWriter
from gupai_agents.failure import Leave
from gupai_agents.players.text_agent import TextAgent
from gupai_app.play.rules import rules_text
from gupai_app.play.session import Session
from gupai_app.play.terminal import outcome
from gupai_app.shell.streams import say
from gupai_app.shell.terminal import WIDEST
from gupai_app.words.sentences import result, translated
from gupai_env.core.scene import seat_names
from gupai_env.messages import joined, word


def play(session: Session, agents: Sequence[Agent], you: int, record: RecordWriter | None = None) -> NoReturn:
    """Play episodes of one stream with a program at standard input and output, until its input ends.

    Args:
        session: The first episode.
        agents: One per seat; the one at seat `you` is not asked.

    Raises:
        Leave: The input has ended.
        AgentError: For an answer that is not a move.
    """
    game, variant, seed = session.game, session.variant, session.seed
    program = TextAgent("program", game, variant, _answer, translated)
    seating = [program if seat == you else agent for seat, agent in enumerate(agents)]
    labels, names = labels_of_line_up(seating), seat_names(variant.players, you)
    say("gupai: {game}, seed {seed}, seat {seat}", error=True, game=game.id, seed=seed, seat=you)
    _write(program.request("game", rules=rules_text(game, WIDEST)))
    while True:
        while not session.terminated:
            payoffs = session.play(session.answer(seating[session.seat]))
            if payoffs:
                ended = session.as_paid(payoffs)
                text = word(joined(" ", [result(payoffs[you]), outcome(ended, names, you, payoffs)]))
                paid = {"deal": int(session.state.deal), "seat": you, "payoffs": payoffs, "text": text}
                _write(program.request("result", ended.scene(names, first=you), **paid))
        if record is not None:
            record.write([session.record(labels)])
        session = Session(game, variant, seed, session.episode + 1)


def _write(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


def _answer(request: str) -> str:
    _write(request)
    if not (line := sys.stdin.readline()):
        raise Leave(0)
    return line
