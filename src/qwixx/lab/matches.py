"""Games between bots: who sits where, which dice fall, and playing them,
compiled or through the law.

A deal is a stream of dice. Every lineup plays it once from every rotation of its seats, so that
luck falls on all alike. Nothing depends on how deals are shared out: all chance comes from the
seed, the deal and the game.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qwixx import bots, games, study
from qwixx.bots import minds
from qwixx.bots.luck import Luck, thrown
from qwixx.compiled import playing
from qwixx.compiled.chance import dice_draw, luck, order
from qwixx.compiled.printed import REASONS, read_log
from qwixx.compiled.words import Words
from qwixx.core.errors import BadRequest
from qwixx.core.events import Choice, Event, fold, parse_event
from qwixx.core.game import COLOUR, OVER, ROLL, Game
from qwixx.core.record import Record, result_json
from qwixx.lab.adjusting import Adjuster
from qwixx.lab.interrupts import held_back

_LOG: Final = 1024  # events of a game that are kept at the first try


@dataclass(frozen=True)
class Contest:
    """Which bots play which game in which lineups; a lineup names its bots by their number."""

    game: str
    bots: tuple[str, ...]
    lineups: tuple[tuple[int, ...], ...]
    seed: int
    through_law: bool = False
    keep_events: bool = False
    adjusted: bool = False  # the luck of every game is found too

    @property
    def seats(self) -> int:
        return len(self.lineups[0])

    @property
    def keeps_events(self) -> bool:
        """Whether anybody asks what happened in a game."""
        return self.keep_events or self.adjusted

    @property
    def games_a_deal(self) -> int:
        return len(self.lineups) * self.seats

    def is_compiled(self, lineup: Sequence[int]) -> bool:
        return not self.through_law and minds.is_compiled(
            self.game, [self.bots[bot] for bot in lineup]
        )


def contest(
    game_id: str, named: Sequence[str], seats: int | None, seed: int, **how: bool
) -> Contest:
    """The contest of these bots: all together, the last also in the seats left over,
    or every choice of them."""
    names = tuple(dict.fromkeys(named))
    seats = len(named) if seats is None else seats
    for name in names:
        bots.player(name, game_id, seats).close()
    games.game(game_id).start(seats, 0)
    sitting = tuple(names.index(name) for name in named)
    if seats >= len(sitting):
        lineups: tuple[tuple[int, ...], ...] = ((*sitting, *sitting[-1:] * (seats - len(sitting))),)
    elif seats <= len(names):
        lineups = tuple(combinations(range(len(names)), seats))
    else:
        raise BadRequest(
            f"{len(names)} different bots cannot be chosen for {seats} seats: name as many as sit down"
        )
    return Contest(game_id, names, lineups, seed, **how)


class Played(NamedTuple):
    """What came of some games, a row each in the order of their numbers."""

    sitting: NDArray[np.int16]  # which bot sat in which seat
    totals: NDArray[np.int32]
    turns: NDArray[np.int32]
    reasons: NDArray[np.int8]
    firsts: NDArray[np.int8]
    events: list[tuple[str, ...]]  # if they were to be kept
    # What the throws gave to every seat, in wins and in points, if that was to be found.
    luck: NDArray[np.float64] | None = None


def joined(parts: Sequence[Played]) -> Played:
    return Played(
        np.concatenate([part.sitting for part in parts]),
        np.concatenate([part.totals for part in parts]),
        np.concatenate([part.turns for part in parts]),
        np.concatenate([part.reasons for part in parts]),
        np.concatenate([part.firsts for part in parts]),
        [events for part in parts for events in part.events],
        _joined_luck([part.luck for part in parts]),
    )


def _joined_luck(
    parts: Sequence[NDArray[np.float64] | None],
) -> NDArray[np.float64] | None:
    found = [part for part in parts if part is not None]
    return np.concatenate(found) if found else None


def cut(played: Played, games: int) -> Played:
    """The first so many games."""
    return Played(
        played.sitting[:games],
        played.totals[:games],
        played.turns[:games],
        played.reasons[:games],
        played.firsts[:games],
        played.events[:games],
        None if played.luck is None else played.luck[:games],
    )


class _Game(NamedTuple):
    """A game to be played."""

    deal: int
    number: int
    first: int
    sitting: tuple[int, ...]


def _planned(contest: Contest, deals: range) -> Iterator[_Game]:
    seats, number = contest.seats, deals.start * contest.games_a_deal
    for deal in deals:
        first = order(contest.seed, deal, 0, seats)  # S7
        for lineup in contest.lineups:
            mixed = _mixed(contest.seed, deal, lineup)
            for turned in range(seats):
                yield _Game(deal, number, first, tuple(mixed[turned:] + mixed[:turned]))
                number += 1


def _mixed(seed: int, deal: int, lineup: Sequence[int]) -> list[int]:
    """The bots of a lineup,
    so that with three or more everybody sits beside everybody else in time."""
    mixed = list(lineup)
    for place in range(len(mixed) - 1, 1, -1):
        other = order(seed, deal, place, place + 1)
        mixed[place], mixed[other] = mixed[other], mixed[place]
    return mixed


def warm_up(contest: Contest) -> None:
    """Have everything compiled, before the clock runs and other processes look for it in the cache."""
    with held_back():
        order(0, 0, 0, 1), dice_draw(0, 0, 0), luck(0, 0, 0, 0)
        if any(map(contest.is_compiled, contest.lineups)):
            _batch(contest, [_Game(0, 0, 0, contest.lineups[0])], 0)
        if contest.adjusted:
            study.warm_up(contest.game)


def play(contest: Contest, deals: range) -> Played:
    """Play these deals. This is what a worker does."""
    plan = list(_planned(contest, deals))
    inside = np.array([contest.is_compiled(game.sitting) for game in plan])
    results = np.zeros((len(plan), contest.seats + 2), np.int32)
    events: list[tuple[str, ...]] = [()] * len(plan) if contest.keeps_events else []
    if inside.any():
        _compiled(contest, plan, np.flatnonzero(inside), results, events)
    if not inside.all():
        _through_law(contest, plan, np.flatnonzero(~inside), results, events)
    return Played(
        np.array([game.sitting for game in plan], np.int16),
        results[:, :-2],
        results[:, -2],
        results[:, -1].astype(np.int8),
        np.array([game.first for game in plan], np.int8),
        events if contest.keep_events else [],
        _luck(contest, plan, events) if contest.adjusted else None,
    )


def _luck(
    contest: Contest, plan: Sequence[_Game], events: Sequence[tuple[str, ...]]
) -> NDArray[np.float64]:
    adjuster = Adjuster(contest.game, contest.seats)
    found = [
        adjuster.luck([parse_event(text) for text in texts], game.first)
        for game, texts in zip(plan, events, strict=True)
    ]
    return np.array(found).reshape(len(found), contest.seats, 2)


Results = NDArray[np.int32]  # a row for each game: totals, turns, the number of the reason


def _compiled(
    contest: Contest,
    plan: Sequence[_Game],
    which: Words,
    results: Results,
    events: list[tuple[str, ...]],
) -> None:
    chosen = [plan[game] for game in which]
    found, logs = _batch(contest, chosen, _LOG if contest.keeps_events else 0)
    results[which] = found[:, :-1]
    if not contest.keeps_events:
        return
    layout = games.game(contest.game).layout
    for game, one, length, log in zip(which, chosen, found[:, -1], logs, strict=True):
        whole = log if length <= len(log) else _batch(contest, [one], int(length))[1][0]
        events[game] = tuple(map(str, read_log(layout, whole[:length].tolist())))


def _batch(contest: Contest, plan: Sequence[_Game], log: int) -> tuple[Words, Words]:
    kernel = games.kernel_of(contest.game)
    assert kernel is not None
    results = np.zeros((len(plan), contest.seats + 3), np.int64)
    logs = np.zeros((len(plan), log), np.int64)
    playing.play(
        kernel.board(games.game(contest.game)),
        kernel.words(contest.seats),
        contest.seed,
        np.array([game[:3] for game in plan], np.int64),
        np.array([game.sitting for game in plan], np.int64),
        *minds.of_levels(contest.game, contest.seats, contest.bots),
        results,
        logs,
    )
    return results, logs


def _through_law(
    contest: Contest,
    plan: Sequence[_Game],
    which: Words,
    results: Results,
    events: list[tuple[str, ...]],
) -> None:
    needed = sorted({bot for game in which for bot in plan[game].sitting})
    players = {bot: bots.resolve(contest.bots[bot]) for bot in needed}
    rules = games.game(contest.game)
    try:
        for game in which:
            sitting = [players[bot] for bot in plan[game].sitting]
            results[game], happened = _one_by_law(contest, rules, plan[game], sitting)
            if contest.keeps_events:
                events[game] = tuple(map(str, happened))
    finally:
        for player in players.values():
            player.close()


def _one_by_law(
    contest: Contest, rules: Game[Any], game: _Game, players: Sequence[bots.Bot]
) -> tuple[tuple[int, ...], list[Event]]:
    state, turns, chance = rules.start(len(players), game.first), 0, Luck(contest.seed, game.number)
    events: list[Event] = []
    while state.phase != OVER:
        if state.phase == ROLL:
            drawn = dice_draw(contest.seed, game.deal, turns)
            dice = thrown(drawn, rules.layout.faces, rules.dice_in_play(state))
            state = rules.roll(state, dice)
            events.append(dice)
            turns += 1
        for seat in rules.to_act(state):
            chance.decide(seat, 2 * turns + (state.phase == COLOUR))
            move = bots.decide(players[seat], rules, state, seat, chance).move
            state = rules.choose(state, seat, move)
            events.append(Choice(seat, move))
    result = rules.result(state)
    assert result.reason is not None
    return (*result.totals, turns, REASONS.index(result.reason)), events


def records(contest: Contest, played: Played) -> Iterator[Record]:
    """The games as records, if their events were kept."""
    rules = games.game(contest.game)
    for number, texts in enumerate(played.events):
        seats = tuple(f"bot:{contest.bots[bot]}" for bot in played.sitting[number])
        first = int(played.firsts[number])
        events = tuple(map(parse_event, texts))
        result = result_json(rules.result(fold(rules, rules.start(len(seats), first), events)))
        deal = {"seed": contest.seed, "deal": number // contest.games_a_deal, "game": number}
        yield Record(contest.game, seats, first, events, result, {"arena": deal})
