"""history.py WARPSWEEP SOURCE [SERIES] - `warpsweep history` on runs of eight H200s, whose times differ where the unit changes and nowhere
else; and on made-up series, without a change, with a lasting one and with a single slow run. SERIES: how many of each [2]."""
import glob
import os
import subprocess
import sys
import tempfile

warpsweep, source = sys.argv[1], sys.argv[2]
many = int(sys.argv[3]) if len(sys.argv) > 3 else 2
data = os.path.join(source, "analysis", "data")
os.chdir(tempfile.mkdtemp())
# In a sanitizer build Open MPI leaks: leaks of others alone do not change the exit code.
os.environ["LSAN_OPTIONS"] = f"exitcode=0:suppressions={source}/tests/mpi/mpi.supp:print_suppressions=0"


def run(*command, **more):
    done = subprocess.run([warpsweep, *command], capture_output=True, text=True, timeout=100, env={**os.environ, **more})
    return done.returncode, done.stdout, done.stderr


def rows(out, cells):
    """The tables' rows with so many cells, without their heads."""
    table = [[cell.strip() for cell in line.replace("\\", "").split("|")[1:-1]] for line in out.splitlines() if line.startswith("| ")]
    return [row for row in table if len(row) == cells and row[0].isdigit()]


# ---- Real runs, in any order
files = sorted(glob.glob(data + "/h200-runs/*.h5") + glob.glob(data + "/h200-held-out/unit[67]-*.h5") + glob.glob(data + "/h200-copy*.h5"))
assert len(files) == 16
code, out, err = run("history", *reversed(files), "--points")
runs, places, points = rows(out, 8), rows(out, 7), rows(out, 5)
assert not err and [row[0] for row in runs] == [str(k + 1) for k in range(16)], (out, err)
assert [row[1] for row in runs] == sorted(row[1] for row in runs), out
unit = [row[2] for row in runs]
assert len(set(unit)) == 8, out
assert places and all(unit[int(row[0]) - 1] != unit[int(row[0]) - 2] and row[6].startswith("unit GPU-") for row in places), out
assert sum(int(row[2]) + int(row[4]) for row in places) == len(points), out
assert all(abs(float(row[1])) > 1 for row in points), out
assert [row[0] for row in places] == ["3", "9", "13", "15"], out
assert sum("stride 137" in row[4] and "variant load" in row[4] and abs(float(row[1])) > 8 for row in points) == 12, out
assert code == 1, out

# ---- Made-up ones: 16 points, six runs
with open("job.yaml", "w") as file:
    file.write("timing: {replicates: 3, max_time: 50ms}\nsweeps:\n  - kernel: copy\n    axes: {size: [64KiB, 1MiB, 16MiB, 64MiB], vector: [1, 2, 4, 8]}\n")


def series(name, slow):
    """Six runs; those in `slow` have slow points of vector=4."""
    for k in range(1, 7):
        fault = ";slow=1.03:vector=4" if k in slow else ""
        code, out, err = run("run", "job.yaml", "-o", f"{name}{k}.h5", "--backend", "fake", WARPSWEEP_FAKE="noise=0.001" + fault)
        assert code == 0, (code, out, err)
    code, out, err = run("history", *(f"{name}{k}.h5" for k in range(1, 7)), "--points")
    assert not err, (out, err)
    points = rows(out, 5)
    assert all("vector 4" in row[4] for row in points), out
    return code, [(row[0], float(row[1]) > 0) for row in points], rows(out, 7)


for k in range(many):
    assert series(f"same{k}-", []) == (0, [], [])
    code, points, places = series(f"lasting{k}-", [4, 5, 6])
    assert (code, points) == (1, 4 * [("4", True)]) and len(places) == 1, (points, places)
    assert places[0][2] == "4" and places[0][4] == "0" and places[0][6] == "nothing that the files tell", places
    code, points, _ = series(f"once{k}-", [3])
    assert (code, sorted(points)) == (0, 4 * [("3", True)] + 4 * [("4", False)]), points

# ---- What is no history
for command, words in ((["same0-1.h5", "same0-2.h5"], "at least 3 files"),
                       (["same0-1.h5", "same0-2.h5", files[0]], "another product"),
                       (["same0-1.h5", "same0-2.h5", "same0-3.h5", "-t", "x"], "expected a share")):
    code, out, err = run("history", *command)
    assert code == 2 and words in err and not out, (command, err)
