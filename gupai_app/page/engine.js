/**
 * The rules and the players of a game without Python: its loops as WebAssembly, and what holds their arrays.
 *
 * `GAME.wasm` and `GAME.json` are made by `tools/machine_code.py --system wasm32`. Names are those of Python (`VectorEnv`,
 * `Deal`, `DecisionBatch`, `SearchAgent`, ...), and so is everything that is played: the same seeds give the same bytes.
 *
 * A number of 64 bits that doubles do not hold is a BigInt: tile sets, RNG keys. Arrays of an environment lie in the
 * memory of the module; ask for them again after each call, because memory that grows is another buffer.
 *
 * @typedef {number | bigint} Whole
 * @typedef {{at: number, shape: number[], size: number}} Region  where an array lies in the module's memory
 * @typedef {Record<string, any>} Options
 */

const GOLDEN = 0x9e3779b97f4a7c15n;
const MIX_1 = 0xbf58476d1ce4e5b9n;
const MIX_2 = 0x94d049bb133111ebn;
const WORD = (1n << 64n) - 1n;
export const KEYS = 1n << 63n;
export const LEGAL = -1; // instead of the first lane whose action is refused
export const WAIT = -2; // instead of an action: leave the lane as it is
export const NOISE_STREAM = 1n << 41n;
const RANDOM = 0; // the number of the random player; n + 1 is row n of a table of heuristics
const [MOVE, STEP, NEXT] = [0, 1, 2]; // of the loop `play`
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

// --- keys --------------------------------------------------------------------

/** Return key number `counter` (from 0) of the stream that `key` names: 63 well mixed bits.
 * @param {Whole} key @param {Whole} counter @returns {bigint} */
export function derive(key, counter) {
  let z = (BigInt(key) + (BigInt(counter) + 1n) * GOLDEN) & WORD;
  z = ((z ^ (z >> 30n)) * MIX_1) & WORD;
  z = ((z ^ (z >> 27n)) * MIX_2) & WORD;
  return (z ^ (z >> 31n)) >> 1n;
}

/** Return draw number `counter` of a key: a whole number below `n`.
 * @param {Whole} key @param {Whole} counter @param {number} n */
export function draw(key, counter, n) {
  return Number(((derive(key, counter) >> 32n) * BigInt(n)) >> 31n);
}

/** Return a seed as a key; throws for anything but a whole number in 0..2**63 - 1.
 * @param {Whole} seed @returns {bigint} */
export function as_key(seed) {
  const whole = typeof seed === "bigint" || Number.isSafeInteger(seed) ? BigInt(seed) : -1n;
  if (whole < 0n || whole >= KEYS) throw new RangeError(`a seed is a whole number from 0 to 2**63 - 1, not ${seed}`);
  return whole;
}

/** Return the product of some numbers and another one. @param {number[]} numbers @param {number} by */
const product = (numbers, by = 1) => numbers.reduce((sofar, number) => sofar * number, by);

/** Return a whole number as a number, or as a BigInt where doubles do not hold it. @param {bigint} n @returns {Whole} */
const plain = (n) => (n <= SAFE && n >= -SAFE ? Number(n) : n);

/** Return the RNG key that the player to act may use in this decision. @param {any} state */
export function noise_key(state) {
  return derive(derive(state.seed, NOISE_STREAM + BigInt(state.to_act)), state.moves);
}

// --- records -----------------------------------------------------------------

/** @type {Record<string, [string, number]>} */
const TYPES = {
  i1: ["Int8", 1], u1: ["Uint8", 1], b1: ["Uint8", 1], i2: ["Int16", 2], u2: ["Uint16", 2], i4: ["Int32", 4],
  u4: ["Uint32", 4], f4: ["Float32", 4], f8: ["Float64", 8], i8: ["BigInt64", 8],
};

/** A state or a view: its fields are attributes, numbers or lists (of lists) of them. */
export class Fields {
  /** @param {Uint8Array} bytes its memory, which is not copied @param {{buffer: ArrayBuffer} | null} machine whose memory that is */
  constructor(bytes, machine = null) {
    this._bytes = bytes;
    this._data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this._machine = machine;
    this._at = bytes.byteOffset;
  }

  /** Return its memory, which has moved if the machine's has grown. @returns {DataView} */
  _live() {
    if (this._machine && this._machine.buffer !== this._data.buffer) {
      const { size } = /** @type {any} */ (this.constructor);
      this._bytes = new Uint8Array(this._machine.buffer, this._at, size);
      this._data = new DataView(this._machine.buffer, this._at, size);
    }
    return this._data;
  }

  /** Return the same record in memory of its own. */
  copy() {
    return new /** @type {any} */ (this.constructor)(this.tobytes().slice());
  }

  /** Return its memory. @returns {Uint8Array} */
  tobytes() {
    this._live();
    return this._bytes;
  }

  /** Return all fields, by name. @returns {Record<string, any>} */
  as_object() {
    const names = /** @type {any} */ (this.constructor).names;
    return Object.fromEntries(names.map((/** @type {string} */ name) => [name, /** @type {any} */ (this)[name]]));
  }
}

/** Return the class of records of a layout. @param {{size: number, fields: any[]}} layout @returns {any} */
function record_class(layout) {
  const kind = class extends Fields {};
  Object.assign(kind, { size: layout.size, names: layout.fields.map(([name]) => name) });
  for (const [name, type, offset, shape] of layout.fields) {
    const [method, size] = TYPES[type];
    const get = /** @type {any} */ (DataView.prototype)[`get${method}`];
    const set = /** @type {any} */ (DataView.prototype)[`set${method}`];
    const wide = type === "i8";
    /** @type {(data: DataView, at: number, axis: number) => any} */
    const read = (data, at, axis) => {
      if (axis === shape.length) {
        const number = get.call(data, at, true);
        return wide ? plain(number) : number;
      }
      const stride = product(shape.slice(axis + 1), size);
      return Array.from({ length: shape[axis] }, (_, n) => read(data, at + n * stride, axis + 1));
    };
    /** @type {(data: DataView, at: number, value: any) => number} */
    const write = (data, at, value) => {
      if (Array.isArray(value)) return value.reduce((place, entry) => write(data, place, entry), at);
      set.call(data, at, wide ? BigInt(value) : value, true);
      return at + size;
    };
    Object.defineProperty(kind.prototype, name, {
      get() { return read(this._live(), offset, 0); },
      set(value) { write(this._live(), offset, value); },
      enumerable: true,
    });
  }
  return kind;
}

// --- the module --------------------------------------------------------------

/** The module of a game: its memory, and calls of its loops. */
class Machine {
  /** @param {any} layout @param {WebAssembly.Exports} exports */
  constructor(layout, exports) {
    this.layout = layout;
    this.exports = /** @type {any} */ (exports);
    /** @type {Map<number, number[]>} */
    this.free = new Map(); // by their size, where blocks lie that were given back
    this.top = this.exports.__heap_base.value;
    this.words = this.take(160 * 8);
    this.Table = record_class(layout.records.table);
  }

  /** @returns {ArrayBuffer} */
  get buffer() {
    return this.exports.memory.buffer;
  }

  /** Return where so many bytes lie from now on. @param {number} bytes */
  take(bytes) {
    const at = (this.top + 15) & ~15;
    this.top = at + bytes;
    const missing = this.top - this.buffer.byteLength;
    if (missing > 0) this.exports.memory.grow(Math.ceil(missing / 65536));
    return at;
  }

  /** Return an array of zeros that stays until `give_back`. @param {number} size of an entry, in bytes @param {number[]} shape
   * @returns {Region} */
  keep(size, ...shape) {
    const at = this.free.get(product(shape, size))?.pop();
    if (at === undefined) return this.zeros(size, ...shape);
    const region = { at, shape, size };
    this.bytes(region).fill(0);
    return region;
  }

  /** Let the memory of arrays that were kept be used again. @param {Region[]} regions */
  give_back(regions) {
    for (const { at, shape, size } of regions) {
      const bytes = product(shape, size);
      this.free.set(bytes, [...(this.free.get(bytes) ?? []), at]);
    }
  }

  /** Return what a function returns; what it takes is free again afterwards. @template T @param {() => T} work @returns {T} */
  scratch(work) {
    const mark = this.top;
    try {
      return work();
    } finally {
      this.top = mark;
    }
  }

  /** Return an array of zeros. @param {number} size of an entry, in bytes @param {number[]} shape @returns {Region} */
  zeros(size, ...shape) {
    const region = { at: this.take(product(shape, size)), shape, size };
    this.bytes(region).fill(0);
    return region;
  }

