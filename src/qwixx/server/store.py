"""Where logs are kept. A store is small:
write a batch so that it lasts, read a table, forget the old."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

from qwixx.server.log import Entry


class Unreadable(Exception):
    """A log that is not what was written."""


class Store(ABC):
    """An append-only log for every table, for one process.

    `write`, `lull`, `keep_review`, `keep_order` and `forget` are called from one thread only,
    the others from any.
    """

    @abstractmethod
    def write(self, entries: Sequence[Entry]) -> None:
        """Put all of these on disk, or none; a number that a table has already raises `KeyError`."""

    @abstractmethod
    def read(self, table: str) -> list[Entry]:
        """A table's whole log in order; empty if there is none. Damage raises `Unreadable`."""

    @abstractmethod
    def awake(self, since: int) -> list[str]:
        """The tables whose last entry is awake and not older than this (milliseconds since 1970)."""

    @abstractmethod
    def lull(self, table: str) -> None:
        """Note that a table is not awake."""

    @abstractmethod
    def quiet(self, before: int) -> list[str]:
        """The tables at which nothing has happened since then."""

    @abstractmethod
    def forget(self, tables: Collection[str]) -> None:
        """Remove these tables, and give back the room that they took."""

    def keep_review(self, table: str, round_: int, packed: bytes) -> None:  # noqa: B027 - as below
        """Keep the review of a finished round. A store that does not has it made again."""

    def kept_review(self, table: str, round_: int) -> bytes | None:  # noqa: ARG002
        """The review of a finished round, if it was kept."""
        return None

    def orders(self) -> list[tuple[str, str]]:
        """What whoever runs the server has ordered: kinds (`close`, `block`) and names."""
        return []

    def keep_order(self, kind: str, name: str, *, kept: bool) -> None:  # noqa: B027 - as above
        """Keep an order, or no longer. A store that does not has it given again after a start."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the storage."""
