"""A person at the table: what may be typed, what is answered, and that a whole game can be played so."""

import dataclasses
import re

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_app.play.person import HumanPlayer, _begins, _columns
from gupai_app.play.pictures import rules_in_words
from gupai_app.play.rules import rules
from gupai_app.play.session import Session
from gupai_app.play.terminal import Table, play
from gupai_app.play.unseen import judged, unseen_tiles
from gupai_app.review.terminal import watch
from gupai_app.shell.terminal import Quit, Terminal
from gupai_app.words.languages import speak
from gupai_app.words.sentences import names_at
from gupai_env import GAMES, get_game, jie_long_v0
from gupai_env.core.hints import Hints
from gupai_env.core.text import columns
from gupai_env.core.tiles import parse_tiles, tile_name, tile_set
from gupai_env.games.ce_deng import rules as ce_deng
from gupai_env.games.connecting import rules as connecting
from gupai_env.games.phrases import chips
from gupai_env.messages import TRANSLATIONS, word


class Person:
    """Types given lines, then whatever `then` makes of a prompt; remembers all that was shown."""

    def __init__(self, *lines, then=None):
        self.lines, self.then, self.shown, self.prompts = list(lines), then, [], []

    def ask(self, prompt):
        self.prompts.append(prompt)
        line = self.lines.pop(0) if self.lines else self.then(prompt) if self.then else EOFError
        if isinstance(line, type):
            raise line
        return line

    def terminal(self):
        return Terminal(self.ask, self.shown.append, colour=False, width=80)


def position(hand, layout="", *, name="jie-long", **options):
    """Seat 0 to act with a hand such as "64 22" after the tiles of `layout`, whose last number is open."""
    game = get_game(name)
    session = Session(game, game.variant.make(leader=0, **options), 0)
    state = session.state
    if name == "ce-deng":
        state.rights = 0
    for tile in layout.split():
        kind, end = parse_tiles(tile)[0], int(tile[1] != max(tile))
        state.record[state.turn] = kind + end * connecting.LOW_OPEN
        state.played[0] += tile_set([kind])
        state.ends[:] = int(tile[1])
        state.turn += 4
    state.hands[0] = tile_set(parse_tiles(hand))
    return session


def choose(session, *lines):
    """The name of the action to which the person's lines lead, and the person."""
    person = Person(*lines)
    agent = HumanPlayer(session.game, session.variant, person.terminal())
    action = agent.choose(session.decision_batch())
    assert not person.lines
    return session.game.action_names[action], person


@pytest.mark.parametrize("typed", ["64", "46", "[6:4]", "[4:6]", "6:4", " 6 4 ", "p64", "play 64", "1", "#1"])
def test_tile_is_played_by_numbers_notation_or_number_of_its_move(typed):
    assert choose(position("64 31 21", "16"), typed)[0] == "[6:4]"


@pytest.mark.parametrize("typed", ["d64", "D64", "discard 64", "discard [6:4]", "dis 46", "2"])
def test_playable_tile_is_discarded_only_on_explicit_request(typed):
    assert choose(position("64 31 21", "16"), typed)[0] == "discard [6:4]"


def test_tile_that_does_not_fit_is_discarded_by_its_name():
    assert choose(position("31 21", "16"), "31")[0] == "discard [3:1]"


