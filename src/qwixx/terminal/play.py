"""A game at the keyboard: people and bots, every event saved before it is shown."""

import random
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from qwixx import bots, games
from qwixx.core.dice import throw
from qwixx.core.errors import QwixxError
from qwixx.core.events import Choice, Event, apply
from qwixx.core.fields import PASS, Move
from qwixx.core.game import OVER, ROLL, WHITE
from qwixx.core.record import Record, states
from qwixx.study import Adviser
from qwixx.terminal import saves
from qwixx.terminal.advice import hint_lines
from qwixx.terminal.draw import Drawing, soft, visible
from qwixx.terminal.narrator import Narrator
from qwixx.terminal.paint import STRONG, Paint

BOT: Final = "bot:"
CLEAR: Final = "\x1b[H\x1b[2J"

HELP: Final = """\
Type a field (R7, case does not matter) or the number before it; - or 0 passes.
[7] is open to you now, x7 is crossed or taken, a dot is gone for good.
In words: ? this help, h a hint, r the whole score table, q stops (the game is saved)."""


class Quit(Exception):
    """The person has left the table; the game is saved."""


def new_game(
    game_id: str, people: Sequence[str], levels: Sequence[str], seed: int | None
) -> Record:
    """A fresh record: people first, then bots; the starter is drawn (S7)."""
    for level in levels:
        bots.player(level, game_id).close()
    seats = (*people, *(BOT + level for level in levels))
    more = {} if seed is None else {"options": {"seed": seed}}
    first = _source(seed, "first").randrange(len(seats))
    games.game(game_id).start(len(seats), first)
    return Record(game_id, seats, first, more=more)


def _source(seed: int | None, use: object) -> random.Random:
    """Chance for one use: true chance, or with a seed the same each time, also after a resume."""
    return random.SystemRandom() if seed is None else random.Random(f"{seed}/{use}")


