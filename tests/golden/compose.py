"""Composes the golden games anew: `python tests/golden/compose.py`.
Look at every difference before keeping it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import qwixx
from qwixx import bots

HERE = Path(__file__).parent
NAMES = ("Ana", "Bruno", "Cora", "Dina", "Emil")


class Board:
    """Writes down a game event by event."""

    def __init__(self, game_id: str, players: int) -> None:
        self.game = qwixx.game(game_id)
        self.state: Any = self.game.start(players)
        self.record = qwixx.Record(game_id, NAMES[:players])

    def add(self, text: str) -> None:
        event = qwixx.parse_event(text)
        self.state = qwixx.apply(self.game, self.state, event)
        self.record = self.record.add(event, self.game.result(self.state))

    def turn(self, white_sum: int, *moves: str) -> None:
        """A turn on this white sum:
        each seat's white choice (in the duel the active seat's), no colour action."""
        first = max(1, white_sum - 6)
        coloured = "".join(die if die == "." else "3" for die in self.game.dice_in_play(self.state))
        self.add(f"{first}{white_sum - first} {coloured}")
        for seat, move in zip(self.game.to_act(self.state), moves, strict=True):
            self.add(f"{seat}:{move}")
        if self.state.phase == "colour":
            self.add(f"{self.state.active}:-")


def three_rows() -> qwixx.Record:
    """One row is closed; then two players close two more in one white action."""
    board = Board("classic", 2)
    for number in range(2, 7):
        board.turn(number, f"R{number}", f"Y{number}")
    for number in range(12, 7, -1):
        board.turn(number, f"G{number}", f"B{number}")
    board.turn(2, "G2", "-")
    board.turn(12, "R12", "Y12")
    return board.record


def together() -> qwixx.Record:
    """Three players; two of them close red together, and later the third ends the game with yellow."""
    board = Board("classic", 3)
    for number in range(2, 7):
        board.turn(number, f"R{number}", f"R{number}", f"Y{number}")
    board.turn(12, "R12", "R12", "-")
    board.turn(12, "G12", "B12", "Y12")
    return board.record


def die_gone() -> qwixx.Record:
    """The row of the red lock is closed;
    red fields in other rows are then crossed on the white sum."""
    board = Board("mixed-a", 2)
    for field in ("Y2", "Y3", "Y4", "B5", "B6"):
        board.turn(
            int(field[1:]),
            field,
            "-" if field == "Y2" else f"R{field[1:]}" if field == "Y3" else "-",
        )
    board.turn(12, "R12", "B12")
    board.turn(7, "R7", "R7")
    for field in ("G4", "G5", "G6", "G7", "Y12"):
        board.turn(int(field[1:]), "-", field)
    return board.record


def by_place() -> qwixx.Record:
    """Numbers go up and down within a row, and the last place closes it."""
    board = Board("mixed-b", 2)
    for number in (10, 6, 2, 8, 3):
        board.turn(number, f"R{number}", f"G{number}" if number in (10, 6) else "-")
    board.turn(11, "R11", "-")
    for number in (5, 7, 11, 9, 12):
        board.turn(number, "-", f"B{number}")
    board.turn(4, "-", "B4")
    return board.record


def duel_stacks(black: int, *ending: tuple[int, str]) -> qwixx.Record:
    """Black stacks on red 2 and grey on yellow 2, and then black's last turns."""
    board = Board("duel", 2)
    for _ in range(black):
        board.turn(2, "R2")
        board.turn(2, "Y2")
    for turn, (white_sum, move) in enumerate(ending):
        if turn:
            board.turn(2, "Y2")
        board.turn(white_sum, move)
    return board.record


def played(game_id: str, players: int, level: str, wanted: Callable[[Any], bool]) -> qwixx.Record:
    """The first game between bots that ends as wanted."""
    game, bot = qwixx.game(game_id), bots.resolve(level)
    for seed in range(10_000):
        rng = Random(seed)
        state = game.start(players, seed % players)
        record = qwixx.Record(game_id, NAMES[:players], seed % players)
        while state.phase != "over":
            event: qwixx.Event
            if seats := game.to_act(state):
                seat = rng.choice(seats)
                event = qwixx.Choice(seat, bots.decide(bot, game, state, seat, rng).move)
            else:
                event = qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
            state = qwixx.apply(game, state, event)
            record = record.add(event, game.result(state))
        if wanted(game.result(state)):
            return record
    raise LookupError(game_id)


def by(reason: str) -> Callable[[Any], bool]:
    return lambda result: bool(result.reason == reason)


def games() -> Iterator[tuple[str, qwixx.Record]]:
    for players in range(1, 6):
        yield (
            f"classic-{players}-rows",
            played("classic", players, "greedy", by("rows")),
        )
        yield f"classic-{players}-failed", played("classic", players, "greedy", by("failed"))
    yield "classic-2-tie", played("classic", 2, "random", lambda result: len(result.winners) == 2)
    yield "classic-2-three-rows", three_rows()
    yield "classic-3-together", together()
    for game_id in ("mixed-a", "mixed-b"):
        for players in (1, 2, 3):
            for reason in ("rows", "failed"):
                yield (
                    f"{game_id}-{players}-{reason}",
                    played(game_id, players, "greedy", by(reason)),
                )
    yield "mixed-a-2-die-gone", die_gone()
    yield "mixed-b-2-by-place", by_place()
    for reason in ("rows", "failed", "pieces"):
        yield f"duel-{reason}", played("duel", 2, "greedy", by(reason))
    yield "duel-last-piece-in-a-row", duel_stacks(21, (3, "R3"))
    yield "duel-last-piece-on-a-lock", duel_stacks(20, (12, "R12"))
    yield "duel-last-piece-on-the-last-number", duel_stacks(20, (3, "R3"), (12, "R12"))
    yield "duel-last-piece-on-the-failed-throws", duel_stacks(20, (3, "R3"), (2, "-"))


def main() -> None:
    for name, record in games():
        game, _, state = qwixx.read_record(record.to_json())
        kept = replace(record, more={"final": game.to_position(state)})
        (HERE / f"{name}.json").write_text(kept.dumps(), encoding="utf-8")
        print(f"{name}: {len(record.events)} events, {json.dumps(record.result)}")


if __name__ == "__main__":
    main()
