"""What a table itself cannot see: how much is written down for ever, how late it is, and how much
somebody has said already."""

import logging
import time
from collections.abc import Callable
from typing import Final

from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.chains import Chance
from qwixx.server.limits import Addresses, Limits
from qwixx.server.refusals import Refusal
from qwixx.server.room import Room
from qwixx.server.sockets import Socket, frame

logger: Final = logging.getLogger("qwixx.server")
FEW_SEATINGS: Final = 6  # of one address, however much coming and going there has been
# Commands that are counted.
SEATINGS: Final = (m.Sit, m.Leave, m.Replace, m.AllowWatchers, m.CommitChain)


class Bounds:
    """How often people come and go, take back, show how they feel, and report one another."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._seatings = Addresses(limits.seatings_a_minute / 60, limits.seatings_a_minute)
        self._reactions = Addresses(limits.reactions_a_minute / 60, limits.reactions_burst)
        self._reports = Addresses(limits.reports_an_hour / 3600, limits.reports_an_hour)

    def check(
        self,
        socket: Socket,
        room: Room,
        command: m.Command,
        event: log.AnyEvent | Chance,
        now: float,
    ) -> None:
        """Whether a command that leads to this event may do so once more."""
        table = room.table
        if isinstance(command, m.Rematch) and table.round >= self._limits.rounds:
            raise Refusal("too_many", "this table has seen enough rounds: make a new one")
        if isinstance(command, m.Withdraw):
            self._check_withdrawal(room, command, now)
        # Who gathers may always get up again: it takes as many to sit down.
        if isinstance(command, SEATINGS) and not isinstance(event, log.Left):
            self.check_seatings(socket, room)

    def _check_withdrawal(self, room: Room, command: m.Withdraw, now: float) -> None:
        table = room.table
        if table.playing is None:
            return
        if table.playing.withdrawn[command.seat] >= self._limits.withdrawals:
            raise Refusal("too_many", "you have taken this back often enough: now it stands")
        if table.options.clock and now >= room.opened + table.options.clock:
            raise Refusal("not_now", "your time is up, so your choice stands")

    def check_seatings(self, socket: Socket, room: Room) -> None:
        """Whoever sits down, gets up, moves or is replaced is written down for ever, so there is
        a bound to it: for each address, so that nobody uses up what others need."""
        come_and_gone = room.seatings[socket.address]
        crowded = len(room.table.happened) >= self._limits.events_a_round
        if come_and_gone >= (FEW_SEATINGS if crowded else self._limits.seatings_at_a_table):
            raise Refusal("too_many", "there has been too much coming and going from here")
        if not self._seatings.take(socket.address):
            raise Refusal("too_fast", "too much coming and going from here: wait a minute")
        room.seatings[socket.address] += 1

    # --- what is said and not written down ---

    def react(self, socket: Socket, room: Room, command: m.React) -> None:
        """Everybody sees how somebody feels."""
        room.table.check_reaction(command.seat, socket.holder)
        if not self._reactions.take(f"{room.table.id}/{socket.holder}"):
            raise Refusal("too_fast", "the others have seen it: wait a moment")
        room.tell_all(frame(m.Reaction(command.id, command.seat, command.emote)))

    def report(self, socket: Socket, room: Room, command: m.Report) -> None:
        """A name goes to the log, for whoever runs the server to see."""
        seats = room.table.seats
        if command.seat >= len(seats) or seats[command.seat].kind != "person":
            raise Refusal("no_seat", "nobody sits there")
        if not self._reports.take(socket.address):
            raise Refusal("too_fast", "that is known: wait a while")
        about = {"table": room.table.id, "seat": command.seat, "called": seats[command.seat].name}
        logger.warning("a name is reported", extra={**about, "reporter": socket.address})
        accepted = frame(m.Accepted(command.id, room.table.number))
        room.when_durable(lambda: socket.push(accepted))

    def give_code(
        self,
        socket: Socket,
        room: Room,
        command: m.AskCode,
        keep: Callable[[Callable[[], None]], None],
    ) -> None:
        """Whoever holds seats gets a code that moves them to another device, once it is kept."""
        if socket.holder is None or not room.table.held_by(socket.holder):
            raise Refusal("not_yours", "you hold no seat that could be moved")
        seconds = self._limits.code_seconds
        code = room.new_code(socket.holder, time.time_ns() // 1_000_000, seconds)
        given = frame(m.MoveCode(command.id, code, seconds))
        keep(lambda: socket.push(given))
