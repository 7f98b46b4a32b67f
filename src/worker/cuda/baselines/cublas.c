#include "worker/cuda/baselines/baselines.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdio.h>

static struct {
    cublasHandle_t handle;
    int version;
    __typeof__ (&cublasSetStream_v2)(set_stream);
    __typeof__ (&cublasSgeam)(sgeam);
    __typeof__ (&cublasDgeam)(dgeam);
    __typeof__ (&cublasSgemm_v2)(sgemm);
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
        cuda_lack("%s cannot be loaded: %s", name, dlerror());
    return library;
}

void *cublas_function(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        cuda_lack("the installed cuBLAS has no %s", name);
    return symbol;
}

static int load(struct call *call)
{
    cublasStatus_t (*create)(cublasHandle_t *), (*get_version)(cublasHandle_t, int *);
    call->library_version = blas.version;
    if (blas.handle)
        return 0;
    void *library = cublas_open("cublas");
    /* POSIX: an object's address can be used as a function's; ISO C has no cast for it. */
    *(void **)&create = cublas_function(library, "cublasCreate_v2");
    *(void **)&get_version = cublas_function(library, "cublasGetVersion_v2");
    *(void **)&blas.set_stream = cublas_function(library, "cublasSetStream_v2");
    *(void **)&blas.sgeam = cublas_function(library, "cublasSgeam");
    *(void **)&blas.dgeam = cublas_function(library, "cublasDgeam");
    *(void **)&blas.sgemm = cublas_function(library, "cublasSgemm_v2");
    cublasStatus_t status = create(&blas.handle); /* the default math mode: FP32 stays FP32, no TF32 */
    if (status != CUBLAS_STATUS_SUCCESS)
        cuda_fail("cuBLAS cannot be used: status %d", (int)status);
    if (get_version(blas.handle, &blas.version) == CUBLAS_STATUS_SUCCESS)
        call->library_version = blas.version;
    return 0;
}

static int check(cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        cuda_fail("cuBLAS failed with status %d", (int)status);
    return 0;
}

/* cuBLAS is column-major: a row-major r x c matrix is its column-major c x r transpose. */
static int transpose(struct call *call)
{
    int rows = (int)call->setup->shape[0], columns = (int)call->setup->shape[1];
    const void *in = call->buffer[0];
    void *out = call->buffer[1];
    const float one_f = 1, zero_f = 0;
    const double one_d = 1, zero_d = 0;
    blas.set_stream(blas.handle, call->stream);
    switch (call->setup->buffer[0].dtype) {
    case DTYPE_F32:
        return check(blas.sgeam(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one_f, in, columns,
                                &zero_f, out, rows, out, rows));
    case DTYPE_F64:
        return check(blas.dgeam(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one_d, in, columns,
                                &zero_d, out, rows, out, rows));
    default:
        return check(CUBLAS_STATUS_NOT_SUPPORTED);
    }
}

/* Row-major C = A B is column-major C' = B' A'. */
static int multiply(struct call *call)
{
    int m = (int)call->setup->shape[0], n = (int)call->setup->shape[1], k = (int)call->setup->shape[2];
    const float one = 1, zero = 0;
    blas.set_stream(blas.handle, call->stream);
    return check(blas.sgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, call->buffer[1], n,
                            call->buffer[0], k, &zero, call->buffer[2], n));
}

const struct family cublas_geam = {.open_call = load, .call = transpose},
                    cublas_gemm = {.open_call = load, .call = multiply};
