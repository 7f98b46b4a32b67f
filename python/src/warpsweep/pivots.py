"""The command ``pivot``: rows or a pivot of files as text, Markdown, LaTeX, or plain values."""
from __future__ import annotations

import json
import math
import re
import sys
from typing import Any

from .errors import UsageError
from .options import FILTER, Arguments, Command, Option, whole

FORMATS = ("text", "tsv", "csv", "json", "jsonl", "md", "latex")
HEADLINE = ("status", "time_median", "bandwidth", "bandwidth_low", "bandwidth_high", "fraction_peak")
HEADINGS = {"time_median": "Time", "fraction_peak": "Share of roof", "fraction_nominal": "Share of nominal",
            "fraction_datasheet": "Share of data sheet", "flop_rate": "Rate", "sm_clock": "SM clock", "dtype": "Type",
            "arch": "Architecture", "device.name": "Device"}


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    from . import frames

    rows = frames.frame(arguments.operands, canaries=arguments.given("canaries"))
    for definition in arguments.each("derive"):
        rows = frames.derive(rows, definition)
    rows = frames.where(frames.kernel(rows, arguments.text("kernel")), arguments.each("where"))
    style = arguments.text("format") or ("text" if sys.stdout.isatty() else "tsv")
    names = choose_columns(rows, arguments.text("columns"))
    rows = frames.sort(rows, [name for name in names if frames.column(rows, name).role == "axis"] or ["kernel"])
    if arguments.text("sort"):
        rows = frames.sort(rows, str(arguments.text("sort")).split(","))
    if arguments.text("limit") is not None:
        rows = rows.head(whole("--limit", str(arguments.text("limit"))))
    if not len(rows):
        print(f"warpsweep: no row of {', '.join(arguments.operands)} matches the conditions", file=sys.stderr)
    if arguments.text("parts"):
        rows, names = pivot(rows, **_parts(str(arguments.text("parts"))), people=style in ("text", "md", "latex"))
    if style in ("tsv", "csv", "json", "jsonl"):
        integers = [name for name in names if name in rows.attrs["columns"] and not frames.is_text(rows[name])
                    and rows.attrs["columns"][name].type == "integer"]
        rows = rows.astype({name: "Int64" for name in integers})
    if style in ("tsv", "csv"):
        rows[names].to_csv(sys.stdout, sep="\t" if style == "tsv" else ",", index=False, na_rep="nan", lineterminator="\n")
    elif style in ("json", "jsonl"):
        print_json(rows[names], style == "json")
    else:
        print_people(rows, names, style)
    return 0


def choose_columns(rows: Any, given: str | None) -> list[str]:
    """The columns named, or the kernel, the axes that vary, the status and the main results."""
    from . import frames

    if given == "all":
        return [name for name in rows if name in rows.attrs["columns"] and not name.startswith("device.")]
    if given:
        names = given.strip(",").split(",")
        if not all(names):
            raise UsageError(f"--columns '{given[:60]}': a name is missing between commas")
        for name in names:
            frames.column(rows, name)
        return names
    several = ["file"] if rows["file_number"].nunique() > 1 else []
    extra = ["energy", "energy_per_bit"] if "energy" in rows and rows["energy"].notna().any() else []
    extra += ["throttle"] if frames.is_throttled(rows).any() else []
    extra += ["l2_state"] if "l2_state" in rows and rows["l2_state"].str.startswith("disproved").any() else []
    return [*several, "kernel", *frames.axes(rows), *(name for name in (*HEADLINE, *extra) if name in rows)]


def interval_of(rows: Any, name: str) -> tuple[str, str] | None:
    """The columns of the ends of a column's 95 % interval."""
    ends = ("time_ci_low", "time_ci_high") if name == "time_median" else (f"{name}_low", f"{name}_high")
    return ends if all(end in rows for end in ends) else None


def _parts(text: str) -> dict[str, str]:
    parts = dict(part.partition("=")[::2] for part in text.split(","))
    for name in parts:
        if name not in ("rows", "cols", "value"):
            raise UsageError(f"'{text[:80]}': '{name[:40]}' is no part of a pivot; expected rows=NAME,cols=NAME,value=NAME")
    for name in ("rows", "cols", "value"):
        if not parts.get(name):
            raise UsageError(f"'{text[:80]}' lacks {name}=; expected rows=NAME,cols=NAME,value=NAME")
    return {"side": parts["rows"], "top": parts["cols"], "value": parts["value"]}