  /** Return a copy of a typed array. @param {any} array @param {number[]} shape default [length] @returns {Region} */
  put(array, ...shape) {
    const region = this.zeros(array.BYTES_PER_ELEMENT, ...(shape.length ? shape : [array.length]));
    this.bytes(region).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return region;
  }

  /** Return records side by side. @param {Fields[]} records @param {number} size @returns {Region} */
  put_records(records, size) {
    const region = this.zeros(size, records.length);
    const bytes = this.bytes(region);
    records.forEach((record, row) => bytes.set(record.tobytes(), row * size));
    return region;
  }

  /** Copy records back. @param {Region} region @param {Fields[]} records */
  get_records({ at, size }, records) {
    records.forEach((record, row) => record.tobytes().set(new Uint8Array(this.buffer, at + row * size, size)));
  }

  /** Return the memory of an array. @param {Region} region */
  bytes({ at, shape, size }) {
    return new Uint8Array(this.buffer, at, product(shape, size));
  }

  /** Return an array where it lies. @template T @param {new (buffer: ArrayBuffer, at: number, length: number) => T} kind
   * @param {Region} region @returns {T} */
  at(kind, { at, shape }) {
    return new kind(this.buffer, at, product(shape));
  }

  /** Write the words of some arguments. @param {number} words where @param {any} kinds as GAME.json has them
   * @param {any[]} given */
  write(words, kinds, given) {
    const data = new DataView(this.buffer);
    /** @type {(kind: any, value: any) => void} */
    const append = (kind, value) => {
      if (Array.isArray(kind)) {
        kind.forEach((part, index) => append(part, value[index]));
      } else if (kind === "f") {
        data.setFloat64(words, value, true);
        words += 8;
      } else if (kind === "i") {
        data.setBigInt64(words, BigInt(value), true);
        words += 8;
      } else {
        const { at, shape, size } = value;
        const strides = [...shape.keys()].map((axis) => product(shape.slice(axis + 1), size));
        for (const number of [at, ...shape, ...strides]) append("i", number);
      }
    };
    kinds.forEach((/** @type {any} */ kind, /** @type {number} */ index) => append(kind, given[index]));
  }

  /** Run an entry whose words are written; return its result. @param {string} name @param {number} words */
  run(name, words) {
    const status = this.exports[name](words);
    if (status) throw new Error(`${name} of ${this.layout.id} stopped with status ${status}`);
    const data = new DataView(this.buffer);
    const kind = String.fromCharCode(data.getUint8(words + 8));
    return kind === "f" ? data.getFloat64(words, true) : Number(data.getBigInt64(words, true));
  }

  /** Call a loop. @param {string} name @param {any[]} given numbers, regions, and lists of these */
  call(name, ...given) {
    this.write(this.words, this.layout.entries[name], given);
    return this.run(name, this.words);
  }

  /** Return a table of lanes. @param {Record<string, number>} numbers by the names of its fields @returns {Region} */
  table(numbers) {
    const table = this.zeros(this.Table.size, 1);
    this.fill_table(table, numbers);
    return table;
  }

  /** Write the fields of a table. @param {Region} table @param {Record<string, number>} numbers by the names of its fields */
  fill_table(table, numbers) {
    Object.assign(new this.Table(this.bytes(table)), numbers);
  }
}

// --- games and their options -------------------------------------------------

/** @type {Map<string, Game>} */
const games = new Map();

/** Return the loaded game of a record of one, or of an id. @param {any} game @returns {Game} */
export function engine_of(game) {
  const engine = game instanceof Game ? game : games.get(game?.id ?? game);
  if (!engine) throw new Error(`${game?.id ?? game} is not loaded; call Game.load first`);
  return engine;
}

/** The options of a game, as attributes. */
export class Variant {
  /** @param {Game} game @param {Options} options those that differ from the defaults; throws for what is not allowed */
  constructor(game, options = {}) {
    const known = game.layout.options.map((/** @type {any} */ { name }) => name);
    for (const name of Object.keys(options)) {
      if (!known.includes(name))
        throw new RangeError(`${name} is not an option of ${game.id}; its options are ${known.join(", ")}`);
    }
    const self = /** @type {Options} */ (this);
    for (const option of game.layout.options) self[option.name] = checked(option, options[option.name] ?? option.default);
    const limits = game.layout.limits[self.deck] ?? {};
    for (const [name, allowed] of Object.entries(limits)) {
      if (!(/** @type {any[]} */ (allowed).includes(self[name])))
        throw new RangeError(`${name}=${self[name]} is not allowed with deck=${self.deck}; choose ${allowed}`);
    }
    if (self.leader !== "random" && !(self.leader >= 0 && self.leader < self.players))
      throw new RangeError(`leader=${self.leader}; choose "random" or a seat from 0 to ${self.players - 1}`);
    Object.defineProperty(this, "game", { value: game, enumerable: false });
  }

  /** Return the options as the numbers that the rules read. @returns {Record<string, any>} */
  as_rules() {
    const { options } = /** @type {any} */ (this).game.layout;
    return Object.fromEntries(options.map((/** @type {any} */ option) => [option.name, coded(option, this)]));
  }

  /** Return the options that differ from the defaults. @returns {Options} */
  changed() {
    const { options } = /** @type {any} */ (this).game.layout;
    return Object.fromEntries(Object.entries(this).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(options.find((/** @type {any} */ option) => option.name === name).default)));
  }
}

/** Return a value of an option; throws if it is not allowed. @param {any} option @param {any} value */
function checked(option, value) {
  const { name, choices, codes, default: usual } = option;
  const kind = Array.isArray(usual) ? Array.isArray(value) && value.every(Number.isFinite)
    : typeof usual === "boolean" ? typeof value === "boolean"
    : typeof usual === "string" ? typeof value === "string" ? value in codes : Number.isSafeInteger(value)
    : option.real ? Number.isFinite(value) : Number.isSafeInteger(value);
  if (!kind || (choices.length && !choices.includes(value)))
    throw new RangeError(`${name}=${value} is not allowed${choices.length ? `; choose ${choices.join(", ")}` : ""}`);
  return value;
}

/** Return the number, or the numbers, that the rules read of an option. @param {any} option @param {any} variant */
function coded(option, variant) {
  const value = variant[option.name];
  if (typeof value === "string") return option.codes[value][variant.deck] ?? option.codes[value];
  if (Array.isArray(value)) return option.set ? value.reduce((bits, number) => bits | (1 << number), 0) : [...value];
  return Number(value);
}

/** Whether the options of a player hold in a variant. @param {Options} options @param {any} variant */
const holds = (options, variant) =>
  Object.entries(options).every(([name, value]) => JSON.stringify(variant[name]) === JSON.stringify(value));

/** A game: its module, its layouts and its players. */
export class Game {
  /** Load a game from what ships of it.
   * @param {BufferSource | WebAssembly.Module} wasm GAME.wasm @param {any} layout GAME.json, as text or as it is parsed
   * @returns {Promise<Game>} */
  static async load(wasm, layout) {
    const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    const instance = await WebAssembly.instantiate(module, {});
    const game = new Game(typeof layout === "string" ? JSON.parse(layout) : layout, instance.exports);
    games.set(game.id, game);
    return game;
  }

  /** @param {any} layout @param {WebAssembly.Exports} exports */
  constructor(layout, exports) {
    this.layout = layout;
    this.machine = new Machine(layout, exports);
    /** @type {string} */ this.id = layout.id;
    /** @type {string} */ this.title = layout.title;
    /** @type {number} */ this.version = layout.version;
    /** @type {number} */ this.num_actions = layout.num_actions;
    /** @type {number} */ this.max_seats = layout.max_seats;
    /** @type {number} */ this.max_decisions = layout.max_decisions;
    /** @type {boolean} */ this.simultaneous = layout.simultaneous;
    /** @type {string[]} */ this.action_names = layout.actions;
    /** @type {string[]} */ this.features = layout.features;
    /** @type {{size: number, encoder: string, version: number, digest: string, sections: any[]}} */
    this.observation = layout.observation;
    this.State = record_class(layout.records.state);
    this.View = record_class(layout.records.view);
    this.Rules = record_class(layout.records.rules);
    this._empty = Uint8Array.from(layout.empty.match(/../g).map((/** @type {string} */ byte) => parseInt(byte, 16)));
    /** @type {Map<string, Uint8Array>} */
    this.networks = new Map();
    /** @type {Map<string, (view: any) => number>} */
    this.policies = new Map();
  }

  /** Return a variant; throws for options that are not allowed. @param {Options} options @returns {any} */
  variant(options = {}) {
    return new Variant(this, options);
  }

  /** Return empty states: nothing is dealt, and nothing has happened. @param {number} number @returns {any[]} */
  new_states(number) {
    return Array.from({ length: number }, () => new this.State(this._empty.slice()));
  }

