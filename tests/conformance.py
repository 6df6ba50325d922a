"""What the contract promises, asked of any game: it knows the names of the contract and of no game."""

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest

import qwixx
from qwixx import games
from qwixx.core.errors import BadPosition, GameOver, NotToAct, QwixxError
from qwixx.core.fields import COLOUR_NAMES
from qwixx.core.game import PHASES, Effects
from tables import random_events

NONSENSE: tuple[Any, ...] = ("", "R99", "?", "r7", "R07", "RR", None, 7, ["-"])


def conforms(game: qwixx.Game[Any], players: int, seed: int) -> None:
    """One random game, every promise looked at in every state of it."""
    check_printed(game)
    state = game.start(players, seed % players)
    check_state(game, state, players)
    moments = [state]
    record = qwixx.Record(game.id, tuple(f"player {seat}" for seat in range(players)), state.active)
    for before, event, after in random_events(game, players, Random(seed), first=seed % players):
        check_refusals(game, before, players)
        check_step(game, before, event, after)
        check_state(game, after, players)
        record = record.add(event, game.result(after))
        moments.append(after)
    assert game.result(moments[-1]).over
    check_record(game, record, moments)


def check_printed(game: qwixx.Game[Any]) -> None:
    """The printed sheet is one that texts, dice and pictures can be made of."""
    layout, guide = game.layout, games.guide(game.id)
    assert games.game(game.id) is game
    assert guide.game is game
    assert len(layout.colours) == len(set(layout.colours)) == len(layout.numbers)
    assert set(layout.colours) <= COLOUR_NAMES.keys()
    assert len(layout.places) == sum(map(len, layout.numbers))  # every field has a name of its own
    assert 1 <= layout.faces <= 9
    assert guide.title
    assert all(len(line) <= 80 for line in guide.summary.splitlines())
    assert [row.colour for row in guide.printed.rows] == list(layout.colours)
    assert tuple(row.fields for row in guide.printed.rows) == layout.fields
    assert guide.printed.faces == layout.faces
    assert 0 <= guide.printed.to_lock <= min(map(len, layout.numbers))
    assert game.players.step == 1
    for players in (game.players[0] - 1, game.players[-1] + 1, "2", None):
        with pytest.raises(QwixxError):
            game.start(players, 0)  # type: ignore[arg-type] # as it may come from outside


def check_state(game: qwixx.Game[Any], state: Any, players: int) -> None:
    hash(state)
    result, acting = game.result(state), game.to_act(state)
    assert game.seats(state) == players == len(result.totals) == len(result.rows)
    assert state.phase in PHASES
    assert result.over + bool(acting) + (state.phase == "roll") == 1
    assert (
        result.over
        == (state.phase == "over")
        == (result.reason is not None)
        == (result.winners is not None)
    )
    assert bool(acting) == (state.dice is not None)
    assert 0 <= state.active < players
    if result.winners is not None:
        best = max(result.totals)
        assert result.winners == tuple(
            seat for seat, total in enumerate(result.totals) if total == best
        )
    assert all(result.penalty(seat) >= 0 for seat in range(players))
    in_play = game.dice_in_play(state)
    assert all(
        die in (colour, ".") for die, colour in zip(in_play, game.layout.colours, strict=True)
    )
    for seat in range(players):
        check_moves(game, state, seat)
    check_throws(game, state)
    for seat in (None, *range(players)):
        view = game.view(state, seat)
        assert game.from_position(json.loads(json.dumps(game.to_position(view)))) == view
    position = game.to_position(state)
    assert position["game"] == game.id
    assert game.from_position(json.loads(json.dumps(position))) == state
    check_picture(game, state, players)


def check_moves(game: qwixx.Game[Any], state: Any, seat: int) -> None:
    """Pass first, then fields from left to right; each does something that can be told."""
    moves = game.moves(state, seat)
    assert (moves[:1] == ("-",)) == (seat in game.to_act(state))
    places = [game.layout.places[move] for move in moves[1:]]
    assert places == sorted(set(places))
    for move in moves:
        effects = game.effects(state, seat, move)
        assert isinstance(effects, Effects)
        assert min(effects) >= 0
        assert all(size > 0 for size in effects.to_json().values())
        game.choose(state, seat, move)
    for field in game.layout.places.keys() - set(moves):
        with pytest.raises(QwixxError):
            game.choose(state, seat, field)


