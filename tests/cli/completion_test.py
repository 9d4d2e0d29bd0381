"""fractile completion: bash, zsh and fish complete exactly the words that the program accepts."""

import os
import re
import shutil
import subprocess
import unittest

from cli.program import PROGRAM, CommandTest, run


def completed(*words):
    """What bash offers for the last of these words."""
    script = 'source <("$1" completion bash); shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fractile; printf "%s\\n" "${COMPREPLY[@]}"'
    result = subprocess.run(["bash", "-c", script, "bash", PROGRAM, "fractile", *words], capture_output=True, text=True, check=True)
    return result.stdout.split()


def help_of(*verb):
    return run(*verb, "--help").out


def options_in(text):
    return set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE)) | {"--help"}


def verbs():
    """The verbs that the help lists; where a verb has words after it, the verb with each of them."""
    for verb in re.findall(r"^  ([a-z]+) ", help_of(), re.MULTILINE):
        if verb == "fractile":
            continue
        text = help_of(verb)
        words = [] if options_in(text) != {"--help"} or verb == "merge" else re.findall(r"^  ([a-z-]+)  ", text, re.MULTILINE)
        yield from ((verb, word) for word in words) if words else [(verb,)]


class Completion(CommandTest):
    def test_verbs_and_their_words(self):
        self.assertEqual(set(completed("")), {verb for verb, *_ in verbs()} | {"--help", "--version"})
        self.assertEqual(completed("rel"), ["release"])
        self.assertIn("check", completed("flow", ""))
        self.assertEqual(completed("ledger", "in"), ["init"])

    def test_options_are_those_of_the_help(self):
        for verb in verbs():
            with self.subTest(verb):
                self.assertEqual(set(completed(*verb, "-")), options_in(help_of(*verb)))

    def test_what_follows_an_option(self):
        self.assertEqual(completed("release", "people.csv", "--mechanism", "joint-"), ["joint-total", "joint-tree"])
        self.assertEqual(completed("explain", "r.json", "--format", ""), ["text", "markdown", "html", "json", "registry"])
        self.assertEqual(completed("ledger", "export", "l.db", "--format", ""), ["json", "csv"])
        self.assertEqual(completed("release", "--epsilon", ""), [])
        self.write("people.csv", "age\n1\n")
        self.assertEqual(completed("release", f"{self.folder}/peo"), [f"{self.folder}/people.csv"])
        self.assertEqual(completed("release", "--receipt", f"{self.folder}/peo"), [f"{self.folder}/people.csv"])

    def test_every_word_stands_in_the_help_of_its_option(self):
        offered = 0
        for verb in verbs():
            text = help_of(*verb)
            for option in options_in(text) - {"--help"}:
                about = re.search(rf"^  {option}(?![\w-])(.*?)(?=^  --|^\S|\Z)", text, re.MULTILINE | re.DOTALL)[1]
                argument = re.match(r" (\S+)", about)
                is_file = argument and argument[1] in ("PATH", "DIR", "FILE", "NAME=FILE")
                for word in [] if is_file else completed(*verb, option, ""):
                    if re.match(r"  ", about):  # a flag: files follow it
                        continue
                    offered += 1
                    self.assertRegex(about, rf"(?<![\w-]){re.escape(word)}(?![\w-])", (verb, option))
        self.assertGreater(offered, 60)

    def test_other_shells_read_theirs(self):
        for shell in ("bash", "zsh", "fish"):
            script = run("completion", shell).out
            self.assertIn("joint-total", script)
            if shutil.which(shell) is None:
                print(f"{shell} is not here: its script is not read by it")
                continue
            subprocess.run([shell, "-n", "/dev/stdin"], input=script, text=True, check=True)

    @unittest.skipUnless(shutil.which("fish"), "fish is not here")
    def test_what_fish_offers(self):
        script = self.write("fractile.fish", run("completion", "fish").out)
        for line, words in (("ledger export x --format ", ["csv", "json"]), ("flow chec", ["check"]), ("release --mechanism joint-", ["joint-total", "joint-tree"])):
            asked = ["fish", "--no-config", "-c", f"source {script}; complete -C 'fractile {line}'"]
            offered = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=self.folder, env={**os.environ, "HOME": str(self.folder)}).stdout
            self.assertEqual([each.split("\t")[0] for each in offered.splitlines()], words)

    def test_a_shell_that_is_not_known(self):
        self.assert_refused(run("completion", "bsh"), 2, "did you mean fractile completion bash?")
        self.assert_refused(run("completion"), 2, "write for example fractile completion bash")


if __name__ == "__main__":
    unittest.main()
