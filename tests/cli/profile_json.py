"""profile_json.py WARPSWEEP SOURCE - `warpsweep profile --format json` of the shipped files: the document keeps docs/profile.schema.json,
and its numbers are those of the file, read by h5py and computed again here."""
import copy
import json
import math
import os
import re
import subprocess
import sys

import h5py

warpsweep, source = sys.argv[1], sys.argv[2]
os.environ["LSAN_OPTIONS"] = f"exitcode=0:suppressions={source}/tests/mpi/mpi.supp:print_suppressions=0"
with open(os.path.join(source, "docs", "profile.schema.json")) as file:
    SCHEMA = json.load(file)
TYPES = {"string": str, "number": (int, float), "null": type(None), "object": dict, "array": list}


def errors(value, schema, at="$"):
    """What in a document does not keep the schema, for the words of JSON Schema that this schema uses."""
    known = {"$schema", "title", "description", "$defs", "$ref", "type", "const", "pattern", "required", "properties",
             "additionalProperties", "items"}
    assert set(schema) <= known, set(schema) - known
    found = []
    if "$ref" in schema:
        found += errors(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], at)
    kinds = schema.get("type", [])
    if kinds and not isinstance(value, tuple(t for k in ([kinds] if isinstance(kinds, str) else kinds)
                                             for t in (TYPES[k] if isinstance(TYPES[k], tuple) else (TYPES[k],)))):
        return found + [f"{at}: {value!r} is no {kinds}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: {value!r}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{at}: {value!r} is not as {schema['pattern']}")
    if isinstance(value, dict):
        found += [f"{at}: no {name}" for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            rest = schema.get("additionalProperties", True)
            inner = schema.get("properties", {}).get(name, rest)
            if inner is False:
                found.append(f"{at}: unknown {name}")
            elif inner is not True:
                found += errors(member, inner, f"{at}.{name}")
    if isinstance(value, list) and "items" in schema:
        for k, member in enumerate(value):
            found += errors(member, schema["items"], f"{at}[{k}]")
    return found


def near(a, b, tolerance=1e-9):
    return a is not None and b is not None and math.isclose(a, b, rel_tol=tolerance)


def axis(row, name):
    return row[name].decode() if isinstance(row[name], bytes) else row[name]


def crossing(points, share):
    """x where a line through the points in log-log last falls below a share of the best rate, going down from the best."""
    best = max(range(len(points)), key=lambda k: points[k][1])
    least = share * points[best][1]
    for k in range(best, 0, -1):
        (a, low), (b, high) = points[k - 1], points[k]
        if low < least:
            return math.exp(math.log(a) + (math.log(b) - math.log(a)) * (math.log(least) - math.log(low)) / (math.log(high) - math.log(low)))
    return None


SELECT = {
    "bytes_in_flight": lambda r: r["stages"] == 3 and r["resident"] == 1 and r["work"] == 0,
    "copy_size": lambda r: (axis(r, "variant"), axis(r, "dtype"), r["vector"], r["stride"], r["offset"], r["items"], r["block"])
    == ("load", "f32", 4, 1, 0, 1, 256) and axis(r, "cache") in ("cold", "hot") and axis(r, "hint") == "default"
    and axis(r, "carveout") == "default",
    "memcpy_size": lambda r: axis(r, "variant") == "memcpy" and axis(r, "cache") in ("cold", "hot"),
    "host_message": lambda r: axis(r, "variant") == "pinned" and r["streams"] == 1 and r["chunk"] == 16 << 40,
    "peer_message": lambda r: True,
    "peer_blocks": lambda r: True,
}
SERIES = {"bytes_in_flight": "variant", "copy_size": "cache", "memcpy_size": "cache", "host_message": "direction"}


def check(path):
    done = subprocess.run([warpsweep, "profile", path, "--format", "json"], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done
    document = json.loads(done.stdout)
    assert errors(document, SCHEMA) == [], errors(document, SCHEMA)[:5]
    with h5py.File(path) as file:
        device, rows = file["devices"][0], file["results"][...]
        said = {pair["name"].decode(): pair["value"].decode() for pair in file["environment"][...][::-1]}
    rows = [r for r in rows if r["status"] == b"ok" and r["canary"] == 0]
    by_id = {axis(r, "id"): r for r in rows}
    assert document["file"] == os.path.basename(path) and document["commit"] == said["commit"] and document["start"] == said["start"]
    assert document["device"]["driver"] == axis(device, "driver") and document["device"]["uuid"] == axis(device, "uuid")
    assert document["device"]["l2_bytes"] == device["l2_bytes"] and document["device"]["clock_max"] == device["clock_max"]

    # Roofs and rates of /devices with their ranges; what has points lies in the interval of each
    for part in ("flops", "rates"):
        for name, value in document[part].items():
            if name.startswith("peak_"):
                assert all(near(value[end], device[name + suffix]) for end, suffix in (("value", ""), ("low", "_low"), ("high", "_high"))), name
    seen = 0
    for name, value in document["latency"].items():
        assert (value["value"] is None) == bool(value["reason"]) == (value["points"] == []), (name, value)
        cycles = [by_id[id]["latency_p50"] for id in value["points"]]
        assert all(axis(by_id[id], "variant") == name.split("_")[1] for id in value["points"]), name
        if cycles:
            seen += 1
            assert near(value["value"], (min(cycles) + max(cycles)) / 2) and value["low"] == min(cycles) and value["high"] == max(cycles), (name, value)
            assert near(value["seconds"], value["value"] / device["clock_max"]), name
    assert seen == 4 and document["latency"]["latency_dsmem"]["reason"], document["latency"]
    for name, cache in (("wave_hot", "hot"), ("wave_cold", "cold")):
        row = by_id[document["launch"][name]["points"][0]]
        assert near(document["launch"][name]["value"], row["time_median"]) and axis(row, "cache") == cache
        assert near(document["launch"][name]["low"], row["time_ci_low"]) and near(document["launch"][name]["high"], row["time_ci_high"])
    blocks = document["launch"]["block_rate"]
    row = by_id[blocks["points"][0]]
    assert near(blocks["value"], row["grid_blocks"] / row["time_median"]) and blocks["low"] < blocks["value"] < blocks["high"]

    # Knees
    for name, knee in document["knees"].items():
        mine = {}
        for r in rows:
            if axis(r, "kernel") == knee["kernel"] and SELECT[name](r):
                x = math.prod(float(r[factor]) for factor in knee["product_of"])
                mine.setdefault(axis(r, SERIES[name]), []).append((x, float(r["bandwidth"])))
        assert bool(knee["reason"]) == (not mine) == (not knee["curves"]), name
        assert sorted(mine) == sorted(curve[SERIES[name]] for curve in knee["curves"]), (name, sorted(mine))
        for curve in knee["curves"]:
            points = sorted(mine[curve[SERIES[name]]])
            assert curve["points"] == len(points) and len({x for x, _ in points}) == len(points), (name, points)
            best = by_id[curve["best"]["point"]]
            assert curve["best"]["value"] == max(y for _, y in points) == best["bandwidth"], name
            for share in curve["shares"]:
                at = crossing(points, share["share"])
                assert (at is None) == (share["value"] is None) == bool(share["reason"]), (name, share)
                if at is not None:
                    assert near(share["value"], at, 1e-6), (name, share, at)
                    assert share["between"][0] < share["value"] <= share["between"][1], (name, share)
                    assert (share["low"] or 0) <= share["value"] <= (share["high"] or math.inf), (name, share)
                    rates = [by_id[id]["bandwidth"] for id in share["points"]]
                    assert rates[0] < share["share"] * curve["best"]["value"] <= rates[1], (name, share, rates)
    assert [s["share"] for s in document["knees"]["copy_size"]["curves"][0]["shares"]] == [0.5, 0.95]
    assert document["knees"]["peer_blocks"]["reason"] and document["laws"]["copy_read"]["within"] == 92
    return document


h100 = check(os.path.join(source, "analysis", "data", "h100-paper.h5"))
h200 = check(os.path.join(source, "analysis", "data", "h200-paper.h5"))


# Little's law: the faster memory needs more bytes in flight, and both several times what the unloaded latency asks for.
def half(document):
    curve = next(c for c in document["knees"]["bytes_in_flight"]["curves"] if c["variant"] == "cp_async")
    return curve["shares"][0]["value"], 0.5 * curve["best"]["value"] * document["latency"]["latency_dram"]["seconds"] / document["device"]["multiprocessors"]


assert half(h200)[0] > 1.3 * half(h100)[0], (half(h100), half(h200))
assert all(1 < needed / little < 3 for needed, little in (half(h100), half(h200))), (half(h100), half(h200))

# The check itself finds what is wrong
for spoil in (lambda d: d.pop("commit"), lambda d: d["rates"]["peak_copy"].update(value="fast"), lambda d: d["device"].pop("driver"),
              lambda d: d["knees"]["copy_size"]["curves"][0]["shares"][0].update(points=["?"]), lambda d: d.update(schema="other")):
    bad = copy.deepcopy(h100)
    spoil(bad)
    assert len(errors(bad, SCHEMA)) == 1, errors(bad, SCHEMA)

# An unknown format is refused
done = subprocess.run([warpsweep, "profile", "x.h5", "--format", "toml"], capture_output=True, text=True, timeout=100)
assert done.returncode == 2 and "unknown value of --format 'toml'" in done.stderr, done
