"""Starting and stopping, as a person at a terminal sees it: sentences, and never a traceback."""

import json
import os
import pty
import re
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from client import Server, free_port, secret

from qwixx.core.errors import BadRequest
from qwixx.server import log, run
from qwixx.server.judging import Worker
from qwixx.server.log import Entry
from qwixx.server.sqlite import SqliteStore
from qwixx.terminal import saves

QWIXX = [sys.executable, "-m", "qwixx"]


# The command line, in a terminal that is its own, so that Ctrl-C is a key there.
# Its usual port is another than that of a qwixx which may run on this machine.
PROGRAM = """
import fcntl, signal, sys, termios
import qwixx.server.run
from qwixx.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
fcntl.ioctl(0, termios.TIOCSCTTY, 0) if sys.stdin.isatty() else None
qwixx.server.run.PORT = int(sys.argv.pop(1))
main()
"""


class Terminal:
    """A program in a terminal of its own, with all that it says.
    There is no browser that could open."""

    def __init__(self, folder: Path, port: int, *words: str) -> None:
        self.text = ""
        self.end, inside = pty.openpty()
        self.process = subprocess.Popen(
            bare(port, *words),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            env=home(folder),
        )
        os.close(inside)

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + 60
        while text not in self.text:
            ready, _, _ = select.select([self.end], [], [], max(0, deadline - time.monotonic()))
            assert ready, self.text
            assert self._read(), self.text

    def _read(self) -> bool:
        try:
            self.text += os.read(self.end, 65536).decode()
        except OSError:  # the program has ended
            return False
        return True

    def ctrl_c(self) -> int:
        """Press Ctrl-C; the exit status."""
        os.write(self.end, b"\x03")
        while self._read():
            pass
        return self.process.wait(timeout=60)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.end)


def bare(port: int, *words: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, str(port), *words]


def home(folder: Path) -> dict[str, str]:
    return {**os.environ, "PATH": "/nowhere", "QWIXX_DATA": str(folder)}


