"""A checkpoint plays as it was saved, and whatever is wrong with one is said in a line."""

import json
import os
import pickle
import re
import stat
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save, save_file

from checkout import SHIPPED, files
from checkpoints import GAME, NET, header, refusal, turns, weights
from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.networks.checkpoint import (
    CheckpointError,
    digest_of,
    identity,
    read_checkpoint,
    read_header,
    variant_of,
    write_checkpoint,
)
from gupai_agents.networks.network import NetworkAgent, tensor_shapes
from gupai_agents.networks.network_agent import gumbel
from gupai_agents.shipped import best_file
from gupai_env.games import GAMES, get_game
from gupai_env.storage.files import write_file


@pytest.fixture
def checkpoint(tmp_path):
    path = tmp_path / "agent.safetensors"
    write_checkpoint(path, header(), weights())
    return path


def test_equal_content_is_equal_bytes(tmp_path):
    """Safetensors 0.8 orders metadata by chance, anew in every call as in every process."""
    for number in range(16):
        write_checkpoint(tmp_path / str(number), header(), weights())
    write_checkpoint(tmp_path / "backwards", *(dict(reversed(each.items())) for each in (header(), weights())))
    (content,) = {path.read_bytes() for path in tmp_path.iterdir()}
    assert content[8:].startswith(b'{"__metadata__":{"gupai":')
    assert int.from_bytes(content[:8], "little") % 8 == 0  # where tensors begin


@pytest.mark.parametrize(("kind", "mixes"), [("checkpoint", False), ("checkpoint", True), ("sample", False)])
def test_saved_player_plays_as_the_one_in_memory(checkpoint, kind, mixes):
    write_checkpoint(checkpoint, {**header(), "mixes": mixes}, weights())
    there = NetworkAgent("there", GAME, NET, weights(), sample=mixes or kind == "sample")
    loaded = make_agent(f"{kind}:{checkpoint}")
    asked = turns()
    actions = loaded.act(asked)
    assert (actions == there.act(asked)).all()
    assert asked.masks[np.arange(len(actions)), actions].all()


def test_folder_names_the_player_in_it(checkpoint):
    make_agent(f"checkpoint:{checkpoint.parent}")


def test_players_action_does_not_depend_on_the_batch(checkpoint):
    agent = make_agent(f"sample:{checkpoint}")
    asked = turns(rows=600)
    together = agent.act(asked)
    for rows in (1, 3, 8, 64):
        some = np.arange(rows) * 5
        assert (agent.act(DecisionBatch(*(part[some] for part in asked))) == together[some]).all()


def test_sampling_follows_the_policy():
    noise = gumbel(np.arange(40_000), 3)
    scores = np.log([0.2, 0.5, 0.3])
    share = np.bincount((scores + noise).argmax(1), minlength=3) / len(noise)
    assert share == pytest.approx([0.2, 0.5, 0.3], abs=0.01)


@pytest.mark.parametrize(
    ("game", "variant", "said"),
    [
        ("ce-deng", {}, "made for game 'jie-long', not 'ce-deng'"),
        ("jie-long", {"forced_play": True}, "trained with forced_play=False, not forced_play=True"),
        ("jie-long", {"players": 3}, "trained with players=4, not players=3"),
    ],
)
def test_wrong_game_or_variant_is_refused(checkpoint, game, variant, said):
    with pytest.raises(CheckpointError, match=said):
        make_agent(f"checkpoint:{checkpoint}", game, **variant)


def test_options_without_effect_on_decisions_are_accepted(checkpoint):
    make_agent(f"checkpoint:{checkpoint}", "jie-long", leader=2, deals=3, stake=0.5)


@pytest.mark.parametrize("name", GAMES)
def test_default_player_of_every_game_is_accepted_again(tmp_path, name):
    game = GAMES[name]
    shapes = tensor_shapes(NET, game.encoder.layout.size, game.num_actions)
    tensors = {key: np.zeros(shape, np.float32) for key, shape in shapes.items()}
    head = {**identity(game, game.variant()), "kind": "player", "net": NET}
    write_checkpoint(tmp_path / "a", head, tensors)
    make_agent(f"checkpoint:{tmp_path / 'a'}", name)


