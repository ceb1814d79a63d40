"""No word on a page is against the figure next to it: read off the pages and the terminal, as a reader does.

A word speaks of the figures that follow it, as far as the next word: two shares are compared, chips are above or below
zero. Verdicts speak of the interval in their sentence, or of the figure before them.
"""

import json
import re

import pytest

from checkout import ROOT, files
from gupai_agents.evaluation.claims.files import RECORDED
from gupai_agents.evaluation.claims.report import text
from gupai_agents.evaluation.claims.results import Verdict
from gupai_agents.evaluation.claims.verdicts import WORDS, corrected

PAGES = [*files("docs/strategy", "docs/claims", name="*.md"), ROOT / "docs" / "claims.md"]
NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"
FIGURE = re.compile(rf"(?<![\w.])({NUMBER})(%?) (?:±({NUMBER})|\(({NUMBER}) to ({NUMBER})\))")
SIDES = {word: side for name in ("share", "value") for side, word in zip((0, 1, -1), WORDS[name], strict=True)}
SIDES |= {"prefers it": 1, "prefers the other": -1, "no clear preference": 0}  # of before 29 November 2026
OF_MASTERS = re.compile("|".join(sorted(SIDES, key=len, reverse=True)))
ANSWERS = {word: side for side, word in zip((0, 1, -1), WORDS["advice"], strict=True)}
ANSWER = re.compile(rf"\| ([^|]*\d[^|]*) \| ({'|'.join(ANSWERS)}) \|")
APART = ("supported", "contradicted", "small effect")
VERDICT = re.compile(rf"\b({'|'.join(APART)}|inconclusive)\b", re.IGNORECASE)
INTERVAL = re.compile(rf"95% interval ({NUMBER}) to ({NUMBER})")
LIMIT = re.compile(rf"the claim says (?:more than|less than|other than) ({NUMBER})")


STRONG = re.compile(r"Strong players ([^:]*?): (.*?)\.(?:\s|$)", re.DOTALL)
CHOICES = re.compile(rf"in ({FIGURE.pattern}) of [\d,]+ such choices, the other way in (\d+)%")


def number(text):
    return float(text.replace(",", ""))


def interval(match):
    """The least and the most that the low end of a printed figure may be, and those of the high end: it is rounded."""
    mean, _, half, low, high = match.groups()
    low, high = (number(mean) - number(half), number(mean) + number(half)) if half else (number(low), number(high))
    step = 10.0 ** -len(mean.partition(".")[2]) * (1.0 if half else 0.5) + 1e-9
    return low - step, low + step, high - step, high + step


def against(side, one, other=(0.0,) * 4):
    """Whether a word that says `side` is against a figure and its threshold, however they were rounded."""
    if side == 0:
        return one[0] > other[3] or one[3] < other[0]
    return one[1] <= other[2] if side > 0 else one[2] >= other[1]


def wrong_words(line):
    """Yield each word about a strong player, or answer to a dose, that is against its figures."""
    words = list(OF_MASTERS.finditer(line))
    for match, later in zip(words, [*words, None][1:], strict=True):
        rest = line[match.end() : later.start() if later else None].split("[Statistics]")[0]
        figures = list(FIGURE.finditer(rest))
        shares, chips = ([figure for figure in figures if bool(figure[2]) == share] for share in (True, False))
        side = SIDES[match[0]]
        if len(shares) > 1 and against(side, *map(interval, shares[:2])):
            yield f"{match[0]}: {shares[0][0]}, {shares[1][0]}"
        for figure in chips[:1]:
            if against(side, interval(figure)):
                yield f"{match[0]}: {figure[0]}"
    for chips, answer in ANSWER.findall(line):
        figure = FIGURE.search(chips)
        if figure and against(ANSWERS[answer], interval(figure)):
            yield f"{answer}: {chips}"


def wrong_verdicts(lines):
    """Yield each verdict on a reading or a figure that is against the interval it was read off."""
    limit, sums = 0.0, False
    for line, following in zip(lines, [*lines, ""][1:], strict=True):
        named = re.match(r"\*\*.*: ([^:]*)\.\*\* (.*)|  \S.*: ([^:]*)$", line)
        if named:
            verdict, sentence = (named[1], named[2]) if named[1] else (named[3], following)
            found, stated = VERDICT.fullmatch(verdict.strip()), LIMIT.search(sentence)
            limit, sums = float(stated[1]) if stated else 0.0, " > " in sentence
            if found and (ends := INTERVAL.search(sentence)):
                low, high = map(float, ends.groups())
                apart = found[1].lower() in APART
                if (low > 0 or high < 0) if not apart else not (low >= 0 or high <= 0):
                    yield f"{verdict}: {ends[0]}"
        figures = re.match(r"\s*(?:- )?[^:]*: ([-+\d].*) \((.*)\)$", line)
        if figures and not sums and (found := VERDICT.search(figures[2])) and (figure := FIGURE.match(figures[1])):
            one, threshold = interval(figure), (limit,) * 4
            sides = [side for side in (1, -1) if not against(side, one, threshold)]
            if not (sides if found[1] in APART else not against(0, one, threshold)):
                yield f"{found[1]}: {figures[1]}"
        level = re.search(
            rf"(?:summary>|^ {{4}})[^:]*: (?:[^:]*: )?({'|'.join(APART)}|inconclusive), .*?mean (.*)", line
        )
        if level and (figure := FIGURE.search(level[2])):
            one = interval(figure)
            sides = [side for side in (1, -1) if not against(side, one)]
            if not (sides if level[1] in APART else not against(0, one)):
                yield f"{level[1]}: {level[2]}"


