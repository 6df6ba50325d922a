"""What tables between two turns, or at the end, are worth to a seat;
and what others might choose by that, each as if it chose alone."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from qwixx import games
from qwixx.core.errors import BotFailed
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, Game
from qwixx.core.values import POINT, WIN, Value

Asked = tuple[Any, int]  # a table, and the seat that it is to be judged for


class Guess(NamedTuple):
    """What a seat might choose if nobody else crosses anything,
    and the table that this would leave."""

    seat: int
    move: Move
    colour: Move  # the colour action to follow, of the active seat
    end: Any


class Judge:
    """Says what tables between two turns, or at the end, are worth."""

    def __init__(self, game: Game[Any], players: int, small: bool = False) -> None:
        self.game, self.players = game, players
        features = games.features_of(game.id)
        if features is None:
            raise BotFailed(f"no net has learned the game {game.id}")
        self.features = features
        try:
            nets = import_module("qwixx.bots.net")
        except ImportError:
            raise BotFailed(
                "this bot thinks with numpy, which is not there: pip install numpy"
            ) from None
        self.net = nets.net_of(game.id, players, small)

    def __call__(self, asked: Iterable[Asked]) -> dict[Asked, Value]:
        """The value of each table to the seat it is asked for; each is thought about once."""
        known: dict[Asked, Value] = {}
        open_tables: dict[Asked, Any] = {}
        for table in asked:
            if table in known or table in open_tables:
                continue
            state, seat = table
            if state.phase == OVER:
                known[table] = self.final(state, seat)
            else:
                open_tables[table] = self.features.listed(state, seat)
        if open_tables:
            wins, points = self.net.judge(list(open_tables.values()))
            if self.players == 1:
                wins = [WIN] * len(wins)
            known.update(zip(open_tables, map(Value, wins, points), strict=True))
        return known

    def final(self, state: Any, seat: int) -> Value:
        """What the end of a game is worth."""
        result = self.game.result(state)
        winners = result.winners or ()
        return Value(WIN // len(winners) if seat in winners else 0, POINT * result.totals[seat])


def fair(values: Mapping[int, Value], seat: int) -> Value:
    """The value of a table to a seat. If it is told what it seems to be worth to both of two
    seats, together they have a win."""
    own = values[seat]
    if len(values) == 1:
        return own
    whole = sum(value.win for value in values.values())
    return Value(own.win * WIN // whole if whole else WIN // 2, own.points)


def options_of(game: Game[Any], view: Any) -> dict[int, tuple[Move, ...]]:
    """The legal moves of every seat that acts now, those among them whose choice is sealed already."""
    options: dict[int, tuple[Move, ...]] = {}
    state = view
    while state.phase == view.phase:
        seats = game.to_act(state)
        for seat in seats:
            if seat not in options:
                options[seat] = game.moves(state, seat)
        state = game.choose(state, seats[0], PASS)
    return options


def together(game: Game[Any], view: Any, choices: Mapping[int, Move]) -> Any:
    """The table after an action in which all choose so; who is not named passes."""
    state = view
    while state.phase == view.phase:
        seat = game.to_act(state)[0]
        state = game.choose(state, seat, choices.get(seat, PASS))
    return state


def guesses(
    judge: Judge, view: Any, options: Mapping[int, Sequence[Move]], blind: bool = False
) -> list[Guess]:
    """All that these seats might choose; blind are those who see the white dice only."""
    game, found = judge.game, list[Guess]()
    for seat, moves in options.items():
        for move in moves:
            after = together(game, view, {seat: move})
            if after.phase != COLOUR:
                found.append(Guess(seat, move, PASS, after))
            elif after.active != seat or blind:
                found.append(Guess(seat, move, PASS, judge.features.turn_over(after)))
            else:
                colours = game.moves(after, seat)
                found += [
                    Guess(seat, move, then, game.choose(after, seat, then)) for then in colours
                ]
    return found


def supposed(found: Sequence[Guess], values: Mapping[Asked, Value]) -> tuple[dict[int, Move], Move]:
    """What the seats will choose, and the colour action of the active one, if it is among them."""
    best: dict[int, tuple[int, Guess]] = {}
    for guess in found:
        worth = values[guess.end, guess.seat].worth
        if guess.seat not in best or worth > best[guess.seat][0]:
            best[guess.seat] = worth, guess
    colours = [guess.colour for _, guess in best.values() if guess.colour != PASS]
    return {seat: guess.move for seat, (_, guess) in best.items()}, colours[0] if colours else PASS


def closing(game: Game[Any], view: Any, ends: Iterable[Any]) -> bool:
    """Whether a row is closed or the game over on one of these tables, and was not before."""
    before = game.dice_in_play(view)
    return any(end.phase == OVER or game.dice_in_play(end) != before for end in ends)