def test_end_to_leave_open_is_asked_only_where_there_is_a_choice():
    name, person = choose(position("64 31"), "64", "4")
    assert name == "[6:4]"
    assert person.prompts == ["Your move: ", "Which of its numbers stays open, 6 or 4? "]
    assert choose(position("64 31"), "64", "6")[0] == "[4:6]"
    assert choose(position("66 31"), "66")[0] == "[6:6]"
    assert choose(position("64 31"), "64", "5", "", "31", "3")[0] == "[1:3]"  # a typo, then another tile
    assert choose(position("64 31", open_ends=2), "64")[0] == "[4:6]"  # the lead opens both


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("99", "There is no move 99; your moves are 1 to 4."),
        ("0", "There is no move 0; your moves are 1 to 4."),
        ("31", "[3:1] cannot be played now; type discard 31 to discard it."),
        ("55", "[5:5] is not among your moves, which are 1 to 4."),
        ("d55", "d [5:5] is not among your moves, which are 1 to 4."),
        ("discard", "Which tile? Type discard 64 for [6:4], or the number of a move."),
        ("hello", "I do not understand 'hello'. Type the number of a move, or its tile:"),
        ("6.4!", "I do not understand '6.4!'. Type the number of a move, or its tile:"),
        ("-1", "I do not understand '-1'. Type the number"),
        ("", "Type the number of a move, or its tile: 64 for [6:4], d64 to discard it."),
    ],
)
def test_typing_error_gets_one_sentence_and_another_try(typed, answer):
    name, person = choose(position("64 31 21", "16"), typed, "64")
    assert name == "[6:4]"
    assert " ".join(person.shown[-1].split()).startswith(answer)
    assert person.prompts == ["Your move: "] * 2


def test_one_move_is_spoken_of_in_the_singular(monkeypatch):
    person = choose(position("21", "16"), "2", "55", "1")[1]
    assert "There is no move 2; your only move is 1." in person.shown
    assert "[5:5] is not your only move, which is 1." in person.shown
    monkeypatch.setenv("LINES", "10")
    person = choose(position("63 53 43 33 31", "22"), "1")[1]
    assert person.shown[-1].endswith("\nThere is one more; type all to see it.")


def test_ambiguous_digits_are_not_guessed():
    session = position("66 65 64 63 62 61 21", "16")  # six plays and seven discards
    for typed, chosen in ((["#12"], "discard [6:1]"), (["[1:2]", "d21"], "discard [2:1]")):
        name, person = choose(session, "12", *typed)
        assert name == chosen
        assert "Is 12 a move or a tile? Type #12 for move 12, or [1:2] for the tile." in person.shown
    assert choose(position("66 65 64 63 62 61 31", "16"), "12")[0] == "discard [6:1]"  # no tile [2:1] here


def test_moves_are_listed_by_verb_heaviest_first():
    person = choose(position("64 31 21", "16"), "1")[1]
    assert person.shown[-2:] == [
        "You: match the 6, or discard a tile.",
        "Play a tile:\n  1  [6:4] leaves 4\n"
        "Or discard a tile face down; the points it costs are next to it:\n  2  [6:4] 10    3  [3:1] 4     4  [2:1] 3",
    ]
    person = choose(position("31", "16"), "1")[1]
    assert person.shown[-1].startswith("Nothing fits, so discard a tile face down;")


def test_newcomer_sees_the_game_once():
    session = position("64 31 21", "16")
    person = Person("?", "", "1", "1")
    agent = HumanPlayer(session.game, session.variant, person.terminal())
    agent.choose(session.decision_batch())
    agent.choose(session.decision_batch())
    shown = " ".join("\n".join(person.shown).split())
    assert shown.count("Play a tile that has the open number") == 1
    assert shown.count(session.game.hints(session.game, session.variant).answers) == 2  # and in the list of keys


def test_answers_before_the_play_of_ce_deng_are_words():
    session = position("66 66 55 55 44 44 33 22", name="ce-deng")
    session.state.rights = 1
    for typed, action in (
        ("declare", ce_deng.DECLARE),
        ("redeal", ce_deng.REDEAL),
        ("demand a redeal", ce_deng.REDEAL),
        ("play on", ce_deng.PLAY_ON),
        ("3", ce_deng.PLAY_ON),
    ):
        name, person = choose(session, typed)
        assert name == session.game.action_names[action]
        assert "every other player pays you twice" in person.shown[-1]


