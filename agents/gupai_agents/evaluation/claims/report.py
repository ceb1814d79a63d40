"""What a verdict says to a player, as plain text and as Markdown."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from gupai_agents.evaluation.claims.effects import ranged
from gupai_agents.evaluation.claims.files import kind_of
from gupai_agents.evaluation.claims.results import FEWEST_OPEN, Effect, Finding, Level, Masters, Verdict, written
from gupai_agents.evaluation.claims.verdicts import word_of
from gupai_agents.evaluation.intervals import interval_text
from gupai_agents.evaluation.pages.chart import templates
from gupai_agents.evaluation.statistics import Estimate
from gupai_env.core.variant import option_in_words
from gupai_env.messages import capitalized, joined, say, word

P_IS = {"effects": "p {p:.2g} adjusted", "subgroups": "p {p:.2g} adjusted for their number"}
TITLES = {"effects": "Figures", "subgroups": "Where (exploratory)"}
COMES_UP = {
    "counted": "It comes up in about {share} of a seat's deals",
    "exact": "It comes up in exactly {share} of a seat's deals",
    "several": "It comes up {times:.3g} times in a deal of a seat",
}
MARKS = {"proved": "✔", "supported": "✔", "disproved": "✘", "contradicted": "✘", "it depends": "◐"}


def text(verdict: Verdict) -> str:
    """Return a verdict for a terminal, in the language that is spoken."""
    return _filled("verdict.txt", verdict=verdict, title=title, heading=heading, untested=untested)


def markdown(verdicts: Sequence[Verdict]) -> str:
    """Return a page with all verdicts: a table first, then each claim."""
    return _filled("verdicts.md", verdicts=verdicts, p_text=_p, command_of=command_of)


def _filled(template: str, **content: Any) -> str:
    """Return a template with its content, and with what both of them say of a reading."""
    sentences = {"master_sentences": master_sentences, "remarks": remarks, "figures": figures, "summary": summary}
    rows = {"master_rows": master_rows, "master_words": master_words, "TITLES": TITLES, "MARKS": MARKS}
    return templates().get_template(template).render(**content, **sentences, **rows, word=word, say=say)


def title(verdict: Verdict) -> str:
    """Return what a claim says."""
    return f"{verdict.id} ({verdict.game}): “{word(verdict.statement)}”"


def untested(verdict: Verdict) -> str:
    """Return what of a claim is not tested, and why."""
    return say("Not tested: {text}", text=say(verdict.untested))


def heading(finding: Finding) -> str:
    """Return which reading it is, and the verdict in a few words: with doses, from where it holds."""
    return f"{word(finding.name)}: {word(finding.headline or finding.verdict).upper()}"


def summary(level: Level, finding: Finding) -> str:
    """Return what came out at a dose in a line: verdict, the range over opponents where they differ, and the mean."""
    parts, pooled, kind = [level.verdict], level.pooled, kind_of(finding)
    if pooled.differ:
        parts.append(say("{spread} by opponent", spread=ranged(pooled, unit=finding.unit)))
    figure = say(figure_text(pooled.effect, finding))
    parts.append(say("mean {figure}", figure=figure) if pooled.effect.occurred else figure)
    if level.per_hundred is not None:
        if not kind.several:
            parts.append(say("in {share} of deals", share=percent(level.frequency or 0.0)))
        parts.append(say("{chips:+z.1f} chips in a hundred deals", chips=level.per_hundred))
    return joined(", ", [*parts, level.remark])


def figure_text(figure: Estimate, finding: Finding) -> str:
    """Return a figure of a reading with its interval: gains with their sign, rates as they are."""
    return written(figure, finding.unit, signed=kind_of(finding).signed)


def master_rows(finding: Finding) -> Iterator[tuple[str, Masters]]:
    """Yield what each strong player does at every dose, after the dose in words; "" where there are no doses."""
    for level in finding.doses or [finding]:
        yield from ((getattr(level, "label", ""), master) for master in level.masters)


def master_sentences(finding: Finding) -> Iterator[str]:
    """Yield what the strong do, at every dose: how often they take the claimed action, and the value of it to them."""
    for label, master in master_rows(finding):
        where = joined(", ", ["What the strong do", label])
        yield say("{where}: {text}.", where=where, text=master_sentence(master))


def master_words(master: Masters, side: int = 1) -> tuple[str, str, str, str, str]:
    """Return what a strong player does: the word for how often, both shares, the word for the value, and the value.

    Of too few decisions it says no more than that; where the player values no action the last two are empty.

    Args:
        side: 1 for the claimed action, -1 for the one compared with it, as "it".
    """
    if master.deals < FEWEST_OPEN:
        return "too few decisions", "", "", "", ""
    shares = (master.chooses, master.other)[::side]
    does = word_of("share", *shares), share_text(shares[0]), share_text(shares[1])
    if master.worth is None:
        return *does, "", ""
    value = master.worth if side > 0 else -master.worth
    unit = "{worth} chips" if master.unit == "chips" else "{worth} in its own scores"
    return *does, word_of("value", value), say(unit, worth=say(value.text(2)))


def master_sentence(master: Masters) -> str:
    """Return what one strong player does in a phrase; of too few decisions only how many there are."""
    often, chosen, other, value, worth = map(say, master_words(master))
    figures = {"player": say(master.who), "verdict": often, "decisions": master.decisions}
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


def remarks(finding: Finding) -> Iterator[str]:
    """Yield sentences about how often it comes up, what that is worth, against whom, and in which variant."""
    kind, details, opponents = kind_of(finding), finding.about, finding.opponents
    if finding.frequency is not None:
        template = COMES_UP["several" if kind.several else "exact" if finding.frequency_is_exact else "counted"]
        parts: list[str] = [say(template, share=percent(finding.frequency), times=finding.frequency)]
        if finding.per_hundred is not None:
            parts.append(say("that makes {chips:+z.1f} chips in a hundred deals", chips=finding.per_hundred))
        yield say("{text}.", text=joined("; ", parts))
    if (more := finding.deals_needed) is not None:
        much = say("about {number:,} deals", number=more) if more < 10**8 else say("more deals than can be played")
        yield say("To decide it would take {deals} against each player, were the mean right.", deals=much)
    if finding.remark:
        yield say("{text}.", text=capitalized(finding.remark))
    if "treated" in details:
        pair = {name: say(details[name]) for name in ("treated", "baseline", "hand")}
        yield say("Compared: {treated} with {baseline}, in the same deals; hand: {hand}.", **pair)
    elif "action" in details:
        action, position = say(details["action"]), say(details["position"])
        yield say("The action: {action}; in positions: {position}.", action=action, position=position)
    players = joined(", ", [opponent.label for opponent in opponents if kind.members])
    template = "Variant: {options}. Players: {players}." if players else "Variant: {options}."
    yield say(template, options=options_of(finding), players=players)
    if finding.note:
        yield finding.note
    weighed, uncounted = (
        [opponent.label for opponent in opponents if opponent.counted == counted] for counted in (True, False)
    )
    if len(weighed) > 1 and kind.sides and finding.headline:
        alike = say("These weigh alike in the mean: {players}", players=joined(", ", weighed))
        aside = say("{player} is shown and does not count", player=say(uncounted[0])) if uncounted else ""
        yield say("{text}.", text=joined("; ", [alike, aside]))
    if finding.doses and finding.headline:
        yield "Intervals of means at doses hold all at once in 95% of cases."
    if (pooled := finding.pooled) and pooled.i2:
        spread = {"q": pooled.q, "p": pooled.p_q, "share": percent(pooled.i2)}
        yield say("Differences between opponents: Q {q:.1f}, p {p:.2g}, I² {share}.", **spread)
    if finding.q is not None and finding.p is not None:
        figures_of = {"p": _p(finding.p), "tests": finding.tests, "q": _p(finding.q)}
        among = say("p {p}; of all {tests} tests made together q {q}", **figures_of)
        template = "{text}: among so many it may be chance." if finding.stands is False else "{text}."
        yield say(template, text=among)
    for name, value in finding.facts.items():
        fact = f"{value:.6g}" if isinstance(value, float) else say(str(value))
        yield say("{name}: {value}", name=say(name), value=fact)


def options_of(finding: Finding) -> str:
    """Return the options of a reading in words."""
    return joined(", ", [option_in_words(*option) for option in finding.variant.items()]) or say("the defaults")


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 0.001 else "<0.001"


def percent(share: float) -> str:
    """Return a share in per cent, small ones with more digits."""
    return f"{100 * share:.3g}%"


def figures(finding: Finding, effects: Sequence[Effect] | None = None, which: str = "effects") -> Iterator[str]:
    """Yield a line for each figure of a reading, or for each of the effects of one of its doses.

    Args:
        finding: What was found.
        effects: Those of a dose, None for those of the finding.
        which: Which of its effects, the name of a field.
    """
    for effect in getattr(finding, which) if effects is None else effects:
        estimate = effect.estimate
        more: list[str] = [say("{number:,} deals", number=estimate.samples)] if estimate.has_interval else []
        if effect.changed is not None:
            more.append(say("play differs in {share}", share=percent(effect.changed)))
        if effect.p is not None:
            more.append(say(P_IS[which], p=effect.p))
        if effect.verdict:
            more.append(effect.verdict)
        figure = say("{label}: {figure}", label=say(effect.label), figure=say(figure_text(estimate, finding)))
        yield say("{figure} ({remarks})", figure=figure, remarks=joined(", ", more)) if more else figure


def command_of(verdict: Verdict) -> str:
    """Return the command that gives this verdict."""
    request = verdict.request
    changes = "".join(f" --set {shlex.quote(change)}" for change in request.set)
    words = f"gupai claim run {request.claim or verdict.id}{changes}"
    words += f" --seed {request.seed}" if request.seed else ""
    words += f" --deals {request.deals}" if request.deals else ""
    words += "".join(f" --panel '{opponent}'" for opponent in request.panel or ())
    return words + " --strong" * request.strong + " --no-masters" * (not request.masters)
