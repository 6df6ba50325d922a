"""A position that somebody changes by taps, to try things out.

What a tap does to the marks is for the game's own guide to say, and whether the table that comes of
it can be for the law. Nobody has chosen in a table that was changed.
"""

from collections.abc import Sequence
from typing import Any

from qwixx import games
from qwixx.core.dice import GONE, Dice
from qwixx.core.errors import BadPosition, BadRequest
from qwixx.core.game import OVER, ROLL, Game, Position
from qwixx.server import messages as m


def edited(position: Any, edits: Sequence[m.Edit]) -> tuple[Game[Any], Any]:
    """The game, and the state after these changes; one that cannot be is refused with its rule."""
    game, state = games.read_position(position)
    for edit in edits:
        state = _changed(game, state, edit)
    return game, state


def _changed(game: Game[Any], state: Any, edit: m.Edit) -> Any:
    guide, seat = games.guide(game.id), getattr(edit, "seat", None)
    if seat is not None and seat >= game.seats(state):
        raise BadRequest(f"there is no seat {seat}: the seats are 0 to {game.seats(state) - 1}")
    position = before_throw(game, state)
    match edit:
        case m.DiceEdit():
            table = _read(game, position, None)
            return table if edit.dice is None else game.roll(table, Dice.parse(edit.dice))
        case m.TurnEdit():
            position = {**position, "active": edit.seat}
        case m.FailEdit():
            position = guide.with_failed(position, edit.seat, edit.count)
        case m.TapEdit():
            position = guide.tapped(position, edit.seat, edit.place)
    return _thrown_again(game, _read(game, position, seat), state.dice)


def before_throw(game: Game[Any], state: Any) -> Position:
    """The same table as a position in which the dice are still to be thrown, nothing chosen."""
    position = {**game.to_position(state), "phase": ROLL, "dice": None, "white": None}
    return position | ({"chosen": {}} if "chosen" in position else {})


def _read(game: Game[Any], position: Position, seat: int | None) -> Any:
    """The table before a throw; or at the end of the game, if what lies there has ended it."""
    try:
        return game.from_position(position)
    except BadPosition as error:
        if error.rule is not None:
            raise
        refused = error
    for active in dict.fromkeys([position["active"] if seat is None else seat, position["active"]]):
        try:
            return game.from_position({**position, "phase": OVER, "active": active})
        except BadPosition as error:
            refused = error
    raise refused


def _thrown_again(game: Game[Any], table: Any, dice: Dice | None) -> Any:
    """With the dice that lay there, as far as they are still in the game; a die that was not
    thrown, because its row was closed, leaves all of them to be thrown."""
    if dice is None or table.phase != ROLL:
        return table
    playing = game.dice_in_play(table)
    left = tuple(
        0 if colour == GONE else die for colour, die in zip(playing, dice.coloured, strict=True)
    )
    whole = all(die or colour == GONE for colour, die in zip(playing, left, strict=True))
    return game.roll(table, Dice(dice.whites, left)) if whole else table
