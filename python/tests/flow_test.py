"""Channels, pipelines and their worth. Arguments and results are Fractions, and messages are the program's."""

import copy
import json
import multiprocessing
import os
import pickle
from fractions import Fraction
from pathlib import Path

import fractile
import pytest
from fractile import flow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "flow"


def test_channels():
    response = flow.Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    noisier = response @ response
    assert noisier.rows == [[Fraction(5, 8), Fraction(3, 8)], [Fraction(3, 8), Fraction(5, 8)]]
    worth = response.refines(noisier)
    assert worth.verdict == "refines" and worth and worth.verify()
    assert worth.witness == response.rows
    refuted = noisier.refines(response)
    assert not refuted and refuted.verify()
    found = refuted.counterexample
    assert found.loss_to < found.loss_from
    assert noisier.expected_loss(found.losses, found.prior) == found.loss_from
    assert response.expected_loss(found.losses, found.prior) == found.loss_to
    assert response.smallest_epsilon() == "ln 3"
    assert response.expected_loss(flow.bayes_risk(2)) == Fraction(1, 4)
    assert len(response.kronecker(response).rows) == 4
    with pytest.raises(fractile.UsageError):
        flow.Channel([["1/2", "1/3"]])


@pytest.mark.parametrize("name", ["geometric_count", "geometric_outliers", "geometric_sum", "response_count", "response_sum"])
def test_checks_equal_the_program(name, program):
    file = EXAMPLES / f"{name}.toml"
    check = flow.check(file, epsilon=("ln 2", "ln 3"))
    codes = {"stable": 0, "unstable": 1, "undecided": 6}
    assert check.to_json() == program("flow", "check", file, "--epsilon", "ln 2..ln 3", "--format", "json", code=codes[check.verdict])
    pair = flow.check(file, from_="ln 3", to="ln 2")
    codes = {"refines": 0, "does not refine": 1, "undecided": 6}
    assert pair.to_json() == program("flow", "check", file, "--from", "ln 3", "--to", "ln 2", "--format", "json", code=codes[pair.verdict])
    assert pair.verify() in (True, None)
    if pair.verify() is not None:
        assert flow.verify(pair.to_json())


def test_choosing_epsilon():
    file = EXAMPLES / "known_others.toml"
    choice = flow.choose(file, "1654.305", guess="value")
    assert [start[:7] for start, _ in choice.served] == ["1.24927", "1.25750"]
    assert choice.least_epsilon == choice.served[0][0] and choice.is_least_certain
    document = json.loads(choice.to_json())
    assert document["least_epsilon"] == choice.least_epsilon
    assert len(document["analysts"][0]["leakage"]["points"]) == 4
    assert flow.Pipeline.read(file).choose(1, epsilon=("0.1", "1")).least_epsilon is None
    assert "<svg" in choice.to_html()


def test_losses_and_windows_equal_the_program(program):
    file = EXAMPLES / "known_others.toml"
    loss = flow.loss(file, "ln 3.5")
    assert loss.is_exact
    assert loss.lower == Fraction(1276949536000, 771895089)
    curve = flow.loss_curve(file, ("1.24", "1.27"), points=31)
    assert curve.to_json() == program("flow", "sweep", file, "--epsilon", "1.24..1.27", "--points", "31", "--format", "json")
    assert len(curve.points) == 31
    assert any(point.change == "rises" for point in curve.points)
    assert len(curve.windows) >= 1
    check = flow.check(file, epsilon=("ln 3", "ln 4"))
    window = check.windows[0]
    assert window.start.lower < window.end.upper
    odds_from, odds_to, loss_from, loss_to = window.proof
    assert odds_from < odds_to and loss_from.upper < loss_to.lower
    assert "html" in check.to_html()


def test_a_curators_release():
    """Once, a Pipeline wanted participants and values, and the file's reader then refused them: a release has its own."""
    release = {"release": "exponential", "quantile": "1/2", "records": 3, "lattice": [0, 1, 2, 3]}
    median = flow.Pipeline(perturber=release, post="identity")
    assert (median.participants, median.values) == (3, [0, 1, 2, 3])
    assert median.channel("2 ln 3") == flow.channel(EXAMPLES / "released_median.toml", "2 ln 3")
    known = flow.Pipeline(perturber=release, post="identity", secret="target", known=[0, 3])
    assert known.check(from_="2 ln 3", to="2 ln 2").verdict == "refines"
    with pytest.raises(fractile.DataError, match="participants: missing"):
        flow.Pipeline(perturber="geometric", post="sum")


