"""Orderings: which item comes first, and how sure that is."""

import pytest

from gupai_agents.evaluation.claims import claim_of, orderings, try_claim, verdicts
from gupai_agents.evaluation.claims.orderings import Ordering, _ranked
from readings import ATTACK, BASE, a_reading, setting, wide


@pytest.mark.parametrize(
    ("values", "verdict", "order"),
    [
        # Three standard errors of the difference, which is that of both: 5 of errors 3 and 4.
        ({"a": wide(15, 3), "b": wide(0, 4)}, verdicts.SUPPORTED, "a > b"),
        ({"a": wide(0, 3), "b": wide(15, 4)}, verdicts.CONTRADICTED, "b > a"),
        # Enough for either error alone, not for both.
        ({"a": wide(9, 3), "b": wide(0, 4)}, verdicts.INCONCLUSIVE, "a > b"),
        ({"a": wide(9, 4), "b": wide(0, 3)}, verdicts.INCONCLUSIVE, "a > b"),
        ({"b": wide(9, 4), "a": wide(0, 3)}, verdicts.INCONCLUSIVE, "b > a"),
        # Ahead of one, not of the other.
        ({"a": wide(15, 3), "b": wide(0, 4), "c": wide(14, 4)}, verdicts.INCONCLUSIVE, "a > c > b"),
        # Behind one is enough against it.
        ({"a": wide(15, 3), "b": wide(0, 4), "c": wide(90, 4)}, verdicts.CONTRADICTED, "c > a > b"),
    ],
)
def test_first_is_first_if_it_is_clearly_ahead_of_all_others(values, verdict, order):
    found, p, shown, behind = _ranked(values, "a", "chips", 1000)
    assert found == verdict
    assert "+" not in shown  # rates, not gains
    assert " > ".join(part.split()[0] for part in shown.split(" > ")) == order
    assert p.keys() == values.keys() - {"a"}
    if verdict == verdicts.CONTRADICTED:
        assert behind == min(p.values()) < 0.05
    else:
        assert behind == max(p.values())
        assert (behind < 0.05) == (verdict == verdicts.SUPPORTED)


@pytest.mark.parametrize(("apart", "verdict"), [(0.0, verdicts.INCONCLUSIVE), (30.0, verdicts.SUPPORTED)])
def test_any_order_means_that_items_differ(apart, verdict):
    assert _ranked({"a": wide(0, 3), "b": wide(apart, 4)}, "any", "chips", 1000)[0] == verdict


def test_ordering_leaves_out_items_and_is_as_sure_as_its_least_player(monkeypatch):
    made = {
        "greedy": {"a": wide(15, 3), "b": wide(0, 4), "c": wide(99, 1)},
        "variety": {"a": wide(30, 3), "b": wide(0, 4), "c": wide(99, 1)},
        "random": {"a": wide(0, 3), "b": wide(50, 4), "c": wide(99, 1)},
    }
    streams = []

    def item(setting, reading, item, seated, number, deals):
        streams.append(number)
        return made[seated[0]][item.label]

    monkeypatch.setattr(orderings, "_item", item)
    reading = Ordering(
        **BASE, kind="ordering", items=[{"label": each} for each in "abc"], first="a", but=["c"], panel=list(made)
    )
    found = reading.test(setting())
    assert found.verdict == verdicts.SUPPORTED  # random is shown and does not count
    assert found.p == max(_ranked({label: made["greedy"][label] for label in "ab"}, "a", "chips", 1000)[1].values())
    assert [(each.label, each.counted) for each in found.effects[-3:]] == [
        (f"{label}, random", False) for label in "abc"
    ]
    assert len(set(streams)) == len(streams) == 9


def test_true_ordering_is_found_and_a_wrong_one_contradicted():
    items = [{"label": name, "treated": name} for name in ("random", "greedy", "variety")]
    reading = {"kind": "ordering", "items": items, "panel": ["greedy"], "deals": 1500}
    verdict = {
        first: try_claim(claim_of(a_reading(**reading, first=first))).findings[0].verdict
        for first in ("variety", "random", "any")
    }
    assert verdict == {"variety": "supported", "random": "contradicted", "any": "supported"}


FIELD = {
    "kind": "ordering",
    "metric": "skill_share",
    "first": "4",
    "items": [{"label": "4"}, {"label": "2", "variant": {"players": 2}}],
    "deals": 600,
}


def test_variance_of_a_field_is_explained_by_unequal_players():
    def shares(field):
        reading = {key: value for key, value in a_reading()["readings"][0].items() if key != "panel"}
        found = try_claim(claim_of(ATTACK | {"readings": [{**reading, **FIELD, "fields": [field]}]})).findings[0]
        return [each.estimate for each in found.effects]

    assert all(abs(each.mean) <= 2 * each.half_width for each in shares(["greedy", "greedy"]))
    assert all(each.low > 0.05 for each in shares(["random", "variety"]))


def test_rate_of_a_field_is_explained_by_who_was_drawn():
    kept = {"variant", "name"}
    base = {key: value for key, value in a_reading()["readings"][0].items() if key in kept}
    rate = {
        **base,
        "kind": "rate",
        "metric": "skill_share",
        "fields": [["random", "variety"]],
        "threshold": 0.02,
        "deals": 600,
    }
    found = try_claim(claim_of(ATTACK | {"readings": [rate]})).findings[0]
    (share,) = found.effects
    assert share.label == "random or variety" and found.verdict == "supported"
    assert share.estimate.low > 0.02 and share.estimate.samples == 600
    with pytest.raises(ValueError, match="treated: it cannot be combined with `fields`"):
        claim_of(ATTACK | {"readings": [{**rate, "treated": "greedy"}]})


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ({"fields": [["greedy", "variety"]], "panel": ["greedy"]}, "write `panel` or `fields`"),
        ({"panel": ["greedy"]}, "the metric skill_share need each other"),
        ({"fields": [["greedy", "gredy"]], "panel": []}, "readings.0.fields.0: 'gredy' is not a player"),
        ({"fields": [["greedy", "variety"]], "panel": [], "metric": "chips"}, "the metric skill_share need each other"),
    ],
)
def test_field_that_is_wrong_gets_one_line(reading, said):
    with pytest.raises(ValueError, match=r"readings\.0") as error:
        claim_of(a_reading(**FIELD | reading))
    assert said in str(error.value)


def test_ordering_is_as_sure_as_of_the_nearest_other():
    items = [{"label": name, "treated": name} for name in ("random", "greedy", "variety")]
    reading = {"kind": "ordering", "items": items, "panel": ["greedy"], "deals": 1500, "first": "variety"}
    found = try_claim(claim_of(a_reading(**reading))).findings[0]
    assert found.p == max(each.p for each in found.effects if each.p is not None)
    assert found.p < 0.05
