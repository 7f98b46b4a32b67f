"""What a paper claims of measured points: each number with its interval, the sentence that says it, and the points that it is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from . import derived, kernels, textbook, units
from .assumptions import THRESHOLD
from .condition import follows_loads
from .differences import compare
from .directives import Skipped, read_folder
from .errors import WarpsweepError
from .findings import values_text
from .orders import told
from .paper import gaps, tables
from .paper.saying import Say
from .paper.study import Study
from .program import shipped
from .rows import QUANTITIES

RATE, SHARE, ENERGY = "rate", "share of a roof", "energy"
VENDOR, VARIANTS, DEVICES = "ratio to the vendor", "ratio of variants", "ratio of devices"
ORDER = "order of variants"
STEPS = "class kernel family id .label rate rate_low rate_high".split()
SHARED = "fraction_peak"  # the quantity of shares
RATIO = "time_median", "times"  # how many times as fast the second point is as the first


class Claim(NamedTuple):
    """A row of `claims_of`. ``low`` to ``high``: a 95 % interval, NaN: none. ``points``: the ids of the points that it is made
    of; of a ratio of two the one that is timed above the line, then the other."""

    claim: str  # a key that stays the same
    sentence: str
    family: str
    device: str
    quantity: str
    unit: str
    value: float
    low: float
    high: float
    kind: str
    points: str


class Comparison(NamedTuple):
    """One file against the first: ``ratios`` has a row per family and ``all``, the last one. ``of_units``: intervals are
    for other units of the kinds."""

    names: tuple[str, str]
    ratios: pd.DataFrame
    of_units: bool
    points: pd.DataFrame  # kernel and id of each that both have


def of_devices(study: Study) -> list[Comparison]:
    """Each file with the first, where their times are comparable."""
    found = []
    devices = {study.group(device).file: device for device in reversed(study.devices)}
    for file in study.files[1:]:
        if follows_loads(file) or follows_loads(study.files[0]):
            continue
        try:
            ratios = compare(study.files[0], file, points=False, threshold=THRESHOLD)
        except WarpsweepError:
            continue
        ratios = ratios[ratios["ratio"] > 0].astype({"kernel": str}).set_index("kernel")
        ratios = ratios.assign(
            speedup=1 / ratios["ratio"],
            half=(1 / ratios["ratio_low"] - 1 / ratios["ratio_high"]) / 2,
        )
        first, second = (devices.get(one.name, one.name) for one in (study.files[0], file))
        of_units = bool((ratios["ratio_low"] == ratios["units_low"]).any())
        rows = study.rows[study.rows[".ok"] & ~study.rows[".above"]]
        both = rows[rows[".label"].isin([first, second])].groupby(["kernel", "id"])[".label"]
        points = both.nunique().eq(2).loc[lambda on: on].index.to_frame(index=False)
        if len(ratios):
            found.append(Comparison((first, second), ratios, of_units, points))
    return found


def of_steps(study: Study, rows: pd.DataFrame) -> pd.DataFrame:
    """The best own step of the computed table `steps` beside the best of libraries, in each class on each device: ``share``
    of the rate, ``share_low`` to ``share_high``, and ``half`` of that interval."""
    top = rows.loc[rows.groupby([".label", "class"], sort=False)["rate"].idxmax()]
    kind = top["class"].str.partition(", ")
    top = top.assign(**{"class": kind[0], "library": kind[2]})
    own, theirs = top[top["library"] == ""], top[top["library"] != ""]
    both = own.drop(columns="library").merge(
        theirs[[".label", "class", "kernel", "id"]].rename(columns={"kernel": "library"}),
        on=[".label", "class"],
        suffixes=("", "_library"),
    )
    pairs = both[[".label"]].assign(
        worse=both["id_library"], better=both["id"], quantity="flop_rate"
    )
    parts = [told(study.file(str(label)), of) for label, of in pairs.groupby(".label")]
    found = pd.concat([pd.DataFrame(columns=["value", "low", "high"]), *parts]).loc[both.index]
    ends = found[["low", "high"]].add_prefix("share_")
    return both.assign(share=found["value"], half=(found["high"] - found["low"]) / 2).join(ends)


def _point(row: pd.Series) -> str:
    """A point of its family in words."""
    return ", ".join(filter(None, [row["variant"], row[".at"]])) or "the only point"


def of_energy(study: Study) -> pd.DataFrame:
    """What the best points take of energy, a useful bit, or an operation of families that are measured by these: ``value``,
    ``value_low``, ``value_high`` in ``unit``, and ``quantity``."""
    found = []
    for _, row in study.best(["kernel", ".label"]).iterrows():
        if row[".quantity"] == "latency":  # few bits move: their energy is that of waiting
            continue
        flops = row[".quantity"] in ("flop_rate", "operations")
        column = "energy_per_flop" if flops else "energy_per_bit"
        value = row.get(column, np.nan)
        if value > 0 and not row[".predicted"]:
            of = study.columns.unit(column)
            of = units.OPERATIONS.get(of, of) if row[".quantity"] == "operations" else of
            unit = units.choose(of, value)
            name, scale = (unit.name, unit.scale) if unit else (of, 1)
            ends = (row[f"energy_{end}"] / row["energy"] * value / scale for end in ("low", "high"))
            found.append(
                [
                    row["kernel"],
                    row[".label"],
                    row["id"],
                    _point(row),
                    column,
                    name,
                    value / scale,
                    *ends,
                ]
            )
    names = "kernel .label id point quantity unit value value_low value_high".split()
    return pd.DataFrame(found, columns=names)


def of_points(study: Study, found: Sequence[gaps.Gap]) -> pd.DataFrame:
    """The measured rows whose values are printed; ``.best``: the shares of their roofs, too."""
    best = study.best(["kernel", ".label"]).assign(**{".best": True})
    every = [tables.of_variants(study, family) for family in study.families]
    sides = [row for one in found for row in (one.own, one.vendor)]
    rows = pd.concat([best, *every, pd.DataFrame(sides)])
    rows = rows[rows[".ok"] & ~rows[".predicted"] & ~rows[".above"]]
    return rows.drop_duplicates(["id", ".label"])


def steps(study: Study, analysis: Path) -> pd.DataFrame:
    """The computed table of figure `ladder`; without rows where the files have too few of its steps."""
    (figure,) = read_folder(analysis, ["ladder"])
    try:
        rows = derived.table("steps", study.all, (), figure.all("step"), figure.all("state"))
    except Skipped:
        return pd.DataFrame(columns=STEPS)
    return rows.assign(**{".label": rows[".source"].map(study.labels)})


def claims_of(study: Study) -> pd.DataFrame:
    """A row for each claim of the paper of a study: the fields of `Claim`."""
    analysis = shipped("analysis")
    say, found = Say(study, analysis), gaps.gaps(study)
    parts = (
        _rates(study, say, of_points(study, found)),
        _vendors(say, found),
        _ladder(study, say, steps(study, analysis)),
        _textbook(study, say),
        _energy(say, of_energy(study)),
        _devices(study, say),
        _orders(study, say, _pairs(study, found)),
    )
    return pd.DataFrame([one for part in parts for one in part], columns=Claim._fields)


def _ends(value: float, half: float) -> tuple[float, float, float]:
    return value, value - half, value + half


def _within(row: pd.Series, name: str) -> tuple[float, float, float]:
    return row[name], row[f"{name}_low"], row[f"{name}_high"]


def _rates(study: Study, say: Say, rows: pd.DataFrame) -> Iterator[Claim]:
    for _, row in rows.iterrows():
        family, place = study.by_name[row["kernel"]], f"{row['kernel']}/{row['.label']}/{row['id']}"
        about = family.name, row[".label"]
        if np.isfinite(row[".value"]):
            said = say.one("claim", row, say.rate(row))
            column, numbers = family.column, _ends(row[".value"], row[".value_half"])
            what = column, study.unit(row)
            yield Claim(f"rate/{place}", said, *about, *what, *numbers, RATE, row["id"])
        if row[".best"] is True and np.isfinite(row[".share"]):
            said = say.one("claim", row, f"{say.share(row)} of {row['.roof']}")
            numbers = _ends(row[".share"], row[".share_half"])
            what = SHARED, "%"
            yield Claim(f"share/{place}", said, *about, *what, *numbers, SHARE, row["id"])


def _vendors(say: Say, found: Sequence[gaps.Gap]) -> Iterator[Claim]:
    for one in found:
        about = one.own["kernel"], one.own[".label"]
        points = f"{one.own['id']} {one.vendor['id']}"
        said, numbers = say.one("gap_claim", one), (*one.times,)
        key = f"vendor/{one.what}/{one.own['.label']}"
        yield Claim(key, said, *about, *RATIO, *numbers, VENDOR, points)


def _ladder(study: Study, say: Say, rows: pd.DataFrame) -> Iterator[Claim]:
    for _, one in rows.iterrows():
        about, what = (one["family"], one[".label"]), ("flop_rate", tables.STEPS.name)
        key, numbers = f"step/{one['class']}/{one['kernel']}/{one['.label']}", _within(one, "rate")
        yield Claim(key, say.one("step", one, what[1]), *about, *what, *numbers, RATE, one["id"])
    for _, one in of_steps(study, rows).iterrows() if len(rows) else ():
        about, points = (one["family"], one[".label"]), f"{one['id_library']} {one['id']}"
        key, numbers = f"ladder/{one['class']}/{one['.label']}", _within(one, "share")
        yield Claim(key, say.one("top_step", one), *about, *RATIO, *numbers, VARIANTS, points)


def _textbook(study: Study, say: Say) -> Iterator[Claim]:
    rows = textbook.compared(study.files).replace({"source": study.labels})
    for _, one in rows[rows["unit"] == textbook.RATIO].iterrows():
        about, key = (one["kernel"], one["source"]), f"textbook/{one['name']}/{one['source']}"
        numbers = _within(one, "value")
        yield Claim(key, say.one("statement", one), *about, *RATIO, *numbers, VARIANTS, one["ids"])


def _energy(say: Say, rows: pd.DataFrame) -> Iterator[Claim]:
    for at, one in rows.iterrows():
        about, numbers = (one["kernel"], one[".label"]), _within(one, "value")
        said = say.one("energy_claim", one["kernel"], rows.loc[[at]])
        what = one["quantity"], one["unit"]
        yield Claim(f"energy/{'/'.join(about)}", said, *about, *what, *numbers, ENERGY, one["id"])


def _pairs(study: Study, found: Sequence[gaps.Gap]) -> pd.DataFrame:
    """What may be an order: before the best point of a family the best ones of its other variants at the same work, and ours
    before the vendor's."""
    device, columns = ["kernel", ".label"], ["id", "variant", ".share"]
    best, parts = study.best(device), []
    for kernel, own in study.rows[study.rows[".result"] & study.rows[".main"]].groupby("kernel"):
        known, family = kernels.family(str(kernel)), study.by_name[str(kernel)]
        if "variant" not in known.choices.split() or not QUANTITIES[family.quantity].timed:
            continue
        work = known.work(family.axes)
        own = own[~own[".predicted"]].sort_values(".rank", ascending=False)
        own = own.assign(**{".work": own.groupby([".label", *work], dropna=False).ngroup()})
        first = own[own["id"].isin(best["id"])].drop_duplicates(device)
        others = own.drop_duplicates([*device, ".work", "variant"])
        both = others[[*device, ".work", *columns]].merge(
            first[[*device, ".work", *columns, *work]],
            on=[*device, ".work"],
            suffixes=("", "_best"),
        )
        both = both[both["variant"] != both["variant_best"]]
        shares = both[".share"].notna() & both[".share_best"].notna()
        at = [values_text(row, work, study.columns) for row in both.to_dict("records")]
        parts.append(
            both[device].assign(
                worse=both["id"],
                better=both["id_best"],
                quantity=np.where(shares, SHARED, family.column),
                names=list(zip(both["variant"], both["variant_best"])),
                at=at,
            )
        )
    vendors = [
        (*one.own[device], one.own["id"], one.vendor["id"], RATIO[0], one.names, "")
        for one in found
    ]
    names = [*device, "worse", "better", "quantity", "names", "at"]
    made = pd.concat([*parts, pd.DataFrame(vendors, columns=names)], ignore_index=True)
    return made.drop_duplicates([".label", "worse", "better"])


