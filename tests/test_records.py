"""Records: read, written, refused."""

import copy
import json
from typing import Any

import pytest

import qwixx
from qwixx.core.errors import BadRecord

RUNNING: dict[str, Any] = {
    "format": "qwixx-record/1",
    "game": "classic",
    "seats": ["Ana", "bot:greedy"],
    "first": 0,
    "events": ["41 3625", "1:Y5", "0:R5", "0:B9", "11 1111"],
}


def changed(**keys: Any) -> dict[str, Any]:
    return {**copy.deepcopy(RUNNING), **keys}


def test_a_running_record_reads_and_writes_back() -> None:
    game, record, state = qwixx.read_record(RUNNING)
    assert (game.id, record.seats, state.phase, state.active) == (
        "classic",
        ("Ana", "bot:greedy"),
        "white",
        1,
    )
    assert record.to_json() == RUNNING
    assert json.loads(record.dumps()) == RUNNING


def test_what_others_keep_in_a_record_stays_there() -> None:
    more = changed(options={"pace": 3}, times=[1, 2], proof={"x": None})
    _, record, _ = qwixx.read_record(more)
    assert record.to_json() == more
    assert json.loads(record.dumps()) == more


@pytest.mark.parametrize(
    ("events", "event", "rule"),
    [
        (["41 3625", "0:R6"], 2, "S2"),
        (["41 3625", "0:-", "1:-", "0:R5"], 4, "S3"),
        (["41 3625", "0:R5", "0:R5"], 3, "C3"),
        (["41 3625", "0:R5", "1:-", "0:R4"], 4, "C1"),
        (["41 3625", "0:R5", "1:-", "1:-"], 4, "C4"),
        (["0:R5"], 1, "S1"),
        (["41 362."], 1, "S1"),
        (["66 3625", "0:R12"], 2, "C6"),
        (["41 3625", "0:R5", "41 3625"], 3, "S1"),
        (["41 3625", "7:R5"], 2, None),
        (["41 3625", "0:R99"], 2, None),
        (["41 3625", "0 R5"], 2, None),
        ([7], 1, None),
        ([*["41 3625", "0:-", "1:-", "0:-", "41 3625", "0:-", "1:-", "1:-"] * 4], 29, "C10"),
    ],
)
def test_a_broken_rule_is_named_with_its_event(
    events: list[Any], event: int, rule: str | None
) -> None:
    with pytest.raises(BadRecord) as raised:
        qwixx.read_record(changed(events=events))
    assert (raised.value.event, raised.value.rule) == (event, rule)
    assert f"event {event}" in raised.value.message


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        {},
        changed(format="qwixx-record/2"),
        changed(game="chess"),
        changed(seats=[]),
        changed(seats=["Ana", 3]),
        changed(seats=["a"] * 6),
        changed(first=2),
        changed(first="0"),
        changed(events="41 3625"),
        changed(result={"totals": [1, 2], "winners": [1], "reason": "rows"}),
        changed(result=[]),
    ],
)
def test_what_is_no_record_is_refused(record: Any) -> None:
    with pytest.raises(BadRecord):
        qwixx.read_record(record)


def test_a_wrong_result_is_refused() -> None:
    fails = ["41 3625", "0:-", "0:-"] * 4
    over = changed(seats=["Ana"], events=fails)
    right = {"totals": [-20], "winners": [0], "reason": "failed"}
    qwixx.read_record({**over, "result": right})
    for key, wrong in [
        ("totals", [20]),
        ("totals", [-20.0]),
        ("winners", [False]),
        ("winners", []),
        ("reason", "rows"),
    ]:
        with pytest.raises(BadRecord, match=key):
            qwixx.read_record({**over, "result": {**right, key: wrong}})
