"""Reports of many tables into few transactions: what arrives while one is written goes into the next together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from assistant.hall.values import Receipt, Report

Take = Callable[[Sequence[Report]], list[Receipt]]
_Waiting = tuple[Report, "asyncio.Future[Receipt]"]


class Inbox:
    """Writes reports one group at a time; lives in the server's event loop."""

    def __init__(self, take: Take, group_reports: int) -> None:
        self._take, self._most = take, group_reports
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "hall writer")

    async def take(self, report: Report) -> Receipt:
        """The receipt once the report is in the database; SQLAlchemyError where it is not."""
        done: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._waiting.append((report, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write())
        return await done

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            await self._write_group(group)

    async def _write_group(self, group: Sequence[_Waiting]) -> None:
        reports = [report for report, _ in group]
        try:
            receipts = await asyncio.get_running_loop().run_in_executor(self._thread, self._take, reports)
        except Exception as error:
            if len(group) > 1 and _is_wrong(error):  # one of them cannot be written: the others are
                for one in group:
                    await self._write_group([one])
                return
            for _, done in group:
                if not done.done():
                    done.set_exception(error)
            return
        for (_, done), receipt in zip(group, receipts, strict=True):
            if not done.done():  # the table may have hung up
                done.set_result(receipt)


def _is_wrong(error: Exception) -> bool:
    """Whether what was to be written is wrong, as opposed to the database being away."""
    unsent = isinstance(error, StatementError) and not isinstance(error, DBAPIError)
    return unsent or isinstance(error, DataError | IntegrityError | ValueError)
