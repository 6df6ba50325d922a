"""Errors for people: each says what was wrong and, where a rule was broken, which one."""


def shown(value: object) -> str:
    """A foreign value as an error may show it: short, plain characters, never a whole structure."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = ascii(value[:60] if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:37] + "..."


class QwixxError(Exception):
    """Something asked for is not possible. `code` is for programs, the message for people."""

    code: str = "bad_request"

    def __init__(self, message: str, rule: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.rule = rule

    def __str__(self) -> str:
        return f"{self.message} ({self.rule})" if self.rule else self.message


class BadJson(QwixxError):
    """Text that is not JSON, or more of it than anybody needs."""

    code = "bad_json"


class BadRequest(QwixxError):
    """A request that makes no sense in any position: wrong shape, no such game, no such field."""

    code = "bad_request"


class BadPosition(QwixxError):
    """A position that cannot be."""

    code = "bad_position"


class BadDice(QwixxError):
    """Dice that cannot lie on the table."""

    code = "bad_dice"


class IllegalMove(QwixxError):
    """A real move that a rule forbids here."""

    code = "illegal_move"


class NotToAct(QwixxError):
    """A choice by a seat that has none to make now."""

    code = "not_to_act"


class GameOver(QwixxError):
    """Any move after the end."""

    code = "game_over"


class BadRecord(QwixxError):
    """A record that breaks a rule or has the wrong shape; `event` is the place, counted from 1."""

    code = "bad_record"

    def __init__(self, message: str, rule: str | None = None, event: int | None = None) -> None:
        super().__init__(message, rule)
        self.event = event


class BotFailed(QwixxError):
    """An outside bot hung, died or answered nonsense, or one of ours lacks what it thinks with."""

    code = "bot_failed"
