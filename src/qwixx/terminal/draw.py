"""Draws tables: sheets and boards, dice, the score. Every line fits 80 columns."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from qwixx.core import names
from qwixx.core.dice import Dice
from qwixx.core.fields import COLOUR_NAMES, Move
from qwixx.core.game import Effects, Game, Result
from qwixx.core.picture import Cell, Guide, Panel, Strip
from qwixx.terminal.paint import (
    CROSSED,
    GONE,
    OPEN,
    PIECE,
    ROW,
    SOFT,
    STRONG,
    WHITE_DIE,
    Ink,
    Paint,
)

COLUMN: Final = 41  # where the second of two small sheets begins
LARGE: Final = 5
CLOSE: Final = 4  # a cell of a row that is too long for larger ones
LONGEST_ROW: Final = 14  # cells of 5 that fit beside the sign of the row and its points
SMALL: Final = 3
LONGEST_NAME: Final = 16

_PIPS: Final = {
    1: ("       ", "   o   ", "       "),
    2: (" o     ", "       ", "     o "),
    3: (" o     ", "   o   ", "     o "),
    4: (" o   o ", "       ", " o   o "),
    5: (" o   o ", "   o   ", " o   o "),
    6: (" o   o ", " o   o ", " o   o "),
    7: (" o   o ", " o o o ", " o   o "),
    8: (" o o o ", " o   o ", " o o o "),
    9: (" o o o ", " o o o ", " o o o "),
}

_EFFECT_WORDS: Final = {
    "skips": "skips {}",
    "closes": "closes the row",
    "captures": "captures",
    "raises": "stack of {}",
    "leads": "will be in front",
    "forgoes": "gives up this lock",
    "failed": "costs a failed throw, -{cost}",
}


def effect_words(effects: Effects, cost: int) -> str:
    """What a move does, in words, as far as people are told; `cost` is that of a failed throw."""
    known = [(_EFFECT_WORDS.get(effect), size) for effect, size in effects.to_json().items()]
    return ", ".join(words.format(size, cost=cost) for words, size in known if words)


@dataclass(frozen=True)
class Drawing:
    """Draws one game's states, each as a list of lines."""

    paint: Paint
    game: Game[Any]
    guide: Guide[Any]
    names: Sequence[str]

    def table(self, state: Any, me: int, lit: Collection[Move] = ()) -> list[str]:
        """Everything on the table: the others' sheets small, one's own (or the shared board) large."""
        result, panels = self.game.result(state), self.guide.panels(state)
        others = [panel.seat for panel in panels if panel.seat not in (None, me)]
        small = [
            self._small(state, panels[seat], result, seat) for seat in others if seat is not None
        ]
        lines: list[str] = []
        fits = all(visible(line) < COLUMN for sheet in small for line in sheet)
        pairs = zip_longest(small[::2], small[1::2], fillvalue=[]) if fits else zip(small)
        for pair in pairs:
            lines += [*_beside(*pair), ""]
        for panel in panels:
            if panel.seat is None:
                lines += [self._caption(state, seat, result) for seat in range(len(self.names))]
                lines += [
                    line
                    for row, strip in enumerate(panel.strips)
                    for line in self._tall(strip, row, result, lit)
                ]
            elif panel.seat == me:
                lines.append(self._caption(state, me, result))
                points = result.rows[me]
                lines += [
                    f"{self._flat(strip, _width(strip), lit)} {points[row]:>3}"
                    for row, strip in enumerate(panel.strips)
                ]
        return lines

    def dice(self, dice: Dice) -> list[str]:
        """Six dice as they lie; those that have left the game are gone."""
        shown = [("W", die) for die in dice.whites]
        shown += list(zip(self.game.layout.colours, dice.coloured, strict=True))
        shown = [(colour, die) for colour, die in shown if die]
        signs = ["white" if colour == "W" else self.paint.symbol(colour) for colour, _ in shown]
        labels = [f"{sign} {die}" for sign, (_, die) in zip(signs, shown, strict=True)]
        if not (self.paint.colour and self.paint.unicode):
            return ["  ".join(labels)]
        inks = [WHITE_DIE if colour == "W" else ROW[colour] for colour, _ in shown]
        rows = [[_PIPS[die][line].replace("o", "●") for _, die in shown] for line in range(3)]
        faces = ["  ".join(map(self.paint.ink, row, inks)) for row in rows]
        return [*faces, "  ".join(label.center(7) for label in labels).rstrip()]

    def scores(self, result: Result) -> list[str]:
        """The score row by row, a line for each seat."""
        heads = [
            f"{self.paint.symbol(colour)} {COLOUR_NAMES[colour]}"
            for colour in self.game.layout.colours
        ]
        lines = [
            " " * (LONGEST_NAME + 2) + "".join(f"{head:>9}" for head in [*heads, "failed", "total"])
        ]
        for seat in range(len(self.names)):
            numbers = [*result.rows[seat], -result.penalty(seat), result.totals[seat]]
            line = f"  {self.name(seat):<{LONGEST_NAME}}" + "".join(
                f"{number:>9}" for number in numbers
            )
            won = result.winners is not None and seat in result.winners
            lines.append(self.paint.ink(f"{line}  won", STRONG) if won else line)
        return lines

    def name(self, seat: int) -> str:
        """A seat's name as it is shown: bounded, plain, and told apart from its namesakes."""
        name = plain(self.names[seat].removeprefix("bot:"))
        if list(self.names).count(self.names[seat]) > 1:
            name = f"{name} {1 + list(self.names[:seat]).count(self.names[seat])}"
        return (
            name
            if len(name) <= LONGEST_NAME
            else name[: LONGEST_NAME - 1] + self.paint.glyph("…", ".")
        )

    def choices(self, state: Any, seat: int, moves: Sequence[Move]) -> list[str]:
        """The legal moves with what each does, numbered; passing is 0."""
        lines = []
        for number, move in enumerate(moves):
            words = effect_words(self.game.effects(state, seat, move), self.guide.printed.cost)
            sign = "pass" if number == 0 else self._where(move)
            lines.append(f"  {number}) {move:<4}{sign} {words}".rstrip())
        return [*lines[1:], lines[0]]

    def _where(self, field: Move) -> str:
        """The sign of a field's colour, and of its row where that is another."""
        row = self.game.layout.colours[self.game.layout.places[field][0]]
        sign = self.paint.symbol(field[0])
        return sign if row == field[0] else f"{sign} in row {self.paint.symbol(row)}"

    def _caption(self, state: Any, seat: int, result: Result) -> str:
        marker = self._marker(seat) + " " if self.guide.markers else ""
        turn = self.paint.glyph("▶", ">") if seat == state.active and not result.over else " "
        name = self.paint.ink(self.name(seat), STRONG)
        return (
            f"{turn} {marker}{name}  score {result.totals[seat]}, {self.guide.status(state, seat)}"
        )

    def _small(self, state: Any, panel: Panel, result: Result, seat: int) -> list[str]:
        turn = self.paint.glyph("▶", ">") if seat == state.active and not result.over else " "
        caption = f"{turn} {self.paint.ink(self.name(seat), STRONG)}  score {result.totals[seat]}"
        failed = result.penalty(seat) // self.guide.printed.cost
        caption += f", failed {failed}" if failed else ""
        return [caption, *(self._flat(strip, SMALL, ()) for strip in panel.strips)]

    def _flat(self, strip: Strip, width: int, lit: Collection[Move]) -> str:
        """A row on one line, the number kept beside its cross."""
        label = self.paint.ink(f" {self.paint.symbol(strip.colour)} ", ROW[strip.colour])
        cells = [self._flat_cell(cell, strip, width, lit) for cell in strip.cells]
        return label + "".join(cells)

    def _flat_cell(self, cell: Cell, strip: Strip, width: int, lit: Collection[Move]) -> str:
        cross, colour = self.paint.glyph("×", "x"), cell.colour
        label = "L" if width == SMALL and cell.field is None else self._label(cell, strip)
        if cell.height:
            fitting = next((text for text in (label, cell.label) if len(text) < width), "")
            return self.paint.ink((cross + fitting).center(width), CROSSED[colour])
        if cell.field in lit:
            fitting = label if len(label) + 2 <= width else cell.label
            return self.paint.ink(f"[{fitting}]".center(width), OPEN)
        if cell.gone:
            return self.paint.ink(self.paint.glyph("·", ".").center(width), GONE[colour])
        return self.paint.ink(label.center(width), ROW[colour])

    def _label(self, cell: Cell, strip: Strip) -> str:
        """What is printed on a cell; in a row of several colours with the sign of its own."""
        mixed = any(other.colour != strip.colour for other in strip.cells)
        return (
            f"{self.paint.symbol(cell.colour)}{cell.label}" if mixed and cell.field else cell.label
        )

    def _tall(self, strip: Strip, row: int, result: Result, lit: Collection[Move]) -> list[str]:
        """A row on two lines: the numbers, and under them the pieces."""
        inks, width = GONE if strip.closed else ROW, _width(strip)
        numbers = self.paint.ink(f" {self.paint.symbol(strip.colour)} ", inks[strip.colour])
        pieces = self.paint.ink("   ", inks[strip.colour])
        for cell in strip.cells:
            can, label, ink = cell.field in lit, self._label(cell, strip), inks[cell.colour]
            number = f"[{label}]" if can else label
            numbers += self.paint.ink(number.center(width), OPEN if can else ink)
            pieces += self._piece(cell, ink, width)
        points = [
            f" {self._marker(seat)}{result.rows[seat][row]:>3}" for seat in range(len(self.names))
        ]
        return [numbers + points[0], pieces + points[1]]

    def _piece(self, cell: Cell, ink: Ink, width: int) -> str:
        if cell.owner is None:
            return self.paint.ink(" " * width, ink)
        height = str(cell.height) if cell.height > 1 else ""
        foremost = self.paint.glyph("‹", "<") if cell.foremost else ""
        text = self._marker(cell.owner) + height + foremost
        pad = (width - len(text)) // 2
        painted = self.paint.ink(text, PIECE[cell.owner])
        return (
            self.paint.ink(" " * pad, ink)
            + painted
            + self.paint.ink(" " * (width - len(text) - pad), ink)
        )

    def _marker(self, seat: int) -> str:
        return self.guide.markers[seat][0]


def _width(strip: Strip) -> int:
    """Of the cells of a row that is drawn large."""
    return LARGE if len(strip.cells) <= LONGEST_ROW else CLOSE


def plain(text: str) -> str:
    """A stranger's text as a terminal may show it: no control characters, nothing invisible."""
    return "".join(one if one.isprintable() or one in names.JOINERS else "?" for one in text)


def soft(paint: Paint, text: str) -> str:
    return paint.ink(text, SOFT)


def _beside(left: Sequence[str], right: Sequence[str] = ()) -> list[str]:
    return [
        f"{one}{' ' * (COLUMN - visible(one))}{two}".rstrip()
        for one, two in zip_longest(left, right, fillvalue="")
    ]


def visible(text: str) -> int:
    """How many columns a painted text takes."""
    length, inside = 0, False
    for character in text:
        inside = inside or character == "\x1b"
        length += not inside
        inside = inside and character != "m"
    return length
