// What the hall's pages share: their light, the tables as they change, a table's card.

import { Board } from "/static/board.js";
import { clock, el, get, title } from "/static/parts.js";

const PAUSE_MS = 1000;
const light = matchMedia("(prefers-color-scheme: light)");
const setLight = () => (document.documentElement.dataset.light = light.matches ? "light" : "dark");
light.addEventListener("change", setLight);
setLight();

/** Calls `step` now and once a second, never twice at a time; a bar says when the hall is out of reach. */
export function everySecond(step) {
  const away = el("p", { class: "unreachable", role: "alert", hidden: true });
  document.body.append(away);
  let busy = false;
  const turn = async () => {
    if (busy || document.hidden) return;
    busy = true;
    try {
      await step();
      away.hidden = true;
    } catch (error) {
      away.textContent = error.status ? error.message : "The hall cannot be reached; trying again.";
      away.hidden = false;
    }
    busy = false;
  };
  turn();
  setInterval(turn, PAUSE_MS);
  return turn;
}

/** All tables: `changed` holds those that differ since the last call. */
export class Tables {
  constructor() {
    this.all = new Map();
    this.away = new Set();
    this._version = "";
    this._ahead = 0;
  }

  async update() {
    const told = await get(`/api/v1/tables?version=${encodeURIComponent(this._version)}`);
    this._version = told.version;
    this._ahead = told.now - Date.now() / 1000;
    this.away = new Set(told.away);
    for (const table of told.tables) this.all.set(table.name, table);
    return told.tables;
  }

  /** Seconds of a table's game now. */
  clock(table) {
    const running = this.camera(table) === "live";
    return table.state.t + (running ? Math.max(0, Date.now() / 1000 + this._ahead - table.changed_at) : 0);
  }

  /** live, lost, ended or away. */
  camera(table) {
    return this.away.has(table.name) && table.state.status.camera !== "ended" ? "away" : table.state.status.camera;
  }
}

const CAMERAS = { live: "live", lost: "no camera", ended: "ended", away: "away" };

/** The players of a table: names of the pairing, scores of the game. */
export function players(table) {
  const rows = table.state.course?.players ?? [];
  const paired = table.pairing ? [table.pairing.first, table.pairing.second] : [];
  const known = (table.state.scene?.players ?? []).map((player) => player.id);
  const count = Math.max(paired.length, known.length);
  return [...Array(count).keys()].slice(0, 4).map((index) => ({
    name: paired[index] ?? title(known[index]),
    score: rows.find((row) => row.id === known[index])?.score ?? null,
    owner: `p${index % 4}`,
  }));
}

/** One table: name, camera, players and scores, round and clock, board. */
export class Card {
  constructor(tables, table, extra = null) {
    this._tables = tables;
    this.board = new Board({ names: false, grid: false });
    this._frame = el("a", { class: "frame", "aria-label": `${table.name}, the board`, href: `/table/${encodeURIComponent(table.name)}` }, this.board.node);
    this._light = el("span", { class: "light" });
    this._air = el("span", { class: "air", hidden: true }, "on air");
    this._asks = el("span", { class: "asks", hidden: true });
    this._people = el("div", { class: "people" });
    this._stage = el("span", {});
    this._time = el("time", {});
    const name = el("a", { href: `/table/${encodeURIComponent(table.name)}` }, table.name);
    this.node = el(
      "article",
      { class: "card", "data-table": table.name },
      el("h3", {}, name, this._asks, this._air, this._light),
      this._people,
      this._frame,
      el("p", { class: "stage" }, this._stage, this._time),
      extra,
    );
    this.visible = true;
    this.show(table);
  }

  show(table) {
    this.table = table;
    const { state } = table;
    this._air.hidden = !table.on_air;
    this._people.replaceChildren(
      ...players(table).map(({ name, score, owner }) => el("span", { class: `person ${owner}` }, el("i", { class: "dot" }), el("span", { class: "who" }, name), score === null ? null : el("b", {}, String(score)))),
    );
    this._stage.textContent = [state.round ? `Round ${state.round}` : title(state.game), state.phase ? title(state.phase) : ""].filter(Boolean).join(" · ");
    this._stale = true;
    this.draw();
    this.tick();
  }

  /** Draws the board once it is to be seen. */
  draw() {
    const { scene, names } = this.table.state;
    this._frame.classList.toggle("empty", !scene);
    if (!this._stale || !this.visible || !scene) return;
    this._stale = false;
    this._frame.style.aspectRatio = `${scene.table.width_mm + 52} / ${scene.table.depth_mm + 52}`;
    this.board.show(scene, names ?? {}, [], true);
  }

  /** What changes by itself: the clock, and whether the table reports. */
  tick(waiting = 0) {
    const camera = this._tables.camera(this.table);
    this._light.textContent = CAMERAS[camera] ?? camera;
    this._light.className = `light ${camera}`;
    this._time.textContent = clock(this._tables.clock(this.table));
    this._asks.hidden = !waiting;
    this._asks.textContent = waiting > 1 ? `${waiting} questions` : "judge asked";
    this.node.classList.toggle("asking", waiting > 0);
  }
}

/** Cards of all tables in a place, drawn as they come into sight. */
export class Cards {
  constructor(place, extra = () => null) {
    this.tables = new Tables();
    this._place = place;
    this._extra = extra;
    this._cards = new Map();
    this._seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const card = this._cards.get(entry.target.dataset.table);
        if (!card) continue;
        card.visible = entry.isIntersecting;
        card.draw();
      }
    }, { rootMargin: "400px" });
  }

  async update(waiting = new Map()) {
    for (const table of await this.tables.update()) {
      const known = this._cards.get(table.name);
      if (known) known.show(table);
      else this._add(table);
    }
    for (const [name, card] of this._cards) card.tick(waiting.get(name) ?? 0);
  }

  /** Shows the tables that a test holds for. */
  filter(test) {
    for (const card of this._cards.values()) card.node.hidden = !test(card.table);
  }

  _add(table) {
    const card = new Card(this.tables, table, this._extra(table));
    card.visible = false;
    this._cards.set(table.name, card);
    const names = [...this._cards.keys()].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    const after = names[names.indexOf(table.name) + 1];
    this._place.insertBefore(card.node, after ? this._cards.get(after).node : null);
    this._seen.observe(card.node);
  }
}

/** How many questions wait at each table. */
export function waitingAt(queue) {
  const found = new Map();
  for (const { table } of queue) found.set(table, (found.get(table) ?? 0) + 1);
  return found;
}

export const KINDS = { call: "Judge called", violation: "Violation", close_call: "Too close to call" };

/** How long ago, in words. */
export function ago(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return "just now";
  if (whole < 3600) return `${Math.floor(whole / 60)} min ago`;
  return `${Math.floor(whole / 3600)} h ago`;
}
