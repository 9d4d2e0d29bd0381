// The options of audit and reproduce.
#include <array>

#include "requests/verbs/options.hpp"

namespace fractile::requests {
namespace {

constexpr std::array audit_table{
    OptionSpec{"--mechanism", asker, "NAME", "", "What",
               "auto, exponential, approximate, joint, joint-total, joint-tree, independent, tree, gumbel-max or "
               "permute-and-flip (required)"},
    OptionSpec{"--records", asker, "N", "4", "What", "all tables of at most N records are tried, 1 to 6"},
    OptionSpec{"--values", asker, "K", "4", "What", "the tables have K possible values, 1 to 12"},
    OptionSpec{"--bounds", asker, "LO HI", "0 K-1", "What",
               "the smallest and largest possible value, of which K are tried, or auto: bounds found privately"},
    OptionSpec{"--step", asker, "S", "1", "What", "the distance between possible values"},
    OptionSpec{"--doublings", asker, "D", "1", "What",
               "with --bounds auto: found among 0, +-1, +-2, ..., +-2^D; 1 to 4"},
    OptionSpec{"--bounds-budget", asker, "SHARE", "0.1", "What",
               "with --bounds auto: the share of the budget that finds them"},
    OptionSpec{"--groups", asker, "", "", "What", "two groups with public keys; every record is in one of them"},
    OptionSpec{"--quantiles", asker, "LIST", "the median; two to four quantiles where it takes several", "What",
               "what the mechanism is asked for"},
    OptionSpec{"--base", asker, "BASE", "adaptive for auto, joint-total and joint-tree, else uniform", "What",
               "adaptive or uniform, as in a release"},
    expected_rows_option,
    intervals_option,
    of_option,
    together_option,
    OptionSpec{"--epsilon", asker, "E", "", "Claim", "pure differential privacy: 1, 0.5, 1/3, \"ln 3\""},
    OptionSpec{"--rho", asker, "R", "", "Claim", "or zero-concentrated differential privacy (mechanisms of a release)"},
    OptionSpec{"--delta", asker, "D", "", "Claim",
               "with --epsilon and --mechanism independent: approximate differential privacy"},
    OptionSpec{"--claim", asker, "C", "that epsilon or rho; with --delta, that delta", "Claim",
               "certify or refute a claim other than the mechanism's own"},
    OptionSpec{"--neighbors", asker, "RELATION", "add-remove", "Claim",
               "add-remove (one record more or less) or change-one (one record replaced)"},
    OptionSpec{"--records-per-person", asker, "D", "1", "Claim", "neighbors differ in up to D records"},
    OptionSpec{"--format", output, "FORMAT", "table", "Output", "table or json"},
};

constexpr const char* audit_epilogue =
    "Every output's probability is enclosed for every table, and every pair of neighbors compared; rho is\n"
    "certified for all Renyi orders. A mechanism of a release is audited by running the release itself with\n"
    "every draw in turn. In an audit, a release looks for granularity and heaps from 10 possible values on,\n"
    "counts from 5 quantiles on (from 3 where records heap), and its cells have two parts.\n"
    "\n"
    "Example\n"
    "  fractile audit --mechanism gumbel-max --records 4 --values 12 --epsilon 1\n"
    "\n"
    "Exit codes: 0 the claim is certified; 1 it is refuted; 2 wrong usage; 70 internal.\n";

constexpr VerbSpec audit_spec{
    "audit",
    "try to break a mechanism's promise: all small tables, exact probabilities",
    "fractile audit --mechanism NAME --epsilon E [options]",
    nullptr,
    audit_table,
    audit_epilogue,
};

constexpr OptionSpec experiment_folder("--out", output, "DIR", "", "What",
                                       "a new or empty folder for the tables and the figures (required)");
constexpr OptionSpec experiment_duckdb("--duckdb", owner, "PATH", "FRACTILE_DUCKDB, or where the system looks", "What",
                                       "the DuckDB library, libduckdb.so");
constexpr OptionSpec experiment_no_figures("--no-figures", output, "", "", "What", "only the tables");

constexpr std::array approximate_quantiles_table{
    OptionSpec{"--data", asker, "DIR", "", "What",
               "the folder of adult.csv and goodreads.csv; what is not there is left out"},
    experiment_folder,
    OptionSpec{"--sets", asker, "LIST", "all", "What",
               "uniform, gaussian, adult-age, adult-hours, goodreads-rating, goodreads-pages; the last four also with "
               "-declared after the name, for their granularity declared"},
    OptionSpec{"--mechanisms", asker, "LIST", "all, joint-total up to m = 50", "What",
               "approximate-as-published, approximate, joint, joint-total, joint-tree, independent, tree, auto, "
               "auto-without-interpolation, auto-uniform-base, tree-as-published (which is not private)"},
    OptionSpec{"--quantile-counts", asker, "LIST", "1,2,3,5,10,15,20,25,30,35,50,75,100,120", "What",
               "how many quantiles m, i/(m+1) each time"},
    OptionSpec{"--trials", asker, "T", "100", "What", "how many samples for each point of a curve"},
    OptionSpec{"--seed", asker, "N", "1", "What", "the same seed gives the same samples and releases"},
    experiment_duckdb,
    experiment_no_figures,
};

constexpr VerbSpec approximate_quantiles_spec{
    "reproduce approximate-quantiles",
    "errors and times of quantile mechanisms",
    "fractile reproduce approximate-quantiles --data DIR --out DIR [options]",
    nullptr,
    approximate_quantiles_table,
    "Measures errors and times of every mechanism as section 4 of approximate-quantiles 2021 does, for\n"
    "epsilon = 1 and rho = 1/2. NOT PRIVATE: an experiment on public files, with reproducible bits and\n"
    "true errors.\n"
    "\n"
    "Example\n"
    "  fractile reproduce approximate-quantiles --data data --out results --trials 20\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable folder, file or cell; 70 internal.\n",
};

constexpr std::array auto_robustness_table{
    OptionSpec{"--data", asker, "DIR", "", "What",
               "the folder of adult.csv and goodreads.csv; what is not there is left out"},
    experiment_folder,
    OptionSpec{"--populations", asker, "LIST", "all", "What",
               "lognormal, pareto, zeros, counts, two-point, narrow, tied, uniform, salaries, ages, hours, ratings, "
               "pages; the last four are files"},
    OptionSpec{"--rows", asker, "LIST", "20,50,100,400,1000,10000,100000", "What", "records of a table"},
    OptionSpec{"--epsilons", asker, "LIST", "0.01,0.1,1,10", "What", "the budgets, all pure"},
    OptionSpec{"--quantile-counts", asker, "LIST", "1,2,3,5,9,19,49,99", "What",
               "how many quantiles m, i/(m+1) each time"},
    OptionSpec{"--bounds-times", asker, "LIST", "1,10,1000", "What", "by what factor the bounds are too wide"},
    OptionSpec{"--trials", asker, "T", "40", "What", "how many tables for each combination"},
    OptionSpec{"--seed", asker, "N", "1", "What", "the same seed gives the same tables and releases"},
    experiment_duckdb,
};

constexpr VerbSpec auto_robustness_spec{
    "reproduce auto-robustness",
    "whether auto ever loses to a mechanism that could have been named",
    "fractile reproduce auto-robustness --data DIR --out DIR [options]",
    nullptr,
    auto_robustness_table,
    "Compares the errors of auto (with the right number of rows, without it, and with a number that is wrong\n"
    "by a factor of two) with those of the mechanisms that could have been named in its place, in every\n"
    "combination of the options' values. All combinations take hours. NOT PRIVATE: an experiment with\n"
    "reproducible bits and true errors.\n"
    "\n"
    "Example\n"
    "  fractile reproduce auto-robustness --out results --populations lognormal,zeros --rows 50,100\n"
    "    --epsilons 1 --quantile-counts 3,9\n"
    "\n"
    "Exit codes: 0 done, whether auto loses or not; 2 wrong usage; 3 unusable folder, file or cell;\n"
    "70 internal.\n",
};

constexpr std::array reproduce_intervals_table{
    experiment_folder,
    OptionSpec{"--laws", asker, "LIST", "all", "What",
               "lognormal, normal, uniform, zeros, gap, counts, two-points, quarter-at-an-end, ends, one-point"},
    OptionSpec{"--rows", asker, "LIST", "100,1000,10000", "What", "records of a table"},
    OptionSpec{"--epsilons", asker, "LIST", "0.1,1; none when only --rhos is given", "What", "the pure budgets"},
    OptionSpec{"--rhos", asker, "LIST", "none", "What", "the zCDP budgets"},
    OptionSpec{"--quantile-counts", asker, "LIST", "3", "What", "how many quantiles m, i/(m+1) each time"},
    OptionSpec{"--records-per-person", asker, "LIST", "1", "What",
               "the most records of one person; with the population, always 1"},
    OptionSpec{"--sample", asker, "N", "all", "What", "only N of the combinations, drawn at random"},
    OptionSpec{"--of", asker, "WHAT", "both", "What", "population or table: whose quantiles the intervals are to hold"},
    OptionSpec{"--level", asker, "LEVEL", "0.95", "What", "the level of each interval by itself"},
    OptionSpec{"--trials", asker, "T", "200", "What", "how many tables for each combination"},
    OptionSpec{"--seed", asker, "N", "1", "What", "the same seed gives the same tables and releases"},
    experiment_no_figures,
};

constexpr VerbSpec reproduce_intervals_spec{
    "reproduce intervals",
    "coverage and width of confidence intervals, compared with non-private ones",
    "fractile reproduce intervals --out DIR [options]",
    nullptr,
    reproduce_intervals_table,
    "Measures how often intervals hold their quantiles, how wide they are compared with non-private ones, by\n"
    "how many records the ends of intervals of the table are off, and how large the errors of the quantiles\n"
    "are compared with a release without intervals. The laws have atoms, gaps and mass at the ends of the\n"
    "range; every combination of the options' values is tried. NOT PRIVATE: an experiment with reproducible\n"
    "bits and true errors.\n"
    "\n"
    "Examples\n"
    "  fractile reproduce intervals --out results --laws lognormal,gap --rows 1000 --epsilons 1\n"
    "  fractile reproduce intervals --out grid --of table --quantile-counts 1,3,9,19\n"
    "    --epsilons 1/30,1/6,1 --records-per-person 1,5 --rows 200,1000,18000,130000 --sample 40\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable folder; 70 internal.\n",
};

constexpr std::array kronecker_utility_table{
    OptionSpec{"--data", asker, "DIR", "figure 4 is left out", "What", "the folder of compas_custody_status.csv"},
    experiment_folder,
    OptionSpec{"--points", asker, "P", "100", "What", "how many epsilons for each curve, 2 to 10000"},
    experiment_duckdb,
    experiment_no_figures,
};

constexpr VerbSpec kronecker_utility_spec{
    "reproduce kronecker-utility",
    "what pipelines are worth to an analyst",
    "fractile reproduce kronecker-utility --data DIR --out DIR [options]",
    nullptr,
    kronecker_utility_table,
    "Figures 3 and 4 of kronecker-utility 2023, the matrices of its sections 6 to 8 and appendices B to F\n"
    "in exact fractions, and what agrees with the paper and what does not. NOT PRIVATE: an experiment on\n"
    "a public histogram.\n"
    "\n"
    "Example\n"
    "  fractile reproduce kronecker-utility --data data --out results\n"
    "\n"
    "Exit codes: 0 done, whether all agrees or not; 2 wrong usage; 3 unusable folder or file;\n"
    "70 internal.\n",
};

constexpr std::array experiment_words{&approximate_quantiles_spec, &auto_robustness_spec, &reproduce_intervals_spec,
                                      &kronecker_utility_spec};

constexpr VerbSpec reproduce_spec{
    "reproduce",
    "run a paper's experiment again: tables and figures",
    "fractile reproduce EXPERIMENT --data DIR --out DIR [options]",
    nullptr,
    {},
    "fractile reproduce EXPERIMENT --help describes each.\n",
    experiment_words,
};

}  // namespace

const VerbSpec& audit_verb() { return audit_spec; }
const VerbSpec& reproduce_verb() { return reproduce_spec; }

}  // namespace fractile::requests
