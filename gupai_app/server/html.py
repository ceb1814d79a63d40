"""HTML from the templates of all subjects, worded in the language that is spoken. It needs no server."""

from collections.abc import Mapping
from contextvars import ContextVar
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from gupai_agents.evaluation.pages.chart import templates
from gupai_app.play.pictures import pictured
from gupai_app.words.languages import LANGUAGES, spoken
from gupai_app.words.sentences import by_kind, choice_in, error_in, game_in, option_in, title_in
from gupai_env.messages import word
from gupai_env.render.pieces import DARK, LIGHT, style

# Packages of the app with pages, `routes.py` and `templates`: the address of the first and its name in the navigation.
SUBJECTS = {
    "play": ("/", "Games"),
    "review": ("/review", "Review"),
    "kept": ("/kept", "My games"),
    "claims": ("/claims", "Claims"),
    "tournaments": ("/tournaments", "Tournaments"),
    "training": ("/runs", "Runs"),
}
REQUEST: ContextVar[Mapping[str, Any]] = ContextVar("request")  # its scope, as ASGI has it


def subject() -> str:
    """Return the subject of the page that is asked for, "" if none is."""
    endpoint = REQUEST.get({}).get("endpoint")
    return endpoint.__module__.rpartition(".routes")[0].rpartition(".")[2] if endpoint else ""


TEMPLATES = templates(*(f"gupai_app.{subject}" for subject in (*SUBJECTS, "server")))
TEMPLATES.filters.update(pictured=pictured, error=error_in)
TEMPLATES.globals.update(
    _=word, title_in=title_in, option_in=option_in, choice_in=choice_in, game_in=game_in, by_kind=by_kind
)
TEMPLATES.globals.update(language=spoken, languages=LANGUAGES, subjects=SUBJECTS, subject=subject)


def filled(name: str, /, **words: Any) -> Markup:
    """Return a rendered template."""
    return Markup(TEMPLATES.get_template(name).render(words))


def sheet(name: str) -> Markup:
    """Return a CSS style sheet, with those of a table and the colours of drawings filled in."""
    return filled(name, table=table_sheet())


def table_sheet(*names: str) -> Markup:
    """Return the style sheet of a table and others of its package, with the colours of tiles in both themes."""
    rules = "".join((files("gupai_app.page") / name).read_text(encoding="utf-8") for name in ("table.css", *names))
    return Markup(f"{rules}{style(LIGHT)}\n@media (prefers-color-scheme: dark) {{ {style(DARK)} }}\n")
