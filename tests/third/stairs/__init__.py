"""A third game, which no other file knows:
four-faced dice, two rows of their own lengths, three or four players.

Everybody has a counter on each row. On one's turn one may move one of them to the white sum, to the
right; who moves none has failed. A row is closed, and its die gone, when somebody stands on its
last field. The game ends with both rows, or with the fifth failed throw of all together. A counter
is worth the number of its place.
"""

from typing import Any, ClassVar, Final, NamedTuple

from qwixx.core.dice import Dice, Throw, throws
from qwixx.core.errors import BadPosition, IllegalMove, NotToAct
from qwixx.core.fields import PASS, Layout, Move
from qwixx.core.game import OVER, ROLL, WHITE, Effects, Game, Phase, Position, Reason, Result
from qwixx.core.parsing import JsonObject
from qwixx.core.picture import Cell, Guide, Panel, Printed, PrintedRow, Strip
from qwixx.games import family

LAYOUT: Final = Layout("YG", ((2, 3, 4, 5, 6, 7, 8), (8, 6, 3, 5, 4)), faces=4)
MOST_FAILED: Final = 5
COST: Final = 2
START: Final = -1  # the place of a counter that has not moved


class State(NamedTuple):
    """Where everybody's counters stand, row by row, and who has failed how often."""

    counters: tuple[tuple[int, ...], ...]
    failed: tuple[int, ...]
    active: int
    phase: Phase = ROLL
    dice: Dice | None = None


class Stairs(Game[State]):
    players: ClassVar = range(3, 5)
    id = "stairs"
    layout = LAYOUT

    def start(self, players: int, first: int = 0) -> State:
        family.check_players(players, first, self.players)
        return State(((START,) * len(LAYOUT.colours),) * players, (0,) * players, first)

    def seats(self, state: State) -> int:
        return len(state.counters)

    def to_act(self, state: State) -> tuple[int, ...]:
        return (state.active,) if state.phase == WHITE else ()

    def dice_in_play(self, state: State) -> str:
        return family.in_play(LAYOUT, _closed(state.counters))

    def throws(self, state: State) -> tuple[Throw, ...]:
        return throws(self.dice_in_play(state), LAYOUT.faces) if state.phase == ROLL else ()

    def roll(self, state: State, dice: Dice) -> State:
        family.check_rolling(state.phase, "T3")
        family.check_dice(LAYOUT, self.dice_in_play(state), dice)
        return state._replace(phase=WHITE, dice=dice)

    def moves(self, state: State, seat: int) -> tuple[Move, ...]:
        if state.dice is None or seat != state.active:
            return ()
        fields = family.white_fields(LAYOUT, state.dice.white_sum)
        return (PASS, *(field for field in fields if _forbids(state, seat, field) is None))

    def choose(self, state: State, seat: int, move: Move) -> State:
        family.check_seat(seat, self.seats(state))
        if error := family.no_choice(state.phase, "T3"):
            raise error
        if seat != state.active:
            raise NotToAct(f"it is seat {state.active}'s turn", "T1")
        counters, failed = list(state.counters), list(state.failed)
        if move == PASS:
            failed[seat] += 1
        else:
            assert state.dice is not None
            family.check_offered(LAYOUT, WHITE, state.dice, move)
            if rule := _forbids(state, seat, move):
                raise IllegalMove(f"{move} is not open to you", rule)
            counters[seat] = _moved(counters[seat], move)
        after = State(tuple(counters), tuple(failed), seat)
        if _ended(after):
            return after._replace(phase=OVER)
        return after._replace(active=(seat + 1) % len(counters))

    def effects(self, state: State, seat: int, move: Move) -> Effects:
        if move == PASS:
            return Effects(failed=1)
        row, place = LAYOUT.place(move)
        return Effects(
            skips=place - state.counters[seat][row] - 1, closes=int(place == LAYOUT.last[row])
        )

    def result(self, state: State) -> Result:
        rows = tuple(tuple(place + 1 for place in mine) for mine in state.counters)
        totals = tuple(
            sum(mine) - COST * fails for mine, fails in zip(rows, state.failed, strict=True)
        )
        reason = _ended(state)
        winners = (
            tuple(seat for seat, total in enumerate(totals) if total == max(totals))
            if reason
            else None
        )
        return Result(totals, rows, reason is not None, winners, reason)

    def view(self, state: State, seat: int | None) -> State:  # noqa: ARG002 - nothing is sealed
        return state

    def to_position(self, state: State) -> Position:
        counters = [list(mine) for mine in state.counters]
        turn = family.turn_json(state, None)
        return {"game": self.id, **turn, "counters": counters, "failed": list(state.failed)}

    def from_position(self, position: Any) -> State:
        given = JsonObject(position, "the position", BadPosition)
        if given.text("game") != self.id:
            raise BadPosition("a position of another game")
        counters, failed = given.array("counters"), given.array("failed")
        if len(counters) not in self.players or len(failed) != len(counters):
            raise BadPosition("three or four players have counters and failed throws")
        if not all(map(_are_counters, counters)) or not all(
            type(fails) is int and fails >= 0 for fails in failed
        ):
            raise BadPosition("counters stand on their rows, and failed throws are counted from 0")
        state = State(tuple(map(tuple, counters)), tuple(failed), 0)
        playing = family.in_play(LAYOUT, _closed(state.counters))
        turn = family.read_turn(LAYOUT, given, len(counters), playing, _ended(state))
        if turn.phase not in (ROLL, WHITE, OVER):
            raise BadPosition("there is no colour action here")
        return state._replace(active=turn.active, phase=turn.phase, dice=turn.dice)


