"""Every section of an observation says what its name and its words say, to every seat, on turn and off.

`facts.py` recomputes each section from the full state in plain Python; here they are compared over random play.
"""

import numpy as np
import pytest

from adapters import FACES
from facts import FACTS, TOLD, Sight, frame, tiles_of
from gupai_env import GAMES, get_game
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.rng import derive
from gupai_env.core.variant import Variant
from variants import name_of
from walks import encoded, envs_of, views_of

ENVS, STEPS = 2, 70  # each walk: lanes side by side, and decisions of each
CASES = [
    (get_game(game), {"deals": 3, **options})
    for game, options in [
        ("jie-long", {}),
        ("jie-long", {"players": 3, "forced_play": True, "open_ends": 2}),
        ("jie-long", {"players": 2, "double_lock": True, "forced_play": True}),
        ("jie-long", {"players": 2, "deck": "tiny", "double_lock": True}),
        ("jie-long", {"players": 3, "double_lock": True}),
        ("ce-deng", {}),
        ("ce-deng", {"players": 3, "redeal_doubles": 6}),
        ("ce-deng", {"players": 2, "redeal_doubles": 6, "strict_head_tail": True}),
        ("ce-deng", {"players": 2, "deck": "tiny"}),
        ("ding-niu", {}),
        ("ding-niu", {"after_suan_zhang": "play_on", "exempt_forced_maker": True}),
        ("ding-niu", {"after_suan_zhang": "stop", "spare_pointless_maker": True, "smothered_numbers": (1, 6)}),
        ("ding-niu", {"forced_play": False, "after_suan_zhang": "play_on"}),
        ("ding-niu", {"players": 2, "deck": "tiny", "spare_pointless_maker": True}),
        ("ding-niu", {"players": 2, "deck": "tiny", "suan_zhang": False}),
        ("ding-niu", {"settlement": "points", "exempt_forced_maker": True}),
        ("da-ling", {}),
        ("da-ling", {"players": 2}),
        ("da-ling", {"players": 3, "absolute_tie": "push"}),
        ("da-ling", {"players": 4}),
        ("da-ling", {"players": 2, "deck": "tiny"}),
        ("tiu-u", {}),
        ("tiu-u", {"players": 3, "lock_triples": True, "heaven_pair": True}),
        ("tiu-u", {"must_catch": True, "triple_catch": False}),
        ("tiu-u", {"heaven_pair": True, "lock_triples": True}),
        ("tiu-u", {"players": 2, "deck": "tiny", "heaven_pair": True}),
        ("shi-wu-hu", {}),
        ("shi-wu-hu", {"players": 3, "deck": "tiles", "supreme_match": "pair"}),
        ("shi-wu-hu", {"deck": "tiles", "group": "one_two", "tens_match": True, "heaven_earth": True}),
        ("shi-wu-hu", {"players": 3, "group": "one_one", "supreme_match": "sixes", "supreme_bonus": 0}),
        ("shi-wu-hu", {"players": 2, "deck": "tiny"}),
        ("small-mahjong", {}),
        ("small-mahjong", {"players": 3, "auto_win": False}),
        ("small-mahjong", {"expose_claims": False}),
        ("small-mahjong", {"players": 3, "expose_claims": False, "auto_win": False}),
        ("small-mahjong", {"claim_last_discard": False, "auto_win": False}),
        ("small-mahjong", {"players": 2, "deck": "tiny"}),
        ("tien-gow", {}),
        ("tien-gow", {"banker": "growing", "civil_supreme": True, "supreme_bonus": 2, "four_bonus": 4}),
        ("tien-gow", {"combinations": "pairs", "banker": "none", "early_death": False}),
        ("tien-gow", {"players": 2, "deck": "tiny", "supreme_bonus": 2, "civil_supreme": True}),
        ("deer-hunt", {}),
        ("deer-hunt", {"escape": True, "fair_deal": "four"}),
        ("deer-hunt", {"deck": "tiny", "escape": True}),
        ("pai-gow", {}),
        ("pai-gow", {"players": 8, "zero": "tile", "wild": False}),
        ("pai-gow", {"players": 5, "small": True, "gong_four": False}),
        ("pai-gow", {"players": 2, "deck": "tiny", "copy": "push"}),
    ]
]  # fmt: skip
IDS = [name_of(game, game.variant(**options)) for game, options in CASES]