def _orders(study: Study, say: Say, pairs: pd.DataFrame) -> Iterator[Claim]:
    """Those that the files tell."""
    for label, of in pairs.groupby(".label"):
        table = of.join(told(study.file(str(label)), of))
        for _, one in table[table["verdict"] == "faster"].iterrows():
            about, what = (one["kernel"], one[".label"]), (one["quantity"], RATIO[1])
            points = f"{one['worse']} {one['better']}"
            key, said = f"order/{'/'.join([*about, *points.split()])}", say.one("order", one)
            numbers = one["value"], one["low"], one["high"]
            yield Claim(key, said, *about, *what, *numbers, ORDER, points)


def _devices(study: Study, say: Say) -> Iterator[Claim]:
    guesses = {*study.on("predicted")}
    for one in (one for one in of_devices(study) if not guesses & {*one.names}):
        over = " over ".join(one.names[::-1])
        for name, row in one.ratios.iterrows():
            points = one.points if name == "all" else one.points[one.points["kernel"] == name]
            numbers = row["speedup"], 1 / row["ratio_high"], 1 / row["ratio_low"]
            key, said = f"devices/{name}/{over}", say.one("speedup", one, name, row)
            ids = " ".join(points["id"])
            yield Claim(key, said, name, over, *RATIO, *numbers, DEVICES, ids)
