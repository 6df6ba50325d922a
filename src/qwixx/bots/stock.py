"""Where the nets lie that came with the package. Light: whether a level is there is asked often."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "weights"
SMALL: Final = "-small"  # the name of a net of few units goes on so


def place_of(game_id: str, players: int, small: bool) -> Path:
    """The net of a game: the practice game has one of its own;
    else one serves all, a large or a small one."""
    return FOLDER / f"{game_id}{'-1' if players == 1 else SMALL if small else ''}.npz"
