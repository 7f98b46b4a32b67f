/* The kernel of worker/cuda/product.cu, run by threads of the processor: which element of which fragment
 * every lane has is that of the PTX ISA, and rows and columns outside of the matrices are left alone. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <vector>

typedef unsigned int u32;
typedef unsigned long long u64;
struct float4 {
    float x, y, z, w;
};
struct index {
    u32 x, y;
};
static thread_local index threadIdx;
static index blockIdx;

/* A block: all of its threads wait for each other. */
static pthread_barrier_t block;
static void __syncthreads()
{
    pthread_barrier_wait(&block);
}

/* mma.m8n8k4 of f64: what the lanes of each warp give, and wait for. */
static pthread_barrier_t warp_barrier[4];
static double given[4][2][32];
static void multiply(double (&c)[2], double a, double b)
{
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    double left[8][4], right[4][8];
    given[warp][0][lane] = a;
    given[warp][1][lane] = b;
    pthread_barrier_wait(&warp_barrier[warp]);
    for (u32 l = 0; l < 32; l++) {
        left[l / 4][l % 4] = given[warp][0][l];
        right[l % 4][l / 4] = given[warp][1][l];
    }
    pthread_barrier_wait(&warp_barrier[warp]);
    for (u32 i = 0; i < 2; i++)
        for (u32 k = 0; k < 4; k++)
            c[i] += left[lane / 4][k] * right[k][lane % 4 * 2 + i];
}

#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(threads)
#define KERNELS_DEVICE_CUH /* its types are above */
#include "worker/cuda/product.cu"

struct launch {
    const float *a, *b;
    double *c;
    u64 rows, columns, pitch;
    u32 thread;
};

static void *run(void *argument)
{
    const launch *l = static_cast<const launch *>(argument);
    threadIdx = {l->thread, 0};
    product(l->a, l->b, l->c, l->rows, l->columns, l->pitch);
    return nullptr;
}

static int check(u64 rows, u64 columns, u64 pitch)
{
    const double untouched = -12345;
    std::vector<float> a(rows * pitch), b(columns * pitch);
    std::vector<double> c(rows * columns + 64, untouched);
    for (float &x : a)
        x = (float)(rand() % 17 - 8);
    for (float &x : b)
        x = (float)(rand() % 17 - 8);
    for (u32 y = 0; y < (rows + TILE - 1) / TILE; y++)
        for (u32 x = 0; x < (columns + TILE - 1) / TILE; x++) {
            pthread_t thread[THREADS];
            launch launches[THREADS];
            blockIdx = {x, y};
            for (u32 t = 0; t < THREADS; t++) {
                launches[t] = {a.data(), b.data(), c.data(), rows, columns, pitch, t};
                if (pthread_create(&thread[t], nullptr, run, &launches[t]) != 0)
                    return printf("no thread\n"), 1;
            }
            for (u32 t = 0; t < THREADS; t++)
                pthread_join(thread[t], nullptr);
        }
    for (u64 i = 0; i < rows * columns; i++) {
        double sum = 0;
        for (u64 k = 0; k < pitch; k++)
            sum += (double)a[i / columns * pitch + k] * (double)b[i % columns * pitch + k];
        if (c[i] != sum)
            return printf("%d x %d x %d: element %d is %g, not %g\n", (int)rows, (int)columns, (int)pitch,
                          (int)i, c[i], sum),
                   1;
    }
    for (u64 i = rows * columns; i < c.size(); i++)
        if (c[i] != untouched)
            return printf("%d x %d: it wrote behind C\n", (int)rows, (int)columns), 1;
    return 0;
}

int main()
{
    pthread_barrier_init(&block, nullptr, THREADS);
    for (pthread_barrier_t &barrier : warp_barrier)
        pthread_barrier_init(&barrier, nullptr, 32);
    return check(64, 64, 48) || check(1, 1, 16) || check(70, 67, 32) || check(9, 130, 16);
}