  /** Return so many empty views. @param {number} number @returns {any[]} */
  new_views(number) {
    return Array.from({ length: number }, () => new this.View(new Uint8Array(this.View.size)));
  }

  /** Return a heuristic as loops take it: weights by feature, and the temperature.
   * @param {string | Record<string, number>} weights its name, or weights by feature @param {number} temperature */
  heuristic(weights, temperature = 0) {
    const { heuristics } = this.layout.players;
    const row = new Float64Array(this.features.length + 1);
    if (typeof weights === "string") {
      if (!(weights in heuristics)) throw new RangeError(`${weights} is not a heuristic of ${this.id}`);
      row.set(heuristics[weights]);
    } else {
      for (const [name, weight] of Object.entries(weights)) {
        if (!this.features.includes(name)) throw new RangeError(`${name} is not a feature of ${this.id}`);
        row[this.features.indexOf(name)] = weight;
      }
    }
    row[row.length - 1] = temperature;
    return row;
  }

  /** Let the player `best` of some options play. @param {string} file its name, of `layout.players.best`
   * @param {Uint8Array} bytes what the file holds */
  add_network(file, bytes) {
    this.networks.set(file, bytes);
  }

  /** Return the score of an action by a heuristic. @param {Fields} view @param {number} action @param {ArrayLike<number>} weights */
  score(view, action, weights) {
    const masks = new Uint8Array(this.num_actions);
    masks[action] = 1;
    return scores_of(this, Float64Array.from(weights), new DecisionBatch([view], [masks], [0n]))[0][action];
  }

  /** Return what a view is as a vector. @param {Fields} view @returns {Int8Array} */
  encode(view) {
    return observations_of(this, [view])[0];
  }

  /** Return the words of a variant's numbers. @param {any} rules @returns {any[]} */
  _numbers(rules) {
    return this.Rules.names.map((/** @type {string} */ name, /** @type {number} */ place) =>
      (Array.isArray(rules) ? rules[place] : rules[name]));
  }

  /** Return where a variant's numbers lie as a record. @param {any} rules @returns {number} */
  _record(rules) {
    const region = this.machine.zeros(this.Rules.size, 1);
    this._fill(region, rules);
    return region.at;
  }

  /** Write a variant's numbers as a record. @param {Region} region @param {any} rules */
  _fill(region, rules) {
    const record = new this.Rules(this.machine.bytes(region));
    this._numbers(rules).forEach((number, place) => (record[this.Rules.names[place]] = number));
  }
}

// --- many deals side by side -------------------------------------------------

/** B deals of one variant, each at some seat's turn; a deal that ends pays out and is dealt again at once.
 *
 * Lane i plays the episodes of its own seed, the same deals as lane i of a `VectorEnv` of Python of the same seed. Its
 * memory is that of its game: `close` gives it back. */
export class VectorEnv {
  /** @param {any} game @param {number} num_envs lanes
   * @param {{seed?: Whole, observe?: boolean, renew?: boolean, skip_forced?: boolean, variant?: any}} how `variant`: or its
   * options; others as in Python */
  constructor(game, num_envs, { seed = 0, observe = true, renew = true, skip_forced = false, variant = {} } = {}) {
    if (!Number.isSafeInteger(num_envs) || num_envs < 1 || num_envs > 1 << 22)
      throw new RangeError(`num_envs=${num_envs}; choose a whole number from 1 to ${1 << 22}`);
    this.engine = engine_of(game);
    this.game = game;
    this.num_envs = num_envs;
    this.renew = renew;
    this.skip_forced = skip_forced;
    this.variant = typeof variant.as_rules === "function" ? variant : this.engine.variant(variant);
    this.rules = this.variant.as_rules();
    const { machine, num_actions, max_seats, observation, State } = this.engine;
    this.machine = machine;
    this.arrays = {
      states: machine.keep(State.size, num_envs),
      seeds: machine.keep(8, num_envs),
      episodes: machine.keep(8, num_envs),
      seats: machine.keep(1, num_envs),
      masks: machine.keep(1, num_envs, num_actions),
      observations: machine.keep(1, num_envs, observation.size),
      rewards: machine.keep(4, num_envs, max_seats),
      terminated: machine.keep(1, num_envs),
    };
    for (let lane = 0; lane < num_envs; lane++) this._memory("states", lane, State.size).set(this.engine._empty);
    const addresses = Object.fromEntries(Object.entries(this.arrays).map(([name, { at }]) => [name, at]));
    this._record = machine.keep(this.engine.Rules.size, 1);
    this.engine._fill(this._record, this.rules);
    this.table = machine.keep(machine.Table.size, 1);
    machine.fill_table(this.table, {
      envs: num_envs, end: num_envs, rules: this._record.at, ...addresses,
      renew: +renew, skip_forced: +skip_forced, observe: +observe,
    });
    this._actions = machine.keep(8, num_envs);
    this._words = machine.keep(8, 32); // of `step`
    this.reset(seed);
  }

  /** Give its memory back; it plays no more. */
  close() {
    this.machine.give_back([...Object.values(this.arrays), this._record, this.table, this._actions, this._words]);
    this.arrays = /** @type {any} */ ({});
  }

  /** @param {"states"} name @param {number} lane @param {number} size */
  _memory(name, lane, size) {
    return new Uint8Array(this.machine.buffer, this.arrays[name].at + lane * size, size);
  }

  /** The seat to act, by lane. */
  get seats() { return this.machine.at(Int8Array, this.arrays.seats); }
  /** Its legal actions, [B x num_actions]. */
  get masks() { return this.machine.at(Uint8Array, this.arrays.masks); }
  /** What it observes, [B x observation.size]. */
  get observations() { return this.machine.at(Int8Array, this.arrays.observations); }
  /** Chips of a deal that the last step ended, else 0, [B x max_seats]. */
  get rewards() { return this.machine.at(Float32Array, this.arrays.rewards); }
  /** Whether the lane's episode has ended. */
  get terminated() { return this.machine.at(Uint8Array, this.arrays.terminated); }
  get seeds() { return this.machine.at(BigInt64Array, this.arrays.seeds); }
  get episodes() { return this.machine.at(BigInt64Array, this.arrays.episodes); }

  /** Return the state of a lane, to be read and written. @param {number} lane @returns {any} */
  state(lane) {
    return new this.engine.State(this._memory("states", lane, this.engine.State.size), this.machine);
  }

  /** Begin episode 0 in every lane. @param {Whole} seed @param {ArrayLike<Whole>} [seeds] by lane, instead of those of `seed` */
  reset(seed = 0, seeds) {
    if (seeds) {
      this.seeds.set(Array.from(seeds, as_key));
    } else {
      const { machine } = this;
      machine.scratch(() => machine.call("derive_rows", machine.put(BigInt64Array.of(as_key(seed))),
        { at: this.arrays.seeds.at, shape: [1, this.num_envs], size: 8 }));
    }
    this.episodes.fill(0n);
    this.rewards.fill(0);
    this.begin();
    this.refresh();
  }

  /** Begin episode number `episodes` of the stream `seeds` in every lane; `refresh` shows it. */
  begin() {
    this.machine.call("begin", this.table);
  }

  /** Fill seats, masks, observations and terminated from the states. */
  refresh() {
    this.machine.call("show", this.table);
    const { terminated } = this;
    for (let lane = 0; lane < this.num_envs; lane++) terminated[lane] = this.state(lane).terminated;
  }

  /** Play one action in every lane; a lane that ends pays out and is dealt again at once.
   * @param {ArrayLike<number>} actions for the seat to act; WAIT leaves a lane as it is
   * @returns {this} whose `rewards` and `terminated` are those of this step; throws if a mask forbids an action, and then
   * nothing has changed */
  step(actions) {
    const { machine, num_envs } = this, words = this._words.at;
    if (actions.length !== num_envs) throw new RangeError(`${actions.length} actions for ${num_envs} lanes`);
    const halves = new Int32Array(machine.buffer, this._actions.at, 2 * num_envs);
    for (let lane = 0; lane < num_envs; lane++) {
      const action = actions[lane];
      if ((action | 0) !== action) throw new RangeError(`lane ${lane}: ${action} is not an action`);
      halves[2 * lane] = action;
      halves[2 * lane + 1] = action >> 31;
    }
    machine.write(words, machine.layout.entries.step, [this.table, this._actions]);
    const lane = machine.run("step", words);
    if (lane !== LEGAL) throw new RangeError(`lane ${lane}, seat ${this.seats[lane]}: action ${actions[lane]} is not legal`);
    return this;
  }