@pytest.mark.parametrize("line", ["q", "quit", "exit", EOFError, KeyboardInterrupt], ids=str)
@pytest.mark.parametrize("before", [[], ["64"]], ids=["move", "end"])
def test_leaving_prints_one_line(before, line):
    session, person = position("64 31"), Person(*before, line)
    with pytest.raises(Quit) as left:
        HumanPlayer(session.game, session.variant, person.terminal()).choose(session.decision_batch())
    assert left.value.code == 0
    assert person.shown[-1] == "You have left the table."
    assert len(person.prompts) == len(before) + 1  # nothing more is asked


def test_plain_hints_are_enough_for_any_game():
    session = position("64 31")
    session.game = dataclasses.replace(session.game, hints=Hints)
    name, person = choose(session, "64", "2")
    assert name == "[6:4]"
    assert person.prompts[-1] == "Which way: 1 for [4:6], 2 for [6:4]? "
    assert Hints(session.game, session.variant).reminder() in " ".join(" ".join(person.shown).split())


def first_answer(prompt):
    """What a hasty player types."""
    if prompt.startswith("Play again"):
        return "n"
    asked = re.search(r"stays open, (\d)", prompt)
    return asked[1] if asked else "1"


@pytest.mark.parametrize(
    ("name", "options"),
    [("jie-long", {}), ("jie-long", {"players": 2, "open_ends": 2}), ("ce-deng", {"players": 3, "deals": 3})],
)
def test_game_typed_to_its_end_is_reported_and_counted(name, options):
    game = get_game(name)
    variant = game.variant.make(**options)
    agents = [make_agent("variety", game, **options)] * variant.players
    person = Person("what?", "99", "", "?", then=first_answer)
    play(Table(Session(game, variant, 11), agents, 1, person.terminal()))

    # the same game without a person: its moves are those told, its payment that of the count
    session = Session(game, variant, 11)
    you = HumanPlayer(game, variant, Person(then=first_answer).terminal())
    names, printed = names_at(variant.players, 1, 1), []
    while not session.terminated:
        action = you.choose(session.decision_batch()) if session.seat == 1 else session.answer(agents[session.seat])
        mover = session.seat
        payoffs = session.play(action)
        if not payoffs:
            verb = "discard" if action >= connecting.DISCARD else "play"
            printed.append(f"{names[mover]} {verb}{'s' if mover != 1 else ''}")
    shown = "\n".join(person.shown)
    lines = [line for line in person.shown if re.match(rf"({'|'.join(names)}) (play|discard)s? ", line)]
    assert [re.match(r"\w+ \w+", line)[0] for line in lines] == printed
    assert shown.count("The count, all tiles face up:") == variant.deals
    for seat in range(variant.players):
        assert f"{names[seat]}   {chips(session.finished.state.payoff[seat])}" in shown
    assert f"{abs(session.finished.state.payoff[1]):g} chips." in person.shown[-2]  # before who won most
    assert person.prompts[-1] == "Play again? [Y/n] "


def test_splits_that_nobody_sees_are_said_once():
    game, person = get_game("da-ling"), Person()
    agents = [make_agent("greedy", game)] * game.variant().players
    with pytest.raises(Quit):
        Table(Session(game, game.variant(), 11), agents, 2, person.terminal()).play()
    assert person.shown.count("Everybody splits a hand, unseen by the others") == 1


def test_session_is_the_episode_of_an_environment_with_its_seed():
    env = jie_long_v0.env(deals=2)
    env.reset(seed=9)
    for episode in range(2):
        session = Session(env.game, env.variant, 9, episode)
        while not session.terminated:
            assert env.agent_selection == f"seat_{session.seat}"
            assert np.array_equal(env.infos[env.agent_selection]["action_mask"], session.mask())
            assert session.view(session.seat).tobytes() == session.decision_batch().views[0].tobytes()
            action = int(session.mask().nonzero()[0][-1])
            env.step(action)
            payoffs = session.play(action)
            assert list(env.rewards.values()) == (payoffs or [0.0] * 4)
        assert not session.mask().any()
        env.reset()


