#include "worker/cuda/vendor.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "worker/cuda/error.h"

/* cuBLAS is looked up at run time, on the first point that wants it: it is hundreds of megabytes, and a login
 * node or a job without such points does without. */
static struct {
    cublasHandle_t handle;
    cublasStatus_t (*set_stream)(cublasHandle_t, cudaStream_t);
    cublasStatus_t (*sgeam)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, const float *,
                            const float *, int, const float *, const float *, int, float *, int);
    cublasStatus_t (*dgeam)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, const double *,
                            const double *, int, const double *, const double *, int, double *, int);
    cublasStatus_t (*sgemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                            const float *, const float *, int, const float *, int, const float *, float *,
                            int);
} blas;

static void *look_up(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        cuda_fail("cuBLAS has no %s", name);
    return symbol;
}

static void load_blas(void)
{
    cublasStatus_t (*create)(cublasHandle_t *);
    char versioned[32];
    snprintf(versioned, sizeof versioned, "libcublas.so.%d", CUBLAS_VER_MAJOR);
    void *library = dlopen(versioned, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen(CUDA_LIBRARY_FOLDER "/libcublas.so", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        cuda_fail("cuBLAS cannot be loaded: %s", dlerror());
    /* POSIX: an object's address can be used as a function's; ISO C has no cast for it. */
    *(void **)&create = look_up(library, "cublasCreate_v2");
    *(void **)&blas.set_stream = look_up(library, "cublasSetStream_v2");
    *(void **)&blas.sgeam = look_up(library, "cublasSgeam");
    *(void **)&blas.dgeam = look_up(library, "cublasDgeam");
    *(void **)&blas.sgemm = look_up(library, "cublasSgemm_v2");
    cublasStatus_t status = create(&blas.handle); /* the default math mode: FP32 stays FP32, no TF32 */
    if (status != CUBLAS_STATUS_SUCCESS)
        cuda_fail("cuBLAS cannot be used: status %d", (int)status);
}

/* cuBLAS is column-major: a row-major r x c matrix is its column-major c x r transpose. */
static cublasStatus_t transpose(struct cuda_point *p, const void *in, void *out)
{
    int rows = (int)p->setup.shape[0], columns = (int)p->setup.shape[1];
    const float one_f = 1, zero_f = 0;
    const double one_d = 1, zero_d = 0;
    switch (p->setup.buffer[0].dtype) {
    case DTYPE_F32:
        return blas.sgeam(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one_f, in, columns, &zero_f,
                          out, rows, out, rows);
    case DTYPE_F64:
        return blas.dgeam(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one_d, in, columns, &zero_d,
                          out, rows, out, rows);
    default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

/* Row-major C = A B is column-major C' = B' A'. */
static cublasStatus_t multiply(struct cuda_point *p, const void *a, const void *b, void *c)
{
    int m = (int)p->setup.shape[0], n = (int)p->setup.shape[1], k = (int)p->setup.shape[2];
    const float one = 1, zero = 0;
    return blas.sgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n);
}

static void launch_blas(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    cublasStatus_t status;
    if (!blas.handle)
        load_blas();
    blas.set_stream(blas.handle, stream);
    char *first = cuda_point_buffer(p, set, 0), *second = cuda_point_buffer(p, set, 1);
    if (p->setup.engine == ENGINE_GEAM)
        status = transpose(p, first, second);
    else
        status = multiply(p, first, second, cuda_point_buffer(p, set, 2));
    if (status != CUBLAS_STATUS_SUCCESS)
        cuda_fail("cuBLAS failed with status %d", (int)status);
}

static void launch_cub(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
#ifdef WARPSWEEP_CUB
    static void *scratch; /* CUB's temporary memory: kept and grown, for the worker's life */
    static size_t scratch_bytes;
    size_t needed = 0;
    const struct buffer *in = &p->setup.buffer[0];
    CUDA(cub_reduce_sum(NULL, &needed, NULL, NULL, in->count, in->dtype, stream));
    if (needed > scratch_bytes) {
        CUDA(cudaFree(scratch));
        CUDA(cudaMalloc(&scratch, needed));
        scratch_bytes = needed;
    }
    CUDA(cub_reduce_sum(scratch, &needed, cuda_point_buffer(p, set, 0), cuda_point_buffer(p, set, 1),
                        in->count, in->dtype, stream));
#else
    (void)p, (void)stream, (void)set;
    cuda_fail("this build has no CUB baseline: it was made without nvcc");
#endif
}

void cuda_vendor_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    if (p->setup.engine == ENGINE_CUB_REDUCE)
        launch_cub(p, stream, set);
    else
        launch_blas(p, stream, set);
}
