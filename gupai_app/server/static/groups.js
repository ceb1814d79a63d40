"use strict";
// Splits made tile by tile: tiles are put into groups by dragging, or by a click on a tile and one on a group.
const splitter = document.querySelector(".splitter");
if (splitter) {
  const splits = [...document.querySelectorAll(".choices button[data-groups]")];
  const groupsOf = (split) => split.dataset.groups.split(" ").map((group) => group.match(/../g));
  const [first] = splits.map(groupsOf);
  const sizes = first.map((group) => group.length);
  const even = sizes[0] > 1 && sizes.every((size) => size === sizes[0]); // groups that may come in any order
  const key = (tiles, at) => `${even ? "" : at} ${tiles.toSorted().join("")}`;
  const keyOf = (groups) => (even ? groups.map(key).toSorted() : groups.map(key)).join();
  const byKey = new Map(splits.map((split) => [keyOf(groupsOf(split)), split]));
  const makes = new Map(splits.flatMap((split) => {
    const said = split.dataset.makes.split("|");
    return groupsOf(split).map((tiles, at) => [key(tiles, at), said[at]]);
  }));

  const names = splitter.dataset.zones.split("|");
  const zones = [first.flat().length, ...sizes].map((room, at) => {
    const zone = document.createElement("div");
    Object.assign(zone, { className: "zone", tabIndex: 0, room });
    zone.dataset.name = names[at];
    zone.setAttribute("role", "group");
    return zone;
  });
  const done = document.createElement("button");
  done.type = "button";
  done.className = "main";
  done.textContent = splitter.dataset.done;
  const said = document.createElement("p");
  said.className = "hidden";
  said.setAttribute("role", "status");
  let chosen = null;

  // Where every tile lies once a piece is put into a zone; a full zone gives its last tile for it.
  const after = (piece, zone) => {
    const lie = zones.map((each) => [...each.children]);
    if (!piece || piece.parentElement === zone) return lie;
    const [from, to] = [zones.indexOf(piece.parentElement), zones.indexOf(zone)];
    lie[from] = lie[from].filter((each) => each !== piece);
    if (lie[to].length === zone.room) lie[from].push(lie[to].pop());
    lie[to].push(piece);
    return lie;
  };
  const say = (lie) => {
    const groups = lie.slice(1).map((group) => group.map((each) => each.dataset.tile));
    groups.forEach((tiles, at) => {
      const zone = zones[at + 1];
      const found = tiles.length === zone.room ? makes.get(key(tiles, at)) || "" : "";
      zone.dataset.makes = found;
      zone.classList.toggle("makes", Boolean(found));
      zone.setAttribute("aria-label", `${zone.dataset.name} ${found}`);
    });
    return byKey.get(keyOf(groups));
  };
  const refresh = () => {
    for (const each of splitter.querySelectorAll(".piece")) each.setAttribute("aria-pressed", String(each === chosen));
    const found = say(after());
    done.disabled = !found;
    done.onclick = () => found && found.click();
  };
  const put = (piece, zone) => {
    after(piece, zone).forEach((pieces, at) => zones[at].append(...pieces));
    chosen = null;
    refresh();
    said.textContent = zones.slice(1).filter((each) => each.dataset.makes).map((each) => each.getAttribute("aria-label")).join("; ");
  };
  for (const zone of zones) {
    zone.setAttribute("aria-label", zone.dataset.name);
    zone.onclick = () => { if (chosen) put(chosen, zone); };
    zone.onkeydown = (event) => { if (event.key === "Enter" && event.target === zone && chosen) put(chosen, zone); };
  }
  const zoneAt = (x, y) => document.elementsFromPoint(x, y).map((each) => each.closest(".zone")).find(Boolean);
  const mark = (there) => { for (const zone of zones) zone.classList.toggle("over", zone === there); };
  for (const tile of first.flat().toSorted().reverse()) {
    const piece = document.createElement("button");
    piece.type = "button";
    piece.className = "piece";
    piece.dataset.tile = tile;
    piece.setAttribute("aria-label", `[${tile[0]}:${tile[1]}]`);
    piece.innerHTML = drawnTile(tile);
    draggable(piece, tile, {
      lift: () => true,
      over: (x, y) => {
        const there = zoneAt(x, y);
        mark(there);
        say(after(piece, there || piece.parentElement)); // what the groups would make
      },
      drop: (x, y) => {
        const there = x === undefined ? undefined : zoneAt(x, y);
        mark();
        if (there) put(piece, there);
        else refresh();
      },
    });
    piece.addEventListener("click", (event) => {
      event.stopPropagation();
      if (chosen && chosen !== piece && piece.parentElement !== chosen.parentElement) put(chosen, piece.parentElement);
      else {
        chosen = chosen === piece ? null : piece;
        refresh();
      }
    });
    zones[0].append(piece);
  }
  // A tile of the drawn hand is the same tile: a click chooses it here.
  for (const tile of document.querySelectorAll("button.tile")) {
    tile.addEventListener("click", () => {
      const same = [...tile.closest(".stage").querySelectorAll(`button.tile[data-tile="${tile.dataset.tile}"]`)];
      const pieces = splitter.querySelectorAll(`.piece[data-tile="${tile.dataset.tile}"]`);
      pieces[same.indexOf(tile)].click();
      splitter.scrollIntoView({ block: "nearest" });
    });
  }
  const row = document.createElement("div");
  row.className = "zones";
  // Their widths are those of full groups, however many tiles lie in them: nothing moves.
  row.style.gridTemplateColumns = sizes.map((room) => `${room + 1}fr`).join(" ");
  row.append(...zones);
  const words = document.createElement("p");
  words.append(done, splitter.dataset.how);
  splitter.append(row, words, said);
  splitter.hidden = false;
  refresh();
}
