"""A short game with drawn pictures, as a session writes it, whose every place is known."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from assistant.evidence.film_ring import FilmRing
from assistant.games import GAMES
from assistant.log.clip_files import clip_folder, sha256_of
from assistant.log.entry import ClipRecord, Entry, Picture
from assistant.log.event import Event
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.game import house_rules
from assistant.rules.record import ruling_to_json
from assistant.scene.values import Circle, JsonValue, Piece, Player, Scene
from assistant.scene.values import Table as SceneTable
from assistant.session.history import Snapshot
from assistant.session.view_json import view_to_json
from calibration.arrays import ByteImage
from calibration.view import TableView
from tests.drawing.disks import camera

CLOTH = (70, 110, 80)
FACES = {"a": (60, 60, 220), "b": (220, 120, 40), "c": (60, 200, 220)}
CLIP = "000006000-moved.mp4"
RULER_MM = {"short": 76.2, "medium": 152.4, "long": 304.8}


def piece(identity: str, x: float, y: float, height_mm: float = 2.0, **more: object) -> Piece:
    """A disk of 50.8 mm."""
    owner = "order" if identity == "a" else "destruction"
    made = Piece(identity, Circle(50.8), x, y, owner, 0.3, profile=f"{identity}-profile", stats=STATS)
    return replace(made, extra={"face_height_mm": height_mm, "profile_confidence": 1.0}, **more)  # type: ignore[arg-type]


STATS = {"movement": 3, "attack": 4, "counter": 2, "toughness": 4}


def scene_with(*pieces: Piece) -> Scene:
    """A table of Diskwars with these pieces."""
    players = (Player("order", "south"), Player("destruction", "north"))
    return Scene("diskwars", SceneTable(914.4, 914.4), players, pieces, ruler_mm=RULER_MM)


def picture(scene: Scene, view: TableView) -> ByteImage:
    """The scene as the camera sees it: plain faces on a plain cloth, drawn four times as fine."""
    fine = 4
    bgr = np.full((view.lens.height * fine, view.lens.width * fine, 3), CLOTH, np.uint8)
    angles = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    for one in scene.on_field():
        assert isinstance(one.shape, Circle)
        ring = one.shape.radius_mm * np.column_stack([np.cos(angles), np.sin(angles)]) + np.array(one.centre)
        pixels = (view.board_to_image(ring, float(str(one.extra["face_height_mm"]))) + 0.5) * fine - 0.5
        cv2.fillPoly(bgr, [np.round(pixels * 16).astype(np.int32)], FACES[one.id], cv2.LINE_AA, 4)
    size = (view.lens.width, view.lens.height)
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def jpeg(bgr: ByteImage) -> bytes:
    """As good as lossless."""
    return cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 97])[1].tobytes()


def snapshot(scene: Scene, view: TableView | None = None, time_s: float = 1.0) -> Snapshot:
    """A settled table with its picture."""
    seen = view or camera()
    data = jpeg(picture(scene, seen))
    return Snapshot(scene, seen, lambda: data, time_s)


def write_game(path: Path, far_mm: float = 100.0, pictures: bool = True) -> LogWriter:
    """A log in which a moves straight north by `far_mm` at 0:06; it is left open."""
    view = camera()
    game = next(game for game in GAMES if game.id == "diskwars")
    roster: JsonValue = {"profiles": [{"id": "a-profile", "name": "Red Guard"}]}
    writer = LogWriter.create(path, Settings("diskwars", roster=roster, calibration=view_to_json(view)))
    start = scene_with(piece("a", 300.0, 600.0), piece("b", 500.0, 300.0))
    end = scene_with(piece("a", 300.0, 600.0 - far_mm), piece("b", 500.0, 300.0))
    flips = max(1, math.ceil((far_mm - 2.0) / 50.8))
    fields: dict[str, JsonValue] = {
        "piece": "a",
        "from": [300.0, 600.0],
        "to": [300.0, 600.0 - far_mm],
        "distance_mm": far_mm,
        "flips": flips,
        "allowed": flips <= 3,
        "from_frame": 120,
    }
    if flips > 3:
        fields |= {"reasons": ["out of reach"], "certainty": 1.0}
    events = [Event(6.0, 180, "moved", fields)]
    if flips > 3:
        events.append(Event(6.0, 180, "violation", {"piece": "a", "rule": "out of reach", "certainty": 1.0}))
    for t_s, scene, happened in ((1.0, start, ()), (6.0, end, tuple(events))):
        rulings = tuple(ruling_to_json(ruling) for ruling in game.rulings(scene, house_rules(game, {})))
        stored = (Picture(jpeg(picture(scene, view))),) if pictures else ()
        writer.append(Entry(t_s, round(t_s * 30), happened, scene, rulings, stored))
    return writer


def write_filmed_game(path: Path, spoil: Callable[[Path], None] | None = None) -> None:
    """A log with a move that is too far and a short clip of it, of which the log has the hash.

    `spoil` is called with the clip's place before it is hashed.
    """
    writer = write_game(path, 170.0)
    clip = clip_folder(path) / CLIP
    clip.parent.mkdir()
    film = FilmRing()
    bgr = picture(scene_with(piece("a", 300.0, 600.0)), camera())
    for index in range(45):
        film.add(bgr, 4.0 + index / 15, index)
    cut = film.cut(4.0, 9.0, clip)
    assert cut is not None
    if spoil is not None:
        spoil(clip)
    size, digest = (clip.stat().st_size, sha256_of(clip)) if clip.is_file() else (0, hashlib.sha256().hexdigest())
    record = ClipRecord(6.0, 180, CLIP, "kept", cut.start_s, cut.end_s, size, digest)
    writer.append(Entry(6.0, 180, (Event(6.0, 180, "note", {"text": "<script>alert(1)</script>"}),), clips=(record,)))
    writer.change(0.0, 0, replace(writer.settings, source="rtsp://ann:s3cret@cam/home/ann/live"))
    writer.close()
