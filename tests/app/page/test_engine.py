"""The engine of the page: in node it plays the same bytes as Python, and its players answer alike."""

import json
import re
import subprocess
from hashlib import blake2b

import numpy as np
import pytest

from benchmarks import browser
from checkout import ROOT, tool
from gupai_agents.play.decisions import play_out, resume_lanes
from gupai_agents.registry import heuristic_agent, make_agent
from gupai_app.play.session import Session
from gupai_app.play.unseen import possible_deals
from gupai_env.games import GAMES as ALL
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
from webassembly import modules_of, needs_node

pytestmark = needs_node
GAMES = ("jie-long", "da-ling")  # one with beliefs and networks that look ahead, one in which all decide at once
ENGINE = ROOT / "gupai_app/page/engine.js"


@pytest.fixture(scope="module")
def modules():
    return modules_of(*GAMES)


def in_node(modules, script, game="jie-long"):
    """Run a script with `engine` and `game`; return what it prints, or the last line of what it complains of."""
    begin = f"""
import {{ readFileSync }} from "node:fs";
import * as engine from "{ENGINE}";
const read = (name) => readFileSync(`{modules}/${{name}}`);
const game = await engine.Game.load(read("{game}.wasm"), read("{game}.json").toString());
"""
    command = ["node", "--input-type=module", "-e", begin + script]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    errors = re.findall(r"^\w*Error.*", run.stderr, re.MULTILINE)
    return run.stdout.strip() if not run.returncode else errors[-1]


@pytest.mark.parametrize(
    ("game", "options"),
    [("jie-long", {}), ("jie-long", {"players": 2, "leader": 1, "deals": 2}), ("da-ling", {"stakes": (1.0, 2.0, 4.5)})],
)
def test_plays_the_bytes_of_python_and_its_players_answer_alike(modules, game, options):
    game = get_game(game)
    variant = game.variant(**options)
    job = browser.job_of(game, variant, modules, deals=20)
    there = browser.in_node(job)
    assert there["lanes"]["deals"] * variant.deals >= 20
    assert browser.differences(game, variant, job, there) == []


def test_weights_of_a_text_are_those_of_python(modules):
    game = get_game("jie-long")
    first, second = (feature.name for feature in game.features[:2])
    specs = ["greedy", "tuned@2", f"greedy+{first}=1.5,{second}=-2", f"heuristic:{first}=1,{first}=0.25@4"]
    search = f"search:playouts=5,heuristic={specs[2]},steady=2,others={specs[3]}"
    script = f"""
const specs = {json.dumps(specs)}, search = engine.make_agent({json.dumps(search)}, game);
console.log(JSON.stringify([...specs.map((spec) => engine.make_agent(spec, game).weights), ...search.heuristics].map(
  (weights) => [...weights])));
console.log(search.plan.playouts, search.plan.steady);
"""
    weights, plan = in_node(modules, script).splitlines()
    expected = [heuristic_agent(spec, game, game.variant()).weights.tolist() for spec in [*specs, *specs[2:]]]
    assert json.loads(weights) == expected and plan == "5 2"


def test_variants_that_are_compared_differ_in_every_option():
    changed = {name for variant in browser.variants(get_game("jie-long")) for name in variant.changed()}
    assert changed >= {"players", "deck", "forced_play", "double_lock", "open_ends", "settlement", "deals", "leader"}


def test_rules_see_the_same_numbers_of_the_options_of_every_game(tmp_path):
    wasm, games = tool("wasm"), [get_game(game) for game in ALL]
    (tmp_path / "layouts.json").write_text(json.dumps([wasm.layout_of(game, wasm.calls_of(game)) for game in games]))
    variants = [browser.variants(game) for game in games]
    (tmp_path / "options.json").write_text(json.dumps([[one.changed() for one in some] for some in variants]))
    script = f"""
import {{ readFileSync }} from "node:fs";
import {{ Variant }} from "{ENGINE}";
const [layouts, options] = ["layouts", "options"].map((name) => JSON.parse(readFileSync(`{tmp_path}/${{name}}.json`)));
const rules = layouts.map((layout, game) => options[game].map((some) => new Variant({{ layout }}, some).as_rules()));
console.log(JSON.stringify(rules));
"""
    run = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == json.loads(
        json.dumps([[one.as_rules()._asdict() for one in some] for some in variants])
    )


