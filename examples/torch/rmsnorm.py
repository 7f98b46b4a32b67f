"""RMSNorm of each row: PyTorch, torch.compile, Triton and CUDA C++"""
import numpy as np
import torch
import triton
import triton.language as tl
import _rows

axes, arrays, tolerance, skip = _rows.axes, "torch", _rows.tolerance, _rows.skip
EPSILON = tl.constexpr(1e-6)


def buffers(p):
    return {"x": ("input", p.dtype, (p.rows, p.columns)), "w": ("input", p.dtype, p.columns, (0.5, 1.5)),
            "y": ("output", p.dtype, (p.rows, p.columns))}


def eager(x, w, y):  # as models have it
    z = x.float()
    torch.mul((z * torch.rsqrt(z.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype), w, out=y)


@triton.autotune([triton.Config({}, num_warps=n) for n in (2, 4, 8, 16)], key=["columns"], cache_results=True)
@triton.jit
def kernel(x, w, y, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64) * columns, tl.arange(0, BLOCK)
    z = tl.load(x + row + at, mask=at < columns, other=0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(z * z) / columns + EPSILON)
    tl.store(y + row + at, z * scale * tl.load(w + at, mask=at < columns).to(tl.float32), mask=at < columns)


CUDA = """
extern "C" __global__ void __launch_bounds__(THREADS) kernel(const T *x, const T *w, T *y)
{
    Row z = load_row(x), weight = load(w);
    float squares = reduce(Sum(), [&](int s, int i) { return z.at[s][i] * z.at[s][i]; });
    float scale = rsqrtf(squares / COLUMNS + 1e-6f);
    store_row(y, [&](int s, int i) { return z.at[s][i] * scale * weight.at[s][i]; });
}
"""


def prepare(p):
    if p.variant == "triton":
        p.run = lambda x, w, y: kernel[(p.rows,)](x, w, y, p.columns, triton.next_power_of_2(p.columns))
    else:
        p.run = _rows.build(p, eager, CUDA)


def call(p, x, w, y):
    p.run(x, w, y)


row_wise = ["x", "y"]


def reference(p, x, w):
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * w
