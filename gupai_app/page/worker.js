// The rules and players of one game, apart from the page that draws its table. The first message brings them, and each
// later one asks for a document: {query, language}. Every message is answered, with {problem} where that fails.
import { Game } from "./engine.js";
import { Catalogue, NullTranslations, TRANSLATIONS, dict } from "./runtime.js";
import { document_of, error_in } from "./game.js";

let parts;

// What is packed in the file, as bytes.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function load(brought) {
  parts = brought;
  const game = await Game.load(await unpacked(parts.wasm), parts.layout);
  for (const [file, text] of Object.entries(parts.networks)) game.add_network(file, new Uint8Array(await unpacked(text)));
}

function answer({ query, language }) {
  const catalogue = parts.catalogues[language]; // none of English
  TRANSLATIONS.set(catalogue ? new Catalogue(language, catalogue) : new NullTranslations());
  try {
    const asked = dict(query);
    if (asked.get("game") !== parts.game) throw new Error(parts.words[language].other);
    if (new URLSearchParams(query).toString().length > parts.most) throw new Error(parts.words[language].long);
    return JSON.parse(JSON.stringify(document_of(asked)));
  } catch (problem) {
    throw new Error(error_in(problem.message || String(problem)));
  }
}

onmessage = async ({ data }) => {
  try {
    postMessage({ document: data.query ? answer(data) : await load(data) });
  } catch (problem) {
    postMessage({ problem: problem.message || String(problem) });
  }
};
