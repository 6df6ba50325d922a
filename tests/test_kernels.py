"""The kernels are the law: the same legal moves, successors,
endings and scores, compiled and interpreted."""

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import qwixx
from qwixx import games
from qwixx.bots import minds
from qwixx.compiled import chance, contract, playing, printed, words
from qwixx.core.errors import BadRequest
from qwixx.core.fields import Layout
from qwixx.core.game import PHASES
from qwixx.games.classic import features as classic_features
from qwixx.games.classic import kernel as classic_kernel
from qwixx.games.classic import solution as classic_solution
from qwixx.games.classic.rules import Classic
from qwixx.games.duel import features as duel_features
from qwixx.games.duel import kernel as duel_kernel
from qwixx.games.duel.rules import Duel
from sweeps import sweep
from tables import CLASSIC, random_events
from test_tiny import TABLES, throws

# At each table, and as many in whole games.
STEPS = int(os.environ.get("QWIXX_TEST_STEPS", "15000"))
MANY = 100_000
SEATS = [
    ("classic", 1),
    ("classic", 2),
    ("classic", 3),
    ("classic", 4),
    ("classic", 5),
    ("duel", 2),
    # Of every other sheet that a kernel holds one table, for two and three in turns.
    *(
        (game_id, 2 + place % 2)
        for place, game_id in enumerate(
            one for one in games.ids() if games.family_of(one) != one and minds.can_play(one)
        )
    ),
]

# That modules are what `games` says they are is seen by the type checker, here alone.
KERNELS: dict[str, games.Kernel] = {"classic": classic_kernel, "duel": duel_kernel}
FEATURES: dict[str, games.Features] = {"classic": classic_features, "duel": duel_features}
SOLUTIONS: dict[str, games.Solutions] = {"classic": classic_solution}


def kernel_of(game_id: str) -> games.Kernel:
    """The kernel of a game that has one."""
    kernel = games.kernel_of(game_id)
    assert kernel is not None
    return kernel


class Pair:
    """A game and its kernel, side by side."""

    def __init__(self, game: qwixx.Game[Any], players: int) -> None:
        self.game, self.seats = game, range(players)
        self.layout = game.layout
        self.kernel = kernel_of(game.id)
        self.board = self.kernel.board(game)

    def check(self, state: Any, table: words.Words, seats: Iterable[int]) -> None:
        """The table is this state, and both say the same of it to these seats."""
        assert self.kernel.pack(self.game, state).tolist() == table.tolist()
        acting = contract.acting(self.board, table)
        assert acting == sum(1 << seat for seat in self.game.to_act(state))
        for seat in seats:
            if acting >> seat & 1:
                moves = self.game.moves(state, seat)
                assert contract.legal(self.board, table, seat) == printed.pack_moves(
                    self.layout, moves
                ), state

    def check_all(self, state: Any, table: words.Words) -> None:
        """All the rest that both say of a state."""
        board, game = self.board, self.game
        assert PHASES[contract.phase(board, table)] == state.phase
        assert contract.active(board, table) == state.active
        assert contract.seats(board, table) == game.seats(state)
        gone = [colour not in game.dice_in_play(state) for colour in self.layout.colours]
        assert contract.closed(board, table) == sum(shut << row for row, shut in enumerate(gone))
        for seat in game.to_act(state):
            for move in game.moves(state, seat):
                found = contract.effects(board, table, seat, printed.pack_move(self.layout, move))
                assert tuple(found) == game.effects(state, seat, move), (state, seat, move)

    def check_scores(self, state: Any, table: words.Words) -> None:
        result = self.game.result(state)
        assert [contract.total(self.board, table, seat) for seat in self.seats] == list(
            result.totals
        )
        if result.over:
            assert printed.REASONS[contract.reason(self.board, table)] == result.reason

    def happen(self, table: words.Words, event: qwixx.Event) -> None:
        if isinstance(event, qwixx.Dice):
            contract.roll(self.board, table, printed.pack_dice(event))
        else:
            contract.choose(
                self.board, table, event.seat, printed.pack_move(self.layout, event.move)
            )


def eager_events(
    game: qwixx.Game[Any], players: int, rng: Random
) -> Iterator[tuple[Any, Any, Any]]:
    """A game of players who rather cross than pass, and near rather than far:
    long, with many rows closed."""
    state = game.start(players, rng.randrange(players))
    while state.phase != "over":
        event: qwixx.Event
        if seats := game.to_act(state):
            seat = rng.choice(seats)
            moves = game.moves(state, seat)
            nearest = min(
                moves[1:] or moves, key=lambda move: game.layout.places.get(move, (0, 0))[1]
            )
            event = qwixx.Choice(seat, nearest if rng.random() < 0.7 else rng.choice(moves))
        else:
            event = qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
        before, state = state, qwixx.apply(game, state, event)
        yield before, event, state


