"""Tests of tools/: each check catches the faults that it is meant to catch, in small repositories in temporary folders."""

import bz2
import contextlib
import io
import itertools
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import check_floors
import check_options
import check_proofs
import check_prose
import cpp_text
import demo_data
import mutants


class HouseTest(unittest.TestCase):
    """A test that writes a few files and reads a check's messages about them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")

    def assert_one(self, errors, *parts):
        self.assertEqual(len(errors), 1, errors)
        for part in parts:
            self.assertIn(part, errors[0])


class Floors(HouseTest):
    def floors(self):
        return check_floors.House(self.root).check()

    def test_loose_ends_of_the_tables(self):
        """The files that must stand alone exist."""
        house = check_floors.House(Path(__file__).resolve().parent.parent)
        self.assertEqual(house.check(), [])
        for path in check_floors.ALONE:
            self.assertTrue((house.root / path).with_suffix(".cpp").is_file(), path)

    def test_a_sound_house_passes(self):
        self.write("include/fractile/exact.hpp", "#include <string>\n")
        self.write("include/fractile/ranks.hpp", '#include "fractile/exact.hpp"\n')
        self.write("src/exact/rational.hpp", '#include "fractile/exact.hpp"\n#include <flint/fmpq.h>\n')
        self.write("src/exact/rational.cpp", '#include "exact/rational.hpp"\n')
        self.write("src/quantiles/joint/joint.cpp", '#include "exact/rational.hpp"\n#include "fractile/ranks.hpp"\n')
        self.write("cli/options.hpp", "")
        self.write("cli/main.cpp", '#include "options.hpp"\n#include "fractile/ranks.hpp"\n#include "fractile/version.hpp"\n')
        self.write("tests/all_test.cpp", '#include "exact/rational.hpp"\n#include "gtest/gtest.h"\n')
        self.assertEqual(self.floors(), [])

    def test_upward_include(self):
        self.write("src/ranks/score.hpp", "")
        self.write("src/exact/coin.cpp", '#include <span>\n\n#include "ranks/score.hpp"\n')
        self.assert_one(self.floors(), "src/exact/coin.cpp:3: room 'exact' (floor 0) may not include", "upward")

    def test_upward_include_of_a_public_header(self):
        self.write("include/fractile/ranks.hpp", "")
        self.write("src/exact/coin.cpp", "#include <fractile/ranks.hpp>\n")
        self.assert_one(self.floors(), "src/exact/coin.cpp:1:", "upward")

    def test_upward_include_between_public_headers(self):
        self.write("include/fractile/receipts.hpp", "")
        self.write("include/fractile/privacy.hpp", '#include "fractile/receipts.hpp"\n')
        self.assert_one(self.floors(), "include/fractile/privacy.hpp:1: room 'privacy' (floor 1)", "upward")

    def test_sideways_include(self):
        self.write("src/ranks/score.hpp", "")
        self.write("src/privacy/budget.cpp", '#include "ranks/score.hpp"\n')
        self.assert_one(self.floors(), "src/privacy/budget.cpp:1: room 'privacy' (floor 1)", "'ranks' (floor 1)", "sideways")

    def test_sideways_include_by_a_relative_path(self):
        self.write("src/ranks/score.hpp", "")
        self.write("src/privacy/budget.cpp", '#include "../ranks/score.hpp"\n')
        self.assert_one(self.floors(), "src/privacy/budget.cpp:1:", "sideways")

    def test_a_room_below_that_is_not_on_the_list(self):
        self.write("src/privacy/budget.hpp", "")
        self.write("src/source/entries/table.cpp", '#include "privacy/budget.hpp"\n')
        self.assert_one(self.floors(), "room 'source/entries' (floor 2.5)", "it may use: source/counting, ")

    def test_only_channel_of_may_pass_from_flow_to_quantiles(self):
        self.write("src/quantiles/joint/joint.hpp", "")
        self.write("src/flow/pipeline/channel_of.cpp", '#include "quantiles/joint/joint.hpp"\n')
        self.write("src/flow/pipeline/rows.cpp", '#include "quantiles/joint/joint.hpp"\n')
        self.assert_one(self.floors(), "src/flow/pipeline/rows.cpp:1:", "; only channel_of.* may")

    def test_sub_rooms_have_floors_of_their_own(self):
        self.write("src/flow/algebra/ring.hpp", "")
        self.write("src/flow/loss/target_total.hpp", '#include "flow/algebra/ring.hpp"\n')
        self.write("src/flow/refinement/reduction.hpp", "")
        self.write("src/report/flow/flow_json.cpp", '#include "flow/loss/target_total.hpp"\n')
        self.assertEqual(self.floors(), [])
        self.write("src/flow/algebra/real_roots.cpp", '#include "flow/loss/target_total.hpp"\n')
        self.assert_one(self.floors(), "src/flow/algebra/real_roots.cpp:1: room 'flow/algebra' (floor 2.1)", "upward")
        self.write("src/flow/algebra/real_roots.cpp", "")
        self.write("src/flow/pipeline/rows.cpp", '#include "flow/refinement/reduction.hpp"\n')
        self.assert_one(self.floors(), "src/flow/pipeline/rows.cpp:1:", "sideways")

    def test_sub_rooms_see_the_public_headers_of_those_below(self):
        self.write("include/fractile/pipelines.hpp", "")
        self.write("src/flow/channel/rows.cpp", '#include "fractile/pipelines.hpp"\n')
        self.assert_one(self.floors(), "src/flow/channel/rows.cpp:1:", "upward")

    def test_a_room_of_sub_rooms_holds_no_files_of_its_own(self):
        self.write("src/flow/algebra/ring.hpp", "")
        self.write("src/flow/loose.hpp", '#include "flow/algebra/ring.hpp"\n')
        self.assert_one(self.floors(), "src/flow/loose.hpp:1: stands in no sub-room")

    def test_an_unknown_sub_room_says_where_to_add_it(self):
        self.write("src/flow/attic/box.hpp", "")
        self.assert_one(self.floors(), "src/flow/attic: unknown room 'flow/attic'; add it to ROOMS in tools/check_floors.py")

    def test_what_checks_shares_no_code_with_what_is_checked(self):
        self.write("include/fractile/flow.hpp", "")
        self.write("src/flow/refinement/reduction.hpp", "")
        self.write("src/flow/refinement/verify.cpp", '#include "fractile/flow.hpp"\n')
        self.assertEqual(self.floors(), [])
        self.write("src/flow/refinement/verify.cpp", '#include "fractile/flow.hpp"\n#include "reduction.hpp"\n')
        self.assert_one(self.floors(), "src/flow/refinement/verify.cpp:2: may include only", "reduction.hpp")

    def test_a_room_has_few_sources(self):
        for folder in ("src/flow/loss", "src/ranks", "requests"):
            for number in range(20):
                self.write(f"{folder}/part{number}.cpp", "")
                self.write(f"{folder}/part{number}_test.cpp", "")
            self.assertEqual(self.floors(), [])
            self.write(f"{folder}/more.cpp", "")
            self.assert_one(self.floors(), f"{folder}: 21 sources")
            (self.root / folder / "more.cpp").unlink()

    def test_tests_may_look_at_every_sub_room_of_their_room(self):
        self.write("src/quantiles/release/release.hpp", "")
        self.write("src/ledger/ledger.hpp", "")
        self.write("src/quantiles/draws/odometer_test.cpp", '#include "quantiles/release/release.hpp"\n')
        self.assertEqual(self.floors(), [])
        self.write("src/quantiles/draws/odometer_test.cpp", '#include "ledger/ledger.hpp"\n')
        self.assert_one(self.floors(), "src/quantiles/draws/odometer_test.cpp:1:", "no use for")

    def test_others_are_included_by_their_wrappers(self):
        self.write("src/libraries/fmt.hpp", "#include <fmt/format.h>\n")
        self.write("src/libraries/fmt.cpp", '#include "libraries/fmt.hpp"\n#include <fmt/format-inl.h>\n')
        self.write("src/exact/coin.cpp", '#include "libraries/fmt.hpp"\n')
        self.write("cli/main.cpp", '#include "libraries/fmt.hpp"\n')
        self.write("tests/consumer/host.cpp", "#include <fmt/format.h>\n")
        self.assertEqual(self.floors(), [])
        self.write("src/exact/coin.cpp", "#include <fmt/core.h>\n")
        self.assert_one(self.floors(), 'src/exact/coin.cpp:1: may not include <fmt/core.h>, but "libraries/fmt.hpp"')

    def test_the_command_line_sees_public_headers_only(self):
        self.write("src/ranks/score.hpp", "")
        self.write("cli/main.cpp", '#include "ranks/score.hpp"\n')
        self.assert_one(self.floors(), "cli/main.cpp:1: room 'cli' (floor 6)", "only public headers")

    def test_the_command_line_may_run_experiments_and_no_other_room_may(self):
        self.write("experiments/study.hpp", "")
        self.write("cli/main.cpp", '#include "experiments/study.hpp"\n')
        self.assertEqual(self.floors(), [])
        self.write("src/report/release/json.cpp", '#include "../../../experiments/study.hpp"\n')
        self.assert_one(self.floors(), "src/report/release/json.cpp:1: room 'report/release' (floor 3.2)", "upward")

    def test_experiments_see_public_headers_only(self):
        self.write("include/fractile/ranks.hpp", "")
        self.write("src/ranks/score.hpp", "")
        self.write("cli/options.hpp", "")
        self.write("experiments/metrics.hpp", "")
        self.write("experiments/study.cpp", '#include "experiments/metrics.hpp"\n#include "fractile/ranks.hpp"\n')
        self.assertEqual(self.floors(), [])
        self.write("experiments/metrics.cpp", '#include "ranks/score.hpp"\n#include "cli/options.hpp"\n')
        private, upward = self.floors()
        self.assertIn("experiments/metrics.cpp:1: room 'experiments' (floor 4)", private)
        self.assertIn("only public headers", private)
        self.assertIn("experiments/metrics.cpp:2:", upward)

    def test_a_public_header_includes_no_private_one(self):
        self.write("src/exact/coin.hpp", "")
        self.write("include/fractile/exact.hpp", '#include "exact/coin.hpp"\n')
        self.assert_one(self.floors(), "include/fractile/exact.hpp:1:", "not installed")

    def test_no_room_uses_the_tests(self):
        self.write("tests/oracle.hpp", "")
        self.write("src/exact/coin.cpp", '#include "../../tests/oracle.hpp"\n')
        self.assert_one(self.floors(), "no room uses tests/")

    def test_only_tests_use_the_support_of_tests(self):
        self.write("tests/support/statistics.hpp", "")
        self.write("src/exact/coin_test.cpp", '#include "support/statistics.hpp"\n')
        self.write("src/exact/coin.cpp", '#include "support/statistics.hpp"\n')
        self.assert_one(self.floors(), "src/exact/coin.cpp:1:", "no room uses tests/")

    def test_cycle(self):
        self.write("src/ranks/a.hpp", '#include "ranks/b.hpp"\n')
        self.write("src/ranks/b.hpp", '#include "c.hpp"\n')
        self.write("src/ranks/c.hpp", '\n#include "ranks/a.hpp"\n')
        self.assert_one(
            self.floors(), "src/ranks/c.hpp:2: include cycle: src/ranks/a.hpp -> src/ranks/b.hpp -> src/ranks/c.hpp -> "
        )

    def test_every_file_is_named_in_a_readme(self):
        self.write("src/exact/README.md", "`coin` tosses.\n")
        self.write("src/exact/coin.cpp", "")
        self.write("src/exact/coin_test.cpp", "")
        self.assertEqual(self.floors(), [])
        self.write("src/exact/dice.cpp", "")
        self.assert_one(self.floors(), "src/exact/dice.cpp: src/exact/README.md does not say what dice is for")

    def test_a_room_of_too_many_sources(self):
        for number in range(check_floors.MOST_SOURCES):
            self.write(f"src/exact/a{number}.cpp", "")
        self.assertEqual(self.floors(), [])
        self.write("src/exact/b.cpp", "")
        self.assert_one(self.floors(), "src/exact: 21 sources; a room has at most 20")

    def test_cycle_of_sources(self):
        """Each header can stand alone, but each source needs the other's header."""
        self.write("src/ranks/a.hpp", "")
        self.write("src/ranks/b.hpp", "")
        self.write("src/ranks/a.cpp", '#include "ranks/a.hpp"\n#include "ranks/b.hpp"\n')
        self.assertEqual(self.floors(), [])
        self.write("src/ranks/b.cpp", '#include "ranks/b.hpp"\n#include "ranks/a.hpp"\n')
        self.assert_one(self.floors(), "src/ranks/b:2: include cycle: src/ranks/a -> src/ranks/b -> src/ranks/a")
        self.write("src/ranks/b.cpp", "")
        self.write("src/ranks/b_test.cpp", '#include "ranks/a.hpp"\n')
        self.assertEqual(self.floors(), [])

    def test_what_sources_are_made_of_is_in_no_cycle(self):
        self.write("src/exact/a.hpp", "")
        self.write("src/exact/vectors-inl.hpp", '#include "exact/a.hpp"\n')
        self.write("src/exact/a.cpp", '#include "exact/vectors-inl.hpp"\n')
        self.assertEqual(self.floors(), [])

    def test_cycle_in_a_free_folder(self):
        self.write("bench/a.hpp", '#include "a.hpp"\n')
        self.assert_one(self.floors(), "bench/a.hpp:1: include cycle: bench/a.hpp -> bench/a.hpp")

    def test_unknown_room_and_header_say_where_to_add_them(self):
        self.write("src/attic/box.hpp", "")
        self.write("include/fractile/attic.hpp", "")
        room, header = self.floors()
        self.assertIn("add it to ROOMS in tools/check_floors.py", room)
        self.assertIn("add it to PUBLIC_HEADERS in tools/check_floors.py", header)

    def test_comments_and_strings_are_no_includes(self):
        self.write("src/ranks/score.hpp", "")
        self.write(
            "src/exact/coin.cpp",
            """\
            // #include "ranks/score.hpp"
            /*
            #include "ranks/score.hpp"
            */
            const char* glob = "/*";
            const char* text = R"x(
            #include "ranks/score.hpp"
            )x";
            """,
        )
        self.assertEqual(self.floors(), [])

    def test_every_room_uses_rooms_below_it_only(self):
        self.assertEqual(check_floors.House(self.root).check(), [])
        check_floors.ROOMS["ranks"] = check_floors.Room(1, ("privacy",))
        self.addCleanup(check_floors.ROOMS.__setitem__, "ranks", check_floors.Room(1, ("exact",)))
        self.assert_one(self.floors(), "'ranks' may use 'privacy', which is on no floor below it")


