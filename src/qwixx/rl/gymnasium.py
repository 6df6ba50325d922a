"""Gymnasium environments of every game: one seat against bots, through the law,
and many tables at once, compiled.

Importing this registers an id for every game: `qwixx/Classic-v0`, `qwixx/Duel-v0` and so on.
"""

import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from qwixx.core.extras import need

need("rl")

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from qwixx import bots, games
from qwixx.bots import minds
from qwixx.compiled import stepping
from qwixx.compiled.chance import order
from qwixx.core.errors import BadRequest
from qwixx.rl import render
from qwixx.rl.rewards import REWARDS
from qwixx.rl.table import ILLEGAL, SEEDS, Table, one_of
from qwixx.study.encoding import Encoding, encoding

_AUTORESET: Final = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)


def _seating(
    game_id: str, opponents: Sequence[str] | None, players: int | None
) -> tuple[tuple[str, ...], int]:
    """The bots, and how many sit at the table: by default one of us, and greedy in every other seat
    of the smallest table for two or more."""
    if opponents is None:
        least = max(2, games.game(game_id).players[0])
        opponents = ("greedy",) * ((players or least) - 1)
    if isinstance(opponents, str):
        raise BadRequest(f'opponents are a list, a level for each: ["{opponents}"]')
    players = 1 + len(opponents) if players is None else players
    games.game(game_id).start(players, 0)  # which says what is wrong with their number
    if len(opponents) >= players:
        raise BadRequest(f"{len(opponents)} bots leave no seat at a table of {players}")
    return tuple(opponents), players


def _spaces(coding: Encoding) -> tuple[spaces.Box, spaces.Discrete]:
    lowest = np.zeros(coding.size, np.uint8)
    return (
        spaces.Box(lowest, coding.highest, dtype=np.uint8),
        spaces.Discrete(len(coding.moves)),
    )


class Seat(gymnasium.Env[Any, Any]):
    """One seat against bots of any level, `exec:COMMAND` included."""

    metadata: dict[str, Any] = {"render_modes": list(render.MODES), "render_fps": 2}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        game: str = "classic",
        opponents: Sequence[str] | None = None,
        *,
        players: int | None = None,
        seat: int | None = None,
        first: int | None = None,
        reward: str = "win",
        illegal: str = "pass",
        render_mode: str | None = None,
    ) -> None:
        opponents, players = _seating(game, opponents, players)
        if len(opponents) != players - 1:
            raise BadRequest(
                f"one seat is yours: a table of {players} has {players - 1} bots, not {len(opponents)}"
            )
        self.table = Table(game, players, first, reward, illegal)
        self.render_mode, self.fixed_seat, self.seat = render_mode, _seat(seat, players), 0
        self.observation_space, self.action_space = _spaces(self.table.encoding)
        self._bots = [bots.player(level, game, players) for level in opponents]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        table = self.table
        table.begin(seed)
        drawn = order(table.seed, table.number, 1, table.players)
        self.seat = int(drawn) if self.fixed_seat is None else self.fixed_seat
        self._go_on()
        return table.observe(self.seat), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        table = self.table
        table.choose(self.seat, int(action))
        self._go_on()
        reward = table.returns()[self.seat] if table.over else 0.0
        return table.observe(self.seat), reward, table.over, False, self._info()

    def _go_on(self) -> None:
        """The bots choose, until it is for us to choose or the game is over."""
        table = self.table
        while not table.over and self.seat not in table.to_act:
            seat = table.to_act[0]
            table.answer(seat, self._bots[(seat - self.seat) % table.players - 1])

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.table.mask(self.seat), "seat": self.seat}

    def render(self) -> Any:
        return render.render(self.render_mode, self.table.encoding.guide, self.table.state)

    def close(self) -> None:
        for bot in self._bots:
            bot.close()


