"""A test sets up what it relies on:
it passes whatever the one who starts it has set, ignored or closed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HOSTILE = {
    "NO_COLOR": "1",
    "COLUMNS": "20",
    "TERM": "dumb",
    "LC_ALL": "C",
    "PYTHONIOENCODING": "ascii",
    "PYTHONUNBUFFERED": "1",
    "QWIXX_CACHE": "/proc/nowhere",
    "QWIXX_DATA": "/proc/nowhere",
    "QWIXX_MASTER_SECONDS": "never",
    "PYTEST_ADDOPTS": "-q",
    "http_proxy": "http://127.0.0.1:9",
    "all_proxy": "socks5://127.0.0.1:9",
}
# One of each kind: programs that are stopped, that draw,
# that a reader types, that serve, that keep.
SOME = [
    "test_terminal.py::test_whatever_stops_a_game_it_goes_on_where_it_was",
    "test_terminal.py::test_help_reasons_and_the_warning_before_a_failed_throw",
    "test_terminal.py::test_a_terminal_without_unicode_still_reads",
    "test_readme.py::test_every_play_command_of_the_readme_starts",
    "server/test_promises.py::test_sigterm_says_1012_and_ends",
    "test_lab.py::test_the_cache_is_where_the_user_wants_it",
]
IGNORED = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGPIPE,
    signal.SIGQUIT,
    signal.SIGCHLD,
)


def ignore() -> None:
    """As `nohup`, shells with background jobs and odd programs leave it."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, IGNORED)


@pytest.mark.long
def test_hostile_surroundings_change_nothing() -> None:
    kept = {"NUMBA_CACHE_DIR": os.environ["NUMBA_CACHE_DIR"], "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *SOME],
        cwd=Path(__file__).parent,
        env={**HOSTILE, **kept},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=ignore,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
