"""Sets as words of bits, and tables of words;
in compiled code most of this is an instruction of the machine."""

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from qwixx.compiled.jit import inlined

Words = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_KEPT: Final[dict[bytes, Words]] = {}  # the tables whose places were given out


def count(mask: int) -> int:
    """How many bits of a word are set."""
    return int(mask).bit_count()


def lowest(mask: int) -> int:
    """The place of the lowest bit that is set."""
    return (int(mask) & -int(mask)).bit_length() - 1


def length(mask: int) -> int:
    """The place after the highest bit that is set."""
    return int(mask).bit_length()


def word_at(table: int, place: int) -> int:
    """A word of a table that `place_of` gave the place of.

    Not an array, since numba counts the references of an array at every call,
    which costs more than a rule.
    """
    return ctypes.c_int64.from_address(int(table) + 8 * int(place)).value


def place_of(table: Sequence[int]) -> int:
    """Where a table of words lies in the memory of this process, for good."""
    words = np.array(table, np.int64)
    kept = _KEPT.setdefault(words.tobytes(), words)
    return int(kept.ctypes.data)


def _code_of_count(_typing: Any, _mask: Any) -> Any:
    return _WORD(_WORD), lambda _context, builder, _signature, words: builder.ctpop(words[0])


def _code_of_lowest(_typing: Any, _mask: Any) -> Any:
    return _WORD(_WORD), lambda _context, builder, _signature, words: builder.cttz(
        words[0], _UNDEFINED_FOR_0
    )


def _code_of_length(_typing: Any, _mask: Any) -> Any:
    def code(_context: Any, builder: Any, _signature: Any, words: Any) -> Any:
        return builder.sub(ir.Constant(ir.IntType(64), 64), builder.ctlz(words[0], _DEFINED_FOR_0))

    return _WORD(_WORD), code


def _code_of_word_at(_typing: Any, _table: Any, _place: Any) -> Any:
    def code(_context: Any, builder: Any, _signature: Any, words: Any) -> Any:
        table = builder.inttoptr(words[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(table, [words[1]]))

    return _WORD(_WORD, _WORD), code


_WORD: Final = numba.types.int64
_UNDEFINED_FOR_0, _DEFINED_FOR_0 = (ir.Constant(ir.IntType(1), flag) for flag in (1, 0))
_count, _lowest, _length = map(intrinsic, (_code_of_count, _code_of_lowest, _code_of_length))
_word_at = intrinsic(_code_of_word_at)
overload(count)(lambda mask: lambda mask: _count(mask))  # noqa: ARG005, PLW0108 - numba reads the inner one
overload(lowest)(lambda mask: lambda mask: _lowest(mask))  # noqa: ARG005, PLW0108 - as above
overload(length)(lambda mask: lambda mask: _length(mask))  # noqa: ARG005, PLW0108 - as above
overload(word_at)(lambda table, place: lambda table, place: _word_at(table, place))  # noqa: ARG005, PLW0108 - as above


@inlined
def nth_of(moves: int, place: int) -> int:
    """The move at a place of a set, in the law's order;
    no branch for the first, which none could foretell."""
    for passed in range(3):
        moves &= moves - 1 | -int(place <= passed)
    for _ in range(3, place):
        moves &= moves - 1
    return lowest(moves)
