"""Writes `docs/games/*` from the code, a page and a picture a game, `docs/ladder.md` from what `gupai ladder --json`
printed, `docs/models.md` and `docs/models/*.md` from the headers of the networks that come with the package, and
`docs/reference/configuration.md`.

Run it after a change of rules, options or encoders, and after new figures in `docs/ladder`, `docs/claims` or
`docs/annotated`:

    python docs/pages.py
"""

import itertools
import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import BaseModel

from gupai_agents import agent_names
from gupai_agents.checkpoint import read_header
from gupai_agents.evaluation.claims.report import headline
from gupai_agents.evaluation.claims.verdicts import corrected
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.identity import digest_of
from gupai_agents.look_ahead import HEADER_KEY
from gupai_agents.plain_yaml import parse_yaml, to_yaml
from gupai_agents.registry import NOT_NAMED
from gupai_agents.shipped import BEST, networks, shipped_heuristics
from gupai_app import claims
from gupai_app.ladder import MEANING
from gupai_app.session import Session
from gupai_env.core.game import Game
from gupai_env.core.hints import verb_of
from gupai_env.core.phrases import seat_names
from gupai_env.core.variant import in_words
from gupai_env.games import GAMES
from gupai_env.render import draw_svg
from gupai_training.config import Config, went_in
from gupai_training.curves import baselines_of

DOCS = Path(__file__).parent
FOLDER, LADDERS, DEALS, VERDICTS, LEARNING = (
    DOCS / name for name in ("games", "ladder", "annotated", "claims", "learning")
)
CARDS = DOCS / "models"
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
        _beginning(game),
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
    return _flowing([line for section in sections for line in (*section, "")])


def picture(game: Game) -> str:
    """Return the table of the annotated deal before the decision that lost most, as the seat to act sees it."""
    deal = _deal(game)
    session = _session(game, deal)
    for action in deal["record"]["actions"][: _worst(deal) - 1]:
        session.play(action)
    view = session.view(session.seat)
    return draw_svg(game.scene(session.variant, [view], seat_names(session.variant.players))) + "\n"


def _beginning(game: Game) -> list[str]:
    deal = _deal(game)
    number = _worst(deal)
    session = _session(game, deal)
    for action in deal["record"]["actions"][: number - 1]:
        session.play(action)
    return [
        f"# {game.title}",
        "",
        "*Written by `docs/pages.py` from the code.*",
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
        *_table(("", ""), head.items()),
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
        "What the seat to act knows, and any other seat when asked. Seats are counted from the viewer in",
        "order of",
        "turn. `env.layout.split(observation)` gives the sections by name. `env.state()` joins the",
        "observations of all seats,",
        "for centralised critics.",
        "",
        f"<details><summary>All {len(layout.sections)} sections</summary>",
        "",
        *_table(
            ("entries", "section", "shape", "values", "meaning"),
            (
                (
                    f"{at}..{at + section.size - 1}",
                    f"`{section.name}`",
                    " x ".join(map(str, section.shape)),
                    f"{-section.high if section.signed else 0}..{section.high}",
                    section.meaning,
                )
                for section, at in zip(layout.sections, layout.starts, strict=True)
            ),
        ),
        "",
        "</details>",
    ]


def _actions(game: Game) -> list[str]:
    """Return the actions, those of one verb that follow each other in one row."""
    runs = [
        (verb, list(run))
        for verb, run in itertools.groupby(enumerate(game.action_names), lambda each: verb_of(each[1]))
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
        *_table(
            ("actions", "what", "first", "last"),
            (
                (f"{run[0][0]}..{run[-1][0]}" if len(run) > 1 else run[0][0], verb, run[0][1], run[-1][1])
                for verb, run in runs
            ),
        ),
        "",
        f"<details><summary>All {game.num_actions} actions</summary>",
        "",
        *_table(("action", "name"), enumerate(game.action_names)),
        "",
        "</details>",
    ]


