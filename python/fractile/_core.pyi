"""The C++ half of fractile; use the package's own functions."""

from collections.abc import Callable, Mapping, Sequence
import fractions
from typing import Any, overload


version: str = '0.1.0'

def set_default_engine(path: str) -> None: ...

class Frame:
    """Columns in memory, not copied."""

    @staticmethod
    def of_stream(capsule: object, name: str = '') -> Frame:
        """What __arrow_c_stream__() gave."""

    @staticmethod
    def of_array(schema: object, array: object, name: str = '') -> Frame:
        """What __arrow_c_array__() gave."""

    @staticmethod
    def of_numbers(numbers: Any, name: str = '', times: str = '', validity: bytes = b'') -> Frame:
        """An array of one dimension, by the buffer protocol or DLPack."""

    @staticmethod
    def later(columns: Frame, records: Callable[[], Sequence[Frame]]) -> Frame:
        """Columns whose records `records` gives when they are first counted."""

    def use_threads(self, threads: int) -> None: ...

    @property
    def names(self) -> list[str]: ...

class Release:
    """
    Everything that a receipt says. Methods take a group by its index in `keys`, from 0 on.
    """

    def with_receipt(self) -> Release:
        """The same, with its receipt."""

    @property
    def receipt(self) -> str:
        """The receipt, in JSON; empty until with_receipt() has composed it."""

    @property
    def program(self) -> str:
        """The program and version that made it."""

    @property
    def sha256(self) -> str:
        """The hash of the receipt."""

    @property
    def keys(self) -> list[Any]:
        """The keys of the groups; empty in a release without groups."""

    @property
    def quantiles(self) -> list[fractions.Fraction]:
        """Which quantiles were published."""

    @property
    def kind(self) -> str:
        """"number", "date", "timestamp" or "instant"."""

    @property
    def by(self) -> list[str]:
        """The key columns."""

    @property
    def column(self) -> str:
        """The column that was published."""

    @property
    def file(self) -> str:
        """The name of the file or frame that was read."""

    @property
    def measure(self) -> str:
        """The measure of the cost: pure, zcdp or approximate."""

    @property
    def cost(self) -> str:
        """The cost of the release for one person."""

    @property
    def neighbors(self) -> str:
        """What two tables differ in: "add-remove" or "change-one"."""

    @property
    def records_per_person(self) -> int:
        """The largest number of records of a person to whom the promise is made."""

    @property
    def confidence(self) -> fractions.Fraction | None:
        """The probability with which the bounds of rank errors hold."""

    @property
    def rows(self) -> int | None:
        """
        The largest number of records for which the bounds of rank errors hold.
        """

    @property
    def public_rows(self) -> int | None:
        """The number of rows of the table; None if it is not public."""

    @property
    def unsafe_seed(self) -> int | None:
        """The seed of a release that is not private; None otherwise."""

    @property
    def bounds_share(self) -> fractions.Fraction | None:
        """
        The share of the budget that found the bounds; None if they were given.
        """

    @property
    def interval_level(self) -> fractions.Fraction | None:
        """The probability with which an interval holds its quantile."""

    @property
    def charge(self) -> tuple[str, int] | None:
        """The ledger's dataset and entry that paid."""

    def __repr__(self) -> str: ...

    def values(self, group: int) -> list[fractions.Fraction]:
        """The values, in the order of `quantiles`; dates and times are ticks."""

    def intervals(self, group: int) -> list[tuple[fractions.Fraction, fractions.Fraction, bool, bool]]:
        """
        For each quantile: lower, upper, and whether the interval is open below and above. Empty without intervals.
        """

    def statistics(self, group: int) -> tuple[tuple[Any, ...], list[tuple[fractions.Fraction, tuple[Any, ...], tuple[fractions.Fraction | None, fractions.Fraction, fractions.Fraction]]], tuple[fractions.Fraction | None, fractions.Fraction, fractions.Fraction] | None] | None:
        """
        The count, the counts and shares below each value, and the mean, each with its interval.
        """

    def spent(self, group: int) -> list[tuple[str, str]]:
        """The cost, part by part."""

    def rank_errors(self, group: int) -> list[int | None]:
        """For each value, by how many records it misses its quantile at most."""

    def mechanism(self, group: int) -> str:
        """The mechanism that ran."""

    def reason(self, group: int) -> str:
        """Why auto chose this mechanism; empty if it was named."""

    def granularity(self, group: int) -> str | None:
        """
        The granularity of the values that was found and used; None if none was.
        """

    def heaping(self, group: int) -> str | None:
        """
        The distance of the values on which many records heap; None if no heaps were found.
        """

    def is_mostly_noise(self, group: int) -> bool:
        """Whether noise decides the values more than the records do."""

