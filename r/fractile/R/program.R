# Running the program: data go in through a named pipe, and all output comes back through another pipe.

program_path <- function() {
  path <- getOption("fractile.program", "")
  if (!nzchar(path)) path <- Sys.getenv("FRACTILE")
  if (!nzchar(path)) path <- Sys.which("fractile")[[1]]
  if (!nzchar(path)) {
    refuse("usage", "the program fractile is not here",
           "name it: options(fractile.program = \"/path/of/fractile\"), or the environment variable FRACTILE")
  }
  path <- path.expand(path)
  if (file.access(path, 1L) != 0L || dir.exists(path)) {
    refuse("usage", paste0("the program '", path, "' cannot be run"),
           "check the option fractile.program, the environment variable FRACTILE, or PATH")
  }
  path
}

# A shell script that runs the program; $1, $2, ... are the program and its words. Standard output passes through. Progress on
# standard error is shown at once. The other lines of standard error, and then the exit code, are printed at the end, after a
# record separator, which begins the first of these lines.
runner <- 'exec 3>&1
said=$({ "$@" 2>&1 >&3 3>&-; echo "$?"; } | while IFS= read -r line; do
  case $line in
    "fractile: still working on "*) printf "%s\\n" "$line" >&2 ;;
    *) printf "%s\\n" "$line" ;;
  esac
done)
printf "\\036%s\\n" "$said"'

# Runs `fractile words` and returns the lines of standard output. Raises warnings, and failures as errors. `write` is NULL or a
# function that writes standard input into a connection.
run <- function(words, write = NULL) {
  input <- "/dev/null"
  if (!is.null(write)) {
    input <- tempfile("fractile-")
    on.exit(unlink(input), add = TRUE)
    if (system2("mkfifo", c("-m", "600", shQuote(input))) != 0L) refuse("internal", "a pipe could not be made")
  }
  # The program names arguments in R's syntax: records_per_person = 3 is --records-per-person 3.
  command <- paste("exec env FRACTILE_WORDING=r sh -c", shQuote(runner), "fractile", paste(shQuote(c(program_path(), words)), collapse = " "),
                   "<", shQuote(input))
  if (nchar(command, "bytes") > 100000L) {
    refuse("usage", "the arguments are too long for a command", "give long lists of keys as keys_file")
  }
  output <- pipe(command, "r", encoding = "UTF-8")
  on.exit(close(output), add = TRUE)
  whole <- is.null(write) || feed(input, write)
  lines <- readLines(output, warn = FALSE, encoding = "UTF-8")
  mark <- max(0L, which(startsWith(lines, "\036")))
  if (mark == 0L) refuse("internal", "the program said nothing")
  errors <- lines[mark:length(lines)]
  errors[1] <- substring(errors[1], 2L)
  tell(as.integer(errors[length(errors)]), errors[-length(errors)])
  if (!whole) refuse("data", "the data could not be handed over whole", "what was released is of a part of them: do not use it")
  lines[seq_len(mark - 1L)]
}

# Writes into the pipe. FALSE when the program stopped reading early; the program's own messages then say why.
feed <- function(input, write) {
  pipe <- file(input, "wb", raw = TRUE)
  whole <- TRUE
  broken <- function(condition) {
    whole <<- FALSE
    if (inherits(condition, "warning")) invokeRestart("muffleWarning")
  }
  withCallingHandlers({
    tryCatch(write(pipe), error = broken)
    close(pipe)
  }, warning = broken)
  whole
}
