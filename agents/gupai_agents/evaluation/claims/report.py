"""What a verdict says to a player, as plain text and as Markdown; both are made of its JSON."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.intervals import FINE, interval_text
from gupai_env.core.variant import in_words
from gupai_env.words.messages import capitalized

P_IS = {"effects": " adjusted", "subgroups": " adjusted for their number"}
TITLES = {"effects": "Figures", "subgroups": "Where (exploratory)"}
MARKS = {"proved": "✔", "supported": "✔", "disproved": "✘", "contradicted": "✘", "it depends": "◐"}


def text(content: dict[str, Any]) -> str:
    """Return a verdict for a terminal."""
    lines = [f"{content['id']} ({content['game']}): “{content['statement']}”", f"  {content['source']}"]
    for reading in content["readings"]:
        lines += ["", f"  {reading['name']}: {headline(reading).upper()}", f"    {reading['sentence']}"]
        lines += [f"    {line}" for line in (*master_sentences(reading), *remarks(reading))]
        lines += [f"      {line}" for line in figures(reading, "effects")]
        for level in levels(reading):
            lines += [f"    {level['label']}: {summary(level, reading)}", *_indented(figures(level, parent=reading))]
        if "subgroups" in reading:
            lines += ["    Where (exploratory):", *(f"      {line}" for line in figures(reading, "subgroups"))]
    if "untested" in content:
        lines += ["", f"  Not tested: {content['untested']}"]
    return "\n".join([*lines, ""])


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"      {line}" for line in lines)


def headline(reading: dict[str, Any]) -> str:
    """Return the verdict in a few words: with doses, from where it holds."""
    sentence: str = reading.get("headline") or reading["verdict"]
    return sentence


def levels(reading: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what was found at each dose, none of a reading without doses."""
    return list(reading.get("doses", ()))


def summary(level: dict[str, Any], reading: dict[str, Any]) -> str:
    """Return what came out at a dose in a line: verdict, the range over opponents where they differ, and the mean."""
    parts = [level["verdict"]]
    if level["differ"]:
        parts.append(f"{span(level, reading)} by opponent")
    parts.append(f"mean {figure_text(level, reading)}" if level["mean"] is not None else figure_text(level, reading))
    if "per_hundred" in level:
        parts.append(f"in {percent(level['frequency'])} of deals" if reading["kind"] != "action" else "")
        parts.append(f"{level['per_hundred']:+z.1f} chips in a hundred deals")
    return ", ".join(filter(None, [*parts, level.get("remark", "")]))


def written(estimate: Estimate, unit: str, *, signed: bool = True) -> str:
    """Return a figure with its interval, shares in per cent. Args: signed: whether more than zero has a sign."""
    times, sign, places = (100, "%", 2) if unit.startswith("share") else (1, "", 3 if abs(estimate.mean) < 1 else 2)
    if 0 < times * estimate.half_width < FINE / 2:
        places = 4
    mean, low, high = (times * number for number in estimate[:3])
    return interval_text(mean, low, high, estimate.samples, places, unit=sign, signed=signed)


def figure_text(numbers: dict[str, Any], reading: dict[str, Any]) -> str:
    """Return a figure of a reading with its interval: gains with their sign, rates as they are."""
    signed = reading.get("kind") not in ("rate", "ordering")
    return written(Estimate.of(numbers), reading.get("unit", ""), signed=signed)


def span(level: dict[str, Any], reading: dict[str, Any]) -> str:
    """Return the range of means over opponents."""
    times, sign = (100, "%") if reading.get("unit", "").startswith("share") else (1, "")
    return " to ".join(
        f"{times * level[name]:+z.{2 if sign or abs(level[name]) >= 1 else 3}f}{sign}" for name in ("least", "most")
    )


