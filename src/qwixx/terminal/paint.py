"""Colour and characters, as far as the terminal at hand has them."""

import os
import sys
from dataclasses import dataclass
from typing import Final, TextIO

RESET: Final = "\x1b[0m"


@dataclass(frozen=True)
class Ink:
    """A style: numbers of the 256-colour palette."""

    front: int | None = None
    back: int | None = None
    bold: bool = False

    @property
    def code(self) -> str:
        parts = ["1"] if self.bold else []
        parts += [f"38;5;{self.front}"] if self.front is not None else []
        parts += [f"48;5;{self.back}"] if self.back is not None else []
        return f"\x1b[{';'.join(parts)}m"


# For each colour: the row, a number in it, what is gone, and what is crossed.
ROW: Final = {"R": Ink(231, 160), "Y": Ink(16, 178), "G": Ink(231, 28), "B": Ink(231, 26)}
GONE: Final = {"R": Ink(210, 160), "Y": Ink(94, 178), "G": Ink(114, 28), "B": Ink(117, 26)}
CROSSED: Final = {
    "R": Ink(124, 224, bold=True),
    "Y": Ink(94, 229, bold=True),
    "G": Ink(22, 194, bold=True),
    "B": Ink(18, 153, bold=True),
}
PIECE: Final = (Ink(231, 16, bold=True), Ink(16, 250, bold=True))
OPEN: Final = Ink(16, 231, bold=True)
WHITE_DIE: Final = Ink(16, 231, bold=True)
STRONG: Final = Ink(bold=True)
SOFT: Final = Ink(245)


@dataclass(frozen=True)
class Paint:
    """What may be used: colours, characters beyond ASCII, clearing the screen."""

    colour: bool = False
    unicode: bool = True
    clears: bool = False

    @classmethod
    def for_stream(cls, stream: TextIO) -> "Paint":
        """NO_COLOR and dumb terminals get plain text; pipes too."""
        smart = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        encoding = (stream.encoding or "ascii").lower().replace("-", "")
        return cls(
            colour=smart and not os.environ.get("NO_COLOR"),
            unicode=encoding.startswith("utf"),
            clears=smart,
        )

    def ink(self, text: str, ink: Ink) -> str:
        return f"{ink.code}{text}{RESET}" if self.colour else text

    def glyph(self, fine: str, plain: str) -> str:
        """A character where the terminal has it, else one that every terminal has."""
        return fine if self.unicode else plain

    def symbol(self, colour: str) -> str:
        """Each colour's own sign, so that it reads without colour."""
        return {"R": "▲", "Y": "●", "G": "■", "B": "◆"}[colour] if self.unicode else colour


def standard() -> Paint:
    """For standard output as it is now."""
    return Paint.for_stream(sys.stdout)
