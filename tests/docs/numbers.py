"""numbers.py ROOT BUILD TESTS - the numbers of the documents have a source, and are what it says.

A comment below a paragraph, a list item or a table says where its numbers come from:
  <!-- from: NAME -->                          each number is in what the commands below [NAME] in tests/docs/sources.txt
                                               print, or a condition in one (size=1GiB). They run in analysis/data and
                                               may write in $TMP; those with $d run for d=h100 and d=h200
  <!-- measured: DEVICE, commit HASH, DATE --> of a run whose file is not in the repository
  <!-- held by: TEST -->                       a test of this build computes or checks them; TESTS lists all
  <!-- published: FILE -->                     others published them: a file of the repository names who
A number in backticks, `64` or `stride=64` or `1GiB`, is a setting: the commands name it or print it, in any order.
A block that names a device and a quantity needs one of them; so do rates and tables on a page that begins with a device.
`measured` below the first paragraph is for the whole page.

Numbers come in the order in which the commands print them, and what is printed rounds to them. UPDATE=1 writes numbers anew
that have changed: a check that passes keeps what was printed in BUILD/numbers.txt, in which each is found, and its place in the output of
today has the new one. So check before you change data or code. What cannot be found is listed. PAGES names the pages that are checked; default: all."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

from documents import documents

HELD = {"docs/method/model.md": "weekly.model"}  # a whole page

DEVICE = re.compile(r"\b(?:[ABH]\d00s?|GB?[23]00|B300|EPYC|RTX)\b")
UNIT = r"(?:[TGM]B/s|TFLOP/s|cycles|%|[µmnu]?s\b|min\b|points/s|results/s)"
RATE = re.compile(r"\d\s?(?:[TG]B/s|TFLOP/s|cycles)")
QUANTITY = re.compile(rf"\d\s?{UNIT}|\d\.\d\d|\d points")
NUMBER = r"(?<![\w.^])(?:(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{12}(?!\w)|\d{4}-\d\d-\d\d|\d+(?:\.\d+){2,}|\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?(?!\.?\d))"
PRINTED = re.compile(NUMBER)               # with or without a unit behind it: 64KiB
WRITTEN = re.compile(NUMBER + r"(?!\w)")   # 2D is a word
MARK = re.compile(r"^ *<!-- (from|measured|held by|published):\s*(.*?)\s*-->", re.S | re.M)
MEASURED = re.compile(r"[^,]*[A-Z][^,]*, commit [0-9a-f]{7,12}, \d{4}-\d\d-\d\d( to \d{4}-\d\d-\d\d)?(; .*)?")

LINE, ITEM = r"[^\n]*\S[^\n]*\n?", r" *(?:[-*+]|\d+\.) "


@dataclass
class Block:
    document: str
    line: int
    start: int  # of its text in the page
    text: str
    marks: list = field(default_factory=list)  # (kind, content)

    def numbers(self):
        """(start in the page, number) of the prose and cells: not of code, of what a link points to, or of a comment."""
        blank = re.sub(r"<!--.*?-->|`[^`]*`|\]\([^)]*\)", lambda found: " " * len(found[0]), self.text, flags=re.S)
        return [(self.start + found.start(), found[0].rstrip(",")) for found in WRITTEN.finditer(blank)]

    def settings(self):
        """Numbers in backticks, with a unit of bytes if there is one: of `64`, `4KiB` and of `stages=1 block=64`, not of names."""
        spans = re.findall(r"`([^`]*)`", re.sub(r"<!--.*?-->", " ", self.text, flags=re.S))
        return [word.partition("=")[2] or word for span in spans for word in span.split()
                if re.fullmatch(r"(\w+=)?\d[\d.]*([KMGT]iB)?", word)]

    def is_table(self):
        return re.search(r"^\|", self.text, re.M)


def blocks(document, page):
    """Paragraphs, list items and tables. A comment belongs to what is before it, and a paragraph to the table below it."""
    found = []
    bare = re.sub(r"^( *)(```+).*?^\1\2", lambda code: re.sub(r"\S", " ", code[0]), page, flags=re.M | re.S)
    bare = re.sub(r"(?:(?<=\n\n)|\A)(?: {4}.*\n|\n)+", lambda code: re.sub(r"\S", " ", code[0]), bare)
    for part in re.finditer(rf"{LINE}(?:(?!{ITEM}){LINE})*", bare):
        text = part[0]
        if text.startswith("#"):
            continue
        last = found[-1] if found and "#" not in re.findall(r"^.", bare[found[-1].start:part.start()], re.M) else None
        if last and (text.startswith("<!--") or (text.startswith("|") and not last.is_table() and "<!--" not in last.text)):
            last.text = page[last.start:part.end()]
        else:
            found.append(Block(document, page.count("\n", 0, part.start()) + 1, part.start(), text))
    for block in found:
        block.marks = MARK.findall(block.text)
    return found


def value(text):
    return float(text.replace(",", ""))


def is_number(text):
    """False of a date, a version and a commit."""
    return re.fullmatch(r"\d[\d,]*(\.\d+)?(e[-+]\d+)?", text)


def decimals_of(written):
    return len(written.partition("e")[0].partition(".")[2])


def agrees(written, printed):
    if not is_number(written) or not is_number(printed):
        return written == printed
    exponent = int(written.partition("e")[2] or 0)
    return abs(value(printed) - value(written)) <= 0.5000001 * 10.0 ** (exponent - decimals_of(written))


def places(commands, outputs):
    """(place, number) of what is printed, in its order. A place is a command, a line without its numbers, the how manyth such line,
    and the how manyth number in it, so that it can be found again among other lines."""
    found = []
    for command in commands:
        seen = {}
        for line in outputs.get(command, "").splitlines():
            kind = " ".join(PRINTED.sub("#", line.replace("†", "")).split())
            seen[kind] = seen.get(kind, 0) + 1
            found += [((command, kind, seen[kind], at), number) for at, number in enumerate(PRINTED.findall(line))]
    return found


def in_order(written, printed, conditions):
    """For each written number its index in what is printed, each after the one before; None: a condition; -1: not there."""
    found, next_one = [], 0
    for number in written:
        at = None if number in conditions else next((i for i in range(next_one, len(printed)) if agrees(number, printed[i][1])), -1)
        next_one = at + 1 if at is not None and at >= 0 else next_one
        found.append(at)
    return found


def formatted(written, printed):
    """A printed number in the form of the written one."""
    if not is_number(printed):
        return printed
    kind = "e" if "e" in written else "f"
    return f"{value(printed):{',' if ',' in written else ''}.{decimals_of(written)}{kind}}"


class Checker:
    def __init__(self, root, build, tests, scratch):
        self.root, self.tests = pathlib.Path(root), tests
        self.environment = {**os.environ, "PATH": f"{build}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TMP": scratch,
                            "WARPSWEEP_PYTHON": f"{build}/bin/warm_python"}
        self.outputs, self.faults, self.counts = {}, [], {}
        self.kept = pathlib.Path(os.environ.get("KEPT", f"{build}/numbers.txt"))
        text = self.kept.read_text(encoding="utf-8") if self.kept.exists() else ""
        self.sources = self.read_sources(self.root / "tests/docs/sources.txt")
        self.used = set()
        self.before = {part.partition("\n")[0]: part.partition("\n")[2] for part in re.split(r"^\$ ", text, flags=re.M)[1:]}

    @staticmethod
    def read_sources(path):
        """The commands of each name in sources.txt."""
        text = re.sub(r"^#.*\n", "", path.read_text(encoding="utf-8") if path.exists() else "", flags=re.M)
        parts = re.split(r"^\[(.+)\]\n", text, flags=re.M)
        return {name: part.strip().splitlines() for name, part in zip(parts[1::2], parts[2::2])}

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def fail(self, block, message):
        self.faults.append(f"{block.document}:{block.line}: {message}")

    def output(self, block, command):
        if command not in self.outputs:
            both = f"for d in h100 h200; do {command}; done" if "$d" in command else command
            done = subprocess.run(["bash", "-c", both], cwd=self.root / "analysis/data", env=self.environment, text=True, timeout=120,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.outputs[command] = done.stdout.replace(self.environment["TMP"], "$TMP")
            if not done.stdout.strip():
                self.fail(block, f"prints nothing (exit {done.returncode}): {command}\n{done.stderr}")
        return self.outputs[command]

    def check_from(self, block, commands):
        """Replacements (start, old, new) of numbers that have changed since the last UPDATE."""
        for command in commands:
            self.output(block, command)
        text = " ".join([*commands, *(self.outputs[command] for command in commands)])
        for setting in block.settings():
            self.count("settings in backticks")
            number, scale = re.fullmatch(r"([\d.]+)([KMGT]?)", setting.replace("iB", "")).groups()
            same = [setting, number, f"{float(number) * 1024 ** ' KMGT'.index(scale or ' '):.0f}"]
            if not any(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.])", text) for one in same):
                self.fail(block, f"`{setting}` is neither in the commands nor printed by them")
        numbers = block.numbers()
        written = [number for _, number in numbers]
        conditions = PRINTED.findall(re.sub("[=<>,]", " ", " ".join(re.findall(r"-w '?(\w+[=<>]\S+)", " ".join(commands)))))
        printed, before = places(commands, self.outputs), places(commands, self.before)
        self.count("numbers from files", len(numbers))
        if os.environ.get("UPDATE") and -1 in in_order(written, printed, conditions):
            now, old = dict(printed), in_order(written, before, conditions)
            new = [None if at is None else now.get(before[at][0]) if at >= 0 else None for at in old]
            changed = [(start, number, formatted(number, one)) for (start, number), one in zip(numbers, new)
                       if one and not agrees(number, one)]
            written = [formatted(number, one) if one else number for number, one in zip(written, new)]
        else:
            changed = []
        previous = -1
        for number, at in zip(written, in_order(written, printed, conditions)):
            if at == -1:
                follows = " ".join(one for _, one in printed[previous + 1:previous + 9])
                self.fail(block, f"{number} is not printed, or not after the numbers before it; what is printed after these: {follows}")
                break
            elif at is not None:
                previous = at
        return changed

    def check(self, block, intro):
        text = MARK.sub("", block.text)
        if not block.marks:
            table = block.is_table() and re.search(rf"[\d ,(|]{UNIT}", intro.text + text) and block.numbers()
            if (DEVICE.search(intro.text + text) and (table or RATE.search(text))) or \
                    (DEVICE.search(text) and QUANTITY.search(text)):
                if any(kind == "measured" for kind, _ in intro.marks):
                    self.count("blocks of a page measured elsewhere")
                else:
                    self.fail(block, f"numbers of a device without a source: {' '.join(text.split())[:90]}")
            return []
        changed = []
        for kind, content in block.marks:
            if kind == "from" and content not in self.sources:
                self.fail(block, f"tests/docs/sources.txt has no commands of this name: {content}")
            elif kind == "from":
                self.used.add(content)
                changed += self.check_from(block, self.sources[content])
            elif kind == "held by" and content not in self.tests:
                self.fail(block, f"there is no test {content}")
            elif kind == "published" and not (self.root / content).is_file():
                self.fail(block, f"there is no file {content}")
            elif kind == "measured" and not MEASURED.fullmatch(content):
                self.fail(block, f"expected DEVICE, commit HASH, DATE: {content}")
            self.count(f"blocks {kind}")
        return changed

    def document(self, name):
        path = self.root / name
        page = path.read_text(encoding="utf-8")
        if name in HELD:
            self.count(f"page held by {HELD[name]}")
            if HELD[name] not in self.tests:
                self.faults.append(f"{name}: there is no test {HELD[name]}")
            return
        found = blocks(name, page)
        changed = [one for block in found for one in self.check(block, found[0])]
        for start, old, new in sorted(set(changed), reverse=True):
            print(f"{name}:{page.count(chr(10), 0, start) + 1}: {old} is now {new}")
            page = page[:start] + new + page[start + len(old):]
        if changed:
            path.write_text(page, encoding="utf-8")


def main():
    root, build, tests = (os.path.abspath(one) for one in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as scratch:
        checker = Checker(root, build, set(pathlib.Path(tests).read_text(encoding="utf-8").split()), scratch)
        pages = os.environ.get("PAGES", "").split()
        for name in pages or documents(root):
            checker.document(name)
        unused = [] if pages else [name for name in checker.sources if name not in checker.used]
        checker.faults += [f"tests/docs/sources.txt: no page uses {name}" for name in unused]
    if os.environ.get("UPDATE") and not checker.before:
        checker.faults.append(f"{checker.kept} is missing: run this without UPDATE before you change data or code")
    elif not checker.faults:
        checker.kept.write_text("".join(f"$ {command}\n{output}" for command, output in checker.outputs.items()), encoding="utf-8")
    print("\n".join(checker.faults) or ", ".join(f"{number} {what}" for what, number in sorted(checker.counts.items())))
    sys.exit(1 if checker.faults or not checker.outputs else 0)


main()