def test_player_mixes_or_not(tmp_path):
    write_checkpoint(tmp_path / "a", {**header(), "mixes": 1}, weights())
    with pytest.raises(CheckpointError, match="its header is damaged: mixes=1 is not allowed; write true or false"):
        make_agent(f"checkpoint:{tmp_path / 'a'}")


@pytest.mark.parametrize("key", ["kind", "game", "version", "rules", "observation", "actions", "net"])
@pytest.mark.parametrize("value", [None, [], {}, "", "resume", 5.5, True, [["players", 4]], "x" * 100_000])
def test_forged_header_is_refused(tmp_path, key, value):
    write_checkpoint(tmp_path / "a", {**header(), key: value}, weights())
    if (key, value) != ("rules", {}):  # all options at their defaults, as this player's
        refusal(tmp_path / "a")
    lacking = {name: each for name, each in header().items() if name != key}
    write_checkpoint(tmp_path / "a", lacking, weights())
    refusal(tmp_path / "a")


def test_header_without_an_option_is_one_of_its_default(tmp_path):
    brief = header()
    for option in ("settlement", "all_laid_doubles", "stacked"):
        del brief["rules"][option]
    write_checkpoint(tmp_path / "a", brief, weights())
    spec = f"checkpoint:{tmp_path / 'a'}"
    make_agent(spec)
    with pytest.raises(CheckpointError, match="trained with settlement='difference', not settlement='kkoribuchigi'"):
        make_agent(spec, GAME, settlement="kkoribuchigi")


@pytest.mark.parametrize("options", [{"settlement": "kkoribuchigi"}, {"all_laid_doubles": True}])
def test_best_is_not_taken_from_another_settlement(options):
    assert best_file(GAME, GAME.variant(forced_play=True)) is not None
    assert best_file(GAME, GAME.variant(forced_play=True, **options)) is None


def test_saved_run_is_no_player(tmp_path):
    write_checkpoint(tmp_path / "a", {"kind": "resume"}, weights())
    assert "not a player, but of kind 'resume'" in refusal(tmp_path / "a")


@pytest.mark.parametrize("text", ["5", "[]", "null", '"format"', "{", "[" * 200_000, "{}", '{"format": true}'])
def test_header_that_is_no_mapping_is_refused(tmp_path, text):
    tensors = weights()
    (tmp_path / "a").write_bytes(save(tensors, metadata={"gupai": text, "sha256": digest_of(text, tensors)}))
    refusal(tmp_path / "a")
    with pytest.raises(CheckpointError):
        read_header(tmp_path / "a")


@pytest.mark.parametrize(
    ("key", "name"),
    [("observation", "digest"), ("observation", "size"), ("observation", "encoder"), ("actions", "digest")],
)
def test_another_digest_is_refused(tmp_path, key, name):
    other = header()
    other[key] = {**other[key], name: "0" * 64}
    write_checkpoint(tmp_path / "a", other, weights())
    assert f"another layout of {key}: {name} '000" in refusal(tmp_path / "a")
    del other[key][name]
    write_checkpoint(tmp_path / "a", other, weights())
    assert f"another layout of {key}: {name} None" in refusal(tmp_path / "a")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"value.bias":{"dtype":"F32"', '"value.bied":{"dtype":"F32"'),
        ('"policy.bias":{"dtype":"F32"', '"policy.bias":{"dtype":"I32"'),
        ('"trunk.1.weight":{"dtype":"F32","shape":[8,16]', '"trunk.1.weight":{"dtype":"F32","shape":[16,8]'),
    ],
    ids=["name", "type", "shape"],
)
def test_damage_of_a_tensors_description_is_noticed(checkpoint, old, new):
    content = checkpoint.read_bytes()
    assert content.count(old.encode()) == 1
    checkpoint.write_bytes(content.replace(old.encode(), new.encode()))
    assert "its content does not match its checksum" in refusal(checkpoint)


def test_path_that_cannot_be_read_is_refused():
    assert "it cannot be read (File name too long)" in refusal("x" * 5000)


