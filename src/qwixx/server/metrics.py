"""Numbers about a running server, for Prometheus."""

from typing import Final, NamedTuple

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

QUICK: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
SLOW: Final = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)


class Number(NamedTuple):
    """What a number means, and by what it is told apart."""

    words: str
    label: str | None = None


GAUGES: Final = {
    "qwixx_sockets": Number("Open sockets at tables"),
    "qwixx_lines": Number("Open connections of all kinds"),
    "qwixx_tables": Number("Tables in memory"),
    "qwixx_writes_waiting": Number("Batches of events that are not on disk yet"),
    "qwixx_decisions_waiting": Number("Decisions of bots that wait for somebody to think"),
    "qwixx_studies_waiting": Number("Reviews and positions that wait to be judged"),
    "qwixx_database_away_seconds": Number("For how long nothing could be written"),
    "qwixx_thinking_compiled": Number("Whether the last bot with a net thought by compiled code"),
    "qwixx_judged_compiled": Number("Whether what was judged last was judged by compiled code"),
}
COUNTERS: Final = {
    "qwixx_events_total": Number("Events on disk"),
    "qwixx_refused_total": Number("Commands refused", "code"),
    "qwixx_dropped_total": Number("Connections closed by the server", "reason"),
    "qwixx_turned_away_total": Number("Connections and requests refused at the door", "reason"),
    "qwixx_handed_over_total": Number("Tables that go on at another server", "why"),
    "qwixx_stories_total": Number("Finished rounds told anew, which were not kept ready"),
    "qwixx_judged_total": Number("Turns and positions judged"),
    "qwixx_requests_total": Number("HTTP requests", "status"),
}
HISTOGRAMS: Final = {
    "qwixx_commit_seconds": (Number("How long a commit takes"), QUICK),
    "qwixx_move_seconds": (Number("From a command until it is on disk and everybody hears"), QUICK),
    "qwixx_thinking_seconds": (Number("How long a table waits for its bot", "level"), SLOW),
}


class Metrics:
    """Counts, by name and label."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call] # theirs is untyped
        self._registry = registry = CollectorRegistry()
        self._gauges = {
            name: Gauge(name, number.words, registry=registry) for name, number in GAUGES.items()
        }
        self._counters = {
            name: Counter(name, number.words, _labels(number), registry=registry)
            for name, number in COUNTERS.items()
        }
        self._histograms = {
            name: Histogram(name, number.words, _labels(number), buckets=buckets, registry=registry)
            for name, (number, buckets) in HISTOGRAMS.items()
        }

    def add(self, name: str, amount: float = 1, label: str | None = None) -> None:
        counter = self._counters[name]
        (counter if label is None else counter.labels(label)).inc(amount)

    def put(self, name: str, amount: float) -> None:
        self._gauges[name].set(amount)

    def time(self, name: str, seconds: float, label: str | None = None) -> None:
        histogram = self._histograms[name]
        (histogram if label is None else histogram.labels(label)).observe(seconds)

    def text(self) -> str:
        return generate_latest(self._registry).decode()


def _labels(number: Number) -> tuple[str, ...]:
    return () if number.label is None else (number.label,)