def test_cases_include_every_game():
    assert {game.id for game, _ in CASES} == set(GAMES) == set(FACTS)


def seeds_of(game: Game, variant: Variant) -> np.ndarray:
    """A seed for each lane; the last of them begin, if any do, with a question before the play."""
    seeds = np.arange(ENVS)
    if "rights" in (game.state.names or ()):
        asked = [seed for seed in range(200) if dealt(game, variant, seed).rights][: ENVS // 2]
        seeds[ENVS - len(asked) :] = asked
    return seeds


def dealt(game: Game, variant: Variant, seed: int) -> np.record:
    """The state in which an episode begins."""
    deal = Deal(game, variant)
    deal.start(seed)
    return deal.state


def some_seats(variant: Variant, step: int) -> list[int]:
    """A seat to look from, another at every step."""
    return np.random.default_rng(step).permutation(variant.players)[:1].tolist()


@pytest.mark.parametrize(("game", "options"), CASES, ids=IDS)
def test_sections_equal_the_facts_of_the_position(game, options):
    variant = game.variant(**options)
    envs = envs_of(game, variant, ENVS, renew=False)
    envs.reset(seeds=seeds_of(game, variant))
    for step in range(STEPS):
        seen = np.zeros((ENVS, envs.layout.size), np.int8)
        for seat in some_seats(variant, step):
            envs.kernels.observe_seat(envs.table, seat, seen)
            on_turn = (envs.seats == seat) & ~envs.terminated
            np.testing.assert_array_equal(seen[on_turn], envs.observations[on_turn])
            views = views_of(envs, envs.states, seat)
            for state, view, observation in zip(envs.states, views, seen, strict=True):
                compare(Sight(game.id, variant, state, seat), view, observation)
        if envs.terminated.all():
            break
        envs.step(envs.sample(step))


ELSEWHERE = {"tiles", "strength", "values", "waits_after"}  # fields of a view that sections of another name show


def compare(sight: Sight, view: np.record, observation: np.ndarray) -> None:
    """Every section of an observation, and every field of the view that no section shows, against the facts."""
    game = get_game(sight.game)
    sections, fields = FACTS[sight.game](sight), frame(sight) | TOLD[sight.game](sight)
    parts = game.encoder.layout.split(observation)
    assert sections.keys() == parts.keys()
    assert set(game.view.names or ()) <= sections.keys() | fields.keys() | ELSEWHERE
    for facts, said in ((sections, parts), (fields, view)):
        for name, fact in facts.items():
            expected = np.array(fact, said[name].dtype)
            if expected.shape != said[name].shape or expected.tobytes() != said[name].tobytes():
                where = f"{name} as seat {sight.viewer} sees it, move {sight.state.moves}"
                raise AssertionError(f"{where}: {fact} is so, {said[name]} is said")


@pytest.mark.parametrize(("game", "options"), CASES, ids=IDS)
def test_redealt_position_agrees_with_its_sections_for_every_seat(game, options):
    """What is drawn for a viewer is a whole position: whoever looks at it sees what lies there."""
    variant = game.variant(**options)
    envs = envs_of(game, variant, ENVS, renew=False)
    envs.reset(seeds=seeds_of(game, variant))
    for step in range(STEPS):
        live = np.flatnonzero(~envs.terminated)
        if not len(live):
            break
        if step % 4 == 0:
            viewer = step // 4 % variant.players
            drawn = game.new_states(len(live))
            rng_keys = np.array([derive(step, lane) for lane in live])
            views = views_of(envs, envs.states[live], viewer)
            envs.kernels.determinize(envs.rules, views, rng_keys, drawn)
            lay_back(drawn)
            for seat in some_seats(variant, step):
                seen = views_of(envs, drawn, seat)
                for state, view, observation in zip(drawn, seen, encoded(envs, seen), strict=True):
                    compare(Sight(game.id, variant, state, seat), view, observation)
        envs.step(envs.sample(step))


def lay_back(drawn: np.recarray) -> None:
    """Put what the mover of Small Mahjong drew where it was in the wall: there `facts.py` looks for it."""
    for state in drawn if "new_tile" in (drawn.dtype.names or ()) else ():
        if state.new_tile >= 0:
            held = tiles_of(state.hands[state.mover]) + ([FACES[state.offer]] if state.offer >= 0 else [])
            assert FACES[state.new_tile] in held
            state.wall[state.top - 1] = state.new_tile
