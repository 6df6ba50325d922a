"""How much anybody may ask for."""

from dataclasses import dataclass, field
from time import monotonic


@dataclass(frozen=True)
class Limits:
    """Every bound in one place."""

    frame_bytes: int = 4096
    body_bytes: int = 65536
    queue_frames: int = 256  # waiting for one slow reader
    messages_a_second: float = 20  # on one connection
    messages_burst: float = 60
    requests_a_second: float = 10  # from one address
    requests_burst: float = 60
    sockets_an_address: int = 200
    tables_an_hour: float = 60  # from one address
    seatings_a_minute: float = 30  # sitting down, getting up, moving a seat: from one address
    bad_messages: int = 20  # on one connection, before it is closed
    code_tries: int = 10  # at one table, before its codes are void
    code_seconds: int = 120
    rounds: int = 1000  # at one table
    events_a_round: int = 5000  # after which nobody sits down or gets up any more
    watchers: int = 500  # sockets at one table


@dataclass
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
        self.level = min(self.burst, self.level + (now - self.at) * self.rate)
        self.at = now
        if self.level < 1:
            return False
        self.level -= 1
        return True

    @property
    def full(self) -> bool:
        return self.level + (monotonic() - self.at) * self.rate >= self.burst


class Addresses:
    """A bucket for every address that has been busy lately."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, Bucket] = {}

    def take(self, address: str) -> bool:
        return self._buckets.setdefault(address, Bucket(self._rate, self._burst)).take()

    def forget_idle(self) -> None:
        self._buckets = {address: bucket for address, bucket in self._buckets.items() if not bucket.full}
