// The table drawn from above, in millimetres: pieces glide to where they lie now.

import { el, initials, ownerClasses, svg } from "/static/parts.js";

const GLIDE_MS = 700;
const MARGIN_MM = 26;
const SHOWN_MARKS = new Set(["pin", "engagement", "violation"]);

export class Board {
  /** `options`: names (bool), marks (bool), grid (bool). */
  constructor(options = {}) {
    this.options = { names: true, marks: true, grid: true, ...options };
    this._pieces = new Map();
    this._selected = [];
    this._extra = [];
    this._rulings = [];
    this._names = {};
    this.field = svg("g");
    this.marksUnder = svg("g", { class: "marks under" });
    this.layer = svg("g");
    this.marksOver = svg("g", { class: "marks" });
    this.labels = svg("g", { class: "labels" });
    this.node = svg(
      "svg",
      { class: "board", role: "img", "aria-label": "the table from above" },
      shades(),
      this.field,
      this.marksUnder,
      this.layer,
      this.marksOver,
      this.labels,
    );
    this._fieldKey = "";
    this._moving = false;
    this.scene = null;
  }

  /** Another scene; `still` puts everything in place at once. */
  show(scene, names, rulings = [], still = false) {
    const first = this.scene === null;
    this.scene = scene;
    this._names = names;
    this._rulings = rulings;
    this._drawField();
    const owners = ownerClasses(scene);
    const lying = scene.pieces.filter((piece) => piece.x !== undefined && piece.x !== null);
    const order = stacked(scene, lying);
    const now = performance.now();
    const seen = new Set();
    for (const piece of order) {
      seen.add(piece.id);
      let known = this._pieces.get(piece.id);
      if (!known || known.key !== drawnKey(piece, names[piece.id], owners)) {
        const drawn = pieceNode(piece, names[piece.id] ?? piece.id, owners[piece.owner] ?? "nobody");
        const at = known?.at ?? { x: piece.x, y: piece.y, turn: piece.facing_deg ?? 0, fade: first || still ? 1 : 0 };
        known?.node.remove();
        known = { ...known, node: drawn, at, key: drawnKey(piece, names[piece.id], owners), label: labelNode(names[piece.id] ?? piece.id) };
        this._pieces.set(piece.id, known);
      }
      const target = { x: piece.x, y: piece.y, turn: piece.facing_deg ?? 0, fade: piece.visible === false ? 0.35 : 1 };
      glide(known, target, still || first ? 0 : GLIDE_MS, now);
      known.piece = piece;
      known.going = false;
      this.layer.append(known.node); // in the order they lie on one another
    }
    for (const [id, known] of this._pieces) {
      if (!seen.has(id) && !known.going) {
        known.going = true;
        glide(known, { ...known.to, fade: 0 }, still ? 0 : GLIDE_MS, now);
      }
    }
    this._drawMarks();
    this._animate();
  }

  /** Pieces to point out. */
  select(ids) {
    this._selected = ids;
    for (const [id, known] of this._pieces) known.node.classList.toggle("selected", ids.includes(id));
    this._drawMarks();
    this._drawLabels();
  }

  /** Lines, rings and areas of an answer. */
  mark(evidence) {
    this._extra = evidence;
    this._drawMarks();
  }

  /** The piece nearest to a point of the table, within a distance. */
  nearest(x, y, within) {
    let best = null;
    let least = Infinity;
    for (const { piece, going } of this._pieces.values()) {
      if (going || !piece) continue;
      const radius = (piece.shape.circle_mm ?? Math.min(...piece.shape.rect_mm)) / 2;
      const off = Math.hypot(piece.x - x, piece.y - y);
      const outside = Math.max(0, off - radius);
      const score = outside > 0 ? outside + 1000 : off; // inside a disk, the nearest centre wins
      if (outside <= within && score < least) [best, least] = [piece.id, score];
    }
    return best;
  }

  _drawField() {
    const { table, terrain = [], zones = [], objectives = [] } = this.scene;
    const key = JSON.stringify([table, terrain, zones, objectives]);
    if (key === this._fieldKey) return;
    this._fieldKey = key;
    const { width_mm: width, depth_mm: depth } = table;
    const all = [-MARGIN_MM, -MARGIN_MM, width + 2 * MARGIN_MM, depth + 2 * MARGIN_MM];
    this.whole = all;
    this.node.setAttribute("viewBox", (this.window ?? all).join(" "));
    this.field.replaceChildren(svg("rect", { class: "mat", x: -14, y: -14, width: width + 28, height: depth + 28, rx: 22 }));
    this.field.append(svg("rect", { class: "field", width, height: depth, rx: 6 }));
    if (this.options.grid) {
      let path = "";
      for (let x = 152.4; x < width - 1; x += 152.4) path += `M${x} 0V${depth}`;
      for (let y = 152.4; y < depth - 1; y += 152.4) path += `M0 ${y}H${width}`;
      this.field.append(svg("path", { class: "grid", d: path }));
    }
    const owners = ownerClasses(this.scene);
    for (const zone of zones) {
      this.field.append(svg("polygon", { class: `zone ${owners[zone.owner] ?? "nobody"}`, points: zone.outline.join(" ") }));
    }
    for (const piece of terrain) {
      const blocks = (piece.keywords ?? []).some((word) => word.includes("block"));
      const [x, y] = middle(piece.outline);
      this.field.append(
        svg("polygon", { class: blocks ? "terrain blocks" : "terrain", points: piece.outline.join(" ") }),
        svg("text", { class: "place", x, y }, piece.id.replace(/-\d+$/, "").replaceAll("-", " ")),
      );
    }
    for (const marker of objectives) {
      this.field.append(svg("circle", { class: `objective ${owners[marker.holder] ?? ""}`, cx: marker.x, cy: marker.y, r: (marker.circle_mm ?? 25) / 2 }));
    }
  }

