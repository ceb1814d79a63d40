"""What a person is ahead of a level comes from the same deals, each counted once."""

import pytest

from benchmarks import people
from gupai_agents import make_agent
from gupai_agents.shipped import LEVELS, levels
from gupai_app.play.session import Session
from gupai_env import get_game


def games_of(player, deals, seat=1):
    """Games in which a program sits at the seat of a person."""
    game = get_game("ding-niu")
    agents = {name: make_agent(name, game) for name in (player, "greedy")}
    for seed in range(deals):
        session = Session(game, game.variant(), seed)
        while not session.terminated:
            session.play(session.answer(agents[player if session.seat == seat else "greedy"]))
        yield session.record(["human" if place == seat else "greedy" for place in range(game.variant().players)])


def file_of(path, records):
    path.write_text("".join(record.line for record in records))
    return path


def test_person_who_plays_like_a_level_is_level_with_it(tmp_path):
    medium = next(level for level in levels(get_game("ding-niu")) if level.name == "medium")
    games = list(games_of(medium.player, 12))
    head, rule, row = people.table([file_of(tmp_path / "programme.jsonl", [*games, games[0]])])
    assert head.count("|") == rule.count("|") == row.count("|")
    name, played, deals, *ahead = (cell.strip() for cell in row.strip("|").split("|"))
    assert [name, played, deals] == ["programme", "ding-niu", "12"]  # a deal that is there twice counts once
    assert ahead[LEVELS.index("medium")].startswith("+0.00 ")
    rematches = [sum(people._difference(game, level) for game in games) / len(games) for level in ("easy", "master")]
    assert [float(ahead[LEVELS.index(level)].split()[0]) for level in ("easy", "master")] == pytest.approx(
        rematches, abs=0.005
    )
    assert any(rematches)


def test_games_without_one_person_and_few_deals_make_no_row(tmp_path):
    few, none = list(games_of("greedy", people.FEWEST - 1)), list(games_of("greedy", people.FEWEST, seat=9))
    assert people.by_game(none) == {}
    files = [file_of(tmp_path / f"{name}.jsonl", games) for name, games in (("few", few), ("none", none))]
    assert [*people.table(files)][2:] == ["| none yet | | | | | | |"]


def test_page_is_what_the_script_writes(monkeypatch, tmp_path):
    page = tmp_path / "people.md"
    text = people.PAGE.read_text(encoding="utf-8")
    page.write_text(text.replace("| none yet", "| somebody"), encoding="utf-8")
    monkeypatch.setattr(people, "PAGE", page)
    monkeypatch.setattr("sys.argv", ["people", "--write"])
    people.main()
    assert page.read_text(encoding="utf-8") == text
