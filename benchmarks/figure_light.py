"""Path-traced pictures of figure tables: the pieces and their surroundings in full, the rest of the table coarsely.

Only what is near a piece is learnt from, so only there every pixel is traced; each sample follows the lens's own ray.
"""

from __future__ import annotations

from typing import Any

import cv2
import mitsuba as mi
import numpy as np
import pyoidn

from benchmarks.figure_meshes import Mesh, merged
from benchmarks.laid_tokens import corner_card
from benchmarks.table_tops import Array, noise_texture, surface_texture
from benchmarks.traced_figures import FigureTable, figure_table
from benchmarks.tracing.renderer import sight_lines, use_mitsuba
from calibration.arrays import ByteImage
from calibration.lens import Lens
from calibration.view import Calibration, TableView
from vision.types.arrays import FloatImage

SIDES_MM = (620.0, 760.0, 914.4)
SIZES_PX = ((1920, 1080), (1600, 900), (2240, 1260))
AROUND_MM = 75.0  # of the table beside the battlefield
NEAR_MM = 15.0  # around a piece every pixel is traced
COARSE_PX = 3
SAMPLES, COARSE_SAMPLES = 5, 3
BRIGHTEST = 20.0
PART = 900_000  # samples at a time


def picture_of(seed: int, kind: str = "", aided: bool | None = None) -> tuple[ByteImage, TableView, FigureTable, float]:
    """A picture of a table of figures, its camera, what stands there, and the tilt."""
    use_mitsuba()
    rng = np.random.default_rng(seed)
    kind = kind or str(rng.choice(["bases", "stands", "both"]))
    rings = bool(rng.random() < 0.3) if aided is None else aided
    table = figure_table(rng, kind, rings, float(rng.choice(SIDES_MM)))
    tilt = float(rng.uniform(0, 47))
    width, height = SIZES_PX[int(rng.integers(len(SIZES_PX)))]
    view = camera_over(rng, width, height, tilt, table.width_mm)
    return developed(rng, traced(rng, table, view)), view, table, tilt


def camera_over(rng: np.random.Generator, width: int, height: int, tilt_deg: float, side_mm: float) -> TableView:
    """A camera that sees a square table as large as it can."""
    focal, bend = rng.uniform(0.7, 1.0) * width, rng.uniform(-0.1, 0.02)
    matrix = np.array([[focal, 0, width / 2 + rng.normal(0, 8)], [0, focal, height / 2 + rng.normal(0, 8)], [0, 0, 1]])
    lens = Lens(width, height, matrix, np.array([bend, -bend / 8, rng.normal(0, 3e-4), rng.normal(0, 3e-4), 0]))
    azimuth, tilt = rng.uniform(0, 2 * np.pi), np.radians(tilt_deg)
    forward = np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)])
    right = np.cross([0, 0, 1.0], forward) if tilt_deg > 1 else np.array([np.cos(azimuth), np.sin(azimuth), 0])
    right = right / np.linalg.norm(right)
    rotation = np.vstack([right, np.cross(forward, right), forward])
    middle = np.array([side_mm / 2, side_mm / 2, 0])
    corners = np.array([[x, y] for x in (-70, side_mm + 70) for y in (-70, side_mm + 70)])
    for away in np.arange(500.0, 4000.0, 20.0):
        known = Calibration((0, 1, 2, 3), 0, "markers", 0)
        view = TableView(lens, rotation, -rotation @ (middle - away * forward), side_mm, side_mm, known)
        pixels = view.board_to_image(corners)
        if (pixels > 6).all() and (pixels < [width - 6, height - 6]).all():
            return view
    raise ValueError("no distance shows the whole table")


