"""PPO with a memory in a single file: a GRU plays all seats of Jie Long, whose stacked line shows only its top.

    pip install -c constraints.txt torch
    pip install -c constraints.txt ".[train]"
    python examples/recurrent_ppo.py
    python examples/recurrent_ppo.py --forget    # the same network, its memory emptied before every decision

With `stacked=True` covered tiles are in no observation, so a policy has to remember them. With `forced_play=True` and
four seats a deal has 32 turns and every seat 8 of them, in the order of play: the decisions of a batch of deals are an
array [8, 4 * deals], a column for each seat of each deal, and the GRU runs down the columns. The judgement plays the
deals itself; `Player` is the same network as an agent with a memory, for duels and tournaments.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation import duel, estimate
from gupai_env import VectorEnv, get_game, make_vec

GAME, VARIANT = "jie-long", {"forced_play": True}
SEATS, OWN_TURNS, SCALE = 4, 8, 35.0  # SCALE: chips that count as a return of 1


class Network(nn.Module):
    """Policy and value upon a layer and a GRU, whose state is what a seat remembers of its deal."""

    def __init__(self, envs: VectorEnv, hidden: int, forget: bool) -> None:
        super().__init__()
        self.register_buffer("high", torch.as_tensor(envs.layout.high).float())
        self.forget = forget
        self.layer, self.memory = nn.Linear(envs.layout.size, hidden), nn.GRU(hidden, hidden)
        self.policy, self.value = nn.Linear(2 * hidden, envs.game.num_actions), nn.Linear(2 * hidden, 1)

    def forward(self, observations, masks, memory):
        """Return log-probabilities [T, N, actions] of legal actions, values [T, N] and the memory [1, N, hidden].

        Args: observations, masks: [T, N, ...], T decisions of N seats. memory: before the first of them, None if empty.
        """
        seen = F.relu(self.layer(observations.float() / self.high))
        if self.forget:  # every decision is the first of a sequence of its own
            remembered = self.memory(seen.flatten(0, 1)[None])[0].view(*seen.shape[:2], -1)
        else:
            remembered, memory = self.memory(seen, memory)
        features = torch.cat([seen, remembered], 2)
        log_probs = F.log_softmax(self.policy(features).masked_fill(~masks, -1e9), 2)
        return log_probs, self.value(features).squeeze(2), memory


@torch.no_grad()
def play(envs: VectorEnv, network: Network) -> tuple[torch.Tensor, ...]:
    """Play a deal in every lane; return observations, masks, actions, log-probabilities, values and chips by column."""
    memories: list[torch.Tensor | None] = [None] * SEATS
    rows, leaders = [], envs.seats.copy()
    for turn in range(OWN_TURNS * SEATS):
        observations, masks = (torch.as_tensor(array.copy())[None] for array in (envs.observations, envs.masks))
        log_probs, values, memories[turn % SEATS] = network(observations, masks, memories[turn % SEATS])
        noise = torch.empty_like(log_probs).exponential_()
        actions = (log_probs - noise.log()).argmax(2, keepdim=True)  # a draw from the policy (the Gumbel trick)
        rows.append((observations, masks, actions, log_probs.gather(2, actions), values[..., None]))
        rewards, _ = envs.step(actions.flatten().numpy())
    order = (leaders + np.arange(SEATS)[:, None]) % SEATS
    chips = torch.as_tensor(rewards[np.arange(len(leaders)), order].reshape(-1))
    columns = (torch.cat(parts).reshape(OWN_TURNS, SEATS * len(leaders), -1) for parts in zip(*rows, strict=True))
    return *columns, chips


def learn(network: Network, optimizer: torch.optim.Optimizer, batch: tuple, options: argparse.Namespace) -> None:
    """Take the gradient steps of an update, of whole columns, so that gradients reach what was remembered."""
    observations, masks, actions, old_log_probs, values, chips = batch
    values, gain = values.squeeze(2), 0.0
    following, gains = chips / SCALE, torch.zeros_like(values)
    for turn in reversed(range(OWN_TURNS)):
        gain = following - values[turn] + options.gae_lambda * gain
        gains[turn], following = gain, values[turn]
    returns, better = gains + values, (gains - gains.mean()) / (gains.std() + 1e-8)
    for _ in range(options.epochs):
        for part in torch.randperm(len(chips)).split(options.batch_size // OWN_TURNS):
            log_probs, judged, _ = network(observations[:, part], masks[:, part], None)
            ratio = (log_probs.gather(2, actions[:, part]) - old_log_probs[:, part]).exp().squeeze(2)
            limited = ratio.clamp(1 - options.clip, 1 + options.clip)
            policy_loss = -torch.min(better[:, part] * ratio, better[:, part] * limited).mean()
            entropy = -(log_probs.exp() * log_probs).sum(2).mean()
            loss = policy_loss - options.entropy * entropy + 0.5 * F.mse_loss(judged, returns[:, part])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


@torch.no_grad()
def judge(network: Network, rival: str, options: argparse.Namespace) -> str:
    """Return the network's chips per deal, best actions only, against `rival` in all other seats, with 95% interval.

    Every deal is played from each seat.
    """
    variant = {"stacked": not options.open, **VARIANT}
    other, chips = make_agent(rival, GAME, **variant), np.zeros((options.deals, SEATS))
    for seat in range(SEATS):
        envs = make_vec(GAME, options.deals, seed=1_000_003, renew=False, **variant)
        memory = torch.zeros(1, options.deals, options.hidden)
        for _ in range(OWN_TURNS * SEATS):
            own = envs.seats == seat
            seen = (torch.as_tensor(array.copy())[None] for array in (envs.observations, envs.masks))
            log_probs, _, after = network(*seen, memory)
            memory = torch.where(torch.as_tensor(own)[None, :, None], after, memory)  # of lanes in which it moves
            views, rng_keys = envs.views()
            actions = other.act(DecisionBatch(views, envs.masks, rng_keys))
            rewards, _ = envs.step(np.where(own, log_probs[0].argmax(1).numpy(), actions))
        chips[:, seat] = rewards[:, seat]
    return f"{estimate(chips.mean(1))} against {rival}"


class Player:
    """The network as an agent: its best action, with a memory for every seat and deal."""

    name = "recurrent"

    def __init__(self, network: Network) -> None:
        self.network, self.memory = network, np.zeros(network.memory.hidden_size, np.float32)

    @torch.no_grad()
    def act(self, batch: DecisionBatch, memory: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return actions, int16 [N], and memories, float32 [N, hidden]."""
        seen = (torch.as_tensor(array)[None] for array in (batch.observations(get_game(GAME)), batch.masks))
        log_probs, _, after = self.network(*seen, torch.as_tensor(memory)[None])
        # Rounded, because sums differ slightly in batches of different sizes.
        return log_probs[0].numpy().round(4).argmax(1).astype(np.int16), after[0].numpy().round(4)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=4_000_000, help="to play and learn from")
    parser.add_argument("--num-envs", type=int, default=512, help="deals of an update")
    parser.add_argument("--hidden", type=int, default=128, help="width of the layer and of the GRU")
    parser.add_argument("--forget", action="store_true", help="empty the memory before every decision")
    parser.add_argument("--open", action="store_true", help="play with a line that shows all its tiles")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=2048, help="decisions")
    parser.add_argument("--learning-rate", type=float, default=2e-3, help="at first; falls to zero in a straight line")
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.01, help="bonus")
    parser.add_argument("--deals", type=int, default=2000, help="of the judgement")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    options = parsed()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    envs = make_vec(GAME, options.num_envs, seed=options.seed, stacked=not options.open, **VARIANT)
    network = Network(envs, options.hidden, options.forget)
    optimizer = torch.optim.Adam(network.parameters(), lr=options.learning_rate, eps=1e-5)
    updates = max(1, options.decisions // (OWN_TURNS * SEATS * options.num_envs))
    worked = time.process_time()
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = options.learning_rate * (1 - update / updates)
        learn(network, optimizer, play(envs, network), options)
    seconds = time.process_time() - worked
    print(f"{updates * OWN_TURNS * SEATS * options.num_envs:,} decisions, {seconds:.0f} s of processor time")
    print("in the end:", *(judge(network, rival, options) for rival in ("random", "greedy")), sep="  ")
    variant = {"stacked": not options.open, **VARIANT}
    at_tables = duel(GAME, Player(network), make_agent("greedy", GAME, **variant), options.deals, seed=1, **variant)
    print(f"as an agent: {at_tables.mean(0)} against greedy")


if __name__ == "__main__":
    main()
