#!/usr/bin/env python3
"""Makes people.csv and visits.csv for the README: 4,000 people who do not exist, and their visits to a clinic.

    python3 make_people.py [FOLDER]     FOLDER is the folder of this file by default
"""

import datetime
import math
import random
import sys
from pathlib import Path

REGIONS = {"north": 0.86, "south": 1.0, "east": 0.94, "west": 1.17}  # {region: level of incomes}
FIRST_DAY = datetime.date(2020, 1, 1)
DAYS = 6 * 365


class Chance:
    """Random numbers from `random()` only, which gives the same numbers in every version of Python."""

    def __init__(self, seed):
        self.uniform = random.Random(seed).random

    def normal(self):
        """The sum of twelve uniform numbers minus six, which is almost normal."""
        return sum(self.uniform() for _ in range(12)) - 6

    def below(self, end):
        return int(end * self.uniform())


def person(chance, household):
    region = list(REGIONS)[household * 7 % len(REGIONS)]
    age = 18 + int(72 * chance.uniform() * chance.uniform() ** 0.25)
    worked = min(age, 60) - 18
    level = 10.1 + 0.012 * worked + 0.45 * chance.normal()
    income = REGIONS[region] * math.exp(level)
    if chance.uniform() < 0.04:
        income = 0
    said = "" if chance.uniform() < 0.02 else round(income, -2 if chance.uniform() < 0.6 else 0)
    return region, "female" if chance.uniform() < 0.51 else "male", age, f"{said:.0f}" if said != "" else ""


def people(chance, count):
    household, left = 0, 0
    for number in range(1, count + 1):
        if left == 0:
            household, left = household + 1, 1 + chance.below(4)
        left -= 1
        yield f"{number},{household},{','.join(map(str, person(chance, household)))}"


def visits(chance, count):
    for number in range(1, count + 1):
        for _ in range(int(3 * chance.uniform() ** 2 + 0.4)):
            day = FIRST_DAY + datetime.timedelta(days=chance.below(DAYS))
            yield f"{number},{day},{5 + int(55 * chance.uniform() ** 2) + chance.below(20)}"


def write(path, header, lines):
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8", newline="\n")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    chance = Chance(2026)
    write(folder / "people.csv", "id,household,region,sex,age,income", people(chance, 4000))
    write(folder / "visits.csv", "id,admitted,minutes", visits(chance, 4000))


if __name__ == "__main__":
    main()
