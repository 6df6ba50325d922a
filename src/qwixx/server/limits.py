"""How much anybody may ask for."""

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from time import monotonic
from typing import Final

FEW_ADDRESSES: Final = 1000  # no need to forget any of them


@dataclass(frozen=True)
class Limits:
    """Every bound in one place."""

    frame_bytes: int = 4096
    body_bytes: int = 65536
    queue_frames: int = 256  # waiting for one slow reader
    messages_a_second: float = 20  # on one connection
    messages_burst: float = 60
    requests_a_second: float = 10  # about tables, from one address
    requests_burst: float = 60
    pages_a_second: float = 50  # requests of any kind, from one address
    pages_burst: float = 500
    lines: int = 20_000  # connections of all kinds, as far as open files allow it
    lines_an_address: int = 400
    lines_a_second: float = 50  # opened from one address
    lines_burst: float = 400
    head_seconds: float = 10  # until the head of a request is whole
    body_seconds: float = 20  # until its body is
    unread_seconds: float = 30  # that an answer may wait for its reader
    connects_a_second: float = 10  # sockets opened from one address
    connects_burst: float = 200  # everybody in a house comes back at once after a restart
    sockets_an_address: int = 200
    tables_an_hour: float = 60  # from one address
    seatings_a_minute: float = 30  # sitting down, getting up, moving a seat: from one address
    seatings_at_a_table: int = 60  # of one address, while the table is in memory
    reactions_a_minute: float = 20  # of one person at one table
    reactions_burst: float = 5
    reports_an_hour: float = 10  # of names, from one address
    hints_a_minute: float = 60  # from one address
    hints_burst: float = 20
    hints_waiting: int = 50  # that people of all tables wait for at the same time
    values_a_minute: float = 120  # positions of the explorer, from one address
    values_burst: float = 30
    values_seconds: float = 15  # that one of them may take, before its asker is to come back
    thinkers: int = 0  # processes in which strong bots decide and hints are found; 0: one a core
    studies_waiting: int = 200  # reviews and positions that are being judged for all
    studies_an_address: int = 8  # of them for one address
    links_seconds: float = 1  # that a throw waits for the pages of those who are here
    links_alone_seconds: float = 5  # and where none of them is, such as after a restart
    withdrawals: int = 20  # of one seat in one action
    bad_messages: int = 20  # on one connection, before it is closed
    code_tries: int = 10  # of one address at one table, while codes are about
    code_seconds: int = 120
    rounds: int = 1000  # at one table
    events_a_round: int = 5000  # after which only those sit down who have come and gone little
    watchers: int = 500  # sockets at one table
    story_kilobytes: int = 16_000  # of finished rounds, packed, that are kept ready
    review_kilobytes: int = 8_000  # of their reviews, packed; all of them are on disk


@dataclass(slots=True)
class Bucket:
    """Allows so many a second, and a burst of more."""

    rate: float
    burst: float
    level: float = field(init=False)
    at: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self.level = self.burst

    def take(self) -> bool:
        now = monotonic()
        level = self.level + (now - self.at) * self.rate
        self.at = now
        level = min(level, self.burst)
        enough = level >= 1
        self.level = level - enough
        return enough

    @property
    def full(self) -> bool:
        return self.level + (monotonic() - self.at) * self.rate >= self.burst


class Addresses:
    """A bucket for every address that has been busy lately;
    those that are full again are forgotten."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, Bucket] = {}
        self._most = FEW_ADDRESSES

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, address: str) -> bool:
        if address not in self._buckets and len(self._buckets) >= self._most:
            self.forget_idle()
            # Twice those that are busy, so that looking through all of them stays rare.
            self._most = max(FEW_ADDRESSES, 2 * len(self._buckets))
        return self._buckets.setdefault(address, Bucket(self._rate, self._burst)).take()

    def forget_idle(self) -> None:
        self._buckets = {
            address: bucket for address, bucket in self._buckets.items() if not bucket.full
        }


def counted_as(address: str) -> str:
    """Whom an address is counted as: in IPv6 one home or machine has 2^64 of them,
    which share their first half."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{IPv6Address(int(found) >> 64 << 64)}/64"