def _rewards(game: Game, chips: float) -> list[str]:
    takes = [name for name in ("casino_fee", "commission") if hasattr(game.variant, name)]
    house = f", less the `{takes[0]}`" if takes else ""
    return [
        "## Rewards",
        "",
        f"Chips, paid to all seats at once by the action that ends a deal, zero before; they sum to zero{house}. In",
        "a match",
        "(`deals`) every deal pays at its end, and the episode terminates after the last for all seats",
        "together; nothing is truncated.",
        f"With the default options a deal moves at most {chips:g} chips to or from a seat.",
    ]


def _options(game: Game) -> list[str]:
    return [
        "## Options",
        "",
        *_table(("option", "default", "allowed", "meaning"), (_option(game, field) for field in fields(game.variant))),
    ]


def _variants(game: Game) -> list[str]:
    """Return the variants that have something of their own."""
    found: dict[str, list[str]] = {"default options": []}
    for heuristic in shipped_heuristics(game.id):
        found.setdefault(_changed(heuristic["variant"]), []).append("`tuned`, weights of a rule-based player")
    for file, header in networks(game.id):
        card = f"[`best`, a trained network](../models/{file.stem}.md)"
        found.setdefault(_changed(_variant_of(game, header)), []).append(card)
    for file in sorted(LADDERS.glob(f"{game.id}*.json")):
        changed = _changed(json.loads(file.read_text(encoding="utf-8"))["changed"])
        found.setdefault(changed, []).append("[a ladder of players](../ladder.md)")
    found.setdefault(_changed(game.variant.tiny_options()), []).append(
        "[exact play](../evaluation.md#exact-exploitability): small enough to search completely"
    )
    for name, options in NAMED.get(game.id, {}).items():
        words = " ".join(f"-o {word}" for word in game.variant.make(**options).typed())
        found.setdefault(_changed(options), []).append(f"{name}: `gupai play {game.id} {words}`")
    return [
        "## Variants",
        "",
        "Any choice of the options is a variant. These have players, a ladder or an exact solution:",
        "",
        *_table(("variant", "what"), ((name, ", ".join(each) or "") for name, each in found.items())),
    ]


def _players(game: Game) -> list[str]:
    return [
        "## Players",
        "",
        "Rule-based players weigh the features of each action and play the action with the highest sum.",
        "`heuristic:FEATURE=WEIGHT,...` is your own player, `NAME+FEATURE=WEIGHT` one with weights added,",
        "`NAME@1.5` draws at a temperature, and `gupai tune` finds weights, such as those of `tuned`",
        "([more](../players.md), [how strong they are](../ladder.md)).",
        "",
        *_table(
            ("player", "weights"),
            (
                (f"`{name}`", ", ".join(f"{feature} {weight:g}" for feature, weight in weights.items()))
                for name, weights in game.heuristics.items()
            ),
        ),
        "",
        *_table(
            ("feature", "unit", "range", "meaning"),
            ((f"`{f.name}`", f.unit, f"{f.low:g} to {f.high:g}", f.meaning) for f in game.features),
        ),
    ]


# --- a deal with notes ----------------------------------------------------------------------------


def _deal(game: Game) -> dict[str, Any]:
    """Return what `docs/annotated.py` wrote."""
    found = json.loads((DEALS / f"{game.id}.json").read_text(encoding="utf-8"))
    return {**found, "record": json.loads(found["record"])}


def _session(game: Game, deal: dict[str, Any]) -> Session:
    record = deal["record"]
    return Session(game, game.variant.make(**record["variant"]), record["seed"], record["episode"])


def _worst(deal: dict[str, Any]) -> int:
    """Return the number of the decision that lost most, as far as that is clear."""
    notes = deal["notes"]
    return int(max(notes, key=lambda at: notes[at]["mean"] - notes[at]["played"] - notes[at]["half"]))


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
        "action would bring on average, from what the seat can know alone. Where another action is clearly",
        "better, the note says by how",
        "many chips (± half of the 95% interval); a deal can still end well after a mistake, and the other",
        "way round.",
        "",
        *_table(
            ("seat", *(pile.label for pile in hands.places[0].piles if pile.tiles)),
            (
                (seat, *(" ".join(f"[{a}:{b}]" for a, b in pile.tiles) for pile in place.piles if pile.tiles))
                for seat, place in enumerate(hands.places)
            ),
        ),
        "",
        *_table(("move", "seat", "plays", "then", "note"), rows),
        "",
        f"At the end: {paid} chips. `python docs/annotated.py` finds these notes again.",
    ]


