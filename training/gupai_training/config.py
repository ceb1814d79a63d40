"""The configuration of a training run: every setting once, with its type, default, bounds, meaning and unit.

Reading one needs no torch, so that errors in it are reported at once.
"""

import contextlib
import functools
import math
import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from gupai_agents.evaluation.exact.all_hands import at_two_seats, offers_hands
from gupai_agents.networks.checkpoint import MAX_BYTES
from gupai_agents.networks.network import MAX_LAYERS, MAX_WIDTH, tensor_shapes
from gupai_agents.registry import agent_of_data, heuristic_agent
from gupai_agents.shipped import BEST, best_heuristic, heuristic_names
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, load_plugins
from gupai_env.messages import joined, say
from gupai_env.messages.checks import key_context, short_repr
from gupai_env.storage.models import ADVICE, Written, checked, parse_yaml, read_assignment, read_written, set_key

FLOAT_BYTES = 4
GIB = 1 << 30
CONFIG_FILE, RESUME_FILE = "config.yaml", "resume.safetensors"  # in the folder of a run
METRICS_FILE, RESULTS_FILE, REPORT_FILE = "metrics.jsonl", "results.json", "report.html"
SEARCH_STAGE, SELF_PLAY = "search", "self-play"  # stages of a run
PPO = "ppo"  # the learner of self-play that comes with the package
LEARNERS: dict[str, Any] = {}  # learners of self-play by name, classes that derive from `gupai_training.stage.Stage`
PLUGINS = "gupai.learners"  # the group of entry points under which packages name the modules that register theirs
RECIPES = ("strong", "true_hands", "equilibrium", "self_play")  # folders of further configurations
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
MAX_DEALS = 1_000_000  # of an evaluation; their chips are kept


Width = Annotated[int, Field(strict=True, ge=1, le=MAX_WIDTH)]  # strict: true is not 1


class NetworkConfig(Written):
    """One trunk for policy and value, shared by all seats."""

    type: Literal["mlp", "residual", "gated"] = Field(
        "mlp",
        description="residual: a layer as wide as the one before adds its input to its output; gated: the output is "
        "first multiplied by a second layer",
    )
    hidden: list[Width] = Field(
        [256, 256],
        description="widths of the hidden layers, with ReLU between them",
        min_length=1,
        max_length=MAX_LAYERS,
    )


class PPOConfig(Written):
    """The learner of self-play."""

    envs: int = Field(1024, description="number of deals played in parallel", ge=1, le=1 << 20)
    steps: int = Field(32, description="decisions per parallel deal and update", ge=8, le=1 << 16)
    epochs: int = Field(2, description="epochs over the decisions of an update", ge=1, le=1000)
    batch_size: int = Field(2048, description="decisions per gradient step", ge=2, le=1 << 24)
    learning_rate: float = Field(2e-3, description="initial value; decreases linearly to zero", gt=0, le=1)
    gamma: float = Field(1.0, description="discount per decision; a deal pays once, at its end", gt=0, le=1)
    gae_lambda: float = Field(0.95, description="lambda of generalised advantage estimation", ge=0, le=1)
    clip_range: float = Field(0.2, description="clipping range of the probability ratio", gt=0, le=1)
    entropy: float = Field(0.01, description="initial entropy coefficient", gt=0, le=10)
    entropy_end: float = Field(0.01, description="final entropy coefficient; above zero", gt=0, le=10)
    value_coef: float = Field(0.5, description="weight of the value loss", ge=0, le=100)
    max_grad_norm: float = Field(0.5, description="maximum norm of the gradient", gt=0, le=1e6)
    target_kl: float | None = Field(None, description="stop an update's epochs beyond this KL divergence", gt=0, le=100)
    average_rate: float = Field(
        0.03, description="weight of the new parameters in the moving average after each update", gt=0, le=1
    )


