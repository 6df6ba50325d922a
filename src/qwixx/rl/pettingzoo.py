"""PettingZoo environments of every game: in turns (AEC), and all at once (Parallel).

Choices that the rules seal are made at the same time in `parallel_env`; in `env` the seats make them
one after the other, and no observation tells of them before the last is in.
"""

from typing import Any, ClassVar

from qwixx.core.extras import need

need("rl")

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from qwixx.core.errors import BadRequest
from qwixx.rl import render
from qwixx.rl.table import Table

Shown = dict[str, Any]  # "observation" and "action_mask"
# Of each agent what is shown, its reward, whether it is over or cut short, and what else there is.
Stepped = tuple[
    dict[str, Shown], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]
]


class _Shared:
    """What both kinds have in common: a table, its seats as agents, spaces, pictures.

    `first` is who begins (by default drawn), `reward` what the end is worth (`win`, `points`,
    `difference`), `illegal` what becomes of an illegal action (`pass`, `raise`); a game is cut short
    after `max_cycles` actions, if they are given.
    """

    def __init__(
        self,
        game: str = "classic",
        players: int = 2,
        *,
        first: int | None = None,
        reward: str = "win",
        illegal: str = "pass",
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.table = Table(game, players, first, reward, illegal)
        self.max_cycles, self.render_mode, self.cycles = max_cycles, render_mode, 0
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        coding = self.table.encoding
        actions = len(coding.moves)
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(
                        np.zeros(coding.size, np.uint8), coding.highest, dtype=np.uint8
                    ),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        highest = np.concatenate([coding.highest, np.full(players, actions, np.uint8)])
        self.state_space = spaces.Box(np.zeros_like(highest), highest, dtype=np.uint8)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._action_spaces[agent]

    def seat(self, agent: str) -> int:
        return self.possible_agents.index(agent)

    def shown(self, seat: int) -> Shown:
        return {"observation": self.table.observe(seat), "action_mask": self.table.mask(seat)}

    def state(self) -> Any:
        """All there is to know, counted from seat 0 on:
        its observation, then each seat's sealed choice, 1 + its number."""
        sealed = [1 + self.table.sealed.get(seat, -1) for seat in range(self.table.players)]
        return np.concatenate([self.table.observe(0), np.array(sealed, np.uint8)])

    def render(self) -> Any:
        return render.render(self.render_mode, self.table.encoding.guide, self.table.state)

    def close(self) -> None:
        """Nothing is held."""

    def _cut(self) -> bool:
        """Whether so many actions have been played as are wanted."""
        return self.max_cycles is not None and self.cycles >= self.max_cycles


class AEC(_Shared, AECEnv[str, Any, Any]):
    """The seats that have a choice to make are asked one after the other."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "qwixx_v0",
        "render_modes": list(render.MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - there are none
        self.table.begin(seed)
        self.cycles = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.table.to_act[0]]

    def observe(self, agent: str) -> Shown:
        return self.shown(self.seat(agent))

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.table.choose(self.seat(agent), int(action))
        self.cycles += not self.table.sealed  # the action is over
        if self.table.over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = dict(zip(self.possible_agents, self.table.returns(), strict=True))
            self.agent_selection = self.agents[0]
        else:
            if self._cut():
                self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[self.table.to_act[0]]
        self._accumulate_rewards()


class Parallel(_Shared, ParallelEnv[str, Any, Any]):
    """All seats act in every step; who has no choice to make can only pass."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "qwixx_v0",
        "render_modes": list(render.MODES),
        "render_fps": 2,
    }

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - there are none
    ) -> tuple[dict[str, Shown], dict[str, Any]]:
        self.table.begin(seed)
        self.cycles = 0
        self.agents = self.possible_agents[:]
        return self._all_shown(), {agent: {} for agent in self.agents}

    def _all_shown(self) -> dict[str, Shown]:
        return {agent: self.shown(self.seat(agent)) for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> Stepped:
        acting = self.table.to_act
        for agent, action in actions.items():
            if self.table.strict and action and self.seat(agent) not in acting:
                raise BadRequest(f"{agent} has no choice to make now, and can only pass (0)")
        for seat in acting:
            self.table.choose(seat, int(actions[self.possible_agents[seat]]))
        self.cycles += 1
        over, cut = self.table.over, self._cut()
        worth = self.table.returns() if over else [0.0] * self.table.players
        found: Stepped = (
            self._all_shown(),
            dict(zip(self.agents, worth, strict=True)),
            dict.fromkeys(self.agents, over),
            dict.fromkeys(self.agents, cut and not over),
            {agent: {} for agent in self.agents},
        )
        if over or cut:
            self.agents = []
        return found


def env(game: str = "classic", players: int = 2, **options: Any) -> Any:
    """An AEC environment; a call in the wrong order is refused with a word of help."""
    return OrderEnforcingWrapper(AEC(game, players, **options))


def parallel_env(game: str = "classic", players: int = 2, **options: Any) -> Parallel:
    """A Parallel environment."""
    return Parallel(game, players, **options)