# Da Ling


def splitting(*lines, hand="66 65 64 55 42 21", table="66 32"):
    """The name of the split to which the lines lead, its view, and the person."""
    game = get_game("da-ling")
    built = game.positions.from_tiles(table, [hand, "63 62 61 51 41 11"])
    session = Session(game, built.variant, 0)
    session.states[:] = built.states
    person = Person(*lines)
    action = HumanPlayer(game, built.variant, person.terminal()).choose(session.decision_batch())
    assert not person.lines
    return action, built.view(0), person


def offered(text):
    """The numbers of the splits in a list and the stakes that each matches."""
    found = re.findall(r"^ *(\d+)  (\[.*?)  (\S+)$", text, re.M)
    return [(int(number), 0.0 if won == "-" else sum(map(float, won.split("+")))) for number, _, won in found]


def test_best_splits_are_offered_and_all_on_request(monkeypatch):
    monkeypatch.setenv("LINES", "40")
    _, _, person = splitting("all", "1")
    few, many = (text for text in person.shown if text.startswith("Your splits"))
    assert [number for number, _ in offered(few)] == list(range(1, 13))
    assert "\n".join(person.shown).count("There are 48 more; type all to see them.") == 1
    assert [number for number, _ in offered(many)] == list(range(1, 61))
    assert max(map(len, many.splitlines())) <= 80
    stakes = [won for _, won in offered(many)]
    assert stakes == sorted(stakes, reverse=True)
    assert stakes[0] > 0 == stakes[-1]
    assert offered(few) == offered(many)[:12]


def test_split_is_chosen_by_number_or_by_its_groups():
    game = get_game("da-ling")
    action, view, person = splitting("all", "60")
    last = person.shown[-1].splitlines()[-1]
    assert game.action_name(action, view) in last
    written = game.action_name(action, view)
    assert splitting(written)[0] == action
    single, pair, triple = written.replace("][", " ").replace("[", "").replace("]", "").split(" / ")
    assert splitting(f"{triple} / {pair}/{single}")[0] == action
    assert splitting("66 65 64 55 42 21", "60")[0] == action  # the tiles of every split
    assert splitting("99", "60")[2].shown[-1] == "There is no move 99; your moves are 1 to 60."


def test_few_moves_are_listed_again_by_the_word_all():
    _, person = choose(position("64 31"), "all", "64", "4")
    assert person.shown[-1] == person.shown[-2]


# Watching


@pytest.mark.parametrize("name", GAMES)
def test_table_is_not_repeated_after_every_move(name):
    game, person = get_game(name), Person()
    variant = game.variant.make(leader=0)
    watch(game, variant, [make_agent("greedy", game)] * variant.players, 3, person.terminal())
    moves = [line for line in person.shown if re.match(r" *\d+  Seat", line)]
    assert moves
    assert not any("leader" in line or "target" in line for line in moves)
    assert max(map(len, moves)) <= 80
    if name in ("jie-long", "ce-deng", "ding-niu"):
        assert all("open end" in line for line in moves)


@pytest.mark.parametrize("key", ["!", "hint"])
def test_hints_come_in_steps_with_the_values_last(key):
    game = get_game("jie-long")
    variant = game.variant.make(leader=0)
    session = Session(game, variant, 5)
    adviser = make_agent("search:playouts=30", game, **dataclasses.asdict(variant))
    person = Person(key, key, key, "#1", "1")
    human = HumanPlayer(game, variant, person.terminal(), adviser=adviser)
    turns = session.decision_batch()
    action = human.choose(turns)
    assert turns.masks[0, action] and not person.lines[1:]
    (first,) = (at for at, text in enumerate(person.shown) if "Think about [" in text)
    hints = person.shown[first:]
    assert hints[1].endswith("Another ! says more.") and not any("±" in hint for hint in hints[:2])
    values = adviser.compare(turns)
    means = [float(mean) for mean in re.findall(r" ([+-]\d+\.?\d*)(?! [(]dropped)(?= |$)", hints[-1], re.M)]
    assert means == sorted(means, reverse=True)
    assert means[0] == pytest.approx(values.means[0, values.usual[0]], abs=0.51)
    numbers = sorted(int(number) for number in re.findall(r"(\d+)  (?=\[|discard)", hints[-1]))
    assert numbers == list(range(1, len(numbers) + 1)) and len(means) <= len(numbers)  # each move of the list once
    assert "! gives a hint" in "".join(person.shown) and "deals that you may be in" in " ".join(hints[3].split())
    assert "best" in hints[2]


