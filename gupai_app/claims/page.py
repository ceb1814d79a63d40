"""The verdict on a claim as a page: what came out, for a player, with deals to step through; no network is needed."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from gupai_agents.evaluation import chart
from gupai_agents.evaluation.claims import Claim
from gupai_agents.evaluation.claims.deals import Pair, pairs_of_verdict
from gupai_agents.evaluation.claims.effects import GAIN, LOSS, MEDIAN, in_words
from gupai_agents.evaluation.claims.files import kind_of
from gupai_agents.evaluation.claims.report import (
    TITLES,
    command_of,
    figure_text,
    headline,
    levels,
    master_sentences,
    opponents,
    options_of,
    percent,
    remarks,
    summary,
)
from gupai_agents.evaluation.claims.schema import dose_of
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
from gupai_agents.evaluation.records import RecordWriter
from gupai_agents.evaluation.statistics import Estimate
from gupai_app.review.page import Parts, page, stepper
from gupai_app.server.html import filled
from gupai_env.games.phrases import chips
from gupai_env.storage.files import check_target, write_file
from gupai_env.words.messages import joined, say, with_messages, word

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
    path: str, claim: Claim, content: dict[str, Any], *, panel: Sequence[str] = (), force: bool = False
) -> Path | None:
    """Write the page of a verdict, and next to it the games it shows; return where these are, if there are any.

    Args:
        path: Of a file, FILE.html; the games go to FILE.jsonl.
        claim: The claim.
        content: The verdict as JSON.
        panel: Players that it was tested with instead of the file's.
        force: Whether both may be replaced.

    Raises:
        ValueError: For a file that is there already.
        OSError: If it cannot be written.
    """
    check(path, [claim])
    records = records_of(path)
    check_target(records, force=force)
    pairs = list(pairs_of_verdict(claim, content, panel))
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
    parts = Parts()
    deals = [
        (reading_index, deal_both_ways(content, reading_index, deal_index, example, pair, parts))
        for deal_index, (reading_index, example, pair) in enumerate(pairs)
    ]
    body = claim_body(content, deals, records)
    return page(f"{content['id']}: {content['statement']}", body, parts)


def claim_body(content: dict[str, Any], deals: Iterable[tuple[int, dict[str, Any]]], records: str = "") -> Markup:
    """Return what the page of a verdict shows.

    Args:
        deals: To look at, each with the number of its reading: `deal_both_ways` or `deal_elsewhere`.
        records: The name of the file of their games.
    """
    content = with_messages(content, content.get("messages", {}))
    readings = [_reading(reading) for reading in content["readings"]]
    for reading_index, deal in deals:
        readings[reading_index]["deals"].append(deal)
    words = {"readings": readings, "records": records, "command": command_of(content)}
    return filled("verdict_body.html", content=content, **words)


def _reading(reading: dict[str, Any]) -> dict[str, Any]:
    """Return what a page says of a reading next to what the verdict says."""
    kind = kind_of(reading)
    return {
        "reading": reading,
        "headline": headline(reading),
        "look": LOOKS.get(reading["verdict"], ""),
        "figures": list(_headline(reading)),
        "options": options_of(reading),
        "heading": kind.members,
        "members": joined(", ", [opponent["label"] for opponent in opponents(reading) if kind.sides]),
        "levels": [(level["label"], summary(level, reading)) for level in levels(reading)],
        "chart": dose_chart(levels(reading)),
        "masters": list(master_sentences(reading)),
        "failures": failures(reading) if kind.sides else "",
        "remarks": list(remarks(reading)),
        "tables": [
            (title, list(_table(reading[which], reading.get("unit", ""))))
            for which, title in TITLES.items()
            if reading.get(which)
        ]
        + [(level["label"], list(_table(level["effects"], reading.get("unit", "")))) for level in levels(reading)],
        "deals": [],
    }


def _headline(reading: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the figures that a player asks for, and what they are."""
    pooled = reading.get("pooled")
    if pooled and reading.get("unit") == "chips":
        if pooled.get("differ"):
            spread = say("{least:+z.2f} to {most:+z.2f}", least=pooled["least"], most=pooled["most"])
            yield spread, "chips per deal when it comes up, by opponent"
        quantity = "chips on average" if pooled.get("differ") else "chips per deal when it comes up"
        yield figure_text(pooled, {}), quantity
    if "frequency" in reading:
        if kind_of(reading).several:
            yield f"{reading['frequency']:.3g}", "times in a deal of a seat"
        else:
            yield percent(reading["frequency"]), "of a seat's deals is how often it comes up"
    if "per_hundred" in reading:
        yield f"{reading['per_hundred']:+z.1f}", "chips in a hundred deals"