class Options(HouseTest):
    def options(self):
        return check_options.check(self.root)

    def test_the_house_passes(self):
        self.assertEqual(check_options.check(Path(__file__).resolve().parent.parent), [])

    def test_texts_that_spell_options_are_found(self):
        for text in ('"write --step 1"', 'R"(write --step 1)"', '"see what fractile ledger verify reports; --step 1"',
                     '"make it: "\n    "--step 1"', '"fractile is not one; write --step"'):
            with self.subTest(text):
                self.write("src/ranks/lattice.cpp", f"int i = 2;\nconst char* hint = {text};  // --bounds\n")
                self.assert_one(self.options(), "src/ranks/lattice.cpp:2", 'write Field("step")')

    def test_what_is_none_passes(self):
        self.write("cli/options.cpp", 'const char* of_the_program = "--help";\n')
        self.write("src/ranks/lattice_test.cpp", 'const char* of_a_test = "--help";\n')
        self.write(
            "src/ranks/lattice.cpp",
            """\
            int i = 2; // "--step"
            char c = '"'; int j = --i;
            const char* command = "make one: fractile ledger init {} "  // at a path
                                  "--epsilon E; or name another";
            const char* other = "a--b -- c";
            """,
        )
        self.assertEqual(self.options(), [])


class CppText(unittest.TestCase):
    def test_positions_stay(self):
        text = "int a = 1'000; /* x\ny */ char c = '\"'; // end\nint b;\n"
        code = cpp_text.without_comments(text)
        self.assertEqual(len(code), len(text))
        self.assertEqual(code.count("\n"), text.count("\n"))
        self.assertNotIn("x", code)
        self.assertNotIn("end", code)
        self.assertIn("int b;", code)


