// The options of the verbs that read records: release, count, columns, merge.
#include <array>

#include "requests/verbs/options.hpp"

namespace fractile::requests {
namespace {

constexpr std::array release_table{
    column_option,
    quantiles_option,
    quantiles_file_option,
    synthetic_rows_option,
    bounds_or_auto_option,
    step_option,
    OptionSpec{"--bounds-budget", asker, "SHARE", "0.1", "What",
               "with --bounds auto: the share of the budget that finds them"},
    candidates_option,
    candidates_file_option,
    by_option,
    keys_option,
    keys_file_option,
    weight_option,
    weight_bounds_option,
    weight_step_option,
    epsilon_option,
    rho_option,
    delta_option,
    neighbors_option,
    records_option,
    person_option,
    per_person_option,
    weight_stability_option,
    OptionSpec{"--public-rows", owner, "", "", "Privacy",
               "declare the number of rows of the table (with or without a number in them) public, and print it"},
    ledger_option,
    dataset_option,
    OptionSpec{"--again", asker, "", "", "Ledger", "pay again even if the ledger holds this very release"},
    OptionSpec{
        "--dry-run", asker, "", "", "Ledger",
        "say what it would cost and what would remain, and refuse what would be refused; nothing is charged, and no "
        "record is looked at"},
    source_option,
    mechanism_option,
    expected_rows_option,
    expected_weight_option,
    no_interpolation_option,
    base_option,
    rates_option,
    intervals_option,
    of_option,
    together_option,
    compare_option,
    count_option,
    below_option,
    mean_option,
    count_budget_option,
    null_option,
    missing_option,
    unreadable_option,
    OptionSpec{"--postgres", owner, "ADDRESS", "", "Input",
               "instead of FILE: a PostgreSQL database, postgres://USER@HOST/DATABASE; --sql reads one of its tables"},
    OptionSpec{"--counts", owner, "PATH", "", "Input",
               "instead of FILE: a profile file of fractile count or merge, which has its own column, bounds, persons "
               "and groups"},
    sql_option,
    sql_file_option,
    OptionSpec{
        "--sql-stability", owner, "N", "", "Input",
        "for any other query, a declaration that is not checked: one record more or less changes at most N rows of the "
        "result, such as 3 for a join in which a record matches at most 3 others (a row that changes counts as two "
        "under add-remove). The noise is that for N times as many records per person"},
    table_option,
    input_format_option,
    delimiter_option,
    single_line_option,
    decimal_option,
    thousands_option,
    encoding_option,
    duckdb_option,
    threads_option,
    memory_option,
    page_format,
    about_option,
    figures_option,
    public_option,
    guess_above_option,
    OptionSpec{"--receipt", output, "PATH", "", "Output",
               "write the release as JSON to a new file, durably, before it is printed"},
    seed_option,
};

constexpr const char* release_epilogue =
    "Example\n"
    "  fractile release people.csv --column income --bounds 0 500000 --step 1 \\\n"
    "      --quantiles 0.1,0.25,0.5,0.75,0.9 --epsilon 1 --receipt income.json\n"
    "\n"
    "Exit codes: 0 released; 2 wrong usage; 3 unusable file, table or cell; 4 the budget does not\n"
    "allow it; 5 unusable ledger; 70 internal; 130 stopped by Ctrl-C and 143 by SIGTERM after a\n"
    "ledger was charged.\n";

constexpr VerbSpec release_spec{
    "release",
    "publish quantiles of a column with differential privacy",
    "fractile release FILE --column NAME --bounds LO HI --step S --epsilon E [options]",
    "CSV, TSV, Parquet or JSON file (a key that a record lacks is NULL); - for standard input; a folder, a pattern "
    "'2024-*.csv' and several FILEs with the same columns are one table",
    release_table,
    release_epilogue,
    {},
    nullptr,
    nullptr,
    true,
    true,
};

constexpr OptionSpec output_option("--output", output, "PATH", "", "Output",
                                   "the new profile file (required), readable by its owner alone");

constexpr std::array count_table{
    column_option,
    bounds_option,
    step_option,
    candidates_option,
    candidates_file_option,
    by_option,
    keys_option,
    keys_file_option,
    weight_option,
    weight_bounds_option,
    weight_step_option,
    records_option,
    person_option,
    per_person_option,
    OptionSpec{"--source", owner, "NAME", "the path of FILE", "Input", "what the profile file calls the table"},
    null_option,
    missing_option,
    // No ledger pays for a count.
    OptionSpec{"--unreadable", owner, "POLICY", "error", "Input", unreadable_option.help},
    sql_option,
    sql_file_option,
    table_option,
    input_format_option,
    delimiter_option,
    single_line_option,
    decimal_option,
    thousands_option,
    encoding_option,
    duckdb_option,
    threads_option,
    memory_option,
    output_option,
    seed_option,
};

constexpr VerbSpec count_spec{
    "count",
    "count a column, to be released elsewhere or merged: the result is as sensitive as the data",
    "fractile count FILE --column NAME --bounds LO HI --step S --output PROFILE [options]",
    "CSV, TSV, Parquet or JSON file; - for standard input; a folder, a pattern '2024-*.csv' and several FILEs with the "
    "same columns are one table",
    count_table,
    "Nothing is published and nothing is charged: fractile release --counts PROFILE does both.\n"
    "\n"
    "Example\n"
    "  fractile count north.csv --column income --bounds 0 500000 --step 1 --output north.profile\n"
    "\n"
    "Exit codes: 0 counted; 2 wrong usage; 3 unusable file, table or cell; 70 internal.\n",
    {},
    nullptr,
    nullptr,
    true,
    true,
};

constexpr std::array columns_table{
    OptionSpec{
        "--check", owner, "", "", "What",
        "read all records, and count in each column what is missing and what cannot be read, with the first rows"},
    OptionSpec{"--missing", owner, "LIST", "", "Input",
               "with --check: what counts as missing: NA,.,-9 (numbers by value, texts exactly)"},
    sql_option,
    OptionSpec{"--sql-stability", owner, "N", "", "Input",
               "as for a release: one record more or less changes at most N rows of the result of a query that is not "
               "found to be row-wise"},
    table_option,
    input_format_option,
    delimiter_option,
    single_line_option,
    decimal_option,
    thousands_option,
    encoding_option,
    duckdb_option,
    memory_option,
    OptionSpec{"--ledger", owner, "PATH", "", "Input", "refused: no ledger pays for what this verb shows"},
    data_format,
};

constexpr VerbSpec columns_spec{
    "columns",
    "what columns a table has and, for its owner's eyes, what cannot be read in them",
    "fractile columns FILE [--check] [options]",
    "CSV, TSV, Parquet or JSON file; - for standard input; a folder, a pattern '2024-*.csv' and several FILEs with the "
    "same columns are one table",
    columns_table,
    "--check is NOT PRIVATE: it counts cells exactly. It is for the data's owner, before anything is paid\n"
    "for: a decimal comma or a code for missing values shows here. The cells of a column are read as what\n"
    "most of them can be, numbers, dates or times, or times in UTC; what is neither that nor missing is\n"
    "unreadable, and counts as missing in a release that a ledger pays for. Rows count from 1, without\n"
    "the header line; with several files, they count in each file, b.csv:3. In the result of a query and\n"
    "in JSON files, rows are numbered consecutively, in the order of the files.\n"
    "\n"
    "Examples\n"
    "  fractile columns people.csv\n"
    "  fractile columns people.csv --check --missing NA,-9\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable file, table or text; 70 internal.\n",
    {},
    nullptr,
    nullptr,
    true,
    true,
};

constexpr std::array merge_table{
    OptionSpec{"--disjoint-persons", owner, "", "", "Privacy",
               "declare that no person is in two of the files; without it their bounds of records per person add up"},
    OptionSpec{"--allow-equal-files", owner, "", "", "Input",
               "add files of equal contents, too, as different records that happen to count alike; without it they are "
               "refused, as the same count named twice"},
    output_option,
};

constexpr VerbSpec merge_spec{
    "merge",
    "add up profile files that were counted in the same way: the result is as sensitive as the data",
    "fractile merge FILE FILE ... --output PROFILE [options]",
    "profile files of fractile count or merge, in any order",
    merge_table,
    "Example\n"
    "  fractile merge north.profile south.profile --output all.profile --disjoint-persons\n"
    "  fractile release --counts all.profile --epsilon 1\n"
    "\n"
    "Exit codes: 0 merged; 2 wrong usage; 3 unusable file; 70 internal.\n",
    {},
    nullptr,
    nullptr,
    true,
};

}  // namespace

const VerbSpec& release_verb() { return release_spec; }
const VerbSpec& count_verb() { return count_spec; }
const VerbSpec& columns_verb() { return columns_spec; }
const VerbSpec& merge_verb() { return merge_spec; }

}  // namespace fractile::requests
