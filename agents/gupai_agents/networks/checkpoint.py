"""Checkpoints: safetensors with a JSON header that is verified. Reading one never runs code from it.

The file's metadata hold "gupai", the header as JSON, and "sha256" over that text and all tensors, so a file that
was truncated or damaged is refused in one line. They are written in this order, so that equal content is equal bytes;
files of before have them in either order.
"""

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from gupai_agents.agent import FREE_OPTIONS
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.messages.checks import key_context, short_repr
from gupai_env.storage.files import write_file
from gupai_env.storage.models import Stored, Text, parse_stored

FORMAT = 1
METADATA = "gupai", "sha256"  # in the order in which they are written
LENGTH = 8  # bytes in which safetensors writes the length of its header; tensors begin at a multiple of it
MAX_BYTES = 1 << 30  # far more than this project ever writes
PLAYER, BELIEF = "player", "belief"  # kinds of checkpoints
AGENT_FILE = "agent.safetensors"  # the player, in the folder of a run


class CheckpointError(ValueError):
    """A checkpoint that cannot be used: what is wrong with it, in one line."""


def digest_of(header: str, tensors: dict[str, np.ndarray]) -> str:
    """Return the SHA-256 of a header's text and all tensors, in the order of their names."""
    digest = hashlib.sha256(header.encode())
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def write_checkpoint(
    path: str | Path, header: dict[str, Any], tensors: dict[str, np.ndarray], *, force: bool = True
) -> None:
    """Write tensors and header; the file appears whole or not at all, and replaces another unless `force` is false.

    Equal tensors and headers are equal bytes, in whatever order they are given.

    Args:
        path: The file.
        header: What JSON can hold; of a player at least what `PlayerHeader` has, and "kind".
        tensors: Arrays of numbers by name.
        force: Whether an existing file may be replaced.
    """
    text = json.dumps({"format": FORMAT, **header}, sort_keys=True)
    content = save(tensors, metadata=dict(zip(METADATA, (text, digest_of(text, tensors)), strict=True)))
    write_file(path, _ordered(content), force=force)


def _ordered(content: bytes) -> bytes:
    """Return a file of safetensors, which writes metadata in an order of chance, with its metadata in one order."""
    end = LENGTH + int.from_bytes(content[:LENGTH], "little")
    header = json.loads(content[LENGTH:end])
    header["__metadata__"] = {name: header["__metadata__"][name] for name in METADATA}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % LENGTH)
    return len(text).to_bytes(LENGTH, "little") + text + content[end:]


def read_header(path: str | Path) -> dict[str, Any]:
    """Return a checkpoint's header without reading its tensors; raises CheckpointError."""
    return _read(path, tensors=False)[0]


