"""The law of Qwixx Duel (rules D1 to D14): 2 players, one shared board, 22 pieces each."""

from typing import Any, ClassVar, Final

from qwixx.core.dice import Dice, Throw, throws
from qwixx.core.errors import IllegalMove, NotToAct
from qwixx.core.fields import COLOUR_NAMES, PASS, STANDARD, Layout, Move
from qwixx.core.game import COLOUR, OVER, ROLL, WHITE, Effects, Game, Position, Result
from qwixx.games import family
from qwixx.games.duel import position, scoring
from qwixx.games.duel.state import DuelState, Row, count_in_row, owner, placed, read, stack

_WHY: Final = {
    "S4": "row {row} is closed",
    "D2": "{field} lies left of your rightmost piece in its row",
    "D3": "{field} is occupied",
    "D5": "{field} is no longer the foremost field of its row, so its stack cannot grow",
    "D6": "{field} holds a stack, which can never be captured",
    "D7": "{field} was used in this turn's white action already",
    "D9": "{field} is the last number of row {row} and needs {need} of your pieces there first",
}


class Duel(Game[DuelState]):
    """The rules; the limits are smaller on the tiny boards that tests enumerate."""

    players: ClassVar = range(2, 3)

    def __init__(
        self,
        layout: Layout = STANDARD,
        pieces: int = 22,
        to_lock: int = 5,
        most_failed: int = 4,
        name: str = "duel",
    ) -> None:
        self.id = name
        self.layout = layout
        self.pieces = pieces
        self.to_lock = to_lock
        self.most_failed = most_failed

    def start(self, players: int = 2, first: int = 0) -> DuelState:
        family.check_players(players, first, self.players)
        rows = tuple((0,) * len(numbers) for numbers in self.layout.numbers)
        return DuelState(rows, (None,) * len(rows), (0, 0), first, ROLL, None, None)

    def seats(self, state: DuelState) -> int:
        return len(state.failed)

    def to_act(self, state: DuelState) -> tuple[int, ...]:
        return (state.active,) if state.phase in (WHITE, COLOUR) else ()  # D1

    def dice_in_play(self, state: DuelState) -> str:
        return family.in_play(self.layout, self._closed(state))

    def throws(self, state: DuelState) -> tuple[Throw, ...]:
        # S1
        return throws(self.dice_in_play(state), self.layout.faces) if state.phase == ROLL else ()

    def roll(self, state: DuelState, dice: Dice) -> DuelState:
        family.check_rolling(state.phase, "D12")
        family.check_dice(self.layout, self.dice_in_play(state), dice)
        return state._replace(phase=WHITE, dice=dice)

    def moves(self, state: DuelState, seat: int) -> tuple[Move, ...]:
        if state.dice is None or seat != state.active:
            return ()
        fields = family.offered(self.layout, state.phase, state.dice)
        return (
            PASS,
            *[field for field in fields if self.forbidding_rule(state, seat, field) is None],
        )

    def choose(self, state: DuelState, seat: int, move: Move) -> DuelState:
        self._check_turn(state, seat)
        if move == PASS:
            failing = state.phase == COLOUR and state.white == PASS
            after = self._with_failed_throw(state) if failing else state
        else:
            self._check_move(state, seat, move)
            after = self._with_piece(state, move)
        return self._next_action(after, move)

    def effects(self, state: DuelState, seat: int, move: Move) -> Effects:
        if move == PASS:
            failing = state.phase == COLOUR and state.white == PASS
            return Effects(failed=int(failing))  # D8
        row, place = self.layout.place(move)
        pieces, reading = state.rows[row][place], read(state.rows[row])
        mine = bool(pieces) and owner(pieces) == seat
        reach, reach_after = (
            self._reach(state, row, seat),
            self._reach(self._with_piece(state, move), row, seat),
        )
        narrows = reach_after < self.to_lock <= reach
        blocked = self._blocked(state, row, seat)
        return Effects(
            skips=state.rows[row][reading.rightmost[seat] + 1 : place].count(0),
            # D11: the very last piece puts none on the lock
            closes=int(place == self.layout.last[row] and self.supply(state, seat) > 1),
            captures=int(bool(pieces) and not mine),
            raises=abs(pieces) + 1 if mine else 0,
            leads=int(place > reading.foremost),
            forgoes=int(narrows and blocked),
            narrows=int(narrows and not blocked),
        )

    def result(self, state: DuelState) -> Result:
        return scoring.result(self, state)

    def view(self, state: DuelState, seat: int | None) -> DuelState:  # noqa: ARG002 - D1: nothing is sealed
        return state

    def to_position(self, state: DuelState) -> Position:
        return position.to_position(self, state)

    def from_position(self, position_json: Any) -> DuelState:
        return position.from_position(self, position_json)

    def forbidding_rule(self, state: DuelState, seat: int, field: Move) -> str | None:
        """The rule by which this seat may not enter this field, whatever the dice say."""
        row, place = self.layout.places[field]
        if state.locks[row] is not None:
            return "S4"
        if field == state.white:
            return "D7"
        pieces, reading = state.rows[row][place], read(state.rows[row])
        if pieces and place == reading.foremost:
            captures = owner(pieces) != seat
            return "D6" if captures and abs(pieces) > 1 else None  # D4, D5
        if place < reading.rightmost[seat]:
            return "D2"
        if pieces:
            return "D5" if owner(pieces) == seat else "D3"
        if place == self.layout.last[row] and reading.counts[seat] < self.to_lock:
            return "D9"
        return None

    def supply(self, state: DuelState, seat: int) -> int:
        """The pieces this seat has not placed."""
        return self.pieces - placed(state, seat)

    def _reach(self, state: DuelState, row: int, seat: int) -> int:
        """How many pieces this seat can come to in a row before its last number, stacks left aside."""
        free = state.rows[row][
            read(state.rows[row]).rightmost[seat] + 1 : self.layout.last[row]
        ].count(0)
        return count_in_row(state, row, seat) + free

    def _blocked(self, state: DuelState, row: int, seat: int) -> bool:
        """Whether no stack can bring this seat more pieces in a row: the foremost field is the last
        before the last number, and it holds a stack of the opponent (D6). Anywhere else stacks
        grow without limit (D5)."""
        pieces = state.rows[row][self.layout.last[row] - 1]
        return abs(pieces) > 1 and owner(pieces) != seat

    def _closed(self, state: DuelState) -> tuple[bool, ...]:
        return tuple([lock is not None for lock in state.locks])

    def _check_turn(self, state: DuelState, seat: int) -> None:
        family.check_seat(seat, self.seats(state))
        if error := family.no_choice(state.phase, "D12"):
            raise error
        if seat != state.active:
            raise NotToAct(f"only the active player acts: seat {state.active}", "D1")

    def _check_move(self, state: DuelState, seat: int, field: Move) -> None:
        assert state.dice is not None
        family.check_offered(self.layout, state.phase, state.dice, field)
        if rule := self.forbidding_rule(state, seat, field):
            row = COLOUR_NAMES[self.layout.colours[self.layout.places[field][0]]]
            raise IllegalMove(_WHY[rule].format(field=field, row=row, need=self.to_lock), rule)

    def _with_piece(self, state: DuelState, field: Move) -> DuelState:
        """The active player's piece is on the field, and on the lock if the field calls for it."""
        seat, (row, place) = state.active, self.layout.places[field]
        rows = (*state.rows[:row], _entered(state.rows[row], place, seat), *state.rows[row + 1 :])
        locks = state.locks
        if place == self.layout.last[row] and self.supply(state, seat) > 1:  # D10, D11
            locks = (*locks[:row], seat, *locks[row + 1 :])
        return state._replace(rows=rows, locks=locks)

    def _with_failed_throw(self, state: DuelState) -> DuelState:
        """D8"""
        failed = [count + (seat == state.active) for seat, count in enumerate(state.failed)]
        return state._replace(failed=tuple(failed))

    def _next_action(self, state: DuelState, move: Move) -> DuelState:
        if scoring.ended(self, state):  # D12
            return state._replace(phase=OVER, dice=None, white=None)
        if state.phase == COLOUR:
            return DuelState(
                state.rows, state.locks, state.failed, 1 - state.active, ROLL, None, None
            )
        assert state.dice is not None
        dice = family.without_closed(state.dice, self._closed(state))
        return DuelState(state.rows, state.locks, state.failed, state.active, COLOUR, dice, move)


def _entered(row: Row, place: int, seat: int) -> Row:
    """One more own piece on an own stack (D5), or a single one on an empty or captured field (D4)."""
    pieces = row[place]
    mine = bool(pieces) and owner(pieces) == seat
    return (*row[:place], stack(seat, abs(pieces) + 1 if mine else 1), *row[place + 1 :])
