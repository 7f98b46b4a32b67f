"""What files show: ten lines, or the best of each family, and formulas that the counters agree with."""

from __future__ import annotations

import pandas as pd

from .. import laws
from ..assumptions import THRESHOLD
from ..condition import LOWERED, is_lowered, unsettled
from ..findings import (
    NOT_APART,
    best,
    compared,
    describe,
    disproved,
    gain_text,
    rivals,
    roof_text,
    share_text,
)
from ..latex import DAGGER
from ..orders import of_rows
from ..results import Results
from ..rows import NEAR_ROOF, ROOF_IS, above_text, is_above_roof, with_description
from ..selecting import is_shared, points
from ..sheet import Document
from ..time_model import FITTED, WRONG, within
from ..units import plural
from .bounds import timed, verdicts
from .model import COUNTS, DRAM, differences
from .sources import done_text, print_sources

NAMED = 3  # families or columns that are named as the worst
SHOWN = 10
PREDICTED = (
    "The best point of each family by the share of what bounds it, of points without a roof by their own quantity. "
    "Nothing was measured: times and roofs are those of the time model and its profile."
)
ABOUT = (
    "By the share of what bounds a point, without a roof by its own quantity among comparable points. "
    f"{ROOF_IS} Controls are left out. The best of many points is chosen after the measurement, and a vendor's "
    "library has few shapes to choose from: warpsweep compare --by compares one fixed shape with it. ± is half of the "
    "95 % interval of the median time. One of two is called faster, and both are told apart, where it is faster by over "
    f"{100 * THRESHOLD:.0f} % at both ends of the 95 % interval of their ratio, which is the range that is printed."
)
DETAILS = "Details: --findings (each family), --roofs, --model, --bounds, --time; warpsweep compare for two devices or files."


def print_summary(document: Document, frame: pd.DataFrame) -> None:
    """A list of at most ten sentences for one device, four more for each further one."""
    frame = with_description(frame)
    entries = best(frame)
    files = frame.attrs["results"]
    lines = [_file(results) for results in files]
    lines += [f"{of.name} is {of.told_verdict.text}." for of in files if not of.told_verdict.good]
    pairs = rivals(points(frame), ".source")
    for source, group in frame.attrs["groups"].items():
        own = entries[entries["source"] == source]
        texts = [_roofs(frame, own), _doubts(frame, source)]
        if group.backend != "predicted":  # variants differ by less than the model's error
            texts.insert(1, _vendors(frame, pairs[pairs[".source"] == source]))
        lines += [f"{source}: {text}" for text in texts if text]
    lines += [formulas(frame), accesses(frame), times(frame), DETAILS]
    document.items([line for line in lines if line])


def _file(results: Results) -> str:
    rows = points(results.rows)
    status, failed = rows["status"].value_counts(), int((results.outcomes(rows) == "failed").sum())
    done, unsupported = done_text(results), status.get("unsupported", 0)
    missing = results.missing
    names = " and ".join(dict.fromkeys(results.devices["name"])) or "no device"
    title = f" ({results.title})" if results.title else ""
    return (
        f"{results.name}{title}: {status.get('ok', 0)} of {plural(int(status.sum()) + missing, 'point')} {done} on {names}"
        f"{f', {unsupported} unsupported' if unsupported else ''}{f', {failed} FAILED' if failed else ''}{f', {missing} missing' if missing else ''}; commit {results.env('commit') or 'unknown'}, "
        f"{(results.env('start') or 'date unknown')[:10]}."
    )


def _roofs(frame: pd.DataFrame, own: pd.DataFrame) -> str:
    top = frame.loc[own.loc[own["bounded"].astype(bool), "row"]].sort_values(".share")
    if not len(top):
        return ""
    predicted = bool(top[".predicted"].any())
    far = top[top[".share"] < NEAR_ROOF]
    unsure = ((top[".share"] >= NEAR_ROOF) & (top[".share_sure"] < NEAR_ROOF)).sum()
    worst = [
        f"{row['kernel']}, {share_text(row)} of {roof_text(row)}"
        for _, row in far.head(NAMED).iterrows()
    ]
    near = f"{100 * NEAR_ROOF:.0f} %"
    guess, by = ("predicted ", " in the profile") if predicted else ("", "")
    own_only = "own " if frame[".vendor"].any() and not top[".vendor"].any() else ""
    if len(far) == len(top):
        names = f"; lowest of {len(far)} families: " if len(far) > 1 else "; best: "
        return f"no {guess}{own_only}point reaches {near} of its roof{by}{names}{'; '.join(worst)}."
    parts = [
        f"the {guess}best {own_only}point of {len(top) - len(far)} of {plural(len(top), 'family', 'families')} "
        f"reaches {near} of its roof{by}{above_text(top)}",
        f"the intervals of {unsure} of them begin below {near}" if unsure else "",
        f"lowest: {'; '.join(worst)}" if worst else "",
    ]
    return "; ".join(filter(None, parts)) + "."


