"""Whatever legal choices and dice come: what must hold in every state of every game."""

from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import qwixx
from qwixx import games
from qwixx.core.errors import QwixxError
from qwixx.core.fields import HIDDEN
from sweeps import sweep
from tables import ALL_FIELDS

MOVES = st.sampled_from(["-", *ALL_FIELDS])


class AnyGame(RuleBasedStateMachine):
    """Plays one game by the contract alone."""

    game_id: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.game = qwixx.game(self.game_id)
        self.state: Any = None

    @initialize(data=st.data())
    def sit_down(self, data: st.DataObject) -> None:
        players = data.draw(st.sampled_from(self.game.players))
        self.seats = range(players)
        self.state = self.game.start(players, data.draw(st.integers(0, players - 1)))
        self.record = qwixx.Record(
            self.game_id, tuple(f"player {seat}" for seat in self.seats), self.state.active
        )

    def happen(self, event: qwixx.Event) -> None:
        before = self.state
        self.state = qwixx.apply(self.game, before, event)
        self.record = self.record.add(event, self.game.result(self.state))
        self.compare(before, event, self.state)

    @precondition(lambda self: self.state.phase == "roll")
    @rule(data=st.data())
    def roll(self, data: st.DataObject) -> None:
        in_play, face = self.game.dice_in_play(self.state), st.integers(1, self.game.layout.faces)
        whites = data.draw(st.tuples(face, face))
        coloured = [0 if colour == "." else data.draw(face) for colour in in_play]
        self.happen(qwixx.Dice(whites, tuple(coloured)))

    @precondition(lambda self: self.game.to_act(self.state))
    @rule(data=st.data())
    def choose(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.game.to_act(self.state)))
        # Crossing rather than passing, and close rather than far,
        # so that games get long and rows get closed.
        moves = sorted(
            self.game.moves(self.state, seat), key=lambda move: self.distance(seat, move)
        )
        self.happen(qwixx.Choice(seat, data.draw(st.sampled_from(moves))))

    def distance(self, seat: int, move: str) -> int:
        return 99 if move == "-" else self.game.effects(self.state, seat, move).skips

    @rule(seat=st.integers(-2, 6), move=MOVES | st.text(max_size=4))
    def illegal(self, seat: int, move: str) -> None:
        before = self.game.to_position(self.state)
        if move not in self.game.moves(self.state, seat):
            with pytest.raises(QwixxError):
                self.game.choose(self.state, seat, move)
        assert self.game.to_position(self.state) == before

    @rule(text=st.text("123456. 07", max_size=8))
    def illegal_dice(self, text: str) -> None:
        if self.state.phase != "roll":
            with pytest.raises(QwixxError):
                self.game.roll(self.state, qwixx.Dice.parse("41 3625"))
        elif len(text) != 3 + len(self.game.layout.colours):
            with pytest.raises(QwixxError):
                self.game.roll(self.state, qwixx.Dice.parse(text))

    @invariant()
    def exactly_one_of_over_acting_rolling(self) -> None:
        over, acting = self.game.result(self.state).over, bool(self.game.to_act(self.state))
        rolling = self.state.phase == "roll"
        assert over + acting + rolling == 1
        assert over == (self.state.phase == "over")
        assert acting == (self.state.dice is not None)

    @invariant()
    def seats_and_throws_are_told(self) -> None:
        assert (
            self.game.seats(self.state)
            == len(self.seats)
            == len(self.game.result(self.state).totals)
        )
        throws = self.game.throws(self.state)
        dice = 2 + sum(colour != "." for colour in self.game.dice_in_play(self.state))
        rolling = self.state.phase == "roll"
        assert sum(throw.weight for throw in throws) == (
            self.game.layout.faces**dice if rolling else 0
        )
        for throw in throws[:: max(1, len(throws) // 7)]:
            assert self.game.roll(self.state, throw.dice).dice == throw.dice

    @invariant()
    def pass_is_legal_for_whoever_acts(self) -> None:
        for seat in self.seats:
            moves = self.game.moves(self.state, seat)
            assert (moves[:1] == ("-",)) == (seat in self.game.to_act(self.state))
            assert len(set(moves)) == len(moves)
            order = [self.game.layout.places[move] for move in moves[1:]]
            assert order == sorted(order)

    @invariant()
    def positions_and_records_round_trip(self) -> None:
        hash(self.state)
        assert self.game.from_position(self.game.to_position(self.state)) == self.state
        game, record, state = qwixx.read_record(self.record.to_json())
        assert (game, record, state) == (self.game, self.record, self.state)

    def compare(self, before: Any, event: qwixx.Event, after: Any) -> None:
        """What one event may change."""
        closed_before, closed_after = (self.game.dice_in_play(state) for state in (before, after))
        assert all(new in (old, ".") for old, new in zip(closed_before, closed_after, strict=True))
        penalties = [
            [self.game.result(state).penalty(seat) for seat in self.seats]
            for state in (before, after)
        ]
        cost = qwixx.guide(self.game_id).printed.cost
        assert all(new - old in (0, cost) for old, new in zip(*penalties, strict=True))
        assert sum(penalties[1]) - sum(penalties[0]) in (0, cost)
        if isinstance(event, qwixx.Dice):
            assert penalties[0] == penalties[1]


class ClassicGame(AnyGame):
    def compare(self, before: Any, event: qwixx.Event, after: Any) -> None:
        super().compare(before, event, after)
        for old, new in zip(before.sheets, after.sheets, strict=True):
            for row, (marks, more) in enumerate(zip(old.rows, new.rows, strict=True)):
                assert marks & more == marks  # nothing is ever erased
                assert not before.closed[row] or marks == more  # closed rows never change
                assert more.bit_count() - marks.bit_count() in (0, 1, 2)

    @precondition(lambda self: self.state.phase == "white")
    @rule(data=st.data())
    def order_of_sealed_choices_does_not_matter(self, data: st.DataObject) -> None:
        seats = self.game.to_act(self.state)
        events = [
            qwixx.Choice(seat, data.draw(st.sampled_from(self.game.moves(self.state, seat))))
            for seat in seats
        ]
        shuffled = data.draw(st.permutations(events))
        assert qwixx.fold(self.game, self.state, events) == qwixx.fold(
            self.game, self.state, shuffled
        )

    @precondition(
        lambda self: self.state.phase == "white" and len(self.game.to_act(self.state)) > 1
    )
    @rule(data=st.data())
    def view_hides_what_others_chose(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.game.to_act(self.state)))
        moves = self.game.moves(self.state, seat)
        one, other = (
            self.game.choose(self.state, seat, data.draw(st.sampled_from(moves))) for _ in range(2)
        )
        for watcher in (*self.seats, None):
            if watcher != seat:
                assert self.game.view(one, watcher) == self.game.view(other, watcher)
        assert self.game.view(one, seat).sealed[seat] == one.sealed[seat]
        # What is hidden can be supposed, which leads where the real choice leads.
        watcher = next(watcher for watcher in self.seats if watcher != seat)
        view = self.game.view(one, watcher)
        assert view.sealed[seat] == HIDDEN
        for other_seat in self.game.to_act(view):
            view = self.game.choose(view, other_seat, "-")
        assert seat in self.game.to_act(view)
        supposed, real = self.game.choose(view, seat, one.sealed[seat]), one
        for other_seat in self.game.to_act(one):
            real = self.game.choose(real, other_seat, "-")
        if supposed.phase != "white":
            assert supposed == real


class DuelGame(AnyGame):
    def letters(self, state: Any, letter: str) -> int:
        position = self.game.to_position(state)
        in_rows = sum(
            text.count(letter) for row in position["rows"].values() for text in row.values()
        )
        locks = list(position["locks"].values()).count(letter)
        return int(in_rows) + locks + int(position["failed"]["bg".index(letter)])

    @invariant()
    def pieces_are_conserved(self) -> None:
        for seat, letter in enumerate("bg"):
            supply = self.game.supply(self.state, seat)  # type: ignore[attr-defined] # a duel, not any game
            assert supply + self.letters(self.state, letter) == 22
            assert supply >= 0
            assert (supply == 0) <= self.game.result(self.state).over

    @invariant()
    def nothing_is_hidden(self) -> None:
        assert self.game.view(self.state, 0) == self.game.view(self.state, None) == self.state

    def compare(self, before: Any, event: qwixx.Event, after: Any) -> None:
        super().compare(before, event, after)
        for old, new, lock in zip(before.rows, after.rows, before.locks, strict=True):
            assert foremost(old) <= foremost(new)
            assert lock is None or old == new  # closed rows never change
            assert all(pieces for was, pieces in zip(old, new, strict=True) if was)  # D14
        captures = 0
        if isinstance(event, qwixx.Choice):
            captures = self.game.effects(before, event.seat, event.move).captures
        counts = [[self.letters(state, letter) for letter in "bg"] for state in (before, after)]
        losses = [max(0, was - now) for was, now in zip(*counts, strict=True)]
        assert sum(losses) == captures  # counts never shrink except by a capture


def foremost(row: tuple[int, ...]) -> int:
    return max((place for place, pieces in enumerate(row) if pieces), default=-1)


# What holds in a game of its own, besides; whatever game comes is played.
FAMILIES: dict[str, type[AnyGame]] = {"classic": ClassicGame, "duel": DuelGame}


@pytest.mark.parametrize("game_id", qwixx.ids())
@pytest.mark.parametrize("number", sweep([10, 80]), ids=["few", "many"])
def test_whatever_comes(game_id: str, number: int) -> None:
    steps = settings(max_examples=number, stateful_step_count=120)
    kind = FAMILIES.get(games.family_of(game_id), AnyGame)
    machine = type(f"{kind.__name__} {game_id}", (kind,), {"game_id": game_id})
    run_state_machine_as_test(machine, settings=steps)
