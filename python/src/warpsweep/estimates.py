"""The estimate and the error of a point's time, from all processes and devices that measured it.

Each process contributes one number, the logarithm of its median, and the error comes from the scatter of these between
processes, or between devices if several measured the points. The points of a file share what three processes cannot tell:
the variances of points of one kind and band (of similar duration, or of similar bytes in L2) are pooled.
docs/method/measurement.md, Confidence intervals, has the method and its sources.

An estimate is a row of a frame:

    log_seconds, seconds   the mean of the logarithms over processes, and its exponential
    common, common_dof     variance that points of a band share; 0 if not pooled
    own, own_dof           the rest
    prior, prior_dof       what the band tells of `own`: the variance of one unit, and its degrees of freedom
    between, between_dof   what other runs and units add (see `widen`): not seen in the file
    error, dof             standard error of log_seconds over all parts (see `finish`)
    units, medians         processes or devices, by `top` ("process" or "device"), and their logarithms in order
    kind, band             of points that are pooled
    basis                  "pooled", "alone": Student's t over this point's units; "within": samples of one process;
                           "none": no time
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import special

from .columns import texts
from .statistics import Part, critical, medians, total, total_wide

if TYPE_CHECKING:
    from .results import Results

VARIANCE_FLOOR = 1e-10  # the clock's resolution is no knowledge: a relative deviation of 1e-5
BANDS = 21  # each a factor of two wide: from below 1 us to above 0.5 s, or from below 128 KiB on
POINTS_MIN = 8  # a band with fewer is joined with its neighbours
PRIOR_DOF_MAX = 30  # variances of a band are never taken as known better than this
OWN_DOF_MIN = 1  # of a point of one process in a band that tells almost nothing: fewer would be an infinite interval
UNLIKE = 0.001  # a point with a variance that its band explains by this chance stands alone
PORTION = 1 << 19  # samples whose medians are computed at a time
LONG = 1e-4  # s: below, processes differ more than runs or units do; above, units differ


def cells(results: Results) -> pd.DataFrame:
    """A row for each process and device of each row of a file that is ok: row, device, process, kind, moved (bytes in L2, else 0),
    first (in /samples), samples, log_median, variance (of one sample: NaN), dof.

    kind: "device", "hot", "rotate" or "host". Kernels that find their data in L2 scatter up to ten times as much
    between processes as those that read DRAM, and work over the host link more still."""
    # made once: every device and every comparison of a file asks for them
    if results.cells is not None:
        return results.cells
    rows = results.rows
    good = texts(rows, "status") == "ok"  # earlier releases stored what a failed process had taken
    count = rows["sample_count"].where(good, 0).fillna(0).to_numpy(int)
    offset = rows["sample_offset"].fillna(0).to_numpy(int)
    samples = results.sample_columns("seconds", "process", "device")
    portion = np.cumsum(count) // PORTION
    parts = [
        _cells(samples, of, offset[of], count[of])
        for of in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(portion)) + 1)
    ]
    found = pd.concat(parts, ignore_index=True)
    at = found["row"].to_numpy()
    kind = np.select(
        [
            texts(rows, "roof").str.startswith("link_"),
            texts(rows, "cache") == "hot",
            texts(rows, "cache") == "rotate",
        ],
        ["host", "hot", "rotate"],
        "device",
    ).astype(object)
    moved = sum(
        rows[name].fillna(0).to_numpy(float)
        for name in ("bytes_read", "bytes_written")
        if name in rows
    )
    moved = moved * np.isin(kind, ["hot", "rotate"])
    own = rows["device"].fillna(0).to_numpy(int)[at]
    results.cells = found.assign(
        device=found["device"].where(found["device"] >= 0, own), kind=kind[at], moved=moved[at]
    )
    return results.cells


def means(of: pd.DataFrame, keys: list[str], names: list[str]) -> pd.DataFrame:
    """The means of columns over rows with the same keys, which are the index."""
    step = np.zeros(max(0, len(of) - 1))
    for key in keys:
        step = np.where(step == 0, np.diff(of[key]), step)
    if len(of) and (step > 0).all():  # each once, and in order: grouping would change nothing
        return of.set_index(keys)[names]
    return of.groupby(keys)[names].mean()


def _cells(
    samples: pd.DataFrame, rows: np.ndarray, offset: np.ndarray, count: np.ndarray
) -> pd.DataFrame:
    """The cells of some rows, without what only their rows tell; device is -1 where samples do not say it."""
    row = np.repeat(rows, count)
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    place += np.repeat(offset, count)
    process, device = (
        samples[name].to_numpy()[place] if name in samples else np.full(len(place), np.nan)
        for name in ("process", "device")
    )
    process, device = (np.nan_to_num(of, nan=-1).astype(int) for of in (process, device))
    first = np.ones(len(row), bool)
    first[1:] = (np.diff(row) != 0) | (np.diff(process) != 0) | (np.diff(device) != 0)
    first = np.flatnonzero(first)
    size = np.diff(np.append(first, len(row)))
    found = medians(samples["seconds"].to_numpy()[place], first, size)
    return pd.DataFrame(
        {
            "row": row[first],
            "device": device[first],
            "process": process[first],
            "first": place[first],
            "samples": size,
            "log_median": np.log(found["median"]),
            "variance": found["error"] ** 2,
            "dof": found["dof"],
        }
    )


def units(cells: pd.DataFrame) -> pd.DataFrame:
    """The processes of each row, or its devices if there are at least two: row, kind, band, top, id, log_median,
    variance, dof, count. Processes of kernels in L2 scatter by how much of it these use, others by their duration."""
    frame = cells
    for keys in (["row", "device", "process"], ["row", "device"]):
        if keys[-1] == "device":
            several = frame.groupby("row")["device"].transform("nunique") > 1
            alone, frame = (
                frame.assign(top="process", id=frame["process"])[~several],
                frame[several],
            )
        size = frame.groupby(keys)["log_median"].transform("size")
        # means; the variance of a mean of n is 1 / n^2 of their sum
        if keys[-1] == "device" or (size > 1).any():
            frame = frame.assign(variance=frame["variance"] / size**2)
            frame = frame.groupby(keys, as_index=False).agg(
                kind=("kind", "first"),
                moved=("moved", "first"),
                log_median=("log_median", "mean"),
                dof=("dof", "first"),
                variance=("variance", lambda v: v.sum(skipna=False)),
            )
    both = (
        pd.concat([alone, frame.assign(top="device", id=frame["device"])]) if len(frame) else alone
    )
    both = both.sort_values(
        ["row", "id"] if len(frame) else ["row", "device", "process"], kind="stable"
    )
    rows = both.groupby("row")
    measure = np.where(
        both["moved"] > 0, both["moved"] / 2**16, 1e6 * np.exp(rows["log_median"].transform("mean"))
    )
    # 0 below 1, one more for each factor of two
    with np.errstate(invalid="ignore", divide="ignore"):
        band = np.clip(np.nan_to_num(np.floor(np.log2(measure)) + 1, nan=0), 0, BANDS - 1).astype(
            int
        )
    return both.assign(count=rows["id"].transform("size"), band=band)[
        ["row", "kind", "band", "top", "id", "log_median", "variance", "dof", "count"]
    ].reset_index(drop=True)


def pooling(units: pd.DataFrame) -> pd.DataFrame:
    """The variances of the bands of a file, by (kind, top, band): common, common_dof, own, prior_dof. Ids are the file's."""
    points, found = units[units["count"] > 1], {}
    for (kind, top), group in points.groupby(["kind", "top"]):
        band, *of = (
            group[name].to_numpy() for name in ("band", "row", "id", "log_median", "variance")
        )
        members = np.bincount(band[np.unique(of[0], return_index=True)[1]], minlength=BANDS)
        start = 0
        while start < BANDS:  # bands are joined, from short to long, until they have points enough
            end = start + 1 + int(np.searchsorted(np.cumsum(members[start:]), POINTS_MIN))
            end = BANDS if members[end:].sum() < POINTS_MIN else end
            if members[start:end].sum() >= POINTS_MIN:
                learned = _learn(*(values[(start <= band) & (band < end)] for values in of))
                found.update(
                    {(kind, top, place): learned for place in range(start, end) if learned}
                )
            start = end
    index = pd.MultiIndex.from_tuples(list(found), names=["kind", "top", "band"]) if found else None
    return pd.DataFrame(
        list(found.values()), index=index, columns=["common", "common_dof", "own", "prior_dof"]
    )


