"""What a verdict says to a player, as plain text and as Markdown; both are made of its JSON."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gupai_agents.evaluation.claims.files import kind_of
from gupai_agents.evaluation.claims.results import FEWEST_OPEN, written
from gupai_agents.evaluation.claims.verdicts import word_of
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.intervals import interval_text
from gupai_env.core.variant import option_in_words
from gupai_env.words.messages import capitalized, joined, say, with_messages, word

P_IS = {"effects": "p {p:.2g} adjusted", "subgroups": "p {p:.2g} adjusted for their number"}
TITLES = {"effects": "Figures", "subgroups": "Where (exploratory)"}
MARKS = {"proved": "✔", "supported": "✔", "disproved": "✘", "contradicted": "✘", "it depends": "◐"}


def text(content: dict[str, Any]) -> str:
    """Return a verdict for a terminal, in the language that is spoken."""
    content = with_messages(content, content.get("messages", {}))
    lines = [f"{content['id']} ({content['game']}): “{word(content['statement'])}”", f"  {word(content['source'])}"]
    for reading in content["readings"]:
        lines += ["", f"  {word(reading['name'])}: {word(headline(reading)).upper()}"]
        lines += _indented(4, [reading["sentence"], *master_sentences(reading), *remarks(reading)])
        lines += _indented(6, figures(reading, "effects"))
        for level in levels(reading):
            lines += _indented(
                4, [say("{label}: {figure}", label=say(level["label"]), figure=say(summary(level, reading)))]
            )
            lines += _indented(6, figures(level, parent=reading))
        if "subgroups" in reading:
            lines += [f"    {word('Where (exploratory)')}:", *_indented(6, figures(reading, "subgroups"))]
    if "untested" in content:
        lines += ["", *_indented(2, [say("Not tested: {text}", text=say(content["untested"]))])]
    return "\n".join([*lines, ""])


def _indented(columns: int, lines: Iterable[str]) -> Iterator[str]:
    return (f"{' ' * columns}{word(line)}" for line in lines)


def headline(reading: dict[str, Any]) -> str:
    """Return the verdict in a few words: with doses, from where it holds."""
    return reading.get("headline") or reading["verdict"]


def levels(reading: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what was found at each dose, none of a reading without doses."""
    return list(reading.get("doses", ()))


def summary(level: dict[str, Any], reading: dict[str, Any]) -> str:
    """Return what came out at a dose in a line: verdict, the range over opponents where they differ, and the mean."""
    parts = [level["verdict"]]
    if level["differ"]:
        parts.append(say("{spread} by opponent", spread=span(level, reading)))
    figure = say(figure_text(level, reading))
    parts.append(say("mean {figure}", figure=figure) if level["mean"] is not None else figure)
    if "per_hundred" in level:
        if not kind_of(reading).several:
            parts.append(say("in {share} of deals", share=percent(level["frequency"])))
        parts.append(say("{chips:+z.1f} chips in a hundred deals", chips=level["per_hundred"]))
    return joined(", ", [*parts, level.get("remark", "")])


def figure_text(numbers: dict[str, Any], reading: dict[str, Any]) -> str:
    """Return a figure of a reading with its interval: gains with their sign, rates as they are."""
    return written(Estimate.of(numbers), reading.get("unit", ""), signed=kind_of(reading).signed)


def span(level: dict[str, Any], reading: dict[str, Any]) -> str:
    """Return the range of means over opponents."""
    times, sign = (100, "%") if reading.get("unit", "").startswith("share") else (1, "")
    least, most = (
        f"{times * level[name]:+z.{2 if sign or abs(level[name]) >= 1 else 3}f}{sign}" for name in ("least", "most")
    )
    return say("{least} to {most}", least=least, most=most)


def master_sentences(reading: dict[str, Any]) -> Iterator[str]:
    """Yield what the strong do, at every dose: how often they take the claimed action, and the value of it to them."""
    for level in levels(reading) or [reading]:
        where = joined(", ", ["What the strong do", level.get("label", "")])
        for master in level.get("masters", ()):
            yield say("{where}: {text}.", where=where, text=master_sentence(master))


