"""The frame in other shapes. Where several rows would share a cell, it is an error: nothing is averaged."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
    for name in (rows, columns, values):
        _has(frame, name)
    _one_each(frame, [rows, columns])
    table = _bare(frame[[rows, columns, values]]).pivot(index=rows, columns=columns, values=values)
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
    for name in (*dims, *values):
        _has(frame, name)
    if "kernel" in dims:
        raise AmbiguousError("these are rows of several kernels, whose axes differ: choose one, as in "
                             "frame[frame.kernel == 'copy']")
    if not dims:
        raise AmbiguousError("no axis varies: name dims")
    _one_each(frame, list(dims))
    units = frame.attrs.get("units", {})
    dataset = xarray.Dataset.from_dataframe(_bare(frame[[*dims, *values]]).set_index(list(dims)))
    for name in (*dims, *values):
        if units.get(name):
            dataset[name].attrs["units"] = units[name]
    return dataset


def _has(frame: pd.DataFrame, name: str) -> None:
    if name not in frame:
        raise WarpsweepError(f"there is no column {name!r}")


def _bare(frame: pd.DataFrame) -> pd.DataFrame:
    """Without categories and missing integers, which an index of several levels does not keep."""
    changed: dict[str, Any] = {}
    for name in frame.columns:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            changed[name] = frame[name].astype(object)
        elif frame[name].dtype == "Int64":
            changed[name] = frame[name].astype("float64" if frame[name].isna().any() else "int64")
    bare = frame.assign(**changed)
    bare.attrs = {}
    return bare


def _one_each(frame: pd.DataFrame, keys: list[str]) -> None:
    """Raises AmbiguousError when two rows are equal in all keys, and says what they differ in."""
    twice = frame[frame.duplicated(keys, keep=False)]
    if twice.empty:
        return
    first = twice[(twice[keys] == twice.iloc[0][keys]).all(axis=1)]
    candidates = [*(name for name in BESIDE_AXES if name in first), *(axes(frame) if "roles" in frame.attrs else [])]
    differ = [name for name in candidates if name not in keys and first[name].nunique(dropna=False) > 1]
    place = ", ".join(f"{name} {first.iloc[0][name]}" for name in keys)
    what = f"they differ in {', '.join(differ)}: choose one value of each" if differ else "they are equal in all axes"
    raise AmbiguousError(f"{len(first)} rows would share a place ({place}); {what}")
