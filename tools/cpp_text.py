"""Reads C++ for the checks: the files, the code without its comments, the comments and the texts."""

import re

SUFFIXES = (".hpp", ".cpp", ".h", ".hpp.in")

# Numbers come first, because of their digit separators; then literals, which may hold something like a comment; then comments.
_TOKEN = re.compile(
    r"""(?P<number>\b[0-9](?:'?[0-9A-Za-z_.])*)
      | (?P<raw>R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)")
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<comment>//[^\n]*|/\*.*?\*/)""",
    re.VERBOSE | re.DOTALL,
)


def without_comments(text):
    """The text with blanks in place of comments and raw strings; line numbers and columns stay the same."""

    def blank(match):
        if match["comment"] is None and match["raw"] is None:
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return _TOKEN.sub(blank, text)


def sections_of(text):
    """(index of the first line, lines) of each section of a header. A comment "// --- Title ---" of several lines begins a section. Text
    before the first section is left out; a header without sections is one section."""
    lines = text.splitlines()
    titled = [n for n, line in enumerate(lines[:-1]) if line.startswith("// --- ") and lines[n + 1].startswith("//")]
    begins = titled or [0]
    return [(begin, lines[begin:end]) for begin, end in zip(begins, [*begins[1:], len(lines)])]


def comments_of(text):
    """(line number, words) for every line of a comment."""
    for match in _TOKEN.finditer(text):
        if match["comment"] is not None:
            first = text.count("\n", 0, match.start()) + 1
            for number, line in enumerate(match[0].splitlines(), first):
                yield number, line.strip().lstrip("/*!<").strip()


def texts_of(text):
    """(line number, content) for every text in double quotes, also raw ones. As in C++, adjacent texts are one text."""
    line, words, end = 0, None, 0
    for match in _TOKEN.finditer(text):
        if match["comment"] is not None:
            continue
        is_text = match["raw"] is not None or (match["string"] is not None and match[0].startswith('"'))
        if words is not None and not (is_text and not without_comments(text[end : match.start()]).strip()):
            yield line, words
            words = None
        if not is_text:
            continue
        inner = match[0][1:-1] if match["raw"] is None else match[0].partition("(")[2].rpartition(")")[0]
        if words is None:
            line, words = text.count("\n", 0, match.start()) + 1, ""
        words, end = words + inner, match.end()
    if words is not None:
        yield line, words


def cpp_files(root, folders):
    """The C++ files below these folders of root, in order."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.name.endswith(SUFFIXES):
                yield path
