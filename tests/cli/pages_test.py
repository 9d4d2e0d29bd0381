"""Pages to look at: --format html, --figures, --about and --public, and records for the registry of deployments."""

import csv
import html
import io
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import unittest
from fractions import Fraction

from cli.program import HOUSE, NOISE, PROGRAM, CommandTest, options, require_engine, run
from cli.web import Page, Picture

ABOUT = """title = "Ages of residents"
curator = "Office of \\"Numbers\\" & <Sons>"
curator_type = "Government"
use = "Planning"
region = "Nowhere"
date = 2026-05-01
contact = "info@example.org"
"""
AGES = {"column": "age", "bounds": ("0", "125"), "step": "1", "quantiles": "deciles"}
HEADINGS = ["In short", "What was published", "For whom the promise holds", "How strong the promise is",
            "How wrong the numbers may be", "What was assumed", "What is not protected", "How it was done",
            "For output checkers", "What the words mean", "Receipt"]
SPENT = "What was spent on these people, and what is left"
NASTY = "<script>alert('\"&amp;')</script>]]>--\u202e"


def setUpModule():
    require_engine()


def table(name, rows=1000):
    return f"{name}\n" + "".join(f"{20 + i % 60}\n" for i in range(rows))


class PageTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("people.csv", table("age"))
        self.write("about.toml", ABOUT)

    def page(self, *arguments, **changes):
        """The page of a release, which must succeed."""
        result = self.run_release("people.csv", *arguments, **{**AGES, "format": "html", **changes})
        self.assertEqual((result.code, NOISE.sub("", result.err)), (0, ""))
        return result.out

    def whole(self, text):
        """The page, parsed. Fails unless the page keeps the project's rules for pages."""
        page = Page(text)
        page.require_policy()
        self.assertNotRegex(text, r"https?://(?!www\.w3\.org)|javascript:|data:text|<link|\son\w+=")
        return page

    def file(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


class OfAReceipt(PageTest):
    def test_a_stranger_finds_what_matters(self):
        """Readers learn what was published, whom the guarantee protects, how strong it is, how wrong the numbers may be, what was assumed,
        and what is left of the budget."""
        self.of("ledger", "init", "l.db", "--dataset", "residents", "--epsilon", "2")
        page = self.whole(self.page(about="about.toml", ledger="l.db"))
        expected = list(HEADINGS)
        expected.insert(expected.index("What was assumed"), SPENT)
        self.assertEqual(page.headings, ["Ages of residents", *expected])
        text = page.text()
        for part in ("Published by: Office of \"Numbers\" & <Sons>", "What for: Planning", "Date: 2026-05-01",
                     "with a probability of 10 in 100 without your records, it happens with a probability of at most 28 in 100",
                     "the values miss the quantiles of the table's records, each counted at", "Of epsilon = 2 for these people, epsilon = 1 is left.",
                     "Quantiles of the column age of people.csv", "every person who has at most 1 record in the table",
                     "The release costs epsilon = 1 (pure differential privacy).", "0 to 125 in steps of 1",
                     "No minimum count was applied, and none is needed.", "count_tree.md, rank_error.md in docs/proofs", "the central one",
                     "only the error added for privacy", "SHA-256"):
            self.assertIn(part, text)
        self.assertEqual(len(re.findall("<dt>", self.page())), 8)

    def test_says_of_each_group_what_ran_in_it(self):
        """A reason that holds for one group is not told of all."""
        rows = "".join(f"small,{i * 97 % 100000}\n" for i in range(30)) + "".join(f"big,{i * 7 % 100000}\n" for i in range(20_000))
        self.write("people.csv", "g,age\n" + rows)
        groups = {"by": "g", "keys": "small,big", "bounds": ("0", "100000"), "epsilon": "1", "receipt": "r.json"}
        ran = [(group["mechanism"], len(group["spent"])) for group in json.loads(self.page(**groups, format="json"))["groups"]]
        self.assertEqual(len({mechanism for mechanism, _ in ran}), 1)
        self.assertEqual(len(set(ran)), 2)
        said = " ".join(self.of("explain", "r.json").split())
        self.assertNotIn("chosen because", said)

    def test_a_query_that_was_not_checked_is_not_said_to_be_checked(self):
        self.page(sql="SELECT a.age FROM input a JOIN input b USING (age)", sql_stability="40", records_per_person="1", receipt="r.json")
        said = " ".join(self.of("explain", "r.json").split())
        self.assertIn("The query was not checked: a row of its result may come from several records", said)
        self.assertNotIn("so that each row of its result comes from one record", said)

    def test_a_record_without_a_person_is_among_the_failures(self):
        self.write("people.csv", "id,age\n" + "".join(f"{i},{20 + i % 60}\n" for i in range(600)))
        persons = {"person": "id", "records_per_person": "1", "quantiles": "median", "receipt": "r.json"}
        self.page(**persons, null="error")
        self.assertIn("; a record without a person;", " ".join(self.of("explain", "r.json").split()))
        self.write("broken.csv", "id,age\n1,20\n,30\n")
        broken = self.run_release("broken.csv", **{**AGES, **persons, "null": "error", "receipt": None})
        self.assert_refused(broken, 3, "column 'id'")
        (self.folder / "r.json").unlink()
        self.page(**persons)
        self.assertNotIn("a record without a person", " ".join(self.of("explain", "r.json").split()))

    def test_counts_are_not_said_to_be_drawn_among_possible_values(self):
        checks = {}
        for name, changes in {"both": {"count": True}, "quantiles": {}}.items():
            text = self.whole(self.page(**changes)).text()
            checks[name] = text[text.index("No minimum count was applied"):text.index("What the words mean")]
        self.assertIn("quantiles were drawn at random among the possible values, and for all others random noise was added", checks["both"])
        self.assertIn("No quantile is the copy of a record", checks["both"])
        self.assertIn("they were drawn at random among the possible values, so that", checks["quantiles"])

    def test_says_what_the_text_says(self):
        page = self.whole(self.page(receipt="r.json")).text()
        sentences = [" ".join(part.split()) for part in self.of("explain", "r.json").split("\n\n")]
        sentences = [part for part in sentences if part.endswith(".")]
        self.assertGreater(len(sentences), 12)
        for sentence in sentences:
            self.assertIn(re.sub(r"^.*?-{4,} |\* ", "", sentence), page)

    def test_is_a_receipt(self):
        self.write("page.html", self.page(receipt="r.json"))
        self.assertEqual(self.of("explain", "page.html"), self.of("explain", "r.json"))
        self.assertEqual(self.of("explain", "page.html", "--format", "html"), self.file("page.html"))
        self.write("page.html", self.file("page.html").replace("deciles", "").replace("&quot;1&quot;", "&quot;2&quot;"))
        self.assert_refused(run("explain", "page.html", cwd=self.folder), 3, "not as it was written")
        self.write("page.html", "<!DOCTYPE html>\n<p></p></html>\n")
        self.assert_refused(run("explain", "page.html", cwd=self.folder), 3, "is a page without a receipt")

    def test_its_end_may_be_missing(self):
        """Once, explain said of such a page that it was a public one."""
        page = self.page(receipt="r.json")
        start = '<pre id="receipt">'
        for end in (page.rindex(start) - 100, page.rindex(start) + len(start), page.rindex("</pre>")):
            self.write("page.html", page[:end])
            self.assert_refused(run("explain", "page.html", cwd=self.folder), 3, "is a page whose end is missing", "the whole page")
        self.write("page.html", page[:page.rindex("</pre>") + 6])
        cut_behind = run("explain", "page.html", cwd=self.folder)
        self.assertEqual((cut_behind.code, cut_behind.out), (0, self.of("explain", "r.json")))

    def explain_page(self, text):
        """What explain says about a page's parts on standard error. The explanation of its receipt must stay the same."""
        self.write("page.html", text)
        result = run("explain", "page.html", cwd=self.folder)
        self.assertEqual((result.code, result.out), (0, self.of("explain", "r.json")))
        return result.err

    def test_an_altered_page_is_told(self):
        """Once, a page whose number contradicted its receipt was explained as true."""
        self.of("ledger", "init", "l.db", "--dataset", "residents", "--epsilon", "2")
        page = self.page(receipt="r.json", ledger="l.db", about="about.toml", expected_rows="1000")
        self.assertEqual(self.explain_page(page), "")
        value = self.whole(page).tables[0][1][1]
        for changed, part in (
            (page.replace(f"<td>{value}</td>", "<td>1</td>", 1), "What was published"),
            (page.replace("10 in 100", "1 in 100", 1), "In short"),
            (page.replace("<h2>What was assumed", "<h2>What is sure", 1), "What was assumed"),
            (page.replace("<section>", "<section>\n<h2>Correction</h2>\n<p>All are 1.</p>\n</section>\n<section>", 1), "Correction"),
            (page.replace("<h2>Receipt", "<h2>What was published</h2>\n<p>1</p>\n<h2>Receipt", 1), "What was published"),
        ):
            self.assertNotEqual(changed, page)
            self.assertIn(f"the page does not show what its receipt says, in '{part}'", self.explain_page(changed))

    def test_a_number_a_cell(self):
        """Once, figures' tables had cells like "11800 (14386)". People see separators of thousands, and the step's decimals."""
        self.write("pay.csv", "pay,town\n" + "".join(f"{10_000 + 40.25 * i},{'ab'[i % 2]}\n" for i in range(2000)))
        how = dict(AGES, column="pay", bounds=("0", "100000"), step="0.25", quantiles="quartiles", epsilon="8", by="town", keys="a,b", format="html")
        for more, beside in (({}, []), ({"intervals": "0.95", "of": "table", "expected_rows": "1000"}, ["lower", "upper"])):
            page = self.whole(self.run_release("pay.csv", **how, **more, figures=f"out{len(more)}").out)
            rows = list(csv.reader(io.StringIO(self.file(f"out{len(more)}/release.csv"))))
            self.assertEqual(rows[0], ["town", *(" ".join([q, each]).strip() for q in ("25 %", "50 %", "75 %") for each in ("", *beside))])
            for row in rows[1:]:
                self.assertTrue(all(math.isfinite(float(each)) for each in row[1:]), row)
            for shown, row in zip(page.tables[0][-2:], rows[-2:]):
                self.assertRegex(shown[1], r"^[1-9][0-9]?,[0-9]{3}\.[0-9]{2}\b")
                self.assertEqual(float(shown[1].split()[0].replace(",", "")), float(row[1]))

    def test_the_receipt_is_folded(self):
        self.assertRegex(self.page(), r'<details>\n<summary>The receipt, SHA-256 [0-9a-f]{64}</summary>\n<pre id="receipt">')

    def test_the_figure_has_the_numbers_of_the_table(self):
        records = 997  # so shares have many digits
        self.write("people.csv", table("age", records))
        self.page(null="error", public_rows=True, figures="out")
        rows = list(csv.reader(io.StringIO(self.file("out/release.csv"))))
        self.assertEqual(rows[0], ["share", "age", "off by at most, in records", "a quantile of, from", "to"])
        picture = Picture(self.file("out/release.svg"))
        x, x_pixel = picture.axis("middle")
        y, y_pixel = picture.axis("end")
        discs = picture.discs()
        self.assertEqual(len(discs), len(rows) - 1)
        for (share, value, off, least, most), (px, py) in zip(rows[1:], discs):
            self.assertAlmostEqual(x(px), float(value), delta=0.2 * x_pixel)
            self.assertAlmostEqual(y(py), float(share.split()[0]) / 100, delta=0.2 * y_pixel)
            q, reach = Fraction(share.split()[0]) / 100, Fraction(off.split()[0]) / records
            least, most = (Fraction(each.split()[0]) / 100 for each in (least, most))
            self.assertLessEqual(least, max(Fraction(0), q - reach))  # rounded outwards, by at most a hundredth of a percent
            self.assertGreaterEqual(most, min(Fraction(1), q + reach))
            self.assertLess(max(Fraction(0), q - reach) - least, Fraction(1, 10_000))
            self.assertLess(most - min(Fraction(1), q + reach), Fraction(1, 10_000))
            bottom, top = (self.bar_end(picture, px, each) for each in (max, min))
            self.assertAlmostEqual(y(bottom), float(least), delta=0.2 * y_pixel)
            self.assertAlmostEqual(y(top), float(most), delta=0.2 * y_pixel)

    @staticmethod
    def bar_end(picture, px, which):
        bars = "".join(d for kind, d in picture.paths if kind == "e")
        ends = [(float(y), float(v)) for x, y, v in re.findall(r"M([-\d.]+),([-\d.]+)V([-\d.]+)", bars) if abs(float(x) - px) < 0.2]
        return which(ends[0])

    def test_no_bars_without_a_public_number_of_records(self):
        """Rows without a number are dropped, so even a public number of rows does not determine the number of records."""
        for changes in ({}, {"public_rows": True}, {"null": "error"}):
            page = self.whole(self.page(**changes))
            self.assertEqual(page.tables[0][0], ["share", "age", "off by at most, in records"])
            self.assertIn("no bars, since errors are not known as shares of the records", page.text())

    def test_intervals_are_drawn_along_the_values(self):
        page = self.whole(self.page(expected_rows="1000", intervals="0.95", figures="out"))
        self.assertEqual(page.tables[0][0], ["share", "age", "from", "to"])
        picture = Picture(self.file("out/release.svg"))
        x, x_pixel = picture.axis("middle")
        bars = "".join(d for kind, d in picture.paths if kind == "e")
        spans = [(x(float(a)), x(float(b))) for a, b in re.findall(r"M([-\d.]+),[-\d.]+H([-\d.]+)", bars)]
        for row, span in zip(page.tables[0][1:], spans):
            for text, end in zip(row[2:], span):
                self.assertAlmostEqual(float(text.split()[0]), end, delta=0.3 * x_pixel)

    def test_parameters_are_rounded_up(self):
        text = self.whole(self.page(epsilon="ln 3")).text()
        self.assertIn("The release costs epsilon = ln 3", text)
        self.assertIn("epsilon is at most 1.0987.", text)  # ln 3 = 1.09861...

    def test_a_seed_is_told_first(self):
        page = self.whole(self.page(unsafe_seed="1"))
        self.assertEqual(page.headings[1:3], ["NOT PRIVATE", "What was published"])
        self.assertNotIn("In short", page.headings)

    def test_is_the_same_again(self):
        self.page(receipt="r.json")
        first = self.of("explain", "r.json", "--format", "html", "--figures", "a")
        self.assertEqual(first, self.of("explain", "r.json", "--format", "html", "--figures", "b", env={"TZ": "Asia/Tokyo"}))
        for name in ("release.svg", "release.csv"):
            self.assertEqual(self.file(f"a/{name}"), self.file(f"b/{name}"))

    def test_is_small(self):
        self.assertLess(len(self.page(about="about.toml").encode()), 30_000)

    def test_nothing_that_was_not_paid_for(self):
        """Releases with equal seeds and draws from different data differ only in the values."""
        self.page(receipt="r.json", unsafe_seed="7", epsilon="20")
        published = {str(each["value"]) for each in json.loads(self.file("r.json"))["quantiles"]}
        figures = self.whole(self.page(unsafe_seed="7", epsilon="20")).tables[0]
        self.assertEqual({row[1] for row in figures[1:]}, published)
        for text in (self.page(), self.page(public=True)):
            self.assertNotIn("1000 ", Page(text).text().replace("epsilon", ""))  # 1000 is the number of records


class ForEverybody(PageTest):
    def test_leaves_out_paths_and_names(self):
        self.of("ledger", "init", "l.db", "--dataset", "secretdataset", "--epsilon", "9")
        self.write("secretfile.csv", "age,secretperson\n" + "".join(f"{20 + i % 60},p{i}\n" for i in range(200)))
        for changes in ({"person": "secretperson", "ledger": "l.db"},
                        {"sql": "SELECT age FROM input WHERE secretperson <> 'x'"},
                        {"sql": "SELECT age FROM secrettable", "sql_stability": "2", "table": "secrettable=secretfile.csv"}):
            result = self.run_release("secretfile.csv", **{**AGES, "format": "html", "public": True, **changes})
            self.assertEqual((result.code, result.err), (0, ""))
            page = self.whole(result.out)
            self.assertNotIn("secret", result.out)
            self.assertNotIn("Receipt", page.headings)
            self.assertIn("SHA-256", page.text())

    def test_cannot_be_explained(self):
        self.write("page.html", self.page(public=True))
        self.assert_refused(run("explain", "page.html", cwd=self.folder), 3, "is a page without a receipt")


class Groups(PageTest):
    def grouped(self, count, **changes):
        keys = [f"g{i:04}" for i in range(count)]
        self.write("groups.csv", "x,g\n" + "".join(f"{i % 50},{keys[i * 7 % count]}\n" for i in range(3000)))
        self.write("keys.txt", "".join(key + "\n" for key in keys))
        result = self.run_release("groups.csv", **{"column": "x", "bounds": ("0", "100"), "step": "1", "by": "g", "keys_file": "keys.txt",
                                                   "format": "html", "quantiles": "quartiles", **changes})
        self.assertEqual((result.code, NOISE.sub("", result.err)), (0, ""))
        return result.out

    def test_rows_are_sorted_and_the_table_is_complete(self):
        text = self.grouped(90, figures="out", receipt="r.json")
        page = self.whole(text)
        values = {group["key"]: [str(each["value"]) for each in group["quantiles"]] for group in json.loads(self.file("r.json"))["groups"]}
        rows = [row for row in page.tables[0][1:] if row[0] in values]
        self.assertEqual([row[0] for row in rows], list(values))
        for row in rows:
            self.assertEqual([cell.split(" ")[0] for cell in row[1:]], values[row[0]])
        drawn = []
        for i in (1, 2, 3):
            names = [t for _, _, anchor, t in Picture(self.file(f"out/release_{i}.svg")).texts if anchor == "end"]
            self.assertLessEqual(len(names), 36)
            drawn += names
        self.assertEqual(sorted(drawn), sorted(values))
        middles = [int(values[key][1]) for key in drawn]
        self.assertEqual(middles, sorted(middles, reverse=True))

    def test_boxes_have_the_numbers_of_the_table(self):
        """The boxes show the numbers of the table, and the whiskers reach to the ends of the intervals."""
        for changes in ({}, {"intervals": "0.9", "expected_rows": "300"}):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            page = self.whole(self.grouped(9, figures="out", receipt="r.json", **changes))
            groups = {group["key"]: group["quantiles"] for group in json.loads(self.file("r.json"))["groups"]}
            (self.folder / "r.json").unlink()
            shown = {row[0]: [cell.split(" ")[0] for cell in row[1:]] for row in page.tables[0][1:] if row[0] in groups}
            picture = Picture(self.file("out/release.svg"))
            x, pixel = picture.axis("middle")
            names = [t for _, _, anchor, t in picture.texts if anchor == "end"]
            d = {kind: "".join(each for k, each in picture.paths if k == kind) for kind in ("bx", "e")}
            boxes = re.findall(r"M([-\d.]+),[-\d.]+H([-\d.]+)v12", d["bx"])
            whiskers = re.findall(r"M([-\d.]+),[-\d.]+H([-\d.]+)", d["e"])
            middles = re.findall(r"M([-\d.]+),[-\d.]+v12", d["e"])
            self.assertEqual([len(names), len(boxes), len(whiskers), len(middles)], [9] * 4)
            for name, box, whisker, middle in zip(names, boxes, whiskers, middles):
                low, median, high = map(float, shown[name])
                ends = [float(each.get(end, each["value"])) for each in groups[name] for end in ("lower", "upper")]
                for where, number in ((box[0], low), (box[1], high), (middle, median), (whisker[0], min([low, *ends])),
                                      (whisker[1], max([high, *ends]))):
                    self.assertAlmostEqual(x(float(where)), number, delta=0.3 * pixel)

    def test_a_thousand(self):
        self.grouped(1000, receipt="r.json")
        before = os.times()  # processor time, because other programs may run at the same time
        page = self.of("explain", "r.json", "--format", "html")
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        self.assertLess(spent, 30 if os.environ.get("FRACTILE_SANITIZE") else 1)
        self.assertLess(len(page.encode()), 2_000_000)
        self.assertEqual(sum(row[0].startswith("g0") for row in self.whole(page).tables[0]), 1000)

    def test_few_groups_and_many_quantiles(self):
        self.whole(self.grouped(3, quantiles="percentiles", expected_rows="900"))
        page = self.whole(self.grouped(3, intervals="0.9", expected_rows="900"))
        self.assertRegex(page.tables[0][1][1], r"^\d+ .* to .*$")


class Hostile(PageTest):
    def test_names_mean_nothing(self):
        self.write("n.csv", f'"{NASTY}",g\n' + "".join(f"{i % 9},k\n" for i in range(50)))
        self.write("keys.txt", NASTY.replace("\u202e", "") + "\n")
        for changes in ({}, {"by": "g", "keys_file": "keys.txt"}, {"public": True}):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            # A column's name in a CSV file doubles its quotes.
            self.write("n.csv", '"' + NASTY.replace('"', '""') + '",g\n' + "".join(f"{i % 9},k\n" for i in range(50)))
            result = self.run_release("n.csv", **{"column": NASTY, "bounds": ("0", "10"), "step": "1", "format": "html", "figures": "out",
                                                  **changes})
            self.assertEqual((result.code, result.err), (0, ""))
            page = self.whole(result.out)
            self.assertIn("<script>alert('", page.text())
            self.assertNotIn("<script", result.out)
            self.assertNotIn("\u202e", result.out)
            for path in (self.folder / "out").glob("*.svg"):
                Picture(path.read_text(encoding="utf-8"))

    def test_receipts_of_others(self):
        """A receipt with invisible characters is explained, but its page does not include it. The program writes no such receipt."""
        path = HOUSE / "fuzz" / "corpus" / "fuzz_receipt" / "hidden.json"
        self.assertIn("\x7f", path.read_text(encoding="utf-8"))
        text = self.of("explain", str(path), "--format", "html")
        self.assertIn("The receipt holds characters that cannot be seen", self.whole(text).text())
        self.assertNotRegex(text, r"[^\n -~]")

    def test_about(self):
        self.write("about.toml", "title = '''" + NASTY.replace("'", "") + "'''\nuse = 'x'\n")
        self.assertNotIn("<script", self.page(about="about.toml"))


class OtherVerbs(PageTest):
    def assert_drawn(self, points, numbers, picture, logarithmic=(False, False)):
        """Each point is where the axes have its two numbers."""
        axes = [picture.axis(anchor, log) for anchor, log in zip(("middle", "end"), logarithmic)]
        self.assertEqual(len(points), len(numbers))
        for point, pair in zip(points, numbers):
            for pixel, number, (value, a_pixel), log in zip(point, pair, axes, logarithmic):
                self.assertAlmostEqual(value(pixel), math.log(number) if log else number, delta=0.3 * a_pixel)

    def test_figures_of_a_plan_have_the_numbers_of_its_tables(self):
        page = self.whole(self.of("plan", "--bounds", "0", "500000", "--step", "1", "--epsilon", "1/2", "--expected-rows", "9000",
                                  "--format", "html", "--figures", "out"))
        rows = list(csv.reader(io.StringIO(self.file("out/budgets.csv"))))
        self.assertEqual(rows, page.tables[2])
        picture = Picture(self.file("out/budgets.svg"))
        for column, marks in ((1, picture.discs()), (2, picture.squares())):
            numbers = [(float(row[0]), max(float(row[column]), 0.5)) for row in rows[1:]]  # half a record is drawn in place of none
            self.assert_drawn(marks[:-1], numbers, picture, (True, True))  # the last mark belongs to the key
        rows = list(csv.reader(io.StringIO(self.file("out/typical.csv"))))
        self.assertEqual(rows, page.tables[1])
        dots = [((float(low) + float(high)) / 2, height) for low, high, count in rows[1:] for height in range(1, int(count) + 1)]
        picture = Picture(self.file("out/typical.svg"))
        self.assert_drawn(picture.discs(), dots, picture)

    def test_a_plan_says_what_an_error_costs(self):
        options = ("plan", "--bounds", "0", "500000", "--step", "1", "--expected-rows", "50000")
        page = self.whole(self.of(*options, "--rank-error", "100", "--format", "html", "--figures", "out"))
        epsilon = re.search("To miss by at most 100 records you pay epsilon = ([^ ]+), the smallest of four digits[.]", page.text())[1]
        self.assertLessEqual(max(int(row[1]) for row in page.tables[0][1:]), 100)
        page = self.whole(self.of(*options, "--epsilon", epsilon, "--format", "html"))
        worst = max(int(row[1]) for row in page.tables[0][1:])
        self.assertIn(f"To miss by at most {worst} records you pay epsilon = {epsilon}.", page.text())

    def test_commands_repeat_a_page(self):
        """Typed into a shell, the page's command prints the page again."""
        self.write("it's.toml", (HOUSE / "examples" / "flow" / "known_others.toml").read_text(encoding="utf-8"))
        for code, words in ((0, ("plan", "--bounds", "-10", "500", "--step", "0.5", "--epsilon", "ln 3", "--format", "html",
                                 "--figures", "out")),
                            (1, ("flow", "check", "it's.toml", "--epsilon", "0.1..3", "--format", "html", "--figure", "out/l.svg")),
                            (1, ("flow", "check", "it's.toml", "--from", "ln 3", "--to", "ln 2", "--format", "html")),
                            (0, ("flow", "sweep", "it's.toml", "--points", "3", "--epsilon", "ln 2..ln 3", "--format", "html"))):
            page = self.of(*words, code=code)
            self.assertEqual(self.whole(page).headings[-1], "To repeat it")
            command = html.unescape(re.search('<pre id="command">(.*?)</pre>', page)[1])
            self.assertNotIn("figure", command)
            again = shlex.split(command)
            self.assertEqual(again[0], "fractile")
            self.assertEqual(self.of(*again[1:], code=code), page)

    def test_plan(self):
        options = ("--bounds", "0", "500000", "--step", "1", "--epsilon", "1", "--expected-rows", "5000")
        page = self.whole(self.of("plan", *options, "--format", "html", "--figures", "out"))
        self.assertEqual(page.headings, ["Plan: 3 quantiles", "In short", "Errors by quantile", "Typical releases", "Other budgets",
                                         "To repeat it"])
        self.assertIn("The table was not read, and nothing is spent.", page.text())
        dots = list(csv.DictReader(io.StringIO(self.file("out/typical.csv"))))
        self.assertEqual(sum(int(row["of 50 releases"]) for row in dots), 50)
        self.assertEqual(len(Picture(self.file("out/typical.svg")).discs()), 50)
        errors = list(csv.reader(io.StringIO(self.of("plan", *options, "--format", "csv"))))
        self.assertEqual([row for row in page.tables[0][1:]], errors[1:])
        self.assertEqual(self.of("plan", *options, "--format", "html"), self.of("plan", *options, "--format", "html"))

    def test_ledger(self):
        self.of("ledger", "init", "l.db", "--dataset", "people <b>", "--epsilon", "2")
        self.assertIn("There is no entry yet.", self.whole(self.of("ledger", "show", "l.db", "--format", "html")).text())
        for epsilon in ("1/2", "1/4"):
            self.page(ledger="l.db", epsilon=epsilon)
        page = self.whole(self.of("ledger", "show", "l.db", "--format", "html"))
        self.assertEqual(page.headings, ["Privacy ledger", "Dataset people <b>", "Whether lines are missing"])
        self.assertEqual([row[4] for row in page.tables[0][1:]], ["epsilon = 0.5", "epsilon = 0.75"])
        self.assertIn("Left: epsilon = 1.25", page.text())
        self.assertIn(self.of("ledger", "verify", "l.db").split()[-1], page.text())

    def test_the_figure_of_a_ledger_has_the_numbers_of_its_table(self):
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "2")
        for epsilon in ("1/2", "1/8", "1"):
            self.page(ledger="l.db", epsilon=epsilon)
        page = self.whole(self.of("ledger", "show", "l.db", "--format", "html", "--figures", "out"))
        spent = [0] + [float(Fraction(row[4].removeprefix("epsilon = "))) for row in page.tables[0][1:]]
        self.assertEqual(list(csv.reader(io.StringIO(self.file("out/ledger_1.csv")))), page.tables[0])
        picture = Picture(self.file("out/ledger_1.svg"))
        steps, budget = picture.curves()
        corners = [(0, 0)]
        for entry in range(1, len(spent)):
            corners += [(entry, spent[entry - 1]), (entry, spent[entry])]
        self.assert_drawn(steps, [*corners, (len(spent) - 0.5, spent[-1])], picture)
        self.assert_drawn(budget, [(0, 2), (len(spent) - 0.5, 2)], picture)

    def test_flow(self):
        file = str(HOUSE / "examples" / "flow" / "known_others.toml")
        page = self.whole(self.of("flow", "check", file, "--epsilon", "0.1..3", "--format", "html", code=1))
        self.assertIn("Unstable for epsilon from 0.1 to 3.", page.text())
        self.assertEqual(page.tables[1][1][:2], ["1.252919", "1.257499"])
        self.assertIn("Without a release, by the prior alone, the analyst expects to lose 1714.28571428571.", page.text())
        page = self.whole(self.of("flow", "sweep", file, "--epsilon", "0.1..3", "--points", "5", "--format", "html"))
        rows = list(csv.reader(io.StringIO(self.of("flow", "sweep", file, "--epsilon", "0.1..3", "--points", "5", "--format", "csv"))))
        shown = [[row[0], row[3], row[4]] for row in page.tables[-1][1:]]
        self.assertEqual(shown, [[row[1], row[3], row[4]] for row in rows if row[0] == "point"])
        page = self.whole(self.of("flow", "sweep", file, "--epsilon", "0.1..3", "--points", "3", "--guess", "value", "--format", "html"))
        for sentence in ("Guessed: the target's value, one of 7.", "The attacker knows: the values of all 3 others.", "Prior: uniform."):
            self.assertIn(sentence, page.text())
        self.assertNotIn("\\n", page.text())
        for arguments in (("--from", "ln 3", "--to", "ln 2"), ("--epsilon", "ln 2..ln 3", "--any-prior")):
            result = run("flow", "check", file, *arguments, "--format", "html", cwd=self.folder)
            self.assertIn(result.code, (0, 1, 6), result)
            self.whole(result.out)

    def test_figures_of_losses_have_the_numbers_of_their_tables(self):
        """This holds for a sweep and a check, on the page, in a folder, and as a single file."""
        self.write("k.toml", (HOUSE / "examples" / "flow" / "known_others.toml").read_text(encoding="utf-8"))
        for code, words in ((0, ("sweep", "--points", "9")), (1, ("check",))):
            options = ("flow", words[0], "k.toml", "--epsilon", "0.1..3", *words[1:])
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            for name in ("loss.svg", "other.svg"):
                (self.folder / name).unlink(missing_ok=True)
            page = self.whole(self.of(*options, "--format", "html", "--figures", "out", "--figure", "loss.svg", code=code))
            self.assertEqual(self.file("loss.svg"), self.file("out/sweep.svg"))
            self.of(*options, "--format", "csv", "--figure", "other.svg", code=code)
            self.assertEqual(self.file("other.svg"), self.file("loss.svg"))
            picture = Picture(self.file("loss.svg"))
            losses, without = picture.curves()
            numbers = [(float(row[1]), float(row[3])) for row in page.tables[-1][1:]]
            self.assert_drawn(losses, numbers, picture)
            self.assert_drawn(without, [(0.1, 12000 / 7), (3, 12000 / 7)], picture)
            x, x_pixel = picture.axis("middle")
            (left, right), = picture.shades
            self.assertAlmostEqual(x(left), 1.252919, delta=0.3 * x_pixel)
            self.assertLess(x(right), 1.257499 + 2.3 * x_pixel)  # the window is drawn at least two pixels wide

    def test_refusals_of_a_figure(self):
        self.write("k.toml", (HOUSE / "examples" / "flow" / "known_others.toml").read_text(encoding="utf-8"))
        self.write("nobody.toml", self.file("k.toml").split("[analyst]")[0])
        check = ("flow", "check", "k.toml", "--epsilon", "1..2", "--figure")
        self.assert_refused(run(*check, "loss.png", cwd=self.folder), 2, "--figure draws SVG")
        self.assert_refused(run(*check, "gone/loss.svg", cwd=self.folder), 2, "the figure 'gone/loss.svg' cannot be created: No such file")
        self.write("mine.svg", "kept")
        self.assert_refused(run(*check, "mine.svg", cwd=self.folder), 2, "the figure 'mine.svg' already exists")
        (self.folder / "link.svg").symlink_to("nowhere.svg")
        self.assert_refused(run(*check, "link.svg", cwd=self.folder), 2, "the figure 'link.svg' already exists")
        self.assertEqual(self.file("mine.svg"), "kept")
        self.assert_refused(run("flow", "check", "k.toml", "--from", "ln 3", "--to", "ln 2", "--figure", "l.svg", cwd=self.folder), 2,
                            "over a range")
        self.assert_refused(run("flow", "check", "nobody.toml", "--epsilon", "1..2", "--figure", "l.svg", cwd=self.folder), 3, "analyst")
        self.assertNotIn("l.svg", self.files())

    def test_only_these(self):
        file = str(HOUSE / "examples" / "flow" / "known_others.toml")
        self.assert_refused(run("flow", "loss", file, "--epsilon", "1", "--format", "html"), 2, "'html' is not known")


