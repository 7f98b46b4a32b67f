"""model.py WARPSWEEP ROOT [instructions] - every figure of docs/model.md and README.md about the models is what the shipped files
give. With `instructions`, those that need compiled kernels and nvdisasm (exit 77 without it); else all others."""
import os
import re
import subprocess
import sys
import tempfile

warpsweep, root = sys.argv[1:3]
compiled = sys.argv[3:] == ["instructions"]
page = open(f"{root}/docs/model.md", encoding="utf-8").read()
readme = open(f"{root}/README.md", encoding="utf-8").read()
data = f"{root}/analysis/data"
problems = []
headline, points = {}, {}  # within 15 %, by device, source and points; how many points these are


def run(*arguments, statuses=(0, 1)):
    done = subprocess.run([warpsweep, *arguments], capture_output=True, text=True, check=False)
    if "there is no nvdisasm" in done.stderr or "with CUDA" in done.stderr:
        print(done.stderr)
        sys.exit(77)
    if done.returncode not in statuses:
        sys.exit(f"warpsweep {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def bounds(file, profile):
    code = ["--code", "instructions"] if compiled else []
    return run("report", "--bounds", "--profile", profile, *code, f"{data}/{file}")


def expect(text, where, what):
    if " ".join(text.split()) not in " ".join(where.split()):
        problems.append(f"{what}: expected '{text}'")


def cells(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def row_of(report, source, addresses="known"):
    rows = [cells(line) for line in report.splitlines() if line.startswith("| before") or line.startswith("| after")]
    return next(row for row in rows if row[0].endswith(source) and row[1] == addresses)


def family_rows(report):
    table = report.split("| kernel | points |")[1].split("\n\n")[0]
    return {row[0].replace("\\_", "_"): row for row in map(cells, table.splitlines()[2:])}


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
    families = {}
    for device, begin, end in (("h100", "\nH100:\n", "\nH200:\n"), ("h200", "\nH200:\n", "The stored predictions")):
        report = bounds(f"{device}-paper.h5", device)
        section = page.split(begin)[1].split(end)[0]
        rows = [line for line in report.splitlines() if line.startswith(("| before", "| after"))]
        if len(rows) != (8 if compiled else 6):
            problems.append(f"{device}: {len(rows)} rows of accuracy")
        for row in rows:
            expect(row, section, f"docs/model.md, {device}")
        families[device] = family_rows(report)
        plain = families[device]["all whose addresses are known"][6]
        expect(f"{plain} ({device.upper()})", page, "docs/model.md, useful bytes over the copy peak")
        for source, addresses, of in (("none", "known", "known"), ("instructions", "known", "known"),
                                      ("instructions", "known or not", "all"), ("counted", "known", "counted")):
            if compiled or source != "instructions":
                row = row_of(report, source, addresses)
                headline[device, source, of], points[of] = row[4], row[2]
        if compiled:
            both, same, near = re.search(r"hardware for (\d+) points: (\d+) agree within 0.5 %, (\d+) within 7",
                                         report).groups()
            if device == "h200":
                expect(f"Of the {both} points of `h200-paper.h5` that have both counts, {same} agree within 0.5 % and "
                       f"{near} within 7 %", page, "docs/model.md, instruction counts")
    return families


def check_families(families):
    for name, b in families["h200"].items():
        a = families["h100"][name]
        if b[2] == "0":
            continue
        title = "**all**" if name.startswith("all") else name
        row = [title, b[1], b[3], b[4], a[3], a[4]] + [c.replace(" ", "") for c in (b[7], a[7], b[8], a[8])]
        expect("| " + " | ".join(row) + " |", page, "docs/model.md, families")


def check_others():
    """Files that are predicted by numbers from elsewhere."""
    for device, other in (("h100", "h200"), ("h200", "h100")):
        if compiled:
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write(other_profile(device, other))
                file.flush()
                row = row_of(bounds(f"{device}-paper.h5", file.name), "instructions")
            expect(f"| `{device}-paper.h5` | its own roofs, all else of the {other.upper()} | `instructions` | {row[3]} | "
                   f"{row[4]} |", page, "docs/model.md, crossed profiles")
        else:
            row = row_of(bounds(f"{device}-copy.h5", device), "none")
            expect(f"| `{device}-copy.h5` ({row[2]} points) | `{device}` | `none` | {row[3]} | {row[4]} |", page,
                   "docs/model.md, copy.yaml")
    if compiled:
        return
    files = sorted(os.listdir(f"{data}/h200-runs"))
    rows = [row_of(bounds(f"h200-runs/{file}", "h200"), "none") for file in files]
    spans = [[float(row[i].split()[0]) for row in rows] for i in (3, 4)]
    text = " | ".join(f"{min(span)} to {max(span)} %" for span in spans)
    expect(f"| ten runs on five H200s (`h200-runs`) | `h200` | `none` | {text} |", page, "docs/model.md, h200-runs")


def points_of(file, *columns):
    text = run("table", f"{data}/{file}", "-w", "repeat=0", "-w", "status=ok", "-c", ",".join(columns), "-f", "tsv")
    head, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(columns, row)) for row in rows if len(row) == len(head)]


