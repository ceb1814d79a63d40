"""The learner's arithmetic by hand: losses, averages, schedules, and who is drawn to sit with it."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gupai_agents import make_agent
from gupai_training.learner import SelfPlay
from gupai_training.network import relative
from gupai_training.opponents import LEARNER, Member, OpponentPool
from gupai_training.search_targets import Targets, Window
from gupai_training.stage import Stage


@pytest.mark.parametrize(("progress", "coefficient"), [(0.0, 0.1), (0.75, 0.04), (1.0, 0.02)])
def test_entropy_bonus_falls_linearly(progress, coefficient):
    config = SimpleNamespace(ppo=SimpleNamespace(entropy=0.1, entropy_end=0.02))
    learner = SimpleNamespace(config=config, progress=lambda: progress)
    assert SelfPlay.entropy_coef(learner) == pytest.approx(coefficient)


class Still:
    """An optimiser that leaves the gradient to be looked at."""

    def zero_grad(self):
        pass

    def step(self):
        pass


class Given:
    """A network whose outputs are given."""

    def __init__(self, *outputs):
        self.outputs = outputs

    def __call__(self, _):
        return self.outputs

    def parameters(self):
        return list(self.outputs)


def test_gradient_step_is_clipped_ppo():
    """Against the same in numpy; of three actions one may be forbidden."""
    generator = np.random.default_rng(5)
    count, clip, bonus, weight = 6, 0.2, 0.3, 0.7
    logits = torch.tensor(generator.normal(size=(count, 3)), requires_grad=True)
    values = torch.tensor(generator.normal(size=count), requires_grad=True)
    masks = np.ones((count, 3), bool)
    masks[::2, 2] = False
    actions = np.array([0, 1, 1, 2, 0, 0])
    shown = np.where(masks, logits.detach().numpy(), -np.inf)
    chances = np.exp(shown) / np.exp(shown).sum(1, keepdims=True)
    ratio = np.array([1.5, 0.5, 1.1, 0.9, 1.5, 0.5])
    old = np.log(chances[range(count), actions] / ratio)
    advantages, returns = np.array([1.0, 1, 2, -3, -1, -2]), generator.normal(size=count)

    learner = SimpleNamespace(
        optimizer=Still(),
        network=Given(logits, values),
        config=SimpleNamespace(ppo=SimpleNamespace(value_coef=weight, clip_range=clip, max_grad_norm=1e9)),
        updates=0,
        entropy_coef=lambda: bonus,
    )
    learner.loss, learner.penalty = partial(SelfPlay.loss, learner), partial(SelfPlay.penalty, learner)
    batch = {
        "observations": torch.zeros(count),
        "masks": torch.tensor(masks),
        "actions": torch.tensor(actions)[:, None],
        "advantages": torch.tensor(advantages),
        "log_probs": torch.tensor(old),
        "returns": torch.tensor(returns),
    }
    found = {k: float(v) for k, v in SelfPlay.gradient_step(learner, batch).items()}
    scaled = (advantages - advantages.mean()) / (advantages.std(ddof=1) + 1e-8)
    surrogate = np.minimum(ratio * scaled, ratio.clip(0.8, 1.2) * scaled)
    entropy = -np.where(masks, chances * np.log(chances.clip(1e-300)), 0).sum(1)
    assert found["policy_loss"] == pytest.approx(-surrogate.mean())
    assert found["value_loss"] == pytest.approx(((values.detach().numpy() - returns) ** 2).mean())
    assert found["entropy"] == pytest.approx(entropy.mean())
    assert found["entropy_of_most"] == pytest.approx((entropy / np.log(masks.sum(1))).mean())
    assert found["approx_kl"] == pytest.approx((ratio - 1 - np.log(ratio)).mean())
    assert found["clip_fraction"] == pytest.approx(4 / 6)
    assert found["loss"] == pytest.approx(
        found["policy_loss"] - bonus * found["entropy"] + weight * found["value_loss"]
    )
    gradient = torch.cat([logits.grad.flatten(), values.grad])
    assert found["gradient_norm"] == pytest.approx(float(gradient.norm()))
    assert (logits.grad[::2, 2] == 0).all()
    np.testing.assert_allclose(values.grad.numpy(), weight * 2 * (values.detach().numpy() - returns) / count, rtol=1e-6)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_infinite_gradient_stops_training_before_the_step(wrong):
    logits, values = torch.zeros(2, 2, requires_grad=True), torch.zeros(2, requires_grad=True)

    class Steps(Still):
        def step(self):
            raise AssertionError("it learned")

    learner = SimpleNamespace(
        optimizer=Steps(),
        network=Given(logits, values),
        config=SimpleNamespace(ppo=SimpleNamespace(value_coef=1.0, clip_range=0.2, max_grad_norm=1.0)),
        updates=6,
        entropy_coef=lambda: 0.0,
    )
    learner.loss, learner.penalty = partial(SelfPlay.loss, learner), partial(SelfPlay.penalty, learner)
    batch = {
        "observations": torch.zeros(2),
        "masks": torch.ones(2, 2, dtype=torch.bool),
        "actions": torch.zeros(2, 1, dtype=torch.long),
        "advantages": torch.tensor([1.0, 2.0]),
        "log_probs": torch.zeros(2),
        "returns": torch.tensor([wrong, 0.0]),
    }
    with pytest.raises(FloatingPointError, match="the gradient of update 7 is not finite; training stopped"):
        SelfPlay.gradient_step(learner, batch)


# --- progress -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decisions", "seconds", "minutes", "progress"),
    [(50, 0, None, 0.5), (50, 90, 2, 0.75), (50, 30, 2, 0.5), (150, 0, None, 1.0), (10, 500, 2, 1.0)],
)
def test_progress_is_the_further_of_decisions_and_time(decisions, seconds, minutes, progress):
    stage = SimpleNamespace(goal=100, max_minutes=minutes, count=decisions, seconds=seconds)
    assert Stage.progress(stage) == progress


@pytest.mark.parametrize(
    ("progress", "due"), [(0.0, 0.25), (0.2, 0.25), (0.25, 0.5), (0.49, 0.5), (0.75, 1.0), (1.0, 1.25)]
)
def test_snapshots_divide_a_run_evenly(progress, due):
    """Three of them: none at the beginning, and none at the end."""
    config = SimpleNamespace(pool=SimpleNamespace(snapshots=3))
    assert SelfPlay._snapshot_due(SimpleNamespace(config=config, progress=lambda: progress)) == due


@pytest.mark.parametrize("parts", [[3], [7], [2, 7], [5, 5, 1], [12, 3], [4, 4, 4]])
def test_window_of_five_holds_the_newest_five_by_number(parts):
    game = SimpleNamespace(
        num_actions=2, encoder=SimpleNamespace(layout=SimpleNamespace(size=3, low=np.zeros(3), high=np.ones(3)))
    )
    window, made = Window(5, game), 0
    for number in parts:
        means = np.arange(made, made + number, dtype=np.float32)
        window.add(Targets(np.ones((number, 3), np.int8), np.stack([means, -means], 1), means))
        made += number
        first = max(0, made - 5)
        kept = window.saved(first, made)
        assert kept["means"].tolist() == list(range(first, made))
        assert kept["values"][:, 1].tolist() == [-mean for mean in range(first, made)]
        again = Window(5, game)
        again.put_back(kept, first, made)
        assert (len(again), again.made) == (len(window), window.made) == (made - first, made)
        assert again.saved(first, made)["means"].tolist() == kept["means"].tolist()


# --- who sits with the learner --------------------------------------------------------------------


def pool(self_share=0.5, members=3, seats=4, **more):
    found = OpponentPool(seats, np.random.default_rng(1), self_share, more.pop("size", 10), more.pop("rule_share", 0.0))
    for number in range(members):
        found.members.append(Member(None, number, False, **more))
    return found


def test_member_takes_one_to_all_but_one_seats_anywhere():
    seating = pool(self_share=0.25).line_ups(24_000)
    mixed = (seating != LEARNER).any(1)
    assert mixed.mean() == pytest.approx(0.75, abs=0.02)
    tables = seating[mixed]
    taken = (tables != LEARNER).sum(1)
    assert np.bincount(taken, minlength=5)[1:4] / len(taken) == pytest.approx([1 / 3] * 3, abs=0.02)
    assert set(taken.tolist()) == {1, 2, 3}
    assert (tables != LEARNER).mean(0) == pytest.approx([0.5] * 4, abs=0.02)  # every seat alike
    who = tables.max(1)
    assert ((tables == who[:, None]) | (tables == LEARNER)).all()  # one member a table
    assert np.bincount(who) / len(who) == pytest.approx([1 / 3] * 3, abs=0.02)


def test_learner_alone_has_every_seat():
    assert (pool(self_share=1.0).line_ups(50) == LEARNER).all()
    assert (pool(members=0).line_ups(50) == LEARNER).all()


def test_choice_goes_half_to_those_who_lose_least():
    found = pool(members=2)
    found.members[0].beaten, found.members[1].beaten = 0.9, 0.7  # squares 0.01 and 0.09
    assert found.weights() == pytest.approx([0.25 + 0.05, 0.25 + 0.45], abs=1e-4)


def test_rule_based_members_get_their_share():
    found = pool(members=4, rule_share=0.3)
    found.members[1].scripted = True
    assert found.weights() == pytest.approx([0.7 / 3, 0.3, 0.7 / 3, 0.7 / 3], abs=1e-4)
    for each in found.members:
        each.scripted = True
    assert found.weights() == pytest.approx([0.25] * 4)


def test_member_losses_are_averaged_over_the_last_deals():
    found = pool(members=2)
    seating = np.array([[0, LEARNER, 0, LEARNER], [LEARNER, LEARNER, LEARNER, LEARNER]], np.int16)
    payoffs = np.array([[-1.0, 5, 0, -4], [1, 1, -1, -1]], np.float32)
    found.record(seating, payoffs)
    first, second = found.members
    assert (first.beaten, first.deals) == (0.75, 2)  # one lost, one even
    assert (second.beaten, second.deals) == (0.5, 0)
    found.record(seating[:1], np.array([[2.0, 0, 2, 0]], np.float32))
    assert (first.beaten, first.deals) == (pytest.approx(0.375), 4)
    first.deals = 10**6
    found.record(seating[:1], np.array([[-2.0, 0, -2, 0]], np.float32))
    assert first.beaten == pytest.approx(0.375 + 2 / 2000 * 0.625)


def test_first_newest_and_best_members_stay():
    found = pool(members=0, size=3)
    agents = [make_agent("greedy") for _ in range(6)]
    left = []
    for number, (agent, born) in enumerate(zip(agents, (0, 10, 11, 30, 31, 60), strict=True)):
        left.append(found.add(agent, born))
        if number == 1:
            found.members[1].beaten = 0.1
    # With 0, 10, 11 and 30 the one born at 10 is the best, so 11 goes; then always the newest but one.
    assert left == [None, None, None, 2, 2, 2]
    assert [member.born for member in found.members] == [0, 10, 60]


def test_scripted_members_never_leave_and_count_for_nothing():
    found = pool(members=0, size=2)
    greedy = make_agent("greedy")
    found.add(greedy, 0, scripted=True)
    assert [found.add(greedy, born) for born in (1, 2)] == [None, None]
    found.members[1].beaten = 0.4
    assert found.add(greedy, 3) == 2
    assert [(member.born, member.scripted) for member in found.members] == [(0, True), (1, False), (3, False)]


def test_scores_are_relative_to_the_mean_of_legal_ones():
    scores = torch.tensor([[1.0, 2.0, 6.0], [4.0, -1.0, 3.0]])
    legal = torch.tensor([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    assert relative(scores, legal).tolist() == [[-2.0, -1.0, 3.0], [0.5, -4.5, -0.5]]
