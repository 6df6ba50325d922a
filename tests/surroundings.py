"""The same surroundings for every test: what a shell, a terminal or a user has set is left behind.

Programs that a test starts inherit all of this: `nohup` and background jobs ignore signals,
a proxy takes requests to ourselves, somebody's own tables change how the bots play.
"""

import os
import signal
import tempfile
from pathlib import Path

from qwixx.files import cache

KEPT = {"PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"}
UNWANTED = ("PYTHON", "LC_", "PYTEST_ADD", "PYTEST_PLUGINS")
OWN = ("QWIXX_CACHE", "QWIXX_DATA", "QWIXX_MASTER_SECONDS")
NAMES = {
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "LINES",
    "LANGUAGE",
    *OWN,
}
PROXIES = {f"{kind}_proxy" for kind in ("http", "https", "ws", "wss", "all", "no")}
STOPS = ("SIGQUIT", "SIGTSTP", "SIGTTIN", "SIGTTOU")
SIGNALS = ("SIGHUP", "SIGTERM", "SIGCHLD", "SIGUSR1", "SIGUSR2", "SIGALRM", *STOPS)


def settle() -> None:
    """Make this process's signals and environment what tests rely on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    compiled = os.environ.get("NUMBA_CACHE_DIR") or str(cache.folder() / "compiled")
    for name in list(os.environ):
        if (
            (name.startswith(UNWANTED) and name not in KEPT)
            or name in NAMES
            or name.lower() in PROXIES
        ):
            del os.environ[name]
    os.environ |= {
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NUMBA_CACHE_DIR": compiled,  # the usual one: compiling takes minutes
        "QWIXX_CACHE": _empty_folder(),
        "QWIXX_STUDY_NICE": "0",  # on a busy machine who gives way to all others waits for ever
    }


def _empty_folder() -> str:
    """A cache with no table of the user's in it, that goes with this process."""
    folder = tempfile.TemporaryDirectory(prefix="qwixx-tests-")
    _FOLDERS.append(folder)
    return str(Path(folder.name))


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
