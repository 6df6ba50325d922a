"""The documents tell the truth: their examples run, their rules have tests,
their links lead somewhere."""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import qwixx
from qwixx.server import messages, openapi, refusals, typescript
from qwixx.server.limits import Limits

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


EXAMPLES = [
    *blocks(README, "python"),
    *blocks((ROOT / "docs/rl.md").read_text(encoding="utf-8"), "python"),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_python_examples(example: str) -> None:
    test = doctest.DocTestParser().get_doctest(example, {}, "example", "example", 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def typed(command: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command just as a reader would type it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **env}
    return subprocess.run(
        ["/bin/sh", "-c", command],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize("example", blocks(README, "console"))
def test_the_commands_of_the_readme(example: str) -> None:
    command, _, expected = example.removeprefix("$ ").partition("\n")
    assert typed(command).stdout == expected


@pytest.mark.parametrize("command", re.findall(r"^\| `(qwixx play .*?)` \|", README, re.MULTILINE))
def test_every_play_command_of_the_readme_starts(tmp_path: Path, command: str) -> None:
    if "--resume" in command:
        typed("qwixx play duel", QWIXX_DATA=str(tmp_path))
    done = typed(command, "1\n1\n", QWIXX_DATA=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, ""), command
    assert "The game is saved" in done.stdout


def test_the_positions_and_records_of_the_docs_are_real() -> None:
    examples = [
        json.loads(example) for example in blocks((ROOT / "docs/engine.md").read_text(), "json")
    ]
    for example in examples:
        if "format" in example:
            _, record, _ = qwixx.read_record(example)
            assert record.to_json() == example
        else:
            game, state = qwixx.read_position(example)
            assert game.to_position(state) == example


def test_every_rule_of_the_docs_has_a_test_named_after_it() -> None:
    rules = re.findall(r"^- \*\*([SCD]\d+)\*\*", (ROOT / "docs/rules.md").read_text(), re.MULTILINE)
    assert len(rules) == 8 + 13 + 14
    tests = "".join(path.read_text() for path in (ROOT / "tests").glob("test_rules_*.py"))
    assert [rule for rule in rules if f"def test_{rule}_" not in tests] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        assert "://" in target or (document.parent / target).exists(), target


def test_the_pages_types_are_current() -> None:
    assert (ROOT / "web/src/messages.ts").read_text() == typescript.document(), (
        "run: python -m qwixx.server.typescript > web/src/messages.ts"
    )


def test_the_openapi_document_is_current() -> None:
    assert json.loads((ROOT / "docs/openapi.json").read_text()) == json.loads(
        json.dumps(openapi.document())
    ), "run: python -m qwixx.server.openapi > docs/openapi.json"


def test_the_protocol_document_names_every_message_and_code() -> None:
    text = (ROOT / "docs/protocol.md").read_text()
    for message in (*get_args(messages.Request), *get_args(messages.Message)):
        assert message.__struct_config__.tag in text
    for code in refusals.CODES:
        assert f"`{code}`" in text
    for kind in get_args(messages.EventKind):
        assert f"`{kind}`" in text
    options = set(messages.Options.__struct_fields__)
    assert options == set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) & options


def test_the_server_document_names_every_bound() -> None:
    text = (ROOT / "docs/server.md").read_text()
    for name, bound in vars(Limits()).items():
        assert f"`{name}`" in text
        assert f"{bound:g}" in text, name
