"use strict";
const file = document.getElementById("file");
file.addEventListener("change", async () => {
  const chosen = file.files[0];
  if (chosen) document.getElementById("games").value = await chosen.slice(0, 1000000).text();
});