class Awaited:
    """Hints whose search is being compiled until somebody waits."""

    def __init__(self, waited_for):
        self.waited_for, self.message = waited_for, "Jie Long is being prepared"

    def wait(self):
        assert self.waited_for
        self.message = ""


@pytest.mark.parametrize("waited_for", [True, False])
def test_hints_do_not_wait_for_the_search(waited_for):
    game = get_game("jie-long")
    session = Session(game, game.variant(leader=0), 5)
    person = Person("!", "!", "!", "!", "1", "1")
    agent = make_agent("search:playouts=30", game, **dataclasses.asdict(session.variant))
    human = HumanPlayer(game, session.variant, person.terminal(), adviser=agent)
    human.preparation = Awaited(waited_for)
    human.choose(session.decision_batch())
    first = next(at for at, text in enumerate(person.shown) if "Think about [" in text)
    hints = [" ".join(text.split()) for text in person.shown[first:]]
    assert hints[1].endswith("Another ! says more.")
    if waited_for:
        assert hints[2] == "Jie Long is being prepared" and "best" in hints[3] and "in 30 deals" not in hints[2]
        return
    assert hints[2].startswith("The card would choose ") and hints[3:5] == hints[6:8]
    assert "You can play on meanwhile" in hints[4] and not any("±" in hint for hint in hints)


@pytest.mark.parametrize("game", GAMES)
def test_all_since_the_last_move_fits_a_small_screen(game, monkeypatch):
    """80 columns and 24 lines, of which the last one is the prompt."""
    monkeypatch.setenv("LINES", "24")
    variant = get_game(game).variant()
    person, session = Person(), Session(get_game(game), variant, 5)
    seen = []

    def first(prompt):
        screen = "\n".join(person.shown).split("\n")
        assert not seen or len(screen) < 24  # at first all this stands below how the game is played
        person.shown.clear()
        screen = screen[-23:]
        scene = session.game.scene(variant, [session.view(session.seat)])
        for pile in (scene.places[0].piles[0], *scene.centre[:1]):
            tiles = [f"[{a}:{b}]" for a, b in pile.tiles]
            assert all(any(tile in line for line in screen) for tile in tiles), (pile.label, screen)
        assert any(line.startswith("You: ") for line in screen)
        seen.append(prompt)
        together = re.search(r"such as (d\d+)", screen[-1])
        return together[1] if together else "1"

    person.then = first
    agent = HumanPlayer(session.game, variant, person.terminal())
    while not session.terminated and len(seen) < 12:
        session.play(agent.choose(session.decision_batch()))
    assert seen


@pytest.mark.parametrize("game", GAMES)
def test_introduction_is_a_screen_of_its_own_for_who_sees_it_scroll(game, monkeypatch):
    monkeypatch.setenv("LINES", "24")
    session, person = Session(get_game(game), get_game(game).variant(), 5), Person("q")
    terminal = person.terminal()
    terminal.pauses = True
    with pytest.raises(Quit):  # for what is typed there is the first answer at the table
        HumanPlayer(session.game, session.variant, terminal).choose(session.decision_batch())
    assert person.prompts == ["Enter shows the table: "] and person.shown[0].count("\n") < 12
    assert "\n".join(person.shown[1:-2]).count("\n") < 23 and person.shown[-2] == "Your move: q"


