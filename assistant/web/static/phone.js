// The phone page: the table, what two pieces are to one another, what happened, and the referee's tools.

import { Board, ownerDot } from "/static/board.js";
import { Live } from "/static/live.js";
import { MM_PER_INCH, SIGNS, clock, el, get, kindOf, named, ownerClasses, post, title } from "/static/parts.js";
import { refereePage } from "/static/referee.js";
import { SPOKEN, Speech } from "/static/speech.js";
import { touchable } from "/static/touch.js";

const byId = (id) => document.getElementById(id);
const store = {
  get(name, fallback) {
    try {
      return JSON.parse(localStorage.getItem(`pinpoint.${name}`)) ?? fallback;
    } catch {
      return fallback;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`pinpoint.${name}`, JSON.stringify(value));
    } catch {
      // private windows keep nothing
    }
  },
};

const live = new Live();
const board = new Board({ names: false });
const speech = new Speech(store);
const app = { live, board, store, about: {}, at: null, selected: [], toast, sheet, select, names: () => app.past?.names ?? live.state?.names ?? {} };
window.pinpoint = app;

// --- light and dark

function light(wanted) {
  const dark = wanted === "dark" || (wanted === "auto" && !matchMedia("(prefers-color-scheme: light)").matches);
  document.documentElement.dataset.light = dark ? "dark" : "light";
  document.querySelector('meta[name="theme-color"]').content = dark ? "#0b0f17" : "#eef1f6";
}
light(store.get("light", "auto"));
matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => light(store.get("light", "auto")));

// --- small things

let toasting = null;
function toast(text) {
  byId("toast").textContent = text;
  byId("toast").classList.add("shown");
  clearTimeout(toasting);
  toasting = setTimeout(() => byId("toast").classList.remove("shown"), 3200);
}

function sheet(heading, ...children) {
  const dialog = byId("sheet");
  const close = el("button", { class: "btn wide", type: "button", onclick: () => dialog.close() }, "Close");
  dialog.replaceChildren(el("h2", {}, heading), ...children, el("p", {}), close);
  if (!dialog.open) dialog.showModal();
  return dialog;
}
byId("sheet").addEventListener("click", (event) => event.target === byId("sheet") && byId("sheet").close());

for (const button of document.querySelectorAll(".tabs button")) {
  button.addEventListener("click", () => open(button.dataset.tab));
}

function open(tab) {
  for (const section of document.querySelectorAll(".tab")) section.hidden = section.id !== tab;
  for (const button of document.querySelectorAll(".tabs button")) {
    if (button.dataset.tab === tab) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
    if (button.dataset.tab === tab) button.classList.remove("news");
  }
}
app.open = open;

// --- the table

byId("board").append(board.node);
const touch = touchable(board, byId("board"), tapped, (zoomed) => (byId("whole").hidden = !zoomed));
byId("whole").addEventListener("click", () => touch.whole());

function scene() {
  return app.past?.scene ?? live.state?.scene;
}

function draw() {
  const shown = scene();
  if (!shown) return;
  const ids = new Set(shown.pieces.map((piece) => piece.id));
  const kept = app.selected.filter((id) => ids.has(id));
  if (kept.length !== app.selected.length) select(kept);
  board.show(shown, app.names(), app.past ? [] : live.state.rulings);
  const { width_mm: width, depth_mm: depth } = shown.table;
  byId("board").style.aspectRatio = `${width + 52} / ${depth + 52}`;
}

function tapped(id) {
  if (id === null) return select([]);
  const now = app.selected;
  if (now.includes(id)) return select(now.filter((other) => other !== id));
  return select(now.length >= 2 ? [now[0], id] : [...now, id]);
}

function select(ids) {
  app.selected = ids;
  board.select(ids);
  board.mark([]);
  ask();
}

