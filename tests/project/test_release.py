"""What a release promises: the public API, the wheel, versions that are said in several places, model cards."""

import difflib
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import gupai_env
from checkout import ROOT, files, tool
from gupai_agents.evaluation.claims.files import paths
from gupai_agents.shipped import NETWORKS
from gupai_env.storage.models import parse_yaml

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MOST_BYTES = 14_300_000  # of which networks are 12 MB, those of suites among them, and WebAssembly 0.6 MB
FROM_OURS = re.compile(r"^\s*from (gupai_[\w.]+) import ([^#(\n]+)", re.M)


def test_public_api_equals_the_list():
    listed = (ROOT / "docs" / "api.txt").read_text(encoding="utf-8").splitlines()
    changed = [
        line
        for line in difflib.unified_diff(listed, tool("api").api().splitlines(), lineterm="", n=0)
        if line[0] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert not changed, (
        "the public API changed. If that is meant: python tools/api.py, and a line in CHANGELOG.md\n"
        + "\n".join(changed)
    )


def test_commands_page_equals_the_parser():
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert page == tool("api").commands_page(), "run: python tools/api.py"


def test_imports_of_the_documents_are_public():
    api = tool("api")
    public = {f"{module}.{name}" for module in api.PUBLIC for name in api.names_of(module)}
    modules = {name.rpartition(".")[0] for name in public}
    modules |= {f"gupai_env.positions.{game.identifier}" for game in gupai_env.GAMES.values()}
    # A variant of a game that ships is made of the parts of its package.
    modules |= {
        f"{game.module_name}.{part}" for game in gupai_env.GAMES.values() for part in ("GAME", "guide", "rules")
    }
    texts = [ROOT / "README.md", *files("docs", name="*.md"), *files("examples", name="*.py")]
    named = {
        f"{module}.{name.strip().partition(' as ')[0]}"
        for path in texts
        for module, names in FROM_OURS.findall(path.read_text(encoding="utf-8"))
        for name in names.split(",")
        if name.strip()
    }
    assert len(named) > 20
    # A page is added to `gupai_app` itself, in a checkout: the application is no library.
    assert {name for name in named - public - modules if not name.startswith("gupai_app.server.")} == set()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    builders = pytest.importorskip("hatchling.builders.wheel", reason="there is no hatchling: no wheel is built")
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(builders.WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))


def test_wheel_is_small_and_complete(wheel):
    assert wheel.stat().st_size < MOST_BYTES
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "gupai_env",
        "gupai_agents",
        "gupai_training",
        "gupai_app",
        f"gupai-{PROJECT['version']}.dist-info",
    }
    for folder, file in (
        ("gupai_training/configs", "jie_long.yaml"),
        ("gupai_training/configs/claims", "jl-attack-2.yaml"),
        ("gupai_training/configs/strong", "jie_long.yaml"),
        *(("gupai_agents/evaluation/claims/recorded", f"{path.stem}.json") for path in paths()),
        ("gupai_agents/shipped/weights", "jie-long.yaml"),
        ("gupai_agents/shipped/cards", "jie-long.yaml"),
        ("gupai_env/render", "letters.otf"),
        *((f"gupai_app/{path.parent.name}", path.name) for path in files("gupai_app", name="gupai_app/*/*.py")),
        ("gupai_app/play/templates", ""),
        ("gupai_agents/evaluation/pages/templates", ""),
        ("gupai_training/templates", ""),
        ("gupai_app/server/static", ""),
        ("gupai_env", "py.typed"),
        *(("gupai_agents/shipped/networks", path.name) for path in NETWORKS.glob("*.safetensors")),
    ):
        assert any(name.startswith(f"{folder}/{file}") for name in names), f"{folder}/{file}"
    assert not [name for name in names if name.endswith((".nbi", ".nbc", ".pyc"))]


def test_only_a_wheel_without_machine_code_needs_numba(wheel, tmp_path, monkeypatch):
    code = tmp_path / "code"
    code.mkdir()
    (code / "sources.json").write_text("{}")
    monkeypatch.setenv("GUPAI_WHEEL_CODE", str(code))
    monkeypatch.setenv("GUPAI_WHEEL_TAG", "win_amd64")
    builders = pytest.importorskip("hatchling.builders.wheel")
    platform = Path(next(builders.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])))
    assert platform.name.endswith("-cp311-abi3-win_amd64.whl") and wheel.name.endswith("-py3-none-any.whl")
    assert [needs_numba(each) for each in (wheel, platform)] == [True, False]
    # Any wheel holds the WebAssembly that was made in this checkout, if any was.
    code_in = [
        [name for name in zipfile.ZipFile(each).namelist() if "/machine_code/" in name and "/wasm32/" not in name]
        for each in (wheel, platform)
    ]
    assert code_in == [[], ["gupai_env/machine_code/sources.json"]]


