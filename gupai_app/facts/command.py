"""Commands for those who ask about a game itself: `perft`."""

from typing import Annotated

import typer

from gupai_app.shell.errors import mistakes
from gupai_app.shell.options import AsJson, GameName, Options, read_seed, read_tiny_variant, read_variant


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

    from gupai_app.facts import terminal
    from gupai_env.deals import all_deals
    from gupai_env.perft import perft as ways_of_play

    with mistakes():
        states = all_deals(game, **variant.changed()).states if every_deal else terminal.dealt(game, variant, seed)
        counts = ways_of_play(game, variant, states, depth)
    terminal.perft(game, variant, states, counts, None if every_deal else seed, as_json=as_json)
