"""What is said about where the server is."""

import pytest

from qwixx.server import run


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])  # noqa: S104 - nothing is opened
def test_a_server_for_everybody_tells_how_to_find_it(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr(run, "own_addresses", lambda: ["192.168.1.7"])
    near, far = run.greeting(f"http://{host}:8737/")
    assert "http://127.0.0.1:8737/" in near
    assert far.endswith("http://192.168.1.7:8737/")


def test_a_machine_in_several_networks_names_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "own_addresses", lambda: ["192.168.1.7", "10.0.0.3"])
    far = run.greeting("http://0.0.0.0:8737/")[1]
    assert far.endswith("http://192.168.1.7:8737/ or http://10.0.0.3:8737/")


def test_a_server_for_this_machine_is_only_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "own_addresses", lambda: ["192.168.1.7"])
    assert run.greeting("http://127.0.0.1:8737/") == [
        "qwixx is at http://127.0.0.1:8737/  (stop it with Ctrl-C)"
    ]


def test_a_machine_without_a_network_says_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "own_addresses", list)
    assert len(run.greeting("http://0.0.0.0:8737/")) == 1
