"""`gupai play`: games of a person against agents, one after another."""

from collections.abc import Sequence
from dataclasses import asdict

from gupai_agents import make_agent
from gupai_agents.agent import Agent
from gupai_agents.evaluation.match import labels_of_line_up
from gupai_agents.evaluation.records import RecordWriter
from gupai_app.kept.store import Store
from gupai_app.play.moves import ADVISER
from gupai_app.play.person import HumanAgent
from gupai_app.play.session import Session
from gupai_app.shell.terminal import Terminal
from gupai_app.words.sentences import names_at, payment, result, winners
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import chips, title
from gupai_env.words.messages import joined, say

YES, NO = ("", "y", "yes"), ("n", "no", "q", "quit", "exit")


def play(
    game: Game,
    variant: Variant,
    agents: Sequence[Agent],
    you: int,
    seed: int,
    terminal: Terminal,
    record: RecordWriter | None = None,
    games: Store | None = None,
) -> None:
    """Play episodes of one stream against agents until the person stops; raises Quit if they leave.

    Args:
        agents: One per seat; the one at seat `you` is not asked.
        games: Where finished games are kept, besides `record`.
    """
    names = names_at(variant.players, you, you)
    adviser = make_agent(ADVISER, game, **asdict(variant))
    person = HumanAgent(game, variant, terminal, names, adviser)  # type: ignore[arg-type]
    sat = [person.name if seat == you else name for seat, name in enumerate(labels_of_line_up(agents))]
    others = [say("{name}: {agent}", name=names[seat], agent=name) for seat, name in enumerate(sat) if seat != you]
    begins = "{game}, seed {seed}. You have seat {seat}. {others}."
    terminal.paragraph(say(begins, game=title(game, variant), seed=seed, seat=you, others=joined(", ", others)))
    episode, won = 0, 0.0
    while True:
        session = Session(game, variant, seed, episode)
        won += _play_episode(session, agents, person, you, names)
        if record is not None:
            record.write([session.record(sat)])
        if games is not None:
            if problem := games.keep(session.record(sat)):
                terminal.say(problem)
            elif episode == 0 and games.keeping:
                terminal.say(
                    "This game is kept on your machine: gupai games lists yours, gupai games keep off ends this."
                )
        episode += 1
        if episode > 1:
            terminal.say(say("Since you sat down: {chips}.", chips=chips(won)))
        if not _wants_more(terminal):
            return


def _play_episode(
    session: Session, agents: Sequence[Agent], person: HumanAgent, you: int, names: Sequence[str]
) -> float:
    """Play one episode, showing every move that the person can see; return the chips they won."""
    game, variant, terminal = session.game, session.variant, person.terminal
    seating = [person if seat == you else agent for seat, agent in enumerate(agents)]
    seen = b""
    while not session.terminated:
        view = session.view(you)
        if view.tobytes() != seen:  # something happened that the person may know of
            seen = view.tobytes()
            terminal.say(game.scene(variant, [view], names).last_move)
        payoffs = session.play(session.answer(seating[session.seat]))
        if payoffs:
            terminal.say("")
            terminal.say("The count, all tiles face up:")
            ended = session.as_paid(payoffs)
            terminal.table(ended.scene(names, first=you))
            terminal.paragraph(outcome(ended, names, you, payoffs))
            terminal.say(result(payoffs[you]))
    return float(session.state.total[you])


def outcome(ended: Session, names: Sequence[str], you: int, payoffs: Sequence[float]) -> str:
    """Return in sentences who won a deal and why, and what a seat paid and got for it."""
    views, guide = ended.views(), guide_of(ended.game, ended.variant)
    paid = [
        payment(transfer, names)
        for transfer in guide.payments(views, payoffs)
        if you in (transfer.payer, transfer.winner)
    ]
    others = [] if payoffs[you] == max(payoffs) else [winners(names, payoffs)]
    return joined(" ", [*others, *guide.reasons(views, names, payoffs), *paid])


def _wants_more(terminal: Terminal) -> bool:
    while True:
        answer = terminal.ask("Play again? [Y/n] ")
        if answer in (*YES, *NO):
            return answer in YES
        terminal.say("Answer y or n.")
