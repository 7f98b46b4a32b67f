"""Statistics of comparisons on planted data: what is true of simulated runs must be said of them."""
import numpy as np
import pandas as pd
import pytest

from warpsweep import estimates, statistics, verdicts

POINTS, PROCESSES = 120, 3


def run(random, *, common=0.005, own=0.002, shift=0.0, processes=PROCESSES, seconds=4e-6, pooled=True):
    """Estimates of points of one duration: each process shifts all of them by `common`, and each by `own`."""
    shifts = common * random.standard_normal(processes)
    row, process = (a.ravel() for a in np.meshgrid(np.arange(POINTS), np.arange(processes), indexing="ij"))
    log = np.log(seconds) + shifts[process] + own * random.standard_normal(len(row)) + shift
    cells = pd.DataFrame({"row": row, "device": 0, "process": process, "kind": "device", "moved": 0.0, "log_median": log, "samples": 30,
                          "variance": 1e-8, "dof": 20.0})
    units = estimates.units(cells)
    return estimates.estimates(units, estimates.pooling(units) if pooled else None).assign(unit="GPU-1", predicted=False)


def test_student():
    assert statistics.critical(0.05, 1) == pytest.approx(12.706, abs=1e-3)
    assert statistics.critical(0.05, np.inf) == pytest.approx(1.959964, abs=1e-6)
    assert 2 * statistics.beyond(2.0, 7.0) == pytest.approx(0.0856, abs=1e-4)
    assert statistics.beyond(1.959964, np.inf) == pytest.approx(0.025, abs=1e-6)
    assert np.isnan(statistics.critical(0.05, np.nan))
    sum_ = statistics.total(statistics.Part(9e-6, 2), statistics.Part(16e-6, 2))
    assert sum_.dof == pytest.approx(625 / (81 / 2 + 256 / 2))
    wide = statistics.total_wide(statistics.Part(np.array([1e-4]), np.array([2])), statistics.Part(1e-5, 20))
    assert wide.dof[0] == pytest.approx(2.08, abs=0.01)  # Satterthwaite: 2.42


def test_median_of_correlated_samples():
    random = np.random.default_rng(1)
    held = {0.0: 0, 0.8: 0}
    for rho in held:
        for _ in range(300):
            x = random.standard_normal(100)
            for i in range(1, 100):
                x[i] = rho * x[i - 1] + np.sqrt(1 - rho**2) * x[i]
            found = statistics.medians(1e-5 * (1 + 0.01 * x), np.array([0]), np.array([100])).iloc[0]
            half = found["error"] * statistics.critical(0.05, found["dof"])
            held[rho] += abs(found["median"] / 1e-5 - 1) <= half
    assert all(count >= 0.9 * 300 for count in held.values()), held
    one = statistics.medians(np.array([2e-5]), np.array([0]), np.array([1])).iloc[0]
    assert one["median"] == 2e-5 and np.isnan(one["error"])


def test_the_same_twice_and_a_planted_difference():
    random, rule = np.random.default_rng(2), verdicts.Rule(0.01, alike=True)
    wrong, held, found = 0, 0, 0
    for _ in range(16):
        a, b = run(random), run(random)
        ratios = verdicts.ratios(rule, a, b)
        wrong += np.isin(verdicts.decide(rule, ratios), ["faster", "slower"]).any()
        held += ((ratios["low"] <= 1) & (1 <= ratios["high"])).mean()
        mean = verdicts.group(rule, a, b)
        assert mean["low"] < mean["ratio"] < mean["high"]
        slower = verdicts.ratios(rule, a, run(random, common=0.001, shift=np.log(1.04)))
        found += (verdicts.decide(rule, slower) == "slower").mean()
    assert wrong <= 1 and held >= 0.88 * 16 and found >= 0.5 * 16


def sides(random, common, own, units, processes=3, points=30):
    """Estimates of two runs on two units: each process shifts all points by `common`, and each by `own`; a unit by `units`."""
    made = []
    for unit in "ab":
        medians = common * random.standard_normal(processes) + own * random.standard_normal((points, processes))
        medians = medians + units * random.standard_normal()
        made.append(pd.DataFrame({"log_seconds": medians.mean(axis=1), "seconds": 1e-3, "units": processes, "unit": unit,
                                  "medians": list(medians), "basis": "alone", "predicted": False, "between": 0.0, "between_dof": np.inf}))
    return made


@pytest.mark.parametrize("alike, common, own", [(True, 0.005, 0.002), (False, 0.005, 0.002), pytest.param(True, 0, 0.002, marks=pytest.mark.weekly)])
@pytest.mark.parametrize("units", [0, 0.001])
@pytest.mark.parametrize("count", [100, pytest.param(2000, marks=pytest.mark.weekly)])
def test_intervals_of_families_hold(alike, common, own, units, count):
    """That of a repetition for another run of the same points, because what a process shifts does not average out over
    them; that of units for other units, whose scatter of 0.1 % is known by six degrees of freedom."""
    random, rule, held = np.random.default_rng(7), verdicts.Rule(alike=alike), 0
    for _ in range(count):
        scatter = verdicts.Scatter(unit=(0.0, units**2 * random.chisquare(6) / 6), unit_dof=6.0)
        mean = verdicts.group(rule, *sides(random, common, own, units), (scatter, scatter) if units else (None, None))
        held += mean["low"] <= 1 <= mean["high"]
    low, high = (0.93, 0.98 if units else 0.97) if count > 100 else (0.9, 1)
    assert low <= held / count <= high, held / count


