"""compare: two results files, two versions or the values of a column, with verdicts."""

from __future__ import annotations

import copy
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import comparison as of
from . import running
from .assumptions import check, judge
from .columns import Column, Columns, is_text
from .comparison import Comparison, of_pairs, paired_axis
from .errors import UsageError
from .estimates import of_file
from .frames import one_of
from .options import Arguments
from .pivots import write
from .results import Results
from .selecting import sort
from .sheet import print_sheet, texts
from .stored import printable
from .units import formatted, plural, seconds_text
from .values import human
from .verdicts import ENDS, INTERVALS, VERDICTS, detectable, group

SHOWN = 8  # differences that are listed
RULE = """
ratio: time of B over time of A; of a point, with its 95 % interval over samples, processes and devices; of a
family, the geometric mean over points, with three 95 % intervals. repetition: of these points, if both runs
were repeated. units: if other units of the same kinds had been taken. shapes: if other points of the kind had.
faster, slower: the difference is larger than {0:g} %. Of these verdicts at most {1:g} % are expected to be wrong,
if several processes measured a point, and not all of them in a state that other runs do not share.
{2}same: a difference of more than {0:g} % is ruled out. uncertain: neither; more replicates, or a paired run, tell.
finds: the smallest true difference that 95 % of the points would have shown.
"""
CYCLES = "cycles: the same ratio in cycles of the SM clock; of points and families whose clock the power limit or heat lowered.\n"
OF_ROOF = "of roof: share of the device's measured peak.\n"
OF_CYCLES = ["cycles_ratio", "cycles_low", "cycles_high"]
CLOCK = 2e9  # Hz, for all devices
SLOWED = 0.98  # of a device's highest clock: below, a time depends on it


def prepare(
    a: Any,
    b: Any = None,
    *,
    by: str | None = None,
    baseline: str | None = None,
    kernel: str | None = None,
    where: Sequence[str] = (),
    threshold: float | None = None,
    limit: float | None = None,
    mixed: bool = False,
) -> Comparison:
    """The comparison that ``compare`` tells of. a, b: paths or Results. limit: the standard threshold is not above it."""
    files = [one_of(one) for one in ((a, b) if b is not None else (a,))]
    rows, names = (
        [of.selected(file, kernel, where) for file in files],
        [printable(file.path) for file in files],
    )
    axis = paired_axis(files[0]) if len(files) == 1 else None
    if len(files) == 2 and (by or baseline):
        raise UsageError(
            "--by takes one file, not two"
            if by
            else "--baseline needs --by, or one file of a paired run"
        )
    if len(files) == 1 and not axis and not by:
        raise UsageError(
            "compare needs A.h5 B.h5, or one file of a paired run, or one file with --by COLUMN"
        )

    def built(files: list[Results]) -> Comparison:
        if len(files) == 2:
            return of.of_files(
                of_file(files[0]), of_file(files[1]), rows[0], rows[1], (names[0], names[1])
            )
        if axis and by in (None, axis[0]):
            return of_pairs(files[0], rows[0], baseline)
        return of.by_columns(files[0], rows[0], str(by), baseline)

    c = judge(check(built(files), mixed), threshold, limit)
    if not c.paired and _slowed(c).any():
        c.cycles = judge(built([_at_one_clock(file) for file in files]), threshold, limit)
    return c


def _slowed(c: Comparison) -> pd.Series[bool]:
    """The measured pairs that the power limit or heat slowed down, on either side."""
    share = [
        (file.rows["sm_clock"] / file.devices["clock_max"].reindex(file.rows["device"]).to_numpy())
        .reindex(c.pairs[side])
        .set_axis(c.pairs.index)
        for file, side in zip(c.files, "ab")
        if "sm_clock" in file.rows and "clock_max" in file.devices
    ]
    measured = c.on_both & ~(c.a["predicted"] | c.b["predicted"])
    return (
        measured & np.logical_or.reduce([one < SLOWED for one in share], axis=0)
        if share
        else measured & False
    )


