"""Words, and types and limits of columns, of a results file, as the headers of C declare them (``data/core``). Their tables are read
here as cmake/Columns.cmake reads those of rates.py."""

from __future__ import annotations

import re
import sys

import numpy as np

from .program import shipped

HEADERS = ("column.h", "device.h", "limits.h", "result.h")
# Of each macro of columns the table, and the type; "": that is in its rows.
_COLUMNS = {
    "FIXED_COLUMNS": ("results", ""),
    "RESULT_REALS": ("results", "real"),
    "RESULT_MODEL": ("results", "real"),
    "RESULT_ENERGY": ("results", "real"),
    "WORD_AXES": ("results", "text"),
    "DEVICE_TEXTS": ("devices", "text"),
    "DEVICE_INTS": ("devices", "integer"),
    "DEVICE_REALS": ("devices", "real"),
    "DEVICE_PEAKS": ("devices", "real"),
    "SAMPLE_REALS": ("samples", "real"),
    "SAMPLE_INTEGERS": ("samples", "integer"),
    "TIMELINE_COLUMNS": ("timeline", ""),
}
_LIMITS = {"INTEGER_LIMITS": "results", "REAL_LIMITS": "results", "SAMPLE_LIMITS": "samples"}
_TEXT = "".join(shipped(f"core/{name}").read_text(encoding="utf-8") for name in HEADERS)
_MACROS = dict(re.findall(r"#define (\w+)\((?:P, )?X\)((?:.*\\\n)*.*)", _TEXT))
_NUMBERS = dict(re.findall(r"#define (\w+) +([-+.\w]+)", _TEXT)) | {
    f"{of.upper()}_MAX": hex(np.iinfo(of).max) for of in ("int16", "int32", "int64", "uint32")
}


def number(word: str) -> float:
    """A number as C writes it, or the constant of that name."""
    text = _NUMBERS.get(word, word)
    if text == "DBL_MAX":
        return sys.float_info.max
    return float.fromhex(text) if text.startswith("0x") else float(text)


# The type of each column of each table, and of some numbers the least and the most, and whether one may be missing.
TYPES: dict[str, dict[str, str]] = {}
LIMITS: dict[str, dict[str, tuple[float, float, bool]]] = {}
for _macro, (_table, _type) in _COLUMNS.items():
    for _name, _word in re.findall(r"\b[XP]\((?:X, )?(\w+)(?:, (\w+))?", _MACROS[_macro]):
        for _end in ("", "_low", "_high") if _macro == "DEVICE_PEAKS" else ("",):
            TYPES.setdefault(_table, {})[_name + _end] = _type or _word.lower()
for _macro, _table in _LIMITS.items():
    for _name, _low, _high, _may in re.findall(r"X\((\w+), (\S+), (\S+), (\w+)\)", _MACROS[_macro]):
        LIMITS.setdefault(_table, {})[_name] = (number(_low), number(_high), _may == "true")
# What became of points of each status; why sampling ends; and columns that every file has.
OUTCOMES: dict[str, str] = dict(re.findall(r"X\(\w+, (\w+), (\w+)", _MACROS["STATUSES"]))
STOPS: list[str] = re.findall(r"X\(\w+, (\w+)", _MACROS["STOP_REASONS"])
REQUIRED: list[str] = re.findall(r"X\((\w+)", _MACROS["REQUIRED_COLUMNS"])
