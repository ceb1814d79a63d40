"""Learning on the tiny deck of every game: how exploitability falls with decisions, method by method, in one table and
one picture.

    python -m benchmarks.learning_tiny --json results/benchmark/learning-tiny.json \\
        --picture docs/static/learning-tiny.svg

MCCFR and NFSP are OpenSpiel's: pip install "gupai[openspiel]" dm-tree. Runs that the file holds already are not made
again, so a stopped command goes on. All solvers and learners are judged by `gupai_agents.evaluation.exact`: what a best
response wins, in chips per deal. A decision is one choice of one seat: of CFR+ and DCFR every one of the tree in every
pass over it, of MCCFR those visited, of learners those played. Search targets count as one decision each, without their
playouts.
"""

import argparse
import contextlib
import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from numpy.lib.recfunctions import repack_fields
from sb3_contrib import MaskablePPO
from torch import nn

from benchmarks import tiny
from benchmarks.tiny import ENVS, EXPERT_ITERATION, STEPS, WIDTH
from examples import magnetic_ppo as magnetic
from gupai_agents import ObservationAgent, make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation import build_tree, duel
from gupai_agents.evaluation.exact.tree import GameTree
from gupai_agents.evaluation.pages import chart
from gupai_agents.evaluation.pages.html import chart_style
from gupai_env import GAMES
from gupai_env.storage.files import write_file
from gupai_training import learner
from gupai_training.config import parse
from gupai_training.curves import evaluations_of
from gupai_training.returns import advantages_by_seat
from gupai_training.run import Run
from gupai_training.selfplay import LearnerVecEnv

ROUNDS = (1, 3, 10, 30, 100, 300)  # of CFR+ and DCFR after which they are judged
PSRO_ROUNDS = 8
EVALUATIONS = 6
Curve = Iterator[tuple[int, float]]  # decisions so far, exploitability
ACROSS, DOWN = 2, 5  # charts of the picture
LANES, RIVAL = 16, "greedy"  # of MaskablePPO
# Of --decisions, what Python can play while a learner plays those:
MCCFR_SHARE, NFSP_SHARE, MASKABLE_SHARE = 0.5, 0.2, 0.5


