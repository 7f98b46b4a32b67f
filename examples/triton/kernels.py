"""The Triton kernels: what a Triton user would write, without a thought of warpsweep."""

import triton
import triton.language as tl


@triton.jit
def add(a, b, out, count, BLOCK_SIZE: tl.constexpr):
    at = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = at < count
    tl.store(out + at, tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


@triton.jit
def silu_mul(rows, out, d, BLOCK_SIZE: tl.constexpr):
    """A row has x, then y, d elements each; program (row, i) computes BLOCK_SIZE elements of silu(x) * y."""
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = at < d
    x = tl.load(rows + row * 2 * d + at, mask=inside).to(tl.float32)
    y = tl.load(rows + row * 2 * d + d + at, mask=inside).to(tl.float32)
    tl.store(out + row * d + at, (x * tl.sigmoid(x) * y).to(out.dtype.element_ty), mask=inside)
