// The table of `gupai web`: its documents come from the server, and the address bar holds the game.
import { addressBar, queryOf, show } from "/static/page.js";

const pages = { games: "/", table: "/table?", review: "/table?", duplicate: "/duplicate?", rules: "/rules/", another: "/game/" };
const record = document.getElementById("record"); // of a game that is too long for an address

async function document_(address, wish) {
  const options = { headers: { accept: "application/json" } };
  const query = queryOf(address, wish);
  if (record) Object.assign(options, { method: "POST", body: queryOf(query, { games: JSON.parse(record.textContent) }) });
  const answer = await fetch(record ? "/document" : `/document?${query}`, options);
  const found = await answer.json().catch(() => ({ problem: `${answer.status} ${answer.statusText}` }));
  if (!found.problem) return found;
  throw Object.assign(new Error(found.problem), { waits: answer.status === 202 });
}

function link(name, page) {
  if (name === "games") return pages.games;
  if (name === "rules" || name === "another") return pages[name] + page.game;
  return page.address ? `${pages[name]}${page.address}${name === "review" ? "&review=1" : ""}` : "";
}

const place = addressBar(() => location.search, (words) => `/table?${words}`);
show(document.querySelector("main"), { document: document_, link, judges: true }, place);