def failures(reading: dict[str, Any]) -> str:
    """Return against whom and where the opposite of what is claimed was found, in a sentence."""
    opposite = 1 if reading.get("about", {}).get("alternative") == "less" else -1
    sentences = [
        say("{label} ({figure})", label=label, figure=say(figure_text(effect, {})))
        for label, effect in (
            *((say(effect["label"]), effect) for effect in reading.get("effects", ())),
            *((_against(level, effect), effect) for level in levels(reading) for effect in level["effects"]),
            *((say(effect["label"]), effect) for effect in reading.get("subgroups", ())),
        )
        if Estimate.of(effect).side() == opposite and effect.get("p", 1.0) < RATE
    ]
    looked = [
        word
        for which, word in (("effects", "opponent"), ("doses", "dose"), ("subgroups", "group"))
        if reading.get(which)
    ]
    if not sentences:
        return f"No {', '.join(looked[:-1])}{' or ' if looked[1:] else ''}{looked[-1]} is shown to turn it around."
    return say("It turns around with: {where}.", where=joined("; ", sentences))


def _against(level: dict[str, Any], effect: dict[str, Any]) -> str:
    """Return at which dose an effect was found, and against whom."""
    return say("{dose}, against {player}", dose=say(level["label"]), player=say(effect["label"]))


def _table(figures: Sequence[dict[str, Any]], unit: str) -> Iterator[list[str]]:
    """Yield the rows of a table of figures, its heads first."""
    times, unit_name = (100, "%") if unit.startswith("share") else (1, unit)
    heads = say("mean ({unit})", unit=say(unit_name)) if unit_name else "mean", "95% interval", "deals"
    yield ["", *map(word, heads), "p", word("verdict")]
    for effect in figures:
        estimate = Estimate.of(effect)
        yield [
            word(effect["label"]),
            f"{times * estimate.mean:+z.3f}" if estimate.occurred else word("did not occur"),
            word(_range(times * estimate.low, times * estimate.high) if estimate.has_interval else "none"),
            f"{estimate.samples:,}",
            f"{effect['p']:.2g}" if "p" in effect else "",
            word(effect.get("verdict", "")),
        ]


def _range(low: float, high: float) -> str:
    return say("{low:+z.3f} to {high:+z.3f}", low=low, high=high)


def dose_chart(levels: Sequence[dict[str, Any]]) -> Markup:
    """Return the effects at every dose, against each opponent with its interval, as SVG; "" if no interval is known."""
    steps = [in_words(dose_of(level["dose"])) for level in levels]
    names = list(dict.fromkeys(effect["label"] for level in levels for effect in level["effects"]))
    means = [
        chart.Mean(
            say("{label}: {figure}", label=_against(level, effect), figure=say(figure_text(effect, {}))),
            effect["mean"],
            Estimate.of(effect).half_width,
            place,
            names.index(effect["label"]),
        )
        for place, level in enumerate(levels)
        for effect in level["effects"]
        if Estimate.of(effect).has_interval
    ]
    return chart.columns(steps, names, means)


def deal_elsewhere(
    reading: dict[str, Any], example: dict[str, Any], address: str, seats: Sequence[int] = ()
) -> dict[str, Any]:
    """Return what a page says about a deal that has a page of its own; seats: those that have the trait."""
    gain = "{what}: {gain:+g} chips" if reading.get("unit") == "chips" else "{what}: {gain:+g} in the metric"
    who = kind_of(reading).seated
    deal = say("deal {number}", number=example["deal"])
    text = joined("; ", [say(who, player=say(example["player"])), deal])
    text = joined(", ", [text, *(say("seat {number}", number=seat) for seat in seats)])
    return {
        "slug": SLUGS[example["what"]],
        "title": say(gain, what=TITLE[example["what"]], gain=example["gain"]),
        "about": say("{text}.", text=text),
        "address": address,
    }


def deal_both_ways(
    content: dict[str, Any], reading_index: int, deal_index: int, example: dict[str, Any], pair: Pair, parts: Parts
) -> dict[str, Any]:
    """Return a deal played both ways, side by side.

    Args:
        reading_index: The number of its reading.
        deal_index: Its number among the deals of the page.
    """
    reading, games = content["readings"][reading_index], (pair.treated, pair.baseline)
    slug = f"r{reading_index + 1}-{SLUGS[example['what']]}"
    both = enumerate(zip(*(game.actions for game in games), strict=False), 1)
    sides = [
        {
            "name": name,
            "slug": side,
            "won": chips(sum(paid[pair.seats[0]] for paid in game.payoffs)),
            "stepper": stepper(game, parts, f"{slug}-{side}-", pair.seats[0]),
            "number": 2 * deal_index + number,
        }
        for number, (side, name, game) in enumerate(
            zip(("with", "without"), kind_of(reading).sides, games, strict=True), 1
        )
    ]
    return {
        **deal_elsewhere(reading, example, "", pair.seats),
        "slug": slug,
        "parting": next((number for number, (one, other) in both if one != other), None),
        "sides": sides,
    }