  /** Return one random legal action for each lane, drawn from a key; 0 where there is none. @param {Whole} key @returns {Int32Array} */
  sample(key) {
    const { machine } = this;
    return machine.scratch(() => {
      const actions = machine.zeros(8, this.num_envs);
      machine.call("pick", this.arrays.masks, as_key(key), actions);
      const halves = new Int32Array(machine.buffer, actions.at, 2 * this.num_envs);
      return Int32Array.from({ length: this.num_envs }, (_, lane) => halves[2 * lane]);
    });
  }

  /** Play so many random legal actions in every lane, what `step(sample(derive(key, number)))` plays.
   * @param {number} steps @param {Whole} key */
  play_random(steps, key) {
    this.machine.call("play_random", this.table, steps, as_key(key));
    return this;
  }

  /** Return what one seat observes in every lane, [B x observation.size]. @param {number} seat @returns {Int8Array} */
  observed_by(seat) {
    const { machine } = this;
    return machine.scratch(() => {
      const observations = machine.zeros(1, this.num_envs * this.engine.observation.size);
      machine.call("observe_seat", this.table, seat, observations);
      return machine.at(Int8Array, observations).slice();
    });
  }

  /** Return the decisions to be made in some lanes, as agents take them. @param {number[]} [lanes] default all
   * @returns {DecisionBatch} */
  decision_batch(lanes = Array.from({ length: this.num_envs }, (_, lane) => lane)) {
    const { engine, machine } = this;
    const actions = engine.num_actions;
    const states = lanes.map((lane) => this.state(lane));
    return machine.scratch(() => {
      const views = machine.zeros(engine.View.size, lanes.length);
      const keys = machine.zeros(8, lanes.length);
      machine.call("views", engine._numbers(this.rules), machine.put_records(states, engine.State.size), views, keys);
      const records = engine.new_views(lanes.length);
      machine.get_records(views, records);
      const masks = lanes.map((lane) => this.masks.slice(lane * actions, (lane + 1) * actions));
      return new DecisionBatch(records, masks, machine.at(BigInt64Array, keys).slice());
    });
  }

  /** Play every lane to its end by heuristics, which sit at all seats. @param {Float64Array[]} heuristics
   * @param {number[][]} line_ups by lane, by seat: 0 for random, n + 1 for heuristic n @returns {number} decisions */
  finish(heuristics, line_ups) {
    const { engine, machine } = this;
    const decisions = machine.scratch(() => machine.call(
      "finish", engine._numbers(this.rules), put_table(machine, heuristics), this.arrays.states,
      machine.put(Int16Array.from(line_ups.flat()), this.num_envs, line_ups[0].length)));
    this.refresh();
    return decisions;
  }
}

/** Copy rows of numbers. @param {Machine} machine @param {Float64Array[]} rows @returns {Region} */
function put_table(machine, rows) {
  const table = machine.zeros(8, rows.length, rows[0].length);
  rows.forEach((row, number) => machine.at(Float64Array, table).set(row, number * row.length));
  return table;
}

// --- one deal ----------------------------------------------------------------

/** One deal, or a match of several, under way. */
export class Deal {
  /** @param {any} game @param {any} variant @param {any[] | null} states its state, [1]; null: the empty one */
  constructor(game, variant, states = null) {
    this.game = game;
    this.variant = variant;
    this.rules = variant.as_rules();
    this.states = states ?? engine_of(game).new_states(1);
  }

  /** @returns {any} the full state; writing to its fields changes the deal */
  get state() { return this.states[0]; }
  /** Whether the deal, or the last one of a match, has ended. */
  get terminated() { return this.state.terminated !== 0; }
  /** The seat to act. */
  get seat() { return this.state.to_act; }

  /** Return the same deal, to be played on independently of this one. @returns {this} */
  copy() {
    const twin = Object.assign(Object.create(Object.getPrototypeOf(this)), this);
    twin.states = this.states.map((state) => state.copy());
    return twin;
  }

  /** Return the legal actions of the seat to act; none at the end. @returns {Uint8Array} */
  mask() {
    const engine = engine_of(this.game), { machine } = engine;
    return machine.scratch(() => {
      const masks = machine.zeros(1, engine.num_actions), seats = machine.zeros(1, 1);
      const states = machine.put_records(this.states, engine.State.size);
      machine.call("show", machine.table({
        envs: 1, end: 1, rules: engine._record(this.rules), states: states.at, masks: masks.at, seats: seats.at,
      }));
      return machine.at(Uint8Array, masks).slice();
    });
  }

  /** Return what a seat knows. @param {number} seat @returns {any} */
  view(seat) {
    return this.view_row(seat)[0];
  }

  /** Return what a seat knows, [1]. @param {number} seat @returns {any[]} */
  view_row(seat) {
    if (!(Number.isInteger(seat) && seat >= 0 && seat < this.variant.players))
      throw new RangeError(`seat=${seat}; choose a seat from 0 to ${this.variant.players - 1}`);
    const engine = engine_of(this.game), { machine } = engine;
    return machine.scratch(() => {
      const views = machine.zeros(engine.View.size, 1), row = engine.new_views(1);
      const states = machine.put_records(this.states, engine.State.size);
      machine.call("view_of", engine._numbers(this.rules), states, seat, views);
      machine.get_records(views, row);
      return row;
    });
  }

  /** Return what each seat knows, from one seat on. @param {number} first */
  views(first = 0) {
    const { players } = this.variant;
    return Array.from({ length: players }, (_, number) => this.view((first + number) % players));
  }

  /** Return what a seat observes. @param {number} seat @returns {Int8Array} */
  observation(seat = this.seat) {
    return engine_of(this.game).encode(this.view(seat));
  }

  /** Return a copy in which all that a seat cannot know is dealt again, by an RNG key. @param {number} seat @param {Whole} key */
  redealt(seat, key) {
    const twin = this.copy();
    twin.states = determinize(this.game, this.rules, this.view_row(seat), [as_key(key)]);
    return twin;
  }

  /** Begin an episode. @param {Whole} key of the episode @param {ArrayLike<number>} order the kinds of tiles as they are
   * dealt, instead of as the key shuffles them */
  start(key, order = []) {
    this._play("begin_deal", (machine) => [key, machine.put(Int8Array.from(order), order.length ? 1 : 0, order.length)]);
  }

  /** Play one decision of this deal; nothing is paid, and no other deal begins. @param {number} action */
  step(action) {
    this._play("play", () => [action, MOVE]);
  }

  /** Play one decision of the episode: at the end of a deal it is paid, and the next deal begins. @param {number} action */
  advance(action) {
    this._play("play", () => [action, STEP]);
    if (this.state.settled) this._play("play", () => [0, NEXT]);
  }

  /** Play a legal action, and pay the deal if that ends it; throws for any other. @param {number} action @returns {number[] | null}
   * the chips by seat if it ended a deal, which `next_deal` follows */
  play(action) {
    if (!this.mask()[action]) throw new RangeError(`seat ${this.seat}: action ${action} is not legal`);
    this._play("play", () => [action, STEP]);
    if (!this.state.settled) return null;
    const chips = this.state.payoff.slice(0, this.variant.players);
    this._play("play", () => [0, NEXT]);
    return chips;
  }

  /** Return the chips of every seat by the rules, as if the deal were over. @returns {number[]} */
  paid() {
    const engine = engine_of(this.game), { machine } = engine;
    return machine.scratch(() => {
      const chips = machine.zeros(4, 1, engine.max_seats);
      const states = machine.put_records(this.states, engine.State.size);
      machine.call("pay", engine._numbers(this.rules), states, chips);
      return Array.from(machine.at(Float32Array, chips).slice(0, this.variant.players));
    });
  }

  /** Return the decision to be made, as agents take it. @returns {DecisionBatch} */
  decision_batch() {
    return new DecisionBatch(this.view_row(this.seat), [this.mask()], [noise_key(this.state)]);
  }

  /** Call a loop that changes the state. @param {string} name @param {(machine: Machine) => any[]} given */
  _play(name, given) {
    change(this.game, this.rules, this.states, name, given);
  }
}

/** @param {any} game @param {any} rules @param {any[]} states @param {string} name @param {(machine: Machine) => any[]} given */
function change(game, rules, states, name, given) {
  const engine = engine_of(game), { machine } = engine;
  machine.scratch(() => {
    const region = machine.put_records(states, engine.State.size);
    machine.call(name, engine._numbers(rules), region, ...given(machine));
    machine.get_records(region, states);
  });
}

/** Play one decision of an episode, and pay the deal if that ends it. @param {any} game @param {any} rules @param {any} state
 * @param {number} action */
