"""compare: two results files, two versions or the values of a column, with verdicts."""
from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .options import FILTER, Arguments, Command, Option

if TYPE_CHECKING:
    import pandas as pd

    from .comparison import Comparison

SHOWN, ANNOTATED = 8, 9  # differences that are listed; annotations of each kind: GitHub shows ten of a step
RULE = """
ratio: time of B over time of A; of a point, with its 95 % interval over samples, processes and devices; of a
family, the geometric mean over points, with three 95 % intervals. repetition: of these points, if both runs
were repeated. units: if other units of the products had been taken. shapes: if other points of the kind had.
faster, slower: the difference is larger than {0:g} %; at most {1:g} % of these verdicts are expected
to be wrong. same: a difference of more than {0:g} % is ruled out. uncertain: neither; more
replicates, or a paired run, tell.
finds: the smallest true difference that 95 % of the points would have shown.
"""


def prepare(a: Any, b: Any = None, *, by: str | None = None, baseline: str | None = None, kernel: str | None = None,
            where: Sequence[str] = (), threshold: float | None = None, mixed: bool = False) -> Comparison:
    """The comparison that ``compare`` tells of. a, b: paths, Results, or frames of one file each."""
    from . import comparison as of
    from .assumptions import check, judge
    from .paired import of_pairs, paired_axis
    from .results import Results, read

    files, rows, names = [], [], []
    for one in (a, b) if b is not None else (a,):
        points = getattr(one, "attrs", {}).get("results")
        if points is not None and len(points) != 1:
            raise UsageError("a comparison takes frames of one file each")
        files.append(points[0] if points else one if isinstance(one, Results) else read(one))
        chosen = of.selected(files[-1], kernel, where)
        rows.append(chosen[files[-1].rows["id"].iloc[chosen].isin(one["id"])] if points else chosen)
        names.append(os.fspath(files[-1].path if points or one is files[-1] else one))
    if len(files) == 2:
        if by or baseline:
            raise UsageError("--by takes one file, not two" if by
                             else "--baseline needs --by, or one file of a paired run")
        found = of.of_files(files[0], files[1], rows[0], rows[1], (names[0], names[1]))
    else:
        axis = paired_axis(files[0])
        if axis and by in (None, axis[0]):
            found = of_pairs(files[0], rows[0], baseline)
        elif not by:
            raise UsageError("compare needs A.h5 B.h5, or one file of a paired run, or one file with --by COLUMN")
        else:
            found = of.by_columns(files[0], rows[0], by, baseline)
    check(found, mixed)
    return judge(found, threshold)


# ---- Tables --------------------------------------------------------------------------------------------------------


INTERVALS = ("repetition", "units", "shapes")  # what those of a family hold for
MEANINGS = {
    "a": "the baseline", "b": "what is held against it", "kernel": "kernel family, or all",
    "time_a": "estimate over processes and devices", "time_b": "the same of b", "ratio": "time of b over time of a",
    "ratio_low": "lower end of its 95 % interval; of a family, the one of its verdict", "ratio_high": "upper end",
    "repetition_low": "lower end of the interval of another run of these points", "repetition_high": "upper end",
    "units_low": "lower end of the interval of other units of the products", "units_high": "upper end",
    "shapes_low": "lower end of the interval of other points of the kind", "shapes_high": "upper end",
    "share_a": "a's share of its roof",
    "share_b": "b's share of its roof", "verdict": "of b against a",
    "code": "whether both files were measured with the same code of the family",
    "points_not_measured": "on both sides, but not measured on both",
    "points_faster": "b takes less time", "points_slower": "b takes more time",
    "points_same": "no difference that matters",
    "points_uncertain": "the interval is too wide to tell", "points_only_a": "not in b", "points_only_b": "not in a",
    "detectable": "smallest difference that 95 % of the points would show",
}


def _with_columns(table: pd.DataFrame, c: Comparison) -> pd.DataFrame:
    """The table with ``attrs["columns"]``."""
    from .frames import is_text
    from .results import Column, Columns

    known = {**c.files[1].columns, **c.files[0].columns}
    table.attrs["columns"] = Columns({name: known[name] if name in known and known[name].role == "axis" else Column(
        name, "text" if is_text(table[name]) else "integer" if name.startswith("points") else "real", "other",
        "s" if name.startswith("time") else "", MEANINGS.get(name, "")) for name in table})
    return table


