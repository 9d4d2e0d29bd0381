# Releases by the program, if it is installed.
library(fractile)

found <- tryCatch(fractile_release(c(1, 2), c(0, 10), 1, epsilon = 1, unsafe_seed = 1, expected_rows = 100),
                  error = identity, warning = function(w) NULL)
if (inherits(found, "error")) {
  cat("skipped: the program or its engine is not here:", conditionMessage(found), "\n")
  quit(save = "no")
}

before <- list.files(tempdir())
ages <- c(rep(c(34, 51, 28, 47, 62), 200), NA)
people <- data.frame(age = ages, region = rep(c("north", "s\u00fcd, \"x\""), length.out = 1001), id = seq_len(1001) %% 700)

# A vector, a data frame and its receipt.
r <- fractile_release(ages, c(0, 125), 1, epsilon = 1, unsafe_seed = 7)
stopifnot(
  inherits(r, c("fractile_release", "data.frame"), which = TRUE) == 1:2,
  identical(names(r), c("quantile", "value")), identical(r$quantile, c(0.25, 0.5, 0.75)),
  is.double(r$value), all(r$value >= 0 & r$value <= 125),
  startsWith(attr(r, "receipt"), "{\n  \"schema_version\": 2"), endsWith(attr(r, "receipt"), "}\n"),
  any(grepl("NOT PRIVATE", capture.output(print(r)))),
  identical(r$value, fractile_release(people["age"], c(0, 125), 1, epsilon = 1, unsafe_seed = 7)$value),
  length(capture.output(print(r["value"]))) >= 4
)

# Groups, persons and intervals.
g <- fractile_release(people, c(0, 125), "0.5", c(0.25, 0.5), "ln 3", column = "age", by = "region", keys = c("north", "south"),
                      person = "id", records_per_person = 2, intervals = 0.99, of = "table", expected_rows = 500,
                      unsafe_seed = 1)
stopifnot(
  identical(names(g), c("key", "quantile", "value", "lower", "upper")),
  identical(g$key, rep(c("north", "south"), each = 2)), all(g$lower <= g$upper),
  any(is.infinite(g$lower[3:4]), is.infinite(g$upper[3:4])),  # an empty group
  any(grepl("epsilon = ln 3, add-remove, 2 records a person", capture.output(print(g)), fixed = TRUE))
)
writeLines("s\u00fcd, \"x\"", keys <- tempfile(), useBytes = TRUE)
k <- fractile_release(people, c(0, 125), 1, "median", 20, column = "age", by = "region", keys_file = keys, expected_rows = 500)
stopifnot(identical(k$key, "s\u00fcd, \"x\""), k$value %in% c(34, 47, 51))
unlink(keys)

# Groups by two columns.
people$kind <- rep(c("a,b", "c", "d"), length.out = 1001)
two <- function(...) fractile_release(people, c(0, 125), 1, c(0.25, 0.5), 5, column = "age", unsafe_seed = 1, ...)
t <- two(by = c("region", "kind"), keys = list(region = "north", kind = c("c", "d")))
stopifnot(
  identical(names(t), c("region", "kind", "quantile", "value")), identical(t$kind, rep(c("c", "d"), each = 2)),
  identical(t$region, rep("north", 4))
)
writeLines(c("kind,region", "\"a,b\",north", "d,north"), keys <- tempfile())
t <- two(by = c("region", "kind"), keys_file = keys)
stopifnot(identical(t$kind, rep(c("a,b", "d"), each = 2)))
unlink(keys)
pdf(NULL)
plot(t)
invisible(dev.off())

# Every cell arrives: a missing cell counts as a row, wherever it stands.
count <- function(...) sub(".*\"public_rows\": ([0-9]+).*", "\\1", attr(fractile_release(..., public_rows = TRUE, epsilon = 20), "receipt"))
stopifnot(
  count(c(NA, 1, NaN, Inf, -Inf, NA), c(0, 9), 1, expected_rows = 1000) == "6",
  count(seq_len(250001) / 7, c(0, 40000), 1, expected_rows = 1000) == "250001"
)
exact <- fractile_release(rep(c("0.1", "0.3", "0.3"), 100), c(0, 1), "0.1", "median", 20, expected_rows = 1000)
stopifnot(exact$value == 0.3)

# SQL sees all columns.
s <- fractile_release(people, c(0, 250), 1, "median", 20, column = "twice", sql = "SELECT 2 * CAST(age AS DOUBLE) AS twice FROM input WHERE CAST(id AS INT) > 10",
                      expected_rows = 1000)
stopifnot(s$value %in% c(68, 94, 102))

# Weights, whose column goes to the program with the others, and bounds that are found.
people$weight <- rep(c(1, 2.5), length.out = 1001)
w <- fractile_release(people, c(0, 125), 1, "median", 20, column = "age", weight = "weight", weight_bounds = c(0, 3), weight_step = 0.5,
                      expected_rows = 1000, expected_weight = 1.75)