def _are_counters(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == len(LAYOUT.last)
        and all(
            type(place) is int and START <= place <= last
            for place, last in zip(value, LAYOUT.last, strict=True)
        )
    )


def _closed(counters: tuple[tuple[int, ...], ...]) -> tuple[bool, ...]:
    return tuple(
        any(mine[row] == last for mine in counters) for row, last in enumerate(LAYOUT.last)
    )


def _ended(state: State) -> Reason | None:
    if all(_closed(state.counters)):
        return "rows"
    return "failed" if sum(state.failed) >= MOST_FAILED else None


def _forbids(state: State, seat: int, field: Move) -> str | None:
    row, place = LAYOUT.places[field]
    if _closed(state.counters)[row]:
        return "S4"
    return "T2" if place <= state.counters[seat][row] else None


def _moved(mine: tuple[int, ...], field: Move) -> tuple[int, ...]:
    row, place = LAYOUT.places[field]
    return (*mine[:row], place, *mine[row + 1 :])


class StairsGuide(Guide[State]):
    title = "Stairs"
    summary = (
        "Move one counter to the white sum, to the right.\nWho moves none has a failed throw: -2."
    )
    markers: ClassVar = ()
    game: Stairs

    def __init__(self, game: Stairs) -> None:
        rows = tuple(map(PrintedRow, LAYOUT.colours, LAYOUT.fields))
        points = tuple(range(1, 1 + max(map(len, LAYOUT.numbers))))
        self.game = game
        self.printed = Printed(
            rows, LAYOUT.faces, points, MOST_FAILED, COST, to_lock=0, pieces=None, sealed=False
        )

    def panels(self, state: State) -> tuple[Panel, ...]:
        closed = _closed(state.counters)
        return tuple(
            Panel(
                seat,
                tuple(_strip(seat, row, place, closed[row]) for row, place in enumerate(mine)),
                (seat,) * state.failed[seat],
            )
            for seat, mine in enumerate(state.counters)
        )

    def status(self, state: State, seat: int) -> str:
        return f"failed throws {state.failed[seat]} (all {sum(state.failed)} of {MOST_FAILED})"


def _strip(seat: int, row: int, stands: int, closed: bool) -> Strip:
    colour = LAYOUT.colours[row]
    cells = [
        Cell(field, colour, field[1:], owner=seat, height=1, foremost=True)
        if place == stands
        else Cell(field, colour, field[1:], gone=closed or place < stands)
        for place, field in enumerate(LAYOUT.fields[row])
    ]
    won = stands == LAYOUT.last[row]
    lock = Cell(
        None, colour, "lock", owner=seat if won else None, height=int(won), gone=closed and not won
    )
    return Strip(colour, (*cells, lock), closed)


GAMES: Final = {Stairs.id: StairsGuide(Stairs())}
