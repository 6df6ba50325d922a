"""The chance of games through the law, drawn from the same streams as in the kernels (extra "lab")."""

from random import Random
from typing import Any

from qwixx.compiled.chance import FRACTION, luck
from qwixx.core.dice import GONE, Dice


def thrown(drawn: int, faces: int, in_play: str) -> Dice:
    """The dice that a draw makes, as in the kernels,
    but of any number and with any number of faces."""
    found = []
    for _ in range(2 + len(in_play)):
        face, drawn = divmod(drawn * faces, 1 << FRACTION)
        found.append(face + 1)
    first, second, *coloured = found
    left = (0 if die == GONE else face for die, face in zip(in_play, coloured, strict=True))
    return Dice((first, second), tuple(left))


class Luck(Random):
    """The luck of the seats of a game, drawn from the same streams as in the kernels."""

    def __init__(self, seed: int, number: int) -> None:
        self._seed, self._number, self._seat, self._decision, self._drawn = seed, number, 0, 0, 0
        super().__init__(0)

    def decide(self, seat: int, decision: int) -> None:
        """What is drawn from now on belongs to this decision."""
        self._seat, self._decision, self._drawn = seat, decision, 0

    def choice(self, seq: Any) -> Any:
        # In Python's numbers, which hold any number of moves.
        return seq[self._draw() * len(seq) >> FRACTION]

    def random(self) -> float:
        return (self._draw() >> (FRACTION - 53)) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        bits = 0
        for _ in range(0, k, 32):
            bits = bits << 32 | self._draw() >> (FRACTION - 32)
        return bits >> (-k % 32)

    def _draw(self) -> int:
        self._drawn += 1
        return luck(
            self._seed, self._number, self._seat, self._decision + ((self._drawn - 1) << 40)
        )
