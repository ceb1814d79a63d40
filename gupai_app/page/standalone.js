// One game in one file: nothing is asked of anybody. Its rules and players work apart from the page (`worker.js`), which
// stays awake while they search.
import { unpacked } from "./packed.js";
import { addressBar, queryOf, show } from "./page.js";

const ENGLISH = "en";
const textOf = (id) => document.getElementById(id).textContent;
let parts; // what the file holds besides its rules
let form = ""; // the address of the form that begins another table like the one that is shown
const main = document.querySelector("main");
const chosen = navigator.languages.map((each) => each.toLowerCase()).find((each) => /^(en|zh)/.test(each)) || ENGLISH;
let language = chosen.startsWith("en") ? ENGLISH : /^zh-(hant|tw|hk|mo)/.test(chosen) ? "zh-Hant" : "zh-Hans";

const asked = []; // what the worker has been asked and not answered yet: it answers one after the other
let worker;
const failed = (problem) => { main.textContent = problem; };
const answer = (question) => new Promise((resolve, reject) => {
  asked.push({ resolve, reject });
  worker.postMessage(question);
});

const source = {
  async document(address, wish) {
    const query = queryOf(address, wish);
    if (!query.get("game")) query.set("game", parts.game);
    const found = await answer({ query: [...query], language });
    form = found.begin || form;
    if (document.querySelector("nav").lang !== language) heads(found.heads);
    return found;
  },
  link: (name, { address, begin, game }) => ({ table: `#${address}`, begin: `#${begin}`, rules: `#game=${game}&rules=1`, review: `#${address}&review=1` }[name] || ""),
  front: "#",
  judges: true,
};

const place = addressBar(() => location.hash.slice(1), (words) => `#${words}`);

// A new game, today's deal, puzzles and the languages.
function heads(words) {
  const nav = document.querySelector("nav");
  nav.lang = language;
  const today = new Date();
  const day = 10000 * today.getFullYear() + 100 * (today.getMonth() + 1) + today.getDate();
  const button = (text, to) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    made.addEventListener("click", () => { location.hash = to(); });
    return made;
  };
  const languages = Object.assign(document.createElement("select"), { className: "languages", ariaLabel: words.language });
  for (const [code, name] of Object.entries(parts.languages)) languages.append(Object.assign(new Option(name, code, false, code === language), { lang: code }));
  languages.addEventListener("change", () => {
    language = languages.value;
    const { address, wish } = place.read();
    place.changed(address, wish);
  });
  const game = `game=${parts.game}`;
  nav.replaceChildren(
    Object.assign(document.createElement("b"), { className: "mark", textContent: words.title }),
    button(words.begin, () => form || `${game}&begin=1`),
    button(words.today, () => `${game}&seed=${day}&practice=0&begin=1`),
    parts.puzzles ? button(words.puzzles, () => `${game}&puzzle=${1 + Math.floor(Math.random() * parts.puzzles)}`) : "", languages);
}

async function start() {
  parts = JSON.parse(new TextDecoder().decode(await unpacked(textOf("parts"))));
  worker = new Worker(URL.createObjectURL(new Blob([parts.worker], { type: "text/javascript" })));
  worker.onerror = (event) => failed(event.message);
  worker.onmessage = ({ data }) => {
    const { resolve, reject } = asked.shift();
    if (data.problem) reject(new Error(data.problem));
    else resolve(data.document);
  };
  const loaded = answer({ parts, rules: textOf("rules") });
  const all = () => worker.postMessage({ network: textOf("network") }); // comes last in the file
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", all);
  else all();
  await loaded;
  document.body.insertAdjacentHTML("beforeend", parts.definitions);
  show(main, source, place);
}

start().catch((problem) => failed(problem.message || String(problem)));
