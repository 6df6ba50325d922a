"""What can be seen of a table, by everybody or by whoever sits there, and the record of its round."""

from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace

from qwixx.core import proof
from qwixx.core.game import ROLL
from qwixx.core.record import Record, result_json
from qwixx.server import chains
from qwixx.server import messages as m
from qwixx.server.showing import shown
from qwixx.server.state import TableState

_EARLIER: Final = 5  # rounds that a list still names


@dataclass
class SeenTable(TableState):
    """A table that shows itself."""

    def view(self) -> m.TableView:
        playing = self.playing
        return m.TableView(
            id=self.id,
            game=self.game_id,
            status=self.status,
            round=self.round,
            seats=[
                m.SeatView(
                    seat.kind,
                    seat.name,
                    seat.face,
                    seat.bot_level,
                    seat.brought is not None or seat.kind == "bot",
                    seat.stand_in,
                    playing.hints[number] if playing else 0,
                    len(self.agreed.get(number, ())),
                )
                for number, seat in enumerate(self.seats)
            ],
            options=self.options,
            commitment=proof.commitment(self.key),
            first=playing.first if playing else None,
            proof=self._revealed() if playing and playing.over else None,
            continued=self.start_of_round is not None,
            chains=[
                m.ChainView(chain.end, list(chain.seats), chain.since)
                for chain in chains.known(self)
            ],
        )

    def _revealed(self) -> dict[str, Any]:
        """The proof without what is long in it."""
        whole: dict[str, Any] = self.rounds[self.round].more["proof"]
        return {key: whole[key] for key in whole if key not in ("chains", "links")}

    @property
    def _digest(self) -> str | None:
        """Of everything before the throw that is to come; in the end, of the whole record."""
        playing = self.playing
        if playing is None or playing.sealed is None:
            return None
        if playing.over:
            digest: str = self.rounds[self.round].more["proof"]["digest"]
            return digest
        return playing.sealed.before_throw() if playing.state.phase == ROLL else None

    def play(self) -> m.Play | None:
        """The game as a spectator sees it;
        legal moves follow from what everybody sees, so they are for all."""
        if self.playing is None:
            return None
        clock = self.options.clock and not self.playing.over
        deadline = self.opened_at + round(self.options.clock * 1000) if clock else None
        return m.Play(
            **shown(self.playing), deadline=deadline, opened=self.opened_at, digest=self._digest
        )

    def as_listed(self, holder: str) -> m.MyTable:
        """The table in the list of whoever sits here."""
        view, yours, playing = self.view(), self.held_by(holder), self.playing
        return m.MyTable(
            table=self.id,
            game=self.game_id,
            status=view.status,
            round=self.round,
            seats=view.seats,
            yours=yours,
            active=playing.state.active if playing and view.status == "playing" else None,
            acting=any(self.waits_for(seat) and not self.seats[seat].stand_in for seat in yours),
            at=self.at,
            result=m.ResultView(*self.game.result(playing.state))
            if playing and playing.over
            else None,
            earlier=self._earlier(),
        )

    def _earlier(self) -> list[m.EarlierRound]:
        before = sorted(number for number in self.rounds if number < self.round)[-_EARLIER:]
        return [
            m.EarlierRound(number, list(record.seats), result["totals"], result["winners"])
            for number, record in ((number, self.rounds[number]) for number in reversed(before))
            if (result := record.result) is not None
        ]

    def round_log(self) -> m.RoundLog:
        """Every throw and every revealed choice of this round,
        for whoever came later or looked away."""
        public = [
            replace(one, id=None, chosen=None) for one in self.happened if one.dice or one.revealed
        ]
        return m.RoundLog(self.round, self.number, public)

    def record(self) -> Record:
        """This round as a record. What is still sealed is left out, and the key before the end."""
        playing = self.playing
        assert playing is not None
        assert playing.source is not None
        known = len(playing.events) - len(playing.pending)
        names = [seat.recorded for seat in self.seats]
        result = self.game.result(playing.state)
        counts = [playing.hints[seat] for seat in range(len(self.seats))]
        hints = counts if any(counts) else None
        proved = playing.source.to_json()
        if result.over:
            proved["key"] = playing.source.key.hex()
        if result.over and playing.sealed is not None:
            proved["digest"] = playing.sealed.end(names, hints, result_json(result))
        record = Record(
            self.game_id,
            tuple(names),
            playing.first,
            tuple(playing.events[:known]),
            more={"times": playing.times[:known], "proof": proved}
            | ({"hints": hints} if hints else {}),
            start=self.start_of_round,
        )
        return record.ended(result) if result.over else record
