"""The command line: wires everything together. Exit status 0 done, 1 failed, 2 wrong usage."""

import contextlib
import functools
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from io import TextIOWrapper
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from qwixx import __version__, bots, games
from qwixx.core import names
from qwixx.core.errors import BadRequest, QwixxError
from qwixx.core.game import Game
from qwixx.core.record import Record
from qwixx.lab import commands as lab

if TYPE_CHECKING:
    from qwixx.server.limits import Limits
    from qwixx.server.run import Place
    from qwixx.server.settings import Settings

LATEST: Final = "latest"
LEVELS_HELP: Final = (
    f"{', '.join(bots.LEVELS)}, as far as the game has them, "
    "or exec:COMMAND for a program of your own"
)


class Database(click.ParamType[str]):
    """A file, or the address of a database for several servers."""

    name = "database"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        return text if re.match("[a-z]+://", text) else str(lab.FILE.convert(text, param, ctx))


DATABASE: Final = Database()


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="qwixx")
@click.pass_context
def cli(context: click.Context) -> None:
    """Qwixx and Qwixx Duel: play, keep and check records, talk to other programs.

    Without a command, a server is started for this machine only and opened in the browser.
    """
    if context.invoked_subcommand is None:
        _open_here()


@cli.command()
@click.argument("game", required=False, type=click.Choice(games.ids()))
@click.option(
    "--with",
    "levels",
    multiple=True,
    metavar="LEVEL",
    help=f"A bot to play against: {LEVELS_HELP}.",
)
@click.option(
    "--seats", metavar="N|NAMES", help="People at this keyboard: how many, or their names: Ana,Ben."
)
@click.option("--practice", is_flag=True, help="Play alone, where the game allows it.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="The same dice and bots each time.")
@click.option("--save", type=lab.FILE, help="Keep the game in this file.")
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
    """Play GAME in the terminal. The game is saved as it goes.

    Without --with or --seats you play against greedy; with no GAME either you are asked which.
    """
    from qwixx.terminal import paint, saves
    from qwixx.terminal.play import Quit, Table

    if resume is not None:
        if game or seats or practice or save or seed is not None:
            raise click.UsageError(
                "--resume goes on with a game as it was: only --with may stand beside it"
            )
        path = saves.latest_unfinished() if resume == LATEST else Path(resume)
        record = _resumed(path, levels)
    else:
        record = _new_game(game, levels, seats, practice, seed)
        path = save or saves.new_path(record.game)
        if path.exists() or not path.name:
            raise click.UsageError(
                f"--save: {path} is there already; --resume goes on with a saved game"
            )
    try:
        Table(record, path, paint.standard()).play()
    except (Quit, KeyboardInterrupt, click.Abort):
        named = f" {shlex.quote(str(path))}" if save or resume not in (None, LATEST) else ""
        click.echo(f"\nThe game is saved. Go on with: qwixx play --resume{named}")


def _resumed(path: Path, levels: tuple[str, ...]) -> Record:
    """A saved game. A file may come from anywhere,
    so the programs it names run only if they are named again."""
    _, record, _ = _record(path)
    programs = [
        name.removeprefix("bot:") for name in record.seats if name.startswith(f"bot:{bots.OUTSIDE}")
    ]
    if list(levels) != programs:
        again = " ".join(f"--with {shlex.quote(program)}" for program in programs)
        raise click.UsageError(
            f"this game runs programs; name them again to allow it: {again}"
            if programs
            else "--resume goes on with the same bots; --with only allows programs of the saved game"
        )
    return record


def _new_game(
    game: str | None, levels: tuple[str, ...], seats: str | None, practice: bool, seed: int | None
) -> Record:
    from qwixx.terminal.play import new_game

    people = _people(seats)
    if practice and (levels or len(people) > 1):
        raise click.UsageError("--practice is for one player alone")
    if not levels and len(people) == 1 and not practice:
        levels = ("greedy",)
    try:
        return new_game(game or _which_game(), people, levels, seed)
    except BadRequest as error:
        raise click.UsageError(error.message) from None


def _people(seats: str | None) -> list[str]:
    if seats is None:
        return ["You"]
    if seats.isascii() and seats.isdigit():
        count = int(seats[:3])
        if not 1 <= count <= 5:
            raise click.UsageError("--seats takes 1 to 5 people")
        return ["You"] if count == 1 else [f"Player {number}" for number in range(1, count + 1)]
    people = [names.tidy(name) for name in seats.split(",")]
    if not all(
        names.can_be_shown(name) and len(name) <= 40 and not name.startswith("bot:")
        for name in people
    ):
        raise click.UsageError(
            "--seats takes a number, "
            "or names of 1 to 40 characters that can be seen, with commas between them"
        )
    return people


def _which_game() -> str:
    """Ask on a terminal; the first game otherwise."""
    ids = games.ids()
    if not sys.stdin.isatty():
        return ids[0]
    for number, game_id in enumerate(ids, start=1):
        click.echo(f"  {number}) {games.guide(game_id).title}")
    return ids[click.prompt("Which game?", type=click.IntRange(1, len(ids)), default=1) - 1]


@cli.command()
@click.option("--host", default="0.0.0.0", show_default=True, help="The address to listen at.")  # noqa: S104 - for others
@click.option(
    "--port", type=click.IntRange(0, 65535), help="The port; 0 takes any.  [default: 8737]"
)
@click.option("--db", type=DATABASE, help="The database: a file, or postgresql://…")
@click.option(
    "--keep-days", type=click.FloatRange(min=0), help="Forget tables after so many quiet days."
)
@click.option("--origin", "origins", multiple=True, help="Another site whose pages may play here.")
@click.option("--proxy", metavar="ADDRESSES", help="Proxies that may name the visitor's address.")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Change a bound (docs/server.md).",
)
@click.option(
    "--levels", metavar="LEVELS", help="The levels of bots that new tables may have: random,greedy."
)
@click.option(
    "--drain",
    type=click.FloatRange(0, 3600),
    default=0,
    metavar="SECONDS",
    help="Not ready for so long before it stops (docs/server.md).",
)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
def serve(
    host: str,
    port: int | None,
    db: str | None,
    keep_days: float | None,
    origins: tuple[str, ...],
    proxy: str | None,
    limits: tuple[str, ...],
    levels: str | None,
    drain: float,
    show: bool,
) -> None:
    """Serve tables to others. Every move is on disk before anybody hears of it."""
    from qwixx.server.run import PORT, Place
    from qwixx.server.settings import Settings

    place = Place(host, PORT if port is None else port, db or _database(), drain, _proxies(proxy))
    days = None if keep_days is None else _days(keep_days)
    token = os.environ.get("QWIXX_METRICS_TOKEN") or None
    sites = frozenset(map(_origin, origins))
    settings = Settings(_limits(limits), sites, days, token, _levels(levels))
    _serve(place, settings, show, for_people=sys.stderr is not None and sys.stderr.isatty())