def traced(rng: np.random.Generator, table: FigureTable, view: TableView) -> FloatImage:
    """Linear RGB light, denoised, black beside the table."""
    scene = mi.load_dict(_scene(rng, table))
    integrator = mi.load_dict({"type": "path", "max_depth": 4, "hide_emitters": True})
    width, height = view.lens.width, view.lens.height
    far = np.array([table.width_mm + AROUND_MM, table.depth_mm + AROUND_MM])
    corners = view.board_to_image(np.array([[-AROUND_MM, -AROUND_MM], [far[0], -AROUND_MM], far, [-AROUND_MM, far[1]]]))
    left, top = (int(max(0, v)) for v in corners.min(axis=0))
    right, bottom = (int(min(size, v + 1)) for size, v in zip((width, height), corners.max(axis=0), strict=True))
    light = np.zeros((height, width, 3), np.float32)
    yy, xx = np.mgrid[top:bottom:COARSE_PX, left:right:COARSE_PX]
    middles = np.column_stack([xx.ravel(), yy.ravel()]) + (COARSE_PX - 1) / 2
    coarse = _shot(rng, scene, integrator, view, middles, COARSE_SAMPLES).reshape(*xx.shape, 3)
    wide = np.repeat(np.repeat(coarse, COARSE_PX, axis=0), COARSE_PX, axis=1)
    light[top:bottom, left:right] = wide[: bottom - top, : right - left]
    rows, columns = np.nonzero(_near_pieces(table, view))
    light[rows, columns] = _shot(rng, scene, integrator, view, np.column_stack([columns, rows]).astype(float), SAMPLES)
    part = np.ascontiguousarray(light[top:bottom, left:right])
    light[top:bottom, left:right] = pyoidn.denoise(part, hdr=True, quality="fast")
    return light


def _near_pieces(table: FigureTable, view: TableView) -> ByteImage:
    mask = np.zeros((view.lens.height, view.lens.width), np.uint8)
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    for piece in table.pieces:
        ring = circle * (piece.reach_mm + NEAR_MM) + np.array([piece.x, piece.y])
        cv2.fillPoly(mask, [np.round(view.board_to_image(ring)).astype(np.int32)], 1)
    return mask


