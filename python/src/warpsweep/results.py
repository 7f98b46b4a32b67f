"""Opening a results file: its tables as DataFrames. Nothing of it is trusted: links, external storage and virtual
datasets are refused; tables are compared with their checksums, rows and samples with each other."""

from __future__ import annotations

import json
import os
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from . import axis_words, kernels, packages
from .errors import MissingFileError, ResultsFileError
from .estimates import derive_intervals
from .program import run_program

packages.check()

FORMAT, FORMAT_VERSION = (
    b"warpsweep results",
    1,
)  # an older reader could misread a file of a higher version
MISSING, UNKNOWN = (
    np.iinfo(np.int64).min,
    -1,
)  # an integer that does not apply: in /results, in the other tables
ROW_BYTES_MAX, RATIO_MAX, RATIO_FREE = (
    1 << 24,
    600,
    1 << 20,
)  # bytes in memory for one in the file: no zip bombs
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}
OUTCOMES = {  # of files before 0.7, which have no table /statuses
    "ok": "measured",
    "unsupported": "skipped",
    "failed": "failed",
    "crashed": "failed",
    "timed_out": "failed",
    "unavailable": "deferred",
}
STOPS = ("none", "converged", "settled", "max_time", "max_samples")
REQUIRED = {
    "id": "S",
    "kernel": "S",
    "repeat": "i",
    "status": "S",
    "device": "i",
    "sample_offset": "i",
    "sample_count": "i",
}
INTERVALS = (
    ("time_ci_low", "time_ci_high"),
    ("bandwidth_low", "bandwidth_high"),
    ("predicted_time_low", "predicted_time_high"),
    ("roof_rate_low", "roof_rate_high"),
    ("fraction_peak_low", "fraction_peak_high"),
)
TABLES = ("results", "devices", "samples", "timeline")
TIMES = tuple(
    f"time_{of}" for of in ("median", "ci_low", "ci_high", "mean", "min", "p05", "p95", "mad")
)
LEAST = {"temperature": -273.15}  # of a measured number; of the others 0
UNBOUNDED = {"error_max", "error_rms", "error_peak"}  # a wrong output can be infinitely wrong
UNLIMITED = ("", "other", "axis", "counter")  # roles of numbers that may be any
REALS = {
    "results": {*TIMES, *(name for pair in INTERVALS for name in pair)},
    "samples": {"seconds"},
}
SECONDS_MAX = 1e9  # of a time: 30 years
ABOVE = 1.5  # of a roof: no error of measurement
RANGES = {
    "repeat": (0, 2**31 - 1),
    "canary": (0, 1),
    "run": (1, 2**30),
    "attempts": (0, 2**15 - 1),
    "device": (-1, 2**31 - 1),
}
KINDS = {"text": "S", "real": "f", "integer": "iu"}  # of /columns, and NumPy's
# What columns of this release hold. Other numbers have a unit, or are counters.
TEXTS = {
    "results": set(
        "variant dtype arch cache activity arithmetic backend bound bound_second code_hash counters_status "
        "earlier_attempt energy_status energy_throttle l2_state launch_hash message model paired_with protocol_hash "
        "roof shared stop throttle timer".split()
    ),
    "devices": set(
        "backend board_part driver ecc fabric fabric_handles host host_kernel iommu mig name pci toolkit "
        "transparent_hugepages uuid vbios".split()
    ),
}
NUMBERS = {
    "results": set(
        "activity_idle addresses attempts block_threads buffer_sets canary chain_count chain_groups chain_slots "
        "dependent_launch devices dram_ratio error_max error_peak error_rms fraction_datasheet fraction_nominal "
        "fraction_peak fraction_peak_high fraction_peak_low grid_blocks headroom host_streams l2_dirty launches "
        "library_version model_devices occupancy_theoretical parts predicted_exchanges predicted_rounds "
        "predicted_scattered_read predicted_scattered_write predicted_stored_lines predicted_stored_partly "
        "predicted_turns processes processes_failed publishes registers roof_rate roof_rate_high roof_rate_low "
        "run sd_device sd_process sd_sample special throttle_mask tile_ahead tile_count tile_persistent "
        "tile_resident tile_slices tile_warps verified verified_product".split()
    ),
    "devices": set(
        "capability hugepages multiprocessors numa_node nvlinks ordinal pcie_generation pcie_width "
        "threads_sm".split()
    ),
}


