"""Tables report to a hall that dies and comes back: every entry arrives once and in order, answers reach the table."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.hall.outbox import Outbox
from assistant.hall.store import Store
from assistant.hall.talking import checked_hall
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from benchmarks.postgres_server import PostgresServer
from calibration.errors import InputError
from tests.assistant.evidence.played import write_game as write_moved_game
from tests.assistant.hall.running import KEYS, QUICK, reporter, running, write_game
from tests.assistant.log.pretend import moments


def wait_for(done: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def expected_events(path: Path) -> list[tuple[float, str]]:
    with GameLog(path) as log:
        return [(logged.event.t_s, logged.event.type) for logged in log.events()]


def arrived_events(store: Store, name: str = "A") -> list[tuple[float, str]]:
    return [(row["body"]["t"], row["body"]["type"]) for row in store.events(name, 0, 100_000)]


def everything(path: Path) -> int:
    with GameLog(path) as log:
        return len(log.appended(0, 1_000_000))


def test_every_entry_arrives_once_under_a_hundred_random_kills(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.pinpoint"
    log = write_game(path, 140)
    count = everything(path)
    kills = 0
    with running(store, faults=60) as (url, faulty):
        while store.last_seq("A") < count:  # the table's side is killed too: its thread is left alone mid-way
            sender, _ = reporter(path, url)
            sender.start()
            time.sleep(0.08)
            sender._ending.set()
            kills += 1
            assert kills < 400
    assert kills + faulty.before + faulty.after >= 60
    log.close()
    assert store.counts()["A"] == count
    assert arrived_events(store) == expected_events(path)


def test_every_entry_arrives_once_while_postgres_is_restarted(postgres: PostgresServer, tmp_path: Path) -> None:
    path = tmp_path / "a.pinpoint"
    log = write_game(path, 10)
    store = Store(postgres.create(f"restarted_{time.monotonic_ns()}"))
    with running(store) as (url, _):
        sender, _ = reporter(path, url)
        sender.start()
        for entry in moments("diskwars", 60, 2):
            log.append(entry)
            if int(entry.t_s) % 5 == 0:
                postgres.restart()
            time.sleep(0.01)
        wait_for(lambda: not sender.trouble and store.last_seq("A") == everything(path))
        sender.stop()
    log.close()
    assert arrived_events(store) == expected_events(path)
    store.close()


def test_a_table_plays_one_game_after_another(store: Store, tmp_path: Path) -> None:
    paths = [tmp_path / "first.pinpoint", tmp_path / "second.pinpoint"]
    write_game(paths[0], 12, 1).close()
    second = LogWriter.create(paths[1], Settings(game="diskwars", readings={"round": "2"}))
    for entry in moments("diskwars", 9, 2):
        second.append(entry)
    second.close()
    with running(store) as (url, _):
        for path in (*paths, paths[0]):  # and the first is opened once more
            sender, _ = reporter(path, url)
            sender.start()
            sender.stop(60.0)
    assert store.counts()["A"] == sum(everything(path) for path in paths)
    assert arrived_events(store) == [event for path in paths for event in expected_events(path)]


def test_judges_see_move_card_and_zoom_of_a_violation(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.pinpoint"
    write_moved_game(path, 170.0).close()
    with running(store) as (url, _):
        sender, _ = reporter(path, url)
        sender.start()
        wait_for(lambda: bool(store.queue()) and bool(store.queue()[0]["evidence_done"]), 120.0)
        sender.stop()
    (question,) = store.queue()
    assert question["files"] == ["card.png", "gap.png", "picture.jpg"]
    for file in ("card.png", "gap.png"):
        content = store.evidence("A", question["seq"], file)
        assert content is not None and content.startswith(b"\x89PNG")


def test_two_tables_report_at_once_and_new_moments_follow(store: Store, tmp_path: Path) -> None:
    logs = {name: write_game(tmp_path / f"{name}.pinpoint", 20, seed) for seed, name in enumerate(("A", "B"))}
    with running(store) as (url, _):
        senders = [reporter(tmp_path / f"{name}.pinpoint", url, name)[0] for name in logs]
        for sender in senders:
            sender.start()
        wait_for(lambda: all(store.last_seq(name) == everything(tmp_path / f"{name}.pinpoint") for name in logs))
        for entry_log in logs.values():
            entry_log.close()
        for sender in senders:
            sender.stop()
    assert all(arrived_events(store, name) == expected_events(tmp_path / f"{name}.pinpoint") for name in logs)


def test_a_judges_answer_arrives_at_the_table(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.pinpoint"
    write_game(path, 120).close()
    with running(store) as (url, _):
        sender, table = reporter(path, url)
        sender.start()
        wait_for(lambda: bool(store.queue()))
        waiting = store.queue()[0]
        body = json.dumps({"answer": "put it back", "by": "Ann"}).encode()
        headers = {"Authorization": f"Bearer {KEYS['judge']}"}
        request = urllib.request.Request(f"{url}/api/v1/queue/{waiting['id']}/answer", body, headers)
        assert urllib.request.urlopen(request, timeout=5).status == 200
        wait_for(lambda: bool(table.notes))
        time.sleep(0.3)  # the hall sends it again until the log has it; the table says it once
        sender.stop()
    assert table.notes == ["the judge says: put it back"]


def test_a_wrong_key_sends_nothing_and_says_so(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.pinpoint"
    write_game(path, 3).close()
    with running(store) as (url, _):
        sender, _ = reporter(path, url, key="wrong")
        sender.start()
        wait_for(lambda: "401" in sender.trouble or "403" in sender.trouble)
        sender.stop()
    assert store.tables() == []
    assert "wrong" not in sender.trouble


def test_the_numbers_of_a_log_are_the_same_whenever_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pinpoint"
    log = write_game(path, 15)
    box = Outbox(path, QUICK)
    first = box.after(0)
    log.close()
    assert [entry.seq for entry in first] == list(range(1, len(first) + 1))
    assert [(e.seq, e.body) for e in box.after(0)] == [(e.seq, e.body) for e in first]
    assert [entry.seq for entry in box.after(3)][:2] == [4, 5]
    assert box.after(10_000) == []


@pytest.mark.parametrize("path", ["/judge", "/api/v1/queue/1/answer", "/api/v1/tables/A/last"])
def test_roles_are_kept_apart(store: Store, path: str) -> None:
    with running(store) as (url, _), pytest.raises(urllib.error.HTTPError) as refused:
        posting = path.endswith("answer")
        request = urllib.request.Request(url + path, b"{}" if posting else None)
        request.add_header("Authorization", f"Bearer {KEYS['spectator']}")
        urllib.request.urlopen(request, timeout=5)
    assert refused.value.code == 403
    assert "error" in json.load(refused.value)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://user:secret@host:1"])
def test_a_wrong_hall_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(InputError) as refused:
        checked_hall(url, "A", QUICK)
    assert "secret" not in str(refused.value)
