"""`qwixx play`, `replay` and `verify` as a person meets them:
on a real terminal, piped, and interrupted."""

import codecs
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import qwixx
from qwixx.core.fields import Layout
from qwixx.core.picture import Guide
from qwixx.games.classic.guide import ClassicGuide
from qwixx.games.classic.rules import Classic
from qwixx.games.duel.guide import DuelGuide
from qwixx.games.duel.rules import Duel
from qwixx.terminal.draw import Drawing, visible
from qwixx.terminal.paint import ROW, Paint
from tables import USUAL_TABLES, random_events

PATIENCE = 120.0  # seconds: a busy machine is no fault
QWIXX = [sys.executable, "-m", "qwixx"]
GOLDEN = Path(__file__).parent / "golden"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run(
    *words: str, typed: str = "", home: Path | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "QWIXX_DATA": str(home or "unused"), **env}
    return subprocess.run(
        [*QWIXX, *words],
        input=typed,
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE,
        check=False,
    )


class Screen:
    """A program on a real terminal of 80 columns."""

    def __init__(self, home: Path, *words: str, **env: str) -> None:
        self.master, slave = pty.openpty()
        environment = {**os.environ, "QWIXX_DATA": str(home), "TERM": "xterm-256color", **env}
        self.process = subprocess.Popen(
            [*QWIXX, *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self.decode = codecs.getincrementaldecoder(
            "utf-8"
        )().decode  # a read may end within a letter
        self.shown = ""

    def until(self, text: str, seconds: float = PATIENCE) -> str:
        """Wait for a text on the screen; everything shown since the last wait is returned."""
        assert self.shows(text, seconds), f"no {text!r} in {self.shown[-2000:]!r}"
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def interrupt(self, until: str) -> None:
        """Ctrl-C, and again:
        one that comes just before Python waits for a line is noticed only after it."""
        for _ in range(10):
            os.killpg(self.process.pid, signal.SIGINT)
            if self.shows(until, 10):
                break
        self.until(until)

    def shows(self, text: str, seconds: float) -> bool:
        """Whether a text comes within this time."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                break
            try:
                self.shown += self.decode(os.read(self.master, 65536))
            except OSError:
                break
        return text in self.shown

    def end(self) -> int:
        """Read to the end; the exit status."""
        while self.process.poll() is None or select.select([self.master], [], [], 0)[0]:
            try:
                self.shown += self.decode(os.read(self.master, 65536))
            except OSError:
                break
        return self.process.wait(timeout=PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def screens() -> Iterator[list[Screen]]:
    opened: list[Screen] = []
    yield opened
    for screen in opened:
        screen.close()


def saved(home: Path) -> dict[str, Any]:
    (file,) = home.glob("*.json")
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


@pytest.mark.parametrize(
    "words",
    [*((name,) for name in qwixx.ids()), ("classic", "--with", "random", "--with", "greedy")],
)
def test_a_piped_game_to_the_score_table(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run("play", *words, "--seed", "4", typed="1\n" * 300, home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    record = saved(tmp_path)
    _, _, state = qwixx.read_record(record)
    assert state.phase == "over"
    assert "won" in done.stdout
    for total in record["result"]["totals"]:
        assert re.search(rf" {total}( |$)", done.stdout[-1200:], re.MULTILINE)
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
    again = run(
        "play", *words, "--seed", "4", "--save", str(tmp_path / "b" / "x.json"), typed="1\n" * 300
    )
    assert again.returncode == 0
    assert saved(tmp_path / "b") == record


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("letters", [True, False])
@pytest.mark.parametrize(("game_id", "players"), USUAL_TABLES)
def test_every_table_fits_80_columns(
    game_id: str, players: int, colour: bool, letters: bool
) -> None:
    fits(qwixx.guide(game_id), players, colour, letters)


# Rows as long as two dice of nine faces make them, the longest that can be.
LONG = tuple(range(2, 19))


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize(
    ("guide", "players"),
    [
        (ClassicGuide(Classic(Layout(numbers=(LONG,) * 4, faces=9)), "Long", ""), 3),
        (DuelGuide(Duel(Layout(numbers=(LONG,) * 4, faces=9))), 2),
    ],
)
def test_a_long_sheet_with_other_dice_fits_too(
    guide: Guide[Any], players: int, colour: bool
) -> None:
    fits(guide, players, colour, True)


def fits(guide: Guide[Any], players: int, colour: bool, letters: bool) -> None:
    game = guide.game
    names = ["A name that is far too long for the table", *["bot:greedy"] * (players - 1)]
    drawing = Drawing(Paint(colour, unicode=letters), game, guide, names)
    for seed in range(3):
        for _, _, state in random_events(game, players, Random(seed)):
            seat = seed % players
            lines = drawing.table(state, seat, game.moves(state, seat))
            lines += drawing.scores(game.result(state)) + (
                drawing.dice(state.dice) if state.dice else []
            )
            moves = game.moves(state, seat)
            lines += drawing.choices(state, seat, moves) if moves else []
            assert max(map(visible, lines)) <= 80
            assert colour or "\x1b" not in "".join(lines)
            assert letters or "".join(lines).isascii() or colour


def test_open_fields_and_crosses_are_marked_without_colour() -> None:
    game = qwixx.game("classic")
    state = qwixx.fold(game, game.start(1), map(qwixx.parse_event, ["41 3625", "0:R5"]))
    drawing = Drawing(Paint(), game, qwixx.guide("classic"), ["You"])
    red, yellow, *_ = drawing.table(state, 0, game.moves(state, 0))[1:]
    assert red.split() == [
        "▲",
        "·",
        "·",
        "·",
        "×5",
        "6",
        "[7]",
        "8",
        "9",
        "10",
        "11",
        "12",
        "lock",
        "1",
    ]
    assert yellow.split() == [
        "●",
        "2",
        "3",
        "4",
        "5",
        "6",
        "[7]",
        "8",
        "9",
        "[10]",
        "11",
        "12",
        "lock",
        "0",
    ]


def test_a_row_of_several_colours_shows_each_with_its_sign() -> None:
    game = qwixx.game("mixed-a")
    state = qwixx.fold(game, game.start(2), map(qwixx.parse_event, ["41 3625", "0:B5", "1:-"]))
    drawing = Drawing(Paint(), game, qwixx.guide("mixed-a"), ["You", "Ana"])
    moves = game.moves(state, 0)
    red, yellow, *_ = drawing.table(state, 0, moves)[-4:]
    assert red.split()[:8] == ["▲", "·", "·", "·", "×◆5", "[◆6]", "◆7", "■8"]
    assert yellow.replace("][", "] [").split()[-6:] == ["[◆9]", "[●10]", "●11", "●12", "lock", "0"]
    assert drawing.choices(state, 0, moves)[0] == "  1) B6  ◆ in row ▲"
    painted = Drawing(Paint(colour=True), game, qwixx.guide("mixed-a"), ["You", "Ana"]).table(
        state, 0
    )
    assert f"{ROW['B'].code}  ◆7 " in painted[-4]
    assert f"{ROW['G'].code}  ■8 " in painted[-4]
    assert f"{ROW['Y'].code} ●12 " in painted[-3]


def test_the_duel_board_shows_stacks_and_the_foremost_piece() -> None:
    game = qwixx.game("duel")
    events = ["41 3625", "0:R5", "0:-", "41 3625", "1:Y5", "1:-", "41 3625", "0:R5"]
    state = qwixx.fold(game, game.start(2), map(qwixx.parse_event, events))
    lines = Drawing(Paint(), game, qwixx.guide("duel"), ["Ana", "Ben"]).table(
        state, 0, game.moves(state, 0)
    )
    assert lines[0] == "▶ b Ana  score 3, 20 pieces left, failed throws 0 (both 0 of 4)"
    assert lines[3].split() == ["b2‹", "g", "0"]
    assert lines[5].split() == ["g‹", "g", "1"]


def test_guides_say_the_rules_in_short() -> None:
    for game_id in qwixx.ids():
        guide: Guide[Any] = qwixx.guide(game_id)
        assert max(map(len, guide.summary.splitlines())) <= 80
        assert "failed throw" in guide.summary


def test_help_reasons_and_the_warning_before_a_failed_throw(
    tmp_path: Path, screens: list[Screen]
) -> None:
    screen = Screen(tmp_path, "play", "classic", "--practice", "--seed", "1")
    screens.append(screen)
    first = screen.until("> ")
    assert COLOUR.search(first)
    assert "White action" in first
    screen.type("?\n")
    assert "from left to right" in screen.until("> ")
    screen.type("h\n")
    hint = screen.until("> ")
    assert re.search(r"Hint: (pass|[RYGB]\d+): ", hint)
    assert hint.count(" points\r\n") > 1  # what every choice is worth
    assert "to win" not in hint  # one cannot lose alone
    screen.type("R99\n")
    assert "no field R99" in screen.until("> ")
    wrong = next(
        f"R{number}"
        for number in range(2, 13)
        if f"R{number}" not in first and f"[{number}]" not in first
    )
    screen.type(f"{wrong.lower()}\n")
    assert "(S2)" in screen.until("> ")
    screen.type("999\n")
    assert "is no move" in screen.until("> ")
    screen.type("-\n")
    screen.until("> ")
    screen.type("-\n")
    screen.until("costs a failed throw, -5. Pass all the same? [y/N] ")
    screen.type("n\n")
    screen.until("> ")
    assert not any(event == "0:-" for event in saved(tmp_path)["events"][2:])
    screen.type("-\n")
    screen.until("[y/N] ")
    screen.type("y\n")
    screen.until("> ")
    assert saved(tmp_path)["events"][1:3] == ["0:-", "0:-"]


@pytest.mark.parametrize("how", ["ctrl-c", "q", "kill -9", "hang up"])
def test_whatever_stops_a_game_it_goes_on_where_it_was(
    tmp_path: Path, screens: list[Screen], how: str
) -> None:
    screen = Screen(tmp_path, "play", "classic", "--seed", "6")
    screens.append(screen)
    for _ in range(3):
        screen.until("> ")
        screen.type("1\n")
    screen.until("> ")
    before = saved(tmp_path)
    if how == "kill -9":
        screen.process.kill()
    elif how == "hang up":
        os.killpg(screen.process.pid, signal.SIGHUP)
    elif how == "ctrl-c":
        screen.interrupt("qwixx play --resume")
    else:
        screen.type("q\n")
        screen.until("qwixx play --resume")
    if how in ("ctrl-c", "q"):
        assert screen.end() == 0
    screen.process.wait(timeout=PATIENCE)
    assert saved(tmp_path) == before
    resumed = run("play", "--resume", typed="1\n" * 300, home=tmp_path)
    assert (resumed.returncode, resumed.stderr) == (0, "")
    after = saved(tmp_path)
    assert after["events"][: len(before["events"])] == before["events"]
    assert after["result"]
    # A game with a seed goes on just as if it had never been left.
    straight = run(
        "play",
        "classic",
        "--seed",
        "6",
        "--save",
        str(tmp_path / "b" / "x.json"),
        typed="1\n" * 300,
    )
    assert straight.returncode == 0
    assert saved(tmp_path / "b") == after


def test_end_of_input_leaves_the_game_saved(tmp_path: Path) -> None:
    done = run("play", "duel", typed="", home=tmp_path)
    assert done.returncode == 0
    assert "qwixx play --resume" in done.stdout
    assert "result" not in saved(tmp_path)


def test_several_people_on_one_keyboard(tmp_path: Path) -> None:
    done = run(
        "play", "classic", "--seats", "Ana, Ben", "--seed", "2", typed="1\n1\n1\n", home=tmp_path
    )
    assert {"Ana, choose.", "Ben, choose."} <= set(re.findall(r"\w+, choose\.", done.stdout))
    assert saved(tmp_path)["seats"] == ["Ana", "Ben"]


def test_S7_the_starter_is_drawn_and_told(tmp_path: Path) -> None:
    began = set()
    for seed in range(12):
        done = run(
            "play",
            "duel",
            "--seats",
            "Ana,Ben",
            "--seed",
            str(seed),
            typed="q\n",
            home=tmp_path / str(seed),
        )
        first = ["Ana", "Ben"][saved(tmp_path / str(seed))["first"]]
        assert f"{first} begins: drawn by lot." in done.stdout
        began.add(first)
    assert began == {"Ana", "Ben"}
    alone = run("play", "classic", "--practice", typed="q\n", home=tmp_path / "alone")
    assert "begin" not in alone.stdout


def test_no_color_is_honoured_on_a_terminal(tmp_path: Path, screens: list[Screen]) -> None:
    screens.append(Screen(tmp_path, "play", "duel", NO_COLOR="1"))
    assert not COLOUR.search(screens[0].until("> "))


def test_a_terminal_without_unicode_still_reads(tmp_path: Path) -> None:
    done = run(
        "play", "classic", "--seed", "4", typed="1\n" * 9, home=tmp_path, PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert done.stderr == ""


def test_the_game_is_asked_for_on_a_terminal(tmp_path: Path, screens: list[Screen]) -> None:
    screens.append(Screen(tmp_path, "play"))
    screens[0].until("Which game?")
    screens[0].type("2\n")
    screens[0].until("Qwixx Duel, turn")


def test_replay_prints_a_record_when_piped() -> None:
    done = run("replay", str(GOLDEN / "classic-2-three-rows.json"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Qwixx: Ana, Bruno. Ana begins.\n    1  Ana rolls 11 3333.\n")
    assert (
        "   47  White: Ana takes R12, Bruno takes Y12. Row red is closed. Row yellow is closed."
        in done.stdout
    )


def test_replay_steps_on_a_terminal(tmp_path: Path, screens: list[Screen]) -> None:
    screens.append(Screen(tmp_path, "replay", str(GOLDEN / "duel-rows.json")))
    screen = screens[0]
    screen.until("event 0 of 83")
    for key, shown in [
        ("", "event 1 of 83"),
        ("", "event 2 of 83"),
        ("p", "event 1 of 83"),
        ("40", "event 40 of 83"),
    ]:
        screen.until("> ")
        screen.type(key + "\n")
        screen.until(shown)
    screen.type("e\n")
    screen.until("won")
    screen.type("q\n")
    assert screen.end() == 0


def test_verify_says_ok_or_what_is_broken(tmp_path: Path) -> None:
    for file in sorted(GOLDEN.glob("*.json"))[::6]:  # `test_golden` reads them all
        done = run("verify", str(file))
        assert (done.returncode, done.stdout[:3]) == (0, "OK:")
    record = json.loads((GOLDEN / "duel-rows.json").read_text())
    record["events"][1] = "0:R2" if record["events"][1] != "0:R2" else "0:R3"
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(record))
    done = run("verify", str(broken))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"qwixx: event 2 \(0:R[23]\): .* \(S2\)\n", done.stderr), done.stderr


def test_files_that_are_no_records(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_text("")
    (tmp_path / "list").write_text("[]")
    for name in ("binary", "empty", "list", "missing", "."):
        for command in ("verify", "replay"):
            done = run(command, str(tmp_path / name))
            assert (done.returncode, done.stdout) == (1, ""), (name, done)
            assert re.fullmatch(r"qwixx: .+\n", done.stderr), done.stderr


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("play", "chess"), 2),
        (("play", "classic", "--seats", "9"), 2),
        (("play", "classic", "--seats", "Ana,"), 2),
        (("play", "classic", "--seats", "bot:x"), 2),
        (("play", "classic", "--seats", "Ana,\u3164"), 2),
        (("play", "classic", "--seats", "\u2800\u0301,Ben"), 2),
        (("play", "classic", "--seed", "-1"), 2),
        (("play", "classic", "--practice", "--with", "greedy"), 2),
        (("play", "--resume", "x", "--seed", "1"), 2),
        (("play", "classic", "--with", "genius"), 2),
        (("play", "duel", "--practice"), 2),
        (("play", "duel", "--seats", "3"), 2),
        (("play", "classic", *["--with", "random"] * 5), 2),
        (("play", "classic", "--save", ""), 2),
        (("play", "classic", "--save", __file__), 2),
        (("play", "--resume"), 1),
        (("play", "--resume", "nowhere.json"), 1),
        (("play", "classic", "--save", "/proc/x.json"), 1),
        (("dance",), 2),
        (("verify",), 2),
        (("engine", "--fast"), 2),
    ],
)
def test_errors_are_one_plain_line(tmp_path: Path, words: tuple[str, ...], status: int) -> None:
    done = run(*words, home=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert re.fullmatch(r"qwixx: .+\n", done.stderr), done.stderr


def test_a_bot_that_fails_leaves_the_game_saved(tmp_path: Path) -> None:
    bot = f"exec:{sys.executable} -c pass"
    done = run("play", "classic", "--with", bot, "--seed", "1", typed="1\n" * 5, home=tmp_path)
    assert done.returncode == 1
    assert re.fullmatch(r"qwixx: exec:.* ended without an answer .*\n", done.stderr), done.stderr
    assert saved(tmp_path)["events"]


def test_help_names_every_command() -> None:
    done = run("--help")
    for command in ("play", "engine", "replay", "verify"):
        assert command in done.stdout
        assert run(command, "--help").returncode == 0


def record_file(folder: Path, **changes: Any) -> Path:
    record = {
        "format": "qwixx-record/1",
        "game": "duel",
        "seats": ["A", "B"],
        "first": 0,
        "events": [],
    }
    file = folder / "record.json"
    file.write_text(json.dumps({**record, **changes}))
    return file


def test_names_of_strangers_cannot_play_tricks(tmp_path: Path) -> None:
    names = ["\x1b[2J\x1b]0;x\x07\nA\u202e", "\ud800" + "b" * 100_000]
    file = record_file(tmp_path, seats=names)
    for command in ("verify", "replay"):
        done = run(command, str(file))
        assert (done.returncode, done.stderr) == (0, "")
        assert not set(done.stdout) & {"\x1b", "\x07", "\u202e"}
        assert len(done.stdout) < 3000
    resumed = run("play", "--resume", str(file), typed="1\n" * 3)
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert json.loads(file.read_text())["seats"] == names


def test_a_saved_game_runs_no_program_unless_it_is_named_again(tmp_path: Path) -> None:
    program = f"exec:{sys.executable} {GOLDEN.parent.parent / 'examples' / 'first_bot.py'}"
    file = record_file(tmp_path, seats=["You", f"bot:{program}"])
    done = run("play", "--resume", str(file), typed="1\n" * 300)
    assert done.returncode == 2
    assert "name them again" in done.stderr
    done = run("play", "--resume", str(file), "--with", program, typed="1\n" * 300)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_broken_file_does_not_hide_an_older_game(tmp_path: Path) -> None:
    run("play", "duel", home=tmp_path)
    record_file(tmp_path, events=["0:R5"])
    (tmp_path / "dangling.json").symlink_to("nowhere")
    done = run("play", "--resume", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_hint_names_the_file_that_was_resumed(tmp_path: Path) -> None:
    file = record_file(tmp_path)
    assert f"--resume {file}" in run("play", "--resume", str(file)).stdout


@pytest.mark.parametrize("typed", ["00009", "0" * 5000, "1" * 5000, "\u0661", "²", "\x00", "-1"])
def test_odd_answers_are_asked_again(tmp_path: Path, typed: str) -> None:
    done = run("play", "classic", "--practice", typed=f"{typed}\nq\n", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "command",
    [
        f"verify {GOLDEN}/duel-rows.json >/dev/full",
        f"replay {GOLDEN}/duel-rows.json >/dev/full",
        "play classic --practice >/dev/full",
        "play classic --practice <&-",
        "engine <&-",
        "engine >&-",
        f"replay {GOLDEN}/duel-rows.json >&-",
        f"replay {GOLDEN}/duel-rows.json | head -1",
    ],
)
def test_streams_that_fail_are_no_traceback(tmp_path: Path, command: str) -> None:
    line = f"{sys.executable} -m qwixx {command}"
    environment = {**os.environ, "QWIXX_DATA": str(tmp_path), "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        capture_output=True,
        text=True,
        input="",
        env=environment,
        timeout=PATIENCE,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1, done.stderr


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    line = f"printf '\\377\\nq\\n' | {sys.executable} -m qwixx play classic --practice"
    environment = {**os.environ, "QWIXX_DATA": str(tmp_path), "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, env=environment, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
