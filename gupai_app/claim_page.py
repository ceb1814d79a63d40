"""The verdict on a claim as a page: what came out, for a player, with deals to step through; no network is needed."""

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, isfinite, log10
from pathlib import Path
from typing import Any

from gupai_agents.evaluation.claims import Claim
from gupai_agents.evaluation.claims.deals import GAIN, LOSS, MEDIAN, Pair, pairs_of_verdict
from gupai_agents.evaluation.claims.report import TITLES, command_of, percent, remarks
from gupai_agents.evaluation.claims.verdicts import CONTRADICTED, DISPROVED, PROVED, SUPPORTED
from gupai_agents.evaluation.records import RecordWriter
from gupai_app.page import Parts, page, stepper
from gupai_env.core.files import check_target, write_file
from gupai_env.core.phrases import chips
from gupai_env.core.variant import in_words
from gupai_env.render.letters import drawable

SLUGS = {GAIN: "gain", LOSS: "loss", MEDIAN: "median"}
RECORDS = ".jsonl"
AMONG = " of those that were played otherwise"
SIDES = {"policy": ("with the trait", "without it"), "action": ("with the action", "with the other one")}
LOOKS = {SUPPORTED: "yes", PROVED: "yes", CONTRADICTED: "no", DISPROVED: "no"}


def check(path: str, claims: Sequence[Claim]) -> None:
    """Raise ValueError if no page of these claims can be written to a path; it is asked before they are tested."""
    if len(claims) != 1:
        raise ValueError("--html writes the page of one claim; name it instead of --all")
    if Path(path).suffix == RECORDS:
        raise ValueError(f"--html {path}: the games go to a file of that name; call the page FILE.html")


def records_of(path: str) -> Path:
    """Return where the games lie that the page at a path shows."""
    page_path = Path(path)
    return page_path.with_suffix(RECORDS) if page_path.name else page_path  # "/" is refused as a page


def write_claim(path: str, claim: Claim, content: dict[str, Any], *, force: bool = False) -> Path | None:
    """Write the page of a verdict, and beside it the games it shows; return where these are, if there are any.

    Args: path: of a file, FILE.html; the games go to FILE.jsonl. content: the verdict as JSON. force: whether both may
        be replaced.
    Raises: ValueError for a file that is there already; OSError.
    """
    check(path, [claim])
    records = records_of(path)
    check_target(records, force=force)
    pairs = list(pairs_of_verdict(claim, content))
    write_file(path, claim_page(content, pairs, records.name), force=force)
    if not pairs:
        return None
    with RecordWriter(records, force=force) as writer:
        writer.write(game for _, _, pair in pairs for game in (pair.treated, pair.baseline))
    return records


def claim_page(
    content: dict[str, Any], pairs: Sequence[tuple[int, dict[str, Any], Pair]] = (), records: str = ""
) -> str:
    """Return the page of a verdict, which is JSON; pairs: its deals. records: the name of the file of their games."""
    body, parts = claim_body(content, pairs, records)
    return page(f"{content['id']}: {content['statement']}", body, parts)


def claim_body(
    content: dict[str, Any], pairs: Sequence[tuple[int, dict[str, Any], Pair]] = (), records: str = ""
) -> tuple[str, Parts]:
    """Return what stands in the page of a verdict, and the parts of its drawings; see `claim_page`."""
    parts = Parts()
    body = [f"<h1>“{_text(content['statement'])}”</h1>"]
    body.append(f'<p class="quiet">{_text(content["source"])}; {_text(content["game"])}</p>')
    for number, reading in enumerate(content["readings"]):
        body.append(f"<section><h2>{_text(reading['name'])}</h2>{''.join(_reading(reading))}")
        shown = [
            _deal(f"r{number + 1}", at, reading, example, pair, records, parts)
            for at, (of, example, pair) in enumerate(pairs)
            if of == number
        ]
        if shown:
            body.append(f"<h3>Deals to look at</h3>{''.join(shown)}")
        body.append("</section>")
    if "untested" in content:
        body.append(f"<p>Not tested: {_text(content['untested'])}</p>")
    body.append(f"<h2>To repeat it</h2><p><code>{_text(command_of(content))}</code></p>")
    return "".join(body), parts


