"""`make_agent`: a player from one line of text."""

import importlib
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from gupai_agents.agent import Agent, check_agent, note_origin, origin_of
from gupai_agents.failure import AgentError, called
from gupai_agents.networks.checkpoint import AGENT_FILE, BELIEF
from gupai_agents.players.card import card_agent
from gupai_agents.players.heuristics import HeuristicAgent, RandomAgent, RuleAgent
from gupai_agents.players.search import Plan, SearchAgent
from gupai_agents.shipped import (
    BEST,
    CARD,
    LEVELS,
    TUNED,
    best_file,
    best_heuristic,
    has_tuned,
    heuristic_names,
    levels,
    player_of,
    shipped_card,
    tuned_weights,
)
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import GAMES, get_game, variant_from
from gupai_env.messages import joined, say
from gupai_env.messages.checks import key_context, nearest, short_repr
from gupai_env.options import Options

if TYPE_CHECKING:
    from gupai_agents.belief import Belief
    from gupai_agents.networks.network import NetworkAgent
    from gupai_agents.players.belief_search import BeliefSearchAgent

NOT_NAMED = (
    "search:playouts=200",
    "checkpoint:PATH",
    "sample:PATH",
    "onnx:FILE",
    "package.module:factory",
    "command:PROGRAM ARGS",
)  # players, as documents tell
COMMAND = "command"  # before the colon of a program
FACTORY = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")  # package.module:name
LEARNED = "learned"  # the only `belief` of a search
SEARCH_HEURISTICS = ("heuristic", "others", "infer")  # settings of a search that are players
BELIEF_SEARCH = "belief-search"
KINDS = ("checkpoint", "sample", "onnx", "search", BELIEF_SEARCH, "heuristic")  # before a colon; others run code
SUFFIX, ONNX = ".yaml", ".onnx"  # of files that hold a heuristic, and a network as a graph


def runs_code(spec: str) -> bool:
    """Return whether a text is that of a factory, whose module is run to make the player, or of a program."""
    kind, colon, _ = spec.partition(":")
    return bool(colon) and kind not in KINDS


def agent_names(game: str | Game, variant: Variant | None = None) -> list[str]:
    """Return the names of a game's players that need no argument, weaker ones first.

    Args:
        variant: That they are to play, by default the game's default options.
    """
    game = get_game(game)
    has_best = best_file(game, game.variant() if variant is None else variant)
    heuristics, cards = heuristic_names(game), [CARD] if shipped_card(game, game.variant()) else []
    return ["random", *heuristics[:-1], *game.policies, *cards, *heuristics[-1:], *([BEST] if has_best else [])]


def make_agent(spec: str, game: str | Game | None = None, **variant: Unpack[Options]) -> Agent:
    """Return a player of a game's variant (by default of the first game).

    Args:
        spec: One of
            "easy", "medium", "strong", "master": the player of that level, see `gupai_agents.shipped`;
            "random", "greedy", "house-way", ...: a player of the game by name; "card" follows rules for people, "tuned"
                is the best heuristic, "best" a network for the common variants;
            "variety+attack_2=40,double=3": such a player, with weights added to its features;
            "heuristic:pips=1,variety=6": the weights of your own player, see `gupai rules GAME`;
            "heuristic:FILE.yaml": those that `gupai tune` wrote;
            "variety@1.5": any of these at a temperature, which draws from the softmax of the scores;
            "search:playouts=200,heuristic=variety,infer=variety@4": tries every action in so many deals, played out by
                a heuristic, and assumes that the others have played by another; see `gupai_agents.players.search`;
            "belief-search:tiles=6,replayed=256": "best", looking ahead late in a deal by a learned belief; see
                `gupai_agents.players.belief_search`;
            "checkpoint:PATH": a trained one, which takes its best action, unless it was trained to mix its actions;
            "sample:PATH": the same, drawing from its policy;
            "onnx:FILE": your own network, see `gupai_agents.networks.onnx_agent`; "sample:FILE.onnx": drawing from its
                policy;
            "package.module:factory": your own; `factory(game, variant)` returns the agent;
            "command:PROGRAM ARGS": a program that reads requests and writes moves, see
                `gupai_agents.players.text_agent`.

    Raises:
        ValueError: Naming an unknown player or feature and those there are.
        CheckpointError: For a bad checkpoint.
    """
    game = get_game(next(iter(GAMES)) if game is None else game)
    checked = variant_from(game, variant, make_agent)
    if isinstance(spec, str) and runs_code(spec):
        return agent_of_code(spec, game, checked)
    return agent_of_data(spec, game, checked)


