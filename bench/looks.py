"""A net learns further from the master's look, and from every way in which a sheet can be turned.

The target of a table is what the master's look says of it, a throw further; and of what came later
in the game only what was not luck, ever fainter:
look + fade · (target of the next table - what the net makes of the throw that fell).
Red and yellow can change places, green and blue too, and both pairs with each other (with every die
turned round), so each position is learnt from in any of eight ways.

`python bench/looks.py collect positions 1`, with other numbers as often as you like, then
`python bench/looks.py learn positions classic.npz --passes 20`
"""

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qwixx import games
from qwixx.bots.net import stored
from qwixx.bots.plain import WORTH
from qwixx.compiled.chance import order
from qwixx.compiled.contract import phase, roll, start, together
from qwixx.compiled.jit import compiled, compiled_fast
from qwixx.compiled.judging import final, judge
from qwixx.compiled.net import Weights, new_mind
from qwixx.compiled.playing import new_room
from qwixx.compiled.printed import OVER, ROLL
from qwixx.compiled.reviewing import after_throw
from qwixx.compiled.thinking import look
from qwixx.compiled.words import Words
from qwixx.core.nets import HEADS, POINTS, Shape
from qwixx.core.values import POINT, WIN
from qwixx.lab.training import train
from qwixx.lab.training.floats import WIDEST, Floats, backward, chance, forward, new_space
from qwixx.lab.training.learning import LEARNER, LONGEST, choose, luckiest, step
from qwixx.lab.training.rounding import rounded, unrounded

GAME: Final = "classic"
GAMES: Final = {2: 2000, 3: 500, 4: 450, 5: 250}  # of one collection, by the number of players
WAYS: Final = 8  # to turn a sheet
ROW: Final = 2 * 13 * 13  # features of a row
BATCH: Final = 2048
WARM: Final = 100  # steps until they are as long as they should be
Lists = NDArray[np.int16]


@compiled
def record(
    board: Any,
    width: int,
    seed: int,
    number: int,
    players: int,
    opening: int,
    throws: int,
    fade: float,
    minds: Words,
    nets: Weights,
    sizes: Words,
    seen: Words,
    targets: Floats,
) -> int:
    """Play a game, and keep what every seat saw between two turns after the opening, with its
    targets; how many turns that is. In the opening each throw is the luckiest of so many."""
    table, room = np.zeros(width, np.int64), new_room(width)
    choices, found = np.zeros(players, np.int64), np.zeros((players, 2), np.int64)
    lineup = np.full(players, LEARNER)
    mind = new_mind(minds[LEARNER], nets[LEARNER], sizes[0], sizes[1])
    looked, came = np.zeros((LONGEST + 1, players, 2)), np.zeros((LONGEST + 1, players, 2))
    units, turn, kept = np.array([1.0 / WIN, 1.0 / (POINT * POINTS)]), 0, 0
    start(board, table, order(seed, number, 0, players))
    while phase(board, table) != OVER:
        if phase(board, table) == ROLL:
            drawn = throws if turn < opening else 1
            dice = luckiest(board, table, seed, number, turn, drawn, minds, room)
            if turn >= opening and kept < LONGEST:
                after_throw(board, table, dice, mind, found)
                came[kept] = found * units
                for seat in range(players):
                    judge(board, table, seat, mind)
                    seen[kept, seat] = mind.lists[: 1 + sizes[0]]
                    found[seat, 0], found[seat, 1] = look(board, table, seat, mind)
                looked[kept] = found * units
                kept += 1
            roll(board, table, dice)
            turn += 1
        plain = 0 if turn > opening else 1 if throws > 1 else 2
        where = board, table, seed, number, turn
        choose(*where, plain, lineup, minds, nets, sizes, room, choices)
        together(board, table, choices)
    for seat in range(players):
        found[seat, 0], found[seat, 1] = final(board, table, seat)
    targets[kept] = found * units
    for moment in range(kept - 1, -1, -1):
        targets[moment] = looked[moment] + fade * (targets[moment + 1] - came[moment])
    return kept


def collect(
    net: str | None, seed: int, part: float, fade: float
) -> tuple[Lists, NDArray[np.int8], Floats]:
    """Positions of games of a net with itself: lists of features, how many others there are, and
    targets. Half of the games begin with an opening, as in `qwixx train`."""
    plan, kernel = train.plans()[GAME], games.kernel_of(GAME)
    assert kernel is not None
    learner = train.read_net(Path(net), plan) if net else stored(GAME, 2, small=False)
    board, sizes = (
        kernel.board(games.game(GAME)),
        (1 + kernel.FEATURES.others, kernel.FEATURES.listed),
    )
    parts = list[tuple[Lists, NDArray[np.int8], Floats]]()
    for players, whole in GAMES.items():
        number = max(1, round(whole * part))
        minds = train.minds_of(plan, players, learner, learner, WORTH)
        rng = np.random.default_rng([seed, players])
        openings = np.where(rng.random(number) < 0.5, 0, rng.integers(1, 17, number))
        throws = np.where(rng.random(number) < 0.4, rng.integers(2, 13, number), 1)
        dice = int(rng.integers(2**62))
        seen = np.zeros((LONGEST, players, *sizes), np.int64)
        targets = np.zeros((LONGEST + 1, players, 2), np.float32)
        for game in range(number):
            opening = int(openings[game]), int(throws[game])
            where = board, kernel.words(players), dice, game, players, *opening
            kept = record(*where, fade, *minds, seen, targets)
            parts.append(
                (
                    seen[:kept].reshape(-1, *sizes).astype(np.int16),
                    np.full(kept * players, players - 1, np.int8),
                    targets[:kept].reshape(-1, 2).copy(),
                )
            )
    lists, others, wanted = (np.concatenate(part) for part in zip(*parts, strict=True))
    return lists, others, wanted