def _learn(
    row: np.ndarray, id_: np.ndarray, y: np.ndarray, variance: np.ndarray
) -> tuple[float, float, float, float] | None:
    """common, common_dof, own and prior_dof of one band, of the log_median ``y`` of its units; None if every deviation could
    be a shift."""
    point, column = pd.factorize(row)[0], pd.factorize(id_, sort=True)[0]
    many, size, points, columns = len(y), np.bincount(column), point.max() + 1, column.max() + 1
    each = np.bincount(point)
    middle = np.cumsum(size) - size + (size - 1) // 2
    shift = np.zeros(columns)
    # means over a point's few units, medians over a column's many points; gaps need more rounds
    for _ in range(12):
        before, mu = shift, np.bincount(point, y - shift[column]) / each
        rest = y - mu[point]
        rest = rest[np.lexsort((rest, column))]
        shift = np.where(
            size % 2,
            rest[middle],
            rest[middle] + 0.5 * (rest[np.minimum(middle + 1, many - 1)] - rest[middle]),
        )
        if (shift == before).all():
            break
    chain, earlier = np.arange(columns), None  # columns that points link; others cannot be compared
    while earlier is None or (chain != earlier).any():
        earlier, least = chain.copy(), np.full(points, columns)
        np.minimum.at(least, point, chain[column])
        np.minimum.at(chain, column, least[point])
    joined = columns - len(np.unique(chain))
    kept = (many - points - joined) / (many - points)
    if not kept > 0:
        return None
    about = (
        shift
        - (
            np.bincount(chain, shift, columns)
            / np.maximum(1, np.bincount(chain, minlength=columns))
        )[chain]
    )
    common = (about * about).sum() / joined
    dof = (
        each - 1
    ) * kept  # taking off the shifts uses up degrees of freedom of all points together
    residual = np.bincount(point, (y - mu[point] - shift[column]) ** 2) / dof
    known = ~np.isnan(variance)
    within = np.bincount(point, np.where(known, variance, 0)) / np.maximum(
        1, np.bincount(point, known)
    )
    # Points that are unlike the rest are left out: among alike ones, one in a thousand has five times the variance that
    # a quarter exceeds. A quarter, not half: where processes have two states, half the points may have met only one of
    # them.
    alike = residual <= 5 * np.quantile(residual, 0.75)
    own = max(0.0, (residual - within)[alike].mean())
    # Smyth's d0, from the variance of log F: psi'(d/2) + psi'(d0/2). His scale, from the mean of log F, would be pulled
    # down by points that met only one of two states: intervals would hold in 77 % instead of 94 %.
    half = 0.5 * dof
    centred = (
        np.log((residual + VARIANCE_FLOOR) / (own + within + VARIANCE_FLOOR))
        - special.digamma(half)
        + np.log(half)
    )
    excess = centred.var(ddof=1) - special.polygamma(1, half).mean()
    prior_dof = min(PRIOR_DOF_MAX, 2 * _trigamma_inverse(excess)) if excess > 0 else PRIOR_DOF_MAX
    # Deviations of single points add to the shifts, which are medians: those have pi / 2 times the variance of a mean.
    noise = np.pi / 2 * (own + within.mean()) * columns / many
    return max(0.0, common - noise), joined, own, prior_dof