def test_what_needs_an_analyst():
    """Once, the hint was about a file that there was not."""
    survey = flow.Pipeline(participants=2, values=[0, 1, 2], perturber="geometric", post="sum")
    for ask in (lambda: survey.loss(1), lambda: survey.loss_curve((1, 2)), lambda: survey.choose(1),
                lambda: survey.check(from_="ln 3", to="ln 2", any_prior=True)):
        with pytest.raises(fractile.UsageError, match="no analyst") as error:
            ask()
        assert (error.value.field, error.value.hint) == ("analyst", 'write analyst=Analyst(loss="bayes-risk"), for example')


def test_pipelines_in_python():
    survey = flow.Pipeline(
        participants=4,
        values=range(7),
        perturber="geometric",
        post={"query": "count", "of": [0]},
        secret="target",
        known=[0, 1, 1],
        analyst=flow.Analyst(loss="linear-error", scale=1000),
    )
    assert survey.loss("ln 3.5").lower == Fraction(1276949536000, 771895089)
    assert survey.participants == 4
    assert survey.values == list(range(7))
    channel = survey.channel("ln 3")
    assert all(sum(row) == 1 for row in channel.rows)
    half = flow.Pipeline(participants=2, values=[0, Fraction(1, 2)], perturber="randomized-response", post="sum")
    assert half.values == [0, Fraction(1, 2)]
    with pytest.raises(fractile.DataError) as refused:  # once, it named a line of a file that there was not
        flow.Pipeline(participants=2, values=[0, 1], perturber="none", post="sum")
    assert refused.value.message == "pipeline.perturber: 'none' is not known"
    assert refused.value.hint.startswith("choose one of geometric, ")
    with pytest.raises(fractile.DataError, match="pipeline.post.que ry: unknown key"):
        flow.Pipeline(participants=2, values=[0, 1], perturber="geometric", post={"que ry": "count"})
    with pytest.raises(fractile.UsageError):
        survey.check()
    with pytest.raises(fractile.UsageError):
        survey.channel("1")
    assert survey.check(epsilon=("ln 3", "ln 4"), any_prior=True).verdict in ("stable", "unstable", "undecided")
    assert survey.check(from_="ln 3", to="ln 2", any_prior=True).verdict in ("worth-as-much", "worth-less", "undecided")


def test_results_are_copied_and_pickled():
    response = flow.Channel([["3/4", "1/4"], ["1/4", "3/4"]], secrets=["a", "b"])
    asked = {"participants": 2, "values": [0, 1, 2], "perturber": "geometric", "post": {"query": "count", "of": [0]}}
    survey = flow.Pipeline(**asked, analyst=flow.Analyst(loss="bayes-risk"))
    read = flow.Pipeline.read(EXAMPLES / "geometric_count.toml")
    check = survey.check(epsilon=("ln 2", "ln 3"))
    for again in (lambda each: pickle.loads(pickle.dumps(each)), copy.copy, copy.deepcopy):
        assert again(response) == response and again(response).secrets == ["a", "b"]
        refined = again(response.refines(response @ response))
        assert refined.verdict == "refines" and refined.verify()
        assert again(again(survey)).loss("ln 3") == survey.loss("ln 3")
        assert again(read).channel("ln 3") == read.channel("ln 3")
    assert copy.deepcopy(check).to_json() == check.to_json()
    two = {"from_": "ln 3", "to": "ln 2"}
    made = [check, survey.check(**two), survey.check(**two, any_prior=True), survey.loss_curve(("ln 2", "ln 3"), points=3), survey.choose("1/2")]
    for report in made:
        once = pickle.loads(pickle.dumps(report))
        again = pickle.loads(pickle.dumps(once))
        for name in ("verdict", "reason", "points", "served", "least_epsilon", "is_least_certain", "to_json", "to_csv", "verify", "to_html"):
            value = getattr(report, name, None)
            kept = getattr(again, name, None)
            assert (kept() == value()) if callable(value) else kept == value, name
        assert type(again) is type(report) and repr(again) == repr(report)
        assert repr(getattr(again, "windows", None)) == repr(getattr(report, "windows", None))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(flow.Pipeline.check, (survey,), {"epsilon": ("ln 2", "ln 3")}).to_json() == check.to_json()
    compared = pickle.loads(pickle.dumps(flow.compare(EXAMPLES / "geometric_count.toml", EXAMPLES / "geometric_count.toml", from_="ln 3", to="ln 3")))
    with pytest.raises(fractile.UsageError, match="has no page"):
        compared.to_html()
    assert repr(survey) == "<Pipeline: 2 participants, 3 possible values>"
    windows = flow.check(EXAMPLES / "known_others.toml", epsilon=("ln 2", "ln 4")).windows
    assert repr(windows) == "<Windows: 1 of exp(epsilon) from 3.50054 to 3.51662; 0 undecided ranges>"
    plan = fractile.plan(bounds=(0, 125), step=1, epsilon=1, expected_rows=1000)
    for same in (copy.copy(plan), copy.deepcopy(plan), pickle.loads(pickle.dumps(plan))):
        assert same.to_json() == plan.to_json()