# The title in the text of a job, if it is in one line, and plain or quoted without escapes: files before 0.7 have no other.
PLAIN_TITLE = re.compile(
    r"""^title:[ \t]+(?:"([^"\\\n]*)"|'([^'\n]*)'|([^-?:,\[\]{}#&*!|>'"%@`\s](?:[^:#\n]|(?<!\s)#|:(?!\s))*?))"""
    r"""[ \t]*(?:[ \t]\#[^\n]*)?$(?!\s*\n[ \t]+[^\s\#])""",
    re.M,
)


@dataclass(frozen=True)
class Column:
    """What /columns says of one column."""

    name: str
    type: str
    role: str
    unit: str
    meaning: str
    words: tuple[str, ...] = ()  # that it can hold, in order


class Shared:
    """What pandas does not copy with ``attrs`` at every step."""

    def __deepcopy__(self, memo: object) -> Shared:
        return self


class Columns(Shared, dict):  # type: ignore[type-arg]
    """Columns by name; one that the file does not describe has neither type nor unit."""

    def __missing__(self, name: str) -> Column:
        return Column(name, "", "", "", "")

    def role(self, name: str) -> str:
        """The role of a column; "" if the file does not describe it."""
        return self[name].role if name in self else ""

    def axes(self) -> list[str]:
        """The columns with the role ``axis``."""
        return [name for name, column in self.items() if column.role == "axis"]

    def unit(self, name: str) -> str:
        """The unit of a column; "" if it has none."""
        return self[name].unit if name in self else ""


@dataclass(frozen=True)
class Verdict:
    """Whether everything that was asked for is in a file, and good. ``reasons``: word and text of each that says no."""

    good: bool
    reasons: list[tuple[str, str]]


@dataclass
class Results:
    """One results file, read and checked: ``rows`` is /results with repetitions of canaries, ``devices`` /devices;
    texts are str, numbers float64 with NaN for what is missing, integers above 2^53 Int64. ``columns`` and
    ``device_columns`` describe them, ``environment`` has ``run``, ``name``, ``value``. Units are SI."""

    path: Path
    rows: pd.DataFrame
    devices: pd.DataFrame
    columns: Columns
    device_columns: Columns
    statuses: dict[str, str]  # the outcome of each status
    environment: pd.DataFrame
    job: str
    job_path: str
    planned: int | None
    attributes: dict[str, str]
    unverified: list[str]  # tables with a wrong checksum, read with salvage
    _salvage: bool
    name: str  # that of its file; among several files one that tells it from the others
    _source: Path  # of the other tables: the file, or one that includes its journal
    cells: pd.DataFrame | None = None  # of `estimates.cells`, once made
    estimator: Any = None  # of `estimates.of_file`, once made

    def env(self, name: str) -> str | None:
        """The value of the last run that has it in /environment."""
        return self._environment.get(name)

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return self.name.removesuffix(".h5")

    @cached_property
    def _environment(self) -> dict[str, str]:
        latest = self.environment.sort_values("run", ascending=False, kind="stable")
        latest = latest.drop_duplicates("name")
        return dict(zip(latest["name"], latest["value"].astype(str)))

    @cached_property
    def verdict(self) -> Verdict:
        """As the last run or merge has left the file. Of a file that does not say it (before 0.7, or not closed) the program
        judges; ProgramError where it is missing."""
        runs = self.environment
        last = runs[runs["run"] == runs["run"].max()]
        told = dict(zip(last["name"], last["value"].astype(str)))
        if "verdict" in told:
            reasons = last[last["name"].str.startswith("verdict.")]
            words = reasons["name"].str.removeprefix("verdict.")
            return Verdict(told["verdict"] == "good", list(zip(words, reasons["value"])))
        path = os.fspath(self._source.resolve())
        found = json.loads(run_program("status", "-f", "json", path, good=(0, 1)))
        reasons = [(reason["reason"], reason["text"]) for reason in found["reasons"]]
        return Verdict(found["good"], reasons)

    @property
    def title(self) -> str:
        """The title of the job; "" if it has none."""
        told = self.env("title")
        if told is not None:
            return told
        found = PLAIN_TITLE.search(self.job)
        return "".join(filter(None, found.groups())) if found else ""

    def outcomes(self, rows: pd.DataFrame) -> pd.Series[str]:
        """What the status of each row means: the point was "measured"; "skipped", by design; "deferred", because this launch
        lacked something; or "failed"."""
        return rows["status"].map(self.statuses)

    @cached_property
    def samples(self) -> pd.DataFrame:
        """/samples: ``seconds`` of a launch, ``sm_clock``, ``process``, ``device``; rows say which are theirs."""
        table = self._other("samples")
        limits = {
            "seconds": (0, SECONDS_MAX),
            "sm_clock": (0, np.finfo(float).max),
            "process": (0, 2**31 - 1),
            "device": (0, len(self.devices) - 1),
        }
        if len(table) and "seconds" not in table:
            raise _corrupt(self.path, "/samples has no column 'seconds'")
        for name in (name for name in limits if name in table):  # a missing number is NaN
            bad = ~table[name].between(*limits[name])
            if name != "seconds":
                bad &= table[name].notna()
            _refuse(self.path, "samples", bad, f"has a {name} that cannot be")
        return table

    @cached_property
    def timeline(self) -> pd.DataFrame:
        """/timeline: the phases of every rank; empty if the file has none."""
        return self._other("timeline")

    def _other(self, name: str) -> pd.DataFrame:
        with _opened(self._source, self.path) as file:
            return _table(file, name, self.path, self.unverified if self._salvage else None)