def test_several_moves_are_typed_at_once_and_left_out_after_one_that_cannot_be():
    session, person = position("64 31 21", "16"), Person("64; d31;")
    agent = HumanPlayer(session.game, session.variant, person.terminal())
    actions = [agent.choose(session.decision_batch()) for _ in range(2)]
    assert [session.game.action_names[action] for action in actions] == ["[6:4]", "discard [3:1]"]
    assert len(person.prompts) == 1 and "Left out" not in " ".join(person.shown)
    name, person = choose(position("64 31 21", "16"), "22; 64 ;31", "64")
    assert name == "[6:4]" and person.shown[-1] == "Left out: 64; 31."


def test_hand_is_sorted_by_pips_by_a_key_and_back():
    _, person = choose(position("61 44 21", "16"), "s", "s", "61")
    hands = [re.findall(r"hand +(.*)", text)[-1] for text in person.shown if "hand " in text]
    assert hands == ["[6:1] [4:4] [2:1]", "[4:4] [6:1] [2:1]", "[6:1] [4:4] [2:1]"]


@pytest.mark.parametrize("key", ["o", "others"])
def test_key_tells_what_the_others_may_hold_counted_and_judged(key):
    game = get_game("tien-gow")
    variant = game.variant.make(leader=0)
    session, person = Session(game, variant, 5), Person(key, "1", "61")
    adviser = make_agent("search:playouts=1", game, **dataclasses.asdict(variant))
    human = HumanPlayer(game, variant, person.terminal(), adviser=adviser)
    human.choose(session.decision_batch())
    view = session.view(session.seat)
    held, _ = judged(game, variant, view, list("0123"))
    lines = [text for text in person.shown if re.match(r"  \[\d:\d\]  .*%", text)]
    for tile, line in zip(unseen_tiles(game, variant, view), lines, strict=True):
        both = zip(tile.by_seat.values(), held[tile.kind], strict=True)
        assert line.startswith(f"  {tile_name(tile.kind)}  ")
        assert re.findall(r"\d+%", line) == [f"{share:.0%}" for shares in both for share in shares]
    assert lines and "I do not understand" not in "".join(person.shown)


def test_what_is_taken_back_is_named():
    game = get_game("jie-long")
    person = Person("61; 1", "u")
    table = Table(Session(game, game.variant(leader=0), 5), [make_agent("easy", game)] * 4, 0, person.terminal())
    with pytest.raises(Quit):
        table.play()
    assert table.session.actions == [] and re.search(
        r"^You take back \[\d:\d\] \(leaving \d open\)\.$", "\n".join(person.shown), re.M
    )


