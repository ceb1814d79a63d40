"""The verdict on a claim as a page: what came out, for a player, with deals to step through; no network is needed."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from gupai_agents.evaluation.claims import Claim
from gupai_agents.evaluation.claims.deals import Pair, pairs_of_verdict
from gupai_agents.evaluation.claims.effects import GAIN, LOSS, MEDIAN, in_words, ranged
from gupai_agents.evaluation.claims.files import kind_of
from gupai_agents.evaluation.claims.report import (
    TITLES,
    command_of,
    master_sentences,
    options_of,
    percent,
    remarks,
    summary,
)
from gupai_agents.evaluation.claims.results import Effect, Example, Finding, Level, Verdict, written
from gupai_agents.evaluation.claims.verdicts import (
    CONTRADICTED,
    DEPENDS,
    DISPROVED,
    INCONCLUSIVE,
    MEASURED,
    NO_EFFECT,
    PROVED,
    RATE,
    SMALL,
    SUPPORTED,
    TOO_FEW,
    TOO_RARE,
)
from gupai_agents.evaluation.pages import chart
from gupai_agents.evaluation.records.games import RecordWriter
from gupai_app.review.page import page, stepper
from gupai_app.server.html import filled
from gupai_env.games.phrases import chips
from gupai_env.messages import joined, say
from gupai_env.storage.files import check_target, write_file

SLUGS = {GAIN: "gain", LOSS: "loss", MEDIAN: "median"}
RECORDS = ".jsonl"
TITLE = {
    GAIN: say("Largest gain"),
    LOSS: say("Largest loss"),
    MEDIAN: say("Median of those that were played otherwise"),
}
MEANINGS = {
    SUPPORTED: "the deals that were played show it",
    CONTRADICTED: "they show the opposite",
    DEPENDS: "it holds for some hands or players and not for others, or only from some number on",
    SMALL: "the deals show it, and it may be too little to matter",
    NO_EFFECT: "it makes no difference that matters",
    INCONCLUSIVE: "the deals show neither, or not with every player",
    TOO_RARE: "what it is about hardly ever comes up",
    TOO_FEW: "more deals are needed to say anything",
    MEASURED: "a figure is given; there is nothing to be right or wrong about",
    PROVED: "all cases were counted, and it is true",
    DISPROVED: "all cases were counted, and it is false",
}
LOOKS = {SUPPORTED: "yes", PROVED: "yes", CONTRADICTED: "no", DISPROVED: "no", DEPENDS: "partly"}


def check(path: str, claims: Sequence[Claim]) -> None:
    """Raise ValueError if no page of these claims can be written to a path; it is asked before they are tested."""
    if len(claims) != 1:
        raise ValueError("--html writes the page of one claim; name it instead of --all")
    if Path(path).suffix == RECORDS:
        raise ValueError(f"--html {path}: the games are written to a file of that name; name the page FILE.html")


def records_of(path: str) -> Path:
    """Return where the games lie that the page at a path shows."""
    page_path = Path(path)
    return page_path.with_suffix(RECORDS) if page_path.name else page_path  # "/" is refused as a page


def write_claim(
    path: str, claim: Claim, verdict: Verdict, *, panel: Sequence[str] = (), force: bool = False
) -> Path | None:
    """Write the page of a verdict, and next to it the games it shows; return where these are, if there are any.

    Args:
        path: Of a file, FILE.html; the games go to FILE.jsonl.
        claim: The claim.
        verdict: What came out.
        panel: Players that it was tested with instead of the file's.
        force: Whether both may be replaced.

    Raises:
        ValueError: For a file that is there already.
        OSError: If it cannot be written.
    """
    check(path, [claim])
    records = records_of(path)
    check_target(records, force=force)
    pairs = list(pairs_of_verdict(claim, verdict, panel))
    write_file(path, claim_page(verdict, pairs, records.name), force=force)
    if not pairs:
        return None
    with RecordWriter(records, force=force) as writer:
        writer.write(game for _, _, pair in pairs for game in (pair.treated, pair.baseline))
    return records


def claim_page(verdict: Verdict, pairs: Sequence[tuple[int, Example, Pair]] = (), records: str = "") -> str:
    """Return the page of a verdict; pairs: its deals. records: the name of the file of their games.

    Args:
        verdict: The verdict.
        pairs: Its deals: the number of the reading, the deal, and the deal played both ways.
        records: The name of the file of their games, "" for none.
    """
    deals = [
        (number, deal_both_ways(verdict.findings[number], number, index, example, pair))
        for index, (number, example, pair) in enumerate(pairs)
    ]
    return page(f"{verdict.id}: {verdict.statement}", claim_body(verdict, deals, records))


def claim_body(verdict: Verdict, deals: Iterable[tuple[int, dict[str, Any]]], records: str = "") -> Markup:
    """Return what the page of a verdict shows.

    Args:
        deals: To look at, each with the number of its reading: `deal_both_ways` or `deal_elsewhere`.
        records: The name of the file of their games.
    """
    readings = [_reading(finding) for finding in verdict.findings]
    for number, deal in deals:
        readings[number]["deals"].append(deal)
    words = {"verdict": verdict, "readings": readings, "records": records, "command": command_of(verdict), "say": say}
    return filled("verdict_body.html", **words)


def _reading(finding: Finding) -> dict[str, Any]:
    """Return what a page says of a reading next to what the verdict says."""
    kind, levels = kind_of(finding), finding.doses
    parts: list[tuple[str, Sequence[Effect]]] = [(title, getattr(finding, which)) for which, title in TITLES.items()]
    parts += [(level.label, level.effects) for level in levels]
    return {
        "finding": finding,
        "look": LOOKS.get(finding.verdict, ""),
        "figures": list(_headline(finding)),
        "options": options_of(finding),
        "heading": kind.members,
        "members": joined(", ", [opponent.label for opponent in finding.opponents if kind.sides]),
        "levels": [(level.label, summary(level, finding)) for level in levels],
        "chart": dose_chart(levels),
        "masters": list(master_sentences(finding)),
        "failures": failures(finding) if kind.sides else "",
        "remarks": list(remarks(finding)),
        "tables": [(title, effects) for title, effects in parts if effects],
        "deals": [],
    }


def _headline(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield the figures that a player asks for, and what they are."""
    if (pooled := finding.pooled) and finding.unit == "chips":
        if pooled.differ:
            yield ranged(pooled, 2), "chips per deal when it comes up, by opponent"
        quantity = "chips on average" if pooled.differ else "chips per deal when it comes up"
        yield written(pooled.effect, ""), quantity
    if finding.frequency is not None:
        if kind_of(finding).several:
            yield f"{finding.frequency:.3g}", "times in a deal of a seat"
        else:
            yield percent(finding.frequency), "of a seat's deals is how often it comes up"
    if finding.per_hundred is not None:
        yield f"{finding.per_hundred:+z.1f}", "chips in a hundred deals"


