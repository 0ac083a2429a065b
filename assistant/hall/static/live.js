// The table that overlays and pages follow: the one on air, or the one named by `of=`. The same as a table's own feed.

const PAUSE_MS = 1000;

export class Live extends EventTarget {
  constructor(table = new URLSearchParams(location.search).get("of")) {
    super();
    this.state = null;
    this.connected = false;
    this.expired = false;
    this._path = table ? `/api/v1/tables/${encodeURIComponent(table)}/state` : "/api/v1/air";
    this._ahead = 0; // seconds by which the hall's clock is ahead of this one
  }

  start() {
    this._ask();
    setInterval(() => this._ask(), PAUSE_MS);
    return this;
  }

  /** Seconds of the game now: counted on between reports while the camera is live. */
  now() {
    if (!this.state) return 0;
    const running = this.connected && !this.state.away && this.state.status.camera === "live";
    return this.state.t + (running ? Math.max(0, Date.now() / 1000 + this._ahead - this.state.changed_at) : 0);
  }

  async _ask() {
    const answer = await fetch(this._path, { credentials: "same-origin", cache: "no-cache" }).catch(() => null);
    const expired = answer?.status === 401;
    const connected = answer?.ok ?? false;
    if (connected !== this.connected || expired !== this.expired) {
      [this.connected, this.expired] = [connected, expired];
      this._emit("connection", null);
    }
    if (!connected) return;
    const told = Date.parse(answer.headers.get("date") ?? "");
    if (told) this._ahead = told / 1000 - Date.now() / 1000;
    this._take(await answer.json());
  }

  _take(state) {
    const before = this.state;
    this.state = state;
    if (!before || before.table !== state.table || before.session !== state.session) {
      this._emit("snapshot", { seq: state.seq, type: "snapshot", data: state });
      return;
    }
    if (before.seq === state.seq && before.changed_at === state.changed_at && before.away === state.away) return;
    for (const event of state.events.filter((one) => one.seq > before.seq)) {
      this._emit("event", { seq: event.seq, type: "event", data: event, text: state.texts[event.seq] });
    }
    this._emit("status", { seq: state.seq, type: "status", data: state.status });
  }

  _emit(type, message) {
    this.dispatchEvent(new CustomEvent(type, { detail: message }));
    this.dispatchEvent(new CustomEvent("change", { detail: { type, message } }));
  }
}
