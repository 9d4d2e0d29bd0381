"""The recipe of wheels contains every library that we link, with its license, and its checks detect what a wheel must not have."""

import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE / "tools" / "wheel"))

import wheel

ROWS = {name: (package, file, digest, licence, texts) for name, package, file, digest, licence, texts in wheel.libraries()}
# {a name in CMake files and includes: the rows of libraries.txt that it needs}
LINKED = {
    "gmp": ["gmp"], "mpfr": ["mpfr"], "flint": ["flint"], "arb": ["arb"], "clp": ["clp", "coinutils"], "coin": ["clp"],
    "openssl": ["openssl"], "sqlite3": ["sqlite"], "zlib": ["zlib"], "libzstd": ["zstd"], "bzip2": ["bzip2"], "liblzma": ["xz"],
    "hwy": ["highway"], "fmt": ["fmt"], "cli11": ["cli11"], "cli": ["cli11"],
    "rapidjson": ["rapidjson"], "toml++": ["tomlplusplus"],
}  # fmt: skip
ELSEWHERE = {"pkgconfig", "threads", "python", "nanobind", "gtest", "benchmark", "rapidcheck"}  # not libraries, or not part of a wheel
OURS = {"fractile", "sys", "linux", *(path.name for path in HOUSE.iterdir()), *(path.name for path in (HOUSE / "src").iterdir())}


def found_by_cmake():
    for path in (HOUSE / "cmake" / "dependencies.cmake", HOUSE / "cmake" / "library_dependencies.cmake", HOUSE / "python" / "CMakeLists.txt"):
        text = re.sub(r"#.*", "", path.read_text("utf-8"))
        yield from re.findall(r"find_package\((\w+)", text)
        yield from re.findall(r"pkg_check_modules\(\w+ \$\{fractile_required\} IMPORTED_TARGET (\w+)", text)
        yield from re.findall(r"find_library\(\w+ (?:NAMES )?(\w+)", text)
        yield from (name.removesuffix(".h") for name in re.findall(r"find_path\(\w+ ([\w+.]+)", text))


def included():
    for room in ("include", "src", "requests", "experiments", "cli", "python/core"):
        for path in (HOUSE / room).rglob("*.[ch]pp"):
            if not path.name.endswith("_test.cpp"):
                yield from re.findall(r"^ *# *include <([\w+]+)/", path.read_text("utf-8"), re.MULTILINE)


class Recipe(unittest.TestCase):
    def test_all_that_is_linked_is_in_it(self):
        names = {name.lower() for name in [*found_by_cmake(), *included()]} - ELSEWHERE - OURS
        self.assertGreater(len(names), 10)
        self.assertEqual(names - set(LINKED), set(), "a new library: give it a row in tools/wheel/libraries.txt, and name it here")
        needed = {row for name in names for row in LINKED[name]}
        self.assertEqual(needed, set(ROWS), "rows of tools/wheel/libraries.txt that are missing, or that nothing needs")

    def test_each_row_is_whole(self):
        recipe = (HOUSE / "tools" / "wheel" / "libraries.sh").read_text("utf-8")
        self.assertEqual(set(re.findall(r"^build_(\w+)\(\)", recipe, re.MULTILINE)), set(ROWS))
        for name, (package, file, digest, licence, texts) in ROWS.items():
            with self.subTest(name):
                self.assertRegex(digest, r"^[0-9a-f]{64}$")
                self.assertTrue(file.startswith(f"{package}_"))
                self.assertTrue(licence and all(texts))

    def test_the_notice_names_each_and_how_to_link_anew(self):
        notice = wheel.notice()
        for name, (_, file, _, licence, _) in ROWS.items():
            self.assertRegex(notice, rf"(?m)^  {name} +{re.escape(licence)} +{re.escape(file)}$")
        for part in (f"fractile-{wheel.version()}.tar.gz", "ziglang==", "nanobind==", "./dev wheel", "tools/wheel/libraries.txt"):
            self.assertIn(part, notice)
        lesser = {name for name, row in ROWS.items() if row[3].startswith("LGPL")}
        self.assertEqual(lesser, {"gmp", "mpfr", "flint", "arb"}, "the notice says whose source may be changed and linked anew")
        self.assertLessEqual(max(map(len, notice.splitlines())), 140)

    def test_the_newest_glibc_is_the_compilers(self):
        target = re.search(r"-target x86_64-linux-gnu\.([0-9.]+) -mcpu=baseline", (HOUSE / "tools" / "wheel" / "libraries.sh").read_text("utf-8"))
        self.assertEqual(target[1], ".".join(map(str, wheel.GLIBC)))
        self.assertIn(f"manylinux_{target[1].replace('.', '_')}_", wheel.PLATFORM)

    def test_a_python_without_its_lock_is_refused(self):
        """No such Python is installed here, so a script gives its answer."""
        with tempfile.TemporaryDirectory() as folder:
            python = Path(folder) / "python3.13t"
            for answer in ("0", "1"):
                python.write_text(f"#!/bin/sh\necho {answer}\n", "utf-8")
                python.chmod(0o755)
                command = ["cmake", f"-DPython_EXECUTABLE={python}", "-P", HOUSE / "cmake" / "ordinary_python.cmake"]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, int(answer), done.stderr)
                self.assertEqual(f"{python} is a free-threaded build of Python" in done.stderr, answer == "1")
        self.assertIn("include(cmake/ordinary_python.cmake)", (HOUSE / "CMakeLists.txt").read_text("utf-8"))

    def test_the_checks_see_faults(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fractile-0-cp311-cp311-linux_x86_64.whl"
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("fractile/__init__.py", "")
            self.assertEqual(list(wheel.faults_of(path)), ["it has 0 extension modules"])
            program = next(iter(re.findall(r"(/\S+/libstdc\+\+\.so\.6\S*|/\S+/libm[-.]\S*so\S*)", Path("/proc/self/maps").read_text())), "")
            if program:  # a library that exports many names
                with zipfile.ZipFile(path, "w") as archive:
                    archive.write(program, "fractile/_core.so")
                faults = "\n".join(wheel.faults_of(path))
                self.assertIn("it lacks licenses/gmp/COPYING.LESSERv3", faults)
                self.assertRegex(faults, r"it exports \d+ names")


if __name__ == "__main__":
    unittest.main()
