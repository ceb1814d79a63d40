"""`gupai best-response --method network`: a network learns a best response, which is then measured like any other."""

import dataclasses

from gupai_agents.agent import Agent
from gupai_agents.checkpoint import write_checkpoint
from gupai_agents.evaluation import Effort
from gupai_app.shell.packages import needing
from gupai_app.shell.report import shares
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.words.files import check_target


def learn(
    game: Game, variant: Variant, agent: Agent, effort: Effort, seed: int, out: str | None, force: bool
) -> tuple[Agent, Effort, str]:
    """Return a best response that has learned, the effort that it took, and a note on what it began with.

    Args:
        game: The game.
        variant: Its variant.
        agent: The frozen agent.
        effort: How long to learn.
        seed: Names the deals.
        out: The checkpoint to write, if any.
        force: Whether that may replace a file.

    Raises:
        ValueError: For a missing package, a file that cannot be written, and as `learn_response`.
    """
    with needing("train", "learning"):
        from gupai_training.best_response import learn_response
    with shares() as notify:
        learned = learn_response(
            game,
            agent,
            minutes=effort.minutes,
            seed=seed,
            progress=lambda share: notify(share, "learning"),
            **variant.changed(),
        )
    player = learned.player
    player.name = "a network that was not kept"
    if out is not None:
        write_checkpoint(check_target(out, force=force), learned.header(), player.tensors)
        player.name = f"checkpoint:{out}"
    note = f"it began with the network of {learned.begun_with}" if learned.begun_with else "it began as a new network"
    return player, dataclasses.replace(effort, minutes=learned.minutes, targets=learned.targets), note
