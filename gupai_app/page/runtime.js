// What translated Python needs of Python itself, numpy and other libraries, by the same names.
//
// Values are those of JavaScript: a list, a tuple and an array of numpy are an Array, a dict is a Dict, a set a PySet, a
// number of any type is a number, or a BigInt if it is a whole one that no number holds exactly. Methods of strings,
// lists and numbers have "_" before their names. `translation.py` says how the rest is called.

// --- errors ---------------------------------------------------------------------------------------

export class Exception extends Error {
  constructor(...args) {
    super(args.length ? `${str(args[0])}` : "");
    this.args = args;
  }
  __str__() {
    return this.args.length ? str(this.args[0]) : "";
  }
}
export class ValueError extends Exception {}
export class TypeError_ extends Exception {}
export class LookupError extends Exception {}
export class KeyError extends LookupError {}
export class IndexError extends LookupError {}
export class OverflowError extends Exception {}
export class ZeroDivisionError extends Exception {}
export class AssertionError extends Exception {}
export class NotImplementedError extends Exception {}
export class StopIteration extends Exception {}
export { TypeError_ as TypeError };

export function ensure(holds) {
  if (!holds) throw new AssertionError();
}

// --- kinds of values ------------------------------------------------------------------------------

const isString = (value) => typeof value === "string" || value instanceof String;
const isNumber = (value) => typeof value === "number" || typeof value === "boolean" || typeof value === "bigint";
const isFloat = (value) => typeof value === "number" && !Number.isInteger(value);
const text = (value) => (typeof value === "string" ? value : String.prototype.toString.call(value));
const letters = (value) => (/[\ud800-\udfff]/.test(value) ? [...value] : value); // what indices count
// A whole number as small as it goes.
const whole = (big) => (big >= -9007199254740991n && big <= 9007199254740991n ? Number(big) : big);
// A text with the digits of any script as those of ours: each ten of them follow one another.
const digits = (value) =>
  value.replace(/\p{Nd}/gu, (letter) => {
    let number = 0;
    while (number < 9 && letter > "9" && /\p{Nd}/u.test(String.fromCodePoint(letter.codePointAt(0) - number - 1))) number++;
    return letter > "9" ? number : letter;
  });
const kind = (is) => (make) => Object.assign(make, { $is: is });

export const str = kind(isString)((value = "") => {
  if (typeof value === "string" || value instanceof String) return value;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null) return "None";
  if (typeof value.__str__ === "function") return value.__str__();
  return repr(value);
});
export const bool = kind((value) => typeof value === "boolean")((value = false) => truth(value));
export const int = kind((value) => typeof value === "bigint" || typeof value === "boolean" || Number.isInteger(value))(
  (value = 0, base = 10) => {
    if (typeof value === "bigint") return whole(value);
    if (!isString(value)) return Math.trunc(Number(value));
    const word = digits(text(value)).trim().replace(/(?<=\d)_(?=\d)/g, "");
    if (base !== 10 ? !/^[-+]?[0-9a-z]+$/i.test(word) : !/^[-+]?\d+$/.test(word)) {
      throw new ValueError(`invalid literal for int() with base ${base}: ${repr(value)}`);
    }
    return base === 10 ? whole(BigInt(word)) : parseInt(word, base);
  },
);
export const float = kind((value) => typeof value === "number")((value = 0) => {
  if (!isString(value)) return Number(value);
  const word = text(value).trim().toLowerCase();
  const named = { inf: Infinity, "+inf": Infinity, "-inf": -Infinity, infinity: Infinity, "-infinity": -Infinity, nan: NaN };
  if (word in named) return named[word];
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(word)) {
    throw new ValueError(`could not convert string to float: ${repr(value)}`);
  }
  return Number(word);
});
export const list = kind((value) => Array.isArray(value))((values = []) => [...values]);
export const tuple = list;
export const set = kind((value) => value instanceof PySet)((values = []) => new PySet(values));
export const frozenset = set;
export const dict = kind((value) => value instanceof Dict)((members = [], more = {}) => {
  const made = new Dict();
  for (const name in more) made.set(name, more[name]);
  if (members instanceof Dict) return merge(members, made);
  if (typeof members[Symbol.iterator] === "function") for (const [key, value] of members) made.set(key, value);
  else for (const name in members) made.set(name, members[name]);
  return made;
});
const abstract = (is) => ({ $is: is });
export const Mapping = dict;
export const MappingProxyType = dict;
export const Sequence = abstract((value) => Array.isArray(value) || isString(value));
export const Iterable = abstract((value) => value !== null && typeof value === "object" && Symbol.iterator in value);
export const integer = abstract(() => false);
export const floating = integer;
export const timedelta64 = integer;
export const generic = abstract(() => false); // a number of numpy, which is a number here
export const ndarray = abstract(() => false);
export const object = abstract(() => true);

export function isinstance(value, kinds) {
  if (Array.isArray(kinds)) return kinds.some((one) => isinstance(value, one));
  if (kinds.$is) return kinds.$is(value);
  return kinds === Exception ? value instanceof Error : value instanceof kinds;
}

export const type = (value) =>
  isString(value) && !(value instanceof String) ? str
    : typeof value === "boolean" ? bool
    : typeof value === "number" || typeof value === "bigint" ? (isFloat(value) ? float : int)
    : value.constructor === Array ? list : value.constructor;
export const callable = (value) => typeof value === "function";
export const getattr = (record, name, usual) => (name in Object(record) && record[name] !== undefined ? record[name] : missing(name, usual));
export const hasattr = (record, name) => name in Object(record) && record[name] !== undefined;
export const setattr = (record, name, value) => {
  record[name] = value;
  return null;
};
function missing(name, usual) {
  if (usual === undefined) throw new LookupError(`no attribute ${name}`);
  return usual;
}

// --- records --------------------------------------------------------------------------------------

export class Obj {
  constructor(...given) {
    this.__init__?.(...given);
  }
}

// A dataclass: its fields in order, each its name, its default and its metadata.
export class Data {
  constructor(...given) {
    fill(this, new.target.$fields, given, (name, index, value) => (this[name] = value));
    this.__post_init__?.();
  }
}

