# Reads the JSON that the program printed. Numbers stay text, since a double would not hold all of their digits.

json_tokens <- function(text) {
  pattern <- "\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|-?[0-9][0-9.eE+-]*|true|false|null|[\\[\\]{},:]"
  regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
}

json_string <- function(token) {
  text <- substr(token, 2L, nchar(token) - 1L)
  if (!grepl("\\", text, fixed = TRUE)) return(text)
  escape <- "\\\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
  found <- gregexpr(escape, text, perl = TRUE)
  regmatches(text, found) <- list(vapply(regmatches(text, found)[[1]], function(one) {
    kind <- substr(one, 2L, 2L)
    if (kind != "u") return(switch(kind, n = "\n", t = "\t", r = "\r", b = "\b", f = "\f", kind))
    units <- strtoi(regmatches(one, gregexpr("[0-9a-fA-F]{4}", one))[[1]], 16L)
    intToUtf8(if (length(units) == 2L) 0x10000 + (units[1] - 0xD800) * 0x400 + (units[2] - 0xDC00) else units)
  }, "", USE.NAMES = FALSE))
  text
}

# Objects are named lists, arrays are lists, null is NA.
json_read <- function(text) {
  tokens <- json_tokens(text)
  at <- 1L
  several <- function(end, one) {
    items <- list()
    while (tokens[at] != end) {
      items[[length(items) + 1L]] <- one()
      if (tokens[at] == ",") at <<- at + 1L
    }
    at <<- at + 1L
    items
  }
  member <- function() {
    name <- json_string(tokens[at])
    at <<- at + 2L
    list(name = name, value = value())
  }
  value <- function() {
    token <- tokens[at]
    at <<- at + 1L
    switch(substr(token, 1L, 1L),
      "{" = {
        members <- several("}", member)
        structure(lapply(members, `[[`, "value"), names = vapply(members, `[[`, "", "name"))
      },
      "[" = several("]", value),
      "\"" = json_string(token),
      t = TRUE, f = FALSE, n = NA_character_,
      token)
  }
  value()
}
