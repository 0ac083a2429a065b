// One table for its spectators: board, players, what happened.

import { everySecond, players } from "/static/common.js";
import { Board } from "/static/board.js";
import { Live } from "/static/live.js";
import { SIGNS, clock, el, get, kindOf, title } from "/static/parts.js";

const name = decodeURIComponent(location.pathname.slice("/table/".length));
const live = new Live(name);
const board = new Board({});
const frame = document.getElementById("board");
frame.append(board.node);
document.getElementById("name").textContent = name;
document.title = name;

function draw() {
  const { state } = live;
  document.getElementById("nothing").hidden = Boolean(state.scene);
  if (state.scene) {
    frame.style.aspectRatio = `${state.scene.table.width_mm + 52} / ${state.scene.table.depth_mm + 52}`;
    board.show(state.scene, state.names ?? {}, state.rulings ?? []);
  }
  const people = players({ state, pairing: state.people ? { first: state.people[0], second: state.people[1] } : null });
  document.getElementById("people").replaceChildren(...people.map((one) => el("span", { class: `person ${one.owner}` }, el("i", { class: "dot" }), el("span", { class: "who" }, one.name), one.score === null ? null : el("b", {}, String(one.score)))));
  document.getElementById("stage").textContent = [state.round ? `Round ${state.round}` : title(state.game), state.phase ? title(state.phase) : ""].filter(Boolean).join(" · ");
  const rows = [...state.events].reverse().map((event) => el("li", { class: `tone-${kindOf(event)}` }, el("time", {}, clock(event.t)), el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kindOf(event)] ?? "•"), el("span", { class: "text" }, title(state.texts[event.seq]))));
  document.getElementById("events").replaceChildren(...rows);
}

live.addEventListener("change", () => live.state && draw());
live.start();
everySecond(async () => {
  if (!live.connected && live.state === null) await get(`/api/v1/tables/${encodeURIComponent(name)}/state`);
  if (!live.connected && live.state) throw new Error("unreachable");
  const light = document.getElementById("light");
  const camera = live.state?.away ? "away" : (live.state?.status.camera ?? "live");
  light.textContent = { live: "live", lost: "no camera", ended: "ended" }[camera] ?? camera;
  light.className = `light ${camera}`;
  document.getElementById("time").textContent = clock(live.now());
});