// A named tuple: an Array whose entries have names.
export class Named extends Array {
  constructor(...given) {
    super();
    fill(this, new.target.$fields, given, (name, index, value) => this.push(value));
  }
  static get [Symbol.species]() {
    return Array;
  }
}
attributes(Named, {
  _replace: named(function (changes) {
    return replace(this, words(changes));
  }, [], [], false, true),
  _asdict() {
    return dict(this.constructor.$fields.map(([name], index) => [name, this[index]]));
  },
});

function fill(record, all, given, put) {
  for (let index = 0; index < all.length; index++) {
    const [name, usual] = all[index];
    const value = given[index] ?? (given[index] === null ? null : usual);
    if (value === undefined) throw new TypeError_(`${record.constructor.name} lacks ${name}`);
    put(name, index, value);
  }
}

export function fields(kind, all) {
  if (all === undefined) return (typeof kind === "function" ? kind : kind.constructor).$fields.map(([name, usual, metadata]) => ({ name, default: usual, metadata: metadata ?? dict() }));
  kind.$fields = all;
  if (kind.prototype instanceof Named) {
    all.forEach(([name], index) =>
      Object.defineProperty(kind.prototype, name, { get() { return this[index]; }, configurable: true }),
    );
  }
  return all;
}

// A record as it was here, of which nothing is checked or computed again.
export function record(kind, members) {
  const made = Object.create(kind.prototype);
  for (const [name, usual] of kind.$fields ?? []) if (usual !== undefined) define(made, name, usual);
  for (const name in members) define(made, name, members[name]);
  return made;
}

export function replace(record, changes) {
  const kind = record.constructor;
  return new kind(...kind.$fields.map(([name]) => (Object.hasOwn(changes, name) ? changes[name] : record[name])));
}

export const asdict = (record) => dict(record.constructor.$fields.map(([name]) => [name, record[name]]));

function define(target, name, value) {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
}

// What belongs to a class, and so to its objects.
export function attributes(kind, members) {
  for (const name in members) {
    define(kind, name, members[name]);
    define(kind.prototype, name, members[name]);
  }
}

// A method of a class that its objects have too.
export function statics(kind, name) {
  define(kind.prototype, name, function (...given) {
    return this.constructor[name](...given);
  });
}

// A value that is computed once.
export function once(owner, name, compute) {
  if (!Object.hasOwn(owner, name)) define(owner, name, compute());
  return owner[name];
}

// The attribute of a named tuple that is made while the code runs.
export function NamedTuple(name, entries) {
  const made = { [name]: class extends Named {} }[name];
  fields(made, entries.map(([field]) => [field]));
  return made;
}

// --- calls ----------------------------------------------------------------------------------------

const isClass = (value) => typeof value === "function" && (value.prototype instanceof Obj || value.prototype instanceof Data || value.prototype instanceof Named || value.prototype instanceof Error || value.prototype instanceof String);

export function call(callee, ...given) {
  if (isClass(callee)) return new callee(...given);
  return typeof callee === "function" ? callee(...given) : callee.__call__(...given);
}

// Notes the parameters of a function: their names by position, those that are given by keyword only, whether any other
// values are taken, and whether any other keywords.
export function named(callee, names, only = [], rest = false, more = false) {
  callee.$parameters = { names, only, rest, more };
  return callee;
}

// Calls a function or class with values by position and by keyword.
export function invoke(callee, given, words, self = null) {
  const fields = callee.$fields?.map(([name]) => name);
  const known = callee.$parameters ?? callee.prototype?.__init__?.$parameters ?? (fields && { names: fields, only: [] });
  if (known === undefined) throw new TypeError_(`the parameters of ${callee.name} are not known`);
  const { names, only, rest, more } = known;
  const order = [...names, ...only];
  const values = order.map((name, index) => (Object.hasOwn(words, name) ? words[name] : index < names.length ? given[index] : undefined));
  const others = Object.keys(words).filter((name) => !order.includes(name));
  if (others.length && !more) throw new TypeError_(`${callee.name} has no parameter ${others[0]}`);
  const spare = given.slice(names.length);
  if (rest) values.push(...(only.length || more ? [spare] : spare));
  if (more) values.push(dict(others.map((name) => [name, words[name]])));
  return isClass(callee) ? new callee(...values) : callee.apply(self, values);
}
export const send = (owner, name, given, words) => invoke(owner[name], given, words, owner);

// The keywords that a dict holds.
export const words = (members) => Object.fromEntries(members.items().map(([name, value]) => [text(name), value]));
// The values that a function of this file was given, and the keywords, which come last.
const parted = (given) => (given.at(-1)?.constructor === Object ? [given.slice(0, -1), given.at(-1)] : [given, {}]);

// An attribute, or a method as a function.
export function bound(owner, name) {
  const value = owner[name];
  return typeof value === "function" && !isClass(value) ? Object.assign(value.bind(owner), value) : value;
}

// A function whose results are known.
export const table = (results, takes) => (argument) => (takes ? at(results, argument) : results);

export function cache(compute) {
  const known = new Map();
  return (...given) => {
    const name = given.length === 1 && typeof given[0] === "string" ? given[0] : key(given);
    if (!known.has(name)) known.set(name, compute(...given));
    return known.get(name);
  };
}

// --- truth and order ------------------------------------------------------------------------------

export function truth(value) {
  if (typeof value !== "object") return Boolean(value);
  if (value === null) return false;
  if (Array.isArray(value) || value instanceof String) return value.length > 0;
  if (value instanceof Dict || value instanceof PySet) return value.size > 0;
  return true;
}
export const both = (value, other) => (truth(value) ? other() : value);
export const either = (value, other) => (truth(value) ? value : other());

