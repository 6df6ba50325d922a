"""What went wrong that nobody foresaw, as it is told in the log."""

import traceback
from pathlib import Path
from typing import Final

FAULT: Final = "a fault of ours"
PLACES: Final = 4  # of the calls that led to it, the last ones


def traced(error: BaseException) -> dict[str, str]:
    """What it was, and where, on one line."""
    calls = traceback.extract_tb(error.__traceback__)[-PLACES:]
    places = [f"{Path(call.filename).name}:{call.lineno} {call.name}" for call in calls]
    return {"why": repr(error)[:200], "where": " > ".join(places)}