PAGE = """\
# Title
## Claim
It holds.
## Proof
By definition.
## Test that would break
selection_test.cpp
"""


class Proofs(HouseTest):
    def proofs(self):
        return check_proofs.check(self.root)

    def test_a_function_with_its_page_passes(self):
        self.write("docs/proofs/select_softmax.md", PAGE)
        self.write("docs/proofs/README.md", "What stands here.\n")
        self.write(
            "include/fractile/selection.hpp",
            """\
            #pragma once
            /// Draws an index.
            /// Proof: docs/proofs/select_softmax.md
            std::size_t select_softmax(int scores);
            """,
        )
        self.assertEqual(self.proofs(), [])

    def test_a_test_that_is_named_is_there(self):
        self.write("src/exact/coin_test.cpp", "TEST(Coin, IsFair) {}\nTEST_F(CoinTest, LandsOnItsEdge) {}\n")
        self.write("docs/threat-model.md", "Watched by `Coin.IsFair`, `CoinTest.*`, `CoinTest.Lands...`, `exact.coin`.\n")
        self.assertEqual(self.proofs(), [])
        for name in ("Coin.IsBiased", "Coins.*", "Coin.Lands..."):
            with self.subTest(name):
                self.write("docs/threat-model.md", f"Watched by `{name}`.\n")
                self.assert_one(self.proofs(), "docs/threat-model.md:", f"there is no test {name}")

    def test_every_statement_has_all_its_cells(self):
        self.write("src/exact/coin_test.cpp", "TEST(Coin, IsFair) {}\n")
        table = "| place | tests |\n| --- | --- |\n| lemma 1 | `Coin.IsFair` |\n"
        self.write("docs/papers.md", table)
        self.assertEqual(self.proofs(), [])
        self.write("docs/papers.md", table + "| lemma 2 |  |\n")
        self.assert_one(self.proofs(), "docs/papers.md:4:", "an empty cell")
        self.write("docs/papers.md", table + "| lemma 2 | `Coin.Lands` |\n")
        self.assert_one(self.proofs(), "docs/papers.md:", "there is no test Coin.Lands")

    def test_a_head_comment_covers_its_header(self):
        self.write("docs/proofs/selection.md", PAGE)
        self.write(
            "include/fractile/selection.hpp",
            "// Exact selection; proof: docs/proofs/selection.md.\n#pragma once\nint select_softmax(int scores);\n",
        )
        self.assertEqual(self.proofs(), [])

    def test_the_comment_of_a_section_covers_it_and_no_other(self):
        self.write("docs/proofs/selection.md", PAGE)
        sections = "// All.\n#pragma once\n// --- Selection ---\n//\n// Exact; proof: docs/proofs/selection.md.\n\n// --- Soft ones ---\nint select_softmax(int scores);\n"
        self.write("include/fractile/exact.hpp", sections)
        self.assertEqual(self.proofs(), [])
        self.write("include/fractile/exact.hpp", sections + "// --- More ---\n//\n// Others.\nint select_gumbel(int scores);\n")
        self.assert_one(self.proofs(), "include/fractile/exact.hpp:12: 'select_gumbel' has no proof")

    def test_a_function_without_a_proof_line(self):
        for number, declaration in enumerate(
            (
                "bool bernoulli(const Rational& p);",
                "template <class T = int>\n[[nodiscard]] std::vector<T> make_laplace(T scale);",
                "class C {\n public:\n  static C sample_uniform(int n) { return C(n); }\n};",
                "inline int\nrelease_median(int n);",
                "std::uint64_t rank_score(int n);",
                "int release(\n    int n);",
                "int discrete_gaussian(int s)\n{ return s; }",
            )
        ):
            with self.subTest(declaration):
                self.write(f"include/fractile/h{number}.hpp", f"#pragma once\n\n/// Says nothing.\n{declaration}\n")
                self.assert_one(self.proofs(), f"include/fractile/h{number}.hpp:", "has no proof")
                (self.root / f"include/fractile/h{number}.hpp").unlink()

    def test_calls_and_other_names_need_none(self):
        self.write(
            "include/fractile/other.hpp",
            """\
            #pragma once
            /// make_nothing(1) is only spoken of.
            #define make_macro(x) (x)
            int remake_it(int n);
            struct Part { const int* release() const; void (*release)(Part*); };
            inline int f(int n = make_default()) { make_first(n); auto x = make_second(n); return make_third(x); }
            """,
        )
        self.assertEqual(self.proofs(), [])

    def test_a_line_above_another_function_does_not_count(self):
        self.write("docs/proofs/make_a.md", PAGE)
        self.write(
            "include/fractile/m.hpp",
            "#pragma once\n/// Proof: docs/proofs/make_a.md\nint make_a();\nint make_b();\n",
        )
        self.assert_one(self.proofs(), "include/fractile/m.hpp:4: 'make_b' has no proof")

    def test_missing_page(self):
        self.write("src/exact/coin.hpp", "// Coin; proof: docs/proofs/coin.md.\n")
        self.assert_one(self.proofs(), "src/exact/coin.hpp:1: docs/proofs/coin.md is not there")

    def test_missing_and_empty_sections(self):
        self.write("docs/proofs/coin.md", "## Claim\n\n## Proof\nyes\n")
        self.write("src/exact/coin.hpp", "// Coin; proof: docs/proofs/coin.md.\n")
        self.assertEqual(
            self.proofs(),
            [
                "docs/proofs/coin.md: section '## Claim' is empty",
                "docs/proofs/coin.md: section '## Test that would break' is missing",
            ],
        )

    def test_orphan(self):
        self.write("docs/proofs/nothing.md", PAGE)
        self.assert_one(self.proofs(), "docs/proofs/nothing.md: no header or source names this page")


