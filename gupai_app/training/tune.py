"""`gupai tune`: find weights for a heuristic, try them on the game's players, and write them with their origin."""

from importlib.metadata import version
from typing import Any

from gupai_agents.evaluation import duel
from gupai_agents.heuristics import HeuristicAgent
from gupai_agents.registry import agent_names, make_agent
from gupai_agents.tune import Tuned, tune
from gupai_app.shell.packages import require_package
from gupai_app.shell.screen import shares
from gupai_app.shell.streams import say
from gupai_env.core.game import Game
from gupai_env.core.rng import in_json
from gupai_env.core.variant import Variant
from gupai_env.storage.files import STREAMS, write_file
from gupai_env.storage.models import to_yaml
from gupai_env.words.messages import say as message

TRIED = 5000  # deals against each of the game's players
DIGITS = 4  # of a weight


def run(game: Game, variant: Variant, out: str | None, *, force: bool, **settings: Any) -> None:
    """Tune, print the heuristic as YAML and, with `out`, write it there. Raises: ValueError as `tune`; OSError.

    Args:
        out: Of a file, "-" for standard output alone.
        force: Whether it may be replaced.
        settings: As of `tune`.
    """
    options = variant.changed()
    with require_package("tune", "tuning"), shares() as notify:
        result = tune(
            game,
            progress=lambda share, generation, gain: notify(share, message("generation {number}", number=generation)),
            **settings,
            **options,
        )
    text = to_yaml(described(result, options, settings["start"]))
    say(text, end="")  # first, so that it is not lost if the file cannot be written
    if out is not None and out not in STREAMS:
        write_file(out, text, force=force)
        say("Play against it: gupai play {game} --against heuristic:{file}", error=True, game=game.id, file=out)


def described(result: Tuned, options: dict[str, Any], start: str | None) -> dict[str, Any]:
    """Return a heuristic with its origin and its results."""
    game = result.game
    weights = {name: float(f"{weight:.{DIGITS}g}") for name, weight in result.weights.items()}
    tuned = HeuristicAgent(game, "this", weights)
    gains = {
        name: str(duel(game, tuned, make_agent(name, game, **options), TRIED, seed=result.seed, **options).mean(0))
        for name in agent_names(game, game.variant.make(**options))[1:]
    }
    return {
        "game": game.id,
        "version": game.version,
        "variant": options,
        "weights": weights,
        "chips_per_deal_against": gains,
        "provenance": {
            "by": "gupai tune",
            "start": start or next(reversed(list(game.heuristics))),
            "seed": in_json(result.seed),
            "generations": result.generations,
            "deals": result.deals,
            "tried_in_deals": TRIED,
            "versions": {name: version(name) for name in ("gupai", "cmaes", "numpy", "numba")},
        },
    }
