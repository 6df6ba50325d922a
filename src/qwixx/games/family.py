"""The law that both games share (rules S1 to S8):
how dice become numbers, points, and whose turn it is."""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from qwixx.core.dice import GONE, Dice
from qwixx.core.errors import (
    BadDice,
    BadPosition,
    BadRequest,
    GameOver,
    IllegalMove,
    NotToAct,
    QwixxError,
    shown,
)
from qwixx.core.fields import COLOUR_NAMES, PASS, STANDARD, Layout, Move
from qwixx.core.game import (
    COLOUR,
    OVER,
    PHASES,
    ROLL,
    WHITE,
    Phase,
    Position,
    Reason,
    Result,
    State,
)
from qwixx.core.parsing import JsonObject
from qwixx.core.picture import Printed, PrintedRow

FAILED_COST: Final = 5  # S6
ROWS_TO_END: Final = 2  # C11, D12


@cache
def points(count: int, counted: int = STANDARD.counted) -> int:
    """S5: what so many crosses or pieces in one row are worth; no more than `counted` are counted."""
    counted = min(count, counted)
    return counted * (counted + 1) // 2


# A move changes what one seat has, and what every move would come to is asked at every table.
@lru_cache(maxsize=1 << 13)
def seat_score(counted: int, counts: tuple[int, ...], failed: int) -> tuple[int, tuple[int, ...]]:
    """S5, S6: a seat's total, and its points by row."""
    rows = tuple([points(count, counted) for count in counts])
    return sum(rows) - FAILED_COST * failed, rows


def score(
    layout: Layout,
    counts: Iterable[tuple[int, ...]],
    failed: Iterable[int],
    reason: Reason | None,
) -> Result:
    """S5, S6, S8: the score from each seat's counts by row; equal totals share the win."""
    counted = layout.counted
    seats = [seat_score(counted, *seat) for seat in zip(counts, failed, strict=True)]
    totals, rows = zip(*seats, strict=True)
    if reason is None:
        return Result(totals, rows, over=False, winners=None, reason=None)
    best = max(totals)
    winners = tuple(seat for seat, total in enumerate(totals) if total == best)
    return Result(totals, rows, over=True, winners=winners, reason=reason)


def printed(layout: Layout, failed: int, to_lock: int, pieces: int | None, sealed: bool) -> Printed:
    """The sheet or board as it is printed."""
    rows = tuple(map(PrintedRow, layout.colours, layout.fields))
    worth = tuple(points(count, layout.counted) for count in range(1, layout.counted + 1))
    return Printed(rows, layout.faces, worth, failed, FAILED_COST, to_lock, pieces, sealed)


@cache
def in_play(layout: Layout, closed: tuple[bool, ...]) -> str:
    """S4: the dice that are left, a dot for each that is gone."""
    return "".join(
        GONE if gone else colour for colour, gone in zip(layout.colours, closed, strict=True)
    )


def without_closed(dice: Dice, closed: Sequence[bool]) -> Dice:
    """S4: the die of a closed row leaves the game at once."""
    return Dice(
        dice.whites,
        tuple(0 if gone else die for die, gone in zip(dice.coloured, closed, strict=True)),
    )


def check_dice(layout: Layout, playing: str, dice: Dice) -> None:
    """S1, S4: every die still in play, and no other, shows a face."""
    if len(dice.coloured) != len(playing):
        raise BadDice(
            f"{dice}: there are {len(playing)} coloured dice, a dot for each that has left", "S1"
        )
    for colour, die in zip(playing, dice.coloured, strict=True):
        if die and colour == GONE:
            raise BadDice(f"{dice}: the die of a closed row has left the game, write a dot", "S4")
        if not die and colour != GONE:
            raise BadDice(f"{dice}: the {COLOUR_NAMES[colour]} die is still in play", "S1")
    if (
        max(*dice.whites, *dice.coloured) > layout.faces
        or min(dice.whites) < 1
        or min(dice.coloured) < 0
    ):
        raise BadDice(f"{dice}: a die shows 1 to {layout.faces}", "S1")


def check_rolling(phase: Phase, end_rule: str) -> None:
    """`end_rule` is the rule by which the game has ended, if it has."""
    if phase == OVER:
        raise GameOver("the game is over: there is nothing to roll", end_rule)
    if phase != ROLL:
        raise BadRequest("the dice lie already: this turn's choices come first", "S1")


def check_seat(seat: object, seats: int) -> None:
    """A seat number from outside is a number of this table."""
    if type(seat) is not int or not 0 <= seat < seats:
        raise BadRequest(f"{shown(seat)} is no seat of this table: seats are 0 to {seats - 1}")


def no_choice(phase: Phase, end_rule: str) -> QwixxError | None:
    """Why nobody at all has a choice now."""
    if phase == OVER:
        return GameOver("the game is over: there is nothing left to choose", end_rule)
    if phase == ROLL:
        return NotToAct("the dice must be rolled first", "S1")
    return None


