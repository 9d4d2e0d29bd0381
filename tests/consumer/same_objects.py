"""python3 same_objects.py BUILD CONSUMER FOLDER: links in FOLDER, by their names in the build folder CONSUMER, the objects that BUILD has
compiled from the same sources by the same commands. Commands may still differ in optimization, symbols, assertions of the standard library,
precompiled headers, whether warnings are errors, and where the build is: a consuming project decides none of these."""

import json
import re
import shlex
import sys
from pathlib import Path

IGNORED = re.compile(r"-O\w?|-g\d?|-D_GLIBCXX_ASSERTIONS|-Winvalid-pch|-Werror")
IGNORED_WITH_VALUE = {"--param", "-include", "-o"}


def commands(folder, ours):
    """{(source, options that determine the object): object} for all that is compiled in `folder`, where `ours` is the place of our
    build."""
    found = {}
    for entry in json.loads((folder / "compile_commands.json").read_text(encoding="utf-8")):
        kept, output = [], None
        words = iter(shlex.split(entry["command"]))
        for word in words:
            if word in IGNORED_WITH_VALUE:
                value = next(words)
                output = value if word == "-o" else output
            elif not IGNORED.fullmatch(word):
                kept.append(word.replace(str(ours), "BUILD"))
        if "cmake_pch" not in entry["file"]:
            found[entry["file"].replace(str(ours), "BUILD"), tuple(kept)] = output
    return found


def main(build, consumer, folder):
    build, consumer = Path(build).resolve(), Path(consumer).resolve()
    house = commands(build, build)
    for command, output in commands(consumer, consumer / "fractile").items():
        if command in house:
            link = Path(folder) / output
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(build / house[command])


if __name__ == "__main__":
    main(*sys.argv[1:])
