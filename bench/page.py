"""Formats figures for the page: times, ratios, tables, and verdicts about targets."""

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def shown(nanoseconds):
    if nanoseconds is None:
        return ""
    for unit in ("s", "ms", "us"):
        if nanoseconds >= NANOSECONDS[unit]:
            return f"{nanoseconds / NANOSECONDS[unit]:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def times(ratio):
    return f"{f'{ratio:,.0f}' if ratio >= 100 else f'{ratio:.3g}'}x"


def over(value, base):
    """The value, and its ratio to `base`."""
    if value is None or not base:
        return shown(value)
    return f"{shown(value)} ({times(value / base)})"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def verdict(what, value, target, met):
    return [what, value, target, "met" if met else "**not met**"]
