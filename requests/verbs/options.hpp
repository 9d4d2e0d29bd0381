// Options that several verbs share.
#pragma once

#include "requests/typed.hpp"

namespace fractile::requests {

using enum OptionClass;

// Options of release and plan.
inline constexpr OptionSpec quantiles_option(
    "--quantiles", asker, "LIST", "quartiles", "What",
    "fractions such as 0.1,1/2,0.9, or median, quartiles, quintiles, deciles, percentiles");
inline constexpr OptionSpec synthetic_rows_option(
    "--synthetic-rows", asker, "N", "", "What",
    "instead of --quantiles: N rows distributed like the column, the quantiles 1/N, 2/N, ..., 1");
inline constexpr OptionSpec bounds_option(
    "--bounds", asker, "LO HI", "", "What",
    "the smallest and largest possible value, public knowledge, not read from the data; values outside count as the "
    "nearest of the two; numbers, dates (2024-01-31), times (2024-01-31T17:00:00) or, with Z, times in UTC");
inline constexpr OptionSpec bounds_or_auto_option(
    "--bounds", asker, "LO HI", "", "What",
    "the smallest and largest possible value, public knowledge, or auto, to pay for finding them; values outside count "
    "as the nearest of the two; numbers, dates (2024-01-31), times (2024-01-31T17:00:00) or, with Z, times in UTC");
inline constexpr OptionSpec step_option(
    "--step", asker, "S", "", "What",
    "the distance between possible values: 1 for whole numbers, 0.01 for cents; of dates "
    "and times 1w, 1d, 1h, 15min, 1s, 1ms, 1us");
inline constexpr OptionSpec candidates_option("--candidates", asker, "LIST", "", "What",
                                              "instead of --bounds and --step: the possible outputs, increasing");
inline constexpr OptionSpec quantiles_file_option("--quantiles-file", owner, "FILE", "", "What",
                                                  "instead of --quantiles: a text file with one fraction per line");
inline constexpr OptionSpec candidates_file_option(
    "--candidates-file", owner, "FILE", "", "What",
    "instead of --candidates: a text file with one possible output per line");
inline constexpr OptionSpec epsilon_option("--epsilon", asker, "E", "", "Privacy",
                                           "pure differential privacy: 1, 0.5, 1/3, \"ln 3\"");
inline constexpr OptionSpec rho_option("--rho", asker, "R", "", "Privacy",
                                       "or zero-concentrated differential privacy: 1/2, 0.1");
inline constexpr OptionSpec delta_option(
    "--delta", asker, "D", "", "Privacy",
    "with --epsilon: approximate differential privacy, 1e-6; the mechanism is then independent");
inline constexpr OptionSpec neighbors_option(
    "--neighbors", owner, "RELATION", "add-remove", "Privacy",
    "add-remove (one record more or less) or change-one (one record replaced)");
inline constexpr OptionSpec records_option("--records-per-person", owner, "D", "1", "Privacy",
                                           "no person has more than D records in the table");
inline constexpr OptionSpec mechanism_option(
    "--mechanism", asker, "NAME", "auto", "Mechanism",
    "auto, exponential (one quantile), approximate, joint, joint-total, joint-tree, independent or tree");
inline constexpr OptionSpec expected_rows_option(
    "--expected-rows", asker, "N", "", "Mechanism",
    "about how many rows there are (in a group), if that is public knowledge: worst cases then hold for at most that "
    "many rows. Without it, auto spends 1/20 of epsilon on a count where it needs their number");
inline constexpr OptionSpec intervals_option(
    "--intervals", asker, "LEVEL", "", "Intervals",
    "a confidence interval beside each quantile, for example 0.95, at most 0.999999; takes a part of the budget");
inline constexpr OptionSpec of_option("--of", asker, "WHAT", "population", "Intervals",
                                      "what an interval holds: the quantile of the population, of which the records "
                                      "are a simple random sample, or that of this table");
inline constexpr OptionSpec together_option("--together", asker, "", "", "Intervals",
                                            "the level holds for all intervals of a release, or of a group, at once");
inline constexpr OptionSpec compare_option(
    "--compare", asker, "A,B", "", "Intervals",
    "difference and ratio of two groups (their keys; of groups by several columns, two keys of one column, while the "
    "others are equal) or of two quantiles (0.25,0.75), with intervals; costs nothing");
inline constexpr OptionSpec count_option(
    "--count", asker, "", "", "Statistics",
    "how many records count, in every group, with an interval; takes a part of the budget");
inline constexpr OptionSpec below_option(
    "--below", asker, "LIST", "", "Statistics",
    "how many records, and what share of them, lie below each of these possible values; includes --count");
inline constexpr OptionSpec mean_option("--mean", asker, "", "", "Statistics",
                                        "mean of the values within the bounds, with an interval; includes --count");
inline constexpr OptionSpec count_budget_option(
    "--count-budget", asker, "SHARE", "0.1, and 0.2 with --mean", "Statistics",
    "the share of the budget that counts, shares and means get together; with --mean, half of it goes to the mean");
inline constexpr OptionSpec no_interpolation_option("--no-interpolation", asker, "", "", "Mechanism",
                                                    "auto selects every quantile");
inline constexpr OptionSpec base_option(
    "--base", asker, "BASE", "adaptive for auto, joint-total and joint-tree, else uniform", "Mechanism",
    "adaptive: prefer round numbers if the records lie on them, the filled part of the range and, where records are "
    "few, values near zero");
inline constexpr OptionSpec rates_option("--rates", asker, "RATES", "tight", "Mechanism",
                                         "tight, or as-published (the noisier rates of the paper on approximate)");
inline constexpr OptionSpec data_format("--format", output, "FORMAT", "table on a terminal, csv in a pipe", "Output",
                                        "table, json or csv");

// Options of release and count.
inline constexpr OptionSpec column_option("--column", asker, "NAME", "", "What",
                                          "the column to publish quantiles of (required)");
inline constexpr OptionSpec by_option(
    "--by", asker, "NAME", "", "What",
    "publish each group of records: those with equal text in this column, or in several: region,sex");
inline constexpr OptionSpec keys_option(
    "--keys", asker, "LIST", "", "What",
    "with --by: the texts of the groups, which are public knowledge; records with other texts are left out. With "
    "several columns, once for each: --keys region=n,s --keys sex=f,m",
    true);
inline constexpr OptionSpec keys_file_option(
    "--keys-file", owner, "PATH", "", "What",
    "instead of --keys: a file with one key per line and no header; for several columns CSV with one group per line, "
    "whose header names them");
inline constexpr OptionSpec person_option(
    "--person", owner, "NAME", "", "Privacy",
    "the column that identifies the person: then at most D records of each person count, chosen at random");
inline constexpr OptionSpec per_person_option(
    "--per-person", asker, "HOW", "", "Privacy",
    "with --person: each person counts with one value, the sum, count, mean, min, max, median, any or all of their "
    "records, in each group; --records-per-person then says in how many groups a person may count");
inline constexpr OptionSpec weight_option(
    "--weight", asker, "NAME", "", "What",
    "the column of weights, as surveys have them: a record of weight w counts as w/S records; one without a weight is "
    "left out");
inline constexpr OptionSpec weight_bounds_option(
    "--weight-bounds", asker, "LO HI", "", "What",
    "with --weight: the smallest and the largest weight, public, multiples of S; others count as the nearest of the "
    "two. Noise grows with HI");
inline constexpr OptionSpec weight_step_option(
    "--weight-step", asker, "S", "", "What",
    "with --weight: weights are rounded to multiples of this, at most 4096 of them up to HI");
inline constexpr OptionSpec weight_stability_option(
    "--weight-stability", owner, "K", "", "Privacy",
    "with weights, a declaration that is not checked: adding or removing one person's records changes the weights of "
    "at most K records, including their own. Without it, neighbors are weighted files with all other weights "
    "unchanged");
inline constexpr OptionSpec expected_weight_option("--expected-weight", asker, "W", "", "Mechanism",
                                                   "with weights: roughly their mean, if that is public knowledge");
inline constexpr OptionSpec table_option(
    "--table", owner, "NAME=FILE", "", "Input",
    "another table for the query, read as FILE is; may be given several times. SQL reads nothing else", true);
inline constexpr OptionSpec input_format_option("--input-format", owner, "FORMAT", "by the file's name", "Input",
                                                "csv, tsv, parquet or json");
inline constexpr OptionSpec delimiter_option("--delimiter", owner, "CHAR", "found in the header line", "Input",
                                             "what separates the cells of a CSV file");
inline constexpr OptionSpec single_line_option(
    "--single-line-records", owner, "", "", "Input",
    "declare that each record of a CSV or TSV file is one line: a line end within quotes is an error");
inline constexpr OptionSpec decimal_option("--decimal", owner, "CHAR", ".", "Input",
                                           "the decimal mark of a CSV or TSV file, a point or a comma");
inline constexpr OptionSpec thousands_option("--thousands", owner, "CHAR", "", "Input",
                                             "the separator between thousands there: a point, a comma, ' or a blank");
inline constexpr OptionSpec encoding_option("--encoding", owner, "NAME", "utf-8", "Input",
                                            "the encoding of a CSV or TSV file: latin1, windows-1252 or utf-16");
inline constexpr OptionSpec duckdb_option("--duckdb", owner, "PATH", "FRACTILE_DUCKDB, or where the system looks",
                                          "Input", "the DuckDB library, libduckdb.so, to read Parquet, JSON and SQL");
inline constexpr OptionSpec threads_option("--threads", machine, "N", "as many as the machine runs at once", "Input",
                                           "how many threads read, sort and draw groups; no release depends on it");
inline constexpr OptionSpec memory_option(
    "--memory", machine, "SIZE", "as much as there is", "Input",
    "how much memory reading, the records of persons and counting may take, such as 2GB: the rest goes to a temporary "
    "file. Finished counts come on top: 16 bytes per distinct value. If the engine needs more, it takes more. No "
    "release depends on this limit");
inline constexpr OptionSpec seed_option("--unsafe-seed", owner, "N", "", "Output",
                                        "reproducible and NOT PRIVATE: for tests and lessons only");
inline constexpr OptionSpec null_option("--null", owner, "POLICY", "drop", "Input",
                                        "records that are NULL, empty or NaN: drop them, or error");
inline constexpr OptionSpec missing_option(
    "--missing", owner, "LIST", "", "Input",
    "what counts as missing in the column, and in those of persons and weights: NA,.,-9 (numbers by value, texts "
    "exactly)");
inline constexpr OptionSpec unreadable_option(
    "--unreadable", owner, "POLICY", "error, and with --ledger missing", "Input",
    "cells that are not numbers: error, or missing, which counts them as empty");
inline constexpr OptionSpec sql_file_option("--sql-file", owner, "FILE", "", "Input",
                                            "instead of --sql: a text file with the query");
inline constexpr OptionSpec sql_option(
    "--sql", asker, "QUERY", "", "Input",
    "read the result of a row-wise query: SELECT ... FROM input WHERE ...; FILE is the table `input`");

// Options of all verbs that a ledger pays for.
inline constexpr OptionSpec ledger_option(
    "--ledger", owner, "PATH", "", "Ledger",
    "pay from a budget, before rows are read: a file, or postgres://USER@HOST/DATABASE; see fractile ledger init");
inline constexpr OptionSpec dataset_option("--dataset", asker, "NAME", "the ledger's only one", "Ledger",
                                           "which of its datasets pays");
inline constexpr OptionSpec source_option(
    "--source", owner, "NAME", "the path of FILE", "Ledger",
    "declare which table this is: repeating a query of the same source costs nothing");

// Options of all verbs that make a page.
inline constexpr OptionSpec page_format("--format", output, "FORMAT", "table on a terminal, csv in a pipe", "Output",
                                        "table, json, csv or html (a page to look at, one file)");
inline constexpr OptionSpec about_option(
    "--about", output, "FILE", "", "Output",
    "with html: a TOML file with title, curator, use, region, date, contact, which the page shows");
inline constexpr OptionSpec figures_option("--figures", output, "DIR", "", "Output",
                                           "with html: also write the page's figures as SVG and its tables as CSV into "
                                           "this folder, which must not hold such files yet");
inline constexpr OptionSpec public_option(
    "--public", output, "", "", "Output",
    "with html: leave out paths, queries, internal names, and the receipt with them");

// Options of release and explain.
inline constexpr OptionSpec guess_above_option("--guess", asker, "above:LIMIT", "", "Output",
                                               "on the page: how often an attacker guesses correctly whether a "
                                               "person's value is above this, from public, declared and published "
                                               "numbers");

}  // namespace fractile::requests
