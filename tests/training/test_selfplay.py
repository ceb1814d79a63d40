"""The pool is told whole episodes, chips reach whose they are, and members that leave leave no trace."""

import contextlib
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecMonitor

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.gymnasium_envs.learning_seat import ILLEGAL, NONE_PLAYED
from gupai_agents.play.playouts import OPEN, SETTLED
from gupai_env import GAMES
from gupai_env.aec import GupaiEnv
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import LEGAL, WAIT
from gupai_training import opponents
from gupai_training.opponents import LEARNER, OpponentPool
from gupai_training.selfplay import LearnerVecEnv, SelfPlayEnv


class Script:
    """Lanes that follow a script: who is to act, then for each step the chips paid and whether the episode ended."""

    alone, table, kernels = contextlib.nullcontext(), None, SimpleNamespace(check=lambda *_: LEGAL)

    def __init__(self, seat, *steps):
        self.seats = np.array([seat], np.int8)
        self.steps = list(steps)
        self.observations, self.masks = np.zeros((1, 3), np.int8), np.ones((1, 3), np.bool_)
        self.rewards, self.terminated = np.zeros((1, 4), np.float32), np.zeros(1, np.bool_)

    def run(self, env, action, rounds, why):
        """As the loop `converse` does."""
        why[0] = OPEN
        while action != WAIT or env.seating[0, self.seats[0]] != LEARNER:
            chips, self.terminated[0], self.seats[0] = self.steps.pop(0)
            self.rewards[0] = [*chips, *[0] * (4 - len(chips))]  # columns for seats that nobody has
            rounds[0], action = rounds[0] + 1, WAIT
            if self.terminated[0] or any(chips):
                why[0] = SETTLED
                return


class Listener:
    """Opponents that always sit the same way and note what they are told."""

    agents = ()

    def __init__(self, *seating):
        self.seating, self.printed = np.array([seating], np.int16), []

    def line_ups(self, tables):
        return self.seating.repeat(tables, 0)

    def record(self, seating, payoffs):
        self.printed += payoffs.tolist()


def scripted(monkeypatch, seating, first, *steps):
    env = SelfPlayEnv("jie-long", 1, Listener(*seating), players=len(seating))
    monkeypatch.setattr(env, "_numbers", np.zeros(1, np.int16))
    monkeypatch.setattr(env, "_run", lambda _, actions, *progress: env.envs.run(env, actions[0], *progress))
    env.envs = Script(first, *steps)
    env.envs.states = SimpleNamespace(moves=np.zeros(1))
    env.envs.episodes = np.zeros(1)
    env.reset()
    return env


def played(env):
    env.play(np.zeros(1, np.int16))
    return env.rewards[0].tolist(), bool(env.terminated[0])


US, THEM = LEARNER, 0
NOTHING = [0, 0]


def test_chips_before_the_first_decision_come_with_it(monkeypatch):
    env = scripted(
        monkeypatch,
        (US, THEM),
        1,  # the other one begins, and a whole deal passes without us
        ([5, -5], False, 1),
        (NOTHING, False, 0),
        (NOTHING, False, 0),  # our first decision
        ([2, -2], True, 0),  # our second
        (NOTHING, False, 0),
    )
    assert played(env) == ([5, 0], False)
    assert played(env) == ([2, -7], True)
    assert played(env) == (NOTHING, False)
    assert env.pool.printed == [[7, -7]]
    assert env.totals.tolist() == [[7, -7]]


def test_chips_of_the_next_episode_wait_for_its_first_decision(monkeypatch):
    env = scripted(
        monkeypatch,
        (US, THEM),
        0,
        ([1, -1], True, 1),  # our decision ends the episode, and in the next one
        ([30, -30], False, 0),  # a deal passes without us
        (NOTHING, False, 0),
        ([-4, 4], True, 0),
    )
    assert played(env) == ([1, -1], True)
    assert played(env) == ([30, 0], False)
    assert played(env) == ([-4, -26], True)
    assert env.pool.printed == [[1, -1], [26, -26]]


