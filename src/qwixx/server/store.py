"""Where logs are kept. A store is small: write a batch so that it lasts, read a table, forget the old."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

from qwixx.server.log import Entry


class Store(ABC):
    """An append-only log for every table. `write` and `prune` are called from one thread only, `read` from any."""

    @abstractmethod
    def write(self, entries: Sequence[Entry]) -> None:
        """Put all of these on disk, or none; a number that a table has already raises `KeyError`."""

    @abstractmethod
    def read(self, table: str) -> list[Entry]:
        """A table's whole log in order; empty if there is none."""

    @abstractmethod
    def recent(self, since: int) -> list[str]:
        """The tables at which something has happened since then (milliseconds since 1970)."""

    @abstractmethod
    def prune(self, before: int, spare: Collection[str] = ()) -> int:
        """Forget the tables at which nothing has happened since then, but for some; how many they were."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the storage."""