def agents_of(game: Game, variant: Variant, specs: Sequence[str | Agent]) -> list[Agent]:
    """Return the agents that names (as `make_agent` takes them) and agents stand for; equal names get one agent.

    Args:
        game, variant: What they play.
        specs: Names and agents.

    Raises:
        ValueError: For an unknown name, and for an agent made for another game or variant.
    """
    named = {spec: make_agent(spec, game, **vars(variant)) for spec in specs if isinstance(spec, str)}
    agents = [named[spec] if isinstance(spec, str) else spec for spec in specs]
    for agent in agents:
        check_agent(agent, game, variant)
    return agents


def agent_of_data(spec: str, game: Game, variant: Variant) -> Agent:
    """Return a player as `make_agent` does, except from factories and programs: names in files must not run code.

    Args:
        spec: The name of a player.
        game, variant: What it plays.

    Raises:
        ValueError: For an unknown name, one that would run code, and files that cannot be read.
    """
    if not isinstance(spec, str):
        raise ValueError(f"{short_repr(spec)} is not a player's name; players are {', '.join(agent_names(game))}")
    if spec in LEVELS:
        agent = agent_of_data(player_of(spec, game, variant), game, variant)
        agent.name = spec
        return agent
    kind, _, argument = spec.partition(":")
    if (kind == "onnx" and argument) or (kind == "sample" and argument.endswith(ONNX)):
        from gupai_agents.networks.onnx_agent import OnnxAgent

        graph = OnnxAgent(argument, game, variant, sample=kind == "sample")
        return note_origin(graph, spec, graph.files)
    if kind in ("checkpoint", "sample") and argument:
        from gupai_agents.networks.network import NetworkAgent

        agent = NetworkAgent.load(argument, game, variant, sample=kind == "sample")
        path = Path(argument)
        return note_origin(agent, spec, [path / AGENT_FILE if path.is_dir() else path])
    if spec == BEST:
        return best_agent(game, variant)
    if spec == CARD and (card := card_agent(game, variant)):
        return note_origin(card, spec)
    if kind == "search":
        return search_agent(spec, argument, game, variant)
    if kind == BELIEF_SEARCH:
        return belief_search_agent(spec, argument, game, variant)
    if spec in game.policies:
        return note_origin(RuleAgent(game, spec), spec)
    return note_origin(RandomAgent(game), spec) if spec == "random" else heuristic_agent(spec, game, variant)


def best_agent(game: Game, variant: Variant) -> "NetworkAgent":
    """Return the network that comes with the package; raises ValueError where there is none for the variant."""
    from gupai_agents.networks.network import NetworkAgent

    path = best_file(game, variant)
    if path is None:
        known = f"{game.id} comes for these options; choose {best_heuristic(game)}"
        raise ValueError(f"no player {BEST} of {known}")
    agent = NetworkAgent.load(path, game, variant)
    agent.name = BEST
    return note_origin(agent, BEST)


