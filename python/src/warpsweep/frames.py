"""Rows of results files as one DataFrame, and selecting and deriving in it. Its ``attrs`` have ``columns`` (a
``Columns``), ``groups`` (a ``Group`` for each label in the column ``source``) and ``results`` (the files)."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import pandas as pd

from .columns import is_text as is_text
from .columns import reals as reals
from .columns import texts as texts
from .errors import UsageError
from .identity import named
from .options import nearest, unknown
from .results import Column, Columns, Results, Shared, read
from .stored import in_pieces

Paths = Union[str, "os.PathLike[str]", Results]

DTYPE_BYTES = {
    "u8": 1,
    "e4m3": 1,
    "e5m2": 1,
    "e2m1": 0.5,
    "f16": 2,
    "bf16": 2,
    "tf32": 4,
    "f32": 4,
    "i32": 4,
    "f64": 8,
    "i64": 8,
}
BYTES = {
    "": 1,
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
}
OF_DEVICES = ("device.name", "device.backend")  # that every frame has
LONGEST = 4000  # letters of an expression
CONDITION = "expected column=value,value, column=first..last, or column != < <= > >= value"
THROTTLED = "the power limit or heat lowered the clock while the point was timed"
THROTTLE_SLOWS = 0xEC  # NVML clock-event reasons: power cap, hardware slowdown, heat, power brake


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
) -> pd.DataFrame:
    """The rows of files or Results, of every status.

    canaries   their repetitions, too
    predicted  the times of the time model
    columns    what is needed of /results, beside the axes and what every reader needs; None: all. Those called
               ``device.X`` are of /devices

    ``device.X`` are columns of /devices, ``device`` is the row in the devices of all files together (NaN: the point met
    no device). ``.source`` is the label of the product and, where several files have it, of the file, ``.file`` the name
    of the file, ``.file_number`` its place; without the dot, too, where no axis is called so.
    """
    several = [paths] if isinstance(paths, (str, os.PathLike, Results)) else list(paths)
    if columns is not None and predicted:
        from .time_model import TIMES

        columns = None if {*TIMES} & {*columns} else columns  # the model takes most of them
    files = named(one_of(path, columns) for path in several)
    if not files:
        raise UsageError("expected a results file, or several")
    known, groups, devices, parts = Columns(), Groups(), 0, []
    for results in files:
        beside = {f"device.{name}": column for name, column in results.device_columns.items()}
        known = Columns({**results.columns, **known, **beside})
    for number, results in enumerate(files):
        labels = _add_groups(groups, results)
        rows = results.rows if canaries else points(results.rows)
        own = rows["device"].where(rows["device"] >= 0)
        made = {name: rows[name] for name in rows} | {"device": own + devices}
        for name in _wanted(results, columns):
            made[f"device.{name}"] = own.map(results.devices[name])
        made[".source"] = own.map(dict(enumerate(labels))).fillna("").astype(object)
        made[".file"] = pd.Series(results.stem, rows.index, dtype=object)
        made[".file_number"] = pd.Series(number, rows.index)
        for name in (".source", ".file"):
            made[typed(known, name)] = made[name]
        parts.append(in_pieces(made))
        devices += len(results.devices)
    joined = parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)
    del parts
    joined.index = pd.RangeIndex(len(joined))
    for name in joined.columns:
        if is_text(joined[name]) and joined[name].isna().any():  # other files have such a column
            joined[name] = joined[name].fillna("")
    joined.attrs.update(columns=known, groups=groups, results=files)
    if (
        predicted and "model" in joined
    ):  # files of 0.6 have what the time model needs instead of its times
        from .time_model import fill

        return fill(joined)
    return joined


def _add_groups(groups: Groups, results: Results) -> list[str]:
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


def _wanted(results: Results, columns: Collection[str] | None) -> list[str]:
    """The columns of /devices that a frame has."""
    names = list(results.devices)
    return (
        names
        if columns is None
        else [name for name in names if f"device.{name}" in {*columns, *OF_DEVICES}]
    )


def one_of(path: Paths, columns: Collection[str] | None = None) -> Results:
    """The file, read if it has not been; of one that is read in part, nothing is kept for comparisons."""
    if isinstance(path, Results):
        return path
    results = read(path, columns=columns)
    if columns is not None:
        results.cells = results.estimator = None
    return results


def points(rows: pd.DataFrame) -> pd.DataFrame:
    """First measurements only, without the repetitions of canaries."""
    return rows[rows["repeat"] == 0] if rows["repeat"].any() else rows


def axes(rows: pd.DataFrame, varying: bool = True) -> list[str]:
    """The columns with the role ``axis``: those with more than one value, or all that apply to a row. Rows of ``load``
    must still have their ``attrs``."""
    roles = rows.attrs.get("roles") or {
        name: one.role for name, one in rows.attrs.get("columns", {}).items()
    }
    values = {
        name: rows[name].unique() for name, role in roles.items() if role == "axis" and name in rows
    }
    return [
        name
        for name, of in values.items()
        if (pd.notna(of) & (of != "" if is_text(rows[name]) else True)).any()
        and (len(of) > 1 or not varying)
    ]


def varies(values: pd.Series[Any]) -> bool:
    """Whether there is more than one value; missing ones are one."""
    return len(values.unique()) > 1


def words_in_order(
    words: Iterable[str], known: Column | None, own: Iterable[str] = ()
) -> list[str]:
    """Words of a column in its order, others after them by letter, and by size where they differ in a number. Variants
    are named after what they do: they have no order."""
    ordered = known.words if known and known.name != "variant" else ()
    places = {word: place for place, word in enumerate(own or ordered)}

    def key(word: str) -> tuple[int, list[str | int]]:
        parts = re.split("([0-9]+)", word)
        return places.get(word, len(places)), [
            int(part) if place % 2 else part for place, part in enumerate(parts)
        ]

    return sorted(set(words), key=lambda word: (key(word), word))


def sort(rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Sorted by columns, descending ones with a ``-`` before them; stable; missing values come last. Files and devices have
    the order in which they were given."""
    names, known = [name.lstrip("-") for name in by], rows.attrs.get("columns", Columns())
    own = {
        typed(known, ".file"): [results.stem for results in rows.attrs.get("results", ())],
        typed(known, ".source"): list(rows.attrs.get("groups", ())),
    }
    for name in names:
        column(rows, name)

    def key(values: pd.Series[Any]) -> pd.Series[Any]:  # "" becomes NaN, which is last
        name, words = str(values.name), []
        if is_text(values):
            words = words_in_order(
                set(values) - {""}, known.get(name.lstrip(".")), own.get(name, ())
            )
        return (
            values.map({word: place for place, word in enumerate(words)})
            if is_text(values)
            else values
        )

    return rows.sort_values(
        names, ascending=[not name.startswith("-") for name in by], kind="stable", key=key
    )


