// The judge's page: questions with their evidence, one-tap rulings, which table is on air, keys for tables.

import { Cards, KINDS, ago, everySecond, waitingAt } from "/static/common.js";
import { el, get, post } from "/static/parts.js";

const RULINGS = ["Allowed", "Not allowed: put it back", "I am coming"];
const place = document.getElementById("queue");
const done = document.getElementById("answered");
const name = document.getElementById("who");
const shown = new Map();
name.value = localStorage.getItem("pinpoint-judge") ?? "";
name.addEventListener("change", () => localStorage.setItem("pinpoint-judge", name.value.trim()));

const cards = new Cards(document.getElementById("tables"), (table) => {
  const button = el("button", { type: "button", class: "put" }, "Put on air");
  button.addEventListener("click", async () => {
    const { on_air: onAir } = cards.tables.all.get(table.name);
    await post("/api/v1/air", { table: onAir ? null : table.name }).catch(say);
    update();
  });
  return button;
});

function say(error) {
  const note = document.getElementById("error");
  note.textContent = error.message;
  note.hidden = false;
  setTimeout(() => (note.hidden = true), 6000);
}

function evidence(item) {
  const path = `/api/v1/tables/${encodeURIComponent(item.table)}/evidence/${item.seq}`;
  const parts = [];
  if (item.files.includes("card.png")) parts.push(picture(`${path}/card.png`, "The move, before and after"));
  if (item.files.includes("gap.png")) parts.push(picture(`${path}/gap.png`, "The contested place"));
  if (item.files.includes("clip.mp4")) {
    const clip = el("video", { controls: true, muted: true, loop: true, playsinline: true, preload: "metadata", src: `${path}/clip.mp4` });
    parts.push(el("figure", {}, clip, el("figcaption", {}, "The clip")));
  }
  if (!parts.length && item.files.includes("picture.jpg")) parts.push(picture(`${path}/picture.jpg`, "The table"));
  if (!parts.length) parts.push(el("p", { class: "quiet" }, item.evidence_done ? "No picture of it." : "Pictures are on their way."));
  return parts;
}

function picture(src, text) {
  return el("figure", {}, el("a", { href: src, target: "_blank", rel: "noopener" }, el("img", { src, alt: text, loading: "lazy" })), el("figcaption", {}, text));
}

function question(item) {
  const proof = el("div", { class: "proof" }, ...evidence(item));
  const field = el("input", { placeholder: "Your own words", "aria-label": `ruling for ${item.table}`, maxlength: 500 });
  const answer = async (text) => {
    if (!text.trim()) return;
    await post(`/api/v1/queue/${item.id}/answer`, { answer: text.trim(), by: name.value.trim() || "judge" }).catch(say);
    update();
  };
  const own = el("form", { class: "own" }, field, el("button", { type: "submit" }, "Send"));
  own.addEventListener("submit", (event) => (event.preventDefault(), answer(field.value)));
  const age = el("time", {}, "");
  const node = el(
    "li",
    { class: "question" },
    el("h3", {}, el("a", { href: `/table/${encodeURIComponent(item.table)}` }, item.table), el("span", { class: `kind ${item.kind}` }, KINDS[item.kind] ?? item.kind), age),
    el("p", { class: "text" }, item.text),
    proof,
    el("div", { class: "rulings" }, ...RULINGS.map((text) => el("button", { type: "button", onclick: () => answer(text) }, text)), own),
  );
  return { node, proof, age, files: item.files.join() };
}

const update = everySecond(async () => {
  const { queue } = await get("/api/v1/queue");
  for (const [id, known] of shown) {
    if (!queue.some((item) => item.id === id)) {
      known.node.remove();
      shown.delete(id);
    }
  }
  for (const item of queue) {
    let known = shown.get(item.id);
    if (!known) {
      known = question(item);
      shown.set(item.id, known);
      place.append(known.node);
    } else if (known.files !== item.files.join()) {
      known.files = item.files.join();
      known.proof.replaceChildren(...evidence(item));
    }
    known.age.textContent = ago(Date.now() / 1000 - item.asked_at);
  }
  document.getElementById("nobody").hidden = queue.length > 0;
  document.title = queue.length ? `(${queue.length}) Judge` : "Judge";
  await cards.update(waitingAt(queue));
  for (const node of document.querySelectorAll("#tables .card")) {
    const onAir = cards.tables.all.get(node.dataset.table).on_air;
    node.querySelector(".put").textContent = onAir ? "Take off air" : "Put on air";
    node.querySelector(".put").classList.toggle("on", onAir);
  }
});

document.getElementById("more").addEventListener("toggle", async (event) => {
  if (!event.target.open) return;
  const { queue } = await get("/api/v1/queue?all=1");
  const rows = queue.filter((item) => item.answer).slice(-30).reverse();
  done.replaceChildren(...rows.map((item) => el("li", {}, el("strong", {}, item.table), el("span", { class: "text" }, item.text), el("b", {}, item.answer), el("span", { class: "quiet" }, `${item.answered_by}${item.heard_at ? ", heard" : ", on its way"}`))));
});

document.getElementById("new-table").addEventListener("submit", async (event) => {
  event.preventDefault();
  const table = document.getElementById("new-name").value.trim();
  if (!table) return;
  const { key } = await get(`/api/v1/tables/${encodeURIComponent(table)}/key`).catch((error) => (say(error), {}));
  if (key) document.getElementById("command").textContent = `pinpoint play 0 --log game.pinpoint --hall ${location.origin} --table-name "${table}" --table-key ${key}`;
});
