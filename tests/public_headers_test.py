"""Public headers: a test tries what a program may do to the library on entries of every section; one header includes all others; and
docs/api.md lists the contents of each."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from cpp_text import sections_of

HEADERS = sorted(ROOT.glob("include/fractile/*.hpp"))
UMBRELLA = "fractile"
#: A function or a class that begins a line.
DECLARED = re.compile(r"^(?:(?:class|struct) (\w+) [:{]|(?!//|#|using|template|namespace)[\w:<>,&*\[\] ]+?[ &*](\w+)\()", re.MULTILINE)


def declared(lines):
    return {name for pair in DECLARED.findall("\n".join(lines)) for name in pair if name}


class PublicHeaders(unittest.TestCase):
    def test_have_entries_of_every_section(self):
        entries = " ".join(source.read_text(encoding="utf-8") for source in ROOT.glob("tests/host/entr*.cpp"))
        called = set(re.findall(r"\w+", entries))
        for header in HEADERS:
            for begin, lines in sections_of(header.read_text(encoding="utf-8")) if header.stem != UMBRELLA else ():
                with self.subTest(f"{header.name}:{begin + 1}"):
                    names = declared(lines)
                    self.assertTrue(names & called, f"call one of these in tests/host/entries_of_*.cpp: {', '.join(sorted(names))}")

    def test_are_all_included_by_one(self):
        included = re.findall(r'#include "fractile/(\w+)\.hpp"', (ROOT / f"include/fractile/{UMBRELLA}.hpp").read_text(encoding="utf-8"))
        self.assertEqual(included, sorted([header.stem for header in HEADERS if header.stem != UMBRELLA] + ["version"]))

    def test_are_described(self):
        page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
        self.assertEqual([header.name for header in HEADERS if f"`{header.name}`" not in page], [])

    def test_have_the_members_of_the_vocabulary(self):
        """The table of docs/api.md that compares the names of the program, of C++ and of receipts."""
        page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
        rows = [line.split("|")[2:5] for line in page.split("# One vocabulary")[1].split("\n# ")[0].splitlines() if line.startswith("|")][2:]
        headers = "\n".join(header.read_text(encoding="utf-8") for header in HEADERS)
        options = "".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("requests/verbs/*")))
        python = (ROOT / "python/fractile/_release.py").read_text(encoding="utf-8").split("\ndef release(")[-1].split(") ->")[0]
        schema = (ROOT / "docs/receipt.schema.json").read_text(encoding="utf-8")
        for program, library, receipt in rows:
            for option in re.findall(r"`--([a-z-]+)`", program):
                field = option.replace("-", "_")
                self.assertTrue(f'"--{option}"' in options, option)
                self.assertTrue(re.search(rf"\b{field}:", python), field)
            for name, member in re.findall(r"`(\w+)::(\w+)`", library):
                declared_in = re.search(rf"^(?:struct|class) {name} {{.*?^}};", headers, re.MULTILINE | re.DOTALL)
                self.assertIsNotNone(declared_in, name)
                self.assertTrue(re.search(rf"\b{member}\b", declared_in[0]), f"{name}::{member}")
            for path in re.findall(r"`([a-z_.]+)`", receipt):
                for part in path.split("."):
                    self.assertTrue(f'"{part}":' in schema, path)


if __name__ == "__main__":
    unittest.main()