def typed(columns: Columns, name: str) -> str:
    """The name under which people find a column of ours: without the dot, which axes cannot have, unless one is called so."""
    return name if columns.role(name[1:]) else name[1:]


def column(rows: pd.DataFrame, name: str) -> Column:
    """What a column is; UsageError with the nearest name if there is none."""
    if name not in rows:
        known = {*rows.columns, *rows.attrs.get("columns", ())}
        meant = nearest(name, sorted(map(str, known)))
        raise UsageError(
            f"unknown column '{name[:80]}'"
            + (
                f" (did you mean '{meant}'?)"
                if meant
                else "; `warpsweep table FILE.h5 --columns all --limit 0` names those that the file has"
            )
        )
    found: Column = rows.attrs.get("columns", {}).get(name, Column(name, "", "", "", ""))
    return found


def is_throttled(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows whose clock the power limit or heat lowered."""
    masks = rows["throttle_mask"] if "throttle_mask" in rows else pd.Series(0.0, rows.index)
    return masks.fillna(0).astype("int64") & THROTTLE_SLOWS != 0


def is_shared(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows that were measured while other programs computed on the device."""
    return rows.get("shared", pd.Series("", rows.index)).fillna("").str.match(r"[1-9]")


def where(
    rows: pd.DataFrame, conditions: str | Sequence[str], *, strict: bool = True
) -> pd.DataFrame:
    """The rows that meet all conditions: ``stride=1,2``, ``size=1MiB..1GiB``, ``size>=1MiB``, ``dtype!=f64``; several ``=`` on one
    column are alternatives; ``\\,`` is a comma within a word. UsageError names the nearest column or word; strict=False: no
    row meets an unknown word."""
    alternatives: dict[str, Any] = {}
    for number, text in enumerate(
        conditions.split() if isinstance(conditions, str) else conditions
    ):
        match = re.fullmatch(r"([^!<>=]+)(!=|<=|>=|=|<|>)(.+)", text, re.S)
        if not match:
            raise UsageError(f"'{text[:80]}' is not a condition; {CONDITION}")
        name, sign, values = match.groups()
        known = column(rows, name)
        holds = _holds(rows[name], known, sign, values, strict)
        key = name if sign == "=" else f"{name} {number}"
        alternatives[key] = alternatives[key] | holds if key in alternatives else holds
    for holds in alternatives.values():
        rows = rows[holds.reindex(rows.index)]
    return rows


def _holds(
    values: pd.Series[Any], known: Column, sign: str, text: str, strict: bool = True
) -> pd.Series[bool]:
    name = str(values.name)
    is_words, terms = is_text(values), _terms(text)
    if not terms:
        raise UsageError(f"'{name + sign + text[:80]}' has no value")
    if sign in ("=", "!="):
        result = pd.Series(False, index=values.index)
        for term in terms:
            if is_words and strict and term not in set(values) | set(known.words):
                raise _unknown_word(values, known, text, term)
            low, dots, high = (term, "", "") if is_words else term.partition("..")
            first: Any = low if is_words else parse_number(name, low)
            last: Any = parse_number(name, high) if dots else None
            if dots and not first <= last:  # or one of them is nan
                raise UsageError(f"{term[:80]}: the range is empty; expected first..last")
            same = values.isna() if first != first else values == first
            result |= values.between(first, last) if dots else same
        return result if sign == "=" else ~result
    if is_words:
        raise UsageError(f"{name} holds words, which have no order; expected = or !=")
    if ".." in text:
        raise UsageError(f"'{text[:80]}' is a range; expected one value after < <= > >=")
    if len(terms) != 1:
        raise UsageError(
            f"{name} is compared with {len(terms)} values; expected one after < <= > >="
        )
    return {"<": values.lt, "<=": values.le, ">": values.gt, ">=": values.ge}[sign](
        parse_number(name, terms[0])
    )


def _terms(text: str) -> list[str]:
    """The values between commas. A comma within a word has a backslash before it."""
    return [term.replace("\\,", ",") for term in re.split(r"(?<!\\),", text) if term]


def _unknown_word(values: pd.Series[Any], known: Column, text: str, term: str) -> UsageError:
    if text in set(values):
        escaped = text.replace(",", "\\,")
        return UsageError(f"the commas of '{text[:80]}' separate words; write '{escaped[:80]}'")
    words = words_in_order({*values, *known.words} - {""}, known)
    return unknown(f"value of {values.name}", term, words)


def parse_number(name: str, text: str) -> float:
    """``64MiB`` as 67108864.0, ``4e9``, ``nan``; UsageError if it is no number."""
    match = re.fullmatch(
        r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan)\s*([KMGTk]?i?B?)\s*", text, re.I
    )
    if not match or match[2] not in BYTES:
        hint = re.fullmatch(r"([\d.]+)\s*([KMGT])i?b?", text, re.I)
        raise UsageError(
            f"{name} is a number, as 4 or 64MiB, not '{text[:40]}'"
            + (f" (did you mean '{hint[1]}{hint[2].upper()}iB'?)" if hint else "")
        )
    return float(match[1]) * BYTES[match[2]]


