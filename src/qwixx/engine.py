"""The engine protocol: one JSON request a line in, one answer a line out, whatever comes in."""

import json
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import IO, Any, Final

from qwixx import bots, games, study
from qwixx.core.dice import Dice
from qwixx.core.errors import QwixxError
from qwixx.core.game import Game
from qwixx.core.parsing import LONGEST, JsonObject, parse_json

LARGEST_SEED: Final = 2**64 - 1
UNSAID: Final = {"win": None, "points": None}  # a bot that does not say what a move is worth


def error_json(error: QwixxError) -> dict[str, Any]:
    return {"error": {"code": error.code, "message": error.message, "rule": error.rule}}


class Engine:
    """Answers requests one by one. It remembers nothing but the outside bots it has started,
    and the nets that it judges with."""

    def __init__(self) -> None:
        self.ended = False
        self._bots: dict[str, bots.Bot] = {}
        self._judgements: dict[tuple[str, int], study.Judgement] = {}
        self._commands: dict[str, Callable[[JsonObject], dict[str, Any]]] = {
            "start": self._start,
            "roll": self._roll,
            "legal": self._legal,
            "choose": self._choose,
            "score": self._score,
            "bot": self._bot,
            "values": self._values,
            "review": self._review,
        }

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """The answer to one line; None to `quit`."""
        try:
            request = JsonObject(parse_json(line.rstrip(b"\r\n")), "the request")
        except QwixxError as error:
            return error_json(error)
        request_id = request.value.get("id")
        if isinstance(request_id, list | dict):
            return error_json(request.error('"id" must not be an array or an object'))
        tag = {"id": request_id} if "id" in request.value else {}
        if request.value.get("cmd") == "quit":
            self.close()
            return None
        try:
            return tag | self._carry_out(request)
        except QwixxError as error:
            return tag | error_json(error)
        except Exception as error:  # noqa: BLE001 - no input may end the engine; tests see that none gets here
            return tag | {
                "error": {
                    "code": "internal",
                    "message": f"a fault of ours: {error!r:.200}",
                    "rule": None,
                }
            }

    def close(self) -> None:
        self.ended = True
        for bot in self._bots.values():
            bot.close()
        self._bots.clear()

    def _carry_out(self, request: JsonObject) -> dict[str, Any]:
        name = request.text("cmd")
        if name not in self._commands:
            raise request.error(
                f'there is no "cmd" of that name: use {", ".join(self._commands)} or quit'
            )
        return self._commands[name](request)

    def _start(self, request: JsonObject) -> dict[str, Any]:
        game = games.game(request.any("game"))
        players = request.integer("players", 1, 9, default=max(2, game.players[0]))
        state = game.start(players, request.integer("first", 0, players - 1, default=0))
        return {"position": game.to_position(state)}

    def _roll(self, request: JsonObject) -> dict[str, Any]:
        game, state = _state(request)
        state = game.roll(state, Dice.parse(request.any("dice")))
        return {"position": game.to_position(state)}

    def _legal(self, request: JsonObject) -> dict[str, Any]:
        game, state = _state(request)
        return {"moves": list(game.moves(state, _seat(request, game, state)))}

    def _choose(self, request: JsonObject) -> dict[str, Any]:
        game, state = _state(request)
        state = game.choose(state, _seat(request, game, state), request.text("move"))
        return {"position": game.to_position(state)}

    def _score(self, request: JsonObject) -> dict[str, Any]:
        game, state = _state(request)
        return game.result(state)._asdict()

    def _bot(self, request: JsonObject) -> dict[str, Any]:
        game, state = _state(request)
        seat, level = _seat(request, game, state), request.text("level")
        rng = (
            Random(request.integer("seed", 0, LARGEST_SEED))
            if "seed" in request.value
            else Random()
        )
        bots.check(level, game.id, game.seats(state))
        if level not in self._bots:
            self._bots[level] = bots.resolve(level)
        decision = bots.decide(self._bots[level], game, state, seat, rng)
        values = {
            move: value.to_json() if value else UNSAID for move, value in decision.values.items()
        }
        return {"move": decision.move, "values": values}

    def _values(self, request: JsonObject) -> dict[str, Any]:
        game, state = _state(request)
        seat = _seat(request, game, state) if "seat" in request.value else None
        throws = request.value.get("throws") is True
        return study.explored(self._judgement(game, game.seats(state)), state, seat, throws)

    def _review(self, request: JsonObject) -> dict[str, Any]:
        game, record, _ = games.read_record(request.any("record"))
        judge = self._judgement(game, len(record.seats))
        return {"review": study.review(record, judge).to_json()}

    def _judgement(self, game: Game[Any], players: int) -> study.Judgement:
        if (game.id, players) not in self._judgements:
            self._judgements[game.id, players] = study.judgement(game, players)
        return self._judgements[game.id, players]


def _state(request: JsonObject) -> tuple[Game[Any], Any]:
    return games.read_position(request.any("position"))


def _seat(request: JsonObject, game: Game[Any], state: Any) -> int:
    return request.integer("seat", 0, game.seats(state) - 1)


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long only as much as shows that it is."""
    while line := stream.readline(LONGEST + 1):
        rest = line
        while rest and not rest.endswith(b"\n") and len(rest) > LONGEST:
            rest = stream.readline(LONGEST + 1)
        yield line


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer every line until `quit` or the end of the input."""
    engine = Engine()
    try:
        for line in _lines(requests):
            answer = engine.answer(line)
            if answer is None:
                return
            answers.write(json.dumps(answer, allow_nan=False).encode() + b"\n")
            answers.flush()
    finally:
        engine.close()


def main() -> None:
    """`qwixx engine`, on standard input and output."""
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except KeyboardInterrupt:
        return
