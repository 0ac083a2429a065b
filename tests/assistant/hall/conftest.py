"""A real PostgreSQL in a folder of its own, and databases for every test."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.hall.store import Store


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(shutil.which("initdb") or "")]
    assert found[-1].name == "initdb", "PostgreSQL is missing: apt-get install postgresql"
    return found[-1].parent


def _as_user() -> list[str]:
    """PostgreSQL refuses to run as root: there its own user starts it."""
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server that lives as long as the tests."""
    folder = Path("/tmp") / f"pinpoint-postgres-{os.getpid()}"
    folder.mkdir(mode=0o755)
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data, binaries = folder / "data", _binaries()
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    try:
        subprocess.run([*_as_user(), binaries / "initdb", "-D", data, "-A", "trust", "-U", "hall", "-N"], **quiet)  # type: ignore[call-overload]
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        subprocess.run([*_as_user(), binaries / "pg_ctl", "-D", data, "-o", options, "-w", "start"], **quiet)  # type: ignore[call-overload]
        yield f"postgresql+psycopg://hall@127.0.0.1:{port}"
    finally:
        subprocess.run(
            [*_as_user(), binaries / "pg_ctl", "-D", data, "-m", "immediate", "stop"],
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
        )
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: the embedded default, and PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hall.db'}"
    server: str = request.getfixturevalue("postgres")
    name = f"test_{time.monotonic_ns()}"
    import psycopg

    with psycopg.connect(server.replace("+psycopg", "") + "/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    """The hall's store on either database."""
    made = Store(database)
    yield made
    made.close()