class FirstPage(PageTest):
    """The program draws the two figures at the top of the README exactly as they are there."""

    def test_figures_are_drawn_again(self):
        folder = HOUSE / "docs" / "figures"
        self.of("explain", str(folder / "release.json"), "--format", "html", "--figures", "out")
        self.of("plan", "--bounds", "0", "500000", "--step", "1", "--epsilon", "1", "--expected-rows", "50000", "--quantiles", "deciles",
                "--format", "html", "--figures", "plan")
        for name, drawn in (("release.svg", "out/release.svg"), ("plan.svg", "plan/budgets.svg")):
            if os.environ.get("FRACTILE_RECORD"):
                (folder / name).write_text(self.file(drawn), encoding="utf-8")
            self.assertEqual((folder / name).read_text(encoding="utf-8"), self.file(drawn))
            self.assertIn(f"docs/figures/{name}", (HOUSE / "README.md").read_text(encoding="utf-8"))


class Options(PageTest):
    def refuse(self, code, *parts, **changes):
        self.assert_refused(self.run_release("people.csv", **{**AGES, **changes}), code, *parts)
        self.assertNotIn("l.db-wal", self.files())

    def test_go_with_pages(self):
        for changes in ({"about": "about.toml"}, {"public": True}, {"figures": "out"}):
            self.refuse(2, "goes with --format html", format="csv", **changes)

    def test_unusable_files(self):
        page = {"format": "html"}
        self.refuse(3, "cannot be read: No such file", **page, about="gone.toml")
        self.write("bad.toml", "title = \n")
        self.refuse(3, "bad.toml: line 1", **page, about="bad.toml")
        self.write("bad.toml", "titel = 'x'\n")
        self.refuse(3, "bad.toml: line 1: the name before = is not known", **page, about="bad.toml")
        self.write("bad.toml", "title = 7\n")
        self.refuse(3, "title is not text", **page, about="bad.toml")
        self.write("file", "")
        self.refuse(3, "--figures: cannot write to 'file'", **page, figures="file")

    def test_no_file_is_replaced(self):
        """Links are not followed, either. A folder that holds tables or figures is refused before anything is spent."""
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "1")
        table = self.file("people.csv")
        page = {"format": "html", "ledger": "l.db"}
        self.refuse(3, "--figures: cannot write to '.': it holds people.csv, and no file that is there is replaced", **page, figures=".")
        for name, make in (("release.csv", lambda path: path.write_text("kept", encoding="utf-8")),
                           ("release.svg", lambda path: path.symlink_to("../people.csv")),
                           ("probabilities.csv", lambda path: path.symlink_to("nowhere"))):
            folder = self.folder / f"of {name}"
            folder.mkdir()
            make(folder / name)
            self.refuse(3, f"it holds {name}", "name a new folder", **page, figures=folder.name)
            self.assertEqual(sorted(path.name for path in folder.iterdir()), [name])
        self.assertEqual((self.folder / "of release.csv" / "release.csv").read_text(encoding="utf-8"), "kept")
        self.assertEqual(self.file("people.csv"), table)
        self.assertEqual(json.loads(self.of("ledger", "export", "l.db"))["entries"], [])

    def test_all_figures_or_none(self):
        """A file that appears while the release runs is not replaced. Then none of the other files is written."""
        (self.folder / "out").mkdir()
        (self.folder / "pipe").mkdir()
        os.mkfifo(self.folder / "pipe" / "people.csv")
        command = [PROGRAM, "release", "pipe/people.csv", *options(**AGES, format="html", figures="out")]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(self.folder / "pipe" / "people.csv", "wb") as pipe:  # the program opens the pipe after it has looked at the folder
            (self.folder / "out" / "release.csv").symlink_to("../people.csv")
            pipe.write((self.folder / "people.csv").read_bytes())
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (3, b""), err)
        self.assertIn("--figures: the file 'out/release.csv' could not be written: File exists", err.decode())
        self.assertEqual([path.name for path in (self.folder / "out").iterdir()], ["release.csv"])

    def test_refused_before_anything_is_spent(self):
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "1")
        self.refuse(3, "--about", format="html", about="gone.toml", ledger="l.db")
        self.assertIn("people,person,add-remove,epsilon = 1,epsilon = 0", self.of("ledger", "show", "l.db", "--format", "csv"))

    def test_the_ledger_behind_a_receipt(self):
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "2")
        self.page(ledger="l.db", receipt="r.json")
        self.assertIn(SPENT, self.whole(self.of("explain", "r.json", "--format", "html", "--ledger", "l.db")).headings)
        self.page(receipt="other.json", quantiles="median")  # a release of the same query might have the same values
        self.assert_refused(run("explain", "other.json", "--format", "html", "--ledger", "l.db", cwd=self.folder), 2,
                            "no entry of the dataset 'people' holds this receipt")
        for words in ([], ["--format", "markdown"]):
            said = self.of("explain", "r.json", "--ledger", "l.db", *words)
            self.assertIn(SPENT, said)
            self.assertRegex(said, r"A ledger paid for the release: entry 1 of the\s+dataset people")
            self.assertNotIn(SPENT, self.of("explain", "r.json", *words))
        self.assertEqual(self.of("explain", "r.json", "--ledger", "l.db", "--format", "json"), (self.folder / "r.json").read_text())
        for words in ([], ["--format", "markdown"], ["--format", "json"]):
            self.assert_refused(run("explain", "other.json", "--ledger", "l.db", *words, cwd=self.folder), 2, "holds this receipt")
        self.of("ledger", "init", "l.db", "--dataset", "visits", "--epsilon", "2")
        self.assertIn(SPENT, self.of("explain", "r.json", "--ledger", "l.db"))  # the receipt names its dataset
        self.assert_refused(run("explain", "r.json", "--ledger", "l.db", "--dataset", "visits", cwd=self.folder), 2,
                            "--dataset: the receipt names the dataset 'people', and not 'visits'")
        for names in (["visits"], ["visits", "jobs"]):  # the hint was to choose one of these
            self.of("ledger", "init", "o.db", "--dataset", names[-1], "--epsilon", "2")
            self.assert_refused(run("explain", "r.json", "--ledger", "o.db", cwd=self.folder), 2,
                                "the ledger 'o.db' has no dataset 'people', which the receipt names")
        self.assert_refused(run("explain", "r.json", "--ledger", "l.db", "--format", "registry", cwd=self.folder), 2,
                            "--ledger does not go with --format registry")

    def test_again_from_the_ledger(self):
        self.of("ledger", "init", "l.db", "--dataset", "people", "--epsilon", "2")
        first = self.page(ledger="l.db")
        again = self.run_release("people.csv", **AGES, format="html", ledger="l.db")
        self.assertIn("nothing was spent", again.err)
        self.assertEqual(again.out, first)


