"""The engine: every request of the protocol, and every kind of mad input, over real pipes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qwixx
from qwixx.engine import Engine
from tables import TABLES, classic_position, duel_position, random_events

CODES = {
    *(
        "bad_json",
        "bad_request",
        "bad_position",
        "bad_dice",
        "illegal_move",
        "not_to_act",
        "game_over",
    ),
    "bot_failed",
}


class Peer:
    """A real `qwixx engine` at the other end of two pipes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "qwixx", "engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def ask(self, **request: Any) -> dict[str, Any]:
        self.send(json.dumps(request).encode())
        return self.receive()

    def end(self) -> tuple[int, bytes]:
        """The exit status and whatever was said on standard error."""
        _, errors = self.process.communicate(timeout=120)
        return self.process.returncode, errors


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    status, errors = peer.end()
    assert (status, errors) == (0, b"")


def test_a_game_over_the_pipes(peer: Peer) -> None:
    start = peer.ask(cmd="start", game="classic", players=3, first=0)["position"]
    assert start == classic_position("", "", "")
    rolled = peer.ask(cmd="roll", position=start, dice="41 3625")["position"]
    assert peer.ask(cmd="legal", position=rolled, seat=0) == {
        "moves": ["-", "R5", "Y5", "G5", "B5"]
    }
    chosen = peer.ask(cmd="choose", position=rolled, seat=1, move="Y5")["position"]
    assert chosen["chosen"] == {"1": "Y5"}
    assert peer.ask(cmd="legal", position=chosen, seat=1) == {"moves": []}
    chosen = peer.ask(cmd="choose", position=chosen, seat=0, move="R5")["position"]
    colour = peer.ask(cmd="choose", position=chosen, seat=2, move="-")["position"]
    assert (colour["phase"], colour["white"], colour["sheets"][0]["R"]) == ("colour", "R5", [5])
    assert peer.ask(cmd="score", position=colour) == {
        "totals": [1, 1, 0],
        "rows": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]],
        "over": False,
        "winners": None,
        "reason": None,
    }
    bot = peer.ask(cmd="bot", position=colour, seat=0, level="greedy", seed=1, id="x")
    assert bot["id"] == "x"
    assert bot["move"] in bot["values"]
    assert set(bot["values"]) == set(peer.ask(cmd="legal", position=colour, seat=0)["moves"])
    assert peer.ask(cmd="bot", position=colour, seat=0, level="greedy", seed=1, id="x") == bot


def test_start_of_the_duel(peer: Peer) -> None:
    for request in ({"players": 2, "first": 1}, {"first": 1}):
        assert peer.ask(cmd="start", game="duel", **request) == {
            "position": duel_position(active=1)
        }


def test_whole_random_games_agree_with_the_rules() -> None:
    engine = Engine()

    def ask(**request: Any) -> dict[str, Any]:
        answer = engine.answer(json.dumps(request).encode())
        assert answer is not None
        found: dict[str, Any] = json.loads(json.dumps(answer))
        return found

    for game_id, players in TABLES:
        game = qwixx.game(game_id)
        for before, event, after in random_events(game, players, Random(players)):
            position = game.to_position(before)
            if isinstance(event, qwixx.Dice):
                answer = ask(cmd="roll", position=position, dice=str(event))
            else:
                legal = ask(cmd="legal", position=position, seat=event.seat)["moves"]
                assert tuple(legal) == game.moves(before, event.seat)
                answer = ask(cmd="choose", position=position, seat=event.seat, move=event.move)
            assert answer == {"position": game.to_position(after)}
        assert ask(cmd="score", position=game.to_position(after))["over"] is True


FAILED = {"R": [], "Y": [], "G": [], "B": [], "locks": "", "failed": 4}
WHITE = classic_position("", "", phase="white", dice="41 3625")
HIDDEN = {**WHITE, "chosen": {"1": None}}
CLOSED = classic_position("", "R2 R3 R4 R5 R6 R12", phase="colour", dice="41 .625", white="-")
CHOSEN = {**WHITE, "chosen": {"0": "-"}}
OVER = classic_position(FAILED, "", phase="over")


