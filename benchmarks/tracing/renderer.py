"""Traces the light of a Mitsuba scene along the sight lines of an OpenCV camera, and denoises it.

No picture is warped: each sample follows the ray that the lens model gives its pixel, so truth is exact. World
coordinates are those of the board with z down, as in `calibration.view` (z is negative above the table), in mm.

    scene = {"type": "scene", "room": room_light(rng), "table": rectangle(...), ...}
    traced = trace(scene, view, samples=12, seed=1)
    picture = webcam_picture(rng, exposed(traced.light, 0.18), Webcam.any(rng))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import drjit as dr
import mitsuba as mi
import numpy as np
import pyoidn

from benchmarks.table_tops import Array
from calibration.view import TableView
from vision.types.arrays import FloatImage, IntArray

VARIANT = "llvm_ad_rgb"
DEPTH = 5  # bounces
BRIGHTEST = 40.0  # of a single sample: what is brighter is a firefly


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """Linear BGR light of every pixel, and which shape its middle shows."""

    light: FloatImage
    shape: IntArray  # (rows, columns): place in `names`, -1 for none
    names: tuple[str, ...]


def use_mitsuba() -> None:
    """Chooses the variant; must run before shapes are made."""
    if mi.variant() != VARIANT:
        mi.set_variant(VARIANT)


def sight_lines(view: TableView, pixels: Array) -> tuple[Array, Array]:
    """Origin (3,) and unit directions (N, 3) of pixels (N, 2) through the lens model."""
    rays = view.lens.directions(pixels)
    directions = np.column_stack([rays, np.ones(len(rays))]) @ view.rotation
    return view.camera_centre, directions / np.linalg.norm(directions, axis=1, keepdims=True)


def trace(scene: Mapping[str, Any], view: TableView, samples: int = 12, seed: int = 0) -> Traced:
    """The light that a camera sees of a scene (a dictionary for `mitsuba.load_dict`), denoised."""
    use_mitsuba()
    loaded = mi.load_dict(dict(scene))
    integrator = mi.load_dict({"type": "path", "max_depth": DEPTH})
    width, height = view.lens.width, view.lens.height
    yy, xx = np.mgrid[0:height, 0:width]
    middles = np.column_stack([xx.ravel(), yy.ravel()]).astype(np.float64)
    rng = np.random.default_rng(seed)
    total, albedo, normal = (np.zeros((len(middles), 3), np.float32) for _ in range(3))
    shape = np.full(len(middles), -1, np.intp)
    for number in range(samples):
        shaken = middles + (rng.uniform(-0.5, 0.5, middles.shape) if number else 0.0)
        ray = _rays(*sight_lines(view, shaken))
        sampler = mi.load_dict({"type": "independent"})
        sampler.seed(seed * 1000 + number, len(middles))
        light, _, _ = integrator.sample(loaded, sampler, ray)
        total += np.minimum(np.nan_to_num(np.array(light).T.astype(np.float32)), BRIGHTEST)
        if number < 3:
            hit = loaded.ray_intersect(ray)
            albedo += np.array(dr.select(hit.is_valid(), hit.bsdf(ray).eval_diffuse_reflectance(hit), mi.Color3f(0))).T
            normal += np.nan_to_num(np.array(dr.select(hit.is_valid(), mi.Color3f(hit.sh_frame.n), mi.Color3f(0))).T)
            if not number:
                shape = _shape_numbers(loaded, hit)
    count = min(samples, 3)
    size = (height, width, 3)
    clean = denoised(
        *(np.asarray(part.reshape(size), np.float32) for part in (total / samples, albedo / count, normal / count))
    )
    names = tuple(shape.id() for shape in loaded.shapes())
    return Traced(np.ascontiguousarray(clean[..., ::-1]), shape.reshape(height, width), names)


def _rays(origin: Array, directions: Array) -> Any:
    return mi.Ray3f(mi.Point3f(*origin.tolist()), mi.Vector3f(directions.T.astype(np.float32)))


def _shape_numbers(scene: Any, hit: Any) -> IntArray:
    """Which of the scene's shapes each ray hits, -1 for none."""
    found = np.full(len(np.array(hit.t)), -1, np.intp)
    pointers = dr.reinterpret_array(mi.UInt32, hit.shape)
    told = np.array(pointers)
    for number, shape in enumerate(scene.shapes()):
        mine = np.array(dr.reinterpret_array(mi.UInt32, mi.ShapePtr(shape)))[0]
        found[told == mine] = number
    return found


def denoised(light: FloatImage, albedo: FloatImage, normal: FloatImage) -> FloatImage:
    """The light without the noise of few samples."""
    aside = {"albedo": np.clip(albedo, 0, 1), "normal": normal}
    contiguous = {name: np.ascontiguousarray(part, dtype=np.float32) for name, part in aside.items()}
    return np.asarray(pyoidn.denoise(np.ascontiguousarray(light), hdr=True, **contiguous), dtype=np.float32)


def exposed(light: FloatImage, middle: float) -> FloatImage:
    """The light scaled so that its median is `middle` of white."""
    usual = float(np.median(light.mean(axis=2)))
    return np.asarray(light * np.float32(middle / max(usual, 1e-6)), dtype=np.float32)
