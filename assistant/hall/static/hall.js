// The page of the whole hall: every table, and what waits for a judge.

import { Cards, KINDS, ago, everySecond, players, waitingAt } from "/static/common.js";
import { el, get } from "/static/parts.js";

const cards = new Cards(document.getElementById("tables"));
const count = document.getElementById("count");
const queuePlace = document.getElementById("queue");
const search = document.getElementById("search");
const empty = document.getElementById("empty");

function filter() {
  const asked = search.value.trim().toLowerCase();
  cards.filter((table) => !asked || [table.name, ...players(table).map((player) => player.name)].some((text) => text.toLowerCase().includes(asked)));
}
search.addEventListener("input", filter);

everySecond(async () => {
  const { queue } = await get("/api/v1/queue");
  await cards.update(waitingAt(queue));
  filter();
  const all = [...cards.tables.all.values()];
  const playing = all.filter((table) => cards.tables.camera(table) === "live").length;
  count.textContent = `${all.length} ${all.length === 1 ? "table" : "tables"}, ${playing} live`;
  empty.hidden = all.length > 0;
  document.getElementById("asked").hidden = !queue.length;
  queuePlace.replaceChildren(
    ...queue.map((item) =>
      el("li", {}, el("a", { href: `/table/${encodeURIComponent(item.table)}` }, item.table), el("span", { class: `kind ${item.kind}` }, KINDS[item.kind] ?? item.kind), el("span", { class: "text" }, item.text), el("time", {}, ago(Date.now() / 1000 - item.asked_at))),
    ),
  );
});