def pivot(rows: Any, *, side: str, top: str, value: str, people: bool = False) -> tuple[Any, list[str]]:
    """A row for each value of one column, a column for each of another: the table and the columns to show.

    Where the value has an interval, NAME_low and NAME_high stand beside each column; people read it at the value.
    UsageError names what two rows of one cell differ in.
    """
    import pandas as pd

    from . import frames
    from .results import Column, Columns

    for name in (side, top, value):
        frames.column(rows, name)
    before = len(rows)
    for name in (side, top):
        if frames.column(rows, name).role == "axis":
            rows = rows[rows[name].notna() & (rows[name] != "")]
    if before and not len(rows):
        raise UsageError(f"no row has both {side} and {top}")
    if len(rows) < before:
        print(f"warpsweep: note: {before - len(rows)} of {before} rows lack an axis of --parts and are left out",
              file=sys.stderr)
    twice = rows[rows.duplicated([side, top], keep=False)]
    if len(twice):
        first = twice[(twice[[side, top]] == twice.iloc[0][[side, top]]).all(axis=1)]
        kernels = sorted(set(rows["kernel"]))
        if len(kernels) > 1 and "kernel" not in (side, top):
            raise UsageError(f"several rows for one {side} and {top}, of {len(kernels)} kernels "
                             f"({', '.join(kernels[:4])}{' ...' if len(kernels) > 4 else ''}); choose one with --kernel")
        differ = [name for name in ("source", "repeat", *frames.axes(first)) if first[name].nunique(dropna=False) > 1]
        raise UsageError(f"several rows of {first.iloc[0]['kernel']} for one {side} and {top}: they differ in "
                         f"{', '.join(differ) or 'nothing that is swept'}; choose one with --where")
    known = rows.attrs["columns"]
    ends = interval_of(rows, value)
    if ends is None and known[value].role == "rate" and "time_ci_low" in rows:  # a rate's interval is its time's
        rows = rows.assign(**{f"{value}_low": rows[value] * rows["time_median"] / rows["time_ci_high"],
                              f"{value}_high": rows[value] * rows["time_median"] / rows["time_ci_low"]})
        ends = (f"{value}_low", f"{value}_high")
    if ends and not (rows[ends[0]] < rows[ends[1]]).any():
        ends = None
    described, wide = Columns({side: known.get(side, Column(side, "", "axis", "", ""))}), {}
    order = frames.sort(rows, [side])[side].drop_duplicates()
    for at in frames.sort(rows, [top])[top].drop_duplicates():
        own = rows[rows[top] == at].set_index(side)
        name = str(at) if frames.is_text(rows[top]) else f"{top}={person(at, known.get(top))}"
        for end, source in (("", value), *((("_low", ends[0]), ("_high", ends[1])) if ends else ())):
            wide[name + end] = own[source].reindex(order).to_numpy()
            described[name + end] = Column(name + end, known[value].type, known[value].role, known[value].unit, known[value].meaning)
    table = pd.DataFrame({side: order.to_numpy(), **wide})
    table.attrs["columns"] = described
    return table, [name for name in table if not (people and ends and re.search("_(low|high)$", name))]


# ---- Writers -------------------------------------------------------------------------------------------------------


def print_json(rows: Any, as_list: bool) -> None:
    """A list of objects, or an object a line; what is missing is null."""
    records = rows.astype(object).mask(rows.isna() | (rows == "") | rows.isin([math.inf, -math.inf]), None).to_dict("records")
    if as_list:
        print("[" + ",".join("\n " + json.dumps(record, ensure_ascii=False) for record in records) + "\n]")
    else:
        sys.stdout.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def person(value: Any, column: Any, half: float = math.nan) -> str:
    """One value as people read it, with its unit: ``4299 ± 4 GB/s``, ``64MiB``; a dash where it is missing."""
    from . import units

    if isinstance(value, str) or value is None:
        return value or "—"
    if not math.isfinite(value):
        return "—"
    kind, unit, role = (column.type, column.unit, column.role) if column else ("", "", "")
    if half > 0:
        return units.scaled(value, unit, half)
    if unit == "bytes" and (kind == "integer" or role != "axis" or float(value).is_integer()):
        return units.bytes_text(value) if role == "axis" else units.bytes_short(round(value))
    if kind == "integer":
        return str(int(value))
    if unit == "s":
        return units.seconds_text(value)
    chosen = units.choose(unit, value)
    return f"{value / (chosen.scale if chosen else 1):.4g}" + (f" {chosen.name if chosen else unit}" if unit else "")