@cli.command()
@click.argument("what")
@click.argument("name", default="")
@click.option("--db", type=DATABASE, help="The database of the server.")
@click.option("--port", type=click.IntRange(0, 65535), help="Its port, if several use a database.")
def admin(what: str, name: str, db: str | None, port: int | None) -> None:
    """Look after a server of yours that runs on this machine (docs/server.md).

    WHAT is tables, usage, metrics, close TABLE, reopen TABLE, closed, delete TABLE, block ADDRESS,
    unblock ADDRESS or blocked. The answer is JSON, but of metrics.
    """
    from qwixx.server import admin as office
    from qwixx.server.run import PORT

    if what not in office.WHAT:
        raise click.UsageError(f"WHAT is one of: {', '.join(office.WHAT)}")
    named = office.WHAT[what].partition(":")[0]
    if named.isupper() and not name:
        raise click.UsageError(f"{what} takes {named}")
    found = office.ask(db or _database(), PORT if port is None else port, what, name)
    click.echo(found["metrics"] if what == "metrics" else json.dumps(found, indent=2))


@cli.group()
def db() -> None:
    """Look after what a server keeps, while it runs or not (docs/server.md)."""


def _of_database(function: Any) -> Any:
    """With --db, as the server has it; what is found is told as JSON."""

    @functools.wraps(function)
    def printed(db: str | None, **options: Any) -> None:
        found = function(db or _database(), **options)
        if found is not None:
            click.echo(json.dumps(found, indent=2))

    return click.option("--db", type=DATABASE, help="A file, or postgresql://…")(printed)


@db.command()
@_of_database
def check(db: str) -> Any:
    """Read every table and play it by the rules. Exit status 1 if some are damaged."""
    from qwixx.server import upkeep

    found = upkeep.check(db)
    if found["damaged"]:
        click.echo(json.dumps(found, indent=2))
        raise QwixxError(f"{len(found['damaged'])} of {found['tables']} tables are damaged")
    return found


@db.command()
@_of_database
def stats(db: str) -> Any:
    """How much there is."""
    from qwixx.server import upkeep

    return upkeep.stats(db)