@pytest.mark.parametrize(
    ("request_json", "code", "rule"),
    [
        ({"cmd": "choose", "position": WHITE, "seat": 0, "move": "R6"}, "illegal_move", "S2"),
        ({"cmd": "choose", "position": WHITE, "seat": 0, "move": "R13"}, "bad_request", None),
        ({"cmd": "choose", "position": WHITE, "seat": 0, "move": "what"}, "bad_request", None),
        ({"cmd": "choose", "position": WHITE, "seat": 0, "move": ["R5"]}, "bad_request", None),
        ({"cmd": "choose", "position": WHITE, "seat": 2, "move": "R5"}, "bad_request", None),
        ({"cmd": "choose", "position": WHITE, "seat": True, "move": "R5"}, "bad_request", None),
        (
            {"cmd": "choose", "position": {**WHITE, "chosen": {"0": "-"}}, "seat": 0, "move": "R5"},
            "not_to_act",
            "C3",
        ),
        (
            {"cmd": "choose", "position": classic_position(""), "seat": 0, "move": "-"},
            "not_to_act",
            "S1",
        ),
        ({"cmd": "choose", "position": OVER, "seat": 0, "move": "-"}, "game_over", "C10"),
        ({"cmd": "roll", "position": OVER, "dice": "41 3625"}, "game_over", "C10"),
        ({"cmd": "roll", "position": WHITE, "dice": "41 3625"}, "bad_request", "S1"),
        ({"cmd": "roll", "position": classic_position(""), "dice": "41 362"}, "bad_dice", "S1"),
        ({"cmd": "roll", "position": classic_position(""), "dice": "41 3628"}, "bad_dice", "S1"),
        ({"cmd": "roll", "position": classic_position(""), "dice": "hello"}, "bad_dice", None),
        ({"cmd": "roll", "position": classic_position(""), "dice": 41}, "bad_dice", None),
        ({"cmd": "roll", "position": classic_position("")}, "bad_request", None),
        ({"cmd": "roll", "position": 7, "dice": "41 3625"}, "bad_position", None),
        (
            {"cmd": "roll", "position": classic_position("", phase="x"), "dice": "41 3625"},
            "bad_position",
            None,
        ),
        ({"cmd": "start", "game": "chess"}, "bad_request", None),
        ({"cmd": "start", "game": "classic", "players": 6}, "bad_request", None),
        ({"cmd": "start", "game": "classic", "players": 0}, "bad_request", None),
        ({"cmd": "start", "game": "duel", "players": 3}, "bad_request", None),
        ({"cmd": "start", "game": "classic", "players": 2, "first": 2}, "bad_request", None),
        ({"cmd": "start", "game": "classic", "players": 10**30}, "bad_request", None),
        ({"cmd": "bot", "position": WHITE, "seat": 0, "level": "genius"}, "bad_request", None),
        ({"cmd": "bot", "position": WHITE, "seat": 0, "level": "exec:"}, "bot_failed", None),
        (
            {"cmd": "bot", "position": WHITE, "seat": 0, "level": "exec:/no/such/bot"},
            "bot_failed",
            None,
        ),
        ({"cmd": "bot", "position": WHITE, "seat": 0, "level": "exec:a\x00b"}, "bot_failed", None),
        ({"cmd": "bot", "position": WHITE, "seat": 0, "level": "exec:\ud800"}, "bot_failed", None),
        ({"cmd": "choose", "position": HIDDEN, "seat": 1, "move": "R5"}, "not_to_act", "C3"),
        ({"cmd": "choose", "position": CLOSED, "seat": 0, "move": "R4"}, "illegal_move", "S4"),
        ({"cmd": "choose", "position": CLOSED, "seat": 0, "move": "R7"}, "illegal_move", "S4"),
        (
            {"cmd": "bot", "position": classic_position(""), "seat": 0, "level": "random"},
            "not_to_act",
            None,
        ),
        ({"cmd": "bot", "position": OVER, "seat": 0, "level": "random"}, "game_over", None),
        (
            {"cmd": "bot", "position": WHITE, "seat": 0, "level": "random", "seed": -1},
            "bad_request",
            None,
        ),
        ({"cmd": "dance"}, "bad_request", None),
        ({"cmd": ["start"]}, "bad_request", None),
        ({}, "bad_request", None),
    ],
)
def test_errors_carry_a_code_and_the_broken_rule(
    request_json: Any, code: str, rule: str | None
) -> None:
    answer = Engine().answer(json.dumps({**request_json, "id": 9}).encode())
    assert answer is not None
    assert answer["id"] == 9
    assert (answer["error"]["code"], answer["error"]["rule"]) == (code, rule), answer
    assert answer["error"]["message"]


