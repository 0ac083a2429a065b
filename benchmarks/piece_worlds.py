"""Drawn photographs of round pieces that are not cards, with truth: chips, coins, checkers, buttons, caps.

    python -m benchmarks.piece_worlds OUT --world chips --pictures 4 --seed 1

Each picture comes with OUT/NAME.json: the table's size, its corners in pixels, the thickness and every piece with its
centre (projected straight down), diameter, height and visible fraction. Pieces lie flat on whatever is below them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from benchmarks.piece_faces import FACE_PX, Kind, button, cap, checker, chip, coin, printed_cloth
from benchmarks.table_tops import SURFACES, Array, surface_texture
from calibration.arrays import ByteImage
from calibration.lens import Lens
from calibration.view import Calibration, TableView
from vision.types.arrays import FloatImage, IntArray

EURO_MM = (16.25, 18.75, 19.75, 21.25, 22.25, 23.25, 24.25, 25.75)


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A piece on the table; `height_mm` is that of its upper face."""

    kind: Kind
    x: float
    y: float
    turn: float
    height_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """One picture and its truth."""

    picture: ByteImage
    corners_px: Array
    table_mm: tuple[float, float]
    pieces: tuple[Laid, ...]
    visible: Array  # (N,) share of each face that shows


def make_world(name: str, seed: int) -> World:
    """A picture of one of WORLDS."""
    rng = np.random.default_rng(seed)
    return WORLDS[name](rng)


def camera_above(rng: np.random.Generator, width: int, height: int, width_mm: float, tilt_deg: float) -> TableView:
    """A camera above the middle of what it sees; straight down its picture is exactly `width_mm` wide on the cloth."""
    focal = rng.uniform(0.9, 1.6) * width
    distance = focal * width_mm / width
    depth_mm = width_mm * height / width
    tilt, azimuth = np.radians(tilt_deg), np.pi / 2 + rng.uniform(-0.3, 0.3)
    forward = np.array([np.sin(tilt) * np.cos(azimuth) * -1, np.sin(tilt) * -np.sin(azimuth), np.cos(tilt)])
    right = np.array([1.0, 0, 0]) if tilt_deg == 0 else np.cross(np.array([0.0, 0.0, 1.0]), forward)
    right = right / np.linalg.norm(right) * (1 if right[0] > 0 else -1)
    rotation = np.vstack([right, np.cross(forward, right), forward])
    middle = np.array([width_mm / 2, depth_mm / 2, 0.0])
    translation = -rotation @ (middle - distance * forward)
    lens = Lens.pinhole(width, height, focal)
    return TableView(lens, rotation, translation, width_mm, depth_mm, Calibration((), 0, "table", 0))


