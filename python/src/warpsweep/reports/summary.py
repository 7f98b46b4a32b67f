"""What files show in ten lines."""

from __future__ import annotations

import pandas as pd

from .. import laws
from ..findings import ROOFS, best, disproved, gain_text, share_text, told_apart
from ..frames import is_throttled, points
from ..sheet import Document
from . import plural

NEAR_ROOF = 0.9  # of the roof: such families are counted
NAMED = 3  # families or columns that are named as the worst


def print_summary(document: Document, frame: pd.DataFrame) -> None:
    """A list of at most ten sentences for one device, three more for each further one."""
    entries = best(frame)
    lines = [_file(results) for results in frame.attrs["results"]]
    for source, group in frame.attrs["groups"].items():
        own = entries[entries["source"] == source]
        lines += [f"{source}: {text}" for text in 
                  (_roofs(frame, own), "" if group.backend == "predicted" else _vendors(frame, own),
                   _doubts(frame, source)) if text]
    lines += [text for text in (_laws(frame), *(laws.contrast(frame, name) for name in ("copy_read",)),
                                _accesses(frame), _times(frame))
              if text]
    document.items([*lines, "Details: --findings (each family), --roofs, --model, --bounds, --time, --method; "
                            "warpsweep compare for two devices or files."])


def _file(results) -> str:
    status = points(results.rows)["status"].value_counts()
    predicted = "predicted" in set(results.rows.get("backend", ()))
    ok, failed = int(status.get("ok", 0)), int(status.drop(["ok", "unsupported"], errors="ignore").sum())
    names = " and ".join(dict.fromkeys(results.devices["name"])) or "no device"
    return (f"{results.path.name}: {ok} of {plural(int(status.sum()), 'point')} "
            f"{'predicted' if predicted else 'measured'} on {names}"
            + (f", {failed} FAILED" if failed else "") + f"; commit {results.env('commit') or 'unknown'}, "
                                                         f"{(results.env('start') or 'date unknown')[:10]}.")


def _roofs(frame: pd.DataFrame, own: pd.DataFrame) -> str:
    if not len(own):
        return ""
    top = frame.loc[own["row"]].sort_values("fraction_peak")
    near, worst = (top["fraction_peak"] >= NEAR_ROOF).sum(), top[top["fraction_peak"] < NEAR_ROOF].head(NAMED)
    least = ", ".join(f"{row['kernel']} {share_text(row)} ({ROOFS.get(row['roof'], row['roof'])})" for _,
                      row in worst.iterrows())
    return (f"the best point of {near} of {len(top)} families reaches {100 * NEAR_ROOF:.0f} % of its roof"
            + (f"; the others reach least in {least}." if least else "."))


def _vendors(frame: pd.DataFrame, own: pd.DataFrame) -> str:
    sides: dict[str, list[str]] = {"faster in": [], "slower in": [], "not told apart in": []}
    for _, entry in own[own["vendor"].notna() & (own["vendor"] != own["row"])].iterrows():
        ours, theirs = frame.loc[entry["row"]], frame.loc[entry["vendor"]]
        apart = told_apart(theirs.to_frame().T, ours).iloc[0]
        quicker = ours["time_median"] < theirs["time_median"]
        gain = gain_text(*((ours, theirs) if quicker else (theirs, ours))).replace("is faster by ",
                                                                                   "").rsplit(" ", 1)[0]
        sides["not told apart in" if not apart else "faster in" if quicker else "slower in"].append(
            f"{entry['kernel']}" + (f" ({gain})" if apart else ""))
    found = [f"{side} {', '.join(names)}" for side, names in sides.items() if names]
    return f"against the vendor's kernels at equal work, ours are {'; '.join(found)}." if found else ""


def _doubts(frame: pd.DataFrame, source: str) -> str:
    own = points(frame)
    own = own[own["source"] == source]
    found = [f"{count} {what}" for count, what in (
        (int(is_throttled(own).sum()), "with a clock lowered by power or heat"),
        (len(disproved(own)), "in another state of L2 than their axis says")) if count]
    return f"of {plural(len(own), 'point')}, {' and '.join(found)}." if found else ""


def _laws(frame: pd.DataFrame) -> str:
    table = laws.table(frame)
    table = table[table["points"] >= laws.LEAST] if len(table) else table
    if not len(table):
        return ""
    bad, count = table[~table["holds"]], table["law"].nunique()
    return (f"Counters agree with {count - bad['law'].nunique()} of {plural(count, 'formula')} of the access model"
            + (f", not with {', '.join(bad['law'] + ' on ' + bad['source'])}." if len(bad) else "."))


def _accesses(frame: pd.DataFrame) -> str:
    from .model import differences

    every = differences(frame)
    every = every[every["measured"].notna()]
    off = every[every["off"]]["column"].value_counts().head(NAMED)
    return (f"Of {len(every)} predicted counts {100 * (1 - every['off'].mean()):.1f} % agree with the counters"
            + (f"; most that differ are {', '.join(f'{name} ({count})' for name, count in off.items())}." if len(off)
               else ".")
            ) if len(every) else ""


def _times(frame: pd.DataFrame) -> str:
    from .bounds import WRONG, verdicts, within

    every = verdicts(frame)
    every = every[every["known"]] if len(every) else every
    if not len(every):
        return ""
    good = within(every["ratio"], WRONG)
    worst = (~good).groupby(every["kernel"]).mean().sort_values(ascending=False).head(NAMED)
    return (f"Predicted times are within 15 % of the measured ones at {100 * good.mean():.1f} % of "
            f"{plural(len(every), 'point')} with known addresses" + ("; least often in "
                           f"{', '.join(f'{name} ({100 * (1 - bad):.0f} %)' for name, bad in worst.items() if bad)}."
                           if worst.max() else "."))
