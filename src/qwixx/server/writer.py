"""The one writer: a thread that commits whatever has come in since the last commit, all at once.

What is handed in is on disk when `done` is called. If a commit fails, the process must end:
what is in memory is then ahead of the log, and nobody may hear of it.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from qwixx.server.log import Entry
from qwixx.server.store import Store

MOST_AT_ONCE: Final = 2000  # and what belongs together with the last of them
GATHER_SECONDS: Final = 0.002  # how long the first of a batch waits for others

Done: TypeAlias = Callable[[Sequence[Entry], float], None]


class Writer:
    """Group commit. `done` and `failed` are called on the writer's own thread."""

    def __init__(self, store: Store, done: Done, failed: Callable[[BaseException], None]) -> None:
        self._store = store
        self._done = done
        self._failed = failed
        self._waiting: deque[Sequence[Entry]] = deque()
        self._work: deque[Callable[[], None]] = deque()
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def write(self, entries: Sequence[Entry]) -> None:
        """Commit these together: after a crash either all of them are there or none."""
        self._waiting.append(entries)
        if not self._wake.is_set():
            self._wake.set()

    def between(self, work: Callable[[], None]) -> None:
        """Do something to the store between two commits."""
        self._work.append(work)
        self._wake.set()

    def close(self) -> None:
        """Commit what is left and stop."""
        self._closing = True
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not (self._closing and not self._waiting and not self._work):
                self._wake.wait()
                time.sleep(GATHER_SECONDS)
                self._wake.clear()
                self._commit()
        except BaseException as error:  # noqa: BLE001 - whatever it was, the log can no longer be trusted to grow
            self._failed(error)

    def _commit(self) -> None:
        """Commit what has come in by now; what comes in meanwhile is for the next commit."""
        entries: list[Entry] = []
        while self._waiting and len(entries) < MOST_AT_ONCE:
            entries += self._waiting.popleft()
        if entries:
            start = time.perf_counter()
            self._store.write(entries)
            self._done(entries, time.perf_counter() - start)
        if self._work:  # one piece at a time: people's moves come in between
            self._work.popleft()()
        if self._waiting or self._work:
            self._wake.set()
