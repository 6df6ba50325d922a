"""Steps through a record: with the keyboard on a terminal, all at once when piped."""

import sys
from itertools import pairwise
from typing import Any, Final

from qwixx import games
from qwixx.core.game import Game
from qwixx.core.record import Record, states
from qwixx.terminal.draw import Drawing, soft
from qwixx.terminal.narrator import Narrator
from qwixx.terminal.paint import STRONG, Paint
from qwixx.terminal.play import CLEAR

KEYS: Final = "Enter next, p back, a number jumps to that event, e end, q quit"


def replay(game: Game[Any], record: Record, paint: Paint) -> None:
    """Show a record that has been checked."""
    guide = games.guide(record.game)
    drawing = Drawing(paint, game, guide, record.seats)
    positions = list(states(game, record))
    narrator = Narrator(game, guide, drawing.name)
    news = [["The table is set."]]
    news += [
        narrator.tell(before, event, after)
        for (before, after), event in zip(pairwise(positions), record.events, strict=True)
    ]
    if sys.stdin.isatty() and sys.stdout.isatty():
        _step(drawing, record, positions, news)
    else:
        _print(drawing, record, positions, news, narrator)


def _step(drawing: Drawing, record: Record, positions: list[Any], news: list[list[str]]) -> None:
    at, last = 0, len(positions) - 1
    while True:
        print(
            CLEAR
            + "\n".join(
                [*_page(drawing, record, positions[at], news[at], at), soft(drawing.paint, KEYS)]
            )
        )
        try:
            key = input("> ").strip().lower()
        except EOFError:
            return
        if key in ("q", "quit"):
            return
        if key.isascii() and key.isdigit():
            at = min(int(key[:9]), last)
        else:
            at = {"p": max(0, at - 1), "e": last}.get(key, min(at + 1, last))


def _page(drawing: Drawing, record: Record, state: Any, news: list[str], at: int) -> list[str]:
    event = f": {record.events[at - 1]}" if at else ""
    title = f"{drawing.guide.title}, event {at} of {len(record.events)}{event}"
    lines = [drawing.paint.ink(title, STRONG), " ".join(news), ""]
    lines += [*drawing.table(state, me=0), ""]
    if state.dice is not None:
        lines += [*drawing.dice(state.dice), ""]
    if drawing.game.result(state).over:
        lines += [*drawing.scores(drawing.game.result(state)), ""]
    return lines


def _print(
    drawing: Drawing,
    record: Record,
    positions: list[Any],
    news: list[list[str]],
    narrator: Narrator,
) -> None:
    names = ", ".join(drawing.name(seat) for seat in range(len(record.seats)))
    print(f"{drawing.guide.title}: {names}. {narrator.does(record.first, 'begins')}.")
    for number, sentences in enumerate(news):
        if number and sentences:
            print(f"{number:>5}  {' '.join(sentences)}")
    print("\n" + "\n".join(drawing.table(positions[-1], me=0)) + "\n")
    print("\n".join(drawing.scores(drawing.game.result(positions[-1]))))
