"""Takes HTML pages and SVG figures apart with the standard library, and checks what a page holds and must not hold."""

import base64
import hashlib
import html.parser
import math
import re
import xml.etree.ElementTree

VOID = {"meta"}
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "p", "ul", "li", "dl", "dt", "dd",
        "figure", "figcaption", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "small", "pre", "details", "summary",
        "svg", "desc", "g", "path", "rect", "text", "clipPath".lower()}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "id", "tabindex", "role", "aria-label", "scope", "colspan", "rowspan",
              "viewbox", "aria-labelledby", "x", "y", "width", "height", "d", "text-anchor", "stroke-width", "stroke-dasharray",
              "clip-path", "color"}


class Page(html.parser.HTMLParser):
    """Raises AssertionError for tags that do not match, and for anything that could run code, load a resource or lead elsewhere."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        assert text.startswith("<!DOCTYPE html>\n"), text[:40]
        self.stack, self.ids, self.headings, self.tables, self.words, self.style, self.policy = [], set(), [], [], [], "", ""
        self.feed(text)
        self.close()
        assert self.stack == [], self.stack

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS, tag
        for name, value in attributes:
            assert name in ATTRIBUTES, (tag, name)
            assert value is not None, (tag, name)
        values = dict(attributes)
        if "id" in values:
            assert values["id"] not in self.ids, values["id"]
            self.ids.add(values["id"])
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if tag not in VOID:
            self.stack.append(tag)
        if tag in ("h1", "h2"):
            self.headings.append("")
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("th", "td"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, (tag, self.stack)
        self.stack.pop()

    def handle_data(self, data):
        inside = self.stack[-1] if self.stack else ""
        if inside == "style":
            self.style += data
            return
        if inside in ("h1", "h2"):
            self.headings[-1] += data
        if inside in ("th", "td"):
            self.tables[-1][-1][-1] += data
        if inside == "small":  # small print in a cell
            self.tables[-1][-1][-1] += " " + data
        self.words.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    def text(self):
        return " ".join(" ".join(self.words).split())

    def require_policy(self):
        digest = base64.b64encode(hashlib.sha256(self.style.encode()).digest()).decode()
        assert self.policy == f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:", self.policy
        assert not re.search(r"url\(|@import|expression", self.style)


class Picture:
    """A figure's marks, in the units of its axes. The units follow from the numbers at the axes."""

    SVG = "{http://www.w3.org/2000/svg}"

    def __init__(self, text):
        root = xml.etree.ElementTree.fromstring(text)
        self.texts = [(float(t.get("x")), float(t.get("y")), t.get("text-anchor"), t.text) for t in root.iter(self.SVG + "text")]
        self.paths = [(p.get("class"), p.get("d")) for p in root.iter(self.SVG + "path")]
        self.shades = [(float(r.get("x")), float(r.get("x")) + float(r.get("width"))) for r in root.iter(self.SVG + "rect")
                       if r.get("class") == "sh"]

    @staticmethod
    def _number(text):
        text = re.sub(r"(?<=\d),(?=\d{3})", "", text or "")
        if not re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?( %)?", text):
            return None
        return float(text.removesuffix(" %")) / (100 if text.endswith("%") else 1)

    def axis(self, anchor, logarithmic=False):
        """A function from pixels to values (or their logarithms), and the values per pixel. The numbers stand under an axis ("middle", x)
        or next to one ("end", y)."""
        place = 0 if anchor == "middle" else 1
        tics = [(each[place] - 4 * place, self._number(each[3])) for each in self.texts if each[2] == anchor]
        tics = sorted((pixel, math.log(value) if logarithmic else value) for pixel, value in tics if value is not None)
        (a, at_a), (b, at_b) = tics[0], tics[-1]
        return lambda pixel: at_a + (pixel - a) * (at_b - at_a) / (b - a), abs((at_b - at_a) / (b - a))

    def discs(self):
        """(x, y) of every disc."""
        d = "".join(each for kind, each in self.paths if kind == "m")
        return [(float(x) + 3.6, float(y)) for x, y in re.findall(r"M([-\d.]+),([-\d.]+)a3\.6", d)]

    def curves(self):
        """The points of every line that has any, in the order of drawing."""
        return [[tuple(map(float, point.split(","))) for point in d[1:].split("L")] for kind, d in self.paths if kind == "l" and "L" in d]

    def squares(self):
        """(x, y) of every square."""
        d = "".join(each for kind, each in self.paths if kind == "m")
        return [(float(x) + 3.2, float(y) + 3.2) for x, y in re.findall(r"M([-\d.]+),([-\d.]+)h6\.4", d)]
