"""Commands for those who ask about a game itself: `facts` and `perft`."""

from typing import Annotated

import typer

from gupai_app.shell.errors import mistakes, resume_hint
from gupai_app.shell.options import (
    NOTHING_SAVED,
    AsJson,
    GameName,
    Options,
    one_of,
    read_agent,
    read_seed,
    read_tiny_variant,
    read_variant,
)

PLAYERS = ("random", "greedy", "tuned", "best")


def facts(
    name: GameName,
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="[AGENT]...", help="Players, the weakest first (default: random, greedy, tuned, best)"),
    ] = None,
    deals: Annotated[int, typer.Option(min=2, max=1 << 20, help="Deals for each player, duel and mixed table")] = 2000,
    seed: Annotated[int, typer.Option(help="Random seed")] = 0,
    question: Annotated[
        str,
        typer.Option(
            "--about", metavar="QUESTION", help="What is asked: play, tiles, seats, sure, openings, secrets, mixing"
        ),
    ] = "play",
    hand: Annotated[
        str | None, typer.Option(metavar="TILES", help='What a hand, such as "6:6 5:4 ...", is worth in each place')
    ] = None,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Measure the facts of a game: who gains by leading, how deals end, how much is luck, what strong players do."""
    game, variant = read_variant(name, option)
    seed = read_seed(seed)

    from gupai_agents import agent_names
    from gupai_agents.evaluation.atlas import answer, answer_about_hand, study_of
    from gupai_app.facts import terminal
    from gupai_app.shell.screen import progress

    with mistakes():
        one_of({"--about": question != "play", "--hand": hand})
    names = agents or [player for player in PLAYERS if player in agent_names(game, variant)]
    players = [read_agent(spec, game, variant) for spec in names]
    total = (len(players) + 2) * deals if question == "play" and not hand else None
    with mistakes(), resume_hint(NOTHING_SAVED), progress("deals", total) as done:
        study = study_of(game, players, deals, seed=seed, progress=done, **variant.changed())
        content = answer_about_hand(study, hand) if hand else answer(study, question)
    terminal.answer(content.as_numbers(), as_json=as_json)


def perft(
    name: GameName,
    depth: Annotated[int, typer.Option(min=1, max=1000, help="Most actions from the beginning of a deal")] = 6,
    seed: Annotated[int, typer.Option(help="Which deal; the first episode of an environment with this seed")] = 0,
    every_deal: Annotated[
        bool, typer.Option("--every-deal", help="Every different deal of the tiny deck, each once")
    ] = False,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Count the ways of play of a deal, by number of actions; other programs of the rules must count the same."""
    game, variant = (read_tiny_variant if every_deal else read_variant)(name, option)
    seed = read_seed(seed)

    from gupai_agents.evaluation.exact.perft import perft as ways_of_play
    from gupai_app.facts import terminal
    from gupai_env.deals import all_deals

    with mistakes():
        states = all_deals(game, **variant.changed()).states if every_deal else terminal.dealt(game, variant, seed)
        counts = ways_of_play(game, variant, states, depth)
    terminal.perft(game, variant, states, counts, None if every_deal else seed, as_json=as_json)
