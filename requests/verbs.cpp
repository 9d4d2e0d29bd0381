// What can be typed: one table a verb.
#include <array>

#include "requests/typed.hpp"

namespace fractile::requests {
namespace {

using enum OptionClass;

// Of release and of plan.
constexpr OptionSpec quantiles_option{
    "--quantiles", asker,  "LIST",
    "quartiles",   "What", "fractions such as 0.1,1/2,0.9, or median, quartiles, quintiles, deciles, percentiles"};
constexpr OptionSpec synthetic_rows_option{
    "--synthetic-rows",
    asker,
    "N",
    "",
    "What",
    "instead of --quantiles: N rows distributed like the column, the quantiles 1/N, 2/N, ..., 1"};
constexpr OptionSpec bounds_option{
    "--bounds",
    asker,
    "LO HI",
    "",
    "What",
    "the smallest and largest possible value, public knowledge, not read from the data; values outside "
    "count as the nearest of the two; dates (2024-01-31), times (2024-01-31T17:00:00) and, with Z, times in UTC, too"};
constexpr OptionSpec bounds_or_auto_option{
    "--bounds",
    asker,
    "LO HI",
    "",
    "What",
    "the smallest and largest possible value, public knowledge, or auto, to pay for finding them; values outside "
    "count as the nearest of the two; dates (2024-01-31), times (2024-01-31T17:00:00) and, with Z, times in UTC, too"};
constexpr OptionSpec step_option{"--step",
                                 asker,
                                 "S",
                                 "",
                                 "What",
                                 "the distance between possible values: 1 for whole numbers, 0.01 for cents; of dates "
                                 "and times 1w, 1d, 1h, 15min, 1s, 1ms, 1us"};
constexpr OptionSpec candidates_option{
    "--candidates", asker, "LIST", "", "What", "instead of --bounds and --step: the possible outputs, increasing"};
constexpr OptionSpec quantiles_file_option{
    "--quantiles-file", owner, "FILE", "", "What", "instead of --quantiles: a text file with a fraction a line"};
constexpr OptionSpec candidates_file_option{"--candidates-file",
                                            owner,
                                            "FILE",
                                            "",
                                            "What",
                                            "instead of --candidates: a text file with a possible output a line"};
constexpr OptionSpec epsilon_option{"--epsilon", asker,     "E",
                                    "",          "Privacy", "pure differential privacy: 1, 0.5, 1/3, \"ln 3\""};
constexpr OptionSpec rho_option{"--rho", asker,     "R",
                                "",      "Privacy", "or zero-concentrated differential privacy: 1/2, 0.1"};
constexpr OptionSpec delta_option{
    "--delta", asker, "D", "", "Privacy", "with --epsilon and independent: approximate differential privacy, 1e-6"};
constexpr OptionSpec neighbors_option{
    "--neighbors", owner,     "RELATION",
    "add-remove",  "Privacy", "add-remove (one record more or less) or change-one (one record replaced)"};
constexpr OptionSpec records_option{
    "--records-per-person", owner, "D", "1", "Privacy", "no person has more than D records in the table"};
constexpr OptionSpec mechanism_option{
    "--mechanism",
    asker,
    "NAME",
    "auto",
    "Mechanism",
    "auto, exponential (one quantile), approximate, joint, joint-total, joint-tree, independent or tree"};
constexpr OptionSpec expected_rows_option{"--expected-rows",
                                          asker,
                                          "N",
                                          "",
                                          "Mechanism",
                                          "about how many rows there are (in a group), as is publicly known: worst "
                                          "cases are those of at most so many. Untold, "
                                          "auto spends 1/20 of epsilon on a count where it has to know"};
constexpr OptionSpec intervals_option{
    "--intervals", asker,
    "LEVEL",       "",
    "Intervals",   "a confidence interval beside each quantile, for example 0.95; takes a part of the budget"};
constexpr OptionSpec of_option{"--of",
                               asker,
                               "WHAT",
                               "population",
                               "Intervals",
                               "where the quantile of the population is, of which the records are a simple random "
                               "sample, or of this table"};
constexpr OptionSpec together_option{
    "--together", asker, "", "", "Intervals", "the level holds for all intervals of a release, or of a group, at once"};
constexpr OptionSpec compare_option{
    "--compare",
    asker,
    "A,B",
    "",
    "Intervals",
    "difference and ratio of two groups (their keys) or of two quantiles (0.25,0.75), with intervals; costs nothing"};
constexpr OptionSpec count_option{
    "--count", asker,        "",
    "",        "Statistics", "how many records count, in every group, with an interval; takes a part of the budget"};
constexpr OptionSpec below_option{
    "--below",    asker,
    "LIST",       "",
    "Statistics", "how many records, and which share of them, lie below each of these possible values; with --count"};
constexpr OptionSpec mean_option{
    "--mean", asker, "", "", "Statistics", "the mean of the values within the bounds, with an interval; with --count"};
constexpr OptionSpec count_budget_option{
    "--count-budget",
    asker,
    "SHARE",
    "0.1, and 0.2 with --mean",
    "Statistics",
    "the share of the budget that counts, shares and means have together; with --mean, half of it is the mean's"};
constexpr OptionSpec no_interpolation_option{"--no-interpolation",         asker, "", "", "Mechanism",
                                             "auto selects every quantile"};
constexpr OptionSpec base_option{"--base",
                                 asker,
                                 "BASE",
                                 "adaptive for auto, joint-total and joint-tree, else uniform",
                                 "Mechanism",
                                 "adaptive: prefer round numbers if the records lie on them, the filled part of the "
                                 "range and, where records are few, "
                                 "values near zero"};
constexpr OptionSpec rates_option{"--rates",   asker,
                                  "RATES",     "tight",
                                  "Mechanism", "tight, or as-published (the noisier ones of the paper on approximate)"};
constexpr OptionSpec data_format{"--format",          output, "FORMAT", "table on a terminal, csv in a pipe", "Output",
                                 "table, json or csv"};

// Of release and of count.
constexpr OptionSpec column_option{"--column", asker,  "NAME",
                                   "",         "What", "the column to publish quantiles of (required)"};
constexpr OptionSpec by_option{
    "--by", asker,  "NAME",
    "",     "What", "publish each group of records: those with equal text in this column, or in several: region,sex"};
constexpr OptionSpec keys_option{"--keys",
                                 asker,
                                 "LIST",
                                 "",
                                 "What",
                                 "with --by: that text for every group, public knowledge; records with another one are "
                                 "left out. Of several columns once for each: --keys region=n,s --keys sex=f,m",
                                 true};
constexpr OptionSpec keys_file_option{
    "--keys-file", owner,
    "PATH",        "",
    "What",        "instead of --keys: a file with a key a line, or of several columns CSV with a group a line"};
constexpr OptionSpec person_option{
    "--person", owner,
    "NAME",     "",
    "Privacy",  "the column that tells whose a record is: at most D of each person's, chosen at random, then count"};
constexpr OptionSpec per_person_option{
    "--per-person",
    asker,
    "HOW",
    "",
    "Privacy",
    "with --person: one value of each, which is the sum, count, mean, min, max, median, any or all of that person's "
    "records, in each group; --records-per-person then says in how many groups a person may count"};
constexpr OptionSpec weight_option{
    "--weight",
    asker,
    "NAME",
    "",
    "What",
    "the column of weights, as surveys have them: a record of weight w counts as w/S records; one without a weight is "
    "left out"};
constexpr OptionSpec weight_bounds_option{"--weight-bounds",
                                          asker,
                                          "LO HI",
                                          "",
                                          "What",
                                          "with --weight: the smallest and the largest weight, public, multiples of S; "
                                          "others count as the nearest of the two. "
                                          "Noise grows with HI"};
constexpr OptionSpec weight_step_option{
    "--weight-step",
    asker,
    "S",
    "",
    "What",
    "with --weight: weights are rounded to multiples of this, at most 4096 of them up to HI"};
constexpr OptionSpec weight_stability_option{
    "--weight-stability",
    owner,
    "K",
    "",
    "Privacy",
    "with weights: a declaration that nobody checks: one person's records, there or not, change at most K records' "
    "weights, their own among them. Without, neighbors are weighted files, all other weights as they are"};
constexpr OptionSpec expected_weight_option{"--expected-weight",
                                            asker,
                                            "W",
                                            "",
                                            "Mechanism",
                                            "with weights: about how large they are on average, as is publicly known"};
constexpr OptionSpec table_option{
    "--table",   owner,
    "NAME=FILE", "",
    "Input",     "another table for the query, read as FILE is; may be given several times. SQL reads nothing else",
    true};
constexpr OptionSpec input_format_option{"--input-format",     owner,   "FORMAT",
                                         "by the file's name", "Input", "csv, tsv, parquet or json"};
constexpr OptionSpec delimiter_option{
    "--delimiter", owner, "CHAR", "found in the header line", "Input", "what separates the cells of a CSV file"};
constexpr OptionSpec single_line_option{
    "--single-line-records",
    owner,
    "",
    "",
    "Input",
    "declare that each record of a CSV or TSV file is one line: a line end within quotes is an error"};
constexpr OptionSpec duckdb_option{"--duckdb", owner,
                                   "PATH",     "FRACTILE_DUCKDB, or where the system looks",
                                   "Input",    "the DuckDB library, libduckdb.so"};
constexpr OptionSpec threads_option{"--threads", machine,
                                    "N",         "as many as the machine runs at once",
                                    "Input",     "how many threads read and sort; the release does not depend on it"};
constexpr OptionSpec memory_option{"--memory",
                                   machine,
                                   "SIZE",
                                   "as much as there is",
                                   "Input",
                                   "how much the engine and the records of persons may take, such as 2GB: the rest "
                                   "goes to a temporary file. Counts are beside it: 16 bytes a record when there are "
                                   "more than 1048576 possible values. Where the engine cannot do with it, it takes "
                                   "more: the release does not depend on it"};
constexpr OptionSpec seed_option{
    "--unsafe-seed", owner, "N", "", "Output", "reproducible and NOT PRIVATE: for tests and lessons only"};
constexpr OptionSpec null_option{"--null", owner,   "POLICY",
                                 "drop",   "Input", "records that are NULL, empty or NaN: drop them, or error"};
constexpr OptionSpec missing_option{
    "--missing",
    owner,
    "LIST",
    "",
    "Input",
    "what counts as missing in the column, and in that of persons: NA,.,-9 (numbers by value, texts exactly)"};
constexpr OptionSpec unreadable_option{
    "--unreadable", owner,
    "POLICY",       "error, and with --ledger missing",
    "Input",        "cells that are no number: error, or missing, for they count as empty ones"};
constexpr OptionSpec sql_file_option{"--sql-file", owner,   "FILE",
                                     "",           "Input", "instead of --sql: a text file with the query"};
constexpr OptionSpec sql_option{
    "--sql", asker,
    "QUERY", "",
    "Input", "read the result of a row-wise query: SELECT ... FROM input WHERE ...; FILE is the table `input`"};

// Of whatever a ledger pays for.
constexpr OptionSpec ledger_option{
    "--ledger",
    owner,
    "PATH",
    "",
    "Ledger",
    "pay from a budget, before rows are read: a file, or postgres://USER@HOST/DATABASE; see fractile ledger init"};
constexpr OptionSpec dataset_option{"--dataset", asker, "NAME", "the ledger's only one", "Ledger", "whose budget"};
constexpr OptionSpec source_option{
    "--source", owner,
    "NAME",     "the path of FILE",
    "Ledger",   "declare what the table is: equal queries of equal sources are answered from the ledger"};

// Of whatever has a page.
constexpr OptionSpec page_format{"--format", output,
                                 "FORMAT",   "table on a terminal, csv in a pipe",
                                 "Output",   "table, json, csv or html (a page to look at, one file)"};
constexpr OptionSpec about_option{
    "--about", output,
    "FILE",    "",
    "Output",  "with html: a TOML file with title, curator, use, region, date, contact, to stand on the page"};
constexpr OptionSpec figures_option{
    "--figures",
    output,
    "DIR",
    "",
    "Output",
    "with html: also write the page's figures as SVG and its tables as CSV into this folder, which has none yet"};
constexpr OptionSpec public_option{
    "--public", output, "", "", "Output", "with html: leave out paths, queries and internal names, and so the receipt"};

// Of release and of explain.
constexpr OptionSpec guess_above_option{
    "--guess",
    asker,
    "above:LIMIT",
    "",
    "Output",
    "on the page: how often an attacker's guess is right whether a person's value is above this, as public, "
    "declared and published numbers have it"};

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
               "declare how many rows the table has (with or without a number) public, and print it"},
    ledger_option,
    dataset_option,
    OptionSpec{"--again", asker, "", "", "Ledger", "pay anew even if the ledger holds this very release"},
    OptionSpec{
        "--dry-run", asker, "", "", "Ledger",
        "say what it would cost and what would remain, and refuse what would be refused; nothing is charged or read"},
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
        "for any other query, a declaration that nobody checks: one person's record changes at most N rows of the "
        "result (a changed row is two under add-remove). Noise as for N times as many records per person"},
    table_option,
    input_format_option,
    delimiter_option,
    single_line_option,
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
    "CSV, TSV, Parquet or JSON file (a key that a record lacks is NULL); - for standard input",
    release_table,
    release_epilogue,
};

