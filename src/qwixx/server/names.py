"""People's names: their own text in any script, bounded and harmless to show."""

import unicodedata
from typing import Final

from qwixx.server.refusals import Refusal

LONGEST: Final = 24
JOINER: Final = "\u200d"  # joins emoji


def clean_name(name: str) -> str:
    """The name in its normal form, with single spaces; one that cannot be shown plainly is refused."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    hidden = any(unicodedata.category(character)[0] == "C" and character != JOINER for character in name)
    if not name.strip(JOINER) or len(name) > LONGEST or hidden or name.startswith("bot:"):
        raise Refusal(
            "bad_name", f"a name has 1 to {LONGEST} characters that can be seen, and does not begin with bot:"
        )
    return name
