"""Qwixx Duel: 2 players, one shared board."""

from typing import Final

from qwixx.games.duel.guide import DuelGuide
from qwixx.games.duel.rules import Duel

GAME: Final = Duel()
GAMES: Final = {GAME.id: DuelGuide(GAME)}