def test_episode_without_the_learner_pays_it_nothing(monkeypatch):
    env = scripted(
        monkeypatch,
        (US, THEM),
        0,
        ([1, -1], True, 1),  # our episode ends; two pass without us,
        ([30, -30], False, 1),
        ([50, -50], True, 1),
        ([60, -60], True, 0),
        ([2, -2], True, 0),  # and in the next one it is our turn
    )
    assert played(env) == ([1, -1], True)
    assert env.totals.tolist() == [[1, -1]]
    assert played(env) == ([2, -2], True)
    assert env.pool.printed == [[1, -1], [80, -80], [60, -60], [2, -2]]


def test_episode_without_the_learner_pays_nothing_before_it(monkeypatch):
    env = scripted(monkeypatch, (US, THEM), 1, ([30, -30], True, 1), ([7, -7], False, 0), (NOTHING, False, 0))
    assert played(env) == ([7, 0], False)


def test_learning_seats_get_chips_with_their_own_first_decision(monkeypatch):
    env = scripted(
        monkeypatch,
        (US, US, US),
        1,
        ([3, -2, -1], False, 0),  # seat 1 ends a deal, then seat 0 decides for the first time,
        ([0, 0, 0], False, 1),
        ([10, -5, -5], False, 1),
        ([1, 1, -2], True, 0),  # and seat 2 never does
    )
    assert played(env) == ([0, -2, 0], False)
    assert played(env) == ([3, 0, 0], False)
    assert played(env) == ([10, -5, 0], False)
    assert played(env) == ([1, 1, -8], True)
    assert env.totals.tolist() == [[14, -6, -8]]


def test_reset_forgets_owed_chips(monkeypatch):
    env = scripted(monkeypatch, (US, THEM), 1, ([5, -5], False, 0), (NOTHING, False, 0))
    env.envs.seats[0] = 0
    env.reset()
    assert played(env) == (NOTHING, False)


@pytest.mark.parametrize("game", ["jie-long", "ce-deng", "small-mahjong", "deer-hunt"])
def test_returns_are_the_chips_of_the_match_in_every_environment(game):
    """What the learner is paid over an episode is what its seat has won in it, by the count of the match."""
    tables, deals = 40, 3
    env = LearnerVecEnv(game, tables, ["random"], seed=5, deals=deals)
    env.reset()
    rng, returns, episodes, rows = np.random.default_rng(1), np.zeros(tables), 0, np.arange(tables)
    for _ in range(400):
        _, rewards, terminated, _ = env.step((env.masks * rng.random(env.masks.shape)).argmax(1))
        returns += rewards
        returns[terminated] = 0
        episodes += int(terminated.sum())
        totals = env.envs.states.total[rows, env.tables.seats]
        np.testing.assert_allclose(returns + env.tables._owed, totals, atol=1e-3)
    assert episodes > tables / 2


def test_gymnasium_pays_by_the_same_rule():
    env = gymnasium.make_vec("gupai/JieLong-v0", 30, opponents="random", deals=3, seat=2).unwrapped
    _, info = env.reset(seed=3)
    rng, returns, episodes = np.random.default_rng(1), np.zeros(30), 0
    for _ in range(200):
        actions = (info["action_mask"] * rng.random(info["action_mask"].shape)).argmax(1)
        _, rewards, terminated, _, info = env.step(actions)
        returns += rewards
        returns[terminated] = 0
        episodes += terminated.sum()
        owed = env._owed
        totals = env.envs.states.total[:, 2]
        np.testing.assert_allclose(returns + owed, totals, atol=1e-3)
    assert episodes > 30


def test_leaving_member_renumbers_those_behind_it():
    env = SelfPlayEnv("jie-long", 3, OpponentPool(4, np.random.default_rng(0), 1.0, 1, 0.0), seed=1)
    env._seating[:] = [[LEARNER, 0, 1, 2], [1, 1, LEARNER, 1], [3, LEARNER, 2, 0]]
    env.forget(1)
    assert env.seating.tolist() == [[LEARNER, 0, LEARNER, 1], [LEARNER, LEARNER, LEARNER, LEARNER], [2, LEARNER, 1, 0]]