let asked = 0;
async function ask() {
  const number = ++asked;
  const box = byId("answers");
  const ids = app.selected;
  if (!ids.length) {
    box.replaceChildren(el("div", { class: "hint" }, el("b", {}, "Tap two pieces"), "for the range, the line of sight and what one may do to the other. Pinch to look closer."));
    return;
  }
  const chips = chipRow(ids);
  if (ids.length === 1) {
    box.replaceChildren(chips, pieceCard(ids[0]));
    return;
  }
  try {
    const query = new URLSearchParams({ first: ids[0], second: ids[1] });
    if (app.past) query.set("at", app.at);
    const { rulings } = await get(`/api/v1/between?${query}`);
    if (number !== asked) return;
    board.mark(rulings.filter((ruling) => ["range", "sight"].includes(ruling.kind)).flatMap((ruling) => ruling.evidence ?? []));
    box.replaceChildren(chips, ...rulings.map(answerCard).filter(Boolean));
    box.scrollTop = 0;
  } catch (error) {
    if (number === asked) box.replaceChildren(chips, el("div", { class: "answer no" }, el("p", {}, error.message)));
  }
}

function chipRow(ids) {
  const owners = ownerClasses(scene());
  const chip = (id) => {
    const piece = scene().pieces.find((known) => known.id === id);
    return el("button", { class: "chip", type: "button", onclick: () => tapped(id) }, ownerDot(owners[piece?.owner] ?? "nobody"), el("span", {}, app.names()[id] ?? id));
  };
  const second = ids.length < 2 ? el("span", { class: "chip ghost" }, "and another") : el("button", { class: "chip clear", type: "button", "aria-label": "Clear", onclick: () => select([]) }, "✕");
  return el("div", { class: "pair" }, ...ids.map(chip), second);
}

function pieceCard(id) {
  const piece = scene().pieces.find((known) => known.id === id);
  const facts = [];
  const add = (name, value) => value && facts.push(el("dt", {}, name), el("dd", {}, String(value)));
  add("Player", piece.owner && title(piece.owner));
  add("Unit", piece.unit);
  add("Tokens", Object.entries(piece.tokens ?? {}).map(([kind, count]) => `${count} ${kind}`).join(", "));
  add("State", (piece.state ?? []).join(", "));
  add("Values", Object.entries(piece.stats ?? {}).map(([name, value]) => `${name} ${value}`).join(", "));
  add("Keywords", (piece.keywords ?? []).join(", "));
  add("Measured to", piece.sigma_mm ? `±${(2 * piece.sigma_mm).toFixed(1)} mm` : "");
  const under = (scene().above ?? []).filter(([, bottom]) => bottom === id).map(([top]) => app.names()[top] ?? top);
  add("Under", under.join(", "));
  const card = el("div", { class: "answer plain" }, el("div", { class: "word" }, "The piece"), el("div", { class: "big" }, app.names()[id] ?? id), el("dl", { class: "facts" }, ...facts));
  if (app.about.role === "referee" && !app.past && app.about.running) card.append(el("button", { class: "btn wide", type: "button", onclick: () => app.referee.correct(id) }, "Correct this piece…"));
  return card;
}

const WORDS = { range: "Range", los: "Line of sight", within: "Within", attack: "Attack", shoot: "Shoot", charge: "Charge", volley: "Volley", clash: "Clash", arc: "Arc" };

