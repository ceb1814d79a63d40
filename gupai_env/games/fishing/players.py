"""What rule-based players of the fishing games share."""

from gupai_env.core.rule import rule
from gupai_env.core.tiles import size


@rule
def risk(view, baits):
    """Return about how likely the next seat is to hold, or to turn up, one of so many unseen tiles."""
    missed = 1.0
    for _ in range(view.sizes[1] + 1):
        missed *= 1 - baits / max(size(view.unseen), 1)
    return 1 - missed
