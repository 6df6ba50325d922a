"""A process that thinks, so that no move of anybody waits for it: positions and turns are judged in
one, bots decide and hints are found in others.

It gives way to the server, does one thing at a time, and ends when the server does. What it answers
is ready to be sent, so that the server has nothing to do with it but to send it. With the extra "lab"
what it thinks with is compiled once, beside the plain thought, and it goes on with that: the numbers
are the same.
"""

import os
import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from threading import Thread
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from qwixx import bots, games, study
from qwixx.bots.ready import ReadyBots
from qwixx.core.errors import BadRequest, shown
from qwixx.core.record import Record
from qwixx.server import messages as m
from qwixx.server.cache import packed
from qwixx.study import turns
from qwixx.study.reviews import all_json, assembled, decision_json, reviewable, throw_json

SETTING: Final = "QWIXX_STUDY_NICE"
NICEST: Final = 19
_JUDGED_WITH: dict[tuple[str, int], study.Judgement] = {}
_BOTS: Final = ReadyBots()

Json: TypeAlias = dict[str, Any]


class Worker:
    """The process, started when it is first asked something. Its methods block: call them from a
    thread. If the process dies, whoever waits hears `WorkerDied`, and the next question starts
    another."""

    def __init__(self, nice: int | None = None, *, compiles: bool = True) -> None:
        self.compiled = False  # what was judged last
        self._nice = _setting() if nice is None else nice
        self._compiles = compiles
        self._line: Connection | None = None
        self._process: Any = None

    def start(self) -> None:
        """Begin to start the process, if there is none."""
        if self._line is None:
            self._start()

    def judge(self, question: "Question", seconds: float | None = None) -> Any:
        """The answer; whoever takes longer than so many seconds is ended."""
        line = self._line or self._start()
        try:
            line.send(question)
            if not line.poll(seconds):
                raise EOFError(f"it has taken more than {seconds} seconds")
            judged, found, self.compiled = line.recv()
        except (EOFError, OSError) as error:
            self.kill()
            raise WorkerDied(f"whoever judges has died: {error!r}") from None
        if not judged:
            raise WorkerDied(f"it could not be judged: {found}")
        return found

    def _start(self) -> Connection:
        spawned = get_context("spawn")
        self._line, far = spawned.Pipe()
        self._process = spawned.Process(
            target=serve, args=(far, self._nice, self._compiles), name="judge", daemon=True
        )
        self._process.start()
        far.close()
        return self._line

    def kill(self) -> None:
        """End the process, whatever it does."""
        process, line, self._process, self._line = self._process, self._line, None, None
        if process is not None:
            process.kill()
            process.join()
        if line is not None:
            line.close()


def _setting() -> int:
    """How much the process gives way to all others."""
    text = os.environ.get(SETTING, "").strip() or str(NICEST)
    if not (text.isascii() and text.isdigit() and int(text) <= NICEST):
        raise BadRequest(f"{SETTING} must be a whole number from 0 to {NICEST}, not {shown(text)}")
    return int(text)


class WorkerDied(Exception):
    """Nothing was judged."""


Question: TypeAlias = tuple[str, tuple[Any, ...]]


def serve(line: Connection, nice: int, compiles: bool) -> None:
    """Answer until the other end is closed, giving way to others so much."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server hears it, and closes the line
    _give_way(nice)
    if compiles:
        Thread(target=_warm_up, name="compiling", daemon=True).start()
    while True:
        try:
            name, arguments = line.recv()
        except (EOFError, OSError):
            return
        try:
            answer = True, _QUESTIONS[name](*arguments), _is_compiled()
        except Exception as error:  # noqa: BLE001 - whatever it was, who asked is told and the next one served
            answer = False, repr(error)[:200], False
        with suppress(OSError):
            line.send(answer)


def _give_way(nice: int) -> None:
    """Whoever gives way most has nothing but what nobody else wants of the processors: to be nice alone
    would keep whoever wakes up waiting for some milliseconds."""
    with suppress(OSError, AttributeError):  # where there is no such thing
        os.nice(nice)
        if nice == NICEST:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


class ToldTurn(NamedTuple):
    """A turn as it was judged, for `whole`, and what is told of it."""

    judged: bytes
    start: bytes  # what the table before it was worth
    throw: bytes
    decisions: tuple[bytes, ...]


def packed_record(record: Record) -> bytes:
    """A record as it is asked about: packed once for all its turns."""
    return pickle.dumps(record)


def turn(record: bytes, number: int) -> ToldTurn:
    """One turn of a finished game, judged."""
    of, _ = _reviewable(record)
    found, alone = _judged_turn(record, number), len(of.seats) == 1
    return ToldTurn(
        pickle.dumps(found),
        msgspec.json.encode(all_json(found.before)),
        msgspec.json.encode(throw_json(found)),
        tuple(msgspec.json.encode(decision_json(one, alone)) for one in found.decisions),
    )


def whole(record: bytes, before: list[bytes]) -> bytes:
    """The last turn judged, and the review of the game with the turns before it: packed."""
    of, _ = _reviewable(record)
    done = [pickle.loads(one) for one in before]  # noqa: S301 - as this process has packed them
    done.append(_judged_turn(record, len(before)))
    found = msgspec.convert(assembled(of, done).to_json(), m.ReviewView)
    progress = m.ReviewProgress(of.more["proof"]["round"], len(done), len(done), found)
    return packed(msgspec.json.encode(progress))


def _judged_turn(record: bytes, number: int) -> turns.JudgedTurn:
    of, found = _reviewable(record)
    return turns.judged(_judgement(of.game, len(of.seats)), found[number])


def position(game_id: str, state: Any, seat: int | None, throws: bool = False) -> Json:
    """What a position is worth."""
    game = games.game(game_id)
    return study.explored(_judgement(game_id, game.seats(state)), state, seat, throws)


def move(level: str, game_id: str, state: Any, seat: int) -> str:
    """What a bot chooses."""
    game, rng = games.game(game_id), Random(os.urandom(16))
    return bots.decide(_BOTS.of(level, game, game.seats(state)), game, state, seat, rng).move


def hint(game_id: str, state: Any, seat: int) -> study.Hint:
    """What would be best for a seat, and why."""
    return _adviser().hint(games.game(game_id), state, seat)


@cache
def _adviser() -> study.Adviser:
    return study.Adviser()


_QUESTIONS: Final[dict[str, Callable[..., Any]]] = {
    "turn": turn,
    "whole": whole,
    "position": position,
    "move": move,
    "hint": hint,
}


@lru_cache(maxsize=16)
def _reviewable(packed_record: bytes) -> tuple[Record, list[turns.Turn]]:
    record: Record = pickle.loads(packed_record)  # noqa: S301 - as the server has packed it
    return record, reviewable(record)[1]


def _judgement(game_id: str, players: int) -> study.Judgement:
    if (game_id, players) not in _JUDGED_WITH:
        _JUDGED_WITH[game_id, players] = study.judgement(games.game(game_id), players)
    return _JUDGED_WITH[game_id, players]


def _is_compiled() -> bool:
    return _BOTS.compiled or any(judge.compiled for judge in tuple(_JUDGED_WITH.values()))


def _warm_up() -> None:
    """What is plain so far is compiled from the next question on."""
    for game_id in games.ids():
        if not study.warm_up(game_id):
            continue
        for key in [key for key in tuple(_JUDGED_WITH) if key[0] == game_id]:
            _JUDGED_WITH.pop(key, None)
