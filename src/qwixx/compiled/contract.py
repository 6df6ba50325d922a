"""The compiled contract: what a game's kernel offers, function by function.
All that thinks and plays uses this.

A table is a row of words that only its kernel reads. Every kernel has a board of a type of its own;
a call goes to the kernel of the board's type, in compiled code without any detour. Nothing is
checked here: who calls `roll` and `together` has asked `phase` and `legal` before.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, NamedTuple

from numba.extending import overload

from qwixx.compiled.jit import OPTIONS
from qwixx.compiled.words import Bytes, Words

_KERNELS: Final[dict[type, ModuleType]] = {}


class FeatureSizes(NamedTuple):
    """How many features a net is told: of the own list, of each other list,
    in a list, and how many others."""

    own: int
    other: int
    listed: int
    others: int


def kernel(board: type) -> None:
    """The module that calls this is the kernel of all boards of this type.

    The name of the type must be its own: machine code is found by the names of types.
    """
    if any(other.__name__ == board.__name__ for other in _KERNELS):
        raise TypeError(
            f"there is a kernel with a {board.__name__} already: give this one another name"
        )
    _KERNELS[board] = sys.modules[board.__module__]


def start(board: Any, table: Words, first: int) -> None:
    """The empty table."""
    _KERNELS[type(board)].start(board, table, first)


def phase(board: Any, table: Words) -> int:
    """ROLL, WHITE, COLOUR or OVER."""
    return _KERNELS[type(board)].phase(board, table)  # type: ignore[no-any-return]  # modules carry no types


def active(board: Any, table: Words) -> int:
    """The seat whose turn it is."""
    return _KERNELS[type(board)].active(board, table)  # type: ignore[no-any-return]  # as above


def seats(board: Any, table: Words) -> int:
    """How many sit at the table."""
    return _KERNELS[type(board)].seats(board, table)  # type: ignore[no-any-return]  # as above


def closed(board: Any, table: Words) -> int:
    """The rows whose die has left, as bits."""
    return _KERNELS[type(board)].closed(board, table)  # type: ignore[no-any-return]  # as above


def dice(board: Any, table: Words) -> int:
    """The dice that lie on the table; nought if none do."""
    return _KERNELS[type(board)].dice(board, table)  # type: ignore[no-any-return]  # as above


def failed(board: Any, table: Words, seat: int) -> int:
    """The failed throws of a seat."""
    return _KERNELS[type(board)].failed(board, table, seat)  # type: ignore[no-any-return]  # as above


def marks(board: Any, table: Words, seat: int, shown: Bytes, at: int) -> None:
    """Show from here on how many marks a seat has on each place, row by row, each with its lock;
    where it has none, nought stands already."""
    _KERNELS[type(board)].marks(board, table, seat, shown, at)


def roll(board: Any, table: Words, dice: int) -> None:
    """The active seat has thrown these dice."""
    _KERNELS[type(board)].roll(board, table, dice)


def acting(board: Any, table: Words) -> int:
    """The seats that have a choice to make now, as bits."""
    return _KERNELS[type(board)].acting(board, table)  # type: ignore[no-any-return]  # as above


def legal(board: Any, table: Words, seat: int) -> int:
    """The legal moves of a seat that has a choice to make, as a set."""
    return _KERNELS[type(board)].legal(board, table, seat)  # type: ignore[no-any-return]  # as above


def open_fields(board: Any, table: Words, seat: int) -> int:
    """The fields that a seat may enter in its colour action, whatever the dice say."""
    return _KERNELS[type(board)].open_fields(board, table, seat)  # type: ignore[no-any-return]  # as above


def choose(board: Any, table: Words, seat: int, move: int) -> None:
    """One seat makes its choice."""
    _KERNELS[type(board)].choose(board, table, seat, move)


def together(board: Any, table: Words, choices: Words) -> None:
    """All who act choose so, by the seat, whatever they may have chosen before;
    the action takes effect."""
    _KERNELS[type(board)].together(board, table, choices)


def turn_over(board: Any, table: Words) -> None:
    """The colour action is left out and nothing is failed, which only thought can do."""
    _KERNELS[type(board)].turn_over(board, table)


def forget(board: Any, table: Words) -> None:
    """Choices that are sealed so far are forgotten: nobody may know them."""
    _KERNELS[type(board)].forget(board, table)


def effects(board: Any, table: Words, seat: int, move: int) -> tuple[int, ...]:
    """What a legal choice would do, as the law tells it in its `Effects`."""
    return _KERNELS[type(board)].effects(board, table, seat, move)  # type: ignore[no-any-return]  # as above


def features(board: Any, table: Words, seat: int, lists: Words) -> int:
    """List what a net is told of a table between two turns, the own list first;
    how many others there are."""
    return _KERNELS[type(board)].features(board, table, seat, lists)  # type: ignore[no-any-return]  # as above


def total(board: Any, table: Words, seat: int) -> int:
    """The points of a seat as they stand."""
    return _KERNELS[type(board)].total(board, table, seat)  # type: ignore[no-any-return]  # as above


def reason(board: Any, table: Words) -> int:
    """What ended a game that is over, as a place in REASONS."""
    return _KERNELS[type(board)].reason(board, table)  # type: ignore[no-any-return]  # as above


COMPILED: Final[tuple[Callable[..., Any], ...]] = (
    start,
    phase,
    active,
    seats,
    closed,
    dice,
    failed,
    marks,
    roll,
    acting,
    legal,
    open_fields,
    choose,
    together,
    turn_over,
    forget,
    effects,
    features,
    total,
    reason,
)
PLAIN: Final = ("FEATURES", "board", "words", "pack", "unpack")  # what else a kernel offers


def _by_type(function: Callable[..., Any]) -> None:
    """In compiled code a call goes to the function of the kernel whose board it is."""

    def of_kernel(board: Any, *_rest: Any) -> Any:
        found = getattr(_KERNELS[board.instance_class], function.__name__)
        return getattr(found, "py_func", found)

    small = function is not features
    overload(function, strict=False, jit_options={**OPTIONS, "forceinline": small})(of_kernel)


for _function in COMPILED:
    _by_type(_function)