def test_a_file_of_any_name_is_found(tmp_path, engine):
    codes = tmp_path / "private use \U000f0000 and a control \x7f.csv"
    codes.write_text("code,count\n0,1\n1,2\n")
    asked = {"participants": 4, "values": [0, 1], "perturber": "randomized-response", "post": "sum", "secret": "target"}
    survey = flow.Pipeline(**asked, known={"histogram": codes})
    assert survey.channel("ln 3") == flow.Pipeline(**asked, known=[0, 1, 1]).channel("ln 3")


def test_losses_of_many_digits():
    """Python reads at most 4,300 digits at once, and the library 10,000 characters."""
    many = flow.Pipeline(
        participants=600, values=range(7), perturber="geometric", post={"query": "count", "of": [0]}, secret="target",
        known={"histogram": [593, 1, 1, 1, 1, 1, 1]}, analyst=flow.Analyst(loss="linear-error"),
    )  # fmt: skip
    epsilon = "ln 3.4878087431"
    exact, near = many.loss(epsilon, exact=True), many.loss(epsilon)
    assert exact.is_exact and exact.lower.denominator.bit_length() > 15_000
    assert near.lower <= exact.lower <= near.upper
    many.check(from_=epsilon, to="ln 3.5133595031").verify()


def test_compare(tmp_path, program):
    rows = "secret,0,1\n0,3/4,1/4\n1,1/4,3/4\n"
    (tmp_path / "a.csv").write_text(rows)
    (tmp_path / "b.csv").write_text(rows.replace("3/4", "2/3").replace("1/4", "1/3"))
    check = flow.compare(tmp_path / "a.csv", tmp_path / "b.csv")
    assert check.verdict == "refines"
    assert check.to_json() == program("flow", "compare", tmp_path / "a.csv", tmp_path / "b.csv", "--format", "json")
    assert os.fspath(tmp_path / "a.csv") in json.loads(check.to_json()).values()
    with pytest.raises(fractile.UsageError, match="has no page"):
        check.to_html()


def test_channels_name_what_has_no_names():
    named = flow.Channel([[1], [1]], secrets=["a", "b"])
    assert (named.secrets, named.observations) == (["a", "b"], ["0"])
    seen = flow.Channel([[1], [1]], observations=["seen"])
    assert (seen.secrets, seen.observations) == (["0", "1"], ["seen"])
    with pytest.raises(fractile.UsageError, match="one row per secret"):
        flow.Channel([[1], [1]], secrets=["a"])


def test_sizes_are_limited():
    for size in (2**15, 2**32, 2**63):
        with pytest.raises(fractile.UsageError, match="too large|not a whole number"):
            flow.bayes_risk(size)
    with pytest.raises(fractile.UsageError, match="secrets: -1 is not a whole number from 0"):
        flow.bayes_risk(-1)
    for epsilon in ("1e300", "1e19 ln 3"):
        with pytest.raises(fractile.UsageError):
            flow.channel(EXAMPLES / "geometric_count.toml", epsilon)


def test_messages_are_for_python():
    with pytest.raises(fractile.UsageError) as refused:
        flow.check(EXAMPLES / "geometric_count.toml")
    assert refused.value.hint == 'write a range, epsilon=(0.1, 10), or from_="ln 3", to="ln 2"'
    with pytest.raises(fractile.DataError) as refused:
        flow.verify("{}")
    assert refused.value.hint == "give what a check or a comparison of flow returns as JSON"
    check = flow.check(EXAMPLES / "geometric_count.toml", from_="ln 3.0000001", to="ln 2.0000001")
    assert "as JSON they are exact" in repr(check) and "--" not in repr(check)