def master_words(master: dict[str, Any], side: int = 1) -> tuple[str, str, str, str, str]:
    """Return what a strong player does: the word for how often, both shares, the word for the value, and the value.

    Of too few decisions it says no more than that; where the player values no action the last two are empty.

    Args:
        side: 1 for the claimed action, -1 for the one compared with it, as "it".
    """
    if master["deals"] < FEWEST_OPEN:
        return "too few decisions", "", "", "", ""
    shares = [Estimate.of(master[name]) for name in ("chooses", "other")[::side]]
    does = word_of("share", *shares), share_text(shares[0]), share_text(shares[1])
    if "worth" not in master:
        return *does, "", ""
    value = Estimate.of(master["worth"]) if side > 0 else -Estimate.of(master["worth"])
    unit = "{worth} chips" if master["unit"] == "chips" else "{worth} in its own scores"
    return *does, word_of("value", value), say(unit, worth=say(value.text(2)))


def master_sentence(master: dict[str, Any]) -> str:
    """Return what one strong player does in a phrase; of too few decisions only how many there are."""
    often, chosen, other, value, worth = map(say, master_words(master))
    figures = {"player": say(master["who"]), "verdict": often, "decisions": master["decisions"]}
    if not chosen:
        return say("{player}, {verdict}: both are open in {decisions:,}", **figures)
    does: str = say(
        "{player} {verdict}: the claimed action in {chosen} of {decisions:,} decisions where both are open, the other "
        "in {other}",
        chosen=chosen,
        other=other,
        **figures,
    )
    return joined("; ", [does, say("it {verdict}: {worth}", verdict=value, worth=worth) if value else ""])


def share_text(share: Estimate) -> str:
    """Return a share in whole per cent, with its interval."""
    mean, low, high = (100 * number for number in share[:3])
    return interval_text(mean, low, high, share.samples, 0, unit="%", signed=False)


def remarks(reading: dict[str, Any]) -> Iterator[str]:
    """Yield sentences about how often it comes up, what that is worth, against whom, and in which variant."""
    description = reading.get("about", {})
    if "frequency" in reading:
        template = "It comes up in about {share} of a seat's deals"
        if reading["frequency_is_exact"]:
            template = "It comes up in exactly {share} of a seat's deals"
        if kind_of(reading).several:
            template = "It comes up {times:.3g} times in a deal of a seat"
        comes_up: str = say(template, share=percent(reading["frequency"]), times=reading["frequency"])
        if reading.get("per_hundred") is not None:
            chips = say("that makes {chips:+z.1f} chips in a hundred deals", chips=reading["per_hundred"])
            comes_up = joined("; ", [comes_up, chips])
        yield say("{text}.", text=comes_up)
    if "deals_needed" in reading:
        more = reading["deals_needed"]
        much = say("about {number:,} deals", number=more) if more < 10**8 else say("more deals than can be played")
        yield say("To decide it would take {deals} against each player, were the mean right.", deals=much)
    if "remark" in reading:
        yield say("{text}.", text=capitalized(reading["remark"]))
    if "treated" in description:
        pair = {name: say(description[name]) for name in ("treated", "baseline", "hand")}
        yield say("Compared: {treated} with {baseline}, in the same deals; hand: {hand}.", **pair)
    elif "action" in description:
        action, position = say(description["action"]), say(description["position"])
        yield say("The action: {action}; in positions: {position}.", action=action, position=position)
    options = options_of(reading)
    against = joined(", ", [opponent["label"] for opponent in opponents(reading) if "facts" not in reading])
    if against and kind_of(reading).members:
        yield say("Variant: {options}. Players: {players}.", options=options, players=against)
    else:
        yield say("Variant: {options}.", options=options)
    if "note" in reading:
        yield reading["note"]
    weighed = [opponent["label"] for opponent in opponents(reading) if opponent.get("counted", True)]
    if len(weighed) > 1 and kind_of(reading).sides and "headline" in reading:
        uncounted = [opponent["label"] for opponent in opponents(reading) if not opponent.get("counted", True)]
        alike = say("These weigh alike in the mean: {players}", players=joined(", ", weighed))
        aside = say("{player} is shown and does not count", player=say(uncounted[0])) if uncounted else ""
        yield say("{text}.", text=joined("; ", [alike, aside]))
    if reading.get("doses") and "headline" in reading:
        yield "Intervals of means at doses hold all at once in 95% of cases."
    if "pooled" in reading and reading["pooled"]["i2"]:
        pooled = reading["pooled"]
        spread = {"q": pooled["q"], "p": pooled["p_q"], "share": percent(pooled["i2"])}
        yield say("Differences between opponents: Q {q:.1f}, p {p:.2g}, I² {share}.", **spread)
    if "q" in reading:
        figures_of = {"p": _p(reading["p"]), "tests": reading["tests"], "q": _p(reading["q"])}
        among = say("p {p}; of all {tests} tests made together q {q}", **figures_of)
        stands = reading.get("stands", True)
        yield say("{text}." if stands else "{text}: among so many it may be chance.", text=among)
    for name, value in reading.get("facts", {}).items():
        fact = f"{value:.6g}" if isinstance(value, float) else say(str(value))
        yield say("{name}: {value}", name=say(name), value=fact)


