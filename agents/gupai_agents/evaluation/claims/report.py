"""What a verdict says to a player, as plain text and as Markdown; both are made of its JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from gupai_env.core.variant import in_words

P_IS = {"effects": " adjusted", "subgroups": " adjusted for their number"}
TITLES = {"effects": "Figures", "doses": "By how many", "subgroups": "Where (exploratory)"}
MARKS = {"proved": "✔", "supported": "✔", "disproved": "✘", "contradicted": "✘"}


def text(content: dict[str, Any]) -> str:
    """Return a verdict for a terminal."""
    lines = [f"{content['id']} ({content['game']}): “{content['statement']}”", f"  {content['source']}"]
    for reading in content["readings"]:
        lines += ["", f"  {reading['name']}: {reading['verdict'].upper()}", f"    {reading['sentence']}"]
        lines += [f"    {line}" for line in remarks(reading)]
        lines += [f"      {each}" for each in figures(reading, "effects")]
        if "doses" in reading:
            lines += ["    By how many:", *(f"      {each}" for each in figures(reading, "doses"))]
        if "subgroups" in reading:
            lines += ["    Where (exploratory):", *(f"      {each}" for each in figures(reading, "subgroups"))]
    if "untested" in content:
        lines += ["", f"  Not tested: {content['untested']}"]
    return "\n".join([*lines, ""])


def remarks(reading: dict[str, Any]) -> Iterator[str]:
    """Yield sentences about how often it comes up, what that is worth, against whom, and in which variant."""
    about = reading.get("about", {})
    if "frequency" in reading:
        much = f"{percent(reading['frequency'])} of a seat's deals"
        if reading["kind"] == "action":
            much = f"{reading['frequency']:.3g} times in a deal of a seat"
        how = "" if reading["kind"] == "action" else "in exactly " if reading["frequency_is_exact"] else "in about "
        per_hundred = reading.get("per_hundred")
        score = "" if per_hundred is None else f"; that makes {per_hundred:+.1f} chips in a hundred deals"
        yield f"It comes up {how}{much}{score}."
    if "deals_needed" in reading:
        more = reading["deals_needed"]
        much = f"about {more:,} deals" if more < 10**8 else "more deals than can be played"
        yield f"To decide it would take {much} against each player, were the mean right."
    if "remark" in reading:
        yield f"{reading['remark'][0].upper()}{reading['remark'][1:]}."
    if "treated" in about:
        yield f"Compared: {about['treated']} with {about['baseline']}, in the same deals; hand: {about['hand']}."
    elif "action" in about:
        yield f"The action: {about['action']}; in positions: {about['position']}."
    options = in_words(reading["variant"], "the defaults")
    against = ", ".join(each["label"] for each in reading.get("effects", ()) if "facts" not in reading)
    if against and reading["kind"] != "ordering":
        yield f"Variant: {options}; players: {against}."
    else:
        yield f"Variant: {options}."
    if "note" in reading:
        yield reading["note"]
    if "pooled" in reading and reading["pooled"]["i2"]:
        pooled = reading["pooled"]
        yield f"Differences between opponents: Q {pooled['q']:.1f}, p {pooled['p_q']:.2g}, I² {percent(pooled['i2'])}."
    if "q" in reading:
        stands = "" if reading.get("stands", True) else ": among so many it may be chance"
        yield f"p {_p(reading['p'])}; of all {reading['tests']} tests made together q {_p(reading['q'])}{stands}."
    for name, value in reading.get("facts", {}).items():
        yield f"{name}: {value:.6g}" if isinstance(value, float) else f"{name}: {value}"


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 0.001 else "<0.001"


def percent(share: float) -> str:
    """Return a share in per cent, small ones with more digits."""
    return f"{100 * share:.3g}%"


def figures(reading: dict[str, Any], which: str) -> Iterator[str]:
    """Yield a line for each figure."""
    share = reading.get("unit", "").startswith("share")
    for each in reading.get(which, ()):
        times, digits = (100, 2) if share else (1, 3 if abs(each["mean"]) < 1 else 2)
        half = each["half_width"]
        shown = f"{times * each['mean']:+.{digits}f}{'%' if share else ''}"
        shown += f" ±{times * half:.{digits}f}" if half is not None else ""
        more = [f"{each['samples']:,} deals"]
        if "changed" in each:
            more.append(f"play differs in {percent(each['changed'])}")
        if "p" in each:
            more.append(f"p {each['p']:.2g}{P_IS.get(which, '')}")
        if each.get("verdict"):
            more.append(each["verdict"])
        yield f"{each['label']}: {shown} ({', '.join(more)})"


def markdown(verdicts: Sequence[dict[str, Any]]) -> str:
    """Return a page with all verdicts: a table first, then each claim."""
    lines = ["| claim | statement | reading | verdict | q |", "| --- | --- | --- | --- | --- |"]
    for content in verdicts:
        link = f"[{content['id']}](#{content['id']})"
        if not content["readings"]:
            lines.append(f"| {link} | {content['statement']} | | not tested | |")
        for at, reading in enumerate(content["readings"]):
            head = (link, content["statement"]) if at == 0 else ("", "")
            verdict = f"{MARKS.get(reading['verdict'], '')} {reading['verdict']}".strip()
            if not reading.get("stands", True):
                verdict = f"{reading['verdict']}, but not among so many tests"
            q = _p(reading["q"]) if "q" in reading else ""
            lines.append(f"| {head[0]} | {head[1]} | {reading['name']} | {verdict} | {q} |")
    for content in verdicts:
        lines += ["", f"## {content['id']}", "", f"“{content['statement']}” ({content['source']}; {content['game']})"]
        for reading in content["readings"]:
            lines += ["", f"**{reading['name']}: {reading['verdict']}.** {reading['sentence']}", ""]
            lines += [f"- {line}" for line in remarks(reading)]
            for which, title in TITLES.items():
                if reading.get(which):
                    lines += ["", f"<details><summary>{title}</summary>", ""]
                    lines += [f"- {each}" for each in figures(reading, which)]
                    lines += ["", "</details>"]
        if "untested" in content:
            lines += ["", f"Not tested: {content['untested']}"]
        lines += ["", f"To repeat it: `{command_of(content)}`"]
    return "\n".join(lines) + "\n"


def command_of(content: dict[str, Any]) -> str:
    """Return the command that gives this verdict."""
    return f"gupai claim run {content['id']}{_asked(content['asked'])}"


def _asked(asked: dict[str, Any]) -> str:
    words = f" --seed {asked['seed']}" if asked["seed"] else ""
    words += f" --deals {asked['deals']}" if asked["deals"] else ""
    words += "".join(f" --panel '{each}'" for each in asked["panel"] or ())
    return words + " --strong" * asked.get("strong", False)