def _seat(seat: int | None, players: int) -> int | None:
    if seat is not None and not 0 <= seat < players:
        raise BadRequest(f"there is no seat {seat}: seats are 0 to {players - 1}")
    return seat


class Vector(VectorEnv[Any, Any, Any]):
    """Many tables at once on the game's kernel. Environment i with seed s plays what a `Seat` with
    seed s + i plays, whatever plays beside it, and on however many threads.

    The bots take the seats after ours. With fewer bots than other seats several are ours: each is
    asked in its turn (`info["seat"]`), and in `info["returns"]` is what the end brings to each.
    """

    def __init__(
        self,
        game: str = "classic",
        num_envs: int = 1,
        opponents: Sequence[str] | None = None,
        *,
        players: int | None = None,
        seat: int | None = None,
        first: int | None = None,
        reward: str = "win",
        illegal: str = "pass",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
    ) -> None:
        if not minds.can_play(game):
            raise BadRequest(f"{game} has no kernel: only single environments can play it")
        opponents, players = _seating(game, opponents, players)
        for level in opponents:
            bots.check(level, game, players)
            if level not in minds.STYLES:
                raise BadRequest(
                    f"many tables at once have bots that are compiled, and {level} is none of them: "
                    f"{', '.join(minds.STYLES)}"
                )
        kernel = games.kernel_of(game)
        assert kernel is not None
        self.coding = encoding(game, players)
        self.coding.game.start(players, first or 0)
        self.num_envs, self.players, self.threads = num_envs, players, max(1, threads)
        self.strict = one_of("way with what is illegal", illegal, ILLEGAL) == 1
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = _spaces(self.coding)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._board = kernel.board(self.coding.game)
        self._minds: tuple[Any, Any, Any] = (
            minds.of_levels(game, players, opponents) if opponents else (None, None, None)
        )
        self._settings = np.zeros(stepping.SETTINGS, np.int64)
        self._settings[stepping.PLAYERS] = players
        self._settings[stepping.OWN_SEATS] = players - len(opponents)
        own = _seat(seat, players)
        self._settings[stepping.SEAT] = stepping.DRAWN if own is None else own
        self._settings[stepping.FIRST] = stepping.DRAWN if first is None else first
        self._settings[stepping.REWARD] = one_of("reward", reward, REWARDS)
        self._settings[stepping.AUTORESET] = _AUTORESET.index(self.autoreset_mode)
        self._envs = np.zeros((num_envs, stepping.words(players)), np.int64)
        self._tables = np.zeros((num_envs, kernel.words(players)), np.int64)
        self._masks = np.zeros((num_envs, len(self.coding.moves)), np.int8)
        self._seeded, self._nowhere = False, np.zeros(num_envs, np.bool_)
        bounds = np.linspace(0, num_envs, self.threads + 1).astype(int).tolist()
        self._parts = bounds[:-1], bounds[1:]
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    @property
    def bytes_an_environment(self) -> int:
        """What an environment takes while it waits, what is shown of it not counted."""
        return (self._envs.nbytes + self._tables.nbytes) // self.num_envs

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """New games: the next of their seeds, or the first of other seeds.
        `options={"reset_mask": …}` names the environments, by default all."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        which = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            which = np.asarray(options["reset_mask"], np.bool_)
        self._seed(seed, which)
        observations, _, _, infos, _ = self._run(np.empty(0, np.int64), which)
        return observations, infos

    def _seed(self, seed: int | Sequence[int] | None, which: NDArray[np.bool_]) -> None:
        if seed is None and self._seeded:
            self._envs[which, stepping.EPISODE] += 1
            return
        if seed is None:
            seed = secrets.randbelow(SEEDS)
        seeds = range(seed, seed + self.num_envs) if isinstance(seed, int) else seed
        if len(seeds) != self.num_envs:
            raise BadRequest(f"{len(seeds)} seeds for {self.num_envs} environments")
        self._envs[which, stepping.SEED] = np.array([one % SEEDS for one in seeds])[which]
        self._envs[which, stepping.EPISODE] = 0
        self._seeded = True

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        actions = np.ascontiguousarray(actions, np.int64)
        if actions.shape != (self.num_envs,):
            raise BadRequest(f"{self.num_envs} environments take an action each")
        ended_before = self._envs[:, stepping.ENDED] != 0
        if self.autoreset_mode == AutoresetMode.DISABLED and ended_before.any():
            raise BadRequest("some games are over: reset them (options reset_mask) before a step")
        if self.strict:
            self._refuse(actions, ended_before)
        observations, rewards, ended, infos, finals = self._run(actions, self._nowhere)
        if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
            self._add_finals(infos, finals, ended)
        return observations, rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def _run(self, actions: Any, anew: NDArray[np.bool_]) -> tuple[Any, Any, Any, Any, Any]:
        """A choice everywhere, or new games somewhere. Nothing that is given out is used again."""
        many, size = self.num_envs, self.coding.size
        observations, asked = np.empty((many, size), np.uint8), np.empty(many, np.int64)
        rewards, ended = np.zeros(many), np.zeros(many, np.bool_)
        returns, masks = np.zeros((many, self.players)), np.empty_like(self._masks)
        same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        finals = np.empty((many, size) if same_step else (0, 0), np.uint8)

        def part(first: int, last: int) -> None:
            stepping.run(
                self._board,
                self._envs,
                self._tables,
                actions,
                anew,
                self._settings,
                *self._minds,
                observations,
                masks,
                rewards,
                ended,
                returns,
                asked,
                finals,
                first,
                last,
            )

        if self._pool is None:
            part(0, many)
        else:
            list(self._pool.map(part, *self._parts))
        self._masks = masks
        infos = {"action_mask": masks, "seat": asked, "returns": returns}
        return observations, rewards, ended, infos, finals

    def _add_finals(self, infos: dict[str, Any], finals: Any, ended: NDArray[np.bool_]) -> None:
        """The last observation of games that were followed by the next at once."""
        last = np.full(self.num_envs, None, object)
        for number in np.flatnonzero(ended):
            last[number] = finals[number].copy()
        infos["final_obs"], infos["_final_obs"] = last, ended.copy()

    def _refuse(self, actions: Any, ended: NDArray[np.bool_]) -> None:
        """An illegal action raises, and none is played."""
        known = (actions >= 0) & (actions < len(self.coding.moves))
        legal = known.copy()
        legal[known] = self._masks[np.flatnonzero(known), actions[known]] != 0
        legal |= ended
        if not legal.all():
            number = int(np.flatnonzero(~legal)[0])
            raise BadRequest(f"action {actions[number]} is illegal in environment {number}")

    def any_actions(self) -> Any:
        """Any legal action for each environment, drawn from its own seed."""
        actions = np.empty(self.num_envs, np.int64)
        stepping.try_any(self._board, self._envs, self._tables, actions)
        return actions

    def close_extras(self, **_options: Any) -> None:
        if self._pool is not None:
            self._pool.shutdown()


def vector(
    game: str = "classic", envs: int = 1, opponents: Sequence[str] | None = None, **options: Any
) -> Vector:
    """So many tables at once; without bots and with `players`, every seat is yours."""
    return Vector(game, envs, opponents, **options)


def env_id(game_id: str) -> str:
    """The name that a game is registered by: `mixed-a` is `qwixx/MixedA-v0`."""
    return f"qwixx/{''.join(part.capitalize() for part in game_id.split('-'))}-v0"


def register() -> None:
    """Make every game known to Gymnasium by its id."""
    for game_id in games.ids():
        if env_id(game_id) not in gymnasium.registry:
            gymnasium.register(
                env_id(game_id),
                entry_point=f"{__name__}:Seat",
                vector_entry_point=f"{__name__}:Vector",
                kwargs={"game": game_id},
            )


register()
