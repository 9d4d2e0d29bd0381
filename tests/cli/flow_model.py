"""A model of pipelines in Python's fractions, by enumeration alone. It imports nothing from Fractile, and uses no shortcut."""

import dataclasses
import itertools
import math
from collections import Counter
from fractions import Fraction


def randomized_response(values, odds):
    return [[(odds if x == y else Fraction(1)) / (odds + values - 1) for y in range(values)] for x in range(values)]


def geometric(values, odds, reach=0):
    """The geometric mechanism of definition 3.5, truncated `reach` places beyond the values."""
    ratio = 1 / Fraction(odds)
    answers = range(-reach, values + reach)

    def row(x):
        inner = [(1 - ratio) / (1 + ratio) * ratio ** abs(x - y) for y in answers]
        inner[0] = ratio ** abs(x - answers[0]) / (1 + ratio)
        inner[-1] = ratio ** abs(x - answers[-1]) / (1 + ratio)
        return inner

    return [row(x) for x in range(values)]


def root(odds, degree):
    """The root of this degree; `odds` must be such a power of a rational."""
    if degree == 1:
        return odds
    result = Fraction(*(next(k for k in itertools.count(1) if k**degree >= part) for part in (odds.numerator, odds.denominator)))
    assert result**degree == odds
    return result


def by_odds(values, answers, has, odds):
    """The weight is `odds` where `has(x, y)` is true, and 1 elsewhere; every row is divided by its sum."""
    rows = [[odds if has(x, y) else Fraction(1) for y in answers] for x in range(values)]
    return [[weight / sum(row) for weight in row] for row in rows]


def subset_selection(values, odds, size):
    return by_odds(values, list(itertools.combinations(range(values), size)), lambda x, subset: x in subset, odds)


def hadamard(values, odds):
    matrix = [[1]]
    while len(matrix) <= values:
        matrix = [row + row for row in matrix] + [row + [-entry for entry in row] for row in matrix]
    return by_odds(values, range(len(matrix)), lambda x, y: matrix[x + 1][y] == 1, odds)


def unary(values, own, other):
    """`own` is the probability that a value's own bit is 1; `other` is the probability for each other bit."""
    def p(x, bits):
        result = Fraction(1)
        for k, bit in enumerate(bits):
            one = own if k == x else other
            result *= one if bit else 1 - one
        return result

    return [[p(x, bits) for bits in itertools.product((0, 1), repeat=values)] for x in range(values)]


# --- Releases of quantiles, from their definitions: docs/proofs/single_quantile.md, approximate_quantiles.md and constructors.md -----------


PARTS = 2**32  # places in a candidate's cell


def place_in_cell(i):
    """The place of the i-th of the records that are tied on a candidate: the bits of i in reverse order."""
    return int(format(i % PARTS, "032b")[::-1], 2)


