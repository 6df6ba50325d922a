"""Who may come in, and how long a line may keep silent: every line is counted from its first byte.

A stranger's lines cost a bounded number of files and seconds, whatever is or is not said on them;
when all places are taken, whoever has asked for nothing yet goes first.
"""

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from itertools import islice
from typing import Final, Protocol, TypeAlias

from qwixx.server import garbage
from qwixx.server.limits import Addresses, Limits, counted_as
from qwixx.server.metrics import Metrics

logger: Final = logging.getLogger("qwixx.server")

SWEEPS_A_SECOND: Final = 4
FEW_LINES: Final = 250  # looked at in one go
TELL_SECONDS: Final = 10  # between two lines in the log about those who were turned away
FILES_OF_OURS: Final = 100  # the database, threads, pipes; and as many again for a sudden crowd
KNOWN_MOST: Final = 2000  # addresses whose use is told
LEAST_LINES: Final = 20
NO_ROOM: Final = ("full", "crowded_out")

Network: TypeAlias = IPv4Network | IPv6Network


class Line(Protocol):
    """A connection, as far as the gate has to do with it."""

    peer: str  # whom it is counted as
    until: float  # when it ends, if nothing more is heard by then

    @property
    def idle(self) -> bool:
        """Whether nothing would be lost with it."""

    def end(self, reason: str) -> None:
        """End it now."""

    def linger(self, now: float) -> None:
        """End it now if it was to end a while ago and has not."""


class Gate:
    """All lines of a server. `turned_away` counts those that were not let in, or were ended."""

    def __init__(self, limits: Limits, metrics: Metrics, proxies: str | None = None) -> None:
        self.limits = limits
        self.lines: dict[Line, None] = {}  # the oldest first
        self.by_address: Counter[str] = Counter()
        self.blocked: set[Network] = set()
        self.used: dict[str, Counter[str]] = {}  # lines, requests, messages: by address
        self._metrics = metrics
        self._proxies = _networks(proxies)
        self._connects = Addresses(limits.lines_a_second, limits.lines_burst)
        self._sweeping: dict[Line, None] = {}  # those that were not looked at for longest first
        self._untold: Counter[str] = Counter()
        self._who: dict[str, str] = {}
        self._told_at = self._tidied_at = -1e9
        self._most = limits.lines
        self._timer: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Begin, with as many places as there may be open files."""
        files = open_files()
        if files is not None:
            self._most = min(self._most, max(LEAST_LINES, files - 2 * FILES_OF_OURS))
        logger.info("places", extra={"lines": self._most, "open_files": files})
        self._again()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._tell()

    def is_blocked(self, address: str) -> bool:
        """Whether whoever runs the server wants nobody from there."""
        if not self.blocked:
            return False
        try:
            found = ip_address(address)
        except ValueError:
            return False
        found = getattr(found, "ipv4_mapped", None) or found
        return any(found in network for network in self.blocked)

    def use(self, address: str, what: str) -> None:
        """Note what an address uses; of those who use little, some are forgotten."""
        known = self.used.get(address)
        if known is None:
            if len(self.used) >= KNOWN_MOST:
                busiest = sorted(self.used, key=lambda one: -self.used[one].total())
                self.used = {one: self.used[one] for one in busiest[: KNOWN_MOST // 2]}
            known = self.used[address] = Counter()
        known[what] += 1

    def enter(self, line: Line, host: str) -> str | None:
        """Count a new line; the reason if it is not to be."""
        peer = counted_as(host)
        shared = any(_within(host, proxy) for proxy in self._proxies)
        reason = None
        if self.is_blocked(host):
            reason = "blocked"
        elif not shared and self.by_address[peer] >= self.limits.lines_an_address:
            reason = "too_many"
        elif not shared and not self._connects.take(peer):
            reason = "too_fast"
        elif len(self.lines) >= self._most and not self._make_room(self.by_address[peer]):
            reason = "full"
        if reason is not None:
            self.count(reason, peer)
            return reason
        self.keep(line, peer)
        return None

    def keep(self, line: Line, peer: str) -> None:
        """Count a line that was let in, or one that it has become."""
        line.peer = peer
        self.use(peer, "lines")
        self.by_address[peer] += 1
        self.lines[line] = None
        self._sweeping[line] = None

    def leave(self, line: Line) -> None:
        if line in self.lines:
            del self.lines[line], self._sweeping[line]
            self.by_address[line.peer] -= 1
            if not self.by_address[line.peer]:
                del self.by_address[line.peer]

    def count(self, reason: str, peer: str) -> None:
        """Somebody was turned away; the log hears of it now and then, whatever their number."""
        self._metrics.add("qwixx_turned_away_total", label=reason)
        self._untold[reason] += 1
        self.use(peer, "turned_away")
        self._who[reason] = peer

    def _make_room(self, own: int) -> bool:
        """The oldest line on which nothing is under way goes; if there is none, the oldest of
        whoever has most, if that is many more than the newcomer has."""
        going = next((line for line in self.lines if line.idle), None)
        if going is None:
            greedy, most = self.by_address.most_common(1)[0]
            if most <= own + 1:
                return False
            going = next(line for line in self.lines if line.peer == greedy)
        self.leave(going)
        going.end("crowded_out")
        return True

    def _again(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(1 / SWEEPS_A_SECOND, self._again)
        self.sweep(loop.time())
        if loop.time() - self._tidied_at >= TELL_SECONDS:
            self._tidied_at = loop.time()
            garbage.when_quiet(len(self.lines))
        if self._untold and loop.time() - self._told_at >= TELL_SECONDS:
            self._told_at = loop.time()
            self._tell()

    def _tell(self) -> None:
        for reason, count in self._untold.items():
            about = {"reason": reason, "lines": count, "last": self._who[reason]}
            # What strangers send is theirs; that there is no more room is the operator's.
            level = logging.WARNING if reason in NO_ROOM else logging.INFO
            logger.log(level, "lines were turned away", extra=about)
        self._untold.clear()
        self._who.clear()

    def sweep(self, now: float) -> None:
        """Some of the lines are looked at, in turns: each once a second or so."""
        waiting = self._sweeping
        count = max(FEW_LINES, len(waiting) // SWEEPS_A_SECOND)
        for line in list(islice(waiting, count)):
            del waiting[line]
            waiting[line] = None
            line.linger(now)


def open_files() -> int | None:
    """How many files this process may have open, raised as far as it is allowed to."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - only where there is one

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):  # such as more than the system has
            return soft
    return None if hard == resource.RLIM_INFINITY else hard


def _networks(texts: str | None) -> list[Network]:
    """Of proxies: everybody comes by them, so that they are not counted as one visitor."""
    if texts is None:
        return []
    every: Iterable[str] = ("0.0.0.0/0", "::/0") if texts == "*" else texts.split(",")
    return [ip_network(text.strip(), strict=False) for text in every]


def _within(host: str, network: Network) -> bool:
    try:
        return ip_address(host) in network
    except ValueError:
        return False