@db.command()
@_of_database
def migrate(db: str) -> Any:
    """Bring a database of an older version up to date; a server that starts does so too."""
    from qwixx.server import upkeep

    return upkeep.migrate(db)


@db.command()
@click.argument("file", type=lab.FILE)
@_of_database
def backup(db: str, file: Path) -> Any:
    """Copy all tables as they are at one moment into FILE, a database file, and the key beside it."""
    from qwixx.server import upkeep

    return upkeep.backup(db, file)


@db.command()
@click.argument("file", type=lab.FILE)
@_of_database
def restore(db: str, file: Path) -> Any:
    """Put the tables of the backup FILE into a database that has none."""
    from qwixx.server import upkeep

    return upkeep.restore(file, db)


@db.command()
@click.argument("file", type=click.File("w", encoding="utf-8"), default="-")
@_of_database
def export(db: str, file: TextIO) -> None:
    """Write all tables to FILE, or to standard output, one JSON object a line."""
    from qwixx.server import upkeep

    upkeep.export(db, file)


@db.command("import")
@click.argument("file", type=click.File("r", encoding="utf-8"), default="-")
@_of_database
def import_(db: str, file: TextIO) -> Any:
    """Read into a database what export wrote; tables that are there already stay."""
    from qwixx.server import upkeep

    return upkeep.import_(file, db)


def _open_here() -> None:
    """A server for this machine, in the browser; if one runs here already, that one."""
    from qwixx.server.run import HERE, PORT, Place, PortTaken, running_here
    from qwixx.server.settings import Settings

    place = Place(HERE, PORT, _database())
    try:
        _serve(place, Settings(), show=True, for_people=True)
    except PortTaken:
        running = running_here(PORT)
        if running is None:
            click.echo(f"another program uses port {PORT}, so qwixx takes another one")
            _serve(replace(place, port=0), Settings(), show=True, for_people=True)
        else:
            click.echo(f"qwixx is running already, at {running}")
            _show(running)


def _serve(place: "Place", settings: "Settings", show: bool, *, for_people: bool) -> None:
    from qwixx.server import run

    def ready(address: str) -> None:
        for line in run.greeting(address):
            click.echo(line)
        if show:
            _show(run.here(address))

    run.serve(place, settings, ready, for_people=for_people)


def _show(address: str) -> None:
    """Open an address in the browser. Where there is none, the address has been said."""
    if not sys.platform.startswith("linux"):
        click.launch(address)
        return
    # In a session of its own, so that Ctrl-C here does not end the browser too;
    # and what it says is of no use here.
    none = subprocess.DEVNULL
    with contextlib.suppress(OSError):
        subprocess.Popen(  # noqa: S603 - with an address of our own
            ["xdg-open", address],  # noqa: S607 - wherever the user has it
            stdin=none,
            stdout=none,
            stderr=none,
            start_new_session=True,
        )


def _database() -> str:
    from qwixx.terminal import saves

    old = saves.left_behind()
    if old is not None:
        click.echo(
            f"there are older tables in {old}; to go on with them: qwixx serve --db {shlex.quote(str(old))}"
        )
    return str(saves.database())


def _proxies(text: str | None) -> str | None:
    """Addresses and networks of proxies; a name would be believed by nobody."""
    for one in [] if text in (None, "*") else str(text).split(","):
        try:
            ip_network(one.strip())
        except ValueError:
            raise click.UsageError(
                f"--proxy takes addresses or networks with commas between them, or *, not {one.strip()!r}"
            ) from None
    return text


