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
from assistant.batch.work import Job, rejudge
from assistant.cli.main import main
from tests.assistant.hall.running import write_game

GAME = Path(__file__).parents[3] / "sample_images" / "game"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Two short films of pictures, two logs and a film that is none."""
    folder = tmp_path / "archive"
    folder.mkdir()
    for number, (first, last) in enumerate(((0, 5), (3, 8))):
        film = tmp_path / f"film-{number}"
        film.mkdir()
        for picture in sorted(GAME.glob("*.jpg"))[first:last]:
            shutil.copy(picture, film)
        shutil.copy(GAME / "camera.json", film)
        write_game(folder / f"log-{number}.pinpoint", 12, number).close()
    (folder / "broken.mp4").write_bytes(b"not a film")
    return folder


def test_the_results_are_those_of_each_alone_though_a_worker_is_killed(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [*sorted(sources.iterdir()), tmp_path / "film-0", tmp_path / "film-1"]
    jobs = [Job(str(path), "diskwars") for path in paths]
    alone = [rejudge(job) for job in jobs]
    killed: list[int] = []
    made = batch_run._client.__enter__

    def with_a_kill(self: batch_run._client) -> object:
        client = made(self)
        victim = next(iter(self._cluster.workers.values())).pid
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)
        return client

    monkeypatch.setattr(batch_run._client, "__enter__", with_a_kill)
    together = batch_run.rejudge_all(jobs, tmp_path / "out", None, 2, lambda *_: None)
    assert killed
    assert json.loads(json.dumps(together)) == json.loads(json.dumps(alone))
    (broken,) = [outcome for outcome in alone if outcome["error"]]
    assert broken["source"].endswith("broken.mp4")
    assert sum(len(outcome["events"]) for outcome in alone) > 12


def test_the_command_writes_its_files_and_goes_on_where_it_was_stopped(
    sources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert main(["rejudge", str(sources), "-o", str(out), "--workers", "2"]) == 0
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["films"], summary["failed"]) == (3, 1)
    table = pq.read_table(out / "events.parquet")
    assert table.num_rows == summary["events"] == len((out / "events.csv").read_text().splitlines()) - 1
    assert "broken.mp4" in (out / "summary.html").read_text()
    monkeypatch.setattr(batch_run, "_client", None)  # nothing is left to be done
    assert main(["rejudge", str(sources), "-o", str(out)]) == 0
    assert json.loads((out / "summary.json").read_text()) == summary
    assert "3 sources, 1 failed" in capsys.readouterr().out


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rejudge", str(tmp_path / "nothing"), "-o", str(tmp_path)]) == 2
    assert main(["rejudge", str(tmp_path), "-o", str(tmp_path), "--readings", "nonsense=1"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