def _trigamma_inverse(y: float) -> float:
    """By Newton's method on 1 / psi', which is convex and nearly a line (Smyth 2004); y > 0."""
    x, step = 0.5 + 1 / y, np.inf
    while abs(step) > 1e-10 * x:
        value = special.polygamma(1, x)
        step = value * (1 - value / y) / special.polygamma(2, x)
        x += step
    return float(x)


def estimates(
    units: pd.DataFrame, own: pd.DataFrame | None, other: pd.DataFrame | None = None
) -> pd.DataFrame:
    """An estimate for each row that has units, not finished; the index is the row.

    own    pooling of the file; None: no point is pooled
    other  of the other file, for points of a single process if `own` has none: column `borrowed`
    """
    rows = units.groupby("row", sort=True)
    first = rows.first()
    n = first["count"].to_numpy(float)
    log_seconds = rows["log_median"].mean()
    within = (
        (units["variance"].groupby(units["row"]).sum(min_count=1) / first["count"])
        .where(units["variance"].notna().groupby(units["row"]).all())
        .to_numpy()
    )
    deviation = (units["log_median"] - log_seconds.reindex(units["row"]).to_numpy()) ** 2
    squares = deviation.groupby(units["row"]).sum().to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        scatter = np.where(n > 1, squares / (n - 1), np.nan)
    medians = pd.Series(
        np.split(
            units["log_median"].to_numpy(), first["count"].astype(int).cumsum().to_numpy()[:-1]
        )[: len(first)],
        first.index,
        dtype=object,
    )
    result = pd.DataFrame(
        {
            "log_seconds": log_seconds,
            "seconds": np.exp(log_seconds),
            "common": 0.0,
            "common_dof": np.inf,
            "medians": medians,
            "own": np.maximum(np.fmax(scatter, within), VARIANCE_FLOOR)
            / n,  # NaN: one sample of all
            "own_dof": np.where(n > 1, n - 1, first["dof"]),
            "prior": 0.0,
            "prior_dof": 0.0,
            "between": 0.0,
            "between_dof": np.inf,
            "error": np.nan,
            "dof": np.nan,
            "units": first["count"],
            "kind": first["kind"],
            "band": first["band"],
            "top": first["top"],
            "basis": np.where(n > 1, "alone", "within"),
            "borrowed": False,
        }
    )
    known = units["variance"].groupby(units["row"]).mean().fillna(0).to_numpy()
    if own is not None:
        result = _pool(result, own, scatter, known)
    if other is not None:
        single = result["basis"] == "within"
        lent = _pool(result[single], other, scatter[single], known[single])
        result = pd.concat([result[~single], lent.assign(borrowed=lent["basis"] == "pooled")]).loc[
            result.index
        ]
    return result


