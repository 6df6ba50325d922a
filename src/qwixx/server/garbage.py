"""Garbage that only a collection finds:
collected after so many ends of lines and requests, at no other time.

Python's own timing would look through thousands of living sockets again and again,
and stall everybody.
"""

import gc
from typing import Final

ENDS_MOST: Final = 2000
ENDS_FEW: Final = 50  # not worth a collection
LIVING_FEW: Final = 1000  # lines, among which a collection takes some milliseconds

_ends = 0


def ended() -> None:
    """A line or a request has ended, and may have left garbage."""
    global _ends  # noqa: PLW0603 - there is one collector in a process
    _ends += 1
    if _ends >= ENDS_MOST:
        _ends = 0
        gc.collect()


def when_quiet(living: int) -> None:
    """Now and then: what a crowd has left behind goes once it has gone itself."""
    global _ends  # noqa: PLW0603 - as above
    if _ends >= ENDS_FEW and living < LIVING_FEW:
        _ends = 0
        gc.collect()
