"""What throws with the same whites come to, everybody seeing all dice.

A look at all throws supposes that who chooses beside the roller sees the white dice only, else
it could not add them up. Of a throw that has fallen that is not true: where the roller can end the
game with a coloured die, the others see it, and choose accordingly. So throws are told apart by the
coloured die that the roller likes best, and for each kind the white action is solved with all dice
seen. What that changes in the mean over all throws is taken off again, so that luck has none.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from qwixx.bots.judging import Guess, Judge, closing, guesses, options_of, supposed
from qwixx.bots.master import AllThrows, best_by_spot, liked, thrown_alike, turn_moves, ways_of
from qwixx.bots.sealed import Sealed
from qwixx.core.dice import GONE, Dice
from qwixx.core.fields import PASS
from qwixx.core.game import Game
from qwixx.core.values import Value

Whites: TypeAlias = tuple[int, int]
Face: TypeAlias = tuple[int, int]  # of a coloured die: which one, and what it shows
Values: TypeAlias = tuple[Value, ...]  # to every seat


class Fall(NamedTuple):
    """Throws in which the roller likes this face of a coloured die best, or has no use for any."""

    face: Face | None
    ways: int
    seen: Values  # what they come to
    looked: Values  # what the look takes them for


def of_throw(falls: Sequence[Fall], dice: Dice) -> Fall:
    """To which of them a throw belongs."""
    shown = set(enumerate(dice.coloured))
    return next(fall for fall in falls if fall.face is None or fall.face in shown)


def unseen(throws: AllThrows, table: Any) -> Values:
    """What the look has more than what throws come to, in the mean over all of them."""
    layout, seats = throws.judge.game.layout, range(throws.judge.players)
    every, wins, points = (
        layout.faces ** (2 + len(layout.colours)),
        [0] * len(seats),
        [0] * len(seats),
    )
    for white_sum, pairs in throws.pairs.items():
        for pair in pairs if _matters(throws, table, white_sum) else ():
            for fall in list_falls(throws, table, pair):
                often = fall.ways * (1 if pair[0] == pair[1] else 2)
                for seat in seats:
                    wins[seat] += often * (fall.looked[seat].win - fall.seen[seat].win)
                    points[seat] += often * (fall.looked[seat].points - fall.seen[seat].points)
    return tuple(Value(wins[seat] // every, points[seat] // every) for seat in seats)


def list_falls(throws: AllThrows, table: Any, whites: Whites) -> list[Fall]:
    """What throws with these whites come to, the best for the roller first."""
    judge, action, values = throws.judge, throws.actions[sum(whites)], throws.values
    game, seats = judge.game, range(judge.players)
    if isinstance(action, Sealed):
        passes = {seat: PASS for seat in action.seats if seat != table.active}
        turns = list(turn_moves(game, table, [whites], passes))
        values = judge((turn.end, seat) for turn in turns for seat in seats)
    else:
        turns = list(throws.turns[sum(whites)])
    favourites = [best_by_spot(turns, values, table.active, seat) for seat in seats]
    ranked = [liked(game, whites, favourites[seat]) for seat in seats]
    faces = [(die, face) for _, die, face in ranked[0]]
    if isinstance(action, Sealed):  # somebody mixes: the look has one mean for all
        looked = [tuple(map(action.mean, seats))] * (len(faces) + 1)
    else:
        looked = [tuple(one.value for one, _, _ in same) for same in zip(*ranked, strict=True)]
        looked.append(tuple(favourites[seat][None].value for seat in seats))
    seen = looked
    if _matters(throws, table, sum(whites)):
        thrown = [game.roll(table, dice) for dice in _examples(game, table, whites, faces)]
        seen = [_seen(judge, one) or was for one, was in zip(thrown, looked, strict=True)]
    ways = ways_of(game, (die for die, _ in faces))
    return [Fall(*fall) for fall in zip([*faces, None], ways, seen, looked, strict=True)]


def _matters(throws: AllThrows, table: Any, white_sum: int) -> bool:
    """Whether some choice of a throw with this sum may close a row or end the game, with several who
    choose at once."""
    judge, pair, action = throws.judge, throws.pairs[white_sum][0], throws.actions[white_sum]
    if isinstance(action, Sealed):
        return True
    if not action:  # nobody chooses beside the roller
        return False
    return _interacts(judge, thrown_alike(judge.game, table, pair, 1)) or closing(
        judge.game, table, (turn.end for turn in throws.turns[white_sum])
    )


def _examples(game: Game[Any], table: Any, whites: Whites, faces: Sequence[Face]) -> list[Dice]:
    """For each of these faces, and for none, a throw in which the roller has least use for all other
    dice."""
    least = list[int]()
    for die, colour in enumerate(game.dice_in_play(table)):
        used = [face for one, face in faces if one == die]
        unused = [face for face in range(1, game.layout.faces + 1) if face not in used]
        least.append(0 if colour == GONE else (unused[0] if unused else used[-1]))
    return [
        *(Dice(whites, (*least[:die], face, *least[die + 1 :])) for die, face in faces),
        Dice(whites, tuple(least)),
    ]


def _interacts(judge: Judge, thrown: Any) -> bool:
    """Whether several choose at once, and some choice closes a row or ends the game."""
    return bool(_contested(judge, thrown))


def _contested(judge: Judge, thrown: Any) -> list[Guess]:
    """All that might be chosen, if several choose at once and some choice closes a row or ends the
    game; else nothing."""
    options = options_of(judge.game, thrown)
    found = guesses(judge, thrown, options) if len(options) > 1 else []
    return found if closing(judge.game, thrown, (guess.end for guess in found)) else []


def _seen(judge: Judge, thrown: Any) -> Values | None:
    """What a throw comes to where it matters what others choose; else nothing."""
    found = _contested(judge, thrown)
    if not found:
        return None
    alone, _ = supposed(found, judge((guess.end, guess.seat) for guess in found))
    game = Sealed(judge, thrown, options_of(judge.game, thrown), alone)
    return tuple(game.mean(seat) for seat in range(judge.players))