export function eq(a, b) {
  if (a === b) return true;
  if (a === null || b === null || a === undefined || b === undefined) return false;
  if (isString(a) || isString(b)) return isString(a) && isString(b) && text(a) === text(b);
  if (isNumber(a) || isNumber(b)) return isNumber(a) && isNumber(b) && a == b;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((entry, index) => eq(entry, b[index]));
  if (a instanceof Dict) return b instanceof Dict && a.size === b.size && a.items().every(([name, value]) => b.has(name) && eq(value, b.get(name)));
  if (a instanceof PySet) return b instanceof PySet && a.size === b.size && [...a].every((entry) => b.has(entry));
  if (a instanceof Data) return a.constructor === b.constructor && a.constructor.$fields.every(([name]) => eq(a[name], b[name]));
  return false;
}

export function compare(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let index = 0; index < Math.min(a.length, b.length); index++) {
      if (!eq(a[index], b[index])) return compare(a[index], b[index]);
    }
    return a.length - b.length;
  }
  if (isString(a) && isString(b)) {
    a = text(a);
    b = text(b);
  } else if (!isNumber(a) || !isNumber(b)) throw new TypeError_(`${repr(a)} and ${repr(b)} have no order`);
  return a < b ? -1 : a > b ? 1 : 0;
}
export const lt = (a, b) => (typeof a === "number" && typeof b === "number" ? a < b : a instanceof PySet ? a.size < b.size && le(a, b) : compare(a, b) < 0);
export const le = (a, b) => (typeof a === "number" && typeof b === "number" ? a <= b : a instanceof PySet ? [...a].every((entry) => b.has(entry)) : compare(a, b) <= 0);
export const gt = (a, b) => lt(b, a);
export const ge = (a, b) => le(b, a);

export function contains(container, value) {
  if (isString(container)) return text(container).includes(text(value));
  if (container instanceof Dict || container instanceof PySet) return container.has(value);
  for (const entry of container) if (eq(entry, value)) return true;
  return false;
}

export { contains as _contains };

// --- arithmetic -----------------------------------------------------------------------------------

const bigOp = (small, big) => (a, b) => {
  if (typeof a === "number" && typeof b === "number") {
    const value = small(a, b);
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    return Number.isSafeInteger(a) && Number.isSafeInteger(b) ? whole(big(BigInt(a), BigInt(b))) : value;
  }
  if (isFloat(a) || isFloat(b)) return small(Number(a), Number(b));
  return whole(big(BigInt(a), BigInt(b)));
};
const addNumbers = bigOp((a, b) => a + b, (a, b) => a + b);
const mulNumbers = bigOp((a, b) => a * b, (a, b) => a * b);
const subNumbers = bigOp((a, b) => a - b, (a, b) => a - b);

export function add(a, b) {
  if (isNumber(a) && isNumber(b)) return addNumbers(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (isString(a) && isString(b)) return text(a) + text(b);
  throw new TypeError_(`${repr(a)} and ${repr(b)} cannot be added`);
}
export function mul(a, b) {
  if (isNumber(a) && isNumber(b)) return mulNumbers(a, b);
  const [many, number] = isNumber(a) ? [b, a] : [a, b];
  const times = Math.max(Number(number), 0);
  return isString(many) ? text(many).repeat(times) : Array.from({ length: times }, () => many).flat();
}
export const sub = (a, b) => (a instanceof PySet ? a.difference(b) : subNumbers(a, b));
export function div(a, b) {
  if (Number(b) === 0) throw new ZeroDivisionError("division by zero");
  return Number(a) / Number(b);
}
export function floordiv(a, b) {
  if (Number(b) === 0) throw new ZeroDivisionError("division by zero");
  if (typeof a !== "bigint" && typeof b !== "bigint") return Math.floor(a / b) + 0;
  const [x, y] = [BigInt(a), BigInt(b)];
  return whole(x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n));
}
export function mod(a, b) {
  if (isString(a)) throw new TypeError_("% of a string is not translated");
  if (typeof a !== "bigint" && typeof b !== "bigint") return ((a % b) + Number(b)) % b;
  const y = BigInt(b);
  return whole(((BigInt(a) % y) + y) % y);
}
export const divmod = (a, b) => [floordiv(a, b), mod(a, b)];
export const pow = (a, b) => (Number.isInteger(a) && Number.isInteger(b) && b >= 0 ? whole(BigInt(a) ** BigInt(b)) : Number(a) ** Number(b));
export const abs = (value) => (value < 0 ? subNumbers(0, value) : value);