def read_receipt(text: str, name: str) -> Release: ...

def receipt_of_page(html: str) -> str: ...

def altered_parts(text: str, release: Release) -> list[str]: ...

def explain(release: Release, markdown: bool, compare: tuple[str, str] | None = None, guess: str = '') -> str: ...

def to_csv(release: Release, compare: tuple[str, str] | None = None) -> str: ...

def to_table(release: Release) -> str: ...

def page(release: Release, about: Mapping[str, str], public: bool, compare: tuple[str, str] | None, account: Account | None, guess: str = '') -> tuple[str, dict[str, str]]: ...

def comparisons(release: Release, first: str, second: str) -> list[tuple[Any, str, str, tuple[Any, ...], tuple[Any, ...] | None]]: ...

def registry(release: Release, about: Mapping[str, str]) -> str: ...

def write_durably(path: str, text: str) -> None: ...

class Account:
    """A dataset of a ledger, with what was spent of its budget."""

    @property
    def dataset(self) -> str:
        """Its name."""

    @property
    def unit(self) -> str:
        """The unit of privacy, such as person."""

    @property
    def budget(self) -> str:
        """The budget of all releases together."""

    @property
    def spent(self) -> str:
        """The cost of all entries that are reserved, drawn or committed."""

    @property
    def reserved(self) -> str:
        """The part of `spent` that is reserved or drawn."""

    @property
    def remaining(self) -> str:
        """What is left for further releases."""

    def __repr__(self) -> str: ...

class Entry:
    """An entry: what a ledger holds about one release."""

    @property
    def id(self) -> int:
        """Its number, from 1 on."""

    @property
    def dataset(self) -> str:
        """The dataset whose budget paid."""

    @property
    def query(self) -> str:
        """The query, in JSON; the same query has the same text."""

    @property
    def cost(self) -> str:
        """The cost of the release."""

    @property
    def state(self) -> str:
        """"reserved", "drawn", "committed" or "void"."""

    @property
    def reserved_at(self) -> str:
        """When it was charged, in UTC."""

    @property
    def settled_at(self) -> str:
        """When it was committed or voided, in UTC; empty before."""

    @property
    def receipt(self) -> str:
        """The receipt of what was published; empty before."""

    @property
    def reason(self) -> str:
        """Why it was voided."""

    def __repr__(self) -> str: ...

