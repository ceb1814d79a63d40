// What stands between translated Python and the engine: where Python asks numpy, numba or files, the browser asks these.

import * as engine from "./engine.js";
import * as $ from "./runtime.js";

/** Records of the engine have their fields as attributes already. */
export function Fields(record) {
  return record;
}
export const fields_of = (record) => record;

export function new_states(number) {
  return engine.engine_of(this).new_states(number);
}

/** What a deal does by the engine, which changes the states that both share. */
const of_deal = (name) =>
  function (...given) {
    return engine.Deal.prototype[name].apply(Object.setPrototypeOf({ ...this }, engine.Deal.prototype), given);
  };
const NAMES = ["advance", "decision_batch", "mask", "paid", "redealt", "start", "step", "view_row"];
export const deal = Object.fromEntries(NAMES.map((name) => [name, of_deal(name)]));

/** Agents of the browser remember nothing between their turns. */
export class Memories extends $.Obj {
  ask(seat, agent, game, variant, batch) {
    return agent.act(batch);
  }
}

export const agent = $.cache((name, game, variant) => engine.make_agent(name, game, variant));
export const heuristic = agent;
export function player(name, game, variant) {
  this.check(name, game, variant);
  return agent(name, game, variant);
}
export function card(game, variant) {
  if (!engine.agent_names(game, variant).includes("card")) return null;
  const made = engine.make_agent("card", game, variant);
  return { rules: made.rows, removed_by: $.named((batch) => made.removed_by(batch), ["batch", "plain"]) };
}

/** The states of lanes. */
Object.defineProperty(engine.VectorEnv.prototype, "states", {
  get() {
    return Array.from({ length: this.num_envs }, (_, lane) => this.state(lane));
  },
});

/** Return several decisions as one batch. */
export const concatenated = (batches) =>
  new engine.DecisionBatch(
    batches.flatMap((batch) => batch.views),
    batches.flatMap((batch) => batch.masks),
    batches.flatMap((batch) => [...batch.rng_keys]),
  );

/** The games that were shown last, as `Recent`. */
const played = new Map();
export const PLAYED = {
  get(address) {
    return played.get(address.query) || null;
  },
  put(address, entry) {
    played.delete(address.query);
    played.set(address.query, entry);
    if (played.size > 64) played.delete(played.keys().next().value);
    return null;
  },
};

/** The names of an address. */
export function names(text, seats) {
  let found = null;
  try {
    found = JSON.parse(text);
  } catch {
    // it is refused below
  }
  if (!Array.isArray(found) || found.length !== seats || !found.every((name) => typeof name === "string"))
    throw new $.ValueError(`sat=${JSON.stringify(text).slice(0, 60)} is not allowed; it is a list of ${seats} names, as JSON`);
  return found;
}

/** Tiles in the order in which they are dealt. */
export const order_of = (game, variant, order) => order;
