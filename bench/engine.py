"""Round trips a second to a real `qwixx engine`, beside an echo through the same kind of pipes.

`python bench/engine.py`
"""

import json
import subprocess
import sys
import time
from typing import Any

import qwixx

ECHO = """
import sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""
ROUNDS, TRIPS = 5, 2000


class Peer:
    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def trips(self, line: bytes) -> float:
        """Round trips a second."""
        pipe, back = self.process.stdin, self.process.stdout
        assert pipe
        assert back
        before = time.perf_counter()
        for _ in range(TRIPS):
            pipe.write(line)
            pipe.flush()
            back.readline()
        return TRIPS / (time.perf_counter() - before)

    def close(self) -> None:
        self.process.communicate()


def request(**keys: Any) -> bytes:
    return json.dumps(keys).encode() + b"\n"


def requests() -> dict[str, bytes]:
    classic, duel = qwixx.game("classic"), qwixx.game("duel")
    dice = qwixx.Dice.parse("41 3625")
    white = classic.to_position(classic.roll(classic.start(2), dice))
    board = duel.to_position(duel.roll(duel.start(2), dice))
    return {
        "start": request(cmd="start", game="classic", players=2),
        "legal, classic": request(cmd="legal", position=white, seat=0),
        "choose, classic": request(cmd="choose", position=white, seat=0, move="R5"),
        "choose, duel": request(cmd="choose", position=board, seat=0, move="R5"),
        "bot greedy, classic": request(cmd="bot", position=white, seat=0, level="greedy", seed=1),
    }


def main() -> None:
    engine, echo = Peer("-m", "qwixx", "engine"), Peer("-c", ECHO)
    try:
        for name, line in requests().items():
            found = [(engine.trips(line), echo.trips(line)) for _ in range(ROUNDS)]
            best, bare = max(one for one, _ in found), max(other for _, other in found)
            print(
                f"{name:<20} {best:>7.0f} round trips/s  {best / bare:>6.1%} of a bare echo",
                flush=True,
            )
    finally:
        engine.close()
        echo.close()


if __name__ == "__main__":
    main()