constexpr OptionSpec output_option{
    "--output", output, "PATH", "", "Output", "the new profile file (required), readable by its owner alone"};

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
    unreadable_option,
    sql_option,
    sql_file_option,
    table_option,
    input_format_option,
    delimiter_option,
    single_line_option,
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
    "CSV, TSV, Parquet or JSON file; - for standard input",
    count_table,
    "Nothing is published and nothing is charged: fractile release --counts PROFILE does both.\n"
    "\n"
    "Example\n"
    "  fractile count north.csv --column income --bounds 0 500000 --step 1 --output north.profile\n"
    "\n"
    "Exit codes: 0 counted; 2 wrong usage; 3 unusable file, table or cell; 70 internal.\n",
};

constexpr std::array columns_table{
    OptionSpec{
        "--check", owner, "", "", "What",
        "read all records, and count in each column what is missing and what cannot be read, with the first rows"},
    OptionSpec{"--missing", owner, "LIST", "", "Input",
               "with --check: what counts as missing: NA,.,-9 (numbers by value, texts exactly)"},
    sql_option,
    OptionSpec{
        "--sql-stability", owner, "N", "", "Input",
        "as for a release: a query that is not found to be row-wise, of which one record changes at most N rows"},
    table_option,
    input_format_option,
    delimiter_option,
    single_line_option,
    duckdb_option,
    memory_option,
    OptionSpec{"--ledger", owner, "PATH", "", "Input", "refused: nothing pays for what this verb shows"},
    data_format,
};

