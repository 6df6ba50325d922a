"""What a game has to teach: the worth of every choice, and why the best one is best."""

from qwixx.study.choices import Adviser, Choices, Hint
from qwixx.study.reasons import REASONS, Reason, reason_for

__all__ = ["REASONS", "Adviser", "Choices", "Hint", "Reason", "reason_for"]
