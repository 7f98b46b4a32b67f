"""fuzz_files.py KIND WARPSWEEP SOURCE [--seed N] [--seconds N] - changes what the fields of an input mean, puts its
checksums right, and gives it to the commands that take it.

KIND is results, journals, texts (job files), python (results files, read by the Python package alone), pipe (what a worker sends to its
rank, changed by mutant_worker.py), or itself: what must be found is found. All commands accept an input, or all refuse it; none crashes, and none
makes a file that `status --verify` refuses. Round N of seed S is round 0 of seed S + N. found.txt is tried first; a new find is printed
in its form."""
import argparse
import contextlib
import copy
import io
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zlib
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import h5py
import numpy as np

INTEGERS = [0, -1, 1, 2, 3, -5, 7, 127, 255, 256, 10**6] + [
    base + step for base in (2**31, 2**32, 2**40, 2**52, 2**63 - 2, -(2**31), -(2**63) + 1) for step in (-1, 0, 1)]
REALS = "0 -0 1 -1 nan -nan inf -inf 5e-324 1e-310 1e-300 -1e-9 1e-9 0.5 1e3 1e9 2e18 1e19 1e300 -1e300".split()
TEXTS = [b"", b"a" * 300, b"a" * 6000, b"\t\n", b"\x1b[31m", b"\xff\xfe", b"\xe2\x80\xae", "😀".encode(), b"0" * 16, b"f" * 16, b"a b",
         b"missing: a reason"] + """ok failed crashed timed_out unsupported okay OK x copy memcpy load f32 f99 fake cuda predicted none
    counted pending axis time counter results integer real text 0 -1 1e999 nan inf 1048576 18446744073709551616 0x10 1/0 3/8 sm_90 sm_ {} [
    ] a,b a=b .. ../x / %n%s \\input{x} <b> "'`$(x) 0123456789abcde 0123456789ABCDEF id status device.name""".encode().split()
WORDS = """1e999 9223372036854775807 18446744073709551615 -1 0 1GiB 16EiB 8388608TiB 1e18 [] [1,1,1] {} ~ null true *a !!binary "\\u0000" '
    | > - : # , = .. 1..2 !=1 <=0 nan inf 0.0 1% 1e-300s 999999h f64 all copy sm_90 arch kernel axes zip exclude sweeps""".split() + [
    "{from: 1, to: 9223372036854775807, factor: 2}", "{from: 1, to: 1e18, step: 1}", "&a [*a]"]
LIKELY = """id repeat canary run status device backend sample_count sample_offset time_median time_ci_low time_ci_high bandwidth dtype size
    kernel counters_status processes attempts predicted_time sd_process devices launches throttle_mask""".split()
TYPES = {"i64": "<i8", "i32": "<i4", "i16": "<i2", "i8": "i1", "u64": "<u8", "u8": "u1", "f64": "<f8", "f32": "<f4", "be64": ">i8", "bef64":
         ">f8", "array": ("<i8", (2,)), "opaque": "V8", "compound": [("inner", "<i8")], "text1": "S1", "text8": "S8", "text300": "S300",
         "vlen": h5py.string_dtype(), "enum": h5py.enum_dtype({"zero": 0}, basetype="i8")}
LAYOUTS = {"contiguous": {}, "chunk1": {"chunks": (1,), "compression": 1, "shuffle": True}, "fletcher": {"chunks": True, "fletcher32": True},
           "plain": {"chunks": True}, "extensible": {"maxshape": (None,), "chunks": True}}
READERS = ["status file.h5", "table file.h5 -c all --canaries", "table file.h5 -c all -f csv", "table file.h5 -c all -f json",
           "table file.h5 -w size=1MiB -w stride<=2 -s status,-time_median -n 3 -c id,device.name",
           "table file.h5 --top 10 -c all -f json", "merge file.h5 base.h5 -o merged.h5 --prefer last",
           "merge base.h5 file.h5 -o merged.h5", "points --of file.h5 -o points.h5"]
REFUSALS = ("corrupt", "cannot read /", "not a results file", "checksum", "newer release of warpsweep wrote",
            "cannot be opened as a results file", "damaged")
NAMES = ("/results", "/samples", "/devices", "/columns", "/job", "/environment", "/timeline", "/statuses", "not a results file", "format", "journal",
         "attribute")
