"""People's names: their own text in any script, harmless to show, and with something to see in it."""

import re
import unicodedata
from typing import Final

# Fillers, blank braille and the like:
# letters and symbols by their category, and nothing by their look.
BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\ufffc\U00013441\U00013442\U0001d159")
# Letters, numbers, punctuation, symbols; a mark alone has nothing to stand on.
SEEN: Final = frozenset("LNPS")
# Persian and Indian scripts need the joiners, and so do emoji of several parts.
JOINERS: Final = frozenset("\u200c\u200d")
# Flags of regions, such as Scotland's, are spelled in tags,
# which are hidden characters everywhere else.
FLAG: Final = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
# An emoji may be younger than the table of characters of this Python, and is unassigned for it.
EMOJI: Final = re.compile("[\U0001f000-\U0001faff]")


def tidy(name: str) -> str:
    """The name in its normal form, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def can_be_shown(name: str) -> bool:
    """Whether there is something to see in a name, and nothing hidden,
    such as what turns the text around."""
    spelled = FLAG.sub("\U0001f3f4", name)
    return any(map(_seen, spelled)) and not any(map(_hidden, spelled))


def _seen(character: str) -> bool:
    if character in BLANK:
        return False
    return unicodedata.category(character)[0] in SEEN or EMOJI.fullmatch(character) is not None


def _hidden(character: str) -> bool:
    control = unicodedata.category(character)[0] == "C"
    return control and character not in JOINERS and EMOJI.fullmatch(character) is None
