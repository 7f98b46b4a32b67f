"""What no release writes into a results file: it would end as a wrong number in a figure, so such a file is refused."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from . import declared
from .columns import is_text
from .declared import OUTCOMES
from .rates import DERIVED, PREDICTED
from .stored import KINDS, MISSING, corrupt, is_column, text

TABLES = ("results", "devices")  # that /columns describes to the program, too
# Columns of this release; all others may hold anything.
TYPES = {of: dict(types) for of, types in declared.TYPES.items()}
TYPES["results"] |= {name: column.type for name, column in (DERIVED | PREDICTED).items()}
# Where C says nothing else: least, most, whether it may be missing.
AMOUNT = (0.0, sys.float_info.max, True)
LIMITS = {
    of: dict.fromkeys((name for name in types if types[name] == "real"), AMOUNT)
    | declared.LIMITS.get(of, {})
    for of, types in TYPES.items()
}
LIMITS["devices"] |= {  # rates are divided by peaks
    name: (-1, np.inf, True) if type_ == "integer" else (5e-324, AMOUNT[1], True)
    for name, type_ in TYPES["devices"].items()
    if type_ == "integer" or name.startswith("peak_")
}
INTERVALS = tuple(
    (name, high)
    for name, high in ((name, f"{name[:-4]}_high") for name in TYPES["results"])
    if name.endswith("_low") and high in TYPES["results"]
)


def described_types(columns: pd.DataFrame, path: Path) -> dict[tuple[str, str], str]:
    """The type of each column of TABLES by /columns. Raises ResultsFileError where it lacks what readers take, or contradicts
    itself or this release."""
    found: dict[tuple[str, str], str] = {}
    if columns.empty:
        return found
    for name in ("table", "name", "type", "role", "unit", "meaning"):
        if name not in columns or not is_text(columns[name]):
            raise corrupt(path, f"/columns has no texts '{name}'")
    for table, name, told in zip(columns["table"], columns["name"], columns["type"]):
        if table in TABLES and told in KINDS:
            known = found.setdefault((table, name), TYPES[table].get(name, told))
            _expect(path, table, name, f"{told} in /columns", known)
    return found


def _expect(path: Path, table: str, name: str, found: str, expected: str) -> None:
    if found.split()[0] != expected:
        raise corrupt(path, f"/{table} column '{name}' has type {found}, expected {expected}")


def check_types(
    data: Any, table: str, path: Path, told: Mapping[tuple[str, str], str] = MappingProxyType({})
) -> None:
    """Raise ResultsFileError where a column has another type than this release or /columns says. One of a type that no
    release writes is not read."""
    for name in data.dtype.names or ():
        kind = data.dtype[name].kind
        known, shown = TYPES[table].get(name), text(name)
        if table == "samples":
            if known and kind not in "fiu":
                raise corrupt(path, f"/samples column '{shown}' has no numbers")
        elif is_column(data.dtype[name]):
            found = next(word for word, kinds in KINDS.items() if kind in kinds)
            _expect(path, table, shown, found, known or found)
            _expect(path, table, shown, f"{told.get((table, shown), found)} in /columns", found)


class Numbers:
    """Looks at the numbers of all columns of a table that this release knows, in portions; ``wrong``: the first that no release
    writes, in words. ``devices``: how many the file has, for /samples."""

    def __init__(self, table: str, devices: int = 0) -> None:
        self.table, self.wrong, self.limits = table, "", dict(LIMITS[table])
        if table == "samples":
            self.limits["process"] = (0, declared.number("PROCESS_MAX"), True)
            self.limits["device"] = (-1, devices - 1, True)

    def inspect(self, raw: np.ndarray[Any, Any], first: int) -> None:
        """Some rows as the file has them, and the number of the first of them."""
        known = () if self.wrong else raw.dtype.names or ()
        for name in known:
            if raw.dtype[name].kind in "fiu" and name in self.limits:
                self._inspect(name, raw[name], first)
        for low, high in INTERVALS if self.table == "results" else ():
            if {low, high} <= {*known}:
                self._note(raw[low] > raw[high], first, f"has {low} above {high}")

    def _inspect(self, name: str, values: np.ndarray[Any, Any], first: int) -> None:
        low, high, may_miss = self.limits[name]
        bad = ~((values >= low) & (values <= high))
        if may_miss and values.dtype.kind == "f":
            bad &= ~np.isnan(values)
        elif may_miss and self.table != "samples":  # there, no integer is missing
            bad &= values != MISSING
        if bad.any():
            self._note(bad, first, f"has {name} {values[bad.argmax()]:g}, which cannot be")

    def _note(self, bad: np.ndarray[Any, Any], first: int, what: str) -> None:
        if bad.any() and not self.wrong:
            self.wrong = f"row {first + bad.argmax()} of /{self.table} {what}"

    def check(self, path: Path) -> None:
        """Raise ResultsFileError if a number was wrong."""
        if self.wrong:
            raise corrupt(path, self.wrong)


def _refuse(path: Path, bad: pd.Series[bool], what: str) -> None:
    """Raise ResultsFileError if a row is bad; a missing number is none that may be there."""
    wrong = np.flatnonzero(bad.fillna(True).to_numpy(bool))
    if len(wrong):
        raise corrupt(path, f"row {wrong[0]} of /results {what}")


def check_rows(path: Path, rows: pd.DataFrame, devices: int, samples: int) -> None:
    """Raise ResultsFileError for rows, with all columns of REQUIRED, that contradict each other or the other tables, of which
    the file has so many ``devices`` and ``samples``."""
    first = partial(_refuse, path)
    first(~rows["id"].str.fullmatch("[0-9a-f]{16}"), "has an id that is not 16 hexadecimal digits")
    first(rows["kernel"] == "", "has no kernel")
    first(~rows["status"].isin(OUTCOMES), "has a status that this release does not know")
    own = rows["repeat"] == 0  # a point; a canary's repetition is one of its device
    first(
        own & rows.duplicated(["id", "repeat"]) | rows.duplicated(["id", "repeat", "device"]),
        "is the same point as another row",
    )
    first((rows["device"] >= devices).fillna(False), f"names a device; /devices has {devices}")
    begin, count = rows["sample_offset"], rows["sample_count"]
    first(
        ~((begin >= 0) & (count >= 0) & (begin + count <= samples)),
        "names samples that do not exist",
    )
    taken = pd.DataFrame({"begin": begin, "end": begin + count})[count > 0].sort_values("begin")
    overlap = taken["begin"] < taken["end"].shift(fill_value=0)
    first((overlap[overlap].reindex(rows.index, fill_value=False)), "names samples of another row")
