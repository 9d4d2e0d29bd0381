#include "options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string_view>

namespace fractile::cli {
namespace {

// Of release and of plan.
constexpr OptionSpec quantiles_option{
    "--quantiles", "LIST", "quartiles", "What",
    "fractions such as 0.1,1/2,0.9, or median, quartiles, quintiles, deciles, percentiles"};
constexpr OptionSpec synthetic_rows_option{
    "--synthetic-rows", "N", "", "What",
    "instead of --quantiles: N rows distributed like the column, the quantiles 1/N, 2/N, ..., 1"};
constexpr OptionSpec bounds_option{"--bounds", "LO HI", "", "What",
                                   "the smallest and largest possible value, public knowledge, not read from the data"};
constexpr OptionSpec bounds_or_auto_option{
    "--bounds", "LO HI", "", "What",
    "the smallest and largest possible value, public knowledge; or auto, to pay for finding them"};
constexpr OptionSpec step_option{"--step", "S", "", "What",
                                 "the distance between possible values: 1 for whole numbers, 0.01 for cents"};
constexpr OptionSpec candidates_option{"--candidates", "LIST", "", "What",
                                       "instead of --bounds and --step: the possible outputs, increasing"};
constexpr OptionSpec epsilon_option{"--epsilon", "E", "", "Privacy",
                                    "pure differential privacy: 1, 0.5, 1/3, \"ln 3\""};
constexpr OptionSpec rho_option{"--rho", "R", "", "Privacy", "or zero-concentrated differential privacy: 1/2, 0.1"};
constexpr OptionSpec delta_option{"--delta", "D", "", "Privacy",
                                  "with --epsilon and independent: approximate differential privacy, 1e-6"};
constexpr OptionSpec neighbors_option{"--neighbors", "RELATION", "add-remove", "Privacy",
                                      "add-remove (one record more or less) or change-one (one record replaced)"};
constexpr OptionSpec records_option{"--records-per-person", "D", "1", "Privacy",
                                    "no person has more than D records in the table"};
constexpr OptionSpec mechanism_option{
    "--mechanism", "NAME", "auto", "Mechanism",
    "auto, exponential (one quantile), approximate, joint, joint-total, joint-tree, independent or tree"};
constexpr OptionSpec expected_rows_option{
    "--expected-rows", "N", "", "Mechanism",
    "about how many rows there are (in a group), as is publicly known: auto may then interpolate some quantiles"};
constexpr OptionSpec no_interpolation_option{"--no-interpolation", "", "", "Mechanism", "auto selects every quantile"};
constexpr OptionSpec base_option{
    "--base", "BASE", "adaptive for auto, joint-total and joint-tree, else uniform", "Mechanism",
    "adaptive: prefer round numbers if the records lie on them, and the filled part of the range"};
constexpr OptionSpec rates_option{"--rates", "RATES", "tight", "Mechanism",
                                  "tight, or as-published (the noisier ones of the paper on approximate)"};
constexpr OptionSpec data_format{"--format", "FORMAT", "table on a terminal, csv in a pipe", "Output",
                                 "table, json or csv"};

constexpr std::array release_table{
    OptionSpec{"--column", "NAME", "", "What", "the column to publish quantiles of (required)"},
    quantiles_option,
    synthetic_rows_option,
    bounds_or_auto_option,
    step_option,
    OptionSpec{"--bounds-budget", "SHARE", "0.1", "What",
               "with --bounds auto: the share of the budget that finds them"},
    candidates_option,
    OptionSpec{"--by", "NAME", "", "What", "publish each group of records: those with equal text in this column"},
    OptionSpec{"--keys", "LIST", "", "What",
               "with --by: that text for every group, public knowledge; records with another one are left out"},
    OptionSpec{"--keys-file", "PATH", "", "What", "instead of --keys: a file with a key a line, for commas and quotes"},
    epsilon_option,
    rho_option,
    delta_option,
    neighbors_option,
    records_option,
    OptionSpec{"--person", "NAME", "", "Privacy",
               "the column that tells whose a record is: at most D of each person's, chosen at random, then count"},
    OptionSpec{"--public-rows", "", "", "Privacy",
               "declare the number of records (those with a number) public and print it"},
    OptionSpec{"--ledger", "PATH", "", "Ledger",
               "pay from a budget, before rows are read; fractile ledger init makes such a file"},
    OptionSpec{"--dataset", "NAME", "the ledger's only one", "Ledger", "whose budget"},
    OptionSpec{"--again", "", "", "Ledger", "pay anew even if the ledger holds this very release"},
    mechanism_option,
    expected_rows_option,
    no_interpolation_option,
    base_option,
    rates_option,
    OptionSpec{"--null", "POLICY", "drop", "Input", "records that are NULL, empty or NaN: drop them, or error"},
    OptionSpec{
        "--sql", "QUERY", "", "Input",
        "read the result of a query; FILE is the table `input`. Each row must come from one person's records alone"},
    OptionSpec{"--input-format", "FORMAT", "by the file's name", "Input", "csv, tsv, parquet or json"},
    OptionSpec{"--delimiter", "CHAR", "found in the header line", "Input", "what separates the cells of a CSV file"},
    OptionSpec{"--duckdb", "PATH", "FRACTILE_DUCKDB, or where the system looks", "Input",
               "the DuckDB library, libduckdb.so"},
    data_format,
    OptionSpec{"--receipt", "PATH", "", "Output",
               "write the release as JSON to a new file, durably, before it is printed"},
    OptionSpec{"--unsafe-seed", "N", "", "Output", "reproducible and NOT PRIVATE: for tests and lessons only"},
};

constexpr const char* release_epilogue =
    "Example\n"
    "  fractile release people.csv --column income --bounds 0 500000 --step 1 \\\n"
    "      --quantiles 0.1,0.25,0.5,0.75,0.9 --epsilon 1 --receipt income.json\n"
    "\n"
    "Exit codes: 0 released; 2 wrong usage; 3 unusable file, table or cell; 4 the budget does not\n"
    "allow it; 5 unusable ledger; 70 internal.\n";

constexpr VerbSpec release_spec{
    "release",
    "publish quantiles of a column with differential privacy",
    "fractile release FILE --column NAME --bounds LO HI --step S --epsilon E [options]",
    "CSV, TSV, Parquet or JSON file; - for standard input",
    release_table,
    release_epilogue,
};

constexpr std::array plan_table{
    quantiles_option,
    synthetic_rows_option,
    bounds_option,
    step_option,
    candidates_option,
    epsilon_option,
    rho_option,
    delta_option,
    neighbors_option,
    records_option,
    OptionSpec{"--rank-error", "R", "", "Worth",
               "in place of --epsilon: the smallest one by which no quantile misses by more than R records"},
    OptionSpec{"--percentile-error", "P", "", "Worth",
               "the same with P percent of --expected-rows in place of R records"},
    OptionSpec{"--solve-for", "BUDGET", "epsilon", "Worth", "with either of them: epsilon, or rho"},
    OptionSpec{"--confidence", "C", "0.95", "Worth", "worst cases hold with this probability, whatever the table"},
    OptionSpec{"--shape", "SHAPE", "normal", "Worth",
               "of the public table that typical errors are those of: uniform, normal or log-normal"},
    mechanism_option,
    expected_rows_option,
    no_interpolation_option,
    base_option,
    rates_option,
    data_format,
};

constexpr const char* plan_epilogue =
    "No table is read and nothing is spent. A quantile's rank error is the number of records by which the\n"
    "published value misses it.\n"
    "\n"
    "Examples\n"
    "  fractile plan --bounds 0 500000 --step 1 --epsilon 1 --expected-rows 50000\n"
    "  fractile plan --bounds 0 500000 --step 1 --rank-error 100 --expected-rows 50000\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 70 internal.\n";

constexpr VerbSpec plan_spec{
    "plan",
    "before a release: what it will cost, and how wrong it may be",
    "fractile plan --bounds LO HI --step S --epsilon E [options]",
    nullptr,
    plan_table,
    plan_epilogue,
};

constexpr std::array explain_table{
    OptionSpec{"--format", "FORMAT", "text", "Output", "text or markdown"},
};

constexpr VerbSpec explain_spec{
    "explain",
    "a receipt in plain language: what was published, and what is promised",
    "fractile explain RECEIPT [--format markdown]",
    "the receipt that fractile release --receipt has written; - for standard input",
    explain_table,
    "A receipt that was changed since it was written is refused.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable receipt; 70 internal.\n",
};

constexpr const char* ledger_file = "the ledger, a file such as budget.db; see docs/ledger.md";
constexpr const char* ledger_epilogue =
    "Exit codes: 0 done; 2 wrong usage; 3 unwritable output; 5 unusable ledger; 70 internal.\n";

constexpr std::array ledger_init_table{
    OptionSpec{"--dataset", "NAME", "", "What", "what shares the budget: a table of people, or several (required)"},
    OptionSpec{"--unit", "TEXT", "person", "What", "whose records are protected together, in words"},
    OptionSpec{"--epsilon", "E", "", "Budget", "pure differential privacy: 1, 0.5, 1/3, \"ln 3\""},
    OptionSpec{"--rho", "R", "", "Budget",
               "or zero-concentrated: 1/2, 0.1; takes costs in epsilon too, at the tight conversion"},
    OptionSpec{"--delta", "D", "", "Budget", "with --epsilon: approximate, 1e-6; takes costs in epsilon alone, too"},
    OptionSpec{"--neighbors", "RELATION", "add-remove", "Budget",
               "add-remove (one record more or less) or change-one (one record replaced)"},
};

constexpr VerbSpec ledger_init_spec{
    "ledger init",
    "make a ledger, or add a dataset to one",
    "fractile ledger init FILE --dataset NAME --epsilon E [options]",
    ledger_file,
    ledger_init_table,
    "A dataset's budget never changes.\n"
    "\n"
    "Example\n"
    "  fractile ledger init budget.db --dataset people --epsilon 1\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unwritable output; 5 unusable ledger; 70 internal.\n",
};

constexpr std::array ledger_show_table{
    OptionSpec{"--dataset", "NAME", "all", "What", "only this one"},
    data_format,
};

constexpr VerbSpec ledger_show_spec{
    "ledger show",
    "budgets, what was spent of them, and for what",
    "fractile ledger show FILE [--dataset NAME] [--format FORMAT]",
    ledger_file,
    ledger_show_table,
    ledger_epilogue,
};

constexpr std::array ledger_verify_table{
    OptionSpec{"--head", "HASH", "", "What", "the hash that verify once printed: nothing up to there is missing"},
};

constexpr VerbSpec ledger_verify_spec{
    "ledger verify",
    "recompute every hash and every sum",
    "fractile ledger verify FILE [--head HASH]",
    ledger_file,
    ledger_verify_table,
    "Exit codes: 0 the ledger is whole; 2 wrong usage; 3 unwritable output; 5 it is not; 70 internal.\n",
};

constexpr std::array ledger_export_table{
    OptionSpec{"--format", "FORMAT", "json", "Output", "json (all that there is) or csv (a line an entry)"},
};

constexpr VerbSpec ledger_export_spec{
    "ledger export",
    "all that the ledger holds, in the order in which it happened",
    "fractile ledger export FILE [--format FORMAT]",
    ledger_file,
    ledger_export_table,
    ledger_epilogue,
};

constexpr std::array ledger_void_table{
    OptionSpec{"--entry", "ID", "", "What", "a reserved entry, as show lists it (required)"},
    OptionSpec{"--reason", "TEXT", "", "What", "why it is sure that nothing was published (required)"},
};

constexpr VerbSpec ledger_void_spec{
    "ledger void",
    "give back what a release reserved that was never published",
    "fractile ledger void FILE --entry ID --reason TEXT",
    ledger_file,
    ledger_void_table,
    "Whoever saw the release's output or its receipt knows it: then it counts, and must stay.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unwritable output; 5 unusable ledger; 70 internal.\n",
};

constexpr std::array ledger_words{&ledger_init_spec, &ledger_show_spec, &ledger_verify_spec, &ledger_export_spec,
                                  &ledger_void_spec};

constexpr VerbSpec ledger_spec{
    "ledger",
    "privacy budgets: what may be spent on a dataset, and what was",
    "fractile ledger init FILE --dataset NAME --epsilon E",
    nullptr,
    {},
    "fractile release --ledger FILE pays from it.\n",
    ledger_words,
};

constexpr std::array audit_table{
    OptionSpec{"--mechanism", "NAME", "", "What",
               "exponential, approximate, joint, joint-total, joint-tree, independent, gumbel-max or permute-and-flip "
               "(required)"},
    OptionSpec{"--records", "N", "4", "What", "tables of at most so many records, 1 to 6"},
    OptionSpec{"--values", "K", "4", "What", "of so many possible values, 1 to 12"},
    OptionSpec{"--quantiles", "LIST", "the median; of several quantiles two to five", "What",
               "what the mechanism is asked for"},
    OptionSpec{"--epsilon", "E", "", "Claim", "pure differential privacy: 1, 0.5, 1/3, \"ln 3\""},
    OptionSpec{"--rho", "R", "", "Claim", "or zero-concentrated differential privacy (mechanisms of a release)"},
    OptionSpec{"--claim", "C", "that epsilon or rho", "Claim",
               "certify or refute another one than the mechanism is made for"},
    OptionSpec{"--neighbors", "RELATION", "add-remove", "Claim",
               "add-remove (one record more or less) or change-one (one record replaced)"},
    OptionSpec{"--format", "FORMAT", "table", "Output", "table or json"},
};

constexpr const char* audit_epilogue =
    "Every output's probability is enclosed for every table, and every pair of neighbours compared.\n"
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

constexpr OptionSpec experiment_folder{"--out", "DIR", "", "What",
                                       "the folder for the tables and the figures (required); older ones are replaced"};
constexpr OptionSpec experiment_duckdb{"--duckdb", "PATH", "FRACTILE_DUCKDB, or where the system looks", "What",
                                       "the DuckDB library, libduckdb.so"};
constexpr OptionSpec experiment_no_figures{"--no-figures", "", "", "What", "only the tables; figures need gnuplot"};

constexpr std::array approximate_quantiles_table{
    OptionSpec{"--data", "DIR", "", "What", "the folder of adult.csv and goodreads.csv; what is not there is left out"},
    experiment_folder,
    OptionSpec{"--sets", "LIST", "all", "What",
               "uniform, gaussian, adult-age, adult-hours, goodreads-rating, goodreads-pages; the last four also with "
               "-declared after the name, for their granularity declared"},
    OptionSpec{"--mechanisms", "LIST", "all, joint-total up to m = 50", "What",
               "approximate-as-published, approximate, joint, joint-total, joint-tree, independent, tree, auto, "
               "auto-without-interpolation, tree-as-published (which is not private)"},
    OptionSpec{"--quantile-counts", "LIST", "1,2,3,5,10,15,20,25,30,35,50,75,100,120", "What",
               "how many quantiles m, i/(m+1) each time"},
    OptionSpec{"--trials", "T", "100", "What", "how many samples for each point of a curve"},
    OptionSpec{"--seed", "N", "1", "What", "the same seed gives the same samples and releases"},
    experiment_duckdb,
    experiment_no_figures,
};

constexpr VerbSpec approximate_quantiles_spec{
    "reproduce approximate-quantiles",
    "errors and times of quantile mechanisms",
    "fractile reproduce approximate-quantiles --data DIR --out DIR [options]",
    nullptr,
    approximate_quantiles_table,
    "Errors and times of every mechanism, as section 4 of approximate-quantiles 2021 measures them, for\n"
    "epsilon = 1 and rho = 1/2. NOT PRIVATE: an experiment on public files, with reproducible bits and\n"
    "true errors.\n"
    "\n"
    "Example\n"
    "  fractile reproduce approximate-quantiles --data data --out results --trials 20\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable folder, file or cell; 70 internal.\n",
};

constexpr std::array kronecker_utility_table{
    OptionSpec{"--data", "DIR", "figure 4 is left out", "What", "the folder of compas_custody_status.csv"},
    experiment_folder,
    OptionSpec{"--points", "P", "100", "What", "how many epsilons for each curve, 2 to 10000"},
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

constexpr std::array experiment_words{&approximate_quantiles_spec, &kronecker_utility_spec};

constexpr VerbSpec reproduce_spec{
    "reproduce",
    "run a paper's experiment again: tables and figures",
    "fractile reproduce EXPERIMENT --data DIR --out DIR [options]",
    nullptr,
    {},
    "fractile reproduce EXPERIMENT --help tells of each.\n",
    experiment_words,
};

constexpr const char* toml_file = "TOML file that describes a pipeline; fractile flow --help shows one";
constexpr OptionSpec flow_format{"--format", "FORMAT", "table", "Output", "table, json or csv"};

constexpr OptionSpec flow_duckdb{"--duckdb", "PATH", "FRACTILE_DUCKDB, or where the system looks", "Input",
                                 "the DuckDB library, libduckdb.so, for known = { histogram = \"codes.csv\" }"};

constexpr std::array flow_check_table{
    OptionSpec{"--from", "E", "", "What",
               "with --to: is this epsilon worth at least as much to every analyst? \"ln 3\""},
    OptionSpec{"--to", "E", "", "What", R"(as that one? Verdicts are exact, and want logarithms: "ln 2", "ln 3.5")"},
    OptionSpec{
        "--epsilon", "LO..HI", "", "What",
        "or a range: is the pipeline stable, so that less epsilon never helps an analyst? \"ln 2..ln 3\", 0.5..2"},
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_check_spec{
    "flow check",
    "is one epsilon worth more than another to every analyst?",
    "fractile flow check FILE --epsilon LO..HI [options]",
    toml_file,
    flow_check_table,
    "With --epsilon and an [analyst] in FILE, also where more epsilon costs that analyst.\n"
    "\n"
    "Examples\n"
    "  fractile flow check survey.toml --from \"ln 3\" --to \"ln 2\"\n"
    "  fractile flow check survey.toml --epsilon 0.1..10\n"
    "\n"
    "Exit codes: 0 it refines, or is stable; 1 it does not, or that is undecided; 2 wrong usage;\n"
    "3 unusable file; 70 internal.\n",
};

constexpr std::array flow_utility_table{
    OptionSpec{"--epsilon", "E", "", "What", "at this epsilon (required): 0.5, \"ln 3.5\"; exact for logarithms"},
    flow_duckdb,
    flow_format,
};

constexpr const char* flow_epilogue = "Exit codes: 0 done; 2 wrong usage; 3 unusable file; 70 internal.\n";

constexpr VerbSpec flow_utility_spec{
    "flow utility",
    "the expected loss of the file's analyst",
    "fractile flow utility FILE --epsilon E [--format FORMAT]",
    toml_file,
    flow_utility_table,
    flow_epilogue,
};

constexpr std::array flow_sweep_table{
    OptionSpec{"--epsilon", "LO..HI", "", "What",
               "over this range (required): 0.1..10; between logarithms, exp(epsilon) has equal steps"},
    OptionSpec{"--points", "N", "200", "What", "how many points, 2 to 100000"},
    flow_duckdb,
    data_format,
};

constexpr VerbSpec flow_sweep_spec{
    "flow sweep",
    "the expected loss of the file's analyst against epsilon, and where it rises",
    "fractile flow sweep FILE --epsilon LO..HI [--points N] [--format FORMAT]",
    toml_file,
    flow_sweep_table,
    flow_epilogue,
};

constexpr std::array flow_channel_table{
    OptionSpec{"--epsilon", "E", "", "What", "at this epsilon (required), a logarithm: \"ln 3\""},
    flow_duckdb,
    data_format,
};

constexpr VerbSpec flow_channel_spec{
    "flow channel",
    "the probability of every observation under every secret",
    "fractile flow channel FILE --epsilon E [--format FORMAT]",
    toml_file,
    flow_channel_table,
    flow_epilogue,
};

constexpr std::array flow_words{&flow_check_spec, &flow_utility_spec, &flow_sweep_spec, &flow_channel_spec};

constexpr VerbSpec flow_spec{
    "flow",
    "what a release is worth to an analyst, and whether less epsilon can be worth more",
    "fractile flow check FILE --epsilon LO..HI",
    nullptr,
    {},
    "Such a file\n"
    "  [pipeline]\n"
    "  participants = 4\n"
    "  values = [0, 1, 2]         # what each may have; fractions in quotes, \"1/2\"\n"
    "  perturber = \"geometric\"    # or \"randomized-response\", or { matrix = [[\"3/4\", \"1/4\"], ...] }\n"
    "  # or, for participants, values and perturber together, a curator's release: { release =\n"
    "  # \"exponential\", quantile = \"1/2\", records = 3, lattice = [0, 1, 2, 3] }; also gumbel-max, or\n"
    "  # approximate with quantiles = [...]; neighbors = \"add-remove\" or \"change-one\"\n"
    "  # or \"sum\", \"mode\", \"identity\", { round = 2 }, or an output a tuple of values, { table = [...] }\n"
    "  post = { query = \"count\", of = [0, 2] }\n"
    "  secret = \"target\"          # or \"everyone\", which is usual, or \"histogram\"\n"
    "  # the other participants' values, where one is the target; or how many people have each value, the\n"
    "  # target among them or not, { histogram = [1, 2, 0] }, { histogram = \"codes.csv\" } (code,count)\n"
    "  known = [0, 1, 1]\n"
    "\n"
    "  [analyst]                  # for utility and sweep, and for more of check --epsilon\n"
    "  # or \"frequencies\" (of the known others), or [\"1/2\", \"1/4\", \"1/4\"], in the order of flow channel\n"
    "  prior = \"uniform\"\n"
    "  # or \"squared-error\", \"bayes-risk\", \"argmax-accuracy\", or a matrix, a row a secret\n"
    "  loss = \"linear-error\"\n"
    "  scale = 1000               # all losses times this\n"
    "\n"
    "Ready-made ones are in examples/flow/.\n",
    flow_words,
};

// --- Help ------------------------------------------------------------------------------------------------------------

constexpr std::size_t help_width = 100;
constexpr std::size_t word_indent = 13;  // of what is said of a verb, at least

/// `text` broken at spaces into lines of at most help_width columns, all but the first indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (column > indent && column + 1 + word.size() > help_width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) result += ' ';
    column += word.size() + (column > indent ? 1 : 0);
    result += word;
    begin = end + 1;
  }
  return result + "\n";
}

struct HelpLine {
  std::string left;
  std::string right;
};

std::string help_lines(const std::vector<HelpLine>& lines, std::size_t indent) {
  std::string text;
  for (const HelpLine& line : lines)
    text += fmt::format("  {:<{}}", line.left, indent - 2) + wrapped(line.right, indent);
  return text;
}

std::string synopsis(const OptionSpec& spec) {
  return *spec.argument == '\0' ? spec.name : std::string(spec.name) + " " + spec.argument;
}

HelpLine help_line(const OptionSpec& spec) {
  const std::string fallback = *spec.fallback == '\0' ? "" : std::string(" [") + spec.fallback + "]";
  return {synopsis(spec), spec.help + fallback};
}

/// "check" of "flow check".
std::string last_word(const VerbSpec& verb) {
  const std::string name = verb.name;
  return name.substr(name.rfind(' ') + 1);
}

/// Of what is said of these words.
std::size_t help_indent(std::span<const VerbSpec* const> words) {
  std::size_t indent = word_indent;
  for (const VerbSpec* const word : words) indent = std::max(indent, last_word(*word).size() + 4);
  return indent;
}

std::size_t help_indent(std::span<const OptionSpec> options) {
  std::size_t widest = 0;
  for (const OptionSpec& spec : options) widest = std::max(widest, synopsis(spec).size());
  return widest + 4;
}

// --- Parsing ---------------------------------------------------------------------------------------------------------

/// The word that was typed after a verb; nullptr when there is none.
const VerbSpec* typed_word(const CLI::App& app, const VerbSpec& verb) {
  const auto word =
      std::ranges::find_if(verb.words, [&](const VerbSpec* w) { return app.got_subcommand(last_word(*w)); });
  return word == verb.words.end() ? nullptr : *word;
}

std::string help_hint(const VerbSpec& verb) { return std::string("see fractile ") + verb.name + " --help"; }

/// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// A negative number is no option.
bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && std::isdigit(static_cast<unsigned char>(argument[1])) == 0;
}

[[noreturn]] void refuse_option(const std::string& argument, const VerbSpec& verb) {
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> names{"--help"};
  for (const OptionSpec& spec : verb.options) names.emplace_back(spec.name);
  const std::string nearest = nearest_word(name, names);
  usage("unknown option " + name, nearest.empty() ? help_hint(verb) : "did you mean " + nearest + "?");
}

void refuse_extras(const CLI::App& app, const VerbSpec& verb) {
  std::vector<std::string> extras = app.remaining();
  std::erase(extras, "--");
  const auto option = std::ranges::find_if(extras, looks_like_option);
  if (option != extras.end()) refuse_option(*option, verb);
  if (!extras.empty()) {
    usage("unexpected argument '" + extras.front() + "'",
          verb.file == nullptr
              ? help_hint(verb)
              : "name one FILE; write lists with commas, 0.1,0.5, and put quotes around spaces, \"ln 3\"");
  }
}

/// `complaint` is the parser's own, about this option.
Error wrong_values(const OptionSpec& spec, std::string_view complaint) {
  const std::string name = spec.name;
  const std::string hint = "write " + synopsis(spec);
  if (spec.values() == 0) return {ErrorCode::usage, name + " takes no value", hint};
  if (complaint.find("At Most") != std::string_view::npos) {
    return {ErrorCode::usage, name + " is given more than once", hint + ", once"};
  }
  return {ErrorCode::usage, name + (spec.values() == 1 ? " needs a value" : " needs two values, a space between them"),
          hint};
}

}  // namespace