def test_a_difference_is_named_with_its_first_step(modules):
    game = get_game("jie-long")
    job = browser.job_of(game, game.variant(), modules, deals=1) | {"searches": [], "matches": 0}
    there = browser.in_node(job)
    there["lanes"]["steps"][2]["masks"] = there["lanes"]["steps"][4]["masks"] = "another"
    assert browser.differences(game, game.variant(), job, there) == ["masks from step 2 on"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("game.variant({ playres: 2 })", "RangeError: playres is not an option of jie-long; its options are players, "),
        ("game.variant({ players: 5 })", "RangeError: players=5 is not allowed; choose 2, 3, 4"),
        ("game.variant({ deck: 'tiny' })", "RangeError: players=4 is not allowed with deck=tiny; choose 2"),
        ("game.variant({ leader: 4 })", 'RangeError: leader=4; choose "random" or a seat from 0 to 3'),
        ("new engine.VectorEnv(game, 2, { seed: -1 })", "RangeError: a seed is a whole number from 0 to 2**63 - 1, "),
        ("new engine.VectorEnv(game, 0)", "RangeError: num_envs=0; choose a whole number from 1 to 4194304"),
        ("new engine.VectorEnv(game, 2).step([0, 99])", "RangeError: lane 0, seat "),
        ("new engine.VectorEnv(game, 2).step([0])", "RangeError: 1 actions for 2 lanes"),
        ("new engine.Deal(game, game.variant()).view(4)", "RangeError: seat=4; choose a seat from 0 to 3"),
        ("engine.make_agent('gready', game)", "RangeError: gready is not a player of jie-long; players are random, "),
        ("engine.make_agent('best', game)", "MissingNetworkError [RangeError]: best of jie-long is in "),
        ("engine.make_agent('greedy@x', game)", "RangeError: greedy@x: x is not a number"),
        ("engine.make_agent('greedy@-1', game)", "RangeError: greedy@-1: -1 is not a temperature"),
        ("engine.make_agent('greedy+pips', game)", "RangeError: greedy+pips: pips is not a weight; write feature="),
        ("engine.make_agent('greedy+pops=1', game)", "RangeError: greedy+pops=1: pops is not a feature of jie-long; "),
        ("engine.make_agent('heuristic:', game)", "RangeError: heuristic: weighs nothing; write heuristic:feature="),
        (
            "engine.make_agent('search:steady=1,steady=2', game)",
            "RangeError: search:steady=1,steady=2: steady is given",
        ),
        ("engine.make_agent('search:depth=2', game)", "RangeError: search:depth=2: depth=2 is not a setting"),
        ("new engine.Deal('chess', game.variant())", "Error: chess is not loaded; call Game.load first"),
    ],
)
def test_invalid_input_is_refused_in_one_line(modules, call, message):
    assert in_node(modules, call).startswith(message)


def test_refused_step_changes_nothing_and_waiting_lanes_stay(modules):
    script = """
const envs = new engine.VectorEnv(game, 4, { seed: 5 }), actions = envs.sample(0);
const before = envs.machine.bytes(envs.arrays.states).slice();
try { envs.step([...actions.slice(0, 3), 99]); } catch {}
const refused = Buffer.compare(envs.machine.bytes(envs.arrays.states), before);
envs.step([actions[0], engine.WAIT, engine.WAIT, engine.WAIT]);
console.log(refused, [0, 1, 2, 3].map((lane) => envs.state(lane).moves).join(""));
"""
    assert in_node(modules, script) == "0 1000"


def test_memory_that_grows_loses_nothing(modules):
    script = """
const envs = new engine.VectorEnv(game, 3, { seed: 5 }), seats = [...envs.seats].join();
const { byteLength } = envs.machine.buffer, state = envs.state(2), { seed } = state;
const large = new engine.VectorEnv(game, 5000);
const grown = envs.machine.buffer.byteLength > byteLength;
console.log(grown, [...envs.seats].join() === seats, envs.step(envs.sample(1)).seats.length, state.seed === seed);
while (envs.machine.buffer.byteLength - envs.machine.top > 1000) envs.machine.take(1000);
console.log(large.decision_batch().views.length);
"""
    assert in_node(modules, script) == "true true 3 true\n5000"


