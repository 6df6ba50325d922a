"""Hints: a legal choice with the value of every other, a reason that is true,
and nothing in it that its seat may not know."""

from collections.abc import Iterator
from random import Random
from typing import Any, get_args

import pytest

import qwixx
from qwixx import bots
from qwixx.core.errors import NotToAct
from qwixx.core.fields import PASS
from qwixx.core.values import WIN, Value
from qwixx.study import REASONS, Adviser, Hint, Reason, reason_for
from qwixx.study.reasons import ReasonKey
from sweeps import sweep
from tables import CLASSIC, DUEL, TABLES, classic, duel, random_events
from test_third_game import third

__all__ = ["third"]

QUICK = Adviser(0)  # by the net alone
THOROUGH = Adviser(60)


def decisions(game: Any, players: int, seed: int) -> Iterator[tuple[Any, int]]:
    """Every decision of a random game: the state, and who decides."""
    for before, event, _ in random_events(game, players, Random(seed)):
        if isinstance(event, qwixx.Choice):
            yield before, event.seat


def ends_of(game: Any, view: Any, seat: int, move: str) -> list[Any] | None:
    """Every end of the game that a choice leads to, whatever the others choose with it;
    None if it may go on."""
    states = [view]
    while states[0].phase == view.phase:
        after = []
        for state in states:
            one = game.to_act(state)[0]
            options = (move,) if one == seat else game.moves(state, one)
            after += [game.choose(state, one, option) for option in options]
        states = after
    return states if all(state.phase == "over" for state in states) else None


def leads(game: Any, view: Any, seat: int, move: str) -> list[int]:
    """How far ahead of the best other the seat is at each of these ends."""
    found = []
    for state in ends_of(game, view, seat, move) or []:
        totals = game.result(state).totals
        found.append(totals[seat] - max(t for one, t in enumerate(totals) if one != seat))
    return found


def check(game: Any, state: Any, seat: int, hint: Hint) -> None:
    """The hint names a legal choice and what each is worth, and its reason is true."""
    (level, best, values), reason = hint
    view, moves = game.view(state, seat), game.moves(state, seat)
    assert tuple(sorted(values)) == tuple(sorted(moves))
    assert best in moves
    assert level == bots.levels(game.id, game.seats(state))[-1]
    top = values[best]
    known = {move: value for move, value in values.items() if value is not None}
    if top is not None:
        assert set(known) == set(moves)
        assert all(value.worth <= top.worth for value in known.values())
        assert all(0 <= value.win <= WIN for value in known.values())
    effects = {move: game.effects(view, seat, move) for move in moves}
    own, other, n = effects[best], reason.other, reason.n
    if other is not None:
        assert other != best
        assert known[other].worth == max(v.worth for m, v in known.items() if m != best)
    theirs = effects[other] if other is not None else own
    match reason.key:
        case "only":
            assert moves == (best,)
        case "ends_ahead":
            assert min(leads(game, view, seat, best)) == n > 0
        case "ends_behind":
            assert other is not None
            assert max(leads(game, view, seat, other)) <= -n < 0
        case "closes":
            assert own.closes
        case "captures":
            assert own.captures
        case "saves":
            assert best != PASS
            assert effects[PASS].failed
        case "keeps_lock":
            assert theirs.forgoes
            assert not own.forgoes
        case "skips_none":
            assert (own.skips, theirs.skips) == (0, n)
            assert best != PASS
        case "skips_less":
            assert theirs.skips - own.skips == n > 0
        case "leaves_open":
            assert best == PASS
            assert theirs.skips == n > 0
        case "wins" | "points" | "even":
            assert other is not None
            shown = {"wins": 0.5, "points": 0.1, "even": 0}[reason.key]
            assert n >= shown
        case "plain":
            assert top is None


@pytest.mark.parametrize(("game_id", "players"), TABLES)
def test_a_hint_at_every_decision_of_a_game_is_legal_and_true(game_id: str, players: int) -> None:
    game, met = qwixx.game(game_id), set[str]()
    for state, seat in decisions(game, players, players):
        hint = QUICK.hint(game, state, seat)
        check(game, state, seat, hint)
        met.add(hint.reason.key)
    assert len(met) > 2


@pytest.mark.parametrize("table", sweep([("duel", 2), *TABLES]))
def test_a_hint_that_was_thought_through_is_legal_and_true(table: tuple[str, int]) -> None:
    game, rng = qwixx.game(table[0]), Random(3)
    for state, seat in decisions(game, table[1], 9):
        if rng.random() < 0.12:
            check(game, state, seat, THOROUGH.hint(game, state, seat))


