"use strict";
// The page works without this; here are the moves one after another, and the keyboard.
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
  root.classList.toggle("replaying", frame < last); // what is to be done now, and the score, wait for the picture
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
const seen = `seen ${location.search.replace(/[&?](hint|unseen)=\d+/g, "")}`;
const count = tail.findIndex((line) => line.classList.contains("count"));
if (last > 0 && !sessionStorage.getItem(seen)) show(quick ? (count >= 0 && count < last ? count : last) : 0);
try {
  if (sessionStorage.length > 400) sessionStorage.clear();
  sessionStorage.setItem(seen, "1");
} catch { /* the moves are shown once more */ }
const skip = () => { if (root.classList.contains("replaying") && !root.classList.contains("counting")) show(last); };
for (const each of [stages, root.querySelector(".skip button")]) each.addEventListener("click", skip);

// A second click while the first is answered does nothing.
let sent = false;
document.getElementById("moves").addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => { sent = false; });

// A hint is that of a player until the search is compiled; then its own comes in its place, and the list stays.
const hint = root.querySelector(".hint[data-until]");
async function follow() {
  const answer = await fetch(hint.dataset.until).catch(() => null);
  if (!answer || answer.status !== 200) {
    setTimeout(follow, 2000);
    return;
  }
  const found = new DOMParser().parseFromString(await answer.text(), "text/html");
  const lines = found.querySelectorAll(".now .choices li");
  root.querySelectorAll(".now .choices li").forEach((line, at) => {
    line.className = lines[at].className;
    line.querySelector(".worth")?.remove();
    line.append(lines[at].querySelector(".worth") || "");
  });
  hint.replaceChildren(...found.querySelector(".hint").childNodes);
  const marked = new Set([...found.querySelectorAll(".think")].map((tile) => tile.dataset.tile));
  for (const tile of stages.querySelectorAll("[data-tile]")) tile.classList.toggle("think", marked.has(tile.dataset.tile));
}
if (hint) setTimeout(follow, 2000);

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
  if (/^([0-9]|Arrow.*|Escape)$/.test(event.key)) skip();
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
      for (let folded = found.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
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
});