def test_one_process_says_nothing_of_another_run():
    random, rule = np.random.default_rng(8), verdicts.Rule()
    one = run(random, processes=1)
    mean = verdicts.group(rule, one, one)
    assert np.isnan(mean["repetition_low"]) and mean["verdict"] == "uncertain" and mean["shapes_low"] == 1
    assert verdicts.repetition(rule, one, run(random)).dof == 2


def test_discoveries_by_hand():
    p = [0.0030, 0.0020, 0.0070, 0.0070, 0.9, 0.7, np.nan]
    ratios = pd.DataFrame({"log_ratio": [0.03, -0.03, 0.005, 0.03, 0.008, 0.009, np.nan], "p": p,
                           "excluded": [0.05, 0.05, 0.0099, 0.0501, 0.02, 0.0095, np.nan]})
    assert list(verdicts.decide(verdicts.Rule(), ratios)) == ["slower", "faster", "same", "uncertain", "uncertain", "same",
                                                              "not measured"]


def test_power():
    ratios = pd.DataFrame({"error": 0.001 * np.sqrt(2), "dof": np.inf, "p": 0.5}, index=range(2))
    expected = np.expm1(np.log1p(0.01) + (2.32635 + 1.64485) * np.sqrt(2e-6))
    assert verdicts.detectable(verdicts.Rule(), ratios) == pytest.approx(expected, abs=5e-5)
    ratios.loc[1, "error"] *= 1000
    assert np.isnan(verdicts.detectable(verdicts.Rule(), ratios))


def test_paired_versions():
    random = np.random.default_rng(6)
    drift = 1e-4 * (1 + 0.05 * np.arange(80) / 80)
    a, b = (drift * f * (1 + 0.001 * random.standard_normal(80)) for f in (1, 1.02))
    found = statistics.paired(a, b, False)
    assert found["log_ratio"] == pytest.approx(np.log(1.02), abs=0.001) and found["quotients"] == 40


def simulated(random, case, files, points=10, processes=3, samples=40):
    """Whether the 95 % interval of each point of made-up files holds its true time: alone, and with the points of its file."""
    devices, states = case.get("devices", 1), case.get("states", 0.0)
    held = np.zeros(2)
    for _ in range(files):
        units = devices * processes
        shift = np.repeat(case.get("device", 0) * random.standard_normal(devices), processes)
        shift = shift + case.get("common", 0) * random.standard_normal(units)
        if case.get("shared"):  # a process is in one of two states for all points
            shift = shift + states * (random.integers(0, 2, units) - 0.5)
        noise = random.standard_normal((points, units, samples))
        rho = case.get("rho", 0.0)
        for at in range(1, samples):
            noise[..., at] = rho * noise[..., at - 1] + np.sqrt(1 - rho**2) * noise[..., at]
        times = 5e-6 * np.exp(shift[:, None] + case.get("own", 0) * random.standard_normal((points, units, 1))) \
            * (1 + case.get("spread", 0.002) * noise)
        if states and not case.get("shared"):
            times = times * (1 + states * (random.integers(0, 2, (points, units, 1)) - 0.5))
        count = points * units
        found = statistics.medians(times.ravel(), np.arange(count) * samples, np.full(count, samples))
        cells = pd.DataFrame({"row": np.repeat(np.arange(points), units), "device": np.tile(np.repeat(np.arange(devices), processes), points),
                              "process": np.tile(np.arange(units), points), "kind": "device", "moved": 0.0,
                              "log_median": np.log(found["median"]), "samples": samples, "variance": found["error"] ** 2, "dof": found["dof"]})
        of = estimates.units(cells)
        for place, pooling in enumerate((None, estimates.pooling(of))):
            e = estimates.finish(estimates.estimates(of, pooling))
            held[place] += ((e["low"] <= 5e-6) & (5e-6 <= e["high"])).mean()
    return held / files


@pytest.mark.parametrize("case, alone, pooled", [
    ({"rho": 0.7, "spread": 0.01}, 0.94, 0.94),
    ({"common": 0.005, "own": 0.002}, 0.92, 0.92),
    ({"common": 0.05}, 0.92, 0.92),
    ({"states": 0.01}, 0.65, 0.9),  # alone, three processes in one state say nothing of the other
    ({"devices": 4, "device": 0.02, "rho": 0.7, "spread": 0.01}, 0.9, 0.9),
    ({"states": 0.01, "shared": True}, 0.4, 0.4),  # nor do all points then: a known limit
])
def test_intervals_hold(case, alone, pooled):
    found = simulated(np.random.default_rng(7), case, 25)
    assert found[0] >= alone and found[1] >= pooled
