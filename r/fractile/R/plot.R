# Figures of releases and of plans.

# Colors and symbols that distinguish groups: colors first, then symbols.
look_of <- function(count) list(col = rep(seq_len(8L), length.out = count), pch = rep(c(19L, 17L, 15L, 1L, 2L, 0L), each = 8L, length.out = count))

legend_of <- function(names, look) {
  graphics::legend("topleft", legend = names, col = look$col, pch = look$pch, lty = 1L, bty = "n", cex = 0.8)
}

# The columns of keys: those before the quantile.
keys_in <- function(x) unclass_frame(x)[seq_len(max(0L, match("quantile", names(x), nomatch = 1L) - 1L))]

unclass_frame <- function(x) structure(x, class = "data.frame")

# Values against quantiles, one line per group, and intervals as bars; an end beyond the possible values reaches the edge.
plot.fractile_release <- function(x, xlab = "quantile", ylab = attr(x, "column"), ylim = NULL, legend = names(x)[1] != "quantile", ...) {
  if (is.null(x$quantile) || is.null(x$value)) {
    refuse("usage", "x: a part of a release has no figure", "plot the release itself, or the columns that you have")
  }
  names <- keys_in(x)
  key <- if (ncol(names) == 0L) rep("", nrow(x)) else do.call(paste, c(unname(as.list(names)), sep = ", "))
  keys <- unique(key)
  look <- look_of(length(keys))
  ends <- c(x$lower, x$upper)
  if (is.null(ylim)) ylim <- range(c(x$value, ends[is.finite(ends)]))
  graphics::plot(x$quantile, x$value, type = "n", xlab = xlab, ylab = if (is.null(ylab)) "value" else ylab, ylim = ylim, ...)
  edges <- graphics::par("usr")[3:4]
  for (i in seq_along(keys)) {
    one <- x[key == keys[i], c("quantile", "value", intersect(c("lower", "upper"), names(x)))]
    class(one) <- "data.frame"
    if (!is.null(one$lower)) {
      graphics::segments(one$quantile, pmax(as.numeric(one$lower), edges[1]), one$quantile, pmin(as.numeric(one$upper), edges[2]),
                         col = look$col[i])
    }
    graphics::lines(one$quantile, one$value, type = "b", col = look$col[i], pch = look$pch[i])
  }
  if (legend) legend_of(keys, look)
  invisible(x)
}

# Errors in records against quantiles: those of worst case, typical and nine in ten that the plan has.
plot.fractile_plan <- function(x, xlab = "quantile", ylab = "error in records", ylim = NULL, ...) {
  shown <- c("worst_case", "median", "nine_in_ten")
  shown <- shown[shown %in% names(x)]
  if (is.null(x$quantile) || length(shown) == 0L) refuse("usage", "x: this plan has no errors to draw", "plot what fractile_plan returned")
  look <- look_of(length(shown))
  errors <- as.matrix(as.data.frame(unclass(x)[shown]))
  graphics::matplot(x$quantile, errors, type = "b", lty = 1L, col = look$col, pch = look$pch, xlab = xlab, ylab = ylab,
                    ylim = if (is.null(ylim)) c(0, max(errors, na.rm = TRUE)) else ylim, ...)
  legend_of(c(worst_case = "worst case", median = "typical", nine_in_ten = "nine in ten")[shown], look)
  invisible(x)
}
