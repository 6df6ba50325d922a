"""Garbage that only a collection finds:
collected after so many ends of lines and requests, at no other time.

Python's own timing would look through thousands of living sockets again and again,
and stall everybody.
"""

import gc
from typing import Final

ENDS_MOST: Final = 2000

_ends = 0


def ended() -> None:
    """A line or a request has ended, and may have left garbage."""
    global _ends  # noqa: PLW0603 - there is one collector in a process
    _ends += 1
    if _ends >= ENDS_MOST:
        _ends = 0
        gc.collect()