def test_seated_members_stay_when_another_leaves_the_pool():
    """By name, in self-play with a full pool: nobody takes the seat of another."""
    pool = OpponentPool(4, np.random.default_rng(0), self_share=0.0, size=3, rule_share=0.02)
    pool.add(make_agent("greedy"), 0, scripted=True)
    for born in range(1, 4):
        agent = make_agent("random")
        agent.name = f"past {born}"
        pool.add(agent, born)
    env = SelfPlayEnv("jie-long", 200, pool, seed=1)
    env.reset()
    for born in range(4, 10):
        before = [[None if at == LEARNER else pool.agents[at].name for at in row] for row in env.seating]
        agent = make_agent("random")
        agent.name = f"past {born}"
        leaving = pool.add(agent, born)
        assert leaving is not None
        env.forget(leaving)
        names = {member.agent.name for member in pool.members}
        after = [[None if at == LEARNER else pool.agents[at].name for at in row] for row in env.seating]
        assert after == [[name if name in names else None for name in row] for row in before]
        assert any(name is None for row in after for name in row)
        for _ in range(20):
            env.play((env.masks * np.random.default_rng(born).random(env.masks.shape)).argmax(1))
            assert (env.seating[np.arange(200), env.seats] == LEARNER).all()


def test_reset_without_a_seed_deals_new_deals():
    env = LearnerVecEnv("jie-long", 20, ["random"], seed=1)
    first = env.reset()
    assert (env.reset() != first).any()
    for _ in range(3):
        env.step(env.masks.argmax(1))
    assert (env.envs.episodes == 1).all()
    dealt = []
    for _ in range(2):
        env.seed(7)
        env.reset()
        dealt.append(env.envs.states.seed.tolist())
    assert dealt[0] == dealt[1]


def test_leaving_member_is_closest_in_age_to_its_neighbours():
    pool = OpponentPool(2, np.random.default_rng(0), 0.5, 4, 0.0)
    assert [pool.add(make_agent("random"), born) for born in (1, 8, 10, 11, 30)] == [None] * 4 + [2]
    assert [member.born for member in pool.members] == [1, 8, 11, 30]


def test_record_decays_and_weighs_the_squared_share_not_lost():
    pool = OpponentPool(2, np.random.default_rng(0), 0.5, 4, 0.0)
    for born in (1, 2):
        pool.add(make_agent("random"), born)
    pool.members[1].beaten = 0.0
    np.testing.assert_allclose(pool.weights(), [0.25 + 0.5 * 0.2, 0.25 + 0.5 * 0.8], atol=1e-5)
    seating = np.array([[0, LEARNER]]).repeat(opponents.MEMORY, 0)
    for payoff, beaten in ((0, 0.5), (0, 0.5), (-1, 1.0)):  # as long as the memory: nothing else counts
        pool.record(seating, np.array([[payoff, -payoff]], np.float32).repeat(len(seating), 0))
        assert pool.members[0].beaten == beaten


@pytest.mark.parametrize("past", [0, 1])
def test_pool_meets_everybody_despite_many_rule_based_players(past):
    """Six of them with a fifth of the tables each would leave less than nothing to the others."""
    pool = OpponentPool(2, np.random.default_rng(0), 0.5, 4, 0.2)
    for _ in range(6):
        pool.add(make_agent("random"), 0, scripted=True)
    for born in range(past):
        pool.add(make_agent("random"), born)
    with np.errstate(all="raise"):
        weights = pool.weights()
    assert weights.sum() == pytest.approx(1) and (weights > 0).all()
    assert np.ptp(weights[:6]) == 0


def test_seed_determines_deals_seats_and_opponents():
    def begun(env):
        observations = env.reset()
        found = [observations, env.envs.seats.copy(), env.tables._line_ups.copy()]
        for _ in range(15):
            found += env.step(env.action_masks().argmax(1))[:3]
        return [each.tolist() for each in found]

    env = LearnerVecEnv("jie-long", 12, ["random", "greedy", "variety"], seed=1)
    made = begun(env)
    for seed in (5, 1, 5):
        env.seed(seed)
        again = begun(env)
        assert again == begun(LearnerVecEnv("jie-long", 12, ["random", "greedy", "variety"], seed=seed))
        assert (again == made) == (seed == 1)


