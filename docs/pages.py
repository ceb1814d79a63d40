"""Writes `docs/games/*.md` from the code, a page a game, `docs/ladder.md` from what `gupai ladder --json` printed, and
`docs/models.md` from the headers of the networks that come with the package.

Run it after a change of rules, options or encoders, and after a new ladder in `docs/ladder`:

    python docs/pages.py
"""

import json
from dataclasses import asdict, fields
from pathlib import Path

from gupai_agents import agent_names
from gupai_agents.registry import NOT_NAMED
from gupai_agents.shipped import networks
from gupai_app.ladder import MEANING
from gupai_env.core.game import Game
from gupai_env.core.variant import FULL, TINY
from gupai_env.games import GAMES
from gupai_training.config import went_in

DOCS = Path(__file__).parent
FOLDER, LADDERS = DOCS / "games", DOCS / "ladder"


def page(game: Game) -> str:
    """Return the page of a game."""
    encoder = game.encoder
    layout = encoder.layout
    players = next(field for field in fields(game.variant) if field.name == "players")
    limits = game.variant.LIMITS
    full, tiny = (limits[deck].get("players", players.metadata["choices"]) for deck in (FULL, TINY))
    chips = game.payoff_bound(game.variant())
    head = {
        "environment": f"`gupai_env.{game.identifier}_v{game.version}`, "
        f"registered as `gupai/{game.id}-v{game.version}`",
        "players": ", ".join(f"**{n}**" if n == players.default else str(n) for n in full),
        "players of the tiny deck": ", ".join(map(str, tiny)),
        "actions": f"`Discrete({game.num_actions})`",
        "observation": f"`Box(int8, ({layout.size},))`, encoder {encoder.name} {encoder.version}",
        "payoffs": f"chips at the end of a deal, at most {chips:g} either way with the default options",
        "agents": ", ".join(f"`{name}`" for name in [*agent_names(game), *NOT_NAMED]),
    }
    return "\n".join(
        [
            f"# {game.title}",
            "",
            "*Written by `docs/pages.py` from the code.*",
            "",
            *_table(("", ""), head.items()),
            "",
            "## Rules",
            "",
            "```text",
            game.rules_text,
            "```",
            "",
            "## Options",
            "",
            *_table(
                ("option", "default", "allowed", "meaning"), (_option(game, f) for f in fields(game.variant))
            ),
            "",
            "## Observation",
            "",
            "What the seat to act knows, and any other seat when asked. Seats are counted from the viewer in order of",
            "turn. `env.layout.split(observation)` gives the sections by name.",
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
            "## Players",
            "",
            "Rule-based players weigh features of an action and play the one of the highest sum.",
            "`style:FEATURE=WEIGHT,...` is a player of one's own, `NAME+FEATURE=WEIGHT` one with weights added,",
            "`NAME@1.5` draws at a temperature, and `gupai tune` finds weights, such as those of `tuned`",
            "([more](../players.md), [how strong they are](../ladder.md)).",
            "",
            *_table(
                ("player", "weights"),
                (
                    (f"`{name}`", ", ".join(f"{feature} {weight:g}" for feature, weight in weights.items()))
                    for name, weights in game.styles.items()
                ),
            ),
            "",
            *_table(
                ("feature", "unit", "range", "meaning"),
                ((f"`{f.name}`", f.unit, f"{f.low:g} to {f.high:g}", f.meaning) for f in game.features),
            ),
            "",
            "## Actions",
            "",
            *_table(("action", "name"), enumerate(game.action_names)),
            "",
        ]
    )


def ladder() -> str:
    """Return the page of all ladders."""
    lines = [
        "# Ladder",
        "",
        "*Written by `docs/pages.py` from `docs/ladder/*.json`, which `gupai ladder GAME --json` printed.*",
        "",
        MEANING,
        "Who searches plays fewer deals. Decisions a second are those of a batch of 512 asked at once, drawn from all",
        "moments of a deal.",
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
                "all others",
                "deals",
                "decisions/s",
            )
            rows = [
                (
                    f"`{rung['player']}`",
                    *(_chips(rung["against"].get(name)) for name in found["rivals"]),
                    _chips(rung["all"]),
                    f"{rung['deals']:,}",
                    f"{rung['decisions_a_second']:,.0f}",
                )
                for rung in found["rungs"]
            ]
            lines += [*_table(head, rows), "", f"`{found['command']}`, seed {found['seed']}; {machine}.", ""]
    return "\n".join(lines)


def models() -> str:
    """Return the model cards of all networks that come with the package."""
    lines = [
        "# Players that come trained",
        "",
        "*Written by `docs/pages.py` from the headers of `agents/gupai_agents/networks`.*",
        "",
        "Each is `best` in its variant: a multilayer perceptron with ReLU over what its seat observes, no search, its",
        "weights in half precision, judged as it ships. Chips a deal of one of it among equal others, each deal played",
        "from every seat; ± is the half-width of the 95% interval of the mean over deals, which training never met.",
        "They know the rules of their variant alone and are free to use (MIT). One run each: another seed gives",
        "another player. `gupai train` with the recipe makes one anew, and `python benchmarks/strong.py RUN` ships it.",
        "",
    ]
    for game in GAMES.values():
        for file, header in networks(game.id):
            lines += _model(game, file, header)
    return "\n".join(lines)


def _model(game: Game, file: Path, header: dict) -> list[str]:
    default = json.loads(json.dumps(asdict(game.variant())))
    changed = {name: value for name, value in header["rules"].items() if value != default[name]}
    options = ", ".join(f"{name}={value}" for name, value in changed.items()) or "default options"
    judged = header["evaluation"]
    facts = {
        "file": f"`{file.name}`, {file.stat().st_size / 1024:,.0f} KiB",
        "layers": " x ".join(map(str, header["net"]["hidden"])),
        "": went_in(header["labels"], header["decisions"]),
        "seconds": f"{header['seconds']:,.0f}, on {header['machine']}",
        "seed": header["seed"],
        "versions": ", ".join(f"{name} {version}" for name, version in header["versions"].items()),
    }
    won = judged["chips_a_deal_against"]
    return [
        f"## {game.title}, {options}",
        "",
        *_table(("", ""), facts.items()),
        "",
        *_table(
            ("against", "chips a deal", "deals"),
            (
                (f"`{name}`", _chips(each), f"{each['deals']:,}")
                for name, each in sorted(won.items(), key=lambda item: -item[1]["mean"])
            ),
        ),
        "",
        "<details><summary>Recipe</summary>",
        "",
        "```yaml",
        header["recipe"].rstrip(),
        "```",
        "",
        "</details>",
        "",
    ]


def _chips(won: dict | None) -> str:
    return "" if won is None else f"{won['mean']:+.2f} ±{won['half_width']:.2f}"


def _table(head: tuple[str, ...], rows) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]


def _option(game: Game, field) -> tuple[str, str, str, str]:
    return (
        f"`{field.name}`",
        f"`{field.default!r}`",
        game.variant.allowed(field.name),
        field.metadata["help"],
    )


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for game in GAMES.values():
        (FOLDER / f"{game.id}.md").write_text(page(game), encoding="utf-8")
    (DOCS / "ladder.md").write_text(ladder(), encoding="utf-8")
    (DOCS / "models.md").write_text(models(), encoding="utf-8")


if __name__ == "__main__":
    main()
