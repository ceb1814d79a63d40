"""Asks PyPI whether each extra resolves with its pins, and writes what is installed besides them to results/pins.json.

    python tools/pins.py            # all extras, half a minute; nothing is installed here or downloaded but metadata

It resolves for Linux on x86-64 with `uv`, installed in a temporary folder, from PyPI alone: without a cache, a local
index, a folder of wheels or the settings of pip. Ends with an error, and writes nothing, if an extra does not resolve.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = ROOT / "results" / "pins.json"
INDEX = "https://pypi.org/simple"
PYTHON = "3.11.7"  # a few pinned packages need 3.11.5
LOWEST = ("compile", "train", "tune", "onnx", "web", "render", "data")  # of constraints-lowest.txt
OWN = ("rllib", "tianshou", "torchrl")  # extras with a file of their own, each for an environment of its own


def pinned(name: str) -> dict[str, str]:
    """Return the versions of a file of constraints by the names of packages, in lower case with hyphens."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {normalized(package): version for package, version in pins.items()}


def normalized(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def groups() -> dict[str, list[str]]:
    """Return the extras that are installed with each file of constraints; "" is the package without an extra."""
    others = [extra for extra in project()["optional-dependencies"] if extra not in OWN]
    own = {f"examples/constraints-{extra}.txt": [extra] for extra in OWN}
    return {"constraints.txt": ["", *others], "constraints-lowest.txt": [*LOWEST], **own}


def digest(name: str, extras: list[str]) -> str:
    """Return the SHA-256 of everything that a resolution depends on: the requirements of the extras, and the pins."""
    required = project()
    inputs = [required["requires-python"], required["dependencies"], sorted(pinned(name).items())]
    inputs += [required["optional-dependencies"].get(extra, []) for extra in extras]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def resolved(uv: str, name: str, extra: str) -> dict[str, str]:
    """Return the versions that PyPI gives; ends the program with the resolver's reason if there are none."""
    options = ("--quiet", "--no-cache", "--no-config", "--no-header", "--no-annotate", "--index-url", INDEX)
    system = ("--python-version", PYTHON, "--python-platform", "x86_64-manylinux_2_28")
    words = [uv, "pip", "compile", *options, *system, "--constraint", name, "pyproject.toml"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_"))}
    done = subprocess.run(
        [*words, *(("--extra", extra) if extra else ())], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{name} with the extra {extra or '(none)'}:\n{done.stderr}")
    lines = re.findall(r"^([\w.-]+)==(\S+)", done.stdout, re.MULTILINE)
    return {normalized(package): version for package, version in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    resolutions = {}
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        subprocess.run([f"{folder}/bin/pip", "install", "--quiet", "uv"], check=True)
        for name, extras in groups().items():
            pins, besides = pinned(name), {}
            for extra in extras:
                versions = resolved(f"{folder}/bin/uv", name, extra)
                besides |= {package: version for package, version in versions.items() if package not in pins}
                print(f"{name}: {extra or '(none)'} resolves to {len(versions)} packages", flush=True)
            resolutions[name] = {
                "extras": extras,
                "digest": digest(name, extras),
                "besides": dict(sorted(besides.items())),
            }
    question = {"date": date.today().isoformat(), "index": INDEX, "python": PYTHON, "platform": "x86_64-manylinux_2_28"}
    FILE.write_text(json.dumps(question | {"resolutions": resolutions}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
