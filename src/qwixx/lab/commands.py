"""The lab on the command line. Everything heavy is loaded by the command that needs it."""

import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.errors import BadPosition, NotToAct, QwixxError, shown
from qwixx.core.extras import need
from qwixx.core.parsing import parse_json
from qwixx.lab.progress import Progress

if TYPE_CHECKING:
    from qwixx.games.classic.rules import Classic
    from qwixx.games.classic.solution import Solution
    from qwixx.games.classic.state import ClassicState
    from qwixx.lab.matches import Contest, Played
    from qwixx.lab.training.train import Check, TrainingPlan

FILE: Final = click.Path(path_type=Path, dir_okay=False)
FOLDER: Final = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.option(
    "--players",
    type=click.IntRange(1, 5),
    help="The friendly game: others sit there, but never end it.",
)
@click.option(
    "--position",
    metavar="JSON",
    help="Advise in this position: JSON, or a file with it, - for the input.",
)
@click.option(
    "--dice",
    metavar="DICE",
    help='The dice that lie there, as in "41 3625"; before them, the value alone.',
)
@click.option(
    "--seat", type=click.IntRange(0, 4), help="Whom to advise.  [default: the active seat]"
)
@click.option("--fresh", is_flag=True, help="Solve it again, even if the table is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def solve(
    players: int | None,
    position: str | None,
    dice: str | None,
    seat: int | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """The best possible practice game, exactly: its value, and the value of every choice.

    One player, always active, who maximises the expected score. With --players 2 to 5 others sit at
    the table, whose throws may be used in the white action, but who never close a row or end the
    game. The table of all values is made once and kept in the user's cache (docs/lab.md).
    """
    need("lab")
    from qwixx.games.classic import GAME
    from qwixx.games.classic.solution import keep

    state = _position(GAME, position, players)
    if dice is not None:
        state = GAME.roll(state, Dice.parse(dice))
    advised = state.active if seat is None else seat
    _check_seat(GAME, state, advised)
    solution, cached = _solution(GAME, len(state.sheets), fresh)
    if position is None and dice is None and seat is None:
        _show_value(solution, cached, as_json)
    else:
        _show_advice(GAME, solution, state, advised, as_json)
    if not cached:
        keep(GAME, solution)


def _position(game: "Classic", text: str | None, players: int | None) -> "ClassicState":
    if text is None:
        return game.start(players or 1)
    if not text.lstrip().startswith("{"):
        try:
            text = sys.stdin.read() if text == "-" else Path(text).read_text(encoding="utf-8")
        except (OSError, ValueError):
            raise BadPosition(
                f"--position: {shown(text)} is neither a JSON object nor a file that can be read"
            ) from None
    found, state = games.read_position(parse_json(text.encode(errors="replace")))
    if found is not game:
        raise BadPosition(f"only positions of {game.id} can be solved")
    if players not in (None, len(state.sheets)):
        raise click.UsageError(
            f"the position has {len(state.sheets)} sheets, --players says {players}"
        )
    return cast("ClassicState", state)


def _check_seat(game: "Classic", state: "ClassicState", seat: int) -> None:
    """Said before the long work, not after it."""
    if seat >= len(state.sheets):
        raise click.UsageError(f"--seat: the seats of this table are 0 to {len(state.sheets) - 1}")
    if state.dice is not None and seat not in game.to_act(state):
        raise NotToAct(f"seat {seat} has no choice to make in this position")


def _solution(game: "Classic", players: int, fresh: bool) -> "tuple[Solution, bool]":
    from qwixx.games.classic.solution import count_states, kept, sizes_of
    from qwixx.lab.practice.solve import compute

    found = None if fresh else kept(game, players)
    if found is not None:
        return found, True
    with Progress("solving", count_states(game)) as progress:
        return compute(sizes_of(game), players, progress.add), False


def _show_value(solution: "Solution", cached: bool, as_json: bool) -> None:
    answer: dict[str, Any] = {"value": round(max(solution.seats), 6), "states": solution.states}
    answer |= {
        "seconds": round(solution.seconds, 3),
        "cpu_seconds": round(solution.cpu_seconds, 3),
        "cached": cached,
    }
    if solution.players > 1:
        answer |= {
            "players": solution.players,
            "seats": [round(value, 6) for value in solution.seats],
        }
    if as_json:
        click.echo(json.dumps(answer))
        return
    click.echo(f"value   {answer['value']:.6f}")
    if solution.players > 1:
        click.echo(
            "        by seat, the one that begins first: "
            + " ".join(f"{value:.6f}" for value in solution.seats)
        )
    click.echo(f"states  {solution.states:,} (sheets up to symmetry, with their failed throws)")
    when = "solved before, in" if cached else "solved in"
    click.echo(
        f"time    {when} {solution.seconds:.1f} s, {solution.cpu_seconds:.1f} s of processor time"
    )


def _show_advice(
    game: "Classic", solution: "Solution", state: "ClassicState", seat: int, as_json: bool
) -> None:
    if state.dice is None:
        value = solution.value(game, state, seat)
        click.echo(json.dumps({"value": round(value, 6)}) if as_json else f"value  {value:.6f}")
        return
    choices = solution.choices(game, state, seat)
    ranked = sorted(choices, key=lambda move: -choices[move].value)
    best = ranked[0]
    if as_json:
        advice: dict[str, Any] = {"value": round(choices[best].value, 6), "best": best}
        advice["values"] = {move: round(choice.value, 6) for move, choice in choices.items()}
        advice["then"] = {
            move: choice.then for move, choice in choices.items() if choice.then is not None
        }
        click.echo(json.dumps(advice))
        return
    click.echo(f"best   {best}{_then(choices[best].then)}")
    for move in ranked:
        click.echo(f"{move:<5} {choices[move].value:11.6f}{_then(choices[move].then)}")


def _then(move: str | None) -> str:
    return "" if move is None else f"  then {move}"


@click.command()
@click.argument("game", type=click.Choice(games.ids()))
@click.argument("bots", nargs=-1, required=True, metavar="BOTS...")
@click.option(
    "--games",
    "number",
    type=click.IntRange(1, 10**9),
    default=1000,
    show_default=True,
    help="At least.",
)
@click.option(
    "--seats", type=click.IntRange(1, 5), help="Seats at a table.  [default: one for each bot]"
)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), help="The same games each time.  [default: any]"
)
@click.option("--adjusted", is_flag=True, help="Also without the luck of the dice (docs/study.md).")
@click.option("--stop-early", is_flag=True, help="Stop as soon as every difference is settled.")
@click.option(
    "--jobs", type=click.IntRange(1, 1024), help="Processes.  [default: one for each core]"
)
@click.option(
    "--cluster", metavar="ADDRESS", help="Play on a dask.distributed cluster: tcp://HOST:8786."
)
@click.option("--law", is_flag=True, help="Play everything through the law, nothing compiled.")
@click.option("--plot", type=FILE, help="Draw the scores in this SVG file.")
@click.option("--records", type=FOLDER, help="Keep every game in this folder.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def arena(
    game: str,
    bots: tuple[str, ...],
    number: int,
    seats: int | None,
    seed: int | None,
    adjusted: bool,
    stop_early: bool,
    jobs: int | None,
    cluster: str | None,
    law: bool,
    plot: Path | None,
    records: Path | None,
    as_json: bool,
) -> None:
    """Bots against each other at GAME: shares of wins, scores, intervals, ratings.

    Every deal of dice is played from every rotation of the seats. With more --seats than bots the
    last one fills them; with fewer, every choice of the bots plays. A bot is a level or
    exec:COMMAND. Bots that are compiled play compiled, others through the law, and the report says
    which; the games are the same either way. The same seed gives the same result on one core, on
    many, or on a cluster.
    """
    need("lab", *(["cluster"] if cluster else []))
    from qwixx.lab import arena as contests
    from qwixx.lab import plot as drawing
    from qwixx.lab.matches import contest
    from qwixx.study.judging import check_judged

    if adjusted:
        check_judged(games.game(game), seats or len(bots))
    asked = contest(
        game,
        bots,
        seats,
        secrets.randbelow(2**32) if seed is None else seed,
        through_law=law,
        keep_events=records is not None,
        adjusted=adjusted,
    )
    deals = contests.deals_for(asked, number)
    with Progress("playing", deals * asked.games_a_deal) as progress:
        found, played = contests.run(
            asked, deals, contests.Workplace(jobs, cluster), stop_early, progress.add
        )
    if records is not None:
        write_records(records, asked, played)
    if plot is not None:
        title = f"{games.guide(game).title}: scores of {found.games:,} games"
        write(plot, drawing.scores(title, found.bots))
    click.echo(json.dumps(found.to_json()) if as_json else found.to_text())


