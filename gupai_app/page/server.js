// Tables of `gupai web`: documents come from the server. The address bar holds the game where a page is nothing else.
import { addressBar, queryOf, show, within } from "/static/page.js";

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

function link(name, { address, begin, game }) {
  const words = { table: address, begin, rules: `game=${game}&rules=1`, review: address && `${address}&review=1`, duplicate: address }[name];
  return words && `/${name === "duplicate" ? name : "table"}?${words}`;
}

const source = { document: document_, link, front: "/", judges: true };
const parts = document.querySelectorAll(".game"); // of a page
for (const root of parts) show(root, source, within(root.dataset.address));
if (!parts.length) show(document.querySelector("main"), source, addressBar(() => location.search, (words) => `/table?${words}`));
