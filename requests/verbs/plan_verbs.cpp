// The options of plan, publish and explain.
#include <array>

#include "requests/verbs/options.hpp"

namespace fractile::requests {
namespace {

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
               "with --weight-bounds: weights are rounded to multiples of this, at most 4096 of them up to HI"},
    epsilon_option,
    rho_option,
    delta_option,
    neighbors_option,
    records_option,
    weight_stability_option,
    OptionSpec{"--rank-error", asker, "R", "", "Worth",
               "instead of --epsilon: find the smallest one with which each quantile, taken by itself, misses by at "
               "most R records"},
    OptionSpec{"--percentile-error", asker, "P", "", "Worth",
               "the same with P percent of --expected-rows instead of R records"},
    OptionSpec{"--solve-for", asker, "BUDGET", "epsilon", "Worth",
               "with --rank-error or --percentile-error: find epsilon, or rho"},
    OptionSpec{"--confidence", asker, "C", "0.95", "Worth",
               "worst cases hold with this probability, whatever the table"},
    OptionSpec{"--shape", asker, "SHAPE", "normal", "Worth",
               "the shape of the public table on which typical errors are simulated: uniform, normal or log-normal"},
    OptionSpec{"--guess", asker, "WHAT", "", "Worth",
               "also how often an attacker's best guess about a person is right: value, presence, or above:30000"},
    OptionSpec{"--analyst", owner, "FILE", "", "Worth",
               "the least epsilon within --epsilon LO..HI at which the values serve this analyst: a TOML file with "
               "[analyst], loss = \"missed-records\" or \"missed-by-more\" (than = 100), and most = 20, the largest "
               "loss they accept"},
    OptionSpec{
        "--reference", owner, "FILE", "a table of the shape", "Worth",
        "with --guess or --analyst: a public table whose values are spread like those of the one to be released"},
    OptionSpec{"--reference-column", owner, "NAME", "value", "Worth", "the column of that table"},
    OptionSpec{"--duckdb", owner, "PATH", "FRACTILE_DUCKDB, or where the system looks", "Input",
               "the DuckDB library, libduckdb.so, if --reference or a public file of FILE is Parquet or JSON"},
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

constexpr const char* publication_toml =
    "TOML file that describes a publication; fractile publish --example prints one";

constexpr const char* plan_epilogue =
    "No table is read, except a public --reference, and nothing is spent. A quantile's rank error is the\n"
    "number of records by which the published value misses it. A publication's FILE says all else, so only\n"
    "--format (table, csv or json) and --duckdb may be given with it; then the plan says what each table\n"
    "and level costs, what is expected in each cell, and which cells no budget can save.\n"
    "\n"
    "Examples\n"
    "  fractile plan people.toml\n"
    "  fractile plan --bounds 0 500000 --step 1 --epsilon 1 --expected-rows 50000\n"
    "  fractile plan --bounds 0 500000 --step 1 --rank-error 100 --expected-rows 50000\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable file; 70 internal.\n";

constexpr VerbSpec plan_spec{
    "plan",
    "before a release: what it will cost, and how wrong it may be",
    "fractile plan --bounds LO HI --step S --epsilon E [options]\n  fractile plan FILE [--format FORMAT]",
    publication_toml,
    plan_table,
    plan_epilogue,
};

constexpr std::array publish_table{
    ledger_option,
    dataset_option,
    OptionSpec{"--again", asker, "", "", "Ledger",
               "draw and pay for all tables again, even those that the ledger holds"},
    source_option,
    duckdb_option,
    threads_option,
    memory_option,
    OptionSpec{"--output", output, "DIR", "", "Output",
               "write the tables into this folder: a tidy CSV, the receipt and a page, by the name of FILE"},
    OptionSpec{"--about", output, "FILE", "", "Output",
               "a TOML file with title, curator, use, region, date, contact, which the page shows"},
    OptionSpec{"--public", output, "", "", "Output",
               "leave paths, queries, internal names, and the receipt with them, out of the page"},
    OptionSpec{"--format", output, "FORMAT", "table on a terminal, csv in a pipe", "Output",
               "of what is printed without --output: table, csv or json (the receipt)"},
    seed_option,
    OptionSpec{"--example", output, "", "", "Output", "print a FILE that runs on examples/people.csv, with comments"},
};

constexpr const char* publish_epilogue =
    "FILE describes all tables, their cells and their budget; fractile plan FILE says beforehand what each cell\n"
    "will be worth. All columns are read once, all levels of all tables are paid for in one transaction, and\n"
    "published as a whole. A table that the ledger holds is taken as it is, at the cost that it had; the others\n"
    "share what is left of the file's budget. Cells that are not numbers count as missing, unless FILE says\n"
    "otherwise.\n"
    "\n"
    "Examples\n"
    "  fractile publish --example > people.toml\n"
    "  fractile plan people.toml\n"
    "  fractile publish people.toml --ledger budget.db --output tables\n"
    "\n"
    "Exit codes: 0 published; 2 wrong usage; 3 unusable file, table or cell; 4 the budget does not\n"
    "allow it; 5 unusable ledger; 70 internal; 130 stopped by Ctrl-C and 143 by SIGTERM after a\n"
    "ledger was charged.\n";

constexpr VerbSpec publish_spec{
    "publish",
    "many tables under one budget, from one file",
    "fractile publish FILE --ledger LEDGER --output DIR [options]\n  fractile publish --example",
    publication_toml,
    publish_table,
    publish_epilogue,
};

constexpr std::array explain_table{
    compare_option,
    OptionSpec{"--ledger", owner, "PATH", "", "Ledger",
               "the ledger that paid for the release, and must hold this receipt: says what is left of its budget"},
    OptionSpec{"--dataset", asker, "NAME", "the one that the receipt names", "Ledger", "which of its datasets"},
    OptionSpec{"--format", output, "FORMAT", "text", "Output",
               "text, markdown, html (a page to look at), json (the receipt itself, also of a page), or registry (YAML "
               "for the public registry of deployments)"},
    OptionSpec{
        "--about", output, "FILE", "", "Output",
        "with html or registry: a TOML file with title, curator, use, region, date, contact, description; for the "
        "registry also curator_type, sector, author"},
    figures_option,
    public_option,
    guess_above_option,
};

constexpr VerbSpec explain_spec{
    "explain",
    "a receipt in plain language: what was published, and what is promised",
    "fractile explain RECEIPT [--compare A,B] [--format FORMAT]",
    "a receipt of fractile release --receipt or fractile publish, or a page that holds one; - for standard input",
    explain_table,
    "A receipt that was changed since it was written is refused.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable receipt; 5 unusable ledger; 70 internal.\n",
};

}  // namespace

const VerbSpec& plan_verb() { return plan_spec; }
const VerbSpec& publish_verb() { return publish_spec; }
const VerbSpec& explain_verb() { return explain_spec; }

}  // namespace fractile::requests
