// The list of overlays: live previews, their options, and addresses to copy.

import { el, get } from "/static/parts.js";

const LOOKS = { arena: "Arena", paper: "Paper", neon: "Neon", plain: "Plain" };
const COMMON = [{ name: "scale", label: "Size", values: ["", "0.8", "1.2", "1.5"], shown: ["normal", "smaller", "larger", "largest"] }];
const CARDS = [
  {
    kind: "board",
    title: "Board",
    text: "The table from above, drawn; pieces glide as they are moved.",
    options: [
      { name: "side", label: "Place", values: ["", "left", "center"], shown: ["right", "left", "centre"] },
      { name: "names", label: "Names", values: ["", "0"], shown: ["shown", "hidden"] },
      { name: "table", label: "Table", values: ["", "none"], shown: ["shown", "pieces only"] },
    ],
  },
  {
    kind: "call",
    title: "Call",
    text: "Violations, engagements, pins and close calls, large, fading after a while.",
    preview: { sample: "1" },
    options: [
      { name: "side", label: "Place", values: ["", "top"], shown: ["bottom", "top"] },
      { name: "hold", label: "Shown for", values: ["", "4", "12"], shown: ["7 s", "4 s", "12 s"] },
    ],
  },
  {
    kind: "score",
    title: "Score, round and clock",
    text: "Both players with their score or pieces, the round, the phase and the time.",
    options: [
      { name: "side", label: "Place", values: ["", "bottom"], shown: ["top", "bottom"] },
      { name: "names", label: "Players' names", text: "Anna, Ben" },
    ],
  },
  {
    kind: "events",
    title: "Events",
    text: "What happened last, one line each.",
    options: [
      { name: "side", label: "Place", values: ["", "left"], shown: ["right", "left"] },
      { name: "count", label: "Lines", values: ["", "3", "10"], shown: ["6", "3", "10"] },
      { name: "hold", label: "Shown for", values: ["", "10", "30"], shown: ["always", "10 s", "30 s"] },
    ],
  },
  {
    kind: "camera",
    title: "Camera",
    text: "The live picture with the outlines of what was found.",
    preview: { fps: "2" },
    options: [
      { name: "overlay", label: "Outlines", values: ["", "0"], shown: ["shown", "hidden"] },
      { name: "fit", label: "Fill", values: ["", "cover"], shown: ["whole picture", "fill the frame"] },
    ],
  },
];

const state = { theme: "arena", key: null };
const redraw = [];

function card({ kind, title, text, options, preview = {} }) {
  const chosen = {};
  const frame = el("iframe", { title: `${title}, live preview`, tabindex: "-1" });
  const view = el("div", { class: "preview" }, frame);
  const address = el("input", { readonly: true, "aria-label": `Address of ${title}`, value: "" });
  const copy = el("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    address.select();
    try {
      await navigator.clipboard.writeText(address.value);
    } catch {
      document.execCommand("copy"); // pages without https have no clipboard
    }
    copy.textContent = "Copied";
    copy.classList.add("done");
    setTimeout(() => ((copy.textContent = "Copy"), copy.classList.remove("done")), 1600);
  });
  const fields = [...options, ...COMMON].map((option) => {
    const input = option.values
      ? el("select", {}, ...option.values.map((value, index) => el("option", { value }, option.shown[index])))
      : el("input", { placeholder: option.text });
    input.addEventListener("change", () => {
      chosen[option.name] = input.value.trim();
      draw();
    });
    return el("label", {}, option.label, input);
  });
  const link = (extra) => {
    const query = new URLSearchParams();
    if (state.theme !== "arena") query.set("theme", state.theme);
    for (const [name, value] of Object.entries({ ...chosen, ...extra })) if (value) query.set(name, value);
    const text = query.toString();
    return `${location.origin}/overlay/${kind}${text ? `?${text}` : ""}`;
  };
  const draw = () => {
    address.value = link(state.key ? { key: state.key } : {});
    frame.src = link(preview);
  };
  new ResizeObserver(() => (frame.style.transform = `scale(${view.clientWidth / 1920})`)).observe(view);
  redraw.push(draw);
  return el(
    "article",
    { class: "card", "data-kind": kind },
    view,
    el("div", { class: "body" }, el("h2", {}, title), el("p", {}, text), el("div", { class: "fields" }, ...fields), el("div", { class: "copy" }, address, copy)),
  );
}

const looks = document.getElementById("looks");
for (const [theme, label] of Object.entries(LOOKS)) {
  const button = el("button", { type: "button", "aria-pressed": String(theme === state.theme) }, label);
  button.addEventListener("click", () => {
    state.theme = theme;
    for (const other of looks.children) other.setAttribute("aria-pressed", String(other === button));
    redraw.forEach((draw) => draw());
  });
  looks.append(button);
}
document.getElementById("cards").append(...CARDS.map(card));
const about = await get(`/api/v1/about${location.search}`).catch(() => ({}));
state.key = about.watch_key ?? null;
redraw.forEach((draw) => draw());
document.getElementById("foot").append(
  state.key ? "The addresses hold the secret of the watchers' link: show them to nobody on the stream. " : "",
  "More options: accent=ff5a1f, show=violation,engagement for what is told. ",
  el("a", { href: "/" }, "The phone page"),
);
