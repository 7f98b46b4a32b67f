"""model.py WARPSWEEP ROOT - every number of docs/method/model.md about the time model is what the shipped files give."""
import os
import re
import subprocess
import sys
import tempfile

warpsweep, root = sys.argv[1:3]
page = open(f"{root}/docs/method/model.md", encoding="utf-8").read()
data = f"{root}/analysis/data"
problems = []


def run(*arguments, statuses=(0, 1)):
    done = subprocess.run([warpsweep, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in statuses:
        sys.exit(f"warpsweep {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def bounds(file, profile, code="none", *more):
    return run("report", "--bounds", "--profile", profile, "--code", code, f"{data}/{file}", *more)


def expect(text, where, what):
    if " ".join(text.split()) not in " ".join(where.split()):
        problems.append(f"{what}: expected '{text}'")


def cells(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def row_of(report, source, addresses="known"):
    rows = [cells(line) for line in report.splitlines() if line.startswith("| before") or line.startswith("| after")]
    return next(row for row in rows if row[0].endswith(source) and row[1] == addresses)


def other_profile(device, other):
    """The profile of a device with its own roofs, and with all else of the other device."""
    def read(name):
        text = open(f"{root}/profiles/{name}.yaml", encoding="utf-8").read()
        return text.split("values:\n")[0], dict(
            (m.group(1), m.group(0)) for m in re.finditer(r"  (\w+): \{.*?\}\n", text, re.S))

    def value(items, name):
        return float(re.search(r"value: ([^,]*),", items[name]).group(1))

    head, own = read(device)
    rest = read(other)[1]
    for name in own:
        if name.startswith(("latency", "wave", "block_rate")) and name in rest:
            own[name] = rest[name]
        elif name.startswith("scattered"):
            roof = "peak_" + name.split("_")[1]
            scaled = value(rest, name) / value(rest, roof) * value(own, roof)
            own[name] = re.sub(r"value: [^,]*,", f"value: {scaled:.9g},", own[name])
    return head + "values:\n" + "".join(own.values())


def check_devices():
    for device, begin, end in (("h100", "\nH100:\n", "\nH200:\n"), ("h200", "\nH200:\n", "The stored predictions")):
        section = page.split(begin)[1].split(end)[0]
        report = bounds(f"{device}-paper.h5", device, "counted")
        rows = [line for line in report.splitlines() if line.startswith(("| before", "| after")) and "| known |" in line]
        if len(rows) != 3:
            problems.append(f"{device}: {len(rows)} rows of accuracy")
        for row in rows:
            expect(row, section, f"docs/method/model.md, {device}")


def check_unseen():
    """The tables of unseen.py, and of all points what the baseline and the model have."""
    done = subprocess.run([sys.executable, f"{root}/tests/python/unseen.py", root], capture_output=True, text=True, check=False)
    if done.returncode:
        problems.append(done.stderr)
    for row in done.stdout.splitlines():
        if row.startswith("|"):
            expect(row, page, "docs/method/model.md, unseen families and files")
    shares = []
    for device, other in (("h200", "h100"), ("h100", "h200")):
        report = bounds(f"{device}-paper.h5", device, "none", "--reference", f"{data}/{other}-paper.h5")
        every = [cells(line) for line in report.splitlines() if "| known or not |" in line]
        shares += [row[4] for row in every if row[0].startswith("baseline") or row[0].endswith("none")][::-1]
    expect(f"it has {shares[0]} (H200) and {shares[2]} (H100), the model {shares[1]} and {shares[3]}", page,
           "docs/method/model.md, all points")


def check_others():
    """Files that are predicted by numbers from elsewhere."""
    for device, other in (("h100", "h200"), ("h200", "h100")):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(other_profile(device, other))
            file.flush()
            row = row_of(bounds(f"{device}-paper.h5", file.name), "none")
        expect(f"| `{device}-paper.h5` | its own roofs, all else of the {other.upper()} | {row[3]} | {row[4]} |", page,
               "docs/method/model.md, crossed profiles")
    files = sorted(os.listdir(f"{data}/h200-runs"))
    rows = [row_of(bounds(f"h200-runs/{file}", "h200"), "none") for file in files]
    spans = [[float(row[i].split()[0]) for row in rows] for i in (3, 4)]
    text = " | ".join(f"{min(span)} to {max(span)} %" for span in spans)
    expect(f"| ten runs on five H200s (`h200-runs`) | `h200` | {text} |", page, "docs/method/model.md, h200-runs")


def points_of(file, *columns):
    text = run("table", f"{data}/{file}", "-w", "repeat=0", "-w", "status=ok", "-c", ",".join(columns), "-f", "tsv")
    head, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(columns, row)) for row in rows if len(row) == len(head)]


def check_single_wave():
    """Copies by one wave of blocks, of 8 to 16 bytes per access: the share of the roof."""
    found, chosen_on = [], {"h100": "h100-runs/unit1-1.h5", "h200": "h200-held-out/unit6-1.h5"}
    for device in chosen_on:
        expect(f"`{chosen_on[device]}`", page, "docs/method/model.md, SINGLE_WAVE_COPY")
        rows = points_of(chosen_on[device], "variant", "dtype", "vector", "size", "cache", "fraction_peak")
        width = {"u8": 1, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
        shares = [float(r["fraction_peak"]) for r in rows
                  if r["variant"] == "gridstride" and r["cache"] == "cold" and int(r["size"]) >= 1 << 30 and
                  8 <= width[r["dtype"]] * int(r["vector"]) <= 16]
        expect(f"{min(shares):.3f} to {max(shares):.3f} ({device.upper()})", page, "docs/method/model.md, SINGLE_WAVE_COPY")
        found.append((min(shares) + max(shares)) / 2)
    used = re.search(r"^SINGLE_WAVE_COPY = ([0-9.]+)",
                     open(f"{root}/python/src/warpsweep/time_model.py", encoding="utf-8").read(), re.M).group(1)
    if used != f"{sum(found) / 2:.2f}":
        problems.append(f"SINGLE_WAVE_COPY is {used}, measured {found}")
    expect(f"| `SINGLE_WAVE_COPY` | {used} |", page, "docs/method/model.md")
    reads = [float(r["fraction_peak"]) for device in ("h100", "h200")
             for r in points_of(f"{device}-paper.h5", "kernel", "tile_bytes", "work", "fraction_peak")
             if r["kernel"] == "prefetch" and r["tile_bytes"] == "65536" and r["work"] == "0"]
    span = " to ".join(sorted({f"{share:.2f}" for share in (min(reads), max(reads))}))
    expect(f"reach {span} of their roof", page, "docs/method/model.md, single waves that read")


check_devices()
check_unseen()
check_others()
check_single_wave()
print("\n".join(problems))
sys.exit(1 if problems else 0)
