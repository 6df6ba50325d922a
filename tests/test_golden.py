"""Golden games: whole games of every kind, kept as text, that must replay to the letter."""

import json
from pathlib import Path

import pytest

import qwixx

FILES = sorted((Path(__file__).parent / "golden").glob("*.json"))
ENDINGS = {
    *(f"classic-{players}-{reason}" for players in range(1, 6) for reason in ("rows", "failed")),
    *("classic-2-tie", "classic-2-three-rows", "classic-3-together"),
    *(
        "duel-rows",
        "duel-failed",
        "duel-pieces",
        "duel-last-piece-in-a-row",
        "duel-last-piece-on-a-lock",
    ),
    *("duel-last-piece-on-the-last-number", "duel-last-piece-on-the-failed-throws"),
    *(
        f"mixed-{sheet}-{players}-{reason}"
        for sheet in "ab"
        for players in (1, 2, 3)
        for reason in ("rows", "failed")
    ),
    *("mixed-a-2-die-gone", "mixed-b-2-by-place"),
}


def test_every_ending_has_a_golden_game() -> None:
    assert {file.stem for file in FILES} == ENDINGS


def test_every_game_has_a_golden_game() -> None:
    assert {json.loads(file.read_text(encoding="utf-8"))["game"] for file in FILES} == set(
        qwixx.ids()
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_games_replay_to_the_letter(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    value = json.loads(text)
    game, record, state = qwixx.read_record(value)
    assert record.dumps() == text
    assert record.to_json() == value
    assert game.to_position(state) == value["final"]
    result = game.result(state)
    assert value["result"] == {
        "totals": list(result.totals),
        "winners": list(result.winners or ()),
        "reason": result.reason,
    }


def final(name: str) -> dict[str, object]:
    path = Path(__file__).parent / "golden" / f"{name}.json"
    position: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))["final"]
    return position


def test_last_pieces_lie_where_the_names_say() -> None:
    locks = {
        name: final(f"duel-last-piece-{name}")["locks"]
        for name in ("on-a-lock", "on-the-last-number")
    }
    nobody = {"R": None, "Y": None, "G": None, "B": None}
    assert locks == {"on-a-lock": {**nobody, "R": "b"}, "on-the-last-number": nobody}
    assert final("duel-last-piece-on-the-failed-throws")["failed"] == [1, 0]
    assert final("duel-last-piece-in-a-row")["failed"] == [0, 0]
