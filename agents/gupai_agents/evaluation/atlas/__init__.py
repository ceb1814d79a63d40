"""Questions about a game that are answered by play, each by a module here.

A module answers for a `Study` by tables, of which commands, pages and JSON are made alike.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from gupai_agents.evaluation.atlas.report import Answer, Table, tables_in
from gupai_agents.evaluation.atlas.study import Study, study_of
from gupai_agents.evaluation.atlas.tiles import hand_worth
from gupai_env.core.tiles import parse_tiles
from gupai_env.messages.checks import short_repr

__all__ = ["QUESTIONS", "Answer", "Question", "Study", "Table", "answer", "answer_about_hand", "study_of", "tables_in"]


class Question(NamedTuple):
    """A question.

    title: Of pages.
    asks: What it is about, a line.
    """

    title: str
    asks: str


QUESTIONS: Mapping[str, Question] = {
    "play": Question(
        "How deals go",
        "what each seat wins, how long deals are and how they end, what the hand and the player explain, and where the "
        "strong choose otherwise than the weak",
    ),
    "tiles": Question(
        "What a hand is worth",
        "the value of each tile in the hand that is dealt, against the mean tile, and what else of a hand matters",
    ),
    "seats": Question(
        "Whom to sit behind",
        "who gains, by turn, what a weaker player loses among the best, and by which of its mistakes",
    ),
    "sure": Question(
        "How sure one can be",
        "how many deals it takes until the best player is ahead of the others beyond luck, and how often they choose "
        "alike",
    ),
    "openings": Question("What to lead", "what to lead first, by kind of hand, and what other leads cost"),
    "secrets": Question(
        "What a secret is worth",
        "what a seat gains that sees everything, the next hand, the next tile of the stock or what lies face down, and "
        "what it loses if its own hand is seen",
    ),
    "mixing": Question(
        "Where to be unpredictable",
        "what it costs never to mix on the tiny deck, exactly, and a position in which every equilibrium mixes",
    ),
}


def answer(study: Study, question: str) -> Answer:
    """Answer a question; raises ValueError for one that is not in QUESTIONS, and for too few deals."""
    if question not in QUESTIONS:
        raise ValueError(f"{short_repr(question)} is not a question; they are {', '.join(QUESTIONS)}")
    return Answer(question, study, import_module(f"{__name__}.{question}").tables(study))


def answer_about_hand(study: Study, hand: str) -> Answer:
    """Answer what a hand, such as "[6:6][5:4]", is worth in each place; raises ValueError for one that is not dealt."""
    return Answer(hand, study, (hand_worth(study, parse_tiles(hand)),))
