"use strict";
// The page works without this; here are the moves one after another, the keyboard, and splits made tile by tile.
const root = document.querySelector(".playing");
const stages = root.querySelector(".stages");
const tail = [...root.querySelectorAll(".tail li")];
const last = Number(root.dataset.last);
const quick = matchMedia("(prefers-reduced-motion: reduce)").matches;
const PACE = 900;
const ends = [...root.querySelectorAll("details.end")]; // how deals before this one came out
let timer = 0;

function show(frame) {
  clearTimeout(timer);
  stages.classList.toggle("moving", frame < last);
  for (const stage of stages.children) stage.classList.toggle("now", Number(stage.dataset.frame) === frame);
  tail.forEach((line) => line.classList.toggle("later", Number(line.dataset.frame) > frame));
  const ended = ends.find((each) => Number(each.dataset.frame) === frame);
  for (const each of ends) each.open = each === ended;
  root.classList.toggle("counting", Boolean(ended)); // the moves of the next deal are not shown with the last result
  if (ended) {
    const on = ended.querySelector(".on");
    on.hidden = false;
    on.firstElementChild.onclick = () => {
      on.hidden = true;
      show(frame + 1);
    };
    on.firstElementChild.focus({ preventScroll: true });
  } else if (frame < last) timer = setTimeout(() => show(frame + 1), PACE);
}
const seen = `seen ${location.search.replace(/[&?]hint=1/, "")}`;
const count = tail.findIndex((line) => line.classList.contains("count"));
if (last > 0 && !sessionStorage.getItem(seen)) show(quick ? (count >= 0 && count < last ? count : last) : 0);
try {
  if (sessionStorage.length > 400) sessionStorage.clear();
  sessionStorage.setItem(seen, "1");
} catch { /* the moves are shown once more */ }
stages.addEventListener("click", () => { if (stages.classList.contains("moving") && !root.classList.contains("counting")) show(last); });

// While the menu of a bait is open, the fish that it catches glow, and a click on one plays it.
for (const menu of document.querySelectorAll(".menu")) {
  menu.addEventListener("toggle", (event) => {
    const caught = new Map([...menu.querySelectorAll("button[data-fish]")].map((each) => [each.dataset.fish, each.value]));
    const change = () => {
      for (const fish of root.querySelectorAll("button.fish")) {
        if (!caught.has(fish.dataset.fish)) continue;
        fish.value = caught.get(fish.dataset.fish);
        fish.hidden = !menu.matches(":popover-open");
      }
    };
    if (event.newState === "open") change();
    else setTimeout(change, 300); // after the click on a fish, which closes the menu first
  });
}

// A second click while the first is answered does nothing.
let sent = false;
document.getElementById("moves").addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => { sent = false; });

// --- keyboard --------------------------------------------------------------------------------------
const buttons = [...root.querySelectorAll(".choices button")];
let typed = "";
let forget = 0;

function mark(number) {
  for (const each of buttons) each.classList.toggle("typed", each.dataset.number === number);
  for (const each of document.querySelectorAll("button.tile")) each.classList.toggle("typed", each.dataset.numbers.split(" ").includes(number));
}

addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  if (/^[0-9]$/.test(event.key)) {
    clearTimeout(forget);
    forget = setTimeout(() => { typed = ""; }, 1500);
    typed += event.key;
    let found = buttons.find((each) => each.dataset.number === typed);
    if (!found) {
      typed = event.key;
      found = buttons.find((each) => each.dataset.number === typed);
    }
    mark(typed);
    if (found) {
      const folded = found.closest("details");
      if (folded) folded.open = true;
      found.focus();
    }
    return;
  }
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step) {
    const open = buttons.filter((each) => each.offsetParent !== null);
    if (!open.length) return;
    const at = open.indexOf(document.activeElement);
    const next = open[at < 0 ? (step > 0 ? 0 : open.length - 1) : (at + step + open.length) % open.length];
    next.focus();
    mark(next.dataset.number);
    event.preventDefault();
    return;
  }
  const link = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
  if (link) link.click();
  if (event.key === "Escape" && stages.classList.contains("moving")) show(last);
});

