"""Softmax of each row: PyTorch, torch.compile, Triton and CUDA C++"""
import numpy as np
import torch
import triton
import triton.language as tl
import _rows

axes, arrays, tolerance, skip = _rows.axes, "torch", _rows.tolerance, _rows.skip


def buffers(p):
    return {"x": ("input", p.dtype, (p.rows, p.columns), (-4, 4)), "y": ("output", p.dtype, (p.rows, p.columns))}


def eager(x, y):
    torch.softmax(x, -1, out=y)


@triton.autotune([triton.Config({}, num_warps=n) for n in (2, 4, 8, 16)], key=["columns"], cache_results=True)
@triton.jit
def kernel(x, y, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64) * columns, tl.arange(0, BLOCK)
    z = tl.load(x + row + at, mask=at < columns, other=-float("inf")).to(tl.float32)
    e = tl.exp(z - tl.max(z))
    tl.store(y + row + at, e / tl.sum(e), mask=at < columns)


CUDA = """
extern "C" __global__ void __launch_bounds__(THREADS) kernel(const T *x, T *y)
{
    Row z = load_row(x, -CUDART_INF_F);
    float most = reduce(Max(), [&](int s, int i) { return z.at[s][i]; });
    for_each([&](int s, int i) { z.at[s][i] = __expf(z.at[s][i] - most); });
    float factor = 1 / reduce(Sum(), [&](int s, int i) { return z.at[s][i]; });
    store_row(y, [&](int s, int i) { return z.at[s][i] * factor; });
}
"""


def prepare(p):
    if p.variant == "triton":
        p.run = lambda x, y: kernel[(p.rows,)](x, y, p.columns, triton.next_power_of_2(p.columns))
    else:
        p.run = _rows.build(p, eager, CUDA)


def call(p, x, y):
    p.run(x, y)


row_wise = ["x", "y"]


def reference(p, x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
