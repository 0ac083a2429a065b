"""What a webcam makes of light: blur, noise, white balance, sharpening, a tone curve and JPEG."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage
from vision.types.arrays import FloatImage


@dataclass(frozen=True, slots=True)
class Webcam:
    """One camera."""

    blur_px: float
    grain: float  # shot noise: variance for each unit of light
    floor: float  # noise of darkness
    correlated_px: float  # how far noise has been smeared by the camera
    white: tuple[float, float, float]  # gain of blue, green and red
    sharpening: float
    sharpening_px: float
    gamma: float
    contrast: float
    quality: int  # of its JPEG

    @classmethod
    def any(cls, rng: np.random.Generator) -> Webcam:
        """A camera of its own kind."""
        blue, green, red = np.exp(rng.normal(0, 0.08, 3))
        return cls(
            blur_px=float(rng.uniform(0.45, 1.25)),
            grain=float(10 ** rng.uniform(-4.3, -2.7)),
            floor=float(10 ** rng.uniform(-6.5, -4.3)),
            correlated_px=float(rng.choice((0.0, 0.0, rng.uniform(0.4, 1.0)))),
            white=(float(blue), float(green), float(red)),
            sharpening=float(rng.choice((0.0, rng.uniform(0.2, 1.4)))),
            sharpening_px=float(rng.uniform(0.8, 2.0)),
            gamma=float(rng.uniform(1.8, 2.5)),
            contrast=float(rng.uniform(0.0, 0.6)),
            quality=int(rng.integers(55, 97)),
        )


def webcam_picture(rng: np.random.Generator, light: FloatImage, camera: Webcam) -> ByteImage:
    """The picture of linear BGR light, 1 being white."""
    soft = cv2.GaussianBlur(light, (0, 0), camera.blur_px) * np.array(camera.white, np.float32)
    noise = rng.standard_normal(soft.shape, dtype=np.float32)
    if camera.correlated_px:
        noise = cv2.GaussianBlur(noise, (0, 0), camera.correlated_px) * np.float32(1 + 2.2 * camera.correlated_px)
    noisy = soft + noise * np.sqrt(np.clip(soft, 0, 1) * np.float32(camera.grain) + np.float32(camera.floor))
    coded = np.clip(noisy, 0, 1) ** np.float32(1 / camera.gamma)
    coded = coded + np.float32(camera.contrast) * (coded * coded * (3 - 2 * coded) - coded)
    if camera.sharpening:
        coded = coded + np.float32(camera.sharpening) * (coded - cv2.GaussianBlur(coded, (0, 0), camera.sharpening_px))
    picture = np.asarray(np.clip(coded * 255 + 0.5, 0, 255), dtype=np.uint8)
    encoded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, camera.quality])[1]
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), dtype=np.uint8)