function answerCard(ruling) {
  const word = ruling.question.split(" ")[0];
  if (ruling.error) return null;
  const answer = ruling.answer ?? {};
  const names = app.names();
  let big = { yes: "Yes", no: "No", "too close": "Too close to call" }[ruling.verdict];
  let tone = { yes: "yes", no: "no", "too close": "close" }[ruling.verdict];
  if (typeof answer.distance_mm === "number") {
    big = `${(answer.distance_mm / MM_PER_INCH).toFixed(2)} in${answer.band ? ` · ${answer.band}` : ""}`;
    if (word === "range") tone = "plain";
  } else if (typeof answer.visible === "boolean") {
    const blockers = (answer.blocked_by ?? []).map((id) => names[id] ?? id.replace(/-\d+$/, ""));
    big = answer.visible ? "In sight" : blockers.length ? `Blocked by ${blockers.join(", ")}` : "Not in sight";
  } else if (typeof answer.legal === "boolean") {
    big = answer.legal ? "Allowed" : title((answer.reasons ?? []).join(", ") || "Not allowed");
  }
  if (ruling.close_call) {
    tone = "close";
    if (typeof answer.distance_mm !== "number") big = "Too close to call";
  }
  const percent = Math.floor(1000 * ruling.certainty) / 10;
  const bar = el("i");
  bar.style.width = `${percent}%`;
  const card = el(
    "article",
    { class: `answer ${tone}`, "data-word": word },
    el("div", { class: "word" }, WORDS[word] ?? title(word), ruling.rule ? el("i", {}, ruling.rule) : null),
    el("div", { class: "big" }, big),
    el("p", {}, named(ruling.sentence, names)),
    el("div", { class: "sure" }, el("div", {}, bar), ruling.close_call ? `${percent} %: measure by hand` : `${percent} % sure`),
  );
  if (ruling.close_call && app.about.role === "referee" && !app.past && app.about.running) card.append(el("button", { class: "btn wide", type: "button", onclick: () => app.referee.measure(ruling) }, "Measured by hand…"));
  return card;
}

// --- past moments

const scrub = byId("scrub");
let looking = 0;
async function look(at) {
  const number = ++looking;
  app.at = at;
  byId("tolive").setAttribute("aria-pressed", String(at === null));
  if (at === null) {
    app.past = null;
    byId("at").textContent = "now";
    scrub.value = scrub.max;
    draw();
    return ask();
  }
  byId("at").textContent = clock(at);
  scrub.value = at;
  const found = await get(`/api/v1/scenes?at=${at}`).catch(() => null);
  if (number !== looking) return;
  if (!found) return toast("No settled table at that moment");
  app.past = { scene: found, names: { ...live.state.names, ...store.get("names", {}) } };
  draw();
  ask();
}
let waiting = null;
scrub.addEventListener("input", () => {
  clearTimeout(waiting);
  const at = Number(scrub.value);
  waiting = setTimeout(() => look(at >= Number(scrub.max) - 0.2 ? null : at), 90);
});
byId("tolive").addEventListener("click", () => look(null));

// --- what happened

function eventRow(event) {
  const what = kindOf(event);
  const overruled = live.state.events.some((other) => other.verdict === "overruled" && other.of?.t === event.t && other.of?.type === event.type && other.of?.piece === event.piece);
  const parts = [event.by ? `by ${event.by}` : "", (event.reasons ?? []).join(", "), typeof event.certainty === "number" && event.certainty < 0.9995 ? `${Math.floor(1000 * event.certainty) / 10} % sure` : ""].filter(Boolean);
  const text = el("span", { class: "text" }, el("b", {}, title(live.state.texts[event.seq] ?? event.type)), parts.length ? el("small", {}, parts.join(" · ")) : null);
  const row = el("li", { class: `tone-${what} ${overruled ? "struck" : ""}`, tabindex: "0", "data-seq": event.seq }, el("span", { class: "sign" }, SIGNS[what] ?? "•"), text, el("time", {}, clock(event.t)));
  const show = () => showEvent(event);
  row.addEventListener("click", show);
  row.addEventListener("keydown", (key) => key.key === "Enter" && show());
  return row;
}

