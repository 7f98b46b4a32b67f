"""Time the points of a results file of jobs/harnesses.yaml with the harnesses themselves, on the same GPU.

    python3 examples/harnesses/tools.py harnesses.h5 BUILD -o harnesses.tools.csv

BUILD has what `build` has made: harness.so, loop and, if NVBench is to be timed, nvbench. Of PyTorch and Triton, NVBench and
Nsight Compute each one that is there is timed. Times are
added to the CSV: run it several times, because processes differ. The figure `harnesses` finds the CSV by its name, beside the results file.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import h5py

Point = tuple[int, int]  # bytes of an array, rounds
Row = tuple[str, str, str, Point, float]  # harness, version, cache, point, s


def points_of(path: Path) -> list[Point]:
    with h5py.File(path) as file:
        rows = file["results"]
        return sorted({(int(size), int(rounds)) for size, rounds in zip(rows["size"], rows["rounds"])})


def run(command: list[object]) -> str:
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


def words(points: list[Point]) -> list[str]:
    return [f"{size}x{rounds}" for size, rounds in points]


def by_hand(build: Path, points: list[Point]) -> Iterator[Row]:
    for mode in ("pair", "loop"):
        for line in run([build / "loop", mode, *words(points)]).splitlines():
            size, rounds, seconds = line.split(",")
            yield f"event_{mode}", "", "hot", (int(size), int(rounds)), float(seconds)


def triton(build: Path, points: list[Point]) -> Iterator[Row]:
    import torch
    from triton import __version__, testing

    library = ctypes.CDLL(str(build / "harness.so"))
    library.harness_launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_void_p]
    library.harness_launch.restype = ctypes.c_char_p
    for size, rounds in points:
        arrays = [torch.ones(size, dtype=torch.uint8, device="cuda") for _ in range(2)]
        at = [array.data_ptr() for array in arrays]

        def launch() -> None:
            why = library.harness_launch(*at, size, rounds, torch.cuda.current_stream().cuda_stream)
            if why:
                raise RuntimeError(why.decode())

        yield "do_bench", __version__, "cold", (size, rounds), 1e-3 * testing.do_bench(launch)
        with torch.cuda.stream(torch.cuda.Stream()):
            seconds = 1e-3 * testing.do_bench_cudagraph(launch)
        yield "do_bench_cudagraph", __version__, "hot", (size, rounds), seconds
        del arrays, at, launch
        torch.cuda.empty_cache()


def nvbench(build: Path, points: list[Point]) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nvbench.csv"
        axis = ",".join(words(points))
        print(run([build / "nvbench", "-b", 0, "-a", f"point=[{axis}]", "--timeout", 1, "--csv", path]), file=sys.stderr)
        version = run([build / "nvbench", "--version"]).split(":")[-1].strip(")\n")
        for row in csv.DictReader(path.open()):
            size, rounds = map(int, row["point"].split("x"))
            yield "nvbench_cold", version, "cold", (size, rounds), float(row["GPU Time (sec)"])
            yield "nvbench_batch", version, "hot", (size, rounds), float(row["Batch GPU (sec)"])


def ncu(build: Path, points: list[Point]) -> Iterator[Row]:
    """The clock stays as it is: by default ncu locks it at its base, which changes the device."""
    version = run(["ncu", "--version"]).split()[-1]
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "all"]
    out = run([*command, "--metrics", "gpu__time_duration.sum", build / "loop", "launches", *words(points)])
    lines = [line for line in out.splitlines() if line.startswith('"')]
    times = [float(row["gpu__time_duration.sum"].replace(",", "")) for row in list(csv.DictReader(io.StringIO("\n".join(lines))))[1:]]
    each = len(times) // len(points)
    for i, point in enumerate(points):
        yield "ncu", version, "clean", point, 1e-9 * fmean(times[i * each : (i + 1) * each])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    points, failed = points_of(given.results), 0
    tools = [by_hand, triton]
    tools += [nvbench] if (given.build / "nvbench").exists() else []
    tools += [ncu] if shutil.which("ncu") else []
    with given.output.open("a", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        if not file.tell():
            out.writerow(["harness", "version", "cache", "size", "rounds", "seconds"])
        for tool in tools:
            try:
                for harness, version, cache, (size, rounds), seconds in tool(given.build, points):
                    out.writerow([harness, version, cache, size, rounds, f"{seconds:.6g}"])
                    file.flush()
            except Exception as error:  # of one tool: the others go on
                print(f"{tool.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
                failed = 1
    return failed


sys.exit(main())
