"""What the log says of a table: who sits where, which round it is, and what may be asked of whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from qwixx import games
from qwixx.core import proof
from qwixx.core.game import Game, Position
from qwixx.core.record import Record
from qwixx.core.sealing import BOT
from qwixx.server import messages as m
from qwixx.server.refusals import Refusal
from qwixx.server.round import Round

Status: TypeAlias = Literal["gathering", "playing", "over"]


@dataclass
class Seat:
    """A place at the table. A person's seat is held by the hash of a secret."""

    kind: Literal["open", "person", "bot"]
    name: str | None = None
    face: str | None = None
    level: str | None = None
    holder: str | None = None
    brought: str | None = None  # the end of the page's chain; in older rounds its own part
    brought_at: int = 0  # the event it came with
    stand_in: bool = False

    @property
    def recorded(self) -> str:
        """Who sits here, as records have it."""
        return (self.name or "") if self.kind == "person" else f"{BOT}{self.level}"

    @property
    def bot_level(self) -> str | None:
        """The level that acts for this seat just now, if a bot does."""
        return self.level if self.kind == "bot" or self.stand_in else None

    @property
    def missing(self) -> bool:
        """Whether the table still waits for this seat to be ready."""
        return self.kind == "open" or (
            self.kind == "person" and not self.stand_in and self.brought is None
        )


@dataclass
class TableState:
    """A table in memory. Its log is the truth; this is what the log says."""

    id: str
    number: int = 0  # of the last event
    at: int = 0  # when it happened
    game_id: str = ""
    options: m.Options = field(default_factory=m.Options)
    creator: str = ""
    position: Position | None = None  # that the first round goes on from
    seats: list[Seat] = field(default_factory=list)
    round: int = 0
    key: bytes = b""  # of this round's dice
    scheme: str = proof.SCHEME
    playing: Round | None = None  # from the start of the round until the next one gathers
    keepers: list[str] = field(default_factory=list)  # who made each chain of this round
    happened: list[m.Happened] = field(default_factory=list)  # this round's events, bare
    rounds: dict[int, Record] = field(default_factory=dict)  # finished ones
    commands: dict[str, int] = field(default_factory=dict)
    agreed: dict[int, set[str]] = field(
        default_factory=dict
    )  # who wants a player to leave, by seat
    removed: set[str] = field(default_factory=set)  # holders who had to leave

    @cached_property
    def game(self) -> Game[Any]:
        return games.game(self.game_id)

    @property
    def status(self) -> Status:
        if self.playing is None:
            return "gathering"
        return "over" if self.playing.over else "playing"

    @property
    def start_of_round(self) -> Position | None:
        """The position that this round goes on from; another round begins as any other."""
        return self.position if self.round == 1 else None

    @property
    def opened(self) -> int:
        """The event that opened the present decision; 0 while none is open."""
        return self.playing.opened if self.playing else 0

    @property
    def opened_at(self) -> int:
        return self.playing.opened_at if self.playing else 0

    @property
    def pending(self) -> Mapping[int, str]:
        """The choices of this action, sealed until the last is in."""
        return self.playing.pending if self.playing else {}

    @property
    def seals(self) -> bool:
        return self.scheme == proof.SCHEME

    def held_by(self, holder: str | None) -> list[int]:
        """The seats that a secret's hash holds."""
        return [
            number
            for number, seat in enumerate(self.seats)
            if holder is not None and seat.holder == holder
        ]

    def others(self, holder: str | None) -> list[Seat]:
        """The seats of people at other devices."""
        return [seat for seat in self.seats if seat.kind == "person" and seat.holder != holder]

    def waits_for(self, seat: int) -> bool:
        """Whether the others wait for this seat."""
        return (
            self.playing is not None and not self.playing.over and seat in self.playing.waited_for()
        )

    def check_status(self, *wanted: Status) -> None:
        if self.status not in wanted:
            said = {
                "gathering": "the game has not begun",
                "playing": "the game is running",
                "over": "the game is over",
            }
            raise Refusal("not_now", said[self.status])

    def running(self) -> Round:
        self.check_status("playing")
        assert self.playing is not None
        return self.playing

    def check_holds(self, seat: int, holder: str | None) -> None:
        if seat not in self.held_by(holder):
            raise Refusal("not_yours", f"seat {seat} is not yours")

    def check_fresh(self, seat: int, holder: str | None, seen: int) -> None:
        self.check_holds(seat, holder)
        self.check_status("playing")
        if seen < self.opened or seen > self.number:
            raise Refusal(
                "stale",
                f"this was meant for an earlier moment: the table is at event {self.number}",
            )

    def check_creator(self, holder: str | None) -> None:
        if holder is None or holder != self.creator:
            raise Refusal("not_yours", "whoever made the table can do that")
