"""Duel positions as JSON, and what cannot be on a duel board."""

import re
from typing import Any, Final, Protocol

from qwixx.core.errors import BadPosition, shown
from qwixx.core.fields import COLOUR_NAMES, PASS, Layout
from qwixx.core.game import COLOUR, OVER, Position, Reason
from qwixx.core.parsing import JsonObject
from qwixx.games import family
from qwixx.games.duel import scoring
from qwixx.games.duel.state import DuelState, Row, owner, placed, read, stack

LETTERS: Final = "bg"  # black, grey
_STACK: Final = re.compile(r"b+|g+")


class Rules(scoring.ScoringRules, Protocol):
    """What a position must be checked against."""

    id: str
    to_lock: int


def to_position(rules: Rules, state: DuelState) -> Position:
    layout = rules.layout
    rows = {
        colour: {
            str(number): LETTERS[owner(pieces)] * abs(pieces)
            for number, pieces in zip(numbers, row, strict=True)
            if pieces
        }
        for colour, numbers, row in zip(layout.colours, layout.numbers, state.rows, strict=True)
    }
    locks = {
        colour: None if lock is None else LETTERS[lock]
        for colour, lock in zip(layout.colours, state.locks, strict=True)
    }
    turn = family.turn_json(state, state.white)
    return {"game": rules.id, **turn, "rows": rows, "locks": locks, "failed": list(state.failed)}


def from_position(rules: Rules, value: Any) -> DuelState:
    layout, given = rules.layout, JsonObject(value, "the position", BadPosition)
    if given.text("game") != rules.id:
        raise BadPosition(f'"game" must be "{rules.id}", not {shown(given.text("game"))}')
    given_rows, given_locks = given.inner("rows"), given.inner("locks")
    for part in (given_rows, given_locks):
        if not part.value.keys() <= set(layout.colours):
            raise BadPosition(f"{part.what} may name only the colours {layout.colours}")
    rows = tuple(_read_row(rules, given_rows, row) for row in range(len(layout.colours)))
    locks = tuple(_read_lock(given_locks, colour) for colour in layout.colours)
    failed = _read_failed(rules, given)
    bare = DuelState(rows, locks, failed, 0, "over", None, None)
    _check_pieces(rules, bare)
    for row in range(len(rows)):
        _check_last_number(rules, bare, row)
    reason = scoring.ended(rules, bare)
    playing = family.in_play(layout, tuple(lock is not None for lock in locks))
    turn = family.read_turn(layout, given, 2, playing, reason)
    state = DuelState(rows, locks, failed, *turn)
    if state.phase == OVER:
        _check_ending(rules, state, reason)
    if state.phase == COLOUR and state.white != PASS:
        _check_white(layout, state)
    return state


def tapped(layout: Layout, position: Position, seat: int | None, place: str) -> Position:
    """A position after a field was tapped with a piece of a seat in hand, which goes onto an own
    stack or else takes the field, or with none, which takes a piece away; with the last number of a
    row its lock is taken and freed (D10). It may be one that cannot be."""
    row, at = family.tapped_place(layout, place)
    colour, number = layout.colours[row], str(layout.numbers[row][at])
    fields, locks = dict(position["rows"][colour]), dict(position["locks"])
    pieces = fields.pop(number, "")
    if seat is None:
        pieces = pieces[:-1]
    else:
        own = LETTERS[seat]
        # The last number holds one piece, so its lock is what another tap is about.
        pieces = pieces + own if own in pieces and at != layout.last[row] else own
    if at == layout.last[row]:
        locks[colour] = pieces or None
    if pieces:
        fields[number] = pieces
    return {**position, "rows": {**position["rows"], colour: fields}, "locks": locks}


def with_failed(position: Position, seat: int, count: int) -> Position:
    failed = list(position["failed"])
    failed[seat] = count
    return {**position, "failed": failed}


def _read_row(rules: Rules, rows: JsonObject, row: int) -> Row:
    colour, numbers = rules.layout.colours[row], rules.layout.numbers[row]
    name, fields = COLOUR_NAMES[colour], rows.object(colour)
    if not fields.keys() <= {str(number) for number in numbers}:
        raise BadPosition(f"{name} may name only the numbers of its row")
    for number, pieces in fields.items():
        if not isinstance(pieces, str) or not 1 <= len(pieces) <= rules.pieces:
            raise BadPosition(
                f"{name} {number} must hold 1 to {rules.pieces} letters, not {shown(pieces)}"
            )
        if not _STACK.fullmatch(pieces):
            raise BadPosition(
                f"{name} {number} must hold only b or only g: one player's pieces", "D3"
            )
    texts = [fields.get(str(number), "") for number in numbers]
    return tuple(stack(LETTERS.index(text[0]), len(text)) if text else 0 for text in texts)


