"""What an operator starts from is whole: it names what there is, and the programs that read it take it.
HAProxy's configuration is the one that tests of several servers run with (`server/many.py`)."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from many import need_haproxy

from qwixx.cli import cli
from qwixx.server.metrics import COUNTERS, GAUGES, HISTOGRAMS

DEPLOY = Path(__file__).parent.parent / "deploy"
NUMBERS = {
    *GAUGES,
    *COUNTERS,
    *(f"{name}_{part}" for name in HISTOGRAMS for part in ("bucket", "sum", "count")),
}
OPTIONS = {option for one in cli.commands["serve"].params for option in one.opts}


@pytest.mark.parametrize("name", ["grafana.json", "alerts.yaml"])
def test_boards_and_alerts_are_about_numbers_that_there_are(name: str) -> None:
    text = (DEPLOY / name).read_text()
    read = json.loads(text) if name.endswith("json") else yaml.safe_load(text)
    asked = (
        [target["expr"] for panel in read["panels"] for target in panel["targets"]]
        if name.endswith("json")
        else [rule["expr"] for group in read["groups"] for rule in group["rules"]]
    )
    named = {found for one in asked for found in re.findall(r"\bqwixx_\w+", one)}
    assert named <= NUMBERS
    assert len(named) >= 5


def test_the_board_shows_every_number() -> None:
    text = (DEPLOY / "grafana.json").read_text()
    shown = {
        "qwixx_stories_total",
        "qwixx_judged_total",
        "qwixx_judged_compiled",
        "qwixx_thinking_compiled",
    }  # of no use there
    assert [name for name in {*GAUGES, *COUNTERS, *HISTOGRAMS} - shown if name not in text] == []


@pytest.mark.parametrize("name", ["compose.yaml", "qwixx@.service", "Dockerfile"])
def test_servers_are_started_with_options_that_there_are(name: str) -> None:
    lines = [line for line in (DEPLOY / name).read_text().splitlines() if not line.startswith("#")]
    if name == "compose.yaml":
        server = yaml.safe_load("\n".join(lines))["services"]["a"]
        assert server["read_only"]
        words = server["command"]
    else:
        started = [line for line in lines if re.match("ExecStart|ENTRYPOINT", line)]
        words = re.findall(r"--[a-z-]+", started[0])
    given = {word for word in words if word.startswith("--")}
    assert given
    assert given <= OPTIONS


def test_haproxy_takes_its_configuration() -> None:
    told = {"QWIXX_LISTEN": "127.0.0.1:1", "QWIXX_A": "127.0.0.1:2", "QWIXX_B": "127.0.0.1:3"}
    command = [need_haproxy(), "-c", "-f", str(DEPLOY / "haproxy.cfg")]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **told}, check=False
    )
    assert done.returncode == 0, done.stderr


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    verifies = shutil.which("systemd-analyze")
    if verifies is None:
        pytest.skip("systemd-analyze is not installed here")
    unit = tmp_path / "qwixx@8737.service"
    text = (DEPLOY / "qwixx@.service").read_text()
    unit.write_text(text.replace("/opt/qwixx/bin/qwixx", shutil.which("true") or "/bin/true"))
    done = subprocess.run(
        [verifies, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert "qwixx" not in done.stderr, done.stderr
