"""Knees of curves: a continuous line of pieces in log-log coordinates, with as few pieces as the data need.

Segmented regression (Quandt 1958; Muggeo, Statistics in Medicine 22, 2003). Knees lie at measured points, all of which
are tried. Their number minimises Schwarz's criterion (BIC, Annals of Statistics 6, 1978) with two parameters a knee:
its place and its change of slope. A further knee must lower the criterion by more than 10, "very strong" in Kass &
Raftery (JASA 90, 1995): places are searched, so smaller gains occur by chance. The variance of the residuals is at
least that of the points' intervals and that of a scatter of 2 %, because sizes and strides have effects of 1 to 2 %
that the intervals do not include."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple, Sequence

import numpy as np

KNEES_MAX = 2
SCATTER = 0.02  # smallest relative scatter of points about a line
POINTS_MIN, POINTS_MAX = 6, 64  # for one knee, and two points more for each further one; the time grows with the square
GAIN = 10.0  # of the criterion, for one more knee
# twice the fall of the log-likelihood at the ends of a 95 % interval: chi-squared, one degree of freedom
PROFILE = 3.84
Z_95 = 1.96


class Knee(NamedTuple):
    """Where a curve bends, with the 95 % profile-likelihood interval of the place, in units of x."""

    at: float
    low: float
    high: float


class Fit(NamedTuple):
    """y goes as x^slopes[0] up to knees[0], then as x^slopes[1] ...; `scatter`: relative RMS about the line."""

    knees: list[Knee]
    slopes: list[float]
    scatter: float


def fit(x: Sequence[float], y: Sequence[float], low: Sequence[float] | None = None,
        high: Sequence[float] | None = None) -> Fit | None:
    """Fit 6 to 64 points, x ascending, x and y > 0; `low`, `high`: 95 % intervals of y. None: it cannot be fitted."""
    x, y, low, high = (np.asarray(np.nan if values is None else values, float) for values in (x, y, low, high))
    count = len(x)
    if not POINTS_MIN <= count <= POINTS_MAX or not (x > 0).all() or not (y > 0).all() or not (np.diff(x) > 0).all():
        return None
    u, v = np.log(x) - np.log(x[0]), np.log(y)
    with np.errstate(all="ignore"):
        error = np.log(high / low) / (2 * Z_95)
    floor = float(np.sum(np.where(np.isfinite(error) & (error > SCATTER), error, SCATTER) ** 2))

    def pieces(at: tuple[int, ...]) -> tuple[float, np.ndarray]:
        """The sum of squares that knees at these points leave, and the slopes of the pieces."""
        terms = np.column_stack([np.ones(count), u] + [np.maximum(0, u - u[i]) for i in at])
        solution = np.linalg.lstsq(terms, v, rcond=None)[0]
        return float(np.sum((v - terms @ solution) ** 2)), np.cumsum(solution[1:])

    def misfit(fitted: tuple[float, np.ndarray]) -> float:
        return count * np.log(max(fitted[0], floor) / count)

    places, tried = (), {(): pieces(())}
    for knees in range(1, KNEES_MAX + 1):
        if count + 2 < POINTS_MIN + 2 * knees:
            break
        # at least two points apart, and not at the ends
        several = {at: pieces(at) for at in combinations(range(1, count - 1), knees) if (np.diff(at) > 1).all()}
        at = min(several, key=lambda choice: misfit(several[choice]))
        if misfit(tried[places]) - misfit(several[at]) > (knees - len(places)) * (GAIN + 2 * np.log(count)):
            places, tried = at, several
    squares, slopes = tried[places]
    alike = [x[list(at)] for at, fitted in tried.items() if misfit(fitted) <= misfit(tried[places]) + PROFILE]
    found = [Knee(float(x[i]), float(min(at[k] for at in alike)), float(max(at[k] for at in alike)))
             for k, i in enumerate(places)]
    return Fit(found, [float(slope) for slope in slopes], float(np.sqrt(squares / count)))


def knees(x: Sequence[float], y: Sequence[float], low: Sequence[float] | None = None,
          high: Sequence[float] | None = None) -> list[Knee]:
    """The knees of a curve (none, one or two), as `fit` finds them."""
    found = fit(x, y, low, high)
    return found.knees if found else []
