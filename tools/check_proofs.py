#!/usr/bin/env python3
"""Checks that every public mechanism, sampler, transformation and map has its page of proof.

    check_proofs.py [ROOT]

* A function in include/fractile/ whose name says that it needs a proof (PREFIXES, ALSO) is preceded by a comment with a line "/// Proof:
  docs/proofs/<name>.md", or stands in a section whose comment names a page ("proof: docs/proofs/<name>.md").
* Every page that a header or source names exists and has the sections "## Claim", "## Proof" and "## Test that would
  break", each with something in it.
* Every page of docs/proofs/ except README.md is named by a header or source.
* Every row of the tables of docs/papers.md has all its cells.
* Every test that these pages, the threat model and docs/papers.md name in full (`Suite.Name`, `Suite.*`, `Suite.Begins...`) exists.
"""

import itertools
import re
from pathlib import Path

import check_main
from cpp_text import cpp_files, sections_of, without_comments

PREFIXES = ("select_", "release_", "sample_", "bernoulli", "make_", "discrete_")
# Whole names of mechanisms, transformations and maps. A member with such a name and no parameters is none of these.
ALSO = ("release", "position_of", "rank_score", "interval_score")

SECTIONS = ("## Claim", "## Proof", "## Test that would break")
PAGES = "docs/proofs"

_NAME = re.compile(rf"\b((?:{'|'.join(PREFIXES)})\w*(?=\s*\()|(?:{'|'.join(ALSO)})(?=\s*\(\s*[^\s)]))")
_REFERENCE = re.compile(rf"{PAGES}/([\w.-]+?)\.md")
_PROOF = re.compile(rf"\bproofs?:\s*{PAGES}/[\w.-]+?\.md", re.IGNORECASE)
_STATEMENT_START = re.compile(r"[;{}]|\b(?:public|private|protected)\s*:")
_TEMPLATE = re.compile(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>|\brequires\s*\([^()]*\)")
_TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")
_NAMED_TEST = re.compile(r"`([A-Z]\w+)\.([A-Z]\w*|\*)(\.\.\.)?`")
THREATS = "docs/threat-model.md"
PAPERS = "docs/papers.md"
_CALL_WORDS = re.compile(r"\b(?:return|throw|co_return|co_yield|else|case)\b")


def declarations(text):
    """(name, index of the declaration's first line) for every function that must have a proof."""
    code = without_comments(text)
    code = re.sub(r"^[ \t]*#.*$", lambda match: " " * len(match[0]), code, flags=re.MULTILINE)
    for match in _NAME.finditer(code):
        start = max((found.end() for found in _STATEMENT_START.finditer(code, 0, match.start())), default=0)
        before = code[start : match.start()]
        words = _TEMPLATE.sub("", before)
        is_call = "=" in words or "(" in words or _CALL_WORDS.search(words)
        if before.strip() == "" or is_call or re.search(r"(?:\.|->|,|!)\s*$", before):
            continue
        start += len(before) - len(before.lstrip())
        yield match[1], code.count("\n", 0, start)


def comment_above(lines, index):
    """The contiguous comment lines above a line."""
    block = []
    while index > 0 and lines[index - 1].lstrip().startswith("//"):
        index -= 1
        block.insert(0, lines[index])
    return _joined(block)


def section_comment(text, index):
    """The comment at the beginning of a line's section."""
    section = next((lines for begin, lines in reversed(sections_of(text)) if begin <= index), [])
    return _joined(itertools.takewhile(lambda line: line.startswith("//"), section))


def _joined(block):
    """A comment's text in one line, since a reference may be wrapped after its colon."""
    return " ".join(line.strip().lstrip("/").strip() for line in block)


def headings_of(page):
    """{heading line: the text below it}."""
    sections, heading = {}, None
    for line in page.splitlines():
        if line.startswith("## "):
            heading = line.rstrip()
            sections[heading] = ""
        elif heading:
            sections[heading] += line.strip()
    return sections


def missing_tests(root):
    """The tests that pages name and no test file has."""
    tests = set()
    for path in cpp_files(root, ("src", "cli", "experiments", "requests")):
        tests.update(match.groups() for match in _TEST.finditer(path.read_text(encoding="utf-8")))
    suites = {suite for suite, _ in tests}
    for path in [*sorted((root / PAGES).glob("*.md")), root / THREATS, root / PAPERS]:
        if not path.is_file():
            continue
        for suite, name, begins in _NAMED_TEST.findall(path.read_text(encoding="utf-8")):
            is_there = (
                suite in suites
                if name == "*"
                else any(s == suite and (n.startswith(name) if begins else n == name) for s, n in tests)
            )
            if not is_there:
                yield f"{path.relative_to(root)}: there is no test {suite}.{name}{begins}"


def empty_cells(root):
    """Empty cells in the tables that say where each statement of a paper is implemented."""
    page = root / PAPERS
    if not page.is_file():
        return
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("|") and not all(cell.strip() for cell in line.strip("|\n").split("|")):
            yield f"{PAPERS}:{number}: an empty cell"


def check(root):
    root = Path(root).resolve()
    errors = [*missing_tests(root), *empty_cells(root)]
    referenced = {}  # page: where it is named first
    for path in cpp_files(root, ("include", "src", "cli")):
        where, text = path.relative_to(root), path.read_text(encoding="utf-8")
        for match in _REFERENCE.finditer(text):
            referenced.setdefault(match[1], f"{where}:{text.count(chr(10), 0, match.start()) + 1}")
        if where.parts[0] != "include":
            continue
        lines = text.splitlines()
        for name, line in declarations(text):
            if not _PROOF.search(comment_above(lines, line)) and not _PROOF.search(section_comment(text, line)):
                errors.append(
                    f"{where}:{line + 1}: '{name}' has no proof; write {PAGES}/{name}.md and name it above the "
                    f"declaration: /// Proof: {PAGES}/{name}.md"
                )
    for page, where in sorted(referenced.items()):
        if not (root / PAGES / f"{page}.md").is_file():
            errors.append(f"{where}: {PAGES}/{page}.md is not there")
    for path in sorted((root / PAGES).glob("*.md")):
        if path.name == "README.md":
            continue
        if path.stem not in referenced:
            errors.append(f"{PAGES}/{path.name}: no header or source names this page")
        sections = headings_of(path.read_text(encoding="utf-8"))
        for heading in SECTIONS:
            if not sections.get(heading):
                state = "is empty" if heading in sections else "is missing"
                errors.append(f"{PAGES}/{path.name}: section '{heading}' {state}")
    return errors


if __name__ == "__main__":
    check_main.run(check)