def point_table(c: Comparison) -> pd.DataFrame:
    """A row for each pair, in their order: with `by` the values a and b; kernel, the axes that vary, times in seconds,
    ratio with its 95 % interval, shares of the roofs, verdict."""
    import numpy as np
    import pandas as pd

    from .pairing import axes

    table = {}
    if c.by:
        for place, name in enumerate("ab"):
            table[name] = np.array([names[place] for names in c.sections], dtype=object)[c.pairs["section"]]
    table["kernel"] = c.pairs["kernel"]
    for name in dict.fromkeys([*axes(c.files[0].columns), *axes(c.files[1].columns)]):
        sides = [file.rows[name].reindex(at).set_axis(c.pairs.index) if name in file.rows
                 else pd.Series(np.nan, c.pairs.index)
                 for file, at in zip(c.files, (c.pairs["a"], c.pairs["b"]))]
        used = pd.concat(sides)
        if name not in c.by.split(",") and used[used.notna() & (used != "")].nunique() > 1:
            first = sides[0].where(c.pairs["a"] >= 0, sides[1])
            table[name] = first.fillna("") if any(file.columns[name].type == "text" for file in c.files
                                                  if name in file.columns) else first
    table.update(time_a=c.a["seconds"], time_b=c.b["seconds"], ratio=c.ratios["ratio"], ratio_low=c.ratios["low"],
                 ratio_high=c.ratios["high"], share_a=c.shares(0), share_b=c.shares(1),
                 verdict=np.select([c.pairs["b"] < 0, c.pairs["a"] < 0], ["only in A", "only in B"],
                                   c.ratios["verdict"]))
    return _with_columns(pd.DataFrame(table), c)


def sorted_points(c: Comparison) -> pd.DataFrame:
    """`point_table` by kernel and axes."""
    from .frames import sort

    table = point_table(c)
    names = list(table.columns)
    return sort(table, names[names.index("kernel"):names.index("time_a")])


def family_table(c: Comparison) -> pd.DataFrame:
    """A row for each family of a section by name, then one of "all" if there are several: geometric means and counts of
    verdicts."""
    import numpy as np
    import pandas as pd

    from .assumptions import code_of
    from .verdicts import VERDICTS, detectable, group

    rows, shares = [], np.stack([c.shares(0), c.shares(1)])
    for section, names in enumerate(c.sections):
        mine = (c.pairs["section"] == section).to_numpy()
        kernels = sorted(set(c.pairs["kernel"][mine]))
        for kernel in kernels + ["all"] * (len(kernels) != 1):
            member = mine if kernel == "all" else mine & (c.pairs["kernel"] == kernel).to_numpy()
            mean = group(c.rule, c.a[member], c.b[member], c.scatter)
            verdicts = c.ratios["verdict"][member & c.on_both].value_counts()
            both = member & c.on_both & (shares > 0).all(axis=0)
            share = np.exp(np.log(shares[:, both]).mean(axis=1)) if both.any() else (np.nan, np.nan)
            rows.append({"a": names[0], "b": names[1], "kernel": kernel, "ratio": mean["ratio"],
                         "ratio_low": mean["low"], "ratio_high": mean["high"],
                         **{f"{of}_{end}": mean[f"{of}_{end}"] for of in INTERVALS for end in ("low", "high")},
                         "verdict": mean["verdict"], "code": code_of(c, kernel),
                         **{f"points_{name.replace(' ', '_')}": int(verdicts.get(name, 0)) for name in VERDICTS},
                         "points_only_a": int((c.pairs["b"][member] < 0).sum()),
                         "points_only_b": int((c.pairs["a"][member] < 0).sum()),
                         "share_a": share[0], "share_b": share[1], "detectable": detectable(c.rule, c.ratios[member])})
    return _with_columns(pd.DataFrame(rows), c)


def describe(row: pd.Series, columns: Any) -> str:
    """``copy: size 64MiB, stride 2``: the kernel and the axes of a row of a point table."""
    from .pivots import person

    names = [n for n in row.index[list(row.index).index("kernel") + 1:list(row.index).index("time_a")]
             if row[n] == row[n] and row[n] != ""]
    return row["kernel"] + ": " * bool(names) + ", ".join(f"{name} {person(row[name], columns[name])}"
                                                          for name in names)