def check_single_wave():
    """Copies by one wave of blocks, of 8 to 16 bytes per access: the share of the roof."""
    found, chosen_on = [], {"h100": "h100-runs/unit1-1.h5", "h200": "h200-held-out/unit6-1.h5"}
    for device in chosen_on:
        expect(f"`{chosen_on[device]}`", page, "docs/model.md, SINGLE_WAVE_COPY")
        rows = points_of(chosen_on[device], "variant", "dtype", "vector", "size", "cache", "fraction_peak")
        width = {"u8": 1, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
        shares = [float(r["fraction_peak"]) for r in rows
                  if r["variant"] == "gridstride" and r["cache"] == "cold" and int(r["size"]) >= 1 << 30 and
                  8 <= width[r["dtype"]] * int(r["vector"]) <= 16]
        expect(f"{min(shares):.3f} to {max(shares):.3f} ({device.upper()})", page, "docs/model.md, SINGLE_WAVE_COPY")
        found.append((min(shares) + max(shares)) / 2)
    used = re.search(r"#define SINGLE_WAVE_COPY ([0-9.]+)",
                     open(f"{root}/src/family/time/time_model.c", encoding="utf-8").read()).group(1)
    if used != f"{sum(found) / 2:.2f}":
        problems.append(f"SINGLE_WAVE_COPY is {used}, measured {found}")
    expect(f"| `SINGLE_WAVE_COPY` | {used} |", page, "docs/model.md")
    reads = [float(r["fraction_peak"]) for device in ("h100", "h200")
             for r in points_of(f"{device}-paper.h5", "kernel", "tile_bytes", "work", "fraction_peak")
             if r["kernel"] == "prefetch" and r["tile_bytes"] == "65536" and r["work"] == "0"]
    span = " to ".join(sorted({f"{share:.2f}" for share in (min(reads), max(reads))}))
    expect(f"reach {span} of their roof", page, "docs/model.md, single waves that read")


def check_headline():
    def both(source, of, words):
        first, second = (headline[device, source, of].split()[0] for device in ("h100", "h200"))
        expect(words.format(first, second), readme, "README.md, time model")

    if compiled:
        both("instructions", "known", f"{{}} % (H100) and {{}} % (H200) of the {points['known']} points")
        both("instructions", "all", f"Of all {points['all']} predicted points it is {{}} and {{}} %")
    both("none", "known", "without, {} and {} %")
    both("counted", "counted", "hardly change this: {} and {} %")


families = check_devices()
if compiled:
    check_families(families)
check_headline()
check_others()
if not compiled:
    check_single_wave()
print("\n".join(problems))
sys.exit(1 if problems else 0)
