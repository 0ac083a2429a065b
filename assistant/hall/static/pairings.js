// Pairings and results: everybody reads them, judges bring them in.

import { everySecond } from "/static/common.js";
import { el, get, post } from "/static/parts.js";

const rows = document.querySelector("#rows tbody");
const note = document.getElementById("note");
const rounds = document.getElementById("rounds");
let judge = false;
let drawn = "";
let chosen = null;

function say(text, wrong = false) {
  note.textContent = text;
  note.classList.toggle("wrong", wrong);
}

async function send(path, text, name) {
  const kind = name.endsWith(".json") ? "application/json" : "text/csv";
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": kind }, body: text });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error);
  return told;
}

for (const [id, path, what] of [["pairings-file", "/api/v1/pairings", "pairings"], ["results-file", "/api/v1/results", "results"]]) {
  document.getElementById(id).addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    try {
      const told = await send(path, await file.text(), file.name);
      say(`${told[what]} ${what} taken from ${file.name}.`);
    } catch (error) {
      say(`${file.name}: ${error.message}`, true);
    }
    event.target.value = "";
    update();
  });
}

function line(row) {
  const cells = [row.table, row.first, row.second].map((text) => el("td", {}, text));
  if (!judge) return el("tr", {}, ...cells, el("td", { class: "score" }, row.first_score === null ? "–" : `${row.first_score} : ${row.second_score}`));
  const field = (player) => el("input", { inputmode: "decimal", "aria-label": `score of ${row[player]}`, value: row[`${player}_score`] ?? "" });
  const [first, second] = [field("first"), field("second")];
  const save = async () => {
    if (first.value.trim() === "" || second.value.trim() === "") return;
    try {
      await post("/api/v1/results", { round: row.round, table: row.table, first: first.value.trim(), second: second.value.trim() });
      say(`Table ${row.table}: ${first.value} to ${second.value} saved.`);
    } catch (error) {
      say(error.message, true);
    }
  };
  first.addEventListener("change", save);
  second.addEventListener("change", save);
  return el("tr", {}, ...cells, el("td", { class: "score" }, first, " : ", second));
}

function draw(results) {
  const known = [...new Set(results.map((row) => row.round))];
  if (!known.includes(chosen)) chosen = known.at(-1) ?? null;
  rounds.replaceChildren(...known.map((round) => {
    const button = el("button", { type: "button", "aria-pressed": String(round === chosen) }, `Round ${round}`);
    button.addEventListener("click", () => ((chosen = round), draw(results)));
    return button;
  }));
  const order = (a, b) => a.table.localeCompare(b.table, undefined, { numeric: true });
  rows.replaceChildren(...results.filter((row) => row.round === chosen).sort(order).map(line));
  document.getElementById("none").hidden = results.length > 0;
  document.getElementById("rows").hidden = results.length === 0;
}

const update = everySecond(async () => {
  if (!drawn) judge = (await get("/api/v1/about")).role === "judge";
  document.getElementById("bring").hidden = !judge;
  const { results } = await get("/api/v1/results.json");
  const now = JSON.stringify(results);
  if (now === drawn || rows.contains(document.activeElement)) return; // nothing is drawn over a score that is being typed
  drawn = now;
  draw(results);
});
