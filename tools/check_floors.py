#!/usr/bin/env python3
"""Checks that each room includes only the rooms that it may include.

    check_floors.py [ROOT]

The folder tree is the architecture: a room is a folder of src/ (or experiments/, requests/, cli/, python/). It stands on a floor, and may
use the rooms listed here, all on floors below it. A room may consist of sub-rooms: folders of the room, with floors within it. A public
header belongs to the room that implements it. A test may include anything in any sub-room of its room. The check reads only the #include
lines. It also refuses files that include each other in a circle (also when each pair foo.hpp and foo.cpp counts as one file), rooms with
too many sources, and files that the room's README does not name.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import check_main
from cpp_text import cpp_files, without_comments

ALL_PUBLIC = "every room, through its public headers and INNER_HEADERS"


@dataclass(frozen=True)
class Room:
    floor: float  # sub-rooms of a room on floor 2 are on 2.1, 2.2, ...
    uses: tuple = ()  # rooms, or ALL_PUBLIC
    also: tuple = ()  # in addition to ALL_PUBLIC: rooms all of whose headers it may include


BELOW_REPORT = ("quantiles", "flow", "source", "ledger", "figures", "privacy", "ranks", "libraries", "exact")

ROOMS = {
    "exact": Room(0),
    "figures": Room(1, ("exact",)),
    "libraries": Room(1, ("exact",)),
    "privacy": Room(1, ("exact",)),
    "ranks": Room(1, ("exact",)),
    "quantiles/joint": Room(2.1, ("ranks", "privacy", "exact")),
    "quantiles/draws": Room(2.2, ("quantiles/joint", "ranks", "privacy", "exact")),
    "quantiles/stages": Room(2.3, ("quantiles/draws", "quantiles/joint", "ranks", "privacy", "exact")),
    "quantiles/release": Room(
        2.4, ("quantiles/stages", "quantiles/draws", "quantiles/joint", "ranks", "privacy", "exact")
    ),
    "quantiles/audit": Room(
        2.5,
        ("quantiles/release", "quantiles/stages", "quantiles/draws", "quantiles/joint", "ranks", "privacy", "exact"),
    ),
    "flow/algebra": Room(2.1, ("exact",)),
    "flow/channel": Room(2.2, ("flow/algebra", "exact")),
    "flow/refinement": Room(2.3, ("flow/channel", "flow/algebra", "libraries", "exact")),
    "flow/pipeline": Room(2.3, ("flow/channel", "flow/algebra", "privacy", "exact")),
    "flow/loss": Room(2.4, ("flow/pipeline", "flow/channel", "flow/algebra", "exact")),
    "flow/stability": Room(
        2.5, ("flow/loss", "flow/pipeline", "flow/refinement", "flow/channel", "flow/algebra", "exact")
    ),
    "flow/leakage": Room(2.5, ("flow/loss", "flow/pipeline", "flow/channel", "flow/algebra", "privacy", "exact")),
    "flow/windows": Room(2.5, ("flow/loss", "flow/pipeline", "flow/channel", "flow/algebra", "exact")),
    "source/engine": Room(2.1, ("ranks", "libraries", "exact")),
    "source/text": Room(2.2, ("source/engine", "ranks", "exact")),
    "source/files": Room(2.3, ("source/text", "source/engine", "ranks", "libraries", "exact")),
    "source/counting": Room(2.4, ("source/files", "source/text", "source/engine", "ranks", "libraries", "exact")),
    "source/entries": Room(
        2.5, ("source/counting", "source/files", "source/text", "source/engine", "ranks", "libraries", "exact")
    ),
    "ledger": Room(2, ("privacy", "libraries", "exact")),
    "report/text": Room(3.1, BELOW_REPORT),
    "report/release": Room(3.2, ("report/text", *BELOW_REPORT)),
    "report/flow": Room(3.2, ("report/text", *BELOW_REPORT)),
    "report/ledger": Room(3.2, ("report/text", *BELOW_REPORT)),
    "publication": Room(4, ("report", *BELOW_REPORT)),
    "experiments": Room(4, ALL_PUBLIC),
    "requests": Room(5, ALL_PUBLIC),
    "cli": Room(6, ALL_PUBLIC, also=("experiments", "requests")),
    "python": Room(7, ALL_PUBLIC, also=("requests", "cli")),
}

# The only door between the two halves: flow compares the mechanisms of quantiles as channels. Also, experiments share work among threads as
# the library does; no other code outside the library may use this.
DOORS = {
    ("flow/pipeline", "quantiles"): "channel_of",
    ("flow/pipeline", "ranks"): "channel_of",
    ("experiments", "exact"): "workers",
}  # (room, used room): the name of the only file that may include the used room

# Libraries of others that are compiled in namespaces of ours, each by one header. Every room may include the headers of {fmt} and Highway.
WRAPPERS = {"fmt": "src/libraries/fmt", "rapidjson": "src/libraries/rapidjson"}  # their folder: our file without its ending
FOR_ALL = (Path("src/libraries/fmt.hpp"), Path("src/libraries/highway.hpp"))

# The code that checks certificates shares no code with the code that finds them: it includes only the types.
ALONE = {"src/flow/refinement/verify": ("include/fractile/flow.hpp",)}  # file without its ending: all that it may include

MOST_SOURCES = 20  # .cpp files in a room or sub-room, without tests

# include/fractile/<name>.hpp, and the room that implements it; if several rooms do, the lowest one.
PUBLIC_HEADERS = {
    "error": "exact",
    "exact": "exact",
    "version": "exact",
    "ranks": "ranks",
    "privacy": "privacy",
    "release": "quantiles/draws",
    "planning": "quantiles/release",
    "measurements": "quantiles/release",
    "source": "source/engine",
    "ledger": "ledger",
    "flow": "flow/channel",
    "pipelines": "flow/pipeline",
    "receipts": "report/text",
    "reports": "report/text",
    "publication": "publication",
    "fractile": "publication",
}

# Headers that are not installed, for rooms that may otherwise use only public headers: the program, Python and experiments need these, too.
INNER_HEADERS = (
    Path("src/exact/lists.hpp"),
    Path("src/exact/shell_word.hpp"),
    Path("src/exact/uncopied.hpp"),
    Path("src/exact/wording.hpp"),
    Path("src/figures/figures.hpp"),
    Path("src/flow/channel/papers.hpp"),
    Path("src/libraries/disk_room.hpp"),
    Path("src/publication/datasets.hpp"),
    Path("src/report/flow/printed_parts.hpp"),
    Path("src/report/ledger/dataset_words.hpp"),
    Path("src/report/release/explained_guess.hpp"),
    Path("src/report/release/page_receipt.hpp"),
    Path("src/report/text/command_page.hpp"),
    Path("src/report/text/durable.hpp"),
    Path("src/report/text/shown_text.hpp"),
    Path("src/source/entries/declared_server.hpp"),
    Path("src/source/files/table_names.hpp"),
)

# Folders that may use everything, and that no room may use.
FREE_FOLDERS = ("bench", "fuzz", "tests", "examples")
TEST_SUPPORT = Path("tests/support")  # only a room's tests, foo_test.cpp, may use this

THIS = "tools/check_floors.py"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)


@dataclass(frozen=True)
class Include:
    line: int
    name: str
    quoted: bool


def includes_of(text):
    code = without_comments(text)
    for match in _INCLUDE.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        yield Include(line, match[1] or match[2], match[1] is not None)


def parent_of(room):
    """The room that a sub-room is part of; nothing for a room."""
    return room.rpartition("/")[0]


PARENTS = {parent_of(room) for room in ROOMS} - {""}


def is_test(path):
    return path.stem.endswith("_test")


def is_test_support(path):
    return path.stem.endswith("_test_support")


class House:
    """The tree below root, and its faults."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.errors = []
        self.edges = {}  # file: [(line, included file)]

    def check(self):
        self._check_table()
        self._check_names()
        for path in cpp_files(self.root, ("include", "src", "experiments", "requests", "cli", "python", *FREE_FOLDERS)):
            self._check_file(path)
        self._check_alone()
        self._check_sizes()
        self._check_cycles(self.edges)
        if not any("include cycle" in error for error in self.errors):
            self._check_cycles(self._pairs())
        return self.errors

    def _check_table(self):
        for name, room in ROOMS.items():
            for used in room.also if room.uses == ALL_PUBLIC else room.uses:
                parts = [other for other in ROOMS if parent_of(other) == used] or [used]
                if any(ROOMS[part].floor >= room.floor for part in parts):
                    self.errors.append(f"{THIS}: ROOMS: '{name}' may use '{used}', which is on no floor below it")

    def _check_names(self):
        for folder in sorted((self.root / "src").glob("*/")):
            if folder.name in PARENTS:
                self._check_sub_rooms(folder)
            elif folder.is_dir() and folder.name not in ROOMS:
                self.errors.append(
                    f"src/{folder.name}: unknown room '{folder.name}'; add it to ROOMS in {THIS}, "
                    "with its floor and the rooms that it may use"
                )
        for header in sorted((self.root / "include" / "fractile").glob("*")):
            if header.name.endswith((".hpp", ".h")) and header.stem not in PUBLIC_HEADERS:
                self.errors.append(
                    f"include/fractile/{header.name}: unknown public header '{header.stem}'; "
                    f"add it to PUBLIC_HEADERS in {THIS}, with the room that implements it"
                )

    def _check_sub_rooms(self, folder):
        for inner in sorted(folder.glob("*/")):
            if inner.is_dir() and f"{folder.name}/{inner.name}" not in ROOMS:
                self.errors.append(
                    f"src/{folder.name}/{inner.name}: unknown room '{folder.name}/{inner.name}'; add it to ROOMS in "
                    f"{THIS}, with its floor and the rooms that it may use"
                )

    def _check_alone(self):
        for path, edges in self.edges.items():
            allowed = ALONE.get(str(path.with_suffix("")))
            for line, target in edges:
                if allowed is not None and str(target) not in allowed:
                    self.errors.append(
                        f'{path}:{line}: may include only {", ".join(allowed)} of this house, not "{target}": what checks '
                        "shares no code with what is checked"
                    )

    def _check_sizes(self):
        for name in ROOMS:
            for folder in (Path("src") / name, Path(name)):
                sources = [path for path in (self.root / folder).glob("*.cpp") if not is_test(path)]
                if len(sources) > MOST_SOURCES:
                    self.errors.append(f"{folder}: {len(sources)} sources; a room has at most {MOST_SOURCES}")

    def _check_named(self, path):
        """Requires that a README says what this file is for."""
        if is_test(path) or is_test_support(path) or path.parts[0] in FREE_FOLDERS:
            return
        is_public = path.parts[0] == "include"  # any room may implement a public header
        own = [folder / "README.md" for folder in (path.parent, path.parent.parent) if folder.parts]
        pages = (self.root / "src").rglob("README.md") if is_public else [self.root / page for page in own]
        texts = " ".join(page.read_text(encoding="utf-8") for page in pages if page.is_file())
        name = path.stem.removesuffix("-inl")
        if texts and not re.search(rf"\b{re.escape(name)}\b", texts):
            self.errors.append(f"{path}: {'no README of a room says' if is_public else f'{own[0]} does not say'} what {name} is for")

    def _pairs(self):
        """The includes when foo.hpp and foo.cpp of src/ count as one file, shown as foo; tests are left out."""
        pairs = {}
        for path, edges in self.edges.items():
            if path.parts[0] != "src" or is_test(path) or path.stem.endswith("-inl"):  # such a file is part of other sources
                continue
            pair = path.with_suffix("")
            for line, target in edges:
                if target.parts[0] == "src" and target.with_suffix("") != pair:
                    pairs.setdefault(pair, []).append((line, target.with_suffix("")))
        return pairs

    def _check_file(self, path):
        where = path.relative_to(self.root)
        self._check_named(where)
        room = self._room_of(where)
        for include in includes_of(path.read_text(encoding="utf-8")):
            wrapper = WRAPPERS.get(include.name.split("/")[0])
            if room and not include.quoted and wrapper not in (None, str(where.with_suffix(""))):
                self.errors.append(f'{where}:{include.line}: may not include <{include.name}>, but "{wrapper[4:]}.hpp"')
            target = self._resolve(path, include)
            if target is None or target in FOR_ALL:
                continue
            self.edges.setdefault(where, []).append((include.line, target))
            complaint = self._complaint(where, room, target)
            if complaint:
                self.errors.append(f"{where}:{include.line}: {complaint}")

    def _room_of(self, where):
        """The room of a file; None for a free folder or an unknown room, which is reported elsewhere."""
        parts = where.parts
        if parts[0] == "include":
            return PUBLIC_HEADERS.get(where.name.split(".")[0])
        if parts[0] == "src":
            room = "/".join(parts[1:3]) if parts[1] in PARENTS else parts[1]
            return room if len(parts) > 2 and room in ROOMS else None
        return parts[0] if parts[0] in ROOMS else None

    def _resolve(self, path, include):
        """The included file of this repository, relative to the root; None for a library's file."""
        if include.name.startswith("fractile/"):
            return Path("include") / include.name  # may be generated later
        if not include.quoted:
            return None
        for base in (path.parent, self.root / "src", self.root / "tests", self.root):
            target = (base / include.name).resolve()
            if target.is_file() and target.is_relative_to(self.root):
                return target.relative_to(self.root)
        first = include.name.split("/")[0]
        if "/" in include.name and (first in ROOMS or first in PARENTS or (self.root / "src" / first).is_dir()):
            return Path("src") / include.name
        return None

    def _complaint(self, where, room, target):
        if where.parts[0] == "src" and len(where.parts) == 2:
            return f"stands in no room; move it to a folder of src/ that is in ROOMS in {THIS}"
        if where.parts[0] == "src" and len(where.parts) == 3 and where.parts[1] in PARENTS:
            return f"stands in no sub-room; move it to a folder of src/{where.parts[1]}/ that is in ROOMS in {THIS}"
        if room is None:
            return None
        floor = ROOMS[room].floor
        subject = f"room '{room}' (floor {floor})"
        if where.parts[0] == "include" and target.parts[0] != "include":
            return f"a public header may not include \"{target}\", which is not installed"
        if target.parts[0] in FREE_FOLDERS:
            if where.stem.endswith("_test") and target.is_relative_to(TEST_SUPPORT):
                return None
            return f"{subject} may not include \"{target}\": no room uses {target.parts[0]}/"
        if target.parts[0] == "include" and target.stem not in PUBLIC_HEADERS:
            return f"unknown public header \"{target}\"; add it to PUBLIC_HEADERS in {THIS}, with the room that implements it"
        used = self._room_of(target)
        if used is None:
            return f"{subject} may not include \"{target}\", which is in no known room; see ROOMS in {THIS}"
        if used == room:
            return None
        if parent_of(used) and parent_of(used) == parent_of(room) and (is_test(where) or is_test_support(where)):
            return None  # tests go through the entries
        door = DOORS.get((room, used)) or DOORS.get((room, parent_of(used)))
        if door and where.name.split(".")[0] in (door, f"{door}_test"):
            return None
        if ROOMS[room].uses == ALL_PUBLIC:
            if target.parts[0] == "include" or target in INNER_HEADERS or used in ROOMS[room].also:
                return None
            others = "".join(f", {other}'s" for other in ROOMS[room].also)
            return (
                f"{subject} may not include \"{target}\" of room '{used}': "
                f"only public headers (fractile/*.hpp), INNER_HEADERS of {THIS}{others} and its own"
            )
        if used in ROOMS[room].uses or parent_of(used) in ROOMS[room].uses:
            return None
        other = ROOMS[used].floor
        direction = "upward" if other > floor else "sideways" if other == floor else "a room below that it has no use for"
        allowed = ", ".join(ROOMS[room].uses) or "libraries only"
        exception = f"; only {door}.* may" if door else ""
        return (
            f"{subject} may not include \"{target}\" of room '{used}' (floor {other}): {direction}"
            f"{exception} (it may use: {allowed})"
        )

    def _check_cycles(self, edges):
        done, trail = set(), []

        def visit(path):
            if path in trail:
                circle = trail[trail.index(path) :] + [path]
                line = next(line for line, target in edges[trail[-1]] if target == path)
                self.errors.append(f"{trail[-1]}:{line}: include cycle: " + " -> ".join(map(str, circle)))
                return
            if path in done:
                return
            trail.append(path)
            for _, target in edges.get(path, ()):
                visit(target)
            trail.pop()
            done.add(path)

        for path in sorted(edges):
            visit(path)


if __name__ == "__main__":
    check_main.run(lambda root: House(root).check())