def test_episodes_are_counted_once_with_their_last_observation():
    env = LearnerVecEnv("jie-long", 12, ["greedy"], seed=1, forced_play=True)
    monitored, greedy = VecMonitor(env), make_agent("greedy", "jie-long", forced_play=True)
    monitored.reset()
    moves, counted, ended = [[] for _ in range(12)], 0, 0
    for _ in range(60):
        learners, episodes = env.envs.seats.copy(), env.envs.episodes.copy()
        actions = env.action_masks().argmax(1)
        for lane, action in enumerate(actions):
            moves[lane].append(action)
        _, _, dones, infos = monitored.step(actions)
        for lane, (done, info) in enumerate(zip(dones, infos, strict=True)):
            assert ("terminal_observation" in info) == ("episode" in info) == done
            counted += "episode" in info
            if done:
                assert info["episode"]["l"] == len(moves[lane])
                seed, episode, seat = env.envs.seeds[lane], episodes[lane], f"seat_{learners[lane]}"
                last = end_of_game(int(seed), int(episode), seat, moves[lane], greedy)
                np.testing.assert_array_equal(info["terminal_observation"], last)
                moves[lane] = []
        ended += dones.sum()
    assert counted == ended == monitored.episode_count > 40


def end_of_game(seed, episode, seat, moves, others):
    """What a seat sees at the end of a game in which it makes these moves where it has a choice."""
    env, moves = GupaiEnv("jie-long", mask_in="info", forced_play=True), list(moves)
    env.reset(seed=seed)
    for _ in range(episode):
        env.reset()
    first = True
    while not any(env.terminations.values()):
        turns = DecisionBatch(*env.turn())
        if turns.masks.sum() == 1 and not first:
            action = turns.masks.argmax()
        else:
            action = moves.pop(0) if env.agent_selection == seat else others.act(turns)[0]
        env.step(action)
        first = False
    assert not moves
    return env.observe(seat)


