"""Dice that nobody chooses and nobody foresees, the host included, and a game that seals itself.

Every person's page commits to the end of a hash chain before anything is revealed, and reveals a
link of it for each throw alone. A throw is made of the server's key, of these links, and of a digest
of all that happened before it, so that what is changed afterwards no longer fits the next throw.

The recipe, with SHA-256, HMAC-SHA256 and all of it in hexadecimal:
    commitment   = SHA-256(key)
    a chain      = links of 32 bytes, each the SHA-256 of the next; its end is told before the round.
                   A link that is revealed hashes to the last one known (or the end) in 1 to 64 steps.
    digest       = SHA-256(digest before + "\\n" + line), for every line of the record, from "" on:
        "qwixx-dice/3|TABLE|ROUND|GAME"
        "seat|NUMBER|NAME" of every seat; of a bot the name is "bot:" alone, as its level may change
        "start|POSITION"                   if the game went on from one
        "commitment|COMMITMENT"
        "chain|END|SEATS"                  of every chain from the start, in the order they came in
        "first|SEAT|LINKS"                 who begins
        "chain|END|SEATS"                  of every later chain, before the first throw it counts in
        "throw|DICE|TIME|LINKS"            of every throw
        "choice|SEAT:MOVE|TIME"            of every choice
        "end|{hints, result, seats}"       in the end
    LINKS        = "CHAIN:LINK" of every chain that brought one, in their order, with commas between
    block(use,n) = HMAC(key, "qwixx-dice/3|TABLE|ROUND|USE|DIGEST|LINKS|n"),  n = 0, 1, 2 ...
                   where DIGEST is the digest before, and left out if nobody brought a link: whoever
                   knows the key could else try choices and times until the throw suits them
    values       = as in the module `proof`: use "first" for who begins, "throw N" (from 0) for dice

JSON in a line has its keys in order and no blanks.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from .dice import GONE, Dice
from .events import Event
from .game import Position

SCHEME: Final = "qwixx-dice/3"
MOST_SKIPPED: Final = 64  # hashes from a link to the last one known
BOT: Final = "bot:"
# A throw's links, by the place of their chain among all.
Links: TypeAlias = Mapping[int, str]


@dataclass(frozen=True)
class Chain:
    """The end of a page's chain: a commitment to all of its links."""

    end: str
    seats: tuple[int, ...]  # of the people at that page
    since: int = 0  # the first throw it counts in; 0: it was there before the game began


@dataclass(frozen=True)
class Thrown:
    """Whose pages took part in a throw, and whose had promised to and were left out: by seat."""

    brought: tuple[int, ...]
    missing: tuple[int, ...]


def after(link: str) -> str:
    """The link that this one hashes to."""
    return hashlib.sha256(bytes.fromhex(link)).hexdigest()


def follows(link: str, last: str) -> bool:
    """Whether a link comes after the last one known, some between them left out perhaps."""
    for _ in range(MOST_SKIPPED):
        link = after(link)
        if link == last:
            return True
    return False


def drawn(block: "Block", below: int, count: int) -> list[int]:
    """So many numbers from 0 up to `below`, each as likely as the next (rejection sampling)."""
    limit, found, number = 256 - 256 % below, list[int](), 0
    while len(found) < count:
        found += [byte % below for byte in block.bytes(number) if byte < limit]
        number += 1
    return found[:count]


def as_dice(values: Sequence[int], in_play: str) -> Dice:
    """Dice with these values, counted from 0; one that has left the game is not shown."""
    first, second, *coloured = values
    dice = (0 if gone == GONE else value + 1 for gone, value in zip(in_play, coloured, strict=True))
    return Dice((first + 1, second + 1), tuple(dice))


class Block:
    """The bytes for one use: HMAC of everything that goes into it, and the number of the block."""

    def __init__(self, key: bytes, message: str) -> None:
        self._key, self._message = key, message

    def bytes(self, number: int) -> bytes:
        # Not `hmac.digest`: that lets other threads run, and a throw would wait for them.
        return hmac.new(self._key, f"{self._message}|{number}".encode(), "sha256").digest()


