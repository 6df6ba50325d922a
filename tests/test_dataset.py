"""Data sets of games: what is in them, and that interrupted work goes on."""

import io
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import qwixx
from qwixx.cli import cli
from qwixx.lab import dataset, progress
from qwixx.study.encoding import encoding


def made(out: Path, *words: str) -> Any:
    return CliRunner().invoke(cli, ["games", "--out", str(out), "--jobs", "1", *words])


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Two games of a level with a net, and so with values."""
    out = tmp_path_factory.mktemp("set") / "games.parquet"
    done = made(out, "classic", "--level", "expert", "--games", "2", "--seed", "3")
    assert done.exit_code == 0, done.output
    assert "2 games" in done.output
    assert not out.with_name("games.parquet.parts").exists()
    assert pq.ParquetFile(out).metadata.row_group(0).column(0).compression == "ZSTD"
    rows: list[dict[str, Any]] = pq.read_table(out).to_pylist()
    return rows


def test_a_data_set_is_games_of_the_law(games: list[dict[str, Any]]) -> None:
    game, coding = qwixx.game("classic"), encoding("classic", 2)
    assert {row["game"] for row in games} == {0, 1}
    for number in (0, 1):
        rows = [row for row in games if row["game"] == number]
        assert [row["decision"] for row in rows] == list(range(len(rows)))
        state = game.start(2, rows[0]["active"])
        for row in rows:
            if state.phase == "roll":
                state = game.roll(state, qwixx.Dice.parse(row["dice"]))
            seat = row["seat"]
            assert (row["phase"], row["active"]) == (state.phase, state.active)
            assert tuple(row["moves"]) == game.moves(state, seat)
            assert (coding.observe(state, seat) == np.array(row["observation"])).all()
            state = game.choose(state, seat, row["move"])
        result = game.result(state)
        assert (result.over, result.reason) == (True, rows[0]["reason"])
        for row in rows:
            assert row["final_points"] == result.totals[row["seat"]]


def test_values_are_those_by_which_it_chose(games: list[dict[str, Any]]) -> None:
    for row in games:
        assert len(row["win"]) == len(row["points"]) == len(row["moves"])
        assert all(0 <= win <= 1 for win in row["win"])
    chosen = [row["win"][row["moves"].index(row["move"])] for row in games]
    best = [max(row["win"]) for row in games]
    assert np.mean(np.array(best) - np.array(chosen)) < 0.01  # points count a little too


def test_interrupted_work_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "CHUNK", 2)
    words = ("duel", "--level", "greedy", "--games", "5", "--seed", "1")
    whole, cut = tmp_path / "whole.parquet", tmp_path / "cut.parquet"
    assert made(whole, *words).exit_code == 0
    played, chunk = list[int](), dataset.chunk

    def failing(plan: dataset.Plan, number: int) -> Any:
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(number)
        return chunk(plan, number)

    with monkeypatch.context() as patch:
        patch.setattr(dataset, "chunk", failing)
        assert made(cut, *words).exit_code != 0
    assert not cut.exists()
    parts = tmp_path / "cut.parquet.parts"
    assert sorted(path.name for path in parts.glob("0*")) == ["000000.parquet", "000001.parquet"]
    other = made(cut, "duel", "--level", "random", "--games", "5")
    assert other.exit_code == 2
    assert "holds other games" in other.output
    assert made(cut, *words[:5]).exit_code == 0  # the seed is known
    assert played == [0, 1]
    assert pq.read_table(cut).equals(pq.read_table(whole))
    assert pq.read_table(whole)["win"].null_count == len(pq.read_table(whole))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_time_left_is_that_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred games fifty were there before; ten take ten seconds, and forty are left."""
    seconds, terminal = [0.0], Terminal()
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.Progress("playing", 100, 50) as bar:
        seconds[0] = 10.0
        bar.add(10)
    assert "60%   40 s left" in terminal.getvalue()


@pytest.mark.long  # as above, with real processes
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_killed_work_goes_on_and_leaves_no_process_behind(tmp_path: Path, end: int) -> None:
    words = ("duel", "--level", "greedy", "--games", "400", "--seed", "1")
    whole, cut = tmp_path / "whole.parquet", tmp_path / "cut.parquet"
    command = [sys.executable, "-m", "qwixx", "games", *words, "--jobs", "2", "--out", str(cut)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
        while not list(tmp_path.glob("cut.parquet.parts/*.parquet")):
            assert running.poll() is None
            time.sleep(0.01)
        workers = children(running.pid)
        running.send_signal(end)
    assert len(workers) >= 2
    assert running.returncode == (130 if end == signal.SIGINT else -end)
    assert not cut.exists()
    patience = time.monotonic() + 300
    while any(lives(worker) for worker in workers):
        assert time.monotonic() < patience
        time.sleep(0.01)
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert made(whole, *words).exit_code == 0
    assert pq.read_table(cut).equals(pq.read_table(whole))


def children(process: int) -> list[int]:
    return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))


def lives(process: int) -> bool:
    """Whether a process is there, and not only waits for somebody to ask how it ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--level", "nobody"), 1, "there is no level"),
        (("--level", "exec:true"), 1, "compiled"),
        (("duel", "--players", "3"), 1, "this game takes 2 players"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_line(
    tmp_path: Path, words: tuple[str, ...], status: int, message: str
) -> None:
    done = made(tmp_path / "x.parquet", *words)
    assert done.exit_code == status
    assert message in str(done.exception) + done.output
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "there.parquet"
    out.write_text("mine")
    assert made(out).exit_code == 2
    assert out.read_text() == "mine"


def test_the_document_names_every_column() -> None:
    text = (Path(__file__).parent.parent / "docs/rl.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name, _ in dataset.SCHEMA)
    for field in encoding("classic", 2).fields:
        assert f"| `{field.name}` |" in text