# A transcription by hand of the registry's schema (schemas/deployments-schema.yaml of github.com/opendp/deployments-registry-data), as of
# its commit 057e5d81cf60. It lists the schema's members, its required members, and the allowed words for what is written here. When the
# schema changes, transcribe it again.
REGISTRY = {
    "": {"url_slug", "deployment"},
    "deployment": {"basic", "dp_variant", "privacy_loss", "deployment_model", "implementation", "administrative"},
    "deployment/basic": {"name", "data_curators", "description", "intended_use", "data_product_type", "data_product_region",
                         "data_product_sector", "publication_date"},
    "deployment/basic/data_curators": {"data_curator_name", "data_curator_type"},
    "deployment/dp_variant": {"variant_name", "data_domain", "unprotected_quantities"},
    "deployment/privacy_loss": {"privacy_unit", "privacy_unit_details", "number_of_privacy_units", "privacy_parameters",
                                "privacy_parameters_details"},
    "deployment/privacy_loss/privacy_parameters": {"epsilon", "delta", "rho"},
    "deployment/deployment_model": {"model_name", "model_name_details", "trust_assumptions", "actors", "release_type",
                                    "release_type_details", "data_source_type", "data_source_type_details", "access_type",
                                    "access_type_details"},
    "deployment/implementation": {"preprocessing_and_hyperparameter_tuning", "mechanisms", "composition", "post_processing",
                                  "justification", "utility", "additional_information"},
    "deployment/administrative": {"evidence_sources", "status", "registry_authors", "tier"},
}
REQUIRED = {"deployment": {"basic", "administrative"},
            "deployment/basic": REGISTRY["deployment/basic"] - {"data_product_sector"},
            "deployment/administrative": {"status", "registry_authors", "tier"}}