def _origin(text: str) -> str:
    """A site as browsers name it: scheme, host, and the port if it is not the usual one."""
    site = text.lower().rstrip("/")
    if not re.fullmatch(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", site):
        raise click.UsageError(f"--origin takes a site, such as https://example.org, not {text!r}")
    return site


def _levels(text: str | None) -> tuple[str, ...]:
    """Those that a server offers, from the weakest to the strongest."""
    named = list(bots.LEVELS) if text is None else [one.strip() for one in text.split(",")]
    if not set(named) <= set(bots.LEVELS):
        raise click.UsageError(f"--levels takes some of {','.join(bots.LEVELS)}, not {text!r}")
    return tuple(level for level in bots.LEVELS if level in named)


def _days(days: float) -> float:
    if not days <= 36_500:  # also what is no number
        raise click.UsageError("--keep-days takes 0 to 36500 days")
    return days


def _limits(texts: tuple[str, ...]) -> "Limits":
    from qwixx.server.limits import Limits

    changed = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in Limits.__dataclass_fields__ or not number.isascii() or not number.isdigit():
            raise click.UsageError(
                f"--limit takes NAME=NUMBER with one of: {', '.join(Limits.__dataclass_fields__)}"
            )
        changed[name] = int(number[:9])
    return Limits(**changed)


@cli.command()
def engine() -> None:
    """Answer JSON requests, one a line, on standard input and output (docs/engine.md)."""
    from qwixx.engine import main as serve_engine

    serve_engine()


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
def replay(file: Path) -> None:
    """Step through the record in FILE; print it when not on a terminal."""
    from qwixx.terminal import paint
    from qwixx.terminal.replay import replay as show

    game, record, _ = _record(file)
    show(game, record, paint.standard())


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option("--svg", type=lab.FILE, help="Draw the curve of the game in this file.")
@click.option("--html", type=lab.FILE, help="Write the review as a page of its own.")
def review(file: Path, as_json: bool, svg: Path | None, html: Path | None) -> None:
    """Review the finished game in FILE: the luck of every throw, the skill of every choice.

    For every player, in wins and in points: result = start + luck - errors + what the others'
    choices did + a rest (docs/study.md).
    """
    from qwixx.lab.progress import Progress
    from qwixx.study import curve, document
    from qwixx.study.reviews import review as judged
    from qwixx.study.reviews import reviewable
    from qwixx.terminal import paint
    from qwixx.terminal.draw import plain
    from qwixx.terminal.review import in_lines

    game, record, _ = _record(file)
    turns = len(reviewable(record)[1])
    with Progress("judging", turns) as progress:
        found = judged(record, tell=lambda _done, _of: progress.add(1))
    names = [plain(name.removeprefix("bot:"))[:40] for name in record.seats]
    if svg is not None:
        lab.write(svg, curve.drawn(found, games.guide(game.id).title, names))
    if html is not None:
        lab.write(html, document.page(found, names))
    if as_json:
        click.echo(json.dumps(found.to_json()))
    elif svg is None and html is None:
        click.echo("\n".join(in_lines(game, found, paint.standard())))


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--throws", is_flag=True, help="Also who took part in every throw.")
def verify(file: Path, *, throws: bool) -> None:
    """Check every rule in the record in FILE, the proof of its dice and its signature: OK, or which
    event breaks which rule."""
    from qwixx.core import proof
    from qwixx.terminal.draw import plain
    from qwixx.terminal.judging import dice_words, throw_lines

    game, record, state = _record(file)
    judged = proof.judge(record, game.layout.faces)
    result = game.result(state)
    scores = ", ".join(
        f"{plain(name)[:40]} {total}"
        for name, total in zip(record.seats, result.totals, strict=True)
    )
    begun = "" if record.start is None else "from a position on, "
    ending = f"ended by {result.reason}" if result.over else "not over yet"
    click.echo(
        f"OK: {record.game}, {begun}{len(record.events)} events, {dice_words(judged)}, "
        f"{ending}: {scores}"
    )
    if judged is not None and judged.digest is not None:
        from qwixx.server import signing

        by = signing.signed_by(record, judged.digest)
        signed = f"signed by the server {signing.fingerprint(by)}" if by else "not signed"
        click.echo(f"{signed}; digest {judged.digest}")
    for line in throw_lines(record, judged) if throws else ():
        click.echo(line)


def _record(file: Path) -> tuple[Game[Any], Record, Any]:
    from qwixx.terminal import saves

    return games.read_record(saves.read_json(file))


for _command_of_lab in lab.COMMANDS:
    cli.add_command(_command_of_lab)


def main() -> None:
    """Run the command line; every error is one plain line."""
    _open_streams()
    try:
        cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        _fail(f"{error.format_message()} (try: {_command(error)} --help)", 2)
    except click.ClickException as error:
        _fail(error.format_message(), 1)
    except QwixxError as error:
        _fail(str(error), 1)
    except (click.Abort, KeyboardInterrupt):
        _fail("stopped", 130)
    except BrokenPipeError:
        _let_go(sys.stdout)
        sys.exit(1)
    except OSError as error:
        _let_go(sys.stdout)
        _fail(f"the system refused: {error.strerror or error}", 1)


def _open_streams() -> None:
    """Streams that are closed are empty ones,
    and text that one cannot carry is replaced, not a fault."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115 - stands in for the stream to the end
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - as above
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _let_go(stream: TextIO) -> None:
    """Nothing more can be written there; keep the last flush of Python from complaining."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _command(error: click.UsageError) -> str:
    return error.ctx.command_path if error.ctx else "qwixx"


def _fail(message: str, status: int) -> None:
    click.echo(f"qwixx: {' '.join(message.split())}", err=True)
    sys.exit(status)