def _ground(rng: np.random.Generator, view: TableView, surface: str, period_mm: float) -> FloatImage:
    """The table top in linear light, as the camera sees it."""
    if surface in SURFACES:
        texture = surface_texture(surface, rng, 1100) ** 2.2
        mm = 1100 / rng.uniform(1.5, 4.0)
    else:
        texture, mm = printed_cloth(rng, surface), 8 * period_mm
    width, height = view.lens.width, view.lens.height
    grid = np.stack(np.meshgrid(np.arange(0, width + 15, 16), np.arange(0, height + 15, 16)), axis=-1).astype(float)
    board = view.image_to_board(grid.reshape(-1, 2)).reshape(grid.shape)
    size = (grid.shape[1] * 16, grid.shape[0] * 16)
    at = [np.asarray(cv2.resize(board[..., axis], size))[8 : 8 + height, 8 : 8 + width] for axis in (0, 1)]
    px = len(texture)
    per_mm = float(view.px_per_mm(np.array([[view.width_mm / 2, view.depth_mm / 2]]))[0])
    blurred = cv2.GaussianBlur(texture, (0, 0), max(0.4 * px / mm / per_mm, 0.3))
    maps = [((axis / mm) % 1 * px).astype(np.float32) for axis in at]
    seen = cv2.remap(blurred.astype(np.float32), maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    return np.asarray(seen, dtype=np.float32)


def _warped(
    view: TableView, kind_px: Array, piece: Laid, size_mm: float, height_mm: float, box: IntArray
) -> FloatImage:
    """A square picture laid flat at a height, in a box (x0, y0, x1, y1) of the camera's picture."""
    half = size_mm / 2
    cosine, sine = np.cos(piece.turn), np.sin(piece.turn)
    offsets = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    board = np.array([piece.x, piece.y]) + offsets @ np.array([[cosine, sine], [-sine, cosine]])
    target = view.board_to_image(board, height_mm) - box[:2]
    side = max(float(np.linalg.norm(target[1] - target[0])), float(np.linalg.norm(target[2] - target[1])), 4.0)
    px = min(len(kind_px), max(8, round(1.2 * side)))
    small = cv2.resize(kind_px, (px, px), interpolation=cv2.INTER_AREA) if px < len(kind_px) else kind_px
    source = np.array([[0, 0], [px - 1, 0], [px - 1, px - 1], [0, px - 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, target.astype(np.float32))
    size = (int(box[2] - box[0]), int(box[3] - box[1]))
    return np.asarray(cv2.warpPerspective(small.astype(np.float32), matrix, size, flags=cv2.INTER_LINEAR), np.float32)


def _box(view: TableView, piece: Laid, reach_mm: float) -> IntArray | None:
    around = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * reach_mm + np.array([piece.x, piece.y])
    low = piece.height_mm - piece.kind.thickness_mm
    pixels = np.vstack([view.board_to_image(around, height) for height in (0.0, low, piece.height_mm)])
    box = np.concatenate([np.floor(pixels.min(axis=0)) - 2, np.ceil(pixels.max(axis=0)) + 3]).astype(np.intp)
    box = np.clip(box, 0, np.tile([view.lens.width, view.lens.height], 2))
    return None if (box[2] - box[0] < 2 or box[3] - box[1] < 2) else np.asarray(box, dtype=np.intp)


def photograph(rng: np.random.Generator, view: TableView, ground: FloatImage, pieces: Sequence[Laid]) -> World:
    """Draws the pieces from the lowest up, each with its shadow, and develops the picture."""
    light_turn, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 1.3)
    darkness, soft = rng.uniform(0.25, 0.75), rng.uniform(0.3, 1.5)
    shift = np.array([np.cos(light_turn), np.sin(light_turn)]) * reach
    picture = ground.copy()
    owner = np.full(picture.shape[:2], -1, dtype=np.intp)
    areas = np.zeros(len(pieces))
    disc = _disc()
    order = sorted(range(len(pieces)), key=lambda number: pieces[number].height_mm)
    for number in order:
        piece = pieces[number]
        kind, top = piece.kind, piece.height_mm
        base = top - kind.thickness_mm
        box = _box(view, piece, 0.62 * kind.diameter_mm + 3 * kind.thickness_mm * (reach + 1))
        if box is None:
            continue
        rows, columns = slice(box[1], box[3]), slice(box[0], box[2])
        part = picture[rows, columns]
        per_mm = float(view.px_per_mm(np.array([[piece.x, piece.y]]))[0])
        for level in np.linspace(0.15, 1.0, 4):  # the shadow, on what is just below
            away = shift * level * kind.thickness_mm
            moved = Laid(kind, piece.x + away[0], piece.y + away[1], 0.0, base)
            mask = _warped(view, disc, moved, kind.diameter_mm, base, box)
            blurred = cv2.GaussianBlur(mask, (0, 0), max(0.4, soft * level * kind.thickness_mm * per_mm * 0.5))
            part *= (1 - (1 - (1 - darkness) ** 0.25) * np.asarray(blurred))[..., None]
        walls = max(2, int(np.ceil(kind.thickness_mm * per_mm)) + 1)
        side = _side_disc(kind, light_turn - piece.turn)
        for height in np.linspace(base, top, walls)[:-1]:
            seen = _warped(view, side, piece, kind.diameter_mm, float(height), box)
            part *= 1 - seen[..., 3:]
            part += seen[..., :3] * seen[..., 3:]
            owner[rows, columns][seen[..., 3] > 0.5] = -2
        face = _lit_face(rng, kind, light_turn - piece.turn)
        seen = _warped(view, face, piece, kind.diameter_mm, top, box)
        alpha = seen[..., 3:]
        part *= 1 - alpha
        part += seen[..., :3]
        shown = alpha[..., 0] > 0.5
        areas[number] = _face_area(view, piece)
        owner[rows, columns][shown] = number
    counts = np.bincount(owner[owner >= 0].ravel(), minlength=len(pieces))
    visible = np.minimum(counts / np.maximum(areas, 1), 1.0)
    corners = view.board_to_image(
        np.array([[0, 0], [view.width_mm, 0], [view.width_mm, view.depth_mm], [0, view.depth_mm]])
    )
    return World(_developed(rng, picture), corners, (view.width_mm, view.depth_mm), tuple(pieces), visible)


def _face_area(view: TableView, piece: Laid) -> float:
    turns = np.arange(60) * np.pi / 30
    rim = np.array([piece.x, piece.y]) + piece.kind.diameter_mm / 2 * np.column_stack([np.cos(turns), np.sin(turns)])
    return float(cv2.contourArea(view.board_to_image(rim, piece.height_mm).astype(np.float32)))


def _disc() -> Array:
    y, x = np.mgrid[0:FACE_PX, 0:FACE_PX] - (FACE_PX - 1) / 2
    return np.asarray(np.clip((FACE_PX - 1) / 2 - np.hypot(x, y) + 0.5, 0, 1))


def _side_disc(kind: Kind, light_turn: float) -> Array:
    """A slice of the side wall: BGRA with alpha apart, brighter towards the light."""
    y, x = np.mgrid[0:FACE_PX, 0:FACE_PX] - (FACE_PX - 1) / 2
    angle = np.arctan2(y, x)
    colours = kind.side[np.rint(angle * 36 / np.pi).astype(int) % 72]
    lit = 0.35 + 0.3 * (1 - np.cos(angle - light_turn))
    return np.dstack([colours * lit[..., None], kind.alpha])


def _lit_face(rng: np.random.Generator, kind: Kind, light_turn: float) -> Array:
    """The face with glare, premultiplied by alpha."""
    y, x = (np.mgrid[0:FACE_PX, 0:FACE_PX] - (FACE_PX - 1) / 2) / ((FACE_PX - 1) / 2)
    spot = rng.uniform(-0.7, 0.7, 2)
    glare = kind.shine * np.exp(-((x - spot[0]) ** 2 + (y - spot[1]) ** 2) / rng.uniform(0.05, 0.5))
    slope = 1 + 0.1 * (x * np.cos(light_turn) + y * np.sin(light_turn))
    bevel = np.clip((np.hypot(x, y) - 0.97) / 0.03, 0, 1) * (0.3 * np.cos(np.arctan2(y, x) - light_turn - np.pi))
    face = kind.face * (slope + bevel)[..., None] + glare[..., None] * 0.8
    return np.dstack([face * kind.alpha[..., None], kind.alpha])


def _developed(rng: np.random.Generator, light: FloatImage) -> ByteImage:
    """Uneven light, exposure, blur, noise, gamma and JPEG."""
    height, width = light.shape[:2]
    coarse = cv2.resize(rng.uniform(0.75, 1.15, (3, 4)), (width, height), interpolation=cv2.INTER_CUBIC)
    tint = 1 + rng.normal(0, 0.05, 3)
    seen = light * coarse[..., None] * tint * rng.uniform(0.8, 1.5)
    seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), rng.uniform(0.4, 1.1)), dtype=np.float64)
    seen = np.clip(seen + rng.normal(0, rng.uniform(0.001, 0.012), seen.shape) * np.sqrt(np.clip(seen, 0.02, 1)), 0, 1)
    bgr = (255 * seen ** (1 / 2.2)).astype(np.uint8)
    packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)


