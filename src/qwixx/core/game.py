"""The contract: what it takes to be a game. Everything else in this project is generic over it.

States are frozen, hashable values. In every state exactly one holds: the game is over, somebody is
to act (perhaps several at once, their choices sealed until the last is in), or the dice must be
rolled. Chance is explicit: whoever drives the game supplies the dice, and the rules only check
them.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from .dice import Dice, Throw
from .fields import Layout, Move

Phase: TypeAlias = Literal["roll", "white", "colour", "over"]
ROLL: Final = "roll"
WHITE: Final = "white"
COLOUR: Final = "colour"
OVER: Final = "over"
PHASES: Final[tuple[Phase, ...]] = (ROLL, WHITE, COLOUR, OVER)

Reason: TypeAlias = Literal["rows", "failed", "pieces"]
Position: TypeAlias = dict[str, Any]


class Effects(NamedTuple):
    """What a move does, each with its number; nought where it does not."""

    skips: int = 0  # fields that it leaves behind
    closes: int = 0  # a row
    captures: int = 0
    raises: int = 0  # a stack, to so many
    leads: int = 0  # the row's foremost field moves
    forgoes: int = 0  # the lock of this row: it can never be had any more
    # The way to it: it can be had, but only with a stack or a capture (for bots to weigh).
    narrows: int = 0
    failed: int = 0  # a failed throw

    def to_json(self) -> dict[str, int]:
        """What it does, by name; what it does not is left out."""
        return {effect: size for effect, size in self._asdict().items() if size}


class State(Protocol):
    """What every state shows to those who know no game."""

    @property
    def active(self) -> int: ...
    @property
    def phase(self) -> Phase: ...
    @property
    def dice(self) -> Dice | None: ...


class Result(NamedTuple):
    """The score as it stands; winners and reason once the game is over."""

    totals: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    over: bool
    winners: tuple[int, ...] | None
    reason: Reason | None

    def penalty(self, seat: int) -> int:
        """The points that failed throws have cost this seat."""
        return sum(self.rows[seat]) - self.totals[seat]


S = TypeVar("S", bound=State)


class Game(ABC, Generic[S]):
    """The rules of one game, as functions of its state."""

    id: str
    players: ClassVar[range]  # how many seats it takes
    layout: Layout

    @abstractmethod
    def start(self, players: int, first: int = 0) -> S:
        """The empty table; `first` is the seat that was drawn to begin (S7)."""

    @abstractmethod
    def seats(self, state: S) -> int:
        """How many sit at the table."""

    @abstractmethod
    def to_act(self, state: S) -> tuple[int, ...]:
        """The seats that have a choice to make now."""

    @abstractmethod
    def dice_in_play(self, state: S) -> str:
        """The colours whose dice are still in the game, a dot for each that is gone: `RY.B`."""

    @abstractmethod
    def throws(self, state: S) -> tuple[Throw, ...]:
        """Every roll that may come now, once, with its weight (whole, to be divided by their sum);
        none if the dice are not to be rolled."""

    @abstractmethod
    def roll(self, state: S, dice: Dice) -> S:
        """The active player has thrown these dice."""

    @abstractmethod
    def moves(self, state: S, seat: int) -> tuple[Move, ...]:
        """Every legal choice, pass first, then row by row from left to right; none if not to act."""

    @abstractmethod
    def choose(self, state: S, seat: int, move: Move) -> S:
        """The seat makes its choice. An illegal one raises with the rule it breaks."""

    @abstractmethod
    def effects(self, state: S, seat: int, move: Move) -> Effects:
        """What a legal choice would do."""

    @abstractmethod
    def result(self, state: S) -> Result:
        """The score as it stands."""

    @abstractmethod
    def view(self, state: S, seat: int | None) -> S:
        """The state as this seat (or a spectator, None) may know it.

        A hidden choice may be supposed: once all others have chosen, `to_act` names the seats whose
        choice is hidden and `choose` fills it in, which is how a bot looks ahead.
        """

    @abstractmethod
    def to_position(self, state: S) -> Position:
        """The state as JSON values."""

    @abstractmethod
    def from_position(self, position: Any) -> S:
        """The state of a position; one that cannot be raises `BadPosition`."""
