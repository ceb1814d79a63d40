"""`gupai claim`: which claims there are, testing them, and what a verdict says to a player."""

import functools
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from gupai_agents.evaluation.claims import Claim, planned, read_claim, try_claim, work
from gupai_agents.evaluation.claims.exacts import questions_of
from gupai_agents.evaluation.claims.features import (
    action_features_of,
    hand_features_of,
    metrics_of,
    position_features_of,
)
from gupai_agents.evaluation.claims.files import MOST_ID, SUFFIX, find, paths
from gupai_agents.evaluation.claims.report import (
    figures,
    heading,
    markdown,
    master_sentences,
    remarks,
    text,
    title,
    untested,
)
from gupai_agents.evaluation.claims.results import Finding, Request, Verdict
from gupai_agents.evaluation.claims.verdicts import RATE, corrected
from gupai_agents.evaluation.records.games import action_types_of
from gupai_agents.play.workers import Cluster, Workers
from gupai_agents.shipped import best_heuristic, heuristic_names, plainest_heuristic
from gupai_app.claims.changes import changed, fields_of
from gupai_app.server.html import filled
from gupai_app.shell.results import keep, locked_output, saved_result
from gupai_app.shell.screen import put, shares, table_of
from gupai_app.shell.streams import say
from gupai_env import __version__
from gupai_env.core.game import Game
from gupai_env.games import GAMES, get_game
from gupai_env.messages import alias, count, word
from gupai_env.messages import say as message
from gupai_env.messages.checks import short_repr
from gupai_env.storage.files import json_text, read_text, write_file
from gupai_env.storage.models import read_assignment

LINES, COLUMNS = 25, 90  # of a verdict in short


def read(name: str | None) -> list[Claim]:
    """Return a claim by its id or path, or without a name all that come with gupai. Raises: ValueError; OSError."""
    return [read_claim(path) for path in (paths() if name is None else [find(name)])]


def show(name: str) -> None:
    """Print the file of a claim, by its id or path, and as comments what may be changed.

    Raises:
        ValueError: For a file that is not a claim.
        OSError: For one that cannot be read.
    """
    path = find(name)
    say(read_text(path), end="")
    claim = read_claim(path)
    fields = [field for index in range(len(claim.readings)) for field in fields_of(claim, index)]
    if fields:
        hint = "# Settings to change: gupai claim run {name} --set KEY=VALUE; options also with -o NAME=VALUE"
        say("")
        say(hint, name=name)
    for field in fields:
        choices = f"  ({', '.join(filter(None, field.choices))})" if field.choices else ""
        say(f"#   {field.key}={field.value}{choices}")


def changed_by(claim: Claim, changes: Sequence[str], options: Sequence[str]) -> tuple[Claim, list[str]]:
    """Return a claim with changes, "KEY=VALUE" each, and options of the rules for all readings; and all of them by key.

    Args:
        claim: The claim.
        changes: "KEY=VALUE" each; `gupai claim show` lists the keys.
        options: "OPTION=VALUE" each, as after `-o`.

    Raises:
        ValueError: For what cannot be changed, or not to this.
    """
    words: dict[str, str] = {}
    claim.about.variant.parse(list(options))
    for option in options:
        for index, reading in enumerate(claim.readings):
            if reading.seating:
                words[f"readings.{index}.variant.{option.partition('=')[0]}"] = option.partition("=")[2]
    for change in changes:
        template = "--set {change}: write KEY=VALUE; `gupai claim show {claim}` lists the keys"
        words.update([read_assignment(change, message(template, change=short_repr(change), claim=claim.id))])
    result = changed(claim, words)
    return result.claim, [f"{key}={value}" for key, value in result.changes.items()]


def listed() -> None:
    """Print all claims that come with gupai."""
    table = table_of(alias("claim", context="column"), "game", "readings", "statement")
    for path in paths():
        claim = read_claim(path)
        readings = str(len(claim.readings)) if claim.readings else message("untested")
        table.add_row(claim.id, claim.game, readings, message(claim.statement))
    put(table, "To test one: gupai claim run ID")


def features() -> None:
    """Print what claim files can name."""
    table = table_of("where", "name", "games", "meaning")
    offered: dict[str, Callable[[Game], dict[str, Any]]] = {
        "hand": hand_features_of,
        "position": position_features_of,
        "action": action_features_of,
        "metric": metrics_of,
        "enumerate": questions_of,
    }
    for where, of_game in offered.items():
        rows: dict[tuple[str, str], list[str]] = {}
        for game in GAMES.values():
            for name, feature in of_game(game).items():
                label = message("{name} (number)", name=name) if getattr(feature, "number", False) else name
                rows.setdefault((label, feature.what), []).append(game.id)
        for (name, meaning), games in rows.items():
            which = message("all") if len(games) == len(GAMES) else " ".join(games)
            table.add_row(where, name, which, message(meaning))
    put(table)


