"""`gupai benchmark`: one agent in fixed tasks, a score, and a card of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gupai_app.shell.errors import Mistake, check_target, mistakes
from gupai_app.shell.options import AsJson, Force, Jobs, Sharing, path_option
from gupai_app.shell.streams import note, say

if TYPE_CHECKING:
    from gupai_agents.evaluation.benchmark.models import Card, Suite

PLAYERS = "AGENT for all tasks, or TASK=AGENT for one"


def benchmark(
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="[AGENT]...", help=f"Agent to evaluate: {PLAYERS}")
    ] = None,
    tasks: Annotated[
        list[str] | None, typer.Option("--tasks", metavar="TASK", help="Task to play (default: all); may be repeated")
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=2, help="Play only this many deals of each task, for a quick evaluation")
    ] = None,
    compare: Annotated[
        list[str] | None, typer.Option("--compare", metavar="CARD", help="Card to show for comparison; may be repeated")
    ] = None,
    suite_name: Annotated[str, typer.Option("--suite", metavar="NAME", help="Suite to play")] = "v1",
    randomness: Annotated[
        str | None,
        typer.Option("--held-out", metavar="RANDOMNESS", help="Play the held-out deals of this public randomness"),
    ] = None,
    jobs: Jobs = 1,
    *,
    out: Annotated[
        str | None, path_option("FILE.json", "Write a card to this file, and its HTML page next to it")
    ] = None,
    force: Force = False,
    label: Annotated[str | None, typer.Option("--name", help="Name of the agent on the card")] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate an agent on the tasks of the benchmark: in suite v1, `random` scores 0 and `best` 100."""
    if not agents and not compare:
        raise Mistake("name an AGENT, or cards with --compare")
    if out is not None:
        if not out.endswith(".json"):
            template = "--out {file}: the name of a card ends in .json; its page is written next to it"
            raise Mistake(template, file=out)
        for path in (out, page_of(out)):
            check_target("--out", path, force, stream=False)

    from gupai_agents.evaluation.benchmark import read_cards
    from gupai_agents.evaluation.benchmark.models import as_text, read_suite
    from gupai_app.tournaments import terminal
    from gupai_env.storage.files import write_file

    with mistakes():
        suite, cards = read_suite(suite_name), read_cards(compare or [])
    if agents:
        new_card = _played(suite, randomness, who_plays(suite, agents, tasks), deals, label, jobs)
        cards.insert(0, new_card)
        if out is not None:
            from gupai_agents.evaluation.pages.html import card_page

            write_file(out, as_text(new_card).encode(), force=force)
            write_file(page_of(out), card_page(new_card).encode(), force=force)
            say("The card is in {file}; check it with: gupai verify {file}", error=True, file=out)
    with mistakes():
        terminal.benchmark(cards, as_json=as_json)


def _played(
    suite: "Suite", randomness: str | None, who: dict[str, str], deals: int | None, name: str | None, jobs: int
) -> "Card":
    """Return the card of agents, by task; with randomness, in held-out deals."""
    from gupai_agents.evaluation.benchmark.cards import held_out, play_benchmark, timed
    from gupai_agents.play.workers import machine

    duels = sum(len(suite.task(task).population) for task in who) * (1 if randomness is None else 3)
    with Sharing(jobs).work("duels", duels) as how:
        if randomness is not None:
            suite = held_out(suite, randomness, tasks=who, deals=deals, **how)
        return timed(play_benchmark(who, suite=suite, name=name, deals=deals, **how), who, machine()["cpu"])


def who_plays(suite: "Suite", words: Sequence[str], tasks: Sequence[str] | None = None) -> dict[str, str]:
    """Return the agent of every task, from AGENT for all and TASK=AGENT for one; only of some tasks, if they are named.

    Args:
        suite: What is played.
        words: AGENT or TASK=AGENT each.
        tasks: Names of tasks, None for all.

    Raises:
        Mistake: For two agents for all, a task without one, and a task that there is not.
    """
    known, of_all = [task.name for task in suite.tasks], []
    with mistakes():
        wanted = [suite.task(name).name for name in tasks] if tasks else known
    who: dict[str, str] = {}
    for word in words:
        name, sign, spec = word.partition("=")
        if sign and name in known:
            who[name] = spec
        else:
            of_all.append(word)
    if len(of_all) > 1:
        template = "{first} and {second}: name one agent for all tasks, and others as TASK=AGENT"
        raise Mistake(template, first=of_all[0], second=of_all[1])
    without = [name for name in wanted if name not in who]
    if without and not of_all:
        template = "no agent is given for {tasks}: name an AGENT for them, or choose tasks with --tasks"
        raise Mistake(template, tasks=", ".join(without))
    return {name: who.get(name, *of_all) for name in wanted}


def page_of(path: str) -> str:
    """Return the file of a card's page."""
    return f"{path.removesuffix('.json')}.html"


def verify_card(path: str, agents: Sequence[str], jobs: int) -> None:
    """Compute a card again, and say so; raises Mistake for the first thing that differs.

    Args:
        path: The file of the card.
        agents: AGENT or TASK=AGENT each, for programs that the card names.
        jobs: How many processes share the work.
    """
    from pathlib import Path

    from gupai_agents.evaluation.benchmark import verify_card as check
    from gupai_agents.evaluation.benchmark.models import HELD_OUT, read_card, read_suite
    from gupai_agents.evaluation.pages.html import card_page
    from gupai_agents.evaluation.tournaments.folder import verify_file

    with mistakes():
        card = read_card(path)  # what it says is checked below
        names = [result.task for result in card.results]
        who = who_plays(read_suite(card.suite.partition(HELD_OUT)[0]), agents, names) if agents else {}
        duels = sum(len(result.chips) for result in card.results)
        with Sharing(jobs).work("duels", duels, "no errors were found so far") as how:
            check(path, who, **how)
        verify_file(Path(page_of(path)), [card_page(card).encode()], note)
    template = "{path}: {agent} played {number} tasks again; all chips and figures are the same"
    say(template, path=path, agent=card.agent, number=len(names))
