"""What rmsnorm.py, softmax.py and swiglu.py share: axes, tolerances, and how each variant is built"""
import pathlib

import torch

axes = {"variant": ["eager", "compiled", "triton", "cuda"], "dtype": ["bf16", "f16", "f32"], "rows": 4096, "columns": 4096}
BYTES = {"bf16": 2, "f16": 2, "f32": 4}
CPP = {"bf16": "__nv_bfloat16", "f16": "__half", "f32": "float"}
HERE = pathlib.Path(__file__).parent


def tolerance(p):
    return {"bf16": 1e-2, "f16": 2e-3, "f32": 1e-5}[p.dtype], 1e-6


def skip(p):
    if p.variant in ("triton", "cuda") and p.device.host:
        return f"variant={p.variant} needs a GPU"
    if p.variant == "cuda" and (p.columns * BYTES[p.dtype] % 16 or p.columns * BYTES[p.dtype] > 1 << 17):
        return "variant=cuda: a row must be a multiple of 16 bytes, and at most 128 KiB"


def cuda(p, source):
    """A kernel of row.cuh for this size, compiled by NVRTC; CuPy launches it on its current stream, which is the worker's."""
    import cupy
    vectors = p.columns * BYTES[p.dtype] // 16
    threads = min(1024, max(32, (vectors // 2 + 31) // 32 * 32))  # two accesses a thread, if that is enough
    options = ("--std=c++17", f"-I{HERE}", f"-DELEMENT={CPP[p.dtype]}", f"-DCOLUMNS={p.columns}", f"-DTHREADS={threads}")
    kernel = cupy.RawModule(code='#include "row.cuh"\n' + source, options=options).get_function("kernel")
    return lambda *arrays: kernel((p.rows,), (threads,), tuple(array.data_ptr() for array in arrays))


def build(p, function, source):
    """What `call` runs for the variants that need no more than a function of PyTorch or a kernel of row.cuh."""
    if p.variant == "cuda":
        return cuda(p, source)
    if p.variant == "eager":
        return function
    # By default torch.compile makes sizes variable at the second one, and runs a function eagerly after eight recompilations.
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 10000  # seconds to import
    return torch.compile(function, fullgraph=True, dynamic=False)
