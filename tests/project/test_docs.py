"""The documentation says what is true: generated pages are current, and the code that it shows runs."""

import ast
import importlib
import importlib.util
import json
import pkgutil
import re
from dataclasses import replace
from functools import partial

import pytest

from checkout import ROOT, SHIPPED, files, tool
from gupai_agents.evaluation.statistics import Estimate
from gupai_app.play.session import Session
from gupai_env.core.game import PROVIDED, Game
from gupai_env.games import GAMES

BY_SCRIPT = re.compile(r"\*Written by `tools/").match


def test_generated_pages_are_current():
    files = tool("pages").repository_files()
    old = [str(path.relative_to(ROOT)) for path, text in files.items() if path.read_text(encoding="utf-8") != text()]
    assert not old, "run: python tools/pages.py"


def test_pages_name_their_script_at_the_end():
    texts = [path.read_text(encoding="utf-8") for path in files("docs", name="*.md")]
    named = [lines for text in texts if (lines := text.rstrip().splitlines()) and any(map(BY_SCRIPT, lines))]
    assert len(named) > len(GAMES) and all(map(BY_SCRIPT, (lines[-1] for lines in named)))
    assert not [lines for lines in named if any(map(BY_SCRIPT, lines[:-1]))]


def test_option_types_equal_the_variants():
    files = tool("options").files()
    old = [str(path.relative_to(ROOT)) for path, text in files.items() if path.read_text(encoding="utf-8") != text]
    assert not old, "run: python tools/options.py"


@pytest.mark.parametrize("game", GAMES)
def test_annotated_deal_replays_to_the_byte(game):
    deal = json.loads((ROOT / "results" / "annotated" / f"{game}.json").read_text(encoding="utf-8"))
    printed = json.loads(deal["record"])
    session = Session(
        GAMES[game], GAMES[game].variant.make(**printed["variant"]), int(printed["seed"]), printed["episode"]
    )
    for number, action in enumerate(printed["actions"], 1):
        view, legal = session.view(session.seat), session.mask().nonzero()[0]
        choices = [session.game.action_name(int(each), view) for each in legal]
        if len(choices) > 1:
            assert deal["notes"][str(number)]["best"] in choices
        session.play(action)
    assert session.record(printed["agents"]).line == deal["record"]


STRATEGY = ROOT / "docs" / "strategy"
ADVICE = re.compile(r"^\*\*(.+?)\*\*$", re.M | re.S)
DRAWING = re.compile(r"\]\((positions/.+?\.svg)\)")
ABOUT_NO_MOVE = "Take the seat", "Hide what you hold"  # advice that nobody follows or not in a decision


def advice_on(game: str) -> dict[str, str]:
    """Return the pieces of advice on the page of a game: what is below each bold line."""
    page = (STRATEGY / f"{game}.md").read_text(encoding="utf-8").partition("\n## Advice\n")[2]
    parts = ADVICE.split(page)
    return {" ".join(bold.split()): text for bold, text in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.mark.parametrize("game", GAMES)
def test_strategy_page_is_current(game):
    written = (STRATEGY / f"{game}.md").read_text(encoding="utf-8")
    strategy = tool("strategy")
    try:
        assert written == strategy.page(GAMES[game]), "run: python tools/strategy.py"
    except strategy.UndrawnError as error:
        pytest.fail(f"{error} is to be drawn again; run: python tools/strategy.py")


@pytest.mark.parametrize("game", GAMES)
def test_advice_is_a_bold_line_with_a_figure_and_a_position(game):
    goal = (STRATEGY / f"{game}.md").read_text(encoding="utf-8").split("\n\n")[1]
    assert len(re.findall(r"[.?](?=\s|$)", goal)) <= 3, goal
    advice = advice_on(game)
    assert 5 <= len(advice) <= 9
    for bold in advice:
        assert re.search(r"\d \u00b1\d|\d chips|\d to \d", bold), bold
    advice = {bold: text for bold, text in advice.items() if not bold.startswith(ABOUT_NO_MOVE)}
    for bold, text in advice.items():
        assert len(DRAWING.findall(text)) <= 1
        assert "trong players" in text or game == "pai-gow", bold
    assert sum(bool(DRAWING.search(text)) for text in advice.values()) >= len(advice) - 1


@pytest.mark.parametrize("game", GAMES)
def test_figures_of_advice_are_filled_in_from_results(game):
    """What is typed has no figure but numbers on tiles: counts are words, and all else has a name."""
    template = (ROOT / "tools" / "templates" / "strategy" / f"{game}.md").read_text(encoding="utf-8")
    typed = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\]\([^)]*\)|\[\d:\d\]", "", template, flags=re.S)
    assert not re.findall(r".{9}(?:\d[.,]?\d|[7890\u00b1%]|[+-]\d)", typed)


