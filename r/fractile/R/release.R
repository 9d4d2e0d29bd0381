# The verbs.

fractile_release <- function(x, bounds = NULL, step = NULL, quantiles = NULL, epsilon = NULL, ..., column = NULL) {
  options <- list(bounds = bounds, step = step, quantiles = quantiles, epsilon = epsilon, ...)
  if ("format" %in% names(options)) {
    refuse("usage", "format: the result is a data frame", "its receipt is attr(r, \"receipt\"); fractile_explain(r, format = ...) shows it")
  }
  if ("compare" %in% names(options)) {
    refuse("usage", "compare: the result is a data frame of values", "write fractile_explain(r, compare = ...), which compares what was released")
  }
  if ("dry_run" %in% names(options)) {
    refuse("usage", "dry_run: the result is a data frame of values", "fractile_plan(...) says what a release costs, and reads no table")
  }
  words <- option_words(options)
  data <- data_of(x, column, options)
  # The words come last, so that the program misses the value of an option that got TRUE in place of one.
  text <- run(c("release", data$file, "--column", data$column, "--format", "json", words), data$write)
  release_of(paste0(paste(text, collapse = "\n"), "\n"))
}

# Which file the program reads, the column's name in it, and a function that writes the data (NULL for a file).
data_of <- function(x, column, options) {
  if (!is.null(column) && !(is.character(column) && length(column) == 1L && !is.na(column))) {
    refuse("usage", "column: the name of one column is expected", "write column = \"age\"")
  }
  if (is.null(x)) {  # as people$aeg is, where there is no such column
    refuse("data", "x: NULL is not a column", "check the column's name; a column without records is numeric(0)")
  }
  if (is.character(x) && length(x) == 1L && is.null(dim(x))) {  # a file
    if (is.null(column)) refuse("usage", "column is missing", "write column = \"age\"")
    return(list(file = path.expand(x), column = column, write = NULL))
  }
  if (!is.data.frame(x)) {
    if (length(c(options[["person"]], options[["by"]], options[["weight"]])) > 0L) {
      refuse("usage", "person, by and weight name columns of a data frame, but x is a single column", "give the data frame")
    }
    if (is.null(column)) column <- "x"
    x <- structure(list(x), names = column)
    return(list(file = "-", column = column, write = csv_of(if (is.null(options$sql)) with_values(x, column, options) else x)))
  }
  if (is.null(column) && length(x) == 1L) column <- names(x)
  if (is.null(column)) refuse("usage", "column is missing", "write column = \"age\"")
  wanted <- if (is.null(options$sql)) unique(c(column, options$person, options$by, options[["weight"]])) else names(x)
  for (name in setdiff(wanted, names(x))) {
    refuse("data", paste0("the data frame has no column '", name, "'"), paste("it has", paste(names(x), collapse = ", ")))
  }
  if (is.null(column) || anyDuplicated(names(x)[names(x) %in% wanted])) {
    refuse("data", "the data frame has several columns of one name", "rename them")
  }
  columns <- as.list(x)[wanted]
  list(file = "-", column = column, write = csv_of(if (is.null(options$sql)) with_values(columns, column, options) else columns))
}