  _drawMarks() {
    const marks = [];
    if (this.options.marks) {
      for (const ruling of this._rulings) {
        for (const mark of ruling.evidence ?? []) if (SHOWN_MARKS.has(mark.meaning) && !mark.area) marks.push({ ...mark, text: "" });
      }
    }
    this.marksUnder.replaceChildren(...this._extra.filter((mark) => mark.area).map(markNode).filter(Boolean));
    const lines = [...marks, ...this._extra.filter((mark) => !mark.area)];
    this.marksOver.replaceChildren(...[...lines.map(markNode), ...lines.map(markText)].filter(Boolean));
  }

  _drawLabels() {
    const wanted = this.options.names ? [...this._pieces.keys()] : this._selected;
    const shown = wanted.map((id) => this._pieces.get(id)).filter((known) => known?.piece && !known.going);
    const taken = [...this._pieces.values()].filter((known) => known.piece && !known.going).map(({ at, piece }) => around(at, extent(piece) * 0.8, extent(piece) * 0.8));
    const placed = [];
    // chosen pieces first: a name for which there is no room is left out, unless somebody asked for it
    const first = (known) => (this._selected.includes(known.piece.id) ? 0 : 1);
    for (const known of [...shown].sort((a, b) => first(a) - first(b))) {
      const radius = extent(known.piece);
      const half = (known.label.textContent.length * 9.4) / 2 + 3;
      const spots = [[0, radius + 15], [0, -radius - 15], [radius + half + 6, 0], [-radius - half - 6, 0]];
      const boxes = spots.map(([x, y]) => around({ x: known.at.x + x, y: known.at.y + y }, half, 9));
      let free = boxes.findIndex((box) => ![...taken, ...placed].some((other) => overlap(box, other)) && this._inside(box));
      if (free < 0 && first(known) === 0) free = 0;
      if (free < 0) continue;
      placed.push(boxes[free]);
      known.label.setAttribute("transform", `translate(${known.at.x + spots[free][0]} ${known.at.y + spots[free][1]})`);
      known.named = true;
    }
    const written = shown.filter((known) => known.named);
    for (const known of written) known.named = false;
    this.labels.replaceChildren(...written.map((known) => known.label));
  }

  _inside([left, top, right, bottom]) {
    const [x, y, width, depth] = this.whole;
    return left >= x && top >= y && right <= x + width && bottom <= y + depth;
  }

  _animate() {
    if (this._moving) return;
    this._moving = true;
    const step = () => {
      const now = performance.now();
      let going = false;
      for (const [id, known] of this._pieces) {
        going = place(known, now) || going;
        if (known.going && known.at.fade <= 0) {
          known.node.remove();
          this._pieces.delete(id);
        }
      }
      this._drawLabels();
      this._moving = going;
      if (going) requestAnimationFrame(step);
    };
    step();
  }
}

function extent(piece) {
  return piece.shape.circle_mm ? piece.shape.circle_mm / 2 : Math.hypot(...piece.shape.rect_mm) / 2;
}

function around({ x, y }, width, height) {
  return [x - width, y - height, x + width, y + height];
}

function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function glide(known, target, duration, now) {
  const from = known.to && same(known.to, target) ? null : { ...known.at };
  if (!from && known.to) return;
  let turn = target.turn - known.at.turn;
  turn = ((((turn + 180) % 360) + 360) % 360) - 180; // the short way round
  known.from = from ?? { ...known.at };
  known.to = { ...target, turn: known.at.turn + turn };
  known.since = now;
  known.duration = duration;
}

function place(known, now) {
  const share = known.duration ? Math.min(1, (now - known.since) / known.duration) : 1;
  const eased = share < 0.5 ? 4 * share ** 3 : 1 - (-2 * share + 2) ** 3 / 2;
  for (const name of ["x", "y", "turn", "fade"]) known.at[name] = known.from[name] + (known.to[name] - known.from[name]) * eased;
  known.node.setAttribute("transform", `translate(${known.at.x} ${known.at.y}) rotate(${known.at.turn})`);
  known.node.setAttribute("opacity", known.at.fade);
  return share < 1;
}

function same(a, b) {
  return Math.abs(a.x - b.x) < 0.01 && Math.abs(a.y - b.y) < 0.01 && a.fade === b.fade && Math.abs((a.turn - b.turn) % 360) < 0.01;
}

