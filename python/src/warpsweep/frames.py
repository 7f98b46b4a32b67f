"""Rows of results files as one DataFrame, with the times of the time model. Its ``attrs`` have ``columns`` (a
``Columns``), ``groups`` (a ``Group`` for each label in the column ``source``), ``devices`` (``Devices``, of all files) and
``results`` (the files)."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Union

import pandas as pd
from pandas.api.types import is_numeric_dtype

from .columns import Axes, Column, Columns, Devices, Shared, Unread, is_text
from .errors import UsageError
from .identity import without_copies
from .rates import ALWAYS, PREDICTED
from .results import NEEDED, Results, read
from .selecting import points, typed
from .stored import in_pieces
from .time_model import TIMES, fill

Paths = Union[str, "os.PathLike[str]", Results]

PORTION = 20_000  # rows of which copies are in memory at a time
OF_DEVICES = ("device.name", "device.backend")  # that every frame has


@dataclass(frozen=True)
class Group:
    """What the rows of one product in one file were measured on."""

    label: str
    file: str  # its name among the files
    device: str
    backend: str  # "cuda", "host", "fake", "predicted"
    driver: str
    date: str
    commit: str
    note: str  # why counters are missing, or ""

    @property
    def short(self) -> str:
        """``H100`` of ``NVIDIA H100 80GB HBM3``; the file's name is kept where the label has it."""
        return re.sub(r"^NVIDIA |[ -]\d+GB[^(]*(?=$| \()|", "", self.label).strip()

    @property
    def caption(self) -> str:
        """Device, back end, driver, date and commit; a line that does not claim to be measured where it is not."""
        what = f"{self.device}, {self.backend} back end, driver {self.driver or 'unknown'}"
        if self.backend == "host":
            what = f"host back end: C reference on CPU\n{self.device}"
        elif self.backend == "predicted":
            what = f"{self.device} by the time model: not measured"
        return f"{what}\n{self.date[:10] or 'date unknown'}, warpsweep commit {self.commit or 'unknown'}\n"


class Groups(Shared, dict):  # type: ignore[type-arg]
    """Groups by label."""


def frame(
    paths: Paths | Iterable[Paths],
    *,
    canaries: bool = False,
    predicted: bool = True,
    columns: Collection[str] | None = None,
    devices: Collection[str] | None = None,
) -> pd.DataFrame:
    """The rows of files or Results, of every status; of copies of a run once, with a note.

    canaries   their repetitions, too
    predicted  the times of the time model
    columns    what is needed of /results, beside the axes and what every reader needs; None: all
    devices    what is needed of /devices, as ``device.X``; None: those that ``columns`` names, or all. `columns.reals` and
               `columns.texts` find the others, too

    ``device.X`` are columns of /devices, ``device`` is the row in the devices of all files together (NaN: the point met
    no device). ``.source`` is the label of the product and, where several files have it, of the file, ``.file`` the name
    of the file, ``.file_number`` its place; without the dot, too, where no axis is called so.
    """
    several = [paths] if isinstance(paths, (str, os.PathLike, Results)) else list(paths)
    if columns is not None and predicted:
        columns = None if {*TIMES} & {*columns} else columns  # the model takes most of them
    files = without_copies([_in_part(path, columns) for path in several])
    if not files:
        raise UsageError("expected a results file, or several")
    known, groups, first, parts = Columns(), Groups(), 0, []
    wanted = {*OF_DEVICES, *(columns if devices is None and columns is not None else devices or ())}
    for results in files:
        beside = {f"device.{name}": column for name, column in results.device_columns.items()}
        known = Columns({**results.columns, **known, **beside})
    kept = None if columns is None else {*columns, *NEEDED, *ALWAYS, *known.axes()}
    for number, results in enumerate(files):
        labels = add_groups(groups, results)
        rows = results.rows if canaries else points(results.rows)
        if kept is not None:
            rows = rows[[name for name in rows if name in kept]]
        own = rows["device"].where(rows["device"] >= 0)
        made = dict(rows.items()) | {"device": own + first}
        of_all = results.devices if len(results.devices) else results.devices.astype(float)
        taken = [
            name for name in of_all if columns is devices is None or f"device.{name}" in wanted
        ]
        own_devices = of_all[taken].reindex(own).set_axis(rows.index)
        made |= {f"device.{name}": one for name, one in own_devices.items()}
        made[".source"] = own.map(dict(enumerate(labels))).fillna("").astype(object)
        made[".file"] = pd.Series(results.stem, rows.index, dtype=object)
        made[".file_number"] = pd.Series(number, rows.index)
        for name in (".source", ".file"):
            made[typed(known, name)] = made[name]
        parts.append(in_pieces(made))
        first += len(results.devices)
    joined = parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)
    del parts
    joined.index = pd.RangeIndex(len(joined))
    words = [name for name, kind in joined.dtypes.items() if not is_numeric_dtype(kind)]
    for name in words:
        if joined[name].isna().any():  # other files have such a column
            joined[name] = joined[name].fillna("")
    every = pd.concat([results.devices for results in files], ignore_index=True)
    of_devices = Devices({f"device.{name}": every[name] for name in every})
    unread = {name for results in files for name in results.columns} - PREDICTED.keys() - {*joined}
    joined.attrs.update(columns=known, groups=groups, devices=of_devices, results=files)
    joined.attrs.update(unread=Unread(unread), axes=_axes(joined, known))
    if predicted and "model" in joined:  # since 0.6: what the time model needs instead of its times
        return fill(joined)
    return joined


