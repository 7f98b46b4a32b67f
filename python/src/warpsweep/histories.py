"""history: many runs of one job over months. Each is compared with the one before: where did times change, and what else did?"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from .assumptions import check, judge
from .columns import Columns
from .comparison import of_files, opened
from .differences import describe, point_table, public
from .errors import UsageError
from .estimates import of_file
from .identity import without_copies
from .options import Arguments
from .results import Results
from .sheet import Document
from .units import percent_more, plural
from .verdicts import group

RUNS_LEAST = 3
# of /devices
CONTEXT = {
    "uuid": "unit",
    "board_part": "board",
    "host": "host",
    "driver": "driver",
    "toolkit": "toolkit",
    "vbios": "firmware",
    "ecc": "ECC",
    "host_kernel": "kernel",
}


def _about(results: Results) -> dict[str, str]:
    """Machine and software of a run; "" where they are not known."""
    known = (
        results.devices.head(1)
        .reindex(columns=list(CONTEXT), fill_value="")
        .astype(str)
        .rename(columns=CONTEXT)
    )
    return {**known.iloc[0], "commit": results.env("commit") or ""}


def _in_order(paths: Any) -> list[Results]:
    files = without_copies(opened(paths))
    if len(files) < RUNS_LEAST:
        raise UsageError(f"a history needs at least {RUNS_LEAST} files, not {len(files)}")
    for file in files:
        if file.devices.empty:
            raise UsageError(f"{file.path}: no device has measured a point")
        if not file.env("start"):
            raise UsageError(f"{file.path} does not tell when it was measured")
        if (
            not file.devices[["name", "backend"]]
            .head(1)
            .equals(files[0].devices[["name", "backend"]].head(1))
        ):
            raise UsageError(
                f"{file.path} is of another product than {files[0].path}: a history is of one"
            )
    # ISO 8601 in UTC: sorts as a text
    return sorted(files, key=lambda file: str(file.env("start")))


def history(*paths: Any, threshold: float = 0.01) -> pd.DataFrame:
    """The points whose time changed from one run to the next, as ``compare`` has them, with run (1: the first), date, id and
    point (its words).

    ``attrs["runs"]``: of each run date, file, machine, software, and ``mean`` of its times over those of the run before (ratio,
    low, high)."""
    changes = changes_of(paths, threshold)
    found = public(changes, changes.attrs["columns"])
    found.attrs = {**changes.attrs, "columns": found.attrs["columns"]}
    return found


def changes_of(paths: Any, threshold: float) -> pd.DataFrame:
    """The changes of `history`, with the columns of `point_table`."""
    files = _in_order(paths)
    sides = [
        (
            of_file(file),
            np.flatnonzero((file.rows["repeat"] == 0) & (file.rows["status"] == "ok")),
        )
        for file in files
    ]
    runs: list[dict[str, Any]] = [
        {
            "date": file.env("start"),
            "file": str(file.path),
            "devices": len(file.devices),
            **_about(file),
        }
        for file in files
    ]
    parts, columns, compared = [], Columns(), set()
    for run, (b, rows) in enumerate(sides[1:], 2):
        # points that the run before lacks are compared with earlier ones
        for a, rows_a in reversed(sides[: run - 1]):
            c = judge(check(of_files(a, b, rows_a, rows, ("before", "after")), False), threshold)
            if a is sides[run - 2][0]:
                runs[run - 1]["mean"] = group(c.rule, c.a, c.b, c.scatter)[
                    ["ratio", "low", "high"]
                ].to_dict()
            columns = Columns({**columns, **c.columns})
            table = point_table(c, ("date", "point")).assign(
                run=run,
                date=runs[run - 1]["date"],
                id=b.results.rows["id"].reindex(c.pairs["b"]).set_axis(c.pairs.index),
            )
            changed = table[table["verdict"].isin(["faster", "slower"])]
            parts.append(
                changed.assign(point=[describe(row, c.columns) for _, row in changed.iterrows()])
            )
            timed = c.pairs.loc[c.ratios["ratio"].notna(), "b"]
            compared.update(b.results.rows["id"].reindex(timed))
            rows = np.setdiff1d(rows, timed)
            if not len(rows):
                break
    changes = pd.concat(parts, ignore_index=True)
    changes.attrs = {
        "columns": columns,
        "product": str(files[0].devices["name"].iloc[0]),
        "runs": runs,
        "compared": len(compared),
    }
    return changes


def _print(document: Document, changes: pd.DataFrame, with_points: bool) -> None:
    runs = changes.attrs["runs"]
    dates = [run["date"][:16].replace("T", " ") for run in runs]
    document.heading(1, f"History of {changes.attrs['product']}")
    means = pd.DataFrame([run.get("mean", {}) for run in runs], columns=["ratio", "low", "high"])
    ratio, low, high = (means[end].map(lambda of: percent_more(of, 2)) for end in means)
    document.frame(
        {
            ">run": [*range(1, len(runs) + 1)],
            "date": dates,
            "unit": [run["unit"][:12] if run["devices"] == 1 else "several" for run in runs],
            "driver": [run["driver"] for run in runs],
            "commit": [run["commit"][:12] for run in runs],
            ">time against the run before, %": ratio,
            ">from": low,
            ">to": high,
        }
    )
    rows = []
    for at, found in changes.groupby("run"):
        before, after = runs[at - 2], runs[at - 1]
        what = [
            f"{name} {after[name]}, before {before[name]}"
            for name in (*CONTEXT.values(), "commit")
            if before[name] and after[name] and before[name] != after[name]
        ]
        row = [str(at), dates[at - 1]]
        for verdict in ("slower", "faster"):
            ratio = found.loc[found["verdict"] == verdict, "ratio"]
            row += [
                str(len(ratio)),
                f"{percent_more(ratio.min())} to {percent_more(ratio.max())}"
                if len(ratio)
                else "-",
            ]
        rows.append([*row, "; ".join(what) or "nothing that the files tell"])
    if rows:
        document.heading(2, f"Changes at {len(changes)} places")
        document.texts(
            [">from run", "date", ">slower", ">by, %", ">faster", ">by, %", "what else changed"],
            rows,
        )
    if rows and with_points:
        ends = {">time, %": "ratio", ">from": "ratio_low", ">to": "ratio_high"}
        percent = {
            head: changes[end].map(lambda of: percent_more(of, 2)) for head, end in ends.items()
        }
        document.frame({">from run": changes["run"], **percent, "point": changes["point"]})
    document.paragraph(
        f"{plural(len(changes), 'change')} at {changes['id'].nunique()} of {plural(changes.attrs['compared'], 'point')}. Each run is compared with the one before; "
        "expected share of wrong changes: 1 %. What else changed may be the cause, or not."
    )


def run(arguments: Arguments) -> int:
    changes = changes_of(arguments.operands, arguments.share("threshold", 0.01))
    if arguments.text("format") == "json":
        tables = {
            "runs": pd.DataFrame(changes.attrs["runs"]),
            "changes": public(changes, changes.attrs["columns"]),
        }
        print(
            json.dumps(
                {
                    "product": changes.attrs["product"],
                    **{
                        name: json.loads(table.to_json(orient="records"))
                        for name, table in tables.items()
                    },
                },
                indent=1,
            )
        )
    else:
        _print(Document(str(arguments.text("format"))), changes, arguments.given("points"))
    return int((changes.drop_duplicates("id", keep="last")["verdict"] == "slower").any())
