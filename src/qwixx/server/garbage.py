"""Garbage that only a collection finds:
collected after so many ends of lines and requests, at no other time.

Python's own timing would look through thousands of living sockets again and again, and stall
everybody. Lines and requests leave none of that kind where it can be helped; this finds the rest.
"""

import ctypes
import gc
from contextlib import suppress
from typing import Final

# After so many ends what is young is looked through, which takes some milliseconds; after so many, what
# has outlived that; and everything after so many, for with thousands of lines that stalls everybody.
ENDS_YOUNG: Final = 200
ENDS_OLDER: Final = 4000
ENDS_MOST: Final = 40_000
ENDS_FEW: Final = 50  # not worth a collection
LIVING_FEW: Final = 1000  # lines, among which a collection takes some milliseconds

_ends = 0
_ends_looked_at = 0


def ended() -> None:
    """A line or a request has ended, and may have left garbage."""
    global _ends  # noqa: PLW0603 - there is one collector in a process
    _ends += 1
    if _ends >= ENDS_MOST:
        _ends = 0
        gc.collect()
    elif _ends % ENDS_OLDER == 0:
        gc.collect(1)
    elif _ends % ENDS_YOUNG == 0:
        gc.collect(0)


def when_quiet(living: int) -> None:
    """Now and then: what a crowd has left behind goes once it has gone itself, and not while others
    of it come and go."""
    global _ends, _ends_looked_at  # noqa: PLW0603 - as above
    lately, _ends_looked_at = _ends - _ends_looked_at, _ends
    if _ends >= ENDS_FEW and 0 <= lately < ENDS_FEW and living < LIVING_FEW:
        _ends = _ends_looked_at = 0
        gc.collect()
        _give_back()


def _give_back() -> None:
    """What is free goes back to the system, where the C library (glibc) can do that: else it is kept
    for a crowd as large as the last one."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
