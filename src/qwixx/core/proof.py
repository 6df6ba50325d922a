"""Dice that nobody can choose: a key is committed to before the game, mixed with what the players
bring, and revealed after it, so that anybody can compute every throw again.

The recipe, with HMAC-SHA256 and the key as its key:
    commitment = SHA-256(key)
    stream(use) = HMAC(key, "qwixx-dice/2|TABLE|ROUND|CONTRIBUTIONS|USE|0"),
                  then the same with 1, 2 ... at its end
    CONTRIBUTIONS = "SEAT:HEX" of every seat that brought one, in seat order, with commas between
    throw n (from 0): one byte of stream("roll n") for each die, each modulo the number of faces,
                      plus 1; bytes at or past the last multiple of that number (252 for six faces)
                      are left out: two whites, then one for each colour; a die that has left the
                      game is not shown
    who begins: one byte of stream("first"), modulo the number of seats; bytes at or past the last
                multiple of that number are left out

Records of the older "qwixx-dice/1" differ in that only the first round's starter was drawn.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from .dice import GONE, Dice
from .errors import BadRecord
from .parsing import JsonObject
from .record import Record

SCHEME: Final = "qwixx-dice/2"
OLD_SCHEME: Final = "qwixx-dice/1"
KEY_BYTES: Final = 32


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def commitment(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()


@dataclass(frozen=True)
class DiceSource:
    """All the chance of one round at one table."""

    key: bytes
    table: str
    round: int
    contributions: Mapping[int, str]
    faces: int  # of a die, as the game's layout says
    scheme: str = SCHEME

    def throw(self, number: int, in_play: str) -> Dice:
        first, second, *coloured = self._values(f"roll {number}", self.faces, 2 + len(in_play))
        shown = [
            0 if colour == GONE else value + 1
            for colour, value in zip(in_play, coloured, strict=True)
        ]
        return Dice((first + 1, second + 1), tuple(shown))

    def first(self, seats: int) -> int:
        return self._values("first", seats, 1)[0]

    def _values(self, use: str, below: int, count: int) -> list[int]:
        """So many numbers from 0 up to `below`, each as likely as the next (rejection sampling)."""
        limit, found, block = 256 - 256 % below, list[int](), 0
        while len(found) < count:
            found += [byte % below for byte in self._block(use, block) if byte < limit]
            block += 1
        return found[:count]

    def _block(self, use: str, number: int) -> bytes:
        """One block of the stream for a use."""
        mac = self._begun.copy()
        mac.update(f"{use}|{number}".encode())
        return mac.digest()

    @cached_property
    def _begun(self) -> hmac.HMAC:
        """The part of every message that does not change, taken in once."""
        brought = ",".join(
            f"{seat}:{self.contributions[seat]}" for seat in sorted(self.contributions)
        )
        return hmac.new(
            self.key, f"{self.scheme}|{self.table}|{self.round}|{brought}|".encode(), "sha256"
        )

    def to_json(self, reveal: bool) -> dict[str, Any]:
        """The proof as a record carries it; the key only once the round is over."""
        proof: dict[str, Any] = {
            "scheme": self.scheme,
            "table": self.table,
            "round": self.round,
            "commitment": commitment(self.key),
            "contributions": {
                str(seat): self.contributions[seat] for seat in sorted(self.contributions)
            },
        }
        return proof | ({"key": self.key.hex()} if reveal else {})


def check(record: Record, faces: int) -> bool:
    """Whether a record's dice are proved:
    True if so, False if its proof is not revealed or not there.

    How many faces a die has is the game's to say (`layout.faces`).
    A proof that does not fit raises, naming the first throw that is not what the key gives.
    """
    proof = record.more.get("proof")
    if proof is None:
        return False
    given = JsonObject(proof, "the proof of the dice", BadRecord)
    if given.text("scheme") not in (SCHEME, OLD_SCHEME):
        raise BadRecord(f'"scheme" of the proof must be "{SCHEME}" or "{OLD_SCHEME}"')
    if "key" not in given.value:
        return False
    source = _source(given, len(record.seats), faces)
    if commitment(source.key) != given.text("commitment"):
        raise BadRecord("the key of the dice is not the one that was committed to before the game")
    drawn = source.scheme != OLD_SCHEME or source.round == 1
    if drawn and source.first(len(record.seats)) != record.first:
        raise BadRecord(
            f"seat {record.first} began, but the dice drew seat {source.first(len(record.seats))}",
            "S7",
        )
    throws = [
        (number, event)
        for number, event in enumerate(record.events, start=1)
        if isinstance(event, Dice)
    ]
    for index, (number, dice) in enumerate(throws):
        in_play = "".join("x" if die else GONE for die in dice.coloured)
        proved = source.throw(index, in_play)
        if proved != dice:
            raise BadRecord(
                f"event {number} ({dice}): throw {index + 1} was {proved} by the proof",
                "S1",
                number,
            )
    return True


def _source(given: JsonObject, seats: int, faces: int) -> DiceSource:
    contributions = given.object("contributions")
    if not all(
        key in map(str, range(seats)) and isinstance(hexed, str)
        for key, hexed in contributions.items()
    ):
        raise BadRecord('"contributions" of the proof must be texts by seat')
    try:
        key = bytes.fromhex(given.text("key"))
    except ValueError:
        raise BadRecord('"key" of the proof must be hexadecimal') from None
    return DiceSource(
        key,
        given.text("table"),
        given.integer("round", 1, 1_000_000),
        {int(seat): hexed for seat, hexed in contributions.items()},
        faces,
        given.text("scheme"),
    )
