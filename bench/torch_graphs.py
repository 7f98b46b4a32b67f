#!/usr/bin/env python3
"""Time points of a results file again, with CUDA graphs and events of PyTorch's own, and compare: needs a GPU and CuPy.

    bench/torch_graphs.py [--fresh] [--arena] [--reverse] WARPSWEEP FAMILY.py FILE.h5 [ARGUMENT...]

The arguments select points, as for `warpsweep table`: -w variant=compiled -w dtype=bf16. Run it on the GPU of the file, soon after.
Each point has as many launches in a graph, sets of buffers, and the same flush of L2 as in the file, and the file's overhead is
taken off. So a ratio other than 1 is a fault of either timer. Exit code: 1 if the geometric mean is more than 1 % from 1, or if Python
was on the clock: a point is not timed as a graph.

Further columns tell why a ratio is not 1: the SM clock of either timer in MHz, the nodes of the graph, and the time of the
first point's graph, measured again after this point, relative to its first time.
"""
import argparse
import csv
import ctypes
import importlib.util
import io
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from types import SimpleNamespace

import torch

SAMPLES = 41
WARM_UP = 0.3  # seconds, until the clock has risen
COLUMNS = "timer,time_median,launches,buffer_sets,overhead,sm_clock"
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
SMS_MAX = 1024
READ_CLOCKS = """
extern "C" __global__ void read_clocks(unsigned long long *of) /* cycles and nanoseconds of each multiprocessor */
{
    unsigned sm;
    unsigned long long now;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    of[2 * sm] = clock64(), of[2 * sm + 1] = now;
}
"""