# ---- Text ----------------------------------------------------------------------------------------------------------


def _ratio(ratio: float, decimals: int) -> str:
    """Ratios near 1 need three decimals, of pairs and families four; those far from it three digits."""
    return "-" if ratio != ratio else f"{ratio:.{decimals}f}" if ratio < 9.9995 else f"{ratio:.3g}"


def _interval(low: float, high: float, decimals: int) -> str:
    if low != low or high != high:
        return "-"
    return " to ".join(f"{end:.{decimals}f}" if high < 9.9995 else f"{end:.3g}" for end in (low, high))


def _share(share: float, decimals: int = 1) -> str:
    return "-" if share != share else f"{100 * share:.{decimals}f} %"


def _toned(word: Any, tone: str = "") -> Any:
    from .sheet import WORD_TONES, Text

    return Text(str(word), tone or WORD_TONES.get(str(word), ""))


def _head(c: Comparison, section: int) -> str:
    names = c.sections[section]
    if c.by:
        return f"{c.by}: B = {names[1]} against A = {names[0]}"
    products = [" and ".join(dict.fromkeys(str(file.devices["name"].iloc[d]) for d in sorted(used)
                                           if d < len(file.devices)))
                for file, used in zip(c.files, c.devices)]
    return "\n".join(f"{side} = {name}, {product or 'nothing measured'}" for side, name,
                     product in zip("AB", names, products))


def _sheet(alignment: str, heads: Sequence[str], indent: int = 0) -> Any:
    from .sheet import Sheet

    sheet = Sheet(indent=indent)
    for kind, name in zip(alignment, heads):
        sheet.head(name, "words" if kind == "l" else "right")
    return sheet


def _print_families(c: Comparison) -> None:
    import numpy as np

    from .sheet import print_sheet

    decimals, predicted = 4 if c.paired else 3, bool((c.a["predicted"] | c.b["predicted"]).any())
    families, points, columns = family_table(c), point_table(c), {**c.files[1].columns, **c.files[0].columns}
    for section, names in enumerate(c.sections):
        print("\n" * bool(section) + _head(c, section))
        mine = families[(families["a"] == names[0]) & (families["b"] == names[1])]
        told = mine["code"].replace("", np.nan).nunique() > 1  # if it differs in all, a line below says so
        sheet = _sheet("lrrrrrrrrrrrr" + "l" * told, [
            "family", "points", "ratio", "model error" if predicted else "repetition", "units", "shapes", "faster",
            "slower", "same", "uncertain", "finds",
            "A of roof", "B of roof", *["code"] * told])
        for f in mine.to_dict("records"):
            counts = {word: f[f"points_{word}"] for word in ("faster", "slower", "same", "uncertain")}
            sheet.row(f["kernel"], str(sum(counts.values())), _ratio(f["ratio"], 4),
                      *(_interval(f[f"{of}_low"], f[f"{of}_high"], 4) for of in INTERVALS),
                      *(_toned(n, _toned(word).tone if n else "") for word, n in counts.items()),
                      _share(f["detectable"], 2 if c.paired else 1), _share(f["share_a"]), _share(f["share_b"]),
                      *[f["code"]] * told)
        print_sheet(sheet)
        last = mine.iloc[-1]
        if last["points_not_measured"]:
            n = last["points_not_measured"]
            print(f"{n} point{'' if n == 1 else 's'} not measured on both sides")
        if last["points_only_a"] or last["points_only_b"]:
            print(f"{last['points_only_a']} only in A, {last['points_only_b']} only in B")
        chosen = c.ratios[(c.pairs["section"] == section) & c.ratios["verdict"].isin(["faster", "slower"])]
        largest = chosen["log_ratio"].abs().sort_values(ascending=False, kind="stable").index
        if len(largest):
            print("\n  the largest " + ("of these differences (all: --points)" if len(largest) > SHOWN
                                        else "differences"))
        sheet = _sheet("lrrl", [""] * 4, indent=2)
        for row in largest[:SHOWN]:
            r = c.ratios.loc[row]
            sheet.row(_toned(r["verdict"]), _ratio(r["ratio"], decimals), _interval(r["low"], r["high"], decimals),
                      describe(points.loc[row], columns))
        print_sheet(sheet)
        _print_energy(c, section, list(mine["kernel"]))


