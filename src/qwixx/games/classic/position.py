"""Classic positions as JSON, and what cannot be on a classic table."""

from functools import lru_cache
from typing import Any, ClassVar, Protocol

from qwixx.core.errors import BadPosition, shown
from qwixx.core.fields import COLOUR_NAMES, HIDDEN, PASS, Layout, Move
from qwixx.core.game import COLOUR, OVER, WHITE, Position
from qwixx.core.parsing import JsonObject
from qwixx.games import family
from qwixx.games.classic import scoring
from qwixx.games.classic.state import ClassicState, Sheet, marked, marks_at, reached


class Rules(scoring.ScoringRules, Protocol):
    """What a position must be checked against."""

    id: str
    players: ClassVar[range]
    to_lock: int

    def forbidding_rule(self, state: ClassicState, seat: int, field: Move) -> str | None: ...


def to_position(rules: Rules, state: ClassicState) -> Position:
    chosen = {
        str(seat): None if choice == HIDDEN else choice
        for seat, choice in enumerate(state.sealed)
        if choice is not None
    }
    sheets = [_sheet_json(rules.layout, sheet) for sheet in state.sheets]
    turn = family.turn_json(state, state.white)
    return {"game": rules.id, **turn, "chosen": chosen, "sheets": sheets}


def from_position(rules: Rules, value: Any) -> ClassicState:
    given = JsonObject(value, "the position", BadPosition)
    if given.text("game") != rules.id:
        raise BadPosition(f'"game" must be "{rules.id}", not {shown(given.text("game"))}')
    sheets = _read_sheets(rules, given)
    closed = _closed_rows(rules.layout, sheets)
    _check_locks(rules.layout, sheets, closed)
    reason = scoring.ended(rules, sheets, closed)
    playing = family.in_play(rules.layout, closed)
    turn = family.read_turn(rules.layout, given, len(sheets), playing, reason)
    _check_failed(rules, sheets, turn, sum(closed))
    if turn.phase == COLOUR:
        _check_white(rules.layout, sheets[turn.active], closed, turn.white)
    state = ClassicState(sheets, closed, *turn, sealed=(None,) * len(sheets))
    return state._replace(sealed=_read_chosen(rules, given, state))


def tapped(layout: Layout, position: Position, seat: int, place: str) -> Position:
    """A position after a number of a sheet was tapped, crossed if it was not and else free again;
    with the last one of a row its lock comes and goes (C7). It may be one that cannot be."""
    row, at = family.tapped_place(layout, place)
    sheet, colour, last = position["sheets"][seat], layout.colours[row], layout.last[row]
    crossed = set(sheet[colour]) ^ {layout.numbers[row][at]}
    closing = {colour} if at == last else set()
    changed = {
        colour: [number for number in layout.numbers[row] if number in crossed],
        "locks": "".join(one for one in layout.colours if one in set(sheet["locks"]) ^ closing),
    }
    return _with_sheet(position, seat, changed)


def with_failed(position: Position, seat: int, count: int) -> Position:
    return _with_sheet(position, seat, {"failed": count})


def _with_sheet(position: Position, seat: int, changed: Position) -> Position:
    sheets = [
        {**sheet, **changed} if number == seat else sheet
        for number, sheet in enumerate(position["sheets"])
    ]
    return {**position, "sheets": sheets}


def _sheet_json(layout: Layout, sheet: Sheet) -> Position:
    numbers, locks = _sheet_numbers(layout, sheet.rows)
    position: Position = dict(zip(layout.colours, map(list, numbers), strict=True))
    position["locks"], position["failed"] = locks, sheet.failed
    return position


@lru_cache(maxsize=1 << 14)
def _sheet_numbers(
    layout: Layout, rows: tuple[int, ...]
) -> tuple[tuple[tuple[int, ...], ...], str]:
    """The crossed numbers of every row, and the locks."""
    numbers = tuple(
        tuple(number for place, number in enumerate(printed) if marked(marks, place))
        for printed, marks in zip(layout.numbers, rows, strict=True)
    )
    ends = zip(layout.colours, rows, layout.last, strict=True)
    return numbers, "".join(colour for colour, marks, last in ends if marked(marks, last + 1))


def _read_sheets(rules: Rules, given: JsonObject) -> tuple[Sheet, ...]:
    sheets = given.array("sheets")
    if len(sheets) not in rules.players:
        most = rules.players[-1]
        raise BadPosition(
            f'"sheets" must hold {rules.players[0]} to {most} sheets, not {len(sheets)}'
        )
    return tuple(_read_sheet(rules, sheet, f"sheet {seat}") for seat, sheet in enumerate(sheets))


