"""The lab on the command line. Everything heavy is loaded by the command that needs it."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.errors import BadPosition, shown
from qwixx.core.shape import parse_json
from qwixx.lab.extras import need
from qwixx.lab.progress import Progress

if TYPE_CHECKING:
    from qwixx.games.classic.rules import Classic
    from qwixx.games.classic.state import ClassicState
    from qwixx.lab.solve import Solution


@click.command()
@click.option("--players", type=click.IntRange(1, 5), help="The friendly game: others sit there, but never end it.")
@click.option(
    "--position", metavar="JSON", help="Advise in this position: JSON, or a file with it, - for the input."
)
@click.option(
    "--dice", metavar="DICE", help='The dice that lie there, as in "41 3625"; before them, the value alone.'
)
@click.option("--seat", type=click.IntRange(0, 4), help="Whom to advise.  [default: the active seat]")
@click.option("--fresh", is_flag=True, help="Solve it again, even if the table is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def solve(
    players: int | None, position: str | None, dice: str | None, seat: int | None, fresh: bool, as_json: bool
) -> None:
    """The best possible practice game, exactly: its value, and the value of every choice.

    One player, always active, who maximises the expected score. With --players 2 to 5 others sit at the table,
    whose throws may be used in the white action, but who never close a row or end the game. The table of all
    values is made once and kept in the user's cache (docs/lab.md).
    """
    need("lab")
    from qwixx.games.classic import GAME
    from qwixx.lab.solve import keep

    state = _position(GAME, position, players)
    if dice is not None:
        state = GAME.roll(state, Dice.parse(dice))
    solution, cached = _solution(GAME, len(state.sheets), fresh)
    if position is None and dice is None and seat is None:
        _show_value(solution, cached, as_json)
    else:
        _show_advice(GAME, solution, state, state.active if seat is None else seat, as_json)
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
    found, state = games.read_position(parse_json(text.encode()))
    if found is not game:
        raise BadPosition(f"only positions of {game.id} can be solved")
    if players not in (None, len(state.sheets)):
        raise click.UsageError(f"the position has {len(state.sheets)} sheets, --players says {players}")
    return cast("ClassicState", state)


def _solution(game: "Classic", players: int, fresh: bool) -> "tuple[Solution, bool]":
    from qwixx.lab import solve as solver

    found = None if fresh else solver.kept(game, players)
    if found is not None:
        return found, True
    with Progress("solving", solver.count_states(game)) as progress:
        return solver.compute(solver.sizes_of(game), players, progress.add), False


def _show_value(solution: "Solution", cached: bool, as_json: bool) -> None:
    told: dict[str, Any] = {"value": round(max(solution.seats), 6), "states": solution.states}
    told |= {"seconds": round(solution.seconds, 3), "cpu_seconds": round(solution.cpu_seconds, 3), "cached": cached}
    if solution.players > 1:
        told |= {"players": solution.players, "seats": [round(value, 6) for value in solution.seats]}
    if as_json:
        click.echo(json.dumps(told))
        return
    click.echo(f"value   {told['value']:.6f}")
    if solution.players > 1:
        click.echo(
            "        by seat, the one that begins first: " + " ".join(f"{value:.6f}" for value in solution.seats)
        )
    click.echo(f"states  {solution.states:,} (sheets up to symmetry, with their failed throws)")
    when = "solved before, in" if cached else "solved in"
    click.echo(f"time    {when} {solution.seconds:.1f} s, {solution.cpu_seconds:.1f} s of processor time")


def _show_advice(game: "Classic", solution: "Solution", state: "ClassicState", seat: int, as_json: bool) -> None:
    if seat >= len(state.sheets):
        raise click.UsageError(f"--seat: the seats of this table are 0 to {len(state.sheets) - 1}")
    if state.phase in ("roll", "over"):
        value = solution.value(game, state, seat)
        click.echo(json.dumps({"value": round(value, 6)}) if as_json else f"value  {value:.6f}")
        return
    choices = solution.choices(game, state, seat)
    ranked = sorted(choices, key=lambda move: -choices[move].value)
    best = ranked[0]
    if as_json:
        told: dict[str, Any] = {"value": round(choices[best].value, 6), "best": best}
        told["values"] = {move: round(choice.value, 6) for move, choice in choices.items()}
        told["then"] = {move: choice.then for move, choice in choices.items() if choice.then is not None}
        click.echo(json.dumps(told))
        return
    click.echo(f"best   {best}{_then(choices[best].then)}")
    for move in ranked:
        click.echo(f"{move:<5} {choices[move].value:11.6f}{_then(choices[move].then)}")


def _then(move: str | None) -> str:
    return "" if move is None else f"  then {move}"


COMMANDS = (solve,)
