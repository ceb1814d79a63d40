"""Training: learning from search targets, and self-play by PPO with one trajectory for each seat."""

from gupai_training.config import Config
from gupai_training.returns import advantages_by_seat
from gupai_training.trained import TrainedRun, load_run, train

__all__ = ["Config", "TrainedRun", "advantages_by_seat", "load_run", "train"]