@dataclass
class SealedDice:
    """All the chance of one round at one table, and the digest of what has happened so far."""

    key: bytes
    table: str
    round: int
    faces: int  # of a die, as the game's layout says
    chains: list[Chain] = field(default_factory=list)
    last: list[str] = field(default_factory=list)  # the link of each chain that is known
    links: list[Links] = field(default_factory=list)  # of the draw, then of every throw
    digest: str = ""
    _sealed: int = 0  # chains that are in the digest
    _counted: int = -1  # chains that are in what follows
    _live: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def commitment(self) -> str:
        return hashlib.sha256(self.key).hexdigest()

    @property
    def throws(self) -> int:
        """How many there have been."""
        return len(self.links) - 1

    # --- what happens, in the order in which it does ---

    def open(
        self, game: str, seats: Sequence[str], start: Position | None, chains: Sequence[Chain]
    ) -> None:
        """Before the game: who plays what, and what everybody has committed to."""
        self._add(f"{SCHEME}|{self.table}|{self.round}|{game}")
        for number, name in enumerate(seats):
            self._add(f"seat|{number}|{BOT if name.startswith(BOT) else name}")
        if start is not None:
            self._add(f"start|{canonical(start)}")
        self._add(f"commitment|{self.commitment}")
        for chain in chains:
            self.commit(chain)
        self._seal_chains()

    def begin(self, first: int, links: Links) -> None:
        """The game has begun."""
        self._add(f"first|{first}|{self._note(links)}")

    def commit(self, chain: Chain) -> None:
        """A page commits to a chain; the digest has it when it begins to count."""
        self.chains.append(chain)
        self.last.append(chain.end)

    def before_throw(self) -> str:
        """The digest that goes into the next throw."""
        self._seal_chains()
        return self.digest

    def thrown(self, dice: Dice, at: int, links: Links) -> None:
        self.before_throw()
        self._add(f"throw|{dice}|{at}|{self._note(links)}")

    def chosen(self, choice: Event, at: int) -> None:
        self._add(f"choice|{choice}|{at}")

    def end(self, seats: Sequence[str], hints: Sequence[int] | None, result: Any) -> str:
        """The digest of the whole record; this itself is not changed."""
        last = canonical({"hints": hints, "result": result, "seats": list(seats)})
        return _folded(self.digest, f"end|{last}")

    # --- chance ---

    def first(self, seats: int, links: Links) -> int:
        return drawn(self._block("first", links), seats, 1)[0]

    def throw(self, in_play: str, links: Links) -> Dice:
        """The next throw, if these links go into it."""
        self.before_throw()
        block = self._block(f"throw {self.throws}", links)
        return as_dice(drawn(block, self.faces, 2 + len(in_play)), in_play)

    def _block(self, use: str, links: Links) -> Block:
        digest = self.digest if links else ""
        message = f"{SCHEME}|{self.table}|{self.round}|{use}|{digest}|{_written(links)}"
        return Block(self.key, message)

    # --- who takes part ---

    def live(self) -> dict[int, tuple[int, ...]]:
        """The chains that count in the next throw, and whose they are:
        the newest of every seat."""
        if self._counted == len(self.chains):
            return self._live
        counting = [chain for chain in self.chains if chain.since <= max(self.throws, 0)]
        if len(counting) != self._counted:
            newest = dict[int, int]()
            for number, chain in enumerate(counting):
                newest.update(dict.fromkeys(chain.seats, number))
            self._counted = len(counting)
            self._live = {
                number: tuple(seat for seat in sorted(newest) if newest[seat] == number)
                for number in sorted(set(newest.values()))
            }
        return self._live

    def takes(self, number: int, link: str) -> bool:
        """Whether this link of that chain can go into the next throw."""
        return number in self.live() and follows(link, self.last[number])

    def part(self, links: Links) -> Thrown:
        """Who takes part in the next throw, if these are its links, and who is left out."""
        live = self.live()
        brought = sorted(seat for number in live if number in links for seat in live[number])
        missing = sorted(seat for number in live if number not in links for seat in live[number])
        return Thrown(tuple(brought), tuple(missing))

    def to_json(self) -> dict[str, Any]:
        """The proof as a record carries it before the end."""
        return {
            "scheme": SCHEME,
            "table": self.table,
            "round": self.round,
            "commitment": self.commitment,
            "chains": [
                {"end": chain.end, "seats": list(chain.seats), "since": chain.since}
                for chain in self.chains
            ],
            "links": [
                {str(number): links[number] for number in sorted(links)} for links in self.links
            ],
        }

    def _note(self, links: Links) -> str:
        self.links.append(dict(links))
        for number, link in links.items():
            self.last[number] = link
        return _written(links)

    def _seal_chains(self) -> None:
        for chain in self.chains[self._sealed :]:
            if chain.since > max(self.throws, 0):
                break
            self._add(f"chain|{chain.end}|{','.join(map(str, chain.seats))}")
            self._sealed += 1

    def _add(self, line: str) -> None:
        self.digest = _folded(self.digest, line)


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _folded(digest: str, line: str) -> str:
    return hashlib.sha256(f"{digest}\n{line}".encode(errors="replace")).hexdigest()


def _written(links: Links) -> str:
    return ",".join(f"{number}:{links[number]}" for number in sorted(links))
