"""An answer is read once for all who ask at the same time, and anew when something has changed."""

from __future__ import annotations

import asyncio

from assistant.hall.cached import Cached


def test_many_pages_cost_one_reading() -> None:
    readings: list[int] = []

    async def read() -> str:
        await asyncio.sleep(0.01)
        readings.append(1)
        return str(len(readings))

    async def pages() -> list[str]:
        cached = Cached(read, 60.0)
        first = await asyncio.gather(*(cached.text() for _ in range(50)))
        cached.forget()
        return [*first, await cached.text()]

    assert asyncio.run(pages()) == ["1"] * 50 + ["2"]