def test_options_begin_with_those_that_are_not_as_usual():
    game = get_game("jie-long")
    variant = game.variant(forced_play=True, leader=0)
    person = Person("? options", "", "q")
    with pytest.raises(Quit):
        HumanPlayer(game, variant, person.terminal()).choose(Session(game, variant, 5).decision_batch())
    (page,) = (text for text in person.shown if "number of seats" in text)
    assert page.startswith("Not as usual at this table: leader=0, forced_play=true.\nplayers=4: ")


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
@pytest.mark.parametrize("game", GAMES)
def test_pages_of_help_fit_a_small_screen_and_end_at_the_table(game, language, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    session, topics = Session(get_game(game), get_game(game).variant(), 5), ["?", "? rules", "?t", "help options", "q"]
    screen, pages, tables = [], [], []

    def ask(prompt):
        lines = [*"\n".join(screen).split("\n"), prompt]
        screen.clear()
        if prompt == word("Your move: "):
            tables.append(lines)
            return topics.pop(0)
        pages.append(lines)
        return ""

    token = speak(language)
    try:
        terminal = Terminal(ask, screen.append, colour=False)
        with pytest.raises(Quit):
            HumanPlayer(session.game, session.variant, terminal).choose(session.decision_batch())
        text = " ".join(" ".join(line.strip() for line in page[:-1]) for page in pages)
        rules = [" ".join(rule.split()) for _, rule in rules_in_words(session.game)]
    finally:
        TRANSLATIONS.reset(token)
    assert max(map(len, pages)) < 24 and max(columns(line) for page in pages for line in page) <= 80
    assert len(tables) == 5 and all(table == tables[1] for table in tables[1:]) and tables[0][-9:] == tables[1][-9:]
    assert all("".join(rule.split()) in "".join(text.split()) for rule in rules)


@pytest.mark.parametrize("game", GAMES)
def test_suggested_option_is_allowed_by_the_game(game, capsys):
    rules(GAMES[game])
    (suggested,) = re.findall(rf"gupai play {game} -o (\S+)", capsys.readouterr().out)
    assert GAMES[game].variant.parse([suggested]).changed()
    with pytest.raises(ValueError, match=f"for instance {suggested}"):
        GAMES[game].variant.parse(["players"])


@pytest.mark.parametrize("game", GAMES)
def test_rules_give_the_numbers_of_deals_and_players(game, capsys):
    rules(GAMES[game])
    shown = capsys.readouterr().out
    variant = GAMES[game].variant
    assert re.search(r"deals +1 +1 to 1000 ", shown)
    assert variant(deals=1000)
    with pytest.raises(ValueError, match="deals=1001 is not allowed"):
        variant(deals=1001)
    for players in map(int, variant.allowed("players").partition(";")[0].split(", ")):
        assert variant(players=players)


@pytest.mark.parametrize("width", ["40", "60"])
def test_names_are_not_broken_in_a_narrow_terminal(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    for game in GAMES.values():
        rules(game)
        begins = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()}
        names = [field.name for field in dataclasses.fields(game.variant)] + [feature.name for feature in game.features]
        assert begins >= {*names, *game.heuristics}


def test_columns_are_filled_row_by_row():
    assert _columns(["a", "bb", "ccc", "d", "e"], 11) == "a    bb\nccc  d\ne"
    assert _columns(["a", "bb", "ccc"], 2) == "a\nbb\nccc"


@pytest.mark.parametrize(
    ("words", "typed", "begins"),
    [
        (["discard"], ["d"], True),
        (["discard"], ["x"], False),
        (["lay", "down"], ["d"], True),
        (["lay", "down"], ["l", "d"], True),
        (["lay", "down"], ["l", "x"], False),
        (["lay"], ["layer"], False),
        (["claim", "into"], ["in", "cl"], True),
    ],
)
def test_typed_words_are_prefixes_of_a_verb(words, typed, begins):
    assert _begins(words, typed) is begins


TOGETHER = [("d6151",), ("5161",), ("[6:1] [5:1]",), ("discard 61, 51",)]  # the rules take [5:1] first
TOGETHER += [("d61", "51"), ("51", "d61"), ("61", "d5161"), ("d43", "d", "61", "51"), ("43", "2", "4351", "u", "d6151")]


@pytest.mark.parametrize("typed", TOGETHER)
def test_tiles_that_are_discarded_together_are_typed_in_any_order_and_taken_back_as_one(typed):
    game = get_game("tien-gow")
    session = Session(game, game.variant(), 1)
    person = Person("d61", "1", "d6666", *typed, "u", *typed)
    table = Table(session, [make_agent("easy", "tien-gow")] * 4, 0, person.terminal())
    with pytest.raises(Quit):
        table.play()
    own = [action for action, seat in zip(table.session.actions, table.session.movers, strict=True) if seat == 0]
    assert [game.action_names[action] for action in own] == ["discard [5:1]", "discard [6:1]"]
    shown = " ".join(" ".join(person.shown).split())
    assert shown.count("Discard 2 tiles face down: type d and their digits") >= 4  # asked twice, and refused twice
    assert "[6:1] is chosen; type the digits of one more tile, or d to choose again." in shown
