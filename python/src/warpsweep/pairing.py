"""Which row of one file is the same point as which row of another, and which rows differ in some columns only."""
from __future__ import annotations

import sys
from typing import Any, Iterable

import numpy as np
import pandas as pd

from .results import Results, read


def opened(files: Iterable[Any]) -> list[Results]:
    """Files by their paths; those that were read before are taken as they are."""
    return [one if isinstance(one, Results) else read(one) for one in files]


def same_run(a: Results, b: Results) -> bool:
    """Whether both files are of one run: copies, or links."""
    known = [(one.attributes.get("lineage"), one.env("start")) for one in (a, b)]
    return bool(known[0][0]) and known[0] == known[1]


def without_copies(files: list[Results]) -> list[Results]:
    """The files, a run of which there are copies once, with a note."""
    once = [file for at, file in enumerate(files) if not any(same_run(file, other) for other in files[:at])]
    if len(once) < len(files):
        print(f"warpsweep: note: {len(files) - len(once)} of the files are copies of others, and left out",
              file=sys.stderr)
    return once


def point_keys(rows: pd.DataFrame, names: Iterable[str]) -> np.ndarray:
    """A number for each row, equal for rows of one kernel with equal values of these axes; missing values are equal."""
    return rows.groupby(["kernel", *names], dropna=False, sort=False).ngroup().to_numpy()


def partners(a: pd.DataFrame, b: pd.DataFrame, columns_a, columns_b) -> np.ndarray:
    """For each row of `a` the position of its partner in `b`; -1: none.

    a, b         rows of two files, first measurements only
    columns_a    Columns of the files
    Rows are paired by id. The remaining ones are paired by kernel and the axes that it has in both files, which finds
    points of releases whose family had fewer axes. Ambiguous rows stay unpaired.
    """
    partner = np.full(len(a), -1)
    _pair(partner, np.arange(len(a)), np.arange(len(b)), a["id"].to_numpy(), b["id"].to_numpy())
    rest_a = np.flatnonzero(partner < 0)
    rest_b = np.setdiff1d(np.arange(len(b)), partner)
    shared = [name for name in columns_a.axes() if name in columns_b and name in b and name in a]
    for kernel in set(a["kernel"].iloc[rest_a]) & set(b["kernel"].iloc[rest_b]):
        of_a, of_b = (frame[frame["kernel"] == kernel] for frame in (a, b))
        own = [name for name in shared if _has(of_a[name]) and _has(of_b[name])]
        left = rest_a[a["kernel"].iloc[rest_a] == kernel]
        right = rest_b[b["kernel"].iloc[rest_b] == kernel]
        both = pd.concat([frame.iloc[at][own].astype(object).where(lambda v: v.notna(), "") for frame,
                          at in ((a, left), (b, right))])
        key = both.groupby(own, sort=False).ngroup().to_numpy() if own else np.zeros(len(both))
        _pair(partner, left, right, key[: len(left)], key[len(left):])
    return partner


def _has(values: pd.Series) -> bool:
    return bool((values.notna() & (values != "")).any())


def _pair(partner: np.ndarray, left: np.ndarray, right: np.ndarray, key_left: np.ndarray,
          key_right: np.ndarray) -> None:
    """Pair the positions whose keys are unique on both sides."""
    sides = [pd.Series(at, index=key) for at, key in ((left, key_left), (right, key_right))]
    one, other = (side[~side.index.duplicated(keep=False)] for side in sides)
    found = other.reindex(one.index)
    known = found.notna().to_numpy()
    partner[one.to_numpy()[known]] = found[known].to_numpy(int)
