"""Films and logs judged again on a real cluster of two processes, with a worker killed on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assistant.batch import run as batch_run
from assistant.batch.work import Job, event_row
from assistant.cli.main import main
from assistant.log.game_log import GameLog
from tests.assistant.hall.running import write_game

GAME = Path(__file__).parents[3] / "sample_images" / "game"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Two logs and a film that is none."""
    folder = tmp_path / "archive"
    folder.mkdir()
    for number in range(2):
        write_game(folder / f"log-{number}.pinpoint", 12, number).close()
    (folder / "broken.mp4").write_bytes(b"not a film")
    return folder


def four_films(folder: Path) -> list[Path]:
    """Short films of pictures: a settled table, a hand, and the table after something happened."""
    made = []
    for number in range(4):
        film = folder / f"film-{number}"
        film.mkdir()
        for picture in sorted(GAME.glob("*.jpg"))[3 * number : 3 * number + 5]:
            shutil.copy(picture, film)
        shutil.copy(GAME / "camera.json", film)
        made.append(film)
    return made


def test_four_films_give_what_watching_each_alone_gives_though_a_worker_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    films = four_films(tmp_path)
    watched = []
    for film in films:
        log = film.with_suffix(".pinpoint")
        camera = str(film / "camera.json")
        assert main(["watch", str(film), "--log", str(log), "--camera", camera, "--clips", "off"]) == 0
        with GameLog(log) as written:
            watched.append([event_row(str(film), logged.event) for logged in written.events()])
    clusters = []
    made = batch_run._client.__enter__

    def kept(self: batch_run._client) -> object:
        client = made(self)
        clusters.append(self._cluster)
        return client

    monkeypatch.setattr(batch_run._client, "__enter__", kept)
    killed: list[int] = []

    def kill_one(progress: batch_run.Progress) -> None:
        if not killed:  # the first film is done, the others are under way
            busy = {worker for worker, tasks in clusters[0].scheduler.workers.items() if tasks.processing}
            victim = next(worker.pid for worker in clusters[0].workers.values() if worker.worker_address in busy)
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)
        assert progress.every == 4

    jobs = [Job(str(film), "diskwars") for film in films]
    outcomes = list(batch_run.rejudge_all(jobs, tmp_path / "out", None, 2, kill_one))
    assert killed
    assert [outcome["error"] for outcome in outcomes] == ["", "", "", ""]
    assert json.loads(json.dumps([outcome["events"] for outcome in outcomes])) == json.loads(json.dumps(watched))
    assert sum(len(events) for events in watched) >= 4  # something happens in each


def test_the_command_writes_its_files_and_goes_on_where_it_was_stopped(
    sources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert main(["rejudge", str(sources), "-o", str(out), "--workers", "2"]) == 0
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["films"], summary["failed"]) == (3, 1)
    for name in ("events", "close_calls", "differences"):
        table = pq.read_table(out / f"{name}.parquet")
        assert table.num_rows == summary[name] == len((out / f"{name}.csv").read_text().splitlines()) - 1
    assert "broken.mp4" in (out / "summary.html").read_text()
    assert "about" in capsys.readouterr().err  # the remaining time
    next((out / "done").iterdir()).unlink()  # a run that was stopped before its last source
    assert main(["rejudge", str(sources), "-o", str(out), "--workers", "1"]) == 0
    assert json.loads((out / "summary.json").read_text()) == summary
    said = capsys.readouterr()
    assert "3 sources, 1 failed" in said.out
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["2 of 3", "3 of 3"]
    monkeypatch.setattr(batch_run, "_client", None)  # nothing is left to be done
    assert main(["rejudge", str(sources), "-o", str(out)]) == 0


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rejudge", str(tmp_path / "nothing"), "-o", str(tmp_path)]) == 2
    assert main(["rejudge", str(tmp_path), "-o", str(tmp_path), "--readings", "nonsense=1"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
