"""A real PostgreSQL in a folder of its own, and databases for every test."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.hall.store import Store
from benchmarks.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server that lives as long as the tests."""
    server = PostgresServer(durable=False)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: the embedded default, and PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hall.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.create(f"test_{time.monotonic_ns()}")


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    """The hall's store on either database."""
    made = Store(database)
    yield made
    made.close()
