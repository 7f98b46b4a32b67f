#include "worker/cuda/baselines/cublas.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdio.h>

#include "worker/cuda/device/error.h"

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

void *cublas_open(const char *name)
{
    char versioned[64], unversioned[512];
    snprintf(versioned, sizeof versioned, "lib%s.so.%d", name, CUBLAS_VER_MAJOR);
    snprintf(unversioned, sizeof unversioned, CUDA_LIBRARY_FOLDER "/lib%s.so", name);
    void *library = dlopen(versioned, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen(unversioned, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        cuda_fail("%s cannot be loaded: %s", name, dlerror());
    return library;
}

void *cublas_function(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        cuda_fail("the installed cuBLAS has no %s", name);
    return symbol;
}

static void load(void)
{
    cublasStatus_t (*create)(cublasHandle_t *);
    void *library = cublas_open("cublas");
    /* POSIX: an object's address can be used as a function's; ISO C has no cast for it. */
    *(void **)&create = cublas_function(library, "cublasCreate_v2");
    *(void **)&blas.set_stream = cublas_function(library, "cublasSetStream_v2");
    *(void **)&blas.sgeam = cublas_function(library, "cublasSgeam");
    *(void **)&blas.dgeam = cublas_function(library, "cublasDgeam");
    *(void **)&blas.sgemm = cublas_function(library, "cublasSgemm_v2");
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

void cublas_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    cublasStatus_t status;
    if (!blas.handle)
        load();
    blas.set_stream(blas.handle, stream);
    char *first = cuda_point_buffer(p, set, 0), *second = cuda_point_buffer(p, set, 1);
    if (p->setup.engine == ENGINE_GEAM)
        status = transpose(p, first, second);
    else
        status = multiply(p, first, second, cuda_point_buffer(p, set, 2));
    if (status != CUBLAS_STATUS_SUCCESS)
        cuda_fail("cuBLAS failed with status %d", (int)status);
}
