"""Qwixx for 2 to 5 players (1 for practice), one sheet each:
the plain sheet, and others that are only data."""

from typing import Final

from qwixx.core.fields import Layout
from qwixx.games.classic.guide import ClassicGuide
from qwixx.games.classic.rules import Classic

_SUMMARY: Final = """\
Cross numbers from left to right; what you skip is gone for good.
White action: everybody may cross the sum of the two white dice in one row.
Colour action: the active player may then cross one white die plus one
coloured die, in that colour's row.
The active player who crosses nothing in either marks a failed throw: -5.
The last number of a row needs five crosses before it. It comes with the lock,
one more cross, and closes the row for everybody; its die leaves the game.
The game ends with the second closed row or anybody's fourth failed throw.
1, 2, 3 ... 12 crosses in a row: 1 3 6 10 15 21 28 36 45 55 66 78 points."""

_COLOURS_MIXED: Final = """\
Qwixx on a sheet whose rows change colour. A row is named by its lock.
Cross fields from left to right; what you skip is gone for good.
White action: everybody may cross the sum of the two white dice in one row.
Colour action: the active player may then cross one white die plus one
coloured die, in the one field of that colour and number, wherever it lies.
The active player who crosses nothing in either marks a failed throw: -5.
The last field of a row needs five crosses before it, of any colour. It comes
with the lock, one more cross, and closes the row for everybody. The die of
the lock's colour leaves the game: fields of that colour in other rows can
then be crossed with the white dice only.
The game ends with the second closed row or anybody's fourth failed throw.
1, 2, 3 ... 12 crosses in a row: 1 3 6 10 15 21 28 36 45 55 66 78 points."""

_NUMBERS_MIXED: Final = """\
Qwixx on a sheet whose numbers stand in no order: place decides, not size.
Cross numbers from left to right; what you skip is gone for good.
White action: everybody may cross the sum of the two white dice in one row.
Colour action: the active player may then cross one white die plus one
coloured die, in that colour's row.
The active player who crosses nothing in either marks a failed throw: -5.
The last place of a row (red 11, yellow 10, green 3, blue 4) needs five
crosses before it. It comes with the lock, one more cross, and closes the row
for everybody; its die leaves the game.
The game ends with the second closed row or anybody's fourth failed throw.
1, 2, 3 ... 12 crosses in a row: 1 3 6 10 15 21 28 36 45 55 66 78 points."""

COLOURS_MIXED: Final = Layout(tints=("YYYBBBGGGRR", "RRGGGGBBYYY", "BBBYYYRRRGG", "GGRRRRYYBBB"))
NUMBERS_MIXED: Final = Layout(
    numbers=(
        (10, 6, 2, 8, 3, 4, 12, 5, 9, 7, 11),
        (9, 12, 4, 6, 7, 2, 5, 8, 11, 3, 10),
        (8, 2, 10, 12, 6, 9, 7, 4, 5, 11, 3),
        (5, 7, 11, 9, 12, 3, 8, 10, 2, 6, 4),
    )
)

GAME: Final = Classic()
_GUIDES: Final = (
    ClassicGuide(GAME, "Qwixx", _SUMMARY),
    ClassicGuide(Classic(COLOURS_MIXED, name="mixed-a"), "Qwixx Mixed Colours", _COLOURS_MIXED),
    ClassicGuide(Classic(NUMBERS_MIXED, name="mixed-b"), "Qwixx Mixed Numbers", _NUMBERS_MIXED),
)
GAMES: Final = {guide.game.id: guide for guide in _GUIDES}