TIMING = "timing: {max_time: 10ms, min_samples: 5, max_samples: 12, timeout: %s}\nsweeps:\n"
COPIES = "- kernel: copy\n  axes: {variant: [load, memcpy], size: 1MiB, stride: [1, 2], dtype: %s, vector: [1, 4]}\n"
JOB = TIMING % "20s" + COPIES % "[f32, u8]" + "- kernel: transpose\n  axes: {rows: 1024, columns: [1024, 2048]}\n"
HALF, HASTY = TIMING % "20s" + COPIES % "f32", TIMING % "300ms" + COPIES % "f32"  # a message that is left out costs a point its time limit


class Finder:
    """Runs commands in a folder, and collects what is wrong with them."""

    def __init__(self, program, folder):
        self.program, self.folder, self.found, self.accepted, self.refused, self.commands = program, folder, [], 0, 0, 0

    def tell(self, line, what, printed=""):
        self.found.append(f"warpsweep {line}: {what}\n{printed[-3000:]}")

    def run(self, line, **environment):
        self.commands += 1
        try:
            done = subprocess.run([self.program, *line.split()], cwd=self.folder, env={**os.environ, **environment}, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=60, encoding="utf-8", errors="replace")
        except subprocess.TimeoutExpired:
            self.tell(line, "hangs")
            return subprocess.CompletedProcess(line, -1, "", "")
        if not 0 <= done.returncode <= 3 or "Sanitizer" in done.stderr or "runtime error" in done.stderr:
            self.tell(line, f"exit code {done.returncode}", done.stderr)
        elif done.returncode >= 2 and not done.stderr.strip():
            self.tell(line, "it fails without a message")
        return done

    def expect_verified(self, line, name):
        if (self.folder / name).exists():
            done = self.run(f"status --verify {name}")
            if done.returncode:
                self.tell(line, "made a file that verify refuses", done.stdout + done.stderr)

    def count(self, refused):
        self.refused += refused
        self.accepted += not refused


def is_refusal(text):
    lines = [line for line in text.splitlines() if "note: " not in line]
    return any(word in line for word in REFUSALS for line in lines)


def check_file(finder, dice, journal, all_commands):
    """Verify says whether the file is good; then the others must say the same."""
    verified = finder.run("status --verify file.h5")
    refused = verified.returncode != 0 and not (journal and verified.returncode == 1)  # a damaged journal loses rows, not the file
    bad = [line for line in verified.stdout.splitlines() if any(word in line for word in ("WRONG", "MISSING", "DAMAGED", "CORRUPT in"))]
    timeline = verified.returncode == 1 and bool(bad) and all("/timeline" in line for line in bad)  # readers leave it out
    finder.count(refused)
    lines = READERS if all_commands else dice.sample(READERS, 3)
    if all_commands or dice.random() < 0.1:
        lines = [*lines, "run job.yaml -o file.h5 --resume --backend fake"]
    for line in lines:
        before = contents(finder.folder)
        for name in ("merged.h5", "points.h5"):
            (finder.folder / name).unlink(missing_ok=True)
        done = finder.run(line)
        refuses = done.returncode >= 2 and is_refusal(done.stderr)
        if refuses and not refused:
            finder.tell(line, "refused, but verify says ok", done.stderr)
        if refuses and not any(name in done.stderr for name in NAMES):
            finder.tell(line, "refused without the name of the table", done.stderr)
        if "internal error" in done.stderr:
            finder.tell(line, "not foreseen", done.stderr)
        if done.returncode < 2 and refused and not timeline and not (journal and "run" in line):
            finder.tell(line, "accepted, but verify refuses", verified.stdout + verified.stderr)
        if done.returncode >= 2 and contents(finder.folder) != before:
            finder.tell(line, "refused, but the file was changed", done.stderr)
        if line.endswith("json") and done.returncode == 0:
            try:
                json.loads(done.stdout)
            except ValueError as error:
                finder.tell(line, f"its output is not JSON: {error}", done.stdout)
        for name in ("merged.h5", "points.h5"):
            finder.expect_verified(line, name)
        if "run" in line and done.returncode < 2 and not timeline:
            finder.expect_verified(line, "file.h5")


def contents(folder):
    return [(folder / name).read_bytes() if (folder / name).exists() else None for name in ("file.h5", "file.h5.journal")]


