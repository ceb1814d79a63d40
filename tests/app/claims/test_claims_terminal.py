"""Verdicts at the terminal: printed each and together, kept in a folder, and refused where they are damaged."""

import json
import re

import pytest
from rich.cells import cell_len

from commands import gupai, run_claim
from gupai_agents.evaluation.claims import Verdict, read_claim
from gupai_agents.evaluation.claims.files import RECORDED
from gupai_agents.evaluation.claims.report import markdown, text
from gupai_app.claims import terminal as command
from gupai_app.words.languages import speak
from gupai_env.messages import TRANSLATIONS
from gupai_env.storage.files import json_text, locked
from readings import a_verdict, finding


def test_several_verdicts_are_printed_each_and_together(monkeypatch):
    names = "dn-deck", "jl-suit-counts", "tu-big-variance"
    alone = run_claim("dn-deck", "--markdown").stdout
    assert (
        alone == markdown([Verdict.model_validate_json(run_claim("dn-deck", "--json").stdout)])
        and "together" not in alone
    )
    some = [read_claim(path) for path in command.paths() if path.stem in names]
    monkeypatch.setattr(command, "read", lambda name: some)
    words = ("--all", "--deals", "200", "--no-masters")
    parts = [Verdict.model_validate(part) for part in json.loads(run_claim(*words, "--json").stdout)]
    assert sorted(part.id for part in parts) == sorted(names)
    assert run_claim(*words, "--markdown").stdout == markdown(parts)
    for printed, lines in ((run_claim(*words), command.brief), (run_claim(*words, "--full"), text)):
        assert printed.stdout == "".join(f"{lines(part)}\n" for part in parts) + f"{command.together(parts)}\n"


@pytest.mark.parametrize(("language", "columns"), [("en", 200), ("en", 60), ("zh-Hant", 90)])
def test_every_verdict_fits_a_screen_and_names_each_reading(language, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    for path in sorted(RECORDED.glob("*.json")):
        content = path.read_text(encoding="utf-8")
        verdict = Verdict.model_validate_json(content)
        assert json_text(verdict.as_numbers(), 2) + "\n" == content, path.stem
        token = speak(language)
        lines = command.brief(verdict).splitlines()
        TRANSLATIONS.reset(token)
        assert len(lines) <= 25 and max(map(cell_len, lines)) <= min(columns, 90), path.stem
        assert sum(bool(re.match(r"  \S", line)) for line in lines) > len(verdict.findings)
        if language == "en":
            shown = " ".join(" ".join(lines).split())
            heads = [f"{each.name}: {(each.headline or each.verdict).upper()}" for each in verdict.findings]
            places = [shown.find(" ".join(head.split())) for head in heads]
            assert -1 not in places and places == sorted(places), path.stem
            sentence = verdict.findings[0].sentence if heads else ""
            assert " ".join(sentence.split()) in shown or columns < 90, path.stem


def test_saved_verdicts_are_not_computed_again(tmp_path, monkeypatch):
    words = ("jl-suit-counts", "--out", str(tmp_path), "--json")
    first = run_claim(*words)
    monkeypatch.setattr(command, "try_claim", None)
    again = run_claim(*words)
    assert again.stdout == first.stdout
    assert again.stderr == f"{tmp_path / 'jl-suit-counts.json'}: exists already and is kept\n"
    other = run_claim(*words, "--seed", "3")
    assert other.exit_code == 2
    assert "another command" in other.output


@pytest.mark.parametrize("content", ["", "[]", "{}", "[" * 10**5, b"\xff", "READINGS"])
def test_damaged_verdict_is_reported(content, tmp_path):
    path = tmp_path / "jl-suit-counts.json"
    if content == "READINGS":
        content = json.dumps({**json.loads(run_claim("jl-suit-counts", "--json").stdout), "readings": 5})
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = run_claim("jl-suit-counts", "--out", str(tmp_path))
    assert (found.exit_code, found.output) == (2, f"gupai: {path} is damaged; remove it\n")


@pytest.mark.parametrize("words", [("claim", "run", "jl-suit-counts"), ("discover", "jie-long")])
def test_verdict_folder_is_written_by_one_process_at_a_time(words, tmp_path):
    with locked(tmp_path, "testing claims into this folder"):
        found = gupai(*words, "--out", tmp_path)
    assert found.exit_code == 2
    assert re.fullmatch(
        rf"gupai: {re.escape(str(tmp_path))}: another process is (testing|searching)[ a-z]+ this folder\n", found.output
    )


def test_verdict_saved_by_another_version_is_not_taken(tmp_path):
    words = ("jl-suit-counts", "--out", str(tmp_path), "--json")
    assert run_claim(*words).exit_code == 0
    (path,) = tmp_path.glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"gupai": "0.0.1"}))
    found = run_claim(*words)
    assert found.exit_code == 2
    assert "was made by another command, file or version" in found.output


def test_shipped_claim_is_read_by_its_id():
    assert read_claim("jl-attack-2") == command.read("jl-attack-2")[0]
    with pytest.raises(ValueError, match=r"^path=5 is not allowed; it must be a path$"):
        read_claim(5)
    with pytest.raises(ValueError, match="there is no claim 'jl-atack-2'; did you mean jl-attack-2"):
        read_claim("jl-atack-2")


@pytest.mark.parametrize(
    ("stand", "said"),
    [
        ([True, False, None], "3 tests were made together.*1 of the verdicts supported or contradicted fails[.]"),
        ([False, False, True], "2 of the verdicts supported or contradicted fail[.]"),
        ([True, True, None], "none of the verdicts supported or contradicted fail[.]"),
    ],
)
def test_verdicts_that_fall_after_correction_are_counted(stand, said):
    verdicts = a_verdict(*(finding(q=0.1, stands=each) for each in stand)), a_verdict(finding(verdict="proved"))
    assert re.search(said, command.together(verdicts))
