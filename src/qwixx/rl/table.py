"""A table that is played through the law: its dice fall by themselves, from a seed."""

import secrets
from collections.abc import Sequence
from typing import Any, Final

from qwixx import bots
from qwixx.bots.luck import Luck, thrown
from qwixx.compiled.chance import dice_draw, order
from qwixx.core.errors import BadRequest, shown
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, ROLL
from qwixx.rl.rewards import REWARDS, rewards
from qwixx.study.encoding import Mask, Observation, encoding

SEEDS: Final = 1 << 63
ILLEGAL: Final = ("pass", "raise")


def one_of(what: str, value: str, known: Sequence[str]) -> int:
    """The number of an option among those there are."""
    if value not in known:
        raise BadRequest(f"there is no {what} {shown(value)}: it is one of {', '.join(known)}")
    return known.index(value)


class Table:
    """One game after the other. All chance comes from the seed and the number of the game, as in
    the compiled environments; a choice that cannot be made is a pass, if it is not refused."""

    def __init__(
        self,
        game_id: str,
        players: int,
        first: int | None = None,
        reward: str = "win",
        illegal: str = "pass",
    ) -> None:
        one_of("reward", reward, REWARDS)
        self.strict = one_of("way with what is illegal", illegal, ILLEGAL) == 1
        self.encoding, self.reward, self.first = encoding(game_id, players), reward, first
        self.game, self.players = self.encoding.game, players
        self.game.start(players, first or 0)  # which says what is wrong with who begins
        self.seed, self.number, self.turns = -1, 0, 0
        self.state: Any = None
        self.sealed: dict[int, int] = {}  # what was chosen in this action

    def begin(self, seed: int | None = None) -> None:
        """The next game of this seed, or the first of another."""
        if seed is None and self.seed >= 0:
            self.number += 1
        else:
            self.seed = secrets.randbelow(SEEDS) if seed is None else seed % SEEDS
            self.number = 0
        self.turns = 0
        first = order(self.seed, self.number, 0, self.players) if self.first is None else self.first
        self.luck = Luck(self.seed, self.number)
        self.state = self.game.start(self.players, int(first))
        self._settle()

    def _settle(self) -> None:
        self.sealed = {}
        if self.state.phase == ROLL:
            drawn = int(dice_draw(self.seed, self.number, self.turns))
            in_play = self.game.dice_in_play(self.state)
            dice = thrown(drawn, self.game.layout.faces, in_play)
            self.state = self.game.roll(self.state, dice)
            self.turns += 1

    @property
    def over(self) -> bool:
        return bool(self.state.phase == OVER)

    @property
    def to_act(self) -> tuple[int, ...]:
        return self.game.to_act(self.state)

    def choose(self, seat: int, action: int) -> None:
        """A seat chooses an action by its number."""
        self._choose(seat, self._move(seat, action))

    def _move(self, seat: int, action: int) -> Move:
        moves = self.encoding.moves
        if 0 <= action < len(moves):
            move = moves[int(action)]
            if self.strict or move in self.game.moves(self.state, seat):
                return move
        elif self.strict:
            raise BadRequest(f"{shown(action)} is no action: they are 0 to {len(moves) - 1}")
        return PASS

    def _choose(self, seat: int, move: Move) -> None:
        before = self.state.phase, self.state.active
        self.state = self.game.choose(self.state, seat, move)
        self.sealed[seat] = self.encoding.numbers[move]
        if (self.state.phase, self.state.active) != before:
            self._settle()

    def ask(self, seat: int, bot: bots.Bot) -> Move:
        """A bot's choice for a seat that is to act."""
        self.luck.decide(seat, 2 * self.turns + (self.state.phase == COLOUR))
        return bots.decide(bot, self.game, self.state, seat, self.luck).move

    def answer(self, seat: int, bot: bots.Bot) -> None:
        """A bot chooses for a seat."""
        self._choose(seat, self.ask(seat, bot))

    def observe(self, seat: int) -> Observation:
        return self.encoding.observe(self.state, seat)

    def mask(self, seat: int) -> Mask:
        return self.encoding.mask(self.state, seat)

    def returns(self) -> list[float]:
        """What the end is worth to each seat."""
        return rewards(self.game.result(self.state), self.reward)
