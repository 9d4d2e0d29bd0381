# %% [markdown]
# # Plan a budget with a colleague
#
# How large must epsilon be? Turn the question around: how wrong may the numbers be? No table is read here and nothing is spent.

# %%
import fractile

ages = {"bounds": (0, 125), "step": 1, "quantiles": "deciles", "expected_rows": 50_000}
plan = fractile.plan(**ages, epsilon=1)
plan.to_pandas()

# %% [markdown]
# A published value misses its quantile by more than `worst_case` records with probability at most 0.05, whatever the table. `median` and
# `nine_in_ten` are errors of simulated releases of a public table: half of them, and nine in ten, miss by no more than that.

# %% [markdown]
# ## Some budgets side by side

# %%
import pandas as pd

pd.DataFrame(
    {epsilon: fractile.plan(**ages, epsilon=epsilon).to_pandas()["worst_case"] for epsilon in ("1/4", "1/2", "1", "2")}
).rename_axis(columns="epsilon")

# %% [markdown]
# ## From the error to the budget
#
# A colleague needs every decile within 500 of the 50,000 records. What does that cost?

# %%
wanted = fractile.plan(**ages, rank_error=500)
wanted.cost

# %%
assert max(row.worst_case for row in wanted.quantiles) <= 500

# %% [markdown]
# ## With intervals
#
# An interval says where the quantile of the population lies. Intervals take a part of the budget.

# %%
fractile.plan(**ages, epsilon=1, intervals=0.95).interval_widths

# %% [markdown]
# ## Something to hand round
#
# `to_html()` is one file without scripts, with figures and a table of the same numbers beneath each.

# %%
page = wanted.to_html(about={"title": "Deciles of age", "curator": "The statistics office"})
assert page.startswith("<!DOCTYPE html>")
wanted
