"""Every game keeps the contract, with every number of players."""

import pytest

import qwixx
from conformance import conforms
from sweeps import sweep
from tables import USUAL_TABLES


@pytest.mark.parametrize("seed", sweep(range(12), short=1))
@pytest.mark.parametrize(("game_id", "players"), USUAL_TABLES)
def test_every_game_keeps_the_contract(game_id: str, players: int, seed: int) -> None:
    conforms(qwixx.game(game_id), players, seed)
