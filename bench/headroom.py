"""How much better than the large net anybody could play:
roll-outs of its best choices at decisions of its games.

At some decisions of whole games each of the net's best choices is played to the end thousands of
times, all with the same dice. Half of these games say which choice is best, the other half how much
better it is than the net's own, so that chance is not taken for skill. Summed over the decisions of
a game that is what a player would gain who knew this at every turn. `python bench/headroom.py duel
--against greedy`
"""

import argparse
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from qwixx import bots, games
from qwixx.bots import minds
from qwixx.bots.net import stored
from qwixx.compiled.chance import FRACTION, dealt, luck
from qwixx.compiled.contract import acting, choose, closed, legal, phase, roll, start
from qwixx.compiled.judging import final
from qwixx.compiled.net import new_mind
from qwixx.compiled.playing import TRAINED, decide, new_room, play_on
from qwixx.compiled.printed import MOVES, OVER, ROLL, WHITE
from qwixx.compiled.thinking import ponder
from qwixx.compiled.words import Words, lowest
from qwixx.core.values import WIN

NET, OTHER = 0, 1  # who plays, a row of the minds each
NEAR = WIN * 6 // 100  # choices that are that much worse are not rolled out
MOST = 3
LARGE = minds.Style(TRAINED, small=False)  # the large net, not looking further
LOG = np.zeros(0, np.int64)


class Rollouts:
    """The large net at a table with others, and its choices there, played to the end."""

    def __init__(self, game_id: str, players: int, against: str) -> None:
        kernel, net = games.kernel_of(game_id), stored(game_id, players, small=False)
        assert kernel is not None
        self.players, self.board, self.width = (
            players,
            kernel.board(games.game(game_id)),
            kernel.words(players),
        )
        other = (LARGE, net) if against == "itself" else (minds.STYLES[against], None)
        self.minds = minds.of_styles(game_id, players, [LARGE, other[0]], [net, other[1]])

    def lineup(self, seat: int) -> Words:
        found = np.full(self.players, OTHER)
        found[seat] = NET
        return found

    def sample(self, number: int, seed: int) -> tuple[list[tuple[Words, int]], float]:
        """So many tables at which the net is to choose, one in ten;
        and how often it chooses in a game."""
        rng, board, found = np.random.default_rng(seed), self.board, list[tuple[Words, int]]()
        room, asked, game = new_room(self.width), 0, 0
        while len(found) < number:
            seat, table, turns = game % self.players, np.zeros(self.width, np.int64), 0
            start(board, table, game // self.players % self.players)
            game += 1
            while phase(board, table) != OVER:
                if phase(board, table) == ROLL:
                    roll(
                        board,
                        table,
                        dealt(seed, game, turns, board.faces, board.rows, closed(board, table)),
                    )
                    turns += 1
                acts = acting(board, table)
                for one in (one for one in range(self.players) if acts >> one & 1):
                    asked += one == seat
                    if one == seat and rng.random() < 0.1:
                        found.append((table.copy(), seat))
                    who, fraction = self.lineup(seat)[one], int(rng.integers(1 << FRACTION))
                    choose(
                        board,
                        table,
                        one,
                        decide(board, table, one, *self.minds, who, fraction, room),
                    )
        return found[:number], asked / game

    def worths(self, table: Words, seat: int, number: int, seed: int) -> NDArray[np.float64]:
        """What comes of a table in so many games:
        the seat's share of the win, and a little for its points."""
        found, lineup, room = np.zeros(number), self.lineup(seat), new_room(self.width)
        for deal in range(number):
            end = table.copy()
            while (
                phase(self.board, end) == WHITE
            ):  # `play_on` begins with whole actions: nothing may be sealed
                one = lowest(acting(self.board, end))
                fraction = luck(seed, deal, one, 0)
                move = decide(self.board, end, one, *self.minds, lineup[one], fraction, room)
                choose(self.board, end, one, move)
            play_on(self.board, end, seed, deal, deal, lineup, *self.minds, room, LOG)
            found[deal] = sum(final(self.board, end, seat)) / WIN
        return found

    def gain(self, table: Words, seat: int, number: int, seed: int) -> float:
        """How much better than the net's choice the one is that roll-outs like best."""
        numbers, nets, sizes = self.minds
        wins, points = np.zeros(MOVES, np.int64), np.zeros(MOVES, np.int64)
        ponder(
            self.board,
            table,
            seat,
            new_mind(numbers[NET], nets[NET], sizes[0], sizes[1]),
            wins,
            points,
            0,
        )
        moves = legal(self.board, table, seat)
        worths = {
            move: int(wins[move] + points[move]) for move in range(MOVES) if moves >> move & 1
        }
        ranked = sorted(worths, key=lambda move: -worths[move])
        near = [move for move in ranked[:MOST] if worths[move] > worths[ranked[0]] - NEAR]
        if len(near) < 2:
            return 0.0
        means = []
        for move in near:
            after = table.copy()
            choose(self.board, after, seat, move)
            means.append(self.worths(after, seat, number, seed).reshape(2, -1).mean(axis=1))
        one, other = np.array(means).T
        return float((other[one.argmax()] - other[0] + one[other.argmax()] - one[0]) / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "game", choices=[game_id for game_id in games.ids() if "master" in bots.levels(game_id)]
    )
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--against", choices=["itself", "greedy", "formula"], default="itself")
    parser.add_argument("--decisions", type=int, default=200)
    parser.add_argument("--games", type=int, default=16_000, help="for each choice")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rollouts = Rollouts(asked.game, asked.seats, asked.against)
    tables, often = rollouts.sample(asked.decisions, asked.seed)
    with ThreadPoolExecutor() as pool:
        jobs = [
            pool.submit(rollouts.gain, *table, asked.games, asked.seed + 1 + number)
            for number, table in enumerate(tables)
        ]
        gains = often * np.array([job.result() for job in jobs])
    report = {
        "game": asked.game,
        "seats": asked.seats,
        "against": asked.against,
        "decisions_a_game": round(often, 1),
        "gain_a_game": round(float(gains.mean()), 4),
        "interval": round(float(1.96 * gains.std() / len(gains) ** 0.5), 4),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