WORDS = {"deployment/basic/data_curators/data_curator_type": {"Government", "Industry", "Nonprofit"},
         "deployment/basic/data_product_type": {"Summary statistics"},
         "deployment/dp_variant/variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP"},
         "deployment/deployment_model/model_name": {"Central"},
         "deployment/deployment_model/release_type": {"One release", "Many releases"},
         "deployment/deployment_model/data_source_type": {"Static", "Dynamic"},
         "deployment/deployment_model/access_type": {"Non-interactive", "Interactive"},
         "deployment/administrative/status": {"Draft"}}


def yaml_of(text):
    """Parses the subset of YAML that the program writes: mappings, lists of one item, quoted texts and numbers."""
    root = {}
    open_ = [(-1, root)]
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip(" "))
        body = line.strip()
        is_item = body.startswith("- ")
        while open_[-1][0] >= depth:
            open_.pop()
        target = open_[-1][1]
        if is_item:
            body = body[2:]
            if body.startswith('"'):
                target["[]"] = json.loads(body)
                continue
        key, value = re.fullmatch(r"(\w+):(?: (.*))?", body).groups()
        if is_item:
            depth += 1  # the item's other members stand below this one
        if value is None:
            target[key] = {}
            open_.append((depth, target[key]))
        else:
            target[key] = json.loads(value)
    return root


