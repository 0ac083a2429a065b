"""`pinpoint evaluate`: detects every picture that has a truth file, and prints how good it was."""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.cli.call_tally import Call, CallTally
from assistant.cli.calls import calls_of
from assistant.cli.detections import Detection, detection_path, read_detection, write_detection
from assistant.cli.inputs import game_of
from assistant.cli.looking import measure_table, pieces_of
from assistant.cli.reliability import draw_reliability
from assistant.scene.reading import scene_from_json
from assistant.session import TableSetting, scene_of
from calibration.errors import InputError
from calibration.json_file import read_json
from vision.camera.stills import read_picture
from vision.look.pipeline import look
from vision.report.scoring import Score, score, tally
from vision.roster.profiles import Roster, read_roster
from vision.types.decoding import SUFFIXES
from vision.types.frame import Frame

CLASSES = ((0.0, 15.0), (15.0, 35.0), (35.0, 55.0))


@dataclass(frozen=True, slots=True)
class Trial:
    """One picture: how it went, and what it was like."""

    name: str
    tilt_deg: float
    has_lens: bool
    seconds: float
    score: Score | None
    failure: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What to do with every picture: whether to ask all calls, and where detections are kept."""

    calls: bool = False
    kept: Path | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FOLDER."""
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="pictures NAME.jpg with NAME.truth.json beside them"
    )
    parser.add_argument(
        "--calls", action="store_true", help="ask every call of the detected and of the true scene as well"
    )
    parser.add_argument(
        "--dask", metavar="ADDRESS", help="work on a Dask scheduler; local: on processes of this machine"
    )
    parser.add_argument(
        "--scenes", type=Path, metavar="DIR", help="keep what is detected there, and use what is kept already"
    )
    parser.add_argument("--diagram", type=Path, metavar="OUT.png", help="with --calls: draw the reliability diagram")


def run(args: argparse.Namespace) -> int:
    """Prints one line a picture, then the figures per camera angle, with and without a camera file, and over all."""
    if not args.folder.is_dir():
        raise InputError("no folder", str(args.folder), "expected a folder of pictures with truth files")
    truths = sorted(args.folder.glob("*.truth.json"))
    if not truths:
        raise InputError("nothing to evaluate", str(args.folder), "expected NAME.truth.json beside NAME.jpg")
    trials = []
    for trial in _trials(truths, Asked(args.calls, args.scenes), args.dask):
        trials.append(trial)
        print(_picture_line(trial), flush=True)
    print()
    print(_HEADER)
    for low, high in CLASSES:
        chosen = [trial for trial in trials if low <= trial.tilt_deg < high]
        print(_line(f"tilt {low:.0f}-{high:.0f} deg", chosen))
    print(_line("camera file", [trial for trial in trials if trial.has_lens]))
    print(_line("no camera file", [trial for trial in trials if not trial.has_lens]))
    print(_line("all", trials))
    if args.calls:
        calls = CallTally([call for trial in trials for call in trial.calls])
        print()
        for line in calls.lines():
            print(line)
        if args.diagram is not None:
            draw_reliability(list(calls.reliability()), args.diagram)
    return 0


def _trials(truths: Sequence[Path], asked: Asked, dask: str | None) -> Iterator[Trial]:
    """Every picture's trial in order, here or, with the address of a scheduler (`local`: processes here), on Dask."""
    if dask is None:
        yield from (_try(path, asked) for path in truths)
        return
    try:
        from assistant.batch.run import on_cluster
    except ImportError as error:
        hint = "install them with: pip install 'pinpoint-referee[hall]'"
        raise InputError("no Dask", "--dask", f"packages are missing ({error.name}); {hint}") from None
    jobs = [(path.resolve(), asked) for path in truths]
    yield from on_cluster(_try_one, jobs, None if dask == "local" else dask, os.cpu_count() or 1)


def _try_one(job: tuple[Path, Asked]) -> Trial:
    return _try(*job)