@pytest.fixture
def taken() -> Iterator[int]:
    """The port of another program."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def at_a_terminal(terminals: list[Terminal], folder: Path, port: int, *words: str) -> Terminal:
    """A server that has started there."""
    terminals.append(Terminal(folder, port, *words))
    terminals[-1].wait_for("Ctrl-C")
    return terminals[-1]


def said(text: str) -> list[str]:
    return [line for line in text.replace("\r", "").split("\n") if line.strip() not in ("", "^C")]


def test_who_only_wants_to_play_reads_sentences(tmp_path: Path, terminals: list[Terminal]) -> None:
    port = free_port()
    terminal = at_a_terminal(terminals, tmp_path, port)
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


def test_what_goes_wrong_is_a_sentence_too(tmp_path: Path, terminals: list[Terminal]) -> None:
    """A damaged table, say; but not what strangers send, which is theirs."""
    port, table = free_port(), "a" * 20
    store = SqliteStore(tmp_path / "tables.db")
    store.write([Entry(table, 1, time.time_ns() // 1_000_000, None, log.Left(0), awake=True)])
    store.close()
    terminal = at_a_terminal(terminals, tmp_path, port)
    terminal.wait_for("cannot be read")
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"nonsense\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")
    assert terminal.ctrl_c() == 130
    sentence, stopped = said(terminal.text)[1:]
    assert sentence.startswith(
        f"qwixx: a table is set aside: its log cannot be read (table: {table}, why: "
    )
    assert stopped == "qwixx: stopped"


def test_a_server_for_others_on_a_terminal_speaks_to_people_too(
    tmp_path: Path, terminals: list[Terminal]
) -> None:
    port = free_port()
    terminal = at_a_terminal(terminals, tmp_path, port, "serve")
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


@pytest.mark.parametrize("words", [(), ("serve",)])
def test_a_second_qwixx_opens_the_one_that_runs(
    tmp_path: Path, terminals: list[Terminal], words: tuple[str, ...]
) -> None:
    port = free_port()
    first = at_a_terminal(terminals, tmp_path, port, *words)
    done = run_to_the_end(bare(port), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"qwixx is running already, at http://127.0.0.1:{port}/\n"
    assert first.ctrl_c() == 130


def test_beside_another_program_qwixx_takes_another_port(
    tmp_path: Path, terminals: list[Terminal], taken: int
) -> None:
    terminal = at_a_terminal(terminals, tmp_path, taken)  # the other program never answers
    assert f"another program uses port {taken}, so qwixx takes another one" in terminal.text
    found = re.search(r"http://127.0.0.1:(\d+)/", terminal.text)
    assert found
    assert int(found[1]) != taken
    assert run.running_here(int(found[1])) == found[0]
    assert terminal.ctrl_c() == 130


def run_to_the_end(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=home(folder)
    )


# --- what keeps it from starting ---


def refused(*more: str, status: int = 1) -> str:
    """Start a server that cannot start; the one line it says."""
    done = run_to_the_end([*QWIXX, "serve", "--host", "127.0.0.1", *more], Path("unused"))
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
    "content",
    [b"This is no database, but a letter. " * 100, b"SQLite format 3\x00" + b"\xff" * 5000],
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
    """A file can grow no further, as on a full disk:
    one line if it cannot start, and none at all if it can."""

    program = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2); del sys.argv[1];"
        "from qwixx.cli import main; main()"
    )
    options = ["--host", "127.0.0.1", "--port", "0", "--db", str(tmp_path / "t.db"), *keep]
    command = [sys.executable, "-B", "-c", program, str(room), "serve", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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


@pytest.mark.parametrize(
    "origin", ["https://Example.org/", "http://[::1]:8000", "http://localhost:5173"]
)
def test_a_site_that_may_play_here(tmp_path: Path, origin: str) -> None:
    server = Server(tmp_path, "--origin", origin)
    headers = {"Origin": origin.lower().rstrip("/")}
    # Heard, and of the wrong form.
    assert server.request("POST", "/api/tables", b"{}", **headers)[0] == 400
    assert server.request("POST", "/api/tables", b"{}", Origin="https://else.example")[0] == 403
    server.stop()


# --- where tables are kept ---


def test_a_priority_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an operator has set wrongly is told, and not passed over in silence."""
    monkeypatch.setenv("QWIXX_STUDY_NICE", "very")
    said = refused("--port", str(free_port()), "--db", str(tmp_path / "t.db"))
    assert "QWIXX_STUDY_NICE must be a whole number from 0 to 19, not 'very'" in said
    for wrong in ("-1", "20", "1.5", "³"):
        monkeypatch.setenv("QWIXX_STUDY_NICE", wrong)
        with pytest.raises(BadRequest, match="QWIXX_STUDY_NICE"):
            Worker()
    for right in ("", " ", "0", "19"):
        monkeypatch.setenv("QWIXX_STUDY_NICE", right)
        Worker()


def test_tables_are_in_the_folder_that_was_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QWIXX_DATA", str(tmp_path / "games"))
    assert saves.folder() == tmp_path / "games"
    assert saves.database() == tmp_path / "games" / "tables.db"


def test_the_usual_place_of_tables_stays_what_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("QWIXX_DATA", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert (
        saves.database() == tmp_path / "qwixx" / "tables.db" == saves.folder().parent / "tables.db"
    )
    saves.database().parent.mkdir()
    saves.database().touch()
    assert saves.left_behind() is None


def test_tables_beside_the_named_folder_are_pointed_out(tmp_path: Path) -> None:
    """Where an earlier version put them. They may be another's, so that they are not just taken."""
    old = tmp_path / "tables.db"
    with closing(sqlite3.connect(old)) as db:
        db.execute("PRAGMA user_version = 1")
    first, second = (_started(tmp_path / "games") for _ in range(2))
    assert f"qwixx serve --db {old}" in first
    assert str(old) not in second
    assert (tmp_path / "games" / "tables.db").is_file()


def _started(folder: Path) -> str:
    command = [*QWIXX, "serve", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=home(folder)
    ) as process:
        assert process.stdout
        lines = ""
        while "Ctrl-C" not in lines and (more := process.stdout.readline()):
            lines += more
        process.send_signal(signal.SIGTERM)
    return lines