@pytest.mark.parametrize("most", sweep([STEPS, MANY]))
@pytest.mark.parametrize(("game_id", "players"), SEATS)
def test_every_step_is_the_laws_step(game_id: str, players: int, most: int) -> None:
    pair = Pair(qwixx.game(game_id), players)
    rng, steps, endings, kinds = Random(players), 0, set(), (random_events, eager_events)
    while steps < most:
        table = None
        events: Iterable[tuple[Any, Any, Any]] = kinds[steps % 2](pair.game, players, rng)
        for before, event, after in events:
            if table is None:
                table = pair.kernel.pack(pair.game, before)
            pair.happen(table, event)
            in_action = isinstance(event, qwixx.Choice) and after.phase == before.phase
            # The others' moves are as before.
            pair.check(after, table, [event.seat] if in_action else pair.seats)
            if steps % 8 == 0:
                pair.check_all(after, table)
            steps += 1
        assert table is not None
        assert pair.kernel.unpack(pair.game, table) == after
        pair.check_scores(after, table)
        endings.add(pair.game.result(after).reason)
    assert most < MANY or endings == {"rows", "failed"} | (
        {"pieces"} if game_id == "duel" else set()
    )


# Those with more have their long run.
MANY_STEPS = 10_000


@pytest.mark.parametrize(
    ("name", "game", "players", "counts"),
    [
        pytest.param(
            *table, id=table[0], marks=pytest.mark.long if table[3]["steps"] > MANY_STEPS else ()
        )
        for table in TABLES
    ],
)
def test_tiny_tables_in_full(
    name: str, game: qwixx.Game[Any], players: int, counts: dict[str, int]
) -> None:
    pair = Pair(game, players)
    start = game.start(players)
    seen, unread, steps = {start}, [start], 0
    while unread:
        state = unread.pop()
        table = pair.kernel.pack(game, state)
        assert pair.kernel.unpack(game, table) == state
        pair.check(state, table, pair.seats)
        pair.check_all(state, table)
        pair.check_scores(state, table)
        events: list[qwixx.Event] = [
            qwixx.Choice(seat, move)
            for seat in game.to_act(state)
            for move in game.moves(state, seat)
        ]
        if state.phase == "roll":
            events += throws(game, state)
        for event in events:
            steps += 1
            after, table_after = qwixx.apply(game, state, event), table.copy()
            pair.happen(table_after, event)
            assert pair.kernel.pack(game, after).tolist() == table_after.tolist()
            if after not in seen:
                seen.add(after)
                unread.append(after)
    assert steps == counts["steps"]


def played(
    game_id: str, numbers: list[int], lineup: list[int], seed: int = 1, log: int = 0
) -> tuple[words.Words, words.Words]:
    """Games of compiled bots, 0 random and 1 greedy: their results and logs."""
    kernel, players = kernel_of(game_id), len(lineup)
    plan = np.array([[number, number, number % players] for number in numbers])
    results = np.zeros((len(numbers), players + 3), np.int64)
    logs = np.zeros((len(numbers), log), np.int64)
    playing.play(
        kernel.board(qwixx.game(game_id)),
        kernel.words(players),
        seed,
        plan,
        np.array([lineup] * len(numbers)),
        *minds.of_levels(game_id, players, ["random", "greedy"]),
        results,
        logs,
    )
    return results, logs


