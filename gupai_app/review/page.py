"""Pages with games in them as HTML files: they step through recorded games, with all they need inside."""

from typing import Any

from markupsafe import Markup

from gupai_agents.evaluation.records.games import GameRecord
from gupai_app.page.file import in_one, policy_of
from gupai_app.play.pictures import table_definitions
from gupai_app.review.document import replay
from gupai_app.server.html import filled, sheet, table_sheet
from gupai_env.games.phrases import title

REPLAYED = "game=1"  # the address of a game in its own page, to which a move is added


def stepper(record: GameRecord, near: int | None = None, address: str = "", element: str = "div") -> Markup:
    """Return the element of a page that steps through a game; a script draws it.

    Args:
        near: The seat at the near side; None: see `replay`.
        address: Of the game in that page, "" where a page has several.
        element: The name of the element.
    """
    return filled("stepper.html", game=replay(record, near, address), element=element)


def game_page(record: GameRecord) -> str:
    """Return a page with one game."""
    body = stepper(record, address=REPLAYED, element="main")
    return _page(title(record.game, record.variant), body, table_sheet("page.css"))


def page(head: str, body: Markup) -> str:
    """Return a self-contained HTML file, whose content security policy forbids loading anything else.

    Args:
        head: The title.
        body: The content.
    """
    return _page(head, Markup("<main>{}</main>").format(body), sheet("page.css"))


def _page(head: str, body: Markup, rules: Markup) -> str:
    script = in_one("page", "replay")
    words: dict[str, Any] = {"head": head, "body": body, "sheet": rules, "script": Markup(script)}
    return str(filled("file.html", policy=policy_of(rules, script), definitions=table_definitions(), **words))