def wrong_habits(text):
    """Yield each sentence on strong players that is against their shares; the other share is told without interval."""
    for does, shares in STRONG.findall(" ".join(text.split())):
        for match in CHOICES.finditer(shares):
            low, _, _, high = interval(FIGURE.fullmatch(match[1]))
            other, half = float(match[7]), (high - low) / 2
            if does.startswith("have no clear preference"):
                fits = low - half <= other <= high + half
            else:
                fits = "of one mind" in does or (other > high if does.startswith("do not") else other < low)
            if not fits:
                yield f"{does}: {match[0]}"


def wrong(text):
    lines = text.splitlines()
    return [*(found for line in lines for found in wrong_words(line)), *wrong_verdicts(lines), *wrong_habits(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_no_word_on_a_page_is_against_its_figure(page):
    assert not wrong(page.read_text(encoding="utf-8"))


def test_no_word_in_the_terminal_is_against_its_figure():
    recorded = [Verdict.model_validate_json(path.read_bytes()) for path in sorted(RECORDED.glob("*.json"))]
    printed = {verdict.id: text(verdict) for verdict in corrected(recorded)}
    assert len(printed) > 80 and not {name: found for name, lines in printed.items() if (found := wrong(lines))}
    read = [OF_MASTERS.findall(lines) for lines in printed.values()]
    assert {word for words in read for word in words} <= set(SIDES) and sum(map(len, read)) > 150


def test_chips_in_a_hundred_deals_have_the_sign_of_the_mean():
    """Opponents meet a case more or less often: where they disagree, the two means of them could differ in sign."""
    readings = [
        reading for path in RECORDED.glob("*.json") for reading in json.loads(path.read_text("utf-8"))["readings"]
    ]
    figures = [
        level for reading in readings for level in reading.get("doses", [{**reading.get("pooled", {}), **reading}])
    ]
    told = [(level["mean"], level["per_hundred"]) for level in figures if "per_hundred" in level]
    assert len(told) > 30 and all(mean * hundred >= 0 for mean, hundred in told)


@pytest.mark.parametrize(
    "line",
    [
        "| `best` no clear preference (44% ±6 against 42% ±6 of 351, +1.17 ±0.47) |",
        "`best` prefers the other (25% ±4 against 57% ±4 of 612, -0.25 ±0.35)",
        "| four to five | +1.43 ±0.25 | open | `best` prefers it (81% (76 to 85) against 19% (15 to 24) of 323) |",
        "| six to eight | -0.178 ±0.156 | open | x |",
        "| six to eight | -0.178 ±0.256 | no | x |",
        "Strong players do so: `best` in 44% ±6 of 351 such choices, the other way in 42%.",
        "Strong players do not: `best` in 44% ±6 of 351 such choices, the other way in 42%.",
        "Strong players have no clear preference: `best` in 25% ±4 of 612 such choices, the other way in 57%.",
        "| best, among best | 776 | takes it more often | 8% ±2 | 92% ±2 | values neither clearly more | -0.2 ±0.3 |",
        "a takes it more often: the claimed action in 44% ±6 of 351 decisions, the other in 42% ±6; it values it more: "
        "+1.17 ±0.47 chips",
        "a takes the other more often: 8% ±2 of 20 decisions, the other in 92% ±2; it values it more: +0.17 ±0.47",
        "**led: inconclusive.** The action changes chips by -1.24 on average (95% interval -1.51 to -0.97).",
        "**led: supported.** The action changes chips by -1.24 on average (95% interval -1.51 to +0.97).",
        "- greedy: +5.57 ±0.67 (2,426 deals, p 4.9e-53 adjusted, inconclusive)",
        "      greedy: +0.57 ±0.67 (2,426 deals, p 4.9e-53 adjusted, contradicted)",
        "<details><summary>held: four to five: inconclusive, mean +0.246 ±0.232, in 23% of deals</summary>",
        "    held: four to five: supported, mean +0.246 ±0.332, in 23% of deals",
    ],
)
def test_word_against_its_figure_is_found(line):
    assert len(wrong(line)) == 1


def test_word_against_the_threshold_of_a_rate_is_found():
    head = "**wins: contradicted.** Wins: keeper 24.20% (23.36 to 25.05); the claim says more than 25%.\n"
    assert wrong(f"{head}- keeper: 24.20% (23.36 to 25.05) (9,000 deals, contradicted)")
    assert not wrong(f"{head}- keeper: 24.20% (23.36 to 25.05) (9,000 deals, inconclusive)")
    assert not wrong(f"{head}- keeper: 24.20% (23.36 to 24.95) (9,000 deals, contradicted)")
