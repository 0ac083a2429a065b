"""Every reader of something that a stranger may hand over, with good samples to damage: for `benchmarks.attack`.

A reader may refuse with one line (InputError, GameError, LogError among them, or a refused option); anything else that
it raises is a failure, and so is a line on standard error or a signal.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

from assistant.cli.inputs import corners, sizes, table_size
from assistant.cli.main import main
from assistant.cli.tables import marks_of_file
from assistant.evidence.clip_pictures import clip_frames, strip_of
from assistant.games import GAMES
from assistant.log.clip_files import clip_folder
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.game import ask
from assistant.scene.errors import GameError
from assistant.scene.notation import from_notation, to_notation
from assistant.scene.reading import scene_from_json, scene_from_text
from assistant.session.army_list import read_army
from assistant.session.corner_memory import recall_corners
from calibration.errors import InputError
from calibration.lens import read_lens
from calibration.own_markers import read_markers
from tests.assistant.evidence.played import CLIP, write_filmed_game
from tests.assistant.log.pretend import moments
from vision.camera.address import protocol_of, without_password
from vision.camera.http_stream import MjpegStream
from vision.camera.source import VideoFile
from vision.roster.profiles import read_roster
from vision.types.decoding import decode
from vision.types.frame import Frame

ROOT = Path(__file__).parents[1]
REFUSED = (InputError, GameError, argparse.ArgumentTypeError)


@dataclass(frozen=True)
class Reader:
    """What is read: good samples, and the function that reads damaged ones in a folder of its own."""

    samples: Callable[[Path], Sequence[bytes]]
    read: Callable[[bytes, Path], object]
    weight: float  # of how many inputs in all this reader gets
    as_json: bool = False


@cache
def _scenes() -> tuple[dict[str, Any], ...]:
    found = []
    for path in sorted((ROOT / "tests" / "cases").glob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [json.loads(line)["scene"] for line in lines[:: max(1, len(lines) // 6)]]
    return tuple(scene for scene in found if isinstance(scene, dict))


@cache
def _questions() -> tuple[tuple[dict[str, Any], str], ...]:
    found = []
    for path in sorted((ROOT / "tests" / "cases").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines()[::7]:
            case = json.loads(line)
            if isinstance(case.get("scene"), dict):
                found.append((case["scene"], str(case["question"])))
    return tuple(found)


def _picture() -> Any:
    noise = np.random.default_rng(1).integers(0, 255, (36, 48, 3), dtype=np.uint8)
    return cv2.GaussianBlur(noise, (0, 0), 2)


def _pictures(_folder: Path) -> list[bytes]:
    kinds = (".jpg", ".png", ".bmp", ".tiff", ".webp")
    plain = [cv2.imencode(kind, _picture())[1].tobytes() for kind in kinds]
    deep = cv2.imencode(".png", _picture().astype(np.uint16) * 257)[1].tobytes()
    image = Image.fromarray(_picture())
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    turned, printed, moving = io.BytesIO(), io.BytesIO(), io.BytesIO()
    image.save(turned, "JPEG", exif=exif, icc_profile=b"\0" * 3000)
    image.convert("CMYK").save(printed, "JPEG")
    image.save(moving, "WEBP", save_all=True, append_images=[image] * 2)
    return [*plain, deep, turned.getvalue(), printed.getvalue(), moving.getvalue()]


def _heic(_folder: Path) -> list[bytes]:
    import pillow_heif

    file = io.BytesIO()
    pillow_heif.from_pillow(Image.fromarray(_picture())).save(file)
    return [file.getvalue()]


def _film(folder: Path) -> list[bytes]:
    films = []
    for name, code in (("film.avi", "MJPG"), ("film.mp4", "mp4v")):
        writer = cv2.VideoWriter(str(folder / name), cv2.VideoWriter.fourcc(*code), 10, (64, 48))
        for _ in range(5):
            writer.write(cv2.resize(_picture(), (64, 48)))
        writer.release()
        films.append((folder / name).read_bytes())
    return films


def _read_film(content: bytes, folder: Path) -> None:
    path = folder / "damaged.mp4"
    path.write_bytes(content)
    film = VideoFile(path)
    try:
        for _ in range(8):
            if not isinstance(film.read(), Frame):
                break
    finally:
        film.close()


def sample_log(folder: Path) -> Path:
    """A short game with pictures; written once."""
    path = folder / "good.pinpoint"
    if not path.exists():
        writer = LogWriter.create(path, Settings("diskwars"))
        for entry in moments("diskwars", 6, picture=cv2.imencode(".jpg", _picture())[1].tobytes()):
            writer.append(entry)
        writer.close()
    return path


def _log(folder: Path) -> list[bytes]:
    return [sample_log(folder).read_bytes()]


def _read_log(content: bytes, folder: Path) -> None:
    path = folder / "damaged.pinpoint"
    path.write_bytes(content)
    try:
        with GameLog(path) as log:
            for _ in log.events():
                pass
            for _ in log.states():
                pass
            for _ in log.pictures():
                pass
    finally:
        for ending in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + ending).unlink(missing_ok=True)


class _Answer:
    """An answer of a server that sends what it likes."""

    def __init__(self, content: bytes) -> None:
        self._file = io.BytesIO(content)

    def getheader(self, _name: str) -> str:
        return "multipart/x-mixed-replace; boundary=frame"

    def read1(self, count: int) -> bytes:
        return self._file.read(count)

    def close(self) -> None: ...

    def has_bytes(self) -> bool:
        return True


def _stream(_folder: Path) -> list[bytes]:
    jpeg = cv2.imencode(".jpg", _picture())[1].tobytes()
    part = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(jpeg), jpeg)
    bare = b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + jpeg + b"\r\n"
    return [part * 3, bare * 3]


def _read_stream(content: bytes, _folder: Path) -> None:
    answer: Any = _Answer(content)
    stream = MjpegStream("http://127.0.0.1/video", answer, answer)
    for _ in range(6):
        done, picture = stream.read()
        assert not done or picture.dtype == np.uint8
    stream.release()


def _filmed_game(folder: Path) -> Path:
    """A log with a clip; written once."""
    path = folder / "filmed.pinpoint"
    if not path.exists():
        write_filmed_game(path)
    return path


def _clip(folder: Path) -> list[bytes]:
    return [(clip_folder(_filmed_game(folder)) / CLIP).read_bytes()]


def _read_clip(path: Path) -> None:
    for _ in clip_frames(path):
        pass
    strip_of(path)


def _read_evidence(path: Path) -> None:
    """The evidence of the first event of a damaged log, whose clip is whole."""
    folder = clip_folder(path)
    if not folder.exists():
        shutil.copytree(clip_folder(_filmed_game(path.parent)), folder)
    out = path.with_suffix(".evidence")
    try:
        _command("export", "FILE", "--format", "evidence", "--event", "1", "-o", str(out))(path)
    finally:
        shutil.rmtree(out, ignore_errors=True)


def _by_file(read: Callable[[Path], object], name: str) -> Callable[[bytes, Path], object]:
    def reading(content: bytes, folder: Path) -> object:
        path = folder / name
        path.write_bytes(content)
        return read(path)

    return reading


def _ask(content: bytes, _folder: Path) -> object:
    number, _, text = content.decode("utf-8", "replace").partition(" ")
    scene = _questions()[int(number) % len(_questions())][0] if number.isdecimal() else _scenes()[0]
    read = scene_from_json(scene)
    game = next(game for game in GAMES if game.id == read.game)
    return ask(game, read, text)


def _roster_pictures(path: Path) -> None:
    roster = read_roster(path)
    for profile in roster.profiles[:3]:
        profile.picture()


def _command(*words: str) -> Callable[[Path], object]:
    """A whole command: refused by one line and exit 2, or done."""

    def running(path: Path) -> None:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main([word.replace("FILE", str(path)) for word in words])
            except SystemExit as stop:
                code = int(str(stop.code or 0))
        said = err.getvalue()
        if code not in (0, 1, 2) or "pinpoint: unexpected" in said or "Traceback" in said or said.count("\n") > 1:
            raise AssertionError(f"exit {code}: {said[:300]}")

    return running


def _options(content: bytes, _folder: Path) -> None:
    text = content.decode("utf-8", "replace")
    for parse in (corners, sizes, table_size):
        with contextlib.suppress(argparse.ArgumentTypeError):
            parse(text)


def _address(content: bytes, _folder: Path) -> None:
    text = content.decode("utf-8", "replace")
    shown = without_password(text)
    if text.startswith("http://eve:s3cret@"):
        assert "s3cret" not in shown, shown
    protocol_of(text)


def _json_of(*documents: Any) -> Callable[[Path], Sequence[bytes]]:
    return lambda _folder: [json.dumps(document).encode() for document in documents]


def _army(game: str, **fields: Any) -> dict[str, Any]:
    return {"schema": "pinpoint.army/1", "game": game, **fields}


def _case_lines(_folder: Path) -> Sequence[bytes]:
    return [
        json.dumps({"id": "a", "scene": scene, "question": question, "expect": {"verdict": "yes"}}).encode()
        for scene, question in _questions()[:12]
    ]


_CAMERA = json.loads((ROOT / "sample_images" / "tables" / "steep-09.camera.json").read_text(encoding="utf-8"))
_ROSTER = {
    "schema": "pinpoint.roster/1",
    "profiles": [{"id": "a", "name": "A", "owner": "order", "circle_mm": 50.8, "art": "a.png", "stats": {"attack": 3}}],
    "tokens": [{"id": "t", "side_mm": 20, "art": "a.png"}],
    "terrain": [{"id": "h", "side_mm": 90, "art": "a.png", "outline": [[0, 0], [9, 0], [9, 9]], "keywords": ["x"]}],
    "empty_table": {"art": "a.png", "width_mm": 914, "depth_mm": 914},
}
_MARKERS = {
    "schema": "pinpoint.markers/1",
    "dictionary": "tag36h11",
    "side_mm": 50,
    "markers": [{"id": number, "centre": [100 * number, 0]} for number in range(4)],
}
_ARMIES = (
    _army("firefight", units=[{"name": "Guards", "models": 5, "points": 100, "stats": {"quality": 4, "defence": 4}}]),
    _army("conquest", units=[{"name": "Lord", "types": ["character"], "points": 150, "warlord": True}]),
    _army("wrath-of-kings", units=[{"name": "King", "types": ["leader"], "rank": 1, "stats": {"leadership": 5}}]),
    _army(
        "diskwars", regiments=[{"hero": "Kairos Fateweaver", "units": ["Bloodthirster"], "commands": ["Intimidate"]}]
    ),
)
_CORNERS = {"schema": "pinpoint.corners/1", "camera": "c", "corners": [[0, 0], [9, 0], [9, 9], [0, 9]]}


def _corner_file(path: Path) -> object:
    return recall_corners("c", path.parent)


READERS: Mapping[str, Reader] = {
    "pictures": Reader(_pictures, lambda content, _: decode(content, "damaged"), 16),
    "HEIC pictures": Reader(_heic, lambda content, _: decode(content, "damaged.heic"), 3),
    "films": Reader(_film, _read_film, 2),
    "MJPEG streams": Reader(_stream, _read_stream, 12),
    "addresses": Reader(
        lambda _: [b"http://eve:s3cret@host:80/a?size=3", b"rtsp://host/live", b"http://[::1]:9/x"], _address, 10
    ),
    "camera files": Reader(_json_of(_CAMERA), _by_file(read_lens, "camera.json"), 12, True),
    "rosters": Reader(_json_of(_ROSTER), _by_file(_roster_pictures, "roster.json"), 8, True),
    "marker files": Reader(_json_of(_MARKERS), _by_file(read_markers, "markers.json"), 8, True),
    "remembered corners": Reader(_json_of(_CORNERS), _by_file(_corner_file, "2e7d2c03a9507ae265ec.json"), 2, True),
    "scenes": Reader(
        lambda _: [json.dumps(scene).encode() for scene in _scenes()],
        lambda content, _: scene_from_text(content.decode("utf-8", "replace")),
        14,
        True,
    ),
    "scene notation": Reader(
        lambda _: [to_notation(scene_from_json(scene)).encode() for scene in _scenes()[:6]],
        lambda content, _: from_notation(content.decode("utf-8", "replace")),
        4,
    ),
    "questions": Reader(
        lambda _: [f"{number} {text}".encode() for number, (_, text) in enumerate(_questions())], _ask, 8
    ),
    "options": Reader(lambda _: [b"10,12 900,14 905,880 8,890", b"914.4x914.4", b"38.1,50.8"], _options, 6),
    "game logs": Reader(_log, _read_log, 6),
    "`rulings`": Reader(
        lambda _: [json.dumps(scene).encode() for scene in _scenes()[:8]],
        _by_file(_command("rulings", "FILE"), "s.json"),
        1,
        True,
    ),
    "army lists": Reader(_json_of(*_ARMIES), _by_file(lambda path: read_army(path, []), "army.json"), 6, True),
    "case files": Reader(_case_lines, _by_file(_command("ask", "--cases", "FILE"), "cases.jsonl"), 2, True),
    "`army`": Reader(_json_of(*_ARMIES), _by_file(_command("army", "FILE"), "a.json"), 1, True),
    "`review --summary`": Reader(_log, _by_file(_command("review", "FILE", "--summary"), "r.pinpoint"), 1),
    "marked pieces": Reader(
        lambda _: [json.dumps(scene).encode() for scene in _scenes()[:8]], _by_file(marks_of_file, "m.json"), 2, True
    ),
    "clips": Reader(_clip, _by_file(_read_clip, "damaged.mp4"), 0.3),
    "`export --format evidence`": Reader(
        lambda folder: [_filmed_game(folder).read_bytes()], _by_file(_read_evidence, "v.pinpoint"), 0.05
    ),
    "`export`": Reader(_log, _by_file(_command("export", "FILE", "--format", "jsonl", "-o", "-"), "e.pinpoint"), 1),
}
