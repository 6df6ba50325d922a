"""How well sealed choices are made, and how true the chances are that are told with them.

`closings`: at tables of games for two at which both can close a row, and not the same one, every
joint choice is played to the end many times. Against what that says, how much does somebody gain
who knows how a level mixes its choices, more than in equilibrium? Half of the games say which answer
is best, the other half what it gains, so that chance is not taken for skill. And how far from 1 are
the chances that both seats are told?

`certainty`: in games of a level with itself, of all white choices whose chance was told as so much,
how many were won; and the same of those at which somebody can close a row or end the game.

`python bench/sealed.py closings --level master`
"""

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qwixx import games
from qwixx.bots import minds
from qwixx.bots.net import stored
from qwixx.compiled.chance import FRACTION, dealt, luck
from qwixx.compiled.contract import acting, closed, effects, legal, phase, roll, start, together
from qwixx.compiled.judging import final
from qwixx.compiled.net import Mind, new_mind
from qwixx.compiled.playing import TRAINED, new_room, play_on
from qwixx.compiled.printed import MOVES, OVER, ROLL, WHITE
from qwixx.compiled.sealed import interacts
from qwixx.compiled.thinking import ponder
from qwixx.compiled.words import Words, lowest
from qwixx.core.equilibrium import MIX_ONE, equilibrium
from qwixx.core.values import WIN

EDGES: Final = (0.0, 0.5, 0.9, 0.95, 0.98, 0.99, 0.995, 0.9985, 1.0)
DRAWS: Final = 32  # of luck, to see how a level mixes
CLOSES: Final = 1  # the place of this effect
LOG: Final = np.zeros(0, np.int64)
Matrix = NDArray[np.float64]


class Players:
    """A level at a table, and the large net without a look, which plays to the end."""

    def __init__(self, game_id: str, seats: int, level: str) -> None:
        kernel = games.kernel_of(game_id)
        assert kernel is not None
        self.seats, self.board = seats, kernel.board(games.game(game_id))
        self.width = kernel.words(seats)
        style = minds.STYLES[level]
        nets = [stored(game_id, seats, style.small), stored(game_id, seats, small=False)]
        self.minds = minds.of_styles(
            game_id, seats, [style, minds.Style(TRAINED, small=False)], nets
        )
        self.quick = np.ones(seats, np.int64)

    def mind(self, row: int) -> Mind:
        numbers, nets, sizes = self.minds
        return new_mind(numbers[row], nets[row], sizes[0], sizes[1])

    def closers(self, table: Words, seat: int) -> set[int]:
        """The moves of a seat that close a row."""
        moves = legal(self.board, table, seat)
        return {
            move
            for move in range(1, MOVES)
            if moves >> move & 1 and effects(self.board, table, seat, move)[CLOSES]
        }

    def tables(self, number: int, seed: int) -> tuple[list[Words], float]:
        """Tables of games of the large net at which both can close different rows;
        how many a game has."""
        found, game, mind = list[Words](), 0, self.mind(1)
        wins, points = np.zeros(MOVES, np.int64), np.zeros(MOVES, np.int64)
        while len(found) < number:
            table, turns, choices = np.zeros(self.width, np.int64), 0, np.zeros(2, np.int64)
            start(self.board, table, game % 2)
            game += 1
            while phase(self.board, table) != OVER:
                if phase(self.board, table) == ROLL:
                    shut = closed(self.board, table)
                    roll(
                        self.board,
                        table,
                        dealt(seed, game, turns, self.board.faces, self.board.rows, shut),
                    )
                    turns += 1
                    one, other = (self.closers(table, seat) for seat in range(2))
                    if not shut and len(one | other) > 1 and one and other:
                        found.append(table.copy())
                left = acting(self.board, table)
                while left:
                    seat = lowest(left)
                    left &= left - 1
                    fraction = luck(seed, game, seat, 2 * turns)
                    choices[seat] = ponder(self.board, table, seat, mind, wins, points, fraction)
                together(self.board, table, choices)
        return found[:number], len(found) / game

    def mix(self, table: Words, seat: int) -> tuple[dict[int, float], float]:
        """How often a level chooses each move, and the chance that it tells."""
        wins, points = np.zeros(MOVES, np.int64), np.zeros(MOVES, np.int64)
        mind, mixed, told = self.mind(0), dict[int, float](), 0.0

        def drawn(number: int) -> int:
            fraction = (2 * number + 1) * (1 << FRACTION) // (2 * DRAWS)
            return int(ponder(self.board, table, seat, mind, wins, points, fraction))

        if drawn(0) == (only := drawn(DRAWS - 1)):  # a share is a part without gaps
            return {only: 1.0}, wins[only] / WIN
        for number in range(DRAWS):
            move = drawn(number)
            mixed[move] = mixed.get(move, 0.0) + 1 / DRAWS
            told += wins[move] / WIN / DRAWS
        return mixed, told

    def played(self, table: Words, choices: Words, number: int, seed: int) -> Matrix:
        """What the first seat has of the win if both choose so; two means of so many games."""
        after, room, found = table.copy(), new_room(self.width), np.zeros(number)
        together(self.board, after, choices)
        if phase(self.board, after) == OVER:
            return np.full(2, final(self.board, after, 0)[0] / WIN)
        for deal in range(number):
            end = after.copy()
            play_on(self.board, end, seed, deal, deal, self.quick, *self.minds, room, LOG)
            found[deal] = final(self.board, end, 0)[0] / WIN
        halves: Matrix = found.reshape(2, -1).mean(axis=1)
        return halves