def _at_one_clock(results: Results) -> Results:
    """The file with the times that the cycles of its samples take at one clock."""
    made = copy.copy(results)
    cycles = results.samples["seconds"] * results.samples["sm_clock"].fillna(CLOCK)
    made.samples = results.samples.assign(seconds=cycles / CLOCK)
    made.cells = made.estimator = None
    return made


def _with_columns(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """The table with ``attrs["columns"]``."""

    def described(name: str) -> Column:
        if columns.role(name) == "axis":
            return columns[name]
        kind = "integer" if name.startswith("points") else "real"
        kind = "text" if is_text(table[name]) else kind
        return Column(name, kind, "other", "s" if name.startswith("time") else "", "")

    table.attrs["columns"] = Columns({name: described(name) for name in table})
    return table


def point_table(c: Comparison, taken: Sequence[str] = ()) -> pd.DataFrame:
    """A row for each pair, by kernel and axes: with `by` the values a and b; kernel, the axes that vary, times in
    seconds, ratio with its 95 % interval, shares of the roofs, verdict. An axis that is called as another column, or is
    ``taken``, has a dot before its name."""
    about = c.pairs[["kernel"]]
    if c.by:
        both = (
            pd.DataFrame(c.sections, columns=["a", "b"])
            .loc[c.pairs["section"]]
            .set_axis(about.index)
        )
        about = pd.concat([both, about], axis=1)
    names = [name for name in c.columns.axes() if name not in c.by.split(",")]
    a, b = (
        file.rows.reindex(columns=names).reindex(c.pairs[side]).set_axis(about.index)
        for file, side in zip(c.files, "ab")
    )
    used = pd.concat([a, b])
    names = [name for name in names if used.loc[used[name] != "", name].nunique() > 1]
    axes = a[names].where(c.pairs["a"] >= 0, b[names])
    words = [name for name in names if c.columns[name].type == "text"]
    axes = axes.fillna(dict.fromkeys(words, "")).astype(
        dict.fromkeys(set(names) - set(words), float)
    )
    own = {
        "time_a": c.a["seconds"],
        "time_b": c.b["seconds"],
        "ratio": c.ratios["ratio"],
        "ratio_low": c.ratios["low"],
        "ratio_high": c.ratios["high"],
        "share_a": c.shares(0),
        "share_b": c.shares(1),
        "verdict": np.select(
            [c.pairs["b"] < 0, c.pairs["a"] < 0], ["only in A", "only in B"], c.ratios["verdict"]
        ),
    }
    if c.cycles:
        cycles = c.cycles.ratios[["ratio", "low", "high"]].where(_slowed(c))
        own.update(cycles.set_axis(OF_CYCLES, axis=1))
    apart = {name: f".{name}" for name in names if name in {*own, *OF_CYCLES, *taken, "a", "b"}}
    parts = [about, axes.rename(columns=apart), pd.DataFrame(own, about.index)]
    table = pd.concat(parts, axis=1)
    return sort(table, ["kernel", *(apart.get(name, name) for name in names)])


def public(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """A table of points for its readers: axes have their names, and a column that is called the same has the dot."""
    names = {name: name[1:] for name in table if name.startswith(".")}
    names.update({name: dotted for dotted, name in names.items()})
    return _with_columns(table.rename(columns=names), columns)


def family_table(c: Comparison) -> pd.DataFrame:
    """A row for each family of a section by name, then one of "all" if there are several: geometric means and counts of
    verdicts."""
    about = c.pairs.assign(
        verdict=c.ratios["verdict"].where(c.on_both), share_a=c.shares(0), share_b=c.shares(1)
    )
    ran = running.of_points(c) if not c.by else pd.DataFrame({"code": ""}, about.index)
    rows, slowed = [], about.index[_slowed(c)] if c.cycles else []
    for section, mine in about.groupby("section"):
        names = dict(zip("ab", c.sections[section]))
        families = [*mine.groupby("kernel"), ("all", mine)]
        for kernel, points in families if len(families) != 2 else families[:1]:
            mean = group(c.rule, c.a.loc[points.index], c.b.loc[points.index], c.scatter)
            counts = points["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
            shares = points.loc[c.on_both[points.index], ["share_a", "share_b"]]
            cycles: Any = ()
            # All points, as those of the ratio of times.
            if c.cycles and points.index.isin(slowed).any():
                cycles = group(c.rule, c.cycles.a.loc[points.index], c.cycles.b.loc[points.index])[
                    ["ratio", "repetition_low", "repetition_high"]
                ]
            rows.append(
                {
                    **names,
                    "kernel": kernel,
                    "ratio": mean["ratio"],
                    "ratio_low": mean["low"],
                    "ratio_high": mean["high"],
                    **mean[ENDS],
                    "verdict": mean["verdict"],
                    "code": running.of_family(
                        ran.loc[points.index[c.on_both[points.index]], "code"]
                    ),
                    **counts.rename(lambda name: f"points_{name.replace(' ', '_')}"),
                    "points_only_a": (points["b"] < 0).sum(),
                    "points_only_b": (points["a"] < 0).sum(),
                    **np.exp(np.log(shares[(shares > 0).all(axis=1)]).mean()),
                    "detectable": detectable(c.rule, c.ratios.loc[points.index]),
                    **dict(zip(OF_CYCLES, cycles)),
                }
            )
    return _with_columns(pd.DataFrame(rows), c.columns)


def describe(row: pd.Series, columns: Any) -> str:
    """``copy: size 64MiB, stride 2``: the kernel and the axes of a row of a point table."""
    names = [
        n
        for n in row.index[list(row.index).index("kernel") + 1 : list(row.index).index("time_a")]
        if row[n] == row[n] and row[n] != ""
    ]
    values = [f"{name.lstrip('.')} {human(row[name], columns[name.lstrip('.')])}" for name in names]
    return ": ".join(filter(None, [row["kernel"], ", ".join(values)]))


def _ratio(decimals: int, *ends: float) -> str:
    """A ratio or its interval. Near 1 ratios need three decimals, of pairs and families four; far from it three digits."""
    if any(end != end for end in ends):
        return "-"
    return " to ".join(
        f"{end:.{decimals}f}" if max(ends) < 9.9995 else f"{end:.3g}" for end in ends
    )


def _ratios(row: Any, decimals: int, *names: str) -> list[str]:
    """The ratio of these columns, and its interval: of time without names."""
    middle, low, high = names or ("ratio", "ratio_low", "ratio_high")
    return [_ratio(decimals, row[middle]), _ratio(decimals, row[low], row[high])]


def _head(c: Comparison, section: int) -> str:
    names = c.sections[section]
    if c.by:
        return f"{c.by}: B = {names[1]} against A = {names[0]}"
    products = [
        " and ".join(
            dict.fromkeys(
                str(file.devices["name"].iloc[d]) for d in sorted(used) if d < len(file.devices)
            )
        )
        for file, used in zip(c.files, c.devices)
    ]
    return "\n".join(
        f"{side} = {name}, {product or 'nothing measured'}"
        for side, name, product in zip("AB", names, products)
    )


def _print_families(c: Comparison, points: pd.DataFrame) -> None:
    predicted, families = bool((c.a["predicted"] | c.b["predicted"]).any()), family_table(c)
    words = [verdict for verdict in VERDICTS if verdict != "not measured"]
    for section, names in enumerate(c.sections):
        _print_head(c, section)
        whole = families[(families["a"] == names[0]) & (families["b"] == names[1])]
        judged = whole[[f"points_{word}" for word in words]].sum(axis=1) > 0
        mine, apart = whole[judged], int((~judged).sum())
        several = mine.loc[mine["code"] != "", "code"].nunique() > 1
        code = ["code"] if several else []  # of all: a line below says so
        cycles = bool(c.cycles and mine["cycles_ratio"].notna().any())
        heads = [
            "family",
            ">points",
            ">ratio",
            ">model error" if predicted else ">repetition",
            ">units",
            ">shapes",
            *(">" + word for word in words),
            ">finds",
            ">A of roof",
            ">B of roof",
            *([">cycles", ""] if cycles else []),
            *code,
        ]
        print_sheet(
            texts(
                heads,
                [
                    [
                        f["kernel"],
                        str(sum(f[f"points_{word}"] for word in words)),
                        _ratio(4, f["ratio"]),
                        *(_ratio(4, f[f"{of}_low"], f[f"{of}_high"]) for of in INTERVALS),
                        *(str(f[f"points_{word}"]) for word in words),
                        formatted("{:.2f} %" if c.paired else "{:.1f} %", 100 * f["detectable"]),
                        *(
                            formatted("{:.1f} %", 100 * f[share])
                            for share in ("share_a", "share_b")
                        ),
                        *(_ratios(f, 4, *OF_CYCLES) if cycles else []),
                        *(f[name] for name in code),
                    ]
                    for f in mine.to_dict("records")
                ],
            )
        )
        if apart:
            print(f"{plural(apart, 'family', 'families')} without a point on both sides")
        last = whole.iloc[-1]
        if last["points_not_measured"]:
            print(f"{plural(last['points_not_measured'], 'point')} not measured on both sides")
        if last["points_only_a"] or last["points_only_b"]:
            print(f"{last['points_only_a']} only in A, {last['points_only_b']} only in B")
        chosen = c.ratios[
            (c.pairs["section"] == section) & c.ratios["verdict"].isin(["faster", "slower"])
        ]
        chosen = points.loc[
            chosen["log_ratio"].abs().sort_values(ascending=False, kind="stable").index
        ]
        if len(chosen):
            print(
                "\n  the largest "
                + ("of these differences (all: --points)" if len(chosen) > SHOWN else "differences")
            )
        print_sheet(
            texts(
                ["", ">", ">", ""],
                [
                    [row["verdict"], *_ratios(row, 4 if c.paired else 3), describe(row, c.columns)]
                    for _, row in chosen.head(SHOWN).iterrows()
                ],
                indent=2,
            )
        )


def _print_head(c: Comparison, section: int) -> None:
    if section:
        print()
    print(_head(c, section))


def _print_points(c: Comparison, points: pd.DataFrame) -> None:
    for section, mine in points.groupby(c.pairs["section"].reindex(points.index)):
        _print_head(c, section)
        cycles = bool(c.cycles and mine["cycles_ratio"].notna().any())
        print_sheet(
            texts(
                [
                    "verdict",
                    ">ratio",
                    ">95 % interval",
                    *([">cycles", ""] if cycles else []),
                    ">A",
                    ">B",
                    "point",
                ],
                [
                    [
                        row["verdict"],
                        *_ratios(row, 4 if c.paired else 3),
                        *(_ratios(row, 3, *OF_CYCLES) if cycles else []),
                        *(
                            "-" if time != time else seconds_text(time)
                            for time in (row["time_a"], row["time_b"])
                        ),
                        describe(row, c.columns),
                    ]
                    for _, row in mine.iterrows()
                ],
            )
        )


def _of_one_process(c: Comparison) -> str:
    """What is known of verdicts on points that one process measured on a side; "" without any."""
    single = (c.a["basis"] == "within") | (c.b["basis"] == "within")
    count = int((single & c.ratios["verdict"].isin(["faster", "slower"])).sum())
    text = f"{count} of them rest on one process: how many of those are wrong is not known.\n"
    return text if count else ""


def _print_assumed(c: Comparison, out: Any) -> None:
    for line in c.assumed:
        print(
            textwrap.fill(
                line,
                100,
                initial_indent="- ",
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            ),
            file=out,
        )


def _gate(c: Comparison, limit: float) -> int:
    """1 if a point is slower by more than the limit, if A has measured one and B has not, or if none was judged."""
    measured = (c.a["basis"] != "none") & (c.b["basis"] == "none")
    missing = int((measured & (c.pairs["b"] < 0)).sum())
    words = c.texts(1, "status").mask(c.above, "above their roof")
    status = words[measured & (c.pairs["b"] >= 0)].value_counts()
    lost = [f"{count} {word}" for word, count in status.items()]
    if missing:
        lost.append(f"{missing} not in B")
    judged = int((c.ratios["verdict"] != "not measured").sum())
    slower = int(((c.ratios["verdict"] == "slower") & (c.ratios["ratio"] > 1 + limit)).sum())
    if slower:
        print(
            f"warpsweep: {slower} of {judged} points are slower by more than {100 * limit:g} %",
            file=sys.stderr,
        )
    if lost:
        print(
            f"warpsweep: {measured.sum()} points that A has measured have no time in B: {', '.join(lost)}",
            file=sys.stderr,
        )
    return 1 if slower or lost or not judged else 0


def run(arguments: Arguments) -> int:
    form = str(arguments.text("format"))
    threshold, limit = (arguments.share(name, 0) or None for name in ("threshold", "fail-above"))
    if threshold and limit and threshold > limit:
        raise UsageError(
            f"--fail-above {arguments.text('fail-above')} is below --threshold {arguments.text('threshold')}: smaller "
            "differences than the threshold are not called slower"
        )
    c = prepare(
        *arguments.operands,
        **{name: arguments.text(name) for name in ("by", "baseline", "kernel")},
        where=arguments.each("where"),
        threshold=threshold,
        limit=limit,
        mixed=arguments.given("mixed"),
    )
    both, points = c.ratios["ratio"].notna().any(), arguments.given("points")
    if not both:
        only_a, only_b = int((c.pairs["b"] < 0).sum()), int((c.pairs["a"] < 0).sum())
        print(
            f"warpsweep: nothing to compare: no point was measured on both sides; {only_a} points are only in A, "
            f"{only_b} only in B, {len(c.pairs) - only_a - only_b} in both but not measured in both",
            file=sys.stderr,
        )
    if form != "text":
        write(public(point_table(c), c.columns) if points else family_table(c), form)
        sys.stdout.flush()
        _print_assumed(c, sys.stderr)
    elif both:
        (_print_points if points else _print_families)(c, point_table(c))
        print(RULE.format(100 * c.rule.threshold, 100 * c.rule.rate, _of_one_process(c)), end="")
        print(CYCLES if c.cycles else "", end="")
        print(OF_ROOF if c.same_shares else "", end="")
        _print_assumed(c, sys.stdout)
        sys.stdout.flush()
    if not both:
        return 1
    return 0 if limit is None else _gate(c, limit)


def compare(
    a: Any,
    b: Any = None,
    *,
    by: str | None = None,
    baseline: str | None = None,
    points: bool = True,
    kernel: str | None = None,
    where: Sequence[str] = (),
    threshold: float | None = None,
    mixed: bool = False,
) -> pd.DataFrame:
    """B against A: a row a point, or with ``points=False`` a row a family.

    a, b          paths, or what ``read`` returned
    by, baseline  in one file: the values of a column against one of them
    where         conditions as ``--where`` takes them, such as "dtype=f32" or "stride<=8"
    threshold     the smallest difference that matters, as a share: 0.01
    mixed         compare times that do not mean the same, all the same

    ``verdict`` is a category, times are in seconds, ``ratio`` is that of B's time to A's, ``ratio_low`` to ``ratio_high``
    its 95 % interval. ``attrs["assumed"]`` has what the verdicts assume. UsageError if the times are not comparable.
    """
    c = prepare(
        a,
        b,
        by=by,
        baseline=baseline,
        kernel=kernel,
        where=[where] if isinstance(where, str) else where,
        threshold=threshold,
        mixed=mixed,
    )
    table = point_table(c).reset_index(drop=True) if points else family_table(c)
    for name in ("kernel", "verdict"):
        table[name] = table[name].astype("category")
    table = public(table, c.columns) if points else table
    table.attrs["assumed"] = c.assumed
    return table


def families(a: Any, b: Any = None, **options: Any) -> pd.DataFrame:
    """``compare`` with a row a family."""
    return compare(a, b, points=False, **options)
