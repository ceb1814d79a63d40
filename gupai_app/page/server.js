// The table of `gupai web`: its documents come from the server, and the address bar holds the game.
import { show } from "/static/page.js";

const WISHES = ["play", "at", "hint", "plain", "unseen"];
const pages = { games: "/", review: "/review/game?", duplicate: "/duplicate?", rules: "/rules/", another: "/game/" };

const base = location.pathname; // "/table" or "/puzzle"

async function document_(address, wish) {
  const query = new URLSearchParams(address);
  for (const [name, value] of Object.entries(wish)) query.set(name, value);
  const answer = await fetch(`${base === "/puzzle" ? "/puzzle" : ""}/document?${query}`, { headers: { accept: "application/json" } });
  const found = await answer.json().catch(() => ({ problem: `${answer.status} ${answer.statusText}` }));
  if (!found.problem) return found;
  throw Object.assign(new Error(found.problem), { waits: answer.status === 202 });
}

function link(name, page) {
  if (name === "games") return pages.games;
  return pages[name] + (pages[name].endsWith("?") ? page.address : page.game);
}

const place = {
  read() {
    const query = new URLSearchParams(location.search);
    const wish = Object.fromEntries(WISHES.filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
    for (const name of WISHES) query.delete(name);
    return { address: String(query), wish };
  },
  write(page, asked, how) {
    if (how === "none" || base === "/puzzle") return;
    const more = new URLSearchParams(asked);
    const at = `${base}?${page.address}${String(more) ? `&${more}` : ""}`;
    if (how === "push") history.pushState(null, "", at);
    else history.replaceState(null, "", at);
  },
  follow(changed) {
    addEventListener("popstate", () => {
      const { address, wish } = place.read();
      changed(address, wish);
    });
  },
};

show(document.querySelector("main"), { document: document_, link }, place);
