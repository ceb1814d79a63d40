"""Errors of the command line: one line each, and the status with which the process ends."""

import errno
import signal
import subprocess
import sys

import pytest
from typer import Abort

from commands import gupai
from gupai_app.shell.cli import main
from gupai_app.shell.errors import mistakes
from gupai_app.shell.streams import OutputLostError

OTHERS_WORDS = ("Input should", "Errno", "Invalid value", "codec", "PosixPath", "must be int", "Traceback", "NoneType")
WHOLE = "is not allowed; write a whole number"
MISTAKES = [  # a command and what its line says; {at} is a folder
    ("play jie-longg", "'jie-longg' is not a game; did you mean jie-long?"),
    ("play jie-long -o force_play=true", "'force_play' is not an option of jie-long; did you mean forced_play?"),
    ("play jie-long -o forced_play=maybe", "forced_play=maybe is not allowed; write true or false"),
    ("play jie-long -o players=five", "players=five is not allowed; choose 2, 3 or 4"),
    ("play jie-long -o players=5", "players=5 is not allowed; choose 2, 3 or 4"),
    ("play jie-long -o players", "'players' sets no option; write name=value"),
    ("play jie-long -o stake=0", "stake=0.0 is not allowed"),
    ("watch jie-long -o stake=x", "stake=x is not allowed; write a number from 0.01"),
    ("watch jie-long -o deals=1e3", "deals=1e3 is not allowed; write 1 to 1000"),
    ("watch da-ling -o casino_fee=1.5", f"casino_fee=1.5 {WHOLE} from 0"),
    ("watch jie-long -o players=3 -o players=4", "players is given twice; give it once"),
    ("play jie-long --seat 4", "there is no seat 4; the seats are 0 to 3"),
    ("play jie-long --seat two", f"--seat=two {WHOLE}\n"),
    ("play --seat 1e308", f"--seat=1e308 {WHOLE}"),
    ("games review two", f"NUMBER=two {WHOLE} of at least 1"),
    ("play jie-long --seed -1", "a seed is a whole number from 0"),
    ("ladder jie-long --few 5.0", f"--few=5.0 {WHOLE} from 2 to 8,388,608\n"),
    ("tournament jie-long greedy random --deals 1", f"--deals=1 {WHOLE} from 2 to 8,388,608"),
    (f"tournament jie-long greedy random --deals {'9' * 3000}", f"--deals={'9' * 50}"),
    ("exploitability jie-long --rounds 0", f"--rounds=0 {WHOLE} from 1 to 1,000,000,000\n"),
    ("tune jie-long --seconds nan", "--seconds=nan is not allowed; write a number from 0 to 1,000,000"),
    ("web --port 70000", f"--port=70000 {WHOLE} from 1 to 65,535"),
    ("play jie-long --against gredy", "'gredy' is not a player of jie-long; did you mean greedy?"),
    ("play jie-long --against human", "only programs can play here"),
    ("watch jie-long checkpoint:missing", "missing: there is no such checkpoint"),
    ("watch jie-long random random random random random", "5 agents are too many; there are 4 seats"),
    ("tournament jie-long greedy", "a tournament needs two agents or more"),
    ("exploitability jie-long -o deck=full", "jie-long: 32 tiles lie in 1.3e+32 orders, too many for exact work"),
    ("exploitability jie-long -o players=4", "players=4 is not allowed with deck='tiny'"),
    ("exploitability jie-long -o deals=2", "deals=2 is not allowed in exact work"),
    ("exploitability jie-long human", "only programs can play here"),
    ("rules jielong", "'jielong' is not a game"),
    ("plya", "No such command 'plya'."),
    ("tournament", "Missing argument 'GAME'."),
    ("watch --tabels", "No such option: --tabels"),
    ("watch --record=", "--record is empty"),
    ("tournament jie-long greedy random --out=", "--out is empty"),
    ("web --runs=", "--runs is empty"),
    ("benchmark", "name an AGENT, or cards with --compare"),
    ("benchmark greedy --out card.txt", "--out card.txt: the name of a card ends in .json; its page is written next"),
    ("verify /no/such/place", "/no/such/place: there is no such folder, and no such card"),
    ("verify / --agent greedy", "--agent is for cards; the games of a tournament are in its folder"),
    ("verify {at}/latin.yaml", "{at}/latin.yaml: not a card"),
    ("watch jie-long heuristic:{at}/latin.yaml", "{at}/latin.yaml is not UTF-8 text"),
    ("watch jie-long heuristic:{at}/none.yaml", "{at}/none.yaml: no such file or folder"),
    ("claim run {at}/folder.yaml", "{at}/folder.yaml: this is a folder; name a file"),
    ("claim run {at}/loop.yaml", "{at}/loop.yaml: too many symbolic links"),
    ("claim run --all --set readings.0.margin=1", "--set and -o change one claim; name it instead of --all"),
    ("claim run", "name a claim, or --all; `gupai claim list` lists them"),
    ("replay {at}", "{at}: this is a folder; name a file"),
    ("export {at}/none --onnx {at}/x --sb3 {at}/./x", "--onnx and --sb3 both name {at}/x; name two files"),
    ("train {at}/latin.yaml", "{at}/latin.yaml is not UTF-8 text"),
    ("train jie-long --set ppo.envs=x", f"jie-long: ppo.envs='x' {WHOLE} from 1 to 1,048,576"),
    ("train jie-long --set precision=x", "jie-long: precision='x' is not allowed; choose auto, float32 or bfloat16"),
    ("train jie-long --set network=5", "jie-long: network=5 is not allowed; this is a group of settings"),
    (f"train jie-long --runs {__file__}", f"{__file__}: this is a file; name a folder"),
    ("train --resume RUN --seeds 2", "--seeds is for new runs, one in each process; leave out --resume, --ray and"),
]


