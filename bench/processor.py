"""The processor time of this process and of all processes that it has started, such as Spark's JVM and its workers."""

import os
from pathlib import Path


def seconds():
    """The seconds so far, as the kernel counts them for running processes and for those that were waited for."""
    parents, spent = {}, {}
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split() if folder.name.isdigit() else []
        except OSError:  # the process has ended
            continue
        if fields:
            parents[int(folder.name)] = int(fields[1])
            spent[int(folder.name)] = sum(map(int, fields[11:15]))  # user and system time, and both of children that have ended

    def is_ours(process):
        while process > 1 and process != os.getpid():
            process = parents.get(process, 0)
        return process == os.getpid()

    return sum(ticks for process, ticks in spent.items() if is_ours(process)) / os.sysconf("SC_CLK_TCK")