def _try(truth_path: Path, asked: Asked) -> Trial:
    """One picture as a player would detect it: with its camera file and roster where there are any."""
    truth = read_truth(truth_path)
    stem = truth_path.name.removesuffix(".truth.json")
    has_lens = truth_path.with_name(stem + ".camera.json").exists()
    tilt_deg = float(truth.get("camera_tilt_deg", math.nan))
    start = time.perf_counter()
    try:
        found = detection_of(truth_path, truth, asked.kept)
        result = score(found.sighting, truth)
    except InputError as error:
        return Trial(stem, tilt_deg, has_lens, time.perf_counter() - start, None, str(error))
    calls: tuple[Call, ...] = ()
    if asked.calls:
        true = scene_from_json(truth)
        setting = TableSetting(game_of(truth.get("game", "")), true.players, roster_of(truth, truth_path))
        calls = tuple(calls_of(setting.game, scene_of(found.sighting, found.view, setting), true))
    return Trial(stem, tilt_deg, has_lens, found.seconds, result, "", calls)


def detection_of(truth_path: Path, truth: Any, kept: Path | None = None) -> Detection:
    """What is detected in a picture; where detections are kept, the one that is there."""
    stem = truth_path.name.removesuffix(".truth.json")
    path = None if kept is None else detection_path(kept, stem)
    if path is not None and path.exists():
        return read_detection(path)
    pictures = [truth_path.with_name(stem + suffix) for suffix in SUFFIXES]
    picture_path = next((picture for picture in pictures if picture.exists()), pictures[0])
    camera = truth_path.with_name(stem + ".camera.json")
    table_mm = (float(truth["table"]["width_mm"]), float(truth["table"]["depth_mm"]))
    pieces = pieces_of(game_of(truth.get("game", "")), roster_of(truth, truth_path), ())
    picture = read_picture(picture_path)
    start = time.perf_counter()
    view = measure_table(picture, str(picture_path), table_mm, camera if camera.exists() else None)
    sighting = look(Frame(picture, 0, 0.0), view, pieces)
    found = Detection(sighting, view, time.perf_counter() - start)
    if path is not None:
        write_detection(path, found)
    return found


def read_truth(path: Path) -> Any:
    """A truth file's content, refused where it is none."""
    truth = read_json(path, "unreadable truth")
    if not isinstance(truth, dict) or not isinstance(truth.get("table"), dict) or "pieces" not in truth:
        raise InputError("wrong truth", str(path), "expected a scene with table, pieces and above")
    return truth


def roster_of(truth: Any, path: Path) -> Roster | None:
    """The roster that a truth file names, beside it."""
    name = truth.get("roster")
    return read_roster(path.parent / name) if isinstance(name, str) else None


def _picture_line(trial: Trial) -> str:
    if trial.score is None:
        return f"{trial.name:16} failed: {trial.failure}"
    one = tally([trial.score])
    parts = [
        f"{trial.name:16} tilt {trial.tilt_deg:4.1f}",
        f"found {trial.score.found}/{trial.score.expected}",
        f"gap {one.gap_median_mm:.2f}/{one.gap_p95_mm:.2f} mm",
        f"above {one.above_f1:.3f}",
        f"{trial.seconds:.2f} s",
    ]
    if trial.score.missed:
        parts.append("missed " + " ".join(trial.score.missed))
    if trial.score.invented:
        parts.append("invented " + " ".join(trial.score.invented))
    return "  ".join(parts)


_HEADER = (
    f"{'':16} {'pictures':>8} {'failed':>6} {'recall':>7} {'precis.':>7} {'gap med':>8} {'gap p95':>8} "
    f"{'above F1':>8} {'size ok':>7} {'named ok':>8} {'named':>6} {'(e/s)^2':>8} {'time':>7}"
)


def _line(title: str, trials: Sequence[Trial]) -> str:
    scores = [trial.score for trial in trials if trial.score is not None]
    figures = tally(scores)
    right = sum(one.faces_right for one in scores)
    wrong = sum(one.faces_wrong for one in scores)
    expected = sum(one.faces_expected for one in scores)
    times = sorted(trial.seconds for trial in trials)
    middle = times[len(times) // 2] if times else math.nan
    cells = [
        f"{title:16} {len(trials):8d} {len(trials) - len(scores):6d} {figures.recall:7.3f} {figures.precision:7.3f}",
        f"{figures.gap_median_mm:5.2f} mm {figures.gap_p95_mm:5.2f} mm {figures.above_f1:8.3f}",
        f"{figures.size_right:7.3f} {_share(right, right + wrong):8.3f} {_share(right, expected):6.3f}",
        f"{figures.squared_sigma:8.2f} {middle:5.2f} s",
    ]
    return " ".join(cells)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
