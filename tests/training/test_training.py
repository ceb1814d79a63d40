"""Self-play: who plays where, what is learned, and that a run goes on exactly where it stopped."""

import contextlib
import hashlib
import itertools
import json
import signal
import time

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_agents.networks.checkpoint import read_header
from gupai_agents.networks.network import NetworkAgent
from gupai_env.storage.models import parse_stored
from gupai_training.config import RESUME_FILE, load, parse, saved_config
from gupai_training.curves import Results, evaluations_of
from gupai_training.network import native_bfloat16
from gupai_training.opponents import LEARNER, OpponentPool
from gupai_training.report import report, results_json
from gupai_training.run import FINAL_SEED, Reporter, Run
from gupai_training.search_stage import SearchStage
from gupai_training.selfplay import LearnerVecEnv
from gupai_training.stage import Spent
from processes import Command

SMALL = {
    "game": "jie-long",
    "variant": {"forced_play": True},
    "name": "small",
    "decisions": 64 * 16 * 6,
    "threads": 1,
    "device": "cpu",
    "save_every": 1,
    "network": {"hidden": [32, 32]},
    "ppo": {"envs": 64, "steps": 16, "batch_size": 256},
    "pool": {"snapshots": 5, "self_share": 0.5, "size": 3},
    "evaluation": {"every": 3, "deals": 20, "final_deals": 40, "baselines": ["random", "greedy"]},
}


def fingerprint(run: Run) -> str:
    learner = run.learner
    parts = [*learner.weights().values(), *learner.network.tensors().values()]
    parts += [state["exp_avg_sq"].numpy() for state in learner.optimizer.state.values()]
    parts += [learner.env.envs.states, learner.env.envs.episodes, learner.env.seating, learner.noise.get_state()]
    text = json.dumps([learner.env.pool.rng.bit_generator.state, learner.count, learner.env.decisions])
    return hashlib.sha256(b"".join(np.asarray(part).tobytes() for part in parts) + text.encode()).hexdigest()


class StopAfter(Reporter):
    counts = "decisions"

    def __init__(self, updates):
        self.left = updates

    def moved(self, progress, number, what, seconds):
        self.left -= what == self.counts
        if not self.left:
            raise KeyboardInterrupt


def test_stopped_run_resumes_exactly(tmp_path):
    config = parse(SMALL, "test")
    whole = Run.begin(config, tmp_path)
    whole.learn()
    parts = Run.begin(config, tmp_path)
    for updates in (2, 3):
        with pytest.raises(KeyboardInterrupt):
            parts.learn(go_on=updates == 3, reporter=StopAfter(updates))
        parts = Run(config, parts.folder)  # everything in memory is gone
    parts.learn(go_on=True)
    assert fingerprint(parts) == fingerprint(whole)
    assert [m.agent.name for m in parts.learner.env.pool.members] == [
        m.agent.name for m in whole.learner.env.pool.members
    ]
    header = read_header(parts.agent_file)
    assert (header["updates"], header["decisions"], header["weights"]) == (6, SMALL["decisions"], "averaged")


@pytest.mark.parametrize("deals", [1, 3])
def test_run_asked_to_stop_resumes_exactly(tmp_path, deals):
    """Also in matches of several deals, where chips may be owed while it stops."""
    config = parse({**SMALL, "variant": {"deals": deals}, "save_every": 100}, "test")
    whole = Run.begin(config, tmp_path)
    assert whole.learn()
    parts = Run.begin(config, tmp_path)
    asked = iter([False, False, True])
    assert not parts.learn(stop=lambda: next(asked))
    assert parts.learner.updates == 2
    assert (parts.folder / RESUME_FILE).is_file()
    assert not (parts.folder / "metrics.jsonl").exists()  # who stops has no time for a look at the baselines
    parts = Run(config, parts.folder)
    assert not parts.learn(go_on=True, stop=lambda: True)  # at once: nothing is lost
    parts = Run(config, parts.folder)
    assert parts.learn(go_on=True)
    assert fingerprint(parts) == fingerprint(whole)


BY_SEARCH = {
    **SMALL,
    "decisions": 64 * 16 * 3,
    "expert_iteration": {"targets": 2000, "tables": 16, "playouts": 2, "window": 500, "batch_size": 64},
}


class StopSearchAfter(StopAfter):
    counts = "targets"