class Statement:
    """Everything that a ledger holds at one moment."""

    @property
    def accounts(self) -> list[Account]:
        """The datasets."""

    @property
    def entries(self) -> list[Entry]:
        """The entries, the first one first."""

    def json(self, everything: bool = False) -> str:
        """
        The JSON of `fractile ledger show`; with `everything`, that of `fractile ledger export`.
        """

    def csv(self, everything: bool = False) -> str:
        """The same as CSV."""

    def table(self) -> str:
        """The table of `fractile ledger show`."""

    def page(self, about: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """The page, and its figures and tables by the names of their files."""

    def __repr__(self) -> str: ...

def ledger_statement(path: str, dataset: str = '') -> Statement: ...

def ledger_shown(path: str) -> str: ...

def ledger_add(path: str, words: Mapping[str, Sequence[str]]) -> None: ...

def ledger_verify(path: str, head: str = '') -> str: ...

def ledger_witness(path: str, accept: bool = False) -> list[str]: ...

def ledger_void(path: str, entry: int, reason: str) -> None: ...

class Released:
    @property
    def release(self) -> Release: ...

    @property
    def stored(self) -> bool: ...

    @property
    def account(self) -> Account | None: ...

    @property
    def warnings(self) -> list[tuple[str, str]]: ...

class PlanReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    def page(self, about: Mapping[str, str]) -> tuple[str, dict[str, str]]: ...

    @property
    def quantiles(self) -> list[fractions.Fraction]: ...

    @property
    def cost(self) -> str: ...

    @property
    def mechanism(self) -> str: ...

    @property
    def worst_case(self) -> list[int | None]: ...

    @property
    def together(self) -> int | None: ...

    @property
    def typical(self) -> list[float]: ...

    @property
    def nine_in_ten(self) -> list[float]: ...

    @property
    def interval_widths(self) -> list[float]: ...

def release(words: Mapping[str, Sequence[str]], files: Sequence[str], key_lists: Sequence[Sequence[str]], key_tuples: Sequence[Sequence[str]], frame: Frame | None, counter: object | None = None, cancel: object | None = None) -> Released: ...

def count(words: Mapping[str, Sequence[str]], files: Sequence[str], key_lists: Sequence[Sequence[str]], key_tuples: Sequence[Sequence[str]], cancel: object | None = None) -> None: ...

def merge(words: Mapping[str, Sequence[str]], files: Sequence[str], cancel: object | None = None) -> list[tuple[str, str]]: ...

def columns(words: Mapping[str, Sequence[str]], files: Sequence[str], cancel: object | None = None) -> str: ...

def plan(words: Mapping[str, Sequence[str]], with_others: bool) -> PlanReport: ...

def audit(words: Mapping[str, Sequence[str]]) -> str: ...

def options(verb: str) -> list[tuple[str, str, str, str, str]]: ...

class PublicationFile:
    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> list[tuple[str, str, fractions.Fraction, fractions.Fraction, bool]]: ...

    @property
    def names(self) -> list[str]: ...

    @property
    def names_records(self) -> bool: ...

    @property
    def refuses_unreadable(self) -> bool: ...

    def require_no_records(self) -> None: ...

class PublicationPlan:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

def read_publication(path: str, words: Mapping[str, Sequence[str]]) -> PublicationFile: ...

def plan_publication(file: PublicationFile) -> PublicationPlan: ...

class PublishedTables:
    @property
    def receipt(self) -> str: ...

    @property
    def account(self) -> Account | None: ...

    @property
    def title(self) -> str: ...

    @property
    def cost(self) -> str: ...

    @property
    def keys(self) -> list[tuple[str, list[str], list[str]]]: ...

    @property
    def levels(self) -> list[tuple[str, list[str], bool]]: ...

    def release(self, level: int) -> Release: ...

    def statistics(self, level: int) -> list[Any]: ...

    def explain(self, markdown: bool) -> str: ...

    def page(self, about: Mapping[str, str], public: bool) -> tuple[str, dict[str, str]]: ...

    def registry(self, about: Mapping[str, str]) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

class Published:
    @property
    def tables(self) -> PublishedTables: ...

    @property
    def warnings(self) -> list[tuple[str, str]]: ...

def publish(file: PublicationFile, words: Mapping[str, Sequence[str]], frame: Frame | None, counter: object | None = None, cancel: object | None = None) -> Published: ...

def read_publication_receipt(text: str, name: str) -> PublishedTables: ...

def altered_parts_of_tables(text: str, tables: PublishedTables) -> list[str]: ...

class Lattice:
    @staticmethod
    def regular(lower: fractions.Fraction, upper: fractions.Fraction, step: fractions.Fraction) -> Lattice: ...

    @staticmethod
    def of(candidates: Sequence[fractions.Fraction]) -> Lattice: ...

    @staticmethod
    def of_words(words: Mapping[str, Sequence[str]]) -> Lattice: ...

    @property
    def kind(self) -> str: ...

    def text(self, index: int) -> str: ...

    @property
    def step_text(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def is_regular(self) -> bool: ...

    @property
    def lower(self) -> fractions.Fraction: ...

    @property
    def upper(self) -> fractions.Fraction: ...

    @property
    def step(self) -> fractions.Fraction: ...

    def at(self, index: int) -> fractions.Fraction: ...

    def equals(self, other: Lattice) -> bool: ...

class Counted:
    """
    A question to a column, and profiles that answer it in part or in whole.
    """

    @staticmethod
    def of(column: str, lattice: Lattice, refuse_missing: bool, person: str, records_per_person: int, by: Sequence[str], key_lists: Sequence[Sequence[str]], key_tuples: Sequence[Sequence[str]], missing: Sequence[str], per_person: str = '', weight: Sequence[str] = []) -> Counted:
        """The question, with counts of 0 for every answer."""

    @staticmethod
    def of_bytes(bytes: bytes) -> Counted: ...

    @staticmethod
    def of_profile_bytes(bytes: bytes) -> Counted:
        """One profile of one column."""

    def to_bytes(self) -> bytes: ...

    def of_frame(self, frame: Frame, sampling_key: bytes, cells: Counted | None = None, group_of_cell: Sequence[int] = []) -> Counted:
        """
        The same question, answered for the records of a frame; with the cells of which its groups are made.
        """

    @staticmethod
    def of_sample(questions: Sequence[Counted], frame: Frame, sampling_key: bytes) -> list[Counted]:
        """
        Questions about the same persons, answered for one sample of whole records of a frame.
        """

    @staticmethod
    def of_counts(lattice: Lattice, positions: Sequence[int], counts: Sequence[int], records_per_person: int) -> Counted: ...

    @staticmethod
    def of_counted(frame: Frame, column: str, counted: Frame, counts: str, lattice: Lattice, refuse_missing: bool, records_per_person: int, weight: Sequence[str] = []) -> Counted: ...

    def merge(self, other: Counted, disjoint_persons: bool) -> Counted: ...

    def write(self, output: str, column: str, source: str, records_per_person: int | None) -> None: ...

    def for_persons_of(self, records_per_person: int) -> Counted:
        """The same profiles with a larger bound on records per person."""

    @property
    def alone(self) -> list[Counted]: ...

    @property
    def lattice(self) -> Lattice: ...

    @property
    def records(self) -> int: ...

    @property
    def counts(self) -> list[tuple[int, int]]: ...

    def counts_equal(self, other: Counted) -> bool: ...

    @property
    def records_per_person(self) -> int: ...

    @property
    def disjoint_persons(self) -> bool: ...

    @property
    def person(self) -> str: ...

    @property
    def per_person(self) -> str: ...

    @property
    def refuses_missing(self) -> bool: ...

class Channel:
    def __init__(self, rows: Sequence[Sequence[fractions.Fraction]], secrets: Sequence[str] = [], observations: Sequence[str] = []) -> None: ...

    @property
    def secrets(self) -> list[str]: ...

    @property
    def observations(self) -> list[str]: ...

    @property
    def rows(self) -> list[list[fractions.Fraction]]: ...

    def then(self, other: Channel) -> Channel: ...

    def kronecker(self, other: Channel) -> Channel: ...

    def equals(self, other: Channel) -> bool: ...

    def refines(self, other: Channel) -> Refinement: ...

    def smallest_epsilon(self, distances: Sequence[Sequence[fractions.Fraction]] = []) -> str | None: ...

    def expected_loss(self, prior: Sequence[fractions.Fraction], losses: Sequence[Sequence[fractions.Fraction]]) -> fractions.Fraction: ...

class Refinement:
    @property
    def verdict(self) -> str: ...

    @property
    def reason(self) -> str: ...

    @property
    def witness(self) -> list[list[fractions.Fraction]] | None: ...

    @property
    def counterexample(self) -> tuple[list[fractions.Fraction], list[list[fractions.Fraction]], list[str], fractions.Fraction, fractions.Fraction] | None: ...

    def verify(self, from_: Channel, to: Channel) -> bool: ...

class Windows:
    @property
    def method(self) -> str: ...

    @property
    def windows(self) -> list[tuple[Any, Any, Any]]: ...

    @property
    def undecided(self) -> list[tuple[fractions.Fraction, fractions.Fraction]]: ...

    @property
    def are_all(self) -> bool: ...

class RefinementReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    def page(self, about: Mapping[str, str]) -> tuple[str, dict[str, str]]: ...

    @property
    def verdict(self) -> str: ...

    @property
    def reason(self) -> str: ...

class StabilityReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    def page(self, about: Mapping[str, str]) -> tuple[str, dict[str, str]]: ...

    @property
    def verdict(self) -> str: ...

    @property
    def reason(self) -> str: ...

    @property
    def windows(self) -> Windows | None: ...

class AnyPriorReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    def page(self, about: Mapping[str, str]) -> tuple[str, dict[str, str]]: ...

    @property
    def verdict(self) -> str: ...

    @property
    def reason(self) -> str: ...

class ComparisonReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    @property
    def verdict(self) -> str: ...

    @property
    def reason(self) -> str: ...

class ExpectedLossReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    @property
    def loss(self) -> tuple[fractions.Fraction, fractions.Fraction]: ...

class SweepReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    def page(self, about: Mapping[str, str]) -> tuple[str, dict[str, str]]: ...

    @property
    def points(self) -> list[tuple[str, tuple[fractions.Fraction, fractions.Fraction], str]]: ...

    @property
    def windows(self) -> Windows: ...

class ChoiceReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    def page(self, about: Mapping[str, str]) -> tuple[str, dict[str, str]]: ...

    @property
    def served(self) -> list[tuple[str, str]]: ...

    @property
    def is_least_certain(self) -> bool: ...

class CertificateReport:
    def json(self) -> str: ...

    def csv(self) -> str: ...

    def table(self) -> str: ...

    @property
    def holds(self) -> bool | None: ...

class PipelineFile:
    @staticmethod
    def read(path: str, library: str) -> PipelineFile: ...

    @staticmethod
    def of(toml: str, name: str, library: str) -> PipelineFile: ...

    @property
    def participants(self) -> int: ...

    @property
    def values(self) -> list[fractions.Fraction]: ...

    def check(self, words: Mapping[str, Sequence[str]]) -> object: ...

    def sweep(self, words: Mapping[str, Sequence[str]]) -> SweepReport: ...

    def choose(self, words: Mapping[str, Sequence[str]]) -> ChoiceReport: ...

    def loss(self, words: Mapping[str, Sequence[str]]) -> ExpectedLossReport: ...

    def channel(self, epsilon: str) -> Channel: ...

def compare(first: str, second: str, words: Mapping[str, Sequence[str]]) -> ComparisonReport: ...

def verify(json: str) -> CertificateReport: ...

def bayes_risk(secrets: int) -> list[list[fractions.Fraction]]: ...

def linear_error(values: Sequence[fractions.Fraction]) -> list[list[fractions.Fraction]]: ...

def squared_error(values: Sequence[fractions.Fraction]) -> list[list[fractions.Fraction]]: ...

class Scores:
    def __str__(self) -> str: ...

class LInfDistance:
    def __str__(self) -> str: ...

class SymmetricDistance:
    def __str__(self) -> str: ...

class SelectionOfScores:
    def map(self, d_in: fractions.Fraction) -> str: ...

    def invoke(self, data: Sequence[int]) -> int: ...

class SelectionOfScoresZcdp:
    def map(self, d_in: fractions.Fraction) -> str: ...

    def invoke(self, data: Sequence[int]) -> int: ...

class Rowsfloat:
    @property
    def nullable(self) -> bool: ...

    def __str__(self) -> str: ...

class RowTransformationfloat:
    @property
    def output_domain(self) -> Rowsfloat: ...

    @property
    def output_metric(self) -> SymmetricDistance: ...

    def map(self, d_in: int) -> str: ...

    @overload
    def then(self, right: RowTransformationfloat) -> RowTransformationfloat: ...

    @overload
    def then(self, right: ScoreTransformationfloat) -> ScoreTransformationfloat: ...

    @overload
    def then(self, right: Quantilefloat) -> Quantilefloat: ...

    @overload
    def then(self, right: Selectionfloat) -> Selectionfloat: ...

    @overload
    def then(self, right: SelectionOfValuesfloat) -> SelectionOfValuesfloat: ...

    @overload
    def then(self, right: SelectionfloatZcdp) -> SelectionfloatZcdp: ...

    @overload
    def then(self, right: SelectionOfValuesfloatZcdp) -> SelectionOfValuesfloatZcdp: ...

class ScoreTransformationfloat:
    @property
    def output_domain(self) -> Scores: ...

    @property
    def output_metric(self) -> LInfDistance: ...

    def map(self, d_in: int) -> str: ...

    @overload
    def then(self, right: SelectionOfScores) -> Selectionfloat: ...

    @overload
    def then(self, right: SelectionOfScoresZcdp) -> SelectionfloatZcdp: ...

class Quantilefloat:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[float]) -> fractions.Fraction: ...

class Selectionfloat:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[float]) -> int: ...

    def index_into(self, candidates: Sequence[float]) -> SelectionOfValuesfloat: ...

