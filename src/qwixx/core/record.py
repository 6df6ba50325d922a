"""Records: a game as a text that can be kept, sent and checked.

State is the fold of the events. Reading a record replays it and refuses one that breaks a rule.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .errors import BadRecord, QwixxError
from .events import Event, apply, parse_event
from .game import ROLL, Game, Position, Result
from .parsing import JsonObject

FORMAT: Final = "qwixx-record/1"
_OWN_KEYS: Final = ("format", "game", "seats", "first", "start", "events", "result")


@dataclass(frozen=True)
class Record:
    """A game's seats and events, the result once there is one, and whatever else its writer kept."""

    game: str
    seats: tuple[str, ...]
    first: int = 0
    events: tuple[Event, ...] = ()
    result: Mapping[str, Any] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    start: Position | None = None  # where the game began, if not with the empty table

    @classmethod
    def from_json(cls, value: Any) -> "Record":
        """The record in a JSON value, its form checked; `states` checks its rules."""
        given = JsonObject(value, "the record", BadRecord)
        if given.text("format") != FORMAT:
            raise BadRecord(f'"format" must be "{FORMAT}"')
        seats = given.array("seats")
        if not seats or not all(isinstance(name, str) for name in seats):
            raise BadRecord('"seats" must be an array of names, one for each seat')
        result = given.object("result") if "result" in value else None
        return cls(
            game=given.text("game"),
            seats=tuple(seats),
            first=given.integer("first", 0, len(seats) - 1),
            events=tuple(_events(given.array("events"))),
            result=result,
            more={key: value[key] for key in value if key not in _OWN_KEYS},
            start=given.object("start") if "start" in value else None,
        )

    def to_json(self) -> dict[str, Any]:
        value: dict[str, Any] = {
            "format": FORMAT,
            "game": self.game,
            "seats": list(self.seats),
            "first": self.first,
            **({} if self.start is None else {"start": self.start}),
            **self.more,
            "events": [str(event) for event in self.events],
        }
        if self.result is not None:
            value["result"] = dict(self.result)
        return value

    def dumps(self) -> str:
        """The record as text, a turn to a line,
        so that people can read it and tools can compare it."""
        value = self.to_json()
        turns: list[str] = []
        for text in value.pop("events"):
            if ":" in text and turns:
                turns[-1] += f", {json.dumps(text)}"
            else:
                turns.append(json.dumps(text))
        result = value.pop("result", None)
        lines = [f"  {json.dumps(key)}: {_json(item)}" for key, item in value.items()]
        events = ",\n".join(f"    {turn}" for turn in turns)
        lines.append(f'  "events": [\n{events}\n  ]' if turns else '  "events": []')
        if result is not None:
            lines.append(f'  "result": {json.dumps(result)}')
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def add(self, event: Event, result: Result) -> "Record":
        """This record with one more event, after which the score stands at `result`."""
        longer = replace(self, events=(*self.events, event))
        return longer.ended(result) if result.over else longer

    def ended(self, result: Result) -> "Record":
        """This record with the result of the finished game."""
        return replace(self, result=result_json(result))


def _json(value: Any) -> str:
    """As people read it, but escaped where it could not be written (a lone half of a character,
    say)."""
    text = json.dumps(value, ensure_ascii=False)
    return (
        json.dumps(value) if any("\ud800" <= character <= "\udfff" for character in text) else text
    )


def result_json(result: Result) -> dict[str, Any]:
    """A finished game's result as a record keeps it."""
    return {
        "totals": list(result.totals),
        "winners": list(result.winners or ()),
        "reason": result.reason,
    }


def states(game: Game[Any], record: Record) -> Iterator[Any]:
    """Every state of the game from the start on, one after each event;
    raises where a rule is broken."""
    state = beginning(game, record)
    yield state
    for number, event in enumerate(record.events, start=1):
        try:
            state = apply(game, state, event)
        except QwixxError as error:
            raise BadRecord(
                f"event {number} ({event}): {error.message}", error.rule, number
            ) from None
        yield state
    _check_result(record, game.result(state))


def beginning(game: Game[Any], record: Record) -> Any:
    """The table with which the game began: the empty one, or that of the position it went on from."""
    try:
        if record.start is None:
            return game.start(len(record.seats), record.first)
        state = game.from_position(record.start)
    except QwixxError as error:
        raise BadRecord(error.message, error.rule) from None
    if state.phase != ROLL or (game.seats(state), state.active) != (
        len(record.seats),
        record.first,
    ):
        raise BadRecord(
            '"start" must be a position before a throw, with the seats of the record, '
            "and its active seat the first"
        )
    return state


def final_state(game: Game[Any], record: Record) -> Any:
    """The state after the last event, every rule and the result checked on the way."""
    *_, last = states(game, record)
    return last


def _events(texts: list[Any]) -> Iterator[Event]:
    for number, text in enumerate(texts, start=1):
        try:
            yield parse_event(text)
        except QwixxError as error:
            raise BadRecord(f"event {number}: {error.message}", error.rule, number) from None


def _check_result(record: Record, result: Result) -> None:
    if record.result is None:
        return
    if not result.over:
        raise BadRecord(
            f"a result is given, but after event {len(record.events)} the game still runs"
        )
    for key, value in result_json(result).items():
        if json.dumps(record.result.get(key)) != json.dumps(value):
            raise BadRecord(
                f"the result says {key} {_json(record.result.get(key)):.60}, the events give {_json(value)}"
            )