@dataclasses.dataclass(frozen=True)
class Release:
    """A release of one to three quantiles."""

    mechanism: str
    quantiles: tuple
    neighbors: str

    def middle(self):
        return (len(self.quantiles) + 1) // 2 - 1

    def within(self):
        """For each quantile: the share of the records of its part that lie below it, and whether this part consists of all records."""
        middle = self.quantiles[self.middle()]
        for i, quantile in enumerate(self.quantiles):
            yield (quantile, True) if i == self.middle() else (quantile / middle if i < self.middle() else (quantile - middle) / (1 - middle), False)

    def rate(self, share, is_whole):
        """The share of epsilon per missed record. A selection costs this rate times the range of the scores' changes."""
        one_more, replaced = 2 * max(share, 1 - share), Fraction(2)
        if self.mechanism == "gumbel-max":
            return 1 / (2 * replaced if self.neighbors == "change-one" else one_more)
        if share in (0, 1):  # then a record can only improve all scores, or only worsen them
            one_more = replaced = Fraction(1)
        level = Fraction(1, len(self.quantiles).bit_length())
        if self.neighbors == "add-remove":
            return level / one_more
        return level / replaced if is_whole else min(level / replaced, level / 2 / one_more)

    def degree(self):
        """The degree d with odds = base^d, such that every weight is a whole power of the base."""
        return math.lcm(*((self.rate(share, is_whole) / share.denominator).denominator for share, is_whole in self.within()))

    def weight(self, missed, rate, base):
        exponent = missed * rate * self.degree()
        assert exponent.denominator == 1
        return 1 / base**exponent.numerator

    def candidate(self, table, cells, share, is_whole, base):
        """The law of one quantile, which is drawn among the candidates of these cells."""
        n = sum(table)
        weights = {}
        for cell in cells:
            below, equal = sum(table[:cell]), table[cell]
            missed = max(below - share * n, share * n - below - equal, 0)
            if self.mechanism == "gumbel-max":
                missed = abs((1 - share) * below - share * (n - below - equal))
            weights[cell] = self.weight(missed, self.rate(share, is_whole), base)
        return {cell: weight / sum(weights.values()) for cell, weight in weights.items()}

    def splits(self, table):
        """Yields (cell, records of the cell that are below, number of such splits)."""
        for cell, tied in enumerate(table):
            places = [-1, *sorted(place_in_cell(i) for i in range(1, tied + 1)), PARTS - 1]
            for below in range(tied + 1):
                yield cell, below, places[below + 1] - places[below]

    def law(self, table, odds):
        """The probability of every tuple of candidates, for a table with `table[i]` records on candidate i."""
        base = root(odds, self.degree())
        shares = list(self.within())
        if len(shares) == 1:
            return {(cell,): p for cell, p in self.candidate(table, range(len(table)), *shares[0], base).items()}
        middle, n, total = self.middle(), sum(table), 0
        law = Counter()
        for cell, tied, many in self.splits(table):
            share = shares[middle][0]
            weight = many * self.weight(abs(sum(table[:cell]) + tied - share * n), self.rate(*shares[middle]), base)
            total += weight
            lower = [*table[:cell], tied] + [0] * (len(table) - cell - 1)
            upper = [0] * cell + [table[cell] - tied, *table[cell + 1:]]
            below = self.candidate(lower, range(cell + 1), *shares[0], base) if middle > 0 else {(): 1}
            above = self.candidate(upper, range(cell, len(table)), *shares[-1], base) if middle + 1 < len(shares) else {(): 1}
            for (low, p), (high, q) in itertools.product(below.items(), above.items()):
                law[(*([low] if middle > 0 else []), cell, *([high] if middle + 1 < len(shares) else []))] += weight * p * q
        return {output: p / total for output, p in law.items()}