def _shot(
    rng: np.random.Generator, scene: Any, integrator: Any, view: TableView, pixels: Array, samples: int
) -> FloatImage:
    """The light (N, 3) that comes through pixels (N, 2)."""
    found = np.zeros((len(pixels), 3), np.float32)
    step = max(1, PART // samples)
    for start in range(0, len(pixels), step):
        part = pixels[start : start + step]
        points = np.repeat(part, samples, axis=0) + rng.uniform(-0.5, 0.5, (len(part) * samples, 2))
        origin, ways = sight_lines(view, points)
        ray = mi.Ray3f(mi.Point3f(*origin.tolist()), mi.Vector3f(ways.T.astype(np.float32)))
        sampler = mi.load_dict({"type": "independent"})
        sampler.seed(int(rng.integers(2**31)), len(points))
        light, _, _ = integrator.sample(scene, sampler, mi.RayDifferential3f(ray))
        values = np.minimum(np.array(light).T.astype(np.float32), BRIGHTEST)
        found[start : start + step] = values.reshape(len(part), samples, 3).mean(axis=1)
    return found


def _scene(rng: np.random.Generator, table: FigureTable) -> dict[str, Any]:
    width, depth = table.width_mm, table.depth_mm
    upright = mi.ScalarTransform4f().rotate([1, 0, 0], -90).rotate([0, 1, 0], float(rng.uniform(0, 360)))
    scene: dict[str, Any] = {
        "type": "scene",
        "room": {"type": "envmap", "bitmap": mi.Bitmap(_room(rng)), "to_world": upright},
        "mat": sheet(battle_mat(rng), (-70, -70, width + 70, depth + 70), 0.0),
        "table": sheet(surface_texture("planks", rng, 600), (-1500, -1500, width + 1500, depth + 1500), -2.0),
        "pieces": shape_of(merged(table.meshes), "pieces"),
    }
    for marker, (sx, sy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        x, y = width * (sx > 0) + 30 * sx, depth * (sy > 0) + 30 * sy
        scene[f"token{marker}"] = sheet(corner_card(marker)[::-1], (x - 30, y - 30, x + 30, y + 30), 0.4)
    if rng.random() < 0.7:
        place = [width / 2 + rng.normal(0, 600), depth / 2 + rng.normal(0, 600), -rng.uniform(700, 1800)]
        radius = float(rng.uniform(30, 150))
        glow = [float(v) for v in rng.uniform(15, 120) * rng.uniform(0.7, 1.2, 3)]
        emitter = {"type": "area", "radiance": {"type": "rgb", "value": glow}}
        scene["lamp"] = {"type": "sphere", "center": [float(v) for v in place], "radius": radius, "emitter": emitter}
    return scene


def _room(rng: np.random.Generator) -> FloatImage:
    """A dim room with one to four bright windows or lamps in its upper half."""
    room = np.ones((64, 128, 3)) * rng.uniform(0.05, 0.35) * rng.uniform(0.8, 1.2, 3)
    for _ in range(int(rng.integers(1, 5))):
        row, column = int(rng.integers(0, 28)), int(rng.integers(0, 128))
        high, wide = int(rng.integers(2, 12)), int(rng.integers(3, 25))
        room[row : row + high, (column + np.arange(wide)) % 128] = rng.uniform(0.7, 1.3, 3) * rng.uniform(2, 14)
    return np.asarray(cv2.GaussianBlur(room.astype(np.float32), (0, 0), float(rng.uniform(0.3, 2.0))))


def battle_mat(rng: np.random.Generator, size: int = 1400) -> Array:
    """A battle mat or a cloth."""
    earths = {
        "grass": ((0.06, 0.22, 0.1), (0.1, 0.35, 0.25), (0.1, 0.15, 0.2)),
        "desert": ((0.4, 0.6, 0.75), (0.3, 0.45, 0.6), (0.2, 0.3, 0.45)),
        "stone": ((0.3, 0.3, 0.3), (0.45, 0.45, 0.46), (0.15, 0.16, 0.17)),
    }
    cloths = ["mat", "mat", "mat", "planks", "marble", "stripes", "check-blue", "newsprint", "felt-green"]
    kind = str(rng.choice([*earths, *cloths]))
    if kind not in earths:
        return surface_texture(kind, rng, size)
    first, second, third = (np.array(colour) for colour in earths[kind])
    share, patches = noise_texture(rng, size, 7, 6)[..., None], noise_texture(rng, size, 6, 20)[..., None]
    ground = first * (1 - share) + second * share
    sharp = np.clip((patches - 0.55) * 8, 0, 1)
    ground = ground * (1 - sharp) + third * sharp
    return np.asarray(np.clip(ground * (0.7 + 0.6 * noise_texture(rng, size, 3, 200)[..., None]), 0.02, 0.95))


def sheet(bgr: Array, box: tuple[float, float, float, float], height: float) -> dict[str, Any]:
    """A flat picture that fills a box of the table, its first row to the south."""
    west, north, east, south = box
    linear = np.ascontiguousarray(np.clip(bgr[..., ::-1], 0, 1) ** 2.2).astype(np.float32)
    place = mi.ScalarTransform4f().translate([(west + east) / 2, (north + south) / 2, -height])
    place = place.scale([(east - west) / 2, (south - north) / 2, 1])
    picture = {"type": "bitmap", "bitmap": mi.Bitmap(linear), "raw": True, "filter_type": "bilinear"}
    picture["to_uv"] = mi.ScalarTransform4f().scale([1, -1, 1])
    matt = {"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": picture}}
    return {"type": "rectangle", "to_world": place, "bsdf": matt}


def shape_of(mesh: Mesh, name: str) -> Any:
    """A mesh for the tracer, coloured at its corners."""
    given = mi.Properties()
    paint = {"type": "mesh_attribute", "name": "vertex_color"}
    given["mesh_bsdf"] = mi.load_dict({"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": paint}})
    shape = mi.Mesh(name, len(mesh.corners), len(mesh.faces), props=given)
    values = mi.traverse(shape)
    values["vertex_positions"] = mesh.corners.astype(np.float32).ravel()
    values["faces"] = mesh.faces.astype(np.uint32).ravel()
    values.update()
    colours: Any = mesh.colours.astype(np.float32).ravel()
    shape.add_attribute("vertex_color", 3, colours)
    return shape


def developed(rng: np.random.Generator, light: FloatImage) -> ByteImage:
    """What a webcam makes of light: white balance, exposure, blur, noise, tone, sharpening, JPEG."""
    light = np.asarray(light * rng.uniform(0.9, 1.1, 3).astype(np.float32))
    usual = float(np.median(light[light.mean(axis=2) > 0].mean(axis=1)))
    picture = np.asarray(light[..., ::-1] / usual * 10 ** rng.uniform(-1.15, -0.55), dtype=np.float64)
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.45, 0.95))), dtype=np.float64)
    noise = np.sqrt(np.maximum(picture, 0) * rng.uniform(2e-5, 2e-4) + rng.uniform(2e-6, 2e-5))
    picture = np.clip(picture + rng.normal(0, 1, picture.shape) * noise, 0, 1) ** (1 / 2.2)
    picture = picture + rng.uniform(0, 0.6) * (picture - cv2.GaussianBlur(picture, (0, 0), 1.2))
    if rng.random() < 0.5:
        picture = np.clip(picture, 0, 1)
        picture = 0.4 * picture * picture * (3 - 2 * picture) + 0.6 * picture
    grey = np.clip(picture * 255, 0, 255).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(82, 96))])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)
