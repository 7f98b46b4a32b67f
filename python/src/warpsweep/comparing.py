"""The command ``compare``: differences of two results files, two versions or the values of a column."""

from __future__ import annotations

import math
import re
import sys
import textwrap
from typing import Any

import pandas as pd

from .columns import Columns
from .comparison import Comparison
from .differences import OF_CYCLES, describe, family_table, point_table, prepare, public
from .errors import UsageError
from .options import Arguments
from .pivots import write
from .published import TOLERANCE, compared
from .sheet import Head, Sheet, print_sheet, texts
from .units import formatted, plural, seconds_text
from .verdicts import INTERVALS, VERDICTS

SHOWN = 8  # differences that are listed
WIDTH = 100  # of a line
RULE = """ratio: time of B over time of A. For a point it has a 95 % interval over samples, processes and devices. \
For a family it is the geometric mean over points, with half of three 95 % intervals.
repetition: for these points, if both runs were repeated.
units: for other GPU samples of the same products.
shapes: for other points of the family.
faster, slower: the difference is larger than {0:g} %. At most {1:g} % of these verdicts are expected to be wrong, \
unless all processes were in a state that other runs do not share.
same: a difference of more than {0:g} % is ruled out.
uncertain: it is not ruled out; use more replicates or a paired run.
finds: the smallest true difference that 95 % of the points would have shown.
of roof: share of the roof.
"""
CYCLES = "cycles: the same ratio in cycles of the SM clock, where it was lowered.\n"


def _ratio(decimals: int, *ends: float) -> str:
    """A ratio or its interval. Near 1 ratios need three decimals, of pairs and families four; far from it three digits."""
    if any(end != end for end in ends):
        return "-"
    return " to ".join(
        f"{end:.{decimals}f}" if max(ends) < 9.9995 else f"{end:.3g}" for end in ends
    )


def _half(low: float, high: float) -> str:
    """Half of an interval of a ratio, in percent of it."""
    half = 100 * (math.sqrt(high / low) - 1)
    if half != half:
        return "-"
    return f"±{half:#.2g} %" if half < 9.95 else f"±{half:.0f} %"


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


def _print_table(families: pd.DataFrame, predicted: bool, words: list[str]) -> None:
    """Ratios and verdicts of families."""
    print_sheet(
        texts(
            [
                "family",
                ">points",
                ">ratio",
                ">model error" if predicted else ">repetition",
                ">units",
                ">shapes",
                *(">" + word for word in words),
            ],
            [
                [
                    f["kernel"],
                    str(sum(f[f"points_{word}"] for word in words)),
                    _ratio(4, f["ratio"]),
                    *(_half(f[f"{of}_low"], f[f"{of}_high"]) for of in INTERVALS),
                    *(str(f[f"points_{word}"]) for word in words),
                ]
                for f in families.to_dict("records")
            ],
        )
    )


def _print_more(c: Comparison, families: pd.DataFrame) -> None:
    """What else is known of families."""
    cycles = bool(c.cycles and families["cycles_ratio"].notna().any())
    several = families.loc[families["code"] != "", "code"].nunique() > 1
    code = ["code"] if several else []  # of all: a line below says so
    heads = ["family", ">finds", ">A of roof", ">B of roof", *([">cycles", ""] if cycles else [])]
    rows = []
    for f in families.to_dict("records"):
        found = formatted("{:.2f} %" if c.paired else "{:.1f} %", 100 * f["detectable"])
        shares = [formatted("{:.1f} %", 100 * f[share]) for share in ("share_a", "share_b")]
        clocks = [f[name] for name in OF_CYCLES] if cycles else []
        clocks = [_ratio(4, clocks[0]), _half(*clocks[1:])] if cycles else []
        rows.append([f["kernel"], found, *shares, *clocks, *(f[name] for name in code)])
    print_sheet(texts([*heads, *code], rows))


def _print_families(c: Comparison, points: pd.DataFrame) -> None:
    predicted, families = bool((c.a["predicted"] | c.b["predicted"]).any()), family_table(c)
    words = [verdict for verdict in VERDICTS if verdict != "not measured"]
    for section, names in enumerate(c.sections):
        _print_head(c, section)
        whole = families[(families["a"] == names[0]) & (families["b"] == names[1])]
        judged = whole[[f"points_{word}" for word in words]].sum(axis=1) > 0
        mine, apart = whole[judged], int((~judged).sum())
        if len(mine):
            _print_table(mine, predicted, words)
            print()
            _print_more(c, mine)
        if apart:
            print(f"{plural(apart, 'family', 'families')} without a point on both sides")
        last = whole.iloc[-1]
        above = int((c.above & (c.pairs["section"] == section)).sum())
        if last["points_not_measured"] > above:
            print(
                f"{plural(last['points_not_measured'] - above, 'point')} not measured on both sides"
            )
        if above:
            print(f"{plural(above, 'point')} above the roof on a side, which is no result")
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
        for _, row in chosen.head(SHOWN).iterrows():
            ratio, interval = _ratios(row, 4 if c.paired else 3)
            point = re.sub(r"(?<![:,]) ", "\xa0", describe(row, c.columns))  # an axis and its value
            text = _wrapped(f"{row['verdict']}  {ratio}  {interval}  {point}", "  ", "    ")
            print(text.replace("\xa0", " "))


