"""Two servers on one PostgreSQL behind HAProxy, as in `deploy/`: for its clients they are one server."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from client import GENEROUS, PATIENCE, Json, Server, free_port
from database import Postgres
from network import Network

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "haproxy.cfg"


def need_haproxy() -> str:
    """Skips, and says why, where there is none."""
    found = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip("HAProxy is not installed here, and could not be (apt-get install haproxy)")
    return found


class Logs(type(Path())):  # type: ignore[misc] # which kind of path it is depends on the machine
    """The logs of all servers in a folder, read as one."""

    def read_text(self, *_: object) -> str:
        return "".join(path.read_text() for path in sorted(Path(self).glob("errors-*.log")))


class Many(Server):
    """What clients see is HAProxy; `servers` are behind it, each with its own way to the database, if
    there are networks between."""

    def __init__(
        self, folder: Path, postgres: Postgres, *words: str, networks: Sequence[Network] = ()
    ) -> None:
        self.haproxy = need_haproxy()
        self.postgres = postgres
        self.place = postgres.new_database()
        self.networks = networks
        self.port = free_port()
        self.errors = Logs(folder)
        self.log_of_haproxy = folder / "haproxy.log"
        behind = ("--proxy", "127.0.0.1", *GENEROUS, *words)
        self.servers: list[Server] = []
        try:
            for number in range(2):
                way = networks[number].way_to(self.place) if networks else self.place
                self.servers.append(Server(folder, *behind, url=way))
            self.start()
        except BaseException:
            self.end()
            raise

    def start(self) -> None:
        a, b = (f"127.0.0.1:{server.port}" for server in self.servers)
        told = {"QWIXX_LISTEN": f"127.0.0.1:{self.port}", "QWIXX_A": a, "QWIXX_B": b}
        with self.log_of_haproxy.open("ab") as errors:
            self.process = subprocess.Popen(
                [self.haproxy, "-db", "-f", str(CONFIGURATION)],
                stdout=errors,
                stderr=errors,
                env={**os.environ, **told},
            )
        deadline = time.monotonic() + PATIENCE
        while True:
            with suppress(OSError):
                if self.get("/readyz")[0] == 200:
                    return
            assert self.process.poll() is None, self.log_of_haproxy.read_text()
            assert time.monotonic() < deadline, "HAProxy does not answer"
            time.sleep(0.05)

    def log(self, table: str) -> list[tuple[int, Json]]:
        """What is in the database, read past the servers."""
        with psycopg.connect(self.place) as line:
            query = "SELECT number, event FROM qwixx.events WHERE tab = %s ORDER BY number"
            return [(number, json.loads(event)) for number, event in line.execute(query, (table,))]

    def everywhere(self) -> str:
        """What the servers have written to their logs."""
        return self.errors.read_text()

    def end(self) -> None:
        for server in self.servers:
            with suppress(ProcessLookupError):
                server.process.send_signal(signal.SIGCONT)
            server.process.kill()
            server.process.wait()
        if hasattr(self, "process"):
            self.kill()