constexpr VerbSpec columns_spec{
    "columns",
    "what columns a table has and, for its owner's eyes, what cannot be read in them",
    "fractile columns FILE [--check] [options]",
    "CSV, TSV, Parquet or JSON file; - for standard input",
    columns_table,
    "--check is NOT PRIVATE: it counts cells exactly. It is for the data's owner, before anything is paid\n"
    "for: a decimal comma or a code for missing values shows here. The cells of a column are read as what\n"
    "most of them can be, numbers, dates or times, or times in UTC; what is neither that nor missing is\n"
    "unreadable, and counts as missing in a release that a ledger pays for. Rows count from 1, without\n"
    "the header line.\n"
    "\n"
    "Examples\n"
    "  fractile columns people.csv\n"
    "  fractile columns people.csv --check --missing NA,-9\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable file, table or text; 70 internal.\n",
};

constexpr std::array merge_table{
    OptionSpec{"--disjoint-persons", owner, "", "", "Privacy",
               "declare that no person is in two of the files; without it their bounds of records per person add up"},
    OptionSpec{"--allow-equal-files", owner, "", "", "Input",
               "add files of equal contents, too, as different records that happen to count alike; without it they are "
               "refused, as one counting that is named twice"},
    output_option,
};

constexpr VerbSpec merge_spec{
    "merge",
    "add profile files of equal questions: the result is as sensitive as the data",
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

constexpr std::array plan_table{
    quantiles_option,
    quantiles_file_option,
    synthetic_rows_option,
    bounds_option,
    step_option,
    candidates_option,
    candidates_file_option,
    OptionSpec{"--weight-bounds", asker, "LO HI", "", "What",
               "of weighted records: the smallest and the largest weight; noise grows with HI"},
    OptionSpec{"--weight-step", asker, "S", "", "What",
               "with it: weights are rounded to multiples of this, at most 4096 of them up to HI"},
    epsilon_option,
    rho_option,
    delta_option,
    neighbors_option,
    records_option,
    weight_stability_option,
    OptionSpec{"--rank-error", asker, "R", "", "Worth",
               "in place of --epsilon: the smallest one by which no quantile misses by more than R records"},
    OptionSpec{"--percentile-error", asker, "P", "", "Worth",
               "the same with P percent of --expected-rows in place of R records"},
    OptionSpec{"--solve-for", asker, "BUDGET", "epsilon", "Worth", "with either of them: epsilon, or rho"},
    OptionSpec{"--confidence", asker, "C", "0.95", "Worth",
               "worst cases hold with this probability, whatever the table"},
    OptionSpec{"--shape", asker, "SHAPE", "normal", "Worth",
               "of the public table that typical errors are those of: uniform, normal or log-normal"},
    OptionSpec{"--guess", asker, "WHAT", "", "Worth",
               "also how often an attacker's best guess about a person is right: value, presence, or above:30000"},
    OptionSpec{"--analyst", asker, "FILE", "", "Worth",
               "the least epsilon, of --epsilon LO..HI, at which the values serve this analyst: a TOML file with "
               "[analyst], loss = \"missed-records\" or \"missed-by-more\" (than = 100), and most = 20, the loss that "
               "is borne"},
    OptionSpec{
        "--reference", asker, "FILE", "a table of the shape", "Worth",
        "with --guess or --analyst: a public table whose values are spread like those of the one to be released"},
    OptionSpec{"--reference-column", asker, "NAME", "value", "Worth", "the column of that table"},
    OptionSpec{"--duckdb", owner, "PATH", "FRACTILE_DUCKDB, or where the system looks", "Input",
               "the DuckDB library, libduckdb.so, to read --reference, and files of keys"},
    mechanism_option,
    expected_rows_option,
    expected_weight_option,
    no_interpolation_option,
    base_option,
    rates_option,
    intervals_option,
    of_option,
    together_option,
    count_option,
    below_option,
    mean_option,
    count_budget_option,
    page_format,
    about_option,
    figures_option,
};

constexpr const char* publication_toml = "TOML file that describes a publication, such as fractile publish shows";

constexpr const char* plan_epilogue =
    "No table is read, but for a public --reference, and nothing is spent. A quantile's rank error is the\n"
    "number of records by which the published value misses it. Of a publication's FILE, which says all else,\n"
    "only --format and --duckdb are options: what each table and level costs, what is expected in each cell,\n"
    "and which cells no budget saves.\n"
    "\n"
    "Examples\n"
    "  fractile plan people.toml\n"
    "  fractile plan --bounds 0 500000 --step 1 --epsilon 1 --expected-rows 50000\n"
    "  fractile plan --bounds 0 500000 --step 1 --rank-error 100 --expected-rows 50000\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 70 internal.\n";

constexpr VerbSpec plan_spec{
    "plan",
    "before a release: what it will cost, and how wrong it may be",
    "fractile plan --bounds LO HI --step S --epsilon E [options]\n       fractile plan FILE [--format FORMAT]",
    publication_toml,
    plan_table,
    plan_epilogue,
};

constexpr std::array publish_table{
    ledger_option,
    dataset_option,
    OptionSpec{"--again", asker, "", "", "Ledger",
               "draw and pay for all tables anew, even those that the ledger holds"},
    source_option,
    duckdb_option,
    threads_option,
    memory_option,
    OptionSpec{"--output", output, "DIR", "", "Output",
               "write the tables into this folder: a tidy CSV, the receipt and a page, by the name of FILE"},
    OptionSpec{"--about", output, "FILE", "", "Output",
               "a TOML file with title, curator, use, region, date, contact, to stand on the page"},
    OptionSpec{"--public", output, "", "", "Output",
               "leave paths, queries and internal names out of the page, and so the receipt"},
    OptionSpec{"--format", output, "FORMAT", "table on a terminal, csv in a pipe", "Output",
               "of what is printed without --output: table, csv or json (the receipt)"},
    seed_option,
    OptionSpec{"--example", output, "", "", "Output",
               "print a FILE that runs on examples/people.csv, with what its members mean"},
};

constexpr const char* publish_epilogue =
    "FILE describes all tables, their cells and their budget; fractile plan FILE says beforehand what each cell\n"
    "will be worth. All columns are read once, all levels of all tables are paid for in one transaction, and\n"
    "published as a whole. A table that the ledger holds is taken as it is, at the cost that it has; the others\n"
    "share what is left of the file's budget. Cells that are no numbers count as missing, unless FILE says\n"
    "otherwise.\n"
    "\n"
    "Examples\n"
    "  fractile publish --example > people.toml\n"
    "  fractile plan people.toml\n"
    "  fractile publish people.toml --ledger budget.db --output tables\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unreadable table; 4 not enough budget; 5 broken ledger; 70 internal.\n";

constexpr VerbSpec publish_spec{
    "publish",
    "many tables under one budget, from one file",
    "fractile publish FILE --ledger LEDGER --output DIR [options]\n       fractile publish --example",
    publication_toml,
    publish_table,
    publish_epilogue,
};

constexpr std::array explain_table{
    compare_option,
    guess_above_option,
    OptionSpec{"--ledger", owner, "PATH", "", "Ledger",
               "the one that the release was paid from, which must hold this receipt: says what is left of its budget"},
    OptionSpec{"--dataset", asker, "NAME", "the ledger's only one", "Ledger", "which of its datasets"},
    OptionSpec{"--format", output, "FORMAT", "text", "Output",
               "text, markdown, html (a page to look at), json (the receipt itself, also of a page), or registry (YAML "
               "for the public registry "
               "of deployments)"},
    OptionSpec{
        "--about", output, "FILE", "", "Output",
        "with html or registry: a TOML file with title, curator, use, region, date, contact, description; for the "
        "registry also curator_type, sector, author"},
    figures_option,
    public_option,
};

constexpr VerbSpec explain_spec{
    "explain",
    "a receipt in plain language: what was published, and what is promised",
    "fractile explain RECEIPT [--compare A,B] [--format FORMAT]",
    "a receipt of fractile release --receipt or fractile publish, or a page that holds one; - for standard input",
    explain_table,
    "A receipt that was changed since it was written is refused.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable receipt; 70 internal.\n",
};

constexpr const char* ledger_file =
    "the ledger: a file such as budget.db, or postgres://USER@HOST/DATABASE; see docs/ledger.md";
constexpr const char* ledger_epilogue =
    "Exit codes: 0 done; 2 wrong usage; 3 unwritable output; 5 unusable ledger; 70 internal.\n";

constexpr std::array ledger_init_table{
    OptionSpec{"--dataset", owner, "NAME", "", "What",
               "what shares the budget: a table of people, or several (required)"},
    OptionSpec{"--unit", owner, "TEXT", "person", "What", "whose records are protected together, in words"},
    OptionSpec{"--epsilon", owner, "E", "", "Budget", "pure differential privacy: 1, 0.5, 1/3, \"ln 3\""},
    OptionSpec{"--rho", owner, "R", "", "Budget",
               "or zero-concentrated: 1/2, 0.1; takes costs in epsilon too, at the tight conversion"},
    OptionSpec{"--delta", owner, "D", "", "Budget",
               "with --epsilon: approximate, 1e-6; takes costs in epsilon alone, too"},
    OptionSpec{"--neighbors", owner, "RELATION", "add-remove", "Budget",
               "add-remove (one record more or less) or change-one (one record replaced)"},
    OptionSpec{"--person", owner, "NAME", "any, or none", "What every release must have",
               "the column that identifies the person: releases have --person with it, and no --sql but one that is "
               "grouped by it"},
    OptionSpec{"--records-per-person", owner, "D", "1", "What every release must have",
               "releases protect persons of D records, or of more"},
    OptionSpec{"--source", owner, "SOURCE", "any", "What every release must have",
               "with a slash the file that releases read; without, a name that they declare by --source"},
    OptionSpec{"--postgres", owner, "ADDRESS", "none", "What every release must have",
               "the PostgreSQL database that releases read, as they name it"},
    OptionSpec{"--input-format", owner, "FORMAT", "as the first release of a source", "What every release must have",
               "csv, tsv, parquet or json, where that is not what the file's name says"},
    OptionSpec{"--delimiter", owner, "CHAR", "as the first release of a source", "What every release must have",
               "what separates the cells of a CSV file"},
    OptionSpec{"--single-line-records", owner, "", "as the first release of a source", "What every release must have",
               "each record of a CSV or TSV file is one line"},
    OptionSpec{"--disjoint-persons", owner, "", "as the first release of a source", "What every release must have",
               "a profile file of files that were merged with --disjoint-persons"},
    OptionSpec{"--null", owner, "POLICY", "drop", "What every release must have",
               "error: a record that is NULL, empty or NaN ends a release after its charge"},
    OptionSpec{"--missing", owner, "LIST", "as the first release of a source", "What every release must have",
               "what counts as missing in the column, and in that of persons: NA,.,-9"},
    OptionSpec{"--unreadable", owner, "POLICY", "missing", "What every release must have",
               "cells that are no number: missing, or error, for they end a release, which is spent then"},
    OptionSpec{"--table", owner, "NAME=FILE", "none", "What a release may have",
               "a further file that queries may read, whatever they call it; may be given several times", true},
    OptionSpec{"--sql-stability", owner, "N", "none", "What a release may have",
               "with --sql: a query that is not found to be row-wise, with this --sql-stability or more"},
    OptionSpec{"--sql", owner, "QUERY", "none", "What a release may have", "the query of which --sql-stability tells"},
    OptionSpec{"--public-rows", owner, "", "", "What a release may have", "the number of rows is public"},
    OptionSpec{
        "--weights-as-they-are", owner, "", "", "What a release may have",
        "weights, where neighbors are weighted files: one weighted record more or less, all other weights as they "
        "are. What calibrated weights carry of a person is not protected"},
    OptionSpec{
        "--weight-stability", owner, "K", "none", "What a release may have",
        "weights, of which one person's records, there or not, change at most K, their own among them: with this "
        "--weight-stability or more"},
    OptionSpec{
        "--keys-file", owner, "PATH", "none", "What a release may have",
        "a file of keys with these contents, wherever it is; may be given several times. Without, askers write --keys",
        true},
    OptionSpec{"--duckdb", owner, "PATH", "none", "What a release may have",
               "this DuckDB library, by --duckdb; without, FRACTILE_DUCKDB or where the system looks"},
    OptionSpec{"--witness", owner, "PATH", "none", "Backups",
               "a file on another disk that knows what was charged: a ledger that is put back to an earlier state is "
               "refused"},
};

constexpr VerbSpec ledger_init_spec{
    "ledger init",
    "make a ledger, or add a dataset to one",
    "fractile ledger init FILE --dataset NAME --epsilon E [options]",
    ledger_file,
    ledger_init_table,
    "A dataset never changes: neither its budget nor what it has releases keep to.\n"
    "\n"
    "Examples\n"
    "  fractile ledger init budget.db --dataset people --epsilon 1\n"
    "  fractile ledger init budget.db --dataset visits --epsilon 1 --person patient --source ./visits.csv\n"
    "  fractile ledger init postgres://keeper@db.example/budgets --dataset people --epsilon 1\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unwritable output; 5 unusable ledger; 70 internal.\n",
};

constexpr std::array ledger_show_table{
    OptionSpec{"--dataset", asker, "NAME", "all", "What", "only this one"},
    page_format,
    about_option,
    figures_option,
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
    OptionSpec{"--head", asker, "HASH", "", "What",
               "the hash that verify once printed: nothing up to there is missing"},
    OptionSpec{"--receipts", owner, "DIR", "", "What",
               "published receipts: each that names an entry must be that of an entry of this ledger"},
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
    OptionSpec{"--format", output, "FORMAT", "json", "Output", "json (all that there is) or csv (a line an entry)"},
};

constexpr VerbSpec ledger_export_spec{
    "ledger export",
    "all that the ledger holds, in the order in which it happened",
    "fractile ledger export FILE [--format FORMAT]",
    ledger_file,
    ledger_export_table,
    ledger_epilogue,
};

constexpr std::array ledger_commit_table{
    OptionSpec{"--entry", owner, "ID", "", "What", "a reserved entry, as show lists it (required)"},
    OptionSpec{"--receipt", owner, "PATH", "", "What", "the receipt that its release has written (required)"},
};

constexpr VerbSpec ledger_commit_spec{
    "ledger commit",
    "store the receipt that a release has written before it was stopped",
    "fractile ledger commit FILE --entry ID --receipt PATH",
    ledger_file,
    ledger_commit_table,
    "The receipt must be whole, stand where the entry says, and tell of the entry's query. Releases\n"
    "commit before they write receipts; only programs of format 1 wrote them first.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage, or not that entry's; 3 unusable receipt, or unwritable output;\n"
    "5 unusable ledger; 70 internal.\n",
};

constexpr std::array ledger_void_table{
    OptionSpec{"--entry", owner, "ID", "", "What", "a reserved entry, as show lists it (required)"},
    OptionSpec{"--reason", owner, "TEXT", "", "What", "why it is sure that nothing was published (required)"},
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

constexpr std::array ledger_witness_table{
    OptionSpec{"--accept", owner, "", "", "What",
               "a backup was put back and nothing later is to be had: charge again what is missing"},
};

constexpr VerbSpec ledger_witness_spec{
    "ledger witness",
    "whether the ledger has all that its witnesses have seen",
    "fractile ledger witness FILE [--accept]",
    ledger_file,
    ledger_witness_table,
    "A witness is a file that fractile ledger init declares for a dataset. Releases write to it before\n"
    "they draw, and are refused where the ledger lacks what it has seen: a backup was put back.\n"
    "With --accept the ledger charges what it lacks, in entries of their own; what is reserved in it\n"
    "may have been published since, and counts for good. A witness that is not there is made.\n"
    "\n"
    "Exit codes: 0 done, or nothing is missing; 2 wrong usage; 3 unwritable output; 5 the ledger is\n"
    "behind a witness, or one cannot be used; 70 internal.\n",
};

constexpr std::array ledger_words{&ledger_init_spec,   &ledger_show_spec, &ledger_verify_spec, &ledger_export_spec,
                                  &ledger_commit_spec, &ledger_void_spec, &ledger_witness_spec};

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
    OptionSpec{"--mechanism", asker, "NAME", "", "What",
               "auto, exponential, approximate, joint, joint-total, joint-tree, independent, tree, gumbel-max or "
               "permute-and-flip (required)"},
    OptionSpec{"--records", asker, "N", "4", "What", "tables of at most so many records, 1 to 6"},
    OptionSpec{"--values", asker, "K", "4", "What", "of so many possible values, 1 to 12"},
    OptionSpec{"--bounds", asker, "LO HI", "0 K-1", "What",
               "the smallest and largest possible value, of which K are tried, or auto: bounds found privately"},
    OptionSpec{"--step", asker, "S", "1", "What", "the distance between possible values"},
    OptionSpec{"--doublings", asker, "D", "1", "What",
               "with --bounds auto: found among 0, +-1, +-2, ..., +-2^D; 1 to 4"},
    OptionSpec{"--bounds-budget", asker, "SHARE", "0.1", "What",
               "with --bounds auto: the share of the budget that finds them"},
    OptionSpec{"--groups", asker, "", "", "What", "two groups with public keys; every record is in one of them"},
    OptionSpec{"--quantiles", asker, "LIST", "the median; of several quantiles two to four", "What",
               "what the mechanism is asked for"},
    OptionSpec{"--base", asker, "BASE", "adaptive for auto, joint-total and joint-tree, else uniform", "What",
               "adaptive or uniform, as in a release"},
    expected_rows_option,
    intervals_option,
    of_option,
    together_option,
    OptionSpec{"--epsilon", asker, "E", "", "Claim", "pure differential privacy: 1, 0.5, 1/3, \"ln 3\""},
    OptionSpec{"--rho", asker, "R", "", "Claim", "or zero-concentrated differential privacy (mechanisms of a release)"},
    OptionSpec{"--delta", asker, "D", "", "Claim", "with --epsilon and independent: approximate differential privacy"},
    OptionSpec{"--claim", asker, "C", "that epsilon or rho; with --delta, that delta", "Claim",
               "certify or refute another one than the mechanism is made for"},
    OptionSpec{"--neighbors", asker, "RELATION", "add-remove", "Claim",
               "add-remove (one record more or less) or change-one (one record replaced)"},
    OptionSpec{"--records-per-person", asker, "D", "1", "Claim", "neighbours differ in up to D records"},
    OptionSpec{"--format", output, "FORMAT", "table", "Output", "table or json"},
};

constexpr const char* audit_epilogue =
    "Every output's probability is enclosed for every table, and every pair of neighbours compared; rho is\n"
    "certified for all Renyi orders. A mechanism of a release is audited by running the release itself with\n"
    "every draw in turn. There, 10 possible values are many enough for finding granularity and heaps, 5\n"
    "quantiles for counting (3 where records heap), and cells have two parts.\n"
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

constexpr OptionSpec experiment_folder{
    "--out", output, "DIR", "", "What", "a new or empty folder for the tables and the figures (required)"};
constexpr OptionSpec experiment_duckdb{"--duckdb", owner,
                                       "PATH",     "FRACTILE_DUCKDB, or where the system looks",
                                       "What",     "the DuckDB library, libduckdb.so"};
constexpr OptionSpec experiment_no_figures{"--no-figures", output, "", "", "What", "only the tables"};

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
    "Errors and times of every mechanism, as section 4 of approximate-quantiles 2021 measures them, for\n"
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
    OptionSpec{
        "--populations", asker, "LIST", "all", "What",
        "lognormal, pareto, zeros, counts, two-point, narrow, uniform, salaries, ages, hours, ratings, pages; the "
        "last four are files"},
    OptionSpec{"--rows", asker, "LIST", "20,50,100,400,1000,10000,100000", "What", "records of a table"},
    OptionSpec{"--epsilons", asker, "LIST", "0.01,0.1,1,10", "What", "the budgets, all pure"},
    OptionSpec{"--quantile-counts", asker, "LIST", "1,2,3,5,9,19,49,99", "What",
               "how many quantiles m, i/(m+1) each time"},
    OptionSpec{"--bounds-times", asker, "LIST", "1,10,1000", "What", "how many times too wide the bounds are"},
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
    "Errors of auto (told how many rows there are, not told, and told wrongly by a factor of two) beside those\n"
    "of the mechanisms that could have been named in its place, in every combination of what the options\n"
    "list; all combinations take hours. NOT PRIVATE: an experiment with reproducible bits and true errors.\n"
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
               "of one person at most; those of the population have one"},
    OptionSpec{"--sample", asker, "N", "all", "What", "so many of the combinations, drawn at random"},
    OptionSpec{"--of", asker, "WHAT", "both", "What", "population or table: whose quantiles the intervals are to hold"},
    OptionSpec{"--level", asker, "LEVEL", "0.95", "What", "of each interval by itself"},
    OptionSpec{"--trials", asker, "T", "200", "What", "how many tables for each combination"},
    OptionSpec{"--seed", asker, "N", "1", "What", "the same seed gives the same tables and releases"},
    experiment_no_figures,
};

