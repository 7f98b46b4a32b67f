"""The best variant of each family, and what the vendor and other variants reach at the same work."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from . import kernels, units
from .assumptions import THRESHOLD
from .columns import Column, Columns, reals, texts
from .latex import DAGGER
from .orders import Times, of_rows
from .rows import QUANTITIES, candidates, is_disproved, roof, roof_origins, with_description
from .selecting import axes, points
from .units import plural
from .values import human

# What kernels of the same work have alike, beside the axes that their family says are no choices.
DONE = ("flops", "bytes_read", "bytes_written", "footprint")
STATE = ("dtype", "cache")
ALIKE = [".source", "kernel", ".group"]  # rows of which one is the best
NOT_APART = f"not told apart by {100 * THRESHOLD:.0f} %"
NO_LIMIT = 2.0**40  # axes from here on, and often 0, stand for "as much as there is"


def roof_text(row: pd.Series) -> str:
    """The roof of a row of `with_description` in words; release 0.1 has no such column."""
    name = row[".roof"]
    return roof(name).words if name else "which its release does not name"


def best(frame: pd.DataFrame) -> pd.DataFrame:
    """The best point of each group of comparable rows of each family on each device, own kernels before the vendor's, and
    results before controls: `row`, a label of `frame`, `bounded`, `aspect`, and of how many `points`."""
    found = list[dict[str, Any]]()
    for (source, kernel, group), family in _results(frame).groupby(ALIKE):
        theirs = family[".vendor"]
        chosen = family[~theirs] if not theirs.all() else family
        top = family.loc[chosen[".rank"].idxmax()]
        found.append(
            {
                "source": source,
                "kernel": kernel,
                "row": top.name,
                "bounded": group == "",
                "aspect": top[".aspect"],
                "points": len(chosen),
            }
        )
    table = pd.DataFrame(found, columns="source kernel row bounded aspect points".split())
    order = list(frame.attrs.get("groups", pd.unique(frame[".source"])))
    return table.sort_values(
        "source", key=lambda values: values.map(order.index), kind="stable", ignore_index=True
    )


def _results(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a frame, described, that can be the best of their families."""
    rows = points(with_description(frame))
    rows = rows[(rows["status"] == "ok") & (rows[".source"] != "")]
    return rows[candidates(rows, ALIKE[:2])]


def compared(frame: pd.DataFrame) -> pd.DataFrame:
    """`best` with what others reach at the same work: `vendor`, the vendor's fastest point, and `next`, the fastest of another
    own variant that the file tells to be slower (labels; NaN: none), how many times as fast `row` is (`over_vendor`,
    `over_next`), and how many points the variants of each have (`shapes`, `vendor_shapes`, `next_shapes`)."""
    entries, rows = best(frame), _results(frame)
    rows = rows.assign(**{".work": same_work(rows)})
    same = [*ALIKE, ".work"]
    own = rows.loc[entries["row"], [*same, "variant", ".quantity", ".predicted"]]
    own = own.assign(better=own.index, entry=entries.index)
    others = rows[[*same, "variant", ".vendor", "time_median"]].assign(worse=rows.index)
    both = own.merge(others, on=same, suffixes=("_top", "")).sort_values("time_median")
    ways = both.groupby(["entry", "variant", ".vendor"], dropna=False)
    both = both.assign(shapes=ways["worse"].transform("size"))
    found = both[both["worse"] == both["better"]].set_index("entry")[["shapes"]]
    timed = both[".quantity"].map(lambda name: QUANTITIES[name].timed) & ~both[".predicted"]
    other = both[".vendor"] | (both["variant"] != both["variant_top"])
    both = both[timed & other & (both["worse"] != both["better"])]
    both = both.drop_duplicates(["entry", "variant", ".vendor"])  # the fastest of each
    both = both.assign(times=of_rows(rows, both))
    slower = both["times"].map(lambda times: times.is_better).astype(bool)
    for side, of in (("vendor", both[both[".vendor"]]), ("next", both[slower & ~both[".vendor"]])):
        of = of.drop_duplicates("entry").set_index("entry")[["worse", "times", "shapes"]]
        found = found.join(of.set_axis([side, f"over_{side}", f"{side}_shapes"], axis=1))
    return entries.join(found)