stopifnot(w$value %in% c(34, 47, 51), grepl("\"noise_factor\"", attr(w, "receipt"), fixed = TRUE))
b <- fractile_release(rep(ages, 10), "auto", 1, "median", 20, expected_rows = 10000)
stopifnot(b$value %in% c(34, 47, 51))

# Counts, shares and means are in the receipt.
s <- fractile_release(ages, c(0, 125), 1, "median", 20, count = TRUE, below = 40, mean = TRUE, expected_rows = 1000)
stopifnot(identical(names(s), c("quantile", "value")), grepl("\"mean\"", attr(s, "receipt"), fixed = TRUE), grepl("mean", fractile_explain(s)))

# Dates and instants, in every time zone.
days <- as.Date("2024-01-01") + seq_len(1000) %% 300
d <- fractile_release(days, as.Date(c("2020-01-01", "2026-01-01")), as.difftime(1, units = "days"), "median", 20, expected_rows = 1000)
stopifnot(inherits(d$value, "Date"), abs(as.numeric(d$value - as.Date("2024-05-30"))) < 20)
times <- as.POSIXct("2024-01-01 00:00:00", tz = "America/Lima") + seq_len(1000) * 3600
t <- fractile_release(times, as.POSIXct(c("2023-01-01", "2026-01-01"), tz = "UTC"), "1h", "median", 20, expected_rows = 1000)
stopifnot(inherits(t$value, "POSIXct"), abs(as.numeric(difftime(t$value, times[500], units = "hours"))) < 50)

# Logicals are 0 and 1.
stopifnot(fractile_release(rep(c(TRUE, TRUE, FALSE), 300), c(0, 1), 1, "median", 20, expected_rows = 1000)$value == 1)

# A class whose cells cannot be read is refused before a row is sent, and before a ledger pays for nothing.
class_told <- function(...) tryCatch(fractile_release(..., epsilon = 1), fractile_data_error = function(e) paste(e$what, e$hint, sep = " / "))
stopifnot(
  grepl("^x: a column of class POSIXct, where the possible values are dates / .*as.Date\\(x\\)$",
        class_told(times, as.Date(c("2020-01-01", "2026-01-01")), "1d")),
  grepl("class POSIXct, where the possible values are times of no time zone", class_told(times, c("2020-01-01T00:00:00", "2026-01-01T00:00:00"), "1d")),
  grepl("class POSIXct, where the possible values are numbers", class_told(data.frame(a = times), c(0, 9), 1)),
  grepl("class Date, where the possible values are instants", class_told(days, c("2020-01-01T00:00:00Z", "2026-01-01T00:00:00Z"), "1d")),
  grepl("class numeric, where the possible values are dates", class_told(ages, c("2020-01-01", "2026-01-01"), "1d")),
  grepl("class logical, where the possible values are instants", class_told(ages > 30, times[1:2], "1h"))
)

# Figures.
figures <- tempfile(fileext = ".pdf")
pdf(figures)
stopifnot(identical(plot(r), r), identical(plot(g), g), identical(plot(d), d), identical(plot(t, main = "times"), t))
dev.off()
stopifnot(file.size(figures) > 4000)
unlink(figures)

# Exit codes become classes of errors. No error holds a value.
class_of <- function(expression) class(tryCatch(expression, error = identity))[1]
ledger <- tempfile(fileext = ".db")
stopifnot(
  system2(fractile:::program_path(), c("ledger", "init", ledger, "--dataset", "people", "--epsilon", "1"), stdout = FALSE) == 0,
  nrow(fractile_release(ages, c(0, 125), 1, epsilon = "3/4", ledger = ledger)) == 3,
  class_of(fractile_release(ages, c(0, 125), 1, epsilon = "3/4", ledger = ledger)) == "fractile_budget_error",
  nrow(fractile_release(ages, c(0, 125), 1, epsilon = "1/4", ledger = ledger)) == 3,  # each release ran once
  class_of(fractile_release(ages, c(0, 125), 1, epsilon = 1, ledger = "/nonesuch.db")) == "fractile_ledger_error",
  class_of(fractile_release(ages, c(0, 125), 1)) == "fractile_usage_error",
  class_of(fractile_release(ages, c(0, 125), 1, epsilon = 1, nonesuch = TRUE)) == "fractile_usage_error",
  class_of(fractile_release(ages, c(0, 125), 1, epsilon = 1, format = "csv")) == "fractile_usage_error",
  class_of(fractile_release(people, c(0, 125), 1, epsilon = 1)) == "fractile_usage_error",
  class_of(fractile_release(people$aeg, c(0, 125), 1, epsilon = 1)) == "fractile_data_error",  # a misspelled column is NULL
  class_of(fractile_release(matrix(1:4, 2), c(0, 125), 1, epsilon = 1)) == "fractile_data_error",
  class_of(fractile_release(ages, c(0, 125), 1, epsilon = 1, dry_run = TRUE)) == "fractile_usage_error",
  class_of(fractile_release(people, c(0, 125), 1, epsilon = 1, column = "age", by = c("region", "id"))) == "fractile_usage_error",
  class_of(fractile_release(people, c(0, 125), 1, epsilon = 1, column = "nonesuch")) == "fractile_data_error",
  class_of(fractile_release(ages, c(0, 125), 1, epsilon = 1, null = "error")) == "fractile_data_error",
  class_of(fractile_release(c("1", "many"), c(0, 125), 1, epsilon = 1)) == "fractile_data_error",
  class_of(fractile_release(rep("x", 1e6), c(0, 125), 1)) == "fractile_usage_error",  # the program stops before it has read everything
  class_of(fractile_explain("/nonesuch.json")) == "fractile_data_error"
)
unlink(list.files(tempdir(), basename(ledger), full.names = TRUE))
error <- tryCatch(fractile_release("4711x", c(0, 125), 1, epsilon = 1, column = NULL), error = identity)
stopifnot(inherits(error, "fractile_error"))
error <- tryCatch(fractile_release(c("12", "4711x"), c(0, 125), 1, epsilon = 1), error = identity)
stopifnot(!grepl("4711", conditionMessage(error)))