std::size_t OptionSpec::values() const {
  const std::string_view words = argument;
  return words.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(words, ' ')) + 1;
}

const VerbSpec& release_verb() { return release_spec; }
const VerbSpec& plan_verb() { return plan_spec; }
const VerbSpec& explain_verb() { return explain_spec; }
const VerbSpec& audit_verb() { return audit_spec; }
const VerbSpec& flow_verb() { return flow_spec; }
const VerbSpec& ledger_verb() { return ledger_spec; }
const VerbSpec& reproduce_verb() { return reproduce_spec; }

CLI::App& add_verb(CLI::App& app, const VerbSpec& verb) {
  CLI::App& added = *app.add_subcommand(last_word(verb), verb.summary);
  added.allow_extras();
  added.require_subcommand(0, 1);
  for (const VerbSpec* const word : verb.words) add_verb(added, *word);
  added.formatter_fn([&verb](const CLI::App*, const std::string&, CLI::AppFormatMode) { return help_of(verb); });
  if (verb.file != nullptr) added.add_option("FILE");
  for (const OptionSpec& spec : verb.options) {
    if (spec.values() == 0) {
      added.add_flag(spec.name)->disable_flag_override();
    } else {
      added.add_option(spec.name)->expected(static_cast<int>(spec.values()))->type_name(spec.argument);
    }
  }
  return added;
}

