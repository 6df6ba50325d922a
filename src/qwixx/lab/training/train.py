"""Learning to play from nothing: games against oneself,
the net follows what came of them, and the better stays.

Everything hangs on the seed and the plan, on nothing else:
not on the clock, and not on how many threads there are.
"""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qwixx import games
from qwixx.bots.net import Stored, read_stored
from qwixx.bots.plain import FORMULA, WORTH, Opinion
from qwixx.bots.stock import SMALL
from qwixx.compiled import playing
from qwixx.compiled.playing import GREEDY, RANDOM, TRAINED
from qwixx.compiled.words import Words
from qwixx.core.errors import BotFailed, QwixxError
from qwixx.core.nets import Shape
from qwixx.lab.interrupts import held_back
from qwixx.lab.minds import Minds, Style, can_play, of_styles
from qwixx.lab.progress import Advance
from qwixx.lab.training.floats import Floats, at_end, at_heads, at_hidden, size
from qwixx.lab.training.learning import LEARNER, LONGEST, PLAIN, RIVAL, record, slope, step
from qwixx.lab.training.rounding import rounded, unrounded
from qwixx.lab.workers import cores

_PARTS: Final = 4  # of a generation's games, and of a step's positions; threads share them
_YARDSTICKS: Final = {"greedy": WORTH, "formula": FORMULA}
# Turns that are played any way, so that the net sees tables it would not come to.
_LONGEST_OPENING: Final = 16
# Of these the share in which every throw is the luckiest of some: rows become long, and are
# closed early.
_LUCKY: Final = 0.4
_MOST_THROWS: Final = 12
_PROGRESS: Final = "told"  # what the state of a learner calls it, as it always did
_ROOM: Final = 60  # positions of a seat in a game, on average, for which there is room at first


@dataclass(frozen=True)
class TrainingPlan:
    """How a net is trained. Games of a generation are by the number of players."""

    game: str
    # Of its layers: those that read the own list alone, pairs of lists, hidden ones.
    units: tuple[int, int, int]
    seats: dict[int, int]
    generations: int
    # How much of a target comes from further on than the next throw.
    fades: tuple[float, float] = (
        0.8,
        0.3,
    )
    rate: float = 1e-3
    by_points: float = 0.5
    batch: int = 4096
    check: int = 20  # generations between two checks
    check_games: int = 2000
    seed: int = 1
    against: str | None = None  # the net, or the yardstick, that alone is to be beaten
    small: bool = False  # a net of few units, beside the large one
    begin: str | None = None  # the net that learns further

    @property
    def name(self) -> str:
        """Under which the net ships."""
        return f"{self.game}{'-1' if set(self.seats) == {1} else ''}{SMALL if self.small else ''}"


def plans() -> dict[str, TrainingPlan]:
    """How the nets that ship were trained; `qwixx train` follows these."""
    found = [
        TrainingPlan(game, **how)
        for game in games.ids()
        if can_play(game) and (features := games.features_of(game)) is not None
        for how in features.TRAINING
    ]
    return {plan.name: plan for plan in found}


class Check(NamedTuple):
    """How a net stood at a moment of its training:
    shares of wins, one against the others, by seats."""

    generation: int
    positions: int
    seconds: float
    loss: float
    kept: bool
    against_last: dict[str, float]
    greedy: dict[str, float]
    formula: dict[str, float]
    points: float


@dataclass
class Learner:
    """A net under way, with all it takes to go on after an interruption."""

    plan: TrainingPlan
    net: Floats
    best: Floats
    mean: Floats
    square: Floats
    generation: int = 0
    steps: int = 0
    positions: int = 0
    seconds: float = 0.0
    checks: list[Check] = field(default_factory=list)


def shape_of(plan: TrainingPlan) -> Shape:
    features = games.features_of(plan.game)
    assert features is not None
    alone, pair, hidden = plan.units
    return Shape(features.FEATURES, features.OTHER_FEATURES if pair else 0, alone, pair, hidden)


def further(plan: TrainingPlan, path: str) -> TrainingPlan:
    """The plan for a net that has learned already: in shorter steps, and by what it says itself."""
    return replace(plan, begin=path, rate=plan.rate * 0.3, fades=plan.fades[1:] * 2, check=24)


def begun(plan: TrainingPlan) -> Learner:
    """A net that is to learn: one that knows nothing, or one that has learned already."""
    if plan.begin is None:
        return fresh(plan)
    net = unrounded(read_net(Path(plan.begin), plan))
    return Learner(plan, net, net.copy(), np.zeros_like(net), np.zeros_like(net))


