"""The hall's store, the same on SQLite and PostgreSQL: every entry once and in order, whatever is sent."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from assistant.hall.store import Entry, Store
from calibration.errors import InputError


def entries(first: int, last: int) -> list[Entry]:
    return [Entry(seq, float(seq), "event", {"type": "note", "n": seq}) for seq in range(first, last + 1)]


def numbers(store: Store, name: str = "A") -> list[int]:
    return [row["body"]["n"] for row in store.events(name, 0, 10_000)]


def test_entries_sent_twice_are_kept_once(store: Store) -> None:
    assert store.add("A", entries(1, 5), {"t": 5}) == 5
    assert store.add("A", entries(3, 8), {"t": 8}) == 8
    assert store.add("A", entries(1, 8), {"t": 8}) == 8
    assert numbers(store) == list(range(1, 9))


def test_a_gap_is_not_closed_by_what_lies_behind_it(store: Store) -> None:
    store.add("A", entries(1, 2), {})
    assert store.add("A", entries(5, 6), {"t": 6}) == 2
    assert numbers(store) == [1, 2]
    assert store.table("A") is not None
    assert store.add("A", entries(3, 6), {"t": 6}) == 6


def test_two_tables_do_not_mix(store: Store) -> None:
    store.add("A", entries(1, 3), {"t": 3})
    store.add("B", entries(1, 2), {"t": 2})
    assert [row["name"] for row in store.tables()] == ["A", "B"]
    assert store.counts() == {"A": 3, "B": 2}


def test_two_senders_of_one_table_at_once_leave_every_entry_once(store: Store) -> None:
    def send(seed: int) -> None:
        rng = random.Random(seed)
        while (last := store.last_seq("A")) < 60:
            first = max(1, last - rng.randrange(3))
            store.add("A", entries(first, min(60, first + rng.randrange(1, 9))), {})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, range(4)))
    assert numbers(store) == list(range(1, 61))


def test_a_question_is_answered_once_and_heard_by_its_table(store: Store) -> None:
    asked = Entry(1, 1.0, "event", {"type": "violation", "n": 1}, b"jpeg", "violation: too far")
    store.add("A", [asked], {})
    (waiting,) = store.queue()
    assert (waiting["kind"], waiting["text"]) == ("violation", "too far")
    assert store.picture("A", 1) == b"jpeg"
    assert store.answer(waiting["id"], "put it back", "Ann")
    assert not store.answer(waiting["id"], "again", "Bob")
    assert store.queue() == []
    (answer,) = store.answers_for("A", 0)
    assert (answer["answer"], answer["answered_by"]) == ("put it back", "Ann")
    assert store.answers_for("A", answer["id"]) == []
    assert store.answers_for("B", 0) == []


def test_pairings_and_results(store: Store) -> None:
    store.set_pairings([{"round": 1, "table_name": "A", "first": "Ann", "second": "Bob"}])
    store.set_pairings([{"round": 1, "table_name": "A", "first": "Ann", "second": "Cid"}])
    assert store.set_result(1, "A", 10, 7)
    assert not store.set_result(2, "A", 1, 1)
    (row,) = store.results()
    assert (row["second"], row["first_score"]) == ("Cid", 10)


def test_keys_are_kept_as_digests_only(store: Store) -> None:
    store.set_key("judge", "secret")
    assert store.key_digest("judge") != "secret"
    assert len(str(store.key_digest("judge"))) == 64


@pytest.mark.parametrize("url", ["nonsense", "postgresql+psycopg://u:hidden@127.0.0.1:1/x", "mysql://u:hidden@h/x"])
def test_a_database_that_cannot_be_used_is_one_line_without_its_password(url: str) -> None:
    with pytest.raises(InputError) as refused:
        Store(url)
    assert "\n" not in str(refused.value)
    assert "hidden" not in str(refused.value)
