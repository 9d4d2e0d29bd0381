"""Ages of 48,842 people (Adult, see the data folder's README), published repeatedly as the README does it."""

import collections
import math
import unittest
from concurrent.futures import ThreadPoolExecutor

from cli.program import EFFORT, CommandTest, require_data, require_engine

LOWER, UPPER = 0, 125


def setUpModule():
    require_engine()
    require_data("adult.csv")


def ages():
    lines = require_data("adult.csv").read_text().split()
    return collections.Counter(int(line.split(",")[0]) for line in lines[1:])


def median_law(counts, epsilon):
    """The exponential mechanism over LOWER..UPPER: exp(-epsilon / 2 * max(0, 2 below - n, n - 2 (below + equal))).

    A record more or less moves the score by at most 1 either way, so exp(-rate * score) with rate = epsilon / 2 costs
    epsilon: proof in docs/proofs/single_quantile.md.
    """
    n = sum(counts.values())
    below = 0
    scores = []
    for age in range(LOWER, UPPER + 1):
        scores.append(max(0, 2 * below - n, n - 2 * (below + counts[age])))
        below += counts[age]
    weights = [math.exp(-epsilon / 2 * score) for score in scores]
    return [weight / sum(weights) for weight in weights]


def chi_square(draws, law, least=5.0):
    """Returns Pearson's statistic and its degrees of freedom; neighboring values are pooled until `least` are expected in each cell."""
    statistic, cells, expected, seen = 0.0, 0, 0.0, 0
    counts = collections.Counter(draws)
    left = float(len(draws))
    for age, probability in enumerate(law):
        expected += probability * len(draws)
        seen += counts[age]
        if expected >= least and left - expected >= least:
            statistic += (seen - expected) ** 2 / expected
            left -= expected
            cells, expected, seen = cells + 1, 0.0, 0
    return statistic + (seen - expected) ** 2 / expected, cells


def chi_square_bound(freedom, deviations=5.2):
    """A chi-square statistic exceeds this bound one time in ten million (Wilson and Hilferty)."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + deviations * math.sqrt(part)) ** 3


class Adult(CommandTest):
    def releases(self, runs, **changes):
        """Makes many releases, and returns their values as whole numbers."""
        query = {"column": "age", "bounds": (str(LOWER), str(UPPER)), "step": "1", **changes}
        path = str(require_data("adult.csv"))
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda _: self.release(path, **query), range(runs)))
        return [[int(value) for value in values] for values in results]

    def test_quartiles(self):
        """The true quartiles are 28, 37 and 48. Ages near them have over 900 records each, so a miss by two has odds e^-100."""
        for values in self.releases(max(1, round(60 * EFFORT)), quantiles="quartiles", epsilon="1"):
            low, middle, high = values
            self.assertTrue(27 <= low <= 29 and 36 <= middle <= 38 and 47 <= high <= 49, values)

    def test_less_privacy_is_less_spread(self):
        """Compares the mean distances from the true quartiles, at epsilons a factor of 30 apart."""
        spread = {}
        for epsilon in ("1/1000", "1/30000"):
            runs = self.releases(max(1, round(15 * EFFORT)), quantiles="quartiles", epsilon=epsilon)
            self.assertTrue(all(values == sorted(values) for values in runs), runs)
            distances = [abs(value - truth) for values in runs for value, truth in zip(values, (28, 37, 48))]
            spread[epsilon] = sum(distances) / len(distances)
        self.assertLess(2 * spread["1/1000"], spread["1/30000"])

    def test_the_law_of_the_median(self):
        epsilon = 1 / 1000
        runs = self.releases(max(60, round(60 * EFFORT)), quantiles="median", epsilon="1/1000")
        statistic, freedom = chi_square([value - LOWER for [value] in runs], median_law(ages(), epsilon))
        self.assertGreaterEqual(freedom, 3)
        self.assertLess(statistic, chi_square_bound(freedom))


if __name__ == "__main__":
    unittest.main()
