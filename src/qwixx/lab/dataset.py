"""Games of bots as a data set: every decision with what every choice is worth, in a Parquet file.

Games are played in chunks, each a file of its own beside the one that was asked for, so that work
which was interrupted goes on where it was; at the end the chunks become one file.
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from qwixx import bots, games
from qwixx.bots import minds
from qwixx.compiled import playing, thinking
from qwixx.compiled.chance import order
from qwixx.compiled.net import new_mind
from qwixx.compiled.printed import MOVES, pack_move, read_log
from qwixx.core.errors import BadRequest, QwixxError
from qwixx.core.events import Choice, Event, apply
from qwixx.core.values import POINT, WIN
from qwixx.lab import workers
from qwixx.lab.progress import Advance
from qwixx.study.encoding import Encoding, encoding

CHUNK: Final = 50  # games; those that are under way are lost when work is interrupted
_EVENTS: Final = 1024  # of a game that are kept at the first try
_PLAN: Final = "plan.json"
_ROWS_A_GROUP: Final = 1 << 16


@dataclass(frozen=True)
class Plan:
    """Which games are wanted."""

    game: str
    level: str
    players: int
    games: int
    seed: int

    @property
    def chunks(self) -> int:
        return -(-self.games // CHUNK)

    def numbers(self, chunk: int) -> range:
        """The games of a chunk."""
        return range(chunk * CHUNK, min(self.games, (chunk + 1) * CHUNK))


def check(plan: Plan) -> None:
    """A plan that cannot be played is refused."""
    games.game(plan.game).start(plan.players, 0)
    bots.player(plan.level, plan.game, plan.players).close()
    if not minds.can_play(plan.game) or plan.level not in minds.STYLES:
        raise BadRequest(
            f"{plan.level} does not play {plan.game} compiled, as so many games need; "
            f"levels that may: {', '.join(minds.STYLES)}"
        )


# Where a decision stands, what may be known, what can be chosen and what that is worth to the
# level that plays (null if it does not say), what was chosen, and how the game ended for the seat.
SCHEMA: Final = (
    ("game", pa.int32()),
    ("decision", pa.int16()),
    ("seat", pa.int8()),
    ("active", pa.int8()),
    ("phase", pa.dictionary(pa.int8(), pa.string())),
    ("dice", pa.string()),
    ("observation", pa.list_(pa.uint8())),
    ("moves", pa.list_(pa.string())),
    ("win", pa.list_(pa.float32())),
    ("points", pa.list_(pa.float32())),
    ("move", pa.string()),
    ("final_win", pa.float32()),
    ("final_points", pa.int16()),
    ("reason", pa.dictionary(pa.int8(), pa.string())),
)


class _Judge:
    """What every choice of a seat is worth to a level."""

    def __init__(self, plan: Plan) -> None:
        kernel = games.kernel_of(plan.game)
        assert kernel is not None
        self.rules = games.game(plan.game)
        self.kernel, self.board = kernel, kernel.board(self.rules)
        found = minds.of_levels(plan.game, plan.players, [plan.level])
        self.minds, self.has_net = found, minds.STYLES[plan.level].has_net
        if self.has_net:
            self.mind = new_mind(found.numbers[0], found.nets[0], found.sizes[0], found.sizes[1])
        self.wins, self.points = np.zeros(MOVES, np.int64), np.zeros(MOVES, np.int64)

    def values(self, state: Any, seat: int) -> tuple[list[float], list[float]] | tuple[None, None]:
        """The chance to win and the points, in the order of the moves."""
        if not self.has_net:
            return None, None
        table = self.kernel.pack(self.rules, state)
        # Luck says which of several is taken, not what they are worth.
        thinking.ponder(self.board, table, seat, self.mind, self.wins, self.points, 0)
        codes = [pack_move(self.rules.layout, move) for move in self.rules.moves(state, seat)]
        return (self.wins[codes] / WIN).tolist(), (self.points[codes] / POINT).tolist()


def _events(plan: Plan, judge: _Judge, numbers: range, kept: int = _EVENTS) -> Iterator[Any]:
    """Games, each with its first seat and its events."""
    firsts = [int(order(plan.seed, number, 0, plan.players)) for number in numbers]
    planned = np.array(list(zip(numbers, numbers, firsts, strict=True)), np.int64)
    results = np.zeros((len(numbers), plan.players + 3), np.int64)
    logs = np.zeros((len(numbers), kept), np.int64)
    lineups = np.zeros((len(numbers), plan.players), np.int64)
    width = judge.kernel.words(plan.players)
    playing.play(judge.board, width, plan.seed, planned, lineups, *judge.minds, results, logs)
    for number, first, length, log in zip(numbers, firsts, results[:, -1], logs, strict=True):
        if length > kept:
            yield from _events(plan, judge, range(number, number + 1), int(length))
        else:
            events = read_log(judge.rules.layout, log[:length].tolist())
            yield number, first, list(events)


def _decisions(
    judge: _Judge, coding: Encoding, number: int, first: int, events: Sequence[Event]
) -> Iterator[dict[str, Any]]:
    """The rows of a game."""
    rules, rows = judge.rules, list[dict[str, Any]]()
    state = before = rules.start(coding.players, first)
    for event in events:
        if isinstance(event, Choice):
            win, points = judge.values(before, event.seat)
            rows.append(
                {
                    "game": number,
                    "decision": len(rows),
                    "seat": event.seat,
                    "active": state.active,
                    "phase": state.phase,
                    "dice": str(state.dice),
                    "observation": coding.observe(before, event.seat),
                    "moves": list(rules.moves(before, event.seat)),
                    "win": win,
                    "points": points,
                    "move": event.move,
                }
            )
        after = apply(rules, state, event)
        if (after.phase, after.active) != (state.phase, state.active):
            before = after  # the table before anybody chooses in the next action
        state = after
    result = rules.result(state)
    assert result.winners is not None
    for row in rows:
        won = row["seat"] in result.winners
        row["final_win"] = 1 / len(result.winners) if won else 0.0
        row["final_points"] = result.totals[row["seat"]]
        row["reason"] = result.reason
        yield row


def chunk(plan: Plan, number: int) -> pa.Table:
    """The decisions of a chunk of games. This is what a worker does."""
    judge, coding = _Judge(plan), encoding(plan.game, plan.players)
    rows = [
        row
        for game, first, events in _events(plan, judge, plan.numbers(number))
        for row in _decisions(judge, coding, game, first, events)
    ]
    columns = {name: [row[name] for row in rows] for name, _ in SCHEMA}
    return pa.table(columns, schema=pa.schema(SCHEMA))


def make(plan: Plan, out: Path, jobs: int, advance: Advance) -> int:
    """Play what is missing, and put all into one file; how many decisions are in it."""
    parts = _parts(out)
    try:
        parts.mkdir(parents=True, exist_ok=True)
        (parts / _PLAN).write_text(json.dumps(asdict(plan)), encoding="utf-8")
        missing = _missing(plan, parts)
        jobs = min(jobs, len(missing))
        with workers.local(jobs) if jobs > 1 else nullcontext() as executor:
            tables = workers.in_order(executor, 2 * jobs, chunk, plan, missing)
            for number, table in zip(missing, tables, strict=True):
                _write(_part(parts, number), [table])
                advance(len(plan.numbers(number)))
        files = (_part(parts, number) for number in range(plan.chunks))
        rows = _write(
            out, _gathered(pq.read_table(file, schema=pa.schema(SCHEMA)) for file in files)
        )
        shutil.rmtree(parts)
    except OSError as error:
        raise QwixxError(f"{error.filename or out} cannot be written: {error.strerror}") from None
    return rows


def begun(out: Path) -> Plan | None:
    """The plan of a data set that was begun and not finished."""
    try:
        return Plan(**json.loads((_parts(out) / _PLAN).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def played(plan: Plan, out: Path) -> int:
    """How many games of a plan were played before it was interrupted."""
    missing = _missing(plan, _parts(out))
    return plan.games - sum(len(plan.numbers(number)) for number in missing)


def _missing(plan: Plan, parts: Path) -> list[int]:
    return [number for number in range(plan.chunks) if not _part(parts, number).exists()]


def _parts(out: Path) -> Path:
    return out.with_name(f"{out.name}.parts")


def _part(parts: Path, number: int) -> Path:
    return parts / f"{number:06}.parquet"


def _gathered(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same decisions in larger tables, as readers like them."""
    waiting, rows = list[pa.Table](), 0
    for table in tables:
        waiting.append(table)
        rows += table.num_rows
        if rows >= _ROWS_A_GROUP:
            yield pa.concat_tables(waiting).unify_dictionaries()
            waiting, rows = [], 0
    if waiting:
        yield pa.concat_tables(waiting).unify_dictionaries()


def _write(path: Path, tables: Iterable[pa.Table]) -> int:
    """A file that is there only when it is whole."""
    whole, rows = path.with_name(f"{path.name}.new"), 0
    with pq.ParquetWriter(whole, pa.schema(SCHEMA), compression="zstd") as writer:
        for table in tables:
            writer.write_table(table, row_group_size=table.num_rows)
            rows += table.num_rows
    whole.replace(path)
    return rows
