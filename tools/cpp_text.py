"""What the checks read of C++ text: which files, and the code without its comments."""

import re

SUFFIXES = (".hpp", ".cpp", ".h", ".hpp.in")

# A number first, for its digit separators; then literals, which may hold what looks like a comment; then comments.
_TOKEN = re.compile(
    r"""(?P<number>\b[0-9](?:'?[0-9A-Za-z_.])*)
      | (?P<raw>R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)")
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<comment>//[^\n]*|/\*.*?\*/)""",
    re.VERBOSE | re.DOTALL,
)


def without_comments(text):
    """The text with comments and raw strings made blank; line numbers and columns stay."""

    def blank(match):
        if match["comment"] is None and match["raw"] is None:
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return _TOKEN.sub(blank, text)


def cpp_files(root, folders):
    """The C++ files below root's folders, in order."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.name.endswith(SUFFIXES):
                yield path
