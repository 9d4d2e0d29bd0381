# Tests that do not need the program: arguments become words, columns become cells, JSON becomes lists.
library(fractile)
words <- fractile:::option_words
field_of <- function(expression) tryCatch(expression, fractile_usage_error = function(e) conditionMessage(e))

stopifnot(
  identical(words(list(records_per_person = 3, public_rows = TRUE, again = FALSE, by = NULL)),
            c("--records-per-person", "3", "--public-rows")),
  identical(words(list(bounds = c(-1.5, 1e15), quantiles = c(0.25, 0.5))),
            c("--bounds", "-1.5", "1000000000000000", "--quantiles", "0.25,0.5")),
  identical(words(list(bounds = "auto")), c("--bounds", "auto")),  # the program refuses a second "auto"
  identical(words(list(weight_bounds = c(0, 300), weight_step = 0.5)), c("--weight-bounds", "0", "300", "--weight-step", "0.5")),
  identical(words(list(quantiles = seq(0.1, 0.9, 0.1))), c("--quantiles", "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9")),
  identical(words(list(table = c(a = "x.csv", b = "y,z.csv"))), c("--table", "a=x.csv", "--table", "b=y,z.csv")),
  identical(words(list(by = "g", keys = c(n = "north"), bounds = c(low = 0, high = 9), quantiles = c("50%" = 0.5))),
            c("--by", "g", "--keys", "north", "--bounds", "0", "9", "--quantiles", "0.5")),
  identical(words(list(by = c("g", "h"), keys = c(g = "n", h = "f"))), c("--by", "g,h", "--keys", "g=n", "--keys", "h=f")),
  grepl("write it as text, \"9007199254740992\"", field_of(words(list(unsafe_seed = 2^53)))),
  identical(words(list(epsilon = "ln 3", step = 100000L, bounds = list(0L, "1/3"))),
            c("--epsilon", "ln 3", "--step", "100000", "--bounds", "0", "1/3")),
  identical(words(list(bounds = as.Date(c("2020-01-01", "2026-01-01")), step = as.difftime(36, units = "hours"))),
            c("--bounds", "2020-01-01", "2026-01-01", "--step", "129600s")),
  identical(words(list(step = as.difftime(1, units = "weeks"))), c("--step", "7d")),
  grepl("quantiles: .*\n  write \"1/3\"", field_of(words(list(quantiles = 1 / 3)))),
  grepl("epsilon: .*looks computed", field_of(words(list(epsilon = log(3))))),
  grepl("epsilon: Inf", field_of(words(list(epsilon = Inf)))),
  grepl("bounds: .*missing", field_of(words(list(bounds = c(0, NA))))),
  grepl("keys: .*comma", field_of(words(list(keys = c("a,b", "c"))))),
  identical(words(list(by = c("region", "last, first"), keys = list(region = c("n", "s"), "last, first" = "x"))),
            c("--by", "region,\"last, first\"", "--keys", "region=n,s", "--keys", "last, first=x")),
  identical(words(list(by = "region", keys = list(region = c("n", "s")))), c("--by", "region", "--keys", "n,s")),
  grepl("keys: .*comma", field_of(words(list(keys = list(b = "y", a = c("n,s", "x")))))),
  grepl("keys: .*not a data frame", field_of(words(list(keys = data.frame(a = "x", b = "y"))))),
  grepl("keys: it is empty", field_of(words(list(keys = character())))),
  grepl("has no name", field_of(words(list(3))))
)