def master_sentences(reading: dict[str, Any]) -> Iterator[str]:
    """Yield what the strong do, at every dose: how often they take the claimed action, and the value of it to them."""
    for level in levels(reading) or [reading]:
        where = f", {level['label']}" if level.get("label") else ""
        for master in level.get("masters", ()):
            yield f"What the strong do{where}: {master_sentence(master)}."


def master_sentence(master: dict[str, Any]) -> str:
    """Return what one strong player does in a phrase."""
    shares = [_share(master[name]) for name in ("chooses", "other")]
    sentence = (
        f"{master['who']}, {master['verdict']}: it takes the claimed action in {shares[0]} of {master['decisions']:,}"
    )
    sentence += f" decisions where both are open, the other in {shares[1]}"
    if "worth" in master:
        worth, scores = Estimate.of(master["worth"]), master["unit"] != "chips"
        sentence += f"; the difference is worth {worth.text(2)} {'in ' if scores else ''}{master['unit']} to it"
    return sentence


def _share(numbers: dict[str, Any]) -> str:
    """Return a share in whole per cent, with its interval."""
    mean, low, high = (None if numbers[name] is None else 100 * numbers[name] for name in ("mean", "low", "high"))
    return interval_text(mean, low, high, Estimate.of(numbers).samples, 0, unit="%", signed=False)


def remarks(reading: dict[str, Any]) -> Iterator[str]:
    """Yield sentences about how often it comes up, what that is worth, against whom, and in which variant."""
    description = reading.get("about", {})
    if "frequency" in reading:
        much = f"{percent(reading['frequency'])} of a seat's deals"
        if reading["kind"] == "action":
            much = f"{reading['frequency']:.3g} times in a deal of a seat"
        how = "" if reading["kind"] == "action" else "in exactly " if reading["frequency_is_exact"] else "in about "
        per_hundred = reading.get("per_hundred")
        score = "" if per_hundred is None else f"; that makes {per_hundred:+z.1f} chips in a hundred deals"
        yield f"It comes up {how}{much}{score}."
    if "deals_needed" in reading:
        more = reading["deals_needed"]
        much = f"about {more:,} deals" if more < 10**8 else "more deals than can be played"
        yield f"To decide it would take {much} against each player, were the mean right."
    if "remark" in reading:
        yield f"{capitalized(reading['remark'])}."
    if "treated" in description:
        pair = f"{description['treated']} with {description['baseline']}"
        yield f"Compared: {pair}, in the same deals; hand: {description['hand']}."
    elif "action" in description:
        yield f"The action: {description['action']}; in positions: {description['position']}."
    options = in_words(reading["variant"], "the defaults")
    against = ", ".join(opponent["label"] for opponent in opponents(reading) if "facts" not in reading)
    if against and reading["kind"] != "ordering":
        yield f"Variant: {options}. Players: {against}."
    else:
        yield f"Variant: {options}."
    if "note" in reading:
        yield reading["note"]
    weighed = [opponent["label"] for opponent in opponents(reading) if opponent.get("counted", True)]
    if len(weighed) > 1 and reading["kind"] in ("policy", "action") and "headline" in reading:
        uncounted = [opponent["label"] for opponent in opponents(reading) if not opponent.get("counted", True)]
        aside = f"; {uncounted[0]} is shown and does not count" if uncounted else ""
        yield f"These weigh alike in the mean: {', '.join(weighed)}{aside}."
    if reading.get("doses") and "headline" in reading:
        yield "Intervals of means at doses hold all at once in 95% of cases."
    if "pooled" in reading and reading["pooled"]["i2"]:
        pooled = reading["pooled"]
        yield f"Differences between opponents: Q {pooled['q']:.1f}, p {pooled['p_q']:.2g}, I² {percent(pooled['i2'])}."
    if "q" in reading:
        stands = "" if reading.get("stands", True) else ": among so many it may be chance"
        yield f"p {_p(reading['p'])}; of all {reading['tests']} tests made together q {_p(reading['q'])}{stands}."
    for name, value in reading.get("facts", {}).items():
        yield f"{name}: {value:.6g}" if isinstance(value, float) else f"{name}: {value}"