def new(game: str, name: str | None = None, *, force: bool = False) -> None:
    """Write the beginning of a claim's file about a game.

    Args:
        game: Its id.
        name: Of the claim, or its file; None for my-GAME.
        force: Whether an existing file may be replaced.

    Raises:
        ValueError: For no game, or if the file is there or has no claim's name.
        OSError: If it cannot be written.
    """
    game_record = get_game(game)
    name = name or f"my-{game_record.id}"
    path = Path(name if name.endswith(SUFFIX) else f"{name}{SUFFIX}")
    letters = path.stem.replace("-", "")
    if not all(path.stem.split("-")) or not set(letters) <= set(ascii_lowercase + digits) or len(path.stem) > MOST_ID:
        sentence = "{name} is not a name of a claim; write at most {most} lower-case letters and digits, with - between"
        raise ValueError(message(sentence, name=short_repr(path.stem), most=MOST_ID))
    write_file(path, template(game_record, path.stem), force=force)
    say("{path} written; test it with: gupai claim run {path}", path=path)


def plan(claims: Sequence[Claim], seed: int, as_json: bool) -> None:
    """Print how often each reading is eligible, how many deals it would play, and about how long that takes.

    Args:
        claims: What would be tested.
        seed: Of the deals.
        as_json: Whether to print JSON.
    """
    plans: list[dict[str, Any]] = []
    for claim in claims:
        begin = time.perf_counter()
        plans.append({"id": claim.id, "readings": planned(claim, seed), "seconds": time.perf_counter() - begin})
    if as_json:
        print(json_text(plans, 2))
        return
    table = table_of(
        alias("claim", context="column"), "reading", "share of hands", "comes up", "deals of a figure", "figures"
    )
    for entry in plans:
        for reading in entry["readings"]:
            table.add_row(
                entry["id"],
                message("{label} ({figure})", label=message(reading["name"]), figure=reading["kind"]),
                f"{100 * reading['share_of_hands']:.2f}%" if "share_of_hands" in reading else "",
                message("{share:.1f}% of deals", share=100 * reading["comes_up_in_share_of_deals"])
                if "comes_up_in_share_of_deals" in reading
                else "",
                f"{reading.get('deals', 0):,}",
                str(reading.get("figures", "")),
            )
    put(table)


def test(
    claims: Sequence[Claim],
    seed: int,
    deals: int | None,
    panel: Sequence[str] | None,
    strong: bool,
    output_format: str,
    out: str | None,
    workers: Workers,
    more: Mapping[str, Any],
) -> list[Verdict]:
    """Test claims and print the verdicts, as "brief", "text", "markdown" or "json"; `out` keeps the JSON of each.

    A claim whose verdict is in the folder `out` already, by the same command, is not tested again. The workers
    share the claims; what they find is the same. more: `masters`, False not to ask them; and how a changed claim is
    asked for again: `claim`, its name, and `set`, its changes. Returns the verdicts.

    Args:
        claims: What is tested.
        seed: Of the deals.
        deals: How many each figure plays, None for what the claim says.
        panel: Players that replace those of the claim, None for none.
        strong: Whether the strongest players play too.
        output_format: "brief", "text", "markdown" or "json".
        out: The folder that keeps verdicts, None for none.
        workers: They share the claims.
        more: Other fields of a `Request`.
    """
    request = Request(seed=seed, deals=deals, panel=panel or None, strong=strong, **more)
    with locked_output(out, "testing claims into this folder"):
        parts = _parts(claims, request, out, workers)
    if len(parts) > 1:
        parts = corrected(parts)
    if output_format == "json":
        contents = [part.as_numbers() for part in parts]
        print(json_text(contents if len(contents) > 1 else contents[0], 2))
    elif output_format == "markdown":
        say(markdown(parts), end="")
    else:
        for part in parts:
            say(text(part) if output_format == "text" else brief(part))
        if len(parts) > 1:
            say(together(parts))
    return parts


def brief(verdict: Verdict) -> str:
    """Return a verdict in at most LINES lines: of every reading the verdict, and then what there is room for."""
    head = [*_folded(title(verdict), 0), *_folded(verdict.source, 2), ""]
    foot = ["", *_folded(message("Everything that was found: --full; as a page with deals: --html FILE"), 0), ""]
    readings = [list(_groups(finding)) for finding in verdict.findings]
    if verdict.untested:
        readings.append([_folded(untested(verdict), 2)])
    room, printed = LINES - len(head) - len(foot), []
    for rank, index in sorted((rank, index) for index, groups in enumerate(readings) for rank in range(len(groups))):
        lines = readings[index][rank]
        if len(lines) <= room:
            room -= len(lines)
            printed.append((index, rank))
    body = [line for index, rank in sorted(printed) for line in readings[index][rank]]
    return "\n".join([*head, *body, *foot])


