"""Positions set up by hand keep their table, their task and lessons, and at the end why it ended so.

The texts are in `tests/snapshots/positions.txt`; `pins` says how to write them again.
"""

from gupai_app.words.sentences import compass
from gupai_env.games import get_game
from gupai_env.games.guide import guide_of
from pins import same_texts

LED = {"hands": ["61 31", "64 52", "51 41", "33 22"], "leader": 1}  # seat 2 may lay [4:1], seat 3 has neither half
LED_TO_THE_END = "64", "41", "discard 33", "61", *(f"discard {tile}" for tile in ("52", "51", "22", "31"))
LOCK = {"layout": "52", "discards": ["", "33", "31", "44"], "double_lock": True}
DOUBLES = ["11 22 33 44 55 66 66 65", "65 64 64 63 62 61 61 54", "53 52 51 51 43 42 41 32", "31 31 21 11 22 33 44 55"]
NO_BLOCK = {"hands": ["44 31", "64 65", "63 61", "55 62"], "leader": 1}
BLOCK = {"hands": ["44 31", "64 65", "64 61", "55 62"], "leader": 1}
SMOTHERED = {"hands": ["", "", "61", "11"], "layout": "[2:6][6:3][3:1][1:6][6:5][5:6]"}
TO_SPLIT = ["66 65 64 55 42 21", "63 62 61 51 41 11"]
SPLITS = [
    "33 / 11 31 / 44 61 65", "33 / 31 66 / 51 55 64",
    "22 / 61 55 / 65 33 33", "31 / 64 51 / 66 51 44", "31 / 55 11 / 65 22 11",
    "11 / 43 31 / 65 53 33", "66 / 54 44 / 64 55 42", "11 / 63 22 / 51 41 32", "66 / 52 22 / 62 61 61",
    "66 63 / 44 11", "55 55 / 44 11", "53 62 / 61 31",
    "43 / 65 51 / 11 63 33", "66 / 64 44 / 65 55 22", "61 / 64 31 / 55 51 22",
]  # fmt: skip
CLAIM = {
    "hands": ["42 41 51 51 64", "22 55 66 65 11", "61 61 31 31 63", "22 55 66 65 62"],  # 1 and 3 make [2:2][5:2][5:5]
    "offered": "52",
    "wall": "64 54 32",
}
TWO_TRIPLETS = {"hands": ["22 52 55 21 43 53", "66 66 65 65 64", "11 11 31 31 61", "44 44 62 63 41"]}
TRICK = {"hands": ["66 63 21 22", "43 53 31 54", "44 65 32 42", "51 33 41 55"], "leader": 1}
LAST_TRICK = {"hands": [hand[:2] for hand in TRICK["hands"]], "tricks": [4, 0, 3, 0], "to_lead": 2}
SUPREME = {"hands": ["42 21", "43 53", "44 65", "51 33"]}
SUPREME_LED = ["42 21", *(f"discard {tile}" for tile in ("43", "53", "44", "65", "33", "51"))]
SUPREME_AND_ONE = {"hands": ["42 21 66", "43 53 62", "44 65 63", "51 33 52"], "leader": 1, "to_lead": 0}
DEER = {"hands": ["66 61", "43 22", "44 65", "51 33"], "taken": ["", "42 52 53 62", "", ""], "escape": True}
TRICK_OF_DEER = {"hands": ["66 61 11 21", "43 22 31", "44 65 55", "51 33 41"], "leader": 1, "to_act": 0}


def split(*numbers: int, **options) -> dict:
    """Hands that have been split so."""
    splits = [SPLITS[number] for number in numbers]
    return {"hands": [each.replace("/", "") for each in splits], "splits": splits, **options}


