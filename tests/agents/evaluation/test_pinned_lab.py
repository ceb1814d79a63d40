"""What the lab finds in a few deals is what it found: verdicts of every design, tournaments, searches.

Figures are pinned as digests, texts in `tests/snapshots`. After a deliberate change of figures, this prints
the new digests; `pins` says how to write the texts again.

    PYTHONPATH=tests python tests/agents/evaluation/test_pinned_lab.py
"""

import contextlib
import functools
import io
import json
import os
import re
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest

from gupai_agents import Agent, make_agent
from gupai_agents.evaluation import Budget, Effort, discover, find_best_response, gate, play_tournament, recipe_gain
from gupai_agents.evaluation.benchmark import play_benchmark
from gupai_agents.evaluation.claims import Verdict, claim_of, masters, read_claim, try_claim
from gupai_agents.evaluation.claims.report import markdown, text
from gupai_agents.evaluation.exact.tree import solve
from gupai_agents.evaluation.pages.html import report
from gupai_agents.evaluation.tournaments.folder import summary
from gupai_agents.evaluation.tournaments.ladder import play_ladder
from gupai_agents.evaluation.tournaments.tournament import ALL, ONE, TWO, Tournament, line_ups
from gupai_agents.players.tune import tune
from gupai_app.claims.changes import changed, fields_of
from gupai_app.claims.page import claim_page
from gupai_app.claims.terminal import paths
from gupai_app.tournaments import terminal as app_report
from pins import digest_of, markup, same_texts
from trees import tiny_tree