def options_of(reading: dict[str, Any]) -> str:
    """Return the options of a reading in words."""
    return joined(", ", [option_in_words(*option) for option in reading["variant"].items()]) or say("the defaults")


def opponents(reading: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the figures of a reading by opponent, those of the first dose if it has doses."""
    return reading.get("effects") or next((level["effects"] for level in levels(reading)), [])


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 0.001 else "<0.001"


def percent(share: float) -> str:
    """Return a share in per cent, small ones with more digits."""
    return f"{100 * share:.3g}%"


def figures(reading: dict[str, Any], which: str = "effects", parent: dict[str, Any] | None = None) -> Iterator[str]:
    """Yield a line for each figure; parent: the reading, where `reading` is one of its doses."""
    for effect in reading.get(which, ()):
        estimate = Estimate.of(effect)
        more: list[str] = [say("{number:,} deals", number=estimate.samples)] if estimate.has_interval else []
        if "changed" in effect:
            more.append(say("play differs in {share}", share=percent(effect["changed"])))
        if "p" in effect:
            more.append(say(P_IS.get(which, "p {p:.2g}"), p=effect["p"]))
        if effect.get("verdict"):
            more.append(effect["verdict"])
        text = say(figure_text(effect, parent or reading))
        figure = say("{label}: {figure}", label=say(effect["label"]), figure=text)
        yield say("{figure} ({remarks})", figure=figure, remarks=joined(", ", more)) if more else figure


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
            lines += [*_master_rows(reading), *(f"- {line}" for line in remarks(reading))]
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


def _master_rows(reading: dict[str, Any]) -> Iterator[str]:
    """Yield a table of what the strong do at every dose: how often they take either action where both are open."""
    rows = [(level, master) for level in levels(reading) or [reading] for master in level.get("masters", ())]
    if rows:
        yield "| what the strong do where both actions are open | decisions | how often | claimed | other | value | |"
        yield "| --- | --- | --- | --- | --- | --- | --- |"
    for level, master in rows:
        who = ", ".join([*filter(None, [level.get("label")]), master["who"]])
        yield f"| {who} | {master['decisions']:,} | {' | '.join(master_words(master))} |"
    if rows:
        yield ""


def command_of(content: dict[str, Any]) -> str:
    """Return the command that gives this verdict."""
    request = content["asked"]
    changes = "".join(f" --set {shlex.quote(change)}" for change in request.get("set", ()))
    words = f"gupai claim run {request.get('claim', content['id'])}{changes}"
    words += f" --seed {request['seed']}" if request["seed"] else ""
    words += f" --deals {request['deals']}" if request["deals"] else ""
    words += "".join(f" --panel '{opponent}'" for opponent in request["panel"] or ())
    return words + " --strong" * request.get("strong", False) + " --no-masters" * (not request.get("masters", True))
