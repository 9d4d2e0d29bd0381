"""The README's commands run one after another, as written, in a folder with the files that the README says to copy."""

import os
import random
import re
import shutil
import subprocess
import sys
import unittest

from cli.program import HOUSE, PROGRAM, PROGRESS, CommandTest, require_engine

setUpModule = require_engine

README = (HOUSE / "README.md").read_text(encoding="utf-8")
VERDICTS = (0, 1, 6)  # exit codes of flow: stable, unstable, undecided
ELSEWHERE = ("./dev", "alias", "cp ", "fractile reproduce")  # commands that build, and experiments on data that are not shipped


def blocks(language):
    return [text for its, text in re.findall(r"(?ms)^```(\w*)\n(.*?)^```$", README) if its == language]


def commands():
    """Yields each command and the lines that the README shows after it: all of its output, or the lines before "..."."""
    for block in blocks(""):
        command, shown = "", []
        for line in block.splitlines():
            line = line.removeprefix("$ ")
            if command.endswith("\\"):
                command = command.removesuffix("\\") + line.strip()
            elif re.match(r"(?:fractile|gzip|\./dev|alias|cp) ", line):
                if command:
                    yield command, shown
                command, shown = line, []
            else:
                shown.append(line)
        if re.match(r"(?:fractile|gzip) ", command):
            yield command, shown


def made_wages(publication):
    """Made-up wages with the columns of the public table and all cells that the publication lists."""
    numbers = random.Random(1)
    states = re.findall(r'"([^"]+)"', re.search(r"(?s)^state = \[(.*?)\]", publication, re.M)[1])
    schooling = re.findall(r"(?m)^(\d+) = ", publication)
    rows = [f"{numbers.lognormvariate(6.5, 0.6):.2f},{numbers.choice(schooling)},{i % 40},{numbers.choice(states)}" for i in range(29_501)]
    return "\n".join(["weekly_wage,education,experience,state", *rows, ""])


class Readme(CommandTest):
    def setUp(self):
        super().setUp()
        for copied in re.search(r"(?m)^cp ((?:\S+\.csv )+)\. ", README)[1].split():
            shutil.copy(HOUSE / copied, self.folder)
        publication = (HOUSE / "examples" / "wages.toml").read_text(encoding="utf-8")
        self.write("wages.toml", publication)
        self.write("wages.csv", made_wages(publication))  # ./dev demo would fetch the public wages
        pipelines = blocks("toml")
        self.assertEqual(len(pipelines), 1)
        self.write(re.search(r"# (\w+\.toml)$", pipelines[0], re.M)[1], pipelines[0])
        (self.folder / "fractile").symlink_to(PROGRAM)

    def run_in_shell(self, command):
        return subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})

    def test_commands_in_their_order(self):
        run = [each for each in commands() if not each[0].startswith(ELSEWHERE)]
        self.assertGreaterEqual(len(run), 20)
        for command, shown in run:
            with self.subTest(command=command):
                printed = shown and command.startswith(("fractile flow", "fractile plan"))
                done = self.run_in_shell(command + " --format table" * bool(printed))
                self.assertIn(done.returncode, VERDICTS if command.startswith("fractile flow") else (0,), done.stderr)
                self.assertEqual(PROGRESS.sub("", done.stderr), "")
                self.assertTrue(done.stdout or " > " in command)
                if printed:
                    self.assert_shown(shown, done.stdout.splitlines())

    def assert_shown(self, shown, printed):
        """Requires that the shown lines that no draw decides occur in the output, in their order."""
        rest = iter(printed)
        for line in shown:
            if line != "...":
                self.assertIn(line, rest)

    def test_the_people_are_made_by_their_script(self):
        subprocess.run([sys.executable, HOUSE / "examples" / "make_people.py", self.folder], check=True)
        for name in ("people.csv", "visits.csv"):
            self.assertEqual((self.folder / name).read_bytes(), (HOUSE / "examples" / name).read_bytes())


if __name__ == "__main__":
    unittest.main()
