"""The commands of claims: equal to the byte, null where nothing occurred, and one line for a mistake."""

import json
import re

import pytest

from commands import gupai, run_claim
from gupai_agents.evaluation.claims import Verdict
from gupai_agents.evaluation.claims.report import markdown
from gupai_app.claims import terminal as command
from gupai_env.storage.models import parse_yaml


def of_claims(*words: str):
    return gupai("claim", *words)


def test_same_command_gives_the_same_verdict_to_the_byte(tmp_path):
    words = ("jl-attack-2", "--deals", "200", "--json", "--no-masters")
    first, second = run_claim(*words), run_claim(*words)
    assert first.exit_code == 0
    assert first.output == second.output
    assert run_claim(*words, "--seed", "1").output != first.output
    content = json.loads(first.output)
    assert [each["variant"] for each in content["readings"]] == [{}, {}]


# What does not come up in so few deals, in readings of every kind: rate, ordering, policy and action.
NEVER = [("cd-loose-doubling", 20), ("dn-number-character", 2), ("jl-lockout-2", 2)]


@pytest.mark.parametrize(("name", "deals"), NEVER)
def test_values_that_do_not_occur_are_null_in_files(name, deals, tmp_path):
    words = (name, "--deals", str(deals), "--seed", "1", "--no-masters", "--full")
    done = run_claim(*words, "--html", str(tmp_path / "page.html"), "--out", str(tmp_path / "lab"))
    assert done.exit_code == 0, done.output
    text = (tmp_path / "lab" / f"{name}.json").read_text(encoding="utf-8")
    content = json.loads(text, parse_constant=lambda constant: pytest.fail(constant))
    assert '"mean": null' in text
    pages = (
        done.output,
        markdown([Verdict.model_validate(content)]),
        (tmp_path / "page.html").read_text(encoding="utf-8"),
    )
    assert all("did not occur in" in page and not re.search("\\bnan\\b|\\binf\\b|None", page) for page in pages)
    assert {each["verdict"] for each in content["readings"]} <= {"too few deals", "measured"}


def test_share_of_two_deals_is_no_certainty_and_no_verdict(tmp_path):
    content = json.loads(run_claim("sm-missed-turns", "--deals", "2", "--seed", "2", "--json").output)
    share = content["readings"][0]
    assert (share["verdict"], share["remark"]) == ("too few deals", "there is no verdict from fewer than 200 deals")
    assert "p" not in share and "deals_needed" not in share
    counting = next(each for each in share["effects"] if each["label"] == "counting")
    assert (counting["mean"], counting["low"], counting["high"]) == (1.0, pytest.approx(0.025**0.5), 1.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("jl-atack-2",), "did you mean jl-attack-2?"),
        (("no/such.yaml",), "no/such.yaml"),
        ((), "name a claim, or --all"),
        (("jl-attack-2", "--dry-run", "--deals", "5"), "--dry-run and --deals cannot be combined"),
        (("jl-attack-2", "--dry-run", "--strong"), "--dry-run and --strong cannot be combined"),
        (("jl-attack-2", "--dry-run", "--panel", "greedy"), "--dry-run and --panel cannot be combined"),
        (("jl-attack-2", "--dry-run", "--markdown"), "--dry-run and --markdown cannot be combined"),
        (("jl-attack-2", "--json", "--markdown"), "--json and --markdown cannot be combined"),
        (("jl-attack-2", "--panel", "nobody"), "nobody"),
    ],
)
def test_mistakes_get_one_line(words, said):
    in_one_line(run_claim(*words), said)


def in_one_line(found, said):
    assert found.exit_code == 2
    assert said in found.output
    assert "Traceback" not in found.output
    assert found.output.strip().count("\n") == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("jl-attack-2",), "No such command 'jl-attack-2'"),
        (("--all",), "No such option: --all"),
        (("lst",), "No such command 'lst'. Did you mean 'list'?"),
        (("list", "jl"), "unexpected extra argument(s) (jl)"),
        (("show",), "Missing argument"),
        (("show", "jl-atack-2"), "did you mean jl-attack-2?"),
        (("show", "no/such.yaml"), "no/such.yaml"),
        (("new",), "Missing argument 'GAME'"),
        (("new", "mine"), "mine"),
        (("new", "jie-long", "a b"), "'a b' is not a name of a claim"),
        (("new", "jie-long", "a" * 61), "write at most 60 lower-case letters"),
    ],
)
def test_mistakes_in_the_other_commands_get_one_line(words, said):
    in_one_line(of_claims(*words), said)


def test_commands_other_than_run_print_what_exists():
    listed, features = of_claims("list"), of_claims("features")
    assert (listed.exit_code, features.exit_code) == (0, 0)
    assert "jl-attack-2" in listed.output and "carrying" in features.output
    shown = of_claims("show", "jl-attack-2").output
    assert shown.startswith(command.find("jl-attack-2").read_text(encoding="utf-8"))
    assert "#   readings.0.suit=2  (1, 2, 3, 4, 5, 6)" in shown and parse_yaml(shown)["id"] == "jl-attack-2"
    shown = of_claims()
    assert shown.exit_code == 0 and "features" in shown.output


def test_new_claim_can_be_tested_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert of_claims("new", "jie-long", "mine").exit_code == 0
    assert of_claims("new", "jie-long", "mine").exit_code == 2
    found = run_claim("mine.yaml", "--deals", "100", "--no-masters")
    assert found.exit_code == 0
    assert "Write here what is claimed" in found.output
    assert run_claim("mine.yaml", "--dry-run", "--json").exit_code == 0
    assert json.loads(of_claims("schema").output)["title"] == "Claim"
