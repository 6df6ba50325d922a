"""The dice on the table: two whites and one of each colour, written `41 36.5`."""

import re
from functools import cache
from itertools import combinations_with_replacement, product
from random import Random
from typing import Final, NamedTuple

from .errors import BadDice, shown

GONE: Final = "."
_FACES: Final = tuple(range(1, 10))
_DICE: Final = re.compile(r"([1-9])([1-9]) ([1-9.]{1,8})")


class Dice(NamedTuple):
    """One throw. A coloured die that has left the game shows 0."""

    whites: tuple[int, int]
    coloured: tuple[int, ...]

    @classmethod
    def parse(cls, text: object) -> "Dice":
        match = _DICE.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise BadDice(
                f"dice are not written {shown(text)}: write the two whites, a space, then red, yellow, green "
                "and blue, as in '41 3625', with a dot for a die that has left the game"
            )
        first, second, rest = match.groups()
        return cls((int(first), int(second)), tuple(0 if die == GONE else int(die) for die in rest))

    def __str__(self) -> str:
        first, second = self.whites
        return f"{first}{second} " + "".join(map(str, self.coloured)).replace("0", GONE)

    @property
    def white_sum(self) -> int:
        return self.whites[0] + self.whites[1]


class Throw(NamedTuple):
    """What a roll may bring, with its weight among all: the number of ways in which it can fall."""

    dice: Dice
    weight: int


@cache
def throws(in_play: str, faces: int) -> tuple[Throw, ...]:
    """Every throw of the dice in play (`RY.B` has green gone). The two whites are alike, so two
    that show different faces stand for both orders: the smaller first, with twice the weight."""
    each = _FACES[:faces]
    shown = [(0,) if colour == GONE else each for colour in in_play]
    coloured = list(product(*shown))
    return tuple(
        Throw(Dice((first, second), dice), 1 if first == second else 2)
        for first, second in combinations_with_replacement(each, 2)
        for dice in coloured
    )


def throw(rng: Random, in_play: str, faces: int) -> Dice:
    """Throw the dice in play (`RYGB`, or `RY.B` with green gone)."""
    first, second, *coloured = rng.choices(_FACES[:faces], k=2 + len(in_play))
    if GONE in in_play:
        coloured = [
            0 if colour == GONE else die for colour, die in zip(in_play, coloured, strict=True)
        ]
    return Dice((first, second), tuple(coloured))