class Tables:
    """A results file: its texts as bytes, its tables as lists of [name, cells]."""

    def __init__(self, path):
        self.table, self.attribute, self.layout, self.wrong = {}, {}, {}, set()
        with h5py.File(path) as file:
            for name, value in file.attrs.items():
                self.attribute["/", name] = value
            for name, dataset in file.items():
                rows = dataset[()]
                self.table[name] = bytes(rows) if rows.dtype.names is None else [[n, rows[n].copy()] for n in rows.dtype.names]
                for attribute, value in dataset.attrs.items():
                    self.attribute[name, attribute] = value

    def write(self, path):
        with h5py.File(path, "w") as file:
            for name, table in self.table.items():
                rows = np.bytes_(table) if isinstance(table, bytes) else self.pack(table)
                try:
                    layout = LAYOUTS.get(self.layout.get(name, "contiguous" if isinstance(table, bytes) or not len(rows) else "plain"), {})
                    dataset = file.create_dataset(name, data=rows[:, None] if self.layout.get(name) == "2d" else rows, **layout)
                except (TypeError, ValueError):  # some shapes are not possible
                    file.pop(name, None)
                    try:
                        dataset = file.create_dataset(name, data=rows)
                    except (TypeError, ValueError):  # nor are some types, for h5py: a file without the table
                        file.pop(name, None)
                        continue
                plain = table if isinstance(table, bytes) else rows.tobytes()
                dataset.attrs["crc32"] = np.int64(zlib.crc32(plain) ^ (name in self.wrong))
                for (of, attribute), value in self.attribute.items():
                    if of == name and attribute != "crc32":
                        dataset.attrs[attribute] = value
            for (of, attribute), value in self.attribute.items():
                if of == "/":
                    file.attrs[attribute] = value

    @staticmethod
    def pack(table):
        columns = dict(table)  # equal names: the last one
        dtype = [(name or "z", cells.dtype, cells.shape[1:]) for name, cells in columns.items()]
        rows = np.zeros(len(table[0][1]) if table else 0, dtype=[entry if entry[2] else entry[:2] for entry in dtype])
        for (name, _, _), cells in zip(dtype, columns.values()):
            rows[name] = cells
        return rows

    def propose(self, dice):
        """One change, as words."""
        names = [name for name in ["results"] * 6 + ["samples", "devices", "devices", "columns", "environment", "timeline"]
                 if name in self.table] + list(self.table)
        name = dice.choice(names)
        table = self.table[name]
        if dice.random() < 0.05 or not table:
            of, attribute = dice.choice([("/", a) for a in ("format", "format_version", "release", "lineage", "sequence", "runs")] +
                                        [("job", "path"), ("job", "planned")])
            kind = dice.choice("irtf")
            value = {"i": dice.choice(INTEGERS), "r": dice.choice(REALS), "t": quote(dice.choice(TEXTS)) or "%", "f": ""}[kind]
            return ["attribute", of, attribute, kind, value]
        if isinstance(table, bytes):
            return ["text", name, quote(mutate_text(dice, table.decode("utf-8", "replace")))]
        column, cells = dice.choice([c for c in table if c[0] in LIKELY] or table if dice.random() < 0.5 else table)
        other, row, more = dice.choice(table)[0], dice.randrange(len(cells) + 1), dice.randrange(len(cells) + 1)
        value = quote(dice.choice(TEXTS)) or "%" if cells.dtype.kind == "S" else dice.choice(REALS) if cells.dtype.kind == "f" else \
            dice.randrange(2000) if dice.random() < 0.3 else dice.choice(INTEGERS)
        shape = [["drop", name, column], ["retype", name, column, dice.choice(list(TYPES))], ["rename", name, column, other],
                 ["rename", name, column, quote(dice.choice(TEXTS)) or "%"], ["add", name, "extra", dice.choice(list(TYPES))],
                 ["move", name, column, dice.randrange(len(table))], ["layout", name, dice.choice([*LAYOUTS, "2d"])], ["checksum", name],
                 ["drop", name]]
        rows = [[what, name, row, more] for what in ("copy", "swap", "append", "delete", "resize")] + [["take", name, row, column, more]]
        cell = [["set", name, row, column, value]] * 8 + [["fill", name, 0, column, value], ["take", name, row, column, more]]
        return dice.choice(dice.choice([shape, rows, cell, cell, cell]))

    def apply(self, what, name, *words):
        if what == "attribute":
            attribute, kind, value = words[0], words[1], words[2] if len(words) > 2 else ""
            self.attribute.pop((name, attribute), None)
            if kind != "f":
                text = unquote_to_bytes(str(value).replace("%", "", str(value) == "%"))
                self.attribute[name, attribute] = np.int64(int(value)) if kind == "i" else np.float64(value) if kind == "r" else np.bytes_(text)
            return
        if name not in self.table:
            return
        table = self.table[name]
        columns = [column for column, _ in table] if isinstance(table, list) else []
        if what == "text":
            self.table[name] = unquote_to_bytes(words[0])
        elif what == "checksum":
            self.wrong.add(name)
        elif what == "layout":
            self.layout[name] = words[0]
        elif what == "drop" and not words:
            del self.table[name]
        elif what == "add":
            table.append([words[0], np.zeros(len(table[0][1]), TYPES[words[1]])])
        elif what in ("drop", "retype", "rename", "move") and words[0] in columns:
            at = columns.index(words[0])
            column = table[at]
            if what == "retype":
                column[1] = retyped(column[1], TYPES[words[1]])
            elif what == "rename":
                column[0] = unquote_to_bytes(str(words[1])).decode("utf-8", "replace").replace("\0", "") or "z"
            elif what == "move" or len(table) > 1:
                del table[at]
                if what == "move":
                    table.insert(int(words[1]) % len(columns), column)
        elif what in ("copy", "swap", "append", "delete", "resize") and len(table[0][1]):
            self.change_rows(table, what, int(words[0]), int(words[1]) if len(words) > 1 else 0)
        elif what in ("set", "fill", "take") and words[1] in columns and len(table[0][1]):
            cells = table[columns.index(words[1])]
            rows = slice(None) if what == "fill" else int(words[0]) % len(cells[1])
            if what == "take":
                cells[1][rows] = cells[1][int(words[2]) % len(cells[1])]
            else:
                set_cells(cells, rows, str(words[2]))

    @staticmethod
    def change_rows(table, what, row, other):
        count = len(table[0][1])
        order = list(range(count))
        row, size, other = row % count, row, other % count
        if what == "copy":
            order[row] = other
        elif what == "swap":
            order[row], order[other] = other, row
        elif what == "append":
            order.append(row)
        elif what == "delete":
            del order[row]
        else:
            order = [i % count for i in range(size)]
        for column in table:
            column[1] = column[1][order]


