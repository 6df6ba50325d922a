"""Bots that are programs of their own:
`exec:COMMAND` reads positions and answers moves, a line each."""

import json
import os
import selectors
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from random import Random
from typing import IO, Any, Final

from qwixx.bots.bot import Bot, Decision
from qwixx.core.errors import BotFailed, QwixxError, shown
from qwixx.core.fields import Move
from qwixx.core.game import Game
from qwixx.core.parsing import parse_json

SECONDS: Final = 10.0  # for one answer
LONGEST_ANSWER: Final = 1 << 16


class OutsideBot(Bot):
    """A running program. It is started with the first question and stays for the next ones."""

    def __init__(self, command: str, seconds: float = SECONDS) -> None:
        self.name = f"exec:{command if len(command) <= 200 else command[:197] + '...'}"
        self.seconds = seconds
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise BotFailed(f"{self.name}: the command cannot be read: {error}") from None
        if not self.words:
            raise BotFailed("exec: names no command: write exec:COMMAND")
        self._program: subprocess.Popen[bytes] | None = None
        self._unread = b""

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:  # noqa: ARG002 - its own luck
        legal = game.moves(view, seat)
        question = {
            "cmd": "choose",
            "position": game.to_position(view),
            "seat": seat,
            "legal": list(legal),
        }
        try:
            answer = self._ask(json.dumps(question).encode() + b"\n")
            move = self._move(answer, legal)
        except BotFailed:
            self.close()
            raise
        return Decision(move, dict.fromkeys(legal))

    def close(self) -> None:
        program, self._program, self._unread = self._program, None, b""
        if program is None:
            return
        for pipe in (program.stdin, program.stdout):
            _close_quietly(pipe)
        try:
            program.wait(timeout=0.5)  # a well-behaved bot ends with its input
        except subprocess.TimeoutExpired:
            program.kill()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, signal.SIGKILL)  # and takes its children with it
        program.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            program = subprocess.Popen(  # noqa: S603 - running the named command is what exec: is for
                self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise BotFailed(f"{self.name} cannot be started: {error.strerror}") from None
        except ValueError:
            raise BotFailed("exec: names a command that no system can start") from None
        assert program.stdin is not None
        assert program.stdout is not None
        os.set_blocking(program.stdin.fileno(), False)
        os.set_blocking(program.stdout.fileno(), False)
        return program

    def _ask(self, question: bytes) -> bytes:
        if self._program is None:
            self._program = self._start()
        elif self._unread or self._speaks(self._program):
            raise BotFailed(f"{self.name} said more than one line for one question")
        deadline = time.monotonic() + self.seconds
        while question or b"\n" not in self._unread:
            question = self._exchange(self._program, question, deadline)
            if len(self._unread) > LONGEST_ANSWER:
                raise BotFailed(
                    f"{self.name} answered with a line of more than {LONGEST_ANSWER} bytes"
                )
        answer, _, self._unread = self._unread.partition(b"\n")
        return answer

    def _speaks(self, program: subprocess.Popen[bytes]) -> bool:
        """Whether there is something to read before a question;
        its end is left for the question to find."""
        with selectors.DefaultSelector() as selector:
            selector.register(program.stdout or 0, selectors.EVENT_READ)
            if selector.select(0):
                assert program.stdout is not None
                self._unread += os.read(program.stdout.fileno(), LONGEST_ANSWER)
        return bool(self._unread)

    def _exchange(
        self, program: subprocess.Popen[bytes], question: bytes, deadline: float
    ) -> bytes:
        """Write what the program takes, read what it gives; returns what is left to write."""
        assert program.stdin is not None
        assert program.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(program.stdout, selectors.EVENT_READ)
            if question:
                selector.register(program.stdin, selectors.EVENT_WRITE)
            ready = selector.select(max(0.0, deadline - time.monotonic()))
        if not ready:
            raise BotFailed(f"{self.name} gave no answer within {self.seconds:g} seconds")
        for key, _ in ready:
            if key.fileobj is program.stdout:
                self._read(program)
            else:
                question = self._write(program, question)
        return question

    def _read(self, program: subprocess.Popen[bytes]) -> None:
        assert program.stdout is not None
        received = os.read(program.stdout.fileno(), LONGEST_ANSWER)
        if not received:
            raise BotFailed(f"{self.name} ended without an answer ({_how_it_ended(program)})")
        self._unread += received

    def _write(self, program: subprocess.Popen[bytes], question: bytes) -> bytes:
        assert program.stdin is not None
        try:
            return question[os.write(program.stdin.fileno(), question) :]
        except BrokenPipeError:
            raise BotFailed(
                f"{self.name} ended without an answer ({_how_it_ended(program)})"
            ) from None

    def _move(self, answer: bytes, legal: tuple[Move, ...]) -> Move:
        try:
            value = parse_json(answer)
        except QwixxError:
            raise BotFailed(
                f"{self.name} answered {shown(answer.decode('utf-8', 'replace'))}, not JSON"
            ) from None
        move = value.get("move") if isinstance(value, dict) else None
        if not isinstance(move, str):
            raise BotFailed(
                f'{self.name} answered no {{"move": ...}}: {shown(answer.decode("utf-8", "replace"))}'
            )
        if move not in legal:
            raise BotFailed(f"{self.name} chose {shown(move)}; legal were {' '.join(legal)}")
        return move


def _how_it_ended(program: subprocess.Popen[bytes]) -> str:
    try:
        status = program.wait(timeout=0.5)
    except subprocess.TimeoutExpired:
        return "it closed its output"
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def _close_quietly(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        with suppress(BrokenPipeError):
            pipe.close()
