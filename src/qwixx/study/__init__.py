"""What a game has to teach: the worth of every choice and why the best one is best,
the luck of every throw, and what came of both."""

from qwixx.study.choices import Adviser, Choices, Hint
from qwixx.study.explore import explored
from qwixx.study.judging import Judged, Judgement, Worth, can_judge, judgement, warm_up
from qwixx.study.reasons import REASONS, Reason, reason_for
from qwixx.study.reviews import PlayerReview, Review, review

__all__ = [
    "REASONS",
    "Adviser",
    "Choices",
    "Hint",
    "Judged",
    "Judgement",
    "PlayerReview",
    "Reason",
    "Review",
    "Worth",
    "can_judge",
    "explored",
    "judgement",
    "reason_for",
    "review",
    "warm_up",
]
