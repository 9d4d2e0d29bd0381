#!/usr/bin/env python3
"""The rival OpenDP, through its Python interface. Epsilon 1; neighbors differ by an added or removed record. Prints JSON.

    peer_opendp.py select K...                             one selection from K scores, by either law
    peer_opendp.py lattice N CANDIDATES                    a median of N sorted records
    peer_opendp.py many CANDIDATES M...                    M quantiles of 1,000 records, one at a time
    peer_opendp.py file PATH COLUMN LOWER UPPER STEP       a median of a column that Polars reads
    peer_opendp.py context PATH COLUMN LOWER UPPER STEP    a median of whole numbers by its Context over a Polars scan
    peer_opendp.py accuracy SET TRIALS M
"""

import peer_work

import numpy
import opendp.prelude as dp
import polars

ACCURACY_CANDIDATES = 10_001
PUBLIC_ROWS = 10**9  # an upper bound that the Context requires

dp.enable_features("contrib")

# Under pure privacy OpenDP draws by permute-and-flip. Under zCDP it draws by Gumbel noise, which has the exponential mechanism's law, like
# ours.
LAWS = {"permute-and-flip": dp.max_divergence, "softmax": dp.zero_concentrated_divergence}


def select(*sizes):
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    result = {}
    for law, measure in LAWS.items():
        choose = dp.m.make_noisy_max(*space, measure(), scale=1.0, negate=True)
        for k in sizes:
            scores = peer_work.dense_scores(int(k))
            result[f"{law}/{k}"] = peer_work.median_seconds(lambda s=scores, c=choose: c(s))
    return result


def private_quantile(candidates, q, epsilon):
    """The noise is as small as OpenDP's privacy map allows."""
    def make(among, scale):
        return dp.m.make_private_quantile(dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance(),
                                          dp.max_divergence(), among, q, scale)

    cost_of_unit_scale = make(candidates[:2], 1.0).map(1)
    measurement = make(candidates, cost_of_unit_scale / epsilon)
    assert measurement.map(1) <= epsilon * (1 + 1e-9)
    return measurement


def private_quantiles(candidates, quantiles):
    """One measurement per quantile; basic composition adds up their costs."""
    return [private_quantile(candidates, q, 1 / len(quantiles)) for q in quantiles]


def grid(lower, upper, count):
    return numpy.linspace(lower, upper, count, endpoint=False).tolist()


def lattice(n, candidates):
    records, among = peer_work.sorted_records(int(n)), grid(0, 1024, int(candidates))
    measurement = private_quantile(among, 0.5, 1.0)
    return {"making": peer_work.median_seconds(lambda: private_quantile(among, 0.5, 1.0)),
            "calling": peer_work.median_seconds(lambda: measurement(records))}


def many(candidates, *counts):
    records, among = peer_work.sorted_records(peer_work.RECORDS), grid(0, 1024, int(candidates))
    result = {}
    for m in counts:
        measurements = private_quantiles(among, peer_work.borders(int(m)))
        result[m] = peer_work.median_seconds(lambda ms=measurements: [measurement(records) for measurement in ms])
    return result


def scan(path):
    return (polars.scan_parquet if path.endswith(".parquet") else polars.scan_csv)(path)


def file(path, column, lower, upper, step):
    def release():
        records = scan(path).select(polars.col(column).cast(float)).collect()[column].to_numpy()
        candidates = numpy.arange(float(lower), float(upper) + float(step), float(step)).tolist()
        return private_quantile(candidates, 0.5, 1.0)(records)

    return peer_work.one_quantile(release)


def context(path, column, lower, upper, step):
    def release():
        context = dp.Context.compositor(data=scan(path), privacy_unit=dp.unit_of(contributions=1),
                                        privacy_loss=dp.loss_of(epsilon=1.0), split_evenly_over=1,
                                        margins=[dp.polars.Margin(max_length=PUBLIC_ROWS)])
        values = polars.col(column).cast(int).fill_null(int(lower))
        candidates = list(range(int(lower), int(upper) + 1, int(step)))
        return context.query().select(values.dp.median(candidates)).release().collect().item()

    return peer_work.one_quantile(release)


def accuracy(of, trials, m):
    candidates = numpy.linspace(*peer_work.BOUNDS, ACCURACY_CANDIDATES).tolist()
    measurements = private_quantiles(candidates, peer_work.borders(int(m)))
    return peer_work.accuracy(of, trials, m, lambda records, _: [measurement(records) for measurement in measurements])


if __name__ == "__main__":
    peer_work.answer({"select": select, "lattice": lattice, "many": many, "file": file, "context": context,
                      "accuracy": accuracy}, ("opendp", "polars"))