class Table:
    """One game being played: its record, its state, and who decides for each seat."""

    def __init__(self, record: Record, path: Path, paint: Paint) -> None:
        self.record = record
        self.path = path
        self.paint = paint
        self.game = games.game(record.game)
        self.guide = games.guide(record.game)
        options = record.more.get("options")
        seed = options.get("seed") if isinstance(options, dict) else None
        self.seed = seed if isinstance(seed, int) else None
        self.bots = {
            seat: bots.player(name.removeprefix(BOT), record.game)
            for seat, name in enumerate(record.seats)
            if name.startswith(BOT)
        }
        self.adviser = Adviser()
        self.people = [seat for seat in range(len(record.seats)) if seat not in self.bots]
        self.drawing = Drawing(paint, self.game, self.guide, record.seats)
        self.narrator = Narrator(self.game, self.guide, self.drawing.name)
        self.news: list[str] = []
        positions = list(states(self.game, record))
        for (before, after), event in zip(pairwise(positions), record.events, strict=True):
            self.news += self.narrator.tell(before, event, after)
        self.news = self.news[-3:]
        if not record.events and len(record.seats) > 1:
            by_lot = ": drawn by lot" if record.start is None else ""  # S7
            self.news = [f"{self.narrator.does(record.first, 'begins')}{by_lot}."]
        self.state = positions[-1]

    def play(self) -> None:
        """Play to the end. Whatever stops this, the record on disk holds every event so far."""
        saves.write(self.path, self.record)
        try:
            while self.state.phase != OVER:
                self._step()
        finally:
            for bot in self.bots.values():
                bot.close()
        self._show_end()

    def _step(self) -> None:
        if self.state.phase == ROLL:
            dice = throw(
                self._chance("dice"), self.game.dice_in_play(self.state), self.game.layout.faces
            )
            self._happen(dice)
            return
        seat = self._next_seat()
        moves = self.game.moves(self.state, seat)
        if seat in self.bots:
            move = bots.decide(
                self.bots[seat], self.game, self.state, seat, self._chance(seat)
            ).move
        elif moves == (PASS,):
            move = PASS
            self.news.append(f"{self.drawing.name(seat)} can take nothing now.")
        else:
            move = self._ask(seat, moves)
        self._happen(Choice(seat, move))

    def _next_seat(self) -> int:
        """People first, so that nobody waits on the screen for a bot;
        the order does not matter (C3)."""
        waiting = self.game.to_act(self.state)
        return next((seat for seat in waiting if seat not in self.bots), waiting[0])

    def _chance(self, use: object) -> random.Random:
        return _source(self.seed, f"{len(self.record.events)}/{use}")

    def _happen(self, event: Event) -> None:
        before, self.state = self.state, apply(self.game, self.state, event)
        self.record = self.record.add(event, self.game.result(self.state))
        saves.write(self.path, self.record)
        self.news += self.narrator.tell(before, event, self.state)

    def _ask(self, seat: int, moves: tuple[Move, ...]) -> Move:
        self._show(seat, moves)
        while True:
            typed = _typed("> ")
            if typed == "?":
                print(f"{self.guide.summary}\n\n{HELP}\n")
            elif typed == "h":
                print("\n".join(hint_lines(self.adviser.hint(self.game, self.state, seat))))
            elif typed == "r":
                print("\n".join(self.drawing.scores(self.game.result(self.state))))
            elif typed in ("q", "quit", "exit"):
                raise Quit
            elif (move := _chosen(typed, moves)) is None:
                print(self._why_not(seat, typed))
            elif move != PASS or self._means_to_fail(seat):
                return move

    def _means_to_fail(self, seat: int) -> bool:
        if not self.game.effects(self.state, seat, PASS).failed:
            return True
        warning = f"Passing now costs a failed throw, -{self.guide.printed.cost}. Pass all the same? [y/N] "
        return _typed(warning) in ("y", "yes", PASS, "0")

    def _why_not(self, seat: int, typed: str) -> str:
        """The game itself says what is wrong with a move."""
        try:
            self.game.choose(self.state, seat, typed.upper())
        except QwixxError as error:
            return f"{error}. Type ? for help."
        return "Type a field or its number, - to pass, ? for help."

    def _show(self, seat: int, moves: tuple[Move, ...]) -> None:
        state, name = self.state, self.drawing.name
        lines = [self._title(), *(soft(self.paint, line) for line in _wrapped(self.news)), ""]
        self.news = []
        lines += [*self.drawing.table(state, seat, moves), ""]
        lines += [*self.drawing.dice(state.dice), ""]
        whose = "your own turn" if state.active == seat else f"{name(state.active)}'s turn"
        if state.phase == WHITE:
            what = f"White action: the white dice make {state.dice.white_sum}. It is {whose}."
        else:
            what = "Colour action: one white die plus one coloured die, in its colour."
        who = f"{name(seat)}, choose. " if len(self.people) > 1 else ""
        lines += [self.paint.ink(who + what, STRONG), *self.drawing.choices(state, seat, moves)]
        print((CLEAR if self.paint.clears else "") + "\n".join(lines))

    def _title(self) -> str:
        turns = sum(1 for event in self.record.events if not isinstance(event, Choice))
        hints = soft(self.paint, "? help   h hint   q leave, the game is saved")
        title = self.paint.ink(f"{self.guide.title}, turn {turns}", STRONG)
        return title + " " * max(2, 80 - visible(title) - visible(hints)) + hints

    def _show_end(self) -> None:
        result = self.game.result(self.state)
        seat = self.people[0] if self.people else 0
        lines = [self._title(), *_wrapped(self.news), "", *self.drawing.table(self.state, seat), ""]
        lines += [*self.drawing.scores(result), "", f"Saved as {self.path}"]
        print((CLEAR if self.paint.clears else "") + "\n".join(lines))


def _chosen(typed: str, moves: tuple[Move, ...]) -> Move | None:
    """The move that was typed as a field or picked by its number."""
    if typed.upper() in moves:
        return typed.upper()
    picked = int(typed) if typed.isascii() and typed.isdigit() and len(typed) <= 2 else len(moves)
    return moves[picked] if picked < len(moves) else None


def _typed(prompt: str) -> str:
    try:
        typed = input(prompt)
    except EOFError:
        raise Quit from None
    if not sys.stdin.isatty():
        print(typed)  # so that a piped game reads like a played one
    return typed.strip().lower()


def _wrapped(sentences: Sequence[str]) -> list[str]:
    """Sentences filled into lines of at most 78 columns, the last few of them."""
    lines = [""]
    for sentence in sentences:
        if len(lines[-1]) + len(sentence) > 77:
            lines.append("")
        lines[-1] = f"{lines[-1]} {sentence}".strip()
    return lines[-6:]
