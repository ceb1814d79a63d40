"""Folders of tournaments: what lies in them, how they are resumed, and that what was changed in them is found."""

import errno
import functools
import gzip
import json
import math
import operator
import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation import RecordError, RecordWriter, play_into, read_games, schedule, verify
from gupai_agents.evaluation.tournaments import folder, tournament
from gupai_agents.evaluation.tournaments.folder import read_summary
from gupai_agents.networks.checkpoint import AGENT_FILE, read_header
from gupai_agents.players.identity import identity_of
from gupai_agents.shipped import NETWORKS
from gupai_env.games import get_game
from gupai_env.storage.files import locked
from processes import SERVER, start_server

NAMES = ("greedy", "variety")


def files(path):
    return {str(each.relative_to(path)): each.read_bytes() for each in sorted(Path(path).rglob("*")) if each.is_file()}


def test_same_command_writes_the_same_files(tmp_path):
    words = ["tournament", "jie-long", *NAMES, "random", "--deals", 3, "--seed", 5, "--table", "all", "-o", "deals=2"]
    for name in ("a", "b"):
        assert gupai(*words, "--out", tmp_path / name).exit_code == 0
    a, b = files(tmp_path / "a"), files(tmp_path / "b")
    assert a == b
    assert {"games.csv", "games.jsonl.gz", "manifest.json", "summary.json"} <= set(a)
    content = json.loads(a["manifest.json"])
    repeated = gupai(*content["command"].split()[1:], "--json")
    printed, kept = json.loads(repeated.stdout), json.loads(a["summary.json"])
    assert {key: printed[key] for key in kept} == kept
    progressed: list[int] = []
    assert verify(tmp_path / "a", progressed.append).deals == 3
    assert sum(progressed) == 3 * len(schedule("jie-long", [*NAMES, "random"], 3, table="all").line_ups)


def play_until_killed(words, writes):
    """`gupai` and these words, in a process that is killed right after so many files were written."""
    write = folder.write_file

    def write_and_die(*file, **how):
        nonlocal writes
        write(*file, **how)
        writes -= 1
        if not writes:
            os.kill(os.getpid(), signal.SIGKILL)

    folder.write_file, tournament.ENVS = write_and_die, SMALL_BLOCKS
    gupai(*words)


SMALL_BLOCKS = 32


