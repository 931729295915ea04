"use strict";
const all = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
let chosen = -1;
function choose(i) {
  const c = all[i];
  if (!c) return;
  chosen = i;
  const score = c.score === null ? "did not run" : "score " + c.score.toFixed(3);
  const parent = c.parent === null ? "" : ", child of #" + c.parent;
  at("who").textContent = "Feedback on #" + c.name + " ";
  at("about").textContent = "generation " + c.generation + parent + ", " + score;
  at("feedback").textContent = c.feedback || "No feedback was kept.";
  at("text").textContent = c.text;
  const place = document.querySelector('[data-i="' + i + '"]');
  if (!place) return;
  at("ring").setAttribute("cx", place.getAttribute("data-x"));
  at("ring").setAttribute("cy", place.getAttribute("data-y"));
}
document.addEventListener("click", (event) => {
  const place = event.target.closest("[data-i]");
  if (place) choose(Number(place.getAttribute("data-i")));
});
document.addEventListener("keydown", (event) => {
  const place = event.target.closest ? event.target.closest("[data-i]") : null;
  if (place && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    choose(Number(place.getAttribute("data-i")));
  } else if (event.key === "ArrowRight") choose(chosen + 1);
  else if (event.key === "ArrowLeft") choose(chosen - 1);
});
at("save").addEventListener("click", () => {
  const c = all[Number(at("save").getAttribute("data-best"))];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([c.text], { type: "text/plain" }));
  link.download = "best-" + c.name.replace(/[^A-Za-z0-9_-]/g, "_") + ".yaml";
  link.click();
  URL.revokeObjectURL(link.href);
});
choose(Number(at("save").getAttribute("data-best")));