def read_checkpoint(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return header and tensors, verified against the digest and finite; raises CheckpointError."""
    return _read(path, tensors=True)


def _read(path: str | Path, tensors: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    path = Path(path)
    try:
        if path.is_dir():
            path = path / AGENT_FILE
        if not path.is_file():
            raise CheckpointError(f"{path}: there is no such checkpoint")
        size = path.stat().st_size
    except OSError as error:
        raise CheckpointError(f"{path}: it cannot be read ({error.strerror})") from None
    if size > MAX_BYTES:
        raise CheckpointError(f"{path}: {size} bytes are more than any checkpoint has ({MAX_BYTES})")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            read = {name: file.get_tensor(name) for name in file.keys()} if tensors else {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"{path}: not a checkpoint, or a damaged one ({error})") from None
    text = metadata.get("gupai", "")
    if not text:
        raise CheckpointError(f"{path}: a safetensors file, but not a checkpoint of gupai")
    if tensors and digest_of(text, read) != metadata.get("sha256"):
        raise CheckpointError(f"{path}: damaged, its content does not match its checksum")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise CheckpointError(f"{path}: damaged, its header is not JSON") from None
    version = header.get("format") if isinstance(header, dict) else None
    if type(version) is not int or version != FORMAT:
        raise CheckpointError(f"{path}: format {short_repr(version)}; this version reads format {FORMAT}")
    for name, array in read.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise CheckpointError(f"{path}: tensor {short_repr(name)} holds values that are not finite")
    return header, read


def under(prefix: str, tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return tensors with a prefix before their names, for `part`."""
    return {prefix + name: tensor for name, tensor in tensors.items()}


def part(tensors: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Return the tensors whose names have a prefix, under the rest of their names."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def identity(game: Game, variant: Variant) -> dict[str, Any]:
    """Return what a player depends on: game, rules, observation and actions, as in the header."""
    encoder = game.encoder
    actions = json.dumps(game.action_names, ensure_ascii=False)
    return {
        "game": game.id,
        "version": game.version,
        "rules": options_of(variant),
        "observation": {
            "encoder": encoder.name,
            "version": encoder.version,
            "size": encoder.layout.size,
            "digest": encoder.layout.digest,
        },
        "actions": {"size": game.num_actions, "digest": hashlib.sha256(actions.encode()).hexdigest()},
    }


class PlayerHeader(Stored):
    """What every player's header holds; who needs other keys, such as `recipe`, reads them from the header itself.

    game, version: The game and its version.
    rules: The options that it was trained with, by name; those that are not named are at their defaults.
    observation, actions: The encoder, and sizes and digests of what the network sees and scores.
    mixes: Whether the player was trained to draw from its policy.
    net: The description of the network, which `gupai_agents.networks.network.tensor_shapes` checks.
    """

    game: Text
    version: int
    rules: dict[str, Any]
    observation: dict[str, Any]
    actions: dict[str, Any]
    mixes: bool = False
    net: Any = None


def player_header(path: str | Path, header: dict[str, Any], kind: str = PLAYER) -> PlayerHeader:
    """Return what the header of a player says, or of something else that was learned for one variant.

    Args:
        path: The file, for errors.
        header: Its header, as `read_header` returns it.
        kind: What it is.

    Raises:
        CheckpointError: It is not of this kind, or lacks a key or has one of another type.
    """
    if header.get("kind") != kind:
        raise CheckpointError(f"{path}: not a {kind}, but of kind {short_repr(header.get('kind'))}")
    with key_context(path, CheckpointError):
        return parse_stored(header, PlayerHeader, "its header is damaged")


def binding_options(variant: Variant) -> dict[str, Any]:
    """Return the options on which a player depends, as in the header of a checkpoint."""
    return {name: value for name, value in options_of(variant).items() if name not in FREE_OPTIONS}


def options_of(variant: Variant) -> dict[str, Any]:
    """Return all options of a variant, as in the header of a checkpoint."""
    options: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(variant)))  # tuples become lists
    return options


def options_in(rules: dict[str, Any], variant: Variant) -> dict[str, Any]:
    """Return the options in the header of a checkpoint, those that it does not name at their defaults.

    Args:
        rules: The options as read.
        variant: Any variant of the game.
    """
    return options_of(type(variant)()) | rules


def check_identity(
    path: str | Path, header: dict[str, Any], game: Game, variant: Variant, kind: str = PLAYER
) -> PlayerHeader:
    """Return what the header of a player says, if it was trained for just this game and variant.

    Args:
        path: The file, for errors.
        header: Its header, as `read_header` returns it.
        game, variant: What it is to play. FREE_OPTIONS may differ.
        kind: What it is, as of `player_header`.

    Raises:
        CheckpointError: It was trained for something else; both values are named.
    """
    player, wanted = player_header(path, header, kind), identity(game, variant)
    for key, label in (("game", "game"), ("version", "game version")):
        if header[key] != wanted[key]:
            raise CheckpointError(f"{path}: made for {label} {short_repr(header[key])}, not {wanted[key]!r}")
    rules = options_in(player.rules, variant)
    for name, value in binding_options(variant).items():
        if rules.get(name) != value:
            raise CheckpointError(f"{path}: trained with {name}={short_repr(rules.get(name))}, not {name}={value!r}")
    for key in ("observation", "actions"):
        for name, value in wanted[key].items():
            if (entry := header[key].get(name)) != value:
                raise CheckpointError(
                    f"{path}: made for another layout of {key}: {name} {short_repr(entry)}, not {value!r}"
                )
    return player


def variant_of(path: str | Path, header: dict[str, Any]) -> tuple[Game, Variant]:
    """Return the game and variant that a player was trained for; raises CheckpointError for anything else."""
    player = player_header(path, header)
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in player.rules.items()}
    with key_context(path, CheckpointError):
        game = get_game(player.game)
        return game, game.variant.make(**options)