// --- splits: tiles are put into groups by dragging, by touch or by clicks ---------------------------
const splitter = root.querySelector(".splitter");
if (splitter) {
  const splits = buttons.filter((each) => each.dataset.groups);
  const pairs = (group) => group.match(/../g) || [];
  const key = (groups) => {
    const found = groups.map((group) => [...group].sort().join(""));
    const even = found.every((group) => group.length > 2 && group.length === found[0].length);
    return (even ? found.sort() : found).join(" ");  // groups of as many tiles may come in any order
  };
  const byKey = new Map(splits.map((each) => [key(each.dataset.groups.split(" ").map(pairs)), each]));
  const sizes = splits[0].dataset.groups.split(" ").map((group) => pairs(group).length);
  const tiles = splits[0].dataset.groups.split(" ").flatMap(pairs).sort().reverse();
  const say = splitter.dataset; // in the language of the page
  const names = { 1: say.single, 2: say.pair, 3: say.triple };
  const zones = [[say.hand, tiles.length], ...sizes.map((size) => [size === 1 && sizes.lastIndexOf(1) > 0 ? say.one : sizes.lastIndexOf(2) > sizes.indexOf(2) ? say.two : names[size] || String(size), size])].map(([name, room]) => {
    const zone = document.createElement("div");
    Object.assign(zone, { className: "zone", tabIndex: 0, room });
    zone.dataset.name = name;
    zone.setAttribute("role", "group");
    zone.setAttribute("aria-label", name);
    return zone;
  });
  let chosen = null;
  const done = document.createElement("button");
  done.type = "button";
  done.className = "main";
  done.textContent = say.done;
  const inZone = (zone) => [...zone.children].map((each) => each.dataset.tile);
  const refresh = () => {
    for (const each of splitter.querySelectorAll(".piece")) each.setAttribute("aria-pressed", String(each === chosen));
    const found = byKey.get(key(zones.slice(1).map(inZone)));
    done.disabled = !found;
    done.onclick = () => found && found.click();
  };
  const put = (piece, zone) => {
    if (zone.children.length < zone.room || piece.parentElement === zone) zone.append(piece);
    else {
      const home = piece.parentElement;
      home.append(zone.lastElementChild);
      zone.append(piece);
    }
    chosen = null;
    refresh();
  };
  for (const zone of zones) {
    zone.onclick = () => { if (chosen) put(chosen, zone); };
    zone.onkeydown = (event) => { if (event.key === "Enter" && event.target === zone && chosen) put(chosen, zone); };
  }
  const zoneAt = (event) => document.elementsFromPoint(event.clientX, event.clientY).map((each) => each.closest(".zone")).find(Boolean);
  for (const tile of tiles) {
    const piece = document.createElement("button");
    piece.type = "button";
    piece.className = "piece";
    piece.dataset.tile = tile;
    piece.setAttribute("aria-label", `[${tile[0]}:${tile[1]}]`);
    piece.innerHTML = `<svg viewBox="-8 -8 116 245" aria-hidden="true"><use href="#g-u${tile}"/></svg>`;
    let begun = null;
    let dragged = false;
    piece.onpointerdown = (event) => {
      begun = event;
      dragged = false;
      piece.setPointerCapture(event.pointerId);
    };
    piece.onpointermove = (event) => {
      if (!begun) return;
      dragged ||= Math.hypot(event.clientX - begun.clientX, event.clientY - begun.clientY) > 6;
      if (dragged) for (const zone of zones) zone.classList.toggle("over", zone === zoneAt(event));
    };
    piece.onpointerup = (event) => {
      const zone = dragged && zoneAt(event);
      for (const each of zones) each.classList.remove("over");
      if (zone) put(piece, zone);
      begun = null;
    };
    piece.onclick = (event) => {
      event.stopPropagation();
      if (dragged) return;
      if (chosen && chosen !== piece && piece.parentElement !== chosen.parentElement) put(chosen, piece.parentElement);
      else {
        chosen = chosen === piece ? null : piece;
        refresh();
      }
    };
    zones[0].append(piece);
  }
  const row = document.createElement("div");
  row.className = "zones";
  row.append(...zones);
  const words = document.createElement("p");
  words.append(done, say.how);
  splitter.append(row, words);
  splitter.hidden = false;
  refresh();
}