def test_refused_action_changes_nothing():
    env, twin = (LearnerVecEnv("jie-long", 6, ["random"], seed=2, deals=3) for _ in range(2))
    for each in (env, twin):
        each.reset()
    for _ in range(40):
        actions = env.action_masks().argmax(1)
        for wrong in (-1, -2, 10_000, int(env.action_masks()[3].argmin())):
            bad = actions.copy()
            bad[3] = wrong
            with pytest.raises(IllegalActionError, match="lane 3"):
                env.step(bad)
        for mine, theirs in zip(env.step(actions)[:3], twin.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(mine, theirs)


class Asked:
    """A player that no loop knows, and that plays as another."""

    def __init__(self, agent):
        self.agent, self.name = agent, f"asked {agent.name}"

    def act(self, batch):
        return self.agent.act(batch)


@pytest.mark.parametrize(("opponents", "deals"), [(("greedy", "random"), 1), (("greedy", "best", "tuned@2"), 3)])
def test_opponents_in_the_loop_play_as_if_asked(opponents, deals):
    """The order of rounds is kept: whatever is drawn from the pool's generator is drawn for the same lane."""
    options = {"forced_play": True, "deals": deals}
    agents = [make_agent(name, "jie-long", **options) for name in opponents]

    def lanes(asked):
        pool = OpponentPool(4, np.random.default_rng(3), 0.3, 16, 0.05)
        for agent in agents:
            pool.add(Asked(agent) if asked else agent, 0, True)
        env = SelfPlayEnv("jie-long", 29, pool, seed=5, **options)
        env.reset()
        return env

    env, twin = lanes(False), lanes(True)
    for key in range(60):
        for name in ("observations", "masks", "seats", "rewards", "terminated", "seating", "totals"):
            np.testing.assert_array_equal(getattr(env, name), getattr(twin, name), name)
        actions = env.envs.sample(key)
        env.play(actions)
        twin.play(actions)
    assert env.decisions == twin.decisions > 60 * 29
    assert [(m.beaten, m.deals) for m in env.pool.members] == [(m.beaten, m.deals) for m in twin.pool.members]
    np.testing.assert_array_equal(env.saved()["played"], twin.saved()["played"])


def test_vec_env_counts_its_episodes():
    env = LearnerVecEnv("jie-long", 16, ["greedy"], seed=4, payoff_scale=10.0, deals=2)
    env.reset()
    returns, lengths, seen = np.zeros(16), np.zeros(16, int), 0
    for key in range(80):
        _, rewards, dones, infos = env.step(env.envs.sample(key))
        returns, lengths = returns + rewards, lengths + 1
        for lane, info in enumerate(infos):
            assert ("episode" in info) == dones[lane]
            if dones[lane]:
                seen += 1
                assert info["episode"]["r"] == pytest.approx(returns[lane], abs=1e-4)
                assert info["episode"]["l"] == lengths[lane]
                returns[lane] = lengths[lane] = 0
    assert seen > 20


def test_forced_decisions_are_skipped_on_request():
    for skip in (True, False):
        env = LearnerVecEnv("jie-long", 64, ["greedy"], seed=4, skip_forced=skip, forced_play=True)
        env.reset()
        forced = 0
        for key in range(40):
            forced += int((env.masks.sum(1) == 1).sum())
            env.step(env.envs.sample(key))
        assert (forced > 300) != skip


def test_illegal_actions_raise_are_replaced_or_end_the_episode():
    lost = -float(GAMES["jie-long"].payoff_bound(GAMES["jie-long"].variant()))
    made = {how: LearnerVecEnv("jie-long", 8, ["greedy"], seed=4, illegal=how) for how in ILLEGAL}
    for env in made.values():
        env.reset()
        env.step(env.envs.sample(1))
    actions = made["raise"].envs.sample(2)
    wrong = np.array([1, 5])
    actions[1], actions[5] = made["raise"].masks[1].argmin(), -7
    before = made["end"].envs.observations.copy()
    with pytest.raises(IllegalActionError):
        made["raise"].step(actions)
    legal = made["resample"].masks.copy()
    played = made["resample"].step(actions)
    assert [info["illegal"] for info in played[3]] == [lane in wrong for lane in range(8)]
    assert all(legal[lane, info["played"]] for lane, info in enumerate(played[3]))
    observations, rewards, dones, infos = made["end"].step(actions)
    assert dones[wrong].all() and (rewards[wrong] == lost).all()
    rest = np.setdiff1d(np.arange(8), wrong)
    np.testing.assert_array_equal(rewards[rest], played[1][rest])
    np.testing.assert_array_equal(observations[rest], played[0][rest])
    for lane in wrong:
        np.testing.assert_array_equal(infos[lane]["terminal_observation"], before[lane])
        assert infos[lane]["episode"]["r"] == lost and infos[lane]["episode"]["l"] == 2
        assert infos[lane]["illegal"] and infos[lane]["played"] == NONE_PLAYED
        assert made["end"].envs.episodes[lane] >= 1 and made["end"].masks[lane].any()
    for key in range(60):  # and play goes on
        made["end"].step(made["end"].envs.sample(key))
    with pytest.raises(ValueError, match="illegal='stop'"):
        LearnerVecEnv("jie-long", 8, illegal="stop")


def test_replaced_actions_follow_the_seed_and_pools_hold_objects():
    env = LearnerVecEnv("jie-long", 8, [make_agent("greedy", "jie-long"), "random"], illegal="resample")
    found = []
    for _ in range(2):
        env.seed(5)
        env.reset()
        found.append([[info["played"] for info in env.step(np.full(8, -1))[3]] for _ in range(5)])
    assert found[0] == found[1]


def test_match_chips_before_an_illegal_action_count():
    env = LearnerVecEnv("tiu-u", 8, ["greedy"], seed=4, deals=2, illegal="end", payoff_scale=2.0)
    env.reset()
    returns, seen = np.zeros(8), 0
    for key in range(60):
        actions = env.envs.sample(key)
        paid = returns != 0
        actions[paid] = -1
        _, rewards, dones, infos = env.step(actions)
        returns += rewards
        for lane in np.flatnonzero(dones):
            assert infos[lane]["episode"]["r"] == pytest.approx(returns[lane], abs=1e-4)
            seen += paid[lane]
        returns[dones] = 0
    assert seen > 3
