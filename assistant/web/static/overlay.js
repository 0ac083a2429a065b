// One overlay for a stream; which one is the address, how it looks are its query parameters.

import { Board, ownerDot } from "/static/board.js";
import { Live } from "/static/live.js";
import { SIGNS, clock, el, get, kindOf, named, ownerClasses, title } from "/static/parts.js";

const query = new URLSearchParams(location.search);
const kind = location.pathname.split("/").pop();
const stage = document.getElementById("stage");
const live = new Live();

document.documentElement.dataset.theme = ["paper", "neon", "plain"].includes(query.get("theme")) ? query.get("theme") : "arena";
const accent = (query.get("accent") ?? "").replace(/^#/, "");
if (/^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(accent)) document.documentElement.style.setProperty("--accent", `#${accent}`);
const scale = Number(query.get("scale"));
if (scale >= 0.3 && scale <= 3) document.documentElement.style.setProperty("--scale", scale);

const side = (...known) => (known.includes(query.get("side")) ? query.get("side") : known[0]);
const flag = (name, fallback) => (query.has(name) ? query.get(name) !== "0" : fallback);
const number = (name, fallback, least, most) => {
  const value = Number(query.get(name));
  return query.has(name) && value >= least && value <= most ? value : fallback;
};

function boardOverlay() {
  const board = new Board({ names: flag("names", true), marks: flag("marks", true), grid: flag("grid", true) });
  const sides = el("div", { class: "sides" });
  const rest = el("span", { class: "rest" });
  const frame = el("div", { class: "frame" }, board.node);
  const node = el("section", { class: "scaled plate o-board", "data-side": side("right", "left", "center"), "data-table": query.get("table") ?? "solid" }, frame, el("div", { class: "foot" }, sides, rest));
  stage.append(node);
  const draw = () => {
    const { scene, names, rulings, status } = live.state;
    const { width_mm: width, depth_mm: depth } = scene.table;
    frame.style.aspectRatio = `${width + 52} / ${depth + 52}`;
    node.style.width = `${Math.min(984, ((984 - 32) * (width + 52)) / (depth + 52) + 32, 1400)}px`;
    board.show(scene, names, rulings);
    sides.replaceChildren(...players(scene).map(({ id, owner, count }) => el("span", { class: `side ${owner}` }, ownerDot(owner), `${title(id)} · ${count}`)));
    rest.textContent = { moving: "moving", held: "a hand is over the table", resting: "at rest" }[status.table];
  };
  live.addEventListener("change", () => live.state && draw());
}

const CALLS = ["violation", "engagement", "pinned", "bumped", "correction", "overruled", "camera_lost", "call", "close", "doubt"];
const HEADS = {
  violation: "Violation",
  doubt: "Not allowed by the rules",
  engagement: "Engaged",
  pinned: "Pinned",
  unpinned: "Free again",
  bumped: "The table was bumped",
  correction: "Corrected",
  overruled: "Overruled",
  camera_lost: "No picture",
  call: "Referee, please",
  close: "Too close to call",
  moved: "Moved",
  appeared: "New on the table",
  removed: "Off the table",
};

function callOverlay() {
  const wanted = new Set((query.get("show") ?? CALLS.join(",")).split(","));
  const hold = number("hold", 7, 1, 120) * 1000;
  const sign = el("div", { class: "sign" });
  const head = el("div", { class: "head" });
  const under = el("div", { class: "under" });
  const call = el("article", { class: "call plate", role: "status" }, sign, el("div", {}, head, under));
  stage.append(el("section", { class: "scaled o-call", "data-side": side("bottom", "top") }, call));
  const waiting = [];
  let showing = false;
  const next = () => {
    const news = waiting.shift();
    if (!news) {
      showing = false;
      return;
    }
    showing = true;
    call.className = `call plate tone-${news.kind}`;
    sign.textContent = news.kind === "close" ? "?" : (SIGNS[news.kind] ?? "•");
    head.textContent = news.head;
    under.textContent = news.under;
    requestAnimationFrame(() => requestAnimationFrame(() => call.classList.add("shown")));
    setTimeout(() => call.classList.remove("shown"), waiting.length ? Math.min(hold, 3500) : hold);
    setTimeout(next, (waiting.length ? Math.min(hold, 3500) : hold) + 650);
  };
  const say = (news) => {
    if (!wanted.has(news.kind)) return;
    waiting.push(news);
    waiting.splice(0, waiting.length - 4); // old news is no news
    if (!showing) next();
  };
  live.addEventListener("event", ({ detail }) => {
    const event = detail.data;
    const what = kindOf(event);
    const sure = typeof event.certainty === "number" && event.certainty < 1 ? `${Math.round(event.certainty * 100)} % sure` : "";
    const by = event.by ? `by ${event.by}` : "";
    const text = detail.text;
    const plain = text.replace(/^violation by /, "").replace(/^corrected by hand: /, "").replace(/^overruled: /, "").replace(/^the referee is called:? ?/, "");
    const long = what === "violation" || what === "doubt" ? "" : HEADS[what] ?? title(what.replaceAll("_", " "));
    const headText = what === "violation" ? `Violation: ${reasonOf(event) || plain}` : what === "doubt" ? HEADS.doubt : long;
    const underText = what === "violation" ? nameOf(event) : plain || text;
    say({ kind: what, head: headText, under: [title(underText), sure, by, clock(event.t)].filter(Boolean).join("  ·  ") });
  });
  let close = null;
  live.addEventListener("change", () => {
    if (!live.state) return;
    const found = new Map(live.state.rulings.filter((ruling) => ruling.close_call).map((ruling) => [`${ruling.kind} ${ruling.pieces}`, ruling]));
    if (close) {
      for (const [about, ruling] of found) {
        if (!close.has(about)) say({ kind: "close", head: HEADS.close, under: `${named(ruling.sentence, live.state.names)}  ·  measure by hand` });
      }
    }
    close = found;
  });
  if (flag("sample", false)) {
    const sample = () => say({ kind: "violation", head: "Violation: out of reach", under: "Sand Raiders  ·  99 % sure  ·  18:20" });
    sample();
    setInterval(sample, hold + 1500);
  }
}

function reasonOf(event) {
  const rule = event.rule ?? "";
  return /^[A-Z]{2,}-/.test(rule) ? (event.sentence ?? "") : rule;
}

function nameOf(event) {
  const ids = [event.piece, ...(event.pieces ?? [])].filter((id) => typeof id === "string");
  return ids.map((id) => live.state.names[id] ?? id).join(", ");
}

function players(scene) {
  const owners = ownerClasses(scene);
  const count = (id) => scene.pieces.filter((piece) => piece.owner === id && piece.x != null).length;
  return (scene.players ?? []).map(({ id }) => ({ id, owner: owners[id], count: count(id) }));
}

function scoreOverlay() {
  const left = el("div", { class: "player" });
  const right = el("div", { class: "player right" });
  const time = el("div", { class: "time" });
  const words = el("div", { class: "stagewords" });
  const names = (query.get("names") ?? "").split(",").map((name) => name.trim());
  stage.append(el("section", { class: "scaled o-score", "data-side": side("top", "bottom") }, el("div", { class: "score plate" }, left, el("div", { class: "mid" }, time, words), right)));
  const draw = () => {
    const { scene, round, phase, course, status } = live.state;
    players(scene)
      .slice(0, 2)
      .forEach(({ id, owner, count }, index) => {
        const row = course?.players.find((known) => known.id === id);
        const node = index ? right : left;
        node.className = `player ${index ? "right" : ""} ${owner}`;
        const lost = row ? `${count} on the table · ${row.casualties} lost` : `${count} on the table`;
        const turn = row?.in_turn ? el("span", { class: "turn" }, "to act") : null;
        node.replaceChildren(
          el("div", { class: "who" }, el("b", {}, names[index] || live.state.people?.[index] || title(id)), el("span", {}, lost), turn),
          el("div", { class: "points" }, String(row ? row.score : count), el("small", {}, row ? "score" : "pieces")),
        );
      });
    const dot = el("i", { class: status.camera === "live" ? "live-dot" : "live-dot off" });
    const round_ = round ? `Round ${round}` : title(live.state.game);
    words.replaceChildren(dot, course?.over ? (course.winner ? `${title(course.winner)} wins` : "The game is over") : [round_, phase ? title(phase) : ""].filter(Boolean).join(" · "));
  };
  live.addEventListener("change", () => live.state && draw());
  setInterval(() => live.state && (time.textContent = clock(live.now())), 250);
}

function eventsOverlay() {
  const most = number("count", 6, 1, 14);
  const hold = number("hold", 0, 0, 600) * 1000;
  const only = query.get("show")?.split(",");
  const list = el("section", { class: "scaled o-events", "data-side": side("right", "left"), role: "log" });
  stage.append(list);
  const shown = new Map();
  const add = (event, text) => {
    const what = kindOf(event);
    if (only && !only.includes(what)) return;
    const row = el("article", { class: `row plate tone-${what}` }, el("span", { class: "sign" }, SIGNS[what] ?? "•"), el("span", { class: "text" }, title(text)), el("span", { class: "at" }, clock(event.t)));
    list.append(row);
    shown.set(event.seq, { row, event });
    while (list.children.length > most) list.firstElementChild.remove();
    if (hold) setTimeout(() => (row.classList.add("fading"), setTimeout(() => row.remove(), 1100)), hold);
    if (event.verdict === "overruled") {
      for (const known of shown.values()) if (known.event.type === "violation" && known.event.t === event.of?.t && known.event.piece === event.of?.piece) known.row.classList.add("struck");
    }
  };
  live.addEventListener("snapshot", () => {
    list.replaceChildren();
    if (!hold) for (const event of live.state.events.slice(-most)) add(event, live.state.texts[event.seq]);
  });
  live.addEventListener("event", ({ detail }) => add(detail.data, detail.text));
}

function cameraOverlay() {
  const node = el("section", { class: "scaled o-camera", "data-fit": query.get("fit") ?? "contain" });
  const none = el("div", { class: "none plate" }, "waiting for the camera");
  const key = query.has("key") ? `&key=${encodeURIComponent(query.get("key"))}` : "";
  const table = query.has("of") ? `&of=${encodeURIComponent(query.get("of"))}` : ""; // one table of a hall
  const address = () => `/api/v1/frame.mjpeg?fps=${number("fps", 8, 0.2, 15)}&width=1920&overlay=${flag("overlay", true) ? 1 : 0}${key}${table}`;
  const picture = el("img", { alt: "the table" });
  let retry = null;
  const load = () => {
    clearTimeout(retry);
    picture.src = `${address()}&again=${Date.now()}`;
  };
  picture.addEventListener("error", () => {
    picture.remove();
    node.append(none);
    retry = setTimeout(load, 2000);
  });
  picture.addEventListener("load", () => {
    none.remove();
    if (!picture.isConnected) node.append(picture);
  });
  node.append(none);
  stage.append(node);
  load();
  live.addEventListener("connection", () => live.connected && load());
}

live.addEventListener("connection", () => stage.classList.toggle("lost", !live.connected && flag("dim", true)));
({ board: boardOverlay, call: callOverlay, score: scoreOverlay, events: eventsOverlay, camera: cameraOverlay })[kind]?.();
live.start();
window.pinpoint = { live, get };