def opponents(reading: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the figures of a reading by opponent, those of the first dose if it has doses."""
    effects: list[dict[str, Any]] = reading.get("effects") or next((level["effects"] for level in levels(reading)), [])
    return effects


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 0.001 else "<0.001"


def percent(share: float) -> str:
    """Return a share in per cent, small ones with more digits."""
    return f"{100 * share:.3g}%"


def figures(reading: dict[str, Any], which: str = "effects", parent: dict[str, Any] | None = None) -> Iterator[str]:
    """Yield a line for each figure; parent: the reading, where `reading` is one of its doses."""
    for effect in reading.get(which, ()):
        estimate = Estimate.of(effect)
        more = [f"{estimate.samples:,} deals"] if estimate.has_interval else []
        if "changed" in effect:
            more.append(f"play differs in {percent(effect['changed'])}")
        if "p" in effect:
            more.append(f"p {effect['p']:.2g}{P_IS.get(which, '')}")
        if effect.get("verdict"):
            more.append(effect["verdict"])
        aside = f" ({', '.join(more)})" if more else ""
        yield f"{effect['label']}: {figure_text(effect, parent or reading)}{aside}"


def markdown(verdicts: Sequence[dict[str, Any]]) -> str:
    """Return a page with all verdicts: a table first, then each claim."""
    lines = ["| claim | statement | reading | verdict | q |", "| --- | --- | --- | --- | --- |"]
    for content in verdicts:
        link = f"[{content['id']}](#{content['id']})"
        if not content["readings"]:
            lines.append(f"| {link} | {content['statement']} | | not tested | |")
        for index, reading in enumerate(content["readings"]):
            head = (link, content["statement"]) if index == 0 else ("", "")
            verdict = f"{MARKS.get(reading['verdict'], '')} {headline(reading)}".strip()
            if not reading.get("stands", True):
                verdict = f"{headline(reading)}, but not among so many tests"
            q = _p(reading["q"]) if "q" in reading else ""
            lines.append(f"| {head[0]} | {head[1]} | {reading['name']} | {verdict} | {q} |")
    for content in verdicts:
        lines += ["", f"## {content['id']}", "", f"“{content['statement']}” ({content['source']}; {content['game']})"]
        for reading in content["readings"]:
            lines += ["", f"**{reading['name']}: {headline(reading)}.** {reading['sentence']}", ""]
            lines += [f"- {line}" for line in (*master_sentences(reading), *remarks(reading))]
            for level in levels(reading):
                lines += ["", f"<details><summary>{level['label']}: {summary(level, reading)}</summary>", ""]
                lines += [*(f"- {line}" for line in figures(level, parent=reading)), "", "</details>"]
            for which, title in TITLES.items():
                if reading.get(which):
                    lines += ["", f"<details><summary>{title}</summary>", ""]
                    lines += [f"- {line}" for line in figures(reading, which)]
                    lines += ["", "</details>"]
        if "untested" in content:
            lines += ["", f"Not tested: {content['untested']}"]
        lines += ["", f"To repeat it: `{command_of(content)}`"]
    return "\n".join(lines) + "\n"


def command_of(content: dict[str, Any]) -> str:
    """Return the command that gives this verdict."""
    request = content["asked"]
    changes = "".join(f" --set {shlex.quote(change)}" for change in request.get("set", ()))
    return f"gupai claim run {request.get('claim', content['id'])}{changes}{_request_options(request)}"


def _request_options(request: dict[str, Any]) -> str:
    words = f" --seed {request['seed']}" if request["seed"] else ""
    words += f" --deals {request['deals']}" if request["deals"] else ""
    words += "".join(f" --panel '{opponent}'" for opponent in request["panel"] or ())
    return words + " --strong" * request.get("strong", False) + " --no-masters" * (not request.get("masters", True))