class SelectionOfValuesfloat:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[float]) -> float: ...

class SelectionfloatZcdp:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[float]) -> int: ...

    def index_into(self, candidates: Sequence[float]) -> SelectionOfValuesfloatZcdp: ...

class SelectionOfValuesfloatZcdp:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[float]) -> float: ...

def rows_float(nullable: bool) -> Rowsfloat: ...

def make_drop_null(domain: Rowsfloat) -> RowTransformationfloat: ...

def make_impute_constant(domain: Rowsfloat, constant: float) -> RowTransformationfloat: ...

@overload
def make_clamp(domain: Rowsfloat, lower: float, upper: float) -> RowTransformationfloat: ...

@overload
def make_clamp(domain: Rowsint, lower: int, upper: int) -> RowTransformationint: ...

@overload
def make_quantile_score_candidates(domain: Rowsfloat, candidates: Sequence[float], alpha: fractions.Fraction) -> ScoreTransformationfloat: ...

@overload
def make_quantile_score_candidates(domain: Rowsint, candidates: Sequence[int], alpha: fractions.Fraction) -> ScoreTransformationint: ...

@overload
def make_quantile(domain: Rowsfloat, lattice: Lattice, alpha: fractions.Fraction, epsilon: str) -> Quantilefloat: ...

@overload
def make_quantile(domain: Rowsint, lattice: Lattice, alpha: fractions.Fraction, epsilon: str) -> Quantileint: ...