class Prose(HouseTest):
    def prose(self):
        return check_prose.check(self.root)

    def test_a_sound_page_passes(self):
        self.write("docs/other.md", "# The *other* page, 2nd edition\n")
        self.write(
            "README.md",
            "# Title\n\nSee [this](#title), [that](docs/other.md#the-other-page-2nd-edition), [a folder](docs/) and\n"
            "[the web](https://example.org/x#y). They know; `he` is code, and `[no](link)` too.\n\n"
            "```\n" + "he wrote " * 40 + "[x](y)\n```\n\n| a | " + "b" * 200 + " |\n",
        )
        self.write("include/fractile/h.hpp", "/// They know.\n/// Thread-safety: a value.\nint he();\n")
        self.assertEqual(self.prose(), [])

    def test_long_lines(self):
        self.write("docs/page.md", "a" * 140 + "\n" + "b" * 141 + "\n")
        self.assert_one(self.prose(), "docs/page.md:2: 141 characters")
        self.write("docs/page.md", "| " + "b" * 298 + "\n| " + "b" * 299 + "\n")
        self.assert_one(self.prose(), "docs/page.md:2: 301 characters")

    def test_persons(self):
        for word in ("he", "His", "him", "himself"):
            with self.subTest(word):
                self.write("docs/page.md", f"An analyst knows what {word} wants.\n")
                self.assert_one(self.prose(), "docs/page.md:1:", f"'{word}' for a person")
        self.write("docs/page.md", "The theme of this chapter.\n")
        self.write("include/fractile/h.hpp", "// Thread-safety: a value.\nint f();  ///< what he wants\n")
        self.assert_one(self.prose(), "include/fractile/h.hpp:2:", "'he' for a person")

    def test_a_public_header_without_a_word_of_threads(self):
        self.write("include/fractile/h.hpp", "#pragma once\n")
        self.assert_one(self.prose(), "include/fractile/h.hpp:1: says nothing of threads")
        one, other = "// --- One ---\n//\n// Thread-safety: a value.\n", "// --- Other ---\n//\n// More.\n"
        self.write("include/fractile/h.hpp", "#pragma once\n" + one + other)
        self.assert_one(self.prose(), "include/fractile/h.hpp:5: says nothing of threads")

    def test_translated_phrases(self):
        for phrase in check_prose.PHRASES:
            with self.subTest(phrase):
                self.write("docs/page.md", f"It says: {phrase.capitalize()}.\n")
                self.assert_one(self.prose(), "docs/page.md:1:", f"'{phrase}'; write")

    def test_tics(self):
        for sentence, fault in (
            ("Of files the name.", "a sentence begins with 'Of'"),
            ("It is known. Of files the name.", "a sentence begins with 'Of'"),
            ("It is what whoever asks may know.", "'whoever' in a rule"),
            ("Nobody checks it.", "'Nobody' in a rule"),
            ("Error(usage) unless it is.", "'Error(usage)'; write 'Throws"),
            ("It has a line a cell.", "'a line a cell'; write 'one line per cell'"),
        ):
            with self.subTest(sentence):
                self.write("docs/page.md", sentence + "\n")
                self.assert_one(self.prose(), "docs/page.md:1:", fault)
                self.write("docs/page.md", "A page.\n")
                self.write("src/exact/coin.cpp", f"int a;\n/// {sentence}\nconst char* coin = \"Nobody // Of all\";\n")
                self.assert_one(self.prose(), "src/exact/coin.cpp:2:", fault)
                self.write("src/exact/coin.cpp", "")

    def test_what_is_no_tic(self):
        self.write("docs/page.md", "*Of the table.* Of 40 tables 3 are lost, and of these none. The user `nobody`, `Error(usage)`.\n")
        self.assertEqual(self.prose(), [])

    def test_lists(self):
        self.write("docs/page.md", "A list:\n\n* one\n  is long\n* two\n\n  goes on\n\nIt is over, 1 - 2.\n| a | b |\n")
        self.assertEqual(self.prose(), [])
        for text, line, fault in (
            ("The sum is 1\n+ 2.\n", 2, "begins like an item"),
            ("There are 0 ..\n1. They end.\n", 2, "begins like an item"),
            ("* The sum is 1\n  - 2.\n", 2, "begins like an item"),
            ("* one\nis long\n", 2, "is not indented below"),
        ):
            with self.subTest(text):
                self.write("docs/page.md", text)
                self.assert_one(self.prose(), f"docs/page.md:{line}:", fault)

    def test_links(self):
        self.write("docs/other.md", "# Other\n")
        for target, fault in (
            ("absent.md", "leads nowhere"),
            ("../docs/absent/", "leads nowhere"),
            ("other.md#absent", "other.md has no heading for #absent"),
            ("#absent", "this page has no heading"),
        ):
            with self.subTest(target):
                self.write("docs/page.md", f"# Page\n\nSee [there]({target}).\n")
                self.assert_one(self.prose(), "docs/page.md:3:", fault)

    def test_generated_pages_are_held_to_links_only(self):
        self.write(check_prose.GENERATED[0], "b" * 1000 + " he\n[x](absent.md)\n")
        self.assert_one(self.prose(), ":2: the link to absent.md leads nowhere")


