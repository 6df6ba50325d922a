"""Names: whatever people are called, in any script; never what nobody can see."""

import sys
import unicodedata

import pytest

from qwixx.core import names
from qwixx.core.errors import QwixxError
from qwixx.server.names import clean_name

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]
# Default_Ignorable_Code_Point and what else is drawn as nothing, from the Unicode tables;
# ranges with both ends.
UNSEEN = [
    (0x00, 0x20), (0x7F, 0xA0), (0xAD, 0xAD), (0x034F, 0x034F), (0x061C, 0x061C),
    (0x115F, 0x1160), (0x1680, 0x1680), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2000, 0x200F),
    (0x2028, 0x202F), (0x205F, 0x206F), (0x2800, 0x2800), (0x3000, 0x3000), (0x3164, 0x3164),
    (0xD800, 0xF8FF), (0xFDD0, 0xFDEF), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFC), (0xFFFE, 0xFFFF), (0x13441, 0x13442), (0x1BCA0, 0x1BCA3),
    (0x1D159, 0x1D159), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF), (0xF0000, 0x10FFFF),
]  # fmt: skip
PEOPLE = [
    "Zoë", "Ñandú", "Łukasz", "Ольга", "Ελένη", "דָּוִד", "مُحَمَّد", "علی\u200cرضا",
    "अनुष्का", "க்ஷேமா", "ශ්\u200dරී", "ສົມ", "ខ្មែរ", "မြန်မာ", "한글", "\u1112\u1161\u11ab",
    "さくら", "王小明", "𠮷野", "ⵜⴰⵏⵉⵔⵜ", "Ọlá", "O’Neill", "X Æ A-12", "7", "?", "♟", "😀",
    "👩\u200d🚀", "👨\u200d👩\u200d👧\u200d👦", "❤️", "🏳️\u200d🌈", "🇵🇱", "1️⃣", "👍🏽",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "\U0001fae8",
    "\u115f\u1161 ",
]  # fmt: skip


@pytest.mark.parametrize("name", PEOPLE)
def test_everybody_may_have_their_own_name(name: str) -> None:
    assert clean_name(f" {name} ") == names.tidy(name)


def test_every_letter_of_every_script_is_a_name() -> None:
    unseen = {chr(code) for first, last in UNSEEN for code in range(first, last + 1)}
    letters = [one for one in EVERY if unicodedata.category(one)[0] in "LN" and one not in unseen]
    assert len(letters) > 100_000
    assert [one for one in letters if not names.can_be_shown(one)] == []


def test_what_nobody_can_see_is_no_name() -> None:
    alone = [chr(code) for first, last in UNSEEN for code in range(first, last + 1)]
    marks = [one for one in EVERY if unicodedata.category(one)[0] == "M"]
    for one in (*alone, *marks):
        for name in (one, one * 3, f" {one} {one}"):
            assert not names.can_be_shown(names.tidy(name)), hex(ord(one))


@pytest.mark.parametrize(
    "pair", ["\u3164\u2800", "\u200d\ufe0f", "\u115f\u1160", "\u2800\u0301", "\u00ad\u034f"]
)
def test_nothing_and_nothing_is_still_nothing(pair: str) -> None:
    with pytest.raises(QwixxError, match="can be seen"):
        clean_name(pair)


@pytest.mark.parametrize(
    "name",
    [
        "a\u202eb",
        "a\u2066b",
        "a\u200fb",
        "a\x00b",
        "a\u200bb",
        "a\U000e0061",
        "🏴\U000e007f",
        "bot:me",
        "x" * 25,
    ],
)
def test_a_name_hides_nothing(name: str) -> None:
    with pytest.raises(QwixxError):
        clean_name(name)
