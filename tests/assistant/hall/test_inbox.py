"""Reports that arrive together are written together; one that cannot be written costs the others nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from sqlalchemy.exc import DataError, OperationalError

from assistant.hall.inbox import Inbox
from assistant.hall.values import Receipt, Report


def sent(inbox: Inbox, names: Sequence[str]) -> list[Receipt | BaseException]:
    async def all_at_once() -> list[Receipt | BaseException]:
        return await asyncio.gather(*(inbox.take(Report(name)) for name in names), return_exceptions=True)

    return asyncio.run(all_at_once())


def test_what_arrives_together_is_one_group() -> None:
    groups: list[list[str]] = []

    def take(reports: Sequence[Report]) -> list[Receipt]:
        groups.append([report.name for report in reports])
        return [Receipt(len(report.name)) for report in reports]

    receipts = sent(Inbox(take, 3), ["a", "bb", "ccc", "dddd"])
    assert [receipt.last for receipt in receipts if isinstance(receipt, Receipt)] == [1, 2, 3, 4]
    assert groups == [["a", "bb", "ccc"], ["dddd"]]


def test_a_report_that_cannot_be_written_fails_alone() -> None:
    def take(reports: Sequence[Report]) -> list[Receipt]:
        if any(report.name == "bad" for report in reports):
            raise DataError("INSERT", {}, Exception("wrong value"))
        return [Receipt(1) for _ in reports]

    good, bad, other = sent(Inbox(take, 10), ["good", "bad", "other"])
    assert isinstance(good, Receipt) and isinstance(other, Receipt)
    assert isinstance(bad, DataError)


@pytest.mark.parametrize("count", [1, 5])
def test_a_database_that_is_away_is_asked_once_for_all(count: int) -> None:
    asked = []

    def take(reports: Sequence[Report]) -> list[Receipt]:
        asked.append(len(reports))
        raise OperationalError("SELECT", {}, Exception("no connection"))

    answers = sent(Inbox(take, 10), [str(number) for number in range(count)])
    assert asked == [count]
    assert all(isinstance(answer, OperationalError) for answer in answers)
