"""Starting and stopping, as a person at a terminal sees it: sentences, and never a traceback."""

import json
import os
import pty
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from client import Server, free_port, secret

from qwixx.server import run
from qwixx.terminal import saves

QWIXX = [sys.executable, "-m", "qwixx"]


class Terminal:
    """A program in a terminal of its own, with all that it says."""

    def __init__(self, *words: str, **env: str) -> None:
        self.text = ""
        # A terminal of its own, where Ctrl-C is a key, and no browser that could open.
        environment = {**os.environ, "PATH": "/nowhere", **env}
        pid, self.end = pty.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execve(words[0], words, environment)  # noqa: S606 - our own program
        self.pid = pid

    def wait_for(self, pattern: str, seconds: float = 60) -> str:
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < deadline, self.text
            assert self.read(), self.text
        return self.text

    def read(self) -> bool:
        try:
            more = os.read(self.end, 65536).decode("utf-8", "replace")
        except OSError:
            return False
        self.text += more
        return bool(more)

    def ctrl_c(self) -> int:
        """Press Ctrl-C; the exit status."""
        os.write(self.end, b"\x03")
        while self.read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def words(*more: str, port: int | None = None) -> list[str]:
    """The command line, with another usual port than that of a server which may be running on this machine."""
    program = f"import qwixx.server.run as run; run.PORT = {port}; from qwixx.cli import main; main()"
    return [sys.executable, "-c", program, *more]


def said(text: str) -> list[str]:
    return [line for line in text.replace("\r", "").split("\n") if line.strip() not in ("", "^C")]


def test_who_only_wants_to_play_reads_sentences(tmp_path: Path) -> None:
    port = free_port()
    terminal = Terminal(*words(port=port), QWIXX_DATA=str(tmp_path))
    terminal.wait_for("Ctrl-C")
    table = _play_a_little(port)
    assert terminal.ctrl_c() == 130
    assert said(terminal.text) == [
        f"qwixx is at http://127.0.0.1:{port}/  (stop it with Ctrl-C)",
        "qwixx: stopped",
    ]
    with closing(sqlite3.connect(tmp_path / "tables.db")) as db:
        assert (table,) in db.execute('SELECT DISTINCT "table" FROM events').fetchall()


def _play_a_little(port: int) -> str:
    server = Server.__new__(Server)
    server.port = port
    return server.create("duel", [{"kind": "open"}] * 2, secret())


def test_what_goes_wrong_is_a_sentence_too(tmp_path: Path) -> None:
    port = free_port()
    terminal = Terminal(*words(port=port), QWIXX_DATA=str(tmp_path))
    terminal.wait_for("Ctrl-C")
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"nonsense\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")
    terminal.wait_for("Invalid")
    assert terminal.ctrl_c() == 130
    assert said(terminal.text)[1:] == ["qwixx: Invalid HTTP request received.", "qwixx: stopped"]


def test_a_server_for_others_on_a_terminal_speaks_to_people_too(tmp_path: Path) -> None:
    port = free_port()
    terminal = Terminal(*words("serve", "--port", str(port)), QWIXX_DATA=str(tmp_path))
    terminal.wait_for("Ctrl-C")
    _play_a_little(port)
    assert terminal.ctrl_c() == 130
    assert "{" not in terminal.text


def test_a_log_that_nobody_watches_is_json(tmp_path: Path) -> None:
    server = Server(tmp_path)
    deadline = time.monotonic() + 30
    while "resumed" not in server.errors.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    server.stop()
    lines = [json.loads(line) for line in server.errors.read_text().splitlines()]
    assert "resumed" in {line["what"] for line in lines}


def test_a_second_qwixx_opens_the_one_that_runs(tmp_path: Path) -> None:
    port = free_port()
    first = Terminal(*words(port=port), QWIXX_DATA=str(tmp_path))
    first.wait_for("Ctrl-C")
    done = run_to_the_end(words(port=port), QWIXX_DATA=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"qwixx is running already, at http://127.0.0.1:{port}/\n"
    assert first.ctrl_c() == 130


def test_beside_another_program_qwixx_takes_another_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        terminal = Terminal(*words(port=port), QWIXX_DATA=str(tmp_path))
        text = terminal.wait_for("Ctrl-C")  # the other one never answers
        assert f"another program uses port {port}, so qwixx takes another one" in text
        found = re.search(r"http://127.0.0.1:(\d+)/", text)
        assert found
        assert int(found[1]) != port
        assert run.running_here(int(found[1])) == found[0]
        assert terminal.ctrl_c() == 130


def run_to_the_end(command: list[str], **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": "/nowhere", **env}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


# --- what keeps it from starting ---


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def refused(*more: str, status: int = 1, **env: str) -> str:
    """Start a server that cannot start; the one line it says."""
    done = run_to_the_end([*QWIXX, "serve", "--host", "127.0.0.1", *more], **env)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("qwixx: ")
    return done.stderr


def test_a_port_that_is_taken(tmp_path: Path, taken: int) -> None:
    line = refused("--port", str(taken), "--db", str(tmp_path / "t.db"))
    assert f"port {taken}" in line
    assert "another --port" in line


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "::g"])
def test_an_address_that_is_not_ours(tmp_path: Path, host: str) -> None:
    assert host in refused("--host", host, "--port", "0", "--db", str(tmp_path / "t.db"))


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for db in (tmp_path / "file" / "t.db", Path("/proc/qwixx/t.db")):
        assert str(db) in refused("--port", "0", "--db", str(db))


