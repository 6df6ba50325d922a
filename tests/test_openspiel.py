"""The games in OpenSpiel: its own simulations, its algorithms, and that they are the law."""

import json
from collections.abc import Callable, Iterable
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, evaluate_bots, exploitability, mcts

import qwixx
from qwixx import bots, games
from qwixx.bots.judging import Judge, options_of
from qwixx.bots.master import MasterBot
from qwixx.bots.sealed import Sealed
from qwixx.core.equilibrium import MIX_ONE
from qwixx.core.errors import QwixxError
from qwixx.core.fields import Layout
from qwixx.core.values import Value
from qwixx.games.classic.guide import ClassicGuide
from qwixx.games.classic.rules import Classic
from qwixx.rl import openspiel
from sweeps import sweep
from tables import TABLES

NAMES = [
    f"{openspiel.game_name(game_id)}{form}(players={players},first={first})"
    for game_id, players in TABLES
    for first, form in enumerate(("", "_simultaneous"))
    if first < players and (not form or games.guide(game_id).printed.sealed)
]
# Two rows of one field, which is the last, and two-faced dice: small enough to be solved.
TINY = ClassicGuide(
    Classic(Layout("RY", ((2,), (2,)), faces=2), to_lock=0, most_failed=1, name="tiny"), "Tiny", ""
)