def _print_energy(c: Comparison, section: int, kernels: list[str]) -> None:
    """Geometric means of the ratios of the energies of launches: the scatter over points, and the uncertainty of
    each."""
    import numpy as np

    from .sheet import print_sheet
    from .statistics import critical

    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(c.reals(1, "energy") / c.reals(0, "energy"))
        halves = sum((np.log(c.reals(side, "energy_high") / c.reals(side, "energy_low")) / 2) ** 2 for side in (0, 1))
    known = np.isfinite(ratio) & (c.pairs["section"] == section).to_numpy()
    if not known.any():
        return
    sheet = _sheet("lrrr", ["family", "points", "energy B / A", "95 % interval"], indent=2)
    for kernel in kernels:
        its = known if kernel == "all" else known & (c.pairs["kernel"] == kernel).to_numpy()
        n = int(its.sum())
        if not n:
            continue
        mean = ratio[its].mean()
        half = float(critical(0.05, n - 1)) * ratio[its].std() / np.sqrt(n - 1) if n > 1 else 0
        half = np.sqrt(half**2 + halves[its].sum() / n**2)
        sheet.row(kernel, str(n), f"{np.exp(mean):.3f}",
                  "-" if half != half else f"{np.exp(mean - half):.3f} to {np.exp(mean + half):.3f}")
    print("\n  energy of a launch; the interval is over points and their loops, not over runs")
    print_sheet(sheet)


def _print_points(c: Comparison) -> None:
    from .sheet import print_sheet
    from .units import seconds_text

    decimals = 4 if c.paired else 3
    points, columns = sorted_points(c), {**c.files[1].columns, **c.files[0].columns}
    for section in range(len(c.sections)):
        sheet = _sheet("lrrrrl", ["verdict", "ratio", "95 % interval", "A", "B", "point"])
        for _, row in points[(c.pairs["section"] == section).reindex(points.index)].iterrows():
            sheet.row(_toned(row["verdict"]), _ratio(row["ratio"], decimals),
                      _interval(row["ratio_low"], row["ratio_high"], decimals),
                      *("-" if row[f"time_{s}"] != row[f"time_{s}"] else seconds_text(row[f"time_{s}"]) for s in "ab"),
                      describe(row, columns))
        print("\n" * bool(section) + _head(c, section))
        print_sheet(sheet)


def _print_table(table: pd.DataFrame, form: str) -> None:
    from .pivots import print_json, print_people

    if form in ("tsv", "csv", "json"):
        known = table.attrs["columns"]
        table = table.astype({name: "Int64" for name in table if known[name].type == "integer"})
    if form == "json":
        print_json(table, True)
    elif form in ("tsv", "csv"):
        table.to_csv(sys.stdout, sep="\t" if form == "tsv" else ",", index=False, na_rep="nan", lineterminator="\n")
    else:
        print_people(table.astype({name: float for name in table if name.startswith("points")}), list(table.columns),
                     form)


def _print_assumed(c: Comparison, out: Any) -> None:
    for line in c.assumed:
        print(textwrap.fill(line, 100, initial_indent="- ", subsequent_indent="  ", break_long_words=False,
                            break_on_hyphens=False), file=out)


def _escaped(text: str, also: str = "") -> str:
    return "".join(f"%{ord(sign):02X}" if sign in "%\r\n" + also else sign for sign in text)


