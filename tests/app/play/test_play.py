"""An evening at the table: what is told and counted from deal to deal and from game to game."""

import itertools
import json
import re

import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation.records.games import read_games
from gupai_app.play import terminal as play
from gupai_app.play.moves import Entry, entries_of
from gupai_app.play.person import HumanPlayer
from gupai_app.play.session import Session
from gupai_app.review import terminal as watching
from gupai_app.shell.terminal import Terminal
from gupai_app.words.sentences import result as won_in_words
from gupai_env import GAMES, Game, get_game
from gupai_env.core.move import Move
from gupai_env.core.tiles import KINDS
from gupai_env.games.phrases import chips


class Watching(Terminal):
    """A terminal that keeps what it shows, and answers with given lines."""

    def __init__(self, *lines: str) -> None:
        self.scenes, self.said, lines = [], [], iter(lines)
        super().__init__(lambda prompt: next(lines), self.said.append, colour=False, width=80)

    def table(self, scene, after=0):
        self.scenes.append(scene)


class Person:
    """Plays as `greedy` does, where a person would type."""

    def __init__(self, game):
        self.agent = make_agent("greedy", game)

    def choose(self, turn, moved):
        return int(self.agent.act(turn)[0])


def table_at(session, terminal, you, agents=None):
    """A table of agents, `greedy` by default, at which such a person sits."""
    greedy = make_agent("greedy", session.game)
    table = play.Table(session, agents or [greedy] * session.variant.players, you, terminal)
    table.person = Person(session.game)
    return table


@pytest.mark.parametrize("columns", [(10, 40), (39, 40), (40, 40), (77, 77), (100, 100), (101, 100), (300, 100)])
def test_table_is_40_to_100_columns_wide(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns[0]))
    assert Terminal(print, print).width == columns[1]


@pytest.mark.parametrize("game", GAMES)
def test_moves_of_one_verb_keep_the_order_of_their_actions(game):
    session = Session(GAMES[game], GAMES[game].variant(), 3)
    person, greedy = HumanPlayer(session.game, session.variant, Watching()), make_agent("greedy", game)
    while not session.terminated:
        turns = session.decision_batch()
        entries = entries_of(person.hints, turns.views[0], turns.masks[0])
        verbs = [entry.move.verb for entry in entries]
        first = {verb: min(entry.actions[0] for entry in entries if entry.move.verb == verb) for verb in verbs}
        takes = {entry.move.verb for entry in entries if entry.move.takes}  # which come before what only lays a tile
        assert verbs == sorted(verbs, key=lambda verb: (verb not in takes, first[verb]))
        session.play(int(greedy.act(turns)[0]))


def test_number_naming_the_same_move_twice_is_unambiguous():
    """Move 11 is the tile [1:1]; move 21 is another than [2:1]."""
    person = HumanPlayer(get_game("jie-long"), get_game("jie-long").variant(), Watching())
    others = [Entry(Move(tiles=(kind,)), [kind]) for kind in range(KINDS - 10, KINDS)]
    double = Entry(Move(tiles=(0,)), [0])
    assert person._read("11", [*others, double]) is double
    assert person._read("11", [double, *others]) == (
        "Is 11 a move or a tile? Type #11 for move 11, or [1:1] for the tile."
    )


@pytest.mark.parametrize(("answer", "more"), [("", True), ("y", True), ("yes", True), ("n", False), ("quit", False)])
def test_empty_answer_plays_again(answer, more):
    terminal, game = Watching("perhaps", answer), get_game("jie-long")
    assert table_at(Session(game, game.variant(), 1), terminal, 0).wants_more() is more
    assert len(terminal.said) == 1 and terminal.said[0].startswith("Answer y or n")


def test_session_chips_add_up_over_games_and_deals(monkeypatch):
    game, terminal = get_game("jie-long"), Watching("y", "n")
    variant, sessions = game.variant(deals=3), []

    def session(*arguments, **people):
        sessions.append((Session(*arguments, **people), arguments[2:]))
        return sessions[-1][0]

    monkeypatch.setattr(play, "Session", session)
    play.play(table_at(play.Session(game, variant, 9, 0), terminal, 2))
    assert [rest for _, rest in sessions] == [(9, 0), (9, 1)]
    won = sum(float(each.state.total[2]) for each, _ in sessions)
    assert terminal.said[-1] == f"Since you sat down: {chips(won)}."
    counted = [text for text in terminal.said if text.startswith(("You win", "You lose", "You come"))]
    assert len(counted) == 6


