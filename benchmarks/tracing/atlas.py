"""Scenes of tables for the tracer: all that lies on a table is one mesh, coloured from one picture (an atlas).

With one mesh and one surface a scene is compiled in a moment, however much lies on the table.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import drjit as dr
import mitsuba as mi
import numpy as np

from benchmarks.drawn_camera import make_view
from benchmarks.settled_cards import TABLE_MM, Card
from benchmarks.table_tops import Array
from benchmarks.tracing.renderer import denoised, exposed, sight_lines
from benchmarks.tracing.rooms import any_room, lamp, sun
from benchmarks.training.drawn_pieces import TABLE, THING, WALL
from benchmarks.training.world import World
from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.types.arrays import FloatImage, IntArray

SAMPLES = 8
DEPTH = 4  # bounces
BRIGHTEST = 20.0  # of a single sample: what is brighter is a firefly
TILE_PX, TILES = 192, 10  # of the atlas
TILE_EDGE = 0.01  # of a tile: left unused, so that neighbours do not bleed into it
# White paper on a dark table is overexposed, but no camera lets it outshine white more than this.
BRIGHTEST_SHARE, OVEREXPOSED = 0.998, 2.5
STEPS = 72  # points round a disk


@dataclass(slots=True)
class Solids:
    """Triangles with texture coordinates and owners, and the pictures of the atlas."""

    points: list[Array] = field(default_factory=list)
    textures: list[Array] = field(default_factory=list)
    faces: list[IntArray] = field(default_factory=list)
    owners: list[IntArray] = field(default_factory=list)
    tiles: list[ByteImage] = field(default_factory=list)
    count: int = 0

    def tile(self, picture: ByteImage) -> int:
        """Puts a picture into the atlas."""
        if len(self.tiles) >= TILES * TILES:
            return int(zlib.crc32(picture.tobytes()) % len(self.tiles))
        side = (1 - 2 * TILE_EDGE) * TILE_PX  # of the picture in its tile
        large = cv2.resize(picture, (4 * TILE_PX, 4 * TILE_PX), interpolation=cv2.INTER_LINEAR)
        scale, edge = side / (4 * TILE_PX), TILE_EDGE * TILE_PX
        # Pixel centres: (p + 0.5) * scale + edge - 0.5
        place = np.array([[scale, 0, 0.5 * scale + edge - 0.5], [0, scale, 0.5 * scale + edge - 0.5]])
        soft = cv2.GaussianBlur(large, (0, 0), 0.5 / scale)
        fitted = cv2.warpAffine(
            soft, place, (TILE_PX, TILE_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        self.tiles.append(np.asarray(fitted))
        return len(self.tiles) - 1

    def colour(self, bgr: Array) -> int:
        """Puts a plain colour (0 to 1, gamma-coded) into the atlas."""
        plain = np.broadcast_to(np.clip(bgr, 0.02, 0.98) * 255, (TILE_PX, TILE_PX, 3))
        return self.tile(np.asarray(plain, np.uint8))

    def add(self, points: Array, faces: IntArray, texture: Array, tile: int, owner: int) -> None:
        """Adds triangles; `texture` (N, 2) from 0 to 1 within the tile."""
        at = np.array(divmod(tile, TILES))[::-1]
        inner = TILE_EDGE + (1 - 2 * TILE_EDGE) * np.clip(texture, 0, 1)
        self.points.append(points)
        self.textures.append((inner + at) / TILES)
        self.faces.append(faces + self.count)
        self.owners.append(np.full(len(faces), owner, np.intp))
        self.count += len(points)

    def fan(self, rim: Array, middle: Array, texture: Array, tile: int, owner: int) -> None:
        """A closed surface round a middle; rim (N, 3), its texture (N, 2)."""
        around = np.arange(len(rim))
        faces = np.column_stack([np.zeros(len(rim), np.intp), 1 + around, 1 + (around + 1) % len(rim)])
        self.add(np.vstack([middle, rim]), faces, np.vstack([[0.5, 0.5], texture]), tile, owner)

    def band(self, lower: Array, upper: Array, tile: int, owner: int) -> None:
        """The surface between two closed lines (N, 3)."""
        count, around = len(lower), np.arange(len(lower))
        ahead = (around + 1) % count
        faces = np.vstack(
            [np.column_stack([around, ahead, count + around]), np.column_stack([ahead, count + ahead, count + around])]
        )
        self.add(np.vstack([lower, upper]), faces, np.full((2 * count, 2), 0.5), tile, owner)

    def prism(self, outline: Array, low: float, high: float, top: int, side: int, owner: int) -> None:
        """An upright solid on an outline (N, 2) with a picture on top; heights up."""
        base, lid = (np.column_stack([outline, np.full(len(outline), -height)]) for height in (low, high))
        middle = outline.mean(axis=0)
        reach = np.abs(outline - middle).max()
        self.fan(lid, np.append(middle, -high), 0.5 + 0.5 * (outline - middle) / reach, top, owner)
        self.band(base, lid, side, owner)

    def square(self, corners: Array, height: float, tile: int, owner: int) -> None:
        """A flat picture on four corners (4, 2), its upper left one first."""
        lid = np.column_stack([corners, np.full(4, -height)])
        faces = np.array([[0, 1, 2], [0, 2, 3]], np.intp)
        self.add(lid, faces, np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64), tile, owner)

    def shape(self, surface: dict[str, Any]) -> Any:
        """The mesh for the tracer."""
        given = mi.Properties()
        given["surface"] = mi.load_dict(surface)
        mesh = mi.Mesh("things", self.count, sum(map(len, self.faces)), has_vertex_texcoords=True, props=given)
        values = mi.traverse(mesh)
        values["vertex_positions"] = np.concatenate(self.points).astype(np.float32).ravel()
        values["faces"] = np.concatenate(self.faces).astype(np.uint32).ravel()
        values["vertex_texcoords"] = np.concatenate(self.textures).astype(np.float32).ravel()
        values.update()
        return mesh

    def atlas(self) -> ByteImage:
        """All tiles as one picture."""
        whole = np.zeros((TILES * TILE_PX, TILES * TILE_PX, 3), np.uint8)
        for number, tile in enumerate(self.tiles):
            row, column = np.array(divmod(number, TILES)) * TILE_PX
            whole[row : row + TILE_PX, column : column + TILE_PX] = tile
        return whole


def add_card(rng: np.random.Generator, solids: Solids, card: Card, tile: int, wall: int, number: int) -> None:
    """A card with a rounded edge, worn or not; the print is a little beside its middle."""
    angles = np.linspace(0, 2 * np.pi, STEPS, endpoint=False)
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    warp = rng.uniform(0, 0.5) * np.cos(2 * angles + rng.uniform(0, 6)) if rng.random() < 0.15 else np.zeros(STEPS)

    def ring(radius: float, lower: float) -> Array:
        flat = np.array([card.x, card.y]) + radius * unit
        return np.column_stack([flat, -(card.face_height(flat) - lower + warp * radius / card.radius)])

    bevel = rng.uniform(0.1, 0.5)
    face, rim = ring(card.radius - bevel, 0.0), ring(card.radius, bevel)
    turn = np.radians(card.rotation_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    shift = rng.normal(0, 0.006, 2)
    texture = 0.5 + 0.5 * (1 - bevel / card.radius) * unit @ spin.T + shift
    middle = np.array([card.x, card.y, -card.height])
    solids.fan(face, middle, texture, tile, number)
    worn = rng.random() < 0.5
    edge = np.full((2 * STEPS, 2), 0.5) if worn else np.vstack([texture, texture])
    count, around = STEPS, np.arange(STEPS)
    ahead = (around + 1) % count
    faces = np.vstack(
        [np.column_stack([around, ahead, count + around]), np.column_stack([ahead, count + ahead, count + around])]
    )
    solids.add(np.vstack([rim, face]), faces, edge, wall if worn else tile, number)
    solids.band(ring(card.radius, card.thickness_mm - 0.05), rim, wall, WALL)
    for _ in range(int(rng.choice((0, 0, 0, 1, 2)))):  # tokens that lie on a face show as that face
        out, angle = rng.uniform(0, 0.6) * card.radius, rng.uniform(0, 2 * np.pi)
        at = np.array([card.x + out * np.cos(angle), card.y + out * np.sin(angle)])
        reach = rng.uniform(4, 7.5)
        if rng.random() < 0.5:
            outline = at + reach * unit[::3]
        else:
            corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            outline = (
                at
                + reach
                * 0.8
                * np.array(
                    [
                        (1 - s) * a + s * b
                        for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)
                        for s in (0, 0.5)
                    ]
                )
                @ _spin(rng).T
            )
        low = float(card.face_height(at))
        paint = solids.colour(rng.uniform(0.05, 0.95, 3))
        solids.prism(outline, low, low + rng.uniform(0.8, 2.0), paint, paint, number)


def add_thing(
    rng: np.random.Generator, solids: Solids, world: World, cards: Sequence[Card], middle: Array, reach_mm: float
) -> None:
    """Something that is no disk, beside the cards."""
    kinds = ("card", "card", "chip", "chip", "cap", "coin", "coaster", "mug", "die", "pencil", "note", "terrain")
    kind = str(rng.choice(kinds))
    at = middle + rng.uniform(-reach_mm, reach_mm, 2)
    reach = {"card": 50.0, "coaster": 55.0, "mug": 60.0, "pencil": 70.0, "note": 80.0, "terrain": 80.0}.get(kind, 18.0)
    if any(np.hypot(card.x - at[0], card.y - at[1]) < card.radius + reach for card in cards):
        return
    angles = np.linspace(0, 2 * np.pi, STEPS, endpoint=False)
    unit = np.column_stack([np.cos(angles), np.sin(angles)]) @ _spin(rng).T
    side = solids.colour(rng.uniform(0.05, 0.9, 3))
    if kind in ("chip", "cap", "coin", "coaster"):
        low, high, tall = {
            "chip": (11, 16.7, rng.uniform(1, 4)),
            "cap": (12, 17, 6.0),
            "coin": (8, 14, 2.0),
            "coaster": (40, 55, 4.0),
        }[kind]
        radius = rng.uniform(low, high) * (1 + (0.04 * np.cos(21 * angles) if kind == "cap" else 0.0 * angles))
        top = world.faces[int(rng.integers(len(world.faces)))] if kind == "chip" and rng.random() < 0.6 else None
        if top is None:
            top = np.full((TILE_PX, TILE_PX, 3), rng.uniform(10, 240, 3), np.uint8)
            emblem = cv2.resize(world.emblems[int(rng.integers(len(world.emblems)))], (TILE_PX // 2, TILE_PX // 2))
            part = top[TILE_PX // 4 : 3 * TILE_PX // 4, TILE_PX // 4 : 3 * TILE_PX // 4]
            part[emblem > 127] = rng.uniform(10, 240, 3).astype(np.uint8)
            cv2.circle(
                top,
                (TILE_PX // 2, TILE_PX // 2),
                int(rng.uniform(0.7, 0.95) * TILE_PX / 2),
                tuple(rng.uniform(10, 240, 3)),
                3,
            )
        solids.prism(at + radius[:, None] * unit, 0.0, tall, solids.tile(top), side, THING)
        return
    if kind == "mug":
        add_mug(rng, solids, at, unit, side)
        return
    if kind == "terrain":
        waves = [rng.uniform(0.03, 0.13) * np.cos(k * angles + rng.uniform(0, 6)) for k in (2, 3, 4, 5)]
        outline = at + (rng.uniform(40, 80) * (1 + np.sum(waves, axis=0)))[:, None] * unit
        solids.prism(
            outline, 0.0, rng.uniform(0.5, 4), solids.tile(world.tops[int(rng.integers(len(world.tops)))]), side, THING
        )
        return
    length, width, tall = {
        "card": (63.0, 88.0, 0.4),
        "die": (14, 14, 14),
        "pencil": (140, 7, 7),
        "note": (rng.uniform(60, 120), rng.uniform(50, 100), 0.2),
    }[kind]
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 * [length, width]
    outline = (
        at
        + np.array(
            [
                (1 - s) * a + s * b
                for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)
                for s in np.linspace(0, 0.9, 6)
            ]
        )
        @ _spin(rng).T
    )
    if kind == "card":
        picture = np.full((TILE_PX, TILE_PX, 3), rng.uniform(10, 200, 3), np.uint8)
        art = cv2.resize(world.faces[int(rng.integers(len(world.faces)))], (120, 120))
        part = picture[12:132, 36:156]
        if rng.random() < 0.4:
            mask = np.zeros((120, 120), np.uint8)
            cv2.circle(mask, (60, 60), 59, (255,), -1)
            part[mask > 0] = art[mask > 0]
        else:
            part[:] = art
        picture[140:180, 40:152] = rng.uniform(150, 250)
        solids.prism(outline, 0.0, tall, solids.tile(picture), side, THING)
    else:
        plain = solids.colour(rng.uniform(0.7, 0.95, 3)) if kind == "note" else side
        solids.prism(outline, 0.0, tall, plain, side, THING)


def add_mug(rng: np.random.Generator, solids: Solids, at: Array, unit: Array, side: int) -> None:
    """A mug, glass or bowl, often as wide as a disk: its rim, its inside and what is in it."""
    radius, tall = float(rng.choice((rng.uniform(30, 50), 25.4, 38.1))), rng.uniform(25, 100)
    inner, full = radius - rng.uniform(2, 5), rng.uniform(0.3, 0.95) * tall
    inside = solids.colour(rng.uniform(0.05, 0.95, 3))
    drink = solids.colour(rng.uniform(0.02, 0.9, 3) * rng.choice((0.2, 1.0)))

    def ring(reach: float, height: float) -> Array:
        return np.column_stack([at + reach * unit, np.full(len(unit), -height)])

    solids.band(ring(radius, 0), ring(radius, tall), side, THING)
    solids.band(ring(radius, tall), ring(inner, tall), inside if rng.random() < 0.5 else side, THING)
    solids.band(ring(inner, tall), ring(inner, full), inside, THING)
    solids.fan(ring(inner, full), np.append(at, -full), np.full((len(unit), 2), 0.5), drink, THING)


def _spin(rng: np.random.Generator) -> Array:
    turn = rng.uniform(0, 2 * np.pi)
    return np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


def scene_of(rng: np.random.Generator, solids: Solids, world: World, rooms: Sequence[Path]) -> dict[str, Any]:
    tops = world.tops[int(rng.integers(len(world.tops)))]
    rough, shine = float(rng.uniform(0.25, 0.8)), float(rng.choice((0.0, rng.uniform(0.1, 0.6))))
    half = TABLE_MM * rng.uniform(0.8, 1.3)
    where = (
        mi.ScalarTransform4f().translate([TABLE_MM / 2, TABLE_MM / 2, 0]).rotate([0, 0, 1], float(rng.uniform(0, 360)))
    )
    scene: dict[str, Any] = {
        "type": "scene",
        "room": any_room(rng, list(rooms)),
        "table": {"type": "rectangle", "to_world": where.scale([half, half, 1]), "bsdf": _print(tops, 0.7, 0.1)},
        "things": solids.shape(_print(solids.atlas(), rough, shine)),
    }
    if rng.random() < 0.7:
        scene["lamp"] = lamp(rng, make_view(rng, 1920, 1080, 20.0))
    if rng.random() < 0.15:
        scene["sun"] = sun(rng)
    return scene


def _print(bgr: ByteImage, roughness: float, specular: float) -> dict[str, Any]:
    linear = (bgr[..., ::-1].astype(np.float32) / 255) ** np.float32(2.2)
    picture = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(linear)), "raw": True}
    coat = {"type": "principled", "base_color": picture, "roughness": roughness, "specular": specular}
    return {"type": "twosided", "bsdf": coat}


def traced_light(rng: np.random.Generator, scene: Any, view: TableView, samples: int = SAMPLES) -> FloatImage:
    """Linear BGR light of every pixel, denoised."""
    integrator = mi.load_dict({"type": "path", "max_depth": DEPTH})
    width, height = view.lens.width, view.lens.height
    yy, xx = np.mgrid[0:height, 0:width]
    middles = np.column_stack([xx.ravel(), yy.ravel()]).astype(np.float64)
    points = np.repeat(middles, samples, axis=0) + rng.uniform(-0.5, 0.5, (len(middles) * samples, 2))
    ray = rays(*sight_lines(view, points))
    sampler = mi.load_dict({"type": "independent"})
    sampler.seed(int(rng.integers(2**31)), len(points))
    light, _, _ = integrator.sample(scene, sampler, mi.RayDifferential3f(ray))
    values = np.minimum(np.nan_to_num(np.array(light).T.astype(np.float32)), BRIGHTEST)
    mean = values.reshape(height, width, samples, 3).mean(axis=2)
    hit = scene.ray_intersect(rays(*sight_lines(view, middles)))
    albedo = np.array(dr.select(hit.is_valid(), hit.bsdf().eval_diffuse_reflectance(hit), mi.Color3f(0))).T
    normal = np.array(dr.select(hit.is_valid(), mi.Color3f(hit.sh_frame.n), mi.Color3f(0))).T
    aside = (np.asarray(part.reshape(height, width, 3), np.float32) for part in (albedo, np.nan_to_num(normal)))
    return np.ascontiguousarray(denoised(np.ascontiguousarray(mean), *aside)[..., ::-1])


def rays(origin: Array, ways: Array) -> Any:
    return mi.Ray3f(mi.Point3f(*origin.tolist()), mi.Vector3f(ways.T.astype(np.float32)))


def auto_exposed(rng: np.random.Generator, light: FloatImage) -> FloatImage:
    """As a camera's automatic exposure leaves it: the usual place at a middle grey, little overexposed most times."""
    wanted = float(np.exp(rng.uniform(np.log(0.05), np.log(0.35))))
    lit = exposed(light, wanted)
    bright, brightest = (float(np.quantile(lit.mean(axis=2), share)) for share in (0.97, BRIGHTEST_SHARE))
    most = rng.uniform(0.5, 1.1) if rng.random() < 0.8 else np.inf
    share = min(1.0, most / max(bright, 1e-6), OVEREXPOSED / max(brightest, 1e-6))
    return np.asarray(lit * np.float32(share), dtype=np.float32)


def owners_at(scene: Any, solids: Solids, origin: Array, ways: Array) -> IntArray:
    """The owner that each ray from a point meets first."""
    hit = scene.ray_intersect(rays(origin, ways))
    mine = next(shape for shape in scene.shapes() if shape.id() == "things")
    number = np.array(dr.reinterpret_array(mi.UInt32, mi.ShapePtr(mine)))[0]
    on_things = np.array(dr.reinterpret_array(mi.UInt32, hit.shape)) == number
    owners = np.concatenate([*solids.owners, [TABLE]])
    triangles = np.array(hit.prim_index).astype(np.intp)
    return np.asarray(owners[np.where(on_things, triangles, len(owners) - 1)], dtype=np.intp)
