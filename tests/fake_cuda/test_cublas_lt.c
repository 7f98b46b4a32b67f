/* Which of the algorithms of cuBLASLt's heuristic runs, and what a row says of it, with a library of the
 * test's own: algorithm i of the heuristic's order has number 60 + i. */
#include "unit_test.h"

#include <cublasLt.h>

#include "fake_cuda.h"
#include "worker/cuda/baselines/baselines.h"
#include "worker/cuda/device/cuda_device.h"

static struct {
    int major;     /* compute capability */
    int offered;   /* algorithms that the heuristic knows */
    int requested; /* of it, by the last call */
    int launched;  /* the last one that ran, in the heuristic's order */
    int launches;  /* of all */
    int fastest;   /* of them */
    int plans;     /* descriptors, layouts and preferences alive */
} library;

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? library.major : -1;
    return cudaSuccess;
}

/* ---- The library ---- */

static cublasStatus_t made(void **handle)
{
    *handle = &library;
    library.plans++;
    return CUBLAS_STATUS_SUCCESS;
}
static cublasStatus_t destroyed(void)
{
    library.plans--;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    *handle = (cublasLtHandle_t)&library;
    return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion(void)
{
    return 130100;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *product, cublasComputeType_t computes,
                                        cudaDataType_t scale)
{
    return made((void **)product);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product)
{
    return destroyed();
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute, const void *value,
                                              size_t size)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t stride)
{
    return made((void **)layout);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    return destroyed();
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    return made((void **)preference);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    return destroyed();
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t size)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[], int *found)
{
    library.requested = most;
    *found = most < library.offered ? most : library.offered;
    for (int i = 0; i < *found; i++)
        results[i] = (cublasLtMatmulHeuristicResult_t){.algo = {{(uint64_t)i}}};
    return CUBLAS_STATUS_SUCCESS;
}
/* This release has clusters, which are of two bytes, and few other attributes. */
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void *value, size_t size, size_t *written)
{
    const bool cluster = attribute == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID;
    if (cluster && size == sizeof(uint16_t))
        *(uint16_t *)value = 3;
    else if (attribute == CUBLASLT_ALGO_CONFIG_ID && size == sizeof(uint32_t))
        *(uint32_t *)value = (uint32_t)(60 + algorithm->data[0]);
    else if (attribute == CUBLASLT_ALGO_CONFIG_TILE_ID && size == sizeof(uint32_t))
        *(uint32_t *)value = 20;
    else if (attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM && size == sizeof(int32_t))
        *(int32_t *)value = -1; /* as it says of algorithms without */
    else
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void *one,
                              const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
                              cublasLtMatrixLayout_t b_layout, const void *zero, const void *c,
                              cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    library.launched = (int)algorithm->data[0];
    library.launches++;
    fake.now += library.launched == library.fastest ? 1e-6 : 2e-6;
    return CUBLAS_STATUS_SUCCESS;
}

void *cublas_open(const char *name)
{
    assert_string_equal(name, "cublasLt");
    return &library;
}
void *cublas_function(void *of, const char *name)
{
#define X(function)                                                                                          \
    if (!strcmp(name, #function))                                                                            \
        return (void *)(uintptr_t) & (function);
    X(cublasLtCreate)
    X(cublasLtGetVersion)
    X(cublasLtMatmul)
    X(cublasLtMatmulAlgoConfigGetAttribute)
    X(cublasLtMatmulAlgoGetHeuristic)
    X(cublasLtMatmulDescCreate)
    X(cublasLtMatmulDescDestroy)
    X(cublasLtMatmulDescSetAttribute)
    X(cublasLtMatmulPreferenceCreate)
    X(cublasLtMatmulPreferenceDestroy)
    X(cublasLtMatmulPreferenceSetAttribute)
    X(cublasLtMatrixLayoutCreate)
    X(cublasLtMatrixLayoutDestroy)
#undef X
    fail_msg("the test has no %s", name);
    return NULL;
}

/* ---- What runs ---- */

static struct setup setup;
static struct cuda_call opened;

static int begin(void **state)
{
    memset(&library, 0, sizeof library);
    library.major = 9;
    library.offered = 5;
    library.fastest = 4;
    fake.free_bytes = UINT64_C(1) << 30;
    return 0;
}

static void open_algorithm(int index)
{
    setup = (struct setup){.engine = ENGINE_GEMM_LT, .shape = {64, 32, 16, GEMM_TRANSPOSED}, .buffers = 3};
    setup.shape[3] |= GEMM_LT_ALGORITHM(index);
    for (int b = 0; b < setup.buffers; b++)
        setup.buffer[b] = (struct buffer){.dtype = DTYPE_BF16};
    opened = (struct cuda_call){.call = {.setup = &setup}};
    assert_int_equal(cublas_lt_gemm.open_call(&opened.call), 0);
}

static void close_algorithm(void)
{
    cublas_lt_gemm.close_call(&opened.call);
    assert_int_equal(library.plans, 0);
}

static void expect(int index, int ran)
{
    open_algorithm(index);
    library.launches = 0;
    assert_int_equal(cublas_lt_gemm.call(&opened.call), 0);
    assert_int_equal(library.launched, ran);
    assert_int_equal(library.launches, 1);
    close_algorithm();
}

EACH(begin, NULL)

/* The first choice is asked for alone, as always; others are taken from as many as there can be. */
TEST(order_of_the_heuristic)
{
    expect(0, 0);
    assert_int_equal(library.requested, 1);
    for (int i = 1; i < library.offered; i++)
        expect(i, i);
    assert_int_equal(library.requested, GEMM_LT_ALGORITHMS);
}

TEST(fastest_of_some_on_blackwell)
{
    library.major = 10;
    expect(0, library.fastest);
    library.fastest = 9; /* behind those that are timed */
    library.offered = 12;
    expect(0, 0);
    expect(2, 2);
    expect(9, 9);
}

TEST(fewer_than_asked_for)
{
    struct cuda_guard guard;
    if (cuda_guard_set(&guard) == 0) {
        open_algorithm(5);
        fail_msg("not refused");
    }
    assert_int_equal(guard.status, STATUS_UNSUPPORTED);
    assert_string_equal(
        guard.message,
        "cuBLASLt's heuristic returns 5 algorithms for this product: lt_algorithm is at most 4");
    close_algorithm();
}

TEST(told)
{
    open_algorithm(3);
    const uint64_t hash = opened.algorithm;
    assert_string_equal(opened.chosen, "cuBLASLt: algorithm=63 tile=20 split_k=-1 cluster=3");
    close_algorithm();
    open_algorithm(0);
    assert_string_equal(opened.chosen, "cuBLASLt: algorithm=60 tile=20 split_k=-1 cluster=3");
    assert_true(hash != opened.algorithm && hash && opened.algorithm);
    close_algorithm();
}
