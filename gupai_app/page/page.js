// Draws a table from its document, as `gupai_app/play/table.py` makes it, and sends what the person does to a source.
//
// source.document(address, wish) -> Promise<document>: address and wish are words of a query; it rejects with an Error of
// one line, whose `waits` is true where asking again helps. source.link(name, document) -> an address, "" if there is none.
// source.front: that of the first page. source.judges: whether it can say what the moves of a game lost.
const PACE = 900; // milliseconds between the moves of others
const FAR = 6; // pixels that a pointer moves before it drags
const NEAR = 24; // pixels between a pointer and a place that takes the tile
const NEXT = 12; // pixels between a click and the tile that it means
const AGAIN = 1500; // milliseconds until what was not ready is asked for again
const LONG = 2.25; // a tile's length in its widths
const PITCH = LONG + 0.28; // of the rows of a line
const WISHES = ["play", "at", "hint", "rough", "plain", "unseen", "move"]; // words of a query that are not of an address
const SVG = "http://www.w3.org/2000/svg";

// --- elements -----------------------------------------------------------------------------------------------

function put(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return element;
}
const el = (name, attributes, ...children) => put(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => put(document.createElementNS(SVG, name), attributes, children);
const use = (name) => svg("use", { href: `#g-${name}` });
const named = (tile) => `[${tile[0]}:${tile[1]}]`;
const filled = (text, ...values) => text.replace(/\{(\d)\}/g, (_, at) => values[at]);

function drawnTile(tile, attributes = {}) {
  return svg("svg", { viewBox: "0 0 100 225", class: "face", "aria-hidden": "true", ...attributes }, use(tile ? `u${tile}` : "back"));
}

// --- how many tiles lie in a row ----------------------------------------------------------------------------

// Columns and rows of some tiles, so that they are as large as may be in an area of about this shape.
function fitted(units, width, height) {
  let [best, most] = [[units, 1], 0];
  for (let rows = 1; rows <= 6; rows += 1) {
    const columns = Math.ceil(units / rows);
    const size = Math.min(width / (columns * 1.14), height / (rows * 2.45));
    if (size > most) [best, most] = [[columns, rows], size];
  }
  return best;
}

// How many tiles' widths a pile takes; on a narrow table one tile stands for those that lie face down.
function unitsOf(pile, narrow) {
  const hidden = pile.form === "stack" || (narrow && pile.hidden > 2) ? 2.2 : 1 + 0.3 * (pile.hidden - 1);
  return pile.tiles.length + (pile.hidden ? hidden : 0);
}

// Letters of Latin width in a text.
const lettersOf = (text) => [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 1.7 : 1), 0);

// --- the connected line -------------------------------------------------------------------------------------

// Row, left edge and length of everything on a line: even rows run to the right, odd ones to the left. The lead, if there
// is one, is in the middle of row 0; one arm goes on to rows below and the other to rows above.
function snake(tiles, lead, ends, width) {
  const lengths = tiles.map((tile) => (tile[0] === tile[1] ? 1 : LONG));
  if (ends[0]) lengths.unshift(1);
  if (ends[1]) lengths.push(1);
  const [start, end, joint] = [0.34, width - 0.34, 0.06];
  const first = lead === null ? 0 : lead + (ends[0] ? 1 : 0);
  const origin = lead === null ? start : (width - lengths[first]) / 2;
  const slots = [];
  let [row, along] = [0, origin];
  for (let at = first; at < lengths.length; at += 1) {
    if (along + lengths[at] > end) [row, along] = [row + 1, start];
    slots[at] = [row, along, lengths[at]];
    along += lengths[at] + joint;
  }
  [row, along] = [0, origin - joint];
  for (let at = first - 1; at >= 0; at -= 1) {
    if (along - lengths[at] < start) [row, along] = [row - 1, end];
    along -= lengths[at];
    slots[at] = [row, along, lengths[at]];
    along -= joint;
  }
  return slots.map(([line, from, long]) => [line, line % 2 === 0 ? from : width - from - long, long]);
}

function drawnLine(pile, ghosts) {
  const room = Math.min(pile.capacity, 8 * (Math.floor(pile.tiles.length / 8) + 1));
  const expected = room * (3 + 5 * LONG) / 8;
  const width = Math.max(Math.sqrt(2.1 * PITCH * expected), 5);
  const before = pile.ends[0] ? 1 : 0;
  const slots = snake(pile.tiles, pile.lead, pile.ends, width);
  const laid = ghosts.map(({ tile, end }) => {
    const left = end === "left" && pile.tiles.length > 0;
    const tiles = left ? [tile, ...pile.tiles] : [...pile.tiles, tile];
    const lead = pile.lead === null ? (pile.tiles.length || pile.ends[0] ? null : 0) : pile.lead + (left ? 1 : 0);
    const places = snake(tiles, lead, [left ? 0 : pile.ends[0], left ? pile.ends[1] : 0], width);
    return left ? places[0] : places.at(-1);
  });
  const lines = [...slots, ...laid].map(([line]) => line);
  const [top, bottom] = [Math.min(0, ...lines), Math.max(0, ...lines)];
  const rows = Math.max(bottom - top + 1, Math.ceil(expected / (width - 2)) + (pile.lead === null ? 0 : 1));
  const shift = pile.lead === null ? 0 : (rows - (bottom - top + 1)) / 2;
  const middle = (line) => (line - top + shift + 0.5) * PITCH;
  const placed = (tile, [line, from, long], more) => {
    const double = tile[0] === tile[1];
    const lies = double ? "u" : (line % 2 === 0) === (tile[0] > tile[1]) ? "l" : "r"; // symbols have the larger number first
    const name = `${lies}${tile[0] < tile[1] ? tile[1] + tile[0] : tile}`;
    const y = middle(line) - (double ? LONG : 1) / 2;
    return svg("g", { transform: `translate(${(100 * from).toFixed(1)} ${(100 * y).toFixed(1)})`, ...more }, use(name));
  };
  const drawn = svg("svg", { class: "line", viewBox: `0 0 ${(100 * width).toFixed(0)} ${(100 * rows * PITCH).toFixed(0)}`, role: "group", "aria-label": pile.label });
  slots.slice(1).forEach(([line, from, long], at) => {
    const [before_, from_, long_] = slots[at];
    if (before_ === line) return;
    const edge = before_ % 2 === 0 ? width - 0.12 : 0.12;
    const points = [[from_ + long_ / 2, middle(before_)], [edge, middle(before_)], [edge, middle(line)], [from + long / 2, middle(line)]];
    drawn.append(svg("polyline", { class: "g-line-quiet", "stroke-width": 8, points: points.map(([x, y]) => `${100 * x},${100 * y}`).join(" ") }));
  });
  slots.forEach((slot, at) => {
    const position = at - before;
    if (position >= 0 && position < pile.tiles.length) {
      const tile = pile.tiles[position];
      if (pile.marked.includes(position)) drawn.append(placedMark(tile, slot, middle));
      drawn.append(placed(tile, slot));
      return;
    }
    const [x, y] = [100 * (slot[1] + 0.5), 100 * middle(slot[0])];
    drawn.append(
      svg("circle", { class: "g-panel g-edge-accent", cx: x, cy: y, r: 39, "stroke-width": 7 }),
      svg("text", { class: "g-text g-accent", x, y: y + 20, "font-size": 56, "text-anchor": "middle" }, String(position < 0 ? pile.ends[0] : pile.ends[1])),
    );
  });
  const taken = [];
  ghosts.forEach(({ tile, action, words }, at) => {
    let [line, from, long] = laid[at];
    while (taken.some(([row, x]) => row === line && Math.abs(x - from) < 0.1)) line += 0.55;
    taken.push([line, from]);
    const ghost = placed(tile, [line, from, long], { class: "spot ghost", "data-ghost": action, hidden: true });
    const [w, h] = tile[0] === tile[1] ? [100, 225] : [225, 100];
    ghost.append(svg("rect", { x: -5, y: -5, width: w + 10, height: h + 10, rx: 16 }), svg("title", {}, words));
    drawn.append(ghost);
  });
  return put(drawn, { "--width": width.toFixed(2), "--height": (rows * PITCH).toFixed(2) }, []);
}

