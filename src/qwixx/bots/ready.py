"""Bots for whoever asks them again and again: plain at first, and with the extra "lab" compiled as soon
as that is ready, so that nobody waits for a compiler. They choose alike."""

import logging
from importlib import import_module
from threading import Thread
from typing import Any, Final

from qwixx import bots
from qwixx.bots.bot import Bot
from qwixx.core.game import Game

logger: Final = logging.getLogger("qwixx.bots")


class ReadyBots:
    """The bots of all levels. Asked by one thread only; another compiles."""

    def __init__(self) -> None:
        self.compiled = False  # the bot that was given last
        self._plain: dict[str, Bot] = {}
        self._fast: dict[tuple[str, Game[Any], int], Bot | None] = {}
        self._warming: dict[str, Thread] = {}
        self._warm: set[str] = set()

    def of(self, level: str, game: Game[Any], players: int) -> Bot:
        """The bot of a level for a table with so many seats."""
        found = self._compiled(level, game, players) if bots.needs_net(level) else None
        self.compiled = found is not None
        if level not in self._plain:
            self._plain[level] = bots.resolve(level)
        return found or self._plain[level]

    def _compiled(self, level: str, game: Game[Any], players: int) -> Bot | None:
        if game.id not in self._warming:
            self._warming[game.id] = Thread(
                target=self._warm_up, args=(game.id,), name="compiling", daemon=True
            )
            self._warming[game.id].start()
        if game.id not in self._warm:
            return None
        key = level, game, players
        if key not in self._fast:
            self._fast[key] = import_module("qwixx.bots.fast").made(level, game, players)
        return self._fast[key]

    def _warm_up(self, game_id: str) -> None:
        try:
            if import_module("qwixx.bots.fast").warm_up(game_id):
                self._warm.add(game_id)
        except ImportError:
            pass  # there is no extra "lab"
        except Exception as error:  # noqa: BLE001 - plain bots play as well, only slower
            logger.warning("bots think on without compiled code: %s", error)
