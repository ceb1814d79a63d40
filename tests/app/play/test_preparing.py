"""Hints that are compiled in another process while a person thinks."""

from gupai_app.play import preparing
from gupai_app.server.warming import hints_on_disk
from gupai_env.games import get_game


def test_hints_are_on_disk_when_the_wait_is_over(monkeypatch):
    game = get_game("da-ling")
    assert preparing.Preparation(game).message == "" or not hints_on_disk(game)
    monkeypatch.setattr(preparing, "hints_on_disk", lambda game: False)
    preparation = preparing.Preparation(game)
    assert "Da Ling" in preparation.message
    preparation.wait()
    assert preparation.message == "" and hints_on_disk(game)