Typed typed_of(const CLI::App& app, const VerbSpec& verb) {
  if (!verb.words.empty()) {
    require_verb(app, verb.words, verb.name);
    const VerbSpec& word = *typed_word(app, verb);
    Typed typed = typed_of(*app.get_subcommand(last_word(word)), word);
    typed.word = last_word(word);
    return typed;
  }
  refuse_extras(app, verb);
  Typed typed;
  if (verb.file != nullptr && app.get_option("FILE")->count() > 0)
    typed.file = app.get_option("FILE")->results().front();
  for (const OptionSpec& spec : verb.options) {
    const CLI::Option& option = *app.get_option(spec.name);
    if (option.count() == 0) continue;
    const std::vector<std::string>& values = typed.values[spec.name] = option.results();
    if (std::ranges::count(values, "") != 0) usage(std::string(spec.name) + " is empty", "write " + synopsis(spec));
  }
  return typed;
}

Error worded(const CLI::ParseError& complaint, const CLI::App& app, const VerbSpec& verb) {
  if (const VerbSpec* const word = typed_word(app, verb)) {
    return worded(complaint, *app.get_subcommand(last_word(*word)), *word);
  }
  const std::string_view text = complaint.what();
  const std::string_view name = text.substr(0, text.find_first_of(": "));
  const auto spec = std::ranges::find_if(verb.options, [&](const OptionSpec& option) {
    return name == option.name || name == option.name + 2;  // of flags it leaves out the dashes
  });
  if (spec != verb.options.end()) return wrong_values(*spec, text);
  return {ErrorCode::usage, complaint.what(), help_hint(verb)};
}

