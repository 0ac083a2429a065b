"""A PostgreSQL server in a folder of its own, for load tests and tests: Debian's binaries, nothing of the system's."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import psycopg

_USER = "hall"


class PostgresServer:
    """One server on a free port of this machine, from `start` to `stop`."""

    def __init__(self, durable: bool = True) -> None:
        """`durable` waits for the disk at every commit, as a server in use does."""
        self._folder = Path(tempfile.mkdtemp(prefix="pinpoint-postgres-"))
        self._folder.chmod(0o755)
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self._folder, user.pw_uid, user.pw_gid)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])
        self._data = self._folder / "data"
        self._durable = durable

    def start(self) -> None:
        """Makes the server's folder and returns when it takes connections."""
        self._run("initdb", "-D", str(self._data), "-A", "trust", "-U", _USER, "-N")
        self._start()

    def restart(self) -> None:
        """Ends it as a crash would, without a checkpoint, and starts it again."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")
        self._start()

    def stop(self) -> None:
        """Ends it and removes its folder."""
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def create(self, name: str) -> str:
        """The address of a new empty database."""
        with psycopg.connect(f"postgresql://{_USER}@127.0.0.1:{self._port}/postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return f"postgresql+psycopg://{_USER}@127.0.0.1:{self._port}/{name}"

    def cpu_s(self) -> float:
        """Processor seconds of the server's processes that live now and of those that have ended."""
        ticks = os.sysconf("SC_CLK_TCK")
        parent = int((self._data / "postmaster.pid").read_text().splitlines()[0])
        total = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                total += int(fields[11]) + int(fields[12])
            elif int(stat.parent.name) == parent:
                total += sum(int(field) for field in fields[11:15])
        return total / ticks

    def _start(self) -> None:
        options = f"-p {self._port} -k {self._folder} -c listen_addresses=127.0.0.1"
        if not self._durable:
            options += " -c fsync=off"
        self._run("pg_ctl", "-D", str(self._data), "-o", options, "-w", "start")

    def _run(self, command: str, *arguments: str) -> None:
        """PostgreSQL refuses to run as root: there its own user starts it."""
        as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        words = [*as_user, str(_binaries() / command), *arguments]
        subprocess.run(words, check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(shutil.which("initdb") or "")]
    if found[-1].name != "initdb":
        raise FileNotFoundError("PostgreSQL is missing: apt-get install postgresql")
    return found[-1].parent
