#!/usr/bin/env python3
"""Makes wheels that need nothing from a machine except its C library, and the source distribution: ./dev wheel.

    wheel.py [--python WHICH ...]   wheels into build/wheels; WHICH is 3.10, 3.11, abi3 (for 3.12 and newer) or the path of an
                                    interpreter (default: those of the three that are installed)
    wheel.py --sdist                the source distribution instead
    wheel.py --check WHEEL ...      checks wheels only

README.md in this folder says how and why.
"""

import argparse
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOUSE = HERE.parent.parent
FOLDER = HOUSE / "build" / "wheel-deps"
TOOLS = FOLDER / "tools"  # nanobind, scikit-build-core and zig, used by every Python
NOTICES = FOLDER / "notices"
WHEELS = HOUSE / "build" / "wheels"
PLATFORM = "manylinux_2_28_x86_64"
GLIBC = (2, 28)
MEGABYTES = 15
WHICH = ("3.10", "3.11", "abi3")
NEEDED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}


def say(text):
    print(f"wheel: {text}", file=sys.stderr, flush=True)


def fail(text):
    sys.exit(f"wheel: {text}")


# --- What a wheel is made with --------------------------------------------------------------------------------------


def fetch_tools():
    """Fetches the packages of requirements.txt into a folder that is on the path of each Python in turn."""
    wanted = (HERE / "requirements.txt").read_text("utf-8")
    mark = TOOLS / "requirements.txt"
    if mark.is_file() and mark.read_text("utf-8") == wanted:
        return
    say("fetching zig, the compiler, and what builds the package (90 MB)")
    shutil.rmtree(TOOLS, ignore_errors=True)
    pip = FOLDER / "venv" / "bin" / "pip"
    if not pip.is_file():
        subprocess.run([sys.executable, "-m", "venv", FOLDER / "venv"], check=True)
    subprocess.run(
        [pip, "install", "--quiet", "--disable-pip-version-check", "--target", TOOLS, "--requirement", HERE / "requirements.txt"],
        check=True,
    )
    mark.write_text(wanted, "utf-8")


def interpreter(which):
    """The interpreter that `which` names; "" if it is not installed."""
    if os.sep in which:
        return which if shutil.which(which) and runs(which) else ""
    found = []
    for version in ("3.12", "3.13", "3.14") if which == "abi3" else (which,):
        found.append(shutil.which(f"python{version}") or "")
        found += sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python{version}")))
    return next((path for path in found if path and runs(path)), "")


def runs(path):
    """Whether the interpreter runs: a name on the path may be a placeholder of a version manager."""
    return subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0


def tag_of(python):
    done = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True)
    major, minor = map(int, done.stdout.split())
    if (major, minor) < (3, 10):
        fail(f"{python} is older than 3.10")
    return "cp312-abi3" if minor >= 12 else f"cp{major}{minor}-cp{major}{minor}"


# --- Notices --------------------------------------------------------------------------------------------------------


def libraries():
    """The rows of libraries.txt: (name, package, file, hash, license, [files of its license])."""
    for line in (HERE / "libraries.txt").read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            *cells, texts = line.split()
            yield (*cells, texts.split(","))


def pinned(name):
    return next(line for line in (HERE / "requirements.txt").read_text("utf-8").splitlines() if line.startswith(name + "=="))


def version():
    return re.search(r"project\(fractile VERSION ([0-9.]+)", (HOUSE / "CMakeLists.txt").read_text("utf-8"))[1]


def notice():
    """NOTICE.txt, filled in from libraries.txt."""
    rows = [("", "LICENCE", "SOURCE")]
    rows += [(name, licence, file) for name, _, file, _, licence, _ in libraries()]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    table = "\n".join(f"  {name:<{widths[0]}}  {licence:<{widths[1]}}  {file}" for name, licence, file in rows)
    return (HERE / "NOTICE.txt").read_text("utf-8").format(
        libraries=table, compiler=pinned("ziglang"), binding=pinned("nanobind"), version=version()
    )  # fmt: skip


