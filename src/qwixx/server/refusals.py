"""Why the server says no, beyond the rules of the games."""

from typing import Final

from qwixx.core.errors import QwixxError


class Refusal(QwixxError):
    """A command that is not carried out; `code` is for programs, the message for people."""

    def __init__(self, code: str, message: str, rule: str | None = None) -> None:
        super().__init__(message, rule)
        self.code = code


# Every code of a refusal that is not a broken rule of a game, and what it means.
CODES: Final = {
    "bad_message": "the message is not of the form that the protocol names",
    "bad_name": "the name cannot be used",
    "bad_table": "the table cannot be made like that",
    "stale": "the command was meant for an earlier moment of the game",
    "not_yours": "the sender does not hold that seat",
    "not_now": "the table is not at the point where this can be done",
    "no_hints": "the table is played without hints",
    "no_seat": "that seat is taken or not there",
    "no_table": "there is no such table",
    "unreadable": "what was kept of the table is damaged; it is set aside",
    "unavailable": "what is kept cannot be reached or written just now; nothing was done",
    "elsewhere": "the table goes on at another server; who comes again finds it",
    "closed": "whoever runs the server has closed the table",
    "blocked": "whoever runs the server lets nobody in from there",
    "bad_code": "the code is wrong, used or too old",
    "too_fast": "more messages, requests or new connections than allowed",
    "too_many": "more tables, connections or changes of seats than allowed",
    "busy": "too much is being judged just now; asked again in a moment, it may be done",
    "too_large": "a request or its head is larger than allowed",
    "foreign": "the request comes from a page of another site",
    "unknown_host": "the server does not answer to the name that it was called by",
}
