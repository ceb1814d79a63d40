// Keeps every page that was opened, so that it opens without a network; a newer one comes with the next visit.
const STORE = "gupai-play";
const SHELL = ["index.html", "play.css", "play.js", "manifest.webmanifest", "icon.svg"];

addEventListener("install", (event) => event.waitUntil(caches.open(STORE).then((store) => store.addAll(SHELL))));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

async function fetched(address) {
  const answer = await fetch(address, { cache: "no-cache" }); // what has not changed is not sent again
  // Storage may be full: the page is shown all the same.
  if (answer.ok) await caches.open(STORE).then((store) => store.put(address, answer.clone())).catch(() => null);
  return answer;
}

addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const address = url.split(/[?#]/)[0].replace(/\/$/, "/index.html");
  if (method !== "GET" || new URL(url).origin !== location.origin) return;
  event.respondWith(caches.match(address).then((found) => {
    const next = fetched(address);
    if (!found) return next;
    event.waitUntil(next.catch(() => null));
    return found;
  }));
});