def write_notices():
    """Writes the notice, and the licenses' texts from the sources from which the libraries were built."""
    shutil.rmtree(NOTICES, ignore_errors=True)
    NOTICES.mkdir(parents=True)
    (NOTICES / "NOTICE.txt").write_text(notice(), "utf-8")
    kept = {f"{name}/{Path(text).name}": FOLDER / "src" / name / text for name, *_, texts in libraries() for text in texts}
    zig = TOOLS / "ziglang"
    kept |= {f"llvm/{name}.txt": zig / "lib" / name / "LICENSE.TXT" for name in ("libcxx", "libcxxabi", "libunwind")}
    kept |= {"zig/LICENSE": zig / "LICENSE", "glibc/LICENSES": zig / "lib" / "libc" / "glibc" / "LICENSES"}
    kept["nanobind/LICENSE"] = next(TOOLS.glob("nanobind-*.dist-info/licenses/LICENSE"))
    for name, source in kept.items():
        (NOTICES / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(source, NOTICES / name)


# --- Making ---------------------------------------------------------------------------------------------------------

_HOOK = """
import json, sys
from scikit_build_core.build import build_sdist, build_wheel
kind, folder, settings = json.loads(sys.argv[1])
(build_wheel if kind == "wheel" else build_sdist)(folder, settings)
"""


def make(python, kind, settings):
    """Makes `python` build as pip would; the result goes to build/wheels."""
    environment = os.environ | {"PYTHONPATH": str(TOOLS), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CMAKE_CXX_COMPILER_LAUNCHER"):
        environment.pop(name, None)
    WHEELS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WHEELS) as folder:
        asked = json.dumps([kind, folder, settings])
        if subprocess.run([python, "-c", _HOOK, asked], cwd=HOUSE, env=environment, stdout=sys.stderr, check=False).returncode != 0:
            fail(f"the {kind} does not build")
        (path,) = Path(folder).iterdir()
        if kind == "wheel":
            check(path)
        return path.replace(WHEELS / path.name)


def make_wheel(python):
    tag = tag_of(python)
    say(f"building the wheel {tag} with {python}")
    settings = {
        "build-dir": "build/wheel",  # one folder for all Pythons, so that the library is compiled once
        "wheel.tags": f"{tag}-{PLATFORM}",
        "cmake.define.CMAKE_TOOLCHAIN_FILE": str(HERE / "toolchain.cmake"),
        "cmake.define.FRACTILE_NOTICES": str(NOTICES),
    }
    if "JOBS" in os.environ:
        settings["build.tool-args"] = f"-j{os.environ['JOBS']}"
    return make(python, "wheel", settings)


# --- Checking -------------------------------------------------------------------------------------------------------


def faults_of(wheel):
    """The faults of a wheel: what it has and must not have, and what it lacks."""
    if wheel.stat().st_size >= MEGABYTES * 1_000_000:
        yield f"it has {wheel.stat().st_size / 1e6:.1f} MB; {MEGABYTES} are allowed"
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        modules = [name for name in names if name.startswith("fractile/_core") and name.endswith(".so")]
        if len(modules) != 1:
            yield f"it has {len(modules)} extension modules"
            return
        wanted = ["LICENSE", "NOTICE.txt"] + [f"{name}/{Path(text).name}" for name, *_, texts in libraries() for text in texts]
        yield from (f"it lacks licenses/{text}" for text in wanted if not any(name.endswith(f"/licenses/{text}") for name in names))
        module = archive.extract(modules[0], folder)
        yield from faults_of_module(module)


def faults_of_module(module):
    def said(*words):
        return subprocess.run([*words, module], capture_output=True, text=True, check=True).stdout

    dynamic = said("readelf", "-dW")
    foreign = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) - NEEDED
    if foreign:
        yield f"it needs {', '.join(sorted(foreign))}"
    if re.search(r"\((RPATH|RUNPATH|TEXTREL)\)", dynamic):
        yield "it has a path to libraries, or text that is relocated"
    symbols = said("objdump", "-T")
    versions = {tuple(map(int, number.split("."))) for number in re.findall(r"GLIBC_([0-9.]+)", symbols)}
    if max(versions) > GLIBC:
        yield f"it needs glibc {'.'.join(map(str, max(versions)))}"
    exported = {line.split()[-1] for line in symbols.splitlines() if re.search(r"^[0-9a-f]{16} .{7} \.", line)}
    if exported != {"PyInit__core"}:
        yield f"it exports {len(exported)} names: {', '.join(sorted(exported)[:5])}"
    if str(HOUSE).encode() in Path(module).read_bytes():
        yield f"it names this machine's folder {HOUSE}"


def check(wheel):
    faults = list(faults_of(wheel))
    if faults:
        fail("\n  ".join([f"{wheel.name} is not as a wheel must be:", *faults]))


def main():
    parser = argparse.ArgumentParser(prog="./dev wheel", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="+", metavar="WHICH")
    parser.add_argument("--sdist", action="store_true")
    parser.add_argument("--check", nargs="+", metavar="WHEEL", type=Path)
    arguments = parser.parse_args()
    if arguments.check:
        for wheel in arguments.check:
            check(wheel)
            print(wheel)
        return
    pythons = {which: interpreter(which) for which in arguments.python or WHICH}
    absent = [which for which, python in pythons.items() if not python]
    if arguments.python and absent:
        fail(f"no Python {', '.join(absent)} is here; give the path of one")
    if platform.machine() != "x86_64" and not arguments.sdist:
        fail(f"wheels are made on x86-64, not on {platform.machine()}")
    fetch_tools()
    if arguments.sdist:
        print(make(sys.executable, "sdist", {}))
        return
    subprocess.run([HERE / "libraries.sh", FOLDER], check=True)
    write_notices()
    for python in filter(None, pythons.values()):
        wheel = make_wheel(python)
        print(f"{wheel}  {wheel.stat().st_size / 1e6:.1f} MB")
    for which in absent:
        say(f"no Python {which} is here; its wheel was not made")


if __name__ == "__main__":
    main()
