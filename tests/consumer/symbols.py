"""python3 symbols.py LIBRARY: prints the symbols that a library exports outside the namespace fractile. A static library may hold instances
of the standard library's templates: every program makes the same ones, and the linker keeps one of each."""

import re
import subprocess
import sys
from pathlib import Path

#: Our names: they are in the namespace, or belong to a type's table, guard or thunk.
_OURS = re.compile(r"_ZN[KOR]*8fractile|_ZT.*N[KOR]*8fractile|_ZGV.*N[KOR]*8fractile|_ZZN[KOR]*8fractile")
#: Weak symbols with these names belong to the standard library or to the compiler.
_STANDARD = re.compile(r"_(?:ZT[VTIS]|ZGVZ?|ZZ?)(?:N[KOR]*)?(?:S[tabsiod]|9__gnu_cxx)|_ZT[IS]P?(?:Do)?F|DW\.ref\.|__clang_call_terminate$")
#: Libraries that we compile in; these names are outside our namespace.
_OTHERS = re.compile(r"(?<!fractile::)\b(?:fmt|rapidjson|hwy|toml|CLI|nlohmann)::")


def strangers(library):
    is_shared = ".so" in Path(library).name
    listed = subprocess.run(["nm", *(["-D"] if is_shared else []), "--defined-only", "--extern-only", library], check=True, capture_output=True, text=True)
    lines = [line.split() for line in listed.stdout.splitlines() if len(line.split()) == 3]
    kinds = {name: kind for _, kind, name in lines}
    if is_shared:
        return sorted(name for name in kinds if not _OURS.match(name) and name not in ("_init", "_fini"))
    unknown = {name for name, kind in kinds.items() if not _OURS.match(name) and not (kind in "WVu" and _STANDARD.match(name))}
    plain = subprocess.run(["c++filt"], input="\n".join(sorted(kinds)), check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted(unknown) + [text for text in plain if _OTHERS.search(text)]


if __name__ == "__main__":
    found = strangers(sys.argv[1])
    print(*found[:20], sep="\n")
    sys.exit(1 if found else 0)
