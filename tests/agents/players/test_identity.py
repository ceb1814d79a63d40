"""The identity of an agent: without repeatable answers it has no digest; an error names the recorded agent first."""

import pytest

from gupai_agents import make_agent
from gupai_agents.players.identity import QUESTIONS, identity_of, moves_of, questions, require_same
from gupai_env import GAMES, get_game

GAME = get_game("jie-long")


class Wavering:
    """Plays the first legal action and the last one in turn."""

    name, asked = "wavering", 0

    def act(self, batch):
        self.asked += 1
        at = batch.masks[:, :: 1 if self.asked % 2 else -1].argmax(1)
        return at if self.asked % 2 else batch.masks.shape[1] - 1 - at


def test_unrepeatable_answers_have_no_digest():
    variant = GAME.variant()
    assert moves_of(Wavering(), GAME, variant) is None
    assert moves_of(make_agent("search:seconds=0.001", GAME), GAME, variant) is None
    assert moves_of(make_agent("greedy", GAME), GAME, variant) is not None


@pytest.mark.parametrize("name", GAMES)
def test_questions_all_have_a_choice(name):
    game = get_game(name)
    masks = questions(game, game.variant()).masks
    assert 0 < len(masks) <= QUESTIONS and (masks.sum(1) > 1).all()


def test_difference_is_reported_as_before_and_after():
    was = identity_of(make_agent("greedy", GAME), GAME, GAME.variant())
    require_same(["A"], [was], [was])
    for key, said in (
        ("name", "A called itself greedy, not new"),
        ("spec", "A was made from greedy, not from new"),
        ("moves", "A played other moves"),
    ):
        with pytest.raises(ValueError, match=f"^{said}"):
            require_same(["A"], [was], [was.model_copy(update={key: "new"})])
