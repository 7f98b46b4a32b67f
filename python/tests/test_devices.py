"""judge and history on real devices, none of which they may accuse, and on copies of their files with planted faults."""
import glob
import json
import subprocess

import h5py
import pytest
import warpsweep
from conftest import ROOT
from planted import changed, of_another_board, rewritten, said, table

pytestmark = pytest.mark.weekly
DATA = ROOT / "analysis/data"
H200 = DATA / "h200-paper.h5"
COPIES = DATA / "h200-copy.h5"  # of another unit of the kind of H200
SM = {"arithmetic", "shared memory", "latency of shared memory and L1"}


def has_copies(path):
    """Cold ones: hot ones tell of L2 alone."""
    with h5py.File(path) as file:
        return ((file["results"]["kernel"] == b"copy") & (file["results"]["cache"] == b"cold")).any()


def judged(path, *references):
    """Exit code, the device, the verdicts and causes of its slow parts, and its properties by name."""
    done = said("judge", path, *references, "-f", "json")
    (device,) = json.loads(done.stdout)
    return done.returncode, device, {p["part"]: p["cause"] for p in device["parts"] if p["slow"]}, {f["property"]: f for f in device["facts"]}


OTHER_BOARD = {DATA / f"h200-{name}.h5" for name in ("runs/unit1-copy", "runs/unit2-copy", "l2-fetch")}  # no reference is of theirs, and strides tell boards apart
PARTLY = "not judged in full"  # no reference has points of some of their parts
VERDICTS = {f"{name}.h5": PARTLY for name in ("h100-energy", "h200-energy", "h200-options")}


def test_no_shipped_device_is_accused_of_more_than_is_known():
    good = [path for path in sorted(DATA.glob("**/*.h5")) if "profile" not in path.name and has_copies(path)]
    assert len(good) >= 20
    for path in good:
        code, device, slow, facts = judged(path)
        assert not slow and code == (path.name in VERDICTS), (path, slow)
        assert device["verdict"] == VERDICTS.get(path.name, "as it should be")
        assert {p["part"]: p["verdict"] for p in device["parts"]}["DRAM"] == ("uncertain" if path in OTHER_BOARD else "same")
        # Links between GPUs, which the references do not have, are not judged.
        assert {name for name, fact in facts.items() if fact["verdict"] not in ("same", "differs")} <= {"fabric", "nvlinks"}


def planted(path, rows=lambda t: t["size"] < 0, factor=1.0, clock=1.0, of=H200, **facts):
    """A copy whose samples of some rows take `factor` times as long, at another clock, on a device with other properties."""
    made, devices = changed(of, path, factor, rows), table(of, "devices")
    results, samples = table(made, "results"), table(made, "samples")
    for row in results[rows(results)]:
        samples["sm_clock"][row["sample_offset"] : row["sample_offset"] + row["sample_count"]] *= clock
    for name in (n for n in results.dtype.names if n.startswith("latency_")):
        results[name][rows(results)] *= factor
    for name, value in facts.items():
        devices[name] = value
    return rewritten(path, results=results, samples=samples, devices=devices)


def roof(*names):
    return lambda t: sum(t["roof"] == name.encode() for name in names) > 0


def dram(long):
    return lambda t: (t["roof"].astype("S4") == b"dram") & ((t["time_median"] >= 1e-5) == long)


def latency(*variants):
    return lambda t: (t["kernel"] == b"latency") & (sum(t["variant"] == name.encode() for name in variants) > 0)


def of_sm(t):
    return roof("flop_f32", "shared")(t) | latency("shared", "l1", "constant")(t)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Of another kind, with all parts and properties."""
    return of_another_board(DATA / "h200-runs/unit10-paper.h5", tmp_path_factory.mktemp("whole") / "whole.h5")


@pytest.mark.parametrize("rows, factor, facts, slow, cause", [
    (dram(True), 1.03, {}, {"DRAM"}, "ROW_REMAPPER"),
    (dram(True), 1.06, {"ecc": b"no"}, {"DRAM"}, "ECC no instead of on"),
    (dram(True), 1.2, {"memory_clock_load": 2.6e9}, {"DRAM"}, "memory clock 2600 MHz instead of 3201 MHz"),
    (roof("l2"), 1.03, {}, {"L2"}, "part of L2"),
    (lambda t: roof("l2")(t) | latency("l2")(t), 1.2, {"l2_bytes": 50 << 20}, {"L2", "latency of L2"}, "L2 of 50MiB instead of 60MiB"),
    (of_sm, 1.06, {"clock": 1 / 1.06, "power_limit": 500}, SM, "power limit 500 W instead of 700 W"),
    (of_sm, 1.06, {}, SM, "another process"),
    (roof("link_h2d"), 1.2, {}, {"host to device"}, "NUMA node"),
    (roof("link_h2d", "link_d2h"), 1.5, {}, {"host to device", "device to host"}, "other traffic"),
    (dram(False), 1.1, {}, {"kernels of less than 10 us"}, "launches"),
    (of_sm, 1.03, {"mig": b"on"}, SM, "MIG on instead of off")])
def test_part_and_cause_are_found(tmp_path, whole, rows, factor, facts, slow, cause):
    """The second reference is of the device's kind, and of DRAM alone."""
    code, device, found, _ = judged(planted(tmp_path / "p.h5", rows, factor, **facts), whole, *([COPIES] if slow == {"DRAM"} else []))
    assert code == 1 and set(found) == slow and device["verdict"] == "not as it should be"
    assert cause in next(iter(found.values()))


