"""SwiGLU, silu(x) * y: PyTorch, torch.compile, Triton and CUDA C++"""
import numpy as np
import torch
import triton
import triton.language as tl
import _rows

axes, arrays, tolerance, skip = _rows.axes, "torch", _rows.tolerance, _rows.skip


def buffers(p):
    return {"x": ("input", p.dtype, (p.rows, p.columns), (-4, 4)), "y": ("input", p.dtype, (p.rows, p.columns)),
            "z": ("output", p.dtype, (p.rows, p.columns))}


def eager(x, y, z):
    torch.mul(torch.nn.functional.silu(x), y, out=z)


@triton.autotune([triton.Config({"BLOCK": b}, num_warps=b // 256) for b in (512, 1024, 2048, 4096)], key=["count"],
                 cache_results=True)
@triton.jit
def kernel(x, y, z, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < count).to(tl.float32)
    b = tl.load(y + at, mask=at < count).to(tl.float32)
    tl.store(z + at, a * tl.sigmoid(a) * b, mask=at < count)


CUDA = """
extern "C" __global__ void __launch_bounds__(THREADS) kernel(const T *x, const T *y, T *z)
{
    Row a = load_row(x), b = load_row(y);
    store_row(z, [&](int s, int i) { return __fdividef(a.at[s][i], 1 + __expf(-a.at[s][i])) * b.at[s][i]; });
}
"""


def prepare(p):
    if p.variant == "triton":
        count = p.rows * p.columns
        p.run = lambda x, y, z: kernel[lambda chosen: (triton.cdiv(count, chosen["BLOCK"]),)](x, y, z, count)
    else:
        p.run = _rows.build(p, eager, CUDA)


def call(p, x, y, z):
    p.run(x, y, z)


row_wise = ["x", "y", "z"]


def reference(p, x, y):
    return x / (1 + np.exp(-x)) * y