@pytest.mark.parametrize("name", NAMES)
def test_openspiels_random_simulation(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    capfd.readouterr()  # which it fills


def moves_of(state: Any, seat: int) -> list[str]:
    return [state.action_to_string(seat, action) for action in state.legal_actions(seat)]


@pytest.mark.parametrize("seed", sweep(range(12), 2))
@pytest.mark.parametrize(("game_id", "players"), TABLES)
def test_every_step_is_the_laws(game_id: str, players: int, seed: int) -> None:
    """Both forms beside the law: chance die by die, legal moves, what is seen, the returns."""
    rng, rules = Random(seed), qwixx.game(game_id)
    forms = [""] + ["_simultaneous"] * games.guide(game_id).printed.sealed
    form = forms[seed % len(forms)]
    options = {"players": players, "first": -1}
    state = pyspiel.load_game(f"{openspiel.game_name(game_id)}{form}", options).new_initial_state()
    assert state.chance_outcomes() == [(seat, 1 / players) for seat in range(players)]
    first = rng.randrange(players)
    state.apply_action(first)
    law = rules.start(players, first)
    while not state.is_terminal():
        if state.is_chance_node():
            faces = rng.choices(range(1, 7), k=6 - rules.dice_in_play(law).count("."))
            for face in faces:
                assert state.chance_outcomes() == [(one, 1 / 6) for one in range(6)]
                state.apply_action(face - 1)
            coloured = iter(faces[2:])
            shown = [0 if die == "." else next(coloured) for die in rules.dice_in_play(law)]
            law = rules.roll(law, qwixx.Dice((faces[0], faces[1]), tuple(shown)))
        elif state.is_simultaneous_node():
            actions = []
            for seat in range(players):
                assert moves_of(state, seat) == list(rules.moves(law, seat))
                actions.append(rng.choice(state.legal_actions(seat)))
            chosen = [state.action_to_string(seat, one) for seat, one in enumerate(actions)]
            state.apply_actions(actions)
            for seat, move in enumerate(chosen):
                law = rules.choose(law, seat, move)
        else:
            seat = state.current_player()
            assert seat == rules.to_act(law)[0]
            assert moves_of(state, seat) == list(rules.moves(law, seat))
            action = rng.choice(state.legal_actions())
            move = state.action_to_string(seat, action)
            state.apply_action(action)
            law = rules.choose(law, seat, move)
        assert state.is_terminal() == (law.phase == "over")
    winners = rules.result(law).winners
    assert winners is not None
    assert state.returns() == [(seat in winners) / len(winners) for seat in range(players)]
    assert json.loads(state.observation_string(0).split(" ", 2)[2]) == rules.to_position(law)


def test_nobody_is_told_what_is_sealed() -> None:
    def sealed(action: int) -> Any:
        state = pyspiel.load_game("qwixx_classic(players=3)").new_initial_state()
        for face in (3, 0, 2, 5, 1, 4):
            state.apply_action(face)
        state.apply_action(action)
        return state

    one, other = sealed(0), sealed(4)
    for seat in (1, 2):
        assert one.information_state_string(seat) == other.information_state_string(seat)
        assert one.observation_string(seat) == other.observation_string(seat)
        assert one.observation_tensor(seat) == other.observation_tensor(seat)
    assert one.information_state_string(0) != other.information_state_string(0)


def test_its_tree_search_plays_a_game() -> None:
    game = pyspiel.load_game("qwixx_duel")
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(game, 2.0, 2, evaluator, random_state=rng)
    state = game.new_initial_state()
    for _ in range(30):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        else:
            action = bot.step(state)
            assert action in state.legal_actions()
            state.apply_action(action)


def tiny() -> Any:
    return openspiel.QwixxGame("tiny", TINY, together=False)


def test_a_tiny_table_is_solved_by_regret() -> None:
    """CFR finds play there that can hardly be exploited; chance can be, and so can passing."""
    game = tiny()
    solver = cfr.CFRPlusSolver(game)
    for _ in range(6):
        solver.evaluate_and_update_policy()
    solved = exploitability.exploitability(game, solver.average_policy())
    uniform = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    assert 0 <= solved < 0.01 < uniform


class LevelPolicy(policy.Policy):
    """What a bot does, as a policy: of sixteen tries every choice as often as it is taken."""

    def __init__(self, game: Any, bot: bots.Bot) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.bot, self.known = bot, dict[str, dict[int, float]]()

    def action_probabilities(
        self,
        state: Any,
        player_id: int | None = None,  # noqa: ARG002 - whose turn it is the state says
    ) -> dict[int, float]:
        seen = state.information_state_string()
        if seen not in self.known:
            moment, seat = state.moment, state.current_player()
            taken = [
                bots.decide(self.bot, moment.coding.game, moment.state, seat, Random(seed)).move
                for seed in range(16)
            ]
            self.known[seen] = {
                action: taken.count(state.action_to_string(seat, action)) / len(taken)
                for action in state.legal_actions()
            }
        return self.known[seen]


class ExactJudge(Judge):
    """Knows what the tables of a tiny game are worth, by going through all that may follow."""

    def __init__(self, game: Any, players: int) -> None:
        features = games.features_of("classic")
        assert features is not None
        self.game, self.players, self.features = game, players, features
        self.known: dict[Any, Value] = {}

    def __call__(self, asked: Iterable[tuple[Any, int]]) -> dict[tuple[Any, int], Value]:
        return {(table, seat): self.worth(table, seat) for table, seat in asked}

    def worth(self, table: Any, seat: int) -> Value:
        if table.phase == "over":
            return self.final(table, seat)
        if (table, seat) not in self.known:
            win = points = weights = 0
            for dice, weight in self.game.throws(table):
                found = self.after(self.game.roll(table, dice), seat)
                win, points = win + weight * found.win, points + weight * found.points
                weights += weight
            self.known[table, seat] = Value(win // weights, points // weights)
        return self.known[table, seat]

    def after(self, thrown: Any, seat: int) -> Value:
        """All choose at once, as in equilibrium, and the active seat goes on as it likes best."""
        options = options_of(self.game, thrown)
        alone = {one: moves[0] for one, moves in options.items()}
        return Sealed(self, thrown, options, alone).mean(seat)


class SureMaster(MasterBot):
    """The master with that judgement in place of its net, and with all the time it wants."""

    def __init__(self, game: Any) -> None:
        super().__init__(seconds=10**6)
        self.sure = ExactJudge(game.coding.game, game.num_players())

    def judge(self, game: Any, view: Any) -> Judge:  # noqa: ARG002 - there is one game
        return self.sure


class Lot(Random):
    """Luck that draws what it is told to."""

    def __init__(self, drawn: float) -> None:
        super().__init__()
        self.drawn = drawn

    def random(self) -> float:
        return self.drawn


class BotPolicy(policy.Policy):
    """What a bot that draws one lot does, as a policy: each choice as often as lots lead to it."""

    def __init__(self, game: Any, bot: bots.Bot) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.bot, self.known, self.mixed = bot, dict[Any, dict[str, float]](), 0

    def action_probabilities(
        self,
        state: Any,
        player_id: int | None = None,  # noqa: ARG002 - as above
    ) -> dict[int, float]:
        moment, seat = state.moment, state.current_player()
        rules, shown = moment.coding.game, moment.coding.game.view(moment.state, seat)
        if (shown, seat) not in self.known:

            @cache
            def chosen(lot: float) -> str:
                return self.bot.decide(rules, shown, seat, Lot(lot)).move

            self.known[shown, seat] = shares = parted(chosen, 0.0, 1.0)
            self.mixed += len(shares) > 1
        return {
            action: self.known[shown, seat].get(state.action_to_string(seat, action), 0.0)
            for action in state.legal_actions()
        }


def parted(chosen: Callable[[float], str], low: float, high: float) -> dict[str, float]:
    """How much of the lots between two leads to each choice; of the same choice they are neighbours."""
    least = 1 / MIX_ONE
    if chosen(low) == chosen(high - least) or high - low <= least:
        return {chosen(low): high - low}
    middle = (low + high) / 2
    shares = parted(chosen, low, middle)
    for move, share in parted(chosen, middle, high).items():
        shares[move] = shares.get(move, 0.0) + share
    return shares


def test_with_an_exact_judgement_our_master_cannot_be_exploited() -> None:
    """So what it makes of values is right: the throw that it looks ahead, and sealed choices, on a
    sheet where several can close rows at once. Greedy loses something."""
    game = tiny()
    master = BotPolicy(game, SureMaster(game))
    greedy = exploitability.exploitability(game, LevelPolicy(game, bots.resolve("greedy")))
    assert 0 <= exploitability.exploitability(game, master) < 1e-4 < greedy
    assert master.mixed


def test_our_bots_play_in_openspiel() -> None:
    state = pyspiel.load_game("qwixx_classic(players=3)").new_initial_state()
    players = [openspiel.LevelBot(level, 1) for level in ("greedy", "random", "random")]
    returns = evaluate_bots.evaluate_bots(state, players, np.random.RandomState(1))
    assert list(returns) == [1, 0, 0]


def test_rewards_have_their_bounds() -> None:
    game = pyspiel.load_game("qwixx_classic(players=2,reward=points)")
    assert (game.min_utility(), game.max_utility()) == (-20, 4 * 78)
    assert pyspiel.load_game("qwixx_duel").utility_sum() == 1.0
    with pytest.raises((QwixxError, pyspiel.SpielError)):
        pyspiel.load_game("qwixx_duel(players=3)")