TWOS = {"feature": "carrying", "number": 2}
JIE_LONG = [
    {
        "kind": "policy",
        "treated": "+attack_2=40",
        "baseline": "variety",
        "panel": ["greedy", "tuned", "random"],
        "margin": 0.5,
        "doses": {**TWOS, "values": [2, "3-4", "5+"]},
        "subgroups": [{"feature": "place"}, {"feature": "open", "number": 2}],
        "plan": {"least": 250, "most": 250},
    },
    {
        "kind": "policy",
        "population": {
            "hand": [{**TWOS, "at_least": 2}],
            "partner": {"away": 1, "together": [{**TWOS, "at_least": 5}]},
        },
        "treated": {"agent": "same", "discards": "random"},
        "baseline": "greedy",
        "panel": ["greedy", "variety"],
        "metric": "lockouts",
        "number": 2,
        "alternative": "different",
        "margin": 0.01,
        "plan": {"least": 200, "most": 240},
    },
    {
        "kind": "action",
        "population": {"position": [{"feature": "lead"}]},
        "action": [{"feature": "double"}, {"feature": "heaviest"}],
        "comparator": "uniform",
        "panel": ["greedy", "variety"],
        "margin": 0.5,
        "doses": {"feature": "own", "number": 6, "values": [0, "1+"]},
        "subgroups": [{"feature": "place"}],
        "deals": 250,
    },
    {
        "kind": "action",
        "action": [{"feature": "leaves", "number": 2}],
        "instead": [{"feature": "leaves", "number": 3}],
        "comparator": "best_alternative",
        "panel": ["greedy", "tuned"],
        "alternative": "less",
        "margin": 0.2,
        "deals": 250,
    },
    {
        "kind": "action",
        "population": {
            "hand": [{**TWOS, "exactly": 3}],
            "position": [{"feature": "unseen", "number": 2, "at_most": 6}],
        },
        "action": [{"feature": "lays"}, {"feature": "leaves", "number": 2}],
        "comparator": "pip_matched",
        "panel": ["variety"],
        "margin": 0.2,
        "deals": 250,
    },
    {"kind": "rate", "metric": "lockouts", "number": 2, "panel": ["greedy", "variety"], "threshold": 0.1, "deals": 250},
    {
        "kind": "rate",
        "metric": "chips",
        "panel": ["greedy"],
        "treated": "tuned",
        "alternative": "different",
        "variant": {"players": 3, "open_ends": 2},
        "deals": 250,
    },
    {
        "kind": "rate",
        "metric": "lockouts",
        "number": 6,
        "panel": ["greedy"],
        "against": {"forced_play": True},
        "deals": 250,
    },
    {
        "kind": "ordering",
        "items": [{"label": str(number), "number": number} for number in (2, 3, 6)],
        "first": "2",
        "but": ["3"],
        "metric": "lockouts",
        "panel": ["greedy", "random"],
        "deals": 250,
    },
    {
        "kind": "ordering",
        "items": [{"label": name, "treated": name} for name in ("greedy", "tuned")],
        "first": "any",
        "panel": ["variety"],
        "deals": 250,
    },
    {
        "kind": "ordering",
        "items": [{"label": str(seats), "variant": {"players": seats}} for seats in (2, 4)],
        "first": "2",
        "metric": "skill_share",
        "fields": [["greedy", "random"], ["variety", "tuned", "random"]],
        "deals": 250,
    },
    {
        "kind": "ordering",
        "items": [
            {"label": each, "action": [{"feature": "lays"}, {"feature": each}]} for each in ("heaviest", "double")
        ],
        "first": "heaviest",
        "comparator": "uniform",
        "panel": ["greedy"],
        "deals": 250,
    },
    {
        "kind": "exact",
        "enumerate": "tiles_per_number",
        "expect": [{"fact": "2", "equals": 7}, {"fact": "3", "at_least": 9}, {"fact": "fewest", "equals": "2"}],
    },
]
OTHERS = {
    "da-ling": [
        {
            "kind": "policy",
            "treated": {"agent": "same", "stakes": [1, 2, 3]},
            "panel": ["greedy", "tuned"],
            "margin": 0.1,
            "subgroups": [{"feature": "red"}],
            "plan": {"least": 250, "most": 250},
        },
        {"kind": "rate", "metric": "house_income", "variant": {"casino_fee": 5}, "panel": ["greedy"], "deals": 250},
    ],
    "tien-gow": [
        {
            "kind": "action",
            "action": [{"feature": "leads_size", "number": 2}],
            "instead": [{"feature": "leads_size", "number": 1}],
            "comparator": "best_alternative",
            "panel": ["greedy", "random"],
            "margin": 0.3,
            "doses": {"feature": "held", "values": ["2-4", "5+"]},
            "deals": 250,
        }
    ],
}
DESIGNS = {
    f"{game} {at} {each['kind']}": (game, each)
    for game, some in {"jie-long": JIE_LONG, **OTHERS}.items()
    for at, each in enumerate(some)
}


@functools.cache
def verdict(which: str) -> Verdict:
    """A verdict after so few deals."""
    game, reading = DESIGNS[which]
    content = {"id": "it", "statement": "So it is.", "source": "nobody", "game": game}
    claim = claim_of({**content, "readings": [{"name": "one", **reading}]})
    # No networks, whose float32 differs in the last digits from processor to processor.
    with mock.patch.multiple(masters, SEARCH="search:playouts=2", BEST="tuned"):
        found = try_claim(claim, seed=3, masters=True)
    return Verdict.model_validate_json(json.dumps(found.as_numbers()))


def found_by(which: str) -> dict:
    """What such a verdict says, without what made it."""
    made_by = {"format", "gupai", "messages", "file"}
    return {name: value for name, value in verdict(which).as_numbers().items() if name not in made_by}


def test_verdicts_keep_their_words():
    found = {which: verdict(which) for which in DESIGNS}
    texts = {which: text(each) for which, each in found.items()}
    texts["markdown"] = markdown(list(found.values()))
    kinds = {each.findings[0].kind: each for each in reversed(found.values())}  # the first of each
    texts |= {f"page of a claim, {kind}": markup(claim_page(each)) for kind, each in kinds.items()}
    same_texts("verdicts.txt", texts)


