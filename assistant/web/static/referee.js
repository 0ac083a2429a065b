// The referee's tools: round and phase, verdicts, corrections, hand measurements; everything is logged with who did it.

import { MM_PER_INCH, clock, el, get, named, post, title } from "/static/parts.js";

export function refereePage(app, page) {
  const { live, store, toast, sheet } = app;
  const who = () => store.get("name", "") || "referee";

  async function act(what, body, done) {
    try {
      const answer = await post(`/api/v1/${what}`, { ...body, by: who() });
      document.getElementById("sheet").close();
      toast(done || title(answer.text) || "Done");
      return true;
    } catch (error) {
      toast(error.message);
      return false;
    }
  }

  async function correct(id) {
    const { alternatives } = await get(`/api/v1/alternatives?piece=${encodeURIComponent(id)}`).catch((error) => (toast(error.message), { alternatives: [] }));
    if (!alternatives.length) return;
    const list = alternatives.map((body) => el("button", { class: "btn", type: "button", onclick: () => act("correct", body, body.why) }, title(body.why)));
    sheet(app.names()[id] ?? id, el("div", { class: "list" }, ...list));
  }

  function measure(ruling) {
    const inches = el("input", { class: "entry", inputmode: "decimal", placeholder: "measured, in inches", "aria-label": "Measured, in inches" });
    const settle = (verdict) => {
      const value = Number(inches.value.replace(",", "."));
      if (inches.value && !(value >= 0)) return toast("Expected inches, such as 5.9");
      return act("verdict", { question: ruling.question, verdict, ...(inches.value ? { measured_mm: value * MM_PER_INCH } : {}) });
    };
    sheet(
      "Measured by hand",
      el("p", {}, named(ruling.sentence, app.names())),
      inches,
      el("p", {}),
      el("div", { class: "acts" }, el("button", { class: "btn main", type: "button", onclick: () => settle("yes") }, "It is so"), el("button", { class: "btn danger", type: "button", onclick: () => settle("no") }, "It is not")),
    );
  }

  function verdict(event, what) {
    const why = el("input", { class: "entry", placeholder: "Why (not needed)", maxlength: "120", "aria-label": "Why" });
    const word = what === "accept" ? "Accept" : "Overrule";
    sheet(
      `${word}: ${live.state.texts[event.seq] ?? ""}`,
      why,
      el("p", {}),
      el("button", { class: `btn wide ${what === "accept" ? "main" : "danger"}`, type: "button", onclick: () => act("verdict", { seq: event.seq, verdict: what, why: why.value }) }, word),
    );
  }

  function judged(event) {
    return live.state.events.some((other) => other.verdict && other.of?.t === event.t && other.of?.type === event.type && other.of?.piece === event.piece);
  }

  function stageCard() {
    const { round, phase, course } = live.state;
    if (course) return courseCard(course);
    const now = round ?? 1;
    const set = (number, word) => act("stage", { round: number, phase: word ?? "" }, `Round ${number}${word ? `, ${word}` : ""}`);
    const phases = el("div", { class: "seg" }, ...(app.about.phases ?? []).map((word) => el("button", { type: "button", "aria-pressed": String(word === phase), onclick: () => set(now, word) }, title(word))));
    return el(
      "div",
      { class: "card" },
      el("div", { class: "rowline" }, "Round", el("div", { class: "step" }, el("button", { class: "btn", type: "button", "aria-label": "round before", onclick: () => now > 1 && set(now - 1, phase) }, "−"), el("output", {}, String(now)), el("button", { class: "btn", type: "button", "aria-label": "next round", onclick: () => set(now + 1, phase) }, "+"))),
      app.about.phases?.length ? phases : null,
      el("button", { class: "btn wide", type: "button", onclick: () => act("tell", { text: "start" }, "The game's course is followed") }, "Follow the whole game from here"),
    );
  }

  function courseCard(course) {
    const need = course.needs[0];
    const choices = (need?.choices ?? []).map((choice) => el("button", { class: "btn", type: "button", onclick: () => act("tell", { text: choice.tell }) }, choice.label));
    const typed = el("input", { class: "entry", placeholder: need?.usage || "tell what happened", "aria-label": "Tell what happened" });
    return el(
      "div",
      { class: "card" },
      need ? el("p", {}, `${need.player ? `${title(need.player)}: ` : ""}${need.what}`) : el("p", {}, course.last ? `Last: ${course.last}` : ""),
      choices.length ? el("div", { class: "acts" }, ...choices) : null,
      el("div", { class: "acts" }, typed, el("button", { class: "btn", type: "button", onclick: () => typed.value && act("tell", { text: typed.value }) }, "Tell")),
      el("div", { class: "acts" }, el("button", { class: "btn main", type: "button", onclick: () => act("tell", { text: "advance" }) }, "Next"), course.can_go_back ? el("button", { class: "btn", type: "button", onclick: () => act("tell", { text: "back" }) }, "Back") : null),
    );
  }

  function draw() {
    if (!live.state || page.contains(document.activeElement) && document.activeElement.tagName === "INPUT") return;
    const name = el("input", { class: "entry", placeholder: "Your name, for the log", maxlength: "40", value: store.get("name", ""), "aria-label": "Your name" });
    name.addEventListener("change", () => store.set("name", name.value.trim()));
    if (!app.about.running) {
      page.replaceChildren(el("h2", {}, "Referee"), el("div", { class: "card" }, el("p", {}, "This game is finished: it can be looked at, not changed.")));
      return;
    }
    const open = live.state.events.filter((event) => event.type === "violation" && !judged(event)).slice(-5).reverse();
    const calls = live.state.events.filter((event) => event.call).slice(-2).reverse();
    const close = live.state.rulings.filter((ruling) => ruling.close_call).slice(0, 5);
    page.replaceChildren(
      el("h2", {}, "Referee"),
      ...calls.map((event) => el("div", { class: "card" }, el("b", {}, title(live.state.texts[event.seq])), el("p", {}, `${event.by}, ${clock(event.t)}`))),
      el("h3", {}, "Violations"),
      ...(open.length
        ? open.map((event) =>
            el(
              "div",
              { class: "card" },
              el("b", {}, title(live.state.texts[event.seq])),
              el("p", {}, clock(event.t)),
              el("div", { class: "acts" }, el("button", { class: "btn main", type: "button", onclick: () => verdict(event, "accept") }, "Accept"), el("button", { class: "btn danger", type: "button", onclick: () => verdict(event, "overrule") }, "Overrule")),
            ),
          )
        : [el("div", { class: "card" }, el("p", {}, "None is open."))]),
      close.length ? el("h3", {}, "Close calls") : "",
      ...close.map((ruling) => el("div", { class: "card" }, el("b", {}, named(ruling.sentence, live.state.names)), el("button", { class: "btn wide", type: "button", onclick: () => measure({ ...ruling, question: questionOf(ruling) }) }, "Measured by hand…"))),
      el("h3", {}, "Round and phase"),
      stageCard(),
      el("h3", {}, "Corrections"),
      el("div", { class: "card" }, el("p", {}, "Tap a piece on the table to correct it."), el("button", { class: "btn wide", type: "button", onclick: () => act("undo", {}, "Taken back") }, "Take the last correction back")),
      el("h3", {}, "You"),
      el("div", { class: "card" }, name),
    );
  }

  function questionOf(ruling) {
    return [ruling.kind, ...ruling.pieces.map((id) => (/[\s"]/.test(id) ? JSON.stringify(id) : id))].join(" ");
  }

  return {
    correct,
    measure,
    verdict,
    update: ({ type, message }) => {
      if (type === "connection") return;
      draw();
      if (type === "event" && (message.data.call || message.data.type === "violation") && page.hidden) document.getElementById("refereetab").classList.add("news");
    },
  };
}
