"""Qwixx for language models: a game in words, with the five calls that TextArena's games have.

    python examples/text_arena.py                  # two players that answer at random, in words
    python examples/text_arena.py --game duel --show

An agent is anything that takes a text and returns one. Put a call to your model in place of
`at_random`; it is told the rules once, then what it sees and may choose, and answers with a move in
square brackets: [R7], or [-] to pass. Who cannot be understood three times in a row passes.
"""

import argparse
import random
import re
from collections.abc import Callable
from typing import Any

import qwixx
from qwixx.core.fields import PASS

Agent = Callable[[str], str]
TRIES = 3
MOVE = re.compile(r"\[\s*([A-Z]\d+|-)\s*\]")


class TextGame:
    """`reset`, `get_observation`, `step`, `close`, as an arena of language models calls them."""

    def __init__(self, game: str = "classic", seed: int | None = None) -> None:
        self.guide = qwixx.guide(game)
        self.rules, self.rng = self.guide.game, random.Random(seed)

    def reset(self, num_players: int) -> None:
        self.state: Any = self.rules.start(num_players, self.rng.randrange(num_players))
        self.told, self.wrong = set[int](), 0
        self.log: list[str] = []
        self._roll()

    def _roll(self) -> None:
        if self.state.phase == "roll":
            faces = self.rules.layout.faces
            dice = qwixx.throw(self.rng, self.rules.dice_in_play(self.state), faces)
            self.state = self.rules.roll(self.state, dice)
            self.log.append(str(dice))

    def get_observation(self) -> tuple[int, str]:
        """Whose choice it is, and what that seat is told."""
        seat = self.rules.to_act(self.state)[0]
        view = self.rules.view(self.state, seat)  # nobody's sealed choice is in it
        lines = [] if seat in self.told else [self.guide.title, self.guide.summary]
        self.told.add(seat)
        lines.append(f"You are seat {seat}; it is the turn of seat {view.active}.")
        lines.append(f"Dice (two white, then one of each colour): {view.dice}")
        for panel in self.guide.panels(view):
            lines.append("The board:" if panel.seat is None else f"Sheet of seat {panel.seat}:")
            lines += [f"  {self._row(strip)}" for strip in panel.strips]
        lines.append(self.guide.status(view, seat))
        moves = " ".join(f"[{move}]" for move in self.rules.moves(view, seat))
        lines.append(f"{view.phase.capitalize()} action. You may choose: {moves}")
        if self.wrong:
            lines.append("Your last answer was none of these.")
        return seat, "\n".join(lines)

    def _row(self, strip: Any) -> str:
        cells = [
            f"{cell.field or 'lock'}"
            + (f"(seat {cell.owner}" + (f" x{cell.height})" if cell.height > 1 else ")"))
            * (cell.owner is not None)
            for cell in strip.cells
            if cell.owner is not None or not cell.gone
        ]
        return f"{strip.colour}{' closed' * strip.closed}: {' '.join(cells)}"

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """What a seat answered; whether the game is over."""
        seat = self.rules.to_act(self.state)[0]
        named = MOVE.findall(action)
        move = named[-1] if named else None
        if move not in self.rules.moves(self.state, seat):
            self.wrong += 1
            if self.wrong < TRIES:
                return False, {"understood": False, "move": None}
            move = PASS
        self.wrong = 0
        self.state = self.rules.choose(self.state, seat, move)
        self.log.append(f"{seat}:{move}")
        self._roll()
        return self.rules.result(self.state).over, {"understood": True, "move": move}

    def close(self) -> tuple[dict[int, float], dict[str, Any]]:
        """The share of the win of each seat, and how the game ended."""
        result = self.rules.result(self.state)
        winners = result.winners or ()
        shares = {
            seat: (seat in winners) / max(1, len(winners)) for seat in range(len(result.totals))
        }
        return shares, {"totals": result.totals, "reason": result.reason, "events": self.log}


def at_random(rng: random.Random) -> Agent:
    """Stands in for a model: any of the moves it reads in the text."""

    def answer(text: str) -> str:
        return f"I take [{rng.choice(MOVE.findall(text))}]"

    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what is asked and answered")
    options = parser.parse_args()
    game = TextGame(options.game, options.seed)
    agents = [at_random(random.Random(options.seed + seat)) for seat in range(options.players)]
    game.reset(num_players=options.players)
    over = False
    while not over:
        seat, observation = game.get_observation()
        answer = agents[seat](observation)
        if options.show:
            print(f"{observation}\n> {answer}\n")
        over, _ = game.step(answer)
    shares, ending = game.close()
    print(f"{len(ending['events'])} events, ended by {ending['reason']}")
    for seat, share in shares.items():
        print(f"seat {seat}: {ending['totals'][seat]} points, {share:.2f} of the win")


if __name__ == "__main__":
    main()
