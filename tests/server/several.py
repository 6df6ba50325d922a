"""What clients may expect of one server, they may expect of several that share a PostgreSQL behind
HAProxy: the same tests run against both, most of them in the long run only."""

from typing import Final

import pytest

SEVERAL: Final = "several"
# About tables and those who are at them; other tests are about a process, its files or its door.
OF_CLIENTS: Final = {
    "test_chances",
    "test_comings",
    "test_dice",
    "test_effects",
    "test_frames",
    "test_fuzz",
    "test_games",
    "test_griefing",
    "test_hints",
    "test_manners",
    "test_promises",
    "test_withdrawing",
}
QUICK: Final = {
    "test_a_secret_acts_only_for_its_own_seat",
    "test_a_seat_moves_to_another_device_by_a_code_once",
}


def run_with_both(metafunc: pytest.Metafunc) -> None:
    """Run a test of clients with one server, and with several."""
    if "server" in metafunc.fixturenames and metafunc.module.__name__ in OF_CLIENTS:
        quick = metafunc.function.__name__ in QUICK
        several = pytest.param(SEVERAL, marks=() if quick else pytest.mark.long)
        metafunc.parametrize("server", ["one", several], indirect=True, scope="session")