void require_verb(const CLI::App& app, std::span<const VerbSpec* const> verbs, const std::string& after) {
  const std::vector<std::string> before = app.remaining();
  if (before.empty() && !app.get_subcommands().empty()) return;
  const std::string first_usage = std::string("write for example ") + verbs.front()->usage;
  const std::string prefix = after.empty() ? "" : after + " ";
  if (before.empty()) usage(after.empty() ? "no verb is named" : "nothing is named after " + after, first_usage);
  if (looks_like_option(before.front()))
    usage("the option " + before.front() + " stands where a verb should", first_usage);
  std::vector<std::string> names;
  for (const VerbSpec* const verb : verbs) names.push_back(last_word(*verb));
  const std::string nearest = nearest_word(before.front(), names);
  usage("unknown verb '" + prefix + before.front() + "'",
        nearest.empty() ? first_usage : "did you mean fractile " + prefix + nearest + "?");
}

std::string help_of(const VerbSpec& verb) {
  const std::size_t indent = help_indent(verb.options);
  std::string text = fmt::format("fractile {}: {}\n\n  {}\n\n", verb.name, verb.summary, verb.usage);
  if (verb.file != nullptr) text += help_lines({{"FILE", verb.file}}, indent) + "\n";
  for (const VerbSpec* const word : verb.words)
    text += help_lines({{last_word(*word), word->summary}}, help_indent(verb.words));
  std::string group;
  for (const OptionSpec& spec : verb.options) {
    if (group != spec.group) text += (group.empty() ? "" : "\n") + std::string(spec.group) + "\n";
    group = spec.group;
    text += help_lines({help_line(spec)}, indent);
  }
  return text + "\n" + verb.epilogue;
}

std::string help_of(std::span<const VerbSpec* const> verbs) {
  std::vector<HelpLine> lines;
  for (const VerbSpec* const verb : verbs) lines.push_back({verb->name, verb->summary});
  lines.push_back({"--help", "this text; after a verb, what the verb can do"});
  lines.push_back({"--version", "the version of this program"});
  return "Fractile publishes quantiles of sensitive data with exact differential privacy.\n\n"
         "  fractile VERB [FILE] [options]\n\n" +
         help_lines(lines, word_indent) + fmt::format("\nFor example {}\n", verbs.front()->usage);
}

void usage(const std::string& what, const std::string& hint) { throw Error(ErrorCode::usage, what, hint); }

std::string nearest_word(const std::string& typed, const std::vector<std::string>& words) {
  const auto distance = [&](const std::string& word) {
    return typed.size() > 2 && word.starts_with(typed) ? 0 : edit_distance(typed, word);
  };
  const auto nearest = std::ranges::min_element(words, {}, distance);
  if (nearest == words.end() || distance(*nearest) > std::max<std::size_t>(1, typed.size() / 3)) return {};
  return *nearest;
}

}  // namespace fractile::cli
