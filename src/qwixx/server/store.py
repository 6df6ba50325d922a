"""Where logs are kept. A store is small: write a batch so that it lasts, read a table, forget the old.

Only stores know SQL. One that is `shared` serves several processes at once: a table is then owned by
one of them at a time, and nobody else can write to it.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from qwixx.core.errors import QwixxError
from qwixx.server.log import Entry


class Unreadable(Exception):
    """A log that is not what was written."""


class Unavailable(QwixxError):
    """The storage cannot be reached or written just now. What was to be done may be tried again."""

    code = "unavailable"


class Full(Unavailable):
    """There is no room for one more table to be owned."""


class Elsewhere(Exception):
    """Another process owns the table."""


class Conflict(Exception):
    """Of these tables somebody else has written, or may; of the others nothing was written either."""

    def __init__(self, tables: Collection[str]) -> None:
        super().__init__(", ".join(sorted(tables)))
        self.tables = frozenset(tables)


@dataclass
class Beat:
    """What a shared store has found out since the last time."""

    lost: set[str] = field(default_factory=set)  # owned no longer: what is in memory may be old
    wanted: set[str] = field(default_factory=set)  # asked for by another process


@dataclass(frozen=True)
class Code:
    """A one-time code that moves a holder's seats; it is kept hashed."""

    digest: str
    holder: str
    expires: int  # milliseconds since 1970


@dataclass(frozen=True)
class Stats:
    """How much there is."""

    version: int
    tables: int
    events: int
    reviews: int
    bytes: int
    first: int | None  # when, in milliseconds since 1970
    last: int | None


class Store(ABC):
    """An append-only log for every table.

    `write`, `beat`, `lull`, `keep_…` and `forget` are called from one thread only, the others from any.
    Whatever cannot be done just now raises `Unavailable`.
    """

    shared: ClassVar[bool] = False

    @abstractmethod
    def write(self, entries: Sequence[Entry]) -> None:
        """Put all of these on disk, or none. What is there already, exactly so, was written by an
        earlier try; a number that something else has raises `Conflict`."""

    @abstractmethod
    def read(self, table: str) -> list[Entry]:
        """A table's whole log in order; empty if there is none. Damage raises `Unreadable`."""

    @abstractmethod
    def last(self, tables: Collection[str]) -> dict[str, int]:
        """The number of the last event of those that are there."""

    @abstractmethod
    def everything(self) -> Iterator[Entry]:
        """All entries as they were at one moment, table by table, in order."""

    @abstractmethod
    def tables(self) -> list[str]:
        """All tables, in the order of their names."""

    @abstractmethod
    def stats(self) -> Stats: ...

    # --- what goes on by itself ---

    @abstractmethod
    def awake(self, since: int) -> list[str]:
        """The tables whose last entry is awake and not older than this (milliseconds since 1970); of
        a shared store those where something is due and that nobody owns."""

    def listed(self, since: int) -> list[str]:  # noqa: ARG002 - a process that is alone knows them
        """Tables that people may join, as any of several processes has left them."""
        return []

    @abstractmethod
    def lull(self, table: str) -> None:
        """Note that a table is not awake."""

    @abstractmethod
    def quiet(self, before: int) -> list[str]:
        """The tables at which nothing has happened since then."""

    @abstractmethod
    def forget(self, tables: Collection[str]) -> None:
        """Remove these tables, and give back the room that they took."""

    # --- who owns what, where there are several processes ---

    def own(self, table: str) -> int:
        """Become the one who writes to a table; the number of its last event, 0 if there is none.
        If another process is, `Elsewhere` is raised."""
        return self.last([table]).get(table, 0)

    def disown(self, table: str) -> None:  # noqa: B027 - nothing to do for a process that is alone
        """Let another process have it."""

    def ask_for(self, table: str) -> None:  # noqa: B027 - as above
        """Have whoever owns a table hear that it is wanted here."""

    def beat(self) -> Beat:
        """Called every second or so: stay in touch."""
        return Beat()

    # --- beside the logs ---

    @abstractmethod
    def keep_review(self, table: str, round_: int, packed: bytes) -> None:
        """Keep the review of a finished round."""

    @abstractmethod
    def kept_review(self, table: str, round_: int) -> bytes | None:
        """The review of a finished round, if it was kept."""

    @abstractmethod
    def orders(self) -> list[tuple[str, str]]:
        """What whoever runs the server has ordered: kinds (`close`, `block`) and names."""

    @abstractmethod
    def keep_order(self, kind: str, name: str, *, kept: bool) -> None:
        """Keep an order, or no longer."""

    @abstractmethod
    def codes(self, table: str) -> list[Code]:
        """The codes that were given out at a table."""

    @abstractmethod
    def keep_codes(self, table: str, codes: Sequence[Code]) -> None:
        """These are now the codes of a table."""

    def made(self, address: str, now: int) -> int:  # noqa: ARG002 - a process that is alone counts itself
        """Note one more new table from an address; how many other processes and this one have noted
        in the last hour, with it."""
        return 0

    @abstractmethod
    def close(self) -> None:
        """Let go of the storage."""
