# Errors: the program's message and hint as R conditions, one class an exit code.

error_classes <- c("2" = "usage", "3" = "data", "4" = "budget", "5" = "ledger", "70" = "internal")

# "--records-per-person 3" is "records_per_person = 3" here, "--bounds 0 125" is bounds = c(0, 125), "--step 1d" is step = "1d", and
# "--null drop" at the end of a clause is null = "drop". A command to type stays as it is.
in_r <- function(text) {
  if (grepl("(^|[ :])fractile [a-z]", text)) return(text)
  text <- gsub("(?<= )([0-9]{4}-[0-9]{2}-[0-9TZ:]+)(?=[ ,;)]|$)", "\"\\1\"", text, perl = TRUE)
  text <- gsub("(--[a-z-]+) ([0-9]+[a-z]+)(?=[ ,;)]|$)", "\\1 \"\\2\"", text, perl = TRUE)
  text <- gsub("--bounds ([^ ,;]+) (\"[^\"]+\"|-?[0-9.]+|HI)", "--bounds = c(\\1, \\2)", text, perl = TRUE)
  text <- gsub("(--[a-z-]+) ([0-9./]+(?:,[0-9./]+)+)", "\\1 = c(\\2)", text, perl = TRUE)
  text <- gsub("--([a-z][a-z-]*) (\"[^\"]*\"|-?[0-9][0-9.]*(?:/[0-9]+)?)", "--\\1 = \\2", text, perl = TRUE)
  text <- gsub("(= (?:c\\([^)]*\\)|[^ ,;()]+)) --", "\\1, --", text, perl = TRUE)
  text <- gsub("\\b(write|with) --([a-z][a-z-]*) ([a-z][a-z-]*)(?=$|[,;)])", "\\1 --\\2 = \"\\3\"", text, perl = TRUE)
  options <- gregexpr("--[a-z][a-z-]*", text)
  regmatches(text, options) <- lapply(regmatches(text, options), function(option) gsub("-", "_", substring(option, 3)))
  text
}

# Raises a condition of class fractile_<kind>_error. `fields` may hold what came before it.
refuse <- function(kind, what, hint = "", code = NA_integer_) {
  text <- if (nzchar(hint)) paste0(what, "\n  ", hint) else what
  classes <- c(if (nzchar(kind)) paste0("fractile_", kind, "_error"), "fractile_error", "error", "condition")
  stop(structure(class = classes, list(message = text, call = NULL, what = what, hint = hint, code = code)))
}

# What the program said on its standard error: a list of list(what, hint).
said <- function(lines) {
  starts <- grep("^fractile: ", lines)
  ends <- c(starts[-1] - 1L, length(lines))
  Map(function(start, end) {
    rest <- if (end > start) trimws(lines[(start + 1L):end]) else character()
    list(what = in_r(sub("^fractile: ", "", lines[start])), hint = in_r(paste(rest, collapse = "\n")))
  }, starts, ends[seq_along(starts)])
}

# Warnings and notes of a run, then its error if there is one.
tell <- function(code, lines) {
  words <- said(lines)
  if (code != 0L) {
    fatal <- if (length(words)) words[[length(words)]]
    words <- words[-length(words)]
  }
  for (word in words) {
    text <- paste(c(sub("^warning: ", "", word$what), if (nzchar(word$hint)) word$hint), collapse = "\n  ")
    if (startsWith(word$what, "warning: ")) {
      warning(structure(class = c("fractile_warning", "warning", "condition"), list(message = text, call = NULL)))
    } else {
      message("fractile: ", text)
    }
  }
  if (code == 0L) return(invisible())
  kind <- error_classes[as.character(code)]
  if (is.null(fatal)) fatal <- list(what = paste("the program ended with exit code", code), hint = paste(lines, collapse = "\n"))
  refuse(if (is.na(kind)) "" else kind, fatal$what, fatal$hint, code)
}