@pytest.mark.parametrize(("game_id", "players"), SEATS)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("most", sweep([STEPS, MANY]))
def test_whole_games_are_games_of_the_law(
    game_id: str, players: int, most: int, first: int
) -> None:
    game, numbers = qwixx.game(game_id), list(range(most // 200))
    lineup = [first, *[0, 1, 1, 1][: players - 1]]
    results, logs = played(game_id, numbers, lineup, log=4000)
    for number, found, log in zip(numbers, results.tolist(), logs.tolist(), strict=True):
        *totals, turns, reason, events = found
        assert events <= len(log)
        state = game.start(players, number % players)
        rolls = 0
        for event in printed.read_log(game.layout, log[:events]):
            state = qwixx.apply(game, state, event)
            rolls += isinstance(event, qwixx.Dice)
        result = game.result(state)
        assert (result.over, list(result.totals)) == (True, totals)
        assert (result.reason, rolls) == (printed.REASONS[reason], turns)


@pytest.mark.parametrize(("game_id", "players"), SEATS)
def test_a_game_does_not_depend_on_its_batch(game_id: str, players: int) -> None:
    lineup = [number % 2 for number in range(players)]
    whole, _ = played(game_id, list(range(40)), lineup)
    parts = [played(game_id, [number], lineup)[0][0] for number in (39, 0, 17)]
    assert [part.tolist() for part in parts] == [whole[number].tolist() for number in (39, 0, 17)]
    other, _ = played(game_id, list(range(40)), lineup, seed=2)
    assert whole.tolist() != other.tolist()


def test_draws_are_even_and_streams_apart() -> None:
    draws = {
        chance.luck(*stream, 0) for stream in product((0, 1, 2**63 - 1), (0, 1, 2**40), range(5))
    }
    assert len(draws) == 45
    many = 600 if STEPS < 10_000 else 6000
    faces = np.zeros((6, 7), np.int64)
    for turn in range(many):
        dice = chance.dealt(1, 2, turn, 6, 4, 0)
        for die in range(6):
            faces[die, dice >> 3 * die & 7] += 1
    assert not faces[:, 0].any()
    surprise = ((faces[:, 1:] - many / 6) ** 2 / (many / 6)).sum()  # chi-square with 30 degrees
    assert surprise < 67  # one in ten thousand


def test_the_bits_of_words() -> None:
    for mask in (1, 2, 3, 0b1011000, 1 << 48, (1 << 48) - 1):
        assert (words.count(mask), words.length(mask)) == (mask.bit_count(), mask.bit_length())
        assert mask >> words.lowest(mask) & 1
        assert not mask & ((1 << words.lowest(mask)) - 1)


def test_rows_that_a_kernel_cannot_play_are_refused() -> None:
    for layout in (
        Layout("RB", ((2, 3, 4), (4, 3)), faces=3),
        Layout("R", (tuple(range(2, 17)),), faces=8),
        Layout("RYGBW", ((2, 3),) * 5, faces=2),
    ):
        with pytest.raises(BadRequest, match="a kernel plays"):
            kernel_of("classic").board(Classic(layout))


class Crowd(Classic):
    players = range(1, 7)


@pytest.mark.parametrize("game", [Crowd(), Duel(pieces=32), Duel(most_failed=8)])
def test_limits_that_find_no_room_in_a_table_are_refused(game: qwixx.Game[Any]) -> None:
    with pytest.raises(BadRequest, match="at most"):
        kernel_of(game.id).board(game)


def test_nets_are_offered_no_table_of_which_they_could_not_be_told_all() -> None:
    two, long = Layout("RY", ((2, 3, 4),) * 2), Layout(numbers=((2, 3, 4, *range(5, 14)),) * 4)
    for odd in (Crowd(), Classic(two), Classic(long), Classic(most_failed=6)):
        assert not classic_features.holds(odd)
    for board in (Duel(long), Duel(pieces=24), Duel(most_failed=6)):
        assert not duel_features.holds(board)
    assert classic_features.holds(Classic(most_failed=5))
    assert duel_features.holds(Duel(two, pieces=23, most_failed=5))


def test_a_kernel_offers_the_contract_and_nothing_else() -> None:
    offered = {function.__name__ for function in contract.COMPILED} | set(contract.PLAIN)
    for kernel in {games.kernel_of(game_id) for game_id in games.ids()} - {None}:
        assert isinstance(kernel, ModuleType)
        own = {
            node.name for node in ast.parse(inspect.getsource(kernel)).body if hasattr(node, "name")
        }
        board = type(
            kernel.board(
                next(game for game in map(qwixx.game, games.ids()) if kernel_of(game.id) is kernel)
            )
        )
        assert {name for name in own if not name.startswith("_")} == offered - {"FEATURES"} | {
            board.__name__
        }
        assert hasattr(kernel, "FEATURES")
        for function in contract.COMPILED:
            found = inspect.signature(getattr(kernel, function.__name__))
            assert list(found.parameters) == list(inspect.signature(function).parameters), function


def test_what_a_game_has_is_found_beside_its_law() -> None:
    for game_id in games.ids():
        family = games.family_of(game_id)
        assert games.kernel_of(game_id) is KERNELS.get(family)
        features = FEATURES.get(family)
        holds = features is not None and features.holds(qwixx.game(game_id))
        assert games.features_of(game_id) is (features if holds else None)
        assert games.solution_of(game_id) is SOLUTIONS.get(family)


def test_boards_of_two_kernels_have_names_of_their_own() -> None:
    with pytest.raises(TypeError, match="already"):
        contract.kernel(type(kernel_of("classic").board(CLASSIC)))


def test_a_hidden_choice_is_packed_as_one_that_nobody_has_made() -> None:
    events = ["34 1234", "1:R7", "0:-"]
    one, both = (
        qwixx.fold(CLASSIC, CLASSIC.start(3), map(qwixx.parse_event, events[:told]))
        for told in (2, 3)
    )
    pack, unpack = kernel_of("classic").pack, kernel_of("classic").unpack
    for state, seat, known in ((one, 0, (None,) * 3), (both, 0, ("-", None, None))):
        view = CLASSIC.view(state, seat)
        assert unpack(CLASSIC, pack(CLASSIC, view)) == view._replace(sealed=known)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="it is this very run")
@pytest.mark.parametrize("which", sweep(["not in_full", "in_full"], short=0))
def test_the_same_holds_interpreted(which: str) -> None:
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-W",
        "ignore:overflow encountered:RuntimeWarning",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-k", which, __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "QWIXX_TEST_STEPS": "1000"},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
