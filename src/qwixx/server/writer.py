"""The one writer: a thread that commits whatever has come in since the last commit, all at once.

What is handed in is on disk when `done` hears of it. A store that is away for a while is tried again
until it is there: so long nothing is done, and nobody hears of anything. A table that somebody else
has written to is lost, and all that is still to be written of it. After any other failure the process
must end: what is in memory is then ahead of the log.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from qwixx.server.log import Entry
from qwixx.server.store import Conflict, Store, Unavailable

logger: Final = logging.getLogger("qwixx.server")

MOST_AT_ONCE: Final = 2000  # and what belongs together with the last of them
GATHER_SECONDS: Final = 0.002  # how long the first of a batch waits for others
BEAT_SECONDS: Final = 1.0
AGAIN_SECONDS: Final = 0.25  # after which a store that is away is tried again
LAST_SECONDS: Final = 3.0  # for which it is tried when the server ends
SLOW_SECONDS: Final = 2.0  # a commit that takes longer is trouble

Done: TypeAlias = Callable[[Sequence[Entry], float], None]
Work: TypeAlias = Callable[[], None]


def _nothing(*_: Any) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class Callbacks:
    """Who hears what, on the writer's own thread."""

    done: Done = _nothing
    failed: Callable[[BaseException], None] = _nothing
    lost: Callable[[Collection[str]], None] = _nothing  # these tables are no longer ours
    wanted: Callable[[Collection[str]], None] = _nothing  # another process asks for these


class Writer:
    """Group commit."""

    def __init__(self, store: Store, callbacks: Callbacks) -> None:
        self._store = store
        self._callbacks = callbacks
        self._waiting: deque[Sequence[Entry] | Work] = deque()
        self._work: deque[Work] = deque()
        self._wake = threading.Event()
        self._closing: float | None = None  # since when
        self._why: str | None = None  # the store is away
        self._away: float | None = None  # since when
        self._since: float | None = None  # when what is being done was begun
        self._beat_at = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written just now, if so."""
        why, since = self._why, self._since  # each read once: the writer's thread changes them
        if why is None and since is not None and time.monotonic() - since > SLOW_SECONDS:
            return "it takes long"
        return why

    @property
    def away_seconds(self) -> float:
        """For how long nothing could be written."""
        since = self._away if self._away is not None else self._since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def waiting(self) -> int:
        """How many batches are to be written."""
        return len(self._waiting)

    def write(self, entries: Sequence[Entry]) -> None:
        """Commit these together: after a crash either all of them are there or none."""
        self._put(entries)

    def after_all(self, work: Work) -> None:
        """Do something once all that was handed in by now is on disk, or lost."""
        self._put(work)

    def _put(self, item: Sequence[Entry] | Work) -> None:
        self._waiting.append(item)
        if not self._wake.is_set():
            self._wake.set()

    def between(self, work: Work) -> None:
        """Do something to the store between two commits."""
        self._work.append(work)
        self._wake.set()

    def close(self) -> None:
        """Commit what is left and stop."""
        self._closing = time.monotonic()
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._closing is None or self._waiting or self._work:
                if self._wake.wait(BEAT_SECONDS):
                    time.sleep(GATHER_SECONDS)
                    self._wake.clear()
                self._commit()
        except Unavailable as error:
            logger.error(
                "ended before all was written; it was told to nobody", extra={"why": str(error)}
            )
        except BaseException as error:  # noqa: BLE001 - whatever it was, the log can no longer be trusted to grow
            self._callbacks.failed(error)

    def _commit(self) -> None:
        """Commit what has come in by now; what comes in meanwhile is for the next commit."""
        entries: list[Entry] = []
        afterwards: Work | None = None
        while self._waiting and len(entries) < MOST_AT_ONCE and afterwards is None:
            item = self._waiting.popleft()
            if callable(item):
                afterwards = item
            else:
                entries += item
        if entries:
            self._write(entries)
        if afterwards is not None:
            self._until_done(afterwards)
        elif self._work:  # one piece at a time: people's moves come in between
            self._until_done(self._work.popleft())
        if time.monotonic() - self._beat_at >= BEAT_SECONDS:
            self._until_done(self._beat)
        if self._waiting or self._work:
            self._wake.set()

    def _write(self, entries: list[Entry]) -> None:
        start = time.monotonic()
        while entries:
            try:
                self._until_done(lambda batch=entries: self._store.write(batch))  # type: ignore[misc] # bound
            except Conflict as conflict:
                entries = [entry for entry in entries if entry.table not in conflict.tables]
                self._lose(conflict.tables)
            else:
                self._callbacks.done(entries, time.monotonic() - start)
                break

    def _beat(self) -> None:
        beat = self._store.beat()
        self._beat_at = time.monotonic()
        if beat.lost:
            self._lose(beat.lost)
        if beat.wanted:
            self._callbacks.wanted(beat.wanted)

    def _lose(self, tables: Collection[str]) -> None:
        """Nothing more of these is written, that was made of what is no longer so."""
        for place, item in enumerate(tuple(self._waiting)):
            if not callable(item):
                kept = [entry for entry in item if entry.table not in tables]
                if len(kept) < len(item):
                    self._waiting[place] = kept
        self._callbacks.lost(tables)

    def _until_done(self, work: Work) -> None:
        """Try again and again, while the store is away."""
        self._since = start = time.monotonic()
        try:
            while not self._is_done(work, start):
                time.sleep(AGAIN_SECONDS)
        finally:
            self._since = None

    def _is_done(self, work: Work, start: float) -> bool:
        """Whether the store could do it now."""
        try:
            work()
        except Unavailable as error:
            if self._why is None:
                self._away = start
                logger.error("nothing can be written just now", extra={"why": str(error)})
            self._why = str(error)
            if self._closing is not None and time.monotonic() - self._closing > LAST_SECONDS:
                raise
            return False
        if self._why is not None:
            logger.warning("it can be written again")
            self._why = self._away = None
        return True