def fresh(plan: TrainingPlan) -> Learner:
    """A net that knows nothing."""
    shape, rng = shape_of(plan), np.random.default_rng(plan.seed)
    net = np.zeros(size(shape), np.float32)
    spread = (
        (0, at_hidden(shape), 0.15),
        (at_hidden(shape), at_heads(shape), 1.0 / shape.units**0.5),
        (at_heads(shape), at_end(shape), 0.1),
    )
    for start, end, scale in spread:
        net[start:end] = rng.normal(0.0, scale, end - start)
    net[-1] = 1.5  # about fifty points
    return Learner(plan, net, net.copy(), np.zeros_like(net), np.zeros_like(net))


def minds_of(plan: TrainingPlan, players: int, net: Stored, rival: Stored, plain: Opinion) -> Minds:
    """Who plays: the learner, its rival, one of the plain bots, and one that plays anything."""
    styles = (Style(TRAINED), Style(TRAINED), Style(GREEDY, plain), Style(RANDOM))
    return of_styles(plan.game, players, styles, (net, rival, None, None))


class Seen(NamedTuple):
    """Positions to learn from: the lists of features, how many others there are, what came of them."""

    lists: NDArray[np.int16]
    seats: NDArray[np.int8]
    targets: Floats


def _record(learner: Learner, minds: Minds, players: int, part: int) -> Seen:
    """One part of a generation's games with so many players."""
    plan, number = (
        learner.plan,
        max(1, round(learner.plan.seats[players] * _warm(learner) / _PARTS)),
    )
    rng = np.random.default_rng([plan.seed, learner.generation, players, part])
    seed = int(rng.integers(2**62))
    openings = np.where(rng.random(number) < 0.5, 0, rng.integers(1, _LONGEST_OPENING + 1, number))
    lucky = np.where(rng.random(number) < _LUCKY, rng.integers(2, _MOST_THROWS + 1, number), 1)
    lineups = np.full((number, players), LEARNER)
    if plan.against is not None:
        lineups[:] = _rival_of(plan)
        lineups[np.arange(number), rng.integers(0, players, number)] = LEARNER
    kernel = games.kernel_of(plan.game)
    assert kernel is not None
    room = number * players * _ROOM
    while True:
        lists = np.zeros((room, 1 + kernel.FEATURES.others, kernel.FEATURES.listed), np.int16)
        seats, targets = np.zeros(room, np.int8), np.zeros((room, 2), np.float32)
        found = record(
            kernel.board(games.game(plan.game)),
            kernel.words(players),
            seed,
            np.arange(number),
            lineups,
            openings,
            lucky,
            *minds,
            _fade(learner),
            lists,
            seats,
            targets,
        )
        if found < room or room > number * players * LONGEST:
            return Seen(lists[:found], seats[:found], targets[:found])
        room *= 2


def _rival_of(plan: TrainingPlan) -> int:
    return PLAIN if plan.against in _YARDSTICKS else RIVAL


def _warm(learner: Learner) -> float:
    """Short generations at first, while there is much to learn from few games."""
    if learner.plan.begin is not None:
        return 1.0
    return min(1.0, (learner.generation + 1) / 10)


def _fade(learner: Learner) -> float:
    """At first what came of a game counts for much,
    then more and more what the net says of the next table."""
    first, last = learner.plan.fades
    return first + (last - first) * min(1.0, 2.0 * learner.generation / learner.plan.generations)


def _rate(learner: Learner) -> float:
    """Full steps in the first half, then shorter and shorter ones."""
    done = learner.generation / learner.plan.generations
    return learner.plan.rate * (1.0 if done < 0.5 else max(0.02, 2.0 - 2.0 * done))