def check_throws(game: qwixx.Game[Any], state: Any) -> None:
    throws = game.throws(state)
    assert bool(throws) == (state.phase == "roll")
    if throws:
        dice = 2 + len(game.dice_in_play(state).replace(".", ""))
        assert sum(throw.weight for throw in throws) == game.layout.faces**dice
        assert len(dict(throws)) == len(throws)
        for throw in throws[:: 1 + len(throws) // 5]:
            assert type(throw.weight) is int
            assert throw.weight > 0
            assert game.roll(state, throw.dice).dice == throw.dice


def check_picture(game: qwixx.Game[Any], state: Any, players: int) -> None:
    """Every panel shows every field once, and marks of those who sit there."""
    guide = games.guide(game.id)
    panels = guide.panels(state)
    assert [panel.seat for panel in panels] in ([None], list(range(players)))
    for panel in panels:
        rows = zip(panel.strips, game.layout.fields, game.layout.colours, strict=True)
        for strip, fields, colour in rows:
            assert strip.colour == colour
            assert [cell.field for cell in strip.cells if cell.field is not None] == list(fields)
            assert all((cell.owner is None) == (cell.height == 0) for cell in strip.cells)
            assert all(cell.owner is None or 0 <= cell.owner < players for cell in strip.cells)
            assert strip.closed == (colour not in game.dice_in_play(state))
    assert all(guide.status(state, seat) for seat in range(players))
    for seat in game.to_act(state):
        assert not _lost(game, state, seat) & set(game.moves(state, seat))


def _lost(game: qwixx.Game[Any], state: Any, seat: int) -> set[str]:
    """The fields of a seat's own panel that it can never enter any more, a lock by its row's colour."""
    own = [panel for panel in games.guide(game.id).panels(state) if panel.seat == seat]
    strips = [strip for panel in own for strip in panel.strips]
    return {cell.field or strip.colour for strip in strips for cell in strip.cells if cell.gone}


def check_step(game: qwixx.Game[Any], before: Any, event: qwixx.Event, after: Any) -> None:
    assert qwixx.apply(game, before, qwixx.parse_event(str(event))) == after
    if isinstance(event, qwixx.Choice):
        failed = game.effects(before, event.seat, event.move).failed
        penalties = [game.result(state).penalty(event.seat) for state in (before, after)]
        assert (penalties[1] > penalties[0]) == bool(failed)
    for seat in range(game.seats(before)):
        assert _lost(game, before, seat) <= _lost(game, after, seat)


def check_refusals(game: qwixx.Game[Any], state: Any, players: int) -> None:
    """Whatever cannot be is refused with an error for people, and changes nothing."""
    acting = game.to_act(state)
    for move in NONSENSE:
        for seat in acting[:1] or (0,):
            with pytest.raises(QwixxError):
                game.choose(state, seat, move)
    for seat in set(range(players)) - set(acting):
        assert game.moves(state, seat) == ()
        with pytest.raises((NotToAct, GameOver)):
            game.choose(state, seat, "-")
    for stranger in (-1, players, True, None, "0"):
        with pytest.raises(QwixxError):
            game.choose(state, stranger, "-")  # type: ignore[arg-type] # as it may come from outside
    faces, coloured = game.layout.faces, len(game.layout.colours)
    wrong = [qwixx.Dice((faces + 1, 1), (1,) * coloured), qwixx.Dice((1, 1), (1,) * (coloured + 1))]
    for dice in wrong:
        with pytest.raises(QwixxError):
            game.roll(state, dice)
    position = game.to_position(state)
    for key in position:
        with pytest.raises(BadPosition):
            game.from_position({**position, key: {"no": "such"}})
        with pytest.raises(BadPosition):
            game.from_position({other: value for other, value in position.items() if other != key})


def check_record(game: qwixx.Game[Any], record: qwixx.Record, moments: list[Any]) -> None:
    found, read, last = qwixx.read_record(json.loads(record.dumps()))
    assert (found, read, last) == (game, record, moments[-1])
    assert list(qwixx.states(game, record)) == moments
    assert all(before != after for before, after in pairwise(moments))
    with pytest.raises(GameOver):
        game.choose(last, 0, "-")
    with pytest.raises(GameOver):
        game.roll(last, qwixx.Dice((1, 1), (1,) * len(game.layout.colours)))