const small = (a, b) => typeof a === "number" && typeof b === "number" && (a | 0) === a && (b | 0) === b;
const ofSets = { and: "intersection", or: "union", xor: "symmetric_difference" };
const bits = (name, quick, big) => (a, b) => {
  if (small(a, b)) return quick(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Boolean(quick(a, b));
  if (a instanceof PySet) return a[ofSets[name]](b);
  if (a instanceof Dict) return merge(a, b);
  if (typeof a === "function" || Array.isArray(a)) return [a, b].flat(); // kinds of values
  return whole(big(BigInt(a), BigInt(b)));
};
const andBits = bits("and", (a, b) => a & b, (a, b) => a & b);
const orBits = bits("or", (a, b) => a | b, (a, b) => a | b);
const xorBits = bits("xor", (a, b) => a ^ b, (a, b) => a ^ b);
export { andBits as and, orBits as or, xorBits as xor };
export const invert = (a) => (small(a, 0) ? ~a : whole(~BigInt(a)));
export const rshift = (a, b) => (small(a, 0) ? a >> Math.min(Number(b), 31) : whole(BigInt(a) >> BigInt(b)));
export const lshift = (a, b) => (b < 22 && small(a, 0) ? a * 2 ** Number(b) : whole(BigInt(a) << BigInt(b)));
export const _bit_count = (value) => {
  let number = 0;
  for (let rest = BigInt(value); rest !== 0n; rest >>= 32n) {
    for (let word = Number(rest & 0xffffffffn) | 0; word !== 0; word &= word - 1) number++;
  }
  return number;
};
export const _bit_length = (value) => (value == 0 ? 0 : (value < 0 ? -BigInt(value) : BigInt(value)).toString(2).length);
export const _is_integer = (value) => Number.isInteger(value);
export const int64 = (value) => whole(BigInt.asIntN(64, BigInt(value)));

export const ceil = (value) => Math.ceil(value) + 0;
export const floor = (value) => Math.floor(value) + 0;
export const sqrt = Math.sqrt;
export const log = Math.log;
export const exp = Math.exp;
export const isnan = Number.isNaN;
export const isfinite = Number.isFinite;

// To the nearest, of two as near to the even one, as the decimal digits of the exact number say.
export function round(value, digits = 0) {
  if (Number.isInteger(value) || typeof value === "bigint" || !Number.isFinite(value)) return value;
  if (digits <= 0) {
    const scale = 10 ** -digits;
    const low = Math.floor(value / scale);
    const rest = value / scale - low;
    return (rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low) * scale + 0;
  }
  return Number(fixed(value, digits));
}

// --- collections ----------------------------------------------------------------------------------

const numbers = new WeakMap();
const keys = new WeakMap();
let counted = 0;

// A key that is equal for equal values: strings and numbers as they are, other values as a string.
export function key(value) {
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  if (value instanceof String) return text(value);
  if (value === null || typeof value === "bigint") return value;
  if (Array.isArray(value)) return `\0(${value.map(keyText).join()})`;
  if (!(value instanceof Data)) return value;
  if (!keys.has(value)) {  // it never changes
    keys.set(value, `\0${value.constructor.name}(${value.constructor.$fields.map(([name]) => keyText(value[name])).join()})`);
  }
  return keys.get(value);
}
function keyText(value) {
  const own = key(value);
  if (typeof own === "string") return own[0] === "\0" ? own : JSON.stringify(own);
  if (own === null || typeof own !== "object") return typeof own === "function" ? `f${numbered(own)}` : String(own);
  return `o${numbered(own)}`;
}
function numbered(value) {
  if (!numbers.has(value)) numbers.set(value, ++counted);
  return numbers.get(value);
}

export class Dict {
  constructor() {
    this.$map = new Map();
  }
  get size() {
    return this.$map.size;
  }
  set(name, value) {
    const own = key(name);
    const entry = this.$map.get(own);
    if (entry) entry[1] = value;
    else this.$map.set(own, [name, value]);
    return this;
  }
  has(name) {
    return this.$map.has(key(name));
  }
  get(name, usual = null) {
    const entry = this.$map.get(key(name));
    return entry ? entry[1] : usual;
  }
  keys() {
    return [...this.$map.values()].map(([name]) => name);
  }
  values() {
    return [...this.$map.values()].map(([, value]) => value);
  }
  items() {
    return [...this.$map.values()].map(([name, value]) => [name, value]);
  }
  setdefault(name, usual = null) {
    if (!this.has(name)) this.set(name, usual);
    return this.get(name);
  }
  pop(name, usual) {
    const value = this.has(name) ? this.get(name) : missing(name, usual);
    this.$map.delete(key(name));
    return value;
  }
  update(...others) {
    for (const other of others) for (const [name, value] of other instanceof Dict ? other.items() : dict(other).items()) this.set(name, value);
    return this;
  }
  copy() {
    return new Dict().update(this);
  }
  [Symbol.iterator]() {
    return this.keys()[Symbol.iterator]();
  }
  toJSON() {
    return Object.fromEntries(this.items().map(([name, value]) => [isString(name) ? text(name) : str(name), value]));
  }
}
export const merge = (...parts) => new Dict().update(...parts);
export const fromkeys = (names, value = null) => dict([...names].map((name) => [name, value]));

export class PySet {
  constructor(values = []) {
    this.$map = new Map();
    for (const value of values) this.add(value);
  }
  get size() {
    return this.$map.size;
  }
  add(value) {
    const own = key(value);
    if (!this.$map.has(own)) this.$map.set(own, value);
    return null;
  }
  has(value) {
    return this.$map.has(key(value));
  }
  discard(value) {
    this.$map.delete(key(value));
    return null;
  }
  union(...others) {
    return new PySet([this, ...others].flatMap((other) => [...other]));
  }
  update(...others) {
    for (const other of others) for (const value of other) this.add(value);
    return null;
  }
  intersection(other) {
    const held = other instanceof PySet ? other : new PySet(other);
    return new PySet([...this].filter((value) => held.has(value)));
  }
  difference(other) {
    const held = other instanceof PySet ? other : new PySet(other);
    return new PySet([...this].filter((value) => !held.has(value)));
  }
  symmetric_difference(other) {
    return this.difference(other).union(other.difference(this));
  }
  isdisjoint(other) {
    return !this.intersection(other).size;
  }
  issubset(other) {
    return [...this].every((value) => contains(other, value));
  }
  copy() {
    return new PySet(this);
  }
  [Symbol.iterator]() {
    return this.$map.values();
  }
}

export function at(container, index) {
  if (container instanceof Dict) {
    const entry = container.$map.get(key(index));
    if (!entry) throw new KeyError(repr(index));
    return entry[1];
  }
  if (Array.isArray(index)) return index.reduce(at, container);
  if (Array.isArray(container) && isString(index)) return container.map((record) => record[index]); // of records
  if (!Array.isArray(container) && !isString(container)) {
    if (isString(index)) return getattr(container, index); // a field of a view
    if (container.__getitem__) return container.__getitem__(index);
  }
  const values = isString(container) ? letters(text(container)) : container;
  const place = Number(index);
  const value = values[place < 0 ? values.length + place : place];
  if (value === undefined) throw new IndexError(`index ${str(index)} is out of range`);
  return value;
}

export function put(container, index, value) {
  if (container instanceof Dict) return container.set(index, value);
  if (Array.isArray(index)) return put(at(container, index.slice(0, -1)), index.at(-1), value);
  if (isString(index)) return (container[index] = value);
  const place = Number(index) < 0 ? container.length + Number(index) : Number(index);
  if (place < 0 || place >= container.length) throw new IndexError(`index ${index} is out of range`);
  return (container[place] = value);
}

// One value, or as many as there are places.
export function put_slice(value, container, low = 0, high = container.length) {
  for (let place = low; place < high; place++) container[place] = Array.isArray(value) ? value[place - low] : value;
}

export function slice(container, low, high, step = 1) {
  const values = isString(container) ? letters(text(container)) : container;
  const start = low ?? undefined;
  const end = high ?? undefined;
  if (step === 1 || step === null) return typeof values === "string" ? values.slice(start, end) : isString(container) ? values.slice(start, end).join("") : Array.prototype.slice.call(values, start, end);
  const size = values.length;
  const placed = (place, usual, least, most) => (place === undefined ? usual : Math.min(Math.max(place < 0 ? place + size : place, least), most));
  const picked = [];
  if (step > 0) for (let place = placed(start, 0, 0, size); place < placed(end, size, 0, size); place += step) picked.push(values[place]);
  else for (let place = placed(start, size - 1, -1, size - 1); place > placed(end, -1, -1, size - 1); place += step) picked.push(values[place]);
  return isString(container) ? picked.join("") : picked;
}

// The values before the starred target, those for it as a list, and those after it.
export function unpacked(values, before, after) {
  const all = [...values];
  return [...all.slice(0, before), all.slice(before, all.length - after), ...all.slice(all.length - after)];
}

export const len = (value) => (isString(value) ? letters(text(value)).length : Array.isArray(value) ? value.length : value.length ?? value.size ?? value.__len__());

// --- loops ----------------------------------------------------------------------------------------

export function each(values, make, holds) {
  const made = [];
  for (const value of values) if (holds === undefined || holds(value)) made.push(make(value));
  return made;
}
export function each_flat(values, make, holds) {
  const made = [];
  for (const value of values) if (holds === undefined || holds(value)) for (const inner of make(value)) made.push(inner);
  return made;
}
export function* lazily(values, make, holds) {
  for (const value of values) if (holds === undefined || holds(value)) yield make(value);
}
export function* lazily_flat(values, make, holds) {
  for (const value of values) if (holds === undefined || holds(value)) yield* make(value);
}
export function range(low, high, step = 1) {
  const [first, end] = high === undefined ? [0, Number(low)] : [Number(low), Number(high)];
  return Array.from({ length: Math.max(Math.ceil((end - first) / step), 0) }, (_, index) => first + index * step);
}
export const iter = (values) => values[Symbol.iterator]();
export function next(iterator, usual) {
  const { value, done } = iterator.next();
  if (!done) return value;
  if (usual === undefined) throw new StopIteration();
  return usual;
}
export function* enumerate(values, start = 0) {
  let index = start;
  for (const value of values) yield [index++, value];
}
export function* zip(...given) {
  const [many, { strict = false }] = parted(given);
  const iterators = many.map(iter);
  for (;;) {
    const steps = iterators.map((iterator) => iterator.next());
    const done = steps.filter((step) => step.done).length;
    if (done && strict && done < steps.length) throw new ValueError("zip() arguments have different lengths");
    if (done || !steps.length) return;
    yield steps.map((step) => step.value);
  }
}
export function* map(make, ...many) {
  if (many.length === 1) for (const value of many[0]) yield call(make, value);
  else for (const values of zip(...many)) yield call(make, ...values);
}
export function* filter(holds, values) {
  for (const value of values) if (truth(holds === null ? value : call(holds, value))) yield value;
}
export const reversed = (values) => [...values].reverse()[Symbol.iterator]();
export function any(values) {
  for (const value of values) if (truth(value)) return true;
  return false;
}
export function all(values) {
  for (const value of values) if (!truth(value)) return false;
  return true;
}
export function sum(values, start = 0) {
  let total = start;
  for (const value of values) total = add(total, value);
  return total;
}
function extreme(given, sign) {
  const [values, { key: by = null, default: usual }] = parted(given);
  const all = values.length === 1 ? [...values[0]] : values;
  if (!all.length) {
    if (usual === undefined) throw new ValueError("nothing to choose from");
    return usual;
  }
  let best = all[0];
  let rank = by ? call(by, best) : best;
  for (const value of all.slice(1)) {
    const own = by ? call(by, value) : value;
    if (sign * compare(own, rank) > 0) [best, rank] = [value, own];
  }
  return best;
}
export const max = (...given) => extreme(given, 1);
export const min = (...given) => extreme(given, -1);
export function sorted(values, { key: by = null, reverse: backwards = false } = {}) {
  const ranked = [...values].map((value) => [by ? call(by, value) : value, value]);
  ranked.sort(([a], [b]) => (backwards ? compare(b, a) : compare(a, b)));
  return ranked.map(([, value]) => value);
}
export function reduce(join, values, start) {
  let total = start;
  for (const value of values) total = total === undefined ? value : call(join, total, value);
  if (total === undefined) throw new TypeError_("nothing to reduce");
  return total;
}
export function* chain(...many) {
  for (const values of many) yield* values;
}
export function* takewhile(holds, values) {
  for (const value of values) {
    if (!truth(holds(value))) return;
    yield value;
  }
}
export function* combinations(values, number) {
  const all = [...values];
  if (number === 0) yield [];
  for (let index = 0; number > 0 && index <= all.length - number; index++) {
    for (const rest of combinations(all.slice(index + 1), number - 1)) yield [all[index], ...rest];
  }
}
export function* permutations(values) {
  const all = [...values];
  if (!all.length) yield [];
  for (const [index, value] of all.entries()) for (const rest of permutations(all.toSpliced(index, 1))) yield [value, ...rest];
}
export function* product(...given) {
  const [many, { repeat = 1 }] = parted(given);
  const all = Array.from({ length: repeat }, () => many).flat().map((values) => [...values]);
  const from = function* (index) {
    if (index === all.length) yield [];
    else for (const value of all[index]) for (const rest of from(index + 1)) yield [value, ...rest];
  };
  yield* from(0);
}
export const attrgetter = (name) => (record) => record[name];
export const itemgetter = (index) => (record) => at(record, index);

// --- methods of strings, lists and numbers ----------------------------------------------------------

const method = (name, ofString, ofList) => (self, ...given) => {
  if (isString(self) && ofString && !(self instanceof String && self[name] !== String.prototype[name])) return ofString(text(self), ...given);
  if (Array.isArray(self) && ofList && (self.constructor === Array || self[name] === Array.prototype[name])) return ofList(self, ...given);
  return self[name](...given);
};
const ends = (is) => (self, part) => (Array.isArray(part) ? part.some((one) => is(self, text(one))) : is(self, text(part)));
const stripped = (begin, end) => (self, chars = null) => {
  const has = chars === null ? (letter) => /\s/.test(letter) : (letter) => text(chars).includes(letter);
  let [low, high] = [0, self.length];
  while (begin && low < high && has(self[low])) low++;
  while (end && high > low && has(self[high - 1])) high--;
  return self.slice(low, high);
};
export const _startswith = method("startswith", ends((self, part) => self.startsWith(part)));
export const _endswith = method("endswith", ends((self, part) => self.endsWith(part)));
export const _strip = method("strip", stripped(true, true));
export const _lstrip = method("lstrip", stripped(true, false));
export const _rstrip = method("rstrip", stripped(false, true));
export const _lower = method("lower", (self) => self.toLowerCase());
export const _upper = method("upper", (self) => self.toUpperCase());
export const _isascii = method("isascii", (self) => /^[\x00-\x7f]*$/.test(self));
export const _isalpha = method("isalpha", (self) => /^\p{L}+$/u.test(self));
export const _islower = method("islower", (self) => self === self.toLowerCase() && self !== self.toUpperCase());
export const _isprintable = method("isprintable", (self) => /^[^\p{C}\p{Z}]*$/u.test(self.replaceAll(" ", "")));
export const _isdigit = method("isdigit", (self) => /^\d+$/.test(self));
export const _isidentifier = method("isidentifier", (self) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(self));
export const _join = method("join", (self, parts) => [...parts].map(text).join(self));
export const _replace = method("replace", (self, old, other, most = -1) => {
  if (most < 0) return self.split(text(old)).join(text(other));
  const parts = self.split(text(old));
  const kept = parts.slice(0, most + 1);
  if (parts.length > most + 1) kept[most] = parts.slice(most).join(text(old));
  return kept.join(text(other));
});
export const _split = method("split", (self, separator = null, most = -1) => {
  if (separator === null) {
    const words = self.trim();
    return words ? words.split(/\s+/) : [];
  }
  const parts = self.split(text(separator));
  return most < 0 || parts.length <= most + 1 ? parts : [...parts.slice(0, most), parts.slice(most).join(text(separator))];
});
export const _splitlines = method("splitlines", (self) => (self ? self.replace(/\r?\n$/, "").split(/\r?\n/) : []));
export const _partition = method("partition", (self, separator) => {
  const place = self.indexOf(separator);
  return place < 0 ? [self, "", ""] : [self.slice(0, place), text(separator), self.slice(place + separator.length)];
});
export const _rpartition = method("rpartition", (self, separator) => {
  const place = self.lastIndexOf(separator);
  return place < 0 ? ["", "", self] : [self.slice(0, place), text(separator), self.slice(place + separator.length)];
});
export const _removeprefix = method("removeprefix", (self, part) => (part.length && self.startsWith(part) ? self.slice(part.length) : self));
export const _removesuffix = method("removesuffix", (self, part) => (part.length && self.endsWith(part) ? self.slice(0, -part.length) : self));
export const _ljust = method("ljust", (self, width) => self.padEnd(width));
export const _rjust = method("rjust", (self, width) => self.padStart(width));
export const _find = method("find", (self, part) => self.indexOf(part));
export const _count = method("count", (self, part) => self.split(part).length - 1, (self, value) => self.filter((entry) => eq(entry, value)).length);
export const _index = method("index", (self, part) => found(self.indexOf(part)), (self, value) => found(self.findIndex((entry) => eq(entry, value))));
function found(place) {
  if (place < 0) throw new ValueError("not found");
  return place;
}
export const _append = method("append", null, (self, value) => (self.push(value), null));
export const _extend = method("extend", null, (self, values) => (self.push(...values), null));
export const _insert = method("insert", null, (self, place, value) => (self.splice(place, 0, value), null));
export const _pop = method("pop", null, (self, place = -1) => {
  if (!self.length) throw new IndexError("pop from empty list");
  return self.splice(place, 1)[0];
});
export const _remove = method("remove", null, (self, value) => (self.splice(_index(self, value), 1), null));
export const _clear = method("clear", null, (self) => ((self.length = 0), null));
export const _reverse = method("reverse", null, (self) => (self.reverse(), null));
export const _sort = method("sort", null, (self, words) => (self.splice(0, self.length, ...sorted(self, words)), null));
export const _copy = method("copy", null, (self) => Array.prototype.slice.call(self));
export const _tolist = (self) => (Array.isArray(self) ? copied(self) : self);
export const _item = (self) => self;
export const _any = method("any", null, any);
export const _all = method("all", null, all);
export const _sum = method("sum", null, sum);
const copied = (values) => values.map((value) => (Array.isArray(value) ? copied(value) : value));

// --- numpy ------------------------------------------------------------------------------------------

export const int8 = int;
export const uint8 = (value) => Number(value) & 255;
export const bool_ = bool;
export const empty = (number) => zeros(number);
export const float64 = float;
export const flatnonzero = (values) => Array.from(values).flatMap((value, index) => (truth(value) ? [index] : []));
export const full = (number, value) => (Array.isArray(number) ? (number.length > 1 ? Array.from({ length: number[0] }, () => full(number.slice(1), value)) : full(number[0], value)) : Array(Number(number)).fill(value));
export const zeros = (number) => full(number, 0);
export const array = (values) => copied([...values]);
export const argmax = (values) => values.indexOf(max(values));
export const allclose = (a, b) => [...zip(a, b, { strict: true })].every(([x, y]) => Math.abs(x - y) <= 1e-8 + 1e-5 * Math.abs(y));
export const eye = (rows, columns = rows) => range(rows).map((row) => range(columns).map((column) => Number(row === column)));

// --- texts ------------------------------------------------------------------------------------------

const QUOTED = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
export function repr(value) {
  if (isString(value)) {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    return quote + text(value).replace(/[\n\r\t\\]/g, (letter) => QUOTED[letter]).replaceAll(quote, `\\${quote}`) + quote;
  }
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (value instanceof Dict) return `{${value.items().map(([name, entry]) => `${repr(name)}: ${repr(entry)}`).join(", ")}}`;
  if (value instanceof PySet) return `{${[...value].map(repr).join(", ")}}`;
  if (value instanceof Error) return `${value.constructor.name}(${repr(value.message)})`;
  if (typeof value === "function") return `<${value.name}>`;
  return typeof value === "object" && value !== null && !value.__str__ ? `<${value.constructor.name}>` : `${str(value)}`;
}

// As Python writes a number that may be a float: with an exponent below 0.0001 and from 1e16 on.
function numberText(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e16) ? exponent(value.toExponential()) : String(value);
}
const exponent = (written) => written.replace(/e([-+])(\d)$/, "e$10$2");

