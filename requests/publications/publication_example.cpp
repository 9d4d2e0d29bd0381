#include "requests/publications/publication_file.hpp"

namespace fractile::requests {

std::string_view example_publication() {
  return R"(# A publication: many tables from one file, under one budget.
#   fractile plan people.toml                      what each cell will be worth; reads no record
#   fractile publish people.toml --output tables   the tables
# The records are examples/people.csv: 4,000 people who do not exist. docs/publication.md says what every member means.

[publication]
title = "People and incomes"
epsilon = 1                    # what all tables together cost one person; or rho; or "least", what the targets take
# person = "id"                # if a person may have several records: the column that identifies the person,
# records_per_person = 2       # and how many records of each person count; the same ones in all tables

[input]
file = "people.csv"            # beside this file; or sql and tables, postgres, or counts, as fractile release has them
missing = ["NA", "."]          # texts that count as missing; so do all others that are not numbers

[keys]                         # public, and never read from the data; other records are in no cell
region = ["north", "south", "east", "west"]
sex = { female = "women", male = "men" }      # with labels; or { file = "regions.csv", key = "code", label = "name" }

[[table]]
name = "income"
column = "income"
bounds = [0, 500_000]          # known without looking at the data; values outside count as the nearest of the two
step = 100
quantiles = "quartiles"        # or deciles, median, ..., or a list: [0.1, "1/2", 0.9]
by = ["region", "sex"]         # a cell for each pair of keys
totals = "all"                 # and for each region, each sex and everyone; or "none"; or a list: [["region"], []]
rows = 500                     # about how many records a cell has, as is publicly known; or a file with the keys and rows
# share = 2                    # of the budget, in comparison with other tables; without any, errors come out alike

[[table]]
name = "age"
column = "age"
bounds = [0, 125]
step = 1
quantiles = "median"
by = "region"
rows = 1000
)";
}

}  // namespace fractile::requests
