"""Intervals of medians, and sums of variances with few degrees of freedom. Variances are of natural logarithms of times, arrays
have an element a point. ``scipy.special`` has the distributions: importing ``scipy.stats`` takes two seconds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

MAD_TO_SD = 1.482602218505602  # of a normal distribution
DOF_NORMAL = 1e7  # from here on Student's t is the normal distribution to 7 digits


def beyond(t: Any, dof: Any) -> Any:
    """P(T > t); `dof` may be infinite."""
    return special.stdtr(np.minimum(dof, DOF_NORMAL), -np.asarray(t))


def critical(p: float, dof: Any) -> np.ndarray:
    """The t > 0 with P(\\|T\\| > t) = p: for 0.05 the factor of a 95 % interval. NaN for a `dof` that is not above 0."""
    # points of a file have the same few values
    values, place = np.unique(np.asarray(dof, float), return_inverse=True)
    factor = -special.stdtrit(np.minimum(np.where(values > 0, values, np.nan), DOF_NORMAL), p / 2)
    return factor[place].reshape(np.shape(dof))


class Part(NamedTuple):
    """Estimates of parts of variances with their degrees of freedom (infinite: exact): numbers, or an array of them."""

    variance: Any
    dof: Any


def total(*parts: Part) -> Part:
    """The sum, with the degrees of freedom of Satterthwaite (1946) and Welch (1947); variances of 0 do not count."""
    variance = sum(np.asarray(part.variance, float) for part in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = sum(
            np.where(np.asarray(part.variance) > 0, np.square(part.variance) / part.dof, 0)
            for part in parts
        )
        return Part(variance, np.where(squares > 0, variance * variance / squares, np.inf))


def total_wide(*parts: Part) -> Part:
    """The sum of parts with very different degrees of freedom, of which Satterthwaite's has too many: half-widths are added in
    quadrature (Zou & Donner 2008, MOVER), and the degrees of freedom are those for which Student's t gives that width."""
    variances, dofs = (
        np.stack(np.broadcast_arrays(*(np.asarray(a, float) for a in of))) for of in zip(*parts)
    )
    variance, there, dofs = variances.sum(0), variances > 0, np.minimum(dofs, DOF_NORMAL)
    squares = np.where(there, critical(0.05, dofs) ** 2 * variances, 0).sum(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        dof = special.stdtridf(0.975, np.sqrt(squares / variance))
    least, most = np.where(there, dofs, np.inf).min(0), np.where(there, dofs, 0).max(0)
    return Part(
        variance, np.where(np.isnan(dof), least, np.clip(dof, least, np.maximum(least, most)))
    )


def _quantile(ascending: np.ndarray, count: np.ndarray, q: Any) -> np.ndarray:
    """Of each row's first `count` values, by linear interpolation."""
    at = q * (count - 1)
    low = np.minimum(at.astype(int), count - 1)
    high = np.minimum(low + 1, count - 1)
    rows = np.arange(len(ascending))
    return ascending[rows, low] + np.where(high > low, at - low, 0) * (
        ascending[rows, high] - ascending[rows, low]
    )


def _inflation(samples: np.ndarray, count: np.ndarray) -> np.ndarray:
    """tau = 1 + 2 (rho_1 + rho_2 + ...) of the samples' ranks (an outlier would hide every correlation), a row for each
    run: n samples are worth n / tau independent ones. The larger of Geyer's (1992) initial positive sequence and a
    first-order autoregression, whose rho is corrected for its bias (Kendall 1954)."""
    rows, width = samples.shape
    x = np.nan_to_num(pd.DataFrame(samples).rank(axis=1).to_numpy() - 0.5 * (1 + count[:, None]))
    power = (x * x).sum(1)

    def lagged(x: np.ndarray, lag: int) -> np.ndarray:
        return (x[:, :-lag] * x[:, lag:]).sum(1)

    with np.errstate(divide="ignore", invalid="ignore"):
        rho = lagged(x, 1) / power if width > 1 else np.zeros(rows)
        rho = np.minimum(rho + (1 + 4 * rho) / count, 1 - 1 / count)
        first_order = np.where(power > 0, (1 + rho) / (1 - rho), 1)
    sums, going = np.zeros(rows), np.flatnonzero((power > 0) & (count > 2))
    for lag in range(1, width - 1, 2):
        going = going[lag + 1 < count[going]]
        pair = lagged(x[going], lag) + lagged(x[going], lag + 1)
        going = going[pair > 0]
        if not going.size:
            break
        sums[going] += pair[pair > 0]
    sequence = np.where(power > 0, 1 + 2 * sums / np.where(power > 0, power, 1), 1)
    return np.clip(np.maximum(first_order, sequence), 1, count)


def _without_outliers(ascending: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The least and the largest of five or more logarithms, moved to at most the span of the others away from these:
    one long sample does not make the interval of a median as wide as it likes."""
    rows, last = np.arange(len(ascending)), count - 1
    low, high = (
        ascending[:, min(1, ascending.shape[1] - 1)],
        ascending[rows, np.maximum(last - 1, 0)],
    )
    ends = [
        np.where(count > 4, end, -np.inf)[:, None]
        for end in (low - (high - low), -high - (high - low))
    ]
    return np.clip(ascending, ends[0], -ends[1])


def medians(values: np.ndarray, first: np.ndarray, count: np.ndarray) -> pd.DataFrame:
    """Medians of runs of samples, each `count` > 0 from `first` on in the order of sampling: median; error, standard error of its
    logarithm (NaN: one sample); dof, effective number of samples less 1. The interval is that of order statistics (David & Nagaraja
    2003, section 7.1), with the variance n / 4 of the count below the median times `_inflation`."""
    result = np.full((len(first), 3), np.nan)
    bucket = np.maximum(3, np.ceil(np.log2(np.maximum(count, 1)))).astype(int)
    for power in np.unique(bucket):
        chosen = np.flatnonzero(bucket == power)
        for part in np.array_split(chosen, max(1, len(chosen) << power >> 21)):  # 16 MB at a time
            n, width = count[part], 1 << power
            place = first[part][:, None] + np.arange(width)
            inside = np.arange(width) < n[:, None]
            samples = np.where(inside, values[np.minimum(place, len(values) - 1)], np.nan)
            inflation = _inflation(samples, n)
            times = np.sort(np.where(inside, samples, np.inf), axis=1)
            median = _quantile(times, n, 0.5)
            effective = n / inflation
            dof = np.where(n > 1, np.where(effective > 2, effective - 1, 1), np.nan)
            factor = critical(0.05, dof)
            ends = _without_outliers(np.log(times), n)
            reach, last = factor * 0.5 * np.sqrt(n * inflation), np.maximum(n - 1, 1)
            # So few samples that they cannot hold an interval: the range is stretched.
            stretch = np.maximum(1, reach / (0.5 * last))
            q = np.where(n > 1, np.clip(reach / last, 0, 0.5), 0)
            half = 0.5 * stretch * (_quantile(ends, n, 0.5 + q) - _quantile(ends, n, 0.5 - q))
            result[part] = np.stack([median, half / factor, dof], 1)
    return pd.DataFrame(result, columns=["median", "error", "dof"])


def paired(a: np.ndarray, b: np.ndarray, b_first: bool) -> dict[str, float]:
    """What one process tells of two versions sampled in quadruples A B B A, or B A A B if `b_first`: log_ratio, of the
    median of their quotients sqrt(b1 b2 / (a1 a2)), its variance and dof; order, the logarithm of the time of a sample
    that comes second over one that comes first."""
    whole = len(a) // 2 * 2
    quotients = np.sqrt(b[0:whole:2] / a[0:whole:2] * (b[1:whole:2] / a[1:whole:2]))
    ratio = medians(quotients, np.array([0]), np.array([len(quotients)])).iloc[0]
    couples = np.log(b / a)
    order = (np.median(couples[0::2]) - np.median(couples[1::2])) / 2
    return {
        "log_ratio": np.log(ratio["median"]),
        "variance": ratio["error"] ** 2,
        "dof": ratio["dof"],
        "order": -order if b_first else order,
        "quotients": len(quotients),
    }


def quantiles(
    values: np.ndarray, group: np.ndarray, size: np.ndarray, *q: float
) -> list[np.ndarray]:
    """Of the values of each group, by linear interpolation (Hyndman & Fan type 7); no group is empty."""
    ascending = values[np.lexsort((values, group))]
    first, found = np.cumsum(size) - size, []
    for one in q:
        at = one * (size - 1)
        low = first + at.astype(int)
        high = np.minimum(low + 1, first + size - 1)
        found.append(ascending[low] + (at - at.astype(int)) * (ascending[high] - ascending[low]))
    return found


def places(first: Any, count: Any) -> np.ndarray:
    """The places of groups of ``count`` that begin at ``first``, one after the other."""
    first, count = np.asarray(first), np.asarray(count)
    return np.arange(count.sum()) + np.repeat(first + count - np.cumsum(count), count)