def _read_sheet(rules: Rules, value: Any, what: str) -> Sheet:
    layout, given = rules.layout, JsonObject(value, what, BadPosition)
    locks = given.text("locks")
    if locks != "".join(colour for colour in layout.colours if colour in locks):
        raise BadPosition(
            f'"locks" of {what} must be colours in the order {layout.colours}, not {shown(locks)}'
        )
    rows = tuple(
        _read_row(rules, given, row, colour in locks) for row, colour in enumerate(layout.colours)
    )
    return Sheet(rows, given.integer("failed", 0, rules.most_failed))


def _read_row(rules: Rules, given: JsonObject, row: int, locked: bool) -> int:
    layout, colour = rules.layout, rules.layout.colours[row]
    numbers, name = layout.numbers[row], COLOUR_NAMES[colour]
    crossed = given.array(colour)
    if not all(type(number) is int and number in numbers for number in crossed):
        raise BadPosition(f"{name} of {given.what} may hold only the numbers of its row")
    places = [numbers.index(number) for number in crossed]
    if places != sorted(set(places)):
        raise BadPosition(
            f"{name} of {given.what} must list each number once, from left to right", "C1"
        )
    last = layout.last[row]
    if locked != (last in places):
        raise BadPosition(f"{name} of {given.what}: the last number and the lock go together", "C7")
    if locked and len(places) <= rules.to_lock:
        raise BadPosition(
            f"{name} of {given.what}: a lock needs {rules.to_lock} crosses before the last number",
            "C6",
        )
    return marks_at([*places, last + 1] if locked else places)


def _closed_rows(layout: Layout, sheets: tuple[Sheet, ...]) -> tuple[bool, ...]:
    return tuple(
        any(marked(sheet.rows[row], last + 1) for sheet in sheets)
        for row, last in enumerate(layout.last)
    )


def _check_locks(layout: Layout, sheets: tuple[Sheet, ...], closed: tuple[bool, ...]) -> None:
    """C11: of three closed rows or more, all but one fell in the last white action:
    on one sum, one a seat."""
    rows = [row for row, shut in enumerate(closed) if shut]
    if len(rows) <= family.ROWS_TO_END:
        return
    for earlier in rows:
        together = [row for row in rows if row != earlier]
        one_sum = len({layout.numbers[row][-1] for row in together}) == 1
        one_each = all(
            sum(marked(sheet.rows[row], layout.last[row] + 1) for row in together) <= 1
            for sheet in sheets
        )
        if one_sum and one_each:
            return
    raise BadPosition(
        f"{len(rows)} rows cannot have been closed like this: the game ends with the second", "C11"
    )


def _check_failed(rules: Rules, sheets: tuple[Sheet, ...], turn: family.Turn, closed: int) -> None:
    full = [seat for seat, sheet in enumerate(sheets) if sheet.failed >= rules.most_failed]
    if full and closed >= family.ROWS_TO_END:
        raise BadPosition("the game ended twice: by failed throws and by closed rows", "C10")
    if len(full) > 1:
        raise BadPosition(
            "only one seat can have marked the failed throw that ended the game", "C10"
        )
    if full and turn.phase == OVER and full != [turn.active]:
        raise BadPosition(
            "the failed throw that ended the game was marked by the active seat", "C5"
        )


def _check_white(
    layout: Layout, sheet: Sheet, closed: tuple[bool, ...], white: Move | None
) -> None:
    if white is None or white == PASS:
        return
    row, place = layout.places[white]
    if closed[row] and place != layout.last[row]:
        raise BadPosition(f'"white" says {white}, but its row was closed before', "S4")
    with_lock = int(place == layout.last[row])
    if reached(sheet.rows[row]) != place + 1 + with_lock:
        raise BadPosition(
            f'"white" says {white}, which is not the rightmost cross of its row', "C1"
        )


def _read_chosen(rules: Rules, given: JsonObject, state: ClassicState) -> tuple[Move | None, ...]:
    chosen = given.object("chosen")
    seats = {str(seat): seat for seat in range(len(state.sheets))}
    if chosen and state.phase != WHITE:
        raise BadPosition('"chosen" must be empty outside phase white')
    if not chosen.keys() <= seats.keys():
        raise BadPosition(f'"chosen" may name the seats {", ".join(seats)}, as strings')
    sealed: list[Move | None] = [None] * len(seats)
    for key, move in chosen.items():
        sealed[seats[key]] = HIDDEN if move is None else move
        if move is not None and move != PASS:
            _check_choice(rules, state, seats[key], move)
    if all(choice not in (None, HIDDEN) for choice in sealed):
        raise BadPosition("all have chosen, so the white action is over", "C3")
    return tuple(sealed)


def _check_choice(rules: Rules, state: ClassicState, seat: int, move: Any) -> None:
    assert state.dice is not None
    if not isinstance(move, str) or move not in family.white_fields(
        rules.layout, state.dice.white_sum
    ):
        raise BadPosition(
            f'"chosen" of seat {seat} must be a field of the white sum, not {shown(move)}', "S2"
        )
    if rule := rules.forbidding_rule(state, seat, move):
        raise BadPosition(f'"chosen" of seat {seat}: {move} may not be crossed', rule)