def test_drawings_of_advice_stand_once():
    pages = "".join(path.read_text(encoding="utf-8") for path in STRATEGY.glob("*.md"))
    shown = DRAWING.findall(pages)
    drawings = {path.name: path.read_bytes() for path in (STRATEGY / "positions").glob("*.svg")}
    assert sorted(shown) == sorted(f"positions/{name}" for name in drawings)
    assert len(set(drawings.values())) == len(drawings)


@pytest.mark.parametrize("turned", ["gain", "loss"])
def test_words_that_disagree_with_their_figure_are_refused(turned, monkeypatch):
    """A figure named as a gain, or a loss, is refused with the opposite sign and with zero in its interval."""
    strategy, game = tool("strategy"), GAMES["tiu-u"]
    for change in (lambda mean, half: (-mean, half), lambda mean, half: (mean, 2 * abs(mean))):
        figures = strategy.Figures(game, strategy.verdicts_of(game), strategy.recorded_positions())
        name = ("tu-third-tile", 2 if turned == "loss" else 1)
        finding = figures.finding(*name)
        words = {"loss": figures.loss, "gain": partial(figures.gain, other=True)}[turned]
        assert words(*name)
        effect = finding.pooled.effect
        effect = Estimate.symmetric(*change(effect.mean, effect.half_width), effect.samples)
        changed = replace(finding, pooled=replace(finding.pooled, effect=effect))
        monkeypatch.setattr(figures, "finding", lambda *_, changed=changed: changed)
        with pytest.raises(ValueError, match=f"which is no {turned}"):
            words(*name)


def test_figure_on_which_opponents_disagree_is_no_gain(monkeypatch):
    strategy, game = tool("strategy"), GAMES["tiu-u"]
    figures = strategy.Figures(game, strategy.verdicts_of(game), strategy.recorded_positions())
    assert figures.gain("tu-big-fish", 3)
    changed = replace(figures.finding("tu-big-fish", 3), verdict="it depends")
    monkeypatch.setattr(figures, "finding", lambda *name: changed)
    with pytest.raises(ValueError, match="which is no gain"):
        figures.gain("tu-big-fish", 3)
    assert figures.gain("tu-big-fish", 3, against="greedy")


def test_charts_equal_the_recorded_figures():
    charts = tool("charts")
    drawings = {path.stem: path.read_text(encoding="utf-8") for path in files("docs/charts", name="*.svg")}
    written = {name: text for name, text in drawings.items() if not name.startswith("learning-")}  # of the site
    assert written == charts.charts(), "run: python tools/charts.py"


@pytest.mark.parametrize("game", GAMES)
def test_readme_and_configurations_name_every_game(game):
    assert f"gupai/{game}-v0" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / "configs" / f"{GAMES[game].identifier}.yaml").is_file()


