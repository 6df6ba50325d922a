"""The games, found by looking: every folder here offers one or more, and nothing lists them."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, cast

from qwixx.core.errors import BadPosition, BadRecord, BadRequest, shown
from qwixx.core.fields import Move
from qwixx.core.game import Game
from qwixx.core.picture import Guide
from qwixx.core.record import Record, final_state

if TYPE_CHECKING:  # they need the extra "lab", a game does not
    from qwixx.compiled.contract import FeatureSizes
    from qwixx.compiled.printed import Board
    from qwixx.compiled.words import Words


@cache
def _folders() -> dict[str, ModuleType]:
    """The folder that offers each game."""
    found = [
        import_module(f"{__name__}.{module.name}")
        for module in iter_modules(__path__)
        if module.ispkg
    ]
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
    """What a game's kernel offers to Python; the rest is the compiled contract.

    Games and states are `Any`: each kernel takes those of its own game alone.
    """

    @property
    def FEATURES(self) -> "FeatureSizes": ...  # noqa: N802 - a constant of the module

    def board(self, game: Any) -> "Board":
        """The board of a game; one that the kernel cannot play raises `BadRequest`."""

    def words(self, players: int) -> int: ...
    def pack(self, game: Any, state: Any) -> "Words": ...
    def unpack(self, game: Any, table: "Words") -> Any: ...


class Features(Protocol):
    """What a net is told of a game, how thought ends a turn, and how nets of the game are trained."""

    @property
    def FEATURES(self) -> int: ...  # noqa: N802 - here and below: constants of the module
    @property
    def OTHER_FEATURES(self) -> int: ...  # noqa: N802
    @property
    def LISTED(self) -> int: ...  # noqa: N802
    @property
    def TRAINING(self) -> tuple[dict[str, Any], ...]: ...  # noqa: N802

    def holds(self, game: Any) -> bool:
        """Whether there is a feature for all that can lie on a table of this game."""

    def listed(self, state: Any, seat: int) -> tuple[list[int], list[list[int]]]: ...
    def turn_over(self, state: Any) -> Any: ...


class Advice(Protocol):
    """What a move brings, exactly: the expected final total,
    and what is best to follow it in the same turn."""

    @property
    def value(self) -> float: ...
    @property
    def then(self) -> Move | None: ...


class Solution(Protocol):
    """The exact values of a game."""

    def choices(self, game: Any, state: Any, seat: int) -> Mapping[Move, Advice]:
        """Every choice of a seat that is to act."""

    def value(self, game: Any, state: Any, seat: int) -> float:
        """The expected final total of a seat before a throw, or at the end."""


class Solutions(Protocol):
    """The exact solutions that were made of a game and kept."""

    def kept(self, game: Any, players: int) -> Solution | None:
        """The solution for so many players, if it is there and the sheet is one that can be solved."""


def kernel_of(game_id: object) -> Kernel | None:
    """What is compiled of a game (extra "lab"), in a module beside the law; None if it has none."""
    return cast("Kernel | None", _part(game_id, "kernel"))


def features_of(game_id: object) -> Features | None:
    """What a net is told of a game; None if no net can learn it."""
    found = cast("Features | None", _part(game_id, "features"))
    return found if found is not None and found.holds(game(game_id)) else None


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