def search_agent(spec: str, listed: str, game: Game, variant: Variant) -> SearchAgent:
    """Return a player that searches, from "playouts=200,heuristic=tuned,infer=tuned@4"; raises ValueError.

    Args:
        spec: The whole text, for errors and as the name of the agent.
        listed: Its settings, behind the colon.
        game, variant: What it plays.
    """
    settings = settings_of(spec, listed, (*SEARCH_HEURISTICS, BELIEF, *(field.name for field in fields(Plan))))
    played = {
        name: heuristic_agent(settings.pop(name), game, variant) for name in SEARCH_HEURISTICS if name in settings
    }
    belief = None
    if text := settings.pop(BELIEF, ""):
        if text != LEARNED:
            raise ValueError(f"{short_repr(spec)}: {BELIEF} is {LEARNED}, not {short_repr(text)}")
        belief = shipped_belief(spec, game, variant)
    plan = Plan(**_numbers(spec, settings))
    if "heuristic" not in played:
        played["heuristic"] = heuristic_agent(best_heuristic(game), game, variant)
    heuristics = {name: agent.weights for name, agent in played.items()}
    files = {file: None for agent in played.values() if (made := origin_of(agent)) for file in made.files}
    if belief is not None:
        files[belief.file] = None
    return note_origin(SearchAgent(game, variant, spec, belief=belief, plan=plan, **heuristics), spec, list(files))


def belief_search_agent(spec: str, listed: str, game: Game, variant: Variant) -> "BeliefSearchAgent":
    """Return `best`, looking ahead by a learned belief, from "tiles=6,replayed=256"; raises ValueError.

    Args:
        spec, listed, game, variant: As of `search_agent`.
    """
    from gupai_agents.players.belief_search import BeliefPlan, BeliefSearchAgent

    settings = settings_of(spec, listed, tuple(field.name for field in fields(BeliefPlan)))
    plan = BeliefPlan(**_numbers(spec, settings))
    belief, player = shipped_belief(spec, game, variant), best_agent(game, variant)
    return note_origin(BeliefSearchAgent(spec, player, belief, plan), spec, [belief.file])


def shipped_belief(spec: str, game: Game, variant: Variant) -> "Belief":
    """Return the learned belief that ships for a variant; raises ValueError naming the player if there is none."""
    from gupai_agents.belief import learned_belief

    belief = learned_belief(game, variant)
    if belief is None:
        raise ValueError(f"{short_repr(spec)}: no learned belief ships for {game.id} with these options")
    return belief


def settings_of(spec: str, listed: str, allowed: Sequence[str]) -> dict[str, str]:
    """Return the settings of a search; a heuristic's own commas belong to the heuristic. Raises: ValueError.

    Args:
        spec: The whole text, for errors.
        listed: Its settings, behind the colon.
        allowed: Their names.
    """
    settings: dict[str, str] = {}
    for piece in filter(None, listed.split(",")):
        name, sign, value = piece.partition("=")
        if name in allowed and sign and value:
            if name in settings:
                raise ValueError(f"{short_repr(spec)}: {name} is given twice")
            settings[name] = value
        elif settings and (last := next(reversed(settings))) in SEARCH_HEURISTICS:
            settings[last] += f",{piece}"
        else:
            raise ValueError(f"{short_repr(spec)}: {piece!r} is not a setting; they are {', '.join(allowed)}")
    return settings


