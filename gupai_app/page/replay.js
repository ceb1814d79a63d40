// Games in a page, each a document in an element that steps through it; nothing is asked of anybody.
import { addressBar, show, within } from "./page.js";

for (const root of document.querySelectorAll(".game")) {
  const game = JSON.parse(root.textContent);
  const place = root.matches("main") ? addressBar(() => location.hash.slice(1), (words) => `#${words}`) : within();
  show(root, { document: async () => game, link: () => "" }, place);
}

// Where two ways to play a deal part, both boards show it.
addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-parting]");
  for (const game of link?.closest(".pair").querySelectorAll(".game") || []) game.dispatchEvent(new CustomEvent("go", { detail: link.dataset.parting }));
});
