"""A recorded game as a page shows it: every table from the first deal to the end and, once asked for, what moves lost.

Both are plain data in words of the person's language; `gupai_app/page/page.js` draws them, as it draws a table.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gupai_agents.agent import probabilities
from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.records.games import GameRecord, order_of
from gupai_app.play.address import MOST_MOVES, Address, moves_in, number_in, play_on, query_of, rules_of, words_of_rules
from gupai_app.play.coach import reply_in_words
from gupai_app.play.moves import ADVISER, in_words, value_texts
from gupai_app.play.seats import called, near_of, places, results
from gupai_app.play.session import Session
from gupai_app.play.table import LABELS, WebGame, scene_data
from gupai_app.review.analysis import AGAIN, Decision, expected, judged, largest_losses, luck, mistakes, why
from gupai_app.server.players import SEARCHES, Players
from gupai_app.words.languages import spoken
from gupai_app.words.sentences import by_kind, title_in
from gupai_env.core.rng import KEYS
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import title
from gupai_env.messages import joined, say, word
from gupai_env.messages.checks import refused, short_repr

SAT = "sat"  # the word of an address that says who sat at the seats of a recorded game, as JSON
MOST_NAME = 1000  # characters
MOST_ADDRESS = 47_000  # characters of an address that holds a whole game
MOST_BARS = 5  # actions of a decision that are shown
# What is written around a game that is looked at; "{0}" is filled in by the page.
REPLAY_LABELS = {
    "first": "to the beginning",
    "back": "one move back",
    "next": "one move on",
    "last": "to the end",
    "move": "move",
    "open": "Open tiles of",
    "steps": "Moves",
    "looking": "Looking at every decision",
    "no_choice": "At the next move there is no choice.",
    "turn": "Move {0}, {1}",
    "action": "action",
    "chips": "chips",
    "played": "(played)",
    "largest": "Largest losses",
    "loses": "{0} loses {1} chips",
    "no_loss": "No decision loses more than the noise of the search.",
    "by_player": "By player",
    "player": "player",
    "decisions": "decisions",
    "lost": "chips lost",
    "by_kind": "by kind of mistake",
    "expected": "Expected result: {0}",
    "luck": "Luck",
    "seat": "seat",
    "won": "won",
    "tiles": "the tiles",
    "adjusted": "luck-adjusted",
    "policy": "What would {0} have played?",
    "nobody_asked": "nobody",
}
HOW_FOUND = (
    "At each decision: the chips that an action brings on average by {0}, with 95% intervals of the difference from "
    "the best one. The search sees what the seat could know. Losses within its noise are not counted."
)
HOW_EXPECTED = (
    "Chips that the game brings after each decision, with 95% intervals, down to what it brought. A mark shows where a "
    "decision lost more than noise."
)
HOW_LUCKY = (
    "What the tiles were worth: chips that {0} at all seats wins with them on average, in {1} games of the same deal, "
    "with 95% intervals. What was won beyond that is due to play, of all seats together."
)


# --- addresses of recorded games ------------------------------------------------------------------


def address_of(record: GameRecord) -> str:
    """Return the query that holds a whole recorded game, "" for one that is too long for an address."""
    words = {
        **words_of_rules(record.game, record.variant),
        "seed": str(record.seed),
        "episode": str(record.episode or ""),
        SAT: json.dumps(list(record.agents), ensure_ascii=False, separators=(",", ":")),
        "order": ".".join(map(str, record.order)),
        "moves": ".".join(map(str, record.actions)),
        "review": "1",
    }
    query = query_of(words)
    return query if len(query) < MOST_ADDRESS and len(record.actions) <= MOST_MOVES else ""


def record_of(query: Mapping[str, str], players: Players) -> GameRecord:
    """Return the game that an address holds, of a table or of `address_of`. Raises: ValueError, in one line."""
    if SAT not in query:
        seating = WebGame(Address.read(query, players))
        if not seating.terminated:
            raise ValueError("the game is not over; it can be looked at when it is")
        return seating.session.record(seating.address.seating)
    game, variant = rules_of(query)
    names = _names(query[SAT], variant.players)
    order = order_of(game, variant, list(moves_in(query["order"]))) if query.get("order") else ()
    seed, episode = number_in(query, "seed", 0, KEYS - 1), number_in(query, "episode", 0, 1 << 30)
    session = Session(game, variant, seed, episode, order)
    play_on(session, moves_in(query.get("moves", "")))
    if not session.terminated:
        raise ValueError(say("the game is not over after its {moves} moves", moves=len(session.actions)))
    return session.record(names)


def _names(text: str, seats: int) -> list[str]:
    """Return who sat at the seats. Raises: ValueError."""
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or len(names) != seats:
        raise refused(SAT, text, say("it is a list of {seats} names, as JSON", seats=seats))
    return check_names(names)


def check_names(names: Sequence[Any]) -> list[str]:
    """Return who sat at the seats of a recorded game, of an address and of a file alike. Raises: ValueError."""
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or len(name) > MOST_NAME:
            raise ValueError(
                say(
                    "{name} cannot name a player; a name has up to {most:,} characters, all of them printable",
                    name=short_repr(name),
                    most=MOST_NAME,
                )
            )
    return list(names)


def again_from(record: GameRecord, turn: Decision, agent: str, players: Players) -> str:
    """Return the address of a practice table at a decision, "" if tables do not deal as the game was dealt.

    Args:
        agent: Who sits where a person sat, or somebody who may not be named here.
    """
    if record.order:
        return ""

    def allowed(name: str) -> str:
        try:
            players.check(name, record.game, record.variant)
        except ValueError:
            return agent
        return name

    others = tuple(allowed(name) for seat, name in enumerate(record.agents) if seat != turn.seat)
    moves = record.actions[: turn.number - 1]
    episode = record.episode or 0
    return Address(record.game, record.variant, record.seed, episode, turn.seat, others, moves=tuple(moves)).query


# --- every table of a game ------------------------------------------------------------------------


def replay(record: GameRecord, near: int | None = None, address: str = "") -> dict[str, Any]:
    """Return a game as data: what it is, and its tables from the first deal to its end.

    Of a table, a place that is as it was a table before is None; `closed` are the places as the others see them.

    Args:
        near: The seat at the near side; None: see `near_of`.
        address: Of the page that shows it.
    """
    game, variant, names, seats = record.game, record.variant, called(record), places(record)
    near = near_of(record) if near is None else near
    labels = LABELS | REPLAY_LABELS
    return {
        "replay": True,
        "address": address,
        "game": game.id,
        "seed": str(record.seed),
        "record": record.line,
        "language": spoken(),
        "title": title_in(title(game, variant)),
        "labels": {name: word(label) for name, label in labels.items()},
        "terms": [[word(term), word(meaning)] for term, meaning in guide_of(game, variant).terms.items()],
        "places": [word(place) for place in [*seats[near:], *seats[:near]]],
        "result": word(results(names, [sum(chips) for chips in zip(*record.payoffs, strict=True)])),
        "moves": [],
        "zones": [],
        "over": True,
        "composed": False,
        "frames": list(_frames(record, names, near)),
    }


def _frames(record: GameRecord, names: Sequence[str], near: int) -> Iterator[dict[str, Any]]:
    """Yield the tables of a game. number: of the move that led to one, or "" where a deal begins."""
    session, known = Session.of(record), tuple[str, ...]()
    before: list[Any] = [[], []]
    for action in (None, *record.actions):
        if action is None:
            scene, words, number, paid = session.scene(names, first=near), "", "", None
            words = scene.last_move
        else:
            step = session.take(action, names, known, near)
            scene, number, paid = step.scene, str(len(session.actions)), step.payoffs
            words = say("{name}: {move}", name=names[step.seat], move=say(step.words))
            if paid is not None:
                words = say("{move}. The deal ends: {result}", move=words, result=results(names, paid))
            elif step.news:
                words = say("{move} ({news})", move=words, news=say(step.news))
        known = scene.notes
        yield _frame(session.as_paid(paid), scene, names, near, before) | {"number": number, "words": word(words)}
        if paid is not None and not session.terminated:
            scene = session.scene(names, first=near)
            words = joined(". ", [say("Deal {deal}", deal=int(session.state.deal) + 1), scene.last_move])
            known = scene.notes
            yield _frame(session, scene, names, near, before) | {"number": "", "words": word(words)}


def _frame(session: Session, scene: Any, names: Sequence[str], near: int, before: list[Any]) -> dict[str, Any]:
    """Return a table; `before` are the places of the one before and these closed, and becomes that of this one."""
    table, closed = scene_data(scene, set(), False), []
    views, paid = session.views(), session.paid() if session.terminated else None
    for seat in [*range(near, len(views)), *range(near)]:
        others = [*views[seat + 1 :], *views[:seat]]
        hidden = scene_data(session.game.scene(session.variant, others, names, paid), set(), False)
        closed.append(next(place for place in hidden["places"] if place["name"] == word(names[seat])))
    places = [table["places"], closed]
    changed = [
        [None if old and place == old[index] else place for index, place in enumerate(new)]
        for new, old in zip(places, before, strict=True)
    ]
    before[:] = places
    return {"scene": table | {"places": changed[0]}, "closed": changed[1]}


# --- what moves lost ------------------------------------------------------------------------------


def review(query: Mapping[str, str], players: Players) -> dict[str, Any]:
    """Return a game that an address holds as data; with the word `values` what its moves lost instead of its tables.

    Raises:
        ValueError: In one line, for what no game can be.
    """
    record = record_of(query, players)
    return (
        values(record, query.get("agent", ""), players)
        if "values" in query
        else replay(record, None, address_of(record))
    )


def values(record: GameRecord, agent: str, players: Players) -> dict[str, Any]:
    """Return what the decisions of a game lost, as data.

    Args:
        agent: Whose policy is shown, "" for nobody's.
        players: Those that a page may name.
    """
    game, variant, names, near = record.game, record.variant, called(record), near_of(record)
    turns, batch = judged(record)
    policy = None
    if agent and batch is not None:
        policy = probabilities(players.agent(agent, game, variant), game, variant, batch)
    opponent = agent or [*[name for name in players.names(game, variant) if ":" not in name], "random"][0]
    seats = [mistakes([turn for turn in turns if turn.seat == seat], name) for seat, name in enumerate(names)]
    fortunes = luck(record)
    return {
        "how_found": word(HOW_FOUND).format(ADVISER),
        "how_expected": word(HOW_EXPECTED),
        "how_lucky": word(HOW_LUCKY).format(fortunes[0].player, AGAIN) if fortunes else "",
        "agent": agent,
        "agents": [[name, word(name)] for name in players.names(game, variant) if name not in SEARCHES],
        "turns": {
            str(turn.number): _turn(record, turn, names, [] if policy is None else policy[row].tolist())
            | {"again": again_from(record, turn, opponent, players)}
            for row, turn in enumerate(turns)
        },
        "losses": [str(turn.number) for turn in largest_losses(turns)],
        "curve": expected(record, [turn for turn in turns if turn.seat == near]),
        "near": word(names[near]),
        "seats": [
            [
                word(seat.name),
                str(seat.decisions),
                figure(seat.lost, seat.half, signed=False),
                word(by_kind(seat.kinds, 1)),
            ]
            for seat in seats
        ],
        "luck": [
            [
                word(name),
                f"{won:+z.6g}",
                figure(value.mean, value.half_width),
                figure(won - value.mean, value.half_width),
            ]
            for name, won, value, _ in fortunes
        ],
    }


def _turn(record: GameRecord, turn: Decision, names: Sequence[str], policy: Sequence[float]) -> dict[str, Any]:
    """Return a decision as data; policy: the probability of each action, [] if nobody was asked."""
    listed = turn.ranked[:MOST_BARS]
    if turn.played not in listed:
        listed = [*listed[:-1], turn.played]
    sentences = ["No action has a higher value."]
    if turn.sure:
        because = why(record, turn) or _reply(record, turn, names)
        sentences = [
            say("It loses {loss} chips.", loss=turn.lost),
            say("{sentence}.", sentence=because) if because else "",
        ]
    elif turn.played.loss > 0:
        sentences = ["What it loses is within the noise of the search."]
    return {
        "name": word(names[turn.seat]),
        "words": word(in_words(record.game.move(turn.played.action, turn.view))),
        "lost": turn.lost if turn.sure else "",
        "sentences": [word(sentence) for sentence in sentences],
        "bars": [
            {
                "words": word(in_words(record.game.move(value.action, turn.view))),
                "chips": word(chips),
                "mean": None if value.dropped else value.mean,
                "half": value.half,
                "played": value is turn.played,
                "share": f"{policy[value.action]:.0%}" if policy else "",
            }
            for value, chips in zip(listed, value_texts(listed), strict=True)
        ],
    }


def _reply(record: GameRecord, turn: Decision, names: Sequence[str]) -> str:
    """Return in a sentence which reply punishes the move that was played, "" if none does."""
    session = Session.of(record)
    play_on(session, record.actions[: turn.number - 1])
    return reply_in_words(session, turn.played.action, turn.seat, names)
