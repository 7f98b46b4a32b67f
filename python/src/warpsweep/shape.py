"""The frame in other shapes. Where several rows would share a cell, it is an error: nothing is averaged."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from .errors import AmbiguousError, WarpsweepError

if TYPE_CHECKING:
    import polars
    import xarray

# What two rows of one frame may differ in beside their axes.
BESIDE_AXES = ("file", "kernel", "repeat", "device", "run")


def axes(frame: pd.DataFrame, varying: bool = True) -> list[str]:
    """The columns that are axes, by their role; only those with more than one value, or else all that apply."""
    roles = frame.attrs.get("roles", {})
    if not any(roles.values()):
        raise WarpsweepError("the frame does not say which columns are axes: it is not of load(), lost its attrs, or "
                             "is of a file of release 0.1, to which `warpsweep merge OLD.h5 -o NEW.h5` adds roles")
    found = [name for name in frame.columns if roles.get(name) == "axis" and frame[name].notna().any()]
    return [name for name in found if frame[name].nunique(dropna=False) > 1] if varying else found


def pivot(frame: pd.DataFrame, rows: str, columns: str, values: str) -> pd.DataFrame:
    """A row for each value of one column, a column for each of another. Raises AmbiguousError where several rows
    would share a cell, with what they differ in; pandas' pivot_table would average them."""
    table = _chosen(frame, [rows, columns], [values]).pivot(index=rows, columns=columns, values=values)
    table.attrs["units"] = {values: frame.attrs.get("units", {}).get(values, "")}
    return table


def to_polars(frame: pd.DataFrame) -> polars.DataFrame:
    """The frame in polars (which has no intervals: the columns ``X_interval`` are left out, their ends stay)."""
    import polars

    intervals = [name for name in frame.columns if isinstance(frame[name].dtype, pd.IntervalDtype)]
    return polars.from_pandas(frame.drop(columns=intervals))


def to_xarray(frame: pd.DataFrame, values: Sequence[str] = ("time_median", "bandwidth"),
              dims: Sequence[str] | None = None) -> xarray.Dataset:
    """A dataset over the axes of one kernel, with units; NaN where there is no such point.

    dims  its dimensions; without: ``file``, and the axes that vary. Raises AmbiguousError where several rows would
          share a place.
    """
    import xarray

    if dims is None:
        dims = [name for name in ("file", "kernel") if name in frame and frame[name].nunique() > 1] + axes(frame)
    if "kernel" in dims:
        raise AmbiguousError("these are rows of several kernels, whose axes differ: choose one, as in "
                             "frame[frame.kernel == 'copy']")
    if not dims:
        raise AmbiguousError("no axis varies: name dims")
    units = frame.attrs.get("units", {})
    dataset = xarray.Dataset.from_dataframe(_chosen(frame, list(dims), list(values)).set_index(list(dims)))
    for name in (*dims, *values):
        if units.get(name):
            dataset[name].attrs["units"] = units[name]
    return dataset


def _chosen(frame: pd.DataFrame, keys: list[str], values: list[str]) -> pd.DataFrame:
    """These columns, without categories and missing integers, which an index of several levels does not keep. Raises
    AmbiguousError when two rows are equal in all keys, and says what they differ in."""
    for name in (*keys, *values):
        if name not in frame:
            raise WarpsweepError(f"there is no column {name!r}")
    twice = frame[frame.duplicated(keys, keep=False)]
    if len(twice):
        first = twice[(twice[keys] == twice.iloc[0][keys]).all(axis=1)]
        beside = [name for name in BESIDE_AXES if name in first] + (axes(frame) if "roles" in frame.attrs else [])
        differ = [name for name in beside if name not in keys and first[name].nunique(dropna=False) > 1]
        place = ", ".join(f"{name} {first.iloc[0][name]}" for name in keys)
        what = f"differ in {', '.join(differ)}: choose one value of each" if differ else "are equal in all axes"
        raise AmbiguousError(f"{len(first)} rows would share a place ({place}); they {what}")
    chosen = frame[[*keys, *values]].copy()
    for name, column in chosen.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            chosen[name] = column.astype(object)
        elif column.dtype == "Int64":
            chosen[name] = column.astype("float64" if column.isna().any() else "int64")
    chosen.attrs = {}
    return chosen
