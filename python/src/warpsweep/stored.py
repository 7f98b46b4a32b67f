"""The tables of an HDF5 file of warpsweep as DataFrames. Nothing of it is trusted: links, external storage and virtual
datasets are refused, and tables are compared with their checksums. A table is read in portions, and of its columns only those
that are asked for stay in memory."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from . import declared
from .errors import ResultsFileError

FORMAT = b"warpsweep results"
FORMAT_VERSION = 1  # an older reader could misread a file of a higher version
# an integer that does not apply: in /results, in others
MISSING, UNKNOWN = np.iinfo(np.int64).min, -1
ROW_BYTES_MAX = 1 << 24
RATIO_MAX, RATIO_FREE = 600, 1 << 20  # bytes in memory for one in the file: no zip bombs
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}
KINDS = {"text": "S", "real": "f", "integer": "iu"}  # of /columns, and NumPy's
SIGNATURE = b"\x89HDF\r\n\x1a\n"
ENDS, ENDS_LATER = {0: 40, 1: 44}, 28  # where a superblock has the end of the file, by its version
PORTION = 4 << 20  # bytes of a table in memory at a time
WORDS_MAX = 4096  # distinct texts of a column that are kept as one object each
# bytes: pandas copies a smaller frame into one block a type, which is faster
IN_ONE_PIECE = 32 << 20

# Takes a portion of the rows as the file has them and the number of its first row.
Inspect = Callable[["np.ndarray[Any, Any]", int], None]


@contextmanager
def opened(source: Path, path: Path) -> Iterator[Any]:
    """The HDF5 file; ``path`` is its name in messages."""
    try:
        file = h5py.File(source, "r")
    except OSError as error:
        raise ResultsFileError(f"{path}: cannot be opened as a results file: {error}") from error
    with file:
        try:
            _check_end(source, path)
            _check_root(file.attrs, path)
            yield file
        except (
            KeyError,
            OverflowError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:  # columns or attributes of another shape or kind
            raise corrupt(path, (str(error).splitlines() or [type(error).__name__])[0]) from error


def _check_end(source: Path, path: Path) -> None:
    """HDF5 reads the first of several files that ``cat`` has joined, and says nothing of the others."""
    with open(source, "rb") as raw:
        superblock = raw.read(64)
    start = ENDS.get(superblock[8], ENDS_LATER)
    end, size = int.from_bytes(superblock[start : start + 8], "little"), os.path.getsize(source)
    if size > end or not superblock.startswith(SIGNATURE):
        raise ResultsFileError(
            f"{path}: the results file ends after {end} of {size} bytes: something was appended to it (`warpsweep merge` "
            "joins results files, `cat` does not)"
        )


def _check_root(attributes: Any, path: Path) -> None:
    version = whole(attributes, "format_version")
    if attributes.get("format") != FORMAT or version is None or version < 1:
        raise ResultsFileError(f"{path}: this HDF5 file is not a results file of warpsweep")
    if version > FORMAT_VERSION:
        raise ResultsFileError(
            f"{path}: a newer release of warpsweep wrote this file (format {version}; this "
            f"release reads up to {FORMAT_VERSION})"
        )
    for name, most in (("sequence", "SEQUENCE_MAX"), ("runs", "RUNS_MAX")):
        if not 0 <= (whole(attributes, name) or 0) <= declared.number(most):
            raise corrupt(path, "its attributes 'sequence' and 'runs' cannot be")


def whole(attributes: Any, name: str) -> int | None:
    """An attribute that is one whole number; None: there is none of this name, or it is something else."""
    value = np.asarray(attributes[name]) if name in attributes else np.empty(0)
    return int(value.item()) if value.dtype.kind in "iu" and value.size == 1 else None


def is_column(dtype: np.dtype[Any]) -> bool:
    """Whether a column of this type is read. Other programs may add arrays and enumerations."""
    return dtype.kind in "Siuf" and h5py.check_enum_dtype(dtype) is None


def corrupt(path: Path, what: str) -> ResultsFileError:
    """The error of a file with contents that no release writes."""
    return ResultsFileError(f"{path}: the file is corrupt, or not written by warpsweep: {what}")


def _unreadable(path: Path, name: str, what: str) -> ResultsFileError:
    return ResultsFileError(f"{path}: cannot read /{name}: {what}")


def dataset(file: Any, name: str, path: Path) -> Any:
    """A dataset whose data is in this file and that uses only filters which warpsweep uses. Made once for each opened file:
    HDF5 takes long to say the types of hundreds of columns."""
    made = vars(file).setdefault("made", {})
    if name not in made:
        made[name] = _dataset(file, name, path)
    return made[name]


def _dataset(file: Any, name: str, path: Path) -> Any:
    bad = partial(_unreadable, path, name)
    try:
        link = file.get(name, getlink=True)
        if not isinstance(link, h5py.HardLink):
            raise bad("it is a link, which warpsweep does not follow")
        data = file[name]
        if not isinstance(data, h5py.Dataset):
            raise bad("it is not a table")
        plist = data.id.get_create_plist()
        if plist.get_external_count():
            raise bad("its data is in another file, which warpsweep does not follow")
        if plist.get_layout() == h5py.h5d.VIRTUAL:
            raise bad("it is a view of other data, which warpsweep does not follow")
        if not {plist.get_filter(i)[0] for i in range(plist.get_nfilters())} <= FILTERS:
            raise bad("it uses a filter that warpsweep does not use")
        width = data.dtype.itemsize
        memory = width * max(1, data.size)
        stored = min(data.id.get_storage_size(), os.path.getsize(file.filename))
        if width > ROW_BYTES_MAX or memory > stored * RATIO_MAX + RATIO_FREE:
            raise bad("the file is damaged: it names more data than it has")
        return data
    except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise bad(f"the file is damaged: {error}") from error


def verify(data: Any, found: int, name: str, path: Path, unverified: list[str] | None) -> None:
    """Compare the CRC-32 of a table with the one beside it. Releases before 0.3 wrote none."""
    told = whole(data.attrs, "crc32")
    if told is None and (
        name == "timeline"
        or not any(
            isinstance(data.file.get(table, getlink=True), h5py.HardLink)
            and whole(data.file[table].attrs, "crc32") is not None
            for table in data.file
        )
    ):
        return
    if told == found:
        return
    if unverified is None:
        what = "no checksum" if told is None else "wrong checksum"
        raise ResultsFileError(
            f"{path}: {what} of /{name}: another program has changed the table, or it is damaged"
        )
    unverified.append(name)


def table(
    file: Any,
    name: str,
    path: Path,
    unverified: list[str] | None,
    columns: Collection[str] | None = None,
    inspect: Inspect | None = None,
) -> pd.DataFrame:
    """A table, empty if the file has none. Texts are str, numbers float64 with NaN for what is missing, integers above
    2^53 Int64.

    unverified   takes the name of the table, if its checksum is wrong; None: that is an error
    columns      those that are kept; None: all
    inspect      sees all columns of all rows
    """
    if name not in file:
        return pd.DataFrame()
    data = dataset(file, name, path)
    kinds = data.dtype
    if kinds.names is None or data.ndim != 1:
        raise _unreadable(path, name, "it is not a table")
    kept = {
        column: _Values(kinds[column], len(data))
        for column in kinds.names
        if is_column(kinds[column]) and (columns is None or column in columns)
    }
    checksum, step = 0, max(1, PORTION // kinds.itemsize)
    for first in range(0, len(data), step):
        try:
            raw = data[first : first + step]
        except OSError as error:
            raise _unreadable(path, name, f"the file is damaged: {error}") from error
        checksum = zlib.crc32(raw.tobytes(), checksum)
        if inspect is not None:
            inspect(raw, first)
        for column, values in kept.items():
            values.take(raw[column], first)
    verify(data, checksum, name, path, unverified)
    missing = MISSING if name == "results" else UNKNOWN
    return in_pieces({text(column): kept[column].all(missing) for column in list(kept)})


def in_pieces(columns: Mapping[str, Any]) -> pd.DataFrame:
    """A frame of columns of one length, whose index, if they have one, is the same. A large one shares their memory: it
    takes none of its own."""
    rows = max((len(values) for values in columns.values()), default=0)
    series = {name: one for name, one in columns.items() if isinstance(one, pd.Series)}
    index = next((one.index for one in series.values()), None)
    # Nothing is aligned: that takes most of the time.
    arrays = {
        name: one.array if name in series and one.dtype != object else one
        for name, one in columns.items()
    }
    return pd.DataFrame(arrays, index, copy=8 * rows * len(columns) < IN_ONE_PIECE)


class _Values:
    """A column that is read in portions."""

    def __init__(self, dtype: np.dtype[Any], count: int) -> None:
        kinds = {"S": np.dtype(object), "f": np.dtype(np.float64)}
        self.values = np.empty(count, kinds.get(dtype.kind, dtype))
        self.words: dict[bytes, str] = {}  # few words, many rows: each is decoded once

    def take(self, raw: np.ndarray[Any, Any], first: int) -> None:
        """The values of some rows from ``first`` on."""
        if raw.dtype.kind == "S":
            distinct, place = np.unique(raw, return_inverse=True)
            known = self.words if len(self.words) + len(distinct) <= WORDS_MAX else {}
            for word in distinct.tolist():
                if word not in known:
                    known[word] = text(word)
            raw = np.array([known[word] for word in distinct.tolist()] or [""], dtype=object)[place]
        self.values[first : first + len(raw)] = raw

    def all(self, missing: int) -> Any:
        """All values, as `table` has them; once."""
        values, self.values = self.values, np.empty(0)
        if values.dtype.kind not in "iu":
            return values
        absent = (values == missing) if values.dtype.kind == "i" else np.zeros(len(values), bool)
        size = values if values.dtype.kind == "u" else np.where(absent, 0, values)
        if max(int(size.max(initial=0)), -int(size.min(initial=0))) < 2**53:
            real = values.astype(np.float64)
            real[absent] = np.nan
            return real
        return pd.arrays.IntegerArray(values.astype(np.int64), absent)


def text(raw: Any) -> str:
    """A text of the file: UTF-8, padded with NUL; control characters would reach the terminal."""
    found = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    if found.isprintable():
        return found
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in found)


def printable(path: str | os.PathLike[str]) -> str:
    """A path as a text shows it, with escapes for bytes that are no UTF-8 and for control characters."""
    told = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in told)
