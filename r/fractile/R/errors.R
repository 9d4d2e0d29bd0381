# Errors: the program's message and hint as R conditions, one class for each exit code.

error_classes <- c("2" = "usage", "3" = "data", "4" = "budget", "5" = "ledger", "70" = "internal")

# Raises a condition of class fractile_error and, unless `kind` is empty, fractile_<kind>_error.
refuse <- function(kind, what, hint = "", code = NA_integer_) {
  text <- if (nzchar(hint)) paste0(what, "\n  ", hint) else what
  classes <- c(if (nzchar(kind)) paste0("fractile_", kind, "_error"), "fractile_error", "error", "condition")
  stop(structure(class = classes, list(message = text, call = NULL, what = what, hint = hint, code = code)))
}

# The program's messages on standard error, as a list of list(what, hint).
said <- function(lines) {
  starts <- grep("^fractile: ", lines)
  ends <- c(starts[-1] - 1L, length(lines))
  Map(function(start, end) {
    rest <- if (end > start) trimws(lines[(start + 1L):end]) else character()
    list(what = sub("^fractile: ", "", lines[start]), hint = paste(rest, collapse = "\n"))
  }, starts, ends[seq_along(starts)])
}

# Raises the warnings and notes of a run, and then its error if there is one.
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