@dataclasses.dataclass
class Pipeline:
    """A perturber is ("geometric",), ("randomized-response",), ("wide", reach), ("subset", size), ("hadamard",), ("symmetric-unary",),
    ("optimized-unary",), ("matrix", rows), ("at", odds, perturber) or ("times", factor, perturber); a list of perturbers, one per
    participant; or a Release, with the records as participants and the candidates as values. A post-processor is "sum", "mode", "identity",
    "shuffle", "bits", ("count", answers), ("table", outputs) or ("round", unit)."""

    participants: int
    values: list
    perturber: object
    post: object
    secret: str = "everyone"
    known: tuple = ()
    _rows: dict = dataclasses.field(default_factory=dict, init=False, compare=False, repr=False)
    _names: dict = dataclasses.field(default_factory=dict, init=False, compare=False, repr=False)

    def answers(self):
        """The possible results of perturbing a value, or a bar."""
        if self.secret == "histogram":
            return list(range(self.participants + 1))
        if isinstance(self.perturber, tuple) and self.perturber[0] == "wide":
            step, reach = self.values[1] - self.values[0], self.perturber[1]
            return [self.values[0] + step * i for i in range(-reach, len(self.values) + reach)]
        kind, *more = self.perturber if isinstance(self.perturber, tuple) else (None,)
        if self.is_release():
            return self.values
        size = len(self.values)
        if kind == "hadamard":
            return list(range(len(hadamard(size, Fraction(2))[0])))
        if kind == "subset":
            return [int("".join(str(int(k in subset)) for k in range(size))) for subset in itertools.combinations(range(size), more[0])]
        if kind in ("symmetric-unary", "optimized-unary"):
            return [int("".join(map(str, bits))) for bits in itertools.product((0, 1), repeat=size)]
        return self.values

    def is_release(self):
        return isinstance(self.perturber, Release)

    def alike(self, one, other):
        """Whether two participants have the same perturber."""
        if self.is_release():
            return True
        return all(self.noise(one, odds) == self.noise(other, odds) for odds in (Fraction(4), Fraction(9)))

    def arranged(self, places):
        """The first arrangement of the same values, where only neighbors with the same perturber may be exchanged."""
        result, begin = [], 0
        for end in range(1, len(places) + 1):
            if end == len(places) or not self.alike(end, end - 1):
                result += sorted(places[begin:end])
                begin = end
        return tuple(result)

    def noise(self, participant, odds):
        return self.noise_of(self.perturber[participant] if isinstance(self.perturber, list) else self.perturber, odds)

    def noise_of(self, perturber, odds):
        kind, *more = perturber
        size = self.participants + 1 if self.secret == "histogram" else len(self.values)
        if kind == "matrix":
            return more[0]
        if kind == "at":
            return self.noise_of(more[1], more[0])
        if kind == "times":
            return self.noise_of(more[1], root(odds**more[0].numerator, more[0].denominator))
        if kind == "subset":
            return subset_selection(size, odds, *more)
        if kind == "hadamard":
            return hadamard(size, odds)
        if kind == "symmetric-unary":
            half = root(odds, 2)
            return unary(size, half / (half + 1), 1 / (half + 1))
        if kind == "optimized-unary":
            return unary(size, Fraction(1, 2), 1 / (odds + 1))
        return randomized_response(size, odds) if kind == "randomized-response" else geometric(size, odds, *more)

    def observed(self, answers):
        """What the post-processor makes of a tuple of answers, which are given by their places."""
        shown = [self.answers()[place] for place in answers]
        if self.secret == "histogram":
            highest = shown.index(max(shown))
            return tuple(shown) if self.post == "identity" else self.values[highest]
        if self.post == "sum":
            return sum(shown)
        if self.post == "shuffle":
            return tuple(answers.count(place) for place in range(len(self.answers())))
        if self.post == "bits":
            digits = max(len(str(answer)) for answer in self.answers())
            return tuple(sum(int(str(answer).zfill(digits)[i]) for answer in shown) for i in range(digits))
        if self.post == "mode":
            votes = Counter(answers)
            return self.answers()[min(votes, key=lambda place: (-votes[place], place))]
        kind, what = self.post if isinstance(self.post, tuple) else (self.post, None)
        if kind == "count":
            return sum(place in what for place in answers)
        if kind == "table":
            index = 0
            for place in answers:
                index = index * len(self.answers()) + place
            return what[index]
        if kind == "round":
            shown = [(value / what + Fraction(1, 2)).__floor__() * what for value in shown]
        return tuple(shown) if len(shown) > 1 else shown[0]

    def secrets(self):
        """{name: places of what is perturbed} for every secret: all tuples, in order."""
        size = len(self.values)
        if self.secret == "target":
            return {name_of(value): (*self.known, place) for place, value in enumerate(self.values)}
        if self.secret == "histogram":
            bars = [bars for bars in itertools.product(range(self.participants + 1), repeat=size)
                    if sum(bars) == self.participants]
            return {name_of(bar): bar for bar in bars}
        return {name_of([self.values[place] for place in places]): places
                for places in itertools.product(range(size), repeat=self.participants)}

    def row(self, places, odds):
        """The probability of each observation, by its name."""
        if (places, odds) in self._rows:
            return self._rows[places, odds]
        if self.is_release():
            law = Counter()
            for output, p in self.perturber.law([places.count(place) for place in range(len(self.values))], odds).items():
                law[self.name_of_answers(output)] += p
            self._rows[places, odds] = law
            return law
        noises = [self.noise(i, odds)[place] for i, place in enumerate(places)]
        units = [math.lcm(*(p.denominator for p in noise)) for noise in noises]
        shares = [[int(p * unit) for p in noise] for noise, unit in zip(noises, units)]  # whole numbers are faster
        law = Counter()
        for answers in itertools.product(*(range(len(noise)) for noise in noises)):
            share = 1
            for of_one, answer in zip(shares, answers):
                share *= of_one[answer]
            law[self.name_of_answers(answers)] += share
        whole = math.prod(units)
        self._rows[places, odds] = Counter({name: Fraction(share, whole) for name, share in law.items()})
        return self._rows[places, odds]

    def name_of_answers(self, answers):
        if answers not in self._names:
            self._names[answers] = name_of(self.observed(answers))
        return self._names[answers]

    def toml(self, analyst=None):
        def listed(values):
            return "[" + ", ".join(f'"{value}"' if not isinstance(value, str) else f'"{value}"' for value in values) + "]"

        def perturber(one):
            kind, *more = one
            if kind == "wide":
                return f"{{ geometric = {more[0]} }}"
            if kind == "matrix":
                return "{ matrix = [" + ", ".join(listed(row) for row in more[0]) + "] }"
            if kind == "subset":
                return f"{{ subset = {more[0]} }}"
            if kind in ("at", "times"):
                epsilon = f"ln {more[0]}" if kind == "at" else f"{more[0]} epsilon"
                return f'{{ perturber = {perturber(more[1])}, epsilon = "{epsilon}" }}'
            return f'"{kind}"'

        def post():
            if isinstance(self.post, str):
                return f'"{self.post}"'
            kind, what = self.post
            if kind == "count":
                return f'{{ query = "count", of = {listed(self.answers()[place] for place in what)} }}'
            return f"{{ table = {list(what)} }}" if kind == "table" else f'{{ round = "{what}" }}'

        if self.is_release():
            quantiles = listed(self.perturber.quantiles)
            named = f"quantiles = {quantiles}" if self.perturber.mechanism == "approximate" else f"quantile = {quantiles[1:-1]}"
            lines = ["[pipeline]", f'perturber = {{ release = "{self.perturber.mechanism}", {named}, records = {self.participants}, '
                     f'lattice = {listed(self.values)}, neighbors = "{self.perturber.neighbors}" }}']
        else:
            each = isinstance(self.perturber, list)
            lines = ["[pipeline]", f"participants = {self.participants}", f"values = {listed(self.values)}",
                     "perturber = " + ("[" + ", ".join(map(perturber, self.perturber)) + "]" if each else perturber(self.perturber))]
        lines += [f"post = {post()}", f'secret = "{self.secret}"']
        if self.secret == "target" and self.participants > 1:
            lines.append(f"known = {listed(self.values[place] for place in self.known)}")
        for key, value in ({} if analyst is None else analyst).items():
            if key == "loss":
                lines.append("[analyst]")
            lines.append(f"{key} = {value}")
        return "\n".join(lines) + "\n"