def annotate(c: Comparison, limit: float | None, out: Any) -> None:
    """Slower points as GitHub's workflow commands, which show beside a commit: errors beyond `limit` (None: no limit),
    else warnings.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    from .units import seconds_text

    points, columns, lost = point_table(c), {**c.files[1].columns, **c.files[0].columns}, _lost(c)
    if lost and limit is not None:
        print(f"::error title=points without a time::{_escaped(lost)}", file=out)
    slower = c.ratios[c.ratios["verdict"] == "slower"].sort_values("ratio", ascending=False, kind="stable")
    far = slower["ratio"] > 1 + (limit if limit is not None else float("inf"))
    for kind, chosen in (("error", slower[far]), ("warning", slower[~far])):
        for at, r in chosen.iloc[:ANNOTATED].iterrows():
            a, b = (seconds_text(e.loc[at, "seconds"]) for e in (c.a, c.b))
            line = (f"{describe(points.loc[at], columns)}: {b} against {a}: "
                    f"{100 * (r['ratio'] - 1):+.1f} % ({100 * (r['low'] - 1):+.1f} to {100 * (r['high'] - 1):+.1f} %)")
            if c.by:
                names = c.sections[c.pairs.loc[at, "section"]]
                line += f", {c.by} {names[1]} against {names[0]}"
            print(f"::{kind} title={_escaped(c.pairs.loc[at, 'kernel'] + ' is slower', ':,')}::{_escaped(line)}",
                  file=out)
        if len(chosen) > ANNOTATED:
            print(f"::{kind} title=and more::{len(chosen) - ANNOTATED} further points are slower, by less; "
                  "compare --points lists them", file=out)


# ---- The command ---------------------------------------------------------------------------------------------------


def _has_both(c: Comparison) -> bool:
    """Whether any point has a time on both sides. If not, say what the sides have."""
    if c.ratios["ratio"].notna().any():
        return True
    only_a, only_b = int((c.pairs["b"] < 0).sum()), int((c.pairs["a"] < 0).sum())
    print(f"warpsweep: nothing to compare: no point was measured on both sides; {only_a} points are only in A, "
          f"{only_b} only in B, {len(c.pairs) - only_a - only_b} in both but not measured in both", file=sys.stderr)
    return False


def _lost(c: Comparison) -> str:
    """The points that A has measured, and B has not; "" without any."""
    measured = (c.a["basis"] != "none") & (c.b["basis"] == "none")
    missing = int((measured & (c.pairs["b"] < 0)).sum())
    status = c.texts(1, "status")[measured & (c.pairs["b"] >= 0)].value_counts()
    told = [f"{count} {word}" for word, count in status.items()] + [f"{missing} not in B"] * bool(missing)
    return f"{measured.sum()} points that A has measured have no time in B: {', '.join(told)}" if told else ""


def _gate(c: Comparison, limit: float) -> int:
    """1 if a point is slower by more than the limit, is lost, or none was judged."""
    lost = _lost(c)
    judged = int((c.ratios["verdict"] != "not measured").sum())
    slower = int(((c.ratios["verdict"] == "slower") & (c.ratios["ratio"] > 1 + limit)).sum())
    sys.stdout.flush()
    if slower:
        print(f"warpsweep: {slower} of {judged} points are slower by more than {100 * limit:g} %", file=sys.stderr)
    if lost:
        print(f"warpsweep: {lost}", file=sys.stderr)
    return 1 if slower or lost or not judged else 0


def _print_laws(c: "Comparison") -> None:
    """Where the counters of two files, each of one product, agree with different formulas of the access model."""
    from .frames import frame
    from .laws import differences

    if not c.by and not c.paired and all(results.devices["name"].nunique() <= 1 for results in c.files):
        told = differences(*map(frame, c.files), ("A", "B"))
        print(f"\n{told}" if told else "", end="")


def run(arguments: Arguments) -> int:
    by, baseline, form = (arguments.text(name) for name in ("by", "baseline", "format"))
    if by and len(arguments.operands) > 1:
        raise UsageError("--by takes one file, not two")
    if baseline and len(arguments.operands) > 1:
        raise UsageError("--baseline needs --by, or one file of a paired run")
    threshold = arguments.share("threshold", 0) or None
    limit = arguments.share("fail-above", 0) or None
    c = prepare(*arguments.operands, by=by, baseline=baseline, kernel=arguments.text("kernel"),
                where=arguments.each("where"), threshold=threshold, mixed=arguments.given("mixed"))
    both, points = _has_both(c), arguments.given("points")
    if form == "text" and both:
        (_print_points if points else _print_families)(c)
        print(RULE.format(100 * c.rule.threshold, 100 * c.rule.rate), end="")
        print("of roof: share of the device's measured peak.\n" * c.same_shares, end="")
        _print_assumed(c, sys.stdout)
        _print_laws(c)
    elif form != "text":
        _print_table(sorted_points(c) if points else family_table(c), form)
        sys.stdout.flush()
        _print_assumed(c, sys.stderr)
    if arguments.given("annotate"):  # GitHub reads both streams; tables for scripts stay clean
        annotate(c, limit, sys.stdout if form == "text" else sys.stderr)
    if not both:
        return 1
    return _gate(c, limit) if limit is not None else 0


COMMAND = Command(
    name="compare", operands="A.h5 [B.h5]", minimum=1, maximum=2,
    summary="compare two results files, two versions or two values of a column, with verdicts",
    details="""\
