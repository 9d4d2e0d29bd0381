"""python3 symbols.py LIBRARY: what a library defines for all to see, that is not of the namespace fractile. A static one may hold what it
made of the templates of the standard library and of {fmt}, which everyone makes alike, and which the linker keeps once."""

import re
import subprocess
import sys
from pathlib import Path

#: Names of ours: in the namespace, or a type's table, guard or thunk.
_OURS = re.compile(r"_ZN[KOR]*8fractile|_ZT.*N[KOR]*8fractile|_ZGV.*N[KOR]*8fractile|_ZZN[KOR]*8fractile")
#: Weak ones of these are made of templates.
_TEMPLATES = re.compile(r"St|std|_?_?gnu|__gnu_cxx|fmt|void fmt|hwy")


def strangers(library):
    is_shared = ".so" in Path(library).name
    listed = subprocess.run(["nm", *(["-D"] if is_shared else []), "--defined-only", "--extern-only", library], check=True, capture_output=True, text=True)
    lines = [line.split() for line in listed.stdout.splitlines() if len(line.split()) == 3]
    names = {name: kind for _, kind, name in lines if not _OURS.match(name)}
    if is_shared:
        return sorted(name for name in names if name not in ("_init", "_fini"))
    weak = {name for name, kind in names.items() if kind in "WVu"}
    plain = subprocess.run(["c++filt"], input="\n".join(sorted(weak)), check=True, capture_output=True, text=True).stdout.splitlines()
    others = [text for text in plain if re.search(r"\b(rapidjson|toml|CLI|nlohmann)::", text) and "fractile::rapidjson" not in text]
    return sorted(set(names) - weak) + others


if __name__ == "__main__":
    found = strangers(sys.argv[1])
    print(*found[:20], sep="\n")
    sys.exit(1 if found else 0)
