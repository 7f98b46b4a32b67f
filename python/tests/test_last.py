"""Sparse products lower the clock of what follows, in later processes too: they come when all processes of other points have ended."""
import os
import subprocess

import h5py
import pytest

JOB = """
title: A job of a test
counters: none
timing: {{max_time: 1s, timeout: 2s, replicates: {processes}{devices}}}
sweeps:
  - kernel: mma_rate
    axes: {{variant: mma, dtype: [f16, bf16, u8, tf32], chains: [1, 2, 4, 8], block: [128, 256], sparse: [off, on]}}
"""
POINTS = 64


@pytest.fixture
def run(program, tmp_path):
    def run(ranks, processes=3, devices="", *options, fake="sleep=1ms"):
        (tmp_path / "job.yaml").write_text(JOB.format(processes=processes, devices=devices), encoding="utf-8")
        environment = os.environ | {"WARPSWEEP_FAKE": fake, "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}
        return subprocess.run(["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks), program, "run", "job.yaml", "-o", "a.h5",
                               "--backend", "fake", *options], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    run.file = tmp_path / "a.h5"
    return run


def processes_of(path, device):
    """Numbers of the worker processes of a device, in the order of their start: of dense points, and of sparse ones."""
    with h5py.File(path) as file:
        rows, samples = file["results"][()], file["samples"][()]
    found = {b"off": set(), b"on": set()}
    assert set(rows["status"]) == {b"ok"}
    for row in rows[rows["repeat"] == 0]:
        own = samples[row["sample_offset"]:row["sample_offset"] + row["sample_count"]]
        found[row["sparse"]] |= {*own["process"][own["device"] == device].tolist()}
    return found[b"off"], found[b"on"]


@pytest.mark.parametrize("ranks, processes, devices", [(1, 3, ""), (1, 1, ""), (2, 3, ""), (2, 2, ", devices: all")])
def test_sparse_points_come_last(run, ranks, processes, devices):
    done = run(ranks, processes, devices)
    assert done.returncode == 0, done.stderr
    for device in range(ranks):
        dense, sparse = processes_of(run.file, device)
        assert len(dense) == len(sparse) == processes
        assert max(dense) <= min(sparse)  # the first sparse points may follow in the last process of the others


def test_a_resumed_run_keeps_the_order(run):
    assert run(1, 1).returncode == 0
    before = {number for numbers in processes_of(run.file, 0) for number in numbers}
    done = run(1, 3, "", "--resume")
    assert done.returncode == 0 and f"{POINTS} lack processes" in done.stderr, done.stderr
    dense, sparse = (numbers - before for numbers in processes_of(run.file, 0))
    assert len(dense) == len(sparse) == 2 and max(dense) < min(sparse)


def test_failing_points_do_not_hold_the_others_up(run):
    """Dense points that crash are tried again, and those that fail are left, before the sparse ones come."""
    done = run(2, 3, fake="sleep=1ms;crash:dtype=u8,chains=2,sparse=off;fail:dtype=f16,chains=4,sparse=off")
    assert done.returncode == 1, done.stderr
    with h5py.File(run.file) as file:
        rows = file["results"][()]
    rows = rows[rows["repeat"] == 0]  # not the canaries
    bad = rows[rows["status"] != b"ok"]
    assert len(rows) == POINTS and {*bad["status"].tolist()} == {b"crashed", b"failed"} and {*bad["sparse"].tolist()} == {b"off"}
    assert {*rows["processes"][rows["status"] == b"ok"].tolist()} == {3}
