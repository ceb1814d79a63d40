#!/usr/bin/env bash
# RLCard 1.2.0 never offers player 0 of Mahjong a chow.
#
# Whose turn follows a discard may claim it for a run ("chow"). `MahjongJudger.judge_chow` asks the player whose number
# is one more than that of who discarded, without beginning again after the last: player 0, who follows player 3, is
# never asked, while players 1 to 3 are. In 1,000 deals of random play, seed 1, each of these is offered some dozens, and
# player 0 none; a pong, which any player may claim, is offered to all alike. So the four seats are not the same game,
# and agents compared there must be rotated over them.
#
# Fails if player 0 is offered a chow, or another player none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rlcard==1.2.0 "numpy==2.2.6"
cat > "$folder/chow.py" <<'PYTHON'
from collections import Counter

import numpy as np
import rlcard

env, rng = rlcard.make("mahjong", {"seed": 1}), np.random.default_rng(1)
offers = {"chow": Counter(), "pong": Counter()}
for _ in range(1000):
    state, player = env.reset()
    while not env.is_over():
        for action in map(env._decode_action, state["legal_actions"]):
            if action in offers:
                offers[action][player] += 1
        state, player = env.step(int(rng.choice(list(state["legal_actions"]))))
for action, counts in offers.items():
    print(f"rlcard {rlcard.__version__}: {action} offered to players 0 to 3:", *(counts[seat] for seat in range(4)))
assert offers["chow"][0] == 0 and all(offers["chow"][seat] > 20 for seat in (1, 2, 3))
assert all(offers["pong"][seat] > 1000 for seat in range(4))
PYTHON
"$folder/venv/bin/python" "$folder/chow.py"