// `toFixed` by the exact decimal digits, halves to the even digit, for as many digits as are wanted.
function fixed(value, digits) {
  if (!Number.isFinite(value)) return numberText(value);
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa, power] = exactly(size); // size = mantissa * 2 ** power
  const scaled = mantissa * 10n ** BigInt(digits);
  let number = power >= 0 ? scaled << BigInt(power) : scaled >> BigInt(-power);
  if (power < 0) {
    const [rest, half] = [scaled - (number << BigInt(-power)), 1n << BigInt(-power - 1)];
    if (rest > half || (rest === half && number % 2n === 1n)) number += 1n;
  }
  const all = number.toString().padStart(digits + 1, "0");
  return sign + (digits ? `${all.slice(0, -digits)}.${all.slice(-digits)}` : all);
}
function exactly(size) {
  let power = 0;
  while (!Number.isInteger(size)) {
    size *= 2;
    power -= 1;
  }
  return [BigInt(size), power];
}

const SPEC = /^(?:(.)?([<>^=]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-z%])?$/su;

export function format(value, spec = "") {
  if (!truth(spec)) return text(str(value));
  const match = SPEC.exec(text(spec));
  if (!match) throw new ValueError(`invalid format ${repr(spec)}`);
  let [, fill, align, sign, positive, , zero, width, comma, precision, code] = match;
  let body;
  if (isString(value) || code === "s") {
    body = text(str(value));
    if (precision !== undefined) body = body.slice(0, Number(precision));
    align ??= "<";
  } else {
    body = numeral(value, code, precision, comma);
    if (positive && /^-[0.,%]*$/.test(body)) body = body.slice(1);
    if ((sign === "+" || sign === " ") && body[0] !== "-") body = sign + body;
    if (zero && !align) [fill, align] = ["0", "="];
    align ??= ">";
  }
  const lacking = Math.max(Number(width ?? 0) - [...body].length, 0);
  const filled = (fill ?? " ").repeat(lacking);
  if (align === "<") return body + filled;
  if (align === ">") return filled + body;
  if (align === "=") return /^[-+ ]/.test(body) ? body[0] + filled + body.slice(1) : filled + body;
  const left = Math.floor(lacking / 2);
  return filled.slice(0, left) + body + filled.slice(left);
}