def test_claims_page_has_a_verdict_on_every_reading():
    from gupai_agents.evaluation.claims import read_claim
    from gupai_app.claims import terminal as claims

    page = "".join(path.read_text(encoding="utf-8") for path in files("docs/claims", name="*.md"))
    for path in claims.paths():
        claim = read_claim(path)
        assert f"## {claim.id}\n" in page, "run: python tools/claims.py"
        assert all(f"**{reading.name}: " in page for reading in claim.readings), "run: python tools/claims.py"
    for path, text in tool("claims").pages().items():
        assert path.read_text(encoding="utf-8") == text, "run: python tools/claims.py --page"


PAGES = [
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "pettingzoo",
            "vector",
            "gymnasium",
            "positions",
            "records",
            "datasets",
            "evaluation",
            "players",
            "claims-guide",
        )
    ),
    "docs/writing-an-agent.md",
    "docs/your-network.md",
    *(f"docs/start/{name}.md" for name in ("install", "train", "compare", "claim")),
]


def blocks_of(text: str) -> list[str]:
    """Return the code on a page."""
    return re.findall(r"```python\n(.*?)```", text, re.S)


BLOCKS = list(dict.fromkeys(block for page in PAGES for block in blocks_of((ROOT / page).read_text(encoding="utf-8"))))