def test_truncated_files_are_refused(checkpoint):
    content = checkpoint.read_bytes()
    for length in [0, 1, 7, 8, 9, 100, 1000, len(content) // 2, len(content) - 1]:
        checkpoint.write_bytes(content[:length])
        with pytest.raises(CheckpointError):
            make_agent(f"checkpoint:{checkpoint}")


def test_flipped_bits_are_refused(checkpoint):
    content = bytearray(checkpoint.read_bytes())
    rng = np.random.default_rng(0)
    places = [*range(0, 1500, 7), *rng.integers(0, len(content), 200)]
    for place in places:
        bit = 1 << int(rng.integers(8))
        content[place] ^= bit
        checkpoint.write_bytes(content)
        with pytest.raises(CheckpointError) as caught:
            make_agent(f"checkpoint:{checkpoint}")
        assert "\n" not in str(caught.value)
        content[place] ^= bit


class Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('a pickle was run')",))


def test_pickle_in_disguise_is_refused_without_being_run(tmp_path):
    path = tmp_path / "agent.safetensors"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        make_agent(f"checkpoint:{path}")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        make_agent(f"checkpoint:{path}")


def test_missing_and_foreign_files_are_refused(tmp_path):
    with pytest.raises(CheckpointError, match="there is no such checkpoint"):
        make_agent(f"checkpoint:{tmp_path / 'none'}")
    save_file({"a": np.zeros(3)}, tmp_path / "foreign")
    with pytest.raises(CheckpointError, match="not a checkpoint of gupai"):
        make_agent(f"checkpoint:{tmp_path / 'foreign'}")


def test_oversized_file_is_not_read(checkpoint, monkeypatch):
    size = checkpoint.stat().st_size
    monkeypatch.setattr("gupai_agents.networks.checkpoint.MAX_BYTES", size - 1)
    assert f"{size} bytes are more than any checkpoint has ({size - 1})" in refusal(checkpoint)
    monkeypatch.setattr("gupai_agents.networks.checkpoint.MAX_BYTES", size)
    assert make_agent(f"checkpoint:{checkpoint}")


def test_header_records_the_training_variant(tmp_path):
    settings = {"players": 3, "forced_play": True}
    assert variant_of("file", header(**settings)) == (GAME, GAME.variant.make(**settings))
    tiu_u = get_game("tiu-u")
    assert variant_of("file", identity(tiu_u, tiu_u.variant()) | {"kind": "player"}) == (tiu_u, tiu_u.variant())
    for changes, said in (
        ({"rules": ["players"]}, "file: its header is damaged: rules=['players'] is not allowed; write a mapping"),
        ({"rules": {"players": 9}}, "file: players=9 is not allowed"),
        ({"game": "chess"}, "file: 'chess' is not a game"),
    ):
        with pytest.raises(CheckpointError) as caught:
            variant_of("file", header() | changes)
        assert said in str(caught.value)


def test_header_is_read_alone(checkpoint):
    assert read_header(checkpoint)["game"] == "jie-long"
    head, tensors = read_checkpoint(checkpoint)
    text = json.dumps(head, sort_keys=True)
    assert digest_of(text, tensors) == digest_of(text, weights())


def test_file_is_on_disk_before_it_replaces_the_old_one(tmp_path, monkeypatch):
    """And the folder after it: a computer that loses its power then has the old file or the new one."""
    done, sync, replace = [], os.fsync, os.replace

    def syncing(number):
        done.append("folder" if stat.S_ISDIR(os.fstat(number).st_mode) else os.fstat(number).st_size)
        sync(number)

    def replacing(*paths):
        done.append("replaced")
        replace(*paths)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(os, "replace", replacing)
    write_file(tmp_path / "file", b"seven c", force=True)
    assert done == [7, "replaced", "folder"]


def test_file_reading_can_never_run_code():
    # but for what this program has just pickled itself: tasks for its processes, and errors of what it compiles
    calls = (
        r"pickle\.load(?!s\(pickled)|torch\.load\(|yaml\.load\(|[^_.a-z]eval\(|[^_.a-z]exec\(|allow_pickle=True|joblib"
    )
    found = [
        f"{path}:{number}: {line}"
        for path in files(*SHIPPED, name="*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(calls, line)
    ]
    assert found == []
