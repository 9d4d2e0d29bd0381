"""The works of rivals that release any number of quantiles of a numpy array at once."""

import pandas

import peer_work


def read(path, column):
    if path.endswith(".parquet"):
        return pandas.read_parquet(path, columns=[column])[column].to_numpy()
    return pandas.read_csv(path, usecols=[column], engine="pyarrow")[column].to_numpy()


def works(quantiles_of):
    """`quantiles_of(records, quantiles, bounds)` releases all quantiles for epsilon 1 together."""
    def many(*counts):
        records = peer_work.sorted_records(peer_work.RECORDS)
        return {m: peer_work.median_seconds(lambda qs=peer_work.borders(int(m)): quantiles_of(records, qs, (0.0, 1024.0)))
                for m in counts}

    def file(path, column, lower, upper, _):
        bounds = float(lower), float(upper)
        return peer_work.one_quantile(lambda: quantiles_of(read(path, column), [0.5], bounds)[0])

    def accuracy(of, trials, m):
        return peer_work.accuracy(of, trials, m, lambda records, qs: quantiles_of(records, qs, peer_work.BOUNDS))

    return {"many": many, "file": file, "accuracy": accuracy}
