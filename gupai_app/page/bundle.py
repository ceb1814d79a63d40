"""A game as a script for a browser: what people see and read of it, translated, and what the engine stands for."""

from operator import attrgetter
from typing import Any

from gupai_app.page.translation import NOTHING, Translation
from gupai_app.play.table import PLAYED
from gupai_env.core.game import Game
from gupai_env.games import GAMES
from gupai_env.games.phrases import latin

SCRIPTS = {"$": "runtime", "engine": "engine", "bridge": "bridge"}  # what a translation imports, by name
NATIVE = ("advance", "mask", "paid", "redealt", "start", "step", "view_row")  # methods of a deal
GAME, DEAL, PLAYERS = "gupai_env.core.game.Game", "gupai_env.core.deal", "gupai_app.server.players"
RULES = (
    "deal_from", "determinize", "encode", "encoder", "history", "information_set", "legal_actions",
    "next_deal", "payoffs", "step",
)  # fmt: skip
SEAM: dict[str, Any] = {
    f"{GAME}.guide": attrgetter("guide"),
    f"{GAME}.placed": attrgetter("placed"),
    f"{GAME}.module": attrgetter("id"),
    f"{GAME}.new_states": "bridge.new_states",
    **dict.fromkeys([f"{GAME}.{name}" for name in (*RULES, "__post_init__", "hands", "claims", "positions")], NOTHING),
    f"{DEAL}.Fields": "bridge.Fields",
    f"{DEAL}.fields_of": "bridge.fields_of",
    **{f"{DEAL}.Deal.{name}": f"bridge.deal.{name}" for name in NATIVE},
    f"{DEAL}.Deal.copy": "engine.Deal.prototype.copy",
    "gupai_app.play.session.Session.decision_batch": "bridge.deal.decision_batch",
    "gupai_app.review.analysis.luck": "(() => [])",
    "gupai_app.review.document._names": "bridge.names",
    "gupai_app.play.unseen.possible_deals": "engine.possible_deals",
    "gupai_app.play.unseen.judged": "(() => [[], []])",  # a file has no network for it
    "gupai_env.core.episode.step": "engine.step",
    "gupai_env.core.episode.next_deal": "engine.next_deal",
    "gupai_env.core.rng.derive": "engine.derive",
    "gupai_env.core.rng.draw": "engine.draw",
    "gupai_env.core.rng.as_key": "engine.as_key",
    "gupai_agents.agent.Memories": "bridge.Memories",
    "gupai_agents.agent.probabilities": "(() => null)",
    "gupai_agents.agent.DecisionBatch": "engine.DecisionBatch",
    "gupai_agents.agent.concatenated": "bridge.concatenated",
    "gupai_agents.evaluation.records.games.order_of": "bridge.order_of",
    "gupai_agents.registry.agent_names": "engine.agent_names",
    "gupai_agents.registry.heuristic_agent": "bridge.heuristic",
    "gupai_agents.play.decisions.decisions": "engine.decisions",
    "gupai_agents.play.decisions.play_out": "engine.play_out",
    "gupai_agents.play.decisions.resume_lanes": "engine.resume_lanes",
    "gupai_agents.players.card.card_agent": "bridge.card",
    "gupai_agents.players.search.SearchAgent": "engine.SearchAgent",
    f"{PLAYERS}._named": "bridge.agent",
    f"{PLAYERS}.Players.__init__": NOTHING,
    f"{PLAYERS}.Players.trained": "(() => [])",
    f"{PLAYERS}.Players.agent": "bridge.player",
    "gupai_env.games.load_plugins": "(() => null)",
    "gupai_env.render.letters._widths": (),
}


def translation_of(*games: Game) -> Translation:
    """Return a translation in which there are only some games."""
    named = {game.id: game for game in games}
    seam = SEAM | {"gupai_agents.shipped.shipped_heuristics": [*named], "gupai_app.kept.puzzles.shipped": [*named]}
    seam |= {name: [*games] for name in ("gupai_agents.shipped.levels", "gupai_app.play.pictures.rule_entries")}
    translation = Translation(seam, [(GAMES, named), (PLAYED, "bridge.PLAYED")])
    translation.mention("text", *(latin(game.title) for game in games))
    translation.mention("attribute", "policies")  # which the engine asks
    return translation
