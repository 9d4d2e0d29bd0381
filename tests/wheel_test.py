"""Wheels that ./dev wheel made: each installs by itself, is small and quick, gives the same bytes as the program here, and passes the
package's tests in a Debian without a compiler or our libraries. Skipped if none has been made since the sources changed."""

import array
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HOUSE / "tools" / "wheel"), str(HOUSE / "tests" / "recorded")]

import cases
import wheel

PROGRAM = Path(os.environ.get("FRACTILE_CLI", HOUSE / "build" / "dev" / "fractile")).resolve()
ENGINE = os.environ.get("FRACTILE_DUCKDB", "")
ROOT = HOUSE / "build" / "wheel-root"
SOURCES = ("CMakeLists.txt", "cmake", "include", "src", "requests", "experiments", "cli", "python/core", "python/fractile", "tools/wheel")
EXAMPLE = """
import fractile
ages = [34, 51, 28, 47, 62] * 200
r = fractile.release(ages, bounds=(0, 125), step=1, epsilon=1)
print(r[0.5], r.cost)
print(fractile.plan(bounds=(0, 125), step=1, quantiles="deciles", epsilon=1, expected_rows=50_000).quantiles[4].worst_case)
"""


def made():
    """The wheels that exist, and for each the Python that can test it."""
    found = {}
    for path in sorted((HOUSE / "build" / "wheels").glob("fractile-*.whl")):
        tag = path.name.split("-")[2]
        python = wheel.interpreter("abi3" if tag == "cp312" else f"3.{tag[3:]}")
        if python:
            found[path] = python
    return found


def setUpModule():
    wheels = made()
    if not wheels:
        raise unittest.SkipTest("no wheel has been made: ./dev wheel")
    files = [path for name in SOURCES for path in ([HOUSE / name] if (HOUSE / name).is_file() else (HOUSE / name).rglob("*"))]
    newest = max((path for path in files if path.is_file() and "__pycache__" not in path.parts), key=lambda path: path.stat().st_mtime)
    if newest.stat().st_mtime > min(path.stat().st_mtime for path in wheels):
        raise unittest.SkipTest(f"no wheel has been made since {newest.relative_to(HOUSE)} changed: ./dev wheel")


def clean(**more):
    """The environment without variables that lead to this repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FRACTILE", "PYTHON", "LD_"))}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1"} | more


def installed(path, python, folder):
    """Makes an environment that contains only this wheel, and returns its folder of programs."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True, env=clean())
    programs = Path(folder) / "bin"
    where = subprocess.run(
        [programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], stdout=subprocess.PIPE, text=True, check=True
    )
    pip = [python, "-m", "pip", f"--python={programs / 'python'}", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    subprocess.run([*pip, path], check=True, env=clean())
    assert (Path(where.stdout.strip()) / "fractile").is_dir()
    return programs


def waiting_in(pipe):
    """The number of bytes that have not been read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def interrupted(program):
    """Interrupts a release that waits for rows by Ctrl-C. Returns its exit code and what it printed."""
    words = "release - --column x --bounds 0 9 --step 1 --epsilon 1".split()
    release = subprocess.Popen(
        [program, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean(FRACTILE_DUCKDB=ENGINE),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores SIGINT
    )
    release.stdin.write(b"x\n1\n")
    release.stdin.flush()
    end = time.monotonic() + 120
    while waiting_in(release.stdin) and time.monotonic() < end:  # wait until it reads, however long it takes to start
        time.sleep(0.05)
    time.sleep(0.5)
    release.send_signal(signal.SIGINT)
    code = release.wait(60)  # its input is still open
    said = release.stdout.read(), release.stderr.read()
    for pipe in (release.stdin, release.stdout, release.stderr):
        pipe.close()
    return code, *said


class Wheels(unittest.TestCase):
    def each(self):
        for path, python in made().items():
            with tempfile.TemporaryDirectory() as folder:
                print(path.name, flush=True)
                yield path, python, Path(folder)

    def test_as_they_must_be(self):
        for path, _, _ in self.each():
            self.assertEqual(list(wheel.faults_of(path)), [])

    def test_each_installs_alone(self):
        for path, python, folder in self.each():
            programs = installed(path, python, folder / "venv")
            done = subprocess.run(
                [programs / "python", "-c", EXAMPLE], cwd=folder, env=clean(), capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^\d+ epsilon = 1\b.*\n\d+\n$")

    def test_the_program_is_the_programs_byte_for_byte(self):
        """Runs sixty of the recorded command lines that draw, and the other command lines of their cases."""
        drawn = [case for case in cases.cases() if any("--unsafe-seed" in command for command in case.commands)]
        chosen = drawn[:: len(drawn) // 60][:60]
        self.assertEqual(len(chosen), 60)
        if not PROGRAM.is_file() or not ENGINE:
            self.skipTest("the program or the engine is not here")
        for path, python, folder in self.each():
            programs = installed(path, python, folder / "venv")
            tables = folder / "tables"
            tables.mkdir()
            cases.write_tables(tables)
            for case in chosen:
                for command in case.commands:
                    ran = [
                        subprocess.run([program, *command], cwd=tables, capture_output=True, env=clean(FRACTILE_DUCKDB=ENGINE), check=False)
                        for program in (PROGRAM, programs / "fractile")
                    ]
                    self.assertEqual(ran[0].returncode, 0, ran[0].stderr)
                    self.assertEqual((ran[0].stdout, ran[0].stderr), (ran[1].stdout, ran[1].stderr), command)

    def test_codes_and_ctrl_c_are_the_programs(self):
        if not PROGRAM.is_file() or not ENGINE:
            self.skipTest("the program or the engine is not here")
        for path, python, folder in self.each():
            both = (PROGRAM, installed(path, python, folder / "venv") / "fractile")
            for words in (["release"], ["--version"], ["flow", "check", "nowhere.toml"]):
                ran = [subprocess.run([program, *words], cwd=folder, capture_output=True, env=clean(), check=False) for program in both]
                self.assertEqual((ran[0].returncode, ran[0].stdout, ran[0].stderr), (ran[1].returncode, ran[1].stdout, ran[1].stderr))
            ended = [interrupted(program) for program in both]
            self.assertEqual(ended[0], ended[1])
            self.assertNotEqual(ended[0][0], 0)

    def test_the_packages_tests_pass_in_a_fresh_debian(self):
        if os.geteuid() != 0 or not ROOT.is_dir():
            self.skipTest("no fresh Debian is here: tools/wheel/fresh_root.sh build/wheel-root makes one, as root")
        for path, python, _ in self.each():
            done = subprocess.run([HOUSE / "tools" / "wheel" / "test_in_root.sh", ROOT, path, python], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])
            self.assertRegex(done.stdout, r"\d+ passed")


if __name__ == "__main__":
    unittest.main()
