"""The proof of a record's dice: from the revealed key anybody can compute every throw again.

Dice are made as `sealing` describes. Older records have simpler ones, judged for what they were:
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

Records of the oldest, "qwixx-dice/1", differ in that only the first round's starter was drawn.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from . import sealing
from .dice import GONE, Dice
from .errors import BadRecord
from .parsing import JsonObject
from .record import Record
from .sealing import Block, Chain, Links, SealedDice, Thrown, as_dice, drawn

SCHEME: Final = sealing.SCHEME
OPEN_SCHEME: Final = "qwixx-dice/2"  # whoever read the database could foresee and choose
OLD_SCHEME: Final = "qwixx-dice/1"
KEY_BYTES: Final = 32
_HEX: Final = frozenset("0123456789abcdef")
_LINK_LENGTH: Final = 64
_DIGITS: Final = 5  # of the number of a chain, at most


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def commitment(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()


@dataclass(frozen=True)
class OpenDice:
    """All the chance of one round of an older scheme."""

    key: bytes
    table: str
    round: int
    contributions: Mapping[int, str]
    faces: int  # of a die, as the game's layout says
    scheme: str = OPEN_SCHEME

    def throw(self, number: int, in_play: str) -> Dice:
        return as_dice(drawn(self._block(f"roll {number}"), self.faces, 2 + len(in_play)), in_play)

    def first(self, seats: int) -> int:
        return drawn(self._block("first"), seats, 1)[0]

    def _block(self, use: str) -> Block:
        brought = ",".join(
            f"{seat}:{self.contributions[seat]}" for seat in sorted(self.contributions)
        )
        return Block(self.key, f"{self.scheme}|{self.table}|{self.round}|{brought}|{use}")

    def to_json(self) -> dict[str, Any]:
        """The proof as a record carries it before the end."""
        return {
            "scheme": self.scheme,
            "table": self.table,
            "round": self.round,
            "commitment": commitment(self.key),
            "contributions": {
                str(seat): self.contributions[seat] for seat in sorted(self.contributions)
            },
        }


@dataclass(frozen=True)
class Judgement:
    """What the proof of a record's dice shows: by which scheme, and who took part in what."""

    scheme: str
    draw: Thrown | None = None  # of who begins; None if nobody was drawn
    throws: tuple[Thrown, ...] = ()
    digest: str | None = None  # of the whole record


def check(record: Record, faces: int) -> bool:
    """Whether a record's dice are proved; see `judge`."""
    return judge(record, faces) is not None


def judge(record: Record, faces: int) -> Judgement | None:
    """What is proved of a record's dice; None if its proof is not revealed or not there.

    How many faces a die has is the game's to say (`layout.faces`).
    A proof that does not fit raises, naming the first throw that is not what the key gives.
    """
    proof = record.more.get("proof")
    if proof is None:
        return None
    given = JsonObject(proof, "the proof of the dice", BadRecord)
    scheme = given.text("scheme")
    if scheme not in (SCHEME, OPEN_SCHEME, OLD_SCHEME):
        raise BadRecord(
            f'"scheme" of the proof must be "{SCHEME}", "{OPEN_SCHEME}" or "{OLD_SCHEME}"'
        )
    if "key" not in given.value:
        return None
    key = _key(given)
    if commitment(key) != given.text("commitment"):
        raise BadRecord("the key of the dice is not the one that was committed to before the game")
    if scheme == SCHEME:
        return _judge_sealed(record, given, key, faces)
    _check_open(record, _open_dice(given, key, len(record.seats), faces))
    return Judgement(scheme)


# --- sealed dice ---


def _judge_sealed(record: Record, given: JsonObject, key: bytes, faces: int) -> Judgement:
    """Go through a record as the game went, and see that every throw follows from all before it."""
    source = SealedDice(key, given.text("table"), given.integer("round", 1, 1_000_000), faces)
    chains, links = _chains(given, len(record.seats)), _all_links(given)
    times = _times(record)
    source.open(
        record.game, record.seats, record.start, [chain for chain in chains if not chain.since]
    )
    draw = None if record.start is not None else _draw(record, source, links[0])
    if record.start is not None and links[0]:
        raise BadRecord("nobody was drawn to begin, but links are given for that")
    source.begin(record.first, links[0])
    for chain in chains:
        if chain.since:
            source.commit(chain)
    throws = list[Thrown]()
    for number, (event, at) in enumerate(zip(record.events, times, strict=True), start=1):
        if not isinstance(event, Dice):
            source.chosen(event, at)
            continue
        if source.throws + 1 >= len(links):
            raise BadRecord(f"event {number} ({event}): the proof has no such throw", "S1", number)
        brought = links[source.throws + 1]
        throws.append(_thrown(source, event, number, brought))
        source.thrown(event, at, brought)
    if source.throws + 1 != len(links):
        raise BadRecord(
            f"the record is cut: the proof has {len(links) - 1} throws, the record {source.throws}"
        )
    if record.result is None:
        raise BadRecord("the record is cut: its key is revealed, but the game has no end")
    digest = source.end(record.seats, record.more.get("hints"), record.result)
    if digest != given.text("digest"):
        raise BadRecord(
            "what was told after the last throw (choices, times, names, hints, result) "
            "is not what was sealed in the end"
        )
    return Judgement(SCHEME, draw, tuple(throws), digest)