def name_of(observation):
    if not isinstance(observation, (tuple, list)):
        return str(observation)
    return str(observation[0]) if len(observation) == 1 else "(" + ",".join(map(str, observation)) + ")"


def posterior_loss(prior, rows, loss):
    """The posterior expected loss of definition 2.2. The rows are indexed by the names of observations, `loss` by secret and action."""
    total = Fraction(0)
    for observation in sorted(set().union(*rows)):
        total += min(sum(p * row[observation] * costs[action] for p, row, costs in zip(prior, rows, loss))
                     for action in range(len(loss[0])))
    return total


def one_to_another(before, witness, after, observations):
    """Whether the rows `after` are the rows `before`, followed by the witness."""
    for row, other in zip(before, after):
        for z, name in enumerate(observations):
            if sum(row[observations[y]] * witness[y][z] for y in range(len(observations))) != other[name]:
                return False
    return all(sum(row) == 1 and min(row) >= 0 for row in witness)


# --- Guesses about a target -------------------------------------------------------------------------------------------


def shares_of(pipeline, places):
    """How likely each value is to be the target's. The target is the last participant; for bars, it is a random participant."""
    size = len(pipeline.values)
    if pipeline.secret == "histogram":
        return [Fraction(bar, pipeline.participants) for bar in places]
    return [Fraction(place == places[-1]) for place in range(size)]