def lay(
    rng: np.random.Generator,
    kinds: Sequence[Kind],
    area_mm: tuple[float, float],
    margin_mm: float,
    crowding: float,
) -> list[Laid]:
    """Lays the pieces one after another: alone, or with probability `crowding` onto or beside an earlier one."""
    laid: list[Laid] = []
    for kind in kinds:
        radius = kind.diameter_mm / 2
        for _ in range(60):
            x, y = (float(rng.uniform(margin_mm + radius, side - margin_mm - radius)) for side in area_mm)
            if laid and rng.random() < crowding:
                other = laid[int(rng.integers(len(laid)))]
                reach = (other.kind.diameter_mm / 2 + radius) * rng.uniform(0.25, 1.02)
                turn = rng.uniform(0, 2 * np.pi)
                x, y = other.x + reach * float(np.cos(turn)), other.y + reach * float(np.sin(turn))
            if not (radius < x < area_mm[0] - radius and radius < y < area_mm[1] - radius):
                continue
            below = [_overlaps(one, x, y, radius) for one in laid]
            if any(below) and crowding == 0:
                continue
            height = max((one.height_mm for one, hit in zip(laid, below, strict=True) if hit), default=0.0)
            if height + kind.thickness_mm > 6 * kind.thickness_mm + 1:
                continue
            laid.append(Laid(kind, x, y, float(rng.uniform(0, 2 * np.pi)), height + kind.thickness_mm))
            break
    return laid


