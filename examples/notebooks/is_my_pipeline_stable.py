# %% [markdown]
# # Is my pipeline stable?
#
# A smaller epsilon means more privacy. Is the result also less useful? Not always. Four people answer with a number from 0 to 6; each
# answer gets geometric noise, and the zeros are counted. An analyst knows three of the four numbers and wants the fourth.

# %%
from fractile import flow

survey = flow.Pipeline(
    participants=4,
    values=range(7),
    perturber="geometric",
    post={"query": "count", "of": [0]},
    secret="target",
    known=[0, 1, 1],
    analyst=flow.Analyst(loss="linear-error", scale=1000),
)

# %% [markdown]
# ## Exact losses
#
# These are the losses at epsilon = ln 3.5, and at ln 3.51, which is a little less private:

# %%
before = survey.loss("ln 3.5")
after = survey.loss("ln 3.51")
before.lower, float(before), float(after)

# %%
assert after.lower > before.upper  # a larger epsilon costs this analyst more

# %% [markdown]
# ## Where it happens
#
# A check over a range finds every window in which a larger epsilon costs the analyst more, with certified ends.

# %%
check = survey.check(epsilon=("ln 3", "ln 4"))
check

# %%
window = check.windows[0]
float(window.start), float(window.end), window.proof

# %% [markdown]
# The verdict carries a certificate: an analyst who benefits from a smaller epsilon. You can check it by multiplying fractions.

# %%
assert check.verdict == "unstable"
assert check.verify()

# %% [markdown]
# ## A stable one
#
# Counting both ends, with noise on three values, is stable: a smaller epsilon never helps any analyst.

# %%
stable = flow.Pipeline(participants=2, values=[0, 1, 2], perturber="geometric", post={"query": "count", "of": [0, 2]})
stable.check(epsilon=("ln 2", "ln 3")).verdict

# %% [markdown]
# ## Channels of your own

# %%
response = flow.Channel([["3/4", "1/4"], ["1/4", "3/4"]])
twice = response @ response
worth = response.refines(twice)
worth.verdict, worth.witness

# %%
assert twice.refines(response).counterexample.loss_to < twice.refines(response).counterexample.loss_from