class DemoData(HouseTest):
    def wheel(self, records):
        line = "South Carolina,100,13,6.471038,37,1369\n"
        text = "state,puma,educ,lweekinc,exper,expersq\n" + line * records
        path = self.root / "package.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(demo_data.MEMBER, bz2.compress(text.encode()))
        return path

    def test_table(self):
        out = self.root / "wages.csv"
        demo_data.main(self.wheel(demo_data.RECORDS), str(out))
        lines = out.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[:2], ["weekly_wage,education,experience,state", "646.15,13,37,South Carolina"])
        self.assertEqual(len(lines), demo_data.RECORDS + 1)

    def test_another_data_set_is_refused_and_nothing_is_left(self):
        out = self.root / "wages.csv"
        with self.assertRaises(SystemExit):
            demo_data.main(self.wheel(3), str(out))
        self.assertFalse(out.exists())


class FakeBuild:
    """A tree of prices. Its tests fail while a price says "less"."""

    def __init__(self, tree):
        self.folder = tree / "src"

    def any_says(self, word):
        return any(word in path.read_text(encoding="utf-8") for path in self.folder.glob("*.txt"))

    def make(self, tests):
        if self.any_says("syntax"):
            raise mutants.Rotten("does not compile")

    def run(self, test):
        return mutants.Outcome(not self.any_says("less"), f"{test}.Pays")