def retyped(cells, dtype):
    made = np.zeros(len(cells), dtype)
    with np.errstate(all="ignore"):
        if made.dtype.kind in "iuf" and cells.dtype.kind in "iuf" and made.ndim == 1:
            return cells.astype(dtype)
    return cells.astype(dtype) if made.dtype.kind == cells.dtype.kind == "S" else made


def set_cells(column, rows, word):
    cells, kind = column[1], column[1].dtype.kind
    if kind == "S":
        text = unquote_to_bytes("" if word == "%" else word)
        if len(text) > cells.dtype.itemsize:
            cells = column[1] = cells.astype(f"S{len(text)}")
        cells[rows] = text
    elif kind == "f":
        with np.errstate(all="ignore"):
            cells[rows] = float(word)
    elif kind in "iu" and cells.ndim == 1:
        limits = np.iinfo(cells.dtype)
        cells[rows] = min(max(int(word), limits.min), limits.max)


class Journal:
    """The records of a journal (src/store/journal/journal.h): [type, payload]. Checksums are made anew."""

    def __init__(self, path):
        data = path.read_bytes()
        self.magic, self.record, at = data[:8], [], 8
        while at + 12 <= len(data):
            length, _, kind = struct.unpack_from("<III", data, at)
            self.record.append([kind, data[at + 12:at + 12 + length]])
            at += 12 + length

    def write(self, path):
        data = self.magic
        for kind, payload in self.record:
            length, kind = struct.pack("<I", len(payload)), struct.pack("<I", kind)
            data += length + struct.pack("<I", zlib.crc32(length + kind + payload)) + kind + payload
        path.write_bytes(data)

    def propose(self, dice):
        record = dice.randrange(len(self.record))
        payload = self.record[record][1]
        at = dice.randrange(len(payload) + 1) & (~3 if dice.random() < 0.8 else ~0)
        if dice.random() < 0.3:
            return dice.choice([["drop", record], ["twice", record], ["swap", record, dice.randrange(len(self.record))],
                                ["type", record, dice.randrange(9)], ["cut", record, at]])
        value = struct.pack("<d", float(dice.choice(REALS))) if dice.random() < 0.3 else \
            (dice.choice(INTEGERS) % 2**64).to_bytes(8, "little")[:dice.choice((4, 8))]
        return ["bytes", record, at, value.hex()]

    def apply(self, what, record, *words):
        at = int(record) % max(len(self.record), 1)
        if not self.record:
            return
        kind, payload = self.record[at]
        if what == "drop":
            del self.record[at]
        elif what == "twice":
            self.record.insert(at, [kind, payload])
        elif what == "swap":
            other = int(words[0]) % len(self.record)
            self.record[at], self.record[other] = self.record[other], self.record[at]
        elif what == "type":
            self.record[at][0] = int(words[0])
        elif what == "cut":
            self.record[at][1] = payload[:int(words[0])]
        else:
            place, value = int(words[0]), bytes.fromhex(words[1])
            self.record[at][1] = payload[:place] + value + payload[place + len(value):]