def _wrapped(text: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
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


def _print_assumed(c: Comparison, out: Any) -> None:
    for line in c.assumed:
        print(_wrapped(line, "- ", "  "), file=out)


def _gate(c: Comparison, limit: float) -> int:
    """1 if a point is slower by more than the limit, if A has measured one and B has not, or if none was judged."""
    measured = (c.a["basis"] != "none") & (c.b["basis"] == "none")
    missing = int((measured & (c.pairs["b"] < 0)).sum())
    words = c.texts(1, "status").mask(c.above, "above their roof")
    status = words[measured & (c.pairs["b"] >= 0)].value_counts()
    lost = [f"{count} {word}" for word, count in status.items()]
    if missing:
        lost.append(f"{missing} not in B")
    known = c.ratios["verdict"] != "not measured"
    judged = int((known & ~c.of_one_process.to_numpy()).sum())
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
    if known.any() and not judged:
        print(
            "warpsweep: one process measured each point, so none can be called slower: use `timing: {replicates: 3}`",
            file=sys.stderr,
        )
    return 1 if slower or lost or not judged else 0


def _print_published(found: pd.DataFrame) -> None:
    """Published values beside those of a file, and whose they are."""
    far = [
        verdict if verdict in ("within", "not measured") else f"{abs(factor - 1):.0%} {verdict}"
        for verdict, factor in zip(found["verdict"], found["factor"])
    ]
    ranges = [
        formatted("{:.4g}", low) + (f" to {high:.4g}" if high > low else "")
        for low, high in zip(found["low"], found["high"])
    ]
    here = [formatted("{:.4g}", value) for value in found["here"]]
    columns = (
        (Head("quantity"), found["quantity"]),
        (Head("predicted" if (found["backend"] == "predicted").any() else "here", "right"), here),
        (Head("published", "right"), ranges),
        (Head("unit"), found["unit"]),
        (Head("verdict"), far),
        (Head("source", "wraps"), found["source"]),
    )
    print_sheet(Sheet.of(columns))
    print(
        f"\nwithin: in the published range, or within {TOLERANCE:.0%} of it. The file's value is the largest of its points, of a "
        "latency the smallest."
    )


def _why_nothing(c: Comparison, arguments: Arguments) -> str:
    if c.pairs.empty:
        asked = arguments.text("kernel") or arguments.each("where")
        return "no point meets the conditions" if asked else "the files have no points"
    only_a, only_b = int((c.pairs["b"] < 0).sum()), int((c.pairs["a"] < 0).sum())
    above = int(c.above.sum())
    return (
        f"no point was measured on both sides; {plural(only_a, 'point')} only in A, {only_b} only in B, "
        f"{len(c.pairs) - only_a - only_b - above} in both but not measured in both"
        + (f", {above} above the roof, which is no result" if above else "")
    )


def run(arguments: Arguments) -> int:
    form = str(arguments.text("format"))
    if arguments.given("published"):
        if len(arguments.operands) != 1:
            raise UsageError("compare --published takes one file")
        found = compared(arguments.operands[0])
        if form == "text":
            _print_published(found)
        else:
            found = found.drop(columns=["field", "where", "measure"])
            found.attrs["columns"] = Columns({})
            write(found, form)
        return 0 if found["here"].notna().any() else 1
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
        cycles=True,
    )
    both, points = c.ratios["ratio"].notna().any(), arguments.given("points")
    if not both:
        print(f"warpsweep: nothing to compare: {_why_nothing(c, arguments)}", file=sys.stderr)
    if form != "text":
        write(public(point_table(c), c.columns) if points else family_table(c), form)
        sys.stdout.flush()
        _print_assumed(c, sys.stderr)
    elif both:
        (_print_points if points else _print_families)(c, point_table(c))
        rules = RULE.format(100 * c.rule.threshold, 100 * c.rule.rate)
        rules += CYCLES if c.cycles else ""
        print("", *map(_wrapped, rules.splitlines()), sep="\n")
        _print_assumed(c, sys.stdout)
        sys.stdout.flush()
    if not both:
        return 1
    return 0 if limit is None else _gate(c, limit)
