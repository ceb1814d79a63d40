"""A person's evening at the table, and deals of agents to watch, in a terminal."""

import json
from collections.abc import Sequence

from gupai_agents.agent import Agent, Turns, ask
from gupai_app.human import HumanAgent, Terminal
from gupai_app.session import Session
from gupai_env.core.game import Game
from gupai_env.core.phrases import chips, seat_names, title
from gupai_env.core.variant import Variant

YES, NO = ("", "y", "yes"), ("n", "no", "q", "quit", "exit")


def play(
    game: Game, variant: Variant, agents: Sequence[Agent], you: int, seed: int, terminal: Terminal
) -> None:
    """Play episodes of one stream against agents until the person has enough; raises Quit if they leave.

    Args: agents: one a seat, by seat; the one at seat `you` is not asked.
    """
    names = seat_names(variant.players, you)
    person = HumanAgent(game, variant, terminal, names)
    others = [f"{names[seat]}: {agent.name}" for seat, agent in enumerate(agents) if seat != you]
    terminal.paragraph(f"{title(game, variant)}, seed {seed}. You have seat {you}. {', '.join(others)}.")
    episode, won = 0, 0.0
    while True:
        won += _play_episode(Session(game, variant, seed, episode), agents, person, you, names)
        episode += 1
        if episode > 1:
            terminal.say(f"Since you sat down: {chips(won)}.")
        if not _wants_more(terminal):
            return


def _play_episode(
    session: Session, agents: Sequence[Agent], person: HumanAgent, you: int, names: Sequence[str]
) -> float:
    """Play one episode, telling every move that the person can see; return the chips they won."""
    game, variant, terminal = session.game, session.variant, person.terminal
    sitting = [person if seat == you else agent for seat, agent in enumerate(agents)]
    seen = b""
    while not session.over:
        view = session.view(you)
        if view.tobytes() != seen:  # something happened that the person may know of
            seen = view.tobytes()
            terminal.say(game.scene(variant, [view], names).last_move)
        payoffs = _move(session, sitting)[-1]
        if payoffs:
            terminal.say("\nThe count, all tiles face up:")
            terminal.table(game.scene(variant, session.views(you, session.finished), names, payoffs))
            terminal.say(_result(payoffs[you]))
    return float(session.state.total[you])


def _result(payoff: float) -> str:
    if payoff == 0:
        return "You come out even."
    return f"You {'win' if payoff > 0 else 'pay'} {abs(payoff):g} chips."


def _wants_more(terminal: Terminal) -> bool:
    while True:
        answer = terminal.ask("Play again? [Y/n] ")
        if answer in (*YES, *NO):
            return answer in YES
        terminal.say("Answer y or n.")


def watch(
    game: Game,
    variant: Variant,
    agents: Sequence[Agent],
    seed: int,
    terminal: Terminal,
    *,
    tables: bool = False,
) -> None:
    """Show one episode of agents, one a seat, move by move; with `tables` the table after every move."""
    session = Session(game, variant, seed)
    names = [f"Seat {seat} {agent.name}" for seat, agent in enumerate(agents)]
    terminal.paragraph(f"{title(game, variant)}, seed {seed}")
    deal = -1
    told: tuple[str, ...] = ()  # the notes of the table shown last
    while not session.over:
        begins, deal = session.state.deal > deal, int(session.state.deal)
        if begins or tables:
            scene = game.scene(variant, session.views(), names)
            terminal.table(scene)
            told = scene.notes
        seat, turns, action, payoffs = _move(session, agents)
        views = session.views(state=session.finished if payoffs else None)
        scene = game.scene(variant, views, names, payoffs)
        done = f"{names[seat]}: {game.action_name(action, turns.views[0])}"
        news = next((note for note in scene.notes[:1] if note not in told), "")
        terminal.say(f"{session.state.moves:>3}  {done:<36}  {news}".rstrip())
        if payoffs:
            terminal.table(scene)


def watch_json(game: Game, variant: Variant, agents: Sequence[Agent], seed: int) -> None:
    """Print one episode as a JSON object a move; where a move ends a deal, `payoffs` are chips by seat."""
    session = Session(game, variant, seed)
    while not session.over:
        deal = int(session.state.deal)
        seat, turns, action, payoffs = _move(session, agents)
        line = {
            "game": game.id,
            "seed": seed,
            "deal": deal,
            "move": int(session.state.moves),
            "seat": seat,
            "agent": agents[seat].name,
            "action": action,
            "name": game.action_name(action, turns.views[0]),
            "legal": turns.masks[0].nonzero()[0].tolist(),
            "payoffs": payoffs,
        }
        print(json.dumps(line))


def _move(session: Session, agents: Sequence[Agent]) -> tuple[int, Turns, int, list[float] | None]:
    """Let the agent to act play; return its seat, what it saw, its action, and chips if a deal ended."""
    seat, turns = session.seat, session.turns()
    action = int(ask(agents[seat], session.game, session.variant, turns)[0])
    return seat, turns, action, session.play(action)