# --- tournaments ----------------------------------------------------------------------------------

TOURNAMENTS = {
    "one among others": ("jie-long", ["random", "greedy", "tuned"], ONE, {}),
    "half against half": ("ce-deng", ["greedy", "variety"], TWO, {}),
    "all line-ups": ("tiu-u", ["random", "greedy", "tuned"], ALL, {"players": 2}),
    "partners": ("deer-hunt", ["random", "greedy", "tuned"], ONE, {"deals": 2}),
}


@functools.cache
def tournament(which: str) -> dict:
    """A tournament."""
    return summary(played(which))


@functools.cache
def played(which: str) -> Tournament:
    game, names, table, options = TOURNAMENTS[which]
    agents = [make_agent(name, game, **options) for name in names]
    return play_tournament(game, agents, 40, table=table, seed=4, **options)


def test_tournaments_keep_their_words():
    texts = {which: printed(played(which)) for which in TOURNAMENTS}
    texts["page of a tournament"] = markup(report(played("partners"), "gupai"))
    same_texts("tournaments.txt", texts)


def printed(found: Tournament) -> str:
    with mock.patch.dict(os.environ, COLUMNS="160"), contextlib.redirect_stdout(io.StringIO()) as output:
        app_report.tournament(found, 1.0)
    return output.getvalue()


# --- searches -------------------------------------------------------------------------------------

FEW = Budget(seeds=4, generations=2, again=1, population=4, deals=20, fresh=50)
EFFORT = Effort(generations=2, population=4, candidate_deals=20, deals=60, playouts=2)


def one(name: str, game: str = "jie-long") -> Agent:
    return make_agent(name, game)


class Steps:
    """In place of CMA-ES, whose linear algebra differs from processor to processor: steps to the best so far."""

    def __init__(self, mean, spread, population_size, seed):
        self.mean, self.spread, self.population_size = mean, spread, population_size
        self.random = np.random.RandomState(seed)

    def ask(self):
        return self.mean + self.spread * self.random.normal(size=len(self.mean))

    def tell(self, tried):
        self.mean = min(tried, key=lambda each: each[1])[0]


def tuned() -> list:
    found = tune("jie-long", seconds=1e6, generations=20, deals=20, population=4, seed=3)
    return [found.weights, found.gains, found.deals]


def responses() -> list:
    found = []
    for agent, method in (("greedy", "tuning"), ("random", "tuning"), ("variety@1", "search")):
        effort = replace(EFFORT, method=method)
        found.append(find_best_response("jie-long", one(agent), effort=effort, seed=5).as_numbers())
    return found


def solved() -> list:
    found = []
    for game in ("jie-long", "tiu-u"):
        tree = tiny_tree(game)
        policies = [tree.uniform(), solve(tree, 30)]
        found += [[tree.nodes, tree.deals, tree.sets], [tree.values(each).tolist() for each in policies]]
        found += [tree.gains(each).tolist() for each in policies]
    return found


SEARCHES = {
    "tuning": tuned,
    "discoveries": lambda: discover("jie-long", budget=FEW, seed=3).as_numbers(),
    "best responses": responses,
    "equilibria": solved,
    "a gate": lambda: gate("jie-long", one("tuned"), one("variety"), seed=4, most=400)._asdict(),
    "a recipe": lambda: recipe_gain("tiu-u", [one("tuned", "tiu-u")] * 3, one("greedy", "tiu-u"), 40).as_numbers(),
    "a ladder": lambda: [
        [rung.player, rung.deals, [won.as_numbers() for won in rung.chips], rung.total.as_numbers()]
        for rung in play_ladder("tiu-u", [one(each, "tiu-u") for each in ("random", "greedy", "tuned")], 60, 9).rungs
    ],
    "a card": lambda: play_benchmark({"tiu-u": "greedy", "jie-long": "tuned"}, deals=8).model_dump(
        exclude={"timing": True, "results": {"__all__": {"player"}}}
    ),
    "who sits with whom": lambda: [
        [list(each.agents) for each in line_ups(number, seats, "all")] for number, seats in ((4, 4), (13, 4), (20, 5))
    ],
}


