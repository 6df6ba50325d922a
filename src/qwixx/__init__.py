"""Qwixx and Qwixx Duel: exact rules, opponents, records and an engine other programs can use."""

from qwixx.core.dice import Dice, Throw, throw
from qwixx.core.errors import QwixxError
from qwixx.core.events import Choice, Event, apply, fold, parse_event
from qwixx.core.fields import PASS, Move
from qwixx.core.game import Game, Result
from qwixx.core.record import Record, final_state, states
from qwixx.games import game, guide, ids, read_position, read_record

__all__ = [
    "PASS",
    "Choice",
    "Dice",
    "Event",
    "Game",
    "Move",
    "QwixxError",
    "Record",
    "Result",
    "Throw",
    "apply",
    "final_state",
    "fold",
    "game",
    "guide",
    "ids",
    "parse_event",
    "read_position",
    "read_record",
    "states",
    "throw",
]

__version__ = "0.2.0"
