"""Bots with a net, compiled (extra "lab"): the same choices as their plain selves', many times as
fast."""

from random import Random
from typing import Any, Final

from qwixx import bots, games
from qwixx.bots import minds
from qwixx.bots.bot import Bot, Decision
from qwixx.compiled import playing
from qwixx.compiled.chance import FRACTION
from qwixx.compiled.jit import one_at_a_time
from qwixx.compiled.printed import unpack_move
from qwixx.core.game import Game

_FLOAT_BITS: Final = 53  # of luck, in Python's numbers from 0 up to 1


class CompiledBot(Bot):
    """A level at tables of one game with one number of seats. It does not say what moves are worth."""

    def __init__(self, level: str, game: Game[Any], players: int) -> None:
        kernel = games.kernel_of(game.id)
        assert kernel is not None
        self._kernel, self._board = kernel, kernel.board(game)
        self._minds = minds.of_levels(game.id, players, [level])
        self._room = playing.new_room(kernel.words(players))

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        table = self._kernel.pack(game, view)
        fraction = int(rng.random() * (1 << _FLOAT_BITS)) << (FRACTION - _FLOAT_BITS)
        code = playing.decide(self._board, table, seat, *self._minds, 0, fraction, self._room)
        return Decision(unpack_move(game.layout, int(code)), dict.fromkeys(game.moves(view, seat)))


def made(level: str, game: Game[Any], players: int) -> CompiledBot | None:
    """The compiled bot of a level; None if it plays by something else than a compiled net."""
    found = bots.needs_net(level) and minds.is_compiled(game.id, [level] * players)
    return CompiledBot(level, game, players) if found else None


def warm_up(game_id: str) -> bool:
    """Compile what bots of a game think with, or load what was compiled before; whether there is
    such a thing. That takes a while."""
    game = games.game(game_id)
    players = max(2, game.players[0])
    levels = [level for level in bots.levels(game_id, players) if bots.needs_net(level)]
    bot = made(levels[0], game, players) if levels else None
    if bot is None:
        return False
    state = game.start(players)
    thrown = game.roll(state, game.throws(state)[0].dice)
    with one_at_a_time():
        bot.decide(game, thrown, thrown.active, Random(0))
    return True
