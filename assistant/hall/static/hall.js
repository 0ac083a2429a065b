// Every page of the hall: polls the interface once a second and shows what changed.
import { drawBoard } from "/static/board.js";

const PAUSE_MS = 1000;
const page = document.body.dataset.page;
const shown = new Map();

function make(tag, text = "", kind = "") {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.json()).error || answer.statusText);
  return answer.json();
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error((await answer.json()).error || answer.statusText);
}

function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function stageOf(state) {
  const parts = [];
  if (state.round) parts.push(`round ${state.round}`);
  if (state.phase) parts.push(String(state.phase));
  parts.push(clock(state.t));
  return parts.join(" · ");
}

function card(table) {
  const state = table.state || {};
  const made = make("article", "", "card");
  const late = Date.now() / 1000 - table.seen_at > 20;
  const camera = late ? "away" : (state.status && state.status.camera) || "live";
  const head = make("h3");
  const link = make("a", table.name);
  link.href = `/table/${encodeURIComponent(table.name)}`;
  head.append(link, make("span", camera, `light ${camera}`));
  made.append(head, make("p", stageOf(state)));
  if (state.scene) made.append(drawBoard(state.scene));
  const score = state.score && Object.entries(state.score).map(([player, points]) => `${player} ${points}`).join(" : ");
  if (score) made.append(make("p", score, "score"));
  if (page === "judge") {
    const air = make("button", table.on_air ? "on air" : "put on air", table.on_air ? "on" : "");
    air.addEventListener("click", () => post("/api/v1/air", { table: table.on_air ? null : table.name }).then(update));
    made.append(air);
  }
  return made;
}

async function showTables() {
  const { tables } = await get("/api/v1/tables");
  document.getElementById("count").textContent = `${tables.length} tables`;
  const place = document.getElementById("tables");
  for (const table of tables) {
    const stamp = JSON.stringify([table.last, table.on_air, table.state && table.state.status, Math.floor(Date.now() / 20000)]);
    const known = shown.get(table.name);
    if (known && known.stamp === stamp) continue;
    const made = card(table);
    if (known) known.made.replaceWith(made);
    else place.append(made);
    shown.set(table.name, { stamp, made });
  }
}

let queueStamp = "";
async function showQueue() {
  const { queue } = await get("/api/v1/queue");
  const stamp = JSON.stringify(queue.map((item) => item.id));
  if (stamp === queueStamp) return;
  queueStamp = stamp;
  const place = document.getElementById("queue");
  place.replaceChildren();
  for (const item of queue) {
    const row = make("li");
    row.append(make("strong", item.table), make("span", item.kind.replace("_", " "), `kind ${item.kind}`), make("span", item.text));
    if (page === "judge") {
      const picture = make("img", "", "evidence");
      picture.alt = `the table at ${item.text}`;
      picture.src = `/api/v1/tables/${encodeURIComponent(item.table)}/pictures/${item.seq}.jpg`;
      picture.addEventListener("error", () => picture.remove());
      const field = make("input");
      field.placeholder = "your ruling";
      field.setAttribute("aria-label", `ruling for ${item.table}`);
      const send = (text) => post(`/api/v1/queue/${item.id}/answer`, { answer: text }).then(update);
      row.append(picture);
      for (const text of ["Allowed", "Not allowed: put it back", "I am coming"]) {
        const button = make("button", text);
        button.addEventListener("click", () => send(text));
        row.append(button);
      }
      const own = make("button", "Send");
      own.addEventListener("click", () => field.value.trim() && send(field.value.trim()));
      row.append(field, own);
    }
    place.append(row);
  }
  if (!queue.length) place.append(make("li", "nobody is waiting", "quiet"));
}

async function showTable(name) {
  const state = await get(`/api/v1/tables/${encodeURIComponent(name)}/state`);
  document.getElementById("name").textContent = name;
  document.getElementById("stage").textContent = stageOf(state);
  if (state.seq === shown.get(name)) return;
  shown.set(name, state.seq);
  if (state.scene) document.getElementById("board").replaceChildren(drawBoard(state.scene));
  const list = document.getElementById("events");
  list.replaceChildren(...[...state.events].reverse().map((event) => {
    return make("li", `${clock(event.t)}  ${event.text || event.type.replace("_", " ")}`);
  }));
}

async function showAir() {
  const { tables } = await get("/api/v1/tables");
  const table = tables.find((one) => one.on_air) || tables[0];
  if (!table || !table.state.scene) return;
  const stamp = `${table.name} ${table.last}`;
  if (shown.get("air") === stamp) return;
  shown.set("air", stamp);
  document.getElementById("board").replaceChildren(drawBoard(table.state.scene));
  document.getElementById("caption").textContent = `${table.name} · ${stageOf(table.state)}`;
}

async function update() {
  try {
    if (page === "hall" || page === "judge") {
      await showTables();
      await showQueue();
    } else if (page === "table") {
      await showTable(decodeURIComponent(location.pathname.slice("/table/".length)));
    } else {
      await showAir();
    }
    document.body.classList.remove("away");
  } catch {
    document.body.classList.add("away");
  }
}

update();
setInterval(update, PAUSE_MS);
