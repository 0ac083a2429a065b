"""What a maintainer needs to see a problem again, in one file, with everything outside the table blurred."""

from __future__ import annotations

import io
import json
import platform
import re
import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version

import cv2
import numpy as np

from assistant.evidence.clip_pictures import clip_frames
from assistant.evidence.snapshots import rulings_of_state
from assistant.log.clip_files import look_for
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.packing import text_of
from assistant.rules.record import ruling_to_json
from assistant.scene.writing import scene_to_text
from assistant.session.view_json import view_from_json
from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView

AROUND_S = 60.0  # of events on either side of the moment
MOST_PICTURES = 6
MOST_CLIP_FRAMES = 12
_MARGIN_MM = 75.0  # round the battlefield: the corner tokens stay readable
_NOTICED_S = 15.0
_COARSE = 40  # pixels that become one: no face and no text is left
_PACKAGES = ("pinpoint-referee", "numpy", "opencv-python-headless", "scipy", "shapely", "PyQt6", "av")

README = """A problem report of Pinpoint. It was written on request, and nothing was sent.

frames/            pictures of the log near the moment, and frames of a clip; outside the table they are blurred
scene.json         the table at the moment; scene-before.json the one before
calibration.json   how the camera sees the table
rulings.json       what the rules said of the scene
events.jsonl       what happened within a minute of the moment
about.json         versions and settings; a password in a stream's address is left out

What is above the table, hands above all, is not blurred. Look through it before you hand it on.
"""


def problem_report(log: GameLog, at_s: float) -> bytes:
    """The report of a moment as a zip file."""
    state = log.settled_at(at_s)
    before = log.state_before(state.id)
    calibration = log.settings_at(state.t_s).calibration
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("README.txt", README)
        bundle.writestr("scene.json", scene_to_text(state.scene).encode("utf-8", "backslashreplace"))
        if before is not None:
            bundle.writestr("scene-before.json", scene_to_text(before.scene).encode("utf-8", "backslashreplace"))
        bundle.writestr("calibration.json", _json(calibration))
        rulings = [ruling_to_json(ruling) for ruling in rulings_of_state(log, state.id)]
        bundle.writestr("rulings.json", _json(rulings))
        near = (logged.event for logged in log.events() if abs(logged.event.t_s - at_s) <= AROUND_S)
        bundle.writestr("events.jsonl", "".join(text_of(event.to_json()) + "\n" for event in near))
        bundle.writestr("about.json", _json(_about(log, at_s)))
        for kind, t_s, bgr in [*_pictures(log, at_s), *_film(log, at_s)]:
            shown = blurred_outside(bgr, _views(log, t_s))
            done, encoded = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, 92])
            if done:
                bundle.writestr(f"frames/{kind}-{t_s:09.2f}s.jpg", encoded.tobytes())
    return content.getvalue()


def blurred_outside(bgr: ByteImage, views: Sequence[TableView]) -> ByteImage:
    """The picture with everything blurred but what is table and tokens in all the views; all of it without a view."""
    height, width = bgr.shape[:2]
    coarse = (max(1, width // _COARSE), max(1, height // _COARSE))
    small = cv2.resize(bgr, coarse, interpolation=cv2.INTER_AREA)
    blurred = cv2.resize(cv2.GaussianBlur(small, (3, 3), 0), (width, height), interpolation=cv2.INTER_LINEAR)
    kept = np.full((height, width), bool(views))
    for view in views:
        mask = np.zeros((height, width), np.uint8)
        outline = _outline_mm(view)
        pixels = (view.board_to_image(outline) + 0.5) * (width / view.lens.width) - 0.5
        cv2.fillPoly(mask, [np.clip(np.round(pixels), -30_000, 30_000).astype(np.int32)], 255)
        kept &= mask > 0
    return np.where(kept[..., None], bgr, blurred).astype(np.uint8)


def _outline_mm(view: TableView) -> FloatArray:
    """The battlefield and its tokens, in short steps: a lens bends long lines."""
    edge = np.linspace(0.0, 1.0, 20)
    low, east, south = -_MARGIN_MM, view.width_mm + _MARGIN_MM, view.depth_mm + _MARGIN_MM
    sides = [
        np.column_stack([low + edge * (east - low), np.full(20, low)]),
        np.column_stack([np.full(20, east), low + edge * (south - low)]),
        np.column_stack([east - edge * (east - low), np.full(20, south)]),
        np.column_stack([np.full(20, low), south - edge * (south - low)]),
    ]
    return np.asarray(np.vstack(sides), dtype=np.float64)


def _views(log: GameLog, t_s: float) -> list[TableView]:
    """How the camera sees the table at a moment and soon after: when it moves, that is noticed only at rest."""
    written = [log.settings_at(at_s).calibration for at_s in (t_s, t_s + _NOTICED_S)]
    views = [view_from_json(calibration) for calibration in written]
    return [view for view in views if view is not None] if all(views) else []


def _pictures(log: GameLog, at_s: float) -> Iterator[tuple[str, float, ByteImage]]:
    nearest = sorted(log.pictures(), key=lambda picture: abs(picture.t_s - at_s))[:MOST_PICTURES]
    for picture in sorted(nearest, key=lambda picture: picture.id):
        bgr = cv2.imdecode(np.frombuffer(log.jpeg(picture.id), np.uint8), cv2.IMREAD_COLOR)
        if bgr is not None:
            yield "picture", picture.t_s, np.asarray(bgr, dtype=np.uint8)


def _film(log: GameLog, at_s: float) -> Iterator[tuple[str, float, ByteImage]]:
    """Frames of the clip that shows the moment, where there is one."""
    clips = [
        clip
        for clip in look_for(log.path, log.clips())
        if clip.state == "whole" and clip.path.suffix == ".mp4" and clip.record.start_s <= at_s <= clip.record.end_s
    ]
    for clip in clips[:1]:
        try:
            count = sum(1 for _ in clip_frames(clip.path))
            step = max(1, -(-count // MOST_CLIP_FRAMES))
            for number, (seconds, bgr) in enumerate(clip_frames(clip.path)):
                if number % step == 0:
                    yield "clip", clip.record.start_s + seconds, bgr
        except LogError:
            return


def _about(log: GameLog, at_s: float) -> dict[str, object]:
    settings = log.settings
    return {
        "at_s": at_s,
        "game": settings.game,
        "source": re.split(r"[/\\]", settings.source)[-1],  # a path may hold a person's name
        "log_version": settings.version,
        "readings": dict(settings.readings),
        "packages": {name: _version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _json(data: object) -> str:
    return json.dumps(data, indent=1, sort_keys=True) + "\n"