def write_records(folder: Path, contest: "Contest", played: "Played") -> None:
    """One record a game, named by its number."""
    from qwixx.lab.matches import records

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise QwixxError(f"{folder} cannot be made: {error.strerror}") from None
    for number, record in enumerate(records(contest, played)):
        write(folder / f"{number:07}.json", record.dumps())


def write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise QwixxError(f"{path} cannot be written: {error.strerror}") from None


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def bench(as_json: bool) -> None:
    """The speed of this machine: random games a second on one core,
    and the time of the exact solution."""
    need("lab")
    from qwixx.lab import bench as clock

    with Progress("measuring", 2 * len(list(clock.tables()))) as progress:
        found = clock.measure(progress.add)
    if as_json:
        click.echo(json.dumps(found))
        return
    for name, speed in found["playouts"].items():
        beside = f", through the law {found['law'][name]:,}" if name in found["law"] else ""
        click.echo(f"{name:<10} {speed:>10,} games a second on one core{beside}")
    click.echo(
        f"{'solve':<10} {found['solve_seconds']:>10.1f} s for the exact practice game on all cores"
    )


@click.command()
@click.argument("nets", nargs=-1, metavar="[NETS]...")
@click.option(
    "--folder",
    type=FOLDER,
    default=Path("training"),
    show_default=True,
    help="Where nets, curves and what is needed to go on are kept.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    help="Other games, other nets.  [default: as shipped]",
)
@click.option(
    "--generations", type=click.IntRange(1, 10**6), help="Shorter or longer than the plan."
)
@click.option(
    "--against",
    metavar="NET",
    help="Learn only to beat this net (a file, or the name of a shipped one).",
)
@click.option(
    "--begin",
    metavar="NET",
    help="Learn further from this net (a file, or the name of a shipped one).",
)
@click.option(
    "--players",
    type=click.IntRange(2, 5),
    help="Play all games of a generation with so many players.",
)
@click.option("--jobs", type=click.IntRange(1, 1024), help="Threads.  [default: one for each core]")
def train(
    nets: tuple[str, ...],
    folder: Path,
    seed: int | None,
    generations: int | None,
    against: str | None,
    begin: str | None,
    players: int | None,
    jobs: int | None,
) -> None:
    """Train the nets of the bots from nothing, by games against themselves.

    NETS are names of nets as they ship; without any, all of them. After every check the net that is
    best so far, its learning curve and all that is needed to go on are in the folder; the same
    command again goes on from there. A net is kept only if it beats the last one that was. The same
    plan and seed give the same net on the same machine.
    """
    need("lab")
    from qwixx.lab import plot as drawing
    from qwixx.lab.training import train as training

    plans = training.plans()
    for name in nets:
        if name not in plans:
            raise click.UsageError(
                f"there is no net {shown(name)}: the nets are {', '.join(plans)}"
            )
    if (against or begin) and len(nets) != 1:
        raise click.UsageError(f"--{'against' if against else 'begin'} goes with one net")
    for name in nets or tuple(plans):
        plan = _changed(plans[name], players, against, {"seed": seed, "generations": generations})
        if begin is not None:
            plan = training.further(plan, _file_of(begin))

        def tell(checks: "Sequence[Check]", name: str = name, plan: "TrainingPlan" = plan) -> None:
            click.echo(training.summary(checks[-1], plan))
            write(folder / f"{name}.svg", drawing.curve(f"{name}: learning", checks))

        with Progress(f"training {name}", plan.generations) as progress:
            training.train(plan, folder, tell, progress.add, jobs)
        click.echo(
            f"{name}: the net is {folder / f'{name}.npz'}, its curve {folder / f'{name}.svg'}"
        )


