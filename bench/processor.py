"""What processors have done for this process and for all that it has started, such as Spark's JVM and its workers."""

import os
from pathlib import Path


def seconds():
    """So far, as the kernel counts them for processes that are there and for those that were waited for."""
    parents, spent = {}, {}
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split() if folder.name.isdigit() else []
        except OSError:  # it has gone
            continue
        if fields:
            parents[int(folder.name)] = int(fields[1])
            spent[int(folder.name)] = sum(map(int, fields[11:15]))  # in user and system mode, and both of its children that have gone

    def is_ours(process):
        while process > 1 and process != os.getpid():
            process = parents.get(process, 0)
        return process == os.getpid()

    return sum(ticks for process, ticks in spent.items() if is_ours(process)) / os.sysconf("SC_CLK_TCK")
