"""Opening a results file: its tables as DataFrames. Nothing of it is trusted: links, external storage and virtual
datasets are refused; tables are compared with their checksums, rows and samples with each other."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from . import kernels, memory, packages
from .checks import (
    TABLES,
    TYPES,
    Numbers,
    check_rows,
    check_types,
    described_types,
)
from .columns import Column, Columns, Unread
from .declared import OUTCOMES, REQUIRED, STOPS
from .errors import MissingFileError
from .kernels import words as axis_words
from .program import run_program
from .rates import DERIVED, INPUTS, PREDICTED, derive
from .stored import (
    FORMAT,
    Inspect,
    corrupt,
    dataset,
    in_pieces,
    is_column,
    opened,
    printable,
    table,
    text,
    verify,
    whole,
)
from .units import OPERATIONS

packages.check()

METRICS = {  # of the profiler, that files may have instead of the column
    "dram_bytes_read": "dram__bytes_read.sum",
    "dram_bytes_written": "dram__bytes_write.sum",
}
# Copies of the columns of /results that a command makes at most at a time: of those that it chose, and of all (report, plot).
COPIES, COPIES_OF_ALL = 2.5, 7.0
ROW_BYTES, SAMPLE_BYTES = 700, 40  # what estimates take

# The title in the text of a job, if it is in one line, and plain or quoted without escapes: files before 0.7 have no other.
PLAIN_TITLE = re.compile(
    r"""^title:[ \t]+(?:"([^"\\\n]*)"|'([^'\n]*)'|([^-?:,\[\]{}#&*!|>'"%@`\s](?:[^:#\n]|(?<!\s)#|:(?!\s))*?))"""
    r"""[ \t]*(?:[ \t]\#[^\n]*)?$(?!\s*\n[ \t]+[^\s\#])""",
    re.M,
)


@dataclass(frozen=True)
class Verdict:
    """Whether everything that was asked for is in a file, and good. ``reasons``: word and text of each that says no."""

    good: bool
    reasons: list[tuple[str, str]]

    @property
    def text(self) -> str:
        """ "good", or "not good (missing: 15 of 24 points; stopped: after 9 of 24 measurements)" """
        reasons = "; ".join(f"{word}: {text}" for word, text in self.reasons)
        return "good" if self.good else f"not good ({reasons})"


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
    falls: pd.Series[float] | None = None  # of `condition.falls`, once made
    statements: Any = (None, None)  # rows, and what `textbook.compared` has made of them
    held: pd.DataFrame | None = None  # columns of /samples, within `holding`

    def env(self, name: str) -> str | None:
        """The value of the last run that has it in /environment."""
        return self.environment_pairs.get(name)

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return self.name.removesuffix(".h5")

    def copy_to(self, path: Path) -> None:
        """Copy the file as it was read, with what its journal has."""
        shutil.copyfile(self._source, path)

    @cached_property
    def sources(self) -> dict[str, bytes]:
        """The texts of families that are not built in, by their names in the folder of ``--kernels``; of two versions behind the
        version's name. A name that leaves the folder is left out: another program has written it."""
        rows, found = self._other("sources"), dict[str, bytes]()
        if {"name", "text"} <= set(rows):
            for name, text in zip(rows["name"].astype(str), rows["text"].astype(str)):
                found[name] = found.get(name, b"") + _unescaped(text)
        return {
            name: text
            for name, text in found.items()
            if not Path(name).is_absolute() and not {"..", ""} & set(name.split("/"))
        }

    @cached_property
    def environment_pairs(self) -> dict[str, str]:
        """Names of /environment with the values of the last runs that have them."""
        latest = self.environment.sort_values("run", ascending=False, kind="stable")
        latest = latest.drop_duplicates("name")
        return dict(zip(latest["name"], latest["value"].astype(str)))

    @property
    def _last_run(self) -> pd.DataFrame:
        """Rows of /environment."""
        return self.environment[self.environment["run"] == self.environment["run"].max()]

    @property
    def is_cut_off(self) -> bool:
        """Whether its last run has not ended, and there is no journal (has_no_end of src/store/load.c)."""
        names = {*self._last_run["name"]}
        return "title" in names and not {"verdict", "prediction"} & names

    @cached_property
    def told_verdict(self) -> Verdict:
        """What the file says itself, wherever it is read: as the last run or merge has left it; of one before 0.7, which stores no
        verdict, whether points are missing."""
        last = self._last_run
        told = dict(zip(last["name"], last["value"].astype(str)))
        if "verdict" not in told:
            missing = ("missing", f"{self.missing} of {self.planned} points")
            return Verdict(not self.missing, [missing] if self.missing else [])
        reasons = last[last["name"].str.startswith("verdict.")]
        words = reasons["name"].str.removeprefix("verdict.")
        return Verdict(told["verdict"] == "good", list(zip(words, reasons["value"])))

    @cached_property
    def verdict(self) -> Verdict:
        """That of the file. Where it stores none the program judges; ProgramError where it is missing."""
        if "verdict" in {*self._last_run["name"]}:
            return self.told_verdict
        path = os.fspath(self._source.resolve())
        found = json.loads(run_program("status", "-f", "json", path, good=(0, 1)))
        reasons = [(reason["reason"], reason["text"]) for reason in found["reasons"]]
        return Verdict(found["good"], reasons)

    @property
    def missing(self) -> int:
        """Points of the job that the file has no row of; 0 in a share of a job."""
        whole_job = self.env("share") in (None, "1/1")
        return max((self.planned or 0) - int((self.rows["repeat"] == 0).sum()), 0) * whole_job

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
        return rows["status"].map(OUTCOMES)

    @cached_property
    def samples(self) -> pd.DataFrame:
        """/samples: ``seconds`` of a launch, ``sm_clock``, ``process``, ``device``; rows say which are theirs."""
        return self._samples(None)

    def sample_columns(self, *names: str) -> pd.DataFrame:
        """Some columns of /samples. Unlike ``samples``, they take memory only until their user is done."""
        known: pd.DataFrame | None = self.__dict__.get("samples", self.held)
        return self._samples(names) if known is None else known

    @contextmanager
    def holding(self, *names: str) -> Iterator[None]:
        """Meanwhile `sample_columns` has these columns, all that it is asked for, without reading again."""
        self.held = self.sample_columns(*names)
        yield
        self.held = None

    def _samples(self, columns: Collection[str] | None) -> pd.DataFrame:
        numbers = Numbers("samples", len(self.devices))
        found = self._other("samples", columns, numbers.inspect)
        numbers.check(self.path)
        if len(found) and "seconds" not in found and "seconds" in (columns or ("seconds",)):
            raise corrupt(self.path, "/samples has no column 'seconds'")
        return found

    @cached_property
    def timeline(self) -> pd.DataFrame:
        """/timeline: the phases of every rank; empty if the file has none."""
        return self._other("timeline")

    def _other(
        self, name: str, columns: Collection[str] | None = None, inspect: Inspect | None = None
    ) -> pd.DataFrame:
        unverified = list[str]() if self._salvage else None
        with opened(self._source, self.path) as file:
            if name in file and name in TYPES:
                check_types(dataset(file, name, self.path), name, self.path)
            found = table(file, name, self.path, unverified, columns, inspect)
        self.unverified += set(unverified or ()) - set(self.unverified)
        return found


# Columns of /devices that all readers show, also of files that another program has cut.
NAMES_OF_DEVICES = {
    name: Column(name, "text", "environment", "", "")
    for name in ("name", "uuid", "backend", "host", "pci")
}
# Columns of /results that reading itself needs, beside the axes: checks, intervals, roofs.
NEEDED = {*REQUIRED, *INPUTS[""], "backend"}


def read(
    path: str | os.PathLike[str],
    *,
    salvage: bool = False,
    columns: Collection[str] | None = None,
) -> Results:
    """Read a results file, and the journal beside it, if a run is writing it or ended early.

    salvage   tables with a wrong checksum, too, which ``unverified`` names
    columns   of /results that are needed beside the axes and NEEDED; None: all. The others are checked, but take no memory

    Raises ResultsFileError: missing, corrupt, or not one of warpsweep, or larger than the memory.
    """
    results = read_stored(path, salvage=salvage, columns=columns)
    with results.holding("seconds", "process", "device", "sm_clock", "power"):
        results.rows = derive(results, columns)
    unread = results.columns.keys() - PREDICTED.keys() - {*results.rows}
    results.rows.attrs["unread"] = Unread(unread)
    return results


def read_stored(
    path: str | os.PathLike[str],
    *,
    salvage: bool = False,
    columns: Collection[str] | None = None,
) -> Results:
    """As `read`, without what is derived of stored columns."""
    known = Path(path)
    results = _read(known, _whole(known), salvage, columns)
    if results.is_cut_off and not salvage:  # the program says what is missing
        results = _read(known, _merged(known), salvage, columns)
    return results


def _read(known: Path, source: Path, salvage: bool, columns: Collection[str] | None) -> Results:
    """What ``source`` holds of a file."""
    unverified = list[str]() if salvage else None
    with opened(source, known) as file:
        about_columns = table(file, "columns", known, unverified)
        types = described_types(about_columns, known)
        described = {of: _describe(about_columns, of) for of in TABLES}
        kept = _stored(file, known, columns, described["results"])
        memory.demand(known, _bytes_needed(file, known, kept))
        for of in TABLES:
            if of in file:
                check_types(dataset(file, of, known), of, known, types)
        numbers = {of: Numbers(of) for of in TABLES}
        rows = table(file, "results", known, unverified, kept, numbers["results"].inspect)
        devices = table(file, "devices", known, unverified, None, numbers["devices"].inspect)
        environment = table(file, "environment", known, unverified)
        table(file, "statuses", known, unverified, ())  # compared with its checksum
        lacking = [name for name in REQUIRED if name not in rows]
        if lacking:
            raise corrupt(known, f"/results has no column '{lacking[0]}'")
        check_rows(known, rows, len(devices), len(file.get("samples", ())))
        for of in TABLES:
            numbers[of].check(known)
        rows = _with_absent(rows, described["results"], kept)
        devices = _with_absent(devices, Columns(NAMES_OF_DEVICES | described["devices"]))
        if environment.empty or not {"name", "value"} <= set(environment):
            environment = pd.DataFrame({"run": [], "name": [], "value": []})
        elif "run" not in environment:
            environment.insert(0, "run", 1.0)
        _name_metrics(rows, described["results"])
        for name, column in described["devices"].items():
            if name.startswith("peak_tensor_i8"):  # earlier releases called them flops
                unit = OPERATIONS.get(column.unit, column.unit)
                described["devices"][name] = replace(column, unit=unit)
        described["results"] = _with_derived(described["results"])
        described["results"].update(_with_words(described["results"], environment))
        job, about = _job(file, known, unverified)
        planned = whole(about, "planned")
        results = Results(
            known,
            rows,
            devices,
            described["results"],
            described["devices"],
            environment,
            job,
            text(about.get("path", b"")),
            planned if planned is not None and planned >= 0 else None,
            {name: text(value) for name, value in file.attrs.items()},
            unverified or [],
            salvage,
            printable(known.name),
            source,
        )
    _correct(rows)
    return results


def _stored(
    file: Any, path: Path, columns: Collection[str] | None, described: Columns
) -> set[str] | None:
    """The columns of /results to keep: not what is derived anew, but what it is derived from."""
    if "results" not in file:
        return None
    if columns is None:
        kept = {*map(text, dataset(file, "results", path).dtype.names or ()), *described}
    else:
        sources = (name for of in columns for name in INPUTS.get(of, ()))
        kept = {*columns, *NEEDED, *described.axes(), *sources}
        kept |= {metric for name, metric in METRICS.items() if name in kept}
    return {name for name in kept if name not in DERIVED or name in INPUTS[""]}


def _with_absent(
    rows: pd.DataFrame, described: Columns, kept: Collection[str] | None = None
) -> pd.DataFrame:
    """The rows with the columns that the file describes and does not have, because no row has a value there. ``kept``: of
    these; None: all."""
    absent = [name for name in described if name not in rows and (kept is None or name in kept)]
    if not absent or rows.empty:
        return rows
    values = {name: rows[name] for name in rows} | {
        name: np.full(len(rows), "", object)
        if described[name].type == "text"
        else np.full(len(rows), np.nan)
        for name in absent
    }
    order = {name: at for at, name in enumerate(described)}
    return in_pieces(
        {
            name: values[name]
            for name in sorted(values, key=lambda name: order.get(name, len(order)))
        }
    )


def _bytes_needed(file: Any, path: Path, columns: Collection[str] | None) -> float:
    """About how much memory a reader needs for a file: several commands copy the rows, or what they chose of them."""
    rows, samples = (
        dataset(file, name, path) if name in file else None for name in ("results", "samples")
    )
    if rows is None:
        return 0
    copies = COPIES_OF_ALL if columns is None else COPIES
    count = len(rows.dtype.names or ()) if columns is None else len(columns)
    per_row = copies * 8 * count + ROW_BYTES
    return len(rows) * per_row + (len(samples) * SAMPLE_BYTES if samples is not None else 0)


def _job(file: Any, path: Path, unverified: list[str] | None) -> tuple[str, dict[str, Any]]:
    """The text of the job, and what the file says of it."""
    if "job" not in file:
        return "", {}
    data = dataset(file, "job", path)
    told = bytes(data[()]).split(b"\0")[0]
    verify(data, zlib.crc32(told), "job", path, unverified)
    return told.decode("utf-8", "replace"), dict(data.attrs)


def _correct(rows: pd.DataFrame) -> None:
    """Mend what earlier releases have written wrongly."""
    for name, family in kernels.of(rows["kernel"].unique()).items():
        if family.correct:
            family.correct(rows, rows["kernel"] == name)


def _name_metrics(rows: pd.DataFrame, known: dict[str, Column]) -> None:
    """A job may ask for a counter by the profiler's name for it, which is then that of the column."""
    for name, metric in METRICS.items():
        if metric in rows and known[metric].role == "counter":
            of_metric = rows[metric].astype("float64")
            rows[name] = rows[name].fillna(of_metric) if name in rows else of_metric
            known.setdefault(name, replace(known[metric], name=name, unit="bytes"))


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
        raise MissingFileError(f"{path}: not a regular file")
    if not has_journal:
        try:
            with h5py.File(path, "r") as file:
                kinds = file["columns"].dtype
                if ("role" in (kinds.names or ()) and is_column(kinds["role"])) or file.attrs.get(
                    "format"
                ) != FORMAT:
                    return path
        # no results file, which is said when it is read
        except (OSError, KeyError, AttributeError, RuntimeError):
            return path
    return _merged(path)


def _merged(path: Path) -> Path:
    """A temporary file that the program makes of a file and its journal. Its notes, such as that the run was killed, are printed."""
    _made.append(tempfile.TemporaryDirectory(prefix="warpsweep-"))
    copy = Path(_made[-1].name, path.name)
    # 1: points failed, or are missing
    run_program("merge", os.fspath(path), "-o", os.fspath(copy), good=(0, 1), tell=True)
    return copy


def _unescaped(text: str) -> bytes:
    """A text of /sources, with C's escapes, as it was."""
    return re.sub(
        rb"\\(\\|n|x[0-9a-f]{2})",
        lambda found: {b"\\": b"\\", b"n": b"\n"}.get(found[1]) or bytes([int(found[1][1:], 16)]),
        text.encode("utf-8"),
    )


def _describe(columns: pd.DataFrame, table: str) -> Columns:
    own = columns[columns["table"] == table] if len(columns) else columns
    fields = ["name", "type", "role", "unit", "meaning"]
    return Columns(
        {row[0]: Column(*row) for row in own[fields].itertuples(index=False)} if len(own) else {}
    )


def _with_derived(columns: Columns) -> Columns:
    """With what readers derive, behind the time, whatever the file says of it."""
    own = {**DERIVED, **PREDICTED}
    stored = [(name, column) for name, column in columns.items() if name not in own]
    place = next(
        (i + 1 for i, (name, _) in enumerate(stored) if name == "time_median"), len(stored)
    )
    return Columns({**dict(stored[:place]), **own, **dict(stored[place:])})


def _with_words(columns: Columns, environment: pd.DataFrame) -> dict[str, Column]:
    """The columns whose words are known: by the runs of the file, or else by this release, for earlier files."""
    told: dict[str, list[str]] = {}
    for name, value in zip(environment["name"], environment["value"].astype(str)):
        if name.startswith("words."):
            axis_words.merge(told.setdefault(name.rpartition(".")[2], []), value.split(","))
    every = {name: words.split() for name, words in axis_words.WORDS.items()} | told
    every |= {"status": list(OUTCOMES), "stop": list(STOPS)}
    return {
        name: replace(columns[name], words=tuple(words))
        for name, words in every.items()
        if name in columns and columns[name].type == "text"
    }