function placedMark(tile, [line, from], middle) {
  const [w, h] = tile[0] === tile[1] ? [1, LONG] : [LONG, 1];
  return svg("rect", { class: "g-accent", x: 100 * from - 13, y: 100 * (middle(line) - h / 2) - 13, width: 100 * w + 26, height: 100 * h + 26, rx: 27 });
}

// --- a table ------------------------------------------------------------------------------------------------

// When what is changed now is on the screen.
const painted = () => document.hidden || new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });

// What a source is asked: an address with a wish.
export function queryOf(address, wish) {
  const query = new URLSearchParams(address);
  for (const [name, value] of Object.entries(wish)) query.set(name, value);
  return query;
}

// The address bar, where a game stands. words() are those of a query that stand in it; at(words) is where they are written,
// "" where nothing is.
export function addressBar(words, at) {
  const place = {
    titled: true,
    read() {
      const query = new URLSearchParams(words());
      const wish = Object.fromEntries(WISHES.filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
      for (const name of WISHES) query.delete(name);
      return { address: String(query), wish };
    },
    write(page, asked, how) {
      const more = String(new URLSearchParams(asked));
      const address = at(`${page.address}${more ? `&${more}` : ""}`);
      if (how === "none" || !address || !page.address) return;
      if (how === "push") history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    },
    follow(changed) {
      place.changed = changed;
      addEventListener("popstate", () => {
        const { address, wish } = place.read();
        changed(address, wish);
      });
    },
  };
  return place;
}

// The place of a game in a page that has more besides: its address stands in the page, and what is done changes no other.
export const within = (address = "") => ({ read: () => ({ address, wish: {} }), write() {}, follow() {} });

let active = null; // what was touched last, where there are several

export function show(root, source, place) {
  active ??= root;
  for (const kind of ["pointerdown", "focusin"]) root.addEventListener(kind, () => { active = root; });
  const quick = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let page = null; // the document
  let parts = {}; // of the page: stage, bar, side
  let busy = false; // while an answer is awaited
  let chosen = []; // the tiles of the hand that are chosen, as elements
  let timer = 0; // of the moves of others
  let polling = 0; // of what is not ready
  let tips = 0;
  let explained = new Set();
  let typed = "";
  let forget = 0;
  let byPips = false; // whether the hand is sorted by pips rather than as the game ranks tiles
  let shown = 0; // the table of a game that is looked at
  const closed = new Set(); // seats whose tiles are hidden there

  const words = (name, ...values) => filled(page.labels[name], ...values);

  // A text with pictures of its tiles, and a tip at the first of each term of the game.
  function rich(text, tipped = true) {
    if (!text) return [];
    const terms = new Map((tipped ? page.terms || [] : []).flatMap(([term, meaning]) => term.split(/, |、/).map((each) => [each.toLowerCase(), meaning])));
    const plain = [...terms.keys()].sort((one, other) => other.length - one.length).map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const english = page.language === "en";
    const pattern = plain.length ? new RegExp(english ? `\\b(${plain.join("|")})(?:s|es)?\\b` : `(${plain.join("|")})`, "gi") : /(?!)/g;
    const nodes = [];
    let end = 0;
    const drawn = (tile) => svg("svg", { viewBox: "-8 -4 116 241", class: "named", role: "img", "aria-label": tile }, use(`u${[tile[1], tile[3]].sort().reverse().join("")}`));
    const pictured = (part) => part.split(/(\[[1-6]:[1-6]\][,.;:!?)、，。；：！？）]*)/).map((each) => ( // no line begins with a closing mark
      !/^\[\d:\d\]/.test(each) ? each : each.length > 5 ? el("span", { class: "joined" }, drawn(each.slice(0, 5)), each.slice(5)) : drawn(each)));
    for (const found of text.matchAll(pattern)) {
      const meaning = terms.get(found[1].toLowerCase());
      if (explained.has(meaning)) continue;
      explained.add(meaning);
      tips += 1;
      const [marks] = /^[,.;:!?)、，。；：！？）]*/.exec(text.slice(found.index + found[0].length));
      nodes.push(...pictured(text.slice(end, found.index)),
        el("span", { class: marks && "joined" }, el("dfn", {}, el("button", { type: "button", class: "term", popovertarget: `term-${tips}`, title: meaning }, found[0])), marks),
        el("span", { class: "tip", id: `term-${tips}`, popover: true }, ...pictured(meaning)));
      end = found.index + found[0].length + marks.length;
    }
    return [...nodes, ...pictured(text.slice(end))];
  }

  const button = (text, press, more = {}) => el("button", { type: "button", click: press, ...more }, ...(Array.isArray(text) ? text : [text]));

  // --- asking ---------------------------------------------------------------------------------------------

  async function ask(address, wish = {}, how = "push") {
    if (busy) return;
    busy = true;
    clearTimeout(polling);
    clearTimeout(timer);
    root.classList.add("busy");
    try {
      const [found] = await Promise.all([source.document(address, wish), painted()]); // that it is busy is seen at once
      busy = false;
      root.classList.remove("busy");
      const asked = Object.fromEntries(Object.entries(wish).filter(([name]) => name !== "play" && name !== "rough"));
      if (found.hint?.rough && page?.hint) found.hint.sentences = page.hint.sentences; // a quick search has no word of its own
      place.write(found, asked, how);
      draw(found, how === "push" && "play" in wish || how === "first", asked);
    } catch (problem) {
      busy = false;
      root.classList.remove("busy");
      wrong(problem.message, Boolean(problem.waits));
      if (problem.waits) polling = setTimeout(() => ask(address, wish, how), AGAIN);
    }
  }

  const wishes = (more = {}) => (page.at === null || page.at === undefined ? more : { at: String(page.at), ...more });
  const play = (action) => ask(page.address, { play: String(action) });

  function wrong(message, waits) {
    if (page) {
      say(message);
      return;
    }
    root.replaceChildren(el("section", { class: "pass", role: waits ? "status" : "alert" }, el("p", { class: waits ? "waits" : "wrong" }, message),
      !waits && source.front ? el("p", {}, el("a", { class: "button main", href: source.front }, "←")) : ""));
  }

  // --- drawing --------------------------------------------------------------------------------------------

  function draw(found, replayed, asked) {
    page = found;
    explained = new Set();
    chosen = [];
    typed = "";
    root.classList.remove("replay", "replaying", "counting");
    root.classList.toggle("ended", Boolean(page.over));
    document.documentElement.lang = page.language;
    if (place.titled) document.title = `${page.title} · gupai`;
    if (page.replay || page.parts || page.rules) {
      if (page.replay) drawReplay(asked);
      else if (page.parts) drawForm();
      else drawRules();
      return;
    }
    if (page.pass) {
      const { heading, sentence, button: here } = page.pass;
      root.replaceChildren(el("section", { class: "pass" }, el("h1", {}, heading), el("p", {}, sentence),
        el("p", {}, button(here, () => ask(page.address, wishes(), "replace"), { class: "main", id: "here" })), el("h2", {}, words("score")), score()));
      root.querySelector("#here").focus();
      return;
    }
    if (page.puzzle && !page.puzzle.solved) page.task = `${page.puzzle.sentences[0]} ${page.task}`;
    parts = { stage: el("section", { class: "stage", "aria-label": words("table") }), side: el("aside", { class: "side" }) };
    parts.bar = bar();
    root.replaceChildren(...headed(), parts.stage, parts.bar, parts.side);
    drawSide(asked);
    const count = page.frames.findIndex((frame) => frame.end);
    const last = page.frames.length - 1;
    frame(!replayed ? last : quick ? (count >= 0 && count < last ? count : last) : Math.min(page.frames.length > 1 ? 1 : 0, last));
    await_(asked);
  }

  const headed = () => (place.titled ? [el("h1", { class: "hidden" }, page.title)] : []);

  const described = (entries, tipped) => entries.map(([name, text]) => [el("dt", {}, name), el("dd", {}, ...rich(text, tipped))]);

  function drawRules() {
    root.replaceChildren(el("article", { class: "reading", tabindex: "0" }, el("h1", {}, page.heading), ...paragraphs([page.goal]), el("dl", {}, described(page.rules)),
      el("h2", {}, words("terms")), el("dl", {}, described(page.terms, false)),
      el("p", {}, linked("table", { address: page.table }, words("play"), "main"), " ", linked("begin"))));
  }

  // A form in which rules and players are chosen; another number of players is another form.
  function drawForm() {
    const field = ({ code, label, now, choices, help }) => {
      const changed = ({ target }) => { if (code === "o.players") ask(`game=${page.game}&begin=1&o.players=${target.value}`, {}, "replace"); };
      const input = choices.length ? el("select", { name: code, change: changed }, [...new Set(choices.map(({ group }) => group))].map((group) => {
        const options = choices.filter((choice) => choice.group === group).map((choice) => el("option", { value: choice.code, selected: choice.code === now }, choice.words));
        return group ? el("optgroup", { label: group }, options) : options;
      })) : el("input", { name: code, value: now, autocomplete: "off", inputmode: code === "seed" ? "numeric" : null });
      return el("label", {}, el("span", {}, label), input, help ? el("small", { class: "quiet" }, help) : "");
    };
    const begin = (event) => {
      event.preventDefault();
      const query = new URLSearchParams({ game: page.game });
      const others = [];
      for (const [name, value] of new FormData(event.target)) {
        if (name === "with") others.push(value || others.at(-1));
        else query.set(name, value);
      }
      query.set("with", others.join(";"));
      ask(String(query));
    };
    const { strength } = page;
    parts.say = el("p", { class: "say", role: "alert" });
    root.replaceChildren(el("form", { class: "reading", submit: begin }, el("h1", {}, page.title), ...paragraphs([page.about]), el("p", {}, linked("rules")),
      page.parts.map(({ heading, help, fields }) => el("fieldset", {}, el("legend", {}, heading), el("p", { class: "quiet" }, help), fields.map(field))),
      strength ? el("details", {}, el("summary", {}, strength.heading), el("p", { class: "quiet" }, strength.note), el("div", { class: "scrolls", tabindex: "0" },
        el("table", {}, el("tr", {}, strength.heads.map((head) => el("th", { scope: "col" }, head))), strength.rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell))))))) : "",
      el("footer", {}, parts.say, el("button", { class: "main" }, words("play")))));
    root.querySelector("footer button").focus({ preventScroll: true });
  }

  // Show a table of those that led here; the last one takes moves.
  function frame(at) {
    clearTimeout(timer);
    const { scene, end } = page.frames[at];
    const last = page.frames.length - 1;
    root.classList.toggle("replaying", at < last);
    root.classList.toggle("counting", at < last && Boolean(end));
    parts.stage.replaceChildren(table(scene, at === last));
    parts.side.querySelectorAll("[data-frame]").forEach((line) => line.classList.toggle("later", Number(line.dataset.frame) > at));
    if (at === last) {
      rest();
      return;
    }
    if (end) {
      say(end.winner);
      offer([button(words("on"), () => frame(at + 1), { class: "main" })]);
      parts.choices.firstElementChild?.focus({ preventScroll: true });
    } else {
      say(page.frames[at].words);
      offer([button(words("skip"), () => frame(last), { class: "skip" })]);
      timer = setTimeout(() => frame(at + 1), PACE);
    }
  }

  function table(scene, now) {
    const [mine, ...others] = scene.places;
    const sides = others.length > 1;
    const east = sides ? others[0] : null;
    const west = sides ? others.at(-1) : null;
    const north = sides ? others.slice(1, -1) : others;
    const hand = mine?.piles[0];
    const held = hand ? Math.max(hand.capacity, hand.tiles.length + hand.hidden) : 1;
    const own = mine ? mine.piles.slice(1) : [];
    const split = now && page.zones.length > 0;
    const felt = el("div", {
      class: `felt${sides ? " sides" : ""}${north.length > 3 ? " several" : north.length === 2 ? " two" : ""}${north.length ? " far" : ""}${own.length ? " owned" : ""}${split ? " split" : ""}`,
      "--hc": Math.ceil(held / Math.ceil(held / 8)), "--hr": Math.ceil(held / 8), "--hw": Math.ceil(held / Math.ceil(held / 18)), "--hrw": Math.ceil(held / 18),
      "--north": Math.min(north.length, 3),
    });
    felt.append(
      el("div", { class: "facts" }, el("b", { class: "title" }, page.title), scene.notes.map((note) => el("span", { class: "note" }, ...rich(note, false))), el("span", { class: "last", "aria-hidden": "true" }, ...rich(scene.last_move, false))),
      el("div", { class: "north" }, [...north].reverse().map((seat) => drawnSeat(seat, [440, 44], [330 / Math.min(others.length, 5), 44]))),
      west ? drawnSeat(west, [150, 200], [330 / Math.min(others.length, 5), 44], "west") : "",
      centre(scene, now, split),
      east ? drawnSeat(east, [150, 200], [330 / Math.min(others.length, 5), 44], "east") : "",
    );
    if (mine) {
      felt.append(el("div", { class: `own${mine.to_act ? " acts" : ""}` }, nameOf(mine), own.length ? flow(own, [620, 40], [240, 34]) : ""), drawnHand(hand, now));
    }
    return felt;
  }

  const nameOf = (seat) => el("p", { class: "name" }, el("b", {}, seat.name), " ", el("span", { class: "quiet" }, ...rich(seat.note, false)));

  function drawnSeat(seat, wide, narrow, side = "") {
    return el("div", { class: `seat ${side}${seat.to_act ? " acts" : ""}` }, nameOf(seat), flow(seat.piles, wide, narrow));
  }

  // Piles of tiles that are only looked at, one after another as words are in a text.
  function flow(piles, wide, narrow) {
    const shown = piles.filter((pile) => pile.tiles.length || pile.hidden || pile.spot);
    const units = (thin) => Math.max(shown.reduce((sum, pile, at) => sum + unitsOf(pile, thin) + (at || pile.spot ? Math.max(thin ? 2.6 : 1.8, lettersOf(pile.label) * 0.55) : 0), 0), 4);
    const [cw, rw] = fitted(units(false), ...wide);
    const [cn, rn] = fitted(units(true), ...narrow);
    return el("div", { class: "box", "data-spot": shown.map((pile) => pile.spot).find(Boolean) || null }, el("div", { class: "flow tiles", "--cw": cw, "--rw": rw, "--cn": cn, "--rn": rn }, shown.map((pile, at) => {
      const [first, ...more] = pile.form === "stack" ? [stack(pile)] : [...pile.tiles.map((tile, index) => shownTile(tile, pile.marked.includes(index))), backs(pile.hidden)];
      return [at || pile.spot ? el("span", { class: "headed" }, el("span", { class: "label" }, pile.label), first) : first, more];
    })));
  }

  const shownTile = (tile, marked, more = {}) => el("span", { class: `tile${marked ? " marked" : ""}`, role: "img", "aria-label": named(tile), ...more }, drawnTile(tile));
  const backs = (number) => (number ? el("span", { class: "backs", role: "img", "aria-label": `× ${number}`, "data-n": number > 2 ? `×${number}` : null }, Array.from({ length: number }, () => el("span", { class: "tile" }, drawnTile("")))) : "");
  const stack = (pile) => el("span", { class: "stack", role: "img", "aria-label": `${pile.label} × ${pile.hidden}` }, pile.hidden ? el("span", { class: "tile" }, drawnTile("")) : "", el("span", { class: "number" }, `×${pile.hidden}`));

  function centre(scene, now, split) {
    const lines = scene.centre.filter((pile) => pile.form === "line");
    const tricks = scene.centre.some((pile) => pile.seat !== null && pile.seat !== undefined);
    const box = el("div", { class: `centre${tricks ? " tricks" : ""}` });
    if (lines.length) {
      const ghosts = now ? page.moves.flatMap((move) => move.choices.filter((choice) => choice.ghost).map((choice) => ({ ...choice.ghost, action: choice.action, words: choice.words }))) : [];
      box.append(el("div", { class: "box" }, drawnLine(lines[0], ghosts)));
    } else if (tricks) {
      const seats = scene.places.length;
      const most = Math.max(1, ...scene.centre.map((pile) => Math.max(pile.capacity, pile.tiles.length + pile.hidden)));
      const at = (seat) => (seat === 0 ? "south" : seats === 2 ? "north" : seat === 1 ? "east" : seat === seats - 1 ? "west" : "north");
      const piles = scene.centre.map((pile) => el("div", { class: `trick ${at(pile.seat)}`, role: "group", "aria-label": pile.label },
        pile.tiles.map((tile, index) => shownTile(tile, pile.marked.includes(index))), backs(pile.hidden)));
      box.append(el("div", { class: "box" }, el("div", { class: "compass tiles", "data-drop": true, "--cw": seats > 2 ? 3 * most : most, "--cn": seats > 2 ? 3 * most : most, "--rw": 2, "--rn": 2 }, piles)));
    } else if (scene.centre.length) {
      const main = scene.centre[0];
      const others = scene.centre.slice(1);
      const step = Math.min(Math.max(main.capacity, 1), 8 * (Math.floor((main.tiles.length + main.hidden) / 8) + 1));
      const count = main.form === "stack" ? 2.6 : Math.max(step, main.tiles.length + main.hidden, 1);
      const beside = others.reduce((sum, pile) => sum + (pile.form === "stack" ? 2.6 : Math.max(pile.tiles.length, pile.capacity, 1) + 0.6), 0);
      const wide = fitted(count, 520 - 40 * beside, 190);
      const narrow = fitted(count, 350 - 26 * beside, 140);
      const style = { "--cw": wide[0] + beside, "--rw": wide[1], "--cn": narrow[0] + beside, "--rn": narrow[1], "--main-w": wide[0], "--main-n": narrow[0] };
      box.append(el("div", { class: "box" }, el("div", { class: "piles tiles", ...style }, scene.centre.map((pile, at) => el("div", { class: `pile${at ? "" : " first"}`, "data-spot": pile.spot || null },
        el("span", { class: "label" }, pile.label), el("div", { class: "row" },
          pile.form === "stack" ? stack(pile) : [...pile.tiles.map((tile, index) => (now && pile.own ? handTile(tile, page.moves.some((move) => move.tiles.includes(tile))) : shownTile(tile, pile.marked.includes(index), { "data-fish": tile }))), backs(pile.hidden)]))))));
    }
    if (split) box.append(zones());
    if (!box.childElementCount) box.append(el("div", { class: "box" }));
    return box;
  }

  // --- the hand -------------------------------------------------------------------------------------------

  const movesOf = (tile) => page.moves.filter((move) => move.tiles.includes(tile));
  const canThrow = (tile) => page.composed && page.discards > 0 && tile in page.thrown;

  function handTile(tile, live) {
    const moves = live ? movesOf(tile) : [];
    const usable = live && (moves.length > 0 || page.zones.length > 0 || canThrow(tile));
    const lays = page.moves.some((move) => move.tiles.length && !move.discards);
    const spare = lays && moves.length > 0 && moves.every((move) => move.discards);
    const label = moves.map((move) => move.name).join(", ") || named(tile);
    const piece = el("button", {
      type: "button", class: `tile ${usable ? "live" : "idle"}${spare ? " spare" : ""}${page.marked.includes(tile) ? " think" : ""}`,
      "data-tile": tile, "data-numbers": moves.map((move) => move.number).join(" "), "aria-label": label, title: label,
      tabindex: "-1", "aria-pressed": page.composed ? "false" : null,
      click: (event) => { if (!piece.dragged) press(piece, event.detail === 0); },
    }, drawnTile(tile));
    draggable(piece);
    return piece;
  }

  function drawnHand(hand, now) {
    if (!hand) return "";
    const box = el("div", { class: "hand", role: "group", "aria-label": hand.label, keydown: walk, click: beside });
    box.append(...hand.tiles.map((tile, index) => (now && !page.over ? handTile(tile, hand.own) : shownTile(tile, hand.marked.includes(index)))));
    if (hand.hidden) box.append(backs(hand.hidden));
    [...box.children].forEach((each, at) => Object.assign(each.dataset, { at, pips: hand.tiles[at] ? Number(hand.tiles[at][0]) + Number(hand.tiles[at][1]) : 0 }));
    sortHand(box);
    const first = box.querySelector("button.live") || box.querySelector("button");
    first?.setAttribute("tabindex", "0");
    return box;
  }

  function sortHand(box) {
    const focused = document.activeElement;
    const pips = (each) => (byPips ? Number(each.dataset.pips) : 0);
    box.append(...[...box.children].sort((one, other) => pips(other) - pips(one) || one.dataset.at - other.dataset.at));
    if (box.contains(focused)) focused.focus();
  }

  function sortOtherwise() {
    byPips = !byPips;
    parts.bar.querySelector('[data-key="s"]').setAttribute("aria-pressed", String(byPips));
    sortHand(parts.stage.querySelector(".hand"));
  }

  // Arrows walk along the tiles of the hand while one of them has the focus.
  function walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    const tiles = [...event.currentTarget.querySelectorAll("button.tile")];
    const next = tiles[(tiles.indexOf(document.activeElement) + step + tiles.length) % tiles.length];
    tiles.forEach((each) => each.setAttribute("tabindex", each === next ? "0" : "-1"));
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  // The element that is nearest to a point, if any is as near as that.
  function nearest(elements, x, y, near) {
    let [best, least] = [null, near];
    for (const each of elements) {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      const apart = Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0));
      if (apart < least) [best, least] = [each, apart];
    }
    return best;
  }

  // A click next to a tile means it.
  function beside(event) {
    if (event.target === event.currentTarget) nearest(event.currentTarget.querySelectorAll("button.tile"), event.clientX, event.clientY, NEXT)?.click();
  }

  // --- choosing -------------------------------------------------------------------------------------------

  function press(piece, byKey) {
    const { tile } = piece.dataset;
    if (page.zones.length) assign(piece);
    else if (page.composed && page.moves.length) compose(piece);
    else if (chosen.includes(piece)) rest();
    else if (!piece.classList.contains("live")) {
      rest();
      say(`${words("idle")} ${page.task}`);
    } else {
      const moves = movesOf(tile);
      if (page.practice && moves.length === 1 && moves[0].plain) play(moves[0].choices[0].action);
      else choose(piece, moves, byKey);
    }
  }

  function choose(piece, moves, byKey) {
    rest();
    chosen = [piece];
    piece.classList.add("chosen");
    glow(moves);
    say(moves.map((move) => move.question).find(Boolean) || page.task);
    offer(moves.flatMap(buttonsOf));
    if (byKey) parts.choices.querySelector("button")?.focus();
  }

  // Nothing is chosen: what is to be done is said, with the moves that no tile is clicked for.
  function rest() {
    for (const each of chosen) each.classList.remove("chosen");
    chosen = [];
    glow([]);
    mark("");
    if (page.over) {
      say(page.frames.at(-1).end?.winner || words("over"));
      offer([button([words("again"), " ", el("kbd", {}, "n")], () => ask(page.again, wishes()), { class: "main", "data-key": "n" }), ...after()]);
    } else if (page.zones.length) splitSaid();
    else if (page.composed && page.moves.length) composed();
    else {
      say(page.task);
      offer(page.moves.filter((move) => !move.tiles.length).flatMap(buttonsOf));
    }
  }

  const buttonsOf = (move) => move.choices.map((choice) => button(rich(move.question ? choice.words : move.name, false), () => play(choice.action), {
    "data-number": move.number, "data-action": choice.action, "aria-label": move.question ? `${move.words}${words("colon")}${choice.words}` : null, class: move.best ? "best" : null,
  }));

  function say(text) {
    parts.say.replaceChildren(...rich(text));
  }

  function offer(buttons) {
    parts.choices.replaceChildren(...buttons);
  }

  // Show the places where the tile of some moves may go.
  function glow(moves) {
    for (const each of parts.stage.querySelectorAll(".glows")) {
      each.classList.remove("glows", "over");
      delete each.dataset.play;
      if (each.matches(".ghost")) each.setAttribute("hidden", "");
    }
    for (const move of moves) {
      for (const { action, goes } of move.choices) {
        const fish = goes.startsWith("fish-") ? `[data-fish="${goes.slice(5)}"]` : goes ? `[data-spot="${goes}"]` : `[data-ghost="${action}"]`;
        for (const spot of parts.stage.querySelectorAll(fish)) {
          spot.classList.add("glows");
          spot.dataset.play = action;
          spot.removeAttribute("hidden");
        }
      }
    }
  }

  // --- tiles that are played together ---------------------------------------------------------------------

  const sorted = (tiles) => [...tiles].sort().join("");

  function together() {
    const tiles = chosen.map((each) => each.dataset.tile);
    const played = page.moves.find((move) => move.groups.length && sorted(move.groups[0].match(/../g)) === sorted(tiles));
    const thrown = tiles.map((tile) => (tile in page.thrown ? page.thrown[tile] : -1));
    const legal = tiles.length > 0 && tiles.length === page.discards && thrown.every((each) => each >= 0);
    return { tiles, played, thrown: legal ? thrown.sort((one, other) => one - other).join(".") : "" };
  }

  function compose(piece) {
    const without = chosen.filter((each) => each !== piece);
    chosen = without.length < chosen.length ? without : [...chosen, piece];
    composed();
  }

  function composed() {
    for (const each of parts.stage.querySelectorAll("button.tile")) {
      each.classList.toggle("chosen", chosen.includes(each));
      each.setAttribute("aria-pressed", String(chosen.includes(each)));
    }
    const { tiles, played, thrown } = together();
    say(played ? played.makes.join(", ") : !tiles.length ? page.task || words("choose") : thrown ? words("spare") : words("wrong"));
    const discards = page.moves.some((move) => move.discards);
    const others = page.moves.filter((move) => !move.tiles.length).flatMap(buttonsOf);
    offer([
      page.moves.some((move) => move.groups.length) ? button(words("play"), () => play(played.choices[0].action), { class: "main", disabled: !played }) : "",
      discards ? button(words("discard"), () => play(thrown), { class: "throw", disabled: !thrown }) : "", ...others,
    ].filter(Boolean));
  }

  // --- splits ---------------------------------------------------------------------------------------------

  function zones() {
    const sizes = page.moves[0].groups.map((group) => group.length / 2);
    return el("div", { class: "zones" }, page.zones.map((name, at) => el("div", {
      class: `zone${at ? "" : " current"}`, role: "group", tabindex: "0", "aria-label": name, "data-name": name, "data-room": sizes[at], "--n": sizes[at],
      click: (event) => { if (!event.target.closest("button")) current(event.currentTarget); },
      keydown: (event) => { if (event.key === "Enter" && event.target === event.currentTarget) current(event.currentTarget); },
    }, el("span", { class: "label" }, name), el("div", { class: "row" }), el("span", { class: "makes" }))));
  }

  const allZones = () => [...parts.stage.querySelectorAll(".zone")];
  const inside = (zone) => [...zone.querySelectorAll("button.tile")];
  const roomy = (zone) => inside(zone).length < Number(zone.dataset.room);

  function current(zone) {
    for (const each of allZones()) each.classList.toggle("current", each === zone);
  }

  // A tile of the hand goes into the group that is marked, one of a group back to the hand.
  function assign(piece) {
    if (piece.closest(".zone")) back(piece);
    else {
      const zone = allZones().find((each) => each.classList.contains("current") && roomy(each)) || allZones().find(roomy);
      if (zone) into(piece, zone);
    }
    splitSaid();
  }

  function into(piece, zone) {
    if (piece.closest(".zone") === zone) return;
    if (!roomy(zone)) back(inside(zone).at(-1));
    if (!piece.gap) {
      piece.gap = el("span", { class: "tile gap" });
      Object.assign(piece.gap.dataset, { at: piece.dataset.at, pips: piece.dataset.pips });
      piece.replaceWith(piece.gap);
    }
    zone.querySelector(".row").append(piece);
    current(roomy(zone) ? zone : allZones().find(roomy) || zone);
  }

  function back(piece) {
    current(piece.closest(".zone"));
    piece.gap?.replaceWith(piece);
    piece.gap = null;
  }

  function splitSaid() {
    const groupsOf = (move) => move.groups.map((group) => group.match(/../g));
    const sizes = groupsOf(page.moves[0]).map((group) => group.length);
    const even = sizes[0] > 1 && sizes.every((size) => size === sizes[0]); // groups that may come in any order
    const key = (tiles, at) => `${even ? "" : at} ${sorted(tiles)}`;
    const keyOf = (groups) => (even ? groups.map(key).sort() : groups.map(key)).join();
    const makes = new Map(page.moves.flatMap((move) => groupsOf(move).map((tiles, at) => [key(tiles, at), move.makes[at] || ""])));
    const lie = allZones().map((zone) => inside(zone).map((piece) => piece.dataset.tile));
    const told = allZones().map((zone, at) => {
      const made = lie[at].length === sizes[at] ? makes.get(key(lie[at], at)) || "" : "";
      zone.dataset.makes = made;
      zone.classList.toggle("full", Boolean(made));
      zone.querySelector(".makes").textContent = made;
      zone.setAttribute("aria-label", `${zone.dataset.name} ${made}`.trim());
      return made ? `${zone.dataset.name}${words("colon")}${made}` : "";
    });
    const found = page.moves.find((move) => keyOf(groupsOf(move)) === keyOf(lie));
    say(told.filter(Boolean).join("; ") || page.task);
    offer([button(words("split"), () => play(found.choices[0].action), { class: "main", disabled: !found }), el("span", { class: "quiet how" }, words("split_how"))]);
  }

  // --- dragging -------------------------------------------------------------------------------------------

  // Where a tile that is let go would be taken: a place that glows, a group, or the middle of the table.
  function target(piece, x, y) {
    if (page.zones.length) return document.elementsFromPoint(x, y).map((each) => each.closest(".zone, .hand")).find(Boolean) || null;
    const spot = nearest(parts.stage.querySelectorAll(".glows"), x, y, NEAR);
    const middle = parts.stage.querySelector(".centre");
    return spot || (nearest([middle], x, y, 1) ? middle : null);
  }

  function dropped(piece, there) {
    if (page.zones.length) {
      if (there.matches(".zone")) into(piece, there);
      else if (piece.gap) back(piece);
      splitSaid();
    } else if (page.composed) {
      if (!chosen.includes(piece)) compose(piece);
      const { played, thrown } = together();
      if (played) play(played.choices[0].action);
      else if (thrown && page.practice) play(thrown);
    } else if (there.dataset.play) play(there.dataset.play);
    else {
      const moves = movesOf(piece.dataset.tile);
      const ways = moves.flatMap((move) => move.choices);
      if (ways.length === 1 && !ways[0].goes && !ways[0].ghost) play(ways[0].action);
      else choose(piece, moves);
    }
  }

  function draggable(piece) {
    let begun = null;
    let picture = null;
    const over = (event) => {
      const there = target(piece, event.clientX, event.clientY);
      for (const each of parts.stage.querySelectorAll(".glows, .zone")) each.classList.toggle("over", each === there);
      return there;
    };
    const end = (event, let_go) => {
      begun = null;
      if (!picture) return;
      picture.remove();
      picture = null;
      piece.dragged = true;
      setTimeout(() => { piece.dragged = false; }); // after the click
      const there = let_go ? over(event) : null;
      for (const each of parts.stage.querySelectorAll(".over")) each.classList.remove("over");
      if (there) dropped(piece, there);
      else if (!page.zones.length && !page.composed) rest();
    };
    piece.addEventListener("pointerdown", (event) => {
      if (event.button || root.classList.contains("replaying")) return;
      begun = event;
      piece.setPointerCapture(event.pointerId);
    });
    piece.addEventListener("pointermove", (event) => {
      if (!begun || (!picture && Math.hypot(event.clientX - begun.clientX, event.clientY - begun.clientY) <= FAR)) return;
      if (!picture) {
        if (!piece.classList.contains("live")) return;
        if (!page.zones.length && !page.composed) choose(piece, movesOf(piece.dataset.tile));
        const { width, height } = piece.getBoundingClientRect();
        picture = el("div", { class: "dragged", "--w": `${width}px`, "--h": `${height}px` }, drawnTile(piece.dataset.tile));
        document.body.append(picture);
      }
      put(picture, { "--x": `${event.clientX}px`, "--y": `${event.clientY}px` }, []);
      over(event);
    });
    piece.addEventListener("pointerup", (event) => end(event, true));
    piece.addEventListener("pointercancel", (event) => end(event, false));
  }

  // --- the bar --------------------------------------------------------------------------------------------

  function bar() {
    parts.say = el("p", { class: "say", role: "status" });
    parts.choices = el("div", { class: "choices" });
    const key = (letter, text, press, more = {}) => button([text, " ", el("kbd", {}, letter)], press, { "data-key": letter, ...more });
    const tools = el("div", { class: "tools" });
    if (page.undo !== null) tools.append(key("u", words("undo"), () => ask(page.undo, wishes())));
    if (page.practice && !page.over) {
      const number = page.hint ? page.hint.next : 1;
      if (number) tools.append(key("h", !page.hint ? words("hint") : page.hint.last ? words("best_move") : words("next_hint"), () => hint(number)));
      tools.append(key("o", words(page.unseen ? "close" : "unseen"), () => ask(page.address, wishes(page.unseen ? {} : { unseen: "1" }), "replace")));
    }
    if (!page.over) tools.append(key("s", words("sort"), sortOtherwise, { "aria-pressed": String(byPips), title: words("sort_how") }));
    tools.append(button(words("more"), () => open(!parts.side.classList.contains("open")), { class: "more", "aria-expanded": "false" }));
    return el("section", { class: "bar", "aria-label": words("moves") }, parts.say, parts.choices, tools);
  }

  const hint = (number) => ask(page.address, wishes({
    hint: String(number), ...(page.hint?.waits || page.plain ? { plain: "1" } : {}), ...(!page.hint || page.hint.last ? { rough: "1" } : {}) }), "replace"); // first by a quick search, then, in `await_`, by a longer one

  // --- the side -------------------------------------------------------------------------------------------

  const section = (name, heading, ...children) => el("section", { class: name }, heading ? el("h2", {}, heading) : "", ...children);
  const paragraphs = (texts, more = {}) => texts.filter(Boolean).map((text) => el("p", more, ...rich(text)));
  const score = () => el("table", {}, page.seats.map(({ name, player, won }) => el("tr", {}, el("td", {}, player ? `${name}${words("colon")}${player}` : name), el("td", {}, won))));

  function drawSide(asked) {
    const { side } = parts;
    const news = [];
    page.frames.forEach(({ end }, at) => {
      if (!end) return;
      const over = page.over && at === page.frames.length - 1;
      const inner = [
        el("ul", { class: "reasons" }, end.reasons.map((reason) => el("li", {}, ...rich(reason)))), ...paragraphs(end.yours),
        end.others.length ? el("details", {}, el("summary", {}, words("others_pay")), ...paragraphs(end.others)) : "",
      ];
      news.push(over ? section("over", words("over"), el("p", { class: "winner" }, ...rich(end.winner)), ...inner)
        : el("details", { class: "end", "data-frame": at, open: true }, el("summary", {}, ...rich(words("last_deal", end.winner))), ...inner,
          el("table", {}, end.paid.map(([name, chips]) => el("tr", {}, el("td", {}, name), el("td", {}, chips))))));
    });
    if (page.mistake.length) news.push(section("coach", words("coach"), ...paragraphs(page.mistake)));
    else if (page.coach_waits) news.push(section("coach", "", ...paragraphs([`${words("coach_waits")} ${page.coach_waits}`], { class: "quiet" })));
    news.push(...page.lessons.map((lesson) => el("p", { class: "lesson" }, ...rich(lesson))));
    if (page.hint) {
      const { sentences, how_found, next, waits, rough } = page.hint;
      news.push(el("section", { class: "hint", id: "hint", role: "status", "aria-busy": rough ? "true" : null }, ...paragraphs(sentences),
        ...paragraphs([how_found || (waits ? `${next ? "" : words("values_follow")} ${waits}` : "")], { class: "quiet" })));
    }
    if (page.puzzle) news.push(puzzle());
    if (page.unseen) news.push(unseen());
    const tail = page.frames.map(({ words: text, end }, at) => (at && page.frames[at - 1].words === text && !end ? "" : el("li", { "data-frame": at, class: end ? "count" : null }, ...rich(text, false))));
    side.replaceChildren(
      button("×", () => open(false), { class: "close", "aria-label": words("close") }),
      el("div", { class: "news" }, news),
      el("div", { class: "rest" },
        el("ol", { class: "tail", "aria-label": words("happened") }, tail),
        page.moves.length ? lists() : "",
        page.at === null ? "" : el("p", { class: "quiet" }, words("look_away", page.place)),
        section("score", words("score"), score()),
        el("details", { class: "about", open: page.first }, el("summary", {}, words("how", page.title)), el("p", {}, ...rich(page.goal)),
          el("dl", {}, described(page.terms, false)),
          el("p", {}, linked("rules")),
          el("details", {}, el("summary", {}, words("options")), el("dl", { class: "options" }, page.options.map(({ name, choice, help }) => [el("dt", {}, `${name}${words("colon")}${choice}`), el("dd", { class: "quiet" }, help)])))),
        el("p", {}, !page.puzzle && page.practice && !page.over ? button(words(page.coach ? "coach_off" : "coach_on"), () => ask(page.other_coach, wishes())) : "", " ",
          page.puzzle ? "" : linked("begin")),
        el("p", { class: "quiet" }, `${page.deal} ${words("keep")}`)),
    );
    side.classList.toggle("auto", news.length > 0 && page.puzzle?.solved !== false);
    side.classList.remove("open");
    if (asked?.unseen) side.querySelector("#unseen")?.scrollIntoView({ block: "nearest" });
  }

  const linked = (name, page_ = page, text = words(name, "best"), more = "") => (source.link(name, page_) ? el("a", { class: `button ${more}`, href: source.link(name, page_) }, text) : "");

  function puzzle() {
    const { title, rating, missed, sentences, solved, again, next } = page.puzzle;
    return section("puzzle", [title, el("span", { class: "stars" }, rating)], ...paragraphs(sentences), ...paragraphs([missed], { class: "quiet" }),
      el("p", {}, solved ? linked("table", { address: again }, words("try")) : "", next ? linked("table", { address: next }, words("next_puzzle")) : ""));
  }

  // What can be done with a game that is over.
  function after() {
    const save = button(words("save"), () => {
      const saved = el("a", { href: URL.createObjectURL(new Blob([page.record], { type: "application/x-ndjson" })), download: `${page.game}-${page.seed}.jsonl` });
      saved.click();
      setTimeout(() => URL.revokeObjectURL(saved.href), 10_000);
    });
    return [page.replay ? "" : linked("review"), linked("duplicate"), save].filter(Boolean);
  }

  function lists() {
    const headings = [...new Set(page.moves.map((move) => move.heading))];
    return el("div", { class: "moves" }, headings.map((heading) => {
      const lines = page.moves.filter((move) => move.heading === heading).map((move) => el("li", { class: move.best ? "best" : null },
        el("kbd", {}, String(move.number)), move.question ? el("span", {}, ...rich(`${move.words}${words("colon")}`, false)) : "",
        move.choices.map((choice) => button(rich(choice.words, false), () => play(choice.action), {
          "data-number": move.number, "data-action": choice.action, "aria-label": move.question ? `${move.words}${words("colon")}${choice.words}` : null })),
        move.value ? el("span", { class: "worth" }, move.value) : ""));
      const list = el("ol", { class: "choices" }, lines);
      if (page.zones.length && lines.length > 6) return section("", heading, el("details", { open: Boolean(page.hint?.how_found || page.hint?.waits) }, el("summary", {}, words("splits", lines.length)), list));
      return section("", heading, list);
    }));
  }

  function unseen() {
    const { heads, rows, judged, telling, explained } = page.unseen;
    if (!rows.length) return el("section", { id: "unseen" }, el("h2", {}, words("unseen")), el("p", {}, words("unseen_none")));
    return el("section", { id: "unseen" }, el("h2", {}, words("unseen")), el("div", { class: "scrolls", tabindex: "0" }, el("table", { class: "unseen" },
      el("tr", {}, el("th", { scope: "col" }, words("tile")), heads.map((head) => el("th", { scope: "col" }, head)), el("th", { scope: "col" }, words("nobody"))),
      rows.map(([tile, shares], row) => el("tr", {}, el("th", { scope: "row" }, ...rich(tile, false)), shares.map((share, place) => el("td", { "--share": `${share}%` }, `${share}%`, judged[row]?.[place] === undefined ? "" : el("b", {}, ` ${judged[row][place]}%`))))))),
    telling.map((move) => el("p", {}, move)), el("p", { class: "quiet" }, [words("unseen_about"), ...explained].join(" ")));
  }

  function open(whole) {
    parts.side.classList.toggle("open", whole);
    if (!whole) parts.side.classList.remove("auto");
    parts.bar.querySelector(".more").setAttribute("aria-expanded", String(whole));
  }

  // A hint of a player stands until the search is ready; then its own comes in its place, and after values of a quick
  // search those of a longer one.
  function await_(asked) {
    const soon = page.hint?.rough;
    if (!page.hint?.waits && !page.coach_waits && !soon) return;
    polling = setTimeout(async () => {
      const { address } = page;
      const { hint: shown } = page; // where nothing follows without a search, all is asked for
      const wish = shown?.waits ? { ...asked, plain: "1", hint: String(shown.next ? shown.number : shown.most) } : asked;
      const found = await source.document(address, wish).catch(() => null);
      if (busy || page.address !== address) return;
      if (found && !found.pass) {
        const news = JSON.stringify([found.hint, found.mistake]) !== JSON.stringify([page.hint, page.mistake]);
        Object.assign(page, { hint: found.hint, moves: found.moves, marked: found.marked, mistake: found.mistake, coach_waits: found.coach_waits, plain: page.plain || Boolean(shown?.waits) });
        if (news) {
          explained = new Set();
          drawSide(asked);
          for (const each of parts.stage.querySelectorAll("button.tile")) each.classList.toggle("think", page.marked.includes(each.dataset.tile));
        }
      } else if (soon) page.hint.rough = false;
      await_(asked);
    }, soon ? 0 : AGAIN);
  }

  // --- a game that is looked at ---------------------------------------------------------------------------

  function drawReplay(asked) {
    let before = { places: [], closed: [] };
    for (const each of page.frames) { // what is as it was a table before is not written
      const { scene } = each;
      scene.places = scene.places.map((seat, index) => seat || before.places[index]);
      each.closed = each.closed.map((seat, index) => seat || before.closed[index]);
      before = { places: scene.places, closed: each.closed };
    }
    root.classList.add("replay");
    const controls = [["first", "⇤", () => 0], ["back", "←", () => shown - 1], ["next", "→", () => shown + 1], ["last", "⇥", () => page.frames.length - 1]];
    const stepped = controls.map(([name, sign, to]) => button(sign, () => goTo(to()), { class: name, "aria-label": words(name) }));
    parts = {
      stage: el("section", { class: "stage", "aria-label": words("table") }), say: el("p", { class: "say", role: "status" }),
      slider: el("input", { type: "range", min: 0, max: page.frames.length - 1, "aria-label": words("move"), autocomplete: "off", input: () => goTo(Number(parts.slider.value)) }),
      turn: el("section", { class: "turn" }), judged: el("div", { class: "judged" }), side: el("aside", { class: "side" }),
    };
    const switches = page.places.map((name, seat) => el("label", {}, el("input", { type: "checkbox", checked: !closed.has(seat), autocomplete: "off", change: (event) => {
      closed[event.target.checked ? "delete" : "add"](seat);
      goTo(shown);
    } }), name));
    parts.bar = el("section", { class: "bar", "aria-label": words("steps") }, parts.say, el("div", { class: "choices" }, stepped, parts.slider),
      el("fieldset", { class: "tools" }, el("legend", {}, words("open")), switches));
    parts.steps = page.frames.map(({ number, words: text }, at) => el("li", {}, button([number ? el("b", {}, number) : "", " ", ...rich(text, false)], () => goTo(at), { class: "step" })));
    put(parts.side, {}, [
      source.judges ? [el("p", { class: "result" }, ...rich(page.result)), parts.turn] : "",
      el("ol", { class: "steps", tabindex: "0", "aria-label": words("steps") }, parts.steps), parts.judged, source.judges ? el("p", { class: "after" }, after()) : "",
    ]);
    root.replaceChildren(...headed(), parts.stage, parts.bar, parts.side);
    goTo(page.frames.findIndex(({ number }) => number === asked?.move));
    if (source.judges) judge();
  }

  // Show another table of the game.
  function goTo(to) {
    shown = Math.max(0, Math.min(page.frames.length - 1, to));
    const { scene, closed: hidden, words: text } = page.frames[shown];
    parts.stage.replaceChildren(table({ ...scene, places: scene.places.map((seat, index) => (closed.has(index) ? hidden[index] : seat)) }, false));
    say(text);
    parts.slider.value = shown;
    for (const name of ["first", "back"]) parts.bar.querySelector(`.${name}`).disabled = shown === 0;
    for (const name of ["next", "last"]) parts.bar.querySelector(`.${name}`).disabled = shown === page.frames.length - 1;
    parts.side.querySelector("[aria-current]")?.removeAttribute("aria-current");
    parts.steps.forEach((each, at) => put(each.firstChild, at === shown ? { "aria-current": "step" } : {}, []));
    const list = parts.steps[shown].parentElement;
    list.scrollTop = Math.max(Math.min(list.scrollTop, parts.steps[shown].offsetTop), parts.steps[shown].offsetTop + parts.steps[shown].offsetHeight - list.clientHeight);
    const { number } = page.frames[shown];
    place.write(page, number ? { move: number } : {}, "replace");
    if (source.judges) explain();
  }

  async function judge(agent = "") {
    const mine = page;
    try {
      const found = await source.document(page.address, { values: "1", ...(agent ? { agent } : {}) });
      if (page !== mine) return;
      page.values = found;
      drawJudged();
      explain();
    } catch (problem) {
      if (page !== mine) return;
      parts.turn.replaceChildren(...paragraphs([problem.message], { class: problem.waits ? "quiet" : "wrong" }));
      if (problem.waits) polling = setTimeout(judge, AGAIN, agent);
    }
  }

  // Say what could have been done at the table that is shown: of the move after it.
  function explain() {
    const turn = page.values?.turns[page.frames[shown + 1]?.number];
    explained = new Set();
    parts.judged.querySelector(".cursor")?.setAttribute("transform", `translate(${parts.across?.(Number(page.frames[shown].number) || 0) || 0} 0)`);
    if (!turn) {
      const text = page.values ? (shown + 1 < page.frames.length ? words("no_choice") : "") : `${words("looking")} …`;
      parts.turn.replaceChildren(...paragraphs([text], { class: "quiet", role: "status" }));
      return;
    }
    const ends = turn.bars.flatMap(({ mean, half }) => (mean === null ? [] : [mean - half, mean + half]));
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const across = (value) => (6 + 84 * (value - low) / (high - low || 1)).toFixed(1);
    parts.turn.replaceChildren(
      el("h2", {}, words("turn", page.frames[shown + 1].number, turn.name), words("colon"), ...rich(turn.words, false)),
      ...turn.sentences.map((text) => el("p", { class: turn.lost ? "mistake" : null }, ...rich(text))),
      el("div", { class: "scrolls", tabindex: "0" }, el("table", {}, turn.bars.map(({ words: text, chips, mean, half, played, share }) => el("tr", { class: played ? "played" : null },
        el("td", {}, ...rich(text, false), played ? ` ${words("played")}` : ""), share ? el("td", {}, share) : "",
        el("td", {}, mean === null ? "" : svg("svg", { class: "strip", viewBox: "0 0 96 16", "aria-hidden": "true" },
          svg("line", { x1: across(mean - half), x2: across(mean + half), y1: 8, y2: 8 }), svg("circle", { cx: across(mean), cy: 8, r: 4 }))),
        el("td", { class: "worth" }, chips))))),
      linked("table", { address: turn.again }, words("try")),
    );
  }

  function drawJudged() {
    const { values } = page;
    const to = (number) => goTo(page.frames.findIndex((each) => each.number === number) - 1);
    const [before, behind] = page.labels.policy.split("{0}");
    const table_ = (heads, rows) => el("div", { class: "scrolls", tabindex: "0" }, el("table", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col" }, words(name)))), rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell))))));
    const losses = values.losses.map((number) => {
      const { name, words: text, lost } = values.turns[number];
      return el("li", {}, button(rich(words("loses", `${words("turn", number, name)}${words("colon")}${text}`, lost), false), () => to(number), { class: "step" }));
    });
    parts.judged.replaceChildren(
      ...(values.curve.length ? [el("h2", {}, words("expected", values.near)), curve(values.curve), ...paragraphs([values.how_expected], { class: "quiet" })] : []),
      section("losses", words("largest"), losses.length ? el("ol", {}, losses) : el("p", {}, words("no_loss"))),
      section("seats", words("by_player"), table_(["player", "decisions", "lost", "by_kind"], values.seats)),
      values.luck.length ? section("luck", words("luck"), table_(["seat", "won", "tiles", "adjusted"], values.luck), ...paragraphs([values.how_lucky], { class: "quiet" })) : "",
      ...paragraphs([values.how_found], { class: "quiet" }),
      el("p", {}, el("label", {}, before, el("select", { change: (event) => judge(event.target.value) },
        [["", words("nobody_asked")], ...values.agents].map(([name, text]) => el("option", { value: name, selected: name === values.agent }, text))), behind)),
    );
  }

  // What a seat could expect after each of its moves, with the 95% interval, as a curve over the game.
  function curve(points) {
    const [width, height, left, bottom] = [480, 170, 44, 22];
    const last = Math.max(...points.map(([move]) => move), 1);
    const ends = [0, ...points.flatMap(([, chips, half]) => [chips - half, chips + half])];
    const unit = 10 ** Math.floor(Math.log10(Math.max(Math.max(...ends) - Math.min(...ends), 1e-6) / 2));
    const by = [1, 2, 5, 10].map((times) => times * unit).find((size) => (Math.max(...ends) - Math.min(...ends)) / size <= 4) || 10 * unit;
    const [low, high] = [Math.floor(Math.min(...ends) / by) * by, Math.max(Math.ceil(Math.max(...ends) / by) * by, by)];
    const x = (move) => Number((left + (width - left - 8) * move / last).toFixed(1));
    const y = (chips) => Number((8 + (height - bottom - 8) * (high - chips) / (high - low)).toFixed(1));
    const path = (list) => list.map(([move, chips]) => `${x(move)},${y(chips)}`).join(" ");
    const lines = Array.from({ length: Math.round((high - low) / by) + 1 }, (_, at) => low + at * by);
    const falls = points.slice(1).flatMap((point, at) => (points[at][0] === point[0] && point[1] < points[at][1] && point[2] ? [point] : []));
    parts.across = x;
    return svg("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words("expected", page.values.near), click: (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const move = Math.round(((event.clientX - box.left) / box.width * width - left) / (width - left - 8) * last);
      goTo(page.frames.findLastIndex((each) => Number(each.number) <= move));
    } },
    lines.map((chips) => [svg("line", { class: Math.abs(chips) < by / 2 ? "zero" : "grid", x1: left, x2: width - 8, y1: y(chips), y2: y(chips) }),
      svg("text", { x: left - 6, y: y(chips) + 4, "text-anchor": "end" }, String(Number(chips.toPrecision(6))))]),
    svg("text", { x: width - 8, y: height - 4, "text-anchor": "end" }, `${words("move")} ${last}`),
    svg("polygon", { class: "band", points: `${path(points.map(([move, chips, half]) => [move, chips + half]))} ${path(points.map(([move, chips, half]) => [move, chips - half]).reverse())}` }),
    svg("polyline", { class: "means", points: path(points) }),
    falls.map(([move, chips]) => svg("circle", { class: "fall", cx: x(move), cy: y(chips), r: 5 })),
    svg("line", { class: "cursor", x1: 0, x2: 0, y1: 4, y2: height - bottom }));
  }

  // --- keyboard and pointer -------------------------------------------------------------------------------

  function mark(number) {
    for (const each of root.querySelectorAll(".moves button, button.tile")) {
      each.classList.toggle("typed", Boolean(number) && (each.dataset.number === number || (each.dataset.numbers || "").split(" ").includes(number)));
    }
  }

  function pick(number) {
    const move = page.moves.find((each) => String(each.number) === number);
    if (!move) return;
    for (const each of chosen) each.classList.remove("chosen");
    chosen = [];
    glow([move]);
    say(move.question || `${number}: ${move.name}`);
    offer(buttonsOf(move));
    parts.choices.querySelector("button")?.focus();
    mark(number);
  }

  addEventListener("keydown", (event) => {
    if (!page?.frames || busy || active !== root || event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
    if (page.replay) {
      const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: page.frames.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      goTo(to);
      return;
    }
    if (!place.titled && !root.contains(document.activeElement)) return; // the keys are those of the page
    const replaying = root.classList.contains("replaying");
    if (replaying && /^([0-9]|Arrow.*|Escape)$/.test(event.key)) {
      frame(page.frames.length - 1);
      if (event.key === "Escape") return;
    }
    if (/^[0-9]$/.test(event.key)) {
      clearTimeout(forget);
      forget = setTimeout(() => { typed = ""; }, AGAIN);
      typed += event.key;
      if (!page.moves.some((move) => String(move.number) === typed)) typed = event.key;
      pick(typed);
      return;
    }
    if (event.key === "Escape") {
      if (parts.side.matches(".open, .auto")) open(false);
      rest();
      return;
    }
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step && page.moves.length && !event.target.closest(".side")) {
      const at = Number(parts.choices.querySelector("[data-number]:focus")?.dataset.number || (step > 0 ? 0 : page.moves.length + 1));
      pick(String(((at + step - 1 + page.moves.length) % page.moves.length) + 1));
      event.preventDefault();
      return;
    }
    root.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  });
  root.addEventListener("click", (event) => {
    if (page?.replay || !parts.stage?.contains(event.target)) return;
    const spot = event.target.closest("[data-play]");
    parts.side.classList.remove("auto");
    if (root.classList.contains("replaying") && !root.classList.contains("counting")) frame(page.frames.length - 1);
    else if (spot) play(spot.dataset.play);
  });
  root.addEventListener("go", ({ detail }) => goTo(page.frames.findIndex(({ number }) => number === String(detail))));
  place.follow((address, wish) => ask(address, wish, "none"));
  const { address, wish } = place.read();
  ask(address, wish, "first");
}
