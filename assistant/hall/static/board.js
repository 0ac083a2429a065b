// Draws a scene from above as SVG. Names are text nodes, never markup.
const SVG = "http://www.w3.org/2000/svg";
const COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#f0e442", "#d55e00"];

function element(name, values) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  return made;
}

export function drawBoard(scene) {
  const table = scene.table;
  const board = element("svg", { viewBox: `-8 -8 ${table.width_mm + 16} ${table.depth_mm + 16}`, class: "board", role: "img" });
  board.append(element("rect", { x: 0, y: 0, width: table.width_mm, height: table.depth_mm, class: "field" }));
  for (const terrain of scene.terrain || []) {
    board.append(element("polygon", { points: terrain.outline.map((point) => point.join(",")).join(" "), class: "terrain" }));
  }
  const owners = (scene.players || []).map((player) => player.id);
  const heights = new Map((scene.pieces || []).map((piece) => [piece.id, piece.face_height_mm || 0]));
  const pieces = [...(scene.pieces || [])].filter((piece) => piece.x !== undefined && piece.visible !== false);
  pieces.sort((a, b) => heights.get(a.id) - heights.get(b.id));
  for (const piece of pieces) {
    const colour = COLOURS[owners.indexOf(piece.owner) % COLOURS.length] || "#999999";
    if (piece.shape.circle_mm) {
      board.append(element("circle", { cx: piece.x, cy: piece.y, r: piece.shape.circle_mm / 2, fill: colour, class: "piece" }));
    } else if (piece.shape.rect_mm) {
      const [width, depth] = piece.shape.rect_mm;
      const turn = `rotate(${piece.facing_deg || 0} ${piece.x} ${piece.y})`;
      board.append(element("rect", { x: piece.x - width / 2, y: piece.y - depth / 2, width, height: depth, fill: colour, transform: turn, class: "piece" }));
    }
  }
  return board;
}