def read(path: str | os.PathLike[str], *, salvage: bool = False) -> Results:
    """Read a results file, and the journal beside it, if a run is writing it or ended early. With ``salvage`` tables with a wrong
    checksum, too, which ``unverified`` names. Raises ResultsFileError: missing, corrupt, or not one of warpsweep."""
    known, unverified = Path(path), list[str]() if salvage else None
    source = _whole(known)
    with _opened(source, known) as file:
        columns, rows, devices, environment, statuses = (
            _table(file, name, known, unverified)
            for name in ("columns", "results", "devices", "environment", "statuses")
        )
        outcomes = _outcomes(statuses, known)
        described = {table: _describe(columns, table) for table in ("results", "devices")}
        _check_types(file, known, columns)
        _check(file, known, rows, devices, described, outcomes)
        for name, family in kernels.of(rows["kernel"].unique()).items():
            if family.correct:
                family.correct(rows, rows["kernel"] == name)
        if {"roof", "roof_rate", "fraction_peak", "bus_bytes", "link_peak"} <= set(rows):
            _correct_roofs(rows)
        if "canary" not in rows:
            rows["canary"] = (rows["repeat"] > 0).astype("float64")
        if environment.empty or not {"name", "value"} <= set(environment):
            environment = pd.DataFrame({"run": [], "name": [], "value": []})
        elif "run" not in environment:
            environment.insert(0, "run", 1.0)
        described["results"].update(_with_words(described["results"], environment, outcomes))
        job, about = b"", {}
        if "job" in file:
            data = _dataset(file, "job", known)
            job, about = bytes(data[()]).split(b"\0")[0], dict(data.attrs)
            _verified(data, job, "job", known, unverified)
        planned = about.get("planned")
        if (
            not isinstance(planned, (int, float, np.number)) or not 0 <= planned < 2**62
        ):  # NaN, too: as C reads it
            planned = None
        results = Results(
            known,
            rows,
            devices,
            described["results"],
            described["devices"],
            outcomes,
            environment,
            job.decode("utf-8", "replace"),
            _text(about.get("path", b"")),
            None if planned is None else int(planned),
            {name: _text(value) for name, value in file.attrs.items()},
            unverified or [],
            salvage,
            known.name,
            source,
        )
    derive_intervals(results)
    return results


def _correct_roofs(rows: pd.DataFrame) -> None:
    """What earlier files have wrong. A family far above arithmetic without tensor cores uses these, and has no roof. Each device
    of a collective sends a part of its bytes; a single message between two has the roof of one way."""
    rates, shares = (
        [name for name in rows if name.startswith(of)] for of in ("roof_rate", "fraction_peak")
    )
    other = rows["roof"].str.startswith("flop_")
    other &= (
        rows["fraction_peak"]
        .where(other)
        .groupby([rows["kernel"], rows["device"]])
        .transform("median")
        > ABOVE
    )
    rows.loc[other, "roof"], rows.loc[other, [*rates, *shares]] = "none", np.nan
    ways = (rows["bytes_read"] + rows["bytes_written"]) / rows["bus_bytes"].where(
        rows["bus_bytes"] > 0
    )
    for name, family in kernels.of(rows["kernel"].unique()).items():
        axis, _, word = family.one_way.partition("=")
        if axis in rows:
            ways = ways.mask((rows["kernel"] == name) & (rows[axis] == word), 1)
    ratio = (ways * rows["link_peak"] / rows["roof_rate"])[rows["roof"] == "link_peer"].dropna()
    rows.loc[ratio.index, rates] = rows.loc[ratio.index, rates].mul(ratio, axis=0)
    rows.loc[ratio.index, shares] = rows.loc[ratio.index, shares].div(ratio, axis=0)


