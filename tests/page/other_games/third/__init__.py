"""A third game, which no file of the page or the server knows:
two rows of unlike lengths and colours, dice with eight faces, two or three players."""

from typing import ClassVar, Final

from qwixx.core.fields import Layout
from qwixx.games.classic.guide import ClassicGuide
from qwixx.games.classic.rules import Classic


class Third(Classic):
    players: ClassVar = range(2, 4)


SHEET: Final = Layout(
    colours="GB",
    numbers=((2, 5, 7, 9, 10, 16), (15, 12, 11, 10, 9, 8, 7, 6, 3)),
    faces=8,
    tints=("GGBBGG", "BBBBGGGBB"),
    counted=10,
)
GAMES: Final = {
    "third": ClassicGuide(
        Third(SHEET, to_lock=2, most_failed=3, name="third"), "Third", "A third game."
    )
}
