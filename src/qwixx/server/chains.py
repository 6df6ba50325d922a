"""The chains of a table's pages: who commits to which, which of them count in the next throw, and the
dice that are made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qwixx.core import proof
from qwixx.core.game import ROLL
from qwixx.core.sealing import Chain, SealedDice
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.refusals import Refusal
from qwixx.server.round import Round
from qwixx.server.state import Seat, TableState


@dataclass(frozen=True)
class Chance:
    """Who begins, or a throw: it is drawn once the pages that take part have brought their links."""

    source: SealedDice
    pages: Mapping[int, str]  # whose link is asked for, by chain: the hash of a secret
    throw: int | None  # from 0; None: who begins
    seats: tuple[int, ...] = ()  # who play, if they are to begin


# --- what pages commit to ---


def decide(
    table: TableState, command: m.Ready | m.CommitChain, holder: str | None
) -> log.Readied | log.Chained:
    """Somebody's page commits to its chain."""
    _check_own_chain(table, command.chain, holder)
    if isinstance(command, m.Ready):
        return _ready(table, command, holder)
    return _chain(table, command, holder)


def _ready(table: TableState, command: m.Ready, holder: str | None) -> log.Readied:
    table.check_holds(command.seat, holder)
    table.check_status("gathering")
    if table.seats[command.seat].brought is not None:
        raise Refusal("not_now", "you are ready already")
    return log.Readied(command.seat, command.chain)


def _chain(table: TableState, command: m.CommitChain, holder: str | None) -> log.Chained:
    """Somebody's page has not the chain of their seats."""
    table.check_status("gathering", "playing")
    if not table.seals:
        raise Refusal("not_now", "this round is played without chains")
    newest = dict[int, str]()
    for chain in known(table):
        newest.update(dict.fromkeys(chain.seats, chain.end))
    seats = [
        seat
        for seat in table.held_by(holder)
        if newest.get(seat) != command.chain
        and (table.playing is not None or table.seats[seat].brought is not None)
    ]
    if not seats:
        raise Refusal("not_now", "no seat of yours lacks this chain")
    return log.Chained(seats, command.chain)


def _check_own_chain(table: TableState, end: str, holder: str | None) -> None:
    """Nobody takes part with what somebody else has committed to."""
    committed = (
        of(table.seats)
        if table.playing is None
        else list(zip(table.keepers, known(table), strict=True))
    )
    if table.seals and any(chain.end == end and keeper != holder for keeper, chain in committed):
        raise Refusal("bad_message", "this chain is somebody else's")


def apply(table: TableState, event: log.Readied | log.Chained) -> None:
    """Before the game a chain takes the place of the one before; in it, it counts from the next throw
    on that nobody has been asked for yet."""
    if isinstance(event, log.Readied):
        _bring(table, event.seat, event.entropy)
        table.seats[event.seat].stand_in = False
        return
    if table.playing is None:
        for seat in event.seats:
            _bring(table, seat, event.end)
        return
    playing, between = table.playing, table.playing.state.phase == ROLL
    assert playing.sealed is not None
    since = playing.rolls + (1 if between else 0)
    playing.sealed.commit(Chain(event.end, tuple(event.seats), since))
    table.keepers.append(table.seats[event.seats[0]].holder or "")


def _bring(table: TableState, seat: int, brought: str) -> None:
    table.seats[seat].brought, table.seats[seat].brought_at = brought, table.number


# --- whose chains there are ---


def known(table: TableState) -> list[Chain]:
    """All that have been committed to in this round."""
    if table.playing is not None:
        return table.playing.sealed.chains if table.playing.sealed else []
    return [chain for _, chain in of(table.seats)] if table.seals else []


def of(seats: Sequence[Seat]) -> list[tuple[str, Chain]]:
    """What the pages of these seats have committed to, in that order, and who made each.
    People at one page share its chain."""
    found = dict[tuple[str, str], list[int]]()
    for number, seat in sorted(enumerate(seats), key=lambda one: one[1].brought_at):
        if seat.kind == "person" and seat.brought is not None:
            found.setdefault((seat.holder or "", seat.brought), []).append(number)
    return [(keeper, Chain(end, tuple(sorted(whose)))) for (keeper, end), whose in found.items()]


def pages(table: TableState, playing: Round) -> dict[int, str]:
    """The chains that count in the next throw, and who has each:
    as long as they hold one of its seats."""
    live = playing.sealed.live() if playing.sealed else {}
    return {
        number: table.keepers[number]
        for number, seats in live.items()
        if any(table.seats[seat].holder == table.keepers[number] for seat in seats)
    }


# --- the dice ---


def start(table: TableState, playing: list[int]) -> log.Started | Chance:
    """These begin, one of them drawn to throw first."""
    if len(playing) not in table.game.players:
        fewest, most = table.game.players[0], table.game.players[-1]
        raise Refusal(
            "not_now", f"this game takes {fewest} to {most} players; {len(playing)} are here"
        )
    if table.start_of_round is not None:
        return log.Started(table.start_of_round["active"], playing)
    # S7, in every round
    seats = [table.seats[seat] for seat in playing]
    if not table.seals:
        return log.Started(open_dice(table, seats).first(len(playing)), playing)
    asked = {number: keeper for number, (keeper, _) in enumerate(of(seats)) if keeper}
    chance = Chance(sealed_dice(table, seats), asked, None, tuple(playing))
    return chance if asked else log.Started(chance.source.first(len(playing), {}), playing)


def sealed_dice(table: TableState, seats: Sequence[Seat]) -> SealedDice:
    """The dice of this round before it begins, if these play."""
    source = SealedDice(table.key, table.id, table.round, table.game.layout.faces)
    chains = [chain for _, chain in of(seats)]
    source.open(table.game_id, [seat.recorded for seat in seats], table.start_of_round, chains)
    return source


def open_dice(table: TableState, seats: Sequence[Seat]) -> proof.OpenDice:
    """The dice of a round of an older scheme."""
    brought = {
        number: seat.brought for number, seat in enumerate(seats) if seat.brought is not None
    }
    return proof.OpenDice(
        table.key, table.id, table.round, brought, table.game.layout.faces, table.scheme
    )
