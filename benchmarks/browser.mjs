// Plays what `benchmarks/browser.py` asks for, in WebAssembly, and prints what came of it: node browser.mjs JOB.json
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as engine from "../gupai_app/page/engine.js";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const game = await engine.Game.load(readFileSync(`${job.folder}/${job.game}.wasm`), readFileSync(`${job.folder}/${job.game}.json`, "utf8"));
for (const [file, path] of Object.entries(job.networks)) game.add_network(file, readFileSync(path));
const variant = game.variant(job.options);

/** The digest of some arrays, as bytes. */
function digest(...arrays) {
  const hash = createHash("sha256");
  for (const array of arrays) hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return hash.digest("hex").slice(0, 16);
}

const bytes = (records) => Buffer.concat(records.map((record) => record.tobytes()));
const numbers = (rows) => Float64Array.from(rows.flatMap((row) => [...row]), (number) => (Number.isNaN(number) ? 0 : number));

/** Play lanes at random; what they show and what players answer, step by step. */
function play_lanes() {
  const envs = new engine.VectorEnv(game, job.lanes, { seed: job.seed, variant });
  const agents = job.agents.map((spec) => engine.make_agent(spec, game, variant));
  const steps = [];
  let deals = 0;
  for (let number = 0; number < job.steps; number++) {
    const batch = envs.decision_batch();
    const step = {
      states: digest(envs.machine.bytes(envs.arrays.states)),
      seats: digest(envs.seats),
      masks: digest(envs.masks),
      observations: digest(envs.observations),
      payoffs: digest(envs.rewards, envs.terminated),
      views: digest(bytes(batch.views)),
      keys: digest(batch.rng_keys),
      redeals: digest(bytes(engine.determinize(game, envs.rules, batch.views, batch.rng_keys))),
      observed_by: digest(envs.observed_by(number % variant.players)),
    };
    agents.forEach((agent, place) => (step[job.agents[place]] = digest(agent.act(batch))));
    steps.push(step);
    envs.step(envs.sample(number));
    for (let lane = 0; lane < job.lanes; lane++) deals += envs.terminated[lane];
  }
  return { steps, deals };
}

/** Search in the first decisions of lanes; the values, by search and step. */
function search() {
  return job.searches.map((spec) => {
    const envs = new engine.VectorEnv(game, job.search_lanes, { seed: job.seed + 1, variant });
    const agent = engine.make_agent(spec, game, variant);
    return Array.from({ length: job.search_steps }, (_, number) => {
      const batch = envs.decision_batch();
      const found = [agent.values(batch), agent.compare(batch)].flatMap(({ means, errors, deals, gains, gain_errors, usual, effective }) =>
        [...[means, errors, deals, gains, gain_errors, [usual]].map(numbers), numbers([effective.map(Math.fround)])]);
      envs.step(envs.sample(number));
      return { values: digest(...found), actions: digest(agent.act(batch)) };
    });
  });
}

/** Play single matches, each move drawn. */
function play_deals() {
  return Array.from({ length: job.matches }, (_, seed) => {
    const deal = new engine.Deal(game, variant);
    deal.start(engine.derive(seed, 0));
    const moves = [];
    while (!deal.terminated) {
      const legal = [...deal.mask().keys()].filter((action) => deal.mask()[action]);
      const views = bytes(deal.views());
      const redealt = deal.redealt(deal.seat, seed).state.tobytes();
      const action = legal[engine.draw(engine.noise_key(deal.state), 1, legal.length)];
      const after = deal.copy();
      after.step(action);
      const chips = deal.play(action);
      moves.push(digest(views, redealt, deal.state.tobytes(), Float64Array.from(chips ?? []), Float64Array.from(after.paid())));
    }
    return moves;
  });
}

/** Decisions per second of lanes in one thread, by how they are played. */
function speed() {
  const envs = new engine.VectorEnv(game, job.speed, { seed: 1, variant });
  const rate = (run) => {
    run(0);
    const begin = performance.now();
    let rounds = 0;
    while (performance.now() - begin < 1000) run(rounds++);
    return (job.speed * rounds * 1000) / (performance.now() - begin);
  };
  return { play_random: rate((key) => envs.play_random(1, key)), step: rate((key) => envs.step(envs.sample(key))) };
}

const result = { lanes: play_lanes(), searches: search(), deals: play_deals(), speed: job.speed ? speed() : null };
process.stdout.write(JSON.stringify(result));