def test_moves_are_told_without_a_table(monkeypatch):
    """Only the count at the end draws one."""
    scenes, scene = [], Game.scene
    monkeypatch.setattr(Game, "scene", lambda *arguments: scenes.append(scene(*arguments)) or scenes[-1])
    game, terminal = get_game("jie-long"), Watching()
    table_at(Session(game, game.variant(), 9), terminal, 2).play()
    assert sum(text.startswith("You play") for text in terminal.said) > 3
    assert scenes == terminal.scenes and len(scenes) == 1


@pytest.mark.parametrize("watched", [False, True])
def test_earlier_deals_of_a_match_are_shown_at_their_end(watched):
    """In Jie Long nobody holds a tile then; the next deal is dealt already."""
    game, terminal = get_game("jie-long"), Watching()
    variant, agents = game.variant(deals=3), [make_agent("greedy")] * 4
    session = Session(game, variant, 4)
    if watched:
        watching.watch(game, variant, agents, 4, terminal)
    else:
        table_at(session, terminal, 1).play()
    shown = [scene for scene in terminal.scenes if any("chips" in place.note for place in scene.places)]
    assert len(shown) == 3
    for scene in shown:
        for place in scene.places:
            for pile in place.piles:
                assert pile.label != "hand" or not (pile.tiles or pile.hidden)


def test_hidden_moves_are_not_repeated():
    """Who passes in Small Mahjong does so unseen."""
    game, passes = get_game("small-mahjong"), 0
    agents = [make_agent("random", game)] * 4
    for seed in range(6):
        session, terminal, seen = Session(game, game.variant(), seed), Watching(), []
        real = session.play

        def playing(action, session=session, terminal=terminal, seen=seen, real=real):
            nonlocal passes
            passes += session.game.action_names[action] == "pass" and session.seat != 0
            seen.append((len(terminal.said), session.view(0).tobytes()))
            return real(action)

        session.play = playing
        table_at(session, terminal, 0, agents).play()
        for (said, before), (said_now, now) in itertools.pairwise(seen):
            assert said_now - said == (now != before)
    assert passes


ANSWERS = "".join(f"{number} 1\n" for number in range(1, 41))  # the first of its moves, every time


def lines_of(*words, typed):
    """What a program reads that plays with these words and writes these answers, and the end of the command."""
    done = gupai("play", "jie-long", "--json", "--seed", 3, "--seat", 2, "--against", "greedy", *words, input=typed)
    return list(map(json.loads, done.stdout.splitlines())), done


def test_program_plays_deals_through_lines_until_its_input_ends(tmp_path):
    requests, done = lines_of("-o", "deals=2", "--record", tmp_path / "games.jsonl", typed=ANSWERS)
    assert (done.exit_code, done.stderr) == (0, "gupai: jie-long, seed 3, seat 2\n")
    assert requests[0]["type"] == "game" and "one open end" in requests[0]["rules"]
    records = list(read_games(tmp_path / "games.jsonl"))
    results = [request for request in requests if request["type"] == "result"]
    assert len(records) == len(results) // 2 >= 1
    payoffs = [tuple(result["payoffs"]) for result in results]
    assert payoffs[: 2 * len(records)] == [paid for record in records for paid in record.payoffs]
    assert [result["deal"] for result in results[:2]] == [1, 2]
    assert results[0]["text"].startswith(won_in_words(results[0]["payoffs"][2]))
    assert records[0].agents == ("greedy", "greedy", "program", "greedy")
    decisions = [request for request in requests if request["type"] == "decision"]
    assert len(decisions) == 41 and {decision["seat"] for decision in decisions} == {2}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("1 1\n2 99\n", "'99' is none of its moves, which are 1 to "),
        ("1 1\n1 2\n2 1\n", "'1 2' answers another request; this answer begins with 2"),
    ],
)
def test_program_that_answers_no_move_ends_the_game_in_one_line(typed, message):
    requests, done = lines_of(typed=typed)
    assert done.exit_code == 2
    assert done.stderr.splitlines()[1].startswith(f"gupai: program, seat 2: {message}")
    assert [request["type"] for request in requests] == ["game", "decision", "decision"]


def test_program_reads_chinese_with_the_names_of_moves_unchanged():
    def play_in(language):
        done = gupai("--language", language, "play", "jie-long", "--json", "--seed", 3, "--seat", 2, input=ANSWERS)
        return list(map(json.loads, done.stdout.splitlines()))

    for chinese, english in zip(play_in("zh-Hant"), play_in("en"), strict=True):
        assert [move["name"] for move in chinese.get("moves", [])] == [
            move["name"] for move in english.get("moves", [])
        ]
        for key in {"rules", "task", "table", "text"} & english.keys():
            assert re.search("[\u4e00-\u9fff]", chinese[key]) and not re.search("[a-z]{3}", chinese[key]), chinese[key]