csv <- function(...) {
  connection <- rawConnection(raw(), "wb")
  on.exit(close(connection))
  fractile:::csv_of(list(...))(connection)
  text <- rawToChar(rawConnectionValue(connection))
  Encoding(text) <- "UTF-8"
  text
}
hard <- c(0.1, 0.1 + 0.2, 1 / 3, 1e-300, .Machine$double.xmax, -2.5, 1e5, 2^53, NA, NaN, Inf)
text <- strsplit(csv(x = hard), "\n")[[1]][-1]
stopifnot(
  identical(as.numeric(text[1:8]), hard[1:8]),
  identical(text[c(1, 2, 6, 7, 9, 10, 11)], c("0.1", "0.30000000000000004", "-2.5", "100000", "\"\"", "\"\"", "Inf")),
  identical(csv(x = c(1L, NA, -3L)), "\"x\"\n1\n\"\"\n-3\n"),
  identical(csv(`a "b"` = c(1, NA), g = factor(c(NA, "s\u00fcd, \"x\""))), "\"a \"\"b\"\"\",\"g\"\n1,\n,\"s\u00fcd, \"\"x\"\"\"\n"),
  identical(csv(d = as.Date(c("2024-01-31", NA))), "\"d\"\n2024-01-31\n\"\"\n"),
  identical(csv(t = as.POSIXct(c(1706720709.1, NA, -0.25, 86400), origin = "1970-01-01", tz = "America/Lima")),
            "\"t\"\n2024-01-31T17:05:09.100000Z\n\"\"\n1969-12-31T23:59:59.750000Z\n1970-01-02T00:00:00.000000Z\n"),
  identical(csv(x = numeric()), "\"x\"\n"),
  inherits(tryCatch(csv(x = structure(1, class = "integer64")), error = identity), "fractile_data_error"),
  inherits(tryCatch(csv(x = list(1)), error = identity), "fractile_data_error"),
  inherits(tryCatch(csv(x = table(c(1, 1, 2))), error = identity), "fractile_data_error"),
  inherits(tryCatch(csv(x = matrix(1:4, 2)), error = identity), "fractile_data_error"),
  identical(csv(x = matrix(1:2, 2)), "\"x\"\n1\n2\n")
)
# No record decides how another record is written, wherever a chunk ends.
many <- seq_len(250001) / 7
lines <- strsplit(csv(x = many), "\n")[[1]][-1]
stopifnot(length(lines) == length(many), identical(as.numeric(lines), many), identical(lines[7], "1"))

json <- fractile:::json_read
parsed <- json("{\"a\": [1, -2.50, 1e-3, \"x\\\"\\\\\\n\\u00fc\\ud83d\\ude00 {,}\"], \"b\": {}, \"c\": [], \"d\": null, \"e\": true}")
stopifnot(
  identical(parsed$a, list("1", "-2.50", "1e-3", "x\"\\\n\u00fc\U0001F600 {,}")),
  length(parsed$b) == 0, identical(parsed$c, list()), is.na(parsed$d), isTRUE(parsed$e)
)

# All messages of the program are reported: a warning, a note, then the error.
heard <- character()
error <- tryCatch(
  withCallingHandlers(
    fractile:::tell(4L, c("fractile: warning: careful", "  do", "fractile: noted", "fractile: too much", "  ask", "  again")),
    fractile_warning = function(w) { heard <<- c(heard, conditionMessage(w)); invokeRestart("muffleWarning") },
    message = function(m) { heard <<- c(heard, conditionMessage(m)); invokeRestart("muffleMessage") }),
  fractile_budget_error = identity)
stopifnot(
  identical(heard, c("careful\n  do", "fractile: noted\n")),
  identical(error[c("what", "hint", "code")], list(what = "too much", hint = "ask\nagain", code = 4L)),
  inherits(tryCatch(fractile:::tell(143L, character()), error = identity), "fractile_error")
)

# If the program succeeds without reading everything, its result is refused.
writeLines(c("#!/bin/sh", "read line", "echo {}"), fake <- tempfile())
Sys.chmod(fake, "700")
old <- options(fractile.program = fake)
error <- tryCatch(fractile_release(seq_len(1e6), c(0, 9), 1, epsilon = 1), error = identity)
stopifnot(inherits(error, "fractile_data_error"), grepl("whole", error$what))
# Standard error is not part of the output, however the two are interleaved.
writeLines(c("#!/bin/sh", "cat >/dev/null", "echo 1; echo fractile: a >&2; echo '\t2'; echo '  b' >&2; exit 5"), fake)
error <- tryCatch(fractile:::run("x", function(connection) writeLines("1", connection)), error = identity)
stopifnot(inherits(error, "fractile_ledger_error"), error$what == "a", error$hint == "b")
options(old)
unlink(fake)
