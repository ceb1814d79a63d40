// One game in one file: its rules, players and words come with it, and nothing is asked of anybody.
import { Game } from "./engine.js";
import { Catalogue, NullTranslations, TRANSLATIONS, dict } from "./runtime.js";
import { document_of, error_in } from "./game.js";
import { show } from "./page.js";

const ENGLISH = "en";
const WISHES = ["play", "at", "hint", "plain", "unseen"];
const parts = JSON.parse(document.getElementById("parts").textContent);
const main = document.querySelector("main");
const chosen = navigator.languages.map((each) => each.toLowerCase()).find((each) => /^(en|zh)/.test(each)) || ENGLISH;
let language = chosen.startsWith("en") ? ENGLISH : /^zh-(hant|tw|hk|mo)/.test(chosen) ? "zh-Hant" : "zh-Hans";

// What is packed in the file, as bytes.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const words = () => parts.words[language];

const source = {
  async document(address, wish) {
    await new Promise((next) => { setTimeout(next); }); // a sign of life first
    TRANSLATIONS.set(language === ENGLISH ? new NullTranslations() : new Catalogue(language, parts.catalogues[language]));
    const query = new URLSearchParams(address);
    if (!query.get("game")) query.set("game", parts.game);
    for (const [name, value] of Object.entries(wish)) query.set(name, value);
    try {
      if (query.get("game") !== parts.game) throw new Error(words().other);
      if (query.toString().length > parts.most) throw new Error(words().long);
      return JSON.parse(JSON.stringify(document_of(dict([...query]))));
    } catch (problem) {
      throw new Error(error_in(problem.message || String(problem)));
    }
  },
  link: (name) => (name === "games" ? "#" : ""),
};

const place = {
  read() {
    const query = new URLSearchParams(location.hash.slice(1));
    const wish = Object.fromEntries(WISHES.filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
    for (const name of WISHES) query.delete(name);
    return { address: String(query), wish };
  },
  write(page, asked, how) {
    if (how === "none") return;
    const more = new URLSearchParams(asked);
    const at = `#${page.address}${String(more) ? `&${more}` : ""}`;
    if (how === "push") history.pushState(null, "", at);
    else history.replaceState(null, "", at);
  },
  follow(changed) {
    addEventListener("popstate", () => {
      const { address, wish } = place.read();
      changed(address, wish);
    });
    place.changed = changed;
  },
};

// A new game, today's deal and the languages.
function heads() {
  const nav = document.querySelector("nav");
  const begin = (words_) => { location.hash = new URLSearchParams(words_).toString(); };
  const today = new Date();
  const day = 10000 * today.getFullYear() + 100 * (today.getMonth() + 1) + today.getDate();
  const level = Object.assign(document.createElement("select"), { ariaLabel: words().players });
  for (const name of parts.levels) level.append(new Option(words().levels[name], name));
  const button = (text, press) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    made.addEventListener("click", press);
    return made;
  };
  const languages = Object.assign(document.createElement("span"), { className: "languages" });
  for (const [code, name] of Object.entries(parts.languages)) {
    if (code === language) continue;
    const other = button(name, () => {
      language = code;
      heads();
      const { address, wish } = place.read();
      place.changed(address, wish);
    });
    other.lang = code;
    languages.append(other);
  }
  const game = { game: parts.game };
  nav.replaceChildren(
    Object.assign(document.createElement("b"), { className: "mark", textContent: words().title }), level,
    button(words().begin, () => begin({ ...game, seed: String(Math.floor(Math.random() * 1e6)), with: level.value })),
    button(words().today, () => begin({ ...game, seed: String(day), with: level.value, practice: "0" })), languages);
}

try {
  const game = await Game.load(await unpacked(parts.wasm), parts.layout);
  for (const [file, text] of Object.entries(parts.networks)) game.add_network(file, new Uint8Array(await unpacked(text)));
  heads();
  show(main, source, place);
} catch (problem) {
  main.textContent = `${words().failed} ${problem.message || problem}`;
}
