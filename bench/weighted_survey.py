#!/usr/bin/env python3
"""A made-up survey: weighted quantiles of samples from a known population, and a release's noise compared with the sampling error.

    weighted_survey.py PROGRAM [--surveys N] [--sizes LIST] [--effects LIST] [--epsilon E] [--base BASE] [--seed N]

The population's values are uniform on 0 to 100,000, so its quantiles are known. Small values are sampled more often than large ones. The
weights correct this, and also vary at random. The design effect is Kish's: 1 plus the squared coefficient of variation of the weights. The
grid of weights ends at the 99th percentile of the design's weights. Prints for each sample size, design effect and quantile, in percent of
the range, which are shares of the population:

    sampling   the deviation of the sample's own weighted quantile from the population's
    noise      the deviation of the released value from the sample's own weighted quantile, by the weights on the grid
    error      by how much the released value misses its share of these weights, in the mean, and its standard error
    grid       by how much clamping and rounding weights moved the sample's own weighted quantile, in the mean

Finally it says how many of these mean errors lie beyond two standard errors. The releases are not private: the seeds are known.
"""

import argparse
import bisect
import itertools
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

QUANTILES = [0.1, 0.5, 0.9]
MEAN_WEIGHT = 100
STEP_OF_WEIGHTS = 10
HIGHEST = 100_000


class Design:
    """Draws values and weights of records. With x from -1 to 1 over the range, a record is drawn at a rate of exp(-a x), and its weight is
    exp(a x) times a log-normal factor of mean 1, with standard deviation t of its logarithm. So the population is uniform, and the design
    effect is exp(t^2) (sinh(a)/a)^2."""

    def __init__(self, effect):
        self.spread = math.sqrt(math.log(effect) / 2)
        low, high = 1e-9, 5.0
        for _ in range(60):
            self.tilt = (low + high) / 2
            low, high = (self.tilt, high) if math.sinh(self.tilt) / self.tilt < effect**0.25 else (low, self.tilt)
        self.scale = MEAN_WEIGHT * math.sinh(self.tilt) / self.tilt
        weights = sorted(weight for _, weight in self.records(random.Random("the design"), 20_000))
        self.largest = math.ceil(weights[int(0.99 * len(weights))] / STEP_OF_WEIGHTS - 1e-6) * STEP_OF_WEIGHTS

    def records(self, law, size):
        ends = math.exp(self.tilt), math.exp(-self.tilt)
        for _ in range(size):
            x = -math.log(ends[0] - law.random() * (ends[0] - ends[1])) / self.tilt
            factor = math.exp(law.gauss(-self.spread**2 / 2, self.spread)) if self.spread > 0 else 1
            yield round((x + 1) / 2 * HIGHEST), round(self.scale * math.exp(self.tilt * x) * factor, 3)

    def on_grid(self, weight):
        return min(self.largest, math.floor(weight / STEP_OF_WEIGHTS + 0.5) * STEP_OF_WEIGHTS)


class Weighted:
    """The weighted quantiles of a sample."""

    def __init__(self, rows):
        self.values, weights = zip(*sorted(rows))
        self.up_to = [0, *itertools.accumulate(weights)]

    def quantile(self, share):
        return self.values[min(len(self.values) - 1, bisect.bisect_left(self.up_to, share * self.up_to[-1], 1) - 1)]

    def missed_by(self, value, share):
        """The signed error, as a share of the weights: 0 for a value that is a quantile of this share."""
        below = self.up_to[bisect.bisect_left(self.values, value)] / self.up_to[-1]
        up_to = self.up_to[bisect.bisect_right(self.values, value)] / self.up_to[-1]
        return max(0.0, below - share) + min(0.0, up_to - share)


def released(program, rows, design, options, seed, path):
    path.write_text("value,weight\n" + "".join(f"{value},{weight}\n" for value, weight in rows), encoding="utf-8")
    command = [program, "release", path, "--column", "value", "--bounds", "0", str(HIGHEST), "--step", "1", "--weight", "weight",
               "--weight-bounds", "0", str(design.largest), "--weight-step", str(STEP_OF_WEIGHTS), "--quantiles",
               ",".join(map(str, QUANTILES)), *options, "--unsafe-seed", str(seed), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [float(each["value"]) for each in json.loads(done.stdout)["quantiles"]]


def deviation(differences):
    return math.sqrt(statistics.fmean(each * each for each in differences))


def measured(program, size, design, options, surveys, seed, path):
    """Yields one row per quantile."""
    differences = {quantile: ([], [], [], []) for quantile in QUANTILES}
    for number in range(surveys):
        rows = list(design.records(random.Random(f"{seed} {size} {design.spread} {number}"), size))
        own = Weighted(rows)
        counted = Weighted([(value, design.on_grid(weight)) for value, weight in rows])
        bits = random.Random(f"noise {seed} {size} {design.spread} {number}").getrandbits(32)
        values = released(program, rows, design, options, bits, path)
        for quantile, value in zip(QUANTILES, values):
            sampling, noise, error, grid = differences[quantile]
            sampling.append(own.quantile(quantile) / HIGHEST - quantile)
            noise.append((value - counted.quantile(quantile)) / HIGHEST)
            error.append(counted.missed_by(value, quantile))
            grid.append((counted.quantile(quantile) - own.quantile(quantile)) / HIGHEST)
    for quantile, (sampling, noise, error, grid) in differences.items():
        own_error = statistics.stdev(error) / math.sqrt(surveys)
        yield quantile, deviation(sampling), deviation(noise), statistics.fmean(error), own_error, statistics.fmean(grid)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--surveys", type=int, default=400)
    parser.add_argument("--sizes", default="500,5000,50000")
    parser.add_argument("--effects", default="1,1.5,2,3")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--base", help="as of fractile release")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    options = ["--epsilon", asked.epsilon, *(["--base", asked.base] if asked.base else [])]
    lines, beyond = 0, 0
    print("| records | design effect | HI / mean | quantile | sampling | noise | noise / sampling | error | grid |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, asked.sizes.split(",")):
            for effect in map(float, asked.effects.split(",")):
                design = Design(effect)
                for quantile, sampling, noise, error, own, grid in measured(
                    asked.program.resolve(), size, design, options, asked.surveys, asked.seed, Path(folder) / "survey.csv"
                ):
                    lines += 1
                    beyond += abs(error) > 2 * own
                    print(f"| {size} | {effect:g} | {design.largest / MEAN_WEIGHT:g} | {quantile:g} | {100 * sampling:.3g} % | "
                          f"{100 * noise:.3g} % | {noise / sampling:.2g} | {100 * error:+.4f} ± {100 * own:.4f} % | {100 * grid:+.3f} % |", flush=True)
    print(f"\n{beyond} of {lines} mean errors are more than two standard errors from 0; without any bias, 5 % would be.")


if __name__ == "__main__":
    main()