def same_work(rows: pd.DataFrame) -> pd.Series[int]:
    """The number of the work that each row does: rows of a family with one number did the same, in the same state of the
    caches. A footprint counts to two digits: a kernel's own workspace is no work. Of a family that does not say which of
    its axes are choices, those of one size do the same."""
    found = pd.Series(0, rows.index)
    alike = pd.DataFrame(
        {
            **{name: reals(rows, name) for name in DONE},
            **{name: texts(rows, name) for name in STATE},
        }
    )
    alike["footprint"] = [float(f"{size:.1e}") for size in alike["footprint"]]
    for kernel, of in rows.groupby("kernel"):
        known = kernels.family(str(kernel))
        stated = known.work(rows.attrs["columns"].axes()) if known.choices else known.apart
        if known is kernels.UNKNOWN:
            stated = []
        keys = alike.loc[of.index].join(
            of[[name for name in stated if name in of and name not in alike]]
        )
        found[of.index] = of.groupby([keys[name] for name in keys], dropna=False).ngroup()
    return found


def rivals(rows: pd.DataFrame, place: str) -> pd.DataFrame:
    """Own kernels beside the vendor's: for each family, type of values and ``place`` (a column that names the device) the
    labels of the fastest row of both, `own` and `vendor`, at the largest work that both were measured at, of several that
    in which the vendor's is fastest; `what`: the family, with the type where several are compared."""
    chosen = candidates(rows, ["kernel", place]) & (rows["status"] == "ok") & (rows[place] != "")
    rows = rows[chosen & ~rows[".predicted"] & (rows["time_median"] > 0)]
    rows = rows.assign(dtype=texts(rows, "dtype"), **{".work": same_work(rows)})
    sides = [*(by := ["kernel", place, "dtype"]), ".group", ".work", ".vendor"]
    fastest = rows.groupby(sides)["time_median"].idxmin().unstack()
    both = fastest.reindex(columns=[False, True]).dropna().astype(int)
    table = both.set_axis(["own", "vendor"], axis=1).reset_index()
    of = rows.loc[table["vendor"]].set_axis(table.index)
    order = of[[name for name in (*DONE, "cache") if name in of]].assign(slow=-of["time_median"])
    table = table.loc[order.sort_values([*order]).index]
    table = table.groupby(by, as_index=False, sort=False).last()
    table = table.sort_values(by[:2], kind="stable", ignore_index=True)
    several = table.groupby("kernel")["dtype"].nunique() > 1
    return table.assign(
        what=[
            f"{kernel} {dtype}" if several[kernel] else kernel
            for kernel, dtype in zip(table["kernel"], table["dtype"])
        ]
    )


def _half(row: pd.Series, low: str, high: str) -> float:
    """Half of an interval; NaN: the file has none, or nothing was measured."""
    return np.nan if row[".predicted"] else (row[high] - row[low]) / 2


def rate_text(row: pd.Series) -> str:
    """ "4299 ± 4 GB/s" of a row of `with_description`, with a dagger if its clock was lowered"""
    of = QUANTITIES[row[".quantity"]].unit
    text = units.scaled(row[".value"], of, _half(row, ".low", ".high"))
    return text + DAGGER if row[".slowed"] else text


def share_text(row: pd.Series) -> str:
    """ "98.7 ± 0.3 %" of the roof"""
    half = _half(row, ".share_low", ".share_high")
    return units.format(100 * row[".share"], 100 * half) + " %"


def gain_text(times: Times) -> str:
    """How much faster a point is than another one, by the ends of the interval."""
    low, high = times.low, times.high
    if low >= 2:
        return f"is {units.span(low, high)} times as fast as"
    return f"is faster by {units.span(100 * (low - 1), 100 * (high - 1))} % than"