QUICKER = {
    "200_000": "8192",
    "100_000": "100",
    "20_000": "200",
    "8192": "256",
    "n_steps=256": "n_steps=16",
    "n_steps=32": "n_steps=4",
    "range(1000)": "range(20)",
    "deals=100)": "deals=10)",
}


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_page_code_runs(block, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    if "minari" in block:
        pytest.importorskip("minari", reason="its collector needs gupai[minari]")
        monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    if "pettingzoo.make" in block:
        pytest.importorskip("pettingzoo", "1.27", reason="older ones have no registry")
    if "onnx:" in block:
        pytest.importorskip("onnxruntime", reason="graphs need gupai[onnx]")
    for slow, quick in QUICKER.items():
        block = block.replace(slow, quick)
    exec(block, {})
    if any(tmp_path.iterdir()):
        exec(block, {})  # over its own files


@pytest.mark.parametrize("game", GAMES)
def test_code_on_the_page_of_a_game_runs(game):
    (block,) = blocks_of(tool("game_pages").page(GAMES[game]))
    exec(block, {})


def test_links_between_pages_resolve():
    site = tool("pages").site_files()
    for path in [ROOT / "README.md", *files("docs", name="*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            file = (path.parent / target).resolve()
            assert (file.exists() and file not in site) or (path.name != "README.md" and file in site), (path, target)


def lacks_an_extra(name: str) -> bool:
    """Whether a module of this name is there, but not a library that it imports."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        try:
            importlib.import_module(".".join(parts[:end]))
        except ImportError as error:
            missing = getattr(error.__cause__ or error, "name", None)
            return bool(missing) and not missing.startswith("gupai")
    return False


def test_dotted_names_on_pages_can_be_imported():
    wrong = {}
    for path in [ROOT / "README.md", *files("docs", name="*.md")]:
        for code in re.findall(r"```.*?```|`[^`\n]+`", path.read_text(encoding="utf-8"), re.S):
            for name in re.findall(
                r"(?<![\w./-])(gupai_(?:env|agents|training|app)(?:\.[A-Za-z_]\w*)+)(?![\w/])", code
            ):
                try:
                    pkgutil.resolve_name(name)
                except (AttributeError, ImportError):
                    if not lacks_an_extra(name):
                        wrong[name] = str(path.relative_to(ROOT))
    assert not wrong


def named_in_vain(source: str) -> list[str]:
    """What docstrings explain as `name: ...` that is not an argument of the function or attribute of the class."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        text, inner = ast.get_docstring(node) or "", list(ast.walk(node))
        arguments = {each.arg for each in inner if isinstance(each, ast.arg)}
        attributes = {each.attr for each in inner if isinstance(each, ast.Attribute)}
        fields = {
            each.target.id for each in inner if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        methods = {each.name for each in inner if isinstance(each, ast.FunctionDef)}
        if isinstance(node, ast.FunctionDef) and node.args.kwarg and "Unpack" in ast.dump(node.args.kwarg):
            continue  # options are those of a game, and its variant writes what they mean
        if isinstance(node, ast.FunctionDef):
            listed = re.search(r"Args[^:\n]*:(.*?)(?:\n\s*\n|\nReturns|\nRaises|\Z)", text, re.S)
            known, text = arguments, listed[1] if listed else ""
        else:
            known, text = arguments | attributes | fields | methods, text if fields else ""
        for names in re.findall(r"(?:^|\n|[.;] )[ *]*([a-z_]+(?:, \**[a-z_]+)*): ", text):
            found += [f"{node.name}: {name}" for name in names.replace("*", "").split(", ") if name not in known]
    return found


@pytest.mark.parametrize("package", SHIPPED)
def test_docstrings_explain_existing_arguments_and_attributes(package):
    found = {path.name: named_in_vain(path.read_text(encoding="utf-8")) for path in files(package, name="*.py")}
    assert not {name: each for name, each in found.items() if each}


def test_renamed_argument_is_found_in_its_docstring():
    function = 'def play(envs):\n    """Play.\n\n    Args: lanes: where.\n    """'
    record = 'class Row:\n    """A row.\n\n    keys: of chance. seat: who.\n    """\n    rng_keys: int\n    seat: int'
    assert (named_in_vain(function), named_in_vain(record)) == (["play: lanes"], ["Row: keys"])


def contract_of_the_docstring(text: str) -> list[str]:
    """The names that Game's docstring, its indentation kept, explains as what a module provides."""
    lines = re.findall(r"^ {8}(\w[\w, ]*)(?:\(.*?\))?: ", text, re.M)
    return [name for names in lines for name in names.split(", ")]


def contract_of_the_page(text: str) -> list[str]:
    """The names in the first column of the page's table of what a package provides."""
    rows = re.findall(r"^\| (`[^|]*) \|", text, re.M)
    return [name for row in rows for name in re.findall(r"`(\w+)", row)]


def test_contract_on_the_page_equals_the_code():
    page = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
    instead = {"DECKS", "LAYOUT"}  # data from which `deck` and the encoder follow
    assert set(contract_of_the_docstring(Game.__doc__)) == {*PROVIDED, *instead}
    assert set(contract_of_the_page(page)) == {*PROVIDED, *instead, "encoder", "table", "hints", "summary", "GAME"}


def test_renamed_part_of_the_contract_is_found():
    docstring = "\n    module_name: as\n        STATE, VIEW: dtypes.\n        worth(view): sums\n            it: is."
    page = "| name | does |\n|---|---|\n| `STATE` | `state_dtype(seats)` |\n| `FEATURES`, `worth(view)` | sum |"
    assert contract_of_the_docstring(docstring) == ["STATE", "VIEW", "worth"]
    assert contract_of_the_page(page) == ["STATE", "FEATURES", "worth"]


@pytest.mark.parametrize("page", [f"docs/{name}.md" for name in ("architecture", "engine", "adding-a-game")])
def test_modules_named_on_a_page_exist(page):
    modules = files(*SHIPPED, name="*.py")
    named = re.findall(r"`([\w/]+\.py)`", (ROOT / page).read_text(encoding="utf-8"))
    assert named
    for name in named:
        assert (ROOT / name).is_file() or any(f"/{name}" in path.as_posix() for path in modules), name


@pytest.mark.parametrize(
    "file",
    [*files("tools", name="tools/*.py"), *files("benchmarks", name="benchmarks/*.py")],
    ids=lambda file: file.name,
)
def test_scripts_read_their_arguments_before_they_write(file):
    text = file.read_text(encoding="utf-8")
    assert ("__main__" in text) == bool(re.search(r"\.parse_(known_)?args\(", text))