def _read_lock(locks: JsonObject, colour: str) -> int | None:
    lock = locks.any(colour)
    if lock is None:
        return None
    if not isinstance(lock, str) or lock not in ("b", "g"):
        raise BadPosition(
            f'the lock of {COLOUR_NAMES[colour]} must be "b", "g" or null, not {shown(lock)}'
        )
    return LETTERS.index(lock)


def _read_failed(rules: Rules, given: JsonObject) -> tuple[int, ...]:
    failed = given.array("failed")
    whole = all(type(count) is int and 0 <= count <= rules.most_failed for count in failed)
    if len(failed) != 2 or not whole or sum(failed) > rules.most_failed:
        raise BadPosition(
            f'"failed" must be two counts, {rules.most_failed} in all at the most', "D12"
        )
    return tuple(failed)


def _check_pieces(rules: Rules, state: DuelState) -> None:
    counts = [placed(state, seat) for seat in (0, 1)]
    for seat, count in enumerate(counts):
        if count > rules.pieces:
            raise BadPosition(
                f"seat {seat} has {count} pieces on the board, more than its {rules.pieces}", "D12"
            )
    if counts == [rules.pieces] * 2:
        raise BadPosition(
            "both have placed the last piece, but the first to do so ended the game", "D12"
        )
    if sum(lock is not None for lock in state.locks) > family.ROWS_TO_END:
        raise BadPosition("more than two rows closed: the game ends with the second", "D12")


def _check_last_number(rules: Rules, state: DuelState, row: int) -> None:
    name = COLOUR_NAMES[rules.layout.colours[row]]
    pieces, lock = state.rows[row][-1], state.locks[row]
    if not pieces:
        if lock is not None:
            raise BadPosition(f"the lock of {name} is taken, but its last number is empty", "D10")
        return
    seat = owner(pieces)
    if abs(pieces) > 1:
        raise BadPosition(
            f"the last number of {name} can hold one piece only: it closes the row", "D10"
        )
    if read(state.rows[row]).counts[seat] <= rules.to_lock:
        raise BadPosition(
            f"the last number of {name} needs {rules.to_lock} own pieces before it", "D9"
        )
    if lock is None and placed(state, seat) < rules.pieces:
        raise BadPosition(f"the last number of {name} is taken, so its lock must be too", "D10")
    if lock is not None and lock != seat:
        raise BadPosition(f"the lock of {name} belongs to whoever entered its last number", "D10")


def _check_ending(rules: Rules, state: DuelState, reason: Reason | None) -> None:
    """D1, D12: one placing by the active seat ended the game,
    so every cause must be its own and the same one."""
    locked = [lock for lock in state.locks if lock is not None]
    by_rows, by_failed = len(locked) >= family.ROWS_TO_END, sum(state.failed) >= rules.most_failed
    unlocked = sum(bool(row[-1]) for row in state.rows) - len(locked)  # D11
    if by_rows + by_failed + unlocked > 1:
        raise BadPosition("the game ended twice: one placing cannot have done all of this", "D12")
    if reason == "pieces":
        if placed(state, state.active) < rules.pieces:
            raise BadPosition("the last piece was placed by the active seat", "D1")
        if not _has_a_last_piece(state):
            raise BadPosition("no piece of the active seat can have been placed last", "D5")
    if by_failed and not state.failed[state.active]:
        raise BadPosition("the last failed throw was the active seat's", "D8")
    if by_rows and state.active not in locked:
        raise BadPosition("the last row was closed by the active seat", "D1")


def _has_a_last_piece(state: DuelState) -> bool:
    """Whether some piece of the active seat can have been the last one placed."""
    seat = state.active
    if state.failed[seat] or seat in state.locks:
        return True
    for row, lock in zip(state.rows, state.locks, strict=True):
        place = read(row).rightmost[seat]
        if lock is None and place >= 0 and (abs(row[place]) == 1 or place == read(row).foremost):
            return True
    return False


def _check_white(layout: Layout, state: DuelState) -> None:
    assert state.white is not None
    row, place = layout.places[state.white]
    reading, pieces = read(state.rows[row]), state.rows[row][place]
    if state.locks[row] is not None and place != layout.last[row]:
        raise BadPosition(f'"white" says {state.white}, but its row was closed before', "S4")
    if not pieces or owner(pieces) != state.active or reading.rightmost[state.active] != place:
        raise BadPosition(
            f'"white" says {state.white}, where the active seat has not just placed a piece', "D2"
        )
    if abs(pieces) > 1 and reading.foremost != place:
        raise BadPosition(f'"white" says {state.white}, a stack that was overtaken before', "D6")
