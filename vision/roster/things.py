"""What a roster may hold beside disks: further kinds of tokens, pieces of terrain, the empty table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.errors import InputError
from vision.types.arrays import FloatImage
from vision.types.decoding import MOST_PIXELS, decode, decode_unchanged, read_bytes

_TURNS = 24  # at which an enrolled token is compared

Outline = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class EnrolledToken:
    """A kind of token: a square picture of it from above, transparent around it, and that square's side."""

    id: str
    side_mm: float
    art: Path

    def picture(self) -> ByteImage:
        """The cut-out, BGRA."""
        return _cut_out(self.art, self.id)


@dataclass(frozen=True, slots=True, eq=False)
class TokenTemplate:
    """An enrolled kind at every turn (T, n, n, 4): print colours times how much of a pixel it fills, and that share."""

    kind: str
    radius_mm: float
    turns: FloatImage

    @staticmethod
    def of(token: EnrolledToken) -> TokenTemplate:
        """One pixel a millimetre, odd sides, room to turn and to blur."""
        picture = token.picture().astype(np.float32) / np.float32(255)
        picture[..., :3] *= picture[..., 3:]
        side = 2 * round(token.side_mm / 2 + 2) + 1
        turned = []
        for number in range(_TURNS):
            angle = 2 * np.pi * number / _TURNS
            scale = len(picture) / token.side_mm
            middle, to = (len(picture) - 1) / 2, (side - 1) / 2
            cos, sin = scale * np.cos(angle), scale * np.sin(angle)
            back = np.array([[cos, sin, middle - (cos + sin) * to], [-sin, cos, middle - (cos - sin) * to]])
            soft = cv2.GaussianBlur(picture, (0, 0), 0.3 * scale)
            turned.append(cv2.warpAffine(soft, back, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP))
        stack = np.asarray(turned, dtype=np.float32)
        area_mm2 = float(stack[..., 3].sum()) / _TURNS
        return TokenTemplate(token.id, float(np.sqrt(area_mm2 / np.pi)), stack)


@dataclass(frozen=True, slots=True)
class EnrolledTerrain:
    """A piece of terrain: its picture like a token's, its outline about the picture's middle, what it does."""

    id: str
    side_mm: float
    art: Path
    outline_mm: Outline
    keywords: tuple[str, ...] = ()

    def picture(self) -> ByteImage:
        """The cut-out, BGRA."""
        return _cut_out(self.art, self.id)


@dataclass(frozen=True, slots=True)
class EmptyTable:
    """The table with nothing on it, from straight above, corner to corner."""

    art: Path
    width_mm: float
    depth_mm: float

    def picture(self) -> ByteImage:
        """The battlefield, BGR."""
        what = "unreadable picture of the empty table"
        return decode(read_bytes(self.art, what), str(self.art), what, MOST_PIXELS)


def tokens_of(data: dict[str, Any], path: Path) -> tuple[EnrolledToken, ...]:
    """The kinds of tokens in a roster file's text; says which field does not fit."""
    found = []
    for where, entry in _entries(data, "tokens", path):
        found.append(
            EnrolledToken(_text(entry, "id", where, path), _side(entry, where, path), _art(entry, where, path))
        )
    return tuple(found)


def terrain_of(data: dict[str, Any], path: Path) -> tuple[EnrolledTerrain, ...]:
    """The pieces of terrain in a roster file's text; says which field does not fit."""
    found = []
    for where, entry in _entries(data, "terrain", path):
        keywords = entry.get("keywords", [])
        if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
            raise InputError(f"wrong field {where}.keywords", str(path), "expected a list of texts")
        name, side_mm, art = _text(entry, "id", where, path), _side(entry, where, path), _art(entry, where, path)
        found.append(EnrolledTerrain(name, side_mm, art, _outline(entry, where, path), tuple(keywords)))
    return tuple(found)


def empty_table_of(data: dict[str, Any], path: Path) -> EmptyTable | None:
    """The empty table in a roster file's text, where there is one."""
    entry = data.get("empty_table")
    if entry is None:
        return None
    if not isinstance(entry, dict):
        raise InputError("wrong field empty_table", str(path), "expected an object")
    sides = [_millimetres(entry.get(key), f"empty_table.{key}", path) for key in ("width_mm", "depth_mm")]
    return EmptyTable(_art(entry, "empty_table", path), sides[0], sides[1])


def _entries(data: dict[str, Any], key: str, path: Path) -> list[tuple[str, dict[str, Any]]]:
    entries = data.get(key, [])
    if not isinstance(entries, list):
        raise InputError(f"wrong field {key}", str(path), "expected a list")
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise InputError(f"wrong field {key}[{index}]", str(path), "expected an object")
    return [(f"{key}[{index}]", entry) for index, entry in enumerate(entries)]


def _text(entry: dict[str, Any], key: str, where: str, path: Path) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise InputError(f"wrong field {where}.{key}", str(path), "expected a text")
    return value


def _art(entry: dict[str, Any], where: str, path: Path) -> Path:
    return art_inside(path, _text(entry, "art", where, path), f"{where}.art")


def art_inside(roster: Path, art: str, field: str) -> Path:
    """Where a roster's picture is: a file in the roster's own folder or below it, not reached through a link.

    A roster from a stranger must not make this program read the other files of the person who opens it.
    """
    relative = Path(art)
    if "\0" in art or relative.is_absolute() or relative.drive or ".." in relative.parts:
        raise InputError(f"wrong field {field}", str(roster), "expected a path inside the roster's folder")
    place = roster.parent
    for part in relative.parts:
        place = place / part
        try:
            link = place.is_symlink()
        except OSError as error:  # a name that no file can have
            raise InputError(f"wrong field {field}", str(roster), error.strerror or "no such file") from None
        if link:
            raise InputError(f"wrong field {field}", str(roster), f"{part!r} is a link; expected the file itself")
    return place


def _side(entry: dict[str, Any], where: str, path: Path) -> float:
    return _millimetres(entry.get("side_mm"), f"{where}.side_mm", path)


def _millimetres(value: object, where: str, path: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= 10000:
        raise InputError(f"wrong field {where}", str(path), "expected millimetres")
    return float(value)


def _outline(entry: dict[str, Any], where: str, path: Path) -> Outline:
    points = entry.get("outline")
    try:
        outline = tuple((float(x), float(y)) for x, y in points) if isinstance(points, list) else ()
    except (TypeError, ValueError):
        outline = ()
    if len(outline) < 3:
        raise InputError(f"wrong field {where}.outline", str(path), "expected three or more points [x, y] in mm")
    return outline


def _cut_out(art: Path, name: str) -> ByteImage:
    what = f"unreadable art of {name!r}"
    image = decode_unchanged(read_bytes(art, what), str(art), what)
    if image.ndim != 3 or image.shape[2] != 4:
        raise InputError(what, str(art), "expected a picture with a transparent ground")
    return image
