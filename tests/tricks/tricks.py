"""Calls that seem faster than they are, each by another trick (`honest`: by none), on the host and on a GPU with PyTorch"""
import threading

import numpy as np

try:
    import torch as library

    arrays = "torch"
except ImportError:
    library = np

axes = {"trick": ["honest", "output_there", "pointer_seen", "inputs_seen", "first_call", "every_other", "stops", "thread",
                  "changes_input"],
        "rows": 2048, "columns": 1024}
tolerance = 1e-5
state = {"calls": 0, "seen": {}, "pointers": set()}


def buffers(p):
    return {"x": ("input", "f32", (p.rows, p.columns)), "y": ("output", "f32", (p.rows, p.columns))}


def compute(x, y):
    library.exp(x, out=y)
    for _ in range(4):
        library.sqrt(y, out=y)
        library.exp(y, out=y)


def pointer(array):
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


def call(p, x, y):
    state["calls"] += 1
    if p.trick == "output_there":  # right until somebody looks elsewhere
        if 0 < float(y[0, 0]) < 1000 and 0 < float(y[-1, -1]) < 1000:
            return
    elif p.trick == "pointer_seen":
        if pointer(y) in state["pointers"]:
            return
        state["pointers"].add(pointer(y))
    elif p.trick == "inputs_seen":
        key = float(x[0, 0]), float(x[-1, -1])
        if key in state["seen"]:
            y[:] = state["seen"][key]
            return
        compute(x, y)
        state["seen"] = {key: y.clone() if hasattr(y, "clone") else y.copy()}
        return
    elif p.trick == "first_call":
        if state["calls"] > 1:
            return
    elif p.trick == "every_other":
        if state["calls"] % 2:
            return
    elif p.trick == "stops":
        if state["calls"] > 6:
            return
    elif p.trick == "thread":
        threading.Thread(target=compute, args=(x, y)).start()
        return
    compute(x, y)
    if p.trick == "changes_input":
        x[:] = 1


def reference(p, x):
    y = np.exp(x)
    for _ in range(4):
        y = np.exp(np.sqrt(y))
    return y