def main() -> None:
    """Make the runs that are missing, then the table and the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=3, help="runs of each method that draws random numbers")
    parser.add_argument("--decisions", type=int, default=40_000, help="of a learner")
    parser.add_argument("--minutes", type=float, default=1e9, help="of the processor, after which no run begins")
    parser.add_argument("--json", type=Path, required=True, help="file of the runs")
    parser.add_argument("--picture", type=Path, help="file for the picture, SVG")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    runs = json.loads(chosen.json.read_text(encoding="utf-8")) if chosen.json.exists() else {}
    begin = time.process_time()
    for seed in range(1, chosen.seeds + 1):  # all games once before any of them again
        for method in chosen.methods:
            for name in chosen.games:
                key = f"{name} {method} {seed}"
                spent = (time.process_time() - begin) / 60
                if key in runs or spent > chosen.minutes or (seed > 1 and method in SOLVERS):
                    continue
                runs[key] = made(name, method, seed, chosen.decisions)
                write_file(chosen.json, as_lines(runs), force=True)
                print(f"{key}: {runs[key]['curve'][-1]}, {runs[key]['seconds']} s", flush=True)
    print(table(runs))
    if chosen.picture:
        write_file(chosen.picture, picture(runs), force=True)


def as_lines(runs: Mapping[str, Any]) -> str:
    """Return the runs as JSON, one a line."""
    lines = (f" {json.dumps(key)}: {json.dumps(run)}" for key, run in runs.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def made(name: str, method: str, seed: int, decisions: int) -> dict[str, Any]:
    """Return a run: its curve, from uniform play on, and seconds of the processor."""
    tree = build_tree(name, **GAMES[name].variant.tiny_options())
    assert isinstance(tree, GameTree)
    begin = time.process_time()
    curve = [(0, tree.exploitability(tree.uniform())), *METHODS[method](tree, seed, decisions)]
    seconds = round(time.process_time() - begin, 1)
    return {"curve": [[count, round(value, 6)] for count, value in curve], "seconds": seconds}


# --- solvers --------------------------------------------------------------------------------------


def discounted(tree: GameTree, alpha: float, beta: float, gamma: float) -> Iterator[np.ndarray]:
    """Yield the average policy after every round of DCFR, seats in turn (Brown and Sandholm, "Solving imperfect-
    information games via discounted regret minimization", 2019).

    After round t positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by the same of beta, and the
    sum of policies by (t / (t + 1))^gamma. With infinity, minus infinity and 1 it is CFR+ as in `exact.solve`.
    """
    counts = np.diff(tree.first)
    owner = np.concatenate([np.arange(tree.players), np.repeat(tree.seats, counts)])
    regrets, total, number = np.zeros(len(owner)), np.zeros(len(owner)), 0
    while True:
        number += 1
        factors = [1 / (1 + number**-power) if math.isfinite(power) else float(power > 0) for power in (alpha, beta)]
        for seat in range(tree.players):
            policy = tree.in_proportion(np.maximum(regrets, 0))
            weighted = tree.weighted_payoffs(policy)
            value = tree.pass_back(weighted, policy)
            mine = np.flatnonzero(owner == seat)[1:]  # without the empty sequence
            regrets[mine] += (weighted[tree.players :] - np.repeat(value, counts))[mine - tree.players]
            regrets[mine] *= np.where(regrets[mine] > 0, *factors)
        total += tree.plan(tree.in_proportion(np.maximum(regrets, 0)))
        yield tree.in_proportion(total)
        total *= (number / (number + 1)) ** gamma


def solver(*powers: float) -> Callable[[GameTree, int, int], Curve]:
    """Return a method that solves a tree, judged after ROUNDS."""

    def solve(tree: GameTree, seed: int, decisions: int) -> Curve:
        in_a_round = (tree.nodes - 1 - len(tree.ends)) * tree.players
        for number, policy in zip(range(1, ROUNDS[-1] + 1), discounted(tree, *powers), strict=False):
            if number in ROUNDS:
                yield number * in_a_round, tree.exploitability(policy)

    return solve


def mccfr(tree: GameTree, seed: int, decisions: int) -> Curve:
    """External sampling of OpenSpiel."""
    from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver
    from open_spiel.python.algorithms.mccfr import AVG_POLICY_INDEX

    class Counting(ExternalSamplingSolver):  # type: ignore[misc]
        visited = 0

        def _update_regrets(self, state: Any, player: int) -> Any:
            self.visited += not (state.is_terminal() or state.is_chance_node())
            return super()._update_regrets(state, player)

    game = openspiel_game(tree)
    names = names_of_sets(tree, game)
    np.random.seed(seed)  # these solvers draw from numpy's own generator
    solving = Counting(game)
    for most in budgets(MCCFR_SHARE * decisions):
        while solving.visited < most:
            solving.iteration()
        known = solving._infostates
        weights = [known[key][AVG_POLICY_INDEX] if key in known else np.ones(n) for key, n in names]
        yield (
            solving.visited,
            tree.exploitability(tree.in_proportion(np.concatenate([np.ones(tree.players), *weights]))),
        )


def psro(tree: GameTree, seed: int, decisions: int) -> Curve:
    """PSRO of OpenSpiel with exact best responses, judged there; a round passes over the tree once for every seat.

    It needs cvxpy and matplotlib too. Its mixture is that of projected replicator dynamics: its linear program of a
    Nash equilibrium ends in a TypeError in open_spiel 2.0.2 with cvxpy 1.9.3.
    """
    from open_spiel.python.algorithms.exploitability import exploitability
    from open_spiel.python.algorithms.policy_aggregator import PolicyAggregator
    from open_spiel.python.algorithms.psro_v2.best_response_oracle import BestResponseOracle
    from open_spiel.python.algorithms.psro_v2.psro_v2 import PSROSolver

    np.random.seed(seed)
    game = openspiel_game(tree)
    in_a_round = (tree.nodes - 1 - len(tree.ends)) * tree.players
    with contextlib.redirect_stdout(None):
        solving = PSROSolver(
            game,
            BestResponseOracle("py", game),
            sims_per_entry=100,
            meta_strategy_method="prd",
            training_strategy_selector="uniform",
            sample_from_marginals=True,
            prd_iterations=5_000,
        )
    for number in range(1, PSRO_ROUNDS + 1):
        with contextlib.redirect_stdout(None):
            solving.iteration()
        mixed = PolicyAggregator(game).aggregate(
            range(tree.players), solving.get_policies(), solving.get_meta_strategies()
        )
        yield number * in_a_round, exploitability(game, mixed)


def budgets(most: float) -> list[int]:
    """Return EVALUATIONS numbers of decisions, each twice the one before."""
    return [int(most / 2**power) for power in reversed(range(EVALUATIONS))]


def openspiel_game(tree: GameTree) -> Any:
    from gupai_env.openspiel import as_openspiel

    return as_openspiel(tree.game, **vars(tree.variant))


def names_of_sets(tree: GameTree, game: Any) -> list[tuple[str, int]]:
    """Return OpenSpiel's name of every information set of a tree, with its number of actions, by walking both."""
    counts = np.diff(tree.first)
    masks, views = tree.batch.masks, [view.tobytes() for view in repack_fields(np.asarray(tree.batch.views))]
    numbers = {
        key: number for number, key in enumerate(zip(tree.seats.tolist(), tree.before.tolist(), views, strict=True))
    }
    assert len(numbers) == tree.sets, "a view and the sequence before it tell a set"
    names: dict[int, str] = {}
    ways = masks.cumsum(1)

    def walk(state: Any, sequences: tuple[int, ...]) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for outcome in state.legal_actions():
                walk(state.child(outcome), sequences)
            return
        seat, deal = state.current_player(), state.position.deal
        view = repack_fields(np.asarray(deal.view_row(seat))).tobytes()  # without padding, which may hold anything
        number = numbers[seat, sequences[seat], view]
        names[number] = state.information_state_string(seat)
        for action in state.legal_actions():
            sequence = int(tree.first[number] + ways[number, action] - 1)
            walk(state.child(action), (*sequences[:seat], sequence, *sequences[seat + 1 :]))

    walk(game.new_initial_state(), tuple(range(tree.players)))
    return [(names[number], int(counts[number])) for number in range(tree.sets)]


# --- learners -------------------------------------------------------------------------------------


class Drawing(ObservationAgent):
    """A player that draws from the softmax of a network's scores."""

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """Return the softmax over the legal actions, float64 [N, num_actions]."""
        scores = np.where(batch.masks, self.scores(batch).astype(np.float64), -np.inf)
        given = np.exp(scores - scores.max(1, keepdims=True))
        return given / given.sum(1, keepdims=True)


def nfsp(tree: GameTree, seed: int, decisions: int) -> Curve:
    """NFSP of OpenSpiel, judged by its average policy."""
    env, agents = nfsp_table(openspiel_game(tree), seed, decisions)
    played = 0
    for most in budgets(NFSP_SHARE * decisions):
        played += play_nfsp(env, agents, most - played)
        players = [Drawing("NFSP", tree.game, scorer(agent._avg_network)) for agent in agents]
        yield played, tree.exploitability(tree.policy(players))


def nfsp_table(game: Any, seed: int, decisions: int, **settings: Any) -> tuple[Any, list[Any]]:
    """Return an environment of OpenSpiel and NFSP for every seat; it learns earlier and more often than its example."""
    rates = {"rl_learning_rate": 1e-3, "sl_learning_rate": 1e-3, **settings}
    from open_spiel.python.pytorch.nfsp import NFSP
    from open_spiel.python.rl_environment import Environment

    np.random.seed(seed)
    torch.manual_seed(seed)
    env = Environment(game, seed=seed)
    sizes = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    agents = [
        NFSP(
            seat,
            *sizes,
            [128],
            50_000,
            0.1,
            seed=seed + seat,
            replay_buffer_capacity=50_000,
            optimizer_str="adam",
            epsilon_decay_duration=decisions,
            epsilon_start=0.06,
            epsilon_end=0.001,
            min_buffer_size_to_learn=128,
            learn_every=16,
            **rates,
        )
        for seat in range(env.num_players)
    ]
    return env, agents


def play_nfsp(env: Any, agents: list[Any], decisions: int) -> int:
    """Play whole deals until there were so many decisions; return how many there were."""
    played = 0
    while played < decisions:
        now = env.reset()
        while not now.last():
            played += 1
            now = env.step([agents[now.observations["current_player"]].step(now).action])
        for agent in agents:
            agent.step(now)
    return played


def scorer(network: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return what scores observations by a network of torch."""

    def score(observations: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return network(torch.from_numpy(observations.astype(np.float32))).numpy()

    return score


def maskable_ppo(tree: GameTree, seed: int, decisions: int) -> Curve:
    """MaskablePPO of sb3-contrib: one seat learns against `greedy` in the others, and its policy is judged in all."""
    model = masked_ppo(tree.game.id, seed, tree.variant.changed(), n_steps=32)
    for most in budgets(MASKABLE_SHARE * decisions):
        model.learn(most - model.num_timesteps, reset_num_timesteps=False)
        player = Drawing("MaskablePPO", tree.game, scorer(policy_of(model)))
        yield model.num_timesteps, tree.exploitability(tree.policy([player] * tree.players))


def masked_ppo(game: str, seed: int, options: Mapping[str, Any], **settings: Any) -> MaskablePPO:
    """Return MaskablePPO with lanes in which one seat learns; a reward of 1 is the standard deviation of a deal."""
    rival = make_agent(RIVAL, game, **options)
    scale = float(np.std(duel(game, rival, rival, 500, seed=seed, **options).chips[:, 0, 0])) or 1.0
    env = LearnerVecEnv(game, LANES, [RIVAL], seed=seed, payoff_scale=scale, **options)
    return MaskablePPO("MlpPolicy", env, seed=seed, device="cpu", **settings)


def policy_of(model: MaskablePPO) -> nn.Module:
    """Return its network from observations to logits."""
    return nn.Sequential(model.policy.mlp_extractor.policy_net, model.policy.action_net)


def one_stream(seats: torch.Tensor, values: torch.Tensor, payoffs: torch.Tensor, *more: Any) -> Any:
    """Advantages as the PettingZoo tutorial's wrapper feeds them to SB3: who moves next is taken for the same player.

    The successor of a decision is the next mover's decision, and a reward is what the mover itself was paid at once.
    """
    paid = payoffs.gather(2, seats[..., None].long())
    return advantages_by_seat(torch.zeros_like(seats), values, paid, *more)


def self_play(tree: GameTree, seed: int, decisions: int) -> Curve:
    """Self-play as in `benchmarks/tiny.py`, of the policy that is drawn from."""
    interval = max(1, decisions // (ENVS * STEPS * EVALUATIONS))
    return trained(tree, seed, tiny.self_play(decisions), interval, "decisions")


def magnetic_ppo(tree: GameTree, seed: int, decisions: int) -> Curve:
    """The same with the learner of examples/magnetic_ppo.py."""
    interval = max(1, decisions // (ENVS * STEPS * EVALUATIONS))
    return trained(tree, seed, tiny.self_play(decisions) | {"learner": magnetic.NAME}, interval, "decisions")


def as_tutorial(tree: GameTree, seed: int, decisions: int) -> Curve:
    """The same learner on the stream of all movers, which PettingZoo's tutorial for SB3 feeds."""
    with mock.patch.object(learner, "advantages_by_seat", one_stream):
        yield from list(self_play(tree, seed, decisions))


def search_targets(tree: GameTree, seed: int, decisions: int) -> Curve:
    """Learning from search targets, without self-play."""
    changes = {
        "decisions": 0,
        "network": {"type": "residual", "hidden": [WIDTH, WIDTH]},
        "expert_iteration": {**EXPERT_ITERATION, "targets": decisions},
    }
    return trained(tree, seed, changes, 10, "targets")


def trained(tree: GameTree, seed: int, changes: dict[str, Any], interval: int, count: str) -> Curve:
    """Return the curve of a training run in a folder of its own, which is removed."""
    evaluation = {"baselines": ["random"], "every": interval, "deals": 2, "final_deals": 2}
    settings = tiny.settings_of(tree.game.id, tree.variant.changed(), seed) | changes | {"evaluation": evaluation}
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(None):
        run = Run.begin(parse(settings, "tiny"), Path(folder))
        run.learn()
        rows = evaluations_of(run.folder)
    return iter([(row[count], row["exploitability"]["drawn"]) for row in rows])


SOLVERS = ("CFR+", "DCFR")
METHODS: dict[str, Callable[[GameTree, int, int], Curve]] = {
    "CFR+": solver(math.inf, -math.inf, 1),
    "DCFR": solver(1.5, 0, 2),
    "PPO as in the tutorial": as_tutorial,
    "self-play": self_play,
    "PPO with a magnet": magnetic_ppo,
    "MaskablePPO": maskable_ppo,
    "search targets": search_targets,
    "MCCFR": mccfr,
    "NFSP": nfsp,
    "PSRO": psro,
}


# --- table and picture ----------------------------------------------------------------------------


def curves_of(all_runs: Mapping[str, Any], name: str, method: str) -> np.ndarray | None:
    """Return the curves of a method in a game, float64 [runs, points, 2], None without a run."""
    runs = [run["curve"] for key, run in all_runs.items() if key.rpartition(" ")[0] == f"{name} {method}"]
    points = min(map(len, runs), default=0)
    return np.array([run[:points] for run in runs], float) if runs else None


def table(runs: Mapping[str, Any]) -> str:
    """Return what is left of the exploitability of uniform play in the end, by game: the mean over seeds, and their
    range. A method without a run has no column.
    """
    methods = [method for method in METHODS if any(curves_of(runs, name, method) is not None for name in GAMES)]
    lines = [f"| game | uniform, chips per deal | {' | '.join(methods)} |", f"|{'---|' * (2 + len(methods))}"]
    for name, game in GAMES.items():
        curves = [curves_of(runs, name, method) for method in methods]
        known = [curve for curve in curves if curve is not None]
        if known:
            cells = ["" if curve is None else share_of(curve) for curve in curves]
            lines.append(f"| {game.title} | {known[0][0, 0, 1]:.3g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def share_of(curves: np.ndarray) -> str:
    """Return which share of the exploitability of uniform play is left in the end."""
    shares = curves[:, -1, 1] / curves[:, 0, 1]
    spread = f" ({shares.min():.1%} to {shares.max():.1%})" if len(shares) > 1 else ""
    return f"{shares.mean():.2%}{spread}"


def picture(runs: Mapping[str, Any]) -> str:
    """Return a chart for every game in one SVG: share of the exploitability of uniform play over log10 of decisions."""
    width, height = chart.WIDTH + 40, chart.HEIGHT + 90
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {ACROSS * width} {DOWN * height}">',
        f"<style>text {{ font-family: sans-serif }} {chart_style()}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for number, (name, game) in enumerate(GAMES.items()):
        named = {m: points(curves) for m in METHODS if (curves := curves_of(runs, name, m)) is not None}
        x, y = number % ACROSS * width, number // ACROSS * height
        parts.append(f'<text x="{x + 60}" y="{y + 20}" font-weight="bold">{game.title}</text>')
        if named:
            drawn = str(chart.curves(named, "log10 of decisions", "exploitability, share of uniform play"))
            parts.append(
                drawn.replace("<svg ", f'<svg x="{x}" y="{y + 30}" width="{chart.WIDTH}" height="{height - 40}" ', 1)
            )
    return "".join([*parts, "</svg>\n"])


def points(curves: np.ndarray) -> list[chart.Point]:
    """Return the points of a curve: the mean over seeds, with their range."""
    shares = curves[:, 1:, 1] / curves[:, :1, 1]
    decisions = np.log10(curves[:, 1:, 0].mean(0).clip(min=1))
    rows = zip(decisions, shares.mean(0), shares.min(0), shares.max(0), strict=True)
    return [chart.Point(*map(float, row)) for row in rows]


if __name__ == "__main__":
    main()