constexpr VerbSpec reproduce_intervals_spec{
    "reproduce intervals",
    "coverage and width of confidence intervals, beside the non-private ones",
    "fractile reproduce intervals --out DIR [options]",
    nullptr,
    reproduce_intervals_table,
    "How often intervals of quantiles hold them, how wide they are beside the non-private ones, how many\n"
    "records the ends of those of the table are off, and how far the quantiles err beside those of a release\n"
    "without intervals: on laws with atoms, gaps and mass at the ends of the range, in every combination of\n"
    "what the options list. NOT PRIVATE: an experiment with reproducible bits and true errors.\n"
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
    "fractile reproduce EXPERIMENT --help tells of each.\n",
    experiment_words,
};

constexpr const char* toml_file = "TOML file that describes a pipeline; fractile flow --help shows one";
constexpr OptionSpec flow_format{"--format", output, "FORMAT", "table", "Output", "table, json or csv"};

constexpr OptionSpec flow_duckdb{
    "--duckdb", owner,
    "PATH",     "FRACTILE_DUCKDB, or where the system looks",
    "Input",    "the DuckDB library, libduckdb.so, for known = { histogram = \"codes.csv\" }"};

constexpr OptionSpec figure_option{
    "--figure",
    output,
    "FILE.svg",
    "",
    "Output",
    "also draw the analyst's loss against epsilon: shaded where it rises, a line where it is without a release"};