_made: list[
    Any
] = []  # folders of files that include a journal, for tables that are read later; removed with the process


def _whole(path: Path) -> Path:
    """The file, or a temporary one that includes the journal beside it, which only the program can read. Files of
    release 0.1 do not know the roles of their columns; the program adds them in the same way."""
    has_journal = Path(f"{path}.journal").exists()
    if not path.exists() and not has_journal:
        raise MissingFileError(f"{path}: no such file")
    if path.exists() and not path.is_file():  # HDF5 would wait for the writer of a FIFO
        raise ResultsFileError(f"{path}: not a regular file")
    if not has_journal:
        try:
            with h5py.File(path, "r") as file:
                if (
                    "role" in (file["columns"].dtype.names or ())
                    or file.attrs.get("format") != FORMAT
                ):
                    return path
        except (
            OSError,
            KeyError,
            AttributeError,
            RuntimeError,
        ):  # no results file, which is said when it is read
            return path
    _made.append(tempfile.TemporaryDirectory(prefix="warpsweep-"))
    copy = Path(_made[-1].name, path.name)
    run_program(
        "merge", os.fspath(path), "-o", os.fspath(copy), good=(0, 1)
    )  # 1: points failed, or are missing
    return copy


@contextmanager
def _opened(source: Path, path: Path) -> Iterator[Any]:
    """The HDF5 file; ``path`` is its name in messages."""
    try:
        file = h5py.File(source, "r")
    except OSError as error:
        raise ResultsFileError(f"{path}: cannot be opened as a results file: {error}") from error
    with file:
        try:
            if file.attrs.get("format") != FORMAT:
                raise ResultsFileError(f"{path}: this HDF5 file is not a results file of warpsweep")
            version = int(file.attrs.get("format_version", 0))
            if version > FORMAT_VERSION:
                raise ResultsFileError(
                    f"{path}: a newer release of warpsweep wrote this file (format {version}; this "
                    f"release reads up to {FORMAT_VERSION})"
                )
            yield file
        except (
            KeyError,
            OverflowError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:  # columns or attributes of another shape or kind
            raise _corrupt(path, (str(error).splitlines() or [type(error).__name__])[0]) from error


def _corrupt(path: Path, what: str) -> ResultsFileError:
    return ResultsFileError(f"{path}: the file is corrupt, or not written by warpsweep: {what}")


def _refuse(path: Path, table: str, bad: pd.Series[bool], what: str) -> None:
    """Raise ResultsFileError if a row is bad; a missing number is none that may be there."""
    wrong = np.flatnonzero(bad.fillna(True).to_numpy(bool))
    if len(wrong):
        raise _corrupt(path, f"row {wrong[0]} of /{table} {what}")


def _unreadable(path: Path, name: str, what: str) -> ResultsFileError:
    return ResultsFileError(f"{path}: cannot read /{name}: {what}")


def _dataset(file: Any, name: str, path: Path) -> Any:
    """A dataset whose data is in this file and that uses only filters which warpsweep uses."""
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
        memory = data.dtype.itemsize * max(1, data.size)
        stored = min(data.id.get_storage_size(), os.path.getsize(file.filename))
        if data.dtype.itemsize > ROW_BYTES_MAX or memory > stored * RATIO_MAX + RATIO_FREE:
            raise bad("the file is damaged: it names more data than it has")
        return data
    except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise bad(f"the file is damaged: {error}") from error


def _verified(data: Any, raw: bytes, name: str, path: Path, unverified: list[str] | None) -> None:
    """Compare with the CRC-32 beside the table. Releases before 0.3 wrote none."""
    told = data.attrs.get("crc32")
    if told is None and (
        name == "timeline"
        or not any(
            isinstance(data.file.get(table, getlink=True), h5py.HardLink)
            and "crc32" in data.file[table].attrs
            for table in data.file
        )
    ):
        return
    if told is not None and int(told) == zlib.crc32(raw):
        return
    if unverified is None:
        what = "no checksum" if told is None else "wrong checksum"
        raise ResultsFileError(
            f"{path}: {what} of /{name}: another program has changed the table, or it is damaged"
        )
    unverified.append(name)


def _table(file: Any, name: str, path: Path, unverified: list[str] | None) -> pd.DataFrame:
    if name not in file:
        return pd.DataFrame()
    data = _dataset(file, name, path)
    if data.dtype.names is None or data.ndim != 1:
        raise _unreadable(path, name, "it is not a table")
    try:
        raw = data[:]
    except OSError as error:
        raise _unreadable(path, name, f"the file is damaged: {error}") from error
    _verified(data, raw.tobytes(), name, path, unverified)
    missing = MISSING if name == "results" else UNKNOWN
    plain = [
        column for column in raw.dtype.names if raw.dtype[column].kind in "Siuf"
    ]  # other programs may add arrays
    return pd.DataFrame({_text(column): _values(raw[column], missing) for column in plain})


def _values(raw: np.ndarray[Any, Any], missing: int) -> Any:
    if raw.dtype.kind == "S":
        words, index = np.unique(
            raw, return_inverse=True
        )  # few words, many rows: each is decoded once
        return pd.Series(
            np.array([_text(word) for word in words] or [""], dtype=object)[index], dtype=object
        )
    if raw.dtype.kind not in "iu":
        return raw.astype(np.float64)
    absent = (raw == missing) if raw.dtype.kind == "i" else np.zeros(len(raw), bool)
    whole = pd.arrays.IntegerArray(raw.astype(np.int64), absent)
    exact = np.abs(raw[~absent].astype(np.float64)).max(initial=0) < 2.0**53
    return whole.to_numpy(np.float64, na_value=np.nan) if exact else whole


def _text(raw: Any) -> str:
    """A text of the file: UTF-8, padded with NUL; control characters would reach the terminal."""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def _describe(columns: pd.DataFrame, table: str) -> Columns:
    own = columns[columns["table"] == table] if len(columns) else columns
    fields = ["name", "type", "role", "unit", "meaning"]
    return Columns(
        {row[0]: Column(*row) for row in own[fields].itertuples(index=False)} if len(own) else {}
    )


def _with_words(
    columns: Columns, environment: pd.DataFrame, statuses: Iterable[str]
) -> dict[str, Column]:
    """The columns whose words are known: by the runs of the file, or else by this release, for earlier files."""
    told: dict[str, list[str]] = {}
    for name, value in zip(environment["name"], environment["value"].astype(str)):
        if name.startswith("words."):
            axis_words.merge(told.setdefault(name.rpartition(".")[2], []), value.split(","))
    every = {name: words.split() for name, words in axis_words.WORDS.items()} | told
    every |= {"status": list(statuses), "stop": list(STOPS)}
    return {
        name: replace(columns[name], words=tuple(words))
        for name, words in every.items()
        if name in columns and columns[name].type == "text"
    }


def _kinds(table: str, name: str, unit: str, role: str) -> str:
    """NumPy's kinds that a column may hold by what this release knows of it; "" for any."""
    if table == "results" and name in REQUIRED:
        return REQUIRED[name]
    if name in REALS.get(table, ()):
        return "f"
    if name in TEXTS.get(table, ()):
        return "S"
    return "fiu" if unit or role == "counter" or name in NUMBERS.get(table, ()) else ""


def _check_types(file: Any, path: Path, columns: pd.DataFrame) -> None:
    """Raise ResultsFileError where a column holds something else than this release or /columns says."""
    described = (
        {}
        if columns.empty
        else {
            row[:2]: row[2:]
            for row in columns.reindex(
                columns=["table", "name", "type", "unit", "role"], fill_value=""
            ).itertuples(index=False, name=None)
        }
    )
    for table in (table for table in TABLES if table in file):
        dtype = _dataset(file, table, path).dtype
        for name in dtype.names or ():
            type_, unit, role = described.get((table, name), ("", "", ""))
            for kinds in (_kinds(table, name, unit, role), KINDS.get(type_, "")):
                if kinds and dtype[name].kind not in kinds:
                    expected = " or ".join(kind for kind, of in KINDS.items() if of[0] in kinds)
                    raise _corrupt(
                        path,
                        f"/{table} column '{_text(name)}' has type {dtype[name]}, expected {expected}",
                    )


def _check_numbers(path: Path, rows: pd.DataFrame, columns: Columns) -> None:
    """Raise ResultsFileError for a measured number of a row that cannot be."""
    for name in rows:
        described = name in columns and columns[name].type == "real"
        if name not in TIMES and not (described and columns[name].role not in UNLIMITED):
            continue
        values = rows[name].to_numpy(np.float64)
        bad = values < LEAST.get(name, 0)
        if name not in UNBOUNDED:
            bad |= np.isinf(values)
        if name in TIMES:
            bad |= values > SECONDS_MAX
        if bad.any():
            row = bad.argmax()
            raise _corrupt(
                path, f"row {row} of /results has {name} {values[row]:g}, which cannot be"
            )


def _outcomes(statuses: pd.DataFrame, path: Path) -> dict[str, str]:
    """The outcome of each status: of the file, or of those before 0.7."""
    if statuses.empty:
        return OUTCOMES
    if not {"name", "outcome"} <= set(statuses):
        raise _corrupt(path, "/statuses has no column 'name', or no 'outcome'")
    found = dict(zip(statuses["name"], statuses["outcome"]))
    unknown = sorted(set(map(str, found.values())) - set(OUTCOMES.values()))
    if unknown:
        raise _corrupt(
            path, f"/statuses has an outcome that this release does not know: {unknown[0]}"
        )
    return found


def _check(
    file: Any,
    path: Path,
    rows: pd.DataFrame,
    devices: pd.DataFrame,
    described: dict[str, Columns],
    outcomes: dict[str, str],
) -> None:
    """Raise ResultsFileError for values that no release writes: they would end as wrong numbers in figures."""
    first = partial(_refuse, path, "results")
    for name in REQUIRED:
        if name not in rows:
            raise _corrupt(path, f"/results has no column '{name}'")
    first(~rows["id"].str.fullmatch("[0-9a-f]{16}"), "has an id that is not 16 hexadecimal digits")
    first(rows["kernel"] == "", "has no kernel")
    first(
        ~rows["status"].isin(outcomes), "has a status that neither /statuses nor this release knows"
    )
    first(~(rows["repeat"] >= 0), "has a negative repeat")
    own = rows["repeat"] == 0  # a point; a canary's repetition is one of its device
    first(
        own & rows.duplicated(["id", "repeat"]) | rows.duplicated(["id", "repeat", "device"]),
        "is the same point as another row",
    )
    limited = [name for name in RANGES if name in rows]
    beyond = rows[limited].lt([RANGES[name][0] for name in limited]) | rows[limited].gt(
        [RANGES[name][1] for name in limited]
    )
    for name in beyond.columns[beyond.any()]:
        first(
            beyond[name].fillna(False),
            f"has a {name} outside of {RANGES[name][0]} to {RANGES[name][1]}",
        )
    first(
        (rows["device"] >= len(devices)).fillna(False),
        f"names a device; /devices has {len(devices)}",
    )
    begin, count, samples = (
        rows["sample_offset"],
        rows["sample_count"],
        len(file.get("samples", ())),
    )
    first(
        ~((begin >= 0) & (count >= 0) & (begin + count <= samples)),
        "names samples that do not exist",
    )
    taken = pd.DataFrame({"begin": begin, "end": begin + count})[count > 0].sort_values("begin")
    overlap = taken["begin"] < taken["end"].shift(fill_value=0)
    first((overlap[overlap].reindex(rows.index, fill_value=False)), "names samples of another row")
    for low, high in INTERVALS:
        if low in rows and high in rows:
            first(rows[low] > rows[high], f"has {low} above {high}")
    _check_numbers(path, rows, described["results"])
    of_devices = described["devices"]
    told = [
        name
        for name in devices.columns[devices.dtypes.map(pd.api.types.is_float_dtype)]
        if name in of_devices
    ]
    real = [of_devices[name].type == "real" for name in told]
    wrong = ((devices[told] < UNKNOWN) | np.isinf(devices[told]) | (devices[told] < 0) & real).any()
    if wrong.any():
        raise _corrupt(path, f"/devices has a negative or infinite {wrong.idxmax()}")
