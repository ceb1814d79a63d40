"use strict";
// A tile of the hand is chosen by a click, or dragged: the places where it may go glow, and no other takes it.
const NEAR = 24; // pixels between a pointer and a place that takes the tile
const NEXT = 12; // pixels between a click and the tile that it means
const shown = () => [...document.querySelectorAll(".spot:not([hidden])")];

// Show the places of a tile, none for null; return whether there are any.
function offer(tile) {
  for (const spot of shown()) spot.setAttribute("hidden", "");
  if (!tile || !tile.dataset.goes) return false;
  const goes = tile.dataset.goes.split(" ").map((each) => each.split("="));
  for (const spot of tile.closest(".stage").querySelectorAll(".spot")) {
    const found = goes.find(([name]) => name === spot.dataset.spot);
    if (!found) continue;
    spot.querySelector("button").value = found[1];
    spot.removeAttribute("hidden");
  }
  return true;
}

// The button that is nearest to a point, if any is as near as that.
function nearest(buttons, x, y, near) {
  let [best, least] = [null, near];
  for (const button of buttons) {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const apart = Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0));
    if (apart < least) [best, least] = [button, apart];
  }
  return best;
}
const nearestSpot = (x, y) => nearest(shown().map((spot) => spot.querySelector("button")), x, y, NEAR)?.closest(".spot");

const composing = document.querySelector(".composer");
const hand = [...document.querySelectorAll("button.tile")];
for (const tile of composing ? [] : hand) {
  draggable(tile, tile.dataset.tile, {
    lift: () => offer(tile),
    over: (x, y) => {
      const there = nearestSpot(x, y);
      for (const spot of shown()) spot.classList.toggle("over", spot === there);
    },
    drop: (x, y) => {
      const there = x === undefined ? null : nearestSpot(x, y);
      if (there) there.querySelector("button").click();
      else offer(null);
    },
  });
}

// A click next to a tile means it.
document.querySelector(".stages").addEventListener("click", (event) => {
  if (event.target.closest("button") || document.querySelector(".replaying")) return;
  const tiles = [...document.querySelectorAll("button:is(.tile, .idle)")].filter((tile) => tile.checkVisibility());
  nearest(tiles, event.clientX, event.clientY, NEXT)?.click();
}, true); // before a click that skips the moves of the others has shown the tiles

// While the menu of a tile is open, the places glow too.
for (const menu of document.querySelectorAll(".menu")) {
  menu.addEventListener("toggle", (event) => {
    if (event.newState === "open") offer(hand.find((each) => each.getAttribute("popovertarget") === menu.id && each.checkVisibility()));
    // After the click on a place, which closes the menu first:
    else setTimeout(() => { if (!document.querySelector(".menu:popover-open")) offer(null); }, 300);
  });
}

// Tiles that are played together are chosen one after another; what they are is said, and only what is legal is played.
if (composing) {
  const [play, discard] = composing.querySelectorAll("button");
  const [said] = composing.querySelectorAll("[role=status]");
  const choices = [...document.querySelectorAll(".choices button")];
  const sorted = (tiles) => tiles.toSorted().join("");
  const find = (stage) => {
    const chosen = [...stage.querySelectorAll("button.tile[aria-pressed=true]")];
    const tiles = chosen.map((each) => each.dataset.tile);
    const played = choices.find((each) => each.dataset.groups && sorted(each.dataset.groups.match(/../g)) === sorted(tiles));
    const thrown = chosen.map((each) => Number(each.dataset.discard));
    const legal = thrown.length === Number(composing.dataset.discards) && thrown.every((each) => each >= 0);
    const { none, wrong, spare } = composing.dataset;
    said.textContent = played ? played.dataset.makes : !tiles.length ? none : legal ? spare : wrong;
    play.disabled = !played;
    play.value = played ? played.value : "";
    discard.disabled = !legal;
    discard.value = thrown.toSorted((one, other) => one - other).join(".");
    composing.scrollIntoView({ block: "nearest" });
  };
  for (const tile of hand) {
    tile.setAttribute("aria-pressed", "false");
    tile.addEventListener("click", (event) => {
      event.preventDefault();
      tile.setAttribute("aria-pressed", String(tile.getAttribute("aria-pressed") === "false"));
      find(tile.closest(".stage"));
    });
  }
  composing.hidden = false;
}
