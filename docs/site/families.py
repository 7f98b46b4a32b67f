"""A page for each kernel family: what it teaches, its figures and best points as measured, its claims, its model.

Everything comes from the family's own files and from what the program says of the measured files
in analysis/data; no number is written here."""
import re

FILES = ("h100-paper", "h200-paper")


def head_comment(source):
    """The comment that a family's C file opens with, without its first line's name."""
    comment = re.match(r"/\*(.*?)\*/", source, re.S)
    lines = [re.sub(r"^ \* ?", "", line).strip() for line in comment[1].strip().split("\n")] if comment else []
    text = "\n".join(lines).partition(" - ")[2]
    return re.sub(r"\s*The device code is in\s+\S+\.cu\.", "", text)


def section(document, title):
    """The text below `## title`, up to the next heading of that level."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", document, re.S | re.M)
    return found[1].strip() if found else ""


def rows_of(report, kernel, head):
    """The table of a report whose head line begins so, with the rows of one kernel."""
    lines = report.split("\n")
    start = next((at for at, line in enumerate(lines) if line.startswith(head)), None)
    if start is None:
        return ""
    name = kernel.replace("_", r"\_")
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        if line.startswith(f"| {name} |"):
            rows.append(line)
    return "\n".join([*lines[start:start + 2], *rows]) if rows else ""


def measured(site, kernel):
    """The figures of the family that the measured files have data for, and its best points."""
    text = ""
    scripts = (site.source / "analysis").glob("*.gp")
    for script in sorted(scripts, key=lambda path: (not path.stem.startswith(kernel), path.stem)):  # its own first
        if not re.search(rf"^#: kernel\s+{kernel}$", script.read_text(encoding="utf-8"), re.M):
            continue
        site.run("plot", *data(site), "-o", site.pages / "families/figures", "-F", script.stem, "-f", "svg", "--width",
                 "7in", exits=(0, 1))
        if not (site.pages / f"families/figures/{script.stem}.svg").exists():
            continue  # the files lack its data
        caption = (site.pages / f"families/figures/{script.stem}.caption.txt").read_text(encoding="utf-8").strip()
        text += f"\n```{{figure}} figures/{script.stem}.svg\n{caption}\n```\n"
    for path in data(site):
        table = site.run("pivot", path, "-k", kernel, "-w", "status=ok", "-s", "-fraction_peak", "-n", "5", "-f", "md",
                         exits=(0, 1, 2))  # 2: the file has no point of this family
        if len(table.splitlines()) > 2:
            text += f"\nThe five points nearest to what bounds them, in `{path.name}`:\n\n{table}\n"
    return text or "\nThe measured files of `analysis/data` have no point of this family.\n"


def data(site):
    return [site.source / f"analysis/data/{name}.h5" for name in FILES]


def model(site, kernel, reports):
    text = ""
    for path, (bounds, counters) in zip(data(site), reports):
        for head, what in (("| kernel | points |", "times, measured and predicted"),
                           ("| kernel | bound |", "what bounds it where")):
            table = rows_of(bounds, kernel, head)
            text += f"\n`{path.name}`, {what}:\n\n{table}\n" if table else ""
        compared = section(counters, kernel.replace("_", r"\_")) or section(counters, kernel)
        table = re.search(r"^\|.*?(?=\n\n|\Z)", compared, re.S | re.M)
        text += f"\n`{path.name}`, counted and predicted by the access model:\n\n{table[0]}\n" if table else ""
    return text or "\nNo point of this family has a prediction in the measured files.\n"


def claims(site, kernel):
    """The prose of NAME.claims, and the first claim of each variant."""
    path = site.source / f"kernels/{kernel}/{kernel}.claims"
    if not path.exists():
        return "No claims."
    lines = path.read_text(encoding="utf-8").splitlines()
    prose = "\n".join(line[2:] for line in lines if line.startswith("#"))
    rows, seen, count = "", [], 0
    for settings, architectures, claim in (line.split("|", 2) for line in lines if line and not line.startswith("#")):
        variant, count = settings.split()[:1], count + 1
        if variant in seen:
            continue
        seen.append(variant)
        where = "" if architectures.strip() == "all" else f", {architectures.strip()}"
        rows += f"| {settings.strip() or '(standard)'}{where} | {claim.strip()} |\n".replace("*", r"\*")
    others = f"\n{count - len(seen)} more in `kernels/{kernel}/{kernel}.claims`.\n" if count > len(seen) else ""
    return f"{prose}\n\n| point | in machine code |\n|---|---|\n{rows}{others}"


def write(site):
    """Writes the pages families/NAME and returns their names."""
    listed = re.findall(r"^(\w+) +(.+)$", site.run("kernels").partition("\n\n")[0], re.M)
    reports = [(site.run("report", path, "--bounds", exits=(0, 1)), site.run("report", path, "--model", exits=(0, 1)))
               for path in data(site)]
    (site.pages / "families/figures").mkdir(parents=True)
    for kernel, summary in listed:
        comment = head_comment((site.source / f"kernels/{kernel}/{kernel}.c").read_text(encoding="utf-8"))
        axes = site.run("kernels", kernel).partition("Axes:\n")[2].rstrip()
        site.write(f"families/{kernel}", f"""# {kernel}

{summary[:1].upper()}{summary[1:]}.

## What it teaches

{comment[:1].upper()}{comment[1:]}

## As measured
{measured(site, kernel)}
## Its model

[The time model](../model.md) says what the columns mean.
{model(site, kernel, reports)}
## What it compiles to

{claims(site, kernel)}

`tests/device_code/claims.h` says how to read them.

## Axes

```text
{axes}
```
""")
    return [f"families/{kernel}" for kernel, _ in listed]
