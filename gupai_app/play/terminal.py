"""`gupai play`: games of a person against agents, which they may take back, leave and resume."""

import shlex
from collections.abc import Sequence
from contextlib import suppress

from gupai_agents.agent import Agent, origin_of
from gupai_agents.evaluation.matches.match import labels_of_line_up
from gupai_agents.evaluation.records.games import RecordWriter
from gupai_agents.shipped import LEVELS
from gupai_app.kept.store import Store
from gupai_app.play.moves import in_words
from gupai_app.play.person import ASIDE, LEAVE, NOT_MOVED, UNDO, YES, HumanPlayer
from gupai_app.play.seats import PERSON
from gupai_app.play.session import Session
from gupai_app.server.players import NAMED, adviser
from gupai_app.shell.terminal import Terminal
from gupai_app.words.sentences import names_at, payment, result, winners
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import chips, title
from gupai_env.messages import joined, say

AGAIN, NO = ("", *YES), ("n", "no", *LEAVE)


class Table:
    """A person at a table with agents.

    session: The game as it stands. you: The person's seat. daily: Whether it is the deal of the day, which is played
    without hints and without taking moves back.
    """

    def __init__(
        self,
        session: Session,
        agents: Sequence[Agent],
        you: int,
        terminal: Terminal | None = None,
        games: Store | None = None,
        *,
        daily: bool = False,
    ) -> None:
        """Sit down.

        Args:
            agents: One per seat; the one at seat `you` is not asked.
            games: Where games are kept, if they are.
        """
        game, variant = session.game, session.variant
        self.session, self.agents, self.you, self.daily = session, agents, you, daily
        self._games, session.people = games, (you,)
        self.terminal, self.names = terminal or Terminal(), names_at(variant.players, you, you)
        self.line_up = [PERSON if seat == you else name for seat, name in enumerate(labels_of_line_up(agents))]
        self.person = HumanPlayer(game, variant, self.terminal, self.names, leaving="Leave this game? [y/N] ")

    def greet(self) -> None:
        """Say what is played and who plays."""
        session, names = self.session, self.names
        agents = [
            say("{name}: {agent}", name=names[seat], agent=say(name))
            for seat, name in enumerate(self.line_up)
            if seat != self.you
        ]
        begins = "{game}, seed {seed}. You have seat {seat}. {others}."
        playing = title(session.game, session.variant)
        others = joined(", ", agents)
        self.terminal.paragraph(say(begins, game=playing, seed=session.seed, seat=self.you, others=others))
        if self._games is not None and not session.actions:
            self._offer(self._games)

    def _offer(self, games: Store) -> None:
        """Say how to continue the game that the person left last, if there is one."""
        offer = "You left a game on {day}: gupai play {game} --resume continues it, a move here replaces it."
        with suppress(OSError, ValueError):  # which are reported when a game is to be kept
            if (game := games.unfinished().get(self.session.game.id)) is not None:
                self.terminal.paragraph(say(offer, day=game.day, game=self.session.game.id))

    def play(self) -> None:
        """Play to the end of the game, showing every move that the person can see; raises Quit if they leave."""
        self.person.adviser = None if self.daily else adviser(self.session.game, self.session.variant)
        happened = ""
        while not (session := self.session).terminated:
            table = session.game.table(session.game, session.variant, [session.view(self.you)], self.names)
            if (move := table.last_move()) != happened:  # something that the person may know of
                self.terminal.say(happened := move)
            action = self._decide()
            if action is None:
                self.take_back()
            elif payoffs := session.play(action):
                self._count(payoffs)
                happened = ""

    def _decide(self) -> int | None:
        """Return what the seat to act plays; None where the person takes back their last move."""
        if self.session.seat != self.you:
            return self.session.answer(self.agents[self.session.seat])
        self.keep_unfinished()  # now, because whoever closes the terminal may not give the time for it later
        return self.person.choose(self.session.decision_batch(), moved=self.you in self.session.movers)

    def take_back(self) -> None:
        """Return to the person's last decision, if there is one."""
        if (mark := self.session.marks.get(self.you)) is None:
            self.terminal.say(NOT_MOVED)
            return
        since, view = len(mark.actions), mark.view(self.you)
        turns = zip(self.session.actions[since:], self.session.movers[since:], strict=True)
        moves = [in_words(mark.game.move(action, view)) for action, seat in turns if seat == self.you]
        self.terminal.paragraph(say("You take back {moves}.", moves=joined(", ", moves)))
        self.session = mark.copy()

    def _count(self, payoffs: Sequence[float]) -> None:
        """Show how a deal ended that has just been played."""
        ended = self.session.as_paid(payoffs)
        self.terminal.say("")
        self.terminal.say("The count, all tiles face up:")
        self.terminal.table(ended.scene(self.names, first=self.you), after=ASIDE)
        self.terminal.say(result(payoffs[self.you]))
        self.terminal.paragraph(outcome(ended, self.names, self.you, payoffs))

    def keep(self) -> None:
        """Keep the game, which is over, and say how to review it."""
        if (games := self._games) is None or not games.keeping:
            return
        record = self.session.record(self.line_up)
        if problem := games.keep(record):
            self.terminal.say(problem)
        elif (game := games.of_deal(record)) is not None:
            own = game.line.startswith(record.line.rstrip("}\n"))
            template = "Review this game: gupai games review {number}"
            first = "This deal is kept as you played it first: gupai games review {number}"
            self.terminal.paragraph(say(template if own else first, number=game.number))
            if game.number == 1:
                self.terminal.paragraph(
                    "This game is kept on your machine: gupai games lists yours, gupai games keep off ends this."
                )

    def keep_unfinished(self) -> str:
        """Keep the game as it stands, if the person has moved; return how to continue it, or why it was not kept."""
        game, you = self.session.game, self.you
        if self._games is None or not self._games.keeping or you not in self.session.movers:
            return ""
        named = zip(map(origin_of, self.agents), self.line_up, strict=True)
        specs = [origin.spec if origin and name not in (PERSON, *LEVELS) else name for origin, name in named]
        if problem := self._games.keep_unfinished(self.session.record(specs), daily=self.daily):
            return problem
        others = specs[:you] + specs[you + 1 :]
        words = [] if set(others) <= set(NAMED.names(game, self.session.variant)) else others
        against = "".join(f" --against {shlex.quote(spec)}" for spec in words)  # which the file alone may not name
        return say("To continue this game: gupai play {game} --resume{against}", game=game.id, against=against)

    def wants_more(self) -> bool | None:
        """Return whether the person wants another game; None where they take back their last move."""
        question = "Play again? [Y/n] "
        if self.daily:
            question = "This was the deal of the day. Play another deal, an ordinary one? [Y/n] "
        while True:
            self.terminal.drop()
            answer = self.terminal.ask(question)
            if answer in (*AGAIN, *NO):
                return answer in AGAIN
            if answer in UNDO and not self.daily:
                return None
            self.terminal.say("Answer y or n." if self.daily else "Answer y or n, or u to take back your last move.")

    def deal(self) -> None:
        """Begin the next game, which is no deal of the day."""
        ended, self.daily = self.session, False
        self.session = Session(ended.game, ended.variant, ended.seed, ended.episode + 1, people=ended.people)


