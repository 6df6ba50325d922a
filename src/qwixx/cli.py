"""The command line: wires everything together. Exit status 0 done, 1 failed, 2 wrong usage."""

import sys
from pathlib import Path
from typing import Any, Final

import click

from qwixx import __version__, bots, games
from qwixx.core.errors import QwixxError
from qwixx.core.game import Game
from qwixx.core.record import Record

LATEST: Final = "latest"
LEVELS_HELP: Final = f"{', '.join(bots.LEVELS)}, or exec:COMMAND for a program of your own"


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="qwixx")
def cli() -> None:
    """Qwixx and Qwixx Duel: play in the terminal, keep and check records, talk to other programs."""


@cli.command()
@click.argument("game", required=False, type=click.Choice(games.ids()))
@click.option("--with", "levels", multiple=True, metavar="LEVEL", help=f"A bot to play against: {LEVELS_HELP}.")
@click.option("--seats", metavar="N|NAMES", help="People at this keyboard: how many, or their names: Ana,Ben.")
@click.option("--practice", is_flag=True, help="Play alone, where the game allows it.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="The same dice and bots each time.")
@click.option("--save", type=click.Path(path_type=Path, dir_okay=False), help="Keep the game in this file.")
@click.option(
    "--resume",
    is_flag=False,
    flag_value=LATEST,
    metavar="[FILE]",
    help="Go on with a saved game, by default the last.",
)
def play(
    game: str | None,
    levels: tuple[str, ...],
    seats: str | None,
    practice: bool,
    seed: int | None,
    save: Path | None,
    resume: str | None,
) -> None:
    """Play GAME (classic or duel) in the terminal. The game is saved as it goes.

    Without --with or --seats you play against greedy; with no GAME either you are asked which.
    """
    from qwixx.terminal import paint, saves  # noqa: PLC0415 - only this command needs them
    from qwixx.terminal.play import Left, Table, new_game  # noqa: PLC0415

    if resume is not None:
        if game or levels or seats or practice or save or seed is not None:
            raise click.UsageError("--resume goes on with a game as it was: it takes no other option")
        path = saves.latest_unfinished() if resume == LATEST else Path(resume)
        _, record, _ = games.read_record(saves.read_json(path))
    else:
        people = _people(seats)
        game = game or _which_game()
        if practice and (levels or len(people) > 1):
            raise click.UsageError("--practice is for one player alone")
        if not levels and len(people) == 1 and not practice:
            levels = ("greedy",)
        record = new_game(game, people, levels, seed)
        path = save or saves.new_path(game)
    try:
        Table(record, path, paint.standard()).play()
    except (Left, KeyboardInterrupt, click.Abort):
        click.echo(f"\nThe game is saved. Go on with: qwixx play --resume {path if save else ''}".rstrip())


def _people(seats: str | None) -> list[str]:
    if seats is None:
        return ["You"]
    if seats.isascii() and seats.isdigit():
        count = int(seats[:3])
        if not 1 <= count <= 5:
            raise click.UsageError("--seats takes 1 to 5 people")
        return ["You"] if count == 1 else [f"Player {number}" for number in range(1, count + 1)]
    names = [name.strip() for name in seats.split(",")]
    if not all(name and name.isprintable() and len(name) <= 40 and not name.startswith("bot:") for name in names):
        raise click.UsageError("--seats takes a number, or names of 1 to 40 characters with commas between them")
    return names


def _which_game() -> str:
    """Ask on a terminal; the first game otherwise."""
    ids = games.ids()
    if not sys.stdin.isatty():
        return ids[0]
    for number, game_id in enumerate(ids, start=1):
        click.echo(f"  {number}) {games.guide(game_id).title}")
    return ids[click.prompt("Which game?", type=click.IntRange(1, len(ids)), default=1) - 1]


@cli.command()
def engine() -> None:
    """Answer JSON requests, one a line, on standard input and output (docs/engine.md)."""
    from qwixx.engine import main as serve_engine  # noqa: PLC0415 - only this command needs it

    serve_engine()


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
def replay(file: Path) -> None:
    """Step through the record in FILE; print it when not on a terminal."""
    from qwixx.terminal import paint  # noqa: PLC0415 - only this command needs it
    from qwixx.terminal.replay import replay as show  # noqa: PLC0415

    game, record, _ = _record(file)
    show(game, record, paint.standard())


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
def verify(file: Path) -> None:
    """Check every rule in the record in FILE: OK, or which event breaks which rule."""
    game, record, state = _record(file)
    result = game.result(state)
    scores = ", ".join(f"{name} {total}" for name, total in zip(record.seats, result.totals, strict=True))
    ending = f"ended by {result.reason}" if result.over else "not over yet"
    click.echo(f"OK: {record.game}, {len(record.events)} events, {ending}: {scores}")


def _record(file: Path) -> tuple[Game[Any], Record, Any]:
    from qwixx.terminal import saves  # noqa: PLC0415 - the engine does without it

    return games.read_record(saves.read_json(file))


def main() -> None:
    """Run the command line; every error is one plain line."""
    try:
        status = cli.main(standalone_mode=False)
    except click.UsageError as error:
        _fail(f"{error.format_message()} (try: {_command(error)} --help)", 2)
    except click.ClickException as error:
        _fail(error.format_message(), 1)
    except QwixxError as error:
        _fail(str(error), 1)
    except (click.Abort, KeyboardInterrupt):
        _fail("stopped", 1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _command(error: click.UsageError) -> str:
    return error.ctx.command_path if error.ctx else "qwixx"


def _fail(message: str, status: int) -> None:
    click.echo(f"qwixx: {' '.join(message.split())}", err=True)
    sys.exit(status)
