// The feed: one WebSocket that comes back by itself, and the state it keeps up to date.

const KEPT_EVENTS = 300;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8000;

export class Live extends EventTarget {
  constructor() {
    super();
    this.state = null;
    this.connected = false;
    this.expired = false;
    this._heard = 0;
    this._pause = FIRST_PAUSE_MS;
    this._socket = null;
  }

  start() {
    this._connect();
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !this.connected) this._connect();
    });
    window.addEventListener("online", () => !this.connected && this._connect());
    return this;
  }

  /** Seconds of the game now: counted on between messages while the camera is live. */
  now() {
    if (!this.state) return 0;
    const running = this.connected && this.state.status.camera === "live";
    return this.state.t + (running ? Math.min(30, (performance.now() - this._heard) / 1000) : 0);
  }

  _connect() {
    clearTimeout(this._timer);
    this._socket?.close();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const query = new URLSearchParams(location.search);
    const asked = new URLSearchParams();
    if (query.has("key")) asked.set("key", query.get("key"));
    if (this.state) {
      asked.set("after", this.state.seq);
      asked.set("session", this.state.session);
    }
    const socket = new WebSocket(`${scheme}://${location.host}/api/v1/live?${asked}`);
    this._socket = socket;
    socket.onopen = () => {
      this._pause = FIRST_PAUSE_MS;
      this._tell(true);
    };
    socket.onmessage = (message) => this._take(JSON.parse(message.data));
    socket.onclose = () => {
      if (socket !== this._socket) return;
      this._tell(false);
      this._check();
      this._timer = setTimeout(() => this._connect(), this._pause * (0.7 + 0.6 * Math.random()));
      this._pause = Math.min(2 * this._pause, LONGEST_PAUSE_MS);
    };
  }

  async _check() {
    const answer = await fetch(`/api/v1/about${location.search}`, { cache: "no-store" }).catch(() => null);
    const expired = answer?.status === 401;
    if (expired !== this.expired) {
      this.expired = expired;
      this._emit("connection", null);
    }
  }

  _tell(connected) {
    this.connected = connected;
    if (connected) this.expired = false;
    this._emit("connection", null);
  }

  _take(message) {
    const { seq, type, data } = message;
    if (type === "snapshot") {
      this.state = data;
      this._heard = performance.now();
    } else if (this.state) {
      const state = this.state;
      if (type === "scene") {
        state.scene = data;
        state.names = { ...state.names, ...message.names };
      } else if (type === "rulings") {
        state.rulings = data;
      } else if (type === "event") {
        state.events = [...state.events, data].slice(-KEPT_EVENTS);
        state.texts[data.seq] = message.text;
      } else if (type === "status") {
        state.status = { camera: data.camera, table: data.table, recording: data.recording };
        Object.assign(state, { t: data.t, round: data.round, phase: data.phase, course: data.course });
        this._heard = performance.now();
      }
      state.seq = seq;
    }
    this._emit(type, message);
  }

  _emit(type, message) {
    this.dispatchEvent(new CustomEvent(type, { detail: message }));
    this.dispatchEvent(new CustomEvent("change", { detail: { type, message } }));
  }
}
