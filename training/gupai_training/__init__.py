"""Training: learning from search targets, and self-play by PPO with one trajectory for each seat."""

from gupai_training.config import Config
from gupai_training.trained import TrainedRun, load_run, train

__all__ = ["Config", "TrainedRun", "load_run", "train"]