def mutate_text(dice, text):
    """One to three changes of words, blanks or lines."""
    for _ in range(dice.randint(1, 3)):
        words = [word for word in re.split(r"([A-Za-z0-9_][A-Za-z0-9_.]*| +|.|\n)", text) if word]
        if not words:
            break
        solid = [i for i, word in enumerate(words) if word[0].isalnum()] or [0]
        at, other = dice.choice(solid if dice.random() < 0.9 else range(len(words))), dice.choice(solid)
        value = dice.choice([str(dice.choice(INTEGERS)), dice.choice(REALS), dice.choice(TEXTS).decode("utf-8", "replace"),
                             *[dice.choice(WORDS) for _ in range(3)]]).replace("\0", "")
        start = max((i for i in range(at) if words[i] == "\n"), default=-1) + 1
        end = min((i + 1 for i in range(at, len(words)) if words[i] == "\n"), default=len(words))
        words = dice.choice([words[:at] + words[at + 1:], words[:at] + [words[at]] + words[at:], words[:at] + [words[other]] + words[at + 1:],
                             words[:end] + words[start:], words[:start] + words[end:], words[:at],
                             *[words[:at] + [value] + words[at + 1:]] * 4])
        text = "".join(words)
    return text


def check_text(finder, dice, text):
    """`check` refuses a job file, or all commands take it; what is printed of it is a job with the same points."""
    (finder.folder / "file.yaml").write_text(text, errors="replace")
    checked = finder.run("check file.yaml --points")
    finder.count(checked.returncode >= 2)
    for line in ("check file.yaml", "run file.yaml --print-job"):
        done = finder.run(line)
        if done.returncode >= 0 and (done.returncode >= 2) != (checked.returncode >= 2):
            finder.tell(line, "one of check and this refuses", done.stderr + checked.stderr)
        if "print" in line and done.returncode == 0:
            (finder.folder / "printed.yaml").write_text(done.stdout)
            if finder.run("check printed.yaml --points").returncode != checked.returncode:
                finder.tell(line, "printed a job with another outcome", done.stdout)
    if checked.returncode == 0 and checked.stdout.count("\n") < 40 and dice.random() < 0.2:
        line = "run file.yaml -o ran.h5 --backend fake --time-limit 2s"
        (finder.folder / "ran.h5").unlink(missing_ok=True)
        finder.run(line)
        finder.expect_verified(line, "ran.h5")


PYTHON = """report X;report X --findings;report X --model;report X --bounds;report X --roofs;report X --time;compare B X;compare X --by variant;
    judge X B;judge X --fleet;pivot X;profile X;history B X B""".replace("\n", "").split(";")


def check_python(finder, lines, path):
    """The package reads a file into frames, or refuses it by an error of its own; its commands, in this process, too."""
    import warpsweep
    from warpsweep.__main__ import command
    from warpsweep.options import parse
    named = {"X": str(path), "B": str(path.with_name("base.h5"))}
    for line in ("", *lines):
        words = [named.get(word, word) for word in line.split()]
        finder.commands += 1
        try:
            if words:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    command(words[0]).start(parse(command(words[0]), words[1:]))
                continue
            results = warpsweep.read(path)
            len(results.samples), len(warpsweep.frame([results])), len(warpsweep.load(path))
            finder.count(False)
        except warpsweep.WarpsweepError as error:
            if "\n" in str(error) or not words and path.name not in str(error):
                finder.tell(f"{line} in Python", f"refused without the file's name or in lines: {error}")
            if not words:
                finder.count(True)
        except Exception:
            finder.tell(f"{line} in Python", "raises", traceback.format_exc())


