"""The judgement of the master, compiled (extra "lab"): the same numbers, many times as fast."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from qwixx import games
from qwixx.bots import minds
from qwixx.bots.expert import think
from qwixx.bots.judging import Judge
from qwixx.compiled import contract, reviewing, thinking
from qwixx.compiled.jit import kept_in, one_at_a_time
from qwixx.compiled.judging import suppose
from qwixx.compiled.net import new_mind
from qwixx.compiled.printed import COLOUR, unpack_move, white_dice
from qwixx.compiled.sealed import interacts
from qwixx.compiled.words import Words
from qwixx.core.fields import Move
from qwixx.core.game import WHITE, Game
from qwixx.core.values import Value
from qwixx.study.falls import Fall, Values, Whites
from qwixx.study.judging import Judged, NetJudgement, Worth, best_of, can_judge

_MOVE, _TABLE = 0, 1  # a line of thought is the move, then the table that it ends with


def made(game: Game[Any], players: int) -> "CompiledJudgement | None":
    """The compiled judgement of a game; None if it has no kernel that can hold its sheet."""
    return CompiledJudgement(game, players) if minds.can_play(game.id) else None


def is_warm(game_id: str) -> bool:
    """Whether the machine code of this judgement was made before, so that nobody waits for it."""
    return _mark(game_id).is_file()


def warm_up(game_id: str) -> bool:
    """Compile all of it, which takes a while, and keep it; whether that could be done."""
    game = games.game(game_id)
    judge = (
        made(game, max(2, game.players[0])) if can_judge(game, max(2, game.players[0])) else None
    )
    if judge is None:
        return False
    if not is_warm(game_id):
        table = game.start(judge.players)
        dice = game.throws(table)[0].dice
        with one_at_a_time():
            judge.before(table)
            judge.after(table, dice)
            judge.choices(game.roll(table, dice), table.active)
        with suppress(OSError):  # then it is compiled again next time
            _mark(game_id).touch()
    return True


def _mark(game_id: str) -> Path:
    return kept_in() / f"judgement-{game_id}"


class CompiledJudgement(NetJudgement):
    """By the master's net, compiled."""

    compiled = True

    def __init__(self, game: Game[Any], players: int) -> None:
        super().__init__(game, players)
        kernel = games.kernel_of(game.id)
        assert kernel is not None
        self._kernel, self._board = kernel, kernel.board(game)
        numbers, nets, sizes = minds.of_levels(game.id, players, ["master"])
        self._mind = new_mind(numbers[0], nets[0], *sizes.tolist())

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.game, self.players)

    def _falls(self, table: Any, whites: Whites) -> list[Fall]:
        packed = self._kernel.pack(self.game, table)
        falls, values = reviewing.room_for_falls(self._board, packed)
        listed = reviewing.list_falls(
            self._board, packed, white_dice(*whites), self._mind, falls, values
        )
        return [
            Fall(
                None if die == reviewing.NONE else (die, face),
                ways,
                *(tuple(Value(*value) for value in which) for which in worths),
            )
            for (die, face, ways), worths in zip(
                falls[:listed].tolist(), values[:listed].tolist(), strict=True
            )
        ]

    def _unseen(self, table: Any) -> Values:
        packed, found = self._kernel.pack(self.game, table), np.empty((self.players, 2), np.int64)
        reviewing.unseen(self._board, packed, self._mind, found)
        return tuple(Value(*value) for value in found.tolist())

    def _look(self, table: Any, seats: Sequence[int]) -> dict[int, Value]:
        packed = self._kernel.pack(self.game, table)
        return {seat: self._look_at(packed, seat) for seat in seats}

    def _look_at(self, table: Words, seat: int) -> Value:
        return Value(*map(int, thinking.look(self._board, table, seat, self._mind)))

    def _lines(self, table: Words, seat: int) -> tuple[Words, Words]:
        """Every way in which the turn can end for a seat, and its chance and points there."""
        ends = np.empty((thinking.MOST_ENDS, _TABLE + len(table)), np.int64)
        values = np.empty((thinking.MOST_ENDS, 2), np.int64)
        listed = reviewing.list_lines(self._board, table, seat, self._mind, ends, values)
        return ends[:listed], values[:listed]

    def _choices(self, view: Any, seat: int, witnesses: Sequence[int]) -> Judged:
        table = self._kernel.pack(self.game, view)
        if view.phase == WHITE and interacts(self._board, table):
            return self._sealed(view, seat, think(self.judge, view, seat))
        ends, values = self._lines(table, seat)
        looked = _worth_a_look(ends, values, thinking.candidates(self._mind, values))
        found = [
            (self._move(ends[line, _MOVE]), Worth.of(self._look_at(ends[line, _TABLE:], seat)))
            for line in looked
        ]
        best, worths = best_of(found, view, self.game, seat)
        line = ends[looked[best]]
        witnessed = tuple(Worth.of(self._look_at(line[_TABLE:], one)) for one in witnesses)
        return Judged(found[best][0], self._then(view, table, seat, line), worths, witnessed)

    def _move(self, code: int) -> Move:
        return unpack_move(self.game.layout, int(code))

    def _then(self, view: Any, table: Words, seat: int, line: Words) -> Move | None:
        """The colour action with which a line comes to its end."""
        if view.phase != WHITE or view.active != seat:
            return None
        board, work = self._board, np.empty((4, len(table)), np.int64)
        choices = np.zeros(self.players, np.int64)
        suppose(board, table, seat, self._mind, choices, work)
        choices[seat] = line[_MOVE]
        after = table.copy()
        contract.together(board, after, choices)
        if contract.phase(board, after) != COLOUR:
            return None
        moves, code = int(contract.legal(board, after, seat)), 0
        while moves:
            if moves & 1:
                choices[seat], end = code, after.copy()
                contract.together(board, end, choices)
                if np.array_equal(end, line[_TABLE:]):
                    break
            moves, code = moves >> 1, code + 1
        return self._move(code if moves else 0)


def _worth_a_look(ends: Words, values: Words, near: Words) -> list[int]:
    """The lines that the master looks at, and the best line of every move."""
    first: dict[int, int] = {}
    for line, (move, worth) in enumerate(zip(ends[:, _MOVE], values.sum(axis=1), strict=True)):
        if move not in first or worth > values[first[move]].sum():
            first[int(move)] = line
    return list(dict.fromkeys([*near.tolist(), *first.values()]))
