"""What a coach says: of the moves that a review calls mistakes, and of nothing that the person could not know."""

import numpy as np
import pytest

from gupai_app.play.address import Address
from gupai_app.play.coach import RARE, mistake, punishing_reply
from gupai_app.play.moves import digits, value_texts
from gupai_app.play.session import Session
from gupai_app.play.table import PLAYED, WebGame
from gupai_app.review.analysis import judged, why
from gupai_env.core.tiles import kind_of
from gupai_env.games import get_game
from gupai_env.messages import word


def positions(name, seed=3, every=1):
    """Copies of a game in which everybody plays at random, before some moves, and the actions that follow."""
    game = get_game(name)
    session, generator = Session(game, game.variant(), seed), np.random.default_rng(seed)
    while not session.terminated:
        action = int(generator.choice(np.flatnonzero(session.mask())))
        if len(session.actions) % every == 0:
            yield session.copy(), action
        session.play(action)


def test_coach_speaks_of_what_a_review_calls_a_mistake():
    *_, (session, action) = before = list(positions("jie-long"))
    (session := session.copy()).play(action)
    record = session.record(["human"] * 4)
    turns = {turn.number: turn for turn in judged(record).decisions}
    spoken = set()
    for number, (position, played) in enumerate(before, 1):
        lesson = mistake(position, [played], ["A", "B", "C", "D"])
        turn = turns.get(number)
        assert (lesson is not None) == (turn is not None and turn.sure)
        if lesson is not None:
            spoken.add(bool(lesson.reply))
            texts = dict(zip(turn.ranked, value_texts(turn.ranked), strict=True))
            assert f"costs {turn.lost} chips: it brings {word(texts[turn.played])}, and" in word(lesson.cost)
            assert word(lesson.cost).endswith(f" {texts[turn.ranked[0]]}")
            assert lesson.why == why(record, turn)
    assert True in spoken


@pytest.mark.parametrize("name", ["jie-long", "deer-hunt"])
def test_reply_is_an_opponents_and_does_not_depend_on_what_they_hold(name):
    answers = []
    for session, action in positions(name, every=4):
        seat, game = session.seat, session.game
        replies = [punishing_reply(twin, action, seat) for twin in (session, session.redealt(seat, 1))]
        assert replies[0] == replies[1]
        answers += [reply for reply in replies if reply]
        sides = game.sides(session.variant.players)
        assert not replies[0] or (sides[replies[0].seat] != sides[seat] and replies[0].share >= RARE)
    assert answers


def test_unseen_decisions_have_no_reply():
    (session, action), *_ = positions("da-ling")
    assert punishing_reply(session, action, session.seat) is None


def test_tiles_discarded_together_are_one_move_to_take_back_and_to_judge():
    for seed in range(40):
        query = {"game": "tien-gow", "seed": str(seed), "seat": "0", "with": "greedy", "practice": "coach"}
        seating = WebGame(Address.read(query))
        if seating.discards > 1:
            break
    hand = sorted({kind_of(*tile) for tile in seating.frames[-1].scene.places[0].piles[0].tiles})
    actions = [seating.thrown()[digits([kind])] for kind in hand[: seating.discards]]
    after = WebGame(seating.address, actions)
    assert after.undo == seating.address
    PLAYED.clear()  # another server
    again = WebGame(after.address)
    assert again.undo == seating.address and again.mistake == after.mistake
    one_by_one = WebGame(WebGame(seating.address, actions[:1]).address, actions[1:])
    assert (one_by_one.undo, one_by_one.mistake) == (after.undo, after.mistake)