export function step(game, rules, state, action) {
  change(game, rules, [state], "play", () => [action, STEP]);
}

/** Deal again after a deal that is over, if it is not the last of the match. @param {any} game @param {any} rules @param {any} state */
export function next_deal(game, rules, state) {
  change(game, rules, [state], "play", () => [0, NEXT]);
}

/** Return states drawn uniformly from the deals that views allow. @param {any} game @param {any} rules @param {any[]} views
 * @param {Whole[]} keys one for each @returns {any[]} */
export function determinize(game, rules, views, keys) {
  const engine = engine_of(game), { machine } = engine, states = engine.new_states(views.length);
  machine.scratch(() => {
    const region = machine.put_records(states, engine.State.size);
    const known = machine.put_records(views, engine.View.size);
    machine.call("determinize", engine._numbers(rules), known, machine.put(BigInt64Array.from(keys, BigInt)), region);
    machine.get_records(region, states);
  });
  return states;
}

// --- players -----------------------------------------------------------------

/** Decisions to be made, one per row: what each seat to act knows, its legal actions, and the RNG key it may use. */
export class DecisionBatch {
  /** @param {any[]} views @param {Uint8Array[]} masks @param {ArrayLike<bigint>} rng_keys */
  constructor(views, masks, rng_keys) {
    this.views = views;
    this.masks = masks;
    this.rng_keys = rng_keys;
  }

  /** Return some of the decisions. @param {number[]} rows */
  at(rows) {
    return new DecisionBatch(rows.map((row) => this.views[row]), rows.map((row) => this.masks[row]), rows.map((row) => this.rng_keys[row]));
  }

  /** Return what the environments show the seats to act. @param {any} game @returns {Int8Array[]} */
  observations(game) {
    return observations_of(game, this.views);
  }
}

/** Return what the environments of a game show seats with these views. @param {any} game @param {any[]} views @returns {Int8Array[]} */
export function observations_of(game, views) {
  const engine = engine_of(game), { machine, observation } = engine;
  return machine.scratch(() => {
    const observations = machine.zeros(1, views.length, observation.size);
    machine.call("encode", machine.put_records(views, engine.View.size), observations);
    return rows_of(machine.at(Int8Array, observations), observation.size);
  });
}

/** Return copies of the rows of an array. @template {{slice(begin: number, end: number): any, length: number}} T
 * @param {T} array @param {number} width @returns {any[]} */
function rows_of(array, width) {
  return Array.from({ length: array.length / width }, (_, row) => array.slice(row * width, (row + 1) * width));
}

/** Return a batch as loops take it. @param {Game} engine @param {DecisionBatch} batch */
function put_batch({ machine, View, num_actions }, { views, masks, rng_keys }) {
  const legal = machine.zeros(1, masks.length, num_actions);
  masks.forEach((mask, row) => machine.at(Uint8Array, legal).set(mask, row * num_actions));
  return {
    views: machine.put_records(views, View.size),
    masks: legal,
    keys: machine.put(BigInt64Array.from(rng_keys)),
    actions: machine.zeros(2, views.length),
  };
}

/** Return what a player by number answers. @param {Game} engine @param {number} player RANDOM, or RANDOM + 1 + a row
 * @param {Float64Array[]} heuristics @param {DecisionBatch} batch @returns {Int16Array} */
function batch_actions(engine, player, heuristics, batch) {
  const { machine } = engine;
  return machine.scratch(() => {
    const { views, masks, keys, actions } = put_batch(engine, batch);
    machine.call("choose", player, put_table(machine, heuristics), views, masks, keys, actions);
    return machine.at(Int16Array, actions).slice();
  });
}

/** Return each action's score by a heuristic; -Infinity where it is not legal. @param {Game} engine
 * @param {Float64Array} weights @param {DecisionBatch} batch @returns {Float64Array[]} */
function scores_of(engine, weights, batch) {
  const { machine, num_actions } = engine;
  return machine.scratch(() => {
    const { views, masks } = put_batch(engine, batch);
    const scores = machine.zeros(8, batch.views.length, num_actions);
    machine.at(Float64Array, scores).fill(-Infinity);
    machine.call("scores", machine.put(weights), views, masks, scores);
    return rows_of(machine.at(Float64Array, scores), num_actions);
  });
}

/** Plays legal actions with equal probability. */
export class RandomAgent {
  /** @param {any} game */
  constructor(game) {
    this.game = game;
    this.name = "random";
  }

  /** Return one legal action per row. @param {DecisionBatch} batch @returns {Int16Array} */
  act(batch) {
    return batch_actions(engine_of(this.game), RANDOM, [Float64Array.of(0)], batch);
  }
}

/** Return the players of a game that are functions of a view, by name; they are not in the module, but in a translation of
 * the game, or given by a program. @param {any} game @returns {Map<string, (view: any) => number>} */
const policies_of = (game) => game.policies ?? engine_of(game).policies;

/** A policy of a game, by name, as a player. */
export class RuleAgent {
  /** @param {any} game @param {string} name */
  constructor(game, name) {
    this.name = name;
    this.policy = policies_of(game).get(name);
  }

  /** Return one legal action per row. @param {DecisionBatch} batch @returns {Int16Array} */
  act(batch) {
    return Int16Array.from(batch.views, this.policy);
  }
}

/** A heuristic of a game as a player. */
export class HeuristicAgent {
  /** @param {any} game @param {string} name @param {string | Record<string, number>} heuristic its name, or weights by feature
   * @param {number} temperature */
  constructor(game, name, heuristic, temperature = 0) {
    this.game = game;
    this.name = name;
    /** @type {Float64Array} */
    this.weights = engine_of(game).heuristic(heuristic, temperature);
  }

  /** Return one legal action per row. @param {DecisionBatch} batch @returns {Int16Array} */
  act(batch) {
    return batch_actions(engine_of(this.game), RANDOM + 1, [this.weights], batch);
  }

  /** Return the score of every action; -Infinity where it is not legal. @param {DecisionBatch} batch @returns {Float64Array[]} */
  scores(batch) {
    return scores_of(engine_of(this.game), this.weights, batch);
  }
}

/** A card: rules for people, in order, as a player. */
export class CardAgent {
  /** @param {any} game @param {string} name @param {(number | null)[][]} rows as GAME.json has them */
  constructor(game, name, rows) {
    this.game = game;
    this.name = name;
    const bounds = [0, 0, -Infinity, Infinity, 0, 0, 0]; // columns: COUNTED, OF, LOW, HIGH, FEATURE, SIGN, WITHIN
    this.rows = rows.map((row) => Float64Array.from(row, (number, column) => number ?? bounds[column]));
  }

  /** Return one legal action per row. @param {DecisionBatch} batch @returns {Int16Array} */
  act(batch) {
    return this._answer(batch, 0).actions;
  }

  /** Return the index of the rule that removes each move: as many as there are rules, none does; -1, it is not legal.
   * @param {DecisionBatch} batch @returns {Int8Array[]} */
  removed_by(batch) {
    return this._answer(batch, batch.views.length).removed_by;
  }

  /** @param {DecisionBatch} batch @param {number} rows of which is written which rule removes a move */
  _answer(batch, rows) {
    const engine = engine_of(this.game), { machine, num_actions } = engine;
    return machine.scratch(() => {
      const { views, masks, keys, actions } = put_batch(engine, batch);
      const removed_by = machine.zeros(1, rows, rows ? num_actions : 0);
      const legal = machine.at(Uint8Array, masks);
      machine.at(Int8Array, removed_by).forEach((_, place, array) => (array[place] = legal[place] ? this.rows.length : -1));
      machine.call("card", put_table(machine, this.rows), views, masks, keys, actions, removed_by);
      return {
        actions: machine.at(Int16Array, actions).slice(),
        removed_by: rows_of(machine.at(Int8Array, removed_by), num_actions),
      };
    });
  }
}

// --- search ------------------------------------------------------------------

const PLAN = { playouts: 200, seconds: null, particles: 200, steady: 1 };
const MOST_ROUNDS = 64;
const MOST_TIMES = 5; // an action is compared in at most so many times the playouts
const FIRST_PLAYOUTS = 8; // by which a search of so many seconds learns how long one takes
const MOST_PLAYOUTS = 1_000_000;
const [CHIPS, SQUARES, DEALS, BETTER, BETTER_SQUARES] = [0, 1, 2, 3, 4]; // what is added up for an action

/** The values of actions, by row; of `means`, `errors`, `deals`, `gains` and `gain_errors` each row has a number for each
 * action. See `Values` in Python. */
