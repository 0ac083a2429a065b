"""The hall's store, the same on SQLite and PostgreSQL: every entry once and in order, whatever is sent."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from assistant.hall.access import HallKeys, Role
from assistant.hall.store import Store
from assistant.hall.values import ANSWER_TO, Entry, Report
from assistant.hall.writing import __file__ as writing_file
from calibration.errors import InputError


def entries(first: int, last: int) -> tuple[Entry, ...]:
    return tuple(Entry(seq, float(seq), "event", {"type": "note", "n": seq}) for seq in range(first, last + 1))


def add(store: Store, name: str, some: tuple[Entry, ...], state: dict[str, int] | None = None, log: str = "") -> int:
    (receipt,) = store.take([Report(name, log, some, state)])
    return receipt.last


def numbers(store: Store, name: str = "A") -> list[int]:
    return [row["body"]["n"] for row in store.events(name, 0, 10_000)]


def test_entries_sent_twice_are_kept_once(store: Store) -> None:
    assert add(store, "A", entries(1, 5), {"t": 5}) == 5
    assert add(store, "A", entries(3, 8), {"t": 8}) == 8
    assert add(store, "A", entries(1, 8), {"t": 8}) == 8
    assert numbers(store) == list(range(1, 9))


def test_a_gap_is_not_closed_by_what_lies_behind_it(store: Store) -> None:
    add(store, "A", entries(1, 2), {"t": 2})
    assert add(store, "A", entries(5, 6), {"t": 6}) == 2
    assert numbers(store) == [1, 2]
    assert store.tables()[0]["state"] == {"t": 2}  # a state from behind the gap would show what is not there
    assert add(store, "A", entries(3, 6), {"t": 6}) == 6
    assert store.tables()[0]["state"] == {"t": 6}


def test_many_reports_are_written_at_once_also_two_of_one_table(store: Store) -> None:
    reports = [
        Report("A", "", entries(1, 3), {"t": 3}),
        Report("B", "", entries(1, 2), {"t": 2}, {"scene": {"pieces": []}}),
        Report("A", "", entries(2, 5), {"t": 5}),
        Report("C"),
    ]
    assert [receipt.last for receipt in store.take(reports)] == [5, 2, 5, 0]
    assert [row["name"] for row in store.tables()] == ["A", "B", "C"]
    assert store.counts() == {"A": 5, "B": 2}
    assert [row["state"] for row in store.tables(["A", "B"])] == [{"t": 5}, {"t": 2}]
    assert store.tables(["B"])[0]["scene"] == {"scene": {"pieces": []}}


def test_two_senders_of_one_table_at_once_leave_every_entry_once(store: Store) -> None:
    def send(seed: int) -> None:
        rng = random.Random(seed)
        while (last := store.last_seq("A")) < 60:
            first = max(1, last - rng.randrange(3))
            add(store, "A", entries(first, min(60, first + rng.randrange(1, 9))))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, range(4)))
    assert numbers(store) == list(range(1, 61))


def test_a_table_reports_one_log_after_another_and_the_first_again(store: Store) -> None:
    first = store.begin("A", "log1")
    assert (first.last, first.base) == (0, 0)
    add(store, "A", entries(1, 3), log="log1")
    second = store.begin("A", "log2")
    assert (second.last, second.base) == (3, 3)
    add(store, "A", entries(4, 5), log="log2")
    assert add(store, "A", entries(6, 7), log="log1") == 5  # numbers of a log that is not reported now
    again = store.begin("A", "log1")
    assert (again.last, again.base) == (5, 2)  # its fourth entry is the table's sixth
    add(store, "A", entries(6, 6), log="log1")
    assert numbers(store) == [1, 2, 3, 4, 5, 6]
    assert store.begin("A", "log1") == store.begin("A", "log1")


def test_an_answer_is_sent_until_the_tables_log_has_it(store: Store) -> None:
    asked = [Entry(n, 1.0, "event", {"type": "violation", "n": n}, b"jpeg", f"violation: move {n}") for n in (1, 2)]
    (receipt,) = store.take([Report("A", "", tuple(asked))])
    assert (receipt.waiting, receipt.evidence) == (2, (1, 2))
    first, second = store.queue()
    assert (first["kind"], first["text"], first["files"]) == ("violation", "move 1", ["picture.jpg"])
    assert store.picture("A", 1) == b"jpeg"
    assert store.answer(second["id"], "put it back", "Ann")  # judges answer in any order
    assert not store.answer(second["id"], "again", "Bob")
    assert [row["id"] for row in store.queue()] == [first["id"]]
    for _ in range(2):  # as often as it takes
        (receipt,) = store.take([Report("A")])
        assert [(row["id"], row["answer"]) for row in receipt.answers] == [(second["id"], "put it back")]
    note = {"type": "note", "n": 3, "judge": True, ANSWER_TO: second["id"]}
    (receipt,) = store.take([Report("A", "", (Entry(3, 2.0, "event", note),))])
    assert (receipt.answers, receipt.waiting) == ((), 1)
    store.answer(first["id"], "allowed", "Ann")
    (receipt,) = store.take([Report("A")])
    assert [row["answer"] for row in receipt.answers] == ["allowed"]
    assert store.take([Report("B")])[0].answers == ()


def test_evidence_is_wanted_until_the_table_has_sent_all_of_it(store: Store) -> None:
    store.take([Report("A", "", (Entry(1, 1.0, "event", {"type": "violation"}, None, "violation: too far"),))])
    assert store.add_evidence("A", 1, "card.png", b"card")
    assert store.add_evidence("A", 1, "card.png", b"sent again")
    assert store.evidence("A", 1, "card.png") == b"card"
    assert store.queue()[0]["files"] == ["card.png"]
    assert store.take([Report("A")])[0].evidence == (1,)
    store.end_evidence("A", 1)
    assert store.take([Report("A")])[0].evidence == ()
    assert not store.add_evidence("A", 2, "card.png", b"nobody asked")


def test_one_table_is_on_air(store: Store) -> None:
    store.take([Report("A"), Report("B")])
    assert store.put_on_air("A")
    assert store.put_on_air("B")
    assert [receipt.on_air for receipt in store.take([Report("A"), Report("B")])] == [False, True]
    assert not store.put_on_air("nobody")


def test_pairings_and_results(store: Store) -> None:
    store.set_pairings([{"round": 1, "table_name": "A", "first": "Ann", "second": "Bob"}])
    store.set_pairings([{"round": 1, "table_name": "A", "first": "Ann", "second": "Cid"}])
    scores = {"first_score": 10.0, "second_score": 7.0}
    assert store.set_results([{"round": 1, "table_name": "A", **scores}]) == []
    other = {"round": 2, "table_name": "A", **scores}
    assert store.set_results([{"round": 1, "table_name": "A", "first_score": 1.0, "second_score": 1.0}, other]) == [
        other
    ]
    (row,) = store.results()
    assert (row["second"], row["first_score"]) == ("Cid", 10)  # none of the second ones was taken


def test_keys_of_earlier_starts_stay_valid_until_they_are_forgotten(store: Store) -> None:
    for number in range(12):
        store.add_key("judge", f"{number:064}")
    assert store.key_digests("judge") == [f"{number:064}" for number in range(4, 12)]
    store.forget_keys()
    assert store.key_digests("judge") == []


def test_a_tables_own_key_reports_for_that_table_alone() -> None:
    keys = HallKeys.of("watching", "tables", "judging")
    own = keys.key_of_table("A")
    assert (keys.role_of(own, "A"), keys.role_of(own, "B"), keys.role_of(own)) == (Role.TABLE, Role.NOBODY, Role.NOBODY)
    assert (keys.role_of("tables", "B"), keys.role_of("judging", "B")) == (Role.TABLE, Role.JUDGE)


def test_a_database_of_the_first_version_is_brought_up_to_date(database: str) -> None:
    engine = create_engine(database)
    config = Config()
    config.set_main_option("script_location", writing_file.removesuffix("writing.py") + "migrations")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO tables VALUES ('A', 2, '{\"t\": 2}', 1.0, 0)"))
        connection.execute(text("INSERT INTO entries VALUES (1, 'A', 1, 1.0, 'event', '{\"n\": 1}', 1.0)"))
    engine.dispose()
    store = Store(database)
    (receipt,) = store.take([Report("A", "", ())])
    assert (receipt.last, numbers(store)) == (2, [1])
    store.close()


@pytest.mark.parametrize("url", ["nonsense", "postgresql+psycopg://u:hidden@127.0.0.1:1/x", "mysql://u:hidden@h/x"])
def test_a_database_that_cannot_be_used_is_one_line_without_its_password(url: str) -> None:
    with pytest.raises(InputError) as refused:
        Store(url)
    assert "\n" not in str(refused.value)
    assert "hidden" not in str(refused.value)
