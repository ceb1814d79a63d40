"""The page of a game, written from the code, recorded verdicts, `results/ladder` and `results/annotated`."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from writing import DEALS, LADDERS, filled, options_of, recorded_claims, variant_of

from gupai_agents import agent_names
from gupai_agents.evaluation.claims import Verdict
from gupai_agents.registry import NOT_NAMED
from gupai_agents.shipped import networks, shipped_heuristics
from gupai_app.play.session import Session
from gupai_env.core.game import Game
from gupai_env.core.scene import seat_names
from gupai_env.games import GAMES
from gupai_env.render import draw_svg

CLEAR = 0.05  # chips below which a loss is not worth a word
HISTORY = {  # what each version of a game changed, by id
    game: ["the rules, actions and observations of gupai 0.1"] for game in GAMES
}
NAMED = {  # variants that are games of their own, with their options, by id
    "jie-long": {
        "Kkoribuchigi": {"forced_play": True, "settlement": "kkoribuchigi"},
        "Kkoribuchigi of three": {"players": 3, "deck": "short", "forced_play": True, "settlement": "kkoribuchigi"},
        "Dancing Dragons": {"forced_play": True, "open_ends": 2, "all_laid_doubles": True},
    }
}


def page(game: Game) -> str:
    """Return the page of a game."""
    limits, deal = game.variant.LIMITS, _deal(game)
    options = fields(game.variant)
    players = next(field for field in options if field.name == "players")
    seats = {deck: limits[deck].get("players", players.metadata["choices"]) for deck in limits}
    layout = game.encoder.layout
    takes = [name for name in ("casino_fee", "commission") if hasattr(game.variant, name)]
    return filled(
        "game.md",
        game=game,
        seat=_before_worst(game, deal).seat,
        worst=_worst(deal),
        rules=_rules(game),
        deal=deal,
        hands=_hands(game, deal),
        moves=_moves(game, deal),
        ladders=[json.loads(file.read_text(encoding="utf-8")) for file in _ladder_files(game)],
        networks=networks(game.id),
        claims=_claims(game),
        options=options,
        variants=_variants(game),
        default_players=players.default,
        players=seats.pop(game.variant().deck),
        players_of_decks=seats,
        most_chips=f"{game.payoff_bound(game.variant()):g}",
        agents=[*agent_names(game), *NOT_NAMED],
        sections=list(zip(layout.sections, layout.starts, strict=True)),
        verbs=_verbs(game),
        house=f", less the `{takes[0]}`" if takes else "",
        history=list(enumerate(HISTORY[game.id]))[::-1],
    )


def picture(game: Game) -> str:
    """Return the table of the annotated deal before the decision that lost most, as the seat to act sees it."""
    session = _before_worst(game, _deal(game))
    view = session.view(session.seat)
    return draw_svg(game.scene(session.variant, [view], seat_names(session.variant.players))) + "\n"


def _rules(game: Game) -> list[str]:
    """Return the rules in brief: lines that begin with a word in a column of its own become items."""
    lines: list[str] = [""]
    for line in game.rules_text.splitlines():
        word, gap, rest = line.partition("  ")
        if line.startswith(" "):
            lines[-1] += f" {line.strip()}"
        elif gap and rest.strip():
            lines.append(f"- **{word}**: {rest.strip()}")
        elif line and lines[-1]:
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return lines[1:]


def _verbs(game: Game) -> list[tuple[str, list[int]]]:
    """Return the actions that follow each other with one verb, by it."""
    runs = [(verb, list(run)) for verb, run in itertools.groupby(range(game.num_actions), lambda a: game.moves[a].verb)]
    return runs if len(runs) <= 12 else [("", list(range(game.num_actions)))]


def _ladder_files(game: Game) -> list[Path]:
    return sorted(LADDERS.glob(f"{game.id}*.json"))


def _variants(game: Game) -> dict[str, list[str]]:
    """Return the variants that have something of their own, each with what it has."""
    uses: dict[str, list[str]] = {"default options": []}
    for heuristic in shipped_heuristics(game.id):
        uses.setdefault(options_of(heuristic["variant"]), []).append("`tuned`, weights of a rule-based player")
    for file, header in networks(game.id):
        card = f"[`best`, a trained network](../models/{file.stem}.md)"
        uses.setdefault(options_of(variant_of(game, header)), []).append(card)
    for file in _ladder_files(game):
        changed = options_of(json.loads(file.read_text(encoding="utf-8"))["changed"])
        uses.setdefault(changed, []).append("[a ladder of players](../ladder.md)")
    uses.setdefault(options_of(game.variant.tiny_options()), []).append(
        "[exact play](../evaluation.md#exact-exploitability): small enough to search completely"
    )
    for name, options in NAMED.get(game.id, {}).items():
        words = " ".join(f"-o {word}" for word in game.variant.make(**options).typed())
        uses.setdefault(options_of(options), []).append(f"{name}: `gupai play {game.id} {words}`")
    return uses


def _deal(game: Game) -> dict[str, Any]:
    """Return what `tools/annotated.py` wrote."""
    content = json.loads((DEALS / f"{game.id}.json").read_text(encoding="utf-8"))
    return {**content, "record": json.loads(content["record"])}


def _session(game: Game, deal: dict[str, Any]) -> Session:
    record = deal["record"]
    return Session(game, game.variant.make(**record["variant"]), int(record["seed"]), record["episode"])


def _worst(deal: dict[str, Any]) -> int:
    """Return the number of the decision that lost most, as far as that is clear."""
    notes = deal["notes"]
    return int(max(notes, key=lambda number: notes[number]["mean"] - notes[number]["played"] - notes[number]["half"]))


def _before_worst(game: Game, deal: dict[str, Any]) -> Session:
    """Return the deal as it was before the decision that lost most."""
    session = _session(game, deal)
    for action in deal["record"]["actions"][: _worst(deal) - 1]:
        session.play(action)
    return session


def _hands(game: Game, deal: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the table of what each seat was dealt, its head first."""
    session = _session(game, deal)
    places = game.scene(session.variant, session.views(), seat_names(session.variant.players)).places
    head = ("seat", *(pile.label for pile in places[0].piles if pile.tiles))
    rows = (
        (seat, *(" ".join(f"[{a}:{b}]" for a, b in pile.tiles) for pile in place.piles if pile.tiles))
        for seat, place in enumerate(places)
    )
    return [head, *rows]


def _moves(game: Game, deal: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the moves: number, seat, words, what it changed, and what the adviser says."""
    session = _session(game, deal)
    names, known = seat_names(session.variant.players), ()
    for action in deal["record"]["actions"]:
        step = session.take(action, names, known)
        known = step.scene.notes
        yield step.number, step.seat, step.words, step.news, _note(deal, step.number)


def _note(deal: dict[str, Any], number: int) -> str:
    note = deal["notes"].get(str(number))
    if note is None:
        return "no choice"
    lost = note["mean"] - note["played"]
    if lost - note["half"] < CLEAR:
        return ""
    return f"{note['best']} gains {lost:.1f} ±{note['half']:.1f} chips"


def _claims(game: Game) -> Iterator[tuple[Verdict, str]]:
    """Yield the verdicts on claims about a game, each with its readings in a few words."""
    for verdict in recorded_claims():
        if verdict.game == game.id:
            headlines = Counter(finding.headline or finding.verdict for finding in verdict.findings)
            yield (
                verdict,
                ", ".join(name if count == 1 else f"{name} ({count} readings)" for name, count in headlines.items()),
            )
