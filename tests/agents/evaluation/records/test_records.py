"""Games as files: what is written is read again, and nothing else is."""

import bz2
import codecs
import gzip
import json
import lzma
import os
import re
import threading
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from checkout import ROOT
from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation import RecordError, RecordWriter, duel, read_games
from gupai_agents.evaluation.records import games as module
from gupai_agents.evaluation.records.games import game_of_line
from gupai_app.play.session import Session
from gupai_env import get_game
from gupai_env.games import GAMES

PAGE = ROOT / "docs" / "records.md"


def written(path, game="jie-long", count=3, names=("greedy", "random"), **variant):
    """The chips of a duel whose games were written to a file."""
    hero, villain = (make_agent(name, game, **variant) for name in names)
    with RecordWriter(path) as record:
        return duel(game, hero, villain, count, seed=4, record=record, **variant).chips


OPTIONS = {
    "jie-long": [{}, {"players": 2, "forced_play": True, "stake": 0.01}, {"deals": 3, "players": 3}],
    "ce-deng": [{}, {"deals": 4, "leader": 2}, {"players": 2}],
    "ding-niu": [{}, {"deals": 2, "smothered_numbers": (1, 6)}],
    "da-ling": [{}, {"players": 5, "deals": 2}],
    "tiu-u": [{}, {"players": 3, "deals": 3, "lock_triples": True}],
    "small-mahjong": [{}, {"players": 3, "deals": 2}],
    "tien-gow": [{}, {"deals": 3, "banker": "growing", "four_bonus": 4, "civil_supreme": True}],
    "deer-hunt": [{}, {"deals": 4, "escape": True, "fair_deal": "heaven"}],
    "shi-wu-hu": [{}, {"players": 3, "deals": 2, "deck": "tiles", "supreme_bonus": 200}],
    "pai-gow": [{}, {"players": 8, "deals": 2, "banker": "random"}],
}


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz"])
@pytest.mark.parametrize(("game", "variant"), [(game, each) for game in GAMES for each in OPTIONS[game]], ids=str)
def test_written_records_are_read_back(game, variant, suffix, tmp_path):
    path = tmp_path / f"games.{suffix}"
    chips = written(path, game, **variant)
    deals, rotations, seats = chips.shape
    found = list(read_games(path))
    assert len(found) == deals * rotations
    for number, record in enumerate(found):
        deal, rotation = divmod(number, rotations)
        assert record.game is GAMES[game] and record.variant == GAMES[game].variant(**variant)
        assert record.agents[rotation] == "greedy"
        sides = record.game.sides(seats)
        assert record.agents.count("random") == np.sum(sides != sides[0])
        assert len(record.payoffs) == record.variant.deals
        total = np.roll(np.sum(record.payoffs, 0), -rotation) / record.variant.deals
        assert total == pytest.approx(chips[deal, rotation])
    again = tmp_path / f"again.{suffix}"
    with RecordWriter(again) as record:
        record.write(found)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(("stake", "written_as"), [(2.0, "2"), (2.5, "2.5")])
def test_whole_options_are_written_without_a_point_as_programs_without_types_do(stake, written_as, tmp_path):
    path = tmp_path / "games.jsonl"
    written(path, count=1, stake=stake)
    line = path.read_text().splitlines()[0]
    assert f'"variant":{{"stake":{written_as}}}' in line
    path.write_text(line.replace(f'"stake":{written_as}', f'"stake":{stake}') + "\n")  # as older files have it
    assert next(read_games(path)).variant.stake == stake


def test_file_may_hold_games_of_several_kinds(tmp_path):
    parts = []
    for game in ("jie-long", "tiu-u", "jie-long"):
        path = tmp_path / f"{len(parts)}.jsonl"
        written(path, game, count=len(parts) + 1)
        parts.append(path.read_bytes())
    both = tmp_path / "both.jsonl"
    both.write_bytes(b"".join(parts))
    assert [record.game.id for record in read_games(both)] == ["jie-long"] * 4 + ["tiu-u"] * 4 + ["jie-long"] * 12
    assert list(read_games(both, 9)) == list(read_games(both))[8:]
    assert list(read_games(both, 21)) == []


def test_blocks_change_nothing(tmp_path, monkeypatch):
    written(tmp_path / "games.jsonl", count=5)
    whole = list(read_games(tmp_path / "games.jsonl"))
    for name, value in (("BLOCK", 3), ("MOST_CELLS", 100)):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, value)
            assert list(read_games(tmp_path / "games.jsonl")) == whole


