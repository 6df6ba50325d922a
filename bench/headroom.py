"""How much better than the large net anybody could play: roll-outs of its best choices at decisions of its games.

At some decisions of whole games each of the net's best choices is played to the end thousands of times, all with
the same dice. Half of these games say which choice is best, the other half how much better it is than the net's
own, so that chance is not taken for skill. Summed over the decisions of a game that is what a player would gain
who knew this at every turn. `python bench/headroom.py duel --against greedy`
"""

import argparse
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from qwixx.games.kernel import EFFECTS, EXPERT, GREEDY, MOVES, OVER, ROLL, Words, dealt
from qwixx.games.net import BY_POINTS

from qwixx import games
from qwixx.bots.net import numbers_of
from qwixx.bots.plain import FORMULA, WORTH

NET, OTHER = 0, 1  # who plays, a row of weights each
NEAR = 0.06  # of a win: choices that are that much worse are not rolled out
MOST = 3
LOG = np.zeros(0, np.int64)


class Hall:
    """A table at which the net sits with others, and all that plays there."""

    def __init__(self, game_id: str, players: int, against: str) -> None:
        self.players = players
        self.kernel, self.bots = games.kernel_of(game_id), games.kernel_of(game_id, "bots_kernel")
        self.expert, self.board = games.kernel_of(game_id, "expert_kernel"), self.kernel.board(games.game(game_id))
        net = numbers_of(game_id, players, small=False)
        self.weights = np.stack([net, net])
        self.styles = np.array([EXPERT, EXPERT])
        if against != "itself":
            worth = {"greedy": WORTH, "formula": FORMULA}[against]
            self.weights[OTHER, : len(EFFECTS)] = [getattr(worth, effect) for effect in EFFECTS]
            self.styles[OTHER] = GREEDY

    def lineup(self, seat: int) -> Words:
        found = np.full(self.players, OTHER)
        found[seat] = NET
        return found

    def sample(self, number: int, seed: int) -> tuple[list[tuple[Words, int]], float]:
        """So many tables at which the net is to choose, one in ten; and how often it chooses in a game."""
        rng, kernel, found = np.random.default_rng(seed), self.kernel, list[tuple[Words, int]]()
        asked, game = 0, 0
        while len(found) < number:
            seat, table, turns = game % self.players, np.zeros(kernel.words(self.players), np.int64), 0
            kernel.start(table, game // self.players % self.players)
            game += 1
            while kernel.phase(table) != OVER:
                if kernel.phase(table) == ROLL:
                    closed = kernel.closed_rows(table)
                    kernel.roll(table, dealt(seed, game, turns, self.board.faces, self.board.rows, closed))
                    turns += 1
                acts = [one for one in range(self.players) if kernel.to_act(table, one)]
                for one in acts:
                    asked += one == seat
                    if one == seat and rng.random() < 0.1:
                        found.append((table.copy(), seat))
                    who, luck = self.lineup(seat)[one], int(rng.integers(1 << 59))
                    move = self.bots.decide(self.board, table, one, self.styles, self.weights, who, luck)
                    kernel.choose(self.board, table, one, move)
        return found[:number], asked / game

    def shares(self, table: Words, seat: int, number: int, seed: int) -> NDArray[np.float64]:
        """What comes of a table in so many games: the seat's share of the win, and a little for its points."""
        found, lineup = np.zeros(number), self.lineup(seat)
        for deal in range(number):
            end = table.copy()
            self.bots.play_on(self.board, end, seed, deal, deal, lineup, self.styles, self.weights, LOG)
            totals = [self.kernel.total(self.board, end, one) for one in range(self.players)]
            won = totals[seat] == max(totals)
            found[deal] = won / totals.count(max(totals)) + BY_POINTS * totals[seat]
        return found

    def gain(self, table: Words, seat: int, number: int, seed: int) -> float:
        """How much better than the net's choice the one is that roll-outs like best."""
        wins, points = np.zeros(MOVES, np.float32), np.zeros(MOVES, np.float32)
        self.expert.weigh(self.board, table, seat, self.weights[NET], False, wins, points)
        legal = self.kernel.legal(self.board, table, seat)
        worths = {move: float(wins[move] + BY_POINTS * points[move]) for move in range(MOVES) if legal >> move & 1}
        ranked = sorted(worths, key=lambda move: -worths[move])
        near = [move for move in ranked[:MOST] if worths[move] > worths[ranked[0]] - NEAR]
        if len(near) < 2:
            return 0.0
        means = []
        for move in near:
            after = table.copy()
            self.kernel.choose(self.board, after, seat, move)
            means.append(self.shares(after, seat, number, seed).reshape(2, -1).mean(axis=1))
        one, other = np.array(means).T
        return float((other[one.argmax()] - other[0] + one[other.argmax()] - one[0]) / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=games.ids())
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--against", choices=["itself", "greedy", "formula"], default="itself")
    parser.add_argument("--decisions", type=int, default=200)
    parser.add_argument("--games", type=int, default=16_000, help="for each choice")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    hall = Hall(asked.game, asked.seats, asked.against)
    tables, often = hall.sample(asked.decisions, asked.seed)
    with ThreadPoolExecutor() as pool:
        jobs = [
            pool.submit(hall.gain, *table, asked.games, asked.seed + 1 + number)
            for number, table in enumerate(tables)
        ]
        gains = often * np.array([job.result() for job in jobs])
    told = {
        "game": asked.game,
        "seats": asked.seats,
        "against": asked.against,
        "decisions_a_game": round(often, 1),
        "gain_a_game": round(float(gains.mean()), 4),
        "interval": round(float(1.96 * gains.std() / len(gains) ** 0.5), 4),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
