#!/usr/bin/env python3
"""Checks the pages (*.md) and the comments of C++ for what makes a reader stumble.

    check_prose.py [ROOT]

* No line of a page is longer than LINE characters. Rows of tables may have TABLE_ROW, and blocks of code are exempt.
* No person is "he": the pages say "they".
* No page has one of the PHRASES. Each is a literal translation, listed with a better phrase.
* No page and no comment has one of the TICS: a sentence that begins with "Of ..." and hides its subject, a rule for "whoever" or "nobody",
  an error as Error(usage), "a line a cell" for one line per cell.
* Every line of a list item is indented below it, and no line within a paragraph begins like an item. Wrapping text breaks both rules.
* Every section of a public header says how threads may use its declarations ("Thread-safety: ...").
* Every relative link of a page leads to an existing file or folder, and to an existing heading if it names one.

Pages that a program writes (GENERATED) are checked for links only.
"""

import re
from pathlib import Path

import check_main
from cpp_text import comments_of, cpp_files, sections_of

LINE = 140
TABLE_ROW = 300
GENERATED = ("docs/benchmarks.md",)
SKIPPED_FOLDERS = ("build", ".git")
COMMENTED_FOLDERS = ("include", "src", "requests", "cli", "experiments", "python")

PERSON = re.compile(r"\b(?:he|his|him|himself)\b", re.IGNORECASE)
PHRASES = {
    "is to be had": "is available",
    "tells whose they are": "that identifies the person",
    "which is how good": "accuracy by ...",
    "refuses what it has not": "refuses overdrafts",
    "the words that all speak": "the shared vocabulary",
    "a fortieth of epsilon": "1/40 of epsilon",
    "another fortieth": "another 1/40",
    "takes it for granted": "assumes",
    "is found out": "is detected",
    "are found out": "are detected",
    "finds that out": "detects that",
    "are not told by": "are not detected by",
    "such as are": "those that are",
    "in silence": "silently",
    "next to nothing": "almost nothing",
}

# "Of 40 tables 3 ..." names a part of a number, and "*Of the table.*" is the name of an option's value.
TICS = (
    (r"(?:^(?:[*-] )?|[.:;?!] )Of (?!\d|(?:these|those|them)\b)", "a sentence begins with 'Of'; begin with its subject, or with 'For'"),
    (r"\b(?:[Ww]hoever|[Nn]obody|[Ss]omebody)\b", "'{0}' in a rule; write who (an asker, a caller, an owner), or what is not done"),
    (r"\bError\(\w+\)", "'{0}'; write 'Throws `usage` when ...'"),
    (r"\b(?:a|one) (?:row|line|column) an? (?:row|line|column|cell|value|group|quantile|level)\b", "'{0}'; write 'one line per cell'"),
)

_ITEM = re.compile(r"\s*(?:[*+-]|\d+[.)]) ")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
_CODE = re.compile(r"`[^`]*`")


def pages(root):
    for path in sorted(root.rglob("*.md")):
        if path.relative_to(root).parts[0] not in SKIPPED_FOLDERS:
            yield path


def prose_lines(text):
    """(number, line) of every line outside blocks of code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def anchors(text):
    """The anchors of a page's headings, as the usual renderers make them."""
    for _, line in prose_lines(text):
        if line.startswith("#"):
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            yield words.replace(" ", "-")


def faults_of_words(line):
    words = _CODE.sub("``", line)
    for match in PERSON.finditer(words):
        yield f"'{match[0]}' for a person; write they, their or them"
    for phrase, better in PHRASES.items():
        if phrase in words.lower():
            yield f"'{phrase}'; write '{better}'"


def faults_of_tics(line):
    for tic, better in TICS:
        for match in re.finditer(tic, _CODE.sub("``", line)):
            yield better.format(match[0])


def faults_of_lists(text):
    """(number, fault) of every line that wrapping has put into a list, or out of a list."""
    in_paragraph = in_item = False
    for number, line in prose_lines(text):
        is_text = bool(line.strip()) and not line.startswith(("#", "|"))
        is_item = bool(_ITEM.match(line))
        if in_paragraph and is_item and (not in_item or line.lstrip()[0] in "+-"):
            yield number, "begins like an item of a list within a paragraph"
        if in_paragraph and in_item and not is_item and is_text and not line.startswith(" "):
            yield number, "is not indented below the item that it belongs to"
        in_item = is_item or (in_item and (not line.strip() or line.startswith(" ")))
        in_paragraph = is_text


def faults_of_length(line):
    limit = TABLE_ROW if line.startswith("|") else LINE
    if len(line) > limit:
        yield f"{len(line)} characters in a line; at most {limit}"


def faults_of_links(line, path):
    for target in _LINK.findall(_CODE.sub("``", line)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        if not file.exists():
            yield f"the link to {target} leads nowhere"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{name or 'this page'} has no heading for #{anchor}"


def check(root):
    root = Path(root).resolve()
    errors = []
    for path in pages(root):
        where = path.relative_to(root)
        text = path.read_text(encoding="utf-8")
        is_generated = where.as_posix() in GENERATED
        for number, line in prose_lines(text):
            faults = [*faults_of_links(line, path)]
            if not is_generated:
                faults += [*faults_of_length(line), *faults_of_words(line), *faults_of_tics(line)]
            errors += [f"{where}:{number}: {fault}" for fault in faults]
        errors += [] if is_generated else [f"{where}:{number}: {fault}" for number, fault in faults_of_lists(text)]
    for path in cpp_files(root, COMMENTED_FOLDERS):
        where = path.relative_to(root)
        for number, comment in comments_of(path.read_text(encoding="utf-8")):
            errors += [f"{where}:{number}: {fault}" for fault in faults_of_tics(comment)]
    for path in cpp_files(root, ("include",)):
        text = path.read_text(encoding="utf-8")
        for begin, section in sections_of(text) if path.suffix == ".hpp" else ():
            if "Thread-safety: " not in "\n".join(section):
                errors.append(f"{path.relative_to(root)}:{begin + 1}: says nothing of threads; write '/// Thread-safety: ...'")
        for number, line in enumerate(text.splitlines(), 1):
            _, slashes, comment = line.partition("//")
            if slashes:
                errors += [f"{path.relative_to(root)}:{number}: {fault}" for fault in faults_of_words(comment)]
    return errors


if __name__ == "__main__":
    check_main.run(check)