@pytest.mark.parametrize("players", [2, 3])
def test_what_another_has_sealed_changes_nothing(players: int) -> None:
    looked = 0
    for state, seat in decisions(CLASSIC, players, 4):
        waiting = CLASSIC.to_act(state)
        if state.phase != "white" or len(waiting) < players:
            continue
        other = next(one for one in waiting if one != seat)
        sealed = [CLASSIC.choose(state, other, move) for move in CLASSIC.moves(state, other)]
        found = [QUICK.hint(CLASSIC, one, seat) for one in (state, *sealed)]
        assert all(hint == found[0] for hint in found), (state, seat)
        looked += len(sealed) > 1
        if looked == 12:
            break
    assert looked


def test_whoever_has_nothing_to_choose_gets_no_hint() -> None:
    with pytest.raises(NotToAct):
        QUICK.hint(CLASSIC, CLASSIC.start(2), 0)
    state = classic("", "", phase="colour", dice="41 3625", white="-")
    with pytest.raises(NotToAct):
        QUICK.hint(CLASSIC, state, 1)


def test_a_game_without_a_net_gets_the_choice_of_a_plainer_level(third: Any) -> None:
    for state, seat in decisions(third, 3, 1):
        hint = QUICK.hint(third, state, seat)
        check(third, state, seat, hint)
        assert hint.choices.level == "greedy"
        assert set(hint.choices.values.values()) == {None}
        assert hint.reason.key in ("only", "ends_ahead", "closes", "saves", "plain")


# --- each reason, at a table where it is plain to see ---

FIVE = "R2 R3 R4 R5 R6"
ALIKE = Value(WIN // 2, 0)


def why(game: Any, state: Any, best: str, other: str, seat: int = 0, **more: Value) -> Reason:
    """The reason for a choice if another is next to it."""
    values = {move: Value(0, 0) for move in game.moves(state, seat)}
    values |= {best: ALIKE, other: Value(WIN // 4, 0)}
    values |= {move.replace("PASS", PASS): value for move, value in more.items()}
    return reason_for(game, game.view(state, seat), seat, best, values)


def test_ends_the_game_while_one_leads_or_is_behind() -> None:
    closed = "Y2 Y3 Y4 Y5 Y6 Y12"
    last: dict[str, Any] = {"phase": "colour", "dice": "66 6.25", "white": "-"}
    leading = classic(f"{FIVE} {closed}", "", **last)
    assert why(CLASSIC, leading, "R12", PASS) == Reason("ends_ahead", 28 + 28)
    behind = classic(FIVE, f"{closed} G12 G11 G10 G9 G8 G7", **last)
    assert why(CLASSIC, behind, PASS, "R12") == Reason("ends_behind", 21, "R12")
    # Nobody leads for sure while another may still take something in the same action.
    white: dict[str, Any] = {"phase": "white", "dice": "66 1.11"}
    unsure = classic(f"{FIVE}", f"{closed}", **white)
    assert why(CLASSIC, unsure, "R12", PASS).key == "closes"


def test_closes_captures_and_saves() -> None:
    assert (
        why(CLASSIC, classic(FIVE, "", phase="white", dice="66 1111"), "R12", PASS).key == "closes"
    )
    taken = duel("R7g", phase="white", dice="34 1111")
    assert why(DUEL, taken, "R7", PASS).key == "captures"
    last = classic("", "", phase="colour", dice="11 1111", white="-")
    assert why(CLASSIC, last, "R2", PASS).key == "saves"


def test_skips_locks_and_what_stays_open() -> None:
    white = classic("", "", phase="white", dice="13 1111")
    assert why(CLASSIC, white, PASS, "R4") == Reason("leaves_open", 2, "R4")
    more = classic("R3", "", phase="white", dice="13 1111")
    assert why(CLASSIC, more, "R4", "Y4") == Reason("skips_none", 2, "Y4")
    less = classic("R2", "", phase="white", dice="13 1111")
    assert why(CLASSIC, less, "R4", "Y4") == Reason("skips_less", 1, "Y4")
    late = classic("", "", phase="white", dice="56 1111")
    given_up = why(CLASSIC, late, "G11", "R11")
    assert given_up == Reason("keeps_lock", 0, "R11")
    assert why(CLASSIC, late, PASS, "R11") == Reason("keeps_lock", 0, "R11")


def test_what_only_the_numbers_say() -> None:
    state = classic("", "", phase="white", dice="11 1111")
    near = Value(WIN // 2, 0)
    assert why(CLASSIC, state, "R2", "Y2") == Reason("wins", 25.0, "Y2")
    assert why(CLASSIC, state, "R2", "Y2", Y2=near).key == "even"
    fewer = Value(WIN // 2, -3 * 48_000)
    assert why(CLASSIC, state, "R2", "Y2", Y2=fewer) == Reason("points", 3.0, "Y2")


def test_every_reason_is_named() -> None:
    assert set(REASONS) == set(get_args(ReasonKey))
