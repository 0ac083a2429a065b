// Small parts every page needs. Names and sentences only ever become text nodes.

const SVG = "http://www.w3.org/2000/svg";
export const MM_PER_INCH = 25.4;

/** An HTML element: attributes, then children; a text child is text, never markup. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Minutes and seconds, with hours where there are any. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = String(Math.floor(whole / 60) % 60);
  const rest = String(whole % 60).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  return hours ? `${hours}:${minutes.padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** A sentence with the pieces' names in place of their ids. */
export function named(text, names) {
  const ids = Object.keys(names).sort((a, b) => b.length - a.length);
  if (!ids.length || !text) return text || "";
  const pattern = ids.map((id) => id.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text.replace(new RegExp(`(?<![\\w-])(${pattern})(?![\\w-])`, "g"), (id) => names[id]);
}

/** A name as people read it: first letter large, hyphens as blanks. */
export function title(text) {
  const plain = String(text ?? "").replaceAll("-", " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Up to three letters that stand for a name on a small disk. */
export function initials(name) {
  const bare = name.replace(/\s*\([^)]*\)$/, "");
  const words = bare.split(/[\s_-]+/).filter(Boolean);
  if (words.length > 1) return words.slice(0, 3).map((word) => [...word][0]).join("").toUpperCase();
  return [...bare].slice(0, 3).join("");
}

/** Data from the server; an error has the server's own words. */
export async function get(path) {
  return answered(await fetch(path, { credentials: "same-origin", cache: "no-store" }));
}

/** Sends JSON. */
export async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const options = { method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin" };
  return answered(await fetch(path, options));
}

async function answered(response) {
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(data.error || `the table answered ${response.status}`), { status: response.status });
  return data;
}

/** The colour class of each player, in the order they sit. */
export function ownerClasses(scene) {
  return Object.fromEntries((scene?.players ?? []).map((player, index) => [player.id, `p${index % 4}`]));
}

/** What kind of news an event is: decides its sign and its colour. */
export function kindOf(event) {
  if (event.verdict === "overruled") return "overruled";
  if (event.call) return "call";
  if (event.type === "moved" && event.allowed === false) return "doubt";
  return event.type;
}

export const SIGNS = {
  appeared: "＋",
  removed: "−",
  moved: "→",
  doubt: "→",
  pinned: "⬓",
  unpinned: "⬒",
  token: "◈",
  engagement: "⚔",
  violation: "!",
  bumped: "≋",
  camera_moved: "◉",
  camera_lost: "◌",
  camera_back: "◉",
  note: "✎",
  correction: "✓",
  overruled: "✓",
  call: "⚑",
};