def _reading(reading: dict[str, Any]) -> Iterator[str]:
    """Yield what a reading came to: the sentence first, figures and a chart, where it fails, statistics folded."""
    look = LOOKS.get(reading["verdict"], "")
    yield f'<p><span class="verdict {look}">{_text(reading["verdict"])}</span></p><p>{_text(reading["sentence"])}</p>'
    told = list(_headline(reading))
    if told:
        yield f'<div class="figures">{"".join(f"<div><b>{_text(a)}</b>{_text(b)}</div>" for a, b in told)}</div>'
    yield f"<p>Rules: {_text(in_words(reading['variant'], 'the defaults'))}."
    members = [each["label"] for each in reading.get("effects", ())]
    if members and reading["kind"] in SIDES:
        who = "Opponents" if reading["kind"] == "policy" else "Players, at all seats"
        yield f" {who}: {_text(', '.join(members))}."
    yield "</p>"
    if "doses" in reading:
        yield f"<h3>By how many</h3>{dose_chart(reading['doses'])}"
    if reading["kind"] in SIDES:
        yield f"<h3>Where it fails</h3><p>{_text(failures(reading))}</p>"
    yield "<details><summary>Statistics</summary><ul>"
    yield "".join(f"<li>{_text(line)}</li>" for line in remarks(reading))
    yield "</ul>"
    for which, title in TITLES.items():
        if reading.get(which):
            table = _table(reading[which], reading.get("unit", ""))
            yield f'<h3>{title}</h3><div class="wide" tabindex="0">{table}</div>'
    yield "</details>"