def test_closed_lanes_give_their_memory_to_the_next_ones(modules):
    script = """
const used = (envs) => (envs.close(), game.machine.top);
const first = used(new engine.VectorEnv(game, 100)), again = new engine.VectorEnv(game, 100, { seed: 3 });
const fresh = new engine.VectorEnv(game, 100, { seed: 3 });
const same = Buffer.compare(again.masks, fresh.masks);
console.log(game.machine.top > first, same, used(again) === used(fresh));
"""
    assert in_node(modules, script) == "true 0 true"


@pytest.mark.parametrize("players", [("greedy",), ("card",), ("greedy", "random")])
def test_possible_deals_are_those_of_python_and_so_is_how_they_end(modules, players):
    script = f"""
const variant = game.variant(), deal = new engine.Deal(game, variant), chips = new Array(4).fill(0);
deal.start(engine.derive(7, 0));
for (let move = 0; move < 6; move++) deal.play(deal.mask().indexOf(1));
const lanes = engine.resume_lanes(game, variant, engine.possible_deals(game, variant, deal.view(deal.seat), 20));
const agents = {json.dumps(players)}.map((spec) => engine.make_agent(spec, game, variant));
const seating = [0, 1, 2, 3].map((seat) => seat % agents.length);
engine.play_out(lanes, agents, new Array(20).fill(seating));
for (let lane = 0; lane < 20; lane++) lanes.state(lane).payoff.forEach((won, seat) => (chips[seat] += won));
console.log(JSON.stringify(chips));
"""
    game = get_game("jie-long")
    session = Session(game, game.variant(), 7)
    for _ in range(6):
        session.play(int(session.mask().argmax()))
    lanes = resume_lanes(game, session.variant, possible_deals(game, session.variant, session.view(session.seat), 20))
    seating = np.tile(np.arange(4) % len(players), (20, 1))
    play_out(lanes, [make_agent(spec, game) for spec in players], seating)
    assert json.loads(in_node(modules, script)) == lanes.states.payoff.sum(0).tolist()


def test_policies_of_a_program_are_players_between_heuristics_and_the_strongest_one(modules):
    script = """
game.policies.set("last", (view) => view.seat + 7);
const names = engine.agent_names(game, game.variant()), deal = new engine.Deal(game, game.variant());
deal.start(3);
console.log(engine.make_agent("last", game).act(deal.decision_batch())[0] - deal.seat, names.slice(-4).join());
"""
    assert in_node(modules, script) == "7 last,card,tuned,best"


def test_digest_is_that_of_python(modules):
    script = """
const bytes = (length) => Uint8Array.from({ length }, (_, byte) => byte & 255);
console.log([0, 5, 128, 129, 300].map((size) => engine.blake2b(bytes(size))).join(" "));
"""
    digests = (
        blake2b(bytes(byte & 255 for byte in range(size)), digest_size=8).digest() for size in (0, 5, 128, 129, 300)
    )
    assert list(map(int, in_node(modules, script).split())) == list(map(int.from_bytes, digests))


def test_program_of_the_page_for_programs_plays_as_python_does(modules):
    page = (ROOT / "docs/browser.md").read_text("utf-8")
    program = re.findall(r"```js\n(.*?)```", page, re.DOTALL)[0].replace("gupai_env/machine_code/wasm32", str(modules))
    run = subprocess.run(["node", "--input-type=module", "-e", program], capture_output=True, text=True, cwd=ROOT)
    assert not run.stderr
    envs, ended = VectorEnv("jie-long", 1024, seed=7), 0
    for number in range(100):
        envs.step(envs.sample(number))
        ended += int(envs.terminated.sum())
    game = get_game("jie-long")
    options = {"players": 2, "forced_play": True}
    session = Session(game, game.variant(**options), seed=7)
    agents = [make_agent(spec, game, **options) for spec in ("tuned", "search:playouts=50")]
    while not session.terminated:
        session.play(session.answer(agents[session.seat]))
    chips = [int(chips) for chips in np.asarray(session.state.total)[:2]]
    assert run.stdout.splitlines() == [
        f"{ended} deals have ended",
        f"tuned and search win {chips[0]} and {chips[1]} chips",
    ]
