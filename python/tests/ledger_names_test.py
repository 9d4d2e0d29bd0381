"""No two names that a ledger accepts have the same normal form C in Unicode."""

import random
import unicodedata

import fractile
import pytest

MARKS = [c for c in map(chr, range(0x250, 0x1F000)) if unicodedata.combining(c)]
MADE_OF_TWO = [
    c
    for c in map(chr, range(0xA0, 0x20000))
    if not "\uac00" <= c <= "\ud7a3" and len(unicodedata.decomposition(c).split()) == 2 and "<" not in unicodedata.decomposition(c)
]
REWRITTEN = [c for c in map(chr, range(0xA0, 0x30000)) if not "\ud800" <= c <= "\udfff" and unicodedata.normalize("NFC", c) != c]


def is_taken(ledger, name):
    try:
        ledger.init(name, epsilon=1)
        return True
    except fractile.UsageError:
        return False


@pytest.fixture
def ledger(tmp_path):
    return fractile.Ledger(tmp_path / "budget.db")


def test_characters_that_it_replaces_are_refused(ledger):
    assert [hex(ord(c)) for c in REWRITTEN if is_taken(ledger, "a" + c)] == []


def test_characters_that_it_puts_together_are_refused(ledger):
    pairs = ["".join(chr(int(part, 16)) for part in unicodedata.decomposition(c).split()) for c in MADE_OF_TWO if c not in REWRITTEN]
    assert len(pairs) > 800
    assert [ascii(pair) for pair in pairs if is_taken(ledger, pair)] == []


def test_whatever_is_taken_is_its_own_form(ledger):
    """The names consist of letters and of marks that may combine with them, in any order."""
    draw = random.Random(1)
    taken = 0
    for i in range(150):
        letters = draw.choices([*MADE_OF_TWO, "a", "\u0e1a", "\u0928", "\u304b", "\u0628", "\u09c7", "\u0dd9"], k=2)
        marks = [draw.choice(MARKS) for _ in range(draw.randrange(3))]
        name = f"{i}" + letters[0] + "".join(marks) + letters[1]
        if is_taken(ledger, name):
            taken += 1
            assert unicodedata.normalize("NFC", name) == name, ascii(name)
    assert taken > 5


def test_names_as_people_write_them_are_taken(ledger):
    for name in ("ärzte", "Ångström", "姓名", "서울", "がくせい", "ज़िला", "নাম", "தமிழ்நாடு", "ශ්රී", "นักเรียนอยู่", "مدرسة", "שלום", "Ελλάδα"):
        assert is_taken(ledger, unicodedata.normalize("NFC", name)), name
        # Refused, because the name is taken already or is not in normal form C.
        assert not is_taken(ledger, unicodedata.normalize("NFD", name)), name
