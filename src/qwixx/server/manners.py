"""How people at a table deal with one another: who may be replaced, who has to leave, who may watch."""

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec.structs import replace

from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.refusals import Refusal
from qwixx.server.state import Seat, TableState

# Whether the player of a seat is here, and for how many seconds it has kept the others.
Waited: TypeAlias = Callable[[int], tuple[bool, float]]
FEWEST_TO_AGREE: Final = 2  # others, who can have a player removed from a game


def decide(
    table: TableState,
    command: m.Replace | m.Remove | m.AllowWatchers,
    holder: str | None,
    waited: Waited,
) -> log.AnyEvent:
    if isinstance(command, m.Replace):
        return _replace(table, command.seat, holder, waited)
    if isinstance(command, m.Remove):
        return _remove(table, command.seat, holder)
    table.check_creator(holder)
    return log.Allowed(command.allowed)


def _replace(table: TableState, seat: int, holder: str | None, waited: Waited) -> log.Replaced:
    table.check_status("playing")
    if not table.held_by(holder) or seat in table.held_by(holder):
        raise Refusal("not_yours", "another player of this table can ask for that")
    if seat >= len(table.seats) or table.seats[seat].bot_level is not None:
        raise Refusal("no_seat", "a bot plays there already, or there is no such seat")
    here, seconds = waited(seat)
    if not table.waits_for(seat) or (here and not table.options.idle):
        raise Refusal("not_now", "nobody waits for that seat, or its player is here")
    left = (table.options.idle if here else table.options.away) - seconds
    if left > 0:
        raise Refusal("not_now", f"wait another {left:.0f} seconds for them")
    return log.Replaced(seat)


def _remove(table: TableState, seat: int, holder: str | None) -> log.Removed | log.Agreed:
    """Before a game whoever made the table decides who stays; in it all others together."""
    if seat >= len(table.seats) or table.seats[seat].holder is None:
        raise Refusal("no_seat", "nobody sits there who could be asked to leave")
    if seat in table.held_by(holder):
        raise Refusal("not_now", "you can get up yourself")
    if table.status != "playing":
        table.check_creator(holder)
        return log.Removed(seat)
    others = _who_decide_on(table, seat)
    if holder is None or holder not in others:
        raise Refusal("not_yours", "another player of this table can ask for that")
    if len(others) < FEWEST_TO_AGREE:
        raise Refusal("not_now", "it takes two others at least to have somebody leave a game")
    if holder in table.agreed.get(seat, ()):
        raise Refusal("not_now", "you have said so: the others have not all agreed")
    return log.Agreed(seat, holder)


def agreed_removal(table: TableState) -> log.Removed | None:
    """The removal of a player on which all others agree."""
    for seat, wanted in table.agreed.items():
        others = _who_decide_on(table, seat)
        if len(others) >= FEWEST_TO_AGREE and others <= wanted:
            return log.Removed(seat)
    return None


def _who_decide_on(table: TableState, seat: int) -> set[str]:
    """The other people who play themselves."""
    return {
        one.holder
        for one in table.others(table.seats[seat].holder)
        if one.holder is not None and not one.stand_in
    }


def may_watch(table: TableState, holder: str | None) -> bool:
    """Whether somebody may see the table from within: who sits here, whoever may still sit
    down, and others if it is watched."""
    free = table.status == "gathering" and any(seat.kind == "open" for seat in table.seats)
    own = holder is not None and (holder == table.creator or bool(table.held_by(holder)))
    return table.options.watchers or free or own


def apply(table: TableState, event: log.Moved | log.Agreed | log.Removed | log.Allowed) -> None:
    if isinstance(event, log.Moved):
        _apply_move(table, event)
    elif isinstance(event, log.Agreed):
        table.agreed.setdefault(event.seat, set()).add(event.holder)
    elif isinstance(event, log.Removed):
        _apply_removal(table, event.seat)
    else:
        table.options = replace(table.options, watchers=event.watchers)


def _apply_removal(table: TableState, seat: int) -> None:
    table.removed.add(table.seats[seat].holder or "")
    table.agreed.pop(seat, None)
    if table.status == "playing":  # a bot plays on, for good
        table.seats[seat].holder, table.seats[seat].stand_in = None, True
    else:
        table.seats[seat] = Seat("open")


def _apply_move(table: TableState, event: log.Moved) -> None:
    if table.creator == event.holder:
        table.creator = event.to
    for seat in table.seats:
        if seat.holder == event.holder:
            seat.holder = event.to