def _against_vendor(frame: pd.DataFrame, entry: pd.Series) -> str:
    top, theirs, times = frame.loc[entry["row"]], frame.loc[entry["vendor"]], entry["over_vendor"]
    text = (
        f" The vendor's {theirs['variant']} does the same work at {rate_text(theirs)} (best of "
        f"{entry['vendor_shapes']:.0f}; {top['variant']}: best of {entry['shapes']}): "
    )
    if times.is_better:
        return text + f"{top['variant']} {gain_text(times)} {theirs['variant']}."
    if times.is_worse:
        return text + f"{theirs['variant']} {gain_text(times.inverse)} {top['variant']}."
    return text + f"{NOT_APART}."


def values_text(row: Mapping[str, Any], names: Iterable[str], known: Columns) -> str:
    """Axes with their values: "size 1GiB, f32"; without those that do not apply, or are no limit."""
    said = [(axis, axis_text(row[axis], known[axis])) for axis in names]
    return ", ".join(
        text if axis in ("variant", "dtype") else f"{axis} {text}" for axis, text in said if text
    )


def axis_text(value: Any, column: Column) -> str:
    """A value of an axis as it is typed in a job file: "64MiB", "4"; "" where the axis does not apply, or is no limit."""
    missing = (
        value is None
        or value != value
        or value == ""
        or not isinstance(value, str)
        and value >= NO_LIMIT
    )
    return "" if missing else human(value, column)


def describe(frame: pd.DataFrame, entry: pd.Series) -> str:
    """The sentences on a family: a row of `compared`; ``frame``: of `with_description`."""
    top, rows = frame.loc[entry["row"]], points(frame)
    rows = rows[
        (rows["kernel"] == entry["kernel"])
        & (rows[".source"] == entry["source"])
        & (rows["status"] == "ok")
    ]
    rows = rows if top[".vendor"] else rows[~rows[".vendor"]]
    place = values_text(
        top,
        [axis for axis in axes(rows) if axis != "variant" and top[axis] != 0],
        rows.attrs["columns"],
    )
    guess = "predicted " if top[".predicted"] else ""
    text = (
        f"{' '.join(filter(None, (entry['kernel'], entry['aspect'])))}: {guess}best of {plural(entry['points'], 'point')} is "
        f"{top['variant']}{f' ({place})' if place else ''} at {rate_text(top)}"
    )
    if entry["bounded"]:
        told_by = roof_origins(frame.loc[[entry["row"]]]).iloc[0]
        over = ", above 100 %" if top[".share"] > 1 else ""
        text += f", {share_text(top)} of the roof ({roof_text(top)}, {told_by}{over})"
    text += "; it is a control." if top[".control"] else "."
    if entry["vendor"] == entry["vendor"]:
        text += _against_vendor(frame, entry)
    if entry["next"] == entry["next"]:
        text += (
            f" At this work {top['variant']} {gain_text(entry['over_next'])} {frame.at[entry['next'], 'variant']}, the fastest other "
            "own variant that is told apart from it."
        )
    return text


def disproved(frame: pd.DataFrame) -> Sequence[str]:
    """Ids of points whose counters disprove the state of L2 that their axis `cache` names."""
    rows = points(frame)
    return list(rows.loc[is_disproved(rows), "id"])


def best_variants(frame: pd.DataFrame) -> pd.DataFrame:
    """The best of each group of comparable points of each family on each device of a `warpsweep.frame`: `source`, `kernel`,
    `aspect` (the group in words), `id`, `variant`, `quantity` (its column), `rate` (its value), `unit`,
    `share` of the roof (NaN: none), `roof`, `points`, `vendor_rate` (at the same work; NaN: none) and `sentence`."""
    frame = with_description(frame)
    entries = compared(frame)
    top = frame.loc[entries["row"]].reset_index(drop=True)
    what = [QUANTITIES[name] for name in top[".quantity"]]
    return entries[["source", "kernel", "aspect"]].assign(
        id=top["id"],
        variant=top["variant"],
        quantity=[one.column for one in what],
        rate=top[".value"],
        unit=[one.unit for one in what],
        share=top[".share"],
        roof=texts(top, "roof"),
        points=entries["points"],
        vendor_rate=frame[".value"].reindex(entries["vendor"]).to_numpy(),
        sentence=[describe(frame, entry) for _, entry in entries.iterrows()],
    )
