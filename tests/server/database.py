"""A real PostgreSQL in a temporary folder, started by the tests that want one."""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import psycopg
import pytest
from client import PATIENCE, free_port

USER = "qwixx"
# Small and quick to make; moves are on disk all the same when they are acknowledged.
INITDB = ["--no-sync", "--wal-segsize=1", "-E", "UTF8", "--locale=C", "-A", "trust", "-U", USER]
NUMBERS = itertools.count()
# It ends when the tests do, however they end.
WITH_US = ["setpriv", "--pdeathsig", "QUIT"] if shutil.which("setpriv") else []


@cache
def programs() -> Path | None:
    """Where Debian, or the search path, has the programs of the newest PostgreSQL."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=_version)
    on_path = shutil.which("postgres")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def _version(path: Path) -> float:
    return float(path.parts[-3])


def need_postgres() -> Path:
    """Skips, and says why, where there is none."""
    found = programs()
    if found is None:
        pytest.skip(
            "PostgreSQL is not installed here, and could not be (apt-get install postgresql)"
        )
    return found


class Postgres:
    """It can be stopped, killed and started again, on the same port."""

    def __init__(self, *settings: str) -> None:
        self.programs = need_postgres()
        self.settings = settings or ("max_locks_per_transaction=512",)
        self.folder = Path(tempfile.mkdtemp(prefix="qwixx-postgres-"))
        self.port = free_port()
        self.who: int | None = None
        if os.getuid() == 0:  # it refuses to run for root
            self.who = pwd.getpwnam("postgres").pw_uid
            os.chown(self.folder, self.who, -1)
        self.data = self.folder / "data"
        made: list[str | Path] = [self.programs / "initdb", *INITDB, "-D", self.data]
        subprocess.run(made, check=True, capture_output=True, user=self.who)
        self.start()

    def start(self) -> None:
        settings = [
            f"port={self.port}",
            "listen_addresses=127.0.0.1",
            f"unix_socket_directories={self.folder}",
            *self.settings,
        ]
        words = [word for setting in settings for word in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*WITH_US, self.programs / "postgres", "-D", self.data, *words],
                stdout=log,
                stderr=log,
                user=self.who,
                start_new_session=True,
            )
        deadline = time.monotonic() + PATIENCE
        while True:
            with suppress(psycopg.OperationalError):
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
                return
            assert self.process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < deadline, "PostgreSQL does not start"
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: at once, but in order; SIGQUIT: as if the machine had failed."""
        self.process.send_signal(how)
        self.process.wait(PATIENCE)

    def url(self, name: str) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{name}"

    def new_database(self) -> str:
        """The address of an empty one."""
        name = f"tables_{next(NUMBERS)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as line:
            line.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def end(self) -> None:
        with suppress(ProcessLookupError):
            self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def own_postgres(*settings: str) -> Iterator[Postgres]:
    """One that a test may hurt."""
    postgres = Postgres(*settings)
    try:
        yield postgres
    finally:
        postgres.end()
