"""Clips: the film in memory is bounded, cuts are whole H.264, hashes are in the log, nothing is fatal."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from assistant.cli.main import main
from assistant.evidence import event_clip, logged_event
from assistant.evidence.clip_pictures import clip_frames, strip_of
from assistant.evidence.film_ring import FilmRing
from assistant.evidence.options import RecordingOptions
from assistant.evidence.recording import Recorder
from assistant.log.clip_files import clip_folder, look_for, sha256_of
from assistant.log.errors import LogError
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.verifying import verify
from assistant.log.writer import LogWriter
from assistant.rules.ruling import Ruling, Verdict
from assistant.session import Moment
from tests.assistant.evidence.filmed import FPS, Filmed, event, frame, referee_of
from tests.assistant.log.killing import ROOT
from tests.assistant.log.test_survival import full_disk
from vision.camera.live import Outage, SourceItem


def _film(
    path: Path,
    happens: dict[int, list[Event]],
    options: RecordingOptions,
    frames: int = 200,
    rulings: dict[int, list[Ruling]] | None = None,
) -> LogWriter:
    log = LogWriter.create(path, Settings("diskwars"))
    referee = referee_of(log, Filmed(happens, rulings))
    Recorder(referee, log, options, waits=True)
    for index in range(frames):
        referee.update(frame(index))
    referee.close()
    return log


def _shades(path: Path) -> list[int]:
    return [round(float(np.median(bgr[70:, :]))) - 40 for _, bgr in clip_frames(path)]


def test_a_clip_runs_from_before_the_hands_to_after_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    _film(path, {120: [event(120, "violation", from_frame=105)]}, RecordingOptions("important"))
    with GameLog(path) as log:
        clip = event_clip(log, logged_event(log, 1))
        strip = event_clip(log, logged_event(log, 1), ".jpg")
    assert clip is not None and strip is not None and (clip.state, strip.state) == ("whole", "whole")
    first, last = 105 / FPS - 5.0, 120 / FPS + 2.0
    assert first - 1.5 <= clip.record.start_s <= first and clip.record.end_s == pytest.approx(last, abs=0.3)
    shades = _shades(clip.path)
    assert shades[0] == pytest.approx(clip.record.start_s * FPS, abs=2) and shades[-1] == pytest.approx(150, abs=6)
    assert np.diff(shades).max() <= 6, "four pictures a second of a table at rest, none left out"
    with av.open(str(clip.path)) as film:
        stream = film.streams.video[0]
        assert stream.codec_context.name == "h264" and stream.pix_fmt == "yuv420p"
        assert float((stream.duration or 0) * (stream.time_base or 0)) == pytest.approx(
            clip.record.end_s - clip.record.start_s + 4 / FPS, abs=0.02
        )
    assert clip.record.sha256 == sha256_of(clip.path)
    assert strip_of(clip.path).shape[1] > 1000
    assert verify(path).unchanged


def test_the_film_has_more_pictures_while_something_moves(tmp_path: Path) -> None:
    class Stirred(Filmed):
        def update(self, item: SourceItem) -> Moment:
            moment = super().update(item)
            return replace(moment, settled=not 60 <= moment.frame_index < 90)

    log = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    referee = referee_of(log, Stirred({90: [event(90, "bumped", from_frame=60)]}))
    Recorder(referee, log, RecordingOptions(), waits=True)
    for index in range(130):
        referee.update(frame(index))
    referee.close()
    shades = _shades(clip_folder(tmp_path / "g.pinpoint") / "000006000-bumped.mp4")
    moving = [shade for shade in shades if 62 <= shade <= 100]
    resting = [shade for shade in shades if 10 <= shade <= 55]
    assert np.diff(moving).max() <= 3 and len(moving) > 25
    assert 8 <= len(resting) <= 14


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [("off", []), ("important", ["bumped", "moved"]), ("all", ["appeared", "bumped", "moved"])],
)
def test_what_is_kept_is_a_setting(tmp_path: Path, mode: str, kinds: list[str]) -> None:
    close = Ruling("range", Verdict.TOO_CLOSE, "close.", "DW-40", ("a", "b"), margin_mm=0.1, certainty=0.7)
    happens = {40: [event(40, "appeared")], 80: [event(80, "bumped")], 120: [event(120, "moved")]}
    options = RecordingOptions(mode)  # type: ignore[arg-type]
    _film(tmp_path / "g.pinpoint", happens, options, rulings={120: [close]})
    with GameLog(tmp_path / "g.pinpoint") as log:
        films = [record.name for record in log.clips() if record.name.endswith(".mp4")]
    assert sorted(name.split("-")[1].removesuffix(".mp4") for name in films) == kinds
    assert clip_folder(tmp_path / "g.pinpoint").exists() == bool(kinds)


def test_a_clip_can_be_asked_for(tmp_path: Path) -> None:
    log = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    referee = referee_of(log, Filmed({60: [event(60, "moved")]}))
    recorder = Recorder(referee, log, RecordingOptions(), waits=True)
    for index in range(100):
        referee.update(frame(index))
    assert recorder.keep(event(60, "moved"))
    assert not recorder.keep(Event(-50.0, 0, "moved", {})), "the film does not reach back to it"
    referee.close()
    with GameLog(tmp_path / "g.pinpoint") as read:
        (clip,) = [clip for clip in look_for(read.path, read.clips()) if clip.path.suffix == ".mp4"]
    assert clip.state == "whole" and clip.record.name == "000004000-moved.mp4"


def test_the_film_in_memory_is_bounded_in_time_and_bytes() -> None:
    ring = FilmRing(RecordingOptions(keep_s=3.0))
    for index in range(150):
        ring.add(frame(index).bgr, index / FPS, index)
        assert ring.held_s <= 3.0 + 1.0 + 2 / FPS
    assert ring.held_s >= 3.0
    noise = np.random.default_rng(1)
    small = FilmRing(RecordingOptions(keep_s=30.0, keep_mb=0.2))
    for index in range(90):
        small.add(noise.integers(0, 255, (96, 160, 3), dtype=np.uint8), index / FPS, index)
    assert small.held_bytes <= 0.2e6 + 0.5e6 and small.held_s < 5.0


def test_pictures_of_another_size_begin_a_new_film(tmp_path: Path) -> None:
    ring = FilmRing()
    for index in range(40):
        bgr = frame(index).bgr if index < 20 else np.zeros((101, 203, 3), np.uint8)
        ring.add(bgr, index / FPS, index)
    cut = ring.cut(0.0, 10.0, tmp_path / "a.mp4")
    assert cut is not None and cut.frames == 20 and cut.start_s == pytest.approx(20 / FPS)
    assert {bgr.shape for _, bgr in clip_frames(tmp_path / "a.mp4")} == {(100, 202, 3)}
    assert FilmRing().cut(0.0, 1.0, tmp_path / "b.mp4") is None and not (tmp_path / "b.mp4").exists()


def test_clips_of_a_resumed_game_belong_to_their_events(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    happens = {40: [event(40, "bumped")]}
    _film(path, happens, RecordingOptions(after_s=0.5), frames=60)
    log = LogWriter(path)
    referee = referee_of(log, Filmed(happens))
    Recorder(referee, log, RecordingOptions(after_s=0.5), waits=True)
    for index in range(60):
        referee.update(frame(index))
    referee.close()
    with GameLog(path) as read:
        first, second = (event_clip(read, logged) for logged in read.events())
    assert first is not None and second is not None and first.path != second.path
    assert (first.state, second.state) == ("whole", "whole")
    assert second.record.start_s == pytest.approx(first.record.start_s + 40 / FPS, abs=0.3)


def test_an_outage_ends_the_clips_that_wait(tmp_path: Path) -> None:
    class Dying(Filmed):
        def update(self, item):  # type: ignore[no-untyped-def]
            return super().update(frame(61)) if isinstance(item, Outage) else super().update(item)

    log = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    referee = referee_of(log, Dying({60: [event(60, "bumped")]}))
    Recorder(referee, log, RecordingOptions(), waits=True)
    for index in range(61):
        referee.update(frame(index))
    referee.update(Outage(5.0, "gone"))
    clip = clip_folder(tmp_path / "g.pinpoint") / "000004000-bumped.mp4"
    until = time.monotonic() + 20
    while not clip.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert clip.exists()
    referee.close()


def test_the_budget_gives_up_plain_clips_first(tmp_path: Path) -> None:
    happens = {
        40: [event(40, "bumped")],
        70: [event(70, "moved")],
        100: [event(100, "moved")],
        130: [event(130, "violation")],
    }
    probe = tmp_path / "probe.pinpoint"
    _film(probe, happens, RecordingOptions("all", after_s=0.5, before_s=1.0))
    size = sum(file.stat().st_size for file in clip_folder(probe).iterdir())
    path = tmp_path / "g.pinpoint"
    _film(path, happens, RecordingOptions("all", after_s=0.5, before_s=1.0, budget_mb=0.6 * size / 1e6))
    with GameLog(path) as log:
        states = {clip.record.name: clip for clip in look_for(path, log.clips())}
        assert states["000002667-bumped.mp4"].state == states["000008667-violation.mp4"].state == "whole"
        assert states["000004667-moved.mp4"].state == "missing" and "budget" in states["000004667-moved.mp4"].why
        given_up = event_clip(log, logged_event(log, 2))
        assert given_up is not None and "budget" in given_up.why, "the event still knows of its clip"
    assert sum(file.stat().st_size for file in clip_folder(path).iterdir()) <= 0.6 * size
    assert verify(path).unchanged


def test_a_full_disk_costs_the_clip_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    log = LogWriter.create(path, Settings("diskwars"))
    referee = referee_of(log, Filmed({40: [event(40, "bumped")]}))
    Recorder(referee, log, RecordingOptions(after_s=0.2), waits=True)
    clip_folder(path).write_text("a file where the folder should be")
    for index in range(80):
        referee.update(frame(index))
    referee.close()
    with GameLog(path) as read:
        (clip,) = look_for(path, read.clips())
        assert clip.state == "missing" and clip.record.status == "given up" and clip.why
        assert sum(1 for _ in read.events()) == 1
    with full_disk(2_000), pytest.raises((OSError, av.FFmpegError)):
        ring = FilmRing()
        for index in range(30):
            ring.add(frame(index).bgr, index / FPS, index)
        ring.cut(0.0, 2.0, tmp_path / "cut.mp4")
    assert not [file for file in tmp_path.iterdir() if "cut" in file.name]


def test_killed_at_any_moment_clips_are_whole_or_listed_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    dice = random.Random(7)
    whole = 0
    for _ in range(3):
        command = [sys.executable, "-m", "tests.assistant.evidence.filmed", str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(dice.randint(60, 200)):
                process.stdout.readline()
            time.sleep(dice.uniform(0, 0.05))
            process.kill()
            process.stdout.read()
        verdict = verify(path)
        assert verdict.unchanged, verdict.line
        with GameLog(path) as log:
            clips = look_for(path, log.clips())
            times = {round(logged.event.t_s, 3) for logged in log.events()}
        assert {clip.state for clip in clips} <= {"whole", "missing"}
        for clip in clips:
            if clip.state == "whole" and clip.path.suffix == ".mp4":
                assert _shades(clip.path)
        whole = sum(clip.state == "whole" for clip in clips)
        assert len({round(clip.record.t_s, 3) for clip in clips}) >= len(times) - 1
    assert whole > 3


def test_a_film_that_is_none_gives_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.mp4"
    path.write_bytes(b"no film at all" * 100)
    with pytest.raises(LogError, match=r"no clip in .*x\.mp4"):
        list(clip_frames(path))


def test_wrong_room_for_clips_gives_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["watch", "0", "--log", "g.pinpoint", "--clips-mb", "none"])
    assert ended.value.code == 2 and "expected megabytes" in capsys.readouterr().err


def test_the_thread_that_judges_never_waits_for_the_film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoder that hangs costs pictures of the film, and nothing else."""
    going = threading.Event()
    monkeypatch.setattr(FilmRing, "add", lambda *_: going.wait(20))
    log = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    referee = referee_of(log, Filmed({index: [event(index, "bumped")] for index in range(10, 100, 10)}))
    recorder = Recorder(referee, log, RecordingOptions())
    start = time.monotonic()
    for index in range(100):
        referee.update(frame(index))
    assert time.monotonic() - start < 15
    assert recorder.dropped > 10
    going.set()
    referee.close()
    with GameLog(tmp_path / "g.pinpoint") as read:
        assert sum(1 for _ in read.events()) == 9
        assert {clip.state for clip in look_for(read.path, read.clips())} == {"missing"}
