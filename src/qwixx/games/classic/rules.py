"""The law of Qwixx (rules C1 to C13): 1 to 5 players, one sheet each.

A row of a sheet is a bit mask, leftmost number first; the bit after the last number is the lock.
"""

from typing import Any, ClassVar, Final

from qwixx.core.dice import Dice, Throw, throws
from qwixx.core.errors import IllegalMove, NotToAct
from qwixx.core.fields import COLOUR_NAMES, HIDDEN, PASS, STANDARD, Layout, Move
from qwixx.core.game import COLOUR, OVER, ROLL, WHITE, Effects, Game, Position, Result
from qwixx.games import family
from qwixx.games.classic import position, scoring
from qwixx.games.classic.state import ClassicState, Sheet, crosses_of, mark_at, reached

_WHY: Final = {
    "S4": "row {row} is closed",
    "C1": "{field} lies at or left of the rightmost cross in its row",
    "C6": "{field} is the last number of row {row} and needs {need} crosses there first",
}


class Classic(Game[ClassicState]):
    """The rules, on any sheet;
    `to_lock` and `most_failed` are smaller on the tiny ones that tests enumerate."""

    players: ClassVar = range(1, 6)

    def __init__(
        self,
        layout: Layout = STANDARD,
        to_lock: int = 5,
        most_failed: int = 4,
        name: str = "classic",
    ) -> None:
        self.id = name
        self.layout = layout
        self.to_lock = to_lock
        self.most_failed = most_failed

    def start(self, players: int, first: int = 0) -> ClassicState:
        family.check_players(players, first, self.players)
        rows = len(self.layout.colours)
        sheets = (Sheet((0,) * rows, 0),) * players
        return ClassicState(sheets, (False,) * rows, first, ROLL, None, None, (None,) * players)

    def seats(self, state: ClassicState) -> int:
        return len(state.sheets)

    def to_act(self, state: ClassicState) -> tuple[int, ...]:
        if (
            state.phase == WHITE
        ):  # C2: everybody; in a view, then those whose choice must be supposed
            waiting = None if None in state.sealed else HIDDEN
            return tuple([seat for seat, choice in enumerate(state.sealed) if choice == waiting])
        return (state.active,) if state.phase == COLOUR else ()  # C4

    def dice_in_play(self, state: ClassicState) -> str:
        return family.in_play(self.layout, state.closed)

    def throws(self, state: ClassicState) -> tuple[Throw, ...]:
        # S1
        return throws(self.dice_in_play(state), self.layout.faces) if state.phase == ROLL else ()

    def roll(self, state: ClassicState, dice: Dice) -> ClassicState:
        family.check_rolling(state.phase, self._end_rule(state))
        family.check_dice(self.layout, self.dice_in_play(state), dice)
        return ClassicState(
            state.sheets, state.closed, state.active, WHITE, dice, None, state.sealed
        )

    def moves(self, state: ClassicState, seat: int) -> tuple[Move, ...]:
        if state.dice is None or seat not in self.to_act(state):
            return ()
        sheet, closed, forbids = state.sheets[seat], state.closed, self._forbids
        fields = family.offered(self.layout, state.phase, state.dice)
        return (PASS, *[field for field in fields if forbids(sheet, closed, field) is None])

    def choose(self, state: ClassicState, seat: int, move: Move) -> ClassicState:
        self._check_turn(state, seat)
        if move != PASS:
            self._check_move(state, seat, move)
        if state.phase == COLOUR:
            return self._colour_action(state, move)
        sealed = (*state.sealed[:seat], move, *state.sealed[seat + 1 :])  # C3
        if None in sealed or HIDDEN in sealed:
            return state._replace(sealed=sealed)
        return self._white_action(state, sealed)

    def effects(self, state: ClassicState, seat: int, move: Move) -> Effects:
        if move == PASS:
            failing = state.phase == COLOUR and state.white == PASS
            return Effects(failed=int(failing))  # C5
        row, place = self.layout.place(move)
        marks, last = state.sheets[seat].rows[row], self.layout.last[row]
        return Effects(
            skips=place - reached(marks),
            closes=int(place == last),
            forgoes=int(
                self.lockable(marks, row) and not self.lockable(marks | mark_at(place), row)
            ),
        )

    def result(self, state: ClassicState) -> Result:
        return scoring.result(self, state)

    def view(self, state: ClassicState, seat: int | None) -> ClassicState:
        sealed = tuple(
            choice if choice is None or owner == seat else HIDDEN
            for owner, choice in enumerate(state.sealed)
        )
        return state._replace(sealed=sealed)

    def to_position(self, state: ClassicState) -> Position:
        return position.to_position(self, state)

    def from_position(self, position_json: Any) -> ClassicState:
        return position.from_position(self, position_json)

    def forbidding_rule(self, state: ClassicState, seat: int, field: Move) -> str | None:
        """The rule by which this seat may not cross this field, whatever the dice say."""
        return self._forbids(state.sheets[seat], state.closed, field)

    def _forbids(self, sheet: Sheet, closed: tuple[bool, ...], field: Move) -> str | None:
        row, place = self.layout.places[field]
        if closed[row]:
            return "S4"
        marks = sheet.rows[row]
        if place < reached(marks):
            return "C1"
        if place == self.layout.last[row] and crosses_of(marks) < self.to_lock:
            return "C6"
        return None

    def _end_rule(self, state: ClassicState) -> str:
        return "C11" if sum(state.closed) >= family.ROWS_TO_END else "C10"

    def lockable(self, marks: int, row: int) -> bool:
        """Whether the row can still come to enough crosses for its last number (C6)."""
        left = self.layout.last[row] - reached(marks)
        return crosses_of(marks) + left >= self.to_lock

    def _check_turn(self, state: ClassicState, seat: int) -> None:
        family.check_seat(seat, self.seats(state))
        if state.phase == WHITE:
            choice = state.sealed[seat]
            if choice is not None and not (choice == HIDDEN and None not in state.sealed):
                raise NotToAct(f"seat {seat} has made its choice in this white action", "C3")
        elif error := family.no_choice(state.phase, self._end_rule(state)):
            raise error
        elif seat != state.active:
            raise NotToAct(f"the colour action is seat {state.active}'s alone", "C4")

    def _check_move(self, state: ClassicState, seat: int, field: Move) -> None:
        assert state.dice is not None
        family.check_offered(self.layout, state.phase, state.dice, field)
        if rule := self._forbids(state.sheets[seat], state.closed, field):
            row = COLOUR_NAMES[self.layout.colours[self.layout.places[field][0]]]
            raise IllegalMove(_WHY[rule].format(field=field, row=row, need=self.to_lock), rule)

    def _crossed(self, sheet: Sheet, field: Move) -> Sheet:
        row, place = self.layout.places[field]
        rows = sheet.rows
        crossed = rows[row] | mark_at(place)
        if place == self.layout.last[row]:  # C7: the lock goes with the last number
            crossed |= mark_at(place + 1)
        return Sheet((*rows[:row], crossed, *rows[row + 1 :]), sheet.failed)

    def _closed(self, closed: tuple[bool, ...], field: Move) -> tuple[bool, ...]:
        """C8: the rows that are closed after this field is crossed."""
        row, place = self.layout.places[field]
        return (
            (*closed[:row], True, *closed[row + 1 :]) if place == self.layout.last[row] else closed
        )

    def _white_action(self, state: ClassicState, choices: tuple[Move | None, ...]) -> ClassicState:
        """C3, C9: all choices take effect together, on the sheets as they stood."""
        sheets, closed = state.sheets, state.closed
        for seat, move in enumerate(choices):
            if move is not None and move != PASS:
                sheets = (*sheets[:seat], self._crossed(sheets[seat], move), *sheets[seat + 1 :])
                closed = self._closed(closed, move)
        nobody = (None,) * len(sheets)
        if sum(closed) >= family.ROWS_TO_END:  # C11, C12
            return ClassicState(sheets, closed, state.active, OVER, None, None, nobody)
        dice = state.dice
        if dice is not None and closed != state.closed:
            dice = family.without_closed(dice, closed)
        return ClassicState(
            sheets, closed, state.active, COLOUR, dice, choices[state.active], nobody
        )

    def _colour_action(self, state: ClassicState, move: Move) -> ClassicState:
        active, sheet, closed = state.active, state.sheets[state.active], state.closed
        if move != PASS:
            sheet, closed = self._crossed(sheet, move), self._closed(closed, move)
        elif state.white == PASS:
            sheet = Sheet(sheet.rows, sheet.failed + 1)  # C5
        sheets = (*state.sheets[:active], sheet, *state.sheets[active + 1 :])
        if sheet.failed >= self.most_failed or sum(closed) >= family.ROWS_TO_END:  # C10, C11
            return ClassicState(sheets, closed, active, OVER, None, None, state.sealed)
        return ClassicState(
            sheets, closed, (active + 1) % len(sheets), ROLL, None, None, state.sealed
        )
