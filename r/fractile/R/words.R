# Arguments become the program's options: records_per_person = 3 is --records-per-person 3.

# R keeps numbers in binary. A number that someone typed has few digits, so the decimal that R prints is what was meant.
number_word <- function(value, field) {
  if (!is.finite(value)) refuse("usage", paste0(field, ": ", value, " is not a number"), "write a finite number")
  text <- sprintf("%.15g", value)
  digits <- gsub("^0+|0+$", "", gsub("[-.]", "", sub("e.*", "", text)))
  if (nchar(digits) < 15L || (value == round(value) && abs(value) < 2^53)) {
    return(if (value == round(value) && abs(value) < 2^53) sprintf("%.0f", value) else text)
  }
  if (value == round(value)) refuse("usage", paste0(field, ": ", text, " is not exact in R"), sprintf("write it as text, \"%.0f\"", value))
  below <- seq_len(10000)
  near <- which(abs(round(value * below) / below - value) <= 1e-15 * max(1, abs(value)))
  meant <- if (length(near)) sprintf("\"%.0f/%d\"", round(value * near[1]), near[1]) else "text such as \"1/3\" or \"ln 3\""
  refuse("usage", paste0(field, ": ", text, " looks computed, and would be taken for exactly this decimal"),
         paste("write", meant))
}

# A difftime as the program writes it: 1d, 90s, 1us.
span_word <- function(value) {
  seconds <- as.double(value, units = "secs")
  for (unit in list(c("d", 86400), c("s", 1), c("us", 1e-6))) {
    count <- seconds / as.numeric(unit[2])
    if (count == round(count) || unit[1] == "us") return(sprintf("%.0f%s", count, unit[1]))
  }
}

# One word for each element.
value_words <- function(value, field) {
  if (is.list(value)) return(unlist(lapply(value, value_words, field), use.names = FALSE))
  if (!is.atomic(value) || anyNA(value) || inherits(value, "integer64")) {
    refuse("usage", paste0(field, ": numbers or text are expected, and nothing that is missing"), "write for example 1, 0.5 or \"1/3\"")
  }
  if (inherits(value, "difftime")) return(vapply(seq_along(value), function(i) span_word(value[i]), ""))
  if (inherits(value, c("Date", "POSIXt"))) return(cells(value))
  if (is.factor(value)) value <- as.character(value)
  if (is.character(value)) return(enc2utf8(as.vector(value)))
  if (is.numeric(value)) return(vapply(as.vector(value), function(one) number_word(as.double(one), field), ""))
  refuse("usage", paste0(field, ": numbers or text are expected, not ", class(value)[1]), "write for example 1, 0.5 or \"1/3\"")
}

# Names with commas between them; a name is in quotes where CSV needs them.
names_word <- function(names) {
  quoted <- grepl("[\",\r\n]|^ | $", names)
  paste(ifelse(quoted, paste0("\"", gsub("\"", "\"\"", names, fixed = TRUE), "\""), names), collapse = ",")
}

list_word <- function(words, field) {
  if (length(words) == 0L) refuse("usage", paste0(field, ": it is empty"), "leave it out, or write a value")
  if (length(words) > 1L && any(grepl(",", words, fixed = TRUE))) {
    refuse("usage", paste0(field, ": an element holds a comma, which separates elements"),
           if (field == "keys") "write the keys into a file, one a line, and give it as keys_file" else "give numbers, or text without commas")
  }
  paste(words, collapse = ",")
}

# The keys of several columns: one list of keys for each column.
keys_words <- function(keys) {
  if (is.data.frame(keys)) {
    refuse("usage", "keys: a list of keys for each column is expected, and not a data frame",
           "write the groups by write.csv(keys, file, row.names = FALSE), and give that as keys_file")
  }
  lists <- lapply(keys, value_words, "keys")
  as.vector(rbind("--keys", paste0(names(keys), "=", vapply(lists, list_word, "", "keys"))))
}

option_words <- function(options) {
  fields <- names(options)
  if (length(options) && (is.null(fields) || any(fields == ""))) {
    refuse("usage", "an argument has no name", "write option = value, by the names that fractile release --help lists")
  }
  unlist(Map(function(field, value) {
    option <- paste0("--", gsub("_", "-", field))
    if (is.null(value) || isFALSE(value)) return(NULL)
    if (isTRUE(value)) return(option)
    if (field == "keys" && is.list(value) && !is.null(names(value))) {
      if (length(value) > 1L) return(keys_words(value))
      value <- value[[1L]]  # the keys of one column
    }
    if (field == "by" && is.character(value)) return(c(option, names_word(enc2utf8(value))))
    words <- value_words(value, field)
    if (length(words) == 0L) refuse("usage", paste0(field, ": it is empty"), "leave it out, or write a value")
    # Elsewhere names mean nothing: those of keys = c(n = "north") would become a part of the key.
    has_entries <- field == "table" || (field == "keys" && length(options[["by"]]) > 1L)
    if (has_entries && !is.null(names(value))) return(rbind(option, paste0(names(value), "=", words)))
    if (field %in% c("bounds", "weight_bounds")) return(c(option, words))  # two words, or "auto"
    c(option, list_word(words, field))
  }, fields, options), use.names = FALSE)
}