# Messages name arguments in R's syntax, and columns by their names.
told <- function(expression) tryCatch(expression, fractile_error = function(e) paste(e$what, e$hint, sep = " / "))
stopifnot(
  told(fractile_release(ages, step = 1, epsilon = 1)) ==
    "bounds is missing: the smallest and largest possible value, known without looking at the data / for ages, write bounds = c(0, 125), step = 1",
  told(fractile_release(ages, c(0, 125), epsilon = 1)) ==
    "step is missing: the distance between possible values / for whole numbers, write step = 1",
  told(fractile_release(ages, c(0, 125), 1)) == "a budget is missing / write epsilon = 1 (pure) or rho = \"1/2\" (zero-concentrated)",
  grepl("^intervals needs a value", told(fractile_release(ages, c(0, 125), 1, epsilon = 1, intervals = TRUE))),
  grepl("^person, by and weight name columns", told(fractile_release(ages, c(0, 125), 1, epsilon = 1, person = "id"))),
  told(fractile_release(ages, c(0, 125), 1, epsilon = 0)) == "epsilon must be positive / write for example epsilon = 1",
  told(fractile_release(days, as.Date(c("2024-01-01", "2024-12-31")), epsilon = 1)) ==
    "step is missing: the distance between possible values / write for example step = \"1d\"",
  told(fractile_release(ages, c(0, 125), 1, epsilon = 1, intervals = 0.95, compare = c(0.25, 0.75))) ==
    "compare: the result is a data frame of values / write fractile_explain(r, compare = ...), which compares what was released",
  told(fractile_explain(r, compare = "a")) ==
    "compare takes two names with a comma between them / write two keys of the groups, or two of the quantiles: compare = c(0.25, 0.75)",
  told(fractile_release(ages, c(0, 125), 1, epsilon = 1, nonesuch = TRUE)) == "unknown option nonesuch / see fractile release --help",
  grepl("null = \"drop\"$", told(fractile_release(ages, c(0, 125), 1, epsilon = 1, null = "error"))),
  grepl("column 'a --epsilon 3' is DATE", fixed = TRUE,
        told(fractile_release(data.frame(x = 1), c(0, 125), 1, epsilon = 1, column = "a --epsilon 3",
                              sql = "SELECT DATE '2024-01-31' AS \"a --epsilon 3\" FROM input")))
)
old <- options(fractile.program = "/nonesuch")
stopifnot(class_of(fractile_plan(bounds = c(0, 1), step = 1, epsilon = 1)) == "fractile_usage_error")
options(old)

# A likely mistake gives a warning.
stopifnot(inherits(tryCatch(fractile_release(ages[1:4], c(0, 125), 1, epsilon = 0.1, expected_rows = 4), warning = identity), "fractile_warning"))

# A plan and an explanation.
p <- fractile_plan(bounds = c(0, 125), step = 1, quantiles = "deciles", epsilon = 1, expected_rows = 50000)
pdf(NULL)
stopifnot(identical(plot(p), p), inherits(tryCatch(plot(r["value"]), error = identity), "fractile_usage_error"))
dev.off()
stopifnot(nrow(p) == 9, all(p$worst_case > 0), grepl("epsilon = 1", capture.output(print(p))[11]))
q <- fractile_plan(bounds = c(0, 125), step = 1, rank_error = 500, expected_rows = 50000)
stopifnot(startsWith(attr(q, "cost"), "epsilon = "))
e <- fractile_explain(r)
stopifnot(
  any(grepl("NOT PRIVATE", e)), length(e) == 1L, length(capture.output(print(e))) > 5L,
  identical(capture.output(print(e)), capture.output(cat(e))),
  identical(e, fractile_explain(attr(r, "receipt"))),
  any(grepl("difference", fractile_explain(g, compare = c("north", "south")), ignore.case = TRUE)),
  class_of(fractile_explain(sub("0.25", "0.26", sub("1/4", "1/5", attr(r, "receipt"))))) == "fractile_data_error",
  class_of(fractile_explain(NULL)) == "fractile_usage_error"
)

# Nothing is left behind.
stopifnot(identical(list.files(tempdir()), before))
