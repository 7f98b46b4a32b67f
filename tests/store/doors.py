"""doors.py WARPSWEEP - numbers that cannot be, and processes that fail while they sample, in whole runs, killed ones, resumed ones and
merged ones: every reader opens the file, every row is there, and none of it is in a number."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

warpsweep = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python/src"))
os.environ["WARPSWEEP_PROGRAM"] = warpsweep
import warpsweep as package  # noqa: E402

folder = tempfile.mkdtemp()
os.chdir(folder)
# In a sanitizer build Open MPI leaks: leaks alone do not change the exit code.
environment = dict(os.environ, LSAN_OPTIONS="exitcode=0")
MAY_BE_INFINITE = {"error_max", "error_rms", "error_peak"}
ROLES = {"time", "rate", "work", "energy", "environment", "sampling", "prediction", "cost", "resource", "verification", "counter"}
with open("job.yaml", "w") as job:
    job.write("counters: memory\nenergy: true\n"
              "timing: {max_time: 1s, min_samples: 10, max_samples: 40, target_ci: 0.001%, timeout: 5s, replicates: 3}\n"
              "sweeps:\n  - kernel: copy\n    axes: {size: [1MiB, 4MiB], vector: [1, 2, 4, 8], stride: [1, 2]}\n")
POINTS = 16


def run(*command, expect=(0,), fake=""):
    done = subprocess.run([warpsweep, *command], capture_output=True, text=True, env={**environment, "WARPSWEEP_FAKE": fake}, timeout=200)
    assert done.returncode in expect, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def read(path, points=POINTS):
    """By status, merge, and the package, of which the other readers are. The rows of the package."""
    if not os.path.exists(f"{path}.journal"):
        assert f"{path}: ok" in run("status", "--verify", path)[0]
    run("merge", path, "-o", "merged.h5", expect=(0, 1))
    assert "merged.h5: ok" in run("status", "--verify", "merged.h5")[0]
    for name in ("merged.h5", path):
        results = package.read(name)
        rows = results.rows
        assert (results.samples["seconds"] > 0).all()
        for column in results.columns.values():
            if column.type == "real" and column.role in ROLES and column.name in rows:
                values = rows[column.name]
                assert not (values < 0).any() and (column.name in MAY_BE_INFINITE or not np.isinf(values).any()), column
        assert not rows.loc[rows["status"] != "ok", ["time_median", "bandwidth"]].notna().any(axis=None)
        assert not rows.loc[rows["status"] != "ok", "sample_count"].any()
        own = rows[rows["repeat"] == 0]
        assert len(own) == points or path != name
    os.remove("merged.h5")
    return own


# ---- Numbers that cannot be: the rows stay, and say so
for number in ("-1", "inf", "-inf"):
    said = run("run", "job.yaml", "-o", "absurd.h5", "--backend", "fake", fake=f"absurd={number}:size=1MiB", expect=(1,))[1]
    assert f"left out as impossible: power {number}" in said, said
    assert not os.path.exists("absurd.h5.journal")
    rows = read("absurd.h5")
    bad = rows["size"] == 1 << 20
    assert (rows["status"] == "ok").all() and rows["time_median"].notna().all()
    assert rows.loc[bad, "energy_status"].str.startswith(f"failed: impossible: energy {number}").all()
    assert rows.loc[bad, "counters_status"].str.startswith("failed: impossible: load_requests").all()
    assert rows.loc[bad, "message"].str.contains(f"power {number}").all() and rows.loc[bad, ["energy", "power"]].isna().all(axis=None)
    assert (rows.loc[~bad, "energy_status"] == "measured").all() and (rows.loc[~bad, "message"] == "").all()
    # Without the fault they are counted again, and only they.
    run("run", "job.yaml", "-o", "absurd.h5", "--backend", "fake", "--resume", "--retry-failed")
    rows = read("absurd.h5")
    assert (rows["energy_status"] == "measured").all() and (rows["counters_status"] == "counted").all()
    os.remove("absurd.h5")

# ---- Processes that fail while they sample: what they have taken is in no number, and the row says how many
BROKEN = "slow=100:replicate=1,vector=2;break:replicate=1,vector=2"
run("run", "job.yaml", "-o", "broken.h5", "--backend", "fake", fake=BROKEN, expect=(1,))
rows = read("broken.h5")
bad = rows["vector"] == 2
assert (rows["status"] == "ok").all() and (rows["time_median"] < 1.1e-3).all(), rows["time_median"]  # the fake's longest is 1 ms
assert (rows["processes"] == np.where(bad, 1, 3)).all() and (rows["processes_failed"] == np.where(bad, 2, 0)).all()
assert rows.loc[bad, "message"].str.fullmatch("a process failed: failed: broken on request").all()
# A resumed run adds the processes that are missing.
run("run", "job.yaml", "-o", "broken.h5", "--backend", "fake", "--resume")
rows = read("broken.h5")
assert (rows["processes"] == 3).all() and (rows["processes_failed"] == np.where(bad, 2, 0)).all()

# ---- The journal of a killed run, with both
with open("killed.log", "w") as log:
    victim = subprocess.Popen([warpsweep, "run", "job.yaml", "-o", "killed.h5", "--backend", "fake"], stderr=log, start_new_session=True,
                              env={**environment, "WARPSWEEP_FAKE": f"{BROKEN};absurd=-1:size=1MiB"})
    rows = None
    while rows is None or len(rows) < POINTS or not (rows["processes_failed"] > 0).any():
        victim.send_signal(signal.SIGCONT)
        time.sleep(0.03)
        victim.send_signal(signal.SIGSTOP)  # however long the reader takes, the run goes on by that much alone
        assert victim.poll() is None, "the run was over before a process had failed"
        try:
            rows = package.read("killed.h5").rows
        except (FileNotFoundError, package.WarpsweepError):  # before its first result
            rows = None
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait()
assert os.path.exists("killed.h5.journal")
rows = read("killed.h5")
assert (rows["processes_failed"] > 0).any() and (rows["time_median"] < 1.1e-3).all()
run("run", "job.yaml", "-o", "killed.h5", "--backend", "fake", "--resume", "--retry-failed")
rows = read("killed.h5")
assert (rows["processes"] == 3).all() and (rows["time_median"] < 1.1e-3).all() and (rows["energy_status"] == "measured").all()
shutil.rmtree(folder)
print("every file was read")
