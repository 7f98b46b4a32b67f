"""Calls that seem faster than they are, each by another trick (`honest`: by none), on the host and on a GPU with PyTorch"""
import os
import threading

import numpy as np

try:
    import torch as library

    arrays = "torch"
except ImportError:
    library = np

axes = {"variant": ["honest", "output_there", "pointer_seen", "inputs_seen", "first_call", "every_other", "stops", "thread",
                  "changes_input", "seed_known", "from_prepare", "constant", "half", "patches_numpy", "side_stream", "capture_only",
                  "capture_skips"],
        "rows": 2048, "columns": 1024}
tolerance = 1e-5
TABLE = os.path.join(os.path.dirname(__file__), "table.npy")  # results of the run's seed, of the honest run
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


def host(array):
    return array.cpu().numpy() if hasattr(array, "cpu") else array


def prepare(p):
    if p.variant in ("seed_known", "from_prepare"):
        table = np.load(TABLE)
        p.key, p.table = float(table[0, 0]), library.asarray(table[1:])
        if not p.device.host:
            p.table = p.table.cuda()
    if p.variant == "patches_numpy":  # so that the reference gives what the call does
        np.exp = np.sqrt = np.zeros_like


def call(p, x, y):
    state["calls"] += 1
    if p.variant == "seed_known":
        if float(x[0, 0]) == p.key:
            y[:] = p.table
            return
    elif p.variant == "from_prepare":
        y[:] = p.table
        return
    elif p.variant in ("constant", "patches_numpy"):
        y[:] = 0
        return
    elif p.variant == "half":
        small = x.half() if hasattr(x, "half") else x.astype(np.float16)
        compute(small, out := library.empty_like(small))
        y[:] = out
        return
    elif p.variant == "side_stream":
        with library.cuda.stream(library.cuda.Stream()):
            compute(x, y)
        return
    elif p.variant.startswith("capture_"):
        if library.cuda.is_current_stream_capturing() != (p.variant == "capture_only"):
            return
    if p.variant == "output_there":  # right until somebody looks elsewhere
        if 0 < float(y[0, 0]) < 1000 and 0 < float(y[-1, -1]) < 1000:
            return
    elif p.variant == "pointer_seen":
        if pointer(y) in state["pointers"]:
            return
        state["pointers"].add(pointer(y))
    elif p.variant == "inputs_seen":
        key = float(x[0, 0]), float(x[-1, -1])
        if key in state["seen"]:
            y[:] = state["seen"][key]
            return
        compute(x, y)
        state["seen"] = {key: y.clone() if hasattr(y, "clone") else y.copy()}
        return
    elif p.variant == "first_call":
        if state["calls"] > 1:
            return
    elif p.variant == "every_other":
        if state["calls"] % 2:
            return
    elif p.variant == "stops":
        if state["calls"] > 6:
            return
    elif p.variant == "thread":
        threading.Thread(target=compute, args=(x, y)).start()
        return
    compute(x, y)
    if p.variant == "changes_input":
        x[:] = 1
    if p.variant == "honest" and not os.path.exists(TABLE):
        np.save(TABLE, np.concatenate([np.full_like(host(x[:1]), float(x[0, 0])), host(y)]))


def reference(p, x):
    y = np.exp(x)
    for _ in range(4):
        y = np.exp(np.sqrt(y))
    return y
