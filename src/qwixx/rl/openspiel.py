"""OpenSpiel games, with every die a chance node of its own.

Importing this registers `qwixx_classic`, `qwixx_duel` and so on, in which seats choose one after the
other without knowing what is sealed. Games with sealed choices are registered as
`qwixx_classic_simultaneous` too, in which they choose at once. Parameters: `players`, `first` (-1: a
chance node draws it) and `reward` (`win`, `points`, `difference`).
"""

import json
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, Self

from qwixx.core.extras import need

need("openspiel")

import numpy as np
import pyspiel

from qwixx import bots, games
from qwixx.core.dice import GONE, Dice
from qwixx.core.errors import BadRequest
from qwixx.core.events import Choice
from qwixx.core.game import OVER, ROLL
from qwixx.core.picture import Guide
from qwixx.rl.rewards import REWARDS, rewards
from qwixx.study.encoding import Encoding

DEFAULTS: Final = {"players": 2, "first": 0, "reward": "win"}
DRAWN: Final = -1
# In the duel two pieces can capture each other for ever, in theory; no game comes near this.
_LONGEST: Final = 20_000


@dataclass(frozen=True)
class Moment:
    """A table with the dice that have fallen so far, and how it came about."""

    coding: Encoding
    state: Any = None  # None until it is drawn who begins
    faces: tuple[int, ...] = ()
    events: tuple[str, ...] = ()
    sealed: tuple[Choice, ...] = ()  # in this action

    def __deepcopy__(self, _memo: Any) -> Self:
        return self  # nothing in it ever changes

    def begun(self, first: int) -> Self:
        return replace(self, state=self.coding.game.start(self.coding.players, first))

    def fallen(self, face: int) -> Self:
        """One die more; with the last of them the dice are rolled."""
        game, faces = self.coding.game, (*self.faces, face)
        in_play = game.dice_in_play(self.state)
        if len(faces) < 2 + len(in_play) - in_play.count(GONE):
            return replace(self, faces=faces)
        coloured = iter(faces[2:])
        shown = tuple(0 if die == GONE else next(coloured) for die in in_play)
        dice = Dice((faces[0], faces[1]), shown)
        state = game.roll(self.state, dice)
        return replace(self, state=state, faces=(), events=(*self.events, str(dice)))

    def chosen(self, seat: int, action: int) -> Self:
        game, choice = self.coding.game, Choice(seat, self.coding.moves[action])
        state, sealed = game.choose(self.state, *choice), (*self.sealed, choice)
        if state.phase == self.state.phase and state.active == self.state.active:
            return replace(self, state=state, sealed=sealed)
        events = (*self.events, *map(str, sorted(sealed)))
        return replace(self, state=state, events=events, sealed=())

    def recalled(self, seat: int) -> str:
        """All that a seat has ever come to know."""
        own = [str(choice) for choice in self.sealed if choice.seat == seat]
        fallen = ["".join(map(str, self.faces))] if self.faces else []
        return " ".join([f"seat {seat}:", *self.events, *own, *fallen])

    def seen(self, seat: int) -> str:
        """What a seat sees on the table."""
        if self.state is None:
            return "nobody has begun"
        position = self.coding.game.to_position(self.coding.game.view(self.state, seat))
        return f"seat {seat}: {json.dumps(position)} {''.join(map(str, self.faces))}".rstrip()