function numeral(value, code, precision, comma) {
  if (typeof value === "boolean") value = Number(value);
  let body;
  if (code === "d" || (code === undefined && precision === undefined && !isFloat(value))) body = String(value);
  else if (code === "x") body = value.toString(16);
  else if (code === "f") body = fixed(Number(value), Number(precision ?? 6));
  else if (code === "%") body = `${fixed(Number(value) * 100, Number(precision ?? 6))}%`;
  else if (code === "e") body = exponent(Number(value).toExponential(Number(precision ?? 6)));
  else if (code === "g") body = general(Number(value), Math.max(Number(precision ?? 6), 1));
  else if (code === undefined) body = precision === undefined ? numberText(value) : general(Number(value), Number(precision));
  else throw new ValueError(`invalid format code ${code}`);
  return comma ? body.replace(/^(-?)(\d+)/, (_, sign, digits) => sign + digits.replace(/\B(?=(\d{3})+$)/g, comma)) : body;
}

function general(value, precision) {
  if (!Number.isFinite(value)) return numberText(value);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const power = Number(value.toExponential(precision - 1).split("e")[1]);
  if (power < -4 || power >= precision) {
    const [digits, rest] = value.toExponential(precision - 1).split("e");
    return exponent(`${digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits}e${rest}`);
  }
  const body = fixed(value, Math.max(precision - 1 - power, 0));
  return body.includes(".") ? body.replace(/\.?0+$/, "") : body;
}