def _draw(record: Record, source: SealedDice, links: Links) -> Thrown:
    _check_links(source, links, "who begins", None)
    first = source.first(len(record.seats), links)
    if first != record.first:
        raise BadRecord(f"seat {record.first} began, but the dice drew seat {first}", "S7")
    return source.part(links)


def _thrown(source: SealedDice, dice: Dice, number: int, links: Links) -> Thrown:
    what = f"event {number} ({dice}): throw {source.throws + 1}"
    _check_links(source, links, what, number)
    in_play = "".join("x" if die else GONE for die in dice.coloured)
    proved = source.throw(in_play, links)
    if proved != dice:
        raise BadRecord(
            f"{what} was {proved} by the proof, or something before it was changed", "S1", number
        )
    return source.part(links)


def _check_links(source: SealedDice, links: Links, what: str, number: int | None) -> None:
    for chain, link in links.items():
        if not source.takes(chain, link):
            raise BadRecord(
                f"{what}: link {chain} is not of a chain that was committed to", "S1", number
            )


def _chains(given: JsonObject, seats: int) -> list[Chain]:
    found = list[Chain]()
    for one in given.array("chains"):
        chain = JsonObject(one, "a chain of the proof", BadRecord)
        whose = chain.array("seats")
        if not whose or not all(type(seat) is int and 0 <= seat < seats for seat in whose):
            raise BadRecord('"seats" of a chain must be seats of the record')
        end, since = chain.text("end"), chain.integer("since", 0, len(given.array("links")))
        found.append(Chain(_link(end), tuple(whose), since))
    if [chain.since for chain in found] != sorted(chain.since for chain in found):
        raise BadRecord("the chains of the proof must be in the order in which they came")
    return found


def _all_links(given: JsonObject) -> list[Links]:
    found = list[Links]()
    for links in given.array("links"):
        by_chain = JsonObject(links, "the links of a throw", BadRecord).value
        if not all(key.isascii() and key.isdigit() and len(key) < _DIGITS for key in by_chain):
            raise BadRecord("the links of a throw must be named by their chains")
        found.append({int(chain): _link(link) for chain, link in by_chain.items()})
    if not found:
        raise BadRecord("the proof must have the links of who begins and of every throw")
    return found


def _link(link: Any) -> str:
    if not (isinstance(link, str) and len(link) == _LINK_LENGTH and set(link) <= _HEX):
        raise BadRecord("a link of a chain must be 64 hexadecimal digits")
    return link


def _times(record: Record) -> list[int]:
    times = record.more.get("times")
    if (
        not isinstance(times, list)
        or len(times) != len(record.events)
        or not all(type(at) is int for at in times)
    ):
        raise BadRecord('"times" must have a time for every event, in milliseconds')
    return times


# --- older dice ---


def _check_open(record: Record, source: OpenDice) -> None:
    # A game that went on from a position began with the seat whose turn it was there.
    is_drawn = record.start is None and (source.scheme != OLD_SCHEME or source.round == 1)
    if is_drawn and source.first(len(record.seats)) != record.first:
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


def _key(given: JsonObject) -> bytes:
    try:
        return bytes.fromhex(given.text("key"))
    except ValueError:
        raise BadRecord('"key" of the proof must be hexadecimal') from None


def _open_dice(given: JsonObject, key: bytes, seats: int, faces: int) -> OpenDice:
    contributions = given.object("contributions")
    if not all(
        name in map(str, range(seats)) and isinstance(hexed, str)
        for name, hexed in contributions.items()
    ):
        raise BadRecord('"contributions" of the proof must be texts by seat')
    return OpenDice(
        key,
        given.text("table"),
        given.integer("round", 1, 1_000_000),
        {int(seat): hexed for seat, hexed in contributions.items()},
        faces,
        given.text("scheme"),
    )
