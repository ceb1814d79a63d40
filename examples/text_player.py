"""A player that talks with gupai in lines of JSON; a program in any language can do the same. It imports nothing of it.

    gupai tournament jie-long "command:python examples/text_player.py" greedy --deals 20

To measure a language model, let `choose` ask it: `rules` tells it the game, and `request` has what its seat may know
in words (`task`, `table`) and its moves (`name`, `text`).
"""

import json
import sys


def choose(rules, request):
    """Return the move with the most pips; a tile is only discarded if none can be played, then the lightest."""

    def value(move):
        pips = sum(sum(tile) for tile in move["tiles"])
        return -20 - pips if move["name"].startswith("discard") else pips

    return max(request["moves"], key=value)["name"]


rules = ""
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "game":
        rules = request["rules"]
    elif request["type"] == "decision":
        print(request["id"], choose(rules, request), flush=True)
