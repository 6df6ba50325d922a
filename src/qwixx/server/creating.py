"""A new table: what it is to be, and its name."""

import base64
import hashlib
from collections.abc import Collection

import msgspec
from msgspec.structs import replace

from qwixx import bots, games, study
from qwixx.core.errors import QwixxError
from qwixx.core.game import ROLL, Position
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.names import clean_name
from qwixx.server.refusals import Refusal
from qwixx.server.thinking import PLAIN_LEVELS


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def table_id(request: m.NewTable) -> str:
    """The same request makes the same table, one that differs in anything another; and nobody
    without its secret can guess which."""
    digest = hashlib.sha256(b"table|" + msgspec.json.encode(request)).digest()
    return base64.b32encode(digest).decode().lower()[:20]


def offered(game_id: str, levels: Collection[str] = tuple(bots.LEVELS)) -> list[str]:
    """The levels that play a game here, of those that the server offers."""
    return [level for level in bots.levels(game_id) if level in levels]


def planned(request: m.NewTable, offers: Collection[str] = tuple(bots.LEVELS)) -> log.Created:
    """What a new table is to be, checked; bots are of the levels that the server offers."""
    try:
        game = games.game(request.game)
    except QwixxError as error:
        raise Refusal("bad_table", error.message) from None
    if len(request.seats) not in game.players:
        raise Refusal("bad_table", f"this game takes {game.players[0]} to {game.players[-1]} seats")
    levels = {plan.level for plan in request.seats if plan.kind == "bot"}
    known = offered(game.id, offers)
    # Who stands in may always be one of those that need nothing.
    if not levels <= set(known) or request.options.stand_in not in {*known, *PLAIN_LEVELS}:
        raise Refusal("bad_table", f"a bot's level in this game is one of {', '.join(known)}")
    if request.options.chances and not study.can_judge(game, len(request.seats)):
        raise Refusal("bad_table", "chances cannot be told: nobody here judges this game")
    seats = [
        m.SeatPlan(
            plan.kind,
            plan.level if plan.kind == "bot" else None,
            clean_name(plan.name or "") if plan.kind == "me" else None,
            plan.face if plan.kind == "me" else None,
        )
        for plan in request.seats
    ]
    options = replace(request.options, hints=_hints(request))
    return log.Created(request.game, seats, options, hashed(request.secret), _position(request))


def _position(request: m.NewTable) -> Position | None:
    """Where the first round goes on from: a table before a throw at which all of these sit. An open
    seat would fall away if nobody took it, and with it somebody's sheet."""
    if request.position is None:
        return None
    game, state = games.read_position(request.position)
    if game.id != request.game or game.seats(state) != len(request.seats):
        raise Refusal("bad_table", "the position must be of this game, with as many seats")
    if state.phase != ROLL:
        raise Refusal("bad_table", "a game goes on before a throw: leave the dice out")
    if any(plan.kind == "open" for plan in request.seats):
        raise Refusal("bad_table", "a game that goes on has no open seats")
    return game.to_position(state)


def _hints(request: m.NewTable) -> bool:
    """As wished; else where one person plays alone or with bots, and not among people."""
    if request.options.hints is not None:
        return request.options.hints
    return sum(plan.kind != "bot" for plan in request.seats) <= 1