class Mutants(HouseTest):
    PATCH = """\
        The price is {what}.
        Fails: Price.*

        --- a/src/price.txt
        +++ b/src/price.txt
        @@ -2,3 +2,3 @@
         two
        -the price
        +{what}
         four
        """

    def setUp(self):
        super().setUp()
        self.write("src/price.txt", "one\ntwo\nthe price\nfour\nfive\n")
        self.write("src/price_test.cpp", "TEST(Price, IsPaid) {}\nTEST_P(Prices, ArePaid) {}\n")
        self.write("tests/cli/price_test.py", "class Price(Base):\n    def test_paid(self):\n        pass\n")
        self.write("python/tests/price_test.py", "def test_cents():\n    pass\n")
        self.write(".gitignore", "/build/\n")
        for command in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", *command], cwd=self.root, check=True)
        self.tree = mutants.Tree(self.root, self.root / "build" / "mutants")

    def write_mutant(self, name, what, file="price.txt"):
        patch = textwrap.dedent(self.PATCH).format(what=what).replace("price.txt", file)
        self.write(f"{mutants.FOLDER}/{name}.patch", patch)

    def run_all(self, *filters, trees=None):
        trees = trees or [self.tree]
        chosen = mutants.read_all(self.root / mutants.FOLDER, filters)
        for tree in trees:
            tree.refresh()
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            good = mutants.run_all(chosen, [mutants.Copy(tree, FakeBuild(tree.folder)) for tree in trees])
        return good, out.getvalue()

    def test_a_mutant_that_a_test_catches(self):
        self.write_mutant("cheap", "less")
        good, out = self.run_all()
        self.assertTrue(good)
        self.assertRegex(out, r"cheap +[\d.]+ s  caught by Price.\*.Pays\n1 caught, 0 survived\n$")

    def test_one_that_survives(self):
        self.write_mutant("cheap", "less")
        self.write_mutant("dear", "more")
        good, out = self.run_all()
        self.assertFalse(good)
        self.assertRegex(out, r"dear +[\d.]+ s  SURVIVED\nsurvived: dear: The price is more.\n1 caught, 1 survived\n$")

    def test_one_that_does_not_compile(self):
        self.write_mutant("broken", "syntax error, less")
        good, out = self.run_all()
        self.assertFalse(good)
        self.assertIn("0 caught, 0 survived, 1 rotten", out)

    def test_a_filter_chooses(self):
        self.write_mutant("cheap", "less")
        self.write_mutant("dear", "more")
        self.assertTrue(self.run_all("chea")[0])

    def test_copies_share_the_mutants(self):
        trees = [self.tree, mutants.Tree(self.root, self.root / "build" / "mutants-2")]
        for number in range(5):
            self.write(f"src/price{number}.txt", "one\ntwo\nthe price\nfour\n")
            self.write_mutant(f"cheap{number}", "less", f"price{number}.txt")
        subprocess.run(["git", "add", "-A"], cwd=self.root, check=True)
        good, out = self.run_all(trees=trees)
        self.assertTrue(good)
        self.assertEqual(sorted(re.findall("^cheap.", out, re.MULTILINE)), [f"cheap{number}" for number in range(5)])
        self.assertTrue(out.endswith("\n5 caught, 0 survived\n"), out)
        for tree, number in itertools.product(trees, range(5)):
            self.assertIn("the price", (tree.folder / f"src/price{number}.txt").read_text(encoding="utf-8"))

    def test_after_a_failure_no_task_begins(self):
        done, failed = [], threading.Event()

        def work(copy, task):
            done.append(task)
            if copy == "first":
                failed.set()
                raise mutants.Rotten("the disk is full")
            failed.wait()
            time.sleep(0.1)

        with self.assertRaisesRegex(mutants.Rotten, "the disk is full"):
            mutants.in_turn(["first", "second"], work, range(50))
        self.assertLess(len(done), 50)

    def test_mistakes_are_unmade(self):
        self.write_mutant("cheap", "less")
        self.run_all()
        original = (self.root / "src/price.txt").read_text(encoding="utf-8")
        self.assertEqual((self.tree.folder / "src/price.txt").read_text(encoding="utf-8"), original)

    def test_the_copy_follows_the_house_and_keeps_the_times_of_what_is_equal(self):
        self.write("src/gone.txt", "")
        subprocess.run(["git", "add", "-A"], cwd=self.root, check=True)
        self.tree.refresh()
        before = (self.tree.folder / "src/price.txt").stat().st_mtime_ns
        (self.root / "src/gone.txt").unlink()
        self.write("src/untracked.txt", "")
        self.tree.refresh()
        self.assertEqual((self.tree.folder / "src/price.txt").stat().st_mtime_ns, before)
        self.assertFalse((self.tree.folder / "src/gone.txt").exists())
        self.assertFalse((self.tree.folder / "src/untracked.txt").exists())

    def test_tests_must_pass_without_a_mistake(self):
        self.write_mutant("cheap", "less")
        self.tree.refresh()
        (self.tree.folder / "src/price.txt").write_text("less", encoding="utf-8")
        with self.assertRaisesRegex(mutants.Rotten, "fails without any mistake"):
            mutants.require_sound(mutants.read_all(self.root / mutants.FOLDER), [mutants.Copy(self.tree, FakeBuild(self.tree.folder))])

    def test_more_copies_than_tests(self):
        self.write_mutant("cheap", "less")
        self.tree.refresh()
        asked = []

        class OneTest(FakeBuild):
            def make(self, tests):
                asked.append(tests)

        copies = [mutants.Copy(self.tree, OneTest(self.tree.folder)) for _ in range(3)]
        mutants.require_sound(mutants.read_all(self.root / mutants.FOLDER), copies)
        self.assertEqual(asked, [["Price.*"]])  # a build without a target is an error

    def test_a_patch_that_no_longer_applies(self):
        self.write_mutant("cheap", "less")
        self.assertEqual(mutants.check(self.root), [])
        self.write("src/price.txt", "one\ntwo\nthe cost\nfour\nfive\n")
        self.assert_one(mutants.check(self.root), "cheap: no longer applies: ", "src/price.txt")

    def test_a_patch_names_tests_that_are_there(self):
        whole = textwrap.dedent(self.PATCH).format(what="less")
        there = ("Price.*", "Price.IsPaid:Prices.*", "Shop/Prices.ArePaid/*", "Price.*-Price.IsLost", "cli.price_test",
                 "cli.price_test.Price", "cli.price_test.Price.test_paid", "python.price_test", "python.price_test.test_cents")
        gone = ("Price.IsLost", "Price.IsPaid:Cost.*", "Shop/Prices.AreLost/*", "cli.cost_test", "cli.price_test.Cost",
                "cli.price_test.Price.test_lost", "python.cost_test", "python.price_test.test_paid")
        for name in there + gone:
            with self.subTest(name):
                self.write(f"{mutants.FOLDER}/cheap.patch", whole.replace("Fails: Price.*", f"Fails: {name}"))
                self.assertEqual(mutants.check(self.root), [] if name in there else [f"cheap: there is no test {name}"])

    def test_a_patch_that_is_not_whole(self):
        whole = textwrap.dedent(self.PATCH).format(what="less")
        for missing, complaint in (
            ("Fails: Price.*\n", "names no test"),
            ("The price is less.\n", "does not begin with a sentence"),
            ("--- a/src/price.txt\n", "holds no unified diff"),
        ):
            with self.subTest(missing):
                self.write(f"{mutants.FOLDER}/cheap.patch", whole.replace(missing, ""))
                self.assert_one(mutants.check(self.root), "cheap.patch: " + complaint)

    def outcome_of(self, script):
        """Build's verdict on a program of unit tests."""
        self.write("build/mutants/fractile_tests", "#!/bin/sh\n" + script)
        (self.root / "build/mutants/fractile_tests").chmod(0o755)
        return mutants.Build(self.root, io.StringIO()).run("Price.*")

    def test_outcomes_of_unit_tests(self):
        self.assertTrue(self.outcome_of("echo '[  PASSED  ] 3 tests.'\n").passed)
        failed = self.outcome_of("echo '[  FAILED  ] Price.IsPaid (3 ms)'; exit 1\n")
        self.assertEqual(failed, mutants.Outcome(False, "Price.IsPaid"))
        self.assertEqual(self.outcome_of("kill -ABRT $$\n"), mutants.Outcome(False, "ended by signal 6"))
        with self.assertRaisesRegex(mutants.Rotten, "there is no test"):
            self.outcome_of("echo '[==========] 0 tests from 0 test suites ran. (0 ms total)'\n")

    def outcome_in_python(self, script):
        self.write("python3", "#!/bin/sh\n" + script)
        (self.root / "python3").chmod(0o755)
        return mutants.Build(self.root, io.StringIO(), self.root / "python3").run("python.price_test.test_cents")

    def test_outcomes_of_tests_of_python(self):
        self.assertTrue(self.outcome_in_python("echo '1 passed in 0.1s'\n").passed)
        failed = self.outcome_in_python("for last; do :; done; echo \"FAILED $last - no\"; echo '1 failed in 0.1s'; exit 1\n")
        self.assertEqual(failed, mutants.Outcome(False, "test_cents"))
        for script in ("echo '1 skipped in 0.1s'\n", "echo 'no tests ran in 0.1s'; exit 5\n", "exit 4\n"):
            with self.subTest(script), self.assertRaisesRegex(mutants.Rotten, "cannot be run here"):
                self.outcome_in_python(script)
        with self.assertRaisesRegex(mutants.Rotten, "cannot be run here: ./dev test makes its Python"):
            mutants.Build(self.root, io.StringIO(), self.root / "none").run("python.price_test.test_cents")

    def test_program_tests_are_told_from_filters(self):
        self.assertTrue(mutants.is_python_test("python.price_test.test_cents"))
        self.assertFalse(mutants.is_python_test("cli.price_test"))
        self.assertTrue(mutants.is_program_test("cli.ledger_test.Races.test_one"))
        self.assertFalse(mutants.is_program_test("Ledger.*:Release.*"))
        self.assertEqual(mutants.program_of("Ledger.*:Release.*"), "fractile_tests")
        self.assertEqual(mutants.program_of("HostThreads.*"), "host_tests")


if __name__ == "__main__":
    unittest.main()
