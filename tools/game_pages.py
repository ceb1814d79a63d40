"""The page of a game, written from the code, recorded verdicts, `results/ladder` and `results/annotated`."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from writing import DEALS, LADDERS, chips_of, fill_paragraphs, interval, options_of, ranked, table, variant_of

from gupai_agents import agent_names
from gupai_agents.evaluation.claims.files import RECORDED
from gupai_agents.evaluation.claims.report import headline
from gupai_agents.evaluation.claims.verdicts import corrected
from gupai_agents.registry import NOT_NAMED
from gupai_agents.shipped import networks, shipped_heuristics
from gupai_app.claims import terminal as claims
from gupai_app.play.session import Session
from gupai_env.core.game import Game
from gupai_env.games import GAMES
from gupai_env.render import draw_svg
from gupai_env.words.scene import seat_names

CLEAR = 0.05  # chips below which a loss is not worth a word
HISTORY = {  # what each version of a game changed, by id; the first needs no words
    game: {0: "the rules, actions and observations of gupai 0.1"} for game in GAMES
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
    encoder = game.encoder
    layout = encoder.layout
    players = next(field for field in fields(game.variant) if field.name == "players")
    limits = game.variant.LIMITS
    seats = {deck: limits[deck].get("players", players.metadata["choices"]) for deck in limits}
    chips = game.payoff_bound(game.variant())
    head = {
        "environment": f"`gupai_env.{game.identifier}_v{game.version}`, "
        f"registered as `gupai/{game.id}-v{game.version}`",
        "players": ", ".join(f"**{n}**" if n == players.default else str(n) for n in seats.pop(game.variant().deck)),
        **{f"players of the {deck} deck": ", ".join(map(str, allowed)) for deck, allowed in seats.items()},
        "actions": f"`Discrete({game.num_actions})`",
        "observation": f"`Box(int8, ({layout.size},))`, encoder {encoder.name} {encoder.version}",
        "payoffs": f"chips at the end of a deal, at most {chips:g} either way with the default options",
        "agents": ", ".join(f"`{name}`" for name in [*agent_names(game), *NOT_NAMED]),
    }
    sections = (
        _opening(game),
        _rules(game),
        _annotated(game),
        _known(game),
        _options(game),
        _variants(game),
        _players(game),
        _usage(game, head),
        _observation(game),
        _actions(game),
        _rewards(game, chips),
        _history(game),
    )
    lines = [line for section in sections for line in (*section, "")]
    return fill_paragraphs([*lines, "*Written by `tools/pages.py` from the code.*"])


def picture(game: Game) -> str:
    """Return the table of the annotated deal before the decision that lost most, as the seat to act sees it."""
    deal = _deal(game)
    session = _session(game, deal)
    for action in deal["record"]["actions"][: _worst(deal) - 1]:
        session.play(action)
    view = session.view(session.seat)
    return draw_svg(game.scene(session.variant, [view], seat_names(session.variant.players))) + "\n"


def _opening(game: Game) -> list[str]:
    deal = _deal(game)
    number = _worst(deal)
    session = _session(game, deal)
    for action in deal["record"]["actions"][: number - 1]:
        session.play(action)
    return [
        f"# {game.title}",
        "",
        f"![The table as seat {session.seat} sees it]({game.id}.svg)",
        "",
        f"What would you play as seat {session.seat}? It is move {number} of [a deal with",
        f"notes](#an-annotated-deal). To play a deal yourself: `gupai play {game.id}`, or `gupai web` in the browser.",
    ]


def _usage(game: Game, head: dict[str, str]) -> list[str]:
    return [
        "## In code",
        "",
        *table(("", ""), head.items()),
        "",
        "```python",
        f"from gupai_env import {game.identifier}_v{game.version}",
        "",
        f'env = {game.identifier}_v{game.version}.env(render_mode="ansi")',
        "env.reset(seed=42)",
        "for agent in env.agent_iter():",
        "    observation, reward, termination, truncation, info = env.last()",
        '    mask = observation["action_mask"]',
        "    env.step(None if termination else env.action_space(agent).sample(mask))",
        "```",
        "",
        "[PettingZoo](../pettingzoo.md), [Gymnasium](../gymnasium.md) and [vectorised](../vector.md) environments, "
        "[positions by hand](../positions.md), [OpenSpiel](../openspiel.md).",
    ]


def _rules(game: Game) -> list[str]:
    """Return the rules in brief: lines that begin with a word in a column of its own become items."""
    lines = ["## How it is played", ""]
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
    return lines


def _observation(game: Game) -> list[str]:
    layout = game.encoder.layout
    return [
        "## Observation",
        "",
        "What the seat to act knows, and any other seat when asked. Seats are counted from the viewer in order of",
        "turn. `env.layout.split(observation)` gives the sections by name. `env.state()` joins the observations of",
        "all seats, for centralised critics.",
        "",
        f"<details><summary>All {len(layout.sections)} sections</summary>",
        "",
        *table(
            ("entries", "section", "shape", "values", "meaning"),
            (
                (
                    f"{start}..{start + section.size - 1}",
                    f"`{section.name}`",
                    " x ".join(map(str, section.shape)),
                    f"{-section.high if section.signed else 0}..{section.high}",
                    section.meaning,
                )
                for section, start in zip(layout.sections, layout.starts, strict=True)
            ),
        ),
        "",
        "</details>",
    ]


def _actions(game: Game) -> list[str]:
    """Return the actions, those of one verb that follow each other in one row."""
    runs = [
        (verb, list(run))
        for verb, run in itertools.groupby(enumerate(game.action_names), lambda entry: game.moves[entry[0]].verb)
    ]
    if len(runs) > 12:  # no such runs
        runs = [("", list(enumerate(game.action_names)))]
    return [
        "## Actions",
        "",
        'The mask, `observation["action_mask"]` and `info["action_mask"]`, is 1 where the rules allow the',
        "action, all zero for a",
        "seat that is not to act. An action that is not allowed raises `IllegalActionError` and changes nothing.",
        "",
        *table(
            ("actions", "what", "first", "last"),
            (
                (f"{run[0][0]}..{run[-1][0]}" if len(run) > 1 else run[0][0], verb, run[0][1], run[-1][1])
                for verb, run in runs
            ),
        ),
        "",
        f"<details><summary>All {game.num_actions} actions</summary>",
        "",
        *table(("action", "name"), enumerate(game.action_names)),
        "",
        "</details>",
    ]


def _rewards(game: Game, chips: float) -> list[str]:
    takes = [name for name in ("casino_fee", "commission") if hasattr(game.variant, name)]
    house = f", less the `{takes[0]}`" if takes else ""
    return [
        "## Rewards",
        "",
        f"Chips, paid to all seats at once by the action that ends a deal, zero before; they sum to zero{house}. In a",
        "match (`deals`) every deal pays at its end, and the episode terminates after the last for all seats",
        f"together; nothing is truncated. With the default options a deal moves at most {chips:g} chips to or from a",
        "seat.",
    ]


def _options(game: Game) -> list[str]:
    return [
        "## Options",
        "",
        *table(("option", "default", "allowed", "meaning"), (_option(game, field) for field in fields(game.variant))),
    ]


def _variants(game: Game) -> list[str]:
    """Return the variants that have something of their own."""
    uses: dict[str, list[str]] = {"default options": []}
    for heuristic in shipped_heuristics(game.id):
        uses.setdefault(options_of(heuristic["variant"]), []).append("`tuned`, weights of a rule-based player")
    for file, header in networks(game.id):
        card = f"[`best`, a trained network](../models/{file.stem}.md)"
        uses.setdefault(options_of(variant_of(game, header)), []).append(card)
    for file in sorted(LADDERS.glob(f"{game.id}*.json")):
        changed = options_of(json.loads(file.read_text(encoding="utf-8"))["changed"])
        uses.setdefault(changed, []).append("[a ladder of players](../ladder.md)")
    uses.setdefault(options_of(game.variant.tiny_options()), []).append(
        "[exact play](../evaluation.md#exact-exploitability): small enough to search completely"
    )
    for name, options in NAMED.get(game.id, {}).items():
        words = " ".join(f"-o {word}" for word in game.variant.make(**options).typed())
        uses.setdefault(options_of(options), []).append(f"{name}: `gupai play {game.id} {words}`")
    return [
        "## Variants",
        "",
        "Any choice of the options is a variant. These have players, a ladder or an exact solution:",
        "",
        *table(("variant", "what"), ((name, ", ".join(texts) or "") for name, texts in uses.items())),
    ]


def _players(game: Game) -> list[str]:
    policies = ", ".join(f"`{name}`" for name in game.policies)
    return [
        "## Players",
        "",
        "Rule-based players weigh the features of each action and play the action with the highest sum.",
        "`heuristic:FEATURE=WEIGHT,...` is your own player, `NAME+FEATURE=WEIGHT` one with weights added,",
        "`NAME@1.5` draws at a temperature, and `gupai tune` finds weights, such as those of `tuned`",
        "([more](../players.md), [how strong they are](../ladder.md)).",
        "",
        *table(
            ("player", "weights"),
            (
                (f"`{name}`", ", ".join(f"{feature} {weight:g}" for feature, weight in weights.items()))
                for name, weights in game.heuristics.items()
            ),
        ),
        "",
        *((f"Players that weigh no features: {policies}.", "") if policies else ()),
        *table(
            ("feature", "unit", "range", "meaning"),
            ((f"`{f.name}`", f.unit, f"{f.low:g} to {f.high:g}", f.meaning) for f in game.features),
        ),
    ]


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


def _annotated(game: Game) -> list[str]:
    deal = _deal(game)
    record, session = deal["record"], _session(game, deal)
    names = seat_names(session.variant.players)
    hands = game.scene(session.variant, session.views(), names)
    rows = []
    known: tuple[str, ...] = ()
    for action in record["actions"]:
        step = session.take(action, names, known)
        known = step.scene.notes
        rows.append((step.number, step.seat, step.words, step.news, _note(deal, step.number)))
    paid = ", ".join(f"seat {seat} {chips:+g}" for seat, chips in enumerate(record["payoffs"][-1]))
    agents = record["agents"][0]
    return [
        "## An annotated deal",
        "",
        f"`{agents}` at every seat, seed {record['seed']}: a beginner's deal. At every decision",
        f"`{deal['adviser']}` says what each",
        "action would bring on average, from what the seat can know alone. Where another action is clearly better,",
        "the note says by how many chips (± half of the 95% interval); a deal can still end well after a mistake, and",
        "the other way round.",
        "",
        *table(
            ("seat", *(pile.label for pile in hands.places[0].piles if pile.tiles)),
            (
                (seat, *(" ".join(f"[{a}:{b}]" for a, b in pile.tiles) for pile in place.piles if pile.tiles))
                for seat, place in enumerate(hands.places)
            ),
        ),
        "",
        *table(("move", "seat", "plays", "then", "note"), rows),
        "",
        f"At the end: {paid} chips. `python tools/annotated.py` finds these notes again.",
    ]


def _note(deal: dict[str, Any], number: int) -> str:
    note = deal["notes"].get(str(number))
    if note is None:
        return "no choice"
    lost = note["mean"] - note["played"]
    if lost - note["half"] < CLEAR:
        return ""
    return f"{note['best']} gains {lost:.1f} ±{note['half']:.1f} chips"


def _known(game: Game) -> list[str]:
    """Return what ladder, networks and claims say of playing it well."""
    lines = ["## What is known about playing it", ""]
    for file in sorted(LADDERS.glob(f"{game.id}*.json")):
        ladder = json.loads(file.read_text(encoding="utf-8"))
        order = ", ".join(f"`{rung['player']}` {interval(total)}" for rung, total in ranked(ladder))
        lines.append(
            f"- [Ladder](../ladder.md) ({options_of(ladder['changed'])}), chips per deal, all except `random`: {order}."
        )
    for file, header in networks(game.id):
        named = ", ".join(f"{interval(chips)} against `{name}`" for name, chips in chips_of(header).items())
        lines.append(
            f"- [`best`](../models/{file.stem}.md) ({options_of(variant_of(game, header))}), chips per deal: {named}."
        )
    for content in _verdicts(game):
        headlines = Counter(headline(reading) for reading in content["readings"])
        verdicts = ", ".join(name if count == 1 else f"{name} ({count} readings)" for name, count in headlines.items())
        lines.append(f"- “{content['statement']}” [{verdicts or 'not tested'}](../claims/{game.id}.md#{content['id']})")
    return [
        *lines,
        "",
        f"[What the evidence says about playing well](../strategy/{game.id}.md) puts figures to each of these, and "
        "ranks the features of an action by their value.",
    ]


def _verdicts(game: Game) -> Iterator[dict[str, Any]]:
    files = [RECORDED / f"{path.stem}.json" for path in claims.paths()]
    contents = corrected([json.loads(path.read_text(encoding="utf-8")) for path in files if path.exists()])
    return (content for content in contents if content["game"] == game.id)


def _history(game: Game) -> list[str]:
    changes = HISTORY[game.id]
    return ["## Version history", "", *(f"- v{version}: {changes[version]}" for version in range(game.version, -1, -1))]


def _option(game: Game, field) -> tuple[str, str, str, str]:
    return (f"`{field.name}`", f"`{field.default!r}`", game.variant.allowed(field.name), field.metadata["help"])