@pytest.mark.parametrize("made", [True, False])
def test_every_wheel_holds_the_webassembly_that_was_made(made, tmp_path, monkeypatch):
    hook = pytest.importorskip("hatchling") and tool("build_hook").MachineCode
    modules = tmp_path / "gupai_env/machine_code/wasm32"
    if made:
        modules.mkdir(parents=True)
    for code in ("", "code"):
        monkeypatch.setenv("GUPAI_WHEEL_CODE", code)
        for version, held in (("standard", made), ("editable", False)):
            data = {"force_include": {}, "dependencies": []}
            metadata = SimpleNamespace(core=SimpleNamespace(optional_dependencies={"compile": ["numba"]}))
            hook(str(tmp_path), {}, None, metadata, "", "wheel").initialize(version, data)
            assert (data["force_include"].get(str(modules)) == "gupai_env/machine_code/wasm32") == held


def needs_numba(wheel: Path) -> bool:
    """Return whether a wheel requires numba, whatever extra it is installed with."""
    metadata = zipfile.ZipFile(wheel).read(f"gupai-{PROJECT['version']}.dist-info/METADATA").decode()
    required = re.findall(r"^Requires-Dist: (.*)$", metadata, re.M)
    return any(line.startswith("numba") and "extra ==" not in line for line in required)


def test_version_is_the_same_everywhere():
    cited = parse_yaml((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["version"] == gupai_env.__version__ == cited["version"]
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert cited["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)


def test_lowest_versions_are_those_that_make_lowest_installs():
    said = dict(
        line.split("==")
        for line in (ROOT / "constraints-lowest.txt").read_text(encoding="utf-8").lower().replace("_", "-").split()
        if "==" in line
    )
    declared = [
        *PROJECT["dependencies"],
        *(each for extra in tool("pins").LOWEST for each in PROJECT["optional-dependencies"][extra]),
    ]
    for requirement in declared:
        name, low = re.match(r"([\w.-]+)>=([\d.]+)", requirement).groups()
        tested = said[name.lower().replace("_", "-")]
        assert re.fullmatch(rf"{re.escape(low)}(\.0)*", tested), f"{requirement}, constraints-lowest.txt has {tested}"


def test_pins_of_every_extra_resolve():
    """As PyPI answered when it was asked last, about what the files hold now."""
    pins, asked = tool("pins"), json.loads((ROOT / "results" / "pins.json").read_text(encoding="utf-8"))
    groups = pins.groups()
    assert {extra for extras in groups.values() for extra in extras} == {"", *PROJECT["optional-dependencies"]}
    for name, extras in groups.items():
        resolution = asked["resolutions"][name]
        assert resolution["extras"] == extras and resolution["digest"] == pins.digest(name, extras), (
            f"{name} or what pyproject.toml requires has changed. Run: python tools/pins.py"
        )
        assert not pins.pinned(name).keys() & resolution["besides"].keys()


def test_changed_pin_or_requirement_is_noticed(monkeypatch):
    pins = tool("pins")
    before, kept, project = pins.digest("constraints.txt", ["cuda"]), pins.pinned("constraints.txt"), pins.project()
    with monkeypatch.context() as patched:
        patched.setattr(pins, "pinned", lambda _: kept | {"nvidia-cuda-nvcc": "13.4.92"})
        assert pins.digest("constraints.txt", ["cuda"]) != before
    project["optional-dependencies"]["cuda"].append("cupy")
    monkeypatch.setattr(pins, "project", lambda: project)
    assert pins.digest("constraints.txt", ["cuda"]) != before


def test_python_versions_begin_with_the_required_one():
    named = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)]
    assert PROJECT["requires-python"] == f">={named[0]}"
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in named


@pytest.fixture(scope="module")
def cards():
    pages = tool("pages")
    return {path.stem: text() for path, text in pages.site_files().items() if path.parent == pages.CARDS}


def test_model_card_has_hub_metadata_and_runnable_code(cards):
    assert cards.keys() == {path.stem for path in NETWORKS.glob("*.safetensors")}
    for card in cards.values():
        metadata_for_the_hub(card)
        for block in re.findall(r"```python\n(.*?)```", card, re.S):
            exec(block, {})


def metadata_for_the_hub(text):
    _, head, body = text.split("---\n", 2)
    card = parse_yaml(head)
    assert (card["license"], card["library_name"], card["pipeline_tag"]) == ("mit", "gupai", "reinforcement-learning")
    (result,) = card["model-index"][0]["results"]
    assert result["task"]["type"] == "reinforcement-learning"
    assert all(re.fullmatch(r"-?\d+\.\d\d(\d\d)? \+/- \d+\.\d\d(\d\d)?", each["value"]) for each in result["metrics"])
    assert all(heading in body for heading in ("## Use", "## How strong", "## Limits", "## How to train one like it"))


@pytest.mark.parametrize("path", files(".github", name="*.yml"), ids=lambda path: path.stem)
def test_issue_form_asks_for_something(path):
    form = parse_yaml(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form)
    assert all(each["attributes"]["label"] for each in form["body"])