class Rowsint:
    @property
    def nullable(self) -> bool: ...

    def __str__(self) -> str: ...

class RowTransformationint:
    @property
    def output_domain(self) -> Rowsint: ...

    @property
    def output_metric(self) -> SymmetricDistance: ...

    def map(self, d_in: int) -> str: ...

    @overload
    def then(self, right: RowTransformationint) -> RowTransformationint: ...

    @overload
    def then(self, right: ScoreTransformationint) -> ScoreTransformationint: ...

    @overload
    def then(self, right: Quantileint) -> Quantileint: ...

    @overload
    def then(self, right: Selectionint) -> Selectionint: ...

    @overload
    def then(self, right: SelectionOfValuesint) -> SelectionOfValuesint: ...

    @overload
    def then(self, right: SelectionintZcdp) -> SelectionintZcdp: ...

    @overload
    def then(self, right: SelectionOfValuesintZcdp) -> SelectionOfValuesintZcdp: ...

class ScoreTransformationint:
    @property
    def output_domain(self) -> Scores: ...

    @property
    def output_metric(self) -> LInfDistance: ...

    def map(self, d_in: int) -> str: ...

    @overload
    def then(self, right: SelectionOfScores) -> Selectionint: ...

    @overload
    def then(self, right: SelectionOfScoresZcdp) -> SelectionintZcdp: ...

class Quantileint:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[int]) -> fractions.Fraction: ...

class Selectionint:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[int]) -> int: ...

    def index_into(self, candidates: Sequence[int]) -> SelectionOfValuesint: ...

class SelectionOfValuesint:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[int]) -> int: ...

class SelectionintZcdp:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[int]) -> int: ...

    def index_into(self, candidates: Sequence[int]) -> SelectionOfValuesintZcdp: ...

class SelectionOfValuesintZcdp:
    def map(self, d_in: int) -> str: ...

    def invoke(self, data: Sequence[int]) -> int: ...

def rows_int(nullable: bool) -> Rowsint: ...

def make_gumbel_max(domain: Scores, metric: LInfDistance, temperature: fractions.Fraction, minimize: bool) -> SelectionOfScores: ...

def make_gumbel_max_zcdp(domain: Scores, metric: LInfDistance, temperature: fractions.Fraction, minimize: bool) -> SelectionOfScoresZcdp: ...

def make_permute_and_flip(domain: Scores, metric: LInfDistance, temperature: fractions.Fraction, minimize: bool) -> SelectionOfScores: ...

def main(words: Sequence[str]) -> int:
    """
    Runs `fractile` with these words, the first one its own name; the exit code.
    """