def worth_of_game(matrix: Matrix) -> float:
    """What a game is worth to the first seat in equilibrium."""
    rows, columns = matrix.shape
    scaled = np.rint(matrix * WIN).astype(int).tolist()
    payoffs = [
        (2 * scaled[i][j] - WIN, WIN - 2 * scaled[i][j])
        for i, j in product(range(rows), range(columns))
    ]
    one, other = equilibrium((rows, columns), payoffs)
    value = sum(
        Fraction(one[i] * other[j] * scaled[i][j], MIX_ONE**2 * WIN)
        for i, j in product(range(rows), range(columns))
    )
    return float(value)


def gains(players: Players, table: Words, number: int, seed: int) -> tuple[list[float], float]:
    """What is gained by knowing how each seat mixes; and what both are told, added up."""
    moves = [
        [move for move in range(MOVES) if legal(players.board, table, seat) >> move & 1]
        for seat in range(2)
    ]
    halves = np.array(
        [
            [players.played(table, np.array([one, other]), number, seed) for other in moves[1]]
            for one in moves[0]
        ]
    )
    found, told = [], 0.0
    value = worth_of_game(halves.mean(axis=2))
    for seat in range(2):
        mixed, chance = players.mix(table, seat)
        told += chance
        shares = np.array([mixed.get(move, 0.0) for move in moves[seat]])
        # What the other has of the win with each of its answers, by either half.
        answers = (
            1 - shares @ halves.transpose(2, 0, 1)
            if seat == 0
            else (halves.transpose(2, 0, 1) @ shares)
        )
        one, two = answers
        best = (two[one.argmax()] + one[two.argmax()]) / 2
        found.append(float(best - (1 - value if seat == 0 else value)))
    return found, told


def closings(game_id: str, level: str, number: int, deals: int, seed: int) -> dict[str, Any]:
    players = Players(game_id, 2, level)
    tables, often = players.tables(number, seed)
    with ThreadPoolExecutor() as pool:
        jobs = [
            pool.submit(gains, players, table, deals, seed + place)
            for place, table in enumerate(tables)
        ]
        measured = [job.result() for job in jobs]
    gained = np.array([gain for some, _ in measured for gain in some])
    told = np.array([abs(told - 1) for _, told in measured])
    return {
        "tables": number,
        "tables_a_game": round(often, 3),
        "gain": round(float(gained.mean()), 4),
        "interval": round(float(1.96 * gained.std() / len(gained) ** 0.5), 4),
        "over_5_percent": round(float((gained > 0.05).mean()), 4),
        "told_off": round(float(told.mean()), 4),
        "told_off_most": round(float(told.max()), 4),
    }


def certainty(game_id: str, seats: int, level: str, number: int, seed: int) -> dict[str, Any]:
    players = Players(game_id, seats, level)
    board, mind = players.board, players.mind(0)
    wins, points = np.zeros(MOVES, np.int64), np.zeros(MOVES, np.int64)
    said = list[tuple[float, bool, int]]()
    came = list[float]()
    for game in range(number):
        table, turns, choices = np.zeros(players.width, np.int64), 0, np.zeros(seats, np.int64)
        start(board, table, game % seats)
        asked = list[int]()
        while phase(board, table) != OVER:
            if phase(board, table) == ROLL:
                shut = closed(board, table)
                roll(board, table, dealt(seed, game, turns, board.faces, board.rows, shut))
                turns += 1
            white = phase(board, table) == WHITE
            closing = white and bool(interacts(board, table))
            left = acting(board, table)
            while left:
                seat = lowest(left)
                left &= left - 1
                fraction = luck(seed, game, seat, 2 * turns + white)
                move = ponder(board, table, seat, mind, wins, points, fraction)
                choices[seat] = move
                if white:
                    said.append((wins[move] / WIN, closing, int(closed(board, table)).bit_count()))
                    asked.append(seat)
            together(board, table, choices)
        came += [final(board, table, seat)[0] / WIN for seat in asked]
    told, closes, shut_rows = (np.array(part) for part in zip(*said, strict=True))
    won = np.array(came)
    return {
        "games": number,
        "choices": len(told),
        "closing": round(float(closes.mean()), 4),
        "all": _bins(told, won, np.ones(len(told), bool)),
        "somebody_can_close": _bins(told, won, closes.astype(bool)),
        "none_closed": _bins(told, won, shut_rows == 0)[-1:],
        "one_closed": _bins(told, won, shut_rows == 1)[-1:],
    }


def _bins(told: Matrix, won: Matrix, which: NDArray[np.bool_]) -> list[dict[str, Any]]:
    found = []
    for low, high in pairwise(EDGES):
        inside = which & (told >= low) & ((told < high) | (high == 1.0))
        if inside.any():
            found.append(
                {
                    "from": low,
                    "choices": int(inside.sum()),
                    "told": round(float(told[inside].mean()), 4),
                    "won": round(float(won[inside].mean()), 4),
                }
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["closings", "certainty"])
    parser.add_argument("--game", default="classic")
    parser.add_argument("--seats", type=int, default=2, help="of `certainty`")
    parser.add_argument("--level", choices=["expert", "master"], default="master")
    parser.add_argument("--number", type=int, default=400, help="tables, or games")
    parser.add_argument("--games", type=int, default=1000, help="of `closings`: for each outcome")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.what == "closings":
        found = closings(asked.game, asked.level, asked.number, asked.games, asked.seed)
    else:
        found = certainty(asked.game, asked.seats, asked.level, asked.number, asked.seed)
    print(json.dumps({"game": asked.game, "level": asked.level} | found))


if __name__ == "__main__":
    main()
