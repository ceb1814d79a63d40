// The rules and players of one game, apart from the page that draws its table. The first message brings them, {parts, rules},
// one the network of the best player, {network}, when all of the file is there, and each other one asks for a document:
// {query, language}. The first one and questions are answered, with {problem} where that fails.
import { Game, MissingNetworkError, engine_of } from "./engine.js";
import { Catalogue, NullTranslations, TRANSLATIONS, dict } from "./runtime.js";
import { unpacked } from "./packed.js";
import { document_of, error_in } from "./game.js";

const HINTS = 3;
const WARMED = 40; // moves
const PAUSE = 30; // milliseconds between them

let parts;
let loaded; // when the rules are
let arrived; // what `network` waits for
const network = new Promise((resolve) => { arrived = resolve; });

async function load(brought, rules) {
  parts = brought;
  await Game.load(await unpacked(rules), parts.layout);
}

async function add(packed) {
  await loaded;
  if (packed) engine_of(parts.game).add_network(parts.network, new Uint8Array(await unpacked(packed)));
  arrived();
}

async function answer(question) {
  try {
    return tell(question);
  } catch (problem) {
    if (!(problem instanceof MissingNetworkError)) throw problem;
    await network; // the file is still arriving
    return tell(question);
  }
}

function tell({ query, language }) {
  const catalogue = parts.catalogues[language]; // none of English
  TRANSLATIONS.set(catalogue ? new Catalogue(language, catalogue) : new NullTranslations());
  return JSON.parse(JSON.stringify(document_of(dict(query))));
}

// What a browser runs for the first time is slow: while the person thinks, the deal that they see is played to its end
// once, with hints, and nothing is said of it.
let begun = false;
async function warm({ query, language }) {
  const asked = new Map([...query].filter(([name]) => name !== "play"));
  if (begun || asked.get("with")?.includes("search")) return;
  begun = true;
  for (let move = 0; move < WARMED; move++) {
    await new Promise((resolve) => { setTimeout(resolve, PAUSE); }); // what is asked meanwhile comes first
    const found = tell({ query: [...asked, ["hint", String(HINTS)], ["rough", "1"]], language });
    if (!found.moves?.length) return;
    for (const [name, value] of new URLSearchParams(found.address)) asked.set(name, value);
    asked.set("play", String(found.moves[0].choices[0].action));
  }
}

let last = Promise.resolve(); // questions are answered one after the other
onmessage = ({ data }) => {
  if (data.parts) last = loaded = load(data.parts, data.rules);
  else if (data.query) last = last.catch(() => null).then(() => answer(data));
  else return add(data.network);
  const { query } = data;
  return last.then((document) => {
    postMessage({ document });
    if (query) warm(data).catch(() => null);
  }, (problem) => postMessage({ problem: error_in(problem.message || String(problem)) }));
};
