"""model.py WARPSWEEP ROOT - every number of docs/method/model.md about the time model is what the shipped files give.

With UPDATE=1 in the environment, tables of the page, and what unseen.py chooses, are written anew."""
import os
import re
import subprocess
import sys
import tempfile

warpsweep, root = sys.argv[1:3]
UPDATE = bool(os.environ.get("UPDATE"))
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


def table(head, rows, number=0):
    """The rows below the head line that begins so; UPDATE writes them into the page."""
    global page
    start = [match.end() for match in re.finditer(rf"^{re.escape(head)}.*\n\|[-:|]+\n", page, re.M)][number]
    end = start + len(re.match(r"(\|.*\n)*", page[start:])[0])
    text = "".join(f"{row}\n" for row in rows)
    if page[start:end] != text and not UPDATE:
        problems.append(f"docs/method/model.md: the rows below '{head}' should be\n{text}")
    page = page[:start] + text + page[end:]


def check_devices():
    for number, device in enumerate(("h100", "h200")):
        report = bounds(f"{device}-paper.h5", device, "counted")
        rows = [line for line in report.splitlines() if line.startswith(("| before", "| after")) and "| known |" in line]
        table("| prediction | addresses |", rows, number)
        points = {addresses: int(row_of(report, "none", addresses)[2]) for addresses in ("known", "known or not")}
        expect(f"for the {points['known']} points of", page, "docs/method/model.md")
        expect(f"For the other {points['known or not'] - points['known']} (", page, "docs/method/model.md")


def check_unseen():
    """The tables of unseen.py."""
    done = subprocess.run([sys.executable, f"{root}/tests/python/unseen.py", root], capture_output=True, text=True, check=False)
    if done.returncode:
        problems.append(done.stderr)
    families, _, others = done.stdout.partition("\n\n")
    others, _, crossed = others.partition("\n\n")
    table("| family | points |", families.splitlines())
    table("| job | families |", others.splitlines())
    expect(crossed.strip(), page, "docs/method/model.md")


def check_others():
    """Files that are predicted by numbers from elsewhere."""
    found = []
    for device, other in (("h100", "h200"), ("h200", "h100")):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(other_profile(device, other))
            file.flush()
            row = row_of(bounds(f"{device}-paper.h5", file.name), "none")
        found.append(f"| `{device}-paper.h5` | its own roofs, all else of the {other.upper()} | {row[3]} | {row[4]} |")
    rows = [row_of(bounds(f"h200-runs/{file}", "h200"), "none") for file in sorted(os.listdir(f"{data}/h200-runs")) if "paper" not in file]
    spans = [[float(row[i].split()[0]) for row in rows] for i in (3, 4)]
    text = " | ".join(f"{min(span)} to {max(span)} %" for span in spans)
    table("| file | profile |", [*found, f"| five runs on other H200s (`h200-runs`) | `h200` | {text} |"])


def points_of(file, *columns):
    text = run("table", f"{data}/{file}", "-w", "repeat=0", "-w", "status=ok", "-c", ",".join(columns), "-f", "tsv")
    head, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(columns, row)) for row in rows if len(row) == len(head)]


def check_single_wave():
    """Copies by one wave of blocks, of 8 to 16 bytes per access: the share of the roof."""
    found, chosen_on = [], {"h100": "h100-runs/unit1-copy.h5", "h200": "h200-runs/unit4-copy.h5"}
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
if UPDATE:
    open(f"{root}/docs/method/model.md", "w", encoding="utf-8").write(page)
print("\n".join(problems))
sys.exit(1 if problems else 0)
