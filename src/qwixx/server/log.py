"""What is written down: a table is the list of these, and nothing else.
Some fields are never shown."""

from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from qwixx.core import proof
from qwixx.server.messages import Options, SeatPlan


class Created(Struct, frozen=True, tag_field="kind", tag="created", omit_defaults=True):
    game: str
    seats: list[SeatPlan]
    options: Options
    holder: str  # hash of the creator's secret; never shown
    position: dict[str, Any] | None = None  # that the first round goes on from


class Committed(Struct, frozen=True, tag_field="kind", tag="committed", omit_defaults=True):
    commitment: str
    key: str  # shown when the round is over
    scheme: str = proof.OLD_SCHEME  # how the dice are made from it


class Sat(Struct, frozen=True, tag_field="kind", tag="sat", omit_defaults=True):
    seat: int
    name: str
    holder: str  # hash of the person's secret; never shown
    face: str | None = None


class Left(Struct, frozen=True, tag_field="kind", tag="left", omit_defaults=True):
    seat: int


class Readied(Struct, frozen=True, tag_field="kind", tag="readied", omit_defaults=True):
    seat: int
    entropy: str  # the end of the page's chain; in an older round what it brought itself


class Chained(Struct, frozen=True, tag_field="kind", tag="chained", omit_defaults=True):
    """A page commits to a chain for seats that have none of its own."""

    seats: list[int]
    end: str


class Started(Struct, frozen=True, tag_field="kind", tag="started", omit_defaults=True):
    first: int
    seats: list[int]  # those who play, in order; open seats fall away
    links: dict[int, str] = {}  # that went into the draw, by chain


class Rolled(Struct, frozen=True, tag_field="kind", tag="rolled", omit_defaults=True):
    dice: str
    links: dict[int, str] = {}  # that went into it, by chain


class Chose(Struct, frozen=True, tag_field="kind", tag="chose", omit_defaults=True):
    seat: int
    move: str  # not shown before the action is resolved
    why: Literal["only", "clock", "bot"] | None = None


class Withdrew(Struct, frozen=True, tag_field="kind", tag="withdrew", omit_defaults=True):
    seat: int


class Replaced(Struct, frozen=True, tag_field="kind", tag="replaced", omit_defaults=True):
    seat: int


class Returned(Struct, frozen=True, tag_field="kind", tag="returned", omit_defaults=True):
    seat: int


class Weakened(Struct, frozen=True, tag_field="kind", tag="weakened", omit_defaults=True):
    """A bot failed; another level plays on in its seat."""

    seat: int
    level: str


class Hinted(Struct, frozen=True, tag_field="kind", tag="hinted", omit_defaults=True):
    """A seat was told what would be best in this decision."""

    seat: int


class Moved(Struct, frozen=True, tag_field="kind", tag="moved", omit_defaults=True):
    holder: str  # never shown
    to: str  # never shown


class Agreed(Struct, frozen=True, tag_field="kind", tag="agreed", omit_defaults=True):
    """Somebody wants the player of a seat to leave."""

    seat: int
    holder: str  # who; never shown


class Removed(Struct, frozen=True, tag_field="kind", tag="removed", omit_defaults=True):
    """Somebody had to leave; in a running game a bot plays on."""

    seat: int


class Allowed(Struct, frozen=True, tag_field="kind", tag="allowed", omit_defaults=True):
    watchers: bool


PlayEvent: TypeAlias = Rolled | Chose | Withdrew
AnyEvent: TypeAlias = (
    Created
    | Committed
    | Sat
    | Left
    | Readied
    | Chained
    | Started
    | PlayEvent
    | Replaced
    | Returned
    | Weakened
    | Hinted
    | Moved
    | Agreed
    | Removed
    | Allowed
)


# Whether a table needs anybody after an event: not until somebody comes, to go on by itself, or to be
# found in the list of those that people may join.
ASLEEP: Final = 0
DUE: Final = 1
LISTED: Final = 2


class Entry(Struct, frozen=True):
    """An event in the log of its table."""

    table: str
    number: int
    at: int  # milliseconds since 1970
    command: str | None
    event: AnyEvent
    awake: int = ASLEEP


_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def decode(text: str) -> AnyEvent:
    return _decoder.decode(text)
