"""Numbers about a running server, in the form that Prometheus reads."""

from collections import defaultdict
from typing import Final

HELP: Final = {
    "qwixx_sockets": ("gauge", "Open sockets at tables"),
    "qwixx_lines": ("gauge", "Open connections of all kinds"),
    "qwixx_tables": ("gauge", "Tables in memory"),
    "qwixx_events_total": ("counter", "Events on disk"),
    "qwixx_commits_total": ("counter", "Commits"),
    "qwixx_commit_seconds_total": ("counter", "Time spent in commits"),
    "qwixx_refused_total": ("counter", "Commands refused, by code"),
    "qwixx_dropped_total": ("counter", "Connections closed by the server, by reason"),
    "qwixx_turned_away_total": (
        "counter",
        "Connections and requests refused at the door, by reason",
    ),
    "qwixx_stories_total": ("counter", "Finished rounds told anew, which were not kept ready"),
    "qwixx_judged_total": ("counter", "Turns and positions judged"),
    "qwixx_judged_compiled": ("gauge", "Whether the last of them was judged by compiled code"),
    "qwixx_handed_over_total": ("counter", "Tables that go on at another server, by reason"),
    "qwixx_requests_total": ("counter", "HTTP requests, by status"),
}


class Metrics:
    """Counts by name and label."""

    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, str], float] = defaultdict(float)

    def add(self, name: str, amount: float = 1, label: str = "") -> None:
        self._counts[name, label] += amount

    def put(self, name: str, amount: float) -> None:
        self._counts[name, ""] = amount

    def text(self) -> str:
        lines = []
        for name, (kind, words) in HELP.items():
            lines += [f"# HELP {name} {words}.", f"# TYPE {name} {kind}"]
            found = {
                label: amount for (key, label), amount in self._counts.items() if key == name
            } or {"": 0}
            lines += [f"{name}{label} {amount:g}" for label, amount in sorted(found.items())]
        return "\n".join(lines) + "\n"
