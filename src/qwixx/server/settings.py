"""What whoever runs the server decides."""

from dataclasses import dataclass, field

from qwixx import bots
from qwixx.server.limits import Limits


@dataclass(frozen=True)
class Settings:
    limits: Limits = field(default_factory=Limits)
    origins: frozenset[str] = frozenset()  # allowed besides the server's own
    keep_days: float | None = None
    metrics_token: str | None = None  # that opens the numbers for Prometheus
    levels: tuple[str, ...] = tuple(bots.LEVELS)  # of bots, that new tables may have