def _note(deal: dict[str, Any], number: int) -> str:
    note = deal["notes"].get(str(number))
    if note is None:
        return "no choice"
    lost = note["mean"] - note["played"]
    if lost - note["half"] < CLEAR:
        return ""
    return f"{note['best']} gains {lost:.1f} ±{note['half']:.1f} chips"


# --- what is known --------------------------------------------------------------------------------


def _known(game: Game) -> list[str]:
    """Return what ladder, networks and claims say of playing it well."""
    lines = ["## What is known about playing it", ""]
    for file in sorted(LADDERS.glob(f"{game.id}*.json")):
        found = json.loads(file.read_text(encoding="utf-8"))
        order = ", ".join(f"`{rung['player']}` {_chips(total)}" for rung, total in ranked(found))
        lines.append(
            f"- [Ladder](../ladder.md) ({_changed(found['changed'])}), chips per deal, all except `random`: {order}."
        )
    for file, header in networks(game.id):
        won = header["evaluation"]["chips_per_deal_against"]
        named = ", ".join(f"{_chips(each)} against `{name}`" for name, each in won.items())
        lines.append(
            f"- [`best`](../models/{file.stem}.md) ({_changed(_variant_of(game, header))}), chips per deal: {named}."
        )
    for content in _verdicts(game):
        said = Counter(headline(reading) for reading in content["readings"])
        verdicts = ", ".join(name if count == 1 else f"{name} ({count} readings)" for name, count in said.items())
        lines.append(f"- “{content['statement']}” [{verdicts or 'not tested'}](../claims.md#{content['id']})")
    return [
        *lines,
        "",
        f"[What the evidence says about playing well](../strategy/{game.id}.md) puts figures to each of these, and "
        "ranks the features of an action by their value.",
    ]


def _verdicts(game: Game) -> Iterator[dict[str, Any]]:
    files = [VERDICTS / f"{path.stem}.json" for path in claims.paths()]
    contents = corrected([json.loads(path.read_text(encoding="utf-8")) for path in files if path.exists()])
    return (content for content in contents if content["game"] == game.id)


def _history(game: Game) -> list[str]:
    said = HISTORY[game.id]
    return ["## Version history", "", *(f"- v{version}: {said[version]}" for version in range(game.version, -1, -1))]


def _changed(variant: dict[str, Any]) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in variant.items()) or "default options"


