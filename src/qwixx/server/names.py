"""The names that people sit down with."""

from typing import Final

from qwixx.core import names
from qwixx.server.refusals import Refusal

LONGEST: Final = 24


def clean_name(name: str) -> str:
    """The name in its normal form; one that cannot be shown plainly is refused."""
    name = names.tidy(name)
    if len(name) > LONGEST or not names.can_be_shown(name) or name.startswith("bot:"):
        raise Refusal(
            "bad_name",
            f"a name has 1 to {LONGEST} characters that can be seen, and does not begin with bot:",
        )
    return name
