// The front of the games: what they are in the reader's language, and all of them kept for playing offline.
const TEXTS = {
  en: { keep: "Keep all games for playing offline", done: "All games are kept: they play offline.", problem: "They could not be kept: " },
  "zh-Hant": {
    about: "十種骨牌遊戲，在這個瀏覽器裡與四個水準的玩家對局，不向任何地方傳送資料。",
    keep: "保存全部遊戲以供離線遊玩", done: "全部遊戲已保存，可以離線遊玩。", problem: "無法保存：", site: "關於 gupai",
  },
  "zh-Hans": {
    about: "十种骨牌游戏，在这个浏览器里与四个水平的玩家对局，不向任何地方发送数据。",
    keep: "保存全部游戏以供离线游玩", done: "全部游戏已保存，可以离线游玩。", problem: "无法保存：", site: "关于 gupai",
  },
};
const wanted = navigator.languages.map((each) => each.toLowerCase()).find((each) => /^(en|zh)/.test(each)) ?? "en";
const language = wanted.startsWith("en") ? "en" : /^zh-(hant|tw|hk|mo)/.test(wanted) ? "zh-Hant" : "zh-Hans";
const words = TEXTS[language];
document.documentElement.lang = language;
for (const element of document.querySelectorAll("[data-text]")) {
  const text = words[element.dataset.text];
  if (text) element.textContent = text;
}

const [button, kept] = ["keep", "kept"].map((id) => document.getElementById(id));
const pages = [...document.querySelectorAll("li :is(a, img)")].map(({ href, src }) => href ?? src);

async function begin() {
  await navigator.serviceWorker.register("service.js");
  await navigator.serviceWorker.ready;
  const store = await caches.open("gupai-play");
  const has = async () => (await Promise.all(pages.map((page) => store.match(page)))).every(Boolean);
  const tell = (text) => {
    kept.textContent = text;
    button.hidden = text === words.done;
    button.disabled = false;
  };
  tell((await has()) ? words.done : "");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await store.addAll(pages);
      tell((await has()) ? words.done : words.problem);
    } catch (problem) {
      tell(words.problem + (problem.message || problem));
    }
  });
}

// Where nothing can be kept, as in private windows and from a disk, games are played all the same.
if ("serviceWorker" in navigator) begin().catch(() => null);
