"use strict";
// Show what could have been done at the table that is shown: of the move after it.
const none = document.querySelector(".analysis .none");
const whys = [...document.querySelectorAll(".why")];
function explain() {
  const at = document.querySelector(".moves a[aria-current]");
  const next = at && at.parentElement.nextElementSibling;
  const number = next && next.querySelector("a").getAttribute("href").slice(1);
  for (const each of whys) each.hidden = each.id !== `why-${number}`;
  none.hidden = whys.some((each) => !each.hidden);
}
if (whys.length) {
  new MutationObserver(explain).observe(document.querySelector(".moves"), { subtree: true, attributeFilter: ["aria-current"] });
  explain();
}
