"""Leads the law along a compiled game, and has both think about every decision of it.

A net's sums are float32 sums, and the order in which a processor adds them up is its own affair. Measured on
several kinds, chances differ by up to 3e-7; where two moves are alike to the last digits, the one or the other is
taken. So the law follows the compiled game. At every decision it must think of the moves what the compiled bot
thinks of them, and must choose what that chose, or find it worse by no more than ROUNDING. If not, it may think
again with each of its judgements off by as much: what it supposes of others, and which lines it looks at closely,
have such ties, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from random import Random
from typing import Any, Self

import numpy as np

import qwixx
from qwixx import bots, games
from qwixx.bots import expert, master, net
from qwixx.games import kernel as shared
from qwixx.games.net import BY_POINTS, HASTE
from qwixx.lab import compiled, matches

ROUNDING = 1e-6  # of a win
NUDGES = 64

Values = Mapping[str, expert.Value]


class Rounded:
    """A net whose numbers are off as those of another processor may be."""

    def __init__(self, net: net.Net, rng: Random) -> None:
        self.net, self.rng, self.off = net, rng, dict[str, float]()

    def judge(self, positions: Sequence[net.Lists]) -> tuple[list[float], list[float]]:
        wins, points = self.net.judge(positions)
        off = [self.off.setdefault(str(one), self.rng.uniform(-ROUNDING, ROUNDING)) for one in positions]
        if not positions[0][1]:  # alone, only points count
            return wins, [here + one / BY_POINTS for here, one in zip(points, off, strict=True)]
        return [here + one for here, one in zip(wins, off, strict=True)], points


class Drawn(Random):
    """Draws one number, again and again."""

    def __new__(cls, _: float) -> Self:
        return super().__new__(cls)

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


class Follower:
    """Decides for the law as the compiled bots have done, if the law agrees."""

    def __init__(self, contest: matches.Contest, played: matches.Played) -> None:
        events = [qwixx.parse_event(text) for texts in played.events for text in texts]
        self.choices: Iterator[qwixx.Choice] = iter([one for one in events if isinstance(one, qwixx.Choice)])
        self.contest = contest

    def decide(self, bot: bots.Bot, game: qwixx.Game[Any], state: Any, seat: int, rng: Random) -> bots.Decision:
        choice, view = next(self.choices), game.view(state, seat)
        assert choice.seat == seat
        if isinstance(bot, expert.ExpertBot):
            self.check(bot, game, state, choice, rng.random())
            return bots.Decision(choice.move, {})
        decision = bot.decide(game, view, seat, rng)  # by numbers that are exact
        assert decision.move == choice.move, game.to_position(view)
        return decision

    def check(
        self, bot: expert.ExpertBot, game: qwixx.Game[Any], state: Any, choice: qwixx.Choice, drawn: float
    ) -> None:
        theirs, view = self.compiled_thoughts(bot, game, state, choice.seat), game.view(state, choice.seat)
        own, players = bot.judge(game, view), len(game.result(view).totals)
        for nudge in range(NUDGES):
            judge = copy(own)
            vars(judge)["net"] = Rounded(own.net, Random(nudge)) if nudge else own.net
            for ours in thoughts(bot, judge, view, choice.seat):
                if alike(ours, theirs) and choice.move in defensible(bot, ours, players, drawn):
                    return
        ours = thoughts(bot, own, view, choice.seat)[0]
        raise AssertionError(f"{choice} of {game.to_position(state)}: compiled {theirs}, the law {ours}")

    def compiled_thoughts(self, bot: bots.Bot, game: qwixx.Game[Any], state: Any, seat: int) -> Values:
        kernel, weigher = games.kernel_of(game.id), games.kernel_of(game.id, "expert_kernel")
        (level,) = (name for name, made in bots.LEVELS.items() if made is type(bot))
        _, weights = compiled.tables(game.id, self.contest.seats, self.contest.bots)
        flat, further = weights[self.contest.bots.index(level)], isinstance(bot, master.MasterBot)
        wins, points = np.zeros(shared.MOVES, np.float32), np.zeros(shared.MOVES, np.float32)
        weigher.weigh(kernel.board(game), kernel.pack(game, state), seat, flat, further, wins, points)
        codes = {move: shared.pack_move(game.layout, move) for move in game.moves(state, seat)}
        return {move: expert.Value(float(wins[code]), float(points[code])) for move, code in codes.items()}


def thoughts(bot: expert.ExpertBot, judge: expert.Judge, view: Any, seat: int) -> list[Values]:
    """What a bot thinks of the moves that it thinks through.

    A master may think in two ways: two moves can lead to one table, and if only one of them is looked at closely,
    it is a matter of the last digit which.
    """
    found = expert.lines(judge, view, seat)
    if not isinstance(bot, master.MasterBot) or len(near := master.candidates(found)) == 1:
        return [expert.best_of_each(found)]
    over = {line.end: line.value for line in near if line.end.phase == "over"}
    deep = {end: over.get(end) or master.next_throw(judge, end, seat) for end in {line.end for line in near}}
    cut = min(line.value.worth for line in near)
    tied = [line for line in found if abs(line.value.worth - cut) <= ROUNDING]
    sure = near if all(line in near for line in tied) else [line for line in near if line not in tied]
    return [
        expert.best_of_each([line._replace(value=deep[line.end]) for line in some]) for some in (near, sure) if some
    ]


def alike(ours: Values, theirs: Values) -> bool:
    """Whether two think the same, but for what rounding and a nudge can do."""
    return all(
        abs(theirs[move].win - win) <= 10 * ROUNDING and abs(theirs[move].points - points) <= 0.01
        for move, (win, points) in ours.items()
    )


def defensible(bot: expert.ExpertBot, values: Values, players: int, drawn: float) -> set[str]:
    """What a bot may choose if its numbers are right but for rounding."""
    if isinstance(bot, expert.ClubBot):  # a draw at the edge of one move's share may fall to the next
        edge = 2 * ROUNDING / HASTE
        draws = [min(max(drawn + off, 0.0), 1 - 1e-12) for off in (-edge, 0.0, edge)]
        return {bot.pick(values, players, Drawn(draw)) for draw in draws}
    best = max(value.worth for value in values.values())
    return {move for move, value in values.items() if value.worth >= best - ROUNDING}