function showEvent(event) {
  const there = () => {
    byId("sheet").close();
    open("table");
    look(Math.ceil(event.t * 100) / 100);
    const ids = [event.piece, event.top, event.bottom].filter((id) => typeof id === "string");
    setTimeout(() => select(ids.slice(0, 2)), 150);
  };
  const pictures = el("div", { class: "list" });
  for (const name of ["card.png", "gap.png"]) {
    const picture = el("img", { alt: name === "card.png" ? "the move, measured" : "the gap, enlarged", src: `/api/v1/evidence/${event.seq}/${name}`, hidden: true });
    picture.addEventListener("load", () => (picture.hidden = false));
    picture.addEventListener("error", () => picture.remove());
    pictures.append(picture);
  }
  const film = el("video", { controls: true, playsinline: true, preload: "metadata", src: `/api/v1/evidence/${event.seq}/clip.mp4`, hidden: true });
  film.addEventListener("loadedmetadata", () => (film.hidden = false));
  film.addEventListener("error", () => film.remove());
  const acts = el("div", { class: "acts" }, el("button", { class: "btn main", type: "button", onclick: there }, "Show the table then"));
  if (event.type === "violation" && app.about.role === "referee" && app.about.running) {
    acts.append(el("button", { class: "btn", type: "button", onclick: () => app.referee.verdict(event, "accept") }, "Accept"), el("button", { class: "btn danger", type: "button", onclick: () => app.referee.verdict(event, "overrule") }, "Overrule"));
  }
  sheet(title(live.state.texts[event.seq] ?? event.type), el("p", {}, clock(event.t)), acts, el("p", {}), pictures, film);
}

function drawEvents() {
  byId("eventlist").replaceChildren(...live.state.events.slice(-120).reverse().map(eventRow));
  if (!live.state.events.length) byId("eventlist").append(el("li", { class: "tone-note" }, el("span", { class: "sign" }, "•"), el("span", { class: "text" }, "Nothing has happened yet."), el("time", {}, "")));
}

// --- the head

function drawHead() {
  const { status, round, phase, course, scene: now } = live.state;
  const words = [round ? `Round ${round}` : (app.about.name ?? title(live.state.game)), phase ? title(phase) : ""].filter(Boolean).join(" · ");
  byId("stage").textContent = course?.over ? (course.winner ? `${title(course.winner)} wins` : "The game is over") : words;
  const owners = ownerClasses(now);
  byId("players").replaceChildren(
    ...(now.players ?? []).slice(0, 4).map(({ id }) => {
      const row = course?.players.find((known) => known.id === id);
      const count = now.pieces.filter((piece) => piece.owner === id && piece.x != null).length;
      return el("span", { class: `side ${owners[id]}` }, ownerDot(owners[id]), title(id), el("b", {}, String(row ? row.score : count)));
    }),
  );
  const pill = byId("status");
  const shown = !live.connected ? [live.expired ? "link expired" : "reconnecting", "off"] : { live: [status.table === "held" ? "hand" : "live", "live"], lost: ["no picture", "off"], ended: ["ended", ""] }[status.camera];
  byId("tolive").textContent = status.camera === "ended" ? "End" : "Live";
  byId("tolive").classList.toggle("ended", status.camera === "ended");
  pill.textContent = shown[0];
  pill.className = `pill ${shown[1]}`;
}

setInterval(() => {
  if (!live.state) return;
  byId("clock").textContent = clock(app.at ?? live.now());
  const last = Math.max(live.now(), 0.1).toFixed(1);
  if (!app.past && document.activeElement !== scrub) {
    scrub.max = last;
    scrub.value = last;
  } else scrub.max = Math.max(last, scrub.max);
}, 300);

// --- voice and looks