def _changed(
    plan: "TrainingPlan", players: int | None, against: str | None, changes: dict[str, Any]
) -> "TrainingPlan":
    """The plan with what was asked to be otherwise; None changes nothing."""
    from dataclasses import replace

    if players is not None:
        if players not in plan.seats:
            trained = ", ".join(map(str, plan.seats))
            raise click.UsageError(f"--players: {plan.name} is trained with {trained}")
        changes["seats"] = {players: sum(plan.seats.values())}
    if against is not None:
        changes["against"] = _file_of(against)
    return replace(plan, **{key: value for key, value in changes.items() if value is not None})


def _file_of(net: str) -> str:
    """The file of a net that ships, or the file that was named."""
    from qwixx.bots.stock import FOLDER

    shipped = FOLDER / f"{net}.npz"
    return str(shipped) if shipped.exists() else net


@click.command("games")
@click.argument("game", type=click.Choice(games.ids()), default=games.ids()[0])
@click.option("--level", default="master", show_default=True, help="The bot in every seat.")
@click.option("--players", type=click.IntRange(1, 5), default=2, show_default=True, help="Seats.")
@click.option("--games", "number", type=click.IntRange(1, 10**9), default=1000, show_default=True)
@click.option(
    "--out",
    type=FILE,
    required=True,
    help="The Parquet file.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), help="The same games each time.  [default: any]"
)
@click.option(
    "--jobs", type=click.IntRange(1, 1024), help="Processes.  [default: one for each core]"
)
def data_set(
    game: str,
    level: str,
    players: int,
    number: int,
    out: Path,
    seed: int | None,
    jobs: int | None,
) -> None:
    """Games of a bot against itself as a data set: every decision with the values of all choices.

    docs/rl.md has the columns. Work that was interrupted goes on where it was with the same command.
    """
    need("lab", "parquet")
    from qwixx.lab import dataset
    from qwixx.lab.workers import cores

    if out.exists():
        raise click.UsageError(f"--out: {out} is there already")
    before = dataset.begun(out)
    if seed is None:
        seed = before.seed if before else secrets.randbelow(2**32)
    plan = dataset.Plan(game, level, players, number, seed)
    if before not in (None, plan):
        raise click.UsageError(
            f"--out: {out}.parts holds other games that were begun; go on with those, or remove it"
        )
    dataset.check(plan)
    with Progress("playing", number, dataset.played(plan, out)) as progress:
        rows = dataset.make(plan, out, jobs or cores(), progress.add)
    click.echo(f"{out}: {number:,} games, {rows:,} decisions (seed {seed})")


COMMANDS = (solve, arena, bench, train, data_set)