# The kind of the possible values: NULL where the options do not say.
kind_asked <- function(options) {
  possible <- if (is.null(options$bounds)) options$candidates else options$bounds
  if (inherits(possible, "POSIXt")) return("instant")
  if (inherits(possible, "Date")) return("date")
  if (is.numeric(possible)) return("number")
  first <- if (is.list(possible) || is.character(possible)) as.character(possible[[1]]) else ""
  if (grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", first)) return("date")
  if (grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ].*Z$", first)) return("instant")
  if (grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]", first)) return("timestamp")
  if (grepl("^-?[0-9.]+$", first)) "number"
}

# The columns, with the column of values as the program reads it: logicals as 0 and 1. A class whose cells can never be read is refused
# here, before a row is sent.
with_values <- function(columns, column, options) {
  values <- columns[[column]]
  kind <- kind_asked(options)
  its <- if (inherits(values, "POSIXt")) "instant" else if (inherits(values, "Date")) "date"
    else if (is.numeric(values) || is.logical(values)) "number"
  if (!is.null(kind) && !is.null(its) && its != kind && !(its == "date" && kind == "timestamp")) {
    refuse("data", paste0(column, ": a column of class ", class(values)[1], ", where the possible values are ",
                          switch(kind, number = "numbers", date = "dates", timestamp = "times of no time zone", instant = "instants")),
           switch(its,
             instant = "give instants as bounds, as.POSIXct(c(\"2020-01-01\", \"2026-01-01\"), tz = \"UTC\"), or dates as values, as.Date(x)",
             date = "give dates as bounds, as.Date(c(\"2020-01-01\", \"2026-01-01\"))",
             number = "give numbers as bounds, such as c(0, 125), or dates or times as values"))
  }
  if (is.logical(values)) columns[[column]] <- as.integer(values)
  columns
}

fraction <- function(text) {
  parts <- as.numeric(strsplit(text, "/", fixed = TRUE)[[1]])
  if (length(parts) == 2L) parts[1] / parts[2] else parts
}

# Values of the lattice's kind.
values_of <- function(texts, kind) {
  switch(kind,
    date = as.Date(texts),
    timestamp = ,
    instant = as.POSIXct(sub("Z$", "", texts), tz = "UTC", format = "%Y-%m-%dT%H:%M:%OS"),
    as.numeric(texts))
}

# An end beyond the possible values is infinite.
ends_of <- function(items, end, open, beyond, kind) {
  ends <- values_of(vapply(items, function(item) item[[end]], ""), kind)
  ends[vapply(items, function(item) isTRUE(item[[open]]), NA)] <- beyond
  ends
}

cost_of <- function(privacy) {
  parts <- unlist(privacy[intersect(c("epsilon", "rho", "delta"), names(privacy))])
  each <- if (privacy$records_per_person == "1") "" else paste0(", ", privacy$records_per_person, " records a person")
  paste0(paste(names(parts), "=", parts, collapse = ", "), ", ", privacy$neighbors, each)
}

# The keys of each value: a column `key`, or several key columns under their own names.
keys_of <- function(groups, by, others) {
  times <- lengths(lapply(groups, `[[`, "quantiles"))
  if (length(by) < 2L) return(data.frame(key = rep(vapply(groups, `[[`, "", "key"), times)))
  by <- unlist(by)
  keys <- lapply(by, function(column) rep(vapply(groups, function(group) group$keys[[column]], ""), times))
  names(keys) <- ifelse(by %in% others, paste0("key.", by), by)
  as.data.frame(keys, optional = TRUE)
}

release_of <- function(text) {
  receipt <- json_read(text)
  groups <- if (is.null(receipt$groups)) list(list(quantiles = receipt$quantiles)) else receipt$groups
  items <- do.call(c, lapply(groups, `[[`, "quantiles"))
  kind <- if (is.null(receipt$lattice$kind)) "number" else receipt$lattice$kind
  table <- data.frame(quantile = vapply(items, function(item) fraction(item$quantile), 0))
  table$value <- values_of(vapply(items, `[[`, "", "value"), kind)
  if (!is.null(receipt$intervals)) {
    table$lower <- ends_of(items, "lower", "or_below", -Inf, kind)
    table$upper <- ends_of(items, "upper", "or_above", Inf, kind)
  }
  if (!is.null(receipt$groups)) {
    table <- cbind(keys_of(groups, receipt$by, names(table)), table)
  }
  structure(table, class = c("fractile_release", "data.frame"), receipt = text, column = receipt$source$column,
            cost = paste0(cost_of(receipt$privacy), if (!is.null(receipt$unsafe_seed)) "; NOT PRIVATE: the random bits came from a seed"))
}

fractile_plan <- function(...) {
  options <- list(...)
  if ("format" %in% names(options)) refuse("usage", "format: the result is a data frame", "its JSON is attr(p, \"plan\")")
  text <- paste0(paste(run(c("plan", "--format", "json", option_words(options))), collapse = "\n"), "\n")
  plan <- json_read(text)
  count <- function(item, name) if (is.null(item[[name]])) NA_real_ else as.numeric(item[[name]])
  table <- data.frame(quantile = vapply(plan$quantiles, function(item) fraction(item$quantile), 0))
  for (name in setdiff(names(plan$quantiles[[1]]), "quantile")) table[[name]] <- vapply(plan$quantiles, count, 0, name)
  structure(table, class = c("fractile_plan", "data.frame"), plan = text, cost = cost_of(plan$privacy))
}

fractile_explain <- function(receipt, ...) {
  text <- if (inherits(receipt, "fractile_release")) attr(receipt, "receipt") else receipt
  if (!is.character(text) || length(text) != 1L || is.na(text)) {
    refuse("usage", "receipt: a release, a receipt's text or a path is expected", "a part of a release has no receipt: give the release itself")
  }
  words <- option_words(list(...))
  is_text <- grepl("^\\s*(\\{|<!DOCTYPE)", text)
  lines <- if (is_text) run(c("explain", "-", words), function(connection) writeLines(text, connection, sep = "", useBytes = TRUE))
    else run(c("explain", path.expand(text), words))
  structure(paste(lines, collapse = "\n"), class = "fractile_explanation")
}

print_table <- function(x) {
  cost <- attr(x, "cost")
  print(structure(x, class = "data.frame"), row.names = FALSE)
  if (!is.null(cost)) cat(cost, "\n", sep = "")
  invisible(x)
}

print.fractile_release <- function(x, ...) print_table(x)

print.fractile_plan <- function(x, ...) print_table(x)

print.fractile_explanation <- function(x, ...) {
  writeLines(unclass(x))
  invisible(x)
}