class ExpertIterationConfig(Written):
    """Learning from search, before self-play: see `gupai_training.search_stage`."""

    targets: int = Field(0, description="search targets to learn from; 0 skips this stage", ge=0, le=10**12)
    max_minutes: float | None = Field(
        None, description="end the stage, its schedules included, after this many minutes", gt=0, le=1e7
    )
    heuristic: str | None = Field(None, description="heuristic used in playouts; default: the strongest of the game")
    playouts: int = Field(
        10, description="deals per target, in each of which every legal action is tried", ge=1, le=100_000
    )
    tables: int = Field(2048, description="deals played for a chunk of targets", ge=1, le=1 << 20)
    equilibrium: int = Field(
        0,
        description="rounds of CFR+ that first compute an equilibrium, in a game of player and banker where only the "
        "hands matter: targets are the exact chips of actions against it instead of playouts; 0 uses playouts",
        ge=0,
        le=100_000,
    )
    random_moves: float = Field(
        0.15, description="share of random moves in these deals, except with true-hand targets", ge=0, le=1
    )
    heuristic_share: float = Field(
        0.25,
        description="share of the stage, at its beginning, in which the heuristic plays these deals, not the network",
        ge=0,
        le=1,
    )
    true_hands: float = Field(
        0,
        description="share of the stage, at its end, that uses true-hand targets: the network then draws from "
        "its policy, also meets the rule-based players of the pool, and learns from each target once",
        ge=0,
        le=1,
    )
    self_rollouts: float = Field(
        0,
        description="share of the stage, at its end and within that of `true_hands`, in which the network itself is "
        "the rollout policy instead of the heuristic (self-rollouts): several times as expensive",
        ge=0,
        le=1,
    )
    rollout_policy: str | None = Field(
        None,
        description="network, checkpoint:FILE, to use as the rollout policy there instead: a smaller one trained on "
        "it is faster",
    )
    magnet: float = Field(
        0,
        description="weight of the average policy in what self-rollouts teach (magnetic mirror descent): the network "
        "then draws its actions in self-rollouts, and the average of its weights is the player; 0 learns the values "
        "of the best actions",
        ge=0,
        le=1,
    )
    average_rate: float = Field(
        0.01, description="weight of the new parameters in that average after each gradient step", gt=0, le=1
    )
    ensemble: list[str] = Field(
        [],
        description="networks, checkpoint:FILE of several seeds: their mean scores of the actions are the true-hand "
        "targets (distillation), instead of playouts",
        max_length=100,
    )
    ahead: int = Field(
        0,
        description="chunks of targets that workers, or half of the cores, compute in advance, with an older player",
        ge=0,
        le=1000,
    )
    window: int = Field(3_000_000, description="number of newest targets to keep", ge=1, le=100_000_000)
    epochs: float = Field(3, description="mean number of times that each target is used", gt=0, le=1000)
    batch_size: int = Field(1024, description="targets per gradient step", ge=2, le=1 << 24)
    learning_rate: float = Field(2e-3, description="initial value; decreases linearly to zero", gt=0, le=1)
    temperature: float = Field(
        2.0, description="advantage in chips that makes an action e times as likely", gt=0, le=1e9
    )


class PoolConfig(Written):
    """The opponents of the learner."""

    self_share: float = Field(0.8, description="share of tables with the current self in every seat", ge=0, le=1)
    snapshots: int = Field(20, description="number of past selves saved over the run", ge=0, le=10_000)
    size: int = Field(
        16, description="number of past selves to keep; the first, the newest and the best always stay", ge=3, le=1000
    )
    rules: list[str] | None = Field(
        None, description="players of the game that join the pool; default: all rule-based ones", max_length=100
    )
    rule_share: float = Field(0.02, description="smallest share of the pool's tables for each of them", ge=0, le=0.2)


class EvaluationConfig(Written):
    """How the run is judged, on deals that training never sees."""

    baselines: list[str] | None = Field(
        None, description="players to compare with; default: all named players of the game", max_length=100
    )
    every: int = Field(20, description="updates, or chunks of targets, between two evaluations", ge=1)
    deals: int = Field(500, description="deals per evaluation, each in every rotation", ge=2, le=MAX_DEALS)
    final_deals: int = Field(10_000, description="number of deals in the final evaluation", ge=2, le=MAX_DEALS)