def _groups(finding: Finding) -> Iterator[list[str]]:
    """Yield the lines of a reading in groups that are printed whole or not at all, the most important first."""
    yield _folded(heading(finding), 2)
    for lines in ([finding.sentence], master_sentences(finding), remarks(finding), figures(finding)):
        yield [part for line in lines for part in _folded(line, 4)]


def _folded(line: str, indent: int) -> list[str]:
    """Return a sentence in the language that is spoken, in lines that fit, further ones indented more."""
    width = min(COLUMNS, shutil.get_terminal_size((COLUMNS, LINES)).columns) - indent - 2
    lines = Text(word(line)).wrap(Console(width=COLUMNS), max(width, 20))
    return [" " * (indent + 2 * bool(number)) + part.plain.rstrip() for number, part in enumerate(lines)]


def _parts(claims: Sequence[Claim], request: Request, out: str | None, workers: Workers) -> list[Verdict]:
    """Return the verdicts on claims, those that are kept already as they are."""
    paths = [None if out is None else Path(out) / f"{claim.id}.json" for claim in claims]
    arguments, contents = request.model_dump(exclude_defaults=True), dict[int, dict[str, Any]]()
    for index, (claim, path) in enumerate(zip(claims, paths, strict=True)):
        file = claim.model_dump(mode="json", exclude_defaults=True)
        if content := saved_result(path, {"asked": arguments, "file": file, "gupai": __version__}, "readings"):
            say("{path}: exists already and is kept", error=True, path=path)
            contents[index] = content
    how = request.deals, request.panel, request.strong
    todo = {index: work(claim, *how) for index, claim in enumerate(claims) if index not in contents}
    total, done = sum(todo.values()), 0.0
    with shares() as notify:

        def tried() -> Iterator[tuple[int, dict[str, Any]]]:
            if isinstance(workers, Cluster) or (workers.count > 1 and len(todo) > 1):
                yield from workers.as_done(_tried, {index: (claims[index], arguments) for index in todo})
                return
            for index in todo:
                yield index, _tried(claims[index], arguments, functools.partial(tell_of, index))

        def tell_of(index: int, share: float, phase: str) -> None:
            notify((done + share * todo[index]) / total, f"{claims[index].id}: {phase}")

        for index, content in tried():
            contents[index] = content
            keep(paths[index], content)
            done += todo[index]
            notify(done / total, claims[index].id)
    return [Verdict.model_validate(contents[index]) for index in range(len(claims))]


def together(parts: Sequence[Verdict]) -> str:
    """Return how many verdicts stand among all the tests that were made together."""
    findings = [finding for verdict in parts for finding in verdict.findings if finding.q is not None]
    falls = sum(finding.stands is False for finding in findings)
    return count(
        "{tests} tests were made together. At a false discovery rate of {rate:.0%} (Benjamini and Hochberg), {falls} "
        "of the verdicts supported or contradicted fails.",
        "{tests} tests were made together. At a false discovery rate of {rate:.0%} (Benjamini and Hochberg), {falls} "
        "of the verdicts supported or contradicted fail.",
        falls,
        **{"tests": len(findings), "rate": RATE, "falls": falls or message("none")},
    )


def _tried(
    claim: Claim, arguments: dict[str, Any], notify: Callable[[float, str], Any] | None = None
) -> dict[str, Any]:
    """Return the verdict of a claim for JSON."""
    request = Request(**arguments)
    how = request.model_dump(exclude={"seed", "claim", "set"})
    verdict = try_claim(claim, seed=request.seed, **how, progress=notify)
    return verdict.model_copy(update={"request": request}).as_numbers()


def template(game: Game, name: str) -> str:
    """Return the text of a claim's file that can be tested as it stands."""
    verbs, types = action_types_of(game)
    words = {
        "title": game.title,
        "name": name,
        "game": game.id,
        "action": verbs[np.bincount(types).argmax()],
        "panel": ", ".join(heuristic_names(game)[:3]) or "random",
        "treated": best_heuristic(game),
        "baseline": plainest_heuristic(game),
        "feature": game.features[0].name if game.features else "FEATURE",
    }
    return f"{filled('new_claim.yaml', single=game.move_of is None, **words)}\n"