@compiled_fast
def turn(lists: Words, others: int, way: int) -> None:
    """Turn all sheets in one of the ways that change nothing."""
    for one in range(1 + others):
        for place in range(4):
            row = lists[one, place] // ROW
            to = row
            if (row < 2 and way & 1) or (row >= 2 and way & 2):
                to = row ^ 1
            if way & 4:
                to ^= 2
            lists[one, place] += (to - row) * ROW


@compiled_fast
def slope(
    net: Floats,
    shape: Shape,
    which: Words,
    ways: Words,
    seen: Lists,
    others: NDArray[np.int8],
    targets: Floats,
    by_points: float,
    slopes: Floats,
) -> float:
    """Add the slopes of these positions, each turned in its way; the loss of their chances to win
    comes back."""
    lists = np.empty(seen.shape[1:], np.int64)
    space = new_space(len(lists) - 1)
    errors, back = np.empty(HEADS, np.float32), np.empty((4, WIDEST), np.float32)
    lost = 0.0
    for place in range(len(which)):
        one = which[place]
        lists[:] = seen[one]
        turn(lists, others[one], ways[place])
        forward(net, shape, lists, others[one], space)
        errors[0] = chance(space[0, 0]) - targets[one, 0]
        errors[1] = by_points * (space[0, 1] - targets[one, 1])
        lost += errors[0] ** 2
        backward(net, shape, lists, others[one], space, errors, back, slopes)
    return lost


def learn(folder: Path, begin: str | None, out: Path, passes: int, rate: float) -> None:
    """Follow the targets of all collections, in steps that become shorter and shorter."""
    plan = train.plans()[GAME]
    begun = train.read_net(Path(begin), plan) if begin else stored(GAME, 2, small=False)
    shape, net = begun.shape, unrounded(begun)
    found = [np.load(file) for file in sorted(folder.glob("collection-*.npz"))]
    seen, others, targets = (
        np.concatenate([one[name] for one in found]) for name in ("seen", "others", "targets")
    )
    mean, square, slopes = np.zeros_like(net), np.zeros_like(net), np.zeros_like(net)
    batch, steps, rng = min(BATCH, len(seen)), 0, np.random.default_rng(1)
    every = passes * (len(seen) // batch)
    for number in range(passes):
        order, lost = rng.permutation(len(seen)), 0.0
        ways = rng.integers(0, WAYS, len(seen))
        for at in range(0, len(seen) - batch + 1, batch):
            some = slice(at, at + batch)
            lost += slope(
                net, shape, order[some], ways[some], seen, others, targets, plan.by_points, slopes
            )
            steps += 1
            length = rate * min(1.0, steps / WARM) * max(0.01, 1.0 - steps / every)
            step(net, slopes, mean, square, 1.0 / batch, length, steps)
        off = (lost / (len(seen) // batch * batch)) ** 0.5
        print(f"pass {number + 1}: {len(seen):,} positions, off by {100 * off:.2f} %", flush=True)
    about = {"passes": passes, "positions": len(seen), "from": "looks"}
    train.save(out, rounded(shape, net), about)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["collect", "learn"])
    parser.add_argument("folder", type=Path, help="where the positions are")
    parser.add_argument("number", help="of a collection; or of `learn`, where the net comes to lie")
    parser.add_argument("--begin", help="a net; without it, the one that ships")
    parser.add_argument("--part", type=float, default=1.0, help="of the games of a collection")
    parser.add_argument("--fade", type=float, default=0.75, help="of what came later in the game")
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--rate", type=float, default=6e-4)
    asked = parser.parse_args()
    if asked.what == "collect":
        seen, others, targets = collect(asked.begin, int(asked.number), asked.part, asked.fade)
        asked.folder.mkdir(parents=True, exist_ok=True)
        place = asked.folder / f"collection-{int(asked.number)}.npz"
        np.savez(place, seen=seen, others=others, targets=targets)
        print(f"{len(seen):,} positions in {place}")
    else:
        learn(asked.folder, asked.begin, Path(asked.number), asked.passes, asked.rate)


if __name__ == "__main__":
    main()
