# %% [markdown]
# # Publish income by region, with a ledger
#
# The table has people, their regions and their incomes. We publish the quartiles of income in two regions, under one budget that a ledger
# keeps. The table is made up, so that the notebook runs anywhere.

# %%
import random
import tempfile
from pathlib import Path

import fractile
import polars as pl

draw = random.Random(2026)
rows = 20_000
people = pl.DataFrame(
    {
        "id": [draw.randrange(15_000) for _ in range(rows)],
        "region": [draw.choice(["north", "south", "east"]) for _ in range(rows)],
        "income": [round(draw.lognormvariate(10.3, 0.6), 2) for _ in range(rows)],
    }
)

# %% [markdown]
# ## The budget
#
# The data's owner decides how much may be spent in all. The ledger also pins the column that identifies the person, so that an asker cannot
# choose a cheaper unit of privacy.

# %%
folder = Path(tempfile.mkdtemp())
ledger = fractile.Ledger(folder / "budget.db").init("people", epsilon=1, person="id")
ledger.accounts[0].remaining

# %% [markdown]
# ## Before anything is spent
#
# The bounds, the step and the keys are public: they say which incomes are possible and which regions there are, without a look at the
# table.

# %%
question = {"bounds": (0, 500_000), "step": "0.01", "epsilon": "1/2"}
fractile.plan(**question, expected_rows=6_000).to_pandas()

# %% [markdown]
# ## The release
#
# At most two records of each person count, chosen at random. The charge is made before a row is read.

# %%
release = fractile.release(
    people,
    "income",
    by="region",
    keys=["north", "south"],
    person="id",
    records_per_person=2,
    ledger=ledger,
    source="people 2026",
    receipt=folder / "income.json",
    **question,
)
release.to_pandas()

# %%
release["north"][0.5]  # exact

# %% [markdown]
# ## Afterwards
#
# The receipt can be explained in plain words. The same question again costs nothing: the ledger answers it.

# %%
print(release.explain()[:800])

# %%
again = fractile.release(
    people,
    "income",
    by="region",
    keys=["north", "south"],
    person="id",
    records_per_person=2,
    ledger=ledger,
    source="people 2026",
    **question,
)
assert again.from_ledger and again.receipt == release.receipt
ledger.accounts[0].remaining

# %% [markdown]
# A release that the budget does not allow is refused, and nothing is spent.

# %%
try:
    fractile.release(people, "income", person="id", bounds=(0, 500_000), step=1, epsilon=1, ledger=ledger)
except fractile.BudgetError as refused:
    print(refused)
