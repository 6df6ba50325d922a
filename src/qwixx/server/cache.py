"""Answers that never change, kept packed and within a bound."""

import gzip
from collections import OrderedDict
from collections.abc import Callable, Hashable


class PackedCache:
    """Packed answers by key. Beyond its bytes,
    those that nobody has asked for longest are forgotten."""

    def __init__(self, most_bytes: int) -> None:
        self.bytes = 0
        self._most = most_bytes
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()

    def kept(self, key: Hashable) -> bytes | None:
        """The packed answer, if it is kept."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, key: Hashable, packed: bytes) -> None:
        """An answer that was packed elsewhere."""
        self.bytes += len(packed) - len(self._kept.pop(key, b""))
        self._kept[key] = packed
        while self.bytes > self._most:
            self.bytes -= len(self._kept.popitem(last=False)[1])

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """The packed answer, made if it is not kept."""
        found = self.kept(key)
        if found is None:
            found = packed(make())
            self.keep(key, found)
        return found


def packed(answer: bytes) -> bytes:
    return gzip.compress(answer, 6, mtime=0)