def worlds_of(pipeline, guess, prior, odds):
    """Yields (probability, probability that each guess is right, law) for every case; guess is "value", "presence" or each value's part."""
    if guess != "presence":
        parts = range(len(pipeline.values)) if guess == "value" else guess
        for p, places in zip(prior, pipeline.secrets().values()):
            gains = [Fraction(0)] * (max(parts) + 1)
            for part, share in zip(parts, shares_of(pipeline, places)):
                gains[part] += share
            yield p, gains, pipeline.row(places, odds)
        return
    others = dataclasses.replace(pipeline, participants=pipeline.participants - 1, secret="everyone", known=(),
                                 perturber=pipeline.perturber[:-1] if isinstance(pipeline.perturber, list) else pipeline.perturber)
    for p, places in zip(prior, pipeline.secrets().values()):
        yield p / 2, [Fraction(1), Fraction(0)], pipeline.row(places, odds)
        yield p / 2, [Fraction(0), Fraction(1)], others.row(places[:-1], odds)


def leakage(pipeline, guess, prior, odds):
    """How often the best guess is right before and after, and the multiplicative Bayes capacity."""
    worlds = list(worlds_of(pipeline, guess, prior, odds))
    guesses = range(len(worlds[0][1]))
    before = max(sum(p * gains[w] for p, gains, _ in worlds) for w in guesses)
    after = capacity = Fraction(0)
    for observation in set().union(*(law for _, _, law in worlds)):
        after += max(sum(p * gains[w] * law[observation] for p, gains, law in worlds) for w in guesses)
        capacity += max(law[observation] for _, _, law in worlds)
    return before, after, capacity


def possibilities_of(pipeline, guess, prior, odds):
    worlds = list(worlds_of(pipeline, guess, prior, odds))
    return [sum(p * gains[w] for p, gains, _ in worlds) for w in range(len(worlds[0][1]))]


def solved(matrix, right):
    """Solves the linear system by Gauss-Jordan elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = next(k for k in range(i, len(rows)) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(len(rows)):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i])]
    return [row[-1] for row in rows]


def most_guessed(priors, ratios):
    """The best possible guess where an observation is at most ratios[i][j] times as likely under i as under j. It is the maximum over sets
    of guesses; each guess is as unlikely elsewhere as the ratios allow."""
    if all(ratio == 1 for row in ratios for ratio in row):
        return max(priors)
    best = Fraction(0)
    for count in range(1, len(priors) + 1):
        for chosen in itertools.combinations(range(len(priors)), count):
            weights = solved([[1 / ratios[i][j] for j in chosen] for i in chosen], [Fraction(1)] * count)
            best = max(best, sum(priors[i] * weight for i, weight in zip(chosen, weights)))
    return best


def ratios_of(pipeline, guess, odds):
    """The ratios that the target's perturber promises between any two possibilities; None where it promises none."""
    size = len(pipeline.values)
    count = size if guess == "value" else max(guess) + 1
    if pipeline.is_release():  # replacing a record removes one and adds one
        promised = odds**2 if pipeline.perturber.neighbors == "add-remove" else odds
        return [[Fraction(1) if i == j else promised for j in range(count)] for i in range(count)]
    bars = pipeline.secret == "histogram"
    noise = pipeline.noise(pipeline.participants - 1, odds)
    kind = (pipeline.perturber[-1] if isinstance(pipeline.perturber, list) else pipeline.perturber)[0]
    if guess == "value" and not bars and kind in ("geometric", "wide"):
        return [[odds ** abs(i - j) for j in range(size)] for i in range(size)]
    largest = Fraction(1)
    for i, row in enumerate(noise):
        for other in noise[max(0, i - 1):i + 2] if bars else noise:
            if any(p > 0 and q == 0 for p, q in zip(row, other)):
                return None
            largest = max(largest, *(p / q for p, q in zip(row, other) if q > 0))
    largest = largest**2 if bars else largest
    return [[Fraction(1) if i == j else largest for j in range(count)] for i in range(count)]
