#include "options.hpp"

#include <array>

namespace fractile::cli {
namespace {

constexpr std::array release_table{
    OptionSpec{"--column", "NAME", "", "What", "the column to publish quantiles of (required)"},
    OptionSpec{"--quantiles", "LIST", "quartiles", "What",
               "fractions such as 0.1,1/2,0.9, or median, quartiles, quintiles, deciles, percentiles"},
    OptionSpec{"--bounds", "LO HI", "", "What", "the smallest and largest possible value, public knowledge, not read from the data"},
    OptionSpec{"--step", "S", "", "What", "the distance between possible values: 1 for whole numbers, 0.01 for cents"},
    OptionSpec{"--candidates", "LIST", "", "What", "instead of --bounds and --step: the possible outputs, increasing"},
    OptionSpec{"--epsilon", "E", "", "Privacy", "pure differential privacy: 1, 0.5, 1/3, \"ln 3\""},
    OptionSpec{"--rho", "R", "", "Privacy", "or zero-concentrated differential privacy: 1/2, 0.1"},
    OptionSpec{"--neighbors", "RELATION", "add-remove", "Privacy",
               "add-remove (one record more or less) or change-one (one record replaced)"},
    OptionSpec{"--records-per-person", "D", "1", "Privacy", "no person has more than D records in the table"},
    OptionSpec{"--mechanism", "NAME", "exponential for one quantile, else approximate", "Privacy",
               "exponential or approximate"},
    OptionSpec{"--zcdp-rate", "RATE", "bounded-range", "Privacy",
               "with --rho and approximate: bounded-range, or as-published (the paper's own, noisier)"},
    OptionSpec{"--public-rows", "", "", "Privacy", "declare the number of records public and print it"},
    OptionSpec{"--null", "POLICY", "drop", "Input", "records that are NULL, empty or NaN: drop them, or error"},
    OptionSpec{"--sql", "QUERY", "", "Input",
               "read the result of a query; FILE is the table `input`. Each row must come from one person's records alone"},
    OptionSpec{"--input-format", "FORMAT", "by the file's name", "Input", "csv, tsv, parquet or json"},
    OptionSpec{"--delimiter", "CHAR", "found by looking", "Input", "what separates the cells of a CSV file"},
    OptionSpec{"--duckdb", "PATH", "FRACTILE_DUCKDB, or where the system looks", "Input", "the DuckDB library, libduckdb.so"},
    OptionSpec{"--format", "FORMAT", "table on a terminal, csv in a pipe", "Output", "table, json or csv"},
    OptionSpec{"--receipt", "PATH", "", "Output", "write the release as JSON to a new file, durably, before it is printed"},
    OptionSpec{"--unsafe-seed", "N", "", "Output", "reproducible and NOT PRIVATE: for tests and lessons only"},
};

}  // namespace

std::span<const OptionSpec> release_options() { return release_table; }

}  // namespace fractile::cli