constexpr std::array flow_check_table{
    OptionSpec{"--from", asker, "E", "", "What",
               "with --to: is this epsilon worth at least as much to every analyst? \"ln 3\""},
    OptionSpec{"--to", asker, "E", "", "What",
               R"(as that one? Verdicts are exact, and want logarithms: "ln 2", "ln 3.5")"},
    OptionSpec{
        "--epsilon", asker, "LO..HI", "", "What",
        "or a range: is the pipeline stable, so that less epsilon never helps an analyst? \"ln 2..ln 3\", 0.5..2"},
    OptionSpec{"--any-prior", asker, "", "", "What",
               "of the file's analyst only the loss counts: for everybody with it, whatever their prior"},
    OptionSpec{"--within", asker, "SECONDS", "until it ends", "What",
               "end by then, 1 to 1000000, with what is decided and what is not"},
    flow_duckdb,
    OptionSpec{"--format", output, "FORMAT", "table", "Output",
               "table, json, csv or html (a page to look at, one file)"},
    figure_option,
    about_option,
    figures_option,
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
    "Exit codes: 0 it refines, or is stable; 1 it does not, or is unstable; 2 wrong usage; 3 unusable\n"
    "file; 6 undecided; 70 internal.\n",
};

constexpr OptionSpec late_option{"--within",      asker,  "SECONDS",
                                 "until it ends", "What", "end by then, 1 to 1000000, with exit code 6 and no answer"};