POSITIONS = {
    "jie-long": [
        (LED,),
        (LED, "64"),
        (LED, "64", "41"),  # nothing fits
        (LED, "64", "41", "discard 33"),
        (LED, *LED_TO_THE_END),
        ({**LED, "forced_play": True}, "64"),
        ({**LED, "open_ends": 2}, "64", "41"),
        ({**LED, "open_ends": 2}, "64", "41", "discard 33"),
        ({"hands": ["22 66 62", "65 64 54", "63 61 43", "55 11 41"], **LOCK},),
    ],
    "ce-deng": [
        ({"hands": DOUBLES},),
        (LED, "64"),  # nobody drank
        (LED, "64", "41", "discard 33"),
        ({"hands": [*DOUBLES[1:3], "11 22 33 44 55 66 66 11", "31 31 21 65 22 33 44 55"], "leader": 2},
         "declare eight doubles"),
    ],
    "ding-niu": [
        (NO_BLOCK, "64"),
        (BLOCK, "64"),
        ({"hands": ["62 11", "31 33", "31 22", "63 55"], "leader": 1}, "31", "[1:3]", "[3:6]", "[6:2]"),
        ({"hands": ["55 31", "64 65", "64 61", "51 62"], "leader": 1, "after_suan_zhang": "stop"}, "64", "64"),
        (SMOTHERED, "61"),
    ],
    "da-ling": [
        ({"hands": TO_SPLIT, "table": "66 32"},),
        ({"hands": TO_SPLIT, "table": "53 32"},),
        (split(0, 1, table="62 44"),),
        (split(0, 1, table="62 44", absolute_tie="push"),),
        (split(2, 3, 4, table="54 41"),),  # a tie of two
        (split(5, 6, 7, 8, table="51 33"),),  # equal ones below the best
        (split(12, 13, 14, table="66 32"),),  # the first takes all stakes
    ],
    "shi-wu-hu": [
        ({"hands": ["66 54", "11"], "lake": "22"},),
        ({"hands": ["66 54", "11"], "lake": "66"},),
        ({"hands": ["66 54", "65 11"], "lake": "66 22", "stock": "54", "leader": 1}, "lay 11", "lay 54"),
        ({"hands": [""] * 3, "catches": ["66 63 54", "42 21", "11"]},),
    ],
    "tiu-u": [
        ({"hands": ["66 54", "11"], "lake": "22", "stock": "66"}, "lay 54"),
        ({"hands": ["66 54", "11"], "lake": "66", "stock": "66"}, "lay 54"),
        ({"hands": ["66 54", "65 11"], "lake": "66 22", "stock": "63 54"}, "[6:6] catches [6:6]"),
        ({"hands": ["66 66", "65 11"], "lake": "54", "stock": "63", "heaven_pair": True},),
        ({"hands": ["66 66", "65 11"], "lake": "54", "stock": "63", "heaven_pair": True}, "heaven pair"),
    ],
    "small-mahjong": [
        ({**TWO_TRIPLETS, "auto_win": False},),
        (CLAIM,),
        (CLAIM, "claim [2:2][5:2][5:5]"),
        (CLAIM, "pass", "pass"),
        ({**CLAIM, "expose_claims": False}, "pass", "claim into the hand"),
        ({"hands": CLAIM["hands"], "wall": "52"},),
    ],
    "tien-gow": [
        (TRICK,),
        (TRICK, "31"),
        (TRICK, "31", "44", "discard 51"),
        (TRICK, "31", "44", "discard 51", "66"),
        ({**TRICK, "leader": 0}, "66 63"),
        ({**TRICK, "leader": 0}, "66 63", "discard 31"),
        ({**LAST_TRICK, "to_lead": 0}, "66"),
        ({**LAST_TRICK, "banker": "none"}, "44"),
        (LAST_TRICK, "44", "discard 51", "66", "discard 43"),
        (SUPREME, *SUPREME_LED),
        ({**SUPREME_AND_ONE, "supreme_bonus": 2},
         *SUPREME_LED, "66", "discard 62", "discard 63", "discard 52"),
    ],
    "deer-hunt": [
        (DEER,),
        (DEER, "61", "43", "44"),
        (DEER, "61", "43", "44", "51"),  # the deer escape
        (DEER, "61", "22", "44", "51"),
        ({**TRICK_OF_DEER, "trick": "54 64 32"},),  # the partner takes it
        ({**TRICK_OF_DEER, "trick": "54 53 64", "escape": True},),
        ({"hands": [""] * 4, "taken": ["66 32 53 22", "", "44 41 31 11", "54 33 43 21"]},),
        ({"hands": [""] * 4, "taken": ["", "44 41 31 11", "22 32 53 33", ""]},),
    ],
    "pai-gow": [
        ({"hands": ["66 63 44 11", "55 22 33 21"]},),
        ({"hands": ["66 63 44 11", "55 22 33 21"], "splits": ["66 63 / 44 11", None]},),
        ({"hands": ["66 63", "55 22"], "small": True},),
        (split(9, 10, 11, copy="push"),),
    ],
}  # fmt: skip


def text_of(game: str, options: dict, *moves: str) -> str:
    """The table of a position, then what its guide says of it."""
    position = get_game(game).positions.from_tiles(**options).play(*moves)
    guide, seats = guide_of(position.game, position.variant), range(position.variant.players)
    if position.terminated:
        views = [position.view(seat) for seat in seats]
        lines = list(guide.reasons(views, compass(len(seats)), position.paid()))
    else:
        view, mask = position.view(position.seat), position.mask()
        lines = [f"Task: {guide.task(view, mask)}", *guide.lessons_at(view, mask)]
    return "\n".join([repr(position), *lines])


def test_positions_keep_their_table_and_what_the_guide_says():
    texts = [(game, *position) for game, positions in POSITIONS.items() for position in positions]
    same_texts("positions.txt", {f"{number}: {text[0]}": text_of(*text) for number, text in enumerate(texts, 1)})
