"""How much memory this process may still take. A reader refuses a file that needs more, before the machine or the batch
system ends it without a word."""

from __future__ import annotations

import os
import re
import resource
from pathlib import Path

from .errors import WarpsweepError

PAGE = os.sysconf("SC_PAGE_SIZE")
UNLIMITED = 1 << 60  # what version 1 of control groups says without a limit is about 2^63
# Of each version: its folder, what is before a group's path in /proc/self/cgroup, the files of limit and use, and what of
# memory.stat the kernel gives back on demand.
GROUPS = (
    ("", "0::", "memory.max", "memory.current", "inactive_file"),
    ("memory", ":memory:", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def demand(path: Path, needed: float) -> None:
    """Raise WarpsweepError if reading a file needs more memory than there is; ``needed`` in bytes."""
    free = available()
    if free is not None and needed > free:
        raise WarpsweepError(
            f"{path}: reading it needs about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free: ask for fewer "
            "columns, or use a machine, or a job, with more memory"
        )


def available(root: Path = Path("/")) -> int | None:
    """Bytes that the machine, the control groups of this process and its own limit leave; None: unknown."""
    found = [_of_machine(root), _of_limit(root), *_of_groups(root)]
    return min((one for one in found if one is not None), default=None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _number(text: str, name: str) -> int | None:
    found = re.search(rf"^{re.escape(name)}:?\s+(\d+)", text, re.M)
    return int(found[1]) if found else None


def _of_machine(root: Path) -> int | None:
    kibibytes = _number(_text(root / "proc/meminfo"), "MemAvailable")
    return None if kibibytes is None else kibibytes << 10


def _of_limit(root: Path) -> int | None:
    """What `ulimit -v` leaves of the address space."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    used = _text(root / "proc/self/statm").split()
    return max(0, limit - int(used[0]) * PAGE) if used else None


def _of_groups(root: Path) -> list[int]:
    """What the control group of this process leaves, and each that contains it."""
    found = []
    groups = _text(root / "proc/self/cgroup").splitlines()
    for folder, before, limit, use, cache in GROUPS:
        own = next((line.split(before, 1)[1] for line in groups if before in line), None)
        if own is None:
            continue
        top = root / "sys/fs/cgroup" / folder
        group = top / own.lstrip("/")
        for place in (group, *group.parents):
            told, used = _text(place / limit).strip(), _text(place / use).strip()
            if told.isdigit() and used.isdigit() and int(told) < UNLIMITED:
                given_back = _number(_text(place / "memory.stat"), cache) or 0
                found.append(max(0, int(told) - int(used) + given_back))
            if place == top:
                break
    return found
