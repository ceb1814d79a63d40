"use strict";
const lists = JSON.parse(document.getElementById("parts").textContent); // the pieces of every part of a drawing
// Every game of the page: its moves are links that say which parts of the drawing their table is made of.
const games = [...document.querySelectorAll(".game")].map((root) => {
  const moves = [...root.querySelectorAll(".moves a")];
  const stages = [...root.querySelectorAll("svg.stage")];
  const said = root.querySelector(".said");
  const slider = root.querySelector("input[type=range]");
  const buttons = Object.fromEntries([...root.querySelectorAll("button")].map((each) => [each.name, each]));
  const switches = [...root.querySelectorAll(".seats input")];
  const game = { root, moves, at: 0 };
  const shown = (part) => {
    const hidden = switches.some((each) => !each.checked && part.slice(1).startsWith(`${each.value}-`));
    return part[0] === "o" ? !hidden : part[0] === "c" ? hidden : true;
  };
  game.show = (at) => {
    game.at = Math.max(0, Math.min(moves.length - 1, at));
    const move = moves[game.at];
    for (const stage of stages) {
      const parts = move.dataset[stage.dataset.layout].split(" ").filter(shown);
      const pieces = parts.flatMap((part) => lists[part.slice(part.indexOf("-") + 1)].split(" ").filter(Boolean));
      stage.replaceChildren(...pieces.map((piece) => document.getElementById(`p-${piece}`).firstChild.cloneNode(true)));
    }
    moves.forEach((each) => each.removeAttribute("aria-current"));
    move.setAttribute("aria-current", "step");
    const list = move.closest(".moves");
    const place = move.parentElement;
    if (place.offsetTop < list.scrollTop) list.scrollTop = place.offsetTop;
    const below = place.offsetTop + place.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below;
    said.textContent = move.textContent;
    slider.value = game.at;
    buttons.first.disabled = buttons.back.disabled = game.at === 0;
    buttons.next.disabled = buttons.last.disabled = game.at === moves.length - 1;
  };
  game.go = (at) => {
    game.show(at);
    history.replaceState(null, "", moves[game.at].getAttribute("href"));
  };
  buttons.first.onclick = () => game.go(0);
  buttons.back.onclick = () => game.go(game.at - 1);
  buttons.next.onclick = () => game.go(game.at + 1);
  buttons.last.onclick = () => game.go(moves.length - 1);
  slider.max = moves.length - 1;
  slider.oninput = () => game.go(Number(slider.value));
  switches.forEach((each) => { each.onchange = () => game.show(game.at); });
  return game;
});

let active = games[0];
for (const game of games) {
  for (const kind of ["pointerdown", "focusin"]) game.root.addEventListener(kind, () => { active = game; });
}

function follow() {
  for (const game of games) {
    const at = game.moves.findIndex((move) => move.getAttribute("href") === location.hash);
    if (at >= 0 && location.hash) {
      active = game;
      game.show(at);
      return;
    }
  }
}

// Where two ways to play a deal part, both boards show it.
addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a[data-parting]");
  if (!link) return;
  event.preventDefault();
  for (const game of games) {
    if (!link.closest(".pair").contains(game.root)) continue;
    const at = game.moves.findIndex((move) => move.getAttribute("href").endsWith(`-${link.dataset.parting}`));
    if (at >= 0) game.go(at);
  }
});
addEventListener("hashchange", follow);
addEventListener("keydown", (event) => {
  if (!active || event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input[type=range], select, textarea")) return;
  const to = { ArrowLeft: active.at - 1, ArrowRight: active.at + 1, Home: 0, End: active.moves.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  active.go(to);
});
for (const game of games) game.show(Number(game.root.dataset.at));
follow();
