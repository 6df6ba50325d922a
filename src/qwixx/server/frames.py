"""WebSocket frames (RFC 6455) of the plainest kind, without a library in between: whole texts, which are
nearly all that is said and heard at a table."""

from typing import Final

try:
    from websockets.speedups import apply_mask
except ImportError:  # where it could not be compiled
    from websockets.utils import apply_mask

TEXT: Final = 0x81  # all of it in one frame
PING: Final = 0x89
PONG: Final = 0x8A
MASKED: Final = 0x80
SHORT: Final = 125  # longer ones say their length in two bytes more, or in eight
IN_TWO: Final = 126
IN_EIGHT: Final = 127


def framed(data: bytes) -> bytes:
    """A text as a frame."""
    length = len(data)
    if length <= SHORT:
        return bytes((TEXT, length)) + data
    wide = length >= 1 << 16
    head = bytes((TEXT, IN_EIGHT if wide else IN_TWO))
    return head + length.to_bytes(8 if wide else 2, "big") + data


def whole_frame(data: bytes, start: int, most: int) -> tuple[int, bytes | None]:
    """Where the frame that begins here ends, and what it says if it is a text, of so many bytes at most.
    0 if it is not all here, or nothing as plain as a text, a ping or a pong."""
    place = start + 2
    if len(data) < place + 4 or data[start] not in (TEXT, PING, PONG) or data[start + 1] < MASKED:
        return 0, None
    length = data[start + 1] - MASKED
    if length == IN_TWO:
        length = int.from_bytes(data[place : place + 2], "big")
        place += 2
    end = place + 4 + length
    if length > most or end > len(data) or data[start + 1] == MASKED + IN_EIGHT:
        return 0, None
    if data[start] != TEXT:
        return end, None
    return end, apply_mask(data[place + 4 : end], data[place : place + 4])