export class Values {
  /** @param {Float64Array} totals [N x actions x 5] @param {Uint8Array[]} masks @param {ArrayLike<number>} usual
   * @param {ArrayLike<number>} effective */
  constructor(totals, masks, usual, effective) {
    const sums = rows_of(totals, 5 * masks[0].length);
    /** @type {(value: (of: (column: number) => number, deals: number) => number) => Float64Array[]} */
    const each = (value) => masks.map((mask, row) => Float64Array.from(mask, (legal, action) => {
      const of = (/** @type {number} */ column) => sums[row][5 * action + column];
      return value(of, legal ? of(DEALS) : NaN);
    }));
    /** @type {(column: number, squares: number) => Float64Array[]} */
    const errors = (column, squares) => each((of, deals) =>
      Math.sqrt(Math.max(of(squares) / deals - (of(column) / deals) ** 2, 0) / Math.max(deals - 1, 1)));
    this.means = each((of, deals) => of(CHIPS) / deals);
    this.errors = errors(CHIPS, SQUARES);
    this.deals = each((of) => of(DEALS));
    this.gains = each((of, deals) => of(BETTER) / deals);
    this.gain_errors = errors(BETTER, BETTER_SQUARES);
    this.usual = Array.from(usual);
    this.effective = Array.from(effective);
  }

  /** Return what to play: the best of those that were never left out, if it is better than the usual action by more than
   * so many standard errors. @param {number} steady @returns {Int16Array} */
  choice(steady) {
    return Int16Array.from(this.usual, (usual, row) => {
      const most = Math.max(...this.deals[row]);
      const gains = this.gains[row].map((gain, action) => (this.deals[row][action] === most ? gain : -Infinity));
      const best = first_largest(gains);
      return gains[best] > steady * this.gain_errors[row][best] ? best : usual;
    });
  }
}

/** Return the index of the largest number, of equals the first, as numpy's argmax: NaN is the largest.
 * @param {ArrayLike<number>} numbers */
function first_largest(numbers) {
  let best = 0;
  for (let index = 0; index < numbers.length; index++) {
    if (Number.isNaN(numbers[index])) return index;
    if (numbers[index] > numbers[best]) best = index;
  }
  return best;
}

/** A player that tries every legal action in deals that its view allows, played out by heuristics. */
export class SearchAgent {
  /** @param {any} game @param {any} variant @param {string} name @param {Float64Array} heuristic
   * @param {{others?: Float64Array | null, infer?: Float64Array | null, plan?: Partial<typeof PLAN>}} settings as in Python */
  constructor(game, variant, name, heuristic, { others = null, infer = null, plan = {} } = {}) {
    if (infer && !("weigh" in engine_of(game).layout.entries))
      throw new RangeError(`${name}: ${game.id} reconstructs no history, so that no belief can be had`);
    if (infer && infer[infer.length - 1] === 0) throw new RangeError(`${name}: a belief needs a temperature, such as infer=greedy@4`);
    this.game = game;
    this.variant = variant;
    this.name = name;
    this.plan = { ...PLAN, ...plan };
    this.infer = infer;
    this.heuristics = [heuristic, others ?? heuristic];
    this.rules = variant.as_rules();
    this.asked = "";
    this.compared = /** @type {Values | null} */ (null);
  }

  /** Return one legal action per row. @param {DecisionBatch} batch @returns {Int16Array} */
  act(batch) {
    const actions = Int16Array.from(batch.masks, (mask) => mask.indexOf(1));
    const choices = [...actions.keys()].filter((row) => batch.masks[row].reduce((sum, legal) => sum + legal, 0) > 1);
    if (choices.length) {
      const chosen = this._values(batch.at(choices)).choice(this.plan.steady);
      choices.forEach((row, place) => (actions[row] = chosen[place]));
    }
    return actions;
  }

  /** Return the value of every legal action. @param {DecisionBatch} batch @param {{halving?: boolean}} how
   * `halving`: whether actions that look worse are left out early; otherwise all are tried in the same deals */
  values(batch, { halving = true } = {}) {
    return this._values(batch, halving ? MOST_ROUNDS : 1);
  }

  /** Return the value of every legal action, compared with the best one in the same deals; what was compared last is
   * known. @param {DecisionBatch} batch */
  compare(batch) {
    const asked = [...batch.views.map((view) => view.tobytes()), batch.rng_keys].join();
    if (asked !== this.asked) {
      this.compared = this._searched(batch, this.plan.playouts, MOST_ROUNDS, MOST_TIMES);
      this.asked = asked;
    }
    return /** @type {Values} */ (this.compared);
  }

  /** @param {DecisionBatch} batch @param {number} rounds */
  _values(batch, rounds = MOST_ROUNDS) {
    const { playouts, seconds } = this.plan;
    if (seconds === null) return this._searched(batch, playouts, rounds);
    const begin = performance.now();
    const values = this._searched(batch, FIRST_PLAYOUTS, rounds);
    const spent = (performance.now() - begin) / 1000;
    const more = Math.min(Math.trunc((FIRST_PLAYOUTS * (seconds * batch.views.length - spent)) / spent), MOST_PLAYOUTS);
    return more > FIRST_PLAYOUTS ? this._searched(batch, more, rounds) : values;
  }

  /** @param {DecisionBatch} batch @param {number} playouts @param {number} rounds @param {number} most_times */
  _searched(batch, playouts, rounds, most_times = 0) {
    const engine = engine_of(this.game), { machine, num_actions } = engine;
    const numbers = engine._numbers(this.rules), rows = batch.views.length;
    const chosen = batch_actions(engine, RANDOM + 1, this.heuristics, batch);
    const effort = [playouts, engine.simultaneous ? 1 : rounds, rounds > 1 && !most_times ? this.plan.steady : -1];
    return machine.scratch(() => {
      const { views, masks, keys } = put_batch(engine, batch);
      const usual = machine.put(chosen), effective = machine.put(new Float64Array(rows).fill(NaN));
      const totals = machine.zeros(8, rows, num_actions, 5);
      const sums = machine.zeros(8, rows, this.infer ? this.plan.particles : 0);
      if (this.infer) machine.call("weigh", numbers, machine.put(this.infer), views, keys, [0, rows], sums, effective);
      const compared = machine.zeros(8, most_times * playouts, num_actions);
      const given = machine.zeros(engine.State.size, 0); // deals in place of draws: none
      machine.call("search", numbers, put_table(machine, this.heuristics), views, masks, keys, [0, rows, ...effort], sums, given, usual, totals, compared);
      return new Values(machine.at(Float64Array, totals).slice(), batch.masks,
        machine.at(Int16Array, usual).slice(), machine.at(Float64Array, effective).slice());
    });
  }
}

// --- networks ----------------------------------------------------------------

const ROUND = 1e4; // four decimals of a score count
const GATE_LIMIT = 2;
const LOOK_AHEAD_KEY = 0n; // of the deals that are drawn: the same view always gets the same answer
const FREE_OPTIONS = ["leader", "deals", "stake"]; // a player made for one value plays with all
const { fround } = Math;

/** Return a checkpoint: its header, and its tensors in float32 with their shapes. @param {Uint8Array} bytes
 * @returns {{header: any, tensors: Record<string, {shape: number[], values: Float32Array}>}} */
function read_checkpoint(bytes) {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begin = 8 + Number(data.getBigUint64(0, true));
  const { __metadata__: metadata, ...stored } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, begin)));
  /** @type {Record<string, (at: number) => [number, number]>} value and bytes */
  const kinds = {
    F32: (at) => [data.getFloat32(at, true), 4],
    F16: (at) => [half(data.getUint16(at, true)), 2],
    I8: (at) => [data.getInt8(at), 1],
  };
  /** @type {Record<string, {shape: number[], values: Float32Array}>} */
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [first] }] of Object.entries(stored)) {
    const size = kinds[dtype](begin + first)[1];
    const values = new Float32Array(product(shape));
    for (let place = 0; place < values.length; place++) values[place] = kinds[dtype](begin + first + size * place)[0];
    tensors[name] = { shape, values };
  }
  for (const [name, { values: scale }] of Object.entries(tensors)) {
    const whole = name.endsWith("_scale") ? tensors[name.slice(0, -"_scale".length)] : null;
    if (whole) whole.values.forEach((value, place, all) => (all[place] = value * scale[Math.floor(place / whole.shape[1])]));
  }
  return { header: JSON.parse(metadata.gupai), tensors };
}

