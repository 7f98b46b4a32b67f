"""judge.py WARPSWEEP SOURCE [MACHINES] - `warpsweep judge` on real devices, none of which it may accuse; on copies of their files with
planted faults, of which it names the part and the cause; and on made-up machines, healthy and 3 % slow. MACHINES: how many [3]."""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zlib

import h5py

warpsweep, source = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.join(source, "python", "src"))
from warpsweep.__main__ import main  # noqa: E402

machines = int(sys.argv[3]) if len(sys.argv) > 3 else 3
data = os.path.join(source, "analysis", "data")
os.chdir(tempfile.mkdtemp())
# In a sanitizer build Open MPI leaks: leaks of others alone do not change the exit code.
os.environ["LSAN_OPTIONS"] = f"exitcode=0:suppressions={source}/tests/mpi/mpi.supp:print_suppressions=0"


def run(*command, **more):
    done = subprocess.run([warpsweep, *command], capture_output=True, text=True, timeout=100,
                          env={**os.environ, **more})
    return done.returncode, done.stdout, done.stderr


def judged(*words):
    """`warpsweep judge` in this process: it runs for every shipped file."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["judge", *words])
    return code, out.getvalue(), err.getvalue()


def table(out):
    """Verdict and cause by part; verdict and values by property."""
    rows = [[cell.strip() for cell in line.replace("\\", "").split("|")[1:-1]] for line in out.splitlines() if line.startswith("| ")]
    return ({row[0]: (row[5], row[6]) for row in rows if len(row) == 7 and row[0] != "part"},
            {row[0]: (row[3], row[1], row[2]) for row in rows if len(row) == 4 and row[0] != "property"})


# ---- Good devices: each against the shipped references, and H200s against files that are given
def has_copies(path):
    """Cold ones: hot ones tell of L2 alone."""
    with h5py.File(path) as file:
        return any(row["kernel"] == b"copy" and row["cache"] == b"cold" for row in file["results"][:])


good = [os.path.join(folder, name) for folder, _, names in os.walk(data) for name in sorted(names)
        if name.endswith(".h5") and "profile" not in name and has_copies(os.path.join(folder, name))]
assert len(good) >= 20
linked = []
# Of these, no reference has points of some parts.
NOT_IN_FULL = {"h100-energy.h5", "h200-energy.h5"}
for path in good:
    code, out, err = judged(path)
    parts, facts = table(out)
    assert not err and parts["DRAM"][0] == "same", (path, out, err)
    # Links between GPUs, which the references do not have, are not judged; a file of one GPU of such a node knows of the fabric alone.
    unjudged = {name for name, (verdict, *_) in facts.items() if verdict == "not judged"}
    linked += [path] if "nvlinks" in unjudged else []
    in_full = os.path.basename(path) not in NOT_IN_FULL
    assert in_full or "No reference has points of its shared memory, L2, kernels of less than 10 us." in out, (path, out)
    assert in_full == ("NOT JUDGED IN FULL" not in out) and code == (not in_full), (path, code, out)
    assert not {"SLOW", "WRONG"} & set(out.split()) and unjudged <= {"fabric", "nvlinks"}, (path, code, out)
    assert "nvlinks" not in unjudged or facts["nvlinks"][1:] == ("18", "-"), (path, facts)
assert 0 < len(linked) < len(good), linked
h200 = os.path.join(data, "h200-paper.h5")
other = os.path.join(data, "h200-held-out", "unit8-paper.h5")
copies = os.path.join(data, "h200-copy.h5")  # of another unit of the kind of `h200`
whole = os.path.join(data, "h200-held-out", "unit9-paper.h5")  # of another kind, with all parts and properties
code, out, _ = judged(other, h200, os.path.join(data, "h100-paper.h5"))
assert code == 0 and "NVIDIA H200" in out and "Not judged" not in out, out
code, out, _ = run("judge", other, "-q")  # as a process, too
assert code == 0 and "Device" not in out, out

# ---- Faults


def plant(rows=None, factor=1.0, clock=None, of=h200, **facts):
    """A copy of the file `of` whose samples of the rows that `rows` chooses take `factor` times as long."""
    shutil.copy(of, "planted.h5")
    with h5py.File("planted.h5", "r+") as file:
        results, samples, devices = (file[name][:] for name in ("results", "samples", "devices"))
        for k, row in enumerate(results):
            if not rows or not rows(row) or row["sample_count"] <= 0:
                continue
            taken = slice(row["sample_offset"], row["sample_offset"] + row["sample_count"])
            samples["seconds"][taken] *= factor
            for name in results.dtype.names:
                if name.startswith("time_") or name.startswith("latency_"):
                    results[name][k] *= factor
            if clock:
                results["sm_clock"][k] *= clock
        for name, value in facts.items():
            devices[name] = value
        for name, values in (("results", results), ("samples", samples), ("devices", devices)):
            file[name][:] = values
            file[name].attrs["crc32"] = zlib.crc32(values.tobytes())


def judge(expected, cause, *references):
    """The parts in `expected` are slow, and no others; the cause of the first has this phrase."""
    code, out, err = judged("planted.h5", *(references or [whole]))
    parts, facts = table(out)
    slow = {part for part, (verdict, _) in parts.items() if verdict == "SLOW"}
    assert code == 1 and slow == set(expected) and "NOT AS IT SHOULD BE" in out, (expected, out, err)
    assert not expected or cause in parts[expected[0]][1], (expected, cause, out)
    return facts


def roof(*names):
    return lambda row: row["roof"].decode() in names


def latency(*variants):
    return lambda row: row["kernel"] == b"latency" and row["variant"].decode() in variants


def long_dram(row):
    return row["roof"].startswith(b"dram") and row["time_median"] >= 1e-5


def of_sm(row):
    return roof("flop_f32", "shared")(row) or latency("shared", "l1", "constant")(row)


sm = ["arithmetic", "shared memory", "latency of shared memory and L1"]
plant(long_dram, 1.03)
judge(["DRAM"], "ROW_REMAPPER", whole, copies)  # the latter is of its kind
plant(long_dram, 1.06, ecc=b"no")
assert judge(["DRAM"], "ECC no instead of on")["ecc"] == ("WRONG", "no", "on")
plant(long_dram, 1.2, memory_clock_load=2.6e9)
judge(["DRAM"], "memory clock 2600 MHz instead of 3201 MHz")
plant(roof("l2"), 1.03)
judge(["L2"], "part of L2")
plant(lambda row: roof("l2")(row) or latency("l2")(row), 1.2, l2_bytes=50 << 20)
judge(["L2", "latency of L2"], "L2 of 50MiB instead of 60MiB")
plant(of_sm, 1.06, clock=1 / 1.06, power_limit=500)
facts = judge(sm, "power limit 500 W instead of 700 W")
assert facts["power_limit"][0] == "WRONG"
plant(of_sm, 1.06)
judge(sm, "another process")
plant(roof("link_h2d"), 2)
judge(["host to device"], "NUMA node")
plant(roof("link_h2d", "link_d2h"), 1.5)
judge(["host to device", "device to host"], "other traffic")
plant(lambda row: row["roof"].startswith(b"dram") and row["time_median"] < 1e-5, 1.1)
judge(["kernels of less than 10 us"], "launches")
plant(of_sm, 1.03, mig=b"on")
judge(sm[:2], "MIG on instead of off")
plant(multiprocessors=114)
assert judge([], "")["multiprocessors"] == ("WRONG", "114", "132")
plant(of=linked[0], nvlinks=12)
for references, verdict, there, said in (([os.path.join(data, "h200-links.h5"), copies], "WRONG", "18", "NOT AS IT SHOULD BE"),
                                         ([copies], "not judged", "-", "NOT JUDGED IN FULL")):
    code, out, _ = judged("planted.h5", *references)
    assert table(out)[1]["nvlinks"] == (verdict, "12", there) and code == 1 and said in out, (references, out)
plant(driver=b"570.1")
code, out, _ = judged("planted.h5", whole)
assert code == 0 and table(out)[1]["driver"][0] == "differs", out

# ---- Made-up machines of three devices, by the back end that measures nothing
job = "timing: {devices: all, replicates: 3, max_time: 50ms}\nsweeps:\n  - kernel: copy\n    axes: {size: [64KiB, 1MiB, 16MiB], vector: [1, 2, 4], stride: [1, 2]}\n    exclude: [{stride: 2, vector: [2, 4]}]\n"
with open("job.yaml", "w") as file:
    file.write(job)
noise = "noise=0.001"
for name in ("good1.h5", "good2.h5"):
    assert run("run", "job.yaml", "-o", name, "--backend", "fake", WARPSWEEP_FAKE=noise)[0] == 0
for machine in range(machines):
    for fault in ("", ";slow=1.03"):
        code, _, err = run("run", "job.yaml", "-o", f"machine{machine}{fault[1:5]}.h5", "--backend", "fake", WARPSWEEP_FAKE=noise + fault)
        assert code == 0, err
        code, out, err = judged(f"machine{machine}{fault[1:5]}.h5", "good1.h5", "good2.h5")
        assert code == (1 if fault else 0), (machine, fault, out, err)
        assert ("| SLOW |" in out) == bool(fault), out
ranks = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "3"]
done = subprocess.run([*ranks, warpsweep, "run", "job.yaml", "-o", "node.h5", "--backend", "fake"], capture_output=True, text=True,
                      env={**os.environ, "WARPSWEEP_FAKE": noise + ";slow=1.03:rank=1;fail:rank=2,vector=4,size=1MiB"}, timeout=100)
assert done.returncode in (0, 1), done.stderr
code, out, _ = judged("node.h5", "good1.h5", "good2.h5")
said = {section.split(":")[0]: section for section in out.split("## Device ")[1:]}
assert code == 1 and set(said) == {"0", "1", "2"}, out
assert "SLOW" not in said["0"] and "SLOW" in said["1"] and "SLOW" not in said["2"], out

# ---- What cannot be judged
code, _, err = judged("good1.h5")
assert code == 2 and "no reference for device 0, fake" in err, err
code, _, err = judged("good1.h5", "good1.h5")
assert code == 2 and "its own reference" in err, err
code, _, err = judged("good1.h5", "good2.h5", "-t", "much")
assert code == 2 and "expected a share" in err, err

# ---- A node's check, with commands of Slurm and of the driver that only say what they were asked
os.mkdir("bin")
for name, text in (("nvidia-smi", 'printf "GPU 0: made up\\nGPU 1: made up\\n"'), ("scontrol", 'echo "$*" >drained')):
    with open(os.path.join("bin", name), "w") as file:
        file.write(f"#!/bin/sh\n{text}\n")
    os.chmod(os.path.join("bin", name), 0o755)


def check_node(fake, *references):
    done = subprocess.run([os.path.join(source, "slurm", "check-node"), *references], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "PATH": f"{os.getcwd()}/bin:{os.environ['PATH']}", "WARPSWEEP": warpsweep, "WARPSWEEP_FAKE": fake,
                               "JUDGE_OPTIONS": "--backend fake", "SLURMD_NODENAME": "node17"})
    return done.returncode, done.stdout, done.stderr


reference = os.path.abspath("reference.h5")
assert run("run", os.path.join(source, "jobs", "judge.yaml"), "-o", reference, "--backend", "fake", WARPSWEEP_FAKE=noise)[0] == 0
assert check_node(noise, reference) == (0, "", "") and not os.path.exists("drained")
code, out, err = check_node(noise + ";slow=1.03:rank=1", reference)
assert code == 1 and "Device 1" in out and "Device 0" not in out, (out, err)
assert open("drained").read().startswith("update NodeName=node17 State=DRAIN Reason=warpsweep: Device 1"), open("drained").read()
os.remove("drained")
code, _, err = check_node("refuse", reference)
assert code == 3 and "no device, on request" in err and not os.path.exists("drained"), err
