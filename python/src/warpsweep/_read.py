"""What is in a results file, as pandas has it."""
from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ._error import ResultsFileError
from ._file import Column, described, opened, plain, text


def load(*paths: str | os.PathLike[str], canaries: bool = False, device: Sequence[str] = ("name",)) -> pd.DataFrame:
    """The rows of /results, one a point: of one file, or of several under one another.

    Texts are categories, but for the key ``id``; an axis that a row's kernel does not have is missing. Integers are
    ``Int64`` and exact, ``<NA>`` where they do not apply; what was not measured is NaN. Each pair ``X_low``,
    ``X_high`` (or ``X_ci_low``, ``X_ci_high``) gives a column ``X_interval`` of pandas intervals as well.

    canaries  also the repetitions of points that show drift
    device    columns of /devices to put beside the rows, as ``device.NAME``

    With several files a column ``file`` says which one a row is from. ``attrs`` of the frame has ``units``,
    ``meanings`` and ``roles`` by column, and ``files``: path, release and commit of each.
    Raises ResultsFileError; warns (JournalWarning) of results that are not in the file yet.
    """
    if not paths:
        raise TypeError("load() takes one path or more")
    frames: list[pd.DataFrame] = []
    known: dict[str, Column] = {}
    files: list[dict[str, str]] = []
    for path in paths:
        with opened(path) as file:
            frame = plain(file, "results")
            known = described(file, "results") | known
            owners = plain(file, "devices") if "devices" in file else pd.DataFrame()
            known |= {f"device.{name}": column for name, column in described(file, "devices").items()}
            files.append({"path": os.fspath(path), **{key: _attribute(file, key) for key in ("release", "commit")}})
        if not canaries and "canary" in frame:
            frame = frame[frame["canary"] == 0].reset_index(drop=True)
        frame = _beside(frame, owners, device, os.fspath(path))
        if len(paths) > 1:
            frame.insert(0, "file", pd.Series(os.fspath(path), index=frame.index, dtype=object))
        frames.append(frame)
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    frame = _with_intervals(_categorised(frame, known), known)
    _describe(frame, known)
    frame.attrs["files"] = files
    return frame


def samples(path: str | os.PathLike[str], rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """The raw samples: ``seconds`` of one launch, ``sm_clock``, ``process``, ``device``, with ``id`` and ``repeat`` of
    the row that they belong to.

    rows  the rows of ``load(path)`` whose samples are wanted; without, those of every row, canaries' too
    """
    with opened(path) as file:
        raw = plain(file, "samples")
        every = plain(file, "results")
        known = described(file, "samples")
        attributes = [{"path": os.fspath(path), **{key: _attribute(file, key) for key in ("release", "commit")}}]
    if rows is not None:
        lacking = {"id", "sample_count", "sample_offset"} - set(rows.columns)
        if lacking:
            raise ValueError(f"rows has no column {', '.join(sorted(lacking))}: they are to be of load()")
        keys = ["id", "repeat", "sample_offset", "sample_count"]
        if len(rows) and len(rows[keys].astype({"id": object}).merge(every[keys], on=keys)) < len(rows):
            raise ResultsFileError(f"{os.fspath(path)}: does not have these rows; are they of another file?")
        every = rows
    measured = every[every["sample_count"] > 0]
    count = measured["sample_count"].to_numpy(dtype=np.int64)
    start = measured["sample_offset"].to_numpy(dtype=np.int64)
    # The position of each sample: its row's start, and how many of the row came before.
    position = np.repeat(start - np.concatenate(([0], np.cumsum(count)[:-1])) if len(count) else start, count)
    position = position + np.arange(len(position))
    if len(position) and not 0 <= position.min() <= position.max() < len(raw):
        raise ResultsFileError(f"{os.fspath(path)}: rows tell of samples that the file does not have; "
                               "`warpsweep verify` says what is damaged")
    frame = raw.iloc[position].reset_index(drop=True)
    frame.insert(0, "repeat", np.repeat(measured["repeat"].to_numpy(dtype=np.int64), count))
    frame.insert(0, "id", np.repeat(measured["id"].to_numpy(dtype=object), count))
    _describe(frame, known)
    frame.attrs["files"] = attributes
    return frame


def devices(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The rows of /devices: what each device is, and its nominal and measured peaks. ``load().device`` counts them."""
    with opened(path) as file:
        frame, known = plain(file, "devices"), described(file, "devices")
    _describe(frame, known)
    return frame


def columns(path: str | os.PathLike[str]) -> pd.DataFrame:
    """What each column of each table is: ``table``, ``name``, ``type``, ``role``, ``unit``, ``meaning``."""
    with opened(path) as file:
        return plain(file, "columns")


def environment(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Versions, commit, command line and allow-listed variables: ``run``, ``name``, ``value``."""
    with opened(path) as file:
        return plain(file, "environment")


def job(path: str | os.PathLike[str]) -> str:
    """The job file, as it was read."""
    with opened(path) as file:
        return text(bytes(file["job"][()]))


def _attribute(file: Any, name: str) -> str:
    raw = file.attrs.get(name, b"")
    return text(raw) if isinstance(raw, bytes) else str(raw)


def _beside(frame: pd.DataFrame, owners: pd.DataFrame, wanted: Iterable[str], path: str) -> pd.DataFrame:
    """The frame with columns of /devices; missing where a point met no device."""
    for name in wanted:
        if name not in owners:
            if owners.empty:
                continue
            raise ResultsFileError(f"{path}: /devices has no column {name!r}; it has {', '.join(owners.columns)}")
        frame[f"device.{name}"] = frame["device"].map(owners[name])
    return frame


def _categorised(frame: pd.DataFrame, known: dict[str, Column]) -> pd.DataFrame:
    changed: dict[str, Any] = {}
    for name in frame.columns:
        if frame[name].dtype != object or name == "id":
            continue
        series = frame[name]
        if name in known and known[name].role == "axis":
            series = series.mask(series == "")  # this kernel has no such axis
        elif name != "file" and not name.startswith("device."):
            series = series.fillna("")  # a column that another file has
        changed[name] = series.astype("category")
    return frame.assign(**changed)


def _with_intervals(frame: pd.DataFrame, known: dict[str, Column]) -> pd.DataFrame:
    pairs: dict[str, Any] = {}
    for name in list(frame.columns):
        stem = name.removesuffix("_low")
        if stem == name or stem + "_high" not in frame:
            continue
        low, high = frame[name].to_numpy(dtype=np.float64), frame[stem + "_high"].to_numpy(dtype=np.float64)
        lacking = np.isnan(low) | np.isnan(high)
        column = stem.removesuffix("_ci") + "_interval"
        pairs[column] = pd.arrays.IntervalArray.from_arrays(np.where(lacking, np.nan, low),
                                                            np.where(lacking, np.nan, high), closed="both")
        if name in known:
            end = known[name]
            known[column] = Column(column, "interval", end.role, end.unit, f"from {name} to {stem}_high")
    return pd.concat([frame, pd.DataFrame(pairs, index=frame.index)], axis=1)


def _describe(frame: pd.DataFrame, known: dict[str, Column]) -> None:
    here = [known[name] for name in frame.columns if name in known and not name.startswith("device.")]
    beside = {name: known[name] for name in frame.columns if name in known and name.startswith("device.")}
    frame.attrs["units"] = {c.name: c.unit for c in here} | {name: c.unit for name, c in beside.items()}
    frame.attrs["meanings"] = {c.name: c.meaning for c in here} | {name: c.meaning for name, c in beside.items()}
    frame.attrs["roles"] = {c.name: c.role for c in here} | {name: c.role for name, c in beside.items()}