def _pool(
    result: pd.DataFrame, pooling: pd.DataFrame, scatter: np.ndarray, within: np.ndarray
) -> pd.DataFrame:
    """Replace the variances of a point's own data by those of its band, unless the point is unlike it."""
    if not len(result) or not len(pooling):
        return result
    keys = pd.MultiIndex.from_frame(result[["kind", "top", "band"]])
    common, common_dof, own, prior_dof = pooling.reindex(keys).to_numpy(float).T
    n = result["units"].to_numpy(float)
    dof, between, prior = n - 1, np.nan_to_num(scatter), own + within + VARIANCE_FLOOR
    # By the F distribution, because the variances of the band differ, too: that is what prior_dof tells.
    chance = special.fdtrc(np.maximum(dof, 1), prior_dof, between / (prior + common))
    pooled = (
        ~np.isnan(prior_dof)
        & ~((dof > 0) & (chance < UNLIKE))
        & ~np.isnan(result["own"].to_numpy())
    )
    # The point's own deviations with the shift still in them count for what goes beyond the shift.
    beyond = np.maximum(between - common, 0)
    new = {
        "own": (prior_dof * prior + dof * beyond) / (prior_dof + dof) / n,
        "own_dof": np.maximum(prior_dof + dof, OWN_DOF_MIN),
        "prior": prior,
        "prior_dof": prior_dof,
        "common": common / n,
        "common_dof": common_dof,
    }
    return result.assign(
        basis=np.where(pooled, "pooled", result["basis"]),
        **{name: np.where(pooled, value, result[name]) for name, value in new.items()},
    )