@pytest.mark.parametrize(
    "content", [b"This is no database, but a letter. " * 100, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_file_of_another_kind(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "letter.txt"
    file.write_bytes(content)
    assert str(file) in refused("--port", "0", "--db", str(file))
    assert file.read_bytes() == content


def test_a_database_of_another_version(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.db")) as db:
        db.execute("PRAGMA user_version = 99")
    assert "version 99" in refused("--port", "0", "--db", str(tmp_path / "t.db"))


@pytest.mark.parametrize("room", [0, 5000, 20_000])
@pytest.mark.parametrize("keep", [(), ("--keep-days", "0")])
def test_a_disk_that_is_full(tmp_path: Path, room: int, keep: tuple[str, ...]) -> None:
    """A file can grow no further, as on a full disk: one line if it cannot start, and none at all if it can."""

    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    command = [*QWIXX, "serve", "--host", "127.0.0.1", "--port", "0", "--db", str(tmp_path / "t.db"), *keep]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=full,  # noqa: PLW1509 - no threads yet
    ) as process:
        assert process.stdout
        assert process.stderr
        began = process.stdout.readline()
        if began:
            process.send_signal(signal.SIGTERM)
        error = process.stderr.read()
        process.wait(timeout=60)
    assert "Traceback" not in error
    if not began:
        assert process.returncode == 1
        assert error.count("\n") == 1
        assert str(tmp_path / "t.db") in error


@pytest.mark.parametrize(
    "wrong",
    [
        ("--proxy", "my-proxy"),
        ("--proxy", "10.0.0.1,"),
        ("--proxy", "10.0.0.1/8"),
        ("--origin", "example.org"),
        ("--origin", "http://["),
        ("--origin", "https://example.org/page"),
        ("--origin", "ftp://example.org"),
        ("--keep-days", "nan"),
        ("--keep-days", "inf"),
        ("--keep-days", "-1"),
        ("--port", "65536"),
        ("--limit", "connects_burst=-1"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, wrong: tuple[str, str]) -> None:
    line = refused("--db", str(tmp_path / "t.db"), *wrong, status=2)
    assert wrong[0] in line
    assert not (tmp_path / "t.db").exists()


@pytest.mark.parametrize("origin", ["https://Example.org/", "http://[::1]:8000", "http://localhost:5173"])
def test_a_site_that_may_play_here(tmp_path: Path, origin: str) -> None:
    server = Server(tmp_path, "--origin", origin)
    headers = {"Origin": origin.lower().rstrip("/")}
    assert server.request("POST", "/api/tables", b"{}", **headers)[0] == 400  # heard, and of the wrong form
    assert server.request("POST", "/api/tables", b"{}", Origin="https://else.example")[0] == 403
    server.stop()


# --- where tables are kept ---


def test_tables_are_in_the_folder_that_was_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QWIXX_DATA", str(tmp_path / "games"))
    assert saves.folder() == tmp_path / "games"
    assert saves.database() == tmp_path / "games" / "tables.db"


def test_the_usual_place_of_tables_stays_what_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("QWIXX_DATA", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert saves.database() == tmp_path / "qwixx" / "tables.db" == saves.folder().parent / "tables.db"
    saves.database().parent.mkdir()
    saves.database().touch()
    assert saves.left_behind() is None


def test_tables_beside_the_named_folder_are_pointed_out(tmp_path: Path) -> None:
    """Where an earlier version put them. They may be another's, so that they are not just taken."""
    old = tmp_path / "tables.db"
    with closing(sqlite3.connect(old)) as db:
        db.execute("PRAGMA user_version = 1")
    environment = {"QWIXX_DATA": str(tmp_path / "games")}
    first, second = (_started(environment) for _ in range(2))
    assert f"qwixx serve --db {old}" in first
    assert str(old) not in second
    assert (tmp_path / "games" / "tables.db").is_file()


def _started(environment: dict[str, str]) -> str:
    command: Any = [*QWIXX, "serve", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment}
    ) as process:
        assert process.stdout
        lines = ""
        while "Ctrl-C" not in lines:
            more = process.stdout.readline()
            assert more, lines
            lines += more
        process.send_signal(signal.SIGTERM)
        return lines