function drawMore() {
  const switchFor = (on, change, label) => {
    const input = el("input", { class: "switch", type: "checkbox", role: "switch", "aria-label": label });
    input.checked = on;
    input.addEventListener("change", () => change(input.checked));
    return el("label", { class: "rowline" }, label, input);
  };
  const looks = el("div", { class: "seg" });
  for (const [value, label] of Object.entries({ auto: "System", light: "Light", dark: "Dark" })) {
    const button = el("button", { type: "button", "aria-pressed": String(store.get("light", "auto") === value) }, label);
    button.addEventListener("click", () => {
      store.set("light", value);
      light(value);
      drawMore();
    });
    looks.append(button);
  }
  byId("more").replaceChildren(
    el("h2", {}, "Voice"),
    el("div", { class: "card" }, switchFor(speech.on, (on) => speech.turn(on), "Speak the calls"), ...Object.entries(SPOKEN).map(([group, label]) => switchFor(speech.filters[group], (on) => speech.filter(group, on), label)), speech.possible ? null : el("p", {}, "This browser cannot speak.")),
    el("h3", {}, "Look"),
    looks,
    el("h3", {}, "Names"),
    switchForNames(switchFor),
    el("h3", {}, "On other screens"),
    el("div", { class: "card" }, el("p", {}, "Overlays for a stream, with addresses to copy."), el("button", { class: "btn wide", type: "button", onclick: () => (location.href = "/overlays") }, "Overlays")),
  );
}

function switchForNames(switchFor) {
  return el(
    "div",
    { class: "card" },
    switchFor(board.options.names, (on) => {
      board.options.names = on;
      store.set("shownames", on);
      draw();
    }, "Names beside the pieces"),
  );
}

// --- calling the referee

function drawCall() {
  const text = el("input", { class: "entry", placeholder: "What is it about? (not needed)", maxlength: "120", "aria-label": "What is it about" });
  const call = el("button", { class: "btn danger wide", type: "button" }, "Call the referee");
  call.addEventListener("click", async () => {
    call.disabled = true;
    try {
      await post("/api/v1/call", { text: text.value, by: store.get("name", "") || "a watcher" });
      toast("The referee is called");
      text.value = "";
    } catch (error) {
      toast(error.message);
    }
    setTimeout(() => (call.disabled = false), 4000);
  });
  const name = el("input", { class: "entry", placeholder: "Your name", maxlength: "40", value: store.get("name", ""), "aria-label": "Your name" });
  name.addEventListener("change", () => store.set("name", name.value.trim()));
  const running = app.about.running;
  byId("referee").replaceChildren(el("h2", {}, "Call the referee"), el("div", { class: "card" }, el("p", {}, running ? "A note appears at the table and on the referee's phone, and stands in the log." : "This game is finished."), name, text, running ? call : null));
}

// --- beginning

live.addEventListener("change", ({ detail }) => {
  if (!live.state) return drawHeadOffline();
  drawHead();
  if (["snapshot", "scene", "rulings"].includes(detail.type)) {
    if (!app.past) {
      draw();
      if (app.selected.length && detail.type !== "rulings") ask();
    }
  }
  if (detail.type === "event") {
    byId("eventlist").querySelector("li:not([data-seq])")?.remove();
    byId("eventlist").prepend(eventRow(detail.message.data));
    speech.hear(detail.message.data, detail.message.text, live.state.names);
    if (byId("events").hidden) document.querySelector('[data-tab="events"]').classList.add("news");
    if (detail.message.data.verdict) drawEvents();
  }
  if (detail.type === "snapshot") drawEvents();
  app.referee?.update(detail);
});

function drawHeadOffline() {
  byId("status").textContent = live.expired ? "link expired" : live.connected ? "connecting" : "reconnecting";
  byId("status").className = "pill off";
}

async function begin() {
  board.options.names = store.get("shownames", false);
  app.about = await get(`/api/v1/about${location.search}`).catch(() => ({}));
  if (new URLSearchParams(location.search).has("key")) history.replaceState(null, "", location.pathname); // the cookie has it now
  if (app.about.role === "referee") {
    byId("refereeword").textContent = "Referee";
    app.referee = refereePage(app, byId("referee"));
  } else drawCall();
  drawMore();
  ask();
  live.start();
  if ("serviceWorker" in navigator && window.isSecureContext) {
    const policy = window.trustedTypes?.createPolicy("pinpoint", { createScriptURL: (url) => (url === "/sw.js" ? url : "") });
    navigator.serviceWorker.register(policy ? policy.createScriptURL("/sw.js") : "/sw.js").catch(() => {});
  }
}
begin();
