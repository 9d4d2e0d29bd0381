"""Columns that a Python program holds already: Fractile and the private rivals, each in a separate process with the data loaded."""

import peers
from page import shown, table, times

DOORS = ("pandas", "polars", "numpy")
LIBRARIES = ("ours", "OpenDP", "diffprivlib", "Google's tree (python-dp)")
SIZES = (10_000, 1_000_000, 10_000_000, 20_000_000)
COUNTS = (1, 9, 99)
LIMIT = 60  # seconds for one library, kind of column and number of records
LARGE = 1_000_000  # from this number of records on, rivals get only a column of numpy: they all turn other columns into one


def asked(library, door, n, m):
    if library != "ours" and n >= LARGE and door != "numpy":
        return peers.Answer(absent="as of numpy")
    return peers.ask("peer_doors.py", "release", library, door, n, m, limit=LIMIT)


def measured(quick):
    """{(n, m, door): {library: Answer}}. Each number m of quantiles is measured by itself, so that a slow one does not hide a quick one."""
    sizes = SIZES[:1] if quick else SIZES
    return {(n, m, door): {library: asked(library, door, n, m) for library in LIBRARIES}
            for n in sizes for m in COUNTS for door in DOORS}


def cell(answer, m, ours):
    if answer.absent:
        return answer.absent if answer.absent == "as of numpy" else f"absent: {answer.absent}"
    seconds = answer.measured[f"{m}/seconds"]
    text = f"{shown(seconds * 1e9)}, {answer.measured[f'{m}/bytes'] / 2**20:.0f} MiB, gap {answer.measured[f'{m}/gap']:.3g}"
    return text if seconds == ours else f"{text} ({times(seconds / ours)})"


def slower(answers):
    """The cases in which a rival was quicker than ours, with their gaps."""
    rows = []
    for (n, m, door), of in answers.items():
        for library, answer in of.items():
            if library == "ours" or answer.absent or of["ours"].absent:
                continue
            if answer.measured[f"{m}/seconds"] < of["ours"].measured[f"{m}/seconds"]:
                rows.append(f"{library} at {n:,} records of {door}, m = {m}")
    return rows


def part(quick):
    answers = measured(quick)
    rows = []
    for (n, m, door), of in answers.items():
        ours = of["ours"].measured.get(f"{m}/seconds")
        rows.append([f"{n:,}", str(m), door, *(cell(of[library], m, ours or float("nan")) for library in LIBRARIES)])
    quicker = slower(answers)
    verdict = f"Quicker than ours: {'; '.join(quicker)}." if quicker else "No rival was quicker than ours anywhere."
    return ("## From Python, with the data loaded\n\nNormal records with deviation 5, bounds [-100, 100], m uniform quantiles, epsilon 1 "
            "for all of them together. Each cell gives the wall time of a call, the growth of the process's peak memory in the first "
            "call, and the mean gap of one release in records. In brackets: how many times Fractile's time. Fractile chooses among values "
            f"0.001 apart, OpenDP among {10_001:,} candidates. OpenDP's measurements are made beforehand. A call of more than {LIMIT} s is "
            f"given up. From {LARGE:,} records on, rivals are measured only on a numpy column, because each converts other columns to "
            f"numpy first. {verdict}\n\n"
            + table(["records", "m", "column of", *LIBRARIES], rows))
