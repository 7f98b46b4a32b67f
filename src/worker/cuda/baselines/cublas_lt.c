#include "worker/cuda/baselines/cublas.h"

#include <cublasLt.h>

#include "worker/cuda/device/error.h"

#define WORKSPACE_BYTES ((size_t)32 << 20) /* what NVIDIA recommends for Hopper, and cuBLAS takes there */

#define LT_FUNCTION(name) __typeof__ (&(name))(name)

static struct {
    cublasLtHandle_t handle;
    void *workspace;
    LT_FUNCTION(cublasLtMatmulDescCreate);
    LT_FUNCTION(cublasLtMatrixLayoutCreate);
    LT_FUNCTION(cublasLtMatrixLayoutDestroy);
    LT_FUNCTION(cublasLtMatmulPreferenceCreate);
    LT_FUNCTION(cublasLtMatmulPreferenceSetAttribute);
    LT_FUNCTION(cublasLtMatmulPreferenceDestroy);
    LT_FUNCTION(cublasLtMatmulAlgoGetHeuristic);
    LT_FUNCTION(cublasLtMatmul);
} lt;

/* The product that was asked for last, as cuBLASLt describes it: of column-major matrices, so that our row-major
 * C = A B is its C' = B' A'. */
static struct {
    uint64_t m, n, k; /* 0: none yet */
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulAlgo_t algorithm;
} planned;

static void check(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        cuda_fail("cuBLASLt's %s failed with status %d", what, (int)status);
}

static void load(void)
{
    cublasStatus_t (*create)(cublasLtHandle_t *);
    void *library = cublas_open("cublasLt");
    /* POSIX: an object's address can be used as a function's; ISO C has no cast for it. */
    *(void **)&create = cublas_function(library, "cublasLtCreate");
#define LOAD(name) *(void **)&lt.name = cublas_function(library, #name)
    LOAD(cublasLtMatmulDescCreate);
    LOAD(cublasLtMatrixLayoutCreate);
    LOAD(cublasLtMatrixLayoutDestroy);
    LOAD(cublasLtMatmulPreferenceCreate);
    LOAD(cublasLtMatmulPreferenceSetAttribute);
    LOAD(cublasLtMatmulPreferenceDestroy);
    LOAD(cublasLtMatmulAlgoGetHeuristic);
    LOAD(cublasLtMatmul);
#undef LOAD
    CUDA(cudaMalloc(&lt.workspace, WORKSPACE_BYTES));
    /* Inputs, sums and outputs in FP32, as CUBLAS_COMPUTE_32F has it: no TF32. */
    check(lt.cublasLtMatmulDescCreate(&planned.product, CUBLAS_COMPUTE_32F, CUDA_R_32F), "MatmulDescCreate");
    check(create(&lt.handle), "Create");
}

/* A layout for a row-major matrix, whose rows are cuBLASLt's columns. */
static void lay_out(cublasLtMatrixLayout_t *layout, uint64_t rows, uint64_t columns)
{
    if (*layout)
        lt.cublasLtMatrixLayoutDestroy(*layout);
    *layout = NULL;
    check(lt.cublasLtMatrixLayoutCreate(layout, CUDA_R_32F, columns, rows, (int64_t)columns),
          "MatrixLayoutCreate");
}

/* The best algorithm by cuBLASLt's heuristic: its first. */
static void plan(uint64_t m, uint64_t n, uint64_t k)
{
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t best;
    size_t most = WORKSPACE_BYTES;
    int found = 0;
    planned.m = 0; /* nothing is, should this fail */
    lay_out(&planned.a, m, k);
    lay_out(&planned.b, k, n);
    lay_out(&planned.c, m, n);
    check(lt.cublasLtMatmulPreferenceCreate(&preference), "MatmulPreferenceCreate");
    check(lt.cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                                  sizeof most),
          "MatmulPreferenceSetAttribute");
    cublasStatus_t status = lt.cublasLtMatmulAlgoGetHeuristic(
        lt.handle, planned.product, planned.b, planned.a, planned.c, planned.c, preference, 1, &best, &found);
    lt.cublasLtMatmulPreferenceDestroy(preference);
    check(status, "heuristic");
    if (!found)
        cuda_fail("cuBLASLt has no algorithm for this product");
    check(best.state, "heuristic");
    planned.algorithm = best.algo;
    planned.m = m;
    planned.n = n;
    planned.k = k;
}

void cublas_lt_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    const uint64_t m = p->setup.shape[0], n = p->setup.shape[1], k = p->setup.shape[2];
    const float one = 1, zero = 0;
    if (!lt.handle)
        load();
    if (planned.m != m || planned.n != n || planned.k != k)
        plan(m, n, k);
    void *a = cuda_point_buffer(p, set, 0), *b = cuda_point_buffer(p, set, 1),
         *c = cuda_point_buffer(p, set, 2);
    check(lt.cublasLtMatmul(lt.handle, planned.product, &one, b, planned.b, a, planned.a, &zero, c, planned.c,
                            c, planned.c, &planned.algorithm, lt.workspace, WORKSPACE_BYTES, stream),
          "Matmul");
}