const field = (words, name) => {
  if (!Object.hasOwn(words, name)) throw new KeyError(repr(name));
  return words[name];
};
export const _format = (template, ...all) => {
  const [given, words] = parted(all);
  let index = 0;
  return text(template).replace(/\{\{|\}\}|\{([^{}!:.[]*)((?:\.\w+|\[\w+\])*)(?:!([rs]))?(?::((?:[^{}]|\{\w*\})*))?\}/g, (whole_, name, path, conversion, spec) => {
    if (whole_ === "{{" || whole_ === "}}") return whole_[0];
    let value = name === "" ? at(given, index++) : /^\d+$/.test(name) ? at(given, Number(name)) : field(words, name);
    for (const [, attribute, entry] of (path ?? "").matchAll(/\.(\w+)|\[(\w+)\]/g)) value = attribute ? value[attribute] : at(value, /^\d+$/.test(entry) ? Number(entry) : entry);
    if (conversion === "r") value = repr(value);
    return format(value, (spec ?? "").replace(/\{(\w*)\}/g, (_, inner) => str(field(words, inner))));
  });
};

// The names most like a word, the nearest first, as `difflib` finds them.
export function get_close_matches(word, names, most = 3, cutoff = 0.6) {
  const ratio = (a, b) => (a.length + b.length ? (2 * alike(a, b)) / (a.length + b.length) : 1);
  const rated = [...names].map((name) => [ratio(text(name), text(word)), text(name)]).filter(([rate]) => rate >= cutoff);
  return sorted(rated, { reverse: true }).slice(0, most).map(([, name]) => name);
}
// How many letters of two words are in matching blocks: the longest one, the first of those, and what is beside it.
function alike(a, b) {
  let [size, x, y] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b.length; j++) {
      let run = 0;
      while (i + run < a.length && j + run < b.length && a[i + run] === b[j + run]) run++;
      if (run > size) [size, x, y] = [run, i, j];
    }
  }
  return size && size + alike(a.slice(0, x), b.slice(0, y)) + alike(a.slice(x + size), b.slice(y + size));
}

