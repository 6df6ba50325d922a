"""A table as text and as a picture in RGB, drawn from the game's panels."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qwixx.core.picture import Cell, Guide, Panel, Strip

MODES: Final = ("human", "ansi", "rgb_array")

Picture = NDArray[np.uint8]

_CELL: Final = 16  # pixels of a field, its border included
_GAP: Final = 6
_COLOURS: Final = {
    "R": (214, 69, 65),
    "Y": (230, 180, 40),
    "G": (72, 160, 88),
    "B": (66, 110, 190),
}
_PAPER: Final = (245, 242, 235)
_INK: Final = (30, 30, 34)
_WHITE: Final = (255, 255, 255)
_OWNERS: Final = ((20, 20, 24), (240, 240, 240), (110, 40, 120), (30, 110, 110), (120, 80, 20))
# Digits of three by five dots, a row an octal number.
_DIGITS: Final = (
    "75557",
    "26227",
    "71747",
    "71717",
    "55711",
    "74717",
    "74757",
    "71122",
    "75757",
    "75717",
)


def text(guide: Guide[Any], state: Any) -> str:
    """The table in letters: `.` is empty, `-` is gone, `a` is a mark of seat 0, `b` of seat 1 ...,
    a capital the foremost of its row; stacks are named beside it."""
    result = guide.game.result(state)
    dice = f", dice {state.dice}" if state.dice else ""
    lines = [f"{guide.title}: seat {state.active}, {state.phase}{dice}"]
    for panel in guide.panels(state):
        if panel.seat is not None:
            lines.append(f"seat {panel.seat}: {result.totals[panel.seat]} points")
        lines += [_row(strip) for strip in panel.strips]
        lines.append(f"  failed throws: {len(panel.failed)}")
        if panel.seat is None:
            lines.append("points: " + ", ".join(map(str, result.totals)))
    return "\n".join(lines)


def _row(strip: Strip) -> str:
    stacks = [f" {cell.field} x{cell.height}" for cell in strip.cells if cell.height > 1]
    return f"  {strip.colour} {strip.text}{''.join(stacks)}"


def picture(guide: Guide[Any], state: Any) -> Picture:
    """The table in colours: the dice, then every panel below the other."""
    panels = [_panel(panel) for panel in guide.panels(state)]
    parts = [_dice(guide, state), *panels]
    width = max(part.shape[1] for part in parts) + 2 * _GAP
    height = sum(part.shape[0] + _GAP for part in parts) + _GAP
    whole = np.full((height, width, 3), _PAPER, np.uint8)
    top = _GAP
    for part in parts:
        whole[top : top + part.shape[0], _GAP : _GAP + part.shape[1]] = part
        top += part.shape[0] + _GAP
    return whole


def _panel(panel: Panel) -> Picture:
    longest = max(len(strip.cells) for strip in panel.strips)
    drawn = np.full(((len(panel.strips) + 1) * _CELL, longest * _CELL, 3), _PAPER, np.uint8)
    for row, strip in enumerate(panel.strips):
        for place, cell in enumerate(strip.cells):
            _put(drawn, row, place, _COLOURS[cell.colour], cell)
    for place, owner in enumerate(panel.failed):
        _put(drawn, len(panel.strips), place, _WHITE, Cell(None, "", "", owner, 1))
    return drawn


def _put(drawn: Picture, row: int, place: int, colour: tuple[int, ...], cell: Cell) -> None:
    square = drawn[row * _CELL : (row + 1) * _CELL - 1, place * _CELL : (place + 1) * _CELL - 1]
    square[:] = colour
    if cell.gone:
        square[:] = square // 2 + np.array(_PAPER, np.uint8) // 2
    if cell.owner is not None:
        square[3:-3, 3:-3] = _OWNERS[cell.owner % len(_OWNERS)]
        if cell.height > 1:
            _write(square, str(cell.height), colour)
    elif cell.label.isdigit():
        _write(square, cell.label, _WHITE)


def _write(square: Picture, digits: str, colour: tuple[int, ...]) -> None:
    """A number in the middle of a square."""
    left = (_CELL - 1 - 4 * len(digits)) // 2 + 1
    for digit in digits:
        for line, dots in enumerate(_DIGITS[int(digit)]):
            for dot in range(3):
                if int(dots, 8) >> (2 - dot) & 1:
                    square[5 + line, left + dot] = colour
        left += 4


def _dice(guide: Guide[Any], state: Any) -> Picture:
    layout = guide.game.layout
    drawn = np.full((_CELL, (2 + len(layout.colours)) * _CELL, 3), _PAPER, np.uint8)
    if state.dice is not None:
        faces = (*state.dice.whites, *state.dice.coloured)
        colours = (_WHITE, _WHITE, *(_COLOURS[colour] for colour in layout.colours))
        for place, (face, colour) in enumerate(zip(faces, colours, strict=True)):
            if face:
                square = drawn[: _CELL - 1, place * _CELL : (place + 1) * _CELL - 1]
                square[:] = colour
                _write(square, str(face), _INK)
    return drawn


def render(mode: str | None, guide: Guide[Any], state: Any) -> str | Picture | None:
    """The table in one of the modes; for people it is printed."""
    if mode == "rgb_array":
        return picture(guide, state)
    if mode == "ansi":
        return text(guide, state)
    if mode == "human":
        print(text(guide, state))
    return None
