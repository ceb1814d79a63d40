"""Croissant metadata of a data set: JSON-LD that says what its columns are (https://mlcommons.org/croissant)."""

import hashlib
import json
from pathlib import Path
from typing import Any

from gupai_agents.evaluation.arrays import Decisions

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
ENCODINGS = {".npz": "application/x-npz", ".parquet": "application/x-parquet"}
COLUMNS = {
    "observations": "What the seat to act observed; the metadata name the sections.",
    "masks": "Its legal actions.",
    "actions": "The action it played, an index into the actions of the metadata.",
    "returns": "The chips it was paid from then to the end of the game.",
    "seats": "The seat.",
    "agents": "The agent at that seat, an index into the agents of the metadata.",
    "games": "The number of the game in the file.",
    "deals": "The number of the deal; games of one deal have the same tiles. Split by this column.",
    "seeds": "The environment's seed that deals this game.",
}
TYPES = {"i": "sc:Integer", "b": "sc:Boolean", "f": "sc:Float"}  # by the kind of a dtype
CONTEXT = Path(__file__).parent / "croissant_context.json"  # of version 1.1


def as_croissant(decisions: Decisions, name: str, content: bytes) -> str:
    """Return the Croissant metadata of a data set, JSON-LD; equal data sets have equal metadata.

    Args:
        decisions: The data set.
        name: The name of its file, which ends with .npz or .parquet.
        content: What the file holds.
    """
    stem, _, suffix = name.rpartition(".")
    known = decisions.metadata
    game = f"{known['game']} v{known['version']}, options {json.dumps(known['variant'])}"
    metadata = {
        "@context": json.loads(CONTEXT.read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": stem,
        "description": f"Decisions of {', '.join(known['agents'])} in {game}, recorded by gupai ({known['format']}).",
        "license": known["licence"],
        "version": "1.0.0",
        "keywords": ["reinforcement learning", "imperfect information", "dominoes", known["game"]],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{len(content)} B",
                "encodingFormat": ENCODINGS[f".{suffix}"],
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "decisions",
                "name": "decisions",
                "description": "One row per decision, in order of play.",
                "field": [
                    _field(column, array.dtype.kind, array.shape[1:], name)
                    for column, array in decisions.columns.items()
                ],
            }
        ],
    }
    return json.dumps(metadata, indent=1, ensure_ascii=False) + "\n"


def _field(column: str, kind: str, shape: tuple[int, ...], name: str) -> dict[str, Any]:
    """Return a column as a field of Croissant. shape: that of one row's value."""
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"decisions/{column}",
        "name": column,
        "description": COLUMNS[column],
        "dataType": TYPES[kind],
        "source": {"fileObject": {"@id": name}, "extract": {"column": column}},
    }
    if shape:
        field |= {"isArray": True, "arrayShape": ",".join(map(str, shape))}
    return field
