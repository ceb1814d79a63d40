"""What files hold: values at their keys, and the sentence for what is wrong with a file."""

import pytest

from gupai_env.storage.models import DamagedError, Stored, Written, checked, parse_stored, set_key


def test_value_is_written_at_its_key():
    content = {"items": [{"margin": 1, "panel": ["a", "b"]}, {"margin": 2}]}
    set_key(content, "items.1.margin", 3)
    set_key(content, "items.0.panel.1", "c")
    assert content == {"items": [{"margin": 1, "panel": ["a", "c"]}, {"margin": 3}]}
    set_key(content, "items.*.plan.power", 0.9)
    assert [item["plan"] for item in content["items"]] == [{"power": 0.9}] * 2


@pytest.mark.parametrize(
    ("key", "part"), [("items.2", "'2'"), ("items.-1", "'-1'"), ("items.x", "'x'"), ("number.part", "'part'")]
)
def test_key_that_leads_nowhere_is_refused(key, part):
    with pytest.raises(ValueError, match=f"^{part} is not in a group of settings$"):
        set_key({"items": [1, 2], "number": 5}, key, 3)


def test_json_and_yaml_have_the_same_sentences():
    class Kept(Stored):
        number: int
        word: str

    class Typed(Written):
        number: int
        word: str

    for content, text in ({"number": [], "word": "x"}, '{"number": [], "word": "x"}'), ({"number": 1}, '{"number": 1}'):
        with pytest.raises(ValueError, match=r"^(number=\[\] is not allowed; write a whole|word is missing)") as typed:
            checked(Typed, content)
        with pytest.raises(DamagedError) as kept:
            parse_stored(text, Kept, "x.json")
        assert str(kept.value) == f"x.json: {typed.value}"
    for text, problem in (("{", "it is not JSON"), ("[]", "it is not an object")):
        with pytest.raises(DamagedError, match=f"^x.json: {problem}$"):
            parse_stored(text, Kept, "x.json")