Compares B with A point by point: faster, slower, same or uncertain. The intervals include samples,
processes and devices, and are corrected for the number of points. Points are paired by id, or by
kernel and axis values if the family's version differs. With --by they are paired by all other axes. One file of a
paired run (run --kernels a=DIR --kernels b=DIR) is compared without --by. The assumptions are printed below the table,
or on stderr with tsv, csv, json, md and latex.

Exit code: 1 if no point was measured on both sides. With --fail-above, 1 also if a point is slower by
more than that, or only A has measured it. 2 if the times are not comparable and --mixed is not given.
""",
    examples="""\
  warpsweep compare hopper.h5 blackwell.h5
  warpsweep compare before.h5 after.h5 --points -f tsv | awk '$NF == "slower"'
  warpsweep compare before.h5 after.h5 --fail-above 5% --annotate
  warpsweep compare results.h5 --by variant --baseline load -k copy
  warpsweep compare results.h5 -k copy --by variant,vector --baseline memcpy,1
  warpsweep compare pairs.h5 --threshold 0.2%
""",
    options=(
        *FILTER, Option("points", "p", help="list points instead of families"),
        Option("by", "b", "NAME,NAME",
               help="in one file: compare the values of an axis or of devices, or combinations of several axes"),
        Option("baseline", "", "VALUE", help="in one file: the value or version to compare with; default: the first"),
        Option("threshold", "t", "SHARE", help="the smallest difference that matters; default: 1%, of pairs 0.1%"),
        Option("fail-above", "", "SHARE", help="exit code 1 if a point is slower by more than this; for CI"),
        Option("annotate",
               help="also print slower points as GitHub annotations: errors above --fail-above, else warnings"),
        Option("mixed", help="allow different cache states, back ends or timers"),
        Option("format", "f", "FORMAT", "text", ("text", "tsv", "csv", "json", "md", "latex"),
               help="text; tsv, csv and json in SI units; md and latex in scaled units"),
    ),
    run=run,
)


# ---- For notebooks -------------------------------------------------------------------------------------------------


def compare(a: Any, b: Any = None, *, by: str | None = None, baseline: str | None = None, points: bool = True,
            kernel: str | None = None, where: Sequence[str] = (), threshold: float | None = None,
            mixed: bool = False) -> pd.DataFrame:
    """B against A: a row a point, or with ``points=False`` a row a family.

    a, b          paths, or what ``read`` or ``load`` returned for one file: only the points of a frame count
    by, baseline  in one file: the values of a column against one of them
    where         conditions as ``--where`` takes them, such as "dtype=f32" or "stride<=8"
    threshold     the smallest difference that matters, as a share: 0.01
    mixed         compare times that do not mean the same, all the same

    ``verdict`` is a category, times are in seconds, ``ratio`` is that of B's time to A's, ``ratio_interval`` its 95 %
    interval. ``attrs["assumed"]`` has what the verdicts assume. UsageError if the times are not comparable.
    """
    import pandas as pd

    c = prepare(a, b, by=by, baseline=baseline, kernel=kernel, where=[where] if isinstance(where, str) else where,
                threshold=threshold, mixed=mixed)
    table = sorted_points(c).reset_index(drop=True) if points else family_table(c)
    for name in ("kernel", "verdict"):
        table[name] = table[name].astype("category")
    table["ratio_interval"] = pd.arrays.IntervalArray.from_arrays(table["ratio_low"], table["ratio_high"],
                                                                  closed="both")
    table.attrs["assumed"] = c.assumed
    return table


def families(a: Any, b: Any = None, **options: Any) -> pd.DataFrame:
    """``compare`` with a row a family."""
    return compare(a, b, points=False, **options)
