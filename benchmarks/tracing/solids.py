"""Shapes of traced tables: meshes with pictures on them, in board mm with z down."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.table_tops import Array
from calibration.arrays import ByteImage
from vision.types.arrays import IntArray


def print_of(bgr: ByteImage, roughness: float = 0.6, shine: float = 0.04) -> dict[str, Any]:
    """A printed surface: a picture under a dull or glossy coat."""
    import mitsuba as mi

    linear = (bgr[..., ::-1].astype(np.float32) / 255) ** np.float32(2.2)
    picture = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(linear)), "raw": True}
    return _coated(picture, roughness, shine)


def paint_of(colour: Array, roughness: float = 0.6, shine: float = 0.04) -> dict[str, Any]:
    """A surface of one colour, linear BGR."""
    plain = {"type": "rgb", "value": [float(v) for v in np.clip(colour[::-1], 0.002, 0.95)]}
    return _coated(plain, roughness, shine)


def _coated(reflectance: dict[str, Any], roughness: float, shine: float) -> dict[str, Any]:
    coat = {
        "type": "principled",
        "base_color": reflectance,
        "roughness": float(roughness),
        "specular": float(np.clip(shine * 12, 0, 1)),
    }
    return {"type": "twosided", "bsdf": coat}


def mesh(name: str, points: Array, faces: IntArray, surface: dict[str, Any], texture_at: Array | None = None) -> Any:
    """A mesh of triangles; points (N, 3), faces (M, 3), texture coordinates (N, 2) with v downward."""
    import mitsuba as mi

    made = mi.Mesh(
        name, len(points), len(faces), has_vertex_texcoords=texture_at is not None, props=_properties(surface)
    )
    parameters = mi.traverse(made)
    parameters["vertex_positions"] = points.astype(np.float32).ravel()
    parameters["faces"] = faces.astype(np.uint32).ravel()
    if texture_at is not None:
        parameters["vertex_texcoords"] = texture_at.astype(np.float32).ravel()
    parameters.update()
    return made


def _properties(surface: dict[str, Any]) -> Any:
    import mitsuba as mi

    properties = mi.Properties()
    properties["surface"] = mi.load_dict(surface)
    return properties


def flat(outline: Array, heights: Array) -> tuple[Array, IntArray]:
    """A fan over a convex or star-shaped outline (N, 2) with the height of each point, its middle first."""
    middle = np.append(outline.mean(axis=0), -heights.mean())
    points = np.vstack([middle, np.column_stack([outline, -heights])])
    around = np.arange(len(outline))
    faces = np.column_stack([np.zeros(len(outline), np.intp), 1 + around, 1 + (around + 1) % len(outline)])
    return points, np.asarray(faces, dtype=np.intp)


def wall(lower: Array, upper: Array) -> tuple[Array, IntArray]:
    """The band between two closed lines (N, 3) of as many points."""
    count = len(lower)
    around = np.arange(count)
    ahead = (around + 1) % count
    faces = np.vstack(
        [np.column_stack([around, ahead, count + around]), np.column_stack([ahead, count + ahead, count + around])]
    )
    return np.vstack([lower, upper]), np.asarray(faces, dtype=np.intp)
