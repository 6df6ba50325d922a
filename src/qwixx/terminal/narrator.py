"""Tells what happened, event by event, in words."""

from collections.abc import Callable
from typing import Any, Final

from qwixx.core.dice import Dice
from qwixx.core.events import Choice, Event
from qwixx.core.fields import COLOUR_NAMES, PASS
from qwixx.core.game import OVER, Game
from qwixx.core.picture import Guide

YOU: Final = "You"  # the name of a person who gave none

REASONS: Final = {
    "rows": "two rows are closed",
    "failed": "the last failed throw has been marked",
    "pieces": "the last piece has been placed",
}


class Narrator:
    """Follows a game. Sealed choices are told together, once the last of them is in."""

    def __init__(self, game: Game[Any], guide: Guide[Any], name: Callable[[int], str]) -> None:
        self.game = game
        self.guide = guide
        self.name = name
        self._sealed: list[Choice] = []

    def tell(self, before: Any, event: Event, after: Any) -> list[str]:
        """What this event lets everybody know."""
        if isinstance(event, Dice):
            return [f"{self.does(before.active, 'rolls')} {event}."]
        self._sealed.append(event)
        if after.phase == before.phase:
            return []
        choices, self._sealed = sorted(self._sealed), []
        deeds = ", ".join(
            self.does(seat, "passes" if move == PASS else f"takes {move}") for seat, move in choices
        )
        action = "Colour" if before.phase == "colour" else "White"
        return [f"{action}: {deeds}.", *self._consequences(before, after)]

    def does(self, seat: int, deed: str) -> str:
        """A deed with its doer: `Ana rolls`, but `You roll`."""
        name, (verb, *rest) = self.name(seat), deed.split(" ")
        if name == YOU:
            verb = verb.removesuffix("es") if verb == "passes" else verb.removesuffix("s")
        return " ".join([name, verb, *rest])

    def _consequences(self, before: Any, after: Any) -> list[str]:
        old, new = self.game.result(before), self.game.result(after)
        seats = range(self.game.seats(after))
        news = [
            f"{self.does(seat, 'marks')} a failed throw."
            for seat in seats
            if new.penalty(seat) > old.penalty(seat)
        ]
        closed = self._closed(after) - self._closed(before)
        news += [f"Row {COLOUR_NAMES[colour]} is closed." for colour in sorted(closed)]
        if after.phase == OVER and new.reason:
            news.append(f"The game is over: {REASONS[new.reason]}.")
        return news

    def _closed(self, state: Any) -> set[str]:
        in_play = self.game.dice_in_play(state)
        return set(self.game.layout.colours) - set(in_play)