def make_killed(finder):
    """Start a run whose fifth point hangs, and kill it when the journal has rows."""
    journal, size, head = finder.folder / "base.h5.journal", 0, 0
    words = [finder.program, *"run job.yaml -o base.h5 --backend fake".split()] + ["--resume"] * (finder.folder / "base.h5").exists()
    process = subprocess.Popen(words, cwd=finder.folder, env={**os.environ, "WARPSWEEP_FAKE": "hang:after=4"}, stderr=subprocess.DEVNULL)
    for _ in range(2000):
        time.sleep(0.01)
        size = journal.stat().st_size if journal.exists() else 0
        head = head or (size if size > 4096 else 0)
        if head and size > head + 2000:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert head and size > head, "a run that was killed left no rows in its journal"


def make_gpu(source, path):
    """A few points of each kernel of a file of true results."""
    tables = Tables(source / "analysis/data/h200-paper.h5")
    results, samples = dict(tables.table["results"]), dict(tables.table["samples"])
    kernels = [bytes(kernel) for kernel in results["kernel"]]
    kept = [i for i, kernel in enumerate(kernels) if kernels[:i].count(kernel) < (14 if kernel == b"copy" else 2)]
    taken = [k for i in kept for k in range(results["sample_offset"][i], results["sample_offset"][i] + results["sample_count"][i])]
    for name, order in (("results", kept), ("samples", taken)):
        for column in tables.table[name]:
            column[1] = column[1][order]
    offset = dict(tables.table["results"])["sample_offset"]
    offset[:] = np.concatenate([[0], np.cumsum(dict(tables.table["results"])["sample_count"])[:-1]])
    for column in tables.table.get("timeline", []):
        column[1] = column[1][:40]
    tables.write(path)


def make_bases(program, source, root):
    """run: of the fake back end; gpu: measured; old: of release 0.2; killed: a file and its journal; alone: a journal without a file."""
    bases = {}
    for name in ("run", "gpu", "old", "killed", "alone"):
        finder = bases[name] = Finder(program, root / name)
        finder.folder.mkdir()
        base = finder.folder / "base.h5"
        (finder.folder / "job.yaml").write_text(HALF if name == "killed" else JOB)
        (finder.folder / "hasty.yaml").write_text(HASTY)
        if name == "gpu":
            make_gpu(source, base)
        elif name == "old":
            Tables(source / "tests/release-0.2-host-copy.h5").write(base)
        elif name != "alone":
            finder.run("run job.yaml -o base.h5 --backend fake")
        finder.input = Tables(base) if name != "alone" else None
        if name in ("killed", "alone"):
            (finder.folder / "job.yaml").write_text(JOB)
            make_killed(finder)
            finder.input = Journal(finder.folder / "base.h5.journal")
            (finder.folder / "base.h5.journal").unlink()
            finder.file = base.read_bytes() if name == "killed" else None
            finder.run("run job.yaml -o base.h5 --backend fake" + " --resume" * (name == "killed"))
        finder.expect_verified("base", "base.h5")
        assert not finder.found, finder.found
    return bases


def try_changes(kind, finder, dice, changes, before, command):
    changed = copy.deepcopy(finder.input)
    for change in changes:
        changed.apply(*change)
    file, journal = finder.folder / "file.h5", finder.folder / "file.h5.journal"
    file.unlink(missing_ok=True)
    journal.unlink(missing_ok=True)
    if isinstance(changed, Journal):
        changed.write(journal)
        if finder.file:
            file.write_bytes(finder.file)
    else:
        changed.write(file)
    if kind == "python":
        check_python(finder, [command] if command else dice.sample(PYTHON, 4), file)
    else:
        check_file(finder, dice, isinstance(changed, Journal), before)