def changed(**changes):
    """What does to a record as JSON what a forger would."""

    def change(line):
        content = json.loads(line)
        for key, value in changes.items():
            content[key] = value(content[key]) if callable(value) else value
        return json.dumps(content, separators=(",", ":")) + "\n"

    return change


def without(key):
    def change(line):
        content = json.loads(line)
        del content[key]
        return json.dumps(content, separators=(",", ":")) + "\n"

    return change


def exchanged():
    """Return the deck with a copy of one tile more and of another one less: as many tiles, of the same kinds."""
    game = get_game("jie-long")
    deck = np.asarray(game.deck(game.variant().as_rules())).tolist()
    more, less = [kind for kind, copies in Counter(deck).items() if copies > 1][:2]
    deck[deck.index(less)] = more
    return deck


EXCHANGED = exchanged()
FORGED = {
    "a payoff": (changed(payoffs=[[4.0, -4.0, 0.0, 0.0]]), "payoffs are [[4.0, -4.0, 0.0, 0.0]], but"),
    "another move": (changed(actions=lambda actions: [actions[1], *actions[1:]]), "action 1, seat"),
    "a swapped name": (changed(names=lambda names: [names[1], *names[1:]]), "names are not those"),
    "a move too few": (changed(actions=lambda actions: actions[:-1]), "the game is not over after its 31"),
    "a move too many": (changed(actions=lambda actions: [*actions, 3]), "action 33 comes after the end"),
    "no action": (changed(actions=lambda actions: [*actions[:-1], 63]), "63 is not an action"),
    "waiting": (changed(actions=lambda actions: [-2, *actions]), "is not an action"),
    "a fraction": (changed(actions=[1.5]), "actions are a list of whole numbers"),
    "another episode": (changed(episode=1), "order give another deal than the one that was played"),
    "a truth value for a version": (changed(version=False), "version False of jie-long; here it is 0"),
    "a bad seed": (changed(seed=-1), "a seed is a whole number from 0"),
    "a seed that is no number": (changed(seed="4d"), "a seed is a whole number from 0"),
    "another version": (changed(version=7), "version 7 of jie-long; here it is 0"),
    "another game": (changed(game="chess"), "'chess' is not a game"),
    "another variant": (changed(variant={"players": 3}), "4 agents for 3 seats"),
    "an unknown option": (changed(variant={"wild": 1}), "'wild' is not an option of jie-long"),
    "no name": (changed(agents=["a", "b", "c", None]), "agents are a list of names"),
    "an escape": (changed(agents=["a", "b", "c", "\x1b[2J"]), "it must be printable"),
    "one agent too few": (changed(agents=["a"]), "1 agent for 4 seats"),
    "another format": (changed(format="gupai-game-0"), "its \"format\" is 'gupai-game-0'"),
    "a missing key": (without("seed"), "it lacks seed; its keys are"),
    "a time without its offset": (changed(when="2026-11-27T20:15:00"), '"when" is a time such as'),
    "a new key": (changed(**{"n" * 99: "x"}), f"'{'n' * 99}' is not a key of a record; its keys are"),
    "an order of other tiles": (changed(order=[0] * 32), "the order does not hold the 32 tiles"),
    "an order with one copy exchanged": (changed(order=EXCHANGED), "the order does not hold the 32 tiles"),
    "twice the same key": (lambda line: line.replace('"seed":', '"seed":5,"seed":', 1), "'seed' is there twice"),
    "a blank line": (lambda line: " \n", "the line is blank"),
    "a list": (lambda line: "[1]\n", "a game is an object, not [1]"),
    "many lines": (lambda line: "{\n", "it is cut short, or not JSON"),
    "deep brackets": (lambda line: "[" * 100_000 + "\n", "it is not JSON"),
    "bytes": (lambda line: b"\xff\xfe\n", "it is not JSON"),
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_line_is_one_error_that_names_file_and_line(what, tmp_path):
    change, message = FORGED[what]
    path = tmp_path / "games.jsonl"
    written(path)
    lines = path.read_bytes().splitlines(keepends=True)
    forged = change(lines[6].decode())
    lines[6] = forged if isinstance(forged, bytes) else forged.encode()
    path.write_bytes(b"".join(lines))
    games = read_games(path)
    assert len([next(games) for _ in range(6)]) == 6  # those before it are good
    with pytest.raises(RecordError, match=re.escape(message)) as error:
        next(games)
    assert str(error.value).startswith(f"{path}, line 7: ")
    assert "\n" not in str(error.value)
    assert len(list(read_games(path, 8))) == 5


def test_byte_order_marks_and_line_ends_are_ignored(tmp_path):
    path = tmp_path / "games.jsonl"
    written(path)
    content, games = path.read_bytes(), list(read_games(path))
    for start, end in ((codecs.BOM_UTF8, b"\n"), (b"", b"\r\n"), (codecs.BOM_UTF8, b"\r\n")):
        path.write_bytes(start + content.replace(b"\n", end))
        assert list(read_games(path)) == games
    path.write_bytes(content.replace(b"\n", b"\n" + codecs.BOM_UTF8, 1))  # two files, one after the other
    assert list(read_games(path)) == games
    path.write_bytes(content.removesuffix(b"\n"))
    assert list(read_games(path)) == games
    path.write_bytes(content + b"\n")
    with pytest.raises(RecordError, match="line 13: the line is blank"):
        list(read_games(path))
    path.write_text(content.decode(), encoding="utf-16")
    with pytest.raises(RecordError, match="line 1: the file is UTF-16 text; save it as UTF-8"):
        list(read_games(path))
    assert game_of_line(content.splitlines()[0] + b"\r\n") == games[0]


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz"])
def test_file_cut_anywhere_is_refused(suffix, tmp_path):
    path = tmp_path / f"games.{suffix}"
    written(path)
    content, cut = path.read_bytes(), tmp_path / f"cut.{suffix}"
    whole = len(list(read_games(path)))
    for length in (1, 30, len(content) // 2, len(content) - 12, len(content) - 2):
        cut.write_bytes(content[:length])
        with pytest.raises(RecordError, match="cut short"):
            list(read_games(cut))
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 255
    cut.write_bytes(damaged)
    with pytest.raises(RecordError, match="line "):
        list(read_games(cut))
    assert whole == 12


def test_compression_is_detected_by_the_first_bytes(tmp_path):
    written(tmp_path / "games.jsonl")
    plain, games = (tmp_path / "games.jsonl").read_bytes(), list(read_games(tmp_path / "games.jsonl"))
    for name, content in (
        ("plain.jsonl.gz", plain),
        ("packed.jsonl", gzip.compress(plain)),
        ("packed", gzip.compress(plain)),
    ):
        (tmp_path / name).write_bytes(content)
        assert list(read_games(tmp_path / name)) == games
    for name, content in (("bzip2", bz2.compress(plain)), ("xz", lzma.compress(plain))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(RecordError, match=f"line 1: the file is compressed by {name}; unpack it"):
            next(read_games(tmp_path / name))
    (tmp_path / "twice").write_bytes(gzip.compress(gzip.compress(plain)))
    with pytest.raises(RecordError, match="line 1: no record of a game: it is compressed twice"):
        next(read_games(tmp_path / "twice"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name")
@pytest.mark.parametrize("packed", [False, True])
def test_games_may_come_from_a_pipe(packed, tmp_path):
    written(tmp_path / "games.jsonl")
    content = (tmp_path / "games.jsonl").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(
        target=(tmp_path / "pipe").write_bytes, args=(gzip.compress(content) if packed else content,), daemon=True
    )
    writer.start()
    assert list(read_games(tmp_path / "pipe")) == list(read_games(tmp_path / "games.jsonl"))
    writer.join(10)


# --- through other programs -----------------------------------------------------------------------


def doubles(line):
    """What a program makes of a line that keeps every number as a double."""
    return json.dumps(json.loads(line, parse_int=float))


def javascript(line):
    """What JSON.stringify(JSON.parse(line)) gives: doubles again, whole ones without a point."""

    def whole(text):
        number = float(text)
        return int(Decimal(repr(number))) if number.is_integer() else number

    return json.dumps(json.loads(line, parse_int=whole, parse_float=whole), separators=(",", ":"), ensure_ascii=False)


def sorted_keys(line):
    return json.dumps(json.loads(line), sort_keys=True)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """More than 200 games of all games and variants, with seeds of all sizes, and their lines."""
    folder, games = tmp_path_factory.mktemp("many"), []
    variants = [(game, variant) for game in GAMES for variant in OPTIONS[game]]
    for number, (game, variant) in enumerate(variants):
        written(folder / f"{number}.jsonl", game, 3, **variant)
        games += read_games(folder / f"{number}.jsonl")
    assert len(games) > 200 and sum(game.seed > 1 << 53 for game in games) > 200
    return games, "".join(game.line for game in games)


@pytest.mark.parametrize("program", [doubles, javascript, sorted_keys])
def test_games_survive_other_programs(program, many, tmp_path):
    games, text = many
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(map(program, text.splitlines())), encoding="utf-8")
    assert list(read_games(path)) == games


def test_numbers_beyond_doubles_are_refused_in_a_line(many):
    def checked(text):
        assert abs(int(text)) < 1 << 53
        return int(text)

    games, text = many
    for line in (*text.splitlines(), replace(games[0], episode=(1 << 63) - 1).line):
        json.loads(line, parse_int=checked)
    with pytest.raises(RecordError, match="action"):  # it is read, and is another game
        game_of_line(replace(games[0], episode=(1 << 63) - 1).line.encode())


def numbers_in(content):
    """All whole numbers that parsed JSON holds."""
    parts = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return [content] if isinstance(content, int) else [number for part in parts for number in numbers_in(part)]


def test_numbers_beyond_doubles_are_refused_in_any_json(tmp_path):
    seed, played = (1 << 63) - 7, tmp_path / "played"
    tournament = ["tournament", "da-ling", "greedy", "random", "--deals", 2, "--seed", seed]
    printed = [
        gupai("watch", "da-ling", "greedy", "--seed", seed, "--json").stdout.splitlines()[0],
        gupai("ladder", "da-ling", "greedy", "random", "--deals", 2, "--seed", seed, "--json").stdout,
        gupai(*tournament, "--out", played, "--json").stdout,
        *(path.read_text() for path in played.glob("*.json")),
    ]
    for text in printed:
        content = json.loads(text)
        assert int(content["seed"]) == seed and max(numbers_in(content)) < 1 << 53
    assert gupai("verify", played).exit_code == 0
    assert gupai(*tournament, "--out", played, "--resume").exit_code == 0
    manifest = played / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"seed": "{seed}"', f'"seed": {seed}'))  # as before
    assert gupai("verify", played).exit_code == 0


def with_a_number(game):
    """Return the line of a game whose seed is a number, however large."""
    return game.line.replace(f'"seed":"{game.seed}"', f'"seed":{game.seed}')


def test_games_with_numeric_seeds_are_read(many, tmp_path):
    games, _ = many
    path = tmp_path / "games.jsonl"
    path.write_text("".join(map(with_a_number, games)))
    assert list(read_games(path)) == games


@pytest.mark.parametrize("program", [doubles, javascript])
def test_seed_changed_by_a_reader_of_doubles_is_named(program, many):
    named = 0
    for game in many[0][:40]:
        line = program(with_a_number(game))
        if json.loads(line)["seed"] != game.seed:
            with pytest.raises(RecordError, match=r"was probably rounded by a program that reads numbers as doubles"):
                game_of_line(line.encode())
            named += 1
    assert named > 30


def test_text_seed_was_not_rounded(many):
    """The shortest text of one in ten doubles ends in zero, as that of one in ten seeds of 18 digits."""
    line = many[0][0].line.replace(f'"{many[0][0].seed}"', '"409892983232432450"')
    with pytest.raises(RecordError) as raised:
        game_of_line(line.encode())
    assert "rounded" not in str(raised.value)


def test_endless_line_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(gzip.compress(b"[" * 5000))
    with pytest.raises(RecordError, match="line 1: longer than any game"):
        next(read_games(path))


def test_existing_file_is_not_overwritten_and_an_empty_one_not_left(tmp_path):
    path = tmp_path / "games.jsonl"
    with pytest.raises(ValueError, match="deals=0"):
        written(path, count=0)
    assert not path.exists()
    path.write_text("mine\n")
    with pytest.raises(ValueError, match="exists already; choose another name"):
        RecordWriter(path)
    assert path.read_text() == "mine\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_full_disk_is_reported_with_the_name_of_the_file(name, tmp_path, monkeypatch):
    opened = Path.open

    def full(path, *how, **others):
        return opened(Path("/dev/full"), "wb") if path.suffix == ".part" else opened(path, *how, **others)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OSError, match=f"the disk is full: .*{name}"):
        written(tmp_path / name)


def test_line_on_the_page_is_a_record_and_every_key_is_listed(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    path = tmp_path / "games.jsonl"
    path.write_text(re.findall(r"```json\n(.*?)```", page, re.S)[0], encoding="utf-8")
    (record,) = read_games(path)
    assert record.game.id == "da-ling"
    assert re.findall(r"^\| `(\w+)` \|", page, re.M) == module.KEYS
    assert module.FORMAT in page


@pytest.mark.parametrize("name", GAMES)
def test_game_may_state_how_its_tiles_were_dealt(name, tmp_path):
    game = get_game(name)
    deck = np.asarray(game.deck(game.variant().as_rules()))
    orders = [np.random.default_rng(seed).permutation(deck).tolist() for seed in (1, 2)]
    played = []
    for order in orders:
        session = Session(game, game.variant(), 5, order=order)
        while not session.terminated:
            session.play(int(session.mask().argmax()))
        played.append(session.record(["a"] * session.variant.players))
    path = tmp_path / "games.jsonl"
    with RecordWriter(path) as record:
        record.write(played)
    found = list(read_games(path))
    assert found == played and [list(each.order) for each in found] == orders
    assert found[0].payoffs != found[1].payoffs or found[0].actions != found[1].actions
    # Without its order it is another game, which the seed deals; nothing in the line is believed.
    line = json.loads(path.read_text().splitlines()[0])
    del line["order"]
    path.write_text(json.dumps(line, separators=(",", ":")) + "\n")
    with pytest.raises(RecordError):
        list(read_games(path))


def test_match_is_dealt_by_its_seed_alone(tmp_path):
    game = get_game("jie-long")
    variant = game.variant.make(deals=2)
    session = Session(game, variant, 5)
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    deck = np.asarray(game.deck(variant.as_rules())).tolist()
    path = tmp_path / "games.jsonl"
    path.write_text(replace(session.record(["a"] * 4), order=tuple(deck)).line)
    with pytest.raises(RecordError, match="for a single deal, not for a match"):
        list(read_games(path))


# --- the command line -----------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["watch jie-long --seed 1 --json", "tournament jie-long greedy random --deals 5"])
def test_commands_write_the_games_they_play(words, tmp_path):
    path = tmp_path / "games.jsonl"
    result = gupai(*words.split(), "--record", path)
    assert result.exit_code == 0
    assert len(list(read_games(path))) == (1 if "watch" in words else 40)
    again = gupai(*words.split(), "--record", path)
    assert again.exit_code == 2
    assert f"--record {path} exists already" in " ".join(again.stderr.split())
    checked = gupai("replay", path, "--check")
    assert ", replayed: all moves, names and payoffs agree" in " ".join(checked.output.split())
    for more, words_of_it in (
        (["--game", "99"], "there is no game 99"),
        (["--tables"], "leave --html and --tables out"),
    ):
        wrong = gupai("replay", path, "--check", *more)
        assert wrong.exit_code == 2 and words_of_it in " ".join(wrong.stderr.split())


def test_game_played_by_a_person_to_its_end_is_written(tmp_path):
    path = tmp_path / "games.jsonl"
    words = "play da-ling --seed 3 --seat 2 -o deals=2 --record"
    typed = "1\n" * 2 + "y\n" + "1\n"
    assert gupai(*words.split(), path, input=typed).exit_code == 0  # leaves the second match in the middle
    (record,) = read_games(path)
    assert record.agents[2] == "human" and record.seed == 3 and len(record.payoffs) == 2
    assert record.game is get_game("da-ling")


def test_replay_begins_at_the_named_game_and_reports_mistakes(tmp_path):
    path, empty = tmp_path / "games.jsonl", tmp_path / "empty.jsonl"
    written(path)
    empty.touch()
    shown = gupai("replay", path, "--game", 11).output
    assert re.findall(r"^Game (\d+):", shown, re.M) == ["11", "12"]
    for words, line in (
        (("--game", 13), f"gupai: {path}: there is no game 13"),
        (("--check",), f"gupai: {empty}: there is no game in it"),
        (("--game", 0), "gupai: --game=0 is not allowed; write a whole number of at least 1\n"),
    ):
        result = gupai("replay", empty if "--check" in words else path, *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(line)
    path.write_text("no game\n")
    result = gupai("replay", path)
    assert result.exit_code == 2
    assert result.stderr == f"gupai: {path}, line 1: no record of a game: it is not JSON\n"
    result = gupai("replay", tmp_path / "missing.jsonl")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_games_are_shown_move_by_move_as_they_are_read():
    from gupai_app.play.session import Session
    from gupai_app.review.terminal import replay

    def played(game):
        session = Session(get_game(game), get_game(game).variant(), 5)
        while not session.terminated:
            session.play(int(session.mask().argmax()))
        return session.record(["a"] * session.variant.players)

    games = [played("jie-long"), played("tiu-u")]
    unread = iter(games)
    shown = replay(unread, 4)
    first = next(shown)
    assert "Game 4: " in first and next(unread) is games[1]  # no game is read before it is shown
    assert re.findall(r"^ *(\d+)  ", first, re.M) == ["1"]
    texts = [*replay(games, 4)]
    assert len(texts) == sum(len(game.actions) for game in games)
    assert "Game 5: " in texts[len(games[0].actions)]
