"""Events: a game is the list of them, and its state is their fold."""

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeAlias

from .dice import Dice
from .errors import BadRequest, shown
from .fields import PASS, Move
from .game import Game

_CHOICE: Final = re.compile(r"([0-9]):(-|[A-Z](?:0|[1-9][0-9]?))")


class Choice(NamedTuple):
    """A seat's choice in one action: a field, or a pass."""

    seat: int
    move: Move

    def __str__(self) -> str:
        return f"{self.seat}:{self.move}"


Event: TypeAlias = Dice | Choice


def parse_event(text: object) -> Event:
    """`41 3625` is a roll, `1:R5` a choice."""
    if isinstance(text, str):
        if match := _CHOICE.fullmatch(text):
            return Choice(int(match[1]), match[2])
        if ":" not in text:
            return Dice.parse(text)
    raise BadRequest(
        f"{shown(text)} is no event: write a roll as '41 3625', a choice as '1:R5' or '1:{PASS}'"
    )


def apply(game: Game[Any], state: Any, event: Event) -> Any:
    """The state after one more event."""
    if isinstance(event, Dice):
        return game.roll(state, event)
    return game.choose(state, event.seat, event.move)


def fold(game: Game[Any], state: Any, events: Iterable[Event]) -> Any:
    """The state after all of them."""
    for event in events:
        state = apply(game, state, event)
    return state
