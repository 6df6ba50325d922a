"""The one writer: a thread that commits whatever has come in since the last commit, all at once.

What is handed in is on disk when `done` is called. If a commit fails, the process must end: what is in memory is
then ahead of the log, and nobody may hear of it.
"""

import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Final, TypeAlias

from qwixx.server.log import Entry
from qwixx.server.store import Store

MOST_AT_ONCE: Final = 2000
GATHER_SECONDS: Final = 0.002  # how long the first of a batch waits for others

Done: TypeAlias = Callable[[Sequence[Entry], float], None]


class Writer:
    """Group commit. `done` and `failed` are called on the writer's own thread."""

    def __init__(self, store: Store, done: Done, failed: Callable[[BaseException], None]) -> None:
        self._store = store
        self._done = done
        self._failed = failed
        self._queue: SimpleQueue[Entry | Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def write(self, entry: Entry) -> None:
        self._queue.put(entry)

    def between(self, work: Callable[[], None]) -> None:
        """Do something to the store between two commits."""
        self._queue.put(work)

    def close(self) -> None:
        """Commit what is left and stop."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._commit_next():
                pass
        except BaseException as error:  # noqa: BLE001 - whatever it was, the log can no longer be trusted to grow
            self._failed(error)

    def _commit_next(self) -> bool:
        """Wait for something to write, and write all there is; False when told to stop."""
        item = self._queue.get()
        time.sleep(GATHER_SECONDS)
        entries: list[Entry] = []
        while isinstance(item, Entry):
            entries.append(item)
            if len(entries) >= MOST_AT_ONCE or self._queue.empty():
                self._write(entries)
                return True
            item = self._queue.get()
        if entries:
            self._write(entries)
        if item is None:
            return False
        item()
        return True

    def _write(self, entries: list[Entry]) -> None:
        start = time.perf_counter()
        self._store.write(entries)
        self._done(entries, time.perf_counter() - start)