def play(table: Table, record: RecordWriter | None = None) -> None:
    """Play games until the person stops; raises Quit if they leave.

    Args:
        table: With the first game.
        record: Where games are written too, as they ended first.
    """
    won: dict[int, float] = {}  # chips by episode
    table.greet()
    while True:
        try:
            table.play()
        finally:
            if not table.session.terminated and (advice := table.keep_unfinished()):
                table.terminal.say(advice)
        episode = table.session.episode
        if record is not None and episode not in won:
            record.write([table.session.record(table.line_up)])
        table.keep()
        won[episode] = float(table.session.state.total[table.you])
        if len(won) > 1:
            table.terminal.say(say("Since you sat down: {chips}.", chips=chips(sum(won.values()))))
        more = table.wants_more()
        if more is None:
            table.take_back()
        elif more:
            table.deal()
        else:
            return


def outcome(ended: Session, names: Sequence[str], you: int, payoffs: Sequence[float]) -> str:
    """Return in sentences who won a deal and why, and what a seat paid and got for it.

    Args:
        ended: A deal that is over.
        names: Of the seats.
        you: The person's seat.
        payoffs: Chips of each seat.
    """
    views, guide = ended.views(), guide_of(ended.game, ended.variant)
    paid = [
        payment(transfer, names)
        for transfer in guide.payments(views, payoffs)
        if you in (transfer.payer, transfer.winner)
    ]
    others = [] if payoffs[you] == max(payoffs) else [winners(names, payoffs)]
    return joined(" ", [*others, *guide.reasons(views, names, payoffs), *paid])
