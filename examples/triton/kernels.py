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


@triton.jit
def matmul(
    a, b, c, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr
):
    """C = A B': A is m x k, B is n x k, C is m x n. Programs are taken in groups of GROUP_M rows, column by column."""
    number, down, across = tl.program_id(0), tl.cdiv(m, BLOCK_M), tl.cdiv(n, BLOCK_N)
    first = number // (GROUP_M * across) * GROUP_M
    rows = min(down - first, GROUP_M)
    inside = number % (GROUP_M * across)
    row = (first + inside % rows) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = inside // rows * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    # What lies past the edges is computed from the first rows, and not stored.
    from_a = a + (row % m)[:, None] * k + step[None, :]
    from_b = b + (column % n)[None, :] * k + step[:, None]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, k, BLOCK_K):
        left = tl.load(from_a, mask=step[None, :] < k - at, other=0.0)
        right = tl.load(from_b, mask=step[:, None] < k - at, other=0.0)
        total = tl.dot(left, right, total)
        from_a += BLOCK_K
        from_b += BLOCK_K
    tl.store(
        c + row[:, None] * n + column[None, :],
        total.to(c.dtype.element_ty),
        mask=(row < m)[:, None] & (column < n)[None, :],
    )