def heuristic_agent(spec: str, game: Game, variant: Variant) -> HeuristicAgent:
    """Return a heuristic from its text; raises ValueError.

    Args:
        spec: The name of a heuristic, `heuristic:` with weights, or a file of `gupai tune`; a temperature may follow
            after @.
        game, variant: What it plays.
    """
    heuristic, separator, suffix = spec.rpartition("@")
    if not separator or spec.endswith(SUFFIX):  # the @ of a file's name is not a temperature
        heuristic, separator, suffix = spec, "", ""
    temperature = _number(spec, suffix) if separator else 0.0
    kind, colon, listed = heuristic.partition(":")
    if colon and listed.endswith(SUFFIX):
        from gupai_agents.players.heuristics import read_heuristic

        weighed = read_heuristic(listed, game)
        with key_context(listed):
            agent = HeuristicAgent(game, spec, weighed, temperature)
        return note_origin(agent, spec, [Path(listed)])
    weights: dict[str, float] = {}
    if not colon or kind != "heuristic":
        kind, _, listed = heuristic.partition("+")
        if kind == TUNED and has_tuned(game):
            weights = dict(tuned_weights(game, variant))
        elif kind in game.heuristics:
            weights = dict(game.heuristics[kind])
        elif kind in game.policies:
            known = ", ".join(heuristic_names(game))
            raise ValueError(f"{short_repr(spec)}: {kind} weighs no features; those that do are {known}")
        elif heuristic == "random" and not game.heuristics:  # of a game without features: all scores are alike
            return note_origin(HeuristicAgent(game, spec, weights, temperature or 1.0), spec)
        else:
            raise _unknown(spec, kind, game)
    for assignment in filter(None, listed.split(",")):
        name, sign, text = assignment.partition("=")
        if not sign:
            raise ValueError(
                f"{short_repr(spec)}: {assignment!r} is not a weight; write feature=weight, such as pips=1.5"
            )
        weights[name.strip()] = weights.get(name.strip(), 0.0) + _number(spec, text)
    if not weights:
        raise ValueError(f"{short_repr(spec)} weighs nothing; write heuristic:feature=weight,...")
    return note_origin(HeuristicAgent(game, spec, weights, temperature), spec)


def _numbers(spec: str, settings: dict[str, str]) -> dict[str, Any]:
    numbers = {name: _number(spec, text) for name, text in settings.items()}
    return {name: int(number) if number.is_integer() else number for name, number in numbers.items()}


def _number(spec: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{short_repr(spec)}: {text!r} is not a number") from None


def _unknown(spec: str, name: str, game: Game) -> ValueError:
    names = [*(level.name for level in levels(game)), *agent_names(game)]
    known = say(
        "players are {names}, heuristic:..., search:..., checkpoint:PATH, sample:PATH, onnx:FILE, "
        "package.module:factory and command:PROGRAM ARGS",
        names=", ".join(names),
    )
    advice = joined("", [nearest(name, names), known])
    template = "{spec} is not a player of {game}; {advice}"
    return ValueError(say(template, spec=short_repr(spec), game=game.id, advice=advice))


def agent_of_code(spec: str, game: Game, variant: Variant) -> Agent:
    """Return a player whose text `runs_code`. Raises: ValueError and AgentError, as `make_agent`.

    Args:
        spec: "package.module:factory" or "command:PROGRAM ARGS".
        game, variant: What it plays.
    """
    if spec.partition(":")[0] == COMMAND:
        from gupai_agents.players.text_agent import CommandAgent

        return CommandAgent(spec, game, variant)
    return made_by_factory(spec, game, variant)


def made_by_factory(spec: str, game: Game, variant: Variant) -> Agent:
    """Return the agent of "package.module:factory", whose module may lie in the current folder.

    Args:
        spec: The text, as above.
        game, variant: What the factory is called with.

    Raises:
        ValueError: Where there is none.
        AgentError: For whatever its code raises, naming the file and the line.
    """
    named = FACTORY.fullmatch(spec)
    if not named:
        raise _unknown(spec, spec, game)
    if not {"", os.getcwd()} & set(sys.path):  # a script that was installed has its own folder there instead
        sys.path.insert(0, os.getcwd())
        importlib.invalidate_caches()
    try:
        module = called(spec, importlib.import_module, named[1])
    except AgentError as error:
        absent = error.__cause__
        if isinstance(absent, ModuleNotFoundError) and f"{named[1]}.".startswith(f"{absent.name}."):
            raise ValueError(f"{short_repr(spec)}: there is no module {absent.name}") from None
        raise
    factory = getattr(module, named[2], None)
    if not callable(factory):
        raise ValueError(f"{short_repr(spec)}: there is no agent factory {named[2]} in {module.__name__}")
    agent = called(spec, factory, game, variant)
    check_agent(agent, game, variant)
    path = getattr(module, "__file__", None)
    return note_origin(agent, spec, [Path(path)] if path else [])