def _overlaps(one: Laid, x: float, y: float, radius: float) -> bool:
    return float(np.hypot(one.x - x, one.y - y)) < one.kind.diameter_mm / 2 + radius - 0.3


def _stacks(rng: np.random.Generator, kinds: Sequence[Kind], area_mm: tuple[float, float]) -> list[Laid]:
    """Neat stacks with a jitter, and single pieces between them."""
    laid: list[Laid] = []
    radius = kinds[0].diameter_mm / 2
    for _ in range(int(rng.integers(3, 9))):
        x, y = (float(rng.uniform(1.3 * radius, side - 1.3 * radius)) for side in area_mm)
        if any(_overlaps(one, x, y, radius + 2) for one in laid):
            continue
        kind = kinds[int(rng.integers(len(kinds)))]
        for level in range(int(rng.integers(1, 7))):
            jitter = rng.normal(0, 0.8, 2)
            turn = float(rng.uniform(0, 2 * np.pi))
            laid.append(Laid(kind, x + jitter[0], y + jitter[1], turn, (level + 1) * kind.thickness_mm))
    return laid


def _size(rng: np.random.Generator, least_mp: float = 0.3, most_mp: float = 3.0) -> tuple[int, int]:
    pixels = 1e6 * np.exp(rng.uniform(np.log(least_mp), np.log(most_mp)))
    ratio = float(rng.choice([4 / 3, 3 / 2, 16 / 9, 1.0]))
    return round(float(np.sqrt(pixels * ratio))), round(float(np.sqrt(pixels / ratio)))


def _surface(rng: np.random.Generator) -> str:
    return str(rng.choice([*SURFACES, "white", "plain", "plain", "white"]))


def _finished(rng: np.random.Generator, kinds: Sequence[Kind], crowding: float, tilt: float, surface: str) -> World:
    width, height = _size(rng)
    largest = max(kind.diameter_mm for kind in kinds)
    crowded = sum(kind.diameter_mm**2 for kind in kinds) * rng.uniform(1.6, 5.0)
    width_mm = max(float(np.sqrt(crowded * width / height)), 3.5 * largest)
    view = camera_above(rng, width, height, width_mm, tilt)
    area = (view.width_mm, view.depth_mm)
    pieces = lay(rng, kinds, area, 0.0, crowding)
    ground = _ground(rng, view, surface, largest * rng.uniform(0.6, 1.8))
    return photograph(rng, view, ground, pieces)


def _chips(rng: np.random.Generator, tilt: float = 0.0) -> World:
    makes = [chip(rng) for _ in range(int(rng.integers(2, 6)))]
    kinds = [makes[int(rng.integers(len(makes)))] for _ in range(int(rng.integers(6, 30)))]
    return _finished(rng, kinds, float(rng.choice([0.3, 0.6, 0.85])), tilt, _surface(rng))


def _chip_stacks(rng: np.random.Generator) -> World:
    makes = [chip(rng) for _ in range(int(rng.integers(2, 5)))]
    width, height = _size(rng)
    view = camera_above(rng, width, height, float(rng.uniform(200, 420)), float(rng.choice([0, 0, 15, 30])))
    pieces = _stacks(rng, makes, (view.width_mm, view.depth_mm))
    return photograph(rng, view, _ground(rng, view, _surface(rng), 40.0), pieces)