def _axes(rows: pd.DataFrame, known: Columns) -> Axes:
    """The axes of which some row of a family has a value."""
    names, has = [name for name in known.axes() if name in rows], Axes()
    for at in range(0, len(rows), PORTION):
        values = rows.iloc[at : at + PORTION][names]
        found = (values.notna() & (values != "")).groupby(rows["kernel"]).any()
        for kernel, of in zip(found.index, found.to_numpy()):
            has[kernel] = [
                name for name, own in zip(names, of) if own or name in has.get(kernel, ())
            ]
    return has


def add_groups(groups: Groups, results: Results) -> list[str]:
    """Add what the rows of a file were measured on; returns the label of each of its devices."""
    labels, before = [], set(groups)
    for _, device in results.devices.iterrows():
        name = str(device.get("name", ""))
        labels.append(f"{name} ({results.stem})" if name in before else name)
        groups[labels[-1]] = Group(
            labels[-1],
            results.name,
            name,
            str(device.get("backend", "")),
            str(device.get("driver", "")),
            *(results.env(of) or "" for of in ("start", "commit", "counters_note")),
        )
    return labels


def one_of(path: Paths, columns: Collection[str] | None = None) -> Results:
    """The file, read if it has not been."""
    return path if isinstance(path, Results) else read(path, columns=columns)


def _in_part(path: Paths, columns: Collection[str] | None) -> Results:
    """The same; of a file that is read in part, nothing is kept for comparisons."""
    results = one_of(path, columns)
    if columns is not None and results is not path:
        results.cells = results.estimator = None
    return results


def load(
    *paths: Paths | Iterable[Paths], canaries: bool = False, device: Sequence[str] = ("name",)
) -> pd.DataFrame:
    """The rows of one or several files for analysis in pandas.

    Texts are categories, but for the key ``id``; an axis that a row's kernel does not have is missing. Integers are
    ``Int64`` with ``<NA>`` where they do not apply; what was not measured is NaN.

    canaries  also the repetitions of points that show drift
    device    columns of /devices to put beside the rows, as ``device.NAME``

    With several files a column ``file`` has the path. ``attrs`` has ``units``, ``meanings`` and ``roles`` by column,
    and ``files``: path, release and commit of each. Raises ResultsFileError.
    """
    if not paths:
        raise TypeError("load() takes one path or more")
    rows = frame(
        [
            path
            for one in paths
            for path in ([one] if isinstance(one, (str, os.PathLike, Results)) else one)
        ],
        canaries=canaries,
    )
    files, known = rows.attrs["results"], dict(rows.attrs["columns"])
    device = [device] if isinstance(device, str) else device
    for name in device:
        if f"device.{name}" not in rows and any(len(results.devices) for results in files):
            raise UsageError(f"{files[0].path}: /devices has no column {name!r}")
    named = [
        *dict.fromkeys(name for results in files for name in results.rows.columns),
        *(f"device.{name}" for name in device if f"device.{name}" in rows),
    ]
    shown = rows[named].copy()
    for name in shown.columns:
        own = known.get(name, Column(name, "", "", "", ""))
        if is_text(shown[name]) and name != "id":
            missing = (
                rows["device"].isna()
                if name.startswith("device.")
                else (shown[name] == "") & (own.role == "axis")
            )
            shown[name] = shown[name].mask(missing).astype("category")
        elif own.type == "integer" or name in ("canary", "device"):
            shown[name] = shown[name].astype("Int64")
    if len(files) > 1:
        paths_of = [os.fspath(results.path) for results in files]
        shown.insert(0, "file", pd.Categorical([paths_of[at] for at in rows[".file_number"]]))
    shown.attrs = {
        f"{of}s": {str(name): getattr(known[name], of) for name in shown.columns if name in known}
        for of in ("unit", "meaning", "role")
    }
    shown.attrs["files"] = [
        {
            "path": os.fspath(results.path),
            "release": results.attributes.get("release", ""),
            "commit": results.attributes.get("commit", ""),
            "unverified": list(results.unverified),
        }
        for results in files
    ]
    return shown


def samples(path: Paths) -> pd.DataFrame:
    """The raw samples of every row, canaries' repetitions too: ``seconds`` of one launch, ``sm_clock``, ``process``,
    ``device``, with ``id`` and ``repeat`` of the row that they belong to."""
    results = one_of(path)
    taken = samples_of(results, results.rows)
    of = results.rows[["id", "repeat"]].astype({"repeat": "int64"}).loc[taken.index]
    taken = pd.concat([of, taken], axis=1).reset_index(drop=True)
    for name in ("process", "device"):
        taken[name] = (
            taken[name].astype("Int64") if name in taken else pd.Series(pd.NA, taken.index, "Int64")
        )
    return taken


def samples_of(results: Results, rows: pd.DataFrame) -> pd.DataFrame:
    """The samples of rows, each under the label of its row."""
    count = rows["sample_count"].clip(lower=0).astype("int64")
    first = rows["sample_offset"].astype("int64").loc[rows.index.repeat(count)]
    return results.samples.iloc[first + first.groupby(level=0).cumcount()].set_axis(first.index)