def failures(finding: Finding) -> str:
    """Return against whom and where the opposite of what is claimed was found, in a sentence."""
    opposite = 1 if finding.about.get("alternative") == "less" else -1
    groups: dict[str, list[tuple[str, Effect]]] = {
        "opponent": [(say(effect.label), effect) for effect in finding.effects],
        "dose": [(_against(level, effect), effect) for level in finding.doses for effect in level.effects],
        "group": [(say(effect.label), effect) for effect in finding.subgroups],
    }
    sentences = [
        say("{label} ({figure})", label=label, figure=say(written(effect.estimate, "")))
        for group in groups.values()
        for label, effect in group
        if effect.estimate.side() == opposite and effect.p is not None and effect.p < RATE
    ]
    looked = [name for name, group in groups.items() if group]
    if not sentences:
        return f"No {', '.join(looked[:-1])}{' or ' if looked[1:] else ''}{looked[-1]} is shown to turn it around."
    return say("It turns around with: {where}.", where=joined("; ", sentences))


def _against(level: Level, effect: Effect) -> str:
    """Return at which dose an effect was found, and against whom."""
    return say("{dose}, against {player}", dose=say(level.label), player=say(effect.label))


def dose_chart(levels: Sequence[Level]) -> Markup:
    """Return the effects at every dose, against each opponent with its interval, as SVG; "" if no interval is known."""
    steps = [in_words(level.dose) for level in levels if level.dose]
    names = list(dict.fromkeys(effect.label for level in levels for effect in level.effects))
    means = [
        chart.Mean(
            say("{label}: {figure}", label=_against(level, effect), figure=say(written(effect.estimate, ""))),
            effect.estimate.mean,
            effect.estimate.half_width,
            place,
            names.index(effect.label),
        )
        for place, level in enumerate(levels)
        for effect in level.effects
        if effect.estimate.has_interval
    ]
    return chart.columns(steps, names, means)


def deal_elsewhere(finding: Finding, example: Example, address: str, seats: Sequence[int] = ()) -> dict[str, Any]:
    """Return what a page says about a deal that has a page of its own; seats: those that have the trait.

    Args:
        finding: What was found by the reading.
        example: The deal.
        address: Of its page.
        seats: Those that have the trait, none to leave them out.
    """
    gain = "{what}: {chips}" if finding.unit == "chips" else "{what}: {gain:+g} in the metric"
    deal = say("deal {number}", number=example.deal)
    text = joined("; ", [say(kind_of(finding).seated, player=say(example.player)), deal])
    text = joined(", ", [text, *(say("seat {number}", number=seat) for seat in seats)])
    return {
        "slug": SLUGS[example.what],
        "title": say(gain, what=TITLE[example.what], gain=example.gain, chips=chips(example.gain)),
        "about": say("{text}.", text=text),
        "address": address,
    }


def deal_both_ways(
    finding: Finding, reading_index: int, deal_index: int, example: Example, pair: Pair
) -> dict[str, Any]:
    """Return a deal played both ways, side by side.

    Args:
        finding: What its reading has come to.
        reading_index: The number of this.
        deal_index: Its number among the deals of the page.
        example: The deal.
        pair: Its two games.
    """
    games, slug = (pair.treated, pair.baseline), f"r{reading_index + 1}-{SLUGS[example.what]}"
    both = enumerate(zip(*(game.actions for game in games), strict=False), 1)
    sides = [
        {
            "name": name,
            "slug": side,
            "won": chips(sum(paid[pair.seats[0]] for paid in game.payoffs)),
            "stepper": stepper(game, pair.seats[0]),
            "number": 2 * deal_index + number,
        }
        for number, (side, name, game) in enumerate(
            zip(("with", "without"), kind_of(finding).sides, games, strict=True), 1
        )
    ]
    return {
        **deal_elsewhere(finding, example, "", pair.seats),
        "slug": slug,
        "parting": next((number for number, (one, other) in both if one != other), None),
        "sides": sides,
    }
