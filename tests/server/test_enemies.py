"""Several players, one who watches and strangers at one table, in any order and at any moment:
what is carried out is what the law and the rules of the table allow, and nothing else happens."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.errors import QwixxError
from qwixx.core.game import OVER, ROLL
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.chains import Chance
from qwixx.server.creating import hashed, planned
from qwixx.server.table import Table

SECRETS = [letter * 26 for letter in "abcs"]
PEOPLE: list[str | None] = [*map(hashed, SECRETS), None]  # the last ones are a stranger and nobody
WHO = st.sampled_from(PEOPLE)
SEATS = st.integers(0, 3)
ID = "x" * 8


class Enemies(RuleBasedStateMachine):
    """The table as the server has it, beside a model of our own: the law, and who sits where."""

    @initialize(game=st.sampled_from(["classic", "duel"]))
    def make(self, game: str) -> None:
        self.table, self.log = Table("t" * 20), list[log.Entry]()
        self.law: Any = games.game(game)
        self.state: Any = None  # of the law, from the throws and choices alone
        self.decision: Any = None
        self.sealed: dict[int, str] = {}
        self.holders: list[str | None] = [PEOPLE[0], None, None][: max(self.law.players[-1], 2)][:3]
        self.gone: set[str] = set()
        seats = [m.SeatPlan("me", name="Ana"), *[m.SeatPlan("open")] * (len(self.holders) - 1)]
        self.happen(planned(m.NewTable("created-1", SECRETS[0], game, seats)))

    # --- the server's side ---

    def happen(self, event: log.AnyEvent | Chance | None) -> None:
        while event is not None:
            if isinstance(event, Chance):  # no page brings a link
                event = self.table.settled(event, {})
            entry = log.Entry(self.table.id, self.table.number + 1, len(self.log), None, event)
            happened = self.table.apply(entry)
            self.log.append(entry)
            self.follow(event)
            if isinstance(event, log.Chose) and self.sealed:
                assert happened.revealed is None, "sealed until the last one is in"
            event = self.table.next_event()

    def ask(self, command: m.Command, who: str | None, **waited: Any) -> bool:
        """Whether it was carried out; what was refused has changed nothing."""
        before = self.table.number, self.table.view(), self.table.play()
        there, seconds = waited.get("here", True), waited.get("seconds", 0.0)
        try:
            event = self.table.decide(command, who, lambda _: (there, seconds))
        except QwixxError:
            assert (self.table.number, self.table.view(), self.table.play()) == before
            return False
        assert isinstance(command, m.Sit) or who in self.holders or who == PEOPLE[0], "a stranger"
        self.happen(event)
        return True

    # --- the model ---

    def follow(self, event: log.AnyEvent) -> None:
        match event:
            case log.Committed():
                self.state = None
                self.holders = [one if one != "gone" else None for one in self.holders]
            case log.Sat():
                self.holders[event.seat] = event.holder
            case log.Left():
                self.holders[event.seat] = None
            case log.Removed():
                assert self.holders[event.seat] is not None
                self.gone.add(self.holders[event.seat] or "")
                playing = self.state is not None and self.state.phase != OVER
                self.holders[event.seat] = "gone" if playing else None
            case log.Started():
                self.holders = [self.holders[seat] for seat in event.seats]
                self.state = self.law.start(len(event.seats), event.first)
            case log.Rolled():
                self.state = self.decision = self.law.roll(self.state, Dice.parse(event.dice))
                self.sealed = {}
            case log.Chose():
                self.chose(event)
            case log.Withdrew():
                del self.sealed[event.seat]
                self.state = self.decision
                for seat, move in self.sealed.items():
                    self.state = self.law.choose(self.state, seat, move)

    def chose(self, event: log.Chose) -> None:
        before, self.state = self.state, self.law.choose(self.state, event.seat, event.move)
        self.sealed[event.seat] = event.move
        if self.state.phase != before.phase:
            self.decision, self.sealed = self.state, {}

    def holds(self, who: str | None, seat: int) -> bool:
        return who is not None and seat < len(self.holders) and self.holders[seat] == who

    @property
    def running(self) -> bool:
        return self.state is not None and self.state.phase != OVER

    # --- what anybody may try ---

    @rule(who=WHO, seat=SEATS)
    def sit(self, who: str | None, seat: int) -> None:
        free = seat < len(self.holders) and self.holders[seat] is None and not self.running
        free = free and self.table.seats[seat].kind == "open"
        done = self.ask(m.Sit(ID, "Somebody", seat), who)
        assert done == (free and who is not None and who not in self.gone)

    @rule(who=WHO, seat=SEATS)
    def leave(self, who: str | None, seat: int) -> None:
        done = self.ask(m.Leave(ID, seat), who)
        assert not done or self.running or seat >= len(self.holders) or not self.holders[seat]

    @rule(who=WHO, seat=SEATS)
    def ready(self, who: str | None, seat: int) -> None:
        mine = self.holds(who, seat) and self.state is None
        assert self.ask(m.Ready(ID, seat, hashed(str(who))), who) <= mine

    @rule()
    def all_are_ready(self) -> None:
        """So that games begin."""
        for seat, who in enumerate(list(self.holders)):
            if self.state is None and who is not None:
                self.ask(m.Ready(ID, seat, hashed(str(who))), who)
        if self.state is None:
            self.ask(m.Start(ID), PEOPLE[0])

    @rule(who=WHO)
    def start(self, who: str | None) -> None:
        assert self.ask(m.Start(ID), who) <= (who == PEOPLE[0])

    @rule(who=WHO, seat=SEATS, stale=st.booleans())
    def roll(self, who: str | None, seat: int, stale: bool) -> None:
        may = self.running and self.state.phase == ROLL and self.state.active == seat
        may = may and self.holds(who, seat) and not stale
        assert self.ask(m.Roll(ID, seat, 0 if stale else self.table.number), who) == may

    @rule(who=WHO, seat=SEATS, pick=st.integers(0, 60), wild=st.booleans())
    def choose(self, who: str | None, seat: int, pick: int, wild: bool) -> None:
        acts = self.running and self.state.phase != ROLL and seat in self.law.to_act(self.state)
        legal = self.law.moves(self.state, seat) if acts else ()
        move = (
            f"{'RYGB'[pick % 4]}{2 + pick % 11}" if wild or not legal else legal[pick % len(legal)]
        )
        may = move in legal and self.holds(who, seat)
        assert self.ask(m.Choose(ID, seat, move, self.table.number), who) == may

    @rule(pick=st.integers(0, 60))
    def go_on(self, pick: int) -> None:
        """Somebody whose turn it is does something sensible."""
        if not self.running:
            return
        if self.state.phase == ROLL:
            self.roll(self.holders[self.state.active], self.state.active, stale=False)
            return
        seat = self.law.to_act(self.state)[pick % len(self.law.to_act(self.state))]
        self.choose(self.holders[seat], seat, pick, wild=False)

    @rule(who=WHO, seat=SEATS)
    def withdraw(self, who: str | None, seat: int) -> None:
        done = self.ask(m.Withdraw(ID, seat, self.table.number), who)
        assert not done or self.holds(who, seat)

    @rule(who=WHO, seat=SEATS, here=st.booleans(), seconds=st.sampled_from([0.0, 59, 61, 119, 121]))
    def replace(self, who: str | None, seat: int, here: bool, seconds: float) -> None:
        done = self.ask(m.Replace(ID, seat), who, here=here, seconds=seconds)
        if done:
            assert self.running
            assert not self.holds(who, seat)
            assert seconds > (120 if here else 60)

    @rule(who=WHO, seat=SEATS)
    def remove(self, who: str | None, seat: int) -> None:
        others = {one for one in self.holders if one not in (None, "gone")}
        target = self.holders[seat] if seat < len(self.holders) else None
        done = self.ask(m.Remove(ID, seat), who)
        if done and (who is None or who not in others):
            assert who == PEOPLE[0]
        if done and not self.running:
            assert who == PEOPLE[0]
            assert target != who

    @rule(who=WHO, allowed=st.booleans())
    def watchers(self, who: str | None, allowed: bool) -> None:
        assert self.ask(m.AllowWatchers(ID, allowed), who) == (who == PEOPLE[0])

    @rule(who=WHO)
    def rematch(self, who: str | None) -> None:
        over = self.state is not None and self.state.phase == OVER
        may = over and (who == PEOPLE[0] or (who is not None and who in self.holders))
        assert self.ask(m.Rematch(ID), who) == may

    # --- what always holds ---

    @invariant()
    def the_law_agrees(self) -> None:
        if not hasattr(self, "table"):
            return
        playing = self.table.playing
        assert (playing.state if playing else None) == self.state
        held = [seat.holder for seat in self.table.seats]
        assert held == [None if one == "gone" else one for one in self.holders]

    def teardown(self) -> None:
        """The log alone leads to the same table, and the record of each round is lawful."""
        if not hasattr(self, "table"):
            return
        again = Table(self.table.id)
        for entry in self.log:
            again.apply(entry)
        assert again == self.table
        for record in again.rounds.values():
            games.read_record(record.to_json())


TestEnemies = Enemies.TestCase
TestEnemies.settings = settings(max_examples=30, stateful_step_count=60, deadline=None)
