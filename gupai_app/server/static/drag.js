"use strict";
// Dragging by mouse, pen or finger, for whatever may be dragged on a page. A click that ends a drag does nothing else.
const FAR = 6; // pixels that a pointer moves before it drags

const drawnTile = (tile) => `<svg viewBox="-8 -8 116 245" aria-hidden="true"><use href="#g-u${tile}"/></svg>`;

// lift() returns whether the piece may be dragged now; over(x, y) follows the pointer; drop(x, y) ends it, drop() undoes it.
function draggable(piece, tile, { lift, over, drop }) {
  let begun = null;
  let picture = null;
  const follow = (event) => {
    picture.style.left = `${event.clientX}px`;
    picture.style.top = `${event.clientY}px`;
    over(event.clientX, event.clientY);
  };
  const end = (event, dropped) => {
    begun = null;
    if (!picture) return;
    picture.remove();
    picture = null;
    piece.dataset.dragged = "1";
    setTimeout(() => delete piece.dataset.dragged); // after the click
    if (dropped) drop(event.clientX, event.clientY);
    else drop();
  };
  piece.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    begun = event;
    piece.setPointerCapture(event.pointerId);
  });
  piece.addEventListener("pointermove", (event) => {
    if (!begun || (!picture && Math.hypot(event.clientX - begun.clientX, event.clientY - begun.clientY) <= FAR)) return;
    if (!picture) {
      if (!lift()) {
        begun = null;
        return;
      }
      const { width, height } = piece.getBoundingClientRect();
      picture = document.createElement("div");
      picture.className = "dragged";
      picture.innerHTML = drawnTile(tile);
      picture.style.width = `${width}px`;
      picture.style.height = `${height}px`;
      document.body.append(picture);
    }
    follow(event);
  });
  piece.addEventListener("pointerup", (event) => end(event, true));
  piece.addEventListener("pointercancel", (event) => end(event, false));
  piece.addEventListener("click", (event) => {
    if (!piece.dataset.dragged) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
}
