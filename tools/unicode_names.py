#!/usr/bin/env python3
"""Writes src/ledger/unicode_names.hpp, the tables that decide whether a name is in Unicode's normal form C.

    unicode_names.py > src/ledger/unicode_names.hpp
"""

import unicodedata

CHARACTERS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
HANGUL = range(0xAC00, 0xD7A4)  # a name must not contain the parts of these syllables
LATIN_MARKS = range(0x300, 0x370)  # a name must not contain these marks


def in_form_c(c):
    return unicodedata.normalize("NFC", chr(c)) == chr(c)


def pairs():
    """The pairs of characters that are one character in the normal form."""
    for c in CHARACTERS:
        parts = unicodedata.decomposition(chr(c)).split()
        if len(parts) != 2 or parts[0].startswith("<") or not in_form_c(c) or c in HANGUL:
            continue
        first, second = (int(part, 16) for part in parts)
        if second not in LATIN_MARKS:
            yield first, second


def is_reordered(mark, joins):
    """Whether a mark at another place can stand between this mark and a letter that it combines with."""
    place = unicodedata.combining(chr(mark))
    letters = {first for first, second in joins if second == mark}
    return place > 0 and any(unicodedata.combining(chr(second)) not in (0, place) for first, second in joins if first in letters)


def ranges(characters, kind=lambda c: None):
    found = []
    for c in characters:
        if found and found[-1][1] == c - 1 and found[-1][2] == kind(c):
            found[-1][1] = c
        else:
            found.append([c, c, kind(c)])
    return found


def array(comment, kind, name, items):
    text = f"/// {comment}\nconstexpr std::array<{kind}, {len(items)}> {name}{{{{\n"
    line = "   "
    for item in items:
        cell = f" {kind}{{{', '.join(item)}}},"
        if len(line) + len(cell) > 120:
            text += line + "\n"
            line = "   "
        line += cell
    return text + line + "\n}};\n"


def main():
    joins = list(pairs())
    joining = [mark for mark in sorted({second for _, second in joins}) if is_reordered(mark, joins)]
    marks = [c for c in CHARACTERS if unicodedata.combining(chr(c))]
    print(f"""// Written by tools/unicode_names.py from the tables of Unicode {unicodedata.unidata_version}; do not edit.
#pragma once

#include <array>
#include <cstdint>

namespace fractile::ledger_detail {{

struct Range {{
  std::uint32_t first;
  std::uint32_t last;
}};

struct Marks {{
  std::uint32_t first;
  std::uint32_t last;
  unsigned place;  ///< the canonical combining class: marks on one letter stand in its order
}};

struct Pair {{
  std::uint32_t first;
  std::uint32_t second;
}};

// clang-format off""")
    print(array("Characters for which the normal form has others.", "Range", "rewritten",
                [(f"{a:#x}", f"{b:#x}") for a, b, _ in ranges(c for c in CHARACTERS if not in_form_c(c))]))
    print(array("Marks that the normal form may put together with a letter before them, and others between them.", "Range",
                "joining_marks", [(f"{a:#x}", f"{b:#x}") for a, b, _ in ranges(joining)]))
    print(array("Other pairs that it composes when they are side by side.", "Pair", "composed",
                [(f"{a:#x}", f"{b:#x}") for a, b in joins if b not in joining]))
    print(array("All marks.", "Marks", "all_marks",
                [(f"{a:#x}", f"{b:#x}", str(k)) for a, b, k in ranges(marks, lambda c: unicodedata.combining(chr(c)))]))
    print("// clang-format on\n\n}  // namespace fractile::ledger_detail")


if __name__ == "__main__":
    main()
