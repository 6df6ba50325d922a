"""Bots against each other: deals are played in order wherever there are workers,
until done or settled."""

from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Final

from qwixx.lab import matches, workers
from qwixx.lab.matches import Contest, Played
from qwixx.lab.progress import Advance
from qwixx.lab.report import Report, report

_COMPILED_TASK: Final = 20_000  # games that a worker is given at a time
_LAW_TASK: Final = 40
_FIRST_LOOK: Final = 50  # deals; then after twice as many, and so on


@dataclass(frozen=True)
class Workplace:
    """Where to play: so many processes, or a cluster."""

    jobs: int | None = None
    cluster: str | None = None


def deals_for(contest: Contest, games: int) -> int:
    """The deals that make at least so many games."""
    return -(-games // contest.games_a_deal)


def _tasks(contest: Contest, deals: int, workers_at_hand: int) -> list[range]:
    """Deals for the workers. How they are cut changes nothing in what is played."""
    compiled = all(map(contest.is_compiled, contest.lineups))
    most = max(1, (_COMPILED_TASK if compiled else _LAW_TASK) // contest.games_a_deal)
    size = most if compiled else max(1, min(most, -(-deals // (4 * workers_at_hand))))
    return [range(at, min(at + size, deals)) for at in range(0, deals, size)]


def run(
    contest: Contest,
    deals: int,
    workplace: Workplace,
    stop_early: bool = False,
    advance: Advance = lambda _: None,
) -> tuple[Report, Played]:
    """Play so many deals, or fewer if it is asked to stop as soon as every difference is settled."""
    parts: list[Played] = []
    look, done = _FIRST_LOOK, 0
    with ExitStack() as stack:
        results = stack.enter_context(closing(_results(contest, deals, workplace, stack)))
        for part in results:
            parts.append(part)
            done += len(part.turns) // contest.games_a_deal
            advance(len(part.turns))
            while stop_early and look <= min(done, deals - 1):
                so_far = matches.cut(matches.joined(parts), look * contest.games_a_deal)
                found = report(contest, so_far)
                if found.settled:
                    return found, so_far
                look *= 2
    played = matches.joined(parts)
    return report(contest, played), played


def _results(
    contest: Contest, deals: int, workplace: Workplace, stack: ExitStack
) -> Generator[Played]:
    if workplace.cluster is not None:
        executor, at_hand = stack.enter_context(workers.cluster(workplace.cluster))
        return workers.in_order(
            executor, 3 * at_hand, matches.play, contest, _tasks(contest, deals, at_hand)
        )
    matches.warm_up(contest)
    jobs = workplace.jobs or workers.cores()
    tasks = _tasks(contest, deals, jobs)
    if jobs == 1 or len(tasks) == 1:
        return workers.in_order(None, 1, matches.play, contest, tasks)
    pool = stack.enter_context(workers.local(min(jobs, len(tasks))))
    return workers.in_order(pool, 3 * jobs, matches.play, contest, tasks)