def try_pipe(finder, seed):
    line, file = "run hasty.yaml -o piped.h5 --backend fake", finder.folder / "piped.h5"
    for name in ("piped.h5", "piped.h5.journal", "workers"):
        (finder.folder / name).unlink(missing_ok=True)
    done = finder.run(line, WARPSWEEP_PIPE_SEED=str(seed), WARPSWEEP_PIPE_COUNT=str(finder.folder / "workers"))
    finder.count(done.returncode >= 2)
    finder.expect_verified(line, file.name)


def itself(root):
    """A program that crashes, one that is silent and one that accepts what verify refuses are told of."""
    program = root / "program"
    for script, what in (("kill -SEGV $$", "exit code -11"), ("exit 2", "without a message"), ("echo x: runtime error >&2", "exit code 0"),
                         ("case \"$*\" in *verify*) echo damaged >&2; exit 3;; esac", "accepted, but verify"),
                         ("case \"$*\" in *verify*) exit 0;; esac; echo /results is corrupt >&2; exit 3", "refused, but verify")):
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        finder = Finder(program, root)
        check_file(finder, random.Random(1), False, True)
        assert any(what in found for found in finder.found), (script, finder.found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("results", "journals", "texts", "python", "pipe", "itself"))
    parser.add_argument("program", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("--seed", type=int, default=int(time.time()) * 1000)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    os.environ.update(WARPSWEEP_CACHE=str(root / "cache"), WARPSWEEP_CUPTI="/nowhere")
    sys.path.insert(0, str(options.source / "python/src"))
    try:
        return itself(root) if options.kind == "itself" else fuzz(options, root)
    finally:
        shutil.rmtree(root)


def fuzz(options, root):
    kind, program, failed = options.kind, options.program.resolve(), 0
    if kind == "pipe":  # the program looks for its worker beside itself
        (root / "bin").mkdir()
        shutil.copy(program, root / "bin")
        worker = root / "bin" / "warpsweep-worker"
        words = f'"{sys.executable}" "{Path(__file__).resolve().parent}/mutant_worker.py" "{program.parent}/warpsweep-worker" "$@"'
        worker.write_text(f"#!/bin/sh\nexec {words}\n")
        worker.chmod(0o755)
        program = root / "bin" / program.name
    bases = make_bases(program, options.source, root)
    names = {"results": ("run", "gpu", "old"), "python": ("run", "gpu", "old"), "journals": ("killed", "alone"), "texts": ("text",)}.get(kind, ())
    good = sorted([*(options.source / "tests/golden/good").glob("*.yaml"), *(options.source / "jobs").glob("*.yaml")])
    rows = ([*line.split(" | "), "", ""] for line in (options.source / "tests/fuzz/found.txt").read_text().splitlines() if line[0] != "#")
    found = [(base.rstrip(" |"), text, command) for base, text, command, *_ in rows
             if base.rstrip(" |") in names and (command or kind != "python")]
    began, seed = time.time(), options.seed
    print("seed", seed, flush=True)
    while found or time.time() - began < options.seconds:
        dice, before = random.Random(seed), bool(found)
        base, text, command = found.pop(0) if found else (dice.choice(names or ("run",)), None, None)
        finder = bases["run" if base == "text" else base]
        if kind == "pipe":
            try_pipe(finder, seed)
            text = f"pipe {seed}"
        elif kind == "texts":
            text = unquote_to_bytes(text).decode() if text else mutate_text(dice, dice.choice(good).read_text())
            check_text(finder, dice, text)
            text = quote(text)
        else:
            changes = [change.split() for change in text.split("; ") if change] if before else \
                [[str(word) for word in finder.input.propose(dice)] for _ in range(dice.choice((1, 1, 2, 4)))]
            text = "; ".join(" ".join(change) for change in changes)
            try_changes(kind, finder, dice, changes, before, command)
        for what in finder.found:
            print(f"FOUND {base} | {text}\n  seed {seed}: {what}", flush=True)
        failed += len(finder.found)
        finder.found.clear()
        seed += not before
    accepted, refused = sum(finder.accepted for finder in bases.values()), sum(finder.refused for finder in bases.values())
    print(f"{kind}: seeds {options.seed} to {seed - 1}, {accepted} accepted, {refused} refused, "
          f"{sum(finder.commands for finder in bases.values())} commands in {time.time() - began:.0f} s; {failed} found")
    assert accepted and (refused or kind in ("pipe", "journals")), "nothing was accepted, or nothing refused"
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
