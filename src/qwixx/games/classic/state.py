"""What lies on a classic table: the sheets, the turn, and the sealed choices."""

from typing import NamedTuple

from qwixx.core.dice import Dice
from qwixx.core.fields import Move
from qwixx.core.game import Phase


class Sheet(NamedTuple):
    """One player's sheet. A row is a bit mask:
    bit i is its i-th number, the bit after the last its lock."""

    rows: tuple[int, ...]
    failed: int


class ClassicState(NamedTuple):
    """A frozen table. `sealed` holds each seat's choice in the white action until the last is in."""

    sheets: tuple[Sheet, ...]
    closed: tuple[bool, ...]
    active: int
    phase: Phase
    dice: Dice | None
    white: Move | None
    sealed: tuple[Move | None, ...]