def _variant_of(game: Game, header: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a network that are not at their default."""
    default = json.loads(json.dumps(asdict(game.variant())))
    return {name: value for name, value in header["rules"].items() if value != default[name]}


# --- ladders and models ---------------------------------------------------------------------------


def ranked(found: dict[str, Any]) -> list[tuple[dict[str, Any], Estimate]]:
    """Return the rungs of a ladder, the best first, each with what it wins on average from all others but `random`.

    The half-width of such a mean is at most the mean of the others', whose deals are the same.
    """
    rungs = []
    for rung in found["rungs"]:
        others = [Estimate.of(won) for name, won in rung["against"].items() if name != "random"]
        mean, half = (fmean(getattr(won, name) for won in others) for name in ("mean", "half_width"))
        rungs.append((rung, Estimate(mean, half, rung["deals"])))
    return sorted(rungs, key=lambda each: -each[1].mean)


def ladder() -> str:
    """Return the page of all ladders."""
    lines = [
        "# Ladder",
        "",
        "*Written by `docs/pages.py` from `docs/ladder/*.json`, which `gupai ladder GAME --json` printed.*",
        "",
        MEANING,
        "Search agents play fewer deals. Decisions per second are measured in batches of 512 decisions, drawn from all",
        "stages of a deal. In the column of all except `random`, ± is an upper bound: the mean of the half-widths.",
        "[What the names mean](players.md).",
        "",
    ]
    for game in GAMES:
        for file in sorted(LADDERS.glob(f"{game}*.json")):
            found = json.loads(file.read_text(encoding="utf-8"))
            options = ", ".join(f"{name}={value}" for name, value in found["changed"].items())
            machine = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
            lines += [f"## {GAMES[game].title}, {options or 'default options'}", ""]
            head = (
                "one of",
                *(f"against `{name}`" for name in found["rivals"]),
                "all except `random`",
                "deals",
                "decisions/s",
            )
            rows = [
                (
                    f"`{rung['player']}`",
                    *(_chips(rung["against"].get(name)) for name in found["rivals"]),
                    _chips(total),
                    f"{rung['deals']:,}",
                    f"{rung['decisions_per_second']:,.0f}",
                )
                for rung, total in ranked(found)
            ]
            lines += [f"![Chips per deal of each player, all except random](charts/ladder-{file.stem}.svg)", ""]
            note = f" {found['note']}" if "note" in found else ""
            lines += [*_table(head, rows), "", f"`{found['command']}`, seed {found['seed']}; {machine}.{note}", ""]
    return "\n".join(lines)


def learning() -> str:
    """Return the page of all learning curves."""
    lines = [
        "# Learning curves",
        "",
        "*Written by `docs/pages.py` from `docs/learning/*.json`, which `python -m benchmarks.learning_curves` wrote.*",
        "",
        "How strong a new network becomes while it learns from search targets by the recipe of `gupai train GAME`:",
        "chips per deal of one such player among copies of each rule-based player and of `best`, with 95% intervals",
        "over deals; `random` is far below, and not drawn. Each curve is a single run; another seed gives another one.",
        "The recipe's limit in minutes is replaced by a fixed number of targets, so that the machine's speed makes no",
        "difference. `best` is the player that shipped when a curve was made.",
        "[What works in training](training.md) and [all players compared](ladder.md) are pages of their own.",
        "",
    ]
    for game in GAMES.values():
        found = json.loads((LEARNING / f"{game.id}.json").read_text(encoding="utf-8"))
        last = found["evaluations"][-1]
        won = [f"{_chips(last[name])} against `{name}`" for name in baselines_of(found["evaluations"])]
        exact = last.get("exploitability")  # of a game whose hands can all be played out
        lines += [
            f"## {game.title}",
            "",
            f"![Chips per deal over search targets in {game.title}](charts/learning-{game.id}.svg)",
            "",
            f"After {last['targets']:,} targets: {', '.join(won)} chips per deal",
            f"({found['deals']:,} deals, each from every seat).",
            *([f"A best response wins {exact['best']:.4f} chips per deal from it (exact)."] if exact else []),
            f"`python -m benchmarks.learning_curves {game.id} --targets {found['targets']} --seed {found['seed']}`",
            "",
        ]
    return "\n".join(lines)


def models() -> str:
    """Return the list of all networks that come with the package."""
    lines = [
        "# Trained players",
        "",
        "*Written by `docs/pages.py` from the headers of `agents/gupai_agents/networks`.*",
        "",
        "Each of these players is `best` in its variant: a feed-forward network (plain, residual or gated) on the",
        "observation of its seat, with weights rounded to eight or sixteen bits. Some also [look ahead late in a",
        "deal](players.md#looking-ahead). The tables evaluate them as they ship, in chips per deal of one player among",
        "equal others (in games of teams, of one side against the other), each deal played from every seat; ± is the",
        "half-width of the 95% interval of the mean over deals that were not used in training. Each player knows the",
        "rules of its own variant only and is free to use (MIT).",
        "[Another seed](training-studies.md#another-seed) gives another player. Each has a card in the format of the",
        "Hugging Face Hub, with its recipes and whether they can be repeated from what ships.",
        "`python benchmarks/strong.py RUN` ships a run, and `python -m benchmarks.recipes CONFIGURATION RUN` adds to a",
        "card what one command makes.",
        "",
        "```{toctree}",
        ":hidden:",
        ":glob:",
        "",
        "models/*",
        "```",
        "",
    ]
    for game in GAMES.values():
        for file, header in networks(game.id):
            lines += [
                f"## {game.title}, {_options_of(game, header)}",
                "",
                f"[Card](models/{file.stem}.md): {_learned(header)}.",
                "",
                *_judged(header),
                "",
            ]
    return "\n".join(lines)


def card(game: Game, file: Path, header: dict[str, Any]) -> str:
    """Return the model card of a network, with the metadata that the Hugging Face Hub reads."""
    options = _options_of(game, header)
    environment = f"gupai/{game.id}-v{game.version}"
    won = header["evaluation"]["chips_per_deal_against"]
    metadata = {
        "license": header["licence"].lower(),
        "library_name": "gupai",
        "pipeline_tag": "reinforcement-learning",
        "tags": ["reinforcement-learning", "multi-agent", "pettingzoo", "dominoes", game.id],
        "model-index": [
            {
                "name": file.stem,
                "results": [
                    {
                        "task": {"type": "reinforcement-learning", "name": "reinforcement-learning"},
                        "dataset": {"name": f"{environment}, {options}", "type": environment},
                        "metrics": [
                            {
                                "type": "mean_reward",
                                "name": f"chips per deal against {name}",
                                "value": _chips(each).replace("±", "+/- ").removeprefix("+"),
                                "verified": False,
                            }
                            for name, each in won.items()
                        ],
                    }
                ],
            }
        ],
    }
    given = ", ".join(f"{name}={value!r}" for name, value in _variant_of(game, header).items())
    facts = {
        "file": f"`{file.name}`, {file.stat().st_size / 1024:,.0f} KiB",
        "SHA-256": f"`{digest_of(file)}`",
        "observation": f"encoder {header['observation']['encoder']} {header['observation']['version']}, int8 "
        f"[{header['observation']['size']}]",
        "actions": f"{header['actions']['size']}, masked",
        "layers": f"{' x '.join(map(str, header['net']['hidden']))}, {header['net']['type']}",
        "training": _learned(header),
        "seconds": _took(header),
        "seed": header["seed"],
        **_went_in_beside(header),
        "versions": ", ".join(f"{name} {version}" for name, version in header["versions"].items()),
    }
    return _flowing(
        [
            "---",
            to_yaml(metadata).rstrip(),
            "---",
            "",
            f"# {game.title}, {options}",
            "",
            "*Written by `docs/pages.py` from the header of the file.*",
            "",
            f"A player of [{game.title}](../games/{game.id}.md) ({options}): a feed-forward network over what",
            f"its seat observes{_ahead(header)}. It ships with gupai as `best` in this variant.",
            "",
            "## Use",
            "",
            "```python",
            "from gupai_agents import make_agent",
            "",
            f'player = make_agent("best", "{game.id}"{f", {given}" if given else ""})',
            "```",
            "",
            "The file is [safetensors](https://github.com/huggingface/safetensors) with a JSON header:",
            "reading it runs no code. Meant",
            "for research, as an opponent or a baseline, and for play; the game has chips and no money.",
            "",
            "## How strong",
            "",
            f"Chips per deal of {_who(game)}, each deal played from every seat; ± is the",
            "half-width of the 95%",
            "interval of the mean over deals that were not used in training (seed",
            f"{header['evaluation']['seed']}). It is evaluated as it ships, with rounded weights.{_met(header)}",
            "",
            *_judged(header),
            "",
            "## How to train one like it",
            "",
            f"It {_learned(header)}, all from deals generated for its training, without human games",
            "([how training works](../training.md)).",
            *_repeated(file, header),
            "",
            "## Limits",
            "",
            "It knows the rules of this variant only. It always plays the best action of its policy, so an opponent",
            "who studies it can exploit it; `gupai best-response` gives a lower bound on how much.",
            "Another seed gives another player.",
            "",
            *_exploited(game, file),
            "",
            "<details><summary>File, versions, and the recipes of all stages</summary>",
            "",
            *_table(("", ""), facts.items()),
            "",
            *_recipes(header),
            "</details>",
        ]
    )


def _who(game: Game) -> str:
    """Say whose chips are counted where one player meets equal others."""
    return "one of it and its equal partner against equal others" if game.teams else "one of it among equal others"


def _exploited(game: Game, file: Path) -> list[str]:
    """Say how far what the recipe makes on a tiny deck can be exploited, in words; itself, where that is known."""
    exact = read_header(file)["evaluation"].get("exploitability")
    if exact is not None:
        return [
            f"In this variant that is known exactly: a best response, which knows all it would do, wins {exact:.2g}",
            "chips per deal more than it does itself (`gupai exploitability`, with `-o deck=full`).",
        ]
    found = json.loads((CARDS / "tiny.json").read_text(encoding="utf-8")).get(file.stem)
    if found is None:  # `python benchmarks/tiny.py --recipes` has not been run for it
        return []
    seats = "two players" if not game.teams else "two against two"
    return [
        f"Its recipe on the game's tiny deck with {seats} (a small network, {found['targets']:,} targets, without",
        f"looking ahead) makes a player from which an exact best response wins {found['best']:.3g} chips per deal",
        f"if it always plays its best action, and {found['drawn']:.3g} if it draws from its policy; from random play",
        f"{found['random']:.3g} (`python benchmarks/tiny.py --recipes`, one run, seed {found['seed']}).",
    ]


def _ahead(header: dict[str, Any]) -> str:
    """Return how a player searches."""
    found = header.get(HEADER_KEY)
    if not found:
        return ", without search"
    return (
        f"; with {found['tiles']} tiles in hand or fewer it [looks ahead](../players.md#looking-ahead), "
        f"{found['playouts']} playouts with a share of {found['trust']:g} in what an action is worth"
    )


def _repeated(file: Path, header: dict[str, Any]) -> list[str]:
    """Say whether what ships is enough to train such a player again, in words, and what one command makes."""
    stages = _parts(header)
    missing = [
        f"stage {number} used {', '.join(f'`{each}`' for each in unknown)}"
        for number, stage in enumerate(stages, 1)
        if (unknown := _without_recipe(stage))
    ]
    one = _in_one_command(file, header)
    if len(stages) == 1 and not missing:
        return ["`gupai train FILE` with this recipe trains such a player again.", *one]
    lines = [f"It was trained in {len(stages)} stages; their recipes, as they were, are below."]
    if any(str(_settings(each).get("start")) != "None" for each in stages):
        lines += [
            "`start`, there, is the player made so far; to train on from a run of your own write",
            "`--set start=checkpoint:RUN`.",
        ]
    if missing:
        lines += [
            f"This cannot be repeated from what ships: {'; '.join(missing)}. These files are not included, nor are",
            "their recipes.",
        ]
    return [*lines, *one]


def _without_recipe(stage: dict[str, Any]) -> list[str]:
    """Return the players that a stage used and that the card has no recipe of."""
    settings = _settings(stage)
    named = [] if _seeds_of(stage) else list(settings.get("expert_iteration.ensemble") or ())
    named += settings.get("pool.rules") or ()
    named += [] if "start" in stage else [settings.get("start")]
    named += [] if "rollout_policy" in stage else [settings.get("expert_iteration.rollout_policy")]
    return list(dict.fromkeys(_here(spec) for spec in named if str(spec).startswith("checkpoint:")))


def _seeds_of(stage: dict[str, Any]) -> list[int]:
    """Return the seeds of the networks that a stage learned from, if all come of the recipe of the first stage."""
    first, *_ = _parts(stage)
    members = stage.get("ensemble", ())
    differ = [
        name for each in members for name, value in _settings(each).items() if _settings(first).get(name) != value
    ]
    return [each["seed"] for each in members] if set(differ) <= {"seed"} else []


def _in_one_command(file: Path, header: dict[str, Any]) -> list[str]:
    """Say what one command makes for this variant, as `benchmarks/recipes.py` found it, in words."""
    judged, seed = (header["evaluation"][name] for name in ("chips_per_deal_against", "seed"))
    found = json.loads((CARDS / "recipes.json").read_text(encoding="utf-8")).get(file.stem, ())
    lines = []

    def command_of(run: dict[str, Any]) -> str:
        command: str = run["command"]
        return command.replace(f" --set seed={run['seed']}", "")

    for command, grouped in itertools.groupby(sorted(found, key=command_of), command_of):
        runs = list(grouped)
        won = [run["chips_per_deal_against"] for run in runs]
        *_, rival = (name for name in won[0] if name in judged)
        made = "; ".join(
            f"seed {run['seed']}: {run['targets']:,} targets in {run['seconds']:,.0f} seconds" for run in runs
        )
        lines += [
            f"What one command, `{command}`, makes ({made}; {runs[0]['machine']}) wins",
            f"{', '.join(_chips(each[rival]) for each in won)} chips per deal from `{rival}`, where this one wins",
            f"{_chips(judged[rival])}, and {', '.join(_chips(each[BEST]) for each in won)} from this one",
            f"({Estimate.of(won[0][BEST]).samples:,} deals, seed {seed}).",
        ]
    return lines


def _here(spec: Any) -> str:
    """Return a setting without the folders of the machine on which it named a file."""
    kind, colon, path = str(spec).partition(":")
    return f"{kind}:{Path(path).name}" if colon and Path(path).is_absolute() else str(spec)


def _recipes(header: dict[str, Any]) -> list[str]:
    """Return the recipes of a network's runs, first to last."""
    lines: list[str] = []
    smaller: list[str] = []  # told already
    for each in _parts(header):
        if lines:
            lines += ["and with this one, whose `start` is the player made so far:", ""]
        lines += _fenced(each)
        if seeds := _seeds_of(each):
            lines += [f"where `ensemble` is of the first recipe with seeds {', '.join(map(str, seeds))};", ""]
        if "rollout_policy" in each and each["rollout_policy"]["recipe"] not in smaller:
            lines += ["where `rollout_policy` is made with this one:", "", *_fenced(each["rollout_policy"])]
            smaller.append(each["rollout_policy"]["recipe"])
        if others := each.get("averaged_with"):
            start = " and of the one they began with" if each.get("start_averaged") else ""
            lines += [
                f"and again with this in it; the player is the mean of the weights of all these runs{start}:",
                "",
                *(f"- {_differs(each, other)}" for other in others),
                "",
            ]
    return lines


def _differs(header: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the settings in which the recipe of another network differs."""
    before, settings = _settings(header), _settings(other)
    return ", ".join(f"`{name}: {settings[name]}`" for name in settings if settings[name] != before.get(name))


def _settings(header: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a recipe by their names for `--set`."""
    found = {}
    for name, value in parse_yaml(header["recipe"]).items():
        inner = value.items() if isinstance(value, dict) else ()
        found |= {f"{name}.{key}": each for key, each in inner} or {name: value}
    return found


def _fenced(header: dict[str, Any]) -> list[str]:
    recipe = re.sub(r"\b(checkpoint|sample|heuristic):/\S+", lambda found: _here(found[0]), header["recipe"])
    return ["```yaml", recipe.rstrip(), "```", ""]


def _parts(header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the headers of the players that a network's training began with, first to last, and its own."""
    return [*(_parts(header["start"]) if "start" in header else ()), header]


def _learned(header: dict[str, Any]) -> str:
    """Return what a network learned from in all of its runs, in words."""
    parts = _parts(header)
    words = went_in(sum(each["targets"] for each in parts), sum(each["decisions"] for each in parts))
    return words if len(parts) == 1 else f"{words}, in {len(parts)} runs"


def _took(header: dict[str, Any]) -> str:
    """Return the seconds of each run that went into a network, and where it ran."""
    found = []
    for machine, same in itertools.groupby(_parts(header), lambda each: each["machine"]):
        # In these words it is in the files of networks, whose digests are known.
        where = machine.replace("beside it", "at the same time")
        found.append(f"{', then '.join(format(each['seconds'], ',.0f') for each in same)}, on {where}")
    return "; then ".join(found)


def _went_in_beside(header: dict[str, Any]) -> dict[str, str]:
    """Return the rows of a card on other networks that some of its runs began with or learned from."""
    rows = {}
    for number, part in enumerate(parts := _parts(header), 1):
        when = f", run {number} of {len(parts)}" if len(parts) > 1 else ""
        if ensemble := part.get("ensemble"):
            rows[f"its targets{when}"] = f"the mean scores of {len(ensemble)} networks: {_runs(ensemble)}"
        if smaller := part.get("rollout_policy"):
            rows[f"its targets{when}"] = f"played out by a smaller network: {_runs([smaller])}"
        if others := part.get("averaged_with"):
            start = "; and of the player they began with" if part.get("start_averaged") else ""
            rows[f"its weights{when}"] = (
                f"the mean of this run's and of those of {len(others)} more: {_runs(others)}{start}"
            )
    return rows


def _runs(networks: list[dict[str, Any]]) -> str:
    """Return what each of some networks learned from, in words."""
    found = []
    for each in networks:
        seconds = sum(run["seconds"] for run in _parts(each))
        played = (
            f" (played out by a smaller network: {_runs([each['rollout_policy']])})" if "rollout_policy" in each else ""
        )
        found.append(f"seed {each['seed']}, {_learned(each)}{played}, {seconds:,.0f} seconds")
    return "; ".join(found)


def _met(header: dict[str, Any]) -> str:
    """Return a sentence on whom a network met while it learned, if they are those of the evaluation."""
    met = any(parse_yaml(each["recipe"])["expert_iteration"].get("true_hands") for each in _parts(header))
    return " In training it also played against the rule-based players, in other deals." if met else ""


def configuration() -> str:
    """Return the keys of a training configuration."""
    lines = [
        "# Keys of a configuration",
        "",
        "*Written by `docs/pages.py` from `gupai_training/config.py`.*",
        "",
        "`gupai train FILE --set KEY=VALUE`; [how training works](../training.md).",
        "",
    ]
    sections = {
        name: field.annotation
        for name, field in Config.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }
    for section, model in {"": Config, **sections}.items():
        rows = (
            (
                f"`{section}{'.' if section else ''}{name}`",
                "" if field.is_required() else f"`{json.dumps(field.default)}`",
                field.description,
            )
            for name, field in model.model_fields.items()
            if section or name not in sections
        )
        lines += [f"## {section or 'The run'}", "", *_table(("key", "default", "meaning"), rows), ""]
    return "\n".join(lines)


def _options_of(game: Game, header: dict[str, Any]) -> str:
    changed = _variant_of(game, header)
    return in_words(changed)


def _judged(header: dict[str, Any]) -> list[str]:
    won = header["evaluation"]["chips_per_deal_against"]
    rows = sorted(won.items(), key=lambda item: -item[1]["mean"])
    return _table(
        ("against", "chips per deal", "deals"),
        ((f"`{name}`", _chips(each), f"{Estimate.of(each).samples:,}") for name, each in rows),
    )


def _chips(won: dict | Estimate | None) -> str:
    return "" if won is None else str(won if isinstance(won, Estimate) else Estimate.of(won))


def _flowing(lines: list[str]) -> str:
    """Return the lines as a text in which the lines of a paragraph are filled."""
    out: list[str] = []
    paragraph: list[str] = []
    fenced = False
    for line in [*lines, ""]:
        fence = line.startswith(("```", "---"))
        if not fenced and not fence and line and line[0] not in "|#-<!" and out:
            paragraph.append(line)
            continue
        if paragraph:
            out += textwrap.wrap(" ".join(paragraph), 118, break_long_words=False, break_on_hyphens=False)
            paragraph = []
        out.append(line)
        fenced ^= fence
    return "\n".join(out[:-1])


def _table(head: tuple[str, ...], rows) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]


def _option(game: Game, field) -> tuple[str, str, str, str]:
    return (f"`{field.name}`", f"`{field.default!r}`", game.variant.allowed(field.name), field.metadata["help"])


def files() -> Iterator[tuple[Path, str]]:
    """Yield all that is written here, each with its text."""
    for game in GAMES.values():
        yield FOLDER / f"{game.id}.md", page(game)
        yield FOLDER / f"{game.id}.svg", picture(game)
        yield from ((CARDS / f"{file.stem}.md", card(game, file, header)) for file, header in networks(game.id))
    yield DOCS / "ladder.md", ladder()
    yield DOCS / "learning-curves.md", learning()
    yield DOCS / "models.md", models()
    yield DOCS / "reference" / "configuration.md", configuration()


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    CARDS.mkdir(exist_ok=True)
    for file, text in files():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