def check_players(players: object, first: object, allowed: range) -> None:
    """S7: a table of a size the game allows, and a starter who sits at it."""
    if type(players) is not int or players not in allowed:
        many = f"{allowed[0]} to {allowed[-1]}" if len(allowed) > 1 else f"{allowed[0]}"
        raise BadRequest(f"this game takes {many} players, not {shown(players)}")
    if type(first) is not int or not 0 <= first < players:
        raise BadRequest(f"the first seat must be 0 to {players - 1}, not {shown(first)}", "S7")


@cache
def white_fields(layout: Layout, white_sum: int) -> tuple[Move, ...]:
    """S2: the fields that the white sum names, one in each row."""
    return tuple(
        field
        for fields, numbers in zip(layout.fields, layout.numbers, strict=True)
        for field, number in zip(fields, numbers, strict=True)
        if number == white_sum
    )


@cache
def _fields_of_die(
    layout: Layout, die: int, whites: tuple[int, int], face: int
) -> tuple[Move, ...]:
    """S3: one white die plus this coloured die, in the fields of its colour."""
    sums = {white + face for white in whites} if face else ()
    return tuple(field for number in sums for field in layout.named.get((die, number), ()))


# Asked again after every choice that a white action offers.
@lru_cache(maxsize=1 << 12)
def colour_fields(layout: Layout, dice: Dice) -> tuple[Move, ...]:
    """S3: the fields that one white and one coloured die name, row by row."""
    whites = dice.whites
    fields: list[Move] = []
    for die, face in enumerate(dice.coloured):
        fields += _fields_of_die(layout, die, whites, face)
    return tuple(sorted(fields, key=layout.places.__getitem__))


def offered(layout: Layout, phase: Phase, dice: Dice) -> tuple[Move, ...]:
    """S2: the fields that the dice name in this action."""
    if phase == WHITE:
        return white_fields(layout, dice.whites[0] + dice.whites[1])
    return colour_fields(layout, dice)


def check_offered(layout: Layout, phase: Phase, dice: Dice, field: Move) -> None:
    """S2, S3: the dice name this field in this action."""
    row, place = layout.place(field)
    number = layout.numbers[row][place]
    first, second = dice.whites
    if phase == WHITE:
        if number != first + second:
            raise IllegalMove(f"{field}: the white dice make {dice.white_sum}", "S2")
        return
    die = dice.coloured[layout.dice[field]]
    if not die:
        raise IllegalMove(f"{field}: the {COLOUR_NAMES[field[0]]} die has left the game", "S4")
    if number - die not in dice.whites:
        raise IllegalMove(
            f"{field}: no white die and the {COLOUR_NAMES[field[0]]} die make that number", "S3"
        )


def tapped_place(layout: Layout, place: str) -> tuple[int, int]:
    """The row and the position of a field; a colour alone is the lock of its row, and with it the
    last number (C7, D10)."""
    if len(place) == 1 and place in layout.colours:
        row = layout.colours.index(place)
        return row, layout.last[row]
    return layout.place(place)


class Turn(NamedTuple):
    """The part of a position that both games write alike."""

    active: int
    phase: Phase
    dice: Dice | None
    white: Move | None


def turn_json(state: State, white: Move | None) -> Position:
    dice = None if state.dice is None else str(state.dice)
    return {"active": state.active, "phase": state.phase, "dice": dice, "white": white}


def read_turn(
    layout: Layout, position: JsonObject, seats: int, playing: str, ended: Reason | None
) -> Turn:
    """The turn of a position, refused where it cannot be."""
    active = position.integer("active", 0, seats - 1)
    phase = _read_phase(position, ended)
    text, white = position.any("dice"), position.any("white")
    if phase in (ROLL, OVER):
        if text is not None or white is not None:
            raise BadPosition(f'"dice" and "white" must be null in phase {phase}')
        return Turn(active, phase, None, None)
    try:
        dice = Dice.parse(text)
        check_dice(layout, playing, dice)
    except BadDice as error:
        raise BadPosition(error.message, error.rule) from None
    if phase == WHITE and white is not None:
        raise BadPosition('"white" must be null before phase colour')
    if phase == COLOUR and white != PASS and white not in white_fields(layout, dice.white_sum):
        raise BadPosition(
            f'"white" must be - or a field of the white sum, not {shown(white)}', "S2"
        )
    return Turn(active, phase, dice, white)


def _read_phase(position: JsonObject, ended: Reason | None) -> Phase:
    text = position.text("phase")
    phase = next((phase for phase in PHASES if phase == text), None)
    if phase is None:
        raise BadPosition(f'"phase" must be one of {", ".join(PHASES)}, not {shown(text)}')
    if ended and phase != OVER:
        raise BadPosition(f"the game has ended ({ended}), so the phase must be over")
    if not ended and phase == OVER:
        raise BadPosition("nothing has ended the game, so the phase cannot be over")
    return phase