function drawnKey(piece, name, owners) {
  return JSON.stringify([piece.shape, piece.tokens, name, owners[piece.owner], piece.visible]);
}

function pieceNode(piece, name, owner) {
  const group = svg("g", { class: `piece ${owner}`, "data-piece": piece.id });
  let radius;
  if (piece.shape.circle_mm) {
    radius = piece.shape.circle_mm / 2;
    group.append(
      svg("circle", { class: "shadow", cx: 1.5, cy: 3, r: radius + 1 }),
      svg("circle", { class: "body", r: radius }),
      svg("circle", { class: "rim", r: radius - 2.4 }),
      svg("circle", { class: "inner", r: radius * 0.74 }),
    );
  } else {
    const [width, depth] = piece.shape.rect_mm;
    radius = Math.min(width, depth) / 2;
    group.append(
      svg("rect", { class: "shadow", x: -width / 2 + 1.5, y: -depth / 2 + 3, width, height: depth, rx: 3 }),
      svg("rect", { class: "body", x: -width / 2, y: -depth / 2, width, height: depth, rx: 3 }),
      svg("rect", { class: "rim", x: -width / 2 + 2, y: -depth / 2 + 2, width: width - 4, height: depth - 4, rx: 2 }),
      svg("path", { class: "front", d: `M${-width / 4} ${-depth / 2 + 8}L0 ${-depth / 2 + 1}L${width / 4} ${-depth / 2 + 8}` }),
    );
  }
  group.append(svg("circle", { class: "halo", r: radius + 7 }));
  const letters = initials(name);
  group.append(svg("text", { class: "letters", "font-size": Math.min(22, (1.9 * radius) / Math.max(2, letters.length)) }, letters));
  const tokens = Object.entries(piece.tokens ?? {}).filter(([, count]) => count > 0);
  tokens.forEach(([kind, count], index) => {
    const turn = ((40 + 55 * index) * Math.PI) / 180;
    const at = `translate(${radius * Math.sin(turn)} ${-radius * Math.cos(turn)})`;
    group.append(
      svg("g", { class: `token t-${kind.replace(/\W/g, "")}`, transform: at }, svg("circle", { r: 9.5 }), svg("text", {}, `${kind.charAt(0).toUpperCase()}${count}`)),
    );
  });
  return group;
}

function labelNode(name) {
  return svg("text", { class: "name" }, name);
}

function markNode(mark) {
  const kind = `mark m-${mark.meaning}`;
  if (mark.line?.length === 2) {
    const [[x1, y1], [x2, y2]] = mark.line;
    return svg("g", {}, svg("line", { class: "casing", x1, y1, x2, y2 }), svg("line", { class: kind, x1, y1, x2, y2 }));
  }
  if (mark.ring) return svg("circle", { class: kind, cx: mark.ring[0], cy: mark.ring[1], r: mark.radius_mm });
  if (mark.area?.length >= 3) return svg("polygon", { class: kind, points: mark.area.join(" ") });
  return null;
}

function markText(mark) {
  if (!mark.text || !mark.line) return null;
  const [[x1, y1], [x2, y2]] = mark.line;
  const width = 13 * mark.text.length + 18;
  return svg(
    "g",
    { class: `tag m-${mark.meaning}`, transform: `translate(${(x1 + x2) / 2} ${(y1 + y2) / 2})` },
    svg("rect", { x: -width / 2, y: -17, width, height: 34, rx: 17 }),
    svg("text", {}, mark.text),
  );
}

/** Every piece after all that lie under it. */
function stacked(scene, lying) {
  const under = new Map();
  for (const [top, bottom] of scene.above ?? []) under.set(top, [...(under.get(top) ?? []), bottom]);
  const pieces = new Map(lying.map((piece) => [piece.id, piece]));
  const done = new Set();
  const order = [];
  const visit = (id, way) => {
    if (done.has(id) || way.has(id) || !pieces.has(id)) return;
    way.add(id);
    for (const lower of under.get(id) ?? []) visit(lower, way);
    way.delete(id);
    if (!done.has(id)) {
      done.add(id);
      order.push(pieces.get(id));
    }
  };
  for (const id of pieces.keys()) visit(id, new Set());
  return order;
}

function middle(outline) {
  const xs = outline.map(([x]) => x);
  const ys = outline.map(([, y]) => y);
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
}

function shades() {
  const stops = [["0%", 1], ["70%", 0.82], ["100%", 0.6]];
  const gradients = ["p0", "p1", "p2", "p3", "nobody"].map((owner) =>
    svg(
      "radialGradient",
      { id: `shade-${owner}`, cx: "38%", cy: "30%", r: "80%" },
      ...stops.map(([offset, depth]) => svg("stop", { offset, class: `stop-${owner}`, "stop-opacity": depth })),
    ),
  );
  return svg("defs", {}, ...gradients);
}

/** A dot in a player's colour, for lists. */
export function ownerDot(owner) {
  return el("i", { class: `dot ${owner}`, "aria-hidden": "true" });
}
