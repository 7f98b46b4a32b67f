"""Which row of one file is the same point as which row of another, and which rows differ in some columns only."""

from __future__ import annotations

from typing import Iterable

import numpy as np
import pandas as pd

from .columns import Columns


def point_keys(rows: pd.DataFrame, names: Iterable[str]) -> np.ndarray:
    """A number for each row, equal for rows of one kernel with equal values of these axes; missing values are equal."""
    return rows.groupby(["kernel", *names], dropna=False, sort=False).ngroup().to_numpy()


def partners(
    a: pd.DataFrame, b: pd.DataFrame, columns_a: Columns, columns_b: Columns
) -> np.ndarray:
    """For each row of `a` the position of its partner in `b`; -1: none.

    a, b         rows of two files, first measurements only
    columns_a    of the files
    Rows are paired by id. The remaining ones are paired by kernel and the axes that it has in both files, which finds
    points of releases whose family had fewer axes. Ambiguous rows stay unpaired.
    """
    a, b = (rows.reset_index(drop=True) for rows in (a, b))
    found = [_matched(a["id"], b["id"])]
    shared = [name for name in columns_a.axes() if name in columns_b and name in b and name in a]
    rest = a.drop(found[0].index), b.drop(found[0])
    for kernel in set(rest[0]["kernel"]) & set(rest[1]["kernel"]):
        both = [rows.loc[rows["kernel"] == kernel, shared] for rows in (a, b)]
        own = [
            "kernel",
            *(
                name
                for name in shared
                if all((of[name].notna() & (of[name] != "")).any() for of in both)
            ),
        ]
        keys = [
            of.loc[of["kernel"] == kernel, own].astype(object).where(lambda v: v.notna(), "")
            for of in rest
        ]
        found.append(
            _matched(
                *(
                    pd.Series(list(key.itertuples(index=False, name=None)), key.index)
                    for key in keys
                )
            )
        )
    return pd.concat(found).reindex(a.index, fill_value=-1).to_numpy(int)


def _matched(a: pd.Series, b: pd.Series) -> pd.Series:
    """The labels in `b` of the keys in `a` that are unique on both sides."""
    one, other = (keys.drop_duplicates(keep=False) for keys in (a, b))
    return one.map(dict(zip(other, other.index))).dropna().astype(int)
