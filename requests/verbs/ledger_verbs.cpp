// The options of ledger and its words.
#include <array>

#include "requests/verbs/options.hpp"

namespace fractile::requests {
namespace {

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
               "the column that identifies the person: releases have --person with it, and --sql only if the query is "
               "grouped by it"},
    OptionSpec{"--records-per-person", owner, "D", "1", "What every release must have",
               "releases protect persons of D records, or of more"},
    OptionSpec{"--source", owner, "SOURCE", "any", "What every release must have",
               "with a slash, the file that releases read, or a folder, a pattern './2024-*.csv' or files "
               "'./a.csv,./b.csv' that they read as one table; without a slash, a name that they declare by --source"},
    OptionSpec{"--postgres", owner, "ADDRESS", "none", "What every release must have",
               "the PostgreSQL database that releases read, as they name it"},
    OptionSpec{"--input-format", owner, "FORMAT", "by the file's name", "What every release must have",
               "csv, tsv, parquet or json, where that is not what the file's name says"},
    OptionSpec{"--delimiter", owner, "CHAR", "found in the header line", "What every release must have",
               "what separates the cells of a CSV file"},
    OptionSpec{"--single-line-records", owner, "", "", "What every release must have",
               "each record of a CSV or TSV file is one line"},
    OptionSpec{"--decimal", owner, "CHAR", ".", "What every release must have",
               "the decimal mark of a CSV or TSV file"},
    OptionSpec{"--thousands", owner, "CHAR", "none", "What every release must have",
               "the separator between thousands there"},
    OptionSpec{"--encoding", owner, "NAME", "utf-8", "What every release must have",
               "the encoding of a CSV or TSV file: latin1, windows-1252 or utf-16"},
    OptionSpec{"--disjoint-persons", owner, "", "as the first release of a source", "What every release must have",
               "a profile file of files that were merged with --disjoint-persons"},
    OptionSpec{"--null", owner, "POLICY", "drop", "What every release must have",
               "error: a record that is NULL, empty or NaN ends a release after its charge"},
    OptionSpec{"--missing", owner, "LIST", "as the first release of a source", "What every release must have",
               "what counts as missing in the column, and in those of persons and weights: NA,.,-9"},
    OptionSpec{"--unreadable", owner, "POLICY", "missing", "What every release must have",
               "cells that are not numbers: missing, or error, which ends a release after its charge"},
    OptionSpec{"--table", owner, "NAME=FILE", "none", "What a release may have",
               "a further file that queries may read, whatever they call it; may be given several times", true},
    OptionSpec{"--sql-stability", owner, "N", "none", "What a release may have",
               "with --sql: a query that is not found to be row-wise, with this --sql-stability or more"},
    OptionSpec{"--sql", owner, "QUERY", "none", "What a release may have", "the query that --sql-stability is about"},
    OptionSpec{"--public-rows", owner, "", "", "What a release may have", "the number of rows is public"},
    OptionSpec{
        "--weights-as-they-are", owner, "", "", "What a release may have",
        "weights, where neighbors are weighted files: one weighted record more or less, all other weights unchanged. "
        "What calibrated weights reveal about a person is not protected"},
    OptionSpec{
        "--weight-stability", owner, "K", "none", "What a release may have",
        "weights, if adding or removing one person's records changes at most K of them, including their own: with this "
        "--weight-stability or more"},
    OptionSpec{"--keys-file", owner, "PATH", "none", "What a release may have",
               "a file of keys with these contents, wherever it is; may be given several times. Without it, analysts "
               "type --keys",
               true},
    OptionSpec{"--duckdb", owner, "PATH", "none", "What a release may have",
               "this DuckDB library, by --duckdb; without it, FRACTILE_DUCKDB or where the system looks"},
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
    "A dataset never changes: neither its budget nor what it requires of releases.\n"
    "\n"
    "Examples\n"
    "  fractile ledger init budget.db --dataset people --epsilon 1\n"
    "  fractile ledger init budget.db --dataset visits --epsilon 1 --person patient --source ./visits.csv\n"
    "  fractile ledger init postgres://keeper@db.example/budgets --dataset people --epsilon 1\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unusable file, or unwritable output;\n"
    "5 unusable ledger; 70 internal.\n",
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
    "csv (the default in a pipe) and json list only the datasets; fractile ledger export lists the entries, too.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unwritable output; 5 unusable ledger; 70 internal.\n",
};

constexpr std::array ledger_verify_table{
    OptionSpec{"--head", asker, "HASH", "", "What",
               "a hash that verify printed before: check that nothing up to it is missing"},
    OptionSpec{
        "--receipts", owner, "DIR", "", "What",
        "a folder of published receipts: each that names an entry must be the receipt of an entry of this ledger"},
};

constexpr VerbSpec ledger_verify_spec{
    "ledger verify",
    "recompute every hash and every sum",
    "fractile ledger verify FILE [--head HASH] [--receipts DIR]",
    ledger_file,
    ledger_verify_table,
    "Exit codes: 0 the ledger is whole; 2 wrong usage; 3 unwritable output; 5 it is not; 70 internal.\n",
};

constexpr std::array ledger_export_table{
    OptionSpec{"--format", output, "FORMAT", "json", "Output", "json (everything) or csv (one line per entry)"},
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
    OptionSpec{"--receipt", owner, "PATH", "", "What", "the receipt that its release wrote (required)"},
};

constexpr VerbSpec ledger_commit_spec{
    "ledger commit",
    "store the receipt that a release wrote before it was stopped",
    "fractile ledger commit FILE --entry ID --receipt PATH",
    ledger_file,
    ledger_commit_table,
    "The receipt must be whole, be where the entry says, and agree with the entry's query. Releases\n"
    "commit before they write receipts; only programs of format 1 wrote them first.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage, or not that entry's; 3 unusable receipt, or unwritable output;\n"
    "5 unusable ledger; 70 internal.\n",
};

constexpr std::array ledger_void_table{
    OptionSpec{"--entry", owner, "ID", "", "What", "a reserved entry, as show lists it (required)"},
    OptionSpec{"--reason", owner, "TEXT", "", "What", "why it is certain that nothing was published (required)"},
};

constexpr VerbSpec ledger_void_spec{
    "ledger void",
    "give back what was reserved for a release that was never published",
    "fractile ledger void FILE --entry ID --reason TEXT",
    ledger_file,
    ledger_void_table,
    "If anyone has seen the release's output or its receipt, its charge counts and must not be voided.\n"
    "\n"
    "Exit codes: 0 done; 2 wrong usage; 3 unwritable output; 5 unusable ledger; 70 internal.\n",
};

constexpr std::array ledger_witness_table{
    OptionSpec{"--accept", owner, "", "", "What",
               "a backup was put back and no later state is available: charge again what is missing"},
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

}  // namespace

const VerbSpec& ledger_verb() { return ledger_spec; }

}  // namespace fractile::requests
