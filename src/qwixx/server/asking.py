"""A throw that waits for its links: which pages are asked, what they have brought, and when all of it,
or the bound, has come. Nothing of this is in the log: after a restart the pages are asked again."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from qwixx.server import messages as m
from qwixx.server.chains import Chance


@dataclass
class Asking:
    """What is to be drawn, and the links that are in."""

    chance: Chance
    round: int
    command: str | None  # that asked for it
    links: dict[int, str] = field(default_factory=dict)
    timer: asyncio.TimerHandle | None = None

    def bring(self, holder: str | None, link: str) -> bool:
        """Somebody's page brings a link; whether it is one of those that were asked for."""
        for number, keeper in self.chance.pages.items():
            wanted = keeper == holder and number not in self.links
            if wanted and self.chance.source.takes(number, link):
                self.links[number] = link
                return True
        return False

    def missing(self) -> dict[int, str]:
        """The chains without a link, and who has them."""
        pages = self.chance.pages
        return {number: pages[number] for number in pages if number not in self.links}

    def waits(self, late: Collection[str]) -> bool:
        """Whether somebody is waited for. Who kept the others waiting before is asked, but not
        waited for until they answer again."""
        return any(keeper not in late for keeper in self.missing().values())

    def bound(self, here: Callable[[str], bool], one: float, alone: float) -> float:
        """For how long: longer where nobody is there who takes part, such as after a restart."""
        return one if any(map(here, self.chance.pages.values())) else alone

    def questions(self, holder: str | None = None) -> Iterator[tuple[str, m.Ask]]:
        """What is to be asked, and whom; of one holder, or of all."""
        for number, keeper in self.missing().items():
            if holder in (None, keeper):
                last, digest = self.chance.source.last[number], self.chance.source.digest
                yield keeper, m.Ask(self.round, self.chance.throw, digest, last)

    def end(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
