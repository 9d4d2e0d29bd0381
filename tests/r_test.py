"""The R package passes R's own check with its tests, and its receipts equal the program's, byte for byte."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli.program import HOUSE, PROGRAM, require_engine, run

PACKAGE = HOUSE / "r" / "fractile"
SAME = """
table <- read.csv("t.csv", check.names = FALSE)
release <- function(...) attr(fractile::fractile_release(..., unsafe_seed = 7), "receipt")
cat(release(table$x, c(0, 10), 0.1, epsilon = 0.1 + 0.2), file = "1.json")
cat(release(table, c(0, 10), "1/2", c("1/3", "0.5"), "ln 3", column = "x", by = "g", keys = c("a", "b"), person = "p",
            records_per_person = 2, expected_rows = 200, rates = "as-published", mechanism = "approximate"), file = "2.json")
cat(release("t.csv", c(0, 10), 1, "deciles", rho = 0.5, column = "x", public_rows = TRUE, no_interpolation = TRUE), file = "3.json")
"""


def setUpModule():
    if not shutil.which("Rscript"):
        raise unittest.SkipTest("R is not here")
    require_engine()


class RTest(unittest.TestCase):
    """Everything is written into a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "src" / "contrib").mkdir(parents=True)
        (self.folder / "src" / "contrib" / "PACKAGES").touch()
        profile = self.folder / "profile.R"  # the check would contact a repository, which the test avoids
        profile.write_text(f'options(repos = c(CRAN = "file://{self.folder}"))\n')
        self.found = os.environ | {"FRACTILE": str(PROGRAM), "R_LIBS": folder.name, "LC_ALL": "C.UTF-8", "R_PROFILE_USER": str(profile)}

    def r(self, *words):
        done = subprocess.run(
            words, cwd=self.folder, env=self.found, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=400, check=False
        )
        said = done.stdout.decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, said)
        return said

    def test_check(self):
        self.r("R", "CMD", "build", str(PACKAGE))
        archive = next(self.folder.glob("fractile_*.tar.gz"))
        said = self.r("R", "CMD", "check", "--no-manual", archive.name)
        logs = "".join(path.read_text("utf-8") for path in sorted(self.folder.glob("fractile.Rcheck/tests/*.Rout*")))
        self.assertNotRegex(said, r"(?m)(ERROR|WARNING)$", said + logs)
        self.assertIn("Running ‘program.R’", said)
        self.assertNotIn("skipped: ", logs.replace('cat("skipped: ', ""))

    def test_receipts_are_the_programs(self):
        self.r("R", "CMD", "INSTALL", f"--library={self.folder}", str(PACKAGE))
        rows = [f"{i * 7 % 97 / 10},{'ab'[i % 2]},{i % 60}" for i in range(300)]
        (self.folder / "t.csv").write_text("x,g,p\n" + "\n".join(rows) + "\n")
        self.r("Rscript", "-e", SAME)
        table = (self.folder / "t.csv").read_bytes()
        usual = ("--unsafe-seed", "7", "--format", "json", "--column", "x", "--bounds", "0", "10", "--step")
        for number, words in enumerate((
            ("-", *usual, "0.1", "--epsilon", "0.3"),
            ("-", *usual, "1/2", "--quantiles", "1/3,0.5", "--epsilon", "ln 3", "--by", "g", "--keys", "a,b", "--person", "p",
             "--records-per-person", "2", "--expected-rows", "200", "--rates", "as-published", "--mechanism", "approximate"),
            ("t.csv", *usual, "1", "--quantiles", "deciles", "--rho", "0.5", "--public-rows", "--no-interpolation"),
        ), 1):  # fmt: skip
            with self.subTest(number):
                expected = run("release", *words, stdin=table, cwd=self.folder)
                self.assertEqual(expected.code, 0, expected.err)
                self.assertEqual((self.folder / f"{number}.json").read_bytes().decode(), expected.out)


if __name__ == "__main__":
    unittest.main()