def generation(learner: Learner, rival: Stored, pool: Executor) -> float:
    """Play a generation's games, and follow what came of them; the loss comes back."""
    plan, shape = learner.plan, shape_of(learner.plan)
    net, plain = rounded(shape, learner.net), _YARDSTICKS.get(plan.against or "", WORTH)
    minds = {players: minds_of(plan, players, net, rival, plain) for players in plan.seats}
    works = [(players, part) for players in plan.seats for part in range(_PARTS)]
    seen = list(pool.map(lambda work: _record(learner, minds[work[0]], *work), works))
    lists, seats, targets = (np.concatenate(parts) for parts in zip(*seen, strict=True))
    order = np.random.default_rng([plan.seed, learner.generation]).permutation(len(lists))
    slopes, lost = np.zeros((_PARTS, len(learner.net)), np.float32), 0.0
    batch = min(plan.batch, max(64, len(order) // 16))
    for at in range(0, len(order) - batch + 1, batch):
        parts = np.array_split(order[at : at + batch], _PARTS)

        def one(part: int, parts: list[Words] = parts) -> float:
            return slope(
                learner.net, shape, parts[part], lists, seats, targets, plan.by_points, slopes[part]
            )

        lost += sum(pool.map(one, range(_PARTS)))
        whole = slopes.sum(axis=0)
        slopes[:] = 0.0
        learner.steps += 1
        step(
            learner.net,
            whole,
            learner.mean,
            learner.square,
            1.0 / batch,
            _rate(learner),
            learner.steps,
        )
    learner.generation += 1
    learner.positions += len(lists)
    return lost / max(1, len(order) // batch * batch)


class Match(NamedTuple):
    """What the first of two bots came to, one against the others:
    its share of the wins, and its points."""

    share: float
    points: float


def match(
    plan: TrainingPlan, minds: Minds, other: int, players: int, number: int, pool: Executor
) -> Match:
    """The learner against others in all other seats; every deal is played from every seat."""
    kernel = games.kernel_of(plan.game)
    assert kernel is not None
    board, width = kernel.board(games.game(plan.game)), kernel.words(players)
    every = np.arange(-(-number // players) * players)
    played = np.stack([every // players, every, every // players % players], axis=1)
    lineups = np.full((len(every), players), other)
    lineups[every, every % players] = LEARNER

    def part(which: Words) -> Words:
        results = np.zeros((len(which), players + 3), np.int64)
        logs = np.zeros((len(which), 0), np.int64)
        playing.play(
            board, width, plan.seed + 1000, played[which], lineups[which], *minds, results, logs
        )
        return results[:, :players]

    totals = np.concatenate(list(pool.map(part, np.array_split(every, _PARTS))))
    own, top = totals[every, every % players], totals.max(axis=1)
    share = (own == top) / (totals == top[:, None]).sum(axis=1)
    return Match(float(share.mean()), float(own.mean()))


def check(learner: Learner, rival: Stored, loss: float, pool: Executor) -> None:
    """Measure the net, and keep it if it beats the last one that was kept."""
    plan, shape = learner.plan, shape_of(learner.plan)
    net, last = rounded(shape, learner.net), rounded(shape, learner.best)
    shares: dict[str, dict[str, float]] = {"last": {}, "greedy": {}, "formula": {}}
    points = 0.0
    for players in plan.seats:
        for name, worth in _YARDSTICKS.items():
            minds = minds_of(plan, players, net, last, worth)
            shares[name][str(players)] = match(
                plan, minds, PLAIN, players, plan.check_games // 2, pool
            ).share
        if players == 1:
            points = match(plan, minds, RIVAL, 1, plan.check_games, pool).points
            before = minds_of(plan, players, last, last, WORTH)
            best = match(plan, before, RIVAL, 1, plan.check_games, pool).points
            shares["last"]["1"] = points / max(1.0, points + best)
            continue
        against = last if plan.against is None else rival
        minds = minds_of(plan, players, net, against, _YARDSTICKS.get(plan.against or "", WORTH))
        against_it = match(plan, minds, _rival_of(plan), players, plan.check_games, pool)
        shares["last"][str(players)] = against_it.share
        points = points or against_it.points
    fair = {str(players): 1.0 / players if players > 1 else 0.5 for players in plan.seats}
    gained = sum(share / fair[players] - 1.0 for players, share in shares["last"].items())
    kept = gained > _last_gain(learner)
    if kept:
        learner.best = learner.net.copy()
    found = (shares["last"], shares["greedy"], shares["formula"], points)
    moment = (learner.generation, learner.positions, round(learner.seconds, 1), loss, kept)
    learner.checks.append(Check(*moment, *found))


def _last_gain(learner: Learner) -> float:
    """Against oneself, better than even; against a frozen rival,
    better than the last net that was kept."""
    if learner.plan.against is None:
        return 0.0
    kept = [entry.against_last for entry in learner.checks if entry.kept]
    if not kept:
        return -1.0
    return sum(share * int(players) - 1.0 for players, share in kept[-1].items())


def write(learner: Learner, folder: Path) -> None:
    """Keep everything; what was there stays until the new file is whole."""
    progress = asdict(learner.plan) | {
        "generation": learner.generation,
        "steps": learner.steps,
        "positions": learner.positions,
        "seconds": learner.seconds,
        "checks": [entry._asdict() for entry in learner.checks],
    }
    arrays = {
        "net": learner.net,
        "best": learner.best,
        "mean": learner.mean,
        "square": learner.square,
    }
    arrays[_PROGRESS] = np.array(json.dumps(progress))
    _save(folder / f"{learner.plan.name}.state.npz", np.savez, **arrays)
    save(
        folder / f"{learner.plan.name}.npz",
        rounded(shape_of(learner.plan), learner.best),
        about(learner),
    )


def save(path: Path, net: Stored, about: Mapping[str, Any]) -> None:
    """Write a net as it ships."""
    _save(
        path,
        np.savez_compressed,
        shape=np.array(net.shape, np.int64),
        weights=net.weights,
        shift=np.array(net.shift),
        biases=net.biases,
        about=np.array(json.dumps(about)),
    )


def _save(path: Path, how: Callable[..., None], **arrays: Any) -> None:
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            how(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise QwixxError(f"{path} cannot be written: {error.strerror}") from None


def about(learner: Learner) -> dict[str, Any]:
    """What is to be known of a net that ships."""
    kept = [entry for entry in learner.checks if entry.kept]
    return {
        "plan": asdict(learner.plan),
        "generation": kept[-1].generation if kept else learner.generation,
        "positions": kept[-1].positions if kept else learner.positions,
        "seconds": round(learner.seconds),
    }


def resumed(plan: TrainingPlan, folder: Path) -> Learner | None:
    """The learner that was interrupted, if one of this plan lies there."""
    path = folder / f"{plan.name}.state.npz"
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as found:
            progress = json.loads(str(found[_PROGRESS]))
            arrays = [found[name].copy() for name in ("net", "best", "mean", "square")]
    except (OSError, ValueError, KeyError) as error:
        raise QwixxError(f"{path} cannot be read ({error}): remove it to begin again") from None
    own = json.loads(json.dumps(asdict(plan)))
    if any(progress.get(key) != value for key, value in own.items()):
        raise QwixxError(
            f"{path} is of another plan: finish that one, remove it, or name another folder"
        )
    checks = [Check(**entry) for entry in progress["checks"]]
    numbers = {name: progress[name] for name in ("generation", "steps", "positions", "seconds")}
    net, best, mean, square = arrays
    return Learner(plan, net, best, mean, square, **numbers, checks=checks)


def read_net(path: Path, plan: TrainingPlan) -> Stored:
    """A net that was kept, of the game of a plan."""
    shape = shape_of(plan)
    try:
        return read_stored(path, shape.own, shape.other)
    except BotFailed as error:
        raise QwixxError(f"{path} is no net that can be read ({error.message})") from None


def train(
    plan: TrainingPlan,
    folder: Path,
    tell: "Callable[[Sequence[Check]], None]",
    advance: Advance,
    threads: int | None = None,
) -> Learner:
    """Follow a plan to its end, from where it was left; after every generation all is kept."""
    learner = resumed(plan, folder) or begun(plan)
    frozen = plan.against is not None and plan.against not in _YARDSTICKS
    rival = (
        read_net(Path(plan.against or ""), plan) if frozen else rounded(shape_of(plan), learner.net)
    )
    advance(learner.generation)
    with ThreadPoolExecutor(threads or cores()) as pool:
        with held_back():  # compiled before the threads begin
            minds = minds_of(plan, next(iter(plan.seats)), rival, rival, WORTH)
            _record(replace(learner, generation=0), minds, next(iter(plan.seats)), 0)
        while learner.generation < plan.generations:
            began = time.perf_counter()
            loss = generation(learner, rival, pool)
            if learner.generation % plan.check == 0 or learner.generation == plan.generations:
                check(learner, rival, loss, pool)
                tell(learner.checks)
            learner.seconds += time.perf_counter() - began
            write(learner, folder)
            advance(1)
    return learner


def summary(found: Check, plan: TrainingPlan) -> str:
    """A check in one line."""
    parts = [
        f"generation {found.generation:>4}",
        f"{found.positions / 1e6:6.1f} M positions",
        f"loss {found.loss:.4f}",
    ]
    if set(plan.seats) == {1}:
        parts.append(f"{found.points:.1f} points")
    else:
        for name, shares in (
            ("last", found.against_last),
            ("greedy", found.greedy),
            ("formula", found.formula),
        ):
            parts.append(f"{name} " + " ".join(f"{share:.1%}" for share in shares.values()))
    return ", ".join([*parts, "kept" if found.kept else "not kept"])
