// Pan, pinch and tap on a board.

const TAP_PX = 12;
const REACH_PX = 26;

/** Makes a board movable; `tapped` gets the piece under the finger, or null. */
export function touchable(board, box, tapped, moved) {
  const node = board.node;
  const fingers = new Map();
  let start = null;
  const view = () => board.window ?? board.whole;
  const point = (event) => {
    const inverse = node.getScreenCTM().inverse();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse);
  };
  const set = (next) => {
    const [left, top, width, depth] = board.whole;
    const share = Math.max(0.14, Math.min(1, next[2] / width));
    const size = [width * share, depth * share];
    const x = Math.max(left, Math.min(left + width - size[0], next[0]));
    const y = Math.max(top, Math.min(top + depth - size[1], next[1]));
    board.window = share > 0.995 ? null : [x, y, ...size];
    node.setAttribute("viewBox", view().join(" "));
    moved(board.window !== null);
  };
  const around = (centre, factor) => {
    const [x, y, width, depth] = view();
    set([centre.x - (centre.x - x) * factor, centre.y - (centre.y - y) * factor, width * factor, depth * factor]);
  };
  box.addEventListener("pointerdown", (event) => {
    if (!board.whole) return;
    box.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
    if (fingers.size === 1) start = { x: event.clientX, y: event.clientY, tap: true };
    else start.tap = false;
  });
  box.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before || !start) return;
    if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > TAP_PX) start.tap = false;
    if (start.tap) return;
    if (fingers.size === 1) {
      const [a, b] = [point(before), point(event)];
      const [x, y, width, depth] = view();
      set([x + a.x - b.x, y + a.y - b.y, width, depth]);
    } else {
      const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
      const gap = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      if (gap(event) > 8) around(point(other), gap(before) / gap(event));
    }
    fingers.set(event.pointerId, event);
  });
  const up = (event) => {
    if (!fingers.delete(event.pointerId) || event.type === "pointercancel" || !start?.tap || fingers.size) return;
    const at = point(event);
    const reach = (REACH_PX * view()[2]) / Math.max(1, node.clientWidth);
    tapped(board.nearest(at.x, at.y, reach), at);
  };
  box.addEventListener("pointerup", up);
  box.addEventListener("pointercancel", up);
  box.addEventListener("wheel", (event) => {
    event.preventDefault();
    around(point(event), event.deltaY > 0 ? 1.15 : 0.87);
  });
  return {
    whole: () => board.whole && set(board.whole),
  };
}
