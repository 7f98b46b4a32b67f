"""Opening a results file, and its tables as plain columns."""
from __future__ import annotations

import os
import pathlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np
import pandas as pd

from ._error import JournalWarning, ResultsFileError

FORMAT = b"warpsweep results"
FORMAT_VERSION = 1  # an older reader could misread a file of a higher one
MISSING = np.iinfo(np.int64).min  # an integer that does not apply, in /results
UNKNOWN = -1  # and in the other tables


@dataclass(frozen=True)
class Column:
    """What /columns says of one column."""

    name: str
    type: str
    role: str
    unit: str
    meaning: str


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The file, open for reading. Warns of a journal, whose rows only the program reads."""
    name = os.fspath(path)
    if not pathlib.Path(name).is_file():
        raise ResultsFileError(f"{name}: no such file")
    try:
        file = h5py.File(name, "r")
    except OSError as error:
        raise ResultsFileError(f"{name}: cannot be read as HDF5: {error}") from error
    with file:
        if file.attrs.get("format") != FORMAT or not isinstance(file.get("results"), h5py.Dataset):
            raise ResultsFileError(f"{name}: HDF5, but not a results file of warpsweep")
        version = int(file.attrs.get("format_version", 0))
        if version > FORMAT_VERSION:
            raise ResultsFileError(f"{name}: its format is version {version}, and this package reads up to "
                                   f"{FORMAT_VERSION}: a newer release of it is needed")
        if pathlib.Path(name + ".journal").exists():
            warnings.warn(f"{name}.journal has results that are not in the file yet; `warpsweep table` reads both, "
                          "`warpsweep run --resume` folds them in", JournalWarning, stacklevel=4)
        yield file


def described(file: Any, table: str) -> dict[str, Column]:
    """What the file says of the columns of one of its tables, by name. Files of release 0.1 tell no role."""
    if "columns" not in file:
        return {}
    rows = file["columns"][:]
    has_role = "role" in rows.dtype.names
    return {text(row["name"]): Column(text(row["name"]), text(row["type"]), text(row["role"]) if has_role else "",
                                      text(row["unit"]), text(row["meaning"]))
            for row in rows if text(row["table"]) == table}


def text(raw: bytes) -> str:
    """A text of the file, which is UTF-8 padded with NUL."""
    return raw.decode("utf-8", "replace")


def plain(file: Any, table: str) -> pd.DataFrame:
    """A table with texts as str, integers as Int64 with <NA> for what does not apply, reals as float64."""
    if table not in file:
        raise ResultsFileError(f"{file.filename}: has no table /{table}")
    rows = file[table][:]
    missing = MISSING if table == "results" else UNKNOWN
    return pd.DataFrame({name: _series(rows[name], missing) for name in rows.dtype.names})


def _series(raw: "np.ndarray[Any, Any]", missing: int) -> pd.Series[Any]:
    if raw.dtype.kind == "S":
        words, index = np.unique(raw, return_inverse=True)  # few words, many rows: each is decoded once
        return pd.Series(np.array([text(word) for word in words], dtype=object)[index], dtype=object)
    if raw.dtype.kind == "u":
        return pd.Series(raw.astype(np.int64)).astype("Int64")
    if raw.dtype.kind == "i":
        series = pd.Series(raw.astype(np.int64)).astype("Int64")
        return series.mask(series == missing)
    return pd.Series(raw.astype(np.float64))