constexpr std::array flow_loss_table{
    OptionSpec{"--epsilon", asker, "E", "", "What",
               "at this epsilon (required): 0.5, \"ln 3.5\"; exact for logarithms"},
    OptionSpec{"--exact", asker, "", "", "What",
               "the fraction, however long; more than 200 characters are left out otherwise"},
    late_option,
    flow_duckdb,
    flow_format,
};

constexpr const char* flow_epilogue = "Exit codes: 0 done; 2 wrong usage; 3 unusable file; 70 internal.\n";
constexpr const char* late_epilogue =
    "Exit codes: 0 done; 2 wrong usage; 3 unusable file; 6 not done within the time; 70 internal.\n";

constexpr VerbSpec flow_loss_spec{
    "flow loss",
    "the expected loss of the file's analyst",
    "fractile flow loss FILE --epsilon E [--exact] [--format FORMAT]",
    toml_file,
    flow_loss_table,
    late_epilogue,
    {},
    "utility",
};

constexpr OptionSpec guess_option{"--guess",
                                  asker,
                                  "WHAT",
                                  "value",
                                  "What",
                                  "what an attacker guesses about the target: value, presence, above:2, or among:0,1;2 "
                                  "(which of these sets of values)"};

constexpr std::array flow_leakage_table{
    OptionSpec{"--epsilon", asker, "E", "", "What",
               "at this epsilon (required): 0.5, \"ln 3.5\"; exact for logarithms"},
    guess_option,
    late_option,
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_leakage_spec{
    "flow leakage",
    "how often the best guess about a person is right, with the release and without it",
    "fractile flow leakage FILE --epsilon E [--guess WHAT] [--format FORMAT]",
    toml_file,
    flow_leakage_table,
    "With the file's prior, and whatever the prior (the multiplicative Bayes capacity); beside it what\n"
    "epsilon alone allows. secret = \"target\" is an attacker who knows all others, secret = \"everyone\"\n"
    "one who knows the prior alone, and guesses about the last participant.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable file; 6 not done within the time; 70 internal.\n",
};

constexpr std::array flow_sweep_table{
    OptionSpec{"--epsilon", asker, "LO..HI", "", "What",
               "over this range (required): 0.1..10; between logarithms, exp(epsilon) has equal steps"},
    OptionSpec{
        "--guess", asker, "WHAT", "", "What",
        "in place of the loss: how often the best guess about a target is right, as fractile flow leakage has it"},
    OptionSpec{"--points", asker, "N", "200", "What", "how many points, 2 to 100000"},
    OptionSpec{"--within", asker, "SECONDS", "until it ends", "What",
               "end by then, 1 to 1000000, with what is known of where it rises"},
    flow_duckdb,
    page_format,
    figure_option,
    about_option,
    figures_option,
};

constexpr VerbSpec flow_sweep_spec{
    "flow sweep",
    "the expected loss of the file's analyst against epsilon, and where it rises",
    "fractile flow sweep FILE --epsilon LO..HI [--points N] [--format FORMAT]",
    toml_file,
    flow_sweep_table,
    flow_epilogue,
};

constexpr std::array flow_choose_table{
    OptionSpec{"--loss", asker, "LOSS", "", "What",
               "the largest expected loss that is borne (required): one for all files, or one for each, with commas"},
    OptionSpec{"--epsilon", asker, "LO..HI", "0.1..10", "What", "among these epsilons"},
    OptionSpec{
        "--guess", asker, "WHAT", "", "What",
        "also how often an attacker's best guess is right at both ends of every range: value, presence, above:2 or\n"
        "among:0,1;2,3, of the value, the participation or a set of values of the target"},
    OptionSpec{"--within", asker, "SECONDS", "until it ends", "What",
               "end by then, 1 to 1000000, with what is known and what is not"},
    flow_duckdb,
    OptionSpec{"--format", output, "FORMAT", "table", "Output",
               "table, json, csv or html (a page to look at, one file)"},
    about_option,
    figures_option,
    OptionSpec{"--figure", output, "FILE.svg", "", "Output",
               "also draw the first analyst's loss against epsilon, with a line at what they bear"},
};

constexpr VerbSpec flow_choose_spec{
    "flow choose",
    "the least epsilon at which the files' analysts lose at most so much, and all other ranges of such epsilons",
    "fractile flow choose FILE... --loss LOSS [--epsilon LO..HI] [options]",
    toml_file,
    flow_choose_table,
    "More epsilon may cost an analyst: ranges that serve have gaps between them, however narrow.\n"
    "\n"
    "Examples\n"
    "  fractile flow choose survey.toml --loss 1654.305\n"
    "  fractile flow choose health.toml income.toml --loss 0.25,1000 --epsilon 0.01..5\n"
    "\n"
    "Exit codes: 0 some epsilon serves; 1 none does; 2 wrong usage; 3 unusable file; 6 undecided;\n"
    "70 internal.\n",
    {},
    nullptr,
    nullptr,
    true,
};

constexpr std::array flow_channel_table{
    OptionSpec{"--epsilon", asker, "E", "", "What", "at this epsilon (required), a logarithm: \"ln 3\""},
    late_option,
    flow_duckdb,
    data_format,
};

constexpr VerbSpec flow_channel_spec{
    "flow channel",
    "the probability of every observation under every secret",
    "fractile flow channel FILE --epsilon E [--format FORMAT]",
    toml_file,
    flow_channel_table,
    late_epilogue,
};

constexpr std::array flow_compare_table{
    OptionSpec{"--from", asker, "E", "", "What", "FILE at this epsilon, a logarithm: \"ln 3\"; channels have none"},
    OptionSpec{"--to", asker, "E", "", "What", "OTHER at this one: \"ln 2\""},
    OptionSpec{"--within", asker, "SECONDS", "until it ends", "What", "end by then, 1 to 1000000: undecided"},
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_compare_spec{
    "flow compare",
    "is one pipeline, or channel, worth as much as another to every analyst?",
    "fractile flow compare FILE OTHER [--from E] [--to E] [options]",
    "TOML file of a pipeline, or CSV file of a channel as flow channel prints it",
    flow_compare_table,
    "Both have the same secrets. --format json prints a certificate, which flow verify checks.\n"
    "\n"
    "Examples\n"
    "  fractile flow compare geometric.toml response.toml --from \"ln 3\" --to \"ln 3\"\n"
    "  fractile flow compare first.csv second.csv\n"
    "\n"
    "Exit codes: 0 it refines; 1 it does not; 2 wrong usage; 3 unusable file; 6 undecided; 70 internal.\n",
    {},
    nullptr,
    "the same, of what it is compared with",
};

constexpr std::array flow_verify_table{
    OptionSpec{"--of", asker, "FILE", "", "What",
               "the pipeline it is of: its channels are multiplied out again, and all that it says is compared"},
    OptionSpec{"--other", asker, "OTHER", "", "What", "of a comparison: the second file"},
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_verify_spec{
    "flow verify",
    "does a certificate hold that flow check or compare printed?",
    "fractile flow verify CERTIFICATE [--of FILE] [--format FORMAT]",
    "what fractile flow check or compare printed with --format json",
    flow_verify_table,
    "It multiplies, adds and compares fractions, and shares no code with what finds certificates.\n"
    "Without --of it says what of the document was not checked.\n"
    "\n"
    "Exit codes: 0 it holds; 1 it fails; 2 wrong usage; 3 unusable file; 6 there is nothing to check;\n"
    "70 internal.\n",
};

constexpr std::array flow_cost_table{
    OptionSpec{"--epsilon", asker, "E", "", "What", "at this epsilon (required), a logarithm: \"ln 3\""},
    late_option,
    flow_duckdb,
    flow_format,
};

constexpr VerbSpec flow_cost_spec{
    "flow cost",
    "the least epsilon that an answer, and the release, costs a participant",
    "fractile flow cost FILE --epsilon E [--format FORMAT]",
    toml_file,
    flow_cost_table,
    late_epilogue,
};

constexpr std::array flow_words{&flow_check_spec,   &flow_choose_spec, &flow_compare_spec,
                                &flow_cost_spec,    &flow_verify_spec, &flow_loss_spec,
                                &flow_leakage_spec, &flow_sweep_spec,  &flow_channel_spec};

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
    "  # \"geometric\" wants values that are equally spaced\n"
    "  perturber = \"geometric\"    # or \"randomized-response\", or { matrix = [[\"3/4\", \"1/4\"], ...] },\n"
    "  # whose entries may depend on epsilon, \"odds/(odds + 2)\" with odds = exp(epsilon), \"odds^(1/2)\",\n"
    "  # and may have other answers than values, answers = [0, 1, 9]; or { geometric = 2 }, noise that is\n"
    "  # truncated 2 places beyond the values; or { subset = 2 }, \"hadamard\", \"symmetric-unary\" and\n"
    "  # \"optimized-unary\"; or a list of these, one a participant, the target last, of whom neighbors may\n"
    "  # be said together and each has an epsilon of their own, [{ of = 3, perturber = \"geometric\",\n"
    "  # epsilon = \"ln 3\" }, { of = 1, perturber = \"geometric\", epsilon = \"1/2 epsilon\" }]\n"
    "  # or, for participants, values and perturber together, a curator's release: { release =\n"
    "  # \"exponential\", quantile = \"1/2\", records = 3, lattice = [0, 1, 2, 3] }; also gumbel-max, or\n"
    "  # approximate with quantiles = [...]; neighbors = \"add-remove\" or \"change-one\"\n"
    "  # or \"sum\", \"mode\", \"identity\", { round = 2 }, or an output a tuple of values, { table = [...] };\n"
    "  # \"shuffle\" is how many gave each answer, \"bits\" how many have a 1 in each place of it\n"
    "  post = { query = \"count\", of = [0, 2] }\n"
    "  secret = \"target\"          # or \"everyone\", which is usual, or \"histogram\"\n"
    "  # the other participants' values, where one is the target; or how many people have each value, the\n"
    "  # target among them or not, { histogram = [1, 2, 0] }, { histogram = \"codes.csv\" } (code,count)\n"
    "  known = [0, 1, 1]\n"
    "\n"
    "  [analyst]                  # for loss and sweep, and for more of check --epsilon\n"
    "  # or \"frequencies\" (of the known others), \"uniform-uncounted\" (a target with none of the counted\n"
    "  # values), \"uniform-full\" (histograms in which every value occurs), { participants =\n"
    "  # [\"1/2\", \"1/4\", \"1/4\"] } (everyone has these values independently), or just this list, in the\n"
    "  # order of flow channel\n"
    "  prior = \"uniform\"\n"
    "  # or \"squared-error\", \"bayes-risk\", \"argmax-accuracy\", or a matrix, a row a secret\n"
    "  loss = \"linear-error\"\n"
    "  # about = \"mode\"           # what is guessed: a mode, sum or count of the true values, as in post\n"
    "  scale = 1000               # all losses times this\n"
    "\n"
    "Ready-made ones are in examples/flow/.\n",
    flow_words,
};

constexpr VerbSpec completion_bash_spec{"completion bash", "for bash", "fractile completion bash", nullptr, {}, ""};
constexpr VerbSpec completion_zsh_spec{"completion zsh", "for zsh", "fractile completion zsh", nullptr, {}, ""};
constexpr VerbSpec completion_fish_spec{"completion fish", "for fish", "fractile completion fish", nullptr, {}, ""};
constexpr std::array completion_words{&completion_bash_spec, &completion_zsh_spec, &completion_fish_spec};

constexpr VerbSpec completion_spec{
    "completion",
    "a script by which a shell completes verbs, options and their words",
    "fractile completion bash",
    nullptr,
    {},
    "Put it where the shell looks\n"
    "  fractile completion bash > ~/.local/share/bash-completion/completions/fractile\n"
    "  fractile completion zsh > ~/.zfunc/_fractile       # with fpath+=(~/.zfunc) before compinit\n"
    "  fractile completion fish > ~/.config/fish/completions/fractile.fish\n",
    completion_words,
};

}  // namespace

const VerbSpec& release_verb() { return release_spec; }
const VerbSpec& plan_verb() { return plan_spec; }
const VerbSpec& publish_verb() { return publish_spec; }
const VerbSpec& explain_verb() { return explain_spec; }
const VerbSpec& audit_verb() { return audit_spec; }
const VerbSpec& flow_verb() { return flow_spec; }
const VerbSpec& ledger_verb() { return ledger_spec; }
const VerbSpec& count_verb() { return count_spec; }
const VerbSpec& merge_verb() { return merge_spec; }
const VerbSpec& columns_verb() { return columns_spec; }
const VerbSpec& reproduce_verb() { return reproduce_spec; }
const VerbSpec& completion_verb() { return completion_spec; }

std::span<const VerbSpec* const> all_verbs() {
  static constexpr std::array verbs{&release_spec, &count_spec,   &merge_spec,     &columns_spec,
                                    &plan_spec,    &publish_spec, &explain_spec,   &ledger_spec,
                                    &audit_spec,   &flow_spec,    &reproduce_spec, &completion_spec};
  return verbs;
}

std::vector<const VerbSpec*> verbs_with_options() {
  std::vector<const VerbSpec*> verbs;
  for (const VerbSpec* const verb : all_verbs()) {
    if (verb->words.empty()) verbs.push_back(verb);
    verbs.insert(verbs.end(), verb->words.begin(), verb->words.end());
  }
  return verbs;
}

}  // namespace fractile::requests