def none(index: Any) -> pd.DataFrame:
    """Entries of points without a time: estimates with `whole`, `predicted` and `unit`, as comparisons have them."""
    reals = [
        "log_seconds",
        "seconds",
        "common",
        "common_dof",
        "own",
        "own_dof",
        "prior",
        "prior_dof",
        "between",
        "between_dof",
        "error",
        "dof",
    ]
    return pd.DataFrame(
        {
            **dict.fromkeys(reals, np.nan),
            "units": 0,
            "kind": "",
            "top": "",
            "basis": "none",
            "borrowed": False,
            "whole": True,
            "predicted": False,
            "unit": "",
            "medians": [np.array([])] * len(index),
        },
        index=index,
    )


def aligned(e: pd.DataFrame, rows: Any) -> pd.DataFrame:
    """Estimates of rows, of which -1 is none at all, with an index from 0 on."""
    return pd.concat([e, none([-1])]).loc[rows].reset_index(drop=True)


def finish(frame: pd.DataFrame) -> pd.DataFrame:
    """With `error` and `dof` from all parts of the variance, and the 95 % interval `low`, `high` in seconds."""
    rest = total(
        Part(frame["own"].to_numpy(), frame["own_dof"].to_numpy()),
        Part(frame["between"].to_numpy(), frame["between_dof"].to_numpy()),
    )
    sum_ = total_wide(Part(frame["common"].to_numpy(), frame["common_dof"].to_numpy()), rest)
    error = np.sqrt(sum_.variance)
    half = np.where(sum_.variance > 0, critical(0.05, sum_.dof) * error, sum_.variance * 0)
    with np.errstate(over="ignore"):
        return frame.assign(
            error=error,
            dof=sum_.dof,
            low=np.exp(frame["log_seconds"] - half),
            high=np.exp(frame["log_seconds"] + half),
        )


def cells_of(results: Results, rows: Any, devices: Any) -> pd.DataFrame:
    """What some devices measured of some rows, where it was measured well."""
    taken = cells(results)
    return taken[taken["row"].isin(rows) & taken["device"].isin(devices)]


class Estimator:
    """A file's cells and pooling, made once: estimates of its rows, or of what some `devices` measured of them: other
    devices have other processes, so these are pooled by themselves."""

    def __init__(self, results: Results, devices: Any = None) -> None:
        every = cells(results)
        known = every["device"].unique() if devices is None else devices
        self.results, self.cells = results, cells_of(results, results.rows.index, known)
        self.units = units(self.cells)
        self.pooling = pooling(self.units)

    def of(self, rows: Any, other: Estimator | None = None) -> pd.DataFrame:
        """Estimates of rows (positions in results.rows); basis "none" where a row has no time."""
        chosen = self.units[self.units["row"].isin(rows)]
        found = estimates(chosen, self.pooling, other.pooling if other is not None else None)
        return pd.concat([found, none([row for row in rows if row not in found.index])]).reindex(
            rows
        )


def of_file(results: Results) -> Estimator:
    """The estimator of all devices of a file, made once: reading derives intervals with it, and comparisons take it."""
    if results.estimator is None:
        results.estimator = Estimator(results)
    known: Estimator = results.estimator
    return known
