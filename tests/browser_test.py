"""Pages in a real browser (Debian's Chromium, without a window). They request nothing, and nothing is cut off or overlaps. Each is tested
at three widths, in light and dark, and printed; axe-core and html-validate find no fault. The elements of two pages are as they were
recorded; FRACTILE_RECORD=1 records them again. FRACTILE_SCREENSHOTS=DIR keeps pictures for viewing."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli.pages_test import ABOUT
from cli.publish_page_test import FILE as EARNINGS, MARKS, payroll
from cli.program import CommandTest, HOUSE, require_engine, run

HERE = Path(__file__).resolve().parent / "browser"
MODULES = Path(os.environ.get("FRACTILE_BROWSER_MODULES", HOUSE / "build" / "deps" / "browser"))
RECEIPTS = HOUSE / "fuzz" / "corpus" / "fuzz_receipt"


def setUpModule():
    require_engine()
    if browser() is None or shutil.which("node") is None or not (MODULES / "node_modules" / "playwright-core").exists():
        raise unittest.SkipTest("no browser is here: ./dev test fetches Chromium, Node and what drives them")


def browser():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class BrowserTest(CommandTest):
    def look(self, pages):
        """What look.mjs finds on each page; `pages` maps names to texts."""
        for name, text in pages.items():
            self.write(name + ".html", text)
        plan = {"modules": str(MODULES), "browser": browser(), "pages": [str(self.folder / f"{name}.html") for name in pages],
                "shots": os.environ.get("FRACTILE_SCREENSHOTS", "")}
        self.write("plan.json", json.dumps(plan))
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["node", HERE / "look.mjs", self.folder / "plan.json"], capture_output=True, timeout=600,
                                  env={**os.environ, "HOME": home}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        return dict(zip(pages, json.loads(done.stdout)))

    def of(self, *arguments, codes=(0,)):
        result = run(*arguments, cwd=self.folder)
        self.assertIn(result.code, codes, result)
        return result.out


class Pages(BrowserTest):
    def pages(self):
        self.write("about.toml", ABOUT)
        self.write("people.csv", "age,sex\n" + "".join(f"{20 + i * i % 60},{'fm'[i % 2]}\n" for i in range(2000)))
        self.write("groups.csv", "x,g\n" + "".join(f"{i % 50},group {i * 7 % 90}\n" for i in range(9000)))
        self.write("keys.txt", "".join(f"group {i}\n" for i in range(90)))
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "2", "--null", "error", "--public-rows")
        ages = ["--column", "age", "--bounds", "0", "125", "--step", "1", "--epsilon", "1/2", "--format", "html"]
        few = ["--quantiles", "deciles", *ages]
        self.write("marked.toml", EARNINGS.format(epsilon=2, quantiles='"median"', totals='"all"') + MARKS)
        self.write("many.toml", EARNINGS.format(epsilon=2, quantiles='"deciles"', totals='[["region"]]'))
        self.write("payroll.csv", payroll())
        for name in ("marked", "many"):
            self.of("publish", f"{name}.toml", "--output", "tables")
        self.of("ledger", "init", "long.db", "--dataset", "employees", "--epsilon", "3", "--person", "id", "--records-per-person", "2")
        self.of("publish", "marked.toml", "--ledger", "long.db", "--output", "paid")
        flow = str(HOUSE / "examples" / "flow" / "known_others.toml")
        return {
            "release": self.of("release", "people.csv", *few, "--null", "error", "--public-rows", "--about", "about.toml", "--ledger", "l.db"),
            "intervals": self.of("release", "people.csv", *few, "--expected-rows", "2000", "--intervals", "0.9", "--public"),
            "few_groups": self.of("release", "people.csv", *few, "--by", "sex", "--keys", "f,m,<unknown & other>"),
            "wide_groups": self.of("release", "people.csv", "--quantiles", "percentiles", *ages, "--by", "sex", "--keys", "f,m"),
            "groups": self.of("release", "groups.csv", "--column", "x", "--by", "g", "--keys-file", "keys.txt", "--bounds", "0", "100000",
                              "--step", "1", "--epsilon", "1", "--format", "html"),
            "tables": (self.folder / "tables" / "marked.html").read_text(),
            "many_tables": (self.folder / "tables" / "many.html").read_text(),
            "plan": self.of("plan", "--bounds", "0", "500000", "--step", "1", "--rho", "1/8", "--quantiles", "deciles", "--format", "html"),
            "ledger": self.of("ledger", "show", "l.db", "--format", "html"),
            "long_ledger": self.of("ledger", "show", "long.db", "--format", "html"),  # once, printing cut off the queries
            "check": self.of("flow", "check", flow, "--epsilon", "0.1..3", "--format", "html", codes=(1,)),
            "sweep": self.of("flow", "sweep", flow, "--epsilon", "0.1..3", "--points", "20", "--format", "html"),
        }

    def test_pages_are_well(self):
        for name, result in self.look(self.pages()).items():
            with self.subTest(name):
                self.assertEqual(result["wrong"], [])

    def test_what_is_wrong_is_found(self):
        """This page breaks every rule once, which shows that the test above can fail."""
        page = self.of("explain", str(RECEIPTS / "pure.json"), "--format", "html")
        broken = page.replace("</main>", '<img src="https://example.invalid/x.png"><p id="receipt" style="color:red">.</p>'
                              '<div class="w">' + "x" * 30 + '</div><svg viewBox="0 0 10 10" role="img" aria-labelledby="no">'
                              '<text x="0" y="5">cut</text><text x="0" y="5">twice</text></svg></main>')
        found = "\n".join(self.look({"broken": broken})["broken"]["wrong"])
        for part in ("axe: image-alt", "console: ", "leaves the figure", "overlap", "html-validate: no-dup-id"):
            self.assertIn(part, found)


class Recorded(BrowserTest):
    def test_elements(self):
        names = ("pure", "groups")
        pages = {name: self.of("explain", str(RECEIPTS / f"{name}.json"), "--format", "html") for name in names}
        for name, result in self.look(pages).items():
            path = HERE / f"{name}.txt"
            lines = "\n".join(result["lines"]) + "\n"
            if os.environ.get("FRACTILE_RECORD"):
                path.write_text(lines, encoding="utf-8")
            with self.subTest(name):
                self.assertEqual(lines, path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