def load(path):
    sys.path.append(os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("family", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["family"] = module
    spec.loader.exec_module(module)
    return module


def rows(warpsweep, family, kernel, file, arguments):
    columns = ",".join([*family.axes, "cache", COLUMNS])
    text = subprocess.run([warpsweep, "table", file, "-k", kernel, "-w", "status=ok", "-c", columns, "-f", "csv", *arguments],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


class Clock:
    """The SM clock between two places of the stream: the median over the multiprocessors that ran a block at both."""

    def __init__(self):
        import cupy
        self.stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
        self.kernel = cupy.RawKernel(READ_CLOCKS, "read_clocks")
        self.blocks = torch.cuda.get_device_properties(0).multi_processor_count
        self.readings = torch.zeros((2, SMS_MAX, 2), dtype=torch.int64, device="cuda")

    def read(self, which):
        with self.stream:
            self.kernel((self.blocks,), (1,), (self.readings[which].data_ptr(),))

    def hertz(self):
        start, stop = self.readings.cpu().tolist()
        self.readings.zero_()
        return statistics.median(1e9 * (to[0] - of[0]) / (to[1] - of[1]) for of, to in zip(start, stop) if of[1] and to[1])


def point_of(family, row):
    p = SimpleNamespace(**{name: row[name] if isinstance(of, list) else int(row[name]) for name, of in family.axes.items()})
    p.device = SimpleNamespace(host=False, capability=10 * torch.cuda.get_device_capability()[0])
    return p


def make_sets(family, p, count, arena):
    """Like warpsweep's: each set has its own inputs and outputs. With an arena, they lie one after the other from its start."""
    sets, at = [], 0
    for _ in range(count):
        arrays = {}
        for name, (role, dtype, shape, *fill) in family.buffers(p).items():
            low, high = fill[0] if fill else (-1, 1)
            array = torch.empty(shape, dtype=DTYPES[dtype], device="meta" if arena is not None else "cuda")
            if arena is not None:
                array, at = arena[at:at + array.nbytes].view(array.dtype).view(array.shape), at + (array.nbytes + 255) // 256 * 256
            arrays[name] = array.uniform_(low, high)
        sets.append(arrays)
    return sets


def capture(family, p, sets, launches):
    """The graph and the number of its nodes"""
    for _ in range(3):  # compiles
        family.call(p, **sets[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        for i in range(launches):
            family.call(p, **sets[i % len(sets)])
    graph.instantiate()
    nodes = ctypes.c_size_t()
    if ctypes.CDLL("libcuda.so.1").cuGraphGetNodes(ctypes.c_void_p(graph.raw_cuda_graph()), None, ctypes.byref(nodes)):
        raise RuntimeError("cuGraphGetNodes failed")
    return graph, nodes.value


def measure(graph, clock, flush, warm_up):
    """(seconds of a replay, SM clock in Hz), medians. The stream is blocked while a group of samples is queued, so none of them waits
    for the host. `flush` is the memory that is written before each sample, or None."""
    seconds, clocks = [], []
    end = time.monotonic() + warm_up
    while time.monotonic() < end:
        for _ in range(20):
            graph.replay()
        torch.cuda.synchronize()
    for _ in range(0, SAMPLES, 8):
        pairs = []
        torch.cuda.synchronize()
        torch.cuda._sleep(20_000_000)  # cycles: about 10 ms
        clock.read(0)
        for _ in range(8):
            if flush is not None:
                flush.fill_(1)
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graph.replay()
            stop.record()
            pairs.append((start, stop))
        clock.read(1)
        torch.cuda.synchronize()
        seconds += [1e-3 * start.elapsed_time(stop) for start, stop in pairs]
        clocks.append(clock.hertz())
    return statistics.median(seconds), statistics.median(clocks)


class Bench:
    """What the points of one process share"""

    def __init__(self, path, arena_bytes):
        self.family = load(path)
        self.flush = torch.empty(3 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda")
        self.clock = Clock()
        self.arena = torch.empty(arena_bytes, dtype=torch.uint8, device="cuda") if arena_bytes else None
        self.first = None  # (graph, its sets, flush, seconds)

    def ratio(self, row):
        p, launches = point_of(self.family, row), int(float(row["launches"]))
        sets = make_sets(self.family, p, int(float(row["buffer_sets"])), self.arena)
        self.family.prepare(p)
        graph, nodes = capture(self.family, p, sets, launches)
        flush = self.flush if row["cache"] == "cold" else None
        seconds, hertz = measure(graph, self.clock, flush, WARM_UP)
        self.first = self.first or (graph, sets, flush, seconds)
        again = measure(self.first[0], self.clock, self.first[2], 0)[0] / self.first[3]
        ours, theirs = float(row["time_median"]), (seconds - float(row["overhead"])) / launches
        name = " ".join(f"{name}={row[name]}" for name in [*self.family.axes, "cache"])
        print(f"{name:60} {1e6 * ours:12.3f} {1e6 * theirs:10.3f}  {ours / theirs:.4f} {1e-6 * float(row['sm_clock']):8.0f} {1e-6 * hertz:6.0f}"
              f" {nodes:6} {again:8.4f}", flush=True)
        del graph, sets
        torch.cuda.empty_cache()
        return ours / theirs


def select(warpsweep, path, file, arguments, with_arena):
    """The rows, and how large an arena they need"""
    family = load(path)
    selected = rows(warpsweep, family, os.path.basename(path)[:-len(".py")], file, arguments)
    most = 0
    for row in selected if with_arena else []:
        of_set = sum((torch.empty(shape, dtype=DTYPES[dtype], device="meta").nbytes + 255) // 256 * 256
                     for role, dtype, shape, *fill in family.buffers(point_of(family, row)).values())
        most = max(most, of_set * int(float(row["buffer_sets"])))
    return selected, most


def ratio_of_process(path, arena_bytes, row):
    return Bench(path, arena_bytes).ratio(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="a process for each point")
    parser.add_argument("--arena", action="store_true", help="allocate memory once for all points")
    parser.add_argument("--reverse", action="store_true", help="the last point first")
    for name in ("warpsweep", "family", "file"):
        parser.add_argument(name)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    processes = multiprocessing.get_context("fork")  # CUDA is not initialised in this process before the last fork

    def fork(function, *arguments):
        with processes.Pool(1) as pool:
            return pool.apply(function, arguments)

    selected, arena_bytes = fork(select, given.warpsweep, given.family, given.file, given.arguments, given.arena)
    if given.reverse:
        selected.reverse()
    print(f"{'point':60} warpsweep us   graph us   ratio  MHz: it  graph  nodes  1st again", flush=True)
    if given.fresh:
        ratios = [fork(ratio_of_process, given.family, arena_bytes, row) for row in selected]
    else:
        bench = Bench(given.family, arena_bytes)
        ratios = [bench.ratio(row) for row in selected]
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    on_the_clock = sum(row["timer"] != "graph" for row in selected)
    print(f"{len(ratios)} points: ratios from {min(ratios):.4f} to {max(ratios):.4f}, geometric mean {mean:.4f}; "
          f"not timed as a graph: {on_the_clock}")
    sys.exit(abs(mean - 1) > 0.01 or on_the_clock > 0)


if __name__ == "__main__":
    main()