def test_killed_tournament_resumes_to_the_same_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tournament, "ENVS", SMALL_BLOCKS)
    words = ["tournament", "jie-long", *NAMES, "random", "--deals", "12", "--seed", "5"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert gupai(*words, "--out", whole).exit_code == 0
    start_server()
    for writes, blocks in ((2, 1), (2, 3)):  # the manifest first
        resume = ["--resume"] if killed.exists() else []
        playing = SERVER.Process(target=play_until_killed, args=([*words, "--out", str(killed), *resume], writes))
        playing.start()
        playing.join(120)
        assert playing.exitcode == -signal.SIGKILL
        assert len(list((killed / "blocks").iterdir())) == blocks
    assert not (killed / "summary.json").exists()
    with pytest.raises(folder.FolderError, match="is not finished"):
        verify(killed)
    (killed / "blocks" / f"{blocks}.jsonl.gz.{'a' * 16}.part").write_bytes(b"\x1f\x8b")
    assert gupai(*words, "--out", killed, "--resume").exit_code == 0
    assert files(killed) == files(whole)
    again = gupai(*words, "--out", killed, "--resume")  # of a finished one changes nothing
    assert again.exit_code == 0
    assert files(killed) == files(whole)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "run"
    play_into(path, schedule("jie-long", NAMES, 8, seed=3), NAMES)
    return path


def test_only_the_same_tournament_is_resumed(kept):
    plan = schedule("jie-long", NAMES, 9, seed=3)
    with pytest.raises(ValueError, match="another tournament: deals is 8 there, here 9"):
        play_into(kept, plan, NAMES, resume=True)
    with pytest.raises(ValueError, match="exists already; --resume continues"):
        play_into(kept, plan, NAMES)
    with pytest.raises(ValueError, match=re.escape("not a tournament: there is no manifest.json")):
        play_into(kept.parent / "none", plan, NAMES, resume=True)


def edited(name, change):
    def edit(path):
        (path / name).write_bytes(change((path / name).read_text()).encode())

    return edit


def changed(name, *keys, to):
    """Return an edit of a file of JSON: what stands under some keys becomes another value, or goes for None."""

    def change(text):
        content = json.loads(text)
        inner = content
        for key in keys[:-1]:
            inner = inner[key]
        if to is None:
            del inner[keys[-1]]
        else:
            inner[keys[-1]] = to
        return json.dumps(content)

    return edited(name, change)


def swapped(text):
    """Return rows of which one has its chips the other way round."""
    lines = [line.split(",") for line in text.splitlines()]
    row = next(line for line in lines[1:] if line[9] != line[10])
    row[9], row[10] = row[10], row[9]
    return "\n".join(map(",".join, lines)) + "\n"


def flipped(path):
    content = bytearray((path / "blocks" / "1.jsonl.gz").read_bytes())
    content[len(content) // 2] ^= 1
    (path / "blocks" / "1.jsonl.gz").write_bytes(content)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A tournament of which two blocks of four are played."""

    def stop(deals):
        if (path / "blocks" / "1.jsonl.gz").exists():
            raise KeyboardInterrupt

    path = tmp_path_factory.mktemp("stopped") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tournament, "ENVS", SMALL_BLOCKS // 2)
        plan = schedule("jie-long", NAMES, 8, seed=3)
        with pytest.raises(KeyboardInterrupt):
            play_into(path, plan, NAMES, progress=stop)
    return path


def in_block(change):
    """Return an edit of the compressed games of a block."""

    def edit(path):
        block = path / "blocks" / "1.jsonl.gz"
        block.write_bytes(gzip.compress(change(gzip.decompress(block.read_bytes()))))

    return edit


UNLIKE = {  # of which nothing can be resumed
    "a game": (flipped, "1.jsonl.gz"),
    "a game too few": (in_block(lambda games: b"".join(games.splitlines(True)[:-1])), "1.jsonl.gz, line 16: missing"),
    "a game too many": (in_block(lambda games: games + games.splitlines(True)[-1]), "there are more games"),
    "another seed": (in_block(lambda games: games.replace(b'"seed":"', b'"seed":"1', 1)), "1.jsonl.gz"),
    "a block of games twice": (
        lambda path: shutil.copy(path / "blocks" / "0.jsonl.gz", path / "blocks" / "1.jsonl.gz"),
        "1.jsonl.gz, line 1: another game than its row",
    ),
    "another format": (changed("manifest.json", "format", to=3), "format 3; this version of gupai reads format 1"),
    "another numpy": (
        changed("manifest.json", "versions", "numpy", to="1.0"),
        "is another tournament: versions.numpy is '1.0' there, here",
    ),
    "another digest": (changed("manifest.json", "rules", to="x"), "another tournament: rules is 'x' there"),
    "agents": (changed("manifest.json", "agents", 1, to="random"), "agents[1] is 'random' there, here 'variety'"),
    "a variant": (changed("manifest.json", "variant", "players", to=3), "variant.players is 3 there, here 4"),
    "other types": (changed("manifest.json", "variant", "players", to=4.0), "players is 4.0 there, here 4"),
}


@pytest.mark.parametrize("what", UNLIKE)
def test_changed_folder_is_not_resumed_and_stays(what, stopped, tmp_path, monkeypatch):
    monkeypatch.setattr(tournament, "ENVS", SMALL_BLOCKS // 2)
    path = shutil.copytree(stopped, tmp_path / "copy")
    edit, line = UNLIKE[what]
    edit(path)
    before, plan = files(path), schedule("jie-long", NAMES, 8, seed=3)
    with pytest.raises((folder.FolderError, RecordError), match=re.escape(line)) as error:
        play_into(path, plan, NAMES, resume=True)
    assert "\n" not in str(error.value) and str(path) in str(error.value)
    assert files(path) == before


FULL = OSError(errno.ENOSPC, "No space left on device", "manifest.json")


def test_failed_start_leaves_nothing(tmp_path, monkeypatch):
    def full(*content, **how):
        raise FULL

    plan = schedule("jie-long", NAMES, 8, seed=3)
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(folder, "write_file", full)
    for name in ("inner/new", "empty"):
        with pytest.raises(OSError, match=r"No space.*manifest.json"):
            play_into(tmp_path / name, plan, NAMES)
    assert not (tmp_path / "inner").exists() and set(files(tmp_path / "empty")) == {"lock"}
    monkeypatch.undo()
    play_into(tmp_path / "empty", plan, NAMES)


@pytest.mark.parametrize("resume", [False, True])
def test_folder_cut_off_at_its_start_is_begun_again(resume, kept, tmp_path):
    (tmp_path / "lock").touch()
    (tmp_path / f"manifest.json.{'a' * 16}.part").write_text("{")
    play_into(tmp_path, schedule("jie-long", NAMES, 8, seed=3), NAMES, resume=resume)
    assert files(tmp_path) == files(kept)


@pytest.mark.parametrize("resume", [False, True])
def test_folder_with_other_files_is_left_alone(resume, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"holds 'mine.txt', not a tournament; name a new or empty folder"):
        play_into(tmp_path, schedule("jie-long", NAMES, 8, seed=3), NAMES, resume=resume)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_running_tournament_is_not_resumed(kept, tmp_path):
    path = shutil.copytree(kept, tmp_path / "copy")
    plan = schedule("jie-long", NAMES, 8, seed=3)
    taken = pytest.raises(ValueError, match="another process is playing this tournament")
    with locked(path, "playing this tournament"), taken:
        play_into(path, plan, NAMES, resume=True)
    play_into(path, plan, NAMES, resume=True)


def better(text):
    content = json.loads(text)
    content["totals"][0]["mean"] += 1
    return json.dumps(content)


TAMPERED = {
    "a summary": (edited("summary.json", better), "does not follow from the games"),
    "a row": (
        edited("games.csv", lambda text: text.replace("greedy", "variety", 1)),
        "games.csv: it does not follow from the games",
    ),
    "a row too many": (
        edited("games.csv", lambda text: text + text.splitlines()[-1] + "\n"),
        "games.csv: it does not follow from the games",
    ),
    "another seed": (
        edited("manifest.json", lambda text: re.sub(r'("seed": |seed )3', r"\g<1>4", text)),
        "line 1: another game than its row",
    ),
    "fewer deals": (
        edited("manifest.json", lambda text: re.sub(r'("deals": |deals )8', r"\g<1>7", text)),
        "games.jsonl.gz, line 29: another game",
    ),
    "more deals": (
        edited("manifest.json", lambda text: re.sub(r'("deals": |deals )8', r"\g<1>9", text)),
        "another game than its row",
    ),
    "another command": (
        edited("manifest.json", lambda text: text.replace("seed 3", "seed 4")),
        "manifest.json: command",
    ),
    "other rules": (changed("manifest.json", "rules", to="x"), "manifest.json: rules is 'x' there, here"),
    "another version of the game": (changed("manifest.json", "version", to=9), "version is 9 there, here 0"),
    "another variant": (changed("manifest.json", "variant", "players", to=4.0), "manifest.json"),
    "no versions": (changed("manifest.json", "versions", to=None), "versions is missing"),
    "a file": (changed("manifest.json", "players", 0, "files", to={__file__: 64 * "0"}), "is not the file that played"),
    "a huge seed": (changed("manifest.json", "seed", to=1 << 64), "manifest.json: damaged, seed="),
    "an endless number": (changed("manifest.json", "deals", to=math.inf), "deals=inf is not allowed; write a whole"),
    "a summary of no JSON": (edited("summary.json", lambda text: text[:-9]), "summary.json: it does not follow from"),
    "a summary of other types": (
        edited("summary.json", lambda text: text.replace('"deals": 8', '"deals": 8.0')),
        "summary.json: deals does not follow from the games",
    ),
    "a page": (
        edited("report.html", lambda text: text.replace("chips per deal", "chips a week")),
        "report.html: it does not follow from the games",
    ),
    "no text": (
        lambda path: (path / "games.csv").write_bytes(b"\xff\xfe" + (path / "games.csv").read_bytes()),
        "games.csv: it does not follow from the games",
    ),
    "no game": (edited("manifest.json", lambda text: text.replace("jie-long", "chess")), "'chess' is not a game"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_tampered_folder_is_refused(what, kept, tmp_path):
    path = shutil.copytree(kept, tmp_path / "copy")
    edit, line = TAMPERED[what]
    edit(path)
    with pytest.raises(ValueError, match=re.escape(line)) as error:
        verify(path)
    assert "\n" not in str(error.value)
    printed = gupai("verify", path)
    assert (printed.exit_code, printed.stdout, printed.stderr.count("\n")) == (2, "", 1)


def test_tampered_game_is_named(kept, tmp_path):
    path = shutil.copytree(kept, tmp_path / "copy")
    games = list(read_games(path / "games.jsonl.gz"))
    (path / "games.jsonl.gz").unlink()
    with RecordWriter(path / "games.jsonl.gz") as record:
        record.write([*games[:5], games[6], games[5], *games[7:]])
    with pytest.raises(folder.FolderError, match="line 6: another game than its row"):
        verify(path)
    content = (path / "games.jsonl.gz").read_bytes()
    (path / "games.jsonl.gz").write_bytes(content[:-40])
    with pytest.raises((folder.FolderError, RecordError), match="line "):
        verify(path)


@pytest.mark.parametrize("locale", ["zh_TW.UTF-8", "zh_CN.UTF-8"])
def test_folder_verifies_under_every_language(locale, tmp_path):
    words = ["tournament", "jie-long", *NAMES, "--deals", 3, "--seed", 5]
    for name, spoken in (("english", "C.UTF-8"), ("chinese", locale)):
        written = gupai(*words, "--out", tmp_path / name, env={"LC_ALL": spoken})
        assert (written.exit_code, "比" in written.output) == (0, name == "chinese"), written.output
    assert files(tmp_path / "english") == files(tmp_path / "chinese")
    for name, other in (("english", locale), ("chinese", "C.UTF-8")):
        assert gupai("verify", tmp_path / name, env={"LC_ALL": other}).exit_code == 0


def test_killed_at_its_very_end_is_finished(stopped, kept, tmp_path, monkeypatch):
    """Blocks are removed last: with the report among them there is nothing more to be done, without it the end is."""
    monkeypatch.setattr(tournament, "ENVS", SMALL_BLOCKS // 2)
    plan, path = schedule("jie-long", NAMES, 8, seed=3), shutil.copytree(stopped, tmp_path / "copy")
    play_into(path, plan, NAMES, resume=True)
    whole = files(path)
    assert whole.keys() == files(kept).keys() and not (path / "blocks").exists()
    shutil.copytree(stopped / "blocks", path / "blocks")
    assert (path / "report.html").is_file()
    play_into(path, plan, NAMES, resume=True)
    for name in ("games.csv", "report.html"):
        (path / name).unlink()
    play_into(path, plan, NAMES, resume=True)
    assert files(path) == whole


def test_verify_reports_what_it_did(kept):
    printed = gupai("verify", kept)
    assert (printed.exit_code, printed.stderr) == (0, "")
    assert "64 games of 2 agents, replayed" in printed.stdout


def test_verify_reports_what_it_could_not_check(kept, tmp_path):
    path, heuristic = shutil.copytree(kept, tmp_path / "copy"), tmp_path / "mine.yaml"
    notes = []
    changed("manifest.json", "versions", "numpy", to="1.0")(path)
    edited("report.html", lambda text: text.replace("drawn by gupai", "drawn by gupai 0"))(path)
    verify(path, note=notes.append)
    assert [note.partition(":")[0] for note in notes] == [
        str(path / "manifest.json"),
        f"{path / 'report.html'} was not checked",
    ]
    for name in ("report.html", "games.csv"):
        (path / name).unlink()
        assert f"{path / name} is not there: it was not checked" in gupai("verify", path).stderr
    heuristic.write_text("game: jie-long\nweights: {pips: 1}\n")
    plan = schedule("jie-long", [f"heuristic:{heuristic}", "greedy"], 8, seed=3)
    play_into(tmp_path / "own", plan, [make_agent(f"heuristic:{heuristic}"), make_agent("greedy")])
    verify(tmp_path / "own", note=pytest.fail)
    heuristic.write_text("game: jie-long\nweights: {pips: 2}\n")
    with pytest.raises(folder.FolderError, match=r"mine.yaml is not the file that played"):
        verify(tmp_path / "own")
    heuristic.unlink()
    notes.clear()
    verify(tmp_path / "own", note=notes.append)
    assert notes == [f"{heuristic} no longer exists: whether it made the agent was not checked"]


def scaled(*keys, by):
    """Return an edit of the summary: a figure times a number near one, written as all of them are."""

    def edit(path):
        content = json.loads((path / "summary.json").read_text())
        *outer, last = keys
        functools.reduce(operator.getitem, outer, content)[last] *= by
        (path / "summary.json").write_text(json.dumps(content, indent=2) + "\n")

    return edit


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (("totals", 0, "rating"), r"totals\[0\].rating"),
        (("totals", 1, "places", 0), r"totals\[1\].places\[0\]"),
        (("seats", 3, "low"), r"seats\[3\].low"),
    ],
)
def test_last_digits_may_differ_between_processors(keys, place, kept, tmp_path):
    path = shutil.copytree(kept, tmp_path / "copy")
    scaled(*keys, by=1 + 1e-12)(path)
    verify(path)
    scaled(*keys, by=1 + 1e-7)(path)
    with pytest.raises(folder.FolderError, match=f"summary.json: {place} does not follow from the games"):
        verify(path)


@pytest.mark.parametrize(
    ("keys", "to"),
    [
        (("totals", 0, "mean"), math.nan),
        (("totals", 0, "mean"), "5"),
        (("totals", 0, "hero"), 2),
        (("totals", 0, "places"), [1, math.inf]),
        (("totals", 0), []),
        (("totals",), {}),
        (("rating_orders",), None),
        (("duels", 0, "villain"), -1),
    ],
)
def test_forged_summary_is_reported_in_one_line(keys, to, kept, tmp_path):
    path = shutil.copytree(kept, tmp_path / "copy")
    assert read_summary(path).agents == list(NAMES)
    changed("summary.json", *keys, to=to)(path)
    with pytest.raises(folder.FolderError, match=r"summary.json: damaged, [a-z]+") as error:
        read_summary(path)
    assert "\n" not in str(error.value)


def identities(plan, made):
    return [identity_of(agent, plan.game, plan.variant) for agent in made]


@pytest.mark.parametrize("name", ["mine", "a b", "a,b=1@2", "中 国", "x:y"])
def test_agent_files_are_identified_by_their_hash(tmp_path, name):
    heuristic, run_folder = tmp_path / f"{name}.yaml", tmp_path / name
    heuristic.write_text("game: jie-long\nweights: {pips: 1}\n")
    run_folder.mkdir()
    shutil.copy(next(NETWORKS.glob("jie-long-*.safetensors")), run_folder / AGENT_FILE)
    variant = get_game("jie-long").variant.make(**read_header(run_folder / AGENT_FILE)["rules"])
    specs = [
        f"heuristic:{heuristic}",
        f"search:playouts=2,heuristic=heuristic:{heuristic}",
        "greedy",
        f"checkpoint:{run_folder}",
    ]
    plan = schedule("jie-long", specs, 2, **vars(variant))
    made = [make_agent(spec, "jie-long", **vars(variant)) for spec in specs]
    players = identities(plan, made)
    assert [player.spec for player in players] == specs
    assert [list(player.files) for player in players] == [
        [str(heuristic)],
        [str(heuristic)],
        [],
        [str(run_folder / AGENT_FILE)],
    ]
    heuristic.write_text("game: jie-long\nweights: {pips: 2}\n")
    again = identities(plan, made)
    changed = [was.files != now.files for was, now in zip(players, again, strict=True)]
    assert changed == [True, True, False, False]
    assert [player.moves for player in again] == [player.moves for player in players]


def test_wrong_words_are_reported_in_one_line(tmp_path):
    (tmp_path / "a").mkdir()
    for words, line in (
        ("--table three", "table='three' is not allowed"),
        ("--table two -o players=3", "half against half needs four seats"),
        ("--resume", "--resume needs --out FOLDER"),
        (f"--out {tmp_path} --record x.jsonl", "--out keeps the games already"),
        (f"--out {tmp_path}", f"{tmp_path} holds 'a', not a tournament"),
        (f"--out {tmp_path / 'none'} --resume", f"{tmp_path / 'none'}: not a tournament"),
    ):
        result = gupai("tournament", "jie-long", "greedy", "random", *words.split())
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"gupai: {line}")
        assert result.stderr.count("\n") == 1