class Registry(PageTest):
    def record(self, about=ABOUT, **changes):
        self.write("about.toml", about)
        self.page(receipt="r.json", **changes)
        text = self.of("explain", "r.json", "--format", "registry", "--about", "about.toml")
        (self.folder / "r.json").unlink()
        try:
            import yaml
        except ImportError:
            return yaml_of(text)
        loaded = yaml.safe_load(text)
        loaded["deployment"]["basic"]["data_curators"] = loaded["deployment"]["basic"]["data_curators"][0]
        loaded["deployment"]["administrative"]["registry_authors"] = {"[]": loaded["deployment"]["administrative"]["registry_authors"][0]}
        self.assertEqual(loaded, yaml_of(text))
        return loaded

    def keep(self, record, path=""):
        self.assertLessEqual(set(record), REGISTRY[path], path)
        self.assertGreaterEqual(set(record), REQUIRED.get(path, set()), path)
        for key, value in record.items():
            below = f"{path}/{key}".lstrip("/")
            if below in WORDS:
                self.assertIn(value, WORDS[below])
            if below in REGISTRY:
                self.keep(value, below)
            elif below.endswith(("epsilon", "rho", "delta", "tier")):
                self.assertIsInstance(value, (int, float))
            elif below.endswith("registry_authors"):
                self.assertIsInstance(value["[]"], str)
            else:
                self.assertIsInstance(value, str, below)

    def test_keeps_the_schema(self):
        for changes in ({}, {"epsilon": None, "rho": "1/3"}, {"delta": "1e-6"}, {"epsilon": "ln 3", "neighbors": "change-one"},
                        {"public_rows": True}):
            record = self.record(**changes)
            self.keep(record)
            self.assertEqual(record["deployment"]["basic"]["publication_date"], "2026-05-01")
            self.assertEqual(record["url_slug"], "ages-of-residents")

    def test_tells_how_many_people_when_that_is_public(self):
        self.assertIn("There are 1000 people, one a row.", self.details(public_rows=True))
        self.assertNotIn("There are", self.details())
        self.assertNotIn("There are", self.details(public_rows=True, records_per_person="2"))

    def details(self, **changes):
        return self.record(**changes)["deployment"]["privacy_loss"]["privacy_unit_details"]

    def test_says_for_whom_the_parameters_hold(self):
        """Rows of a query's result are no records: a person with as many records may change several times as many rows."""
        self.write("people.csv", "id,age\n" + "".join(f"{i},{20 + i % 60}\n" for i in range(600)))
        self.assertIn("hold for a person with up to 2 records: the curator declares that no person has more.", self.details(records_per_person="2"))
        joined = self.details(sql="SELECT a.age FROM input a JOIN input b ON a.id = b.id", sql_stability="3", records_per_person="2")
        self.assertIn("hold for a person whose records change at most 6 rows of the query's result: the curator declares", joined)
        self.assertNotIn("up to", joined)
        self.assertIn("hold for a person, however many records they have: of each person's records at most 2 count, chosen at random.",
                      self.details(person="id", records_per_person="2"))

    def test_says_all_that_drew_and_what_followed(self):
        def implementation(**changes):
            return self.record(**changes)["deployment"]["implementation"]

        alone = implementation()
        self.assertNotIn("shares and means", alone["post_processing"])
        self.assertNotIn("noise on counts", alone["mechanisms"])
        both = implementation(count=True, below="40", mean=True)
        self.assertRegex(both["mechanisms"], r"mechanisms [a-z-]+, noise on counts\.")
        self.assertIn("shares and means follow from noisy counts and sums", both["post_processing"])
        self.assertIn("that of all numbers together", both["composition"])
        # Percentiles of 40 possible round numbers and of as many fine ones: two mechanisms run.
        rows = [f"round,{1000 * (i % 40)}\n" for i in range(4000)] + [f"fine,{(i * 7919) % 40000}.{i % 10}\n" for i in range(4000)]
        self.write("people.csv", "g,age\n" + "".join(rows))
        groups = {"by": "g", "keys": "round,fine", "bounds": ("0", "100000"), "step": "0.1", "quantiles": "percentiles", "epsilon": "20"}
        ran = {line["mechanism"] for line in json.loads(self.page(format="json", **groups))["groups"]}
        self.assertEqual(len(ran), 2)
        for name in ran:
            self.assertIn(name, implementation(**groups)["mechanisms"])

    def test_found_bounds_are_published(self):
        found = self.record(bounds="auto", epsilon="20")["deployment"]["dp_variant"]["unprotected_quantities"]
        self.assertTrue(found.startswith("The distance between possible values, the quantiles"), found)

    def test_numbers_are_rounded_up(self):
        parameters = self.record(epsilon="ln 3")["deployment"]["privacy_loss"]["privacy_parameters"]
        self.assertGreaterEqual(parameters["epsilon"], 1.0986122886681098)
        self.assertLess(parameters["epsilon"], 1.09861229)

    def test_hostile_texts(self):
        about = ABOUT.replace("Planning", "x: [1]\\n- \\u202e# \\\\ \\\" '&")
        self.assertEqual(self.record(about=about)["deployment"]["basic"]["intended_use"], "x: [1]\\n- \\u{202e}# \\ \" '&")

    def test_refusals(self):
        self.page(receipt="r.json")
        arguments = ("explain", "r.json", "--format", "registry")
        self.assert_refused(run(*arguments, cwd=self.folder), 2, "--about is missing")
        for line, message in (("region", 'add region, such as "Norway"'), ("curator_type", 'add curator_type, such as "Government"'),):
            self.write("about.toml", re.sub(rf"(?m)^{line} = .*\n", "", ABOUT))
            refused = run(*arguments, "--about", "about.toml", cwd=self.folder)
            self.assert_refused(refused, 2, message)
            self.assertIn(f"--about lacks {line}, which the registry requires", refused.err)
        for change, message in ((("Government", "Cabal"), "no curator_type 'Cabal'"), (("2026-05-01", '"May"'), "the date 'May'"),
                                (('contact = "info@example.org"', 'sector = "Gossip"'), "no sector 'Gossip'")):
            self.write("about.toml", ABOUT.replace(*change))
            self.assert_refused(run(*arguments, "--about", "about.toml", cwd=self.folder), 2, message)
        self.write("about.toml", ABOUT)
        (self.folder / "r.json").unlink()
        self.page(receipt="r.json", unsafe_seed="1")
        self.assert_refused(run(*arguments, "--about", "about.toml", cwd=self.folder), 2, "NOT PRIVATE")


if __name__ == "__main__":
    unittest.main()
