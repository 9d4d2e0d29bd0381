"""The recorded cases: tables that are the same on every machine, and the commands that run in their folder."""

import dataclasses
import datetime

PAY = ("pay.csv", "pay", "0 500000")
AGES = ("people.csv", "age", "0 125")
HOURS = ("hours.csv", "hours", "0 1500")
WEEKS = ("hours.csv", "hours", "0 125")
SCORES = ("scores.csv", "score", "0 1000")  # whole numbers, often on a lattice of hundredths or thousandths

BUDGETS = ("--epsilon 1", "--epsilon ln(3)", "--rho 1/2")
RELATIONS = ("", "--neighbors change-one")
QUANTILES = ("median", "quartiles", "0.01,0.2,0.5,0.9,1")


@dataclasses.dataclass(frozen=True)
class Case:
    """Command lines that run one after another. Their combined output is recorded."""

    commands: tuple
    whole: str = ""  # the file that holds the whole output, for reading

    @property
    def name(self):
        return " && ".join(" ".join(command) for command in self.commands)


class Numbers:
    """Whole numbers from a seed: the upper bits of Knuth's MMIX generator."""

    def __init__(self, seed):
        self._state = seed

    def below(self, limit):
        self._state = (6364136223846793005 * self._state + 1442695040888963407) % 2**64
        return (self._state >> 32) * limit >> 32

    def skewed(self, scale):
        """A product of four factors from 1/2 to 2, so most values are small and a few are large."""
        value = scale
        for _ in range(4):
            value = value * (500 + self.below(1500)) // 1000
        return value


def moment_of(quarters):
    """The day and the time that are `quarters` quarters of an hour after the beginning of 2020."""
    moment = datetime.datetime(2020, 1, 1) + quarters * datetime.timedelta(minutes=15)
    return moment.date().isoformat(), moment.isoformat()