def test_hidden_choices_can_be_asked_about_and_supposed() -> None:
    position = {**WHITE, "chosen": {"1": None}}
    engine = Engine()
    request = {"cmd": "choose", "position": position, "seat": 0, "move": "R5"}
    answer = engine.answer(json.dumps(request).encode())
    assert answer is not None
    assert answer["position"]["chosen"] == {"0": "R5", "1": None}
    supposed = {"cmd": "choose", "position": answer["position"], "seat": 1, "move": "Y5"}
    answer = engine.answer(json.dumps(supposed).encode())
    assert answer is not None
    assert answer["position"]["phase"] == "colour"


MAD_LINES = [
    b"",
    b" ",
    b"nonsense",
    b"\xff\xfe\x00\x80",
    b'{"cmd": "start"',
    b"[]",
    b"null",
    b"7",
    b'"start"',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"id": ' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"cmd": "start", "game": "classic", "players": ' + b"9" * 5000 + b"}",
    b'{"cmd": "start", "game": "classic", "players": 1e999}',
    b'{"cmd": "start", "game": "classic", "players": NaN}',
    b'{"cmd": "start", "game": "classic", "players": -Infinity}',
    b'{"cmd": "start", "game": "classic", "players": 2.0}',
    b'{"id": 1e999}',
    b'{"id": "\\ud800", "cmd": "start", "game": "\\udfff"}',
    b'{"cmd": "score", "position": ' + b"[" * 800 + b"]" * 800 + b"}",
    b'{"cmd": "score", "position": {"game": ' + b"[" * 800 + b"]" * 800 + b"}}",
    b'{"cmd": "score", "position": {"game": {"a": []}}}',
    b'{"cmd": "choose", "position": {}, "seat": {}, "move": {}}',
    b"x" * 10_000_000,
    b'{"id": "' + b"y" * 10_000_000 + b'"}',
    b"\x00" * 1000,
]


def test_no_line_however_mad_kills_the_engine(peer: Peer) -> None:
    for line in MAD_LINES:
        peer.send(line)
        answer = peer.receive()
        assert answer["error"]["code"] in CODES, (line[:80], answer)
        assert "Traceback" not in json.dumps(answer)
    assert "position" in peer.ask(cmd="start", game="duel")


def test_quit_ends_it_without_an_answer() -> None:
    peer = Peer()
    peer.send(b'{"cmd": "quit"}')
    assert peer.process.stdout
    assert peer.process.stdout.read() == b""
    assert peer.end() == (0, b"")


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    peer = Peer()
    assert peer.process.stdout
    peer.process.stdout.close()
    for _ in range(3):
        try:
            peer.send(b'{"cmd": "start", "game": "duel"}')
        except BrokenPipeError:
            break
    assert peer.process.stdin
    peer.process.stdin.close()
    peer.process.wait(timeout=120)
    assert peer.process.stderr
    with peer.process.stderr as errors:
        assert errors.read() == b""


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
NEARLY = st.fixed_dictionaries(
    {},
    optional={
        "cmd": st.sampled_from(["start", "roll", "legal", "choose", "score", "bot"]) | JSON_VALUES,
        "game": st.sampled_from(qwixx.ids()) | JSON_VALUES,
        "players": st.integers(0, 6) | JSON_VALUES,
        "seat": st.integers(-1, 5) | JSON_VALUES,
        "move": st.sampled_from(["R5", "-", "B12", "R1"]) | JSON_VALUES,
        "dice": st.sampled_from(["41 3625", "41 36.5"]) | JSON_VALUES,
        "level": st.sampled_from(["random", "greedy", "expert"]) | JSON_VALUES,
        "seed": JSON_VALUES,
        "id": JSON_VALUES,
    },
)
KEYS = st.sampled_from(
    ["active", "phase", "dice", "white", "chosen", "sheets", "rows", "locks", "failed", "game"]
)


@settings(max_examples=400)
@given(
    request_json=NEARLY,
    base=st.sampled_from([WHITE, OVER, duel_position("R3g R5b")]),
    key=KEYS,
    value=JSON_VALUES,
)
def test_requests_that_are_nearly_right(request_json: Any, base: Any, key: str, value: Any) -> None:
    answer = Engine().answer(
        json.dumps({"position": {**base, key: value}, **request_json}).encode()
    )
    assert answer is not None
    json.dumps(answer, allow_nan=False)
    assert "error" not in answer or answer["error"]["code"] in CODES, answer


@settings(max_examples=200)
@given(line=st.binary(max_size=200))
def test_random_bytes(line: bytes) -> None:
    answer = Engine().answer(line)
    assert answer is not None
    assert answer["error"]["code"] in CODES
