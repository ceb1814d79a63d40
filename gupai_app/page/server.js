// Tables of `gupai web`: documents come from the server. The address bar holds the game where a page is nothing else.
import { addressBar, queryOf, show, within } from "/static/page.js";

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

const source = { document: document_, link, judges: true };
const parts = document.querySelectorAll(".game"); // of a page
for (const root of parts) show(root, source, within(root.dataset.address));
if (!parts.length) show(document.querySelector("main"), source, addressBar(() => location.search, (words) => `/table?${words}`));