class _State(pyspiel.State):
    """A moment, as OpenSpiel steps through it."""

    def __init__(self, game: Any, moment: Moment, together: bool, reward: str) -> None:
        super().__init__(game)
        self.moment, self.together, self.reward = moment, together, reward

    def current_player(self) -> int:
        state = self.moment.state
        if state is None or state.phase == ROLL:
            return int(pyspiel.PlayerId.CHANCE)
        if state.phase == OVER:
            return int(pyspiel.PlayerId.TERMINAL)
        acting = self.moment.coding.game.to_act(state)
        if self.together and len(acting) > 1:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return acting[0]

    def _legal_actions(self, player: int) -> list[int]:
        coding = self.moment.coding
        return [coding.numbers[move] for move in coding.game.moves(self.moment.state, player)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        coding = self.moment.coding
        many = coding.players if self.moment.state is None else coding.game.layout.faces
        return [(outcome, 1.0 / many) for outcome in range(many)]

    def _apply_action(self, action: int) -> None:
        moment = self.moment
        if moment.state is None:
            self.moment = moment.begun(action)
        elif moment.state.phase == ROLL:
            self.moment = moment.fallen(1 + action)
        else:
            self.moment = moment.chosen(self.current_player(), action)

    def _apply_actions(self, actions: list[int]) -> None:
        for seat in self.moment.coding.game.to_act(self.moment.state):
            self.moment = self.moment.chosen(seat, actions[seat])

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return self.moment.coding.moves[action]
        return f"seat {action} begins" if self.moment.state is None else f"die {1 + action}"

    def is_terminal(self) -> bool:
        return self.moment.state is not None and self.moment.state.phase == OVER

    def returns(self) -> list[float]:
        coding = self.moment.coding
        if not self.is_terminal():
            return [0.0] * coding.players
        return rewards(coding.game.result(self.moment.state), self.reward)

    def __str__(self) -> str:
        sealed = map(str, self.moment.sealed)
        return " ".join([*self.moment.events, *sealed, "".join(map(str, self.moment.faces))])


class _Observer:
    """What a seat sees: numbers by name, and a text; or, with perfect recall, all it has ever known."""

    def __init__(self, coding: Encoding, recalls: bool) -> None:
        self.coding, self.recalls = coding, recalls
        self.tensor: Any = None if recalls else np.zeros(coding.size, np.float32)
        self.dict: dict[str, Any] = {} if recalls else coding.named(self.tensor)

    def set_from(self, state: _State, player: int) -> None:
        if not self.recalls:
            self.tensor[:] = 0
            if state.moment.state is not None:
                self.tensor[:] = self.coding.observe(state.moment.state, player)

    def string_from(self, state: _State, player: int) -> str:
        return state.moment.recalled(player) if self.recalls else state.moment.seen(player)


class QwixxGame(pyspiel.Game):
    """A game for OpenSpiel; also of rules that are registered nowhere, as on tiny sheets."""

    def __init__(
        self, name: str, guide: Guide[Any], together: bool, params: dict[str, Any] | None = None
    ) -> None:
        given = {**DEFAULTS, **(params or {})}
        players, first, reward = given["players"], given["first"], given["reward"]
        if reward not in REWARDS:
            raise BadRequest(f"there is no reward {reward}: it is one of {', '.join(REWARDS)}")
        guide.game.start(players, 0 if first == DRAWN else first)
        self.coding = Encoding(guide, players)
        self.together, self.reward, self.first = together, reward, first
        shared = reward == "win" and players > 1
        least, most = _bounds(guide, reward)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.coding.moves),
            max_chance_outcomes=max(guide.game.layout.faces, players),
            num_players=players,
            min_utility=least,
            max_utility=most,
            utility_sum=1.0 if shared else None,
            max_game_length=_LONGEST,
        )
        super().__init__(_kind(name, guide, together, shared), info, given)

    def new_initial_state(self) -> _State:
        moment = Moment(self.coding)
        if self.first != DRAWN:
            moment = moment.begun(self.first)
        return _State(self, moment, self.together, self.reward)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        if params:
            raise BadRequest("observations have no parameters here")
        return _Observer(self.coding, iig_obs_type is not None and iig_obs_type.perfect_recall)


class LevelBot(pyspiel.Bot):
    """One of our own bots as a bot of OpenSpiel's."""

    def __init__(self, level: str, seed: int | None = None) -> None:
        super().__init__()
        self.bot, self.rng = bots.resolve(level), Random(seed)

    def step(self, state: _State) -> int:
        moment = state.moment
        return moment.coding.numbers[self._decided(moment, state.current_player())]

    def _decided(self, moment: Moment, seat: int) -> str:
        return bots.decide(self.bot, moment.coding.game, moment.state, seat, self.rng).move

    def restart_at(self, state: Any) -> None:
        """Nothing is remembered from one choice to the next."""


def _bounds(guide: Guide[Any], reward: str) -> tuple[float, float]:
    """The least and the most that an end can be worth."""
    if reward == "win":
        return 0.0, 1.0
    printed = guide.printed
    least, most = -printed.cost * printed.failed, printed.points[-1] * len(printed.rows)
    return (least, most) if reward == "points" else (least - most, most - least)


def _kind(name: str, guide: Guide[Any], together: bool, shared: bool) -> Any:
    """How OpenSpiel sorts a game in."""
    kind, hidden = pyspiel.GameType, guide.printed.sealed and not together
    information = (
        kind.Information.IMPERFECT_INFORMATION if hidden else kind.Information.PERFECT_INFORMATION
    )
    players = guide.game.players
    return kind(
        short_name=name,
        long_name=guide.title,
        dynamics=kind.Dynamics.SIMULTANEOUS if together else kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=information,
        utility=kind.Utility.CONSTANT_SUM if shared else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=players[-1],
        min_num_players=players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification=DEFAULTS,
    )


def game_name(game_id: str) -> str:
    """The name that a game is registered by."""
    return f"qwixx_{game_id.replace('-', '_')}"


def _register(name: str, guide: Guide[Any], together: bool) -> None:
    class Registered(QwixxGame):
        """A class, not a function: OpenSpiel lets go of it when Python is gone already, and only
        what is part of a cycle outlives that."""

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(name, guide, together, params)

    pyspiel.register_game(_kind(name, guide, together, shared=True), Registered)


def register() -> None:
    """Make every game known to OpenSpiel by its name."""
    known = set(pyspiel.registered_names())
    for game_id in games.ids():
        guide, name = games.guide(game_id), game_name(game_id)
        if name not in known:
            _register(name, guide, together=False)
            if guide.printed.sealed:
                _register(f"{name}_simultaneous", guide, together=True)


register()