@pytest.mark.parametrize(("words", "line"), MISTAKES, ids=lambda each: each[:60])
def test_mistake_is_reported_in_one_line_with_status_2(words, line, tmp_path):
    (tmp_path / "latin.yaml").write_bytes("# é".encode("latin-1"))
    (tmp_path / "folder.yaml").mkdir()
    if "loop" in words:
        (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    result = gupai(*words.format(at=tmp_path).split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"gupai: {line.format(at=tmp_path)}")
    assert result.stderr.count("\n") == 1 and len(result.stderr) < 1100
    assert not any(word in result.stderr for word in OTHERS_WORDS)


@pytest.mark.parametrize(
    ("words", "package", "module", "extra", "what"),
    [
        ("train jie-long", "stable_baselines3", "gupai_training.run", "train", "training"),
        (
            "best-response jie-long greedy --method network",
            "torch",
            "gupai_training.best_response",
            "train",
            "learning",
        ),
        ("export RUN --onnx FILE", "torch", "gupai_training.export", "train,onnx", "the export"),
        ("tune jie-long --seconds 9", "cmaes", "", "tune", "tuning"),
        ("discover jie-long", "cmaes", "", "tune", "tuning"),
        ("best-response jie-long greedy", "cmaes", "", "tune", "tuning"),
        ("export-dataset GAMES --out x.parquet", "pyarrow", "", "data", "Parquet"),
        ("web --no-browser", "uvicorn", "gupai_app.server.app", "web", "gupai web"),
    ],
)
def test_missing_package_is_named_with_its_extra(words, package, module, extra, what, tmp_path, monkeypatch):
    games = tmp_path / "games.jsonl"
    assert gupai("watch", "jie-long", "random", "--record", str(games)).exit_code == 0
    monkeypatch.chdir(tmp_path)
    for name in [package, *sys.modules]:
        if name.partition(".")[0] == package:  # its modules too, which other tests have imported
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    done = gupai(*({"GAMES": str(games), "RUN": str(tmp_path)}.get(word, word) for word in words.split()))
    line = f"gupai: {what} needs a package that is not installed ({package}): pip install 'gupai[{extra}]'\n"
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", line)
    assert list(tmp_path.iterdir()) == [games]


def test_unwritable_heuristic_is_reported_before_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr("gupai_app.training.heuristics.tune", lambda *_, **__: pytest.fail("it searched"))
    result = gupai("tune", "jie-long", "--out", str(tmp_path / "none" / "x.yaml"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "".join(result.stderr.split()).endswith(f"thereisnofolder{tmp_path}/none")


def test_process_mistake_leaves_no_traceback():
    command = [sys.executable, "-m", "gupai_app.shell.cli", "watch", "jie-long", "gredy"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("gupai: 'gredy' is not a player")


def test_lost_output_is_never_blamed_on_a_named_file(tmp_path):
    """What is printed within `mistakes`, as a replayed game is, may be lost too."""

    def lost():
        with mistakes():
            raise OutputLostError(OSError(errno.EPIPE, "Broken pipe"))

    with pytest.raises(OutputLostError):
        lost()


LONG = {  # what is done at length, in which command, and what is said of it when it is stopped
    "gupai_agents.evaluation.tournaments.tournament.play_tournament": (
        "tournament jie-long greedy random",
        "; run the command again; with --out FOLDER, finished work is kept",
    ),
    "gupai_agents.evaluation.tournaments.folder.play_into": (
        "tournament jie-long greedy random --out {at}",
        "; finished work is in {at}: run the command again with --resume",
    ),
    "gupai_app.training.heuristics.tune": ("tune jie-long", "; no results were kept: run the command again"),
    "gupai_agents.evaluation.gate": ("gate jie-long greedy random --record {at}", "; no game was finished"),
    "gupai_app.claims.terminal.test": (
        "claim run jl-attack-2 --out {at}",
        "; finished work is in {at}: run the command again",
    ),
    "gupai_app.training.heuristics.run_discovery": (
        "discover jie-long --out {at}",
        "; finished work is in {at}: run the command again",
    ),
    "gupai_app.review.terminal.watch": ("watch jie-long", ""),
}


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("what", "words", "said"), [(what, *rest) for what, rest in LONG.items()])
def test_stopped_command_tells_how_to_resume(what, words, said, number, monkeypatch, capsys, tmp_path):
    def interrupted(*_, **__):
        signal.raise_signal(number)

    at = tmp_path / "x"
    monkeypatch.setattr(what, interrupted)
    monkeypatch.setattr(sys, "argv", ["gupai", *words.format(at=at).split()])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 128 + number
    assert capsys.readouterr().err == f"gupai: stopped{said.format(at=at)}\n"
    assert not at.exists() or at.is_dir()


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (EOFError("it says"), 2, "gupai: the input ended too early (it says)\n"),
        (Abort(), 1, "gupai: stopped\n"),
        (MemoryError(), 1, "gupai: there is not enough memory\n"),
        (OSError(errno.ENOSPC, "full", "x"), 1, "gupai: x: the disk is full\n"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), 1, None),
    ],
    ids=str,
)
def test_command_failures_end_with_one_line(raised, status, said, monkeypatch):
    def ends(*_, **__):
        raise raised

    monkeypatch.setattr("gupai_app.review.terminal.watch", ends)
    result = gupai("watch", "jie-long", "random")
    assert result.exit_code == status
    assert (result.stderr == said) if said else isinstance(result.exception, UnicodeDecodeError)
