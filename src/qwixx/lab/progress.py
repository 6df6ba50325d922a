"""Progress of long work: one line on standard error that renews itself, on a terminal only."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TypeAlias

_WIDTH: Final = 30
_SECONDS: Final = 0.1  # between two drawings

Advance: TypeAlias = Callable[[int], None]  # is called with how much more is done


class Progress:
    """A bar with its label, the share done, and the time left."""

    def __init__(self, label: str, total: int, done: int = 0) -> None:
        self.label = label
        self.total = max(1, total)
        self.done = self._before = done  # what was done before says nothing of the time left
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._start = self._drawn = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def add(self, more: int) -> None:
        self.done += more
        now = time.monotonic()
        if self._shown and now - self._drawn >= _SECONDS:
            self._drawn = now
            self._draw(now - self._start)

    def _draw(self, seconds: float) -> None:
        share, new = min(1.0, self.done / self.total), (self.done - self._before) / self.total
        bar = "#" * round(share * _WIDTH)
        left = f"{seconds * (1 - share) / new:4.0f} s left" if new > 0.02 * (1 - share) else ""
        sys.stderr.write(f"\r{self.label} [{bar:.<{_WIDTH}}] {share:4.0%} {left}\x1b[K")
        sys.stderr.flush()
