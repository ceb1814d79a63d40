// The style sheet and the script of a file, which it holds packed: their hashes are in its policy, so that no other ones
// are taken.
import { unpacked } from "./packed.js";

async function load(element, id) {
  const text = new TextDecoder().decode(await unpacked(document.getElementById(id).textContent));
  document.head.append(Object.assign(document.createElement(element), { textContent: text }));
}

load("style", "sheet").then(() => load("script", "script")).catch((problem) => {
  document.querySelector("main").textContent = problem.message || String(problem);
});
