"""Lines to a database that are ended when it does not answer: a network may swallow all that is sent
without a sign, and a machine in between may hold a line that leads nowhere."""

import os
import socket
import time
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any, Final

import psycopg

LOOK_SECONDS: Final = 0.5


class Line(psycopg.Connection[tuple[Any, ...]]):
    """A connection, and whoever watches over it, if anybody does."""

    patience: "Patience | None" = None

    def wait(self, gen: Any, *how: Any, **named: Any) -> Any:
        """Every word to the database and its answer."""
        if self.patience is None:
            return super().wait(gen, *how, **named)
        self.patience.begin(self)
        try:
            return super().wait(gen, *how, **named)
        finally:
            self.patience.end(self)


class Patience:
    """Ends lines whose answer takes longer than so many seconds. Whoever waits hears that it is lost."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since: dict[Line, float] = {}
        self._lock = Lock()
        self._over = Event()
        Thread(target=self._watch, name="patience", daemon=True).start()

    def begin(self, line: Line) -> None:
        with self._lock:
            self._since[line] = time.monotonic()

    def end(self, line: Line) -> None:
        with self._lock:
            self._since.pop(line, None)

    def close(self) -> None:
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            with self._lock:
                now = time.monotonic()
                for line, since in self._since.items():
                    if now - since > self._seconds:
                        _break(line)


def _break(line: Line) -> None:
    """Without a word to the other end; it is closed by whoever waits for it."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(line.fileno())) as far:
        far.shutdown(socket.SHUT_RDWR)