def _coins(rng: np.random.Generator, crowding: float | None = None, surface: str | None = None) -> World:
    sizes = rng.choice(EURO_MM, int(rng.integers(1, 6)), replace=False)
    kinds = [coin(rng, float(rng.choice(sizes))) for _ in range(int(rng.integers(5, 30)))]
    crowding = float(rng.choice([0.0, 0.3, 0.7])) if crowding is None else crowding
    return _finished(rng, kinds, crowding, 0.0, surface or _surface(rng))


def _patterned(rng: np.random.Generator) -> World:
    surface = str(rng.choice(["dots", "rings", "chequered", "check-blue"]))
    if rng.random() < 0.5:
        return _coins(rng, 0.3, surface)
    kinds = [chip(rng) for _ in range(int(rng.integers(5, 14)))]
    return _finished(rng, kinds, 0.4, 0.0, surface)


def _checkers(rng: np.random.Generator) -> World:
    size = float(rng.uniform(25, 45))
    colours = [np.ones(3) * 0.03, rng.uniform(0.05, 0.9, 3)]
    makes = [checker(rng, size, np.asarray(colour)) for colour in colours]
    kinds = [makes[int(rng.integers(2))] for _ in range(int(rng.integers(6, 24)))]
    return _finished(rng, kinds, 0.3, float(rng.choice([0, 20, 35])), str(rng.choice(["chequered", "plain", "planks"])))


def _mixed_things(rng: np.random.Generator) -> World:
    makers: list[Callable[[], Kind]] = [
        lambda: button(rng, float(rng.choice([11.0, 15.0, 20.0]))),
        lambda: cap(rng, 29.0),
        lambda: coin(rng, float(rng.choice(EURO_MM))),
    ]
    kinds = [makers[int(rng.integers(3))]() for _ in range(int(rng.integers(6, 24)))]
    return _finished(rng, kinds, float(rng.choice([0.0, 0.3])), 0.0, _surface(rng))


def _many(rng: np.random.Generator) -> World:
    makes = [coin(rng, 18.75) for _ in range(12)]
    kinds = [makes[int(rng.integers(12))] for _ in range(300)]
    view = camera_above(rng, 2000, 1500, 620.0, 0.0)
    pieces = lay(rng, kinds, (view.width_mm, view.depth_mm), 0.0, 0.1)
    return photograph(rng, view, _ground(rng, view, _surface(rng), 30.0), pieces)


WORLDS: dict[str, Callable[[np.random.Generator], World]] = {
    "chips": _chips,
    "chips-slanting": lambda rng: _chips(rng, float(rng.uniform(15, 45))),
    "chip-stacks": _chip_stacks,
    "coins": _coins,
    "coins-overlapping": lambda rng: _coins(rng, 0.8),
    "patterned": _patterned,
    "checkers": _checkers,
    "mixed": _mixed_things,
    "many": _many,
}


def truth_of(world: World) -> dict[str, object]:
    """What the JSON file says."""
    return {
        "table_mm": list(world.table_mm),
        "corners_px": np.round(world.corners_px, 2).tolist(),
        "pieces": [
            {
                "x": round(piece.x, 2),
                "y": round(piece.y, 2),
                "diameter_mm": piece.kind.diameter_mm,
                "thickness_mm": piece.kind.thickness_mm,
                "height_mm": round(piece.height_mm, 2),
                "visible": round(float(share), 3),
            }
            for piece, share in zip(world.pieces, world.visible, strict=True)
        ],
    }


def main() -> None:
    """Writes pictures and truths."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--world", choices=(*WORLDS, "all"), default="all")
    parser.add_argument("--pictures", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in WORLDS if args.world == "all" else (args.world,):
        for number in range(args.pictures if name != "many" else 1):
            world = make_world(name, args.seed + number)
            cv2.imwrite(str(args.out / f"{name}-{args.seed + number}.png"), world.picture)
            text = json.dumps(truth_of(world), indent=1)
            (args.out / f"{name}-{args.seed + number}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