def kernel(rows: pd.DataFrame, name: str | None) -> pd.DataFrame:
    """The rows of one kernel family, or all; UsageError with the nearest name."""
    if name is None:
        return rows
    if len(rows) and name not in set(rows["kernel"]):
        raise unknown("value of kernel", name, sorted(set(rows["kernel"])))
    return rows[rows["kernel"] == name]


def derive(rows: pd.DataFrame, definition: str) -> pd.DataFrame:
    """The frame with a further column, NAME=EXPRESSION: numbers, columns, ``+ - * /`` and parentheses. ``COLUMN[AXIS=VALUE,...]``
    is that column of the point that has these values and is otherwise equal in source, kernel and every axis (NaN: there is none).
    UsageError: a syntax error, an unknown column, or brackets that match several points."""
    name, equals, expression = definition.partition("=")
    if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise UsageError(f"'{definition[:80]}' is not a definition; expected NAME=EXPRESSION")
    taken = (
        name in rows and (rows[name].notna() & (rows[name] != "")).any()
    )  # another kernel's axis leaves it empty
    if taken and not rows.attrs["columns"].get(name, Column("", "", "", "", "")).meaning.startswith(
        name + "="
    ):
        raise UsageError(f"column '{name[:80]}' exists already; choose another name")
    used: dict[str, Any] = {}

    def named(match: re.Match[str]) -> str:
        column(rows, match[1])
        if is_text(rows[match[1]]):
            raise UsageError(f"{match[1]} holds words; an expression needs numbers")
        key = f"_{len(used)}"
        used[key] = rows[match[1]] if match[2] is None else _beside(rows, match[1], match[2][1:-1])
        return key

    plain = re.sub(
        r"([A-Za-z_][\w.]*)(\[[^]]*\])?(?![\w.])",
        named,
        re.sub(r"(?<=\d)[eE](?=[-+\d])", "\0", expression),
    )
    plain = plain.replace("\0", "e").strip()
    try:
        if len(plain) > LONGEST or re.search(
            r"[^-+*/()\s\d.e_]|\*\*|//|\._|\(\s*\)|[\d)]\s*\(", plain
        ):
            raise SyntaxError
        with np.errstate(all="ignore"):
            value = eval(plain, {"__builtins__": {}}, used)  # names and arithmetic only
    except (SyntaxError, TypeError, ArithmeticError, MemoryError, RecursionError) as error:
        raise UsageError(
            f"'{definition[:80]}': expected numbers, columns, + - * / and parentheses"
        ) from error
    columns = Columns(
        {**rows.attrs["columns"], name: Column(name, "real", "other", "", definition)}
    )
    result = pd.concat(
        [rows.drop(columns=name, errors="ignore"), pd.Series(value, rows.index, name=name)], axis=1
    )
    result.attrs.update(rows.attrs, columns=columns)
    return result


def _beside(rows: pd.DataFrame, name: str, conditions: str) -> pd.Series[float]:
    """The column of the point that differs in the named axes only."""
    several = [one for one in conditions.split(",") if one]
    if not all("=" in one for one in several):
        raise UsageError(f"[{conditions[:80]}]: expected AXIS=VALUE in the brackets")
    free = {one.split("=")[0] for one in several}
    for axis in free:
        if column(rows, axis).role != "axis":
            raise UsageError(f"'{axis}' in brackets is no axis")
    key = [".source", "kernel", *(axis for axis in axes(rows, varying=False) if axis not in free)]
    partners = where(rows[(rows["repeat"] == 0) & (rows[".source"] != "")], several)
    partners = partners[key].assign(**{".value": partners[name]})  # it may be a key, too
    if partners.duplicated(key).any():
        raise UsageError(
            f"[{conditions[:80]}] matches several points; give one value for every axis that it names"
        )
    found = rows[key].merge(partners, on=key, how="left")[".value"]
    return found.set_axis(rows.index)


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
