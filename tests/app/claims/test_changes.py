"""Claims that a person changed before they are tested, and how they are named then."""

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from gupai_agents.evaluation.claims import claim_of, try_claim
from gupai_agents.evaluation.claims.report import markdown, text
from gupai_agents.evaluation.claims.verdicts import VERDICTS
from gupai_app.claims import routes as claims
from gupai_app.claims.changes import changed, fields_of
from gupai_app.claims.page import MEANINGS, claim_page


def test_every_field_and_every_verdict_is_explained():
    own = [(claim, index) for claim in claims.known().values() for index in range(len(claim.readings))]
    fields = {(field.key, field.help) for claim, index in own for field in fields_of(claim, index, ["greedy"])}
    assert len(fields) > 100 and not [key for key, help in fields if not help]
    assert set(MEANINGS) == set(VERDICTS)


def test_changed_claim_is_named_after_what_is_tested():
    own = claims.known()["jl-attack-2"]
    found = changed(own, {"readings.0.suit": "3", "readings.0.doses.values": "4, 6+"}).claim
    words = "+attack_3=40 instead of variety, with carrying 3: 4, 6+"
    assert found.statement == f"{words}."
    assert found.readings[0].name == f"1: {words}"
    assert found.readings[0].note == (
        "Changed from reading 1 of jl-attack-2: suit 3 (was 2); doses: carrying 3, values 4, 6+ (was 3, 4, 5+)."
    )
    assert found.readings[1:] == own.readings[1:]
    verdict = try_claim(found, deals=20)
    for printed in (text(verdict), markdown([verdict]), claim_page(verdict)):
        assert words in printed
        assert own.statement not in printed and f"{own.readings[0].name}: " not in printed
    left_out = changed(own, {"readings.1.skip": "leave it out", "readings.0.doses.values": "4, 5"}).claim
    assert len(left_out.readings) == 1 and "carrying 2: 4, 5" in left_out.statement
    assert all(len(reading.name) <= 120 for reading in left_out.readings)


@pytest.mark.parametrize(
    ("claim", "key", "text", "words"),
    [
        ("jl-heavy-lead", "readings.0.margin", "1", "lays, heaviest instead of one drawn from the others, with lead"),
        (
            "jl-lockout-2",
            "readings.1.suit",
            "3",
            "lays, leaves 3 instead of the best other one of about equal pips, with unseen 3: 0-1, 2-3, 4+",
        ),
        ("jl-discard-weight", "readings.1.threshold", "0.2", "count_misleads"),
        ("jl-only-2", "readings.2.suit", "3", "locks_out_twice 3, with carrying 3 at least 4"),
    ],
)
def test_changed_reading_is_named_after_what_is_tested(claim, key, text, words):
    found = changed(claims.known()[claim], {key: text}).claim
    at = int(key.split(".")[1])
    assert found.readings[at].name == f"{at + 1}: {words}" and found.statement == f"{words}."


@pytest.mark.parametrize("length", range(48, 61))
def test_changed_claim_can_be_read_again(length):
    """Whatever its id: where that is cut to its length there may be a hyphen."""
    content = claims.known()["jl-attack-2"].model_dump(mode="json", exclude_defaults=True)
    for own in ("a-" * 30, "a" * 60, "a" * 51 + "-" + "b" * 8):
        own = own[:length].rstrip("-")
        found = changed(claim_of(content | {"id": own}), {"readings.0.suit": "5"}).claim
        again = changed(found, {"readings.0.suit": "4"}).claim
        for each in (found, again):
            assert claim_of(each.model_dump(mode="json", exclude_defaults=True)).id == each.id
            assert each.id.endswith("-changed") and own.startswith(each.id.removesuffix("-changed")[:40])


def test_ordering_items_are_changed_together():
    found = changed(claims.known()["jl-only-2"], {"readings.0.items.*.population.hand.0.at_least": "5"})
    assert {item.population.hand[0].at_least for item in found.claim.readings[0].items} == {5}


def test_suit_is_renamed_in_numbers_and_weights_alone():
    content = claims.known()["jl-attack-2"].model_dump(mode="json", exclude_defaults=True)
    reading = {**content["readings"][1], "note": "attack_2=5 stays", "population": {"hand": [{"feature": "doubles"}]}}
    reading |= {"name": "leave_2=1", "treated": "+attack_2=40,attack_3=2", "baseline": "greedy+leave_2=3"}
    content["readings"] = [reading]
    found = changed(claim_of(content), {"readings.0.suit": "5"}).claim.readings[0]
    assert (found.treated, found.baseline) == ("+attack_5=40,attack_3=2", "greedy+leave_5=3")
    assert (found.doses.number, found.doses.values, found.panel) == (5, reading["doses"]["values"], reading["panel"])
    random = {**reading, "treated": {"agent": "greedy+leave_2=3", "discards": "random"}, "baseline": "same"}
    content["readings"] = [random]
    found = changed(claim_of(content), {"readings.0.suit": "5"}).claim.readings[0]
    assert (found.treated.agent, found.treated.discards) == ("greedy+leave_5=3", "random")


def test_claim_without_any_reading_is_refused():
    left = {f"readings.{at}.skip": "leave it out" for at in (0, 1)}
    with pytest.raises(ValueError, match=r"^every reading is left out; keep at least one$"):
        changed(claims.known()["jl-attack-2"], left)