/** Return a number in half precision. @param {number} bits */
function half(bits) {
  const exponent = (bits >> 10) & 31, fraction = bits & 1023, sign = bits >> 15 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

/** Return a linear map of a vector. @param {{weight: Float32Array, bias: Float32Array}} map @param {Float32Array} x */
function linear({ weight, bias }, x) {
  const result = new Float32Array(bias.length);
  for (let output = 0, place = 0; output < bias.length; output++) {
    let sum = 0;
    for (let input = 0; input < x.length; input++, place++) sum += weight[place] * x[input];
    result[output] = fround(sum) + bias[output];
  }
  return result;
}

/** A multilayer perceptron over the observation, plain, residual or gated, which scores the actions. */
export class NetworkAgent {
  /** @param {any} game @param {any} variant @param {string} name @param {Uint8Array} bytes a checkpoint
   * @param {{sample?: boolean}} how `sample`: draw actions from its policy */
  constructor(game, variant, name, bytes, { sample = false } = {}) {
    const engine = engine_of(game);
    const { header, tensors } = read_checkpoint(bytes);
    if (header.game !== engine.id || header.version !== engine.version || header.observation.digest !== engine.observation.digest)
      throw new RangeError(`${name}: made for ${header.game} ${header.version}, or for other observations`);
    if (!plays(header.rules, variant, engine)) throw new RangeError(`${name}: trained with other options`);
    this.game = game;
    this.variant = variant;
    this.name = name;
    this.sample = sample || header.mixes === true;
    const map = (/** @type {string} */ part) => ({ weight: tensors[`${part}.weight`].values, bias: tensors[`${part}.bias`].values });
    const { hidden, type } = header.net;
    /** @type {{map: {weight: Float32Array, bias: Float32Array}, added: boolean, gate: any}[]} */
    this.layers = hidden.map((/** @type {number} */ width, /** @type {number} */ n) => {
      const added = n > 0 && width === hidden[n - 1] && type !== "mlp";
      return { map: map(`trunk.${n}`), added, gate: added && type === "gated" ? map(`gate.${n}`) : null };
    });
    this.layers.push({ map: map("policy"), added: false, gate: null });
    const high = engine.observation.sections.flatMap(({ shape, high }) => new Array(product(shape)).fill(high));
    this.layers[0].map.weight.forEach((weight, place, all) => (all[place] = weight / high[place % high.length]));
    this.ahead = header.look_ahead ? new LookAhead(game, variant, header.look_ahead) : null;
  }

  /** Return the score of every action for an observation. @param {Int8Array} observation @returns {Float32Array} */
  logits(observation) {
    let x = Float32Array.from(observation);
    this.layers.forEach(({ map, added, gate }, number) => {
      const step = linear(map, number ? x.map((value) => Math.max(value, 0)) : x);
      if (gate) {
        const opened = linear(gate, x);
        step.forEach((value, place) => (step[place] = value * Math.min(Math.max(opened[place], -GATE_LIMIT), GATE_LIMIT)));
      }
      if (added) step.forEach((value, place) => (step[place] = value + x[place]));
      x = step;
    });
    return x;
  }

  /** Return the score of every action, legal or not, by row. @param {DecisionBatch} batch @returns {Float32Array[]} */
  scores(batch) {
    const scores = batch.observations(this.game).map((observation) => this.logits(observation));
    return this.ahead ? this.ahead.corrected(scores, batch) : scores;
  }

  /** Return one legal action per row. @param {DecisionBatch} batch @returns {Int16Array} */
  act(batch) {
    return Int16Array.from(this.scores(batch), (scores, row) => {
      const noise = this.sample ? gumbel(batch.rng_keys[row], scores.length) : new Float32Array(scores.length);
      const rounded = scores.map((score, action) => rint(fround(fround(score + noise[action]) * ROUND)) / ROUND);
      return first_largest(rounded.map((score, action) => (batch.masks[row][action] ? score : -Infinity)));
    });
  }
}

/** Return a number rounded to a whole one, halves to the even one. @param {number} number */
function rint(number) {
  const below = Math.floor(number), over = number - below;
  return over > 0.5 || (over === 0.5 && below % 2) ? below + 1 : below;
}

/** Return standard Gumbel noise, fixed by a key: the largest sum is a softmax draw. @param {Whole} key @param {number} width */
function gumbel(key, width) {
  return Float32Array.from({ length: width }, (_, counter) =>
    -Math.log(-Math.log((Number(derive(key, counter)) + 0.5) / Number(KEYS))));
}

/** Whether what was trained with some options plays a variant. @param {Options} options @param {any} variant @param {Game} engine */
function plays(options, variant, engine) {
  const all = { ...engine.variant(), ...options };
  return holds(Object.fromEntries(Object.entries(all).filter(([name]) => !FREE_OPTIONS.includes(name))), variant);
}

/** Late in a deal the scores of a network are corrected by a few playouts. */
class LookAhead {
  /** @param {any} game @param {any} variant @param {{tiles: number, playouts: number, trust: number, temperature: number}} depth */
  constructor(game, variant, depth) {
    this.depth = depth;
    this.search = new SearchAgent(game, variant, "look ahead", tuned_weights(game, variant), { plan: { playouts: depth.playouts } });
  }

  /** @param {Float32Array[]} scores @param {DecisionBatch} batch */
  corrected(scores, batch) {
    const { tiles, trust, temperature } = this.depth;
    const late = [...scores.keys()].filter((row) =>
      batch.views[row].sizes[0] <= tiles && batch.masks[row].reduce((sum, legal) => sum + legal, 0) > 1);
    if (!late.length) return scores;
    const { views, masks } = batch.at(late);
    const { means } = this.search.values(new DecisionBatch(views, masks, late.map(() => LOOK_AHEAD_KEY)), { halving: false });
    const corrected = scores.map((row) => row.slice());
    late.forEach((row, place) => masks[place].forEach((legal, action) => {
      if (legal) corrected[row][action] += trust * (means[place][action] / temperature - scores[row][action]);
    }));
    return corrected;
  }
}

/** A player needs a network that the game has not been given. */
export class MissingNetworkError extends RangeError {}

// --- players by name ---------------------------------------------------------

/** Return what ships for a variant: of those whose options all hold, the one with most options.
 * @param {any[]} players @param {any} variant */
function nearest(players, variant) {
  const matching = players.filter((player) => holds(player.variant, variant));
  return matching.reduce((best, player) =>
    (Object.keys(player.variant).length > Object.keys(best.variant).length ? player : best));
}

/** Return the weights of `tuned` in a variant. @param {any} game @param {any} variant @param {number} temperature @returns {Float64Array} */
export function tuned_weights(game, variant, temperature = 0) {
  const row = Float64Array.from(nearest(engine_of(game).layout.players.tuned, variant).weights);
  row[row.length - 1] = temperature;
  return row;
}

/** Return the name of the network that is `best` in a variant, or null. @param {any} game @param {any} variant @returns {string | null} */
export function best_file(game, variant) {
  const engine = engine_of(game);
  return engine.layout.players.best.find((/** @type {any} */ network) => plays(network.variant, variant, engine))?.file ?? null;
}

/** Return the names of a game's players that need no argument, weaker ones first. @param {any} game @param {any} variant @returns {string[]} */
export function agent_names(game, variant) {
  const { heuristics, tuned, card } = engine_of(game).layout.players;
  const weighed = [...Object.keys(heuristics), ...(tuned.length ? ["tuned"] : [])];
  return ["random", ...weighed.slice(0, -1), ...policies_of(game).keys(), ...(card.length ? ["card"] : []),
    ...weighed.slice(-1), ...(best_file(game, variant) ? ["best"] : [])];
}

/** Return a player: "random", a heuristic's name, "tuned" (both also with more weights and a temperature,
 * "greedy+double=3@2"), weights of your own, "heuristic:pips=1,double=3", "card", "best", a level, or a search, "search:playouts=200,heuristic=tuned,infer=tuned@4".
 * @param {string} spec @param {any} game @param {any} [variant] default: the game's default options @returns {any} */
export function make_agent(spec, game, variant = engine_of(game).variant()) {
  const engine = engine_of(game), { players } = engine.layout;
  if (spec in players.levels) {
    const player = players.levels[spec];
    const agent = make_agent(player === "best" && !best_file(game, variant) ? best_heuristic(engine) : player, game, variant);
    agent.name = spec;
    return agent;
  }
  if (spec === "random") return new RandomAgent(game);
  if (policies_of(game).has(spec)) return new RuleAgent(game, spec);
  if (spec === "card" && players.card.length) return new CardAgent(game, spec, nearest(players.card, variant).rows);
  if (spec === "best") {
    const file = best_file(game, variant), bytes = file && engine.networks.get(file);
    if (!file) throw new RangeError(`no player best of ${engine.id} comes for these options`);
    if (!bytes) throw new MissingNetworkError(`best of ${engine.id} is in ${file}; give it to add_network`);
    return new NetworkAgent(game, variant, spec, bytes);
  }
  if (spec.startsWith("search:") || spec === "search") {
    const plan = {}, settings = settings_of(spec);
    const played = Object.fromEntries(SEARCH_HEURISTICS.filter((name) => name in settings).map((name) => [name, weights_of(settings[name], engine, variant)]));
    for (const name of Object.keys(settings)) if (!(name in played)) plan[name] = number_of(spec, settings[name]);
    const { heuristic = weights_of(best_heuristic(engine), engine, variant), ...others } = played;
    return new SearchAgent(game, variant, spec, heuristic, { ...others, plan });
  }
  const agent = new HeuristicAgent(game, spec, {});
  agent.weights = weights_of(spec, engine, variant);
  return agent;
}

/** Return the name of a game's strongest heuristic. @param {Game} engine */
const best_heuristic = (engine) =>
  (engine.layout.players.tuned.length ? "tuned" : /** @type {string} */ (Object.keys(engine.layout.players.heuristics).at(-1)));

const SEARCH_HEURISTICS = ["heuristic", "others", "infer"]; // settings of a search that are players

/** Return the settings of a search as texts; a heuristic's own commas belong to the heuristic. @param {string} spec
 * @returns {Record<string, string>} */
function settings_of(spec) {
  /** @type {Record<string, string>} */
  const settings = {};
  let last = "";
  for (const piece of spec.slice("search:".length).split(",").filter(Boolean)) {
    const [, name, value] = /^([^=]*)=?(.*)$/s.exec(piece) ?? [];
    if ((SEARCH_HEURISTICS.includes(name) || Object.hasOwn(PLAN, name)) && value) {
      if (name in settings) throw new RangeError(`${spec}: ${name} is given twice`);
      settings[(last = name)] = value;
    } else if (SEARCH_HEURISTICS.includes(last)) settings[last] += `,${piece}`;
    else throw new RangeError(`${spec}: ${piece} is not a setting; they are ${[...SEARCH_HEURISTICS, ...Object.keys(PLAN)].join(", ")}`);
  }
  return settings;
}

/** Return the number that a text is; throws for any other. @param {string} spec @param {string} text */
function number_of(spec, text) {
  const number = Number(text);
  if (!text.trim() || !Number.isFinite(number)) throw new RangeError(`${spec}: ${text} is not a number`);
  return number;
}

/** Return the weights of "NAME", "NAME+feature=weight,..." or "heuristic:feature=weight,...", with "@temperature" after it or
 * not. @param {string} spec @param {Game} engine @param {any} variant @returns {Float64Array} */
function weights_of(spec, engine, variant) {
  const { heuristics, tuned } = engine.layout.players, at = spec.lastIndexOf("@");
  const temperature = at < 0 ? 0 : number_of(spec, spec.slice(at + 1));
  const [, , name, listed] = /^(heuristic:|([^+]*)[+]?)(.*)$/s.exec(at < 0 ? spec : spec.slice(0, at)) ?? [];
  const row = name === undefined ? new Float64Array(engine.features.length + 1)
    : name === "tuned" && tuned.length ? tuned_weights(engine, variant)
    : Object.hasOwn(heuristics, name) ? engine.heuristic(name) : null;
  if (!row)
    throw new RangeError(`${spec} is not a player of ${engine.id}; players are ${agent_names(engine, variant).join(", ")}, a level, heuristic:... and search:...`);
  for (const assignment of listed.split(",").filter(Boolean)) {
    const [feature, weight] = assignment.split("=");
    if (weight === undefined) throw new RangeError(`${spec}: ${assignment} is not a weight; write feature=weight`);
    const place = engine.features.indexOf(feature.trim());
    if (place < 0) throw new RangeError(`${spec}: ${feature} is not a feature of ${engine.id}; its features are ${engine.features.join(", ")}`);
    row[place] += number_of(spec, weight);
  }
  if (name === undefined && !listed) throw new RangeError(`${spec} weighs nothing; write heuristic:feature=weight,...`);
  if (temperature < 0) throw new RangeError(`${spec}: ${temperature} is not a temperature`);
  row[row.length - 1] = temperature;
  return row;
}

// --- deals that agents play --------------------------------------------------

/** Return lanes that deal once, with deals under way in the given states. @param {any} game @param {any} variant @param {any[]} states
 * @returns {VectorEnv} */
export function resume_lanes(game, variant, states) {
  const envs = new VectorEnv(game, states.length, { observe: false, renew: false, variant });
  states.forEach((state, lane) => envs.state(lane).tobytes().set(state.tobytes()));
  envs.refresh();
  return envs;
}

/** Yield the decisions of lanes that deal once, step by step, until all are over; each step is yielded before it is played.
 * @param {VectorEnv} envs @param {any[]} agents @param {number[][] | number} seating which of them sits where, by lane and seat,
 * or one for all @returns {Generator<{rows: number[], batch: DecisionBatch, actions: number[]}, void, void>} */
export function* decisions(envs, agents, seating = 0) {
  for (;;) {
    const rows = [...envs.terminated.keys()].filter((lane) => !envs.terminated[lane]);
    if (!rows.length) return;
    const batch = envs.decision_batch(rows);
    const who = rows.map((lane) => (typeof seating === "number" ? seating : seating[lane][envs.seats[lane]]));
    /** @type {number[]} */
    const actions = new Array(rows.length);
    agents.forEach((agent, number) => {
      const mine = [...rows.keys()].filter((row) => who[row] === number);
      if (mine.length) agent.act(batch.at(mine)).forEach((/** @type {number} */ action, /** @type {number} */ place) => (actions[mine[place]] = action));
    });
    yield { rows, batch, actions };
    const played = new Array(envs.num_envs).fill(WAIT);
    rows.forEach((lane, row) => (played[lane] = actions[row]));
    envs.step(played);
  }
}

/** Play every lane to its end. @param {VectorEnv} envs lanes that deal once @param {any[]} agents
 * @param {number[][] | number} seating as of `decisions` */
export function play_out(envs, agents, seating = 0) {
  if (agents.every((agent) => agent instanceof HeuristicAgent)) {
    const all = Array.from({ length: envs.num_envs }, (_, lane) => Array.from({ length: envs.variant.players }, (_, seat) =>
      RANDOM + 1 + (typeof seating === "number" ? seating : seating[lane][seat])));
    envs.finish(agents.map(({ weights }) => weights), all);
  } else {
    for (const _ of decisions(envs, agents, seating));
  }
}

const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const SIGMA = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((row) => Array.from(row, (digit) => parseInt(digit, 16)));
const MIXED = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/** Return the BLAKE2b digest of some bytes, 8 bytes of it as a number, the first the highest (RFC 7693).
 * @param {Uint8Array} bytes @returns {bigint} */
export function blake2b(bytes) {
  const hash = [...IV];
  hash[0] ^= 0x01010008n; // no key, a digest of 8 bytes
  const turn = (/** @type {bigint} */ word, /** @type {bigint} */ by) => (word >> by) | ((word << (64n - by)) & WORD);
  const blocks = Math.max(Math.ceil(bytes.length / 128), 1);
  for (let block = 0; block < blocks; block++) {
    const chunk = new Uint8Array(128);
    chunk.set(bytes.subarray(128 * block, 128 * (block + 1)));
    const words = new BigUint64Array(chunk.buffer), v = [...hash, ...IV];
    v[12] ^= BigInt(Math.min(bytes.length, 128 * (block + 1)));
    if (block === blocks - 1) v[14] ^= WORD;
    for (let round = 0; round < 12; round++) {
      MIXED.forEach(([a, b, c, d], number) => {
        const [x, y] = [0, 1].map((half) => words[SIGMA[round % 10][2 * number + half]]);
        for (const [word, first, second] of /** @type {[bigint, bigint, bigint][]} */ ([[x, 32n, 24n], [y, 16n, 63n]])) {
          v[a] = (v[a] + v[b] + word) & WORD;
          v[d] = turn(v[d] ^ v[a], first);
          v[c] = (v[c] + v[d]) & WORD;
          v[b] = turn(v[b] ^ v[c], second);
        }
      });
    }
    hash.forEach((word, place) => (hash[place] = word ^ v[place] ^ v[place + 8]));
  }
  return new DataView(BigUint64Array.of(hash[0]).buffer).getBigUint64(0);
}

/** Return states drawn uniformly from the deals that a view allows; they depend on the view alone. @param {any} game
 * @param {any} variant @param {Fields} view @param {number} number how many @returns {any[]} */
export function possible_deals(game, variant, view, number) {
  const key = blake2b(view.tobytes()) >> 1n;
  return determinize(game, variant.as_rules(), new Array(number).fill(view), Array.from({ length: number }, (_, counter) => derive(key, counter)));
}
