"""Selecting, sorting and deriving in the rows of a frame. Its ``attrs`` have ``columns`` (a ``Columns``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .columns import Column, Columns, is_text
from .errors import UsageError, nearest, unknown
from .units import UNITS

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
INTEGERS = tuple(name for name in DTYPE_BYTES if name[0] in "iu")  # their operations are no flops
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
LONGEST = 4000  # letters of an expression
CONDITION = "expected column=value,value, column=first..last, or column != < <= > >= value"


def points(rows: pd.DataFrame) -> pd.DataFrame:
    """First measurements only, without the repetitions of canaries."""
    return rows[rows["repeat"] == 0] if rows["repeat"].any() else rows


def may_name(texts: Iterable[str]) -> set[str]:
    """All names of columns that texts may have, and the ends of their intervals: of a file no others are needed."""
    told = re.findall(r"[A-Za-z_][\w.]*", " ".join(texts))
    return {*told, *(f"{name}_{end}" for name in told for end in ("low", "high"))}


def axes(rows: pd.DataFrame, varying: bool = True) -> list[str]:
    """The columns with the role ``axis``: those with more than one value, or all that apply to a row. Rows of ``load``
    must still have their ``attrs``."""
    roles = rows.attrs.get("roles") or {
        name: one.role for name, one in rows.attrs.get("columns", {}).items()
    }
    has, names = rows.attrs.get("axes"), [name for name, role in roles.items() if role == "axis"]
    if has and "kernel" in rows:
        own = {name for kernel in rows["kernel"].unique() for name in has.get(kernel, names)}
        names = [name for name in names if name in own]
    values = {name: rows[name].unique() for name in names if name in rows}
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
        known = dict.fromkeys([*rows.attrs.get("columns", ()), *rows.columns])
        meant = nearest(name, map(str, known))
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


def is_shared(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows that were measured while other programs computed on the device."""
    return rows.get("shared", pd.Series("", rows.index)).fillna("").str.match(r"[1-9]")


def where(
    rows: pd.DataFrame, conditions: str | Sequence[str], *, strict: bool = True
) -> pd.DataFrame:
    """The rows that meet all conditions: ``stride=1,2``, ``size=1MiB..1GiB``, ``size>=1MiB``, ``dtype!=f64``; several ``=`` on one
    column are alternatives; ``\\,`` is a comma within a word. UsageError names the nearest column or word; strict=False: no
    row meets an unknown word."""
    return rows[meeting(rows, conditions, strict=strict)]


def meeting(
    rows: pd.DataFrame, conditions: str | Sequence[str], *, strict: bool = True
) -> pd.Series[bool]:
    """Which rows `where` takes."""
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
    found = pd.Series(True, rows.index)
    for holds in alternatives.values():
        found &= holds if holds.dtype == bool else holds.fillna(False).astype(bool)
    return found


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
            if is_words and term == "nan":
                result |= values == ""
                continue
            if is_words and strict and term not in set(values) | set(known.words):
                raise _unknown_word(values, known, text, term)
            low, dots, high = (term, "", "") if is_words else term.partition("..")
            first: Any = low if is_words else parse_number(name, low, known.unit)
            last: Any = parse_number(name, high, known.unit) if dots else None
            if dots and not first <= last:  # or one of them is nan
                raise UsageError(f"{term[:80]}: the range is empty; expected first..last")
            if dots:
                result |= values.between(first, last)
            else:
                result |= values.isna() if first != first else values == first
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
        parse_number(name, terms[0], known.unit)
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


def parse_number(name: str, text: str, of: str = "") -> float:
    """``64MiB`` as 67108864.0, ``4e9``, ``nan``, ``90%``; of a column with the unit ``of`` also ``2us``, ``3 TB/s``, as
    tables for people have them. UsageError if it is no number."""
    match = re.fullmatch(
        r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan)\s*([^\s\d]*)\s*", text, re.I
    )
    if match and match[2] in BYTES:
        return float(match[1]) * BYTES[match[2]]
    scales = (
        {"%": 0.01}
        if of == ""
        else {one: unit.scale for unit in UNITS if unit.of == of for one in unit[1:3]}
    )
    if match and match[2] in scales:
        return float(match[1]) * float(scales[match[2]])
    hint = re.fullmatch(r"([\d.]+)\s*([KMGT])i?b?", text, re.I)
    example = (
        "as 4 or 64MiB" if of in ("", "bytes") or not scales else f"as 4 or 64{next(iter(scales))}"
    )
    raise UsageError(
        f"{name} is a number, {example}, not '{text[:40]}'"
        + (f" (did you mean '{hint[1]}{hint[2].upper()}iB'?)" if hint else "")
    )


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
    # another kernel's axis leaves it empty
    taken = name in rows and (rows[name].notna() & (rows[name] != "")).any()
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
