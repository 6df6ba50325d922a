"""A table with its connections: what is not in the log,
such as who is here and what is not on disk yet."""

import asyncio
import hashlib
import secrets
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from qwixx.server import messages as m
from qwixx.server.asking import Asking
from qwixx.server.refusals import Refusal
from qwixx.server.sockets import Socket
from qwixx.server.store import Code
from qwixx.server.table import Due, Table
from qwixx.study import Hint

CODE_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"


@dataclass(frozen=True)
class Gone:
    """When a person's last connection ended:
    by the wall clock to tell, by the steady one to measure."""

    wall: int  # milliseconds since 1970
    steady: float


@dataclass
class Room:
    """One table in memory."""

    table: Table
    durable: int = 0  # the last event that is on disk
    outbox: deque[tuple[int, bytes]] = field(default_factory=deque)  # frames of events that are not
    after: deque[tuple[int, Callable[[], None]]] = field(default_factory=deque)
    sockets: set[Socket] = field(default_factory=set)
    holders: Counter[str] = field(default_factory=Counter)  # open connections of each
    seated: set[str] = field(default_factory=set)  # holders of seats, after the last event
    gone: dict[str, Gone] = field(default_factory=dict)  # since when a holder has none
    opened: float = 0.0  # when the present decision was, by the steady clock
    hurried: int = 0  # the event that opened the decision in which bots do not pause
    # Found or being found, by the event that opened the present decision, and seat.
    hints: dict[tuple[int, int], asyncio.Task[Hint | None]] = field(default_factory=dict)
    codes: dict[str, Code] = field(default_factory=dict)  # by their hash
    code_tries: Counter[str] = field(default_factory=Counter)  # by address
    seatings: Counter[str] = field(default_factory=Counter)  # by address
    timer: asyncio.TimerHandle | None = None
    asking: Asking | None = None  # a throw that waits for its links
    late: set[str] = field(default_factory=set)  # holders that such a throw did not wait out
    thinking: bool = False
    guests: set[Socket] = field(default_factory=set)  # from before they say hello
    waited_on: set[asyncio.Event] = field(default_factory=set)  # by whoever waits for the disk
    lost: bool = False  # the table goes on elsewhere: what is here may be old
    unused: bool = False  # was so at the last sweep

    @property
    def idle(self) -> bool:
        """Whether nothing would be missed if this were forgotten and read from its log again."""
        busy = self.timer or self.asking or self.thinking
        return not (self.guests or self.outbox or self.after or busy)

    def stop(self) -> None:
        """Nothing more is done by itself."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if self.asking is not None:
            self.asking.end()
            self.asking = None

    def lose(self) -> None:
        """The table goes on elsewhere, if at all: whoever is here is sent there, and nothing more is
        told here."""
        self.lost = True
        self.outbox.clear()
        self.after.clear()
        for socket in tuple(self.guests):
            socket.drop("elsewhere")
        for waiting in tuple(self.waited_on):
            waiting.set()

    def when_durable(self, then: Callable[[], None]) -> None:
        """Do something once everything that has happened so far is on disk."""
        if self.durable >= self.table.number:
            then()
        else:
            self.after.append((self.table.number, then))

    def on_disk(self, number: int) -> None:
        """All events up to this one are on disk: now everybody may hear of them, and whatever waited
        for one of them comes before the next."""
        while self.durable < number:
            self.durable = min(number, self.after[0][0]) if self.after else number
            frames = []
            while self.outbox and self.outbox[0][0] <= self.durable:
                frames.append(self.outbox.popleft()[1])
            together = frames[0] if len(frames) == 1 else b"".join(frames)
            for socket in tuple(self.sockets):
                socket.push(together)
            while self.after and self.after[0][0] <= self.durable:
                self.after.popleft()[1]()

    def tell_all(self, frame: bytes) -> None:
        """Something that is not written down, after all that has happened so far."""

        def tell() -> None:
            for socket in tuple(self.sockets):
                socket.push(frame)

        self.when_durable(tell)

    def tell_holder(self, holder: str, frame: bytes) -> None:
        """The same, for one of those who are here."""

        def tell() -> None:
            for socket in tuple(self.sockets):
                if socket.holder == holder:
                    socket.push(frame)

        self.when_durable(tell)

    def due(self) -> Due | None:
        """The next thing the table will do by itself."""
        return self.table.due(hurried=self.hurried == self.table.opened)

    def here(self) -> list[bool]:
        return [
            seat.kind == "bot" or self.holders[seat.holder or ""] > 0 for seat in self.table.seats
        ]

    def since(self) -> list[int | None]:
        """For every person who is not here when they went (0:
        never came), None for all other seats."""
        return [
            self._gone(seat.holder).wall if seat.kind == "person" and not here else None
            for seat, here in zip(self.table.seats, self.here(), strict=True)
        ]

    def waited(self, seat: int, now: float) -> tuple[bool, float]:
        """Whether a player is here, and for how many seconds the others have waited for them."""
        if self.here()[seat]:
            return True, now - self.opened
        return False, now - max(self._gone(self.table.seats[seat].holder).steady, self.opened)

    def _gone(self, holder: str | None) -> Gone:
        return self.gone.get(holder or "", Gone(0, 0.0))

    def presence(self) -> m.Here:
        return m.Here(self.here(), self.since())

    def come(self, holder: str) -> bool:
        """A holder has one more connection; whether they were away."""
        self.holders[holder] += 1
        self.gone.pop(holder, None)
        return self.holders[holder] == 1

    def go(self, holder: str, now: Gone) -> bool:
        """A holder has one connection less; whether they are now away."""
        self.holders[holder] -= 1
        if self.holders[holder] > 0:
            return False
        del self.holders[holder]
        if self.table.held_by(holder):
            self.gone[holder] = now
        return True

    def forget_hints_not_found(self) -> None:
        """So that whoever asks again is not told of the same failure, nor that it is too late
        although the choice was taken back."""
        self.hints = {key: one for key, one in self.hints.items() if not _came_to_nothing(one)}

    def new_code(self, holder: str, now: int, seconds: int) -> str:
        """Of which only the hash is kept."""
        self.codes = {
            digest: kept
            for digest, kept in self.codes.items()
            if kept.holder != holder and kept.expires > now
        }
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(8))
        digest = self._digest(code)
        self.codes[digest] = Code(digest, holder, now + 1000 * seconds)
        self.code_tries.clear()
        return code

    def redeem(self, code: str, now: int, address: str, tries: int) -> str:
        """The holder whose seats move; a code works once.
        Whoever has guessed too often is not listened to, and voids nobody's code."""
        self.code_tries[address] += 1
        heard = self.code_tries[address] <= tries
        found = self.codes.pop(self._digest(code.strip().lower()), None) if heard else None
        if found is None or found.expires < now:
            raise Refusal(
                "bad_code", "this code is wrong, was used, or is too old: ask for a new one"
            )
        return found.holder

    def _digest(self, code: str) -> str:
        return hashlib.sha256(f"code|{self.table.id}|{code}".encode()).hexdigest()


def _came_to_nothing(finding: asyncio.Task[Hint | None]) -> bool:
    if not finding.done():
        return False
    return finding.cancelled() or finding.exception() is not None or finding.result() is None
