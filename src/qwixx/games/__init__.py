"""The games, found by looking: every folder here offers one or more, and nothing lists them."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Protocol, cast

from qwixx.core.errors import BadPosition, BadRecord, BadRequest, shown
from qwixx.core.game import Game
from qwixx.core.picture import Guide
from qwixx.core.record import Record, final_state


@cache
def _folders() -> dict[str, ModuleType]:
    """The folder that offers each game."""
    found = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__) if module.ispkg]
    return {game_id: folder for folder in found for game_id in folder.GAMES}


@cache
def ids() -> tuple[str, ...]:
    """The id of every game."""
    return tuple(sorted(_folders()))


def _folder(game_id: object) -> ModuleType:
    if not isinstance(game_id, str) or game_id not in ids():
        raise BadRequest(f"there is no game {shown(game_id)}: the games are {', '.join(ids())}")
    return _folders()[game_id]


def game(game_id: object) -> Game[Any]:
    """The rules of a game."""
    return guide(game_id).game


def guide(game_id: object) -> Guide[Any]:
    """A game as people meet it."""
    found: Guide[Any] = _folder(game_id).GAMES[game_id]
    return found


def family_of(game_id: object) -> str:
    """The game of which this one is another sheet: the first that its folder offers."""
    offered: dict[str, Guide[Any]] = _folder(game_id).GAMES
    return next(iter(offered))


class Kernel(Protocol):
    """What a game's kernel offers to Python; the rest is the compiled contract."""

    FEATURES: Any

    def board(self, game: Any) -> Any:
        """The board of a game; one that the kernel cannot play raises `BadRequest`."""

    def words(self, players: int) -> int: ...
    def pack(self, game: Any, state: Any) -> Any: ...
    def unpack(self, game: Any, table: Any) -> Any: ...


class Features(Protocol):
    """What a net is told of a game, how thought ends a turn, and how nets of the game are trained."""

    FEATURES: int
    OTHER_FEATURES: int
    LISTED: int
    TRAINING: tuple[dict[str, Any], ...]

    def listed(self, state: Any, seat: int) -> tuple[list[int], list[list[int]]]: ...
    def turn_over(self, state: Any) -> Any: ...


class Solutions(Protocol):
    """The exact solutions that were made of a game and kept."""

    def kept(self, game: Any, players: int) -> Any:
        """The solution for so many players, if it is there and the sheet is one that can be solved."""


def kernel_of(game_id: object) -> Kernel | None:
    """What is compiled of a game (extra "lab"), in a module beside the law; None if it has none."""
    return cast("Kernel | None", _part(game_id, "kernel"))


def features_of(game_id: object) -> Features | None:
    """What a net is told of a game; None if no net can learn it."""
    return cast("Features | None", _part(game_id, "features"))


def solution_of(game_id: object) -> Solutions | None:
    """The exact solutions of a game, which need numpy to be read; None if it has none."""
    return cast("Solutions | None", _part(game_id, "solution"))


def _part(game_id: object, part: str) -> ModuleType | None:
    """A module that a game's folder may have."""
    folder = _folder(game_id)
    if not any(module.name == part for module in iter_modules(folder.__path__)):
        return None
    return import_module(f"{folder.__name__}.{part}")


def read_position(position: Any) -> tuple[Game[Any], Any]:
    """The game and the state of a position; one that cannot be raises `BadPosition`."""
    if not isinstance(position, dict):
        raise BadPosition(f"a position must be an object, not {shown(position)}")
    try:
        rules = game(position.get("game"))
    except BadRequest as error:
        raise BadPosition(error.message) from None
    return rules, rules.from_position(position)


def read_record(value: Any) -> tuple[Game[Any], Record, Any]:
    """The game, the record and its last state; a record that breaks a rule raises `BadRecord`."""
    record = Record.from_json(value)
    try:
        rules = game(record.game)
    except BadRequest as error:
        raise BadRecord(error.message) from None
    return rules, record, final_state(rules, record)
