// The table of `gupai web`: its documents come from the server, and the address bar holds the game.
import { addressBar, queryOf, show } from "/static/page.js";

const pages = { games: "/", review: "/review/game?", duplicate: "/duplicate?", rules: "/rules/", another: "/game/" };

const base = location.pathname; // "/table" or "/puzzle"

async function document_(address, wish) {
  const answer = await fetch(`${base === "/puzzle" ? "/puzzle" : ""}/document?${queryOf(address, wish)}`, { headers: { accept: "application/json" } });
  const found = await answer.json().catch(() => ({ problem: `${answer.status} ${answer.statusText}` }));
  if (!found.problem) return found;
  throw Object.assign(new Error(found.problem), { waits: answer.status === 202 });
}

function link(name, page) {
  if (name === "games") return pages.games;
  return pages[name] + (pages[name].endsWith("?") ? page.address : page.game);
}

const place = addressBar(() => location.search, (words) => (base === "/puzzle" ? "" : `${base}?${words}`));
show(document.querySelector("main"), { document: document_, link }, place);
