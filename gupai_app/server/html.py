"""HTML from the templates of all subjects, worded in the language that is spoken. It needs no server."""

from typing import Any

from markupsafe import Markup

from gupai_agents.evaluation.pages.chart import templates
from gupai_app.play.pictures import pictured
from gupai_app.words.languages import LANGUAGES, spoken
from gupai_app.words.sentences import by_kind, choice_in, error_in, game_in, option_in, title_in
from gupai_env.messages import word
from gupai_env.render.pieces import DARK, LIGHT, style

SUBJECTS = ("play", "review", "kept", "claims", "tournaments", "training", "server")  # each with a folder of templates
TEMPLATES = templates(*(f"gupai_app.{subject}" for subject in SUBJECTS))
TEMPLATES.filters.update(pictured=pictured, error=error_in)
TEMPLATES.globals.update(
    _=word, title_in=title_in, option_in=option_in, choice_in=choice_in, game_in=game_in, by_kind=by_kind
)
TEMPLATES.globals.update(language=spoken, languages=LANGUAGES)


def filled(name: str, /, **words: Any) -> Markup:
    """Return a rendered template."""
    return Markup(TEMPLATES.get_template(name).render(words))


def sheet(name: str) -> Markup:
    """Return a CSS style sheet, with the colours of drawings filled in."""
    return filled(name, light=style(LIGHT), dark=style(DARK))