def print_people(rows: Any, names: list[str], style: str) -> None:
    """A table for people: every cell with its own unit, or in LaTeX a unit for each column."""
    from . import frames
    from . import sheet as sheets
    from . import units

    known, throttled = rows.attrs["columns"], (frames.is_throttled(rows) if "kernel" in rows else [False] * len(rows))
    ends = {end for name in names for end in (interval_of(rows, name) or ())}
    shown = [name for name in names if name not in ends]
    table, factors = sheets.Sheet(), {}
    for name in shown:
        column, text = known.get(name), frames.is_text(rows[name])
        unit = column.unit if column else ""
        if style != "latex":
            table.head(name, "words" if text else "right")
            continue
        heading = HEADINGS.get(name, re.sub("[_.]", " ", name))
        if name not in HEADINGS and ("_" in name or not re.search(r"\d", name)):  # f32 stays
            heading = heading[:1].upper() + heading[1:]
        real = not text and column is not None and column.type == "real"
        kind = "words" if text else "number" if real else "bytes" if unit == "bytes" else "count"
        chosen = units.choose(unit, rows[name].abs().median()) if real else None
        share = name.startswith("fraction_")
        factors[name] = 0.01 if share else chosen.scale if chosen else 1
        table.head(heading, kind, "%" if share else chosen.name if chosen else "" if kind == "bytes" else unit)
    for (_, row), held in zip(rows.iterrows(), throttled):
        cells: list[Any] = []
        for name in shown:
            column, pair = known.get(name), interval_of(rows, name)
            half = (row[pair[1]] - row[pair[0]]) / 2 if pair else math.nan
            dagger = bool(held and column and column.role in ("time", "rate") and column.type == "real")
            if style == "latex" and row[name] == "":
                cells.append(None)
                continue
            if style == "latex" and name in factors and isinstance(row[name], float):
                number = row[name] / factors[name]
                cells.append(sheets.Number(number, half / factors[name], dagger) if table.heads[len(cells)].kind != "bytes"
                             else units.bytes_text(row[name]) if math.isfinite(row[name]) else None)
                continue
            percent = style == "text" and name.startswith("fraction_") and isinstance(row[name], float)
            if percent and math.isfinite(row[name]):
                text = f"{units.format(100 * row[name], 100 * half) if half > 0 else f'{100 * row[name]:.1f}'} %"
            else:
                text = person(row[name], column, half)
            tone = sheets.WORD_TONES.get(text, "") if isinstance(row[name], str) else ""
            cells.append(sheets.Text(text + (sheets.DAGGER if dagger and text != "—" else ""), tone))
        table.row(*cells)
    sheets.print_sheet(table, style, "alone" if style == "latex" else "plain")
    if any(throttled):
        mark = r"\par\footnotesize\textsuperscript{\dag}" if style == "latex" else f"\n{sheets.DAGGER}:"
        print(f"{mark} {frames.THROTTLED}.")


COMMAND = Command(
    name="pivot", operands="FILE.h5...", minimum=1, maximum=64,
    summary="tables of results files for papers: pivots, Markdown, LaTeX, derived columns",
    details="""Without --parts it prints rows, as `warpsweep table` does. The default columns are the kernel, the axes that
vary, the status and the main results. In --derive, COLUMN[AXIS=VALUE,...] is the value of the point that
differs only in these axes.
""",
    examples="""  warpsweep pivot results.h5 -k copy -w variant=memcpy -f latex -p rows=size,cols=cache,value=bandwidth
  warpsweep pivot results.h5 --where stride=1 --format md
  warpsweep pivot h100.h5 h200.h5 -w variant=memcpy -w cache=cold -p rows=size,cols=device.name,value=bandwidth
  warpsweep pivot results.h5 -k copy -d 'share=bandwidth/bandwidth[variant=memcpy]' -c size,share
""",
    options=(
        *FILTER,
        Option("parts", "p", "PARTS", help="rows=NAME,cols=NAME,value=NAME: a row per value of one column, a column per "
               "value of another"),
        Option("columns", "c", "NAME,NAME", help="columns to show, or all; device.NAME comes from /devices"),
        Option("derive", "d", "NAME=EXPR",
               help="a new column: 'x=bandwidth/bandwidth[variant=memcpy]'; may be repeated"),
        Option("sort", "s", "NAME,-NAME", help="order of the rows, ascending; descending with -"),
        Option("limit", "n", "COUNT", help="only the first rows, after sorting"),
        Option("format", "f", "FORMAT", words=FORMATS, help="SI units in tsv, csv, json and jsonl, scaled units in text, "
               "md and latex; default: text on a terminal, tsv otherwise"),
        Option("canaries", help="also the repeated points that monitor drift"),
    ),
    run=run,
)
