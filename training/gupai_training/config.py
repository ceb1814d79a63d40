"""The configuration of a training run: every setting once, with its type, default, meaning and unit."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gupai_env.games import get_game


class Section(BaseModel):
    """Settings that refuse unknown keys and never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NetworkConfig(Section):
    """One trunk for policy and value, shared by all seats."""

    hidden: list[int] = Field([256, 256], description="widths of the layers, ReLU between them", min_length=1)


class PPOConfig(Section):
    """The learner."""

    lanes: int = Field(1024, description="deals side by side", ge=1)
    steps: int = Field(32, description="decisions a lane and update", ge=8)
    epochs: int = Field(2, description="passes over the decisions of an update", ge=1)
    batch_size: int = Field(2048, description="decisions a gradient step", ge=2)
    learning_rate: float = Field(2e-3, description="at the beginning; falls in a straight line to zero", gt=0)
    gamma: float = Field(1.0, description="discount a decision; a deal pays once, at its end", gt=0, le=1)
    gae_lambda: float = Field(0.95, description="weight of later value estimates", ge=0, le=1)
    clip_range: float = Field(0.2, description="how far a probability ratio may count", gt=0)
    entropy: float = Field(0.01, description="bonus for entropy at the beginning", gt=0)
    entropy_end: float = Field(0.01, description="and at the end; it stays above zero", gt=0)
    value_coef: float = Field(0.5, description="weight of the value loss", ge=0)
    max_grad_norm: float = Field(0.5, description="longest gradient", gt=0)
    target_kl: float | None = Field(
        None, description="stop an update's passes beyond this KL divergence", gt=0
    )
    payoff_scale: float = Field(
        50.0, description="chips a unit of return, near their standard deviation", gt=0
    )
    average_rate: float = Field(
        0.03, description="share of new weights in the average after an update", gt=0, le=1
    )


class PoolConfig(Section):
    """Whom the learner meets besides itself."""

    self_share: float = Field(
        0.8, description="share of tables with the present self in every seat", ge=0, le=1
    )
    snapshots: int = Field(20, description="past selves taken over the run", ge=0)
    size: int = Field(16, description="past selves kept; the first, the newest and the best stay", ge=3)
    rules: list[str] | None = Field(
        None, description="rule-based players that join the pool; without them all of the game"
    )
    rule_share: float = Field(
        0.02, description="smallest share of the pool's tables for each of them", ge=0, le=0.2
    )


class EvaluationConfig(Section):
    """How the run is judged, on deals that training never sees."""

    baselines: list[str] | None = Field(
        None, description="players to be compared with; without them all that the game has by name"
    )
    every: int = Field(20, description="updates between two looks at the baselines", ge=1)
    deals: int = Field(500, description="deals a look, each in every rotation", ge=2)
    final_deals: int = Field(10_000, description="deals of the table at the end", ge=2)


class Config(Section):
    """A training run."""

    game: str = Field(description="id of the game")
    variant: dict[str, Any] = Field(
        {}, description="its options where they differ from the rulebook's defaults"
    )
    name: str = Field("", description="folder of the run below `runs/`; the game's id", pattern=r"^[\w.-]*$")
    seed: int = Field(1, description="of deals, network and learner", ge=0, lt=1 << 32)
    decisions: int = Field(10_000_000, description="decisions to learn from, forced ones not counted", ge=1)
    max_minutes: float | None = Field(
        None, description="end earlier, schedules included, after this time", gt=0
    )
    threads: int = Field(0, description="torch threads; 0 takes all cores", ge=0)
    device: str = Field("auto", description='"auto" takes a GPU if there is one; or "cpu", "cuda"')
    save_every: int = Field(20, description="updates between two saves to resume from", ge=1)
    network: NetworkConfig = NetworkConfig()
    ppo: PPOConfig = PPOConfig()
    pool: PoolConfig = PoolConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    @model_validator(mode="after")
    def _game_and_options_exist(self) -> "Config":
        get_game(self.game).variant.make(**self.variant)
        return self


def parse(data: dict[str, Any], source: str) -> Config:
    """Return a checked configuration; raises ValueError with one line: source, key, what came, what is allowed."""
    try:
        return Config(**data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise ValueError(f"{source}: {key} is no setting; {_settings_beside(first['loc'])}") from None
        said = first["msg"].removeprefix("Value error, ")
        raise ValueError(
            f"{source}: {key}={first['input']!r}: {said}" if key else f"{source}: {said}"
        ) from None


def _settings_beside(path: tuple) -> str:
    section: Any = Config
    for part in path[:-1]:
        section = section.model_fields[part].annotation
    return f"settings here are {', '.join(section.model_fields)}"


def shipped(name: str) -> Path:
    """Return where a game's configuration lies: in the installed package, or beside it in the checkout."""
    here = Path(__file__).parent
    folder = here / "configs" if (here / "configs").is_dir() else here.parents[1] / "configs"
    return folder / f"{name}.yaml"


def read(path: Path) -> dict[str, Any]:
    """Return what a YAML file holds; raises ValueError unless that is a mapping."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(data, dict):
        raise ValueError(f"{path}: a configuration is a mapping of settings, not {type(data).__name__}")
    return data


def find(source: str | Path) -> dict[str, Any]:
    """Return the settings of a file or, for the id of a game, those shipped for it, or none but the game itself."""
    path = Path(source)
    if path.is_file():
        return read(path)
    try:
        game = get_game(str(source))
    except ValueError as error:
        raise ValueError(f"{source}: there is no such configuration, and {error}") from None
    path = shipped(game.identifier)
    return read(path) if path.is_file() else {"game": game.id}


def load(source: str | Path, changes: list[str] | None = None) -> Config:
    """Return the configuration of a file, or of a game by its id, with changes such as "ppo.entropy=0.02".

    Raises: ValueError for anything wrong.
    """
    data = find(source)
    for change in changes or []:
        key, equals, value = change.partition("=")
        if not equals:
            raise ValueError(f"{change!r}: a change is written key=value, for instance ppo.entropy=0.02")
        *parents, last = key.strip().split(".")
        section = data
        for parent in parents:
            section = section.setdefault(parent, {})
            if not isinstance(section, dict):
                raise ValueError(f"{change!r}: {parent} is not a group of settings")
        section[last] = yaml.safe_load(value)
    return parse(data, str(source))