def searched(which: str) -> Any:
    """What something that searches or plays long has found."""
    with mock.patch("cmaes.CMA", Steps):
        return json.loads(json.dumps(SEARCHES[which](), default=str))


# --- claims that are changed ----------------------------------------------------------------------


def test_changeable_fields_of_claims_stay_the_same():
    """The fields of the claims that ship by kind of key, the first of each game, and each of them changed."""
    texts, once = {}, set()
    for claim in map(read_claim, paths()):
        for at in range(len(claim.readings)):
            for field in fields_of(claim, at, ["greedy", "tuned"]):
                key = re.sub(r"[0-9]+", "0", field.key)
                if (claim.game, key) in once:
                    continue
                once.add((claim.game, key))
                lines = [str(list(field))]
                other = next((each for each in field.choices if each not in (field.value, "")), None)
                if other and not field.many:
                    with contextlib.suppress(ValueError):  # options that do not go together
                        lines.append(f"{other}: {changed(claim, {field.key: other}).claim.statement}")
                texts.setdefault(claim.game, []).extend(lines)
    same_texts("changes.txt", {game: "\n".join(lines) for game, lines in texts.items()})


# --- all of them ----------------------------------------------------------------------------------

KINDS = {"verdict": (found_by, DESIGNS), "tournament": (tournament, TOURNAMENTS), "search": (searched, SEARCHES)}
PINNED = {
    ("verdict", "jie-long 0 policy"): "86e20fbd",
    ("verdict", "jie-long 1 policy"): "f8b2117e",
    ("verdict", "jie-long 2 action"): "6ccfd53a",
    ("verdict", "jie-long 3 action"): "fbd43733",
    ("verdict", "jie-long 4 action"): "c679e0c0",
    ("verdict", "jie-long 5 rate"): "55211ec5",
    ("verdict", "jie-long 6 rate"): "833dc227",
    ("verdict", "jie-long 7 rate"): "9fccf683",
    ("verdict", "jie-long 8 ordering"): "00972ee9",
    ("verdict", "jie-long 9 ordering"): "383e2845",
    ("verdict", "jie-long 10 ordering"): "3834c701",
    ("verdict", "jie-long 11 ordering"): "945811b8",
    ("verdict", "jie-long 12 exact"): "4f46276c",
    ("verdict", "da-ling 0 policy"): "b9b97686",
    ("verdict", "da-ling 1 rate"): "316e11fa",
    ("verdict", "tien-gow 0 action"): "1caf0073",
    ("tournament", "one among others"): "b86953fb",
    ("tournament", "half against half"): "aaf720a2",
    ("tournament", "all line-ups"): "731ab0d1",
    ("tournament", "partners"): "5e5621db",
    ("search", "tuning"): "e8b7213e",
    ("search", "discoveries"): "1189c9de",
    ("search", "best responses"): "0f31a442",
    ("search", "equilibria"): "c4e65990",
    ("search", "a gate"): "8b1e4b86",
    ("search", "a recipe"): "6591652a",
    ("search", "a ladder"): "45452822",
    ("search", "a card"): "ca280dc2",
    ("search", "who sits with whom"): "edfaf355",
}


@pytest.mark.parametrize(("kind", "which"), PINNED)
def test_lab_keeps_its_figures(kind, which):
    assert digest_of(KINDS[kind][0](which)) == PINNED[kind, which]


def test_pins_are_complete():
    assert list(PINNED) == [(kind, which) for kind, (_, all_of) in KINDS.items() for which in all_of]


if __name__ == "__main__":
    for kind, (made, all_of) in KINDS.items():
        for which in all_of:
            print(f'    ("{kind}", "{which}"): "{digest_of(made(which))}",')