export const randbelow = (most) => crypto.getRandomValues(new Uint32Array(1))[0] % most;
// JSON as Python writes it, in ASCII.
export function dumps(value, { separators: [between, after] = [", ", ": "] } = {}) {
  if (isString(value)) return JSON.stringify(text(value)).replace(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (Array.isArray(value)) return `[${value.map((entry) => dumps(entry, { separators: [between, after] })).join(between)}]`;
  if (value instanceof Dict) return `{${value.items().map((pair) => pair.map((entry) => dumps(entry, { separators: [between, after] })).join(after)).join(between)}}`;
  return value === null || typeof value === "boolean" ? String(value) : numberText(value);
}

export const chr = String.fromCodePoint;
export const ord = (letter) => text(letter).codePointAt(0);
export const escape = (value, { quote = true } = {}) => {
  const safe = text(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return quote ? safe.replaceAll('"', "&quot;").replaceAll("'", "&#x27;") : safe;
};
export const normalize = (form, value) => text(value).normalize(form);
export const combining = (letter) => Number(/^\p{Mn}$/u.test(letter));
// Letters that take two columns: those of East Asian scripts.
export const east_asian_width = (letter) => (/^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\ud83c-\ud83e]/.test(letter) ? "W" : "N");
export const quote_plus = (value) => encodeURIComponent(value).replaceAll("%20", "+");
export const urlencode = (words, { safe = "" } = {}) => {
  const kept = (value) => quote_plus(text(str(value))).replace(/%[0-9A-F]{2}/g, (code) => (text(safe).includes(decodeURIComponent(code)) ? decodeURIComponent(code) : code)).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return words.items().map(([name, value]) => `${kept(name)}=${kept(value)}`).join("&");
};

// A regular expression, as `re.compile` returns it; a match is indexed as Python's.
class Pattern {
  constructor(source, flags) {
    this.$source = new RegExp(source, `gu${flags ? "i" : ""}`);
    this.pattern = source;
  }
  *finditer(value) {
    for (const match of text(value).matchAll(this.$source)) yield new Match(match);
  }
  $one(source, value) {
    const match = new RegExp(source, this.$source.flags.replace("g", "")).exec(text(value));
    return match && new Match(match);
  }
  search(value) {
    return this.$one(this.pattern, value);
  }
  match(value) {
    return this.$one(`^(?:${this.pattern})`, value);
  }
  fullmatch(value) {
    return this.$one(`^(?:${this.pattern})$`, value);
  }
  findall(value) {
    return [...this.finditer(value)].map((match) => (match.$groups.length > 2 ? match.groups() : match.$groups.at(-1)));
  }
  sub(other, value) {
    return text(value).replace(this.$source, (...parts) => {
      if (typeof other !== "function") return text(other).replace(/\\(\d)/g, (_, number) => parts[number] ?? "");
      const groups = parts.filter((part, index) => index === 0 || typeof part !== "number");
      return text(str(other(new Match(groups.slice(0, groups.length - 1)))));
    });
  }
  split(value) {
    return text(value).split(this.$source);
  }
}
class Match {
  constructor(match) {
    this.$groups = [...match].map((part) => part ?? null);
    this.$start = match.index;
  }
  __getitem__(index) {
    return this.$groups[index];
  }
  group(index = 0) {
    return this.$groups[index];
  }
  groups() {
    return this.$groups.slice(1);
  }
  start() {
    return this.$start;
  }
  end() {
    return this.$start + this.$groups[0].length;
  }
}
const patterns = new Map();
const compiled = (source) => {
  if (source instanceof Pattern) return source;
  if (!patterns.has(source)) patterns.set(source, new Pattern(source, 0));
  return patterns.get(source);
};
export const re_compile = (source, flags = 0) => new Pattern(text(source), flags);
export const re_sub = (source, other, value) => compiled(source).sub(other, value);
export const re_escape = (value) => text(value).replace(/[^\w]/gu, "\\$&");
export const re_split = (source, value) => compiled(source).split(value);
export const re_findall = (source, value) => compiled(source).findall(value);
export const re_search = (source, value) => compiled(source).search(value);
export const re_match = (source, value) => compiled(source).match(value);
export const re_fullmatch = (source, value) => compiled(source).fullmatch(value);

// --- languages --------------------------------------------------------------------------------------

export class NullTranslations {
  gettext(value) {
    return value;
  }
  ngettext(one, many, number) {
    return number === 1 ? one : many;
  }
  pgettext(context, value) {
    return value;
  }
  info() {
    return new Dict();
  }
}

// A catalogue: texts by the English ones, after a context and "\u0004" where a word means something special.
export class Catalogue extends NullTranslations {
  constructor(language, texts) {
    super();
    this.language = language;
    this.texts = Object.assign(Object.create(null), texts);
  }
  gettext(value) {
    return this.texts[text(value)] ?? value;
  }
  ngettext(one, many, number) {
    return this.texts[text(one)] ?? super.ngettext(one, many, number);
  }
  pgettext(context, value) {
    return this.texts[`${text(context)}\u0004${text(value)}`] ?? value;
  }
  info() {
    return dict({ language: this.language });
  }
}

let spoken = new NullTranslations();
export const TRANSLATIONS = {
  get() {
    return spoken;
  },
  set(translations) {
    spoken = translations;
    return null;
  },
};
