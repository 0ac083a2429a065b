// Calls spoken by the browser: filtered by kind; after a correction only the new value.

import { kindOf, named } from "/static/parts.js";

export const SPOKEN = {
  violation: "Violations",
  engagement: "Engagements and pins",
  moved: "Moves",
  correction: "Corrections",
  other: "Everything else",
};
const GROUPS = { violation: "violation", doubt: "violation", engagement: "engagement", pinned: "engagement", unpinned: "engagement", moved: "moved", correction: "correction", overruled: "correction" };

/** Which filter an event falls under. */
export function groupOf(event) {
  return GROUPS[kindOf(event)] ?? "other";
}

/** What is said of an event. Of a correction it is the new value and nothing of the old. */
export function words(event, text, names) {
  if (event.type !== "correction") return text;
  const news = (event.changes ?? []).map((change) => newValue(change, names)).filter(Boolean);
  return news.length ? news.slice(0, 3).join(". ") : named(event.why ?? text, names);
}

function newValue({ path, after }, names) {
  const [what, id, field, ...inner] = path.split("/");
  if (what !== "pieces") return "";
  const name = names[id] ?? id;
  if (!field) return after === null ? `${name} is not on the table` : `${name} is on the table`;
  if (["x", "y", "sigma_mm", "stats", "keywords", "traits"].includes(field)) return "";
  const value = after === null || after === undefined ? "none" : typeof after === "object" ? Object.entries(after).map(([kind, count]) => `${count} ${kind}`).join(", ") || "none" : String(after).replaceAll("-", " ");
  return `${name}: ${[...inner, value].join(" ")}`;
}

export class Speech {
  constructor(store) {
    this._store = store;
    this.on = store.get("speech", false);
    this.filters = { violation: true, engagement: true, moved: false, correction: true, other: false, ...store.get("filters", {}) };
  }

  get possible() {
    return "speechSynthesis" in window;
  }

  turn(on) {
    this.on = on;
    this._store.set("speech", on);
    if (!on && this.possible) speechSynthesis.cancel();
    else if (on) this.say("The voice is on."); // phones speak only after a touch
  }

  filter(group, on) {
    this.filters[group] = on;
    this._store.set("filters", this.filters);
  }

  hear(event, text, names) {
    if (!this.on || !this.possible || !this.filters[groupOf(event)]) return;
    if (event.type === "correction") speechSynthesis.cancel(); // what was said before no longer holds
    this.say(words(event, text, names));
  }

  say(text) {
    if (!this.possible || !text) return;
    const spoken = new SpeechSynthesisUtterance(text);
    spoken.lang = "en";
    spoken.rate = 1.05;
    speechSynthesis.speak(spoken);
  }
}