def _vendors(frame: pd.DataFrame, pairs: pd.DataFrame) -> str:
    sides: dict[str, list[str]] = {"faster": [], "slower": [], NOT_APART: []}
    times = of_rows(frame, pairs.rename(columns={"vendor": "worse", "own": "better"}))
    for what, ours in zip(pairs["what"], times):
        if not (ours.is_better or ours.is_worse):
            sides[NOT_APART].append(what)
            continue
        gain = gain_text(ours if ours.is_better else ours.inverse)
        how = (
            gain.removeprefix("is faster by ")
            .replace("is ", "" if ours.is_better else "theirs ")
            .rsplit(" ", 1)[0]
        )
        sides["faster" if ours.is_better else "slower"].append(f"{what} ({how})")
    found = [f"{side} in {', '.join(names)}" for side, names in sides.items() if names]
    return (
        f"against the vendor's libraries and copy engines, at the largest work of both, ours are {'; '.join(found)}."
        if found
        else ""
    )


def _doubts(frame: pd.DataFrame, source: str) -> str:
    own = points(frame)
    own = own[own[".source"] == source]
    counts = {
        "more than 2 % above their roof, which are no results": int(is_above_roof(own).sum()),
        "at a lowered SM clock": int(is_lowered(own).sum()),
        "beside other programs on the device": int(is_shared(own).sum()),
        "in another state of L2 than the axis cache says": len(disproved(own)),
    }
    found = [f"{count} {what}" for what, count in counts.items() if count]
    return f"of {plural(len(own), 'point')}, {' and '.join(found)}." if found else ""


def formulas(frame: pd.DataFrame) -> str:
    """How many formulas the counters agree with; "" where they can check none."""
    table = laws.table(frame)
    table = table[table["points"] >= laws.LEAST] if len(table) else table
    if not len(table):
        return ""
    bad, count = table[~table["holds"]], table["law"].nunique()
    return (
        f"Counters agree with {count - bad['law'].nunique()} of {plural(count, 'formula')} of the access model"
        f"{', not with ' if len(bad) else ''}{', '.join(bad['law'] + ' on ' + bad['source'])}."
    )


def accesses(frame: pd.DataFrame) -> str:
    """How many predicted counts agree with the counters, and which do not; "" where none was counted."""
    every = differences(frame)
    every = every[every["measured"].notna()]
    if not len(every):
        return ""
    off = every.loc[every["off"], "column"].value_counts().head(NAMED)
    return (
        f"Of {len(every)} predicted counts {100 * (1 - every['off'].mean()):.1f} % agree with the counters within {100 * COUNTS:.1g} %, of DRAM "
        f"{100 * DRAM:.0f} %{'; most that differ are ' if len(off) else ''}{', '.join(f'{name} ({n})' for name, n in off.items())}."
    )


def times(frame: pd.DataFrame, known_verdicts: pd.DataFrame | None = None) -> str:
    """How near times that are predicted from roofs, without counters, are to measured ones; "" where there are none."""
    every = verdicts(frame) if known_verdicts is None else known_verdicts
    if not len(every):
        return ""
    good, known = within(every[".ratio"], WRONG), every[".known"]
    fitted = every.loc[known, "kernel"].isin(FITTED).sum()
    told = {
        f"with known addresses ({fitted} of fitted families)": good[known],
        "without known addresses": good[~known],
    }
    parts = [
        f"{of.sum()} of {plural(len(of), 'point')} {words}" for words, of in told.items() if len(of)
    ]
    of = (good[known] if known.any() else good).groupby(every["kernel"]).mean().sort_values()
    of = of if len(of) > 1 else of[:0]
    worst = [f"{kernel} ({100 * share:.0f} %)" for kernel, share in of[of < 1].head(NAMED).items()]
    lacking = len(timed(frame)) - len(every)
    none = f"; points without a prediction: {lacking}" if lacking else ""
    return (
        f"Times predicted without counters are within {100 * WRONG:.0f} % of the measured ones at {' and '.join(parts)}"
        f"{'; least often in ' if worst else ''}{', '.join(worst)}{none}."
    )


def print_findings(document: Document, frame: pd.DataFrame) -> None:
    """Tables and sentences for each device, then the laws."""
    frame = with_description(frame)
    entries = compared(frame)
    document.heading(1, "What was found")
    print_sources(document, frame)
    document.heading(2, "The best of each family")
    predicted = {group.backend == "predicted" for group in frame.attrs["groups"].values()}
    document.paragraph(PREDICTED if predicted == {True} else ABOUT)
    for source, own in entries.groupby("source", sort=False):
        document.heading(3, source)
        texts = [describe(frame, entry) for _, entry in own.iterrows()]
        document.items(texts)
        if DAGGER in "".join(texts):
            document.paragraph(f"{DAGGER}: {LOWERED}.")
        falling = unsettled(frame[(frame[".source"] == source) & (frame["repeat"] <= 0)])
        if falling:
            document.paragraph(f"{falling}.")
    if not len(entries):
        document.paragraph("No point was measured on a device.")
    ids = disproved(frame)
    if ids:
        document.paragraph(
            f"The counters of {plural(len(ids), 'point')} disprove that L2 was in the state that the "
            "axis cache names (column l2_state): "
            f"{', '.join(ids[:SHOWN])}{', ...' if len(ids) > SHOWN else ''}."
        )
    told = laws.described(frame)
    if told:
        document.heading(2, "Formulas of the access model")
        document.paragraph(
            "Formulas in the axes of a point, and how the counters agree with them. No constant is fitted."
        )
        document.items(told)