def write_tables(folder):
    """Writes the tables that the cases name."""

    def write(name, header, rows):
        lines = [header, *(",".join(str(cell) for cell in row) for row in rows)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    numbers = Numbers(23)
    people = [(numbers.below(900), numbers.below(95), "abc"[numbers.below(3)]) for _ in range(1800)]
    write("people.csv", "id,age,town", people)
    pay = [(numbers.below(900), numbers.skewed(22000), "abc"[numbers.below(3)]) for _ in range(1800)]
    write("pay.csv", "id,pay,town", pay)
    heaped = [10 * numbers.below(6) if numbers.below(4) else numbers.below(99) for _ in range(1500)]
    write("hours.csv", "hours,shift", [(value, "xy"[numbers.below(2)]) for value in heaped])
    write("scores.csv", "score", [(numbers.below(101) * 10,) for _ in range(2500)])
    write("few.csv", "age", [(numbers.below(90),) for _ in range(12)])
    write("empty.csv", "age", [])
    clock = Numbers(41)
    write("visits.csv", "day,clock,town", [moment_of(clock.below(6 * 365 * 24 * 4)) + ("ab"[clock.below(2)],) for _ in range(900)])


def release(column, step, *options):
    """A command line that releases a column of a table on a lattice with this step. Options are separated by spaces."""
    table, name, bounds = column
    words = f"release {table} --column {name} --bounds {bounds} --step {step}".split()
    for option in options:
        words += [word.replace("ln(3)", "ln 3") for word in option.split()]
    return words


def releases():
    """Releases of all kinds by all mechanisms. Each release is a list of words."""
    for budget in BUDGETS:
        for relation in RELATIONS:
            for column, step in ((AGES, "1"), (PAY, "1"), (PAY, "0.01")):
                for quantiles in QUANTILES:
                    yield release(column, step, budget, relation, f"--quantiles {quantiles}")
            yield release(PAY, "1", budget, relation, "--records-per-person 3")
            yield release(AGES, "1", budget, relation, "--synthetic-rows 60")
            yield release(PAY, "1", budget, relation, "--synthetic-rows 45 --expected-rows 1800")
            yield release(HOURS, "1", budget, relation, "--synthetic-rows 20")
            yield release(HOURS, "0.001", budget, relation, "--synthetic-rows 30 --expected-rows 1500")
            for step, rows in (("1", 20), ("0.001", 20), ("0.001", 30)):
                yield release(WEEKS, step, budget, relation, f"--synthetic-rows {rows}")
            yield release(SCORES, "0.01", budget, relation, "--synthetic-rows 40")
            yield release(SCORES, "0.01", budget, relation, "--synthetic-rows 40 --base uniform")
            yield from selected(budget, relation)
            yield from by_mechanism(budget, relation)
    yield release(AGES, "1", "--epsilon 1 --delta 1e-6 --quantiles deciles --mechanism independent")
    yield release(AGES, "1", "--epsilon 1 --quantiles deciles --mechanism approximate --rates as-published")
    yield release(PAY, "1", "--epsilon 4 --synthetic-rows 60 --expected-rows 1800 --no-interpolation")
    yield release(PAY, "1", "--epsilon 0.05 --synthetic-rows 300 --expected-rows 20000")
    for table in ("few.csv", "empty.csv"):
        yield release((table, "age", "0 125"), "1", "--epsilon 1 --public-rows")


def selected(budget, relation):
    """Releases of groups, of persons, and with bounds that are not declared."""
    both = (budget, relation)
    yield release(AGES, "1", *both, "--by town --keys a,b,zz")
    yield release(HOURS, "1", *both, "--by shift --keys x,y --synthetic-rows 15")
    yield release(PAY, "0.01", *both, "--by town --keys b,c --person id --records-per-person 2")
    yield release(AGES, "1", *both, "--person id --records-per-person 2 --quantiles deciles")
    auto = ("pay.csv", "pay", "auto")
    yield release(auto, "1", *both)
    yield release(auto, "0.01", *both, "--bounds-budget 0.25 --public-rows")
    yield release(auto, "1", *both, "--by town --keys a,c")
    yield release(("hours.csv", "hours", "auto"), "1", *both, "--synthetic-rows 30")


def by_mechanism(budget, relation):
    """Releases by each mechanism, which is named."""
    yield release(PAY, "1", budget, relation, "--mechanism exponential --quantiles median")
    for mechanism in ("approximate", "joint", "joint-total", "joint-tree", "independent"):
        yield release(PAY, "1", budget, relation, f"--mechanism {mechanism} --quantiles deciles")
    yield release(HOURS, "1", budget, relation, "--mechanism tree --quantiles deciles")
    yield release(SCORES, "0.1", budget, relation, "--mechanism approximate --base adaptive --quantiles deciles")


def plan(lattice, *options):
    """A command line that plans."""
    lower, upper, step = lattice.split()
    return f"plan --bounds {lower} {upper} --step {step} {' '.join(options)}".split()


def plans():
    """Plans, which spend nothing."""
    for budget in ("--epsilon 1", "--rho 1/2"):
        yield plan("0 125 1", budget, "--format json")
        yield plan("0 100000 0.01", budget, "--synthetic-rows 40 --expected-rows 2000 --format json")
        yield plan("0 1500 1", budget, "--synthetic-rows 30 --neighbors change-one --format csv")
    for mechanism in ("exponential --quantiles median", "approximate", "joint", "joint-tree", "independent", "tree"):
        yield plan("0 400 1", f"--epsilon 1 --expected-rows 3000 --mechanism {mechanism} --format csv")
    yield plan("0 125 1", "--epsilon 1 --expected-rows 500 --format table")
    yield plan("0 125 1", "--rank-error 60 --expected-rows 2000 --format json")


def audits():
    """Audits of the releases' mechanisms, on tables so small that all of them can be audited."""
    for mechanism in ("auto", "approximate", "joint-tree"):
        yield f"audit --mechanism {mechanism} --epsilon 1 --records 2 --values 3 --format json".split()
    for options in ("--epsilon 1 --bounds 0 20 --base adaptive", "--rho 1/2 --groups", "--epsilon 1 --bounds auto"):
        yield f"audit --mechanism auto {options} --records 2 --values 2 --format json".split()


def dates():
    """Releases of dates and times, which are recorded whole."""
    days = ("visits.csv", "day", "2020-01-01 2026-01-01")
    clocks = ("visits.csv", "clock", "2020-01-01T00:00 2026-01-01T00:00")
    of_days = release(days, "1d", "--epsilon 1 --by town --keys a,b --intervals 0.9 --expected-rows 450")
    of_clocks = release(clocks, "1s", "--epsilon 4 --quantiles deciles --unsafe-seed 2 --format json")
    yield dataclasses.replace(read_in_words(of_days, 20200101), whole="dates.txt")
    yield Case((tuple(of_clocks),), whole="times.txt")
    yield Case((tuple(plan("2020-01-01 2026-01-01 1w", "--epsilon 1")),))
    yield Case((tuple(plan("2020-01-01T00:00Z 2021-01-01T00:00Z 15min", "--epsilon 1 --format json")),))


def read_in_words(words, seed):
    """A release with a receipt, and this receipt in words and as Markdown."""
    receipt = f"receipt-{seed}.json"
    made = [*words, "--unsafe-seed", str(seed), "--receipt", receipt]
    return Case((tuple(made), ("explain", receipt), ("explain", receipt, "--format", "markdown")))


def cases():
    """All cases. Their order makes an evenly chosen share of them cover all kinds."""
    result = []
    made = list(releases())
    for seed, words in enumerate(made):
        result.append(Case(((*words, "--unsafe-seed", str(seed), "--format", "json"),)))
    for seed, words in enumerate(made[3::31], len(made)):
        for form in ("csv", "table"):
            result.append(Case(((*words, "--unsafe-seed", str(seed), "--format", form),)))
        result.append(read_in_words(words, seed))
    result += [Case((tuple(words),)) for words in [*plans(), *audits()]]
    result = [dataclasses.replace(case, whole=f"{i:03}.txt") if i % 23 == 3 else case for i, case in enumerate(result)]
    return [*result, *dates()]
