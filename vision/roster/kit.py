"""The kit of a game (`kit.json`): the sizes of its disks, and what its tokens and the backs of its disks look like."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.types.arrays import FloatImage

_LITTLE = np.float32(1e-3)

Ramp = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PrintedToken:
    """A kind of token by its ground, in the colours of print (0 to 1), and whether its glyph is light or dark.

    A vivid ground has more of the channels `over` than of those `under` by the ramp `chroma`. `pale`: the most that the
    channels under may rise above the least one, of the whole range; `ratios`: of one channel to another. A ground
    without such channels is `dark`: its brightest channel is below that ramp. Each ramp goes from no to full likeness.
    """

    id: str
    glyph_is_light: bool
    over: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    chroma: Ramp = (0.0, 1.0)
    pale: Ramp | None = None
    ratios: tuple[tuple[str, str, float, float], ...] = ()
    dark: Ramp = (1.0, 0.0)

    @property
    def is_vivid(self) -> bool:
        """Whether its ground has a colour, rather than being black."""
        return bool(self.over)

    @staticmethod
    def of(entry: Mapping[str, Any]) -> PrintedToken:
        """A kind from the kit's file."""
        pairs = {key: tuple(entry[key]) for key in ("over", "under", "chroma", "pale", "dark") if key in entry}
        ratios = tuple((str(one), str(other), low, high) for one, other, low, high in entry.get("ratios", ()))
        return PrintedToken(entry["id"], entry["glyph"] == "light", ratios=ratios, **pairs)

    def ground(self, channels: Mapping[str, FloatImage]) -> FloatImage:
        """How much each pixel looks like its ground, 0 to 1."""
        low, high = _least(channels.values()), _most(channels.values())
        if not self.is_vivid:
            return ramp(high, *self.dark)
        least, most = _least(channels[name] for name in self.over), _most(channels[name] for name in self.under)
        likeness = ramp(least - most, *self.chroma)
        if self.pale is not None:
            likeness = likeness * ramp(np.asarray((most - low) / (high - low + _LITTLE)), *self.pale)
        for one, other, start, end in self.ratios:
            likeness = likeness * ramp(np.asarray(channels[one] / (channels[other] + _LITTLE)), start, end)
        return likeness

    def ink(self, printed: FloatImage, token: FloatImage) -> FloatImage:
        """How inky each pixel is, against the brightest of the token: 0 as the ground, 1 as the glyph."""
        channels = channels_of(printed)
        if not self.is_vivid:
            return np.asarray(reduce(np.add, channels.values()) / 3, dtype=np.float32)
        own = channels_of(token)
        bright = max(float(np.percentile(_least(own[name] for name in self.over), 80)), 0.1)
        if self.glyph_is_light:
            return np.asarray(_least(channels[name] for name in self.under) / bright, dtype=np.float32)
        return np.asarray(1 - _least(channels[name] for name in self.over) / bright, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class PrintedBack:
    """The emblem of a back, a star on a plain field: its points and, in radii of the face, its parts."""

    points: int
    tip: float
    valley: float  # of the dents between the tips
    hub: float  # of the hole in its middle


@dataclass(frozen=True, slots=True)
class Kit:
    """The sizes of a game's disks and what is printed on its pieces, whatever their owners' art is."""

    disks_mm: tuple[float, ...]  # diameters
    tokens: tuple[PrintedToken, ...]
    back: PrintedBack


def read_kit(path: Path) -> Kit:
    """The kit of a file."""
    data = json.loads(path.read_text(encoding="utf-8"))
    tokens = tuple(PrintedToken.of(entry) for entry in data["tokens"])
    return Kit(tuple(data["disks_mm"]), tokens, PrintedBack(**data["back"]))


KIT = read_kit(Path(__file__).with_name("kit.json"))


def grounds_of(printed: FloatImage, kinds: Sequence[PrintedToken] = KIT.tokens) -> dict[str, FloatImage]:
    """How much each pixel looks like the ground of each kind of token, 0 to 1."""
    channels = channels_of(printed)
    return {kind.id: kind.ground(channels) for kind in kinds}


def white_like(printed: FloatImage) -> FloatImage:
    """How much each pixel looks like the white of a glyph, 0 to 1."""
    channels = channels_of(printed).values()
    low, high = _least(channels), _most(channels)
    return ramp(low, 0.4, 0.55) * ramp(high - low, 0.3, 0.18)


def ramp(values: FloatImage, start: float, end: float) -> FloatImage:
    """0 at start, 1 at end, straight between (downwards when end is the lower)."""
    scale = np.float32(1 / (end - start))
    risen = (values - np.float32(start)) * scale
    return np.asarray(np.minimum(np.maximum(risen, np.float32(0)), np.float32(1)), dtype=np.float32)


def channels_of(image: FloatImage) -> dict[str, FloatImage]:
    """The three channels as pictures of their own, which numpy reckons with several times faster."""
    parts = (np.asarray(channel, dtype=np.float32) for channel in cv2.split(image))
    return dict(zip(("blue", "green", "red"), parts, strict=True))


def _least(images: Any) -> FloatImage:
    return reduce(np.minimum, images)


def _most(images: Any) -> FloatImage:
    return reduce(np.maximum, images)