class Config(Written):
    """A training run."""

    game: str = Field(description="ID of the game")
    variant: dict[str, Any] = Field({}, description="options of the game that differ from their defaults")
    name: str = Field(
        "",
        description="folder of the run in `runs/`; default: the ID of the game",
        pattern=r"^([\w-][\w.-]*)?$",  # a dot at the beginning would hide the folder, or leave `runs/`
        max_length=60,
        json_schema_extra={ADVICE: "write at most 60 letters, digits, dots, - and _, no dot first, a number in quotes"},
    )
    seed: int = Field(1, description="random seed of the deals, the network and the learner", ge=0, lt=1 << 32)
    start: str | None = Field(
        None,
        description="network to start from, widened if it is smaller (Net2Net): best, or checkpoint:FILE",
        max_length=1000,
    )
    payoff_scale: float = Field(
        50.0, description="chips per unit of return; choose about their standard deviation", ge=1e-3, le=1e9
    )
    decisions: int = Field(
        10_000_000,
        description="decisions of self-play to learn from, not counting forced ones; 0 skips self-play",
        ge=0,
        le=10**15,
    )
    learner: str = Field(
        PPO, description="learner of self-play: ppo, or one that an installed package registers", max_length=60
    )
    learner_settings: dict[str, Any] = Field({}, description="settings of such a learner, by their names")
    max_minutes: float | None = Field(
        None, description="end self-play, its schedules included, after this many minutes", gt=0, le=1e7
    )
    threads: int = Field(0, description="number of torch threads; 0 uses all cores", ge=0, le=1024)
    device: str = Field(
        "auto",
        description='"auto" (a GPU if there is one), "cpu", "cuda" or a GPU such as "cuda:1"',
        pattern=r"^(auto|cpu|cuda(:\d{1,3})?)$",
        json_schema_extra={ADVICE: 'choose "auto", "cpu" or "cuda"'},
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description='precision of matrix products in training; "auto" uses bfloat16 where it is native'
    )
    save_every: int = Field(20, description="updates, or chunks of targets, between two saves for --resume", ge=1)
    network: NetworkConfig = NetworkConfig()
    expert_iteration: ExpertIterationConfig = ExpertIterationConfig()
    ppo: PPOConfig = PPOConfig()
    pool: PoolConfig = PoolConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    @model_serializer(mode="wrap")
    def _without_what_is_not_used(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the settings of other learners, so that files of runs before there were any are as they were."""
        unused = {"learner", "learner_settings"} if self.learner == PPO else set()
        return {name: setting for name, setting in dump(self).items() if name not in unused}

    @functools.cached_property
    def played(self) -> tuple[Game, Variant]:
        """The game and its variant. A configuration that was read has them; raises ValueError for others."""
        game = get_game(self.game)
        return game, game.variant.make(**self.variant)

    @model_validator(mode="after")
    def _game_options_and_players_exist(self) -> "Config":
        game, variant = self.played
        search = self.expert_iteration
        networks = {"ensemble": search.ensemble, "rollout_policy": [search.rollout_policy]}
        players: dict[str, Any] = {
            "pool.rules": self.pool.rules,
            "evaluation.baselines": self.evaluation.baselines,
            **{f"expert_iteration.{setting}": specs for setting, specs in networks.items()},
            "expert_iteration.heuristic": [search.heuristic],
        }
        for setting, specs in players.items():
            _, _, name = setting.partition(".")
            for spec in (spec for spec in specs or () if spec is not None):
                with key_context(setting):
                    (heuristic_agent if name == "heuristic" else agent_of_data)(spec, game, variant)
                if name in networks and spec != BEST and spec.partition(":")[0] != "checkpoint":
                    raise ValueError(f"{setting}: {spec} is not a network; choose {BEST} or checkpoint:FILE")
        return self

    @model_validator(mode="after")
    def _learner_exists(self) -> "Config":
        if self.learner != PPO:
            settings = learner_of(self.learner).Settings
            with key_context("learner_settings"):
                checked(settings, self.learner_settings)
        elif self.learner_settings:
            raise ValueError("learner_settings is for other learners than ppo; set ppo.entropy and the like")
        return self

    @model_validator(mode="after")
    def _all_that_is_asked_for_is_learned_from(self) -> "Config":
        search, (game, variant) = self.expert_iteration, self.played
        if search.ensemble and not search.true_hands:
            raise ValueError("expert_iteration.true_hands=0: expert_iteration.ensemble would not be used")
        if search.equilibrium and not offers_hands(game, at_two_seats(variant)):
            raise ValueError(
                f"expert_iteration.equilibrium={search.equilibrium}: an equilibrium can be computed "
                f"only where each seat decides once, by its hand alone, not in {game.id} with these options; choose 0"
            )
        for name in ("rollout_policy", "magnet"):
            if getattr(search, name) and not search.self_rollouts:
                raise ValueError(f"expert_iteration.self_rollouts=0: expert_iteration.{name} would not be used")
        if not self.decisions and not search.targets:
            raise ValueError("decisions=0 and expert_iteration.targets=0: there is nothing to learn from")
        return self

    @model_validator(mode="after")
    def _what_is_saved_can_be_read_again(self) -> "Config":
        copies = 4 + self.pool.size + 1  # policy, average and two of Adam; past selves, for a moment one more
        saved = copies * self.parameters() * FLOAT_BYTES
        if saved > MAX_BYTES // 2:
            raise ValueError(
                f"network.hidden={self.network.hidden} with pool.size={self.pool.size}: a saved run would take "
                f"{saved / GIB:.1f} GiB, more than {MAX_BYTES / 2 / GIB:.1f}"
            )
        return self

    @property
    def rules(self) -> list[str]:
        """The players of the game that are in the pool from the beginning."""
        return heuristic_names(self.played[0]) if self.pool.rules is None else self.pool.rules

    @property
    def rollout_heuristic(self) -> str:
        """The heuristic that plays out while targets are computed."""
        return self.expert_iteration.heuristic or best_heuristic(self.played[0])

    @property
    def window(self) -> int:
        """The largest number of targets kept at a time."""
        return min(self.expert_iteration.window, 2 * self.expert_iteration.targets)

    @property
    def net(self) -> dict[str, Any]:
        """The network as a checkpoint describes it."""
        return {**self.network.model_dump(), "activation": "relu"}

    def parameters(self) -> int:
        """Return the number of weights of the network."""
        game, _ = self.played
        shapes = tensor_shapes(self.net, game.encoder.layout.size, game.num_actions)
        return sum(map(math.prod, shapes.values()))

    def memory(self) -> int:
        """Return about how many bytes a run needs at most, without Python and its packages."""
        (game, _), ppo = self.played, self.ppo
        inputs, actions = game.encoder.layout.size, game.num_actions
        decisions = ppo.envs * ppo.steps
        row = inputs + actions + 32 + FLOAT_BYTES * game.max_seats
        forward = FLOAT_BYTES * (inputs + sum(self.network.hidden) + 4 * actions)  # of one decision
        rollout = 2 * decisions * row  # kept, and copied for learning
        learning = 2 * min(ppo.batch_size, decisions) * forward  # with the gradients
        playing = ppo.envs * (forward + row + game.state.itemsize)
        weights = (6 + self.pool.size) * self.parameters() * FLOAT_BYTES
        targets = self.window * (inputs + FLOAT_BYTES // 2 * actions + FLOAT_BYTES)
        return targets + rollout + learning + playing + weights


def register_learner(name: str, learner: Any) -> None:
    """Add a learner of self-play; the same one again changes nothing.

    Args:
        name: By which configurations name it.
        learner: The class, see `gupai_training.stage.Stage`, made with a configuration and a network.

    Raises:
        ValueError: The name is taken by another class.
    """
    known = LEARNERS.setdefault(name, learner)
    if (known.__module__, known.__qualname__) != (learner.__module__, learner.__qualname__):
        raise ValueError(f"learner {name!r} is taken by that of {known.__module__}; choose another name")
    LEARNERS[name] = learner


def learner_of(name: str) -> Any:
    """Return a learner of self-play by its name; raises ValueError naming those that there are."""
    if name not in LEARNERS:
        load_plugins(PLUGINS)
    if name not in LEARNERS:
        known = ", ".join(sorted({PPO, *LEARNERS}))
        raise ValueError(f"learner={short_repr(name)} is not known here; there are {known}")
    return LEARNERS[name]


def parse(data: dict[str, Any], source: str) -> Config:
    """Return a checked configuration; raises ValueError with one line: source, key, what came, what is allowed."""
    with key_context(source):
        return checked(Config, data)


def shipped(name: str) -> Path:
    """Return the path of a shipped configuration, in the installed package or in the checkout."""
    here = Path(__file__).parent
    folder = here / "configs" if (here / "configs").is_dir() else here.parents[1] / "configs"
    return folder / f"{name}.yaml"


def read(path: Path) -> dict[str, Any]:
    """Return what a YAML file holds; raises ValueError unless that is a mapping."""
    data = read_written(path)
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ValueError(f"{path}: a configuration is a mapping of settings, not {type(data).__name__}")
    return data


def find(source: str | Path) -> dict[str, Any]:
    """Return the settings of a file or, for the id of a game, those shipped for it, or none except the game itself.

    "strong/jie-long" is the recipe of the player `best`, "strong/jie-long-free" that of another variant,
    "true_hands/jie-long" and "equilibrium/tien-gow" are those by which such players were trained further,
    "self_play/jie-long" is the one by self-play only.
    """
    path = Path(source)
    if path.is_file():
        return read(path)
    kind, _, name = str(source).rpartition("/")
    if kind in RECIPES:
        path = shipped(f"{kind}/{name.replace('-', '_')}")
        if path.is_file():
            return read(path)
        known = sorted(f"{kind}/{file.stem.replace('_', '-')}" for file in path.parent.glob("*.yaml"))
        raise ValueError(f"{source}: there is no such configuration; there are {', '.join(known)}")
    try:
        game = get_game(str(source))
    except ValueError as error:
        if path.exists():
            raise ValueError(f"{path}: this is not a file; a configuration is") from None
        raise ValueError(f"{source}: there is no such configuration, and {error}") from None
    path = shipped(game.identifier)
    return read(path) if path.is_file() else {"game": game.id}


PLAIN_TEXT = frozenset(key for key, field in Config.model_fields.items() if field.annotation is str)


def change(data: dict[str, Any], assignment: str) -> None:
    """Set one setting of a configuration, for instance "ppo.entropy=0.02"; raises ValueError for anything else.

    A value is YAML, but for settings that are texts, which hold it as it is written: 007 is a name, not a number.
    """
    advice = f"{short_repr(assignment)}: a change is written key=value, for instance ppo.entropy=0.02"
    key, text = read_assignment(assignment, advice)
    with key_context(short_repr(assignment)):
        set_key(data, key, text.strip().strip("'\"") if key in PLAIN_TEXT else parse_yaml(text))


def by_key(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings by the keys that `change` takes, those of groups too; a group without settings is one itself."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        inner = value if isinstance(value, dict) else {}
        flat |= {f"{name}.{key}": setting for key, setting in inner.items()} or {name: value}
    return flat


def config_of(folder: Path) -> Config:
    """Return the configuration of a run; raises ValueError if this is not the folder of one."""
    if not (folder / CONFIG_FILE).is_file():
        raise ValueError(f"{folder}: this is not the folder of a run: it holds no {CONFIG_FILE}")
    return load(folder / CONFIG_FILE)


def saved_config(folder: Path) -> Config:
    """Return the configuration of a run to resume; raises ValueError if nothing was saved there."""
    config = config_of(folder)
    if not (folder / RESUME_FILE).is_file():
        raise ValueError(f"{folder}: nothing was saved there to resume; start a new run")
    return config


def training_text(targets: int, decisions: int) -> str:
    """Return what a player learned from, in words."""
    phrases = [
        say("{number:,} positions with targets", number=targets) if targets else "",
        say("{number:,} decisions of self-play", number=decisions) if decisions else "",
    ]
    return say("learned from {phrases}", phrases=joined(", then ", phrases) or say("nothing yet"))


def machine_memory() -> int | None:
    """Return the bytes of memory that this process may take, None where that cannot be found out."""
    limits = []
    with contextlib.suppress(AttributeError, OSError, ValueError):  # Windows; no container; one without a limit ("max")
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        limits.append(int(CONTAINER_LIMIT.read_text()))
    return min(limits, default=None)


def load(source: str | Path, changes: list[str] | None = None) -> Config:
    """Return the configuration of a file, or of a game by its id, with changes such as "ppo.entropy=0.02".

    Raises:
        ValueError: For anything wrong, and for a run that needs more memory than the machine has.
    """
    data = find(source)
    for assignment in changes or []:
        change(data, assignment)
    config = parse(data, str(source))
    memory = machine_memory()
    if memory is not None and config.memory() > memory:
        raise ValueError(
            f"{source}: ppo.envs={config.ppo.envs}, ppo.steps={config.ppo.steps}, "
            f"ppo.batch_size={config.ppo.batch_size} need some {config.memory() / GIB:.1f} GiB of memory, this "
            f"machine has {memory / GIB:.1f}"
        )
    return config
