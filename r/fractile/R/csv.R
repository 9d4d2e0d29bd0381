# Columns as CSV, cell by cell: no record decides how another one is written.

chunk <- 100000L

# With up to 17 significant digits: the fewest of 15, 16 and 17 that R reads back as the same number.
double_cells <- function(values) {
  text <- sprintf("%.15g", values)
  for (format in c("%.16g", "%.17g")) {
    longer <- which(is.finite(values) & suppressWarnings(as.numeric(text)) != values)
    text[longer] <- sprintf(format, values[longer])
  }
  text
}

# Instants in UTC, to the microsecond.
instant_cells <- function(times) {
  micro <- round(as.double(as.POSIXct(times)) * 1e6)
  whole <- as.POSIXct(micro %/% 1e6, origin = "1970-01-01", tz = "UTC")
  paste0(format(whole, "%Y-%m-%dT%H:%M:%S"), sprintf(".%06.0fZ", micro %% 1e6))
}

# Refuses a column by its class and dimensions alone.
check_column <- function(values, field) {
  if (length(dim(values)) > 1L && length(values) != nrow(values)) {
    refuse("data", paste0(field, ": an array of several columns is not a column"), "give one of its columns, such as x[, 1]")
  }
  unread <- inherits(values, c("integer64", "difftime", "table")) || is.complex(values) || is.raw(values) || !is.atomic(values)
  if (unread && !inherits(values, "POSIXt")) {
    refuse("data", paste0(field, ": a column of class ", class(values)[1], " cannot be read"),
           "convert it, for example by as.character() or as.numeric()")
  }
}

# The cells of a column; missing values are NA.
cells <- function(values) {
  missing <- is.na(values)
  text <- if (is.factor(values) || is.character(values)) enc2utf8(as.character(values))
    else if (inherits(values, "Date")) format(values, "%Y-%m-%d")
    else if (inherits(values, "POSIXt")) instant_cells(values)
    else if (is.logical(values)) ifelse(values, "true", "false")
    else if (is.integer(values)) sprintf("%d", values)
    else double_cells(as.double(values))
  text[missing] <- NA_character_
  text
}

quoted <- function(text) paste0("\"", gsub("\"", "\"\"", text, fixed = TRUE), "\"")

# Text is quoted, numbers are not. NA is an empty cell. In a table of one column this cell is quoted, since an empty line is no record.
column_cells <- function(values, alone) {
  text <- cells(values)
  if (is.character(values) || is.factor(values)) text[!is.na(text)] <- quoted(text[!is.na(text)])
  text[is.na(text)] <- if (alone) "\"\"" else ""
  text
}

# A function that writes the columns into a connection.
csv_of <- function(columns) {
  force(columns)
  alone <- length(columns) == 1L
  for (name in names(columns)) check_column(columns[[name]], name)  # before the program runs
  function(connection) {
    writeLines(paste(quoted(enc2utf8(names(columns))), collapse = ","), connection, useBytes = TRUE)
    rows <- length(columns[[1]])
    for (start in seq(1L, by = chunk, length.out = ceiling(rows / chunk))) {
      here <- start:min(rows, start + chunk - 1L)
      parts <- lapply(columns, function(column) column_cells(column[here], alone))
      writeLines(do.call(paste, c(unname(parts), sep = ",")), connection, useBytes = TRUE)
    }
  }
}
