"""Fails as its axis says"""
import os
import sys
import time

import numpy as np

axes = {"fault": ["none", "element", "raise", "exit", "abort", "hang", "prepare", "skip", "buffers", "reference", "shape"], "n": 1000}
tolerance = 0


def skip(p):
    if p.fault == "skip":
        raise KeyError("n")  # skip
    return "n is larger than 1000" if p.n > 1000 else None


def buffers(p):
    return {"x": ("input", "f33" if p.fault == "buffers" else "f32", p.n), "y": ("output", "f32", p.n)}


def prepare(p):
    if p.fault == "prepare":
        raise RuntimeError("not ready")  # prepare
    p.factor = 2


def call(p, x, y):
    if p.fault == "raise":
        np.add(x, np.zeros(7), out=y)  # raise
    if p.fault == "exit":
        sys.exit(3)  # exit
    if p.fault == "abort":
        os.abort()
    if p.fault == "hang":
        time.sleep(1000)
    y[:] = p.factor * x
    if p.fault == "element":
        y[17] = 0


def reference(p, x):
    if p.fault == "reference":
        raise ZeroDivisionError("in the reference")  # reference
    return 2 * x[:500] if p.fault == "shape" else 2 * x