def _headline(reading: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the figures that a player asks for, and what they are."""
    pooled = reading.get("pooled")
    if pooled and reading.get("unit") == "chips":
        yield _figure(pooled["mean"], pooled["half_width"]), "chips a deal when it comes up"
    if "frequency" in reading:
        if reading["kind"] == "action":
            yield f"{reading['frequency']:.3g}", "times in a deal of a seat"
        else:
            yield percent(reading["frequency"]), "of a seat's deals is how often it comes up"
    if "per_hundred" in reading:
        yield f"{reading['per_hundred']:+.1f}", "chips in a hundred deals"


def failures(reading: dict[str, Any]) -> str:
    """Return against whom and where the opposite of what is claimed was found, in a sentence."""
    sign = -1 if reading.get("about", {}).get("alternative") == "less" else 1
    found = [
        f"{each['label']} ({_figure(each['mean'], each['half_width'])})"
        for which in ("effects", "doses", "subgroups")
        for each in reading.get(which, ())
        if each["half_width"] is not None
        and sign * each["mean"] + each["half_width"] < 0
        and each.get("p", 0.0) < 0.05
    ]
    looked = [
        word
        for which, word in (("effects", "opponent"), ("doses", "dose"), ("subgroups", "group"))
        if reading.get(which)
    ]
    if not found:
        return f"No {', '.join(looked[:-1])}{' or ' if looked[1:] else ''}{looked[-1]} is shown to turn it around."
    return f"It turns around with: {'; '.join(found)}."


def _figure(mean: float, half: float | None) -> str:
    digits = 3 if abs(mean) < 1 else 2
    return f"{mean:+.{digits}f}" + (f" ±{half:.{digits}f}" if half is not None else "")


def _table(figures: Sequence[dict[str, Any]], unit: str) -> str:
    times, of = (100, "%") if unit.startswith("share") else (1, unit)
    heads = ["", f"mean ({of})" if of else "mean", "±", "deals", "p", "verdict"]
    rows = ["".join(f"<th>{_text(head)}</th>" for head in heads)]
    for each in figures:
        half = each["half_width"]
        cells = [
            each["label"],
            f"{times * each['mean']:+.3f}",
            "" if half is None else f"{times * half:.3f}",
            f"{each['samples']:,}",
            f"{each['p']:.2g}" if "p" in each else "",
            each.get("verdict", ""),
        ]
        rows.append("".join(f"<td>{_text(cell)}</td>" for cell in cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


# --- the chart ------------------------------------------------------------------------------------

CHART_WIDTH, CHART_HEIGHT, LEFT, BOTTOM, TOP = 560, 260, 56, 46, 12
MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-4-4h8v8h-8z",
    "M0-6 5 3H-5z",
    "M0-6 6 0 0 6-6 0z",
    "M-5-2h10v4H-10z",
)


def dose_chart(doses: Sequence[dict[str, Any]]) -> str:
    """Return the effects at every dose, against each opponent with its interval, as SVG."""
    known = [each for each in doses if each["half_width"] is not None and isfinite(each["half_width"])]
    if not known:
        return "<p>There are too few deals to tell.</p>"
    steps = list(dict.fromkeys(each["dose"] for each in doses))
    names = list(dict.fromkeys(each["label"].partition(", against ")[2] for each in doses))
    low = min(0.0, *(each["mean"] - each["half_width"] for each in known))
    high = max(0.0, *(each["mean"] + each["half_width"] for each in known))
    step = round_step(high - low)
    low, high = step * floor(low / step), step * max(ceil(high / step), floor(low / step) + 1)
    across = (CHART_WIDTH - LEFT) / len(steps)

    def y(value: float) -> float:
        return round(TOP + (high - value) / (high - low) * (CHART_HEIGHT - TOP - BOTTOM), 1)

    drawn = []
    for line in range(round((high - low) / step) + 1):
        value = low + line * step
        name = "zero" if abs(value) < step / 2 else "axis"
        drawn.append(f'<line class="{name}" x1="{LEFT}" x2="{CHART_WIDTH}" y1="{y(value)}" y2="{y(value)}"/>')
        drawn.append(f'<text x="{LEFT - 8}" y="{y(value) + 4}" text-anchor="end">{value + 0.0:g}</text>')
    for place, dose in enumerate(steps):
        x = LEFT + (place + 0.5) * across
        drawn.append(
            f'<text x="{x:.1f}" y="{CHART_HEIGHT - 26}" text-anchor="middle">{_text(f"{dose:g}")}</text>'
        )
    for each in known:
        member = names.index(each["label"].partition(", against ")[2])
        x = LEFT + (steps.index(each["dose"]) + 0.5 + 0.16 * (member - (len(names) - 1) / 2)) * across
        ends = y(each["mean"] - each["half_width"]), y(each["mean"] + each["half_width"])
        title = f"{each['label']}: {_figure(each['mean'], each['half_width'])}"
        drawn.append(
            f'<g><title>{_text(title)}</title><line class="interval" x1="{x:.1f}" x2="{x:.1f}" y1="{ends[0]}" '
            f'y2="{ends[1]}"/>{_mark(member, x, y(each["mean"]))}</g>'
        )
    x = float(LEFT)
    for member, name in enumerate(names):
        short = name if len(name) <= 22 else f"{name[:21]}…"
        drawn.append(_mark(member, x + 6, CHART_HEIGHT - 8))
        drawn.append(f'<text x="{x + 16:.1f}" y="{CHART_HEIGHT - 4}">{_text(short)}</text>')
        x += 34 + 7.5 * len(short)
    label = "; ".join(f"{each['label']}: {_figure(each['mean'], each['half_width'])}" for each in known)
    return (
        f'<svg class="chart" viewBox="0 0 {max(CHART_WIDTH, ceil(x))} {CHART_HEIGHT}" role="img" '
        f'aria-label="{_text(label)}">{"".join(drawn)}</svg>'
        f'<p class="quiet">{_text(doses[0]["label"].partition(" exactly ")[0])}: the mean by how many of them, with '
        "95% intervals, against each opponent.</p>"
    )


def round_step(span: float) -> float:
    """Return a round distance between lines, of which four or five cover a span."""
    size = 10.0 ** floor(log10(max(span, 1e-9) / 4))
    return next(size * times for times in (1, 2, 5, 10) if size * times * 4.5 >= span)


def _mark(member: int, x: float, y: float) -> str:
    return f'<path class="mean" transform="translate({x:.1f} {y})" d="{MARKS[member % len(MARKS)]}"/>'


# --- deals ----------------------------------------------------------------------------------------


def _deal(
    prefix: str,
    at: int,
    reading: dict[str, Any],
    example: dict[str, Any],
    pair: Pair,
    records: str,
    parts: Parts,
) -> str:
    """Return a deal played both ways, side by side."""
    slug = f"{prefix}-{SLUGS[example['what']]}"
    sides = SIDES[reading["kind"]]
    games = (pair.treated, pair.baseline)
    seats = ", ".join(f"seat {seat}" for seat in pair.seats)
    gain = f"{example['gain']:+g} {'chips' if reading.get('unit') == 'chips' else 'in the metric'}"
    what = example["what"]
    told = f"{what[0].upper()}{what[1:]}{AMONG if what == MEDIAN else ''}: {gain}"
    about = (
        f"Against {example['player']}" if reading["kind"] == "policy" else f"{example['player']} at all seats"
    )
    parting = next(
        (
            number
            for number, both in enumerate(zip(*(game.actions for game in games), strict=False), 1)
            if both[0] != both[1]
        ),
        None,
    )
    shown = []
    for side, name, game in zip(("with", "without"), sides, games, strict=True):
        won = sum(paid[pair.seats[0]] for paid in game.payoffs)
        link = f'<a href="#{slug}-{side}-{parting}">They part at move {parting}.</a>' if parting else ""
        number = 2 * at + 1 + (side == "without")
        file = f"<code>gupai replay {_text(records)} --game {number}</code>" if records else ""
        shown.append(
            f"<div><h4>{name}: {_text(chips(won))}</h4>{stepper(game, parts, f'{slug}-{side}-', pair.seats[0])}"
            f'<p class="quiet">{link} {file}</p></div>'
        )
    return (
        f'<h3 id="{slug}">{_text(told)}</h3><p>{_text(about)}; deal {example["deal"]}, {_text(seats)}.</p>'
        f'<div class="pair">{"".join(shown)}</div>'
    )


def _text(text: str) -> str:
    return escape(drawable(str(text)))