def test_properties_are_judged(tmp_path, whole):
    code, _, slow, facts = judged(planted(tmp_path / "p.h5", multiprocessors=114), whole)
    fact = facts["multiprocessors"]
    assert code == 1 and not slow and (fact["verdict"], fact["here"], fact["reference"]) == ("WRONG", "114", "132")
    code, _, _, facts = judged(planted(tmp_path / "p.h5", driver=b"570.1"), whole)
    assert code == 0 and facts["driver"]["verdict"] == "differs"
    _, _, _, facts = judged(planted(tmp_path / "p.h5", nvlinks=12), whole)
    assert facts["nvlinks"]["verdict"] == "WRONG"
    assert "nvlinks" not in judged(planted(tmp_path / "p.h5", nvlinks=12), DATA / "h200-runs/unit1-copy.h5")[3]  # which does not tell of them


def test_each_device_of_a_node_is_judged(program, tmp_path, monkeypatch):
    """Ranks of the back end that measures nothing: the second is slow, the third has a failed point."""
    job = "timing: {devices: all, replicates: 3, max_time: 50ms}\nsweeps: [{kernel: copy, axes: {size: [64KiB, 1MiB, 16MiB], vector: [1, 2, 4]}}]\n"
    (tmp_path / "job.yaml").write_text(job)
    for name, ranks, rules in (("good1", 1, ""), ("good2", 1, ""), ("node", 3, ";slow=1.03:rank=1;fail:rank=2,vector=4,size=1MiB")):
        monkeypatch.setenv("WARPSWEEP_FAKE", "noise=0.001" + rules)
        subprocess.run(["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks), program, "run", "job.yaml", "-o", f"{name}.h5",
                        "--backend", "fake"], cwd=tmp_path, capture_output=True, timeout=100, check=name != "node")
    devices = json.loads(said("judge", *(tmp_path / f"{name}.h5" for name in ("node", "good1", "good2")), "-f", "json").stdout)
    assert [[p["slow"] for p in device["parts"] if p["points"]] for device in devices] == [[False], [True], [False]]
    found = warpsweep.families(tmp_path / "node.h5", by="device")
    assert [bool(low > 1.02) for low in found["repetition_low"]] == [True, False]


def test_what_cannot_be_judged():
    for words, message in ((["-t", "much"], "expected a share"), ([COPIES], "its own reference")):
        done = said("judge", COPIES, *words)
        assert done.returncode == 2 and message in done.stderr


# ---- Series of runs --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs():
    files = [*glob.glob(f"{DATA}/h200-runs/*-copy.h5"), *glob.glob(f"{DATA}/h200-copy*.h5")]
    assert len(files) == 7
    return sorted(files, reverse=True)


def test_times_change_where_the_unit_does_and_nowhere_else(runs):
    done = said("history", *runs, "--points", "-f", "json")
    found = json.loads(done.stdout)
    assert [run["date"] for run in found["runs"]] == sorted(run["date"] for run in found["runs"])
    places = sorted({change["run"] for change in found["changes"]})
    assert done.returncode == 1 and places == [3] and all(abs(change["ratio"] - 1) > 0.01 for change in found["changes"])
    assert sum(c["stride"] == 137 and c["variant"] == "load" and abs(c["ratio"] - 1) > 0.08 for c in found["changes"]) == 3
    text = said("history", *runs).stdout
    assert text.count("| unit GPU-") == len(places)


def test_what_is_no_history(runs):
    for words, message in (([runs[0], runs[1], DATA / "h100-copy.h5"], "another product"), ([*runs[:3], "-t", "x"], "expected a share")):
        done = said("history", *words)
        assert done.returncode == 2 and message in done.stderr and not done.stdout
