"""per_clock.py FILE - best dense and sparse rates of each instruction of mma_rate, per clock and multiprocessor.

Cycles of a launch are taken sample by sample, and their medians over processes: the medians of times and of clocks are of
different samples where the power limit moves the clock.
"""
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python/src")
import warpsweep

DATA_SHEET = {"tf32": 4096, "bf16": 8192, "f16": 8192}  # sparse operations per clock and multiprocessor; others: 16384

rows = warpsweep.load(sys.argv[1])
rows = rows[(rows["status"] == "ok") & (rows["blocks"] == 0) & (rows["data"] == "random")].set_index("id")
samples = warpsweep.samples(sys.argv[1]).query("id in @rows.index").eval("cycles = seconds * sm_clock")
rows = rows.join(samples.groupby(["id", "process"])["cycles"].median().groupby("id").median())
rows["clock"] = rows["cycles"] / rows["time_median"]
rows["each"] = rows["flop_rate"] / rows["clock"] / warpsweep.read(sys.argv[1]).devices["multiprocessors"].iloc[0]
for (dtype, variant), of in rows.astype({"dtype": str, "variant": str}).groupby(["dtype", "variant"]):  # categories: pandas orders them
    best = {sparse: of.loc[part["each"].idxmax()] for sparse, part in of.groupby("sparse", observed=True)}
    if "on" in best:
        on, off = best["on"], best["off"]
        print(f"| {dtype} | {variant} | {off['flop_rate'] / 1e12:.0f} | {on['flop_rate'] / 1e12:.0f} | {on['clock'] / 1e9:.2f} | "
              f"{on['each']:.0f} | {100 * on['each'] / DATA_SHEET.get(dtype, 16384):.1f} % | {on['each'] / off['each']:.2f} |")