def test_search_run_resumes_exactly(tmp_path):
    config = parse(BY_SEARCH, "test")
    whole = Run.begin(config, tmp_path)
    assert whole.learn()
    parts = Run.begin(config, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        parts.learn(reporter=StopSearchAfter(4))  # three steps are saved, more targets than the window keeps
    assert 500 < parts.search_stage.count < 2000
    parts = Run(config, parts.folder)
    asked = iter([False, True])
    assert not parts.learn(go_on=True, stop=lambda: next(asked))
    assert 500 < parts.search_stage.count < 2000
    assert 0 < len(list(parts.folder.glob("targets-*"))) < len(parts.search_stage.ends)  # those forgotten are gone
    parts = Run(config, parts.folder)
    with pytest.raises(KeyboardInterrupt):
        parts.learn(go_on=True, reporter=StopAfter(2))
    parts = Run(config, parts.folder)
    assert parts.learn(go_on=True)
    assert fingerprint(parts) == fingerprint(whole)
    assert not list(parts.folder.glob("targets-*"))
    header = read_header(parts.agent_file)
    assert (header["decisions"], header["targets"]) == (BY_SEARCH["decisions"], whole.search_stage.count)
    evaluations = [json.loads(line) for line in (parts.folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["seconds"] for row in evaluations] == sorted(row["seconds"] for row in evaluations)
    assert evaluations[-1]["targets"] == header["targets"] and evaluations[-1]["decisions"] == header["decisions"]


def test_search_only_run_keeps_no_targets_and_replays_its_table(tmp_path):
    run = Run.begin(parse({**BY_SEARCH, "decisions": 0}, "test"), tmp_path)
    assert run.learn()
    assert not list(run.folder.glob("targets-*"))
    again = Run(saved_config(run.folder), run.folder)
    assert again.learn(go_on=True)
    assert again.spent.targets == run.search_stage.count
    assert run.learner is None  # nothing of self-play is built for it
    for one, two in zip(again.network.tensors().values(), run.network.tensors().values(), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    "network",
    [
        {"hidden": [24, 16, 16]},
        {"type": "residual", "hidden": [24, 16, 16, 16]},
        {"type": "gated", "hidden": [24, 16, 16, 16]},
    ],
)
def test_player_scores_equal_the_learning_network(tmp_path, network):
    run = Run.begin(parse({**SMALL, "network": network, "precision": "float32"}, "test"), tmp_path)
    with torch.no_grad():  # as they begin the heads say next to nothing
        for tensor in run.learner.network.parameters():
            tensor += 0.1 * torch.randn_like(tensor)
    envs = run.learner.env.envs
    for step in range(8):
        envs.step(envs.sample(step))
    logits = run.learner.network(torch.as_tensor(envs.observations))[0].detach().numpy()
    player = NetworkAgent("there", run.game, run.config.net, run.network.tensors(), sample=False)
    np.testing.assert_allclose(player.logits(envs.observations), logits, rtol=1e-4, atol=1e-4)
    assert np.abs(logits).max() > 0.5
    assert run.config.parameters() == sum(tensor.numel() for tensor in run.learner.network.parameters())


@pytest.mark.parametrize(
    ("cpu", "native", "quick"),
    [
        ("AMD EPYC", ["avx512_bf16"], True),
        ("Intel Xeon", ["avx512_bf16", "amx_bf16"], True),
        ("Intel Xeon", ["avx512_bf16"], False),  # half as fast as float32 there
        ("AMD EPYC", [], False),
    ],
)
def test_products_use_bfloat16_where_it_is_fast(tmp_path, monkeypatch, cpu, native, quick):
    has = {"avx512_bf16": False, "amx_bf16": False, "avx512_f": True, "cpu_name": cpu}
    has |= dict.fromkeys(native, True)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: has, raising=False)
    taken = {
        precision: Run.begin(
            parse({**SMALL, "device": "cpu", "precision": precision}, "test"), tmp_path
        ).network.precision
        for precision in ("auto", "float32", "bfloat16")
    }
    assert taken == {"auto": "bfloat16" if quick else "float32", "float32": "float32", "bfloat16": "bfloat16"}
    assert not native_bfloat16(torch.device("mps"))  # whatever the processor beside it can do
    monkeypatch.delattr(torch.cpu, "get_capabilities")  # as in an older torch
    assert not native_bfloat16(torch.device("cpu"))


def test_bfloat16_learner_keeps_weights_and_sums_in_float32(tmp_path):
    exact, rounded = (
        Run.begin(parse({**SMALL, "precision": precision}, "test"), tmp_path).learner
        for precision in ("float32", "bfloat16")
    )
    observations = torch.as_tensor(exact.env.envs.observations)
    for wanted, found in zip(exact.network(observations), rounded.network(observations), strict=True):
        assert found.dtype == torch.float32
        torch.testing.assert_close(found, wanted, rtol=0.05, atol=0.01)
        assert not torch.equal(found, wanted)
    before = rounded.network.tensors()
    with rounded.running():
        rounded.step()
    after = rounded.network.tensors()
    assert {tensor.dtype for tensor in rounded.network.parameters()} == {torch.float32}
    assert all((before[name] != after[name]).any() and np.isfinite(after[name]).all() for name in before)


def updated(tmp_path, **ppo):
    """Return how many gradient steps an update took, and what it logs of them."""
    ppo = {**SMALL["ppo"], **ppo}
    config = parse({**SMALL, "precision": "float32", "decisions": 64 * 16, "ppo": ppo}, "test")
    learner = Run.begin(config, tmp_path).learner
    learner.goal *= 100
    with learner.running():
        logged = {name.removeprefix("train/"): value for name, value in learner.step().items()}
    (steps,) = {int(state["step"]) for state in learner.optimizer.state.values()}
    return steps, logged


def test_update_ends_where_the_policy_moved_too_far(tmp_path):
    for target, steps in ((None, 20), (100, 20), (1e-7, 2)):  # in the first step it has not moved
        assert updated(tmp_path, epochs=5, target_kl=target)[0] == steps


def test_update_logs_its_figures(tmp_path):
    steps, printed = updated(tmp_path, epochs=1, batch_size=64 * 16)
    assert (steps, printed["clip_fraction"], printed["entropy_coef"]) == (1, 0, 0.01)  # of the policy that played
    assert abs(printed["approx_kl"]) < 1e-6
    assert 0.9 < printed["entropy_of_most"] <= 1
    parts = printed["policy_loss"] - 0.01 * printed["entropy"] + 0.5 * printed["value_loss"]
    assert printed["loss"] == pytest.approx(parts, abs=1e-5)
    _, printed = updated(tmp_path, epochs=20)
    assert 0.05 < printed["clip_fraction"] < 0.8
    assert 0.001 < printed["approx_kl"] < 1


def test_value_targets_are_payoffs_over_the_scale(tmp_path):
    ppo = {**SMALL["ppo"], "steps": 64, "gamma": 1.0, "gae_lambda": 1.0}
    learner, seen = Run.begin(parse({**SMALL, "payoff_scale": 50.0, "ppo": ppo}, "test"), tmp_path).learner, []
    learner._figures = lambda steps, data: seen.append(data["returns"].numpy())
    with learner.running():
        learner.step()
    chips = 50 * seen[0].astype(np.float64)
    assert (np.abs(chips - chips.round()) < 1e-3).mean() > 0.5  # of deals that came to an end, no value is in it
    assert 5 < chips.std() < 60 and abs(chips).max() > 30


def test_rate_and_entropy_bonus_fall_with_the_progress(tmp_path):
    ppo = {**SMALL["ppo"], "learning_rate": 1e-3, "entropy": 0.03, "entropy_end": 0.01}
    learner = Run.begin(parse({**SMALL, "ppo": ppo}, "test"), tmp_path).learner
    learner.play = lambda: True
    for share, rate, bonus in ((0, 1e-3, 0.03), (0.75, 2.5e-4, 0.015), (1, 0.0, 0.01)):
        learner.count = share * learner.goal
        figures = learner.step()
        assert figures["train/learning_rate"] == pytest.approx(rate)
        assert figures["train/entropy_coef"] == learner.entropy_coef() == pytest.approx(bonus)


def test_average_is_a_plain_mean_at_first(tmp_path):
    ppo = {**SMALL["ppo"], "average_rate": 0.4}
    learner = Run.begin(parse({**SMALL, "ppo": ppo}, "test"), tmp_path).learner
    for updates, weight, average in ((1, 4.0, 4.0), (2, 8.0, 6.0), (3, 16.0, 10.0)):
        learner.updates = updates
        with torch.no_grad():
            for tensor in learner.network.parameters():
                tensor.fill_(weight)
        learner._move_average()
        for tensor in learner.average.parameters():
            np.testing.assert_allclose(tensor.numpy(), average, rtol=1e-6)


def test_member_that_leaves_the_pool_gives_its_seats_back(tmp_path):
    run = Run.begin(parse(SMALL, "test"), tmp_path)
    env, left = run.learner.env, []
    add, forget = run.learner.env.pool.add, env.forget

    def leaving(*member):
        if (gone := add(*member)) is not None:
            left.append(gone)
        return gone

    def forgets(member):
        assert member == left[-1]
        env._seating[:2, 0] = member, member + 1
        forget(member)
        assert env.seating[:2, 0].tolist() == [LEARNER, member]
        left[-1] = None

    run.learner.env.pool.add, env.forget = leaving, forgets
    run.learn()
    assert len(left) == 2 and set(left) == {None}  # of five for three places


@pytest.mark.parametrize(("slow", "kind"), [("play", "play"), ("network", "learn")])
def test_waiting_time_counts_lanes_and_not_the_network(slow, kind, tmp_path, monkeypatch):
    learner = Run.begin(parse({**SMALL, "pool": {"rules": []}}, "test"), tmp_path).learner
    play, features = learner.env.play, learner.network.features

    def slowly(do):
        return lambda given: time.sleep(0.02) or do(given)

    if slow == "play":
        monkeypatch.setattr(learner.env, "play", slowly(play))
    else:
        monkeypatch.setattr(learner.network, "features", slowly(features))
    with learner.running():
        learner.play()
    assert learner.shares[kind] > 16 * 0.02


def test_rollout_that_time_ends_is_not_learned_from(tmp_path):
    learner, clock = Run.begin(parse({**SMALL, "max_minutes": 1}, "test"), tmp_path).learner, itertools.count(0, 5.0)
    with pytest.MonkeyPatch.context() as patch, learner.running():
        patch.setattr("gupai_training.stage.time.monotonic", lambda: next(clock))
        assert learner.step() == {}  # the clock begins with the first decision, and the minute ends with the thirteenth
    assert (learner.count, learner.updates, learner.seconds, learner.progress()) == (0, 0, 60.0, 1.0)


def test_self_play_seconds_continue_after_a_resume(tmp_path):
    run = Run.begin(parse(SMALL, "test"), tmp_path)
    run.learn()
    seconds = run.learner.shares
    again = Run(saved_config(run.folder), run.folder)
    again.learn(go_on=True)
    assert again.spent.seconds > seconds["learn"]


def test_final_table_plays_new_deals(tmp_path, monkeypatch):
    run, played = Run.begin(parse(SMALL, "test"), tmp_path), []

    def noted(game, hero, villain, deals, *, seed, **more):
        played.append((deals, seed))
        return duel(game, hero, villain, deals, seed=seed, **more)

    monkeypatch.setattr("gupai_training.run.duel", noted)
    run.evaluate()
    assert set(played) == {(20, 1)}
    played.clear()
    run.save_agent()
    list(run.results())
    assert set(played) == {(40, 1 + FINAL_SEED)}


def test_owed_chips_are_saved_with_a_run(tmp_path):
    runs = [Run.begin(parse({**SMALL, "variant": {"deals": 3}}, "test"), tmp_path) for _ in range(2)]
    saved, restored = (run.learner.env for run in runs)
    planted = {"rewards": 0, "_chips": 1.5, "_owed": 2.5, "_decided": True, "totals": 3.5, "seating": LEARNER}
    for run in runs:
        run.learn(stop=lambda: True)
    for name, value in planted.items():
        array = getattr(saved, name)
        (array if array.flags.writeable else array.base)[:] = value
    runs[0].learner.before, runs[0].learner.seconds = Spent(0.0, 5, 2.0), 1.0
    runs[0].learner.save(runs[0].folder)
    runs[1].learner.restore(runs[0].folder)
    assert runs[1].spent == (1.0, 5, 2.0)
    for name, value in planted.items():
        assert (getattr(restored, name) == value).all()


def logged_by(run):
    """What each update of a run logs."""
    seen, step = [], run.learner.step
    run.learner.step = lambda: seen.append(step()) or seen[-1]
    run.learn()
    return seen


def test_log_shows_chips_of_whole_matches(tmp_path):
    run = Run.begin(parse({**SMALL, "variant": {"deals": 3}, "ppo": {"envs": 64, "steps": 64}}, "test"), tmp_path)
    chips = [row for row in logged_by(run) if "rollout/chips_sum" in row]
    assert chips
    assert all(abs(row["rollout/chips_sum"]) < 1e-3 for row in chips)
    assert any(abs(row["rollout/chips_seat_0"]) > 0 for row in chips)


@pytest.mark.parametrize(("pool", "least", "most"), [({"snapshots": 0, "rules": []}, 1.0, 1.0), ({}, 0.2, 0.8)])
def test_log_shows_tables_where_the_learner_has_all_seats(pool, least, most, tmp_path):
    run = Run.begin(parse({**SMALL, "decisions": 64 * 16 * 2, "pool": {**SMALL["pool"], **pool}}, "test"), tmp_path)
    for row in logged_by(run):
        assert least <= row["rollout/self_tables"] <= most


def test_run_killed_at_any_moment_resumes(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({**SMALL, "decisions": 10**9}))
    process = Command("train", path, "--runs", tmp_path)
    saved, folder, deadline = tmp_path / "small-1" / "resume.safetensors", tmp_path / "small-1", time.monotonic() + 120
    while not (saved.exists() and read_header(saved)["updates"]) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    assert process.ends().returncode == -signal.SIGKILL
    run = Run(load(path), folder)
    with pytest.raises(KeyboardInterrupt):
        run.learn(go_on=True, reporter=StopAfter(2))
    assert run.learner.updates >= 3
    make_agent(f"checkpoint:{folder}", "jie-long", forced_play=True)


def test_training_for_seconds_beats_random_play(tmp_path):
    config = parse(
        {
            **SMALL,
            "decisions": 70_000,
            "network": {"hidden": [64]},
            "ppo": {"envs": 128, "steps": 32, "batch_size": 1024, "learning_rate": 3e-3},
            "pool": {"snapshots": 2},
            "evaluation": {"every": 100, "deals": 20, "final_deals": 2, "baselines": ["random"]},
        },
        "test",
    )
    run = Run.begin(config, tmp_path)
    run.learn()
    trained = run.player(f"checkpoint:{run.agent_file}")
    found = duel("jie-long", trained, run.player("random"), 1000, seed=4, forced_play=True).mean(0)
    assert found.low > 6  # greedy stands at +9, random at 0
    rows = [json.loads(line) for line in (run.folder / "metrics.jsonl").read_text().splitlines()]
    assert rows[-1]["random"]["mean"] > 0
    assert list(run.folder.glob("events.out.tfevents.*"))


def pool(self_share=0.5, **more):
    return OpponentPool(4, np.random.default_rng(0), self_share, more.get("size", 3), 0.02)


def test_pool_has_all_rule_based_players_by_default(tmp_path):
    run = Run.begin(parse(BY_SEARCH, "test"), tmp_path)
    assert [agent.name for agent in run.learner.env.pool.agents] == ["greedy", "variety", "tuned"]
    assert [agent.name for agent in run.search_stage.target_maker.others] == ["greedy", "variety", "tuned"]
    few = Run.begin(parse({**BY_SEARCH, "pool": {**SMALL["pool"], "rules": ["random"]}}, "test"), tmp_path)
    assert [agent.name for agent in few.learner.env.pool.agents] == ["random"]


def test_failing_search_run_keeps_what_it_learned_from(tmp_path):
    run = Run.begin(parse(BY_SEARCH, "test"), tmp_path)
    with torch.no_grad():
        run.learner.network.value.weight.fill_(float("nan"))
    with pytest.raises(FloatingPointError, match="the loss is not finite after"):
        run.learn()
    batch = load_file(run.folder / "batch.safetensors")
    assert batch["observations"].any()
    assert len(batch["means"]) == 64
    assert (np.isfinite(batch["values"]).sum(1) > 1).all()


def test_failing_self_play_keeps_the_targets_of_search(tmp_path):
    config = parse({**BY_SEARCH, "save_every": 1}, "test")
    run = Run.begin(config, tmp_path)
    run.learn(stop=lambda: run.learner.updates > 0)
    again = Run(config, run.folder)

    class Breaking(Reporter):
        def moved(self, progress, number, what, seconds):
            if what != "decisions":
                return
            with torch.no_grad():
                again.learner.network.value.weight.fill_(float("nan"))

    with pytest.raises(FloatingPointError, match="of update"):
        again.learn(go_on=True, reporter=Breaking())
    batch = load_file(run.folder / "batch.safetensors")
    assert np.isnan(batch["values"]).all()
    assert batch["log_probs"].any()


def test_infinite_numbers_in_the_last_targets_are_saved_with_them(tmp_path, monkeypatch):
    run = Run.begin(parse({**BY_SEARCH, "decisions": 0}, "test"), tmp_path)

    def breaks(self, rows):
        self.rows = rows
        if self.progress() >= 1:
            raise FloatingPointError("broken")
        return {}

    monkeypatch.setattr(SearchStage, "_learn", breaks)
    with pytest.raises(FloatingPointError, match="broken"):
        run.learn()
    assert load_file(run.folder / "batch.safetensors")["observations"].any()


def test_decisions_are_those_learned_from(tmp_path, monkeypatch):
    run = Run.begin(parse({**SMALL, "max_minutes": 1}, "test"), tmp_path)
    clock = itertools.count(0, 1.0)  # a second a look at it, so that the minute ends within an update
    monkeypatch.setattr("gupai_training.stage.time.monotonic", lambda: next(clock))
    assert run.learn()
    learned = run.learner.updates * run.config.ppo.envs * run.config.ppo.steps
    assert 0 < learned == run.learner.count == read_header(run.agent_file)["decisions"]


def test_run_report_shows_stages_final_table_and_exploitability(tmp_path):
    variant = {"deck": "tiny", "players": 2}
    small = {"targets": 300, "tables": 8, "playouts": 1, "window": 300, "batch_size": 32}
    run = Run.begin(
        parse({**SMALL, "variant": variant, "expert_iteration": small, "decisions": 2048}, "test"), tmp_path
    )
    run.learn()
    rows = list(run.results())
    page = report(run, rows)
    targets, decisions = run.spent.targets, run.learner.count
    assert f"{targets:,} positions with targets, then {decisions:,} decisions of self-play" in page
    assert "Strength against time" in page
    assert "in 20 deals, the same at every evaluation" in page and "40 deals that training never met" in page
    assert f"deals from seed {1 + FINAL_SEED}" in page
    assert ">self-play</text>" in page
    assert "Exploitability" in page
    assert all(f"<td>{name}</td>" in page for name in run.baselines)
    kept = parse_stored(results_json(run, rows), Results, "results.json").table[1:]
    assert kept == [(row.hero, row.villain, str(row.result.mean(0))) for row in rows]
    assert all("".join(f"<td>{cell}</td>" for cell in row) in page for row in kept)
    assert "src=" not in page and "@import" not in page and "<link" not in page  # nothing is fetched
    last = evaluations_of(run.folder)[-1]
    policy = run.tree.policy([make_agent(f"checkpoint:{run.folder}", "jie-long", **variant)] * 2)
    assert last["exploitability"]["best"] == pytest.approx(run.tree.exploitability(policy))
    drawn = run.tree.policy([make_agent(f"sample:{run.folder}", "jie-long", **variant)] * 2)
    assert last["exploitability"]["drawn"] == pytest.approx(run.tree.exploitability(drawn))


def test_torch_and_target_makers_share_the_threads(tmp_path, monkeypatch):
    limits = []

    @contextlib.contextmanager
    def limited(torch_threads, numpy_threads):
        limits.append((torch_threads, numpy_threads))
        yield

    monkeypatch.setattr("gupai_training.search_stage.threads_of", limited)
    small = {"targets": 100, "tables": 8, "playouts": 1, "window": 100, "batch_size": 32, "ahead": 1}
    settings = {**SMALL, "expert_iteration": small, "decisions": 0, "threads": 5}
    run = Run.begin(parse(settings, "test"), tmp_path)
    assert (run.search_stage.threads, run.search_stage.target_threads) == (3, 2)
    run.learn()
    assert limits == [(3, 2)]


def test_lanes_have_no_methods_and_attributes_of_their_own():
    lanes = LearnerVecEnv("jie-long", 4, ["greedy"])
    lanes.reset()
    masks = lanes.env_method("action_masks", indices=[2, 0])
    np.testing.assert_array_equal(masks, lanes.masks[[2, 0]])
    with pytest.raises(AttributeError, match="lanes have no method 'render'"):
        lanes.env_method("render")
    with pytest.raises(AttributeError, match="lanes share all attributes; 'masks' cannot be set for some of them"):
        lanes.set_attr("masks", None, [1])
    assert [lanes.has_attr(name) for name in ("action_masks", "masks", "wings")] == [True, True, False]
    assert lanes.get_attr("num_envs", [0, 3]) == [4, 4] and lanes.env_is_wrapped(object) == [False] * 4
