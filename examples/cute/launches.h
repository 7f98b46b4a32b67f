/* launches.h - what cute_matmul.c and launches.cu share. */
#pragma once

/* One product: C = A B', A is m x k, B is n x k, C is m x n, all row-major on the device. */
struct cute_launch {
    const void *a, *b;
    void *c;
    int m, n, k;
    int swizzle;         /* CUTLASS's max_swizzle_size: rows of tiles that are taken together, at most */
    int multiprocessors; /* as many persistent blocks, at most */
    void *stream;        /* a cudaStream_t */
};
