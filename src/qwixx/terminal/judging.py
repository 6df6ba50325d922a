"""What the proof of a record's dice shows, in words."""

from collections.abc import Iterator
from typing import Final

from qwixx.core.dice import Dice
from qwixx.core.proof import OLD_SCHEME, OPEN_SCHEME, Judgement
from qwixx.core.record import Record
from qwixx.core.sealing import Thrown
from qwixx.terminal.draw import plain

BOTH: Final = "chosen by nobody, foreseen by nobody"
PART: Final = "foreseen by nobody, chosen at most by leaving pages out"
ONLY: Final = "chosen by nobody, unless by leaving pages out; the server could foresee it"
_OLDER: Final = (OPEN_SCHEME, OLD_SCHEME)


def proved(thrown: Thrown) -> str:
    """What is proved of a throw, as long as one of the pages that took part was another's."""
    if not thrown.brought:
        return ONLY
    return PART if thrown.missing else BOTH


def dice_words(judged: Judgement | None) -> str:
    """What is proved of all dice of a record."""
    if judged is None:
        return "no proof of the dice"
    if judged.scheme in _OLDER:
        return f"dice as sealed before the game (by {judged.scheme}, whose host could choose and foresee)"
    throws = [*([judged.draw] if judged.draw else []), *judged.throws]
    counts = {words: [proved(one) for one in throws].count(words) for words in (BOTH, PART, ONLY)}
    if counts[BOTH] == len(throws):
        return f"dice proved: {BOTH}"
    said = "; ".join(
        f"{count} of {len(throws)} {words}" for words, count in counts.items() if count
    )
    return f"dice proved: {said}"


def throw_lines(record: Record, judged: Judgement | None) -> Iterator[str]:
    """Throw by throw: who took part, who was left out, and what is proved."""
    if judged is None or judged.scheme in _OLDER:
        return
    names = [plain(name)[:40] for name in record.seats]
    if judged.draw is not None:
        yield f"who begins: {names[record.first]}; {_part(names, judged.draw)}"
    dice = [event for event in record.events if isinstance(event, Dice)]
    for number, (throw, thrown) in enumerate(zip(dice, judged.throws, strict=True), start=1):
        yield f"throw {number}: {throw}; {_part(names, thrown)}"


def _part(names: list[str], thrown: Thrown) -> str:
    parts = [f"by {', '.join(names[seat] for seat in thrown.brought) or 'the server alone'}"]
    if thrown.missing:
        parts.append(f"without {', '.join(names[seat] for seat in thrown.missing)}")
    return f"{', '.join(parts)}: {proved(thrown)}"
