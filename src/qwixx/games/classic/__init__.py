"""Qwixx: 2 to 5 players (1 for practice), one sheet each."""

from typing import Final

from qwixx.games.classic.guide import ClassicGuide
from qwixx.games.classic.rules import Classic

GAME: Final = Classic()
GAMES: Final = {GAME.id: ClassicGuide(GAME)}
