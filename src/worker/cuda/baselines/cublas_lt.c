#include "worker/cuda/baselines/baselines.h"

#include <cublasLt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

#define WORKSPACE_BYTES ((size_t)32 << 20) /* what NVIDIA recommends for Hopper, and cuBLAS takes there */

/* Algorithms by cuBLASLt's heuristic that are timed from compute capability 10.0 on, of which the fastest is
 * taken for algorithm 0. Before, the first one is, which all measurements of Hopper have. */
enum { TIMED_MAX = 8, TRIALS = 3 };

#define LT_FUNCTIONS(X)                                                                                      \
    X(cublasLtCreate)                                                                                        \
    X(cublasLtMatmulDescCreate)                                                                              \
    X(cublasLtMatmulDescDestroy)                                                                             \
    X(cublasLtMatmulDescSetAttribute)                                                                        \
    X(cublasLtMatrixLayoutCreate)                                                                            \
    X(cublasLtMatrixLayoutDestroy)                                                                           \
    X(cublasLtMatmulPreferenceCreate)                                                                        \
    X(cublasLtMatmulPreferenceSetAttribute)                                                                  \
    X(cublasLtMatmulPreferenceDestroy)                                                                       \
    X(cublasLtMatmulAlgoGetHeuristic)                                                                        \
    X(cublasLtMatmulAlgoConfigGetAttribute)                                                                  \
    X(cublasLtGetVersion)                                                                                    \
    X(cublasLtMatmul)

static struct {
    cublasLtHandle_t handle;
    void *workspace;
#define X(name) __typeof__ (&(name))(name);
    LT_FUNCTIONS(X)
#undef X
} lt;

/* The point's product, as cuBLASLt describes it: of column-major matrices, so that our row-major C = A B is
 * its C' = B' A', and our C = A B' its C' = B A'. */
struct plan {
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t layout[3]; /* of A, B and C */
    cublasLtMatmulAlgo_t algorithm;
};

static void check(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        cuda_fail("cuBLASLt's %s failed with status %d", what, (int)status);
}

static void load(void)
{
    void *library = cublas_open("cublasLt");
    /* POSIX: an object's address can be used as a function's; ISO C has no cast for it. */
#define X(name) *(void **)&lt.name = cublas_function(library, #name);
    LT_FUNCTIONS(X)
#undef X
    CUDA(cudaMalloc(&lt.workspace, WORKSPACE_BYTES));
    check(lt.cublasLtCreate(&lt.handle), "Create");
}

/* cuBLASLt has no products of unsigned integers: below 128 signed ones are the same. */
static const cudaDataType_t types[DTYPE_COUNT] = {
    [DTYPE_U8] = CUDA_R_8I,        [DTYPE_I32] = CUDA_R_32I,      [DTYPE_F32] = CUDA_R_32F,
    [DTYPE_F16] = CUDA_R_16F,      [DTYPE_BF16] = CUDA_R_16BF,    [DTYPE_E4M3] = CUDA_R_8F_E4M3,
    [DTYPE_E5M2] = CUDA_R_8F_E5M2, [DTYPE_E2M1] = CUDA_R_4F_E2M1,
};

/* A layout for a row-major matrix, whose rows are cuBLASLt's columns. */
static void lay_out(cublasLtMatrixLayout_t *layout, enum dtype dtype, uint64_t rows, uint64_t columns)
{
    check(lt.cublasLtMatrixLayoutCreate(layout, types[dtype], columns, rows, (int64_t)columns),
          "MatrixLayoutCreate");
}

/* What is computed, without matrices. Sums are f32 or i32. */
static void describe(const struct setup *setup, cublasLtMatmulDesc_t *product)
{
    const uint64_t flags = setup->shape[3];
    const bool whole = setup->buffer[0].dtype == DTYPE_U8;
    const cublasOperation_t operation = flags & GEMM_TRANSPOSED ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int8_t fast = flags & GEMM_FAST_SUMS ? 1 : 0;
    const cublasComputeType_t of_floats =
        flags & GEMM_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check(lt.cublasLtMatmulDescCreate(product, whole ? CUBLAS_COMPUTE_32I : of_floats,
                                      whole ? CUDA_R_32I : CUDA_R_32F),
          "MatmulDescCreate");
    check(lt.cublasLtMatmulDescSetAttribute(*product, CUBLASLT_MATMUL_DESC_TRANSA, &operation,
                                            sizeof operation),
          "MatmulDescSetAttribute");
    check(lt.cublasLtMatmulDescSetAttribute(*product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast),
          "MatmulDescSetAttribute");
}

/* ---- Block scales: of B and A, in this order, as the matrices are. Ours lie as cuBLASLt wants them. ---- */

enum { SCALE_BUFFER = 3 };

static bool is_scaled(const struct setup *setup)
{
    return setup->buffers > SCALE_BUFFER;
}

static void set_scales(const struct call *call, cublasLtMatmulDesc_t product)
{
    static const cublasLtMatmulDescAttributes_t modes[] = {CUBLASLT_MATMUL_DESC_B_SCALE_MODE,
                                                           CUBLASLT_MATMUL_DESC_A_SCALE_MODE},
                                                pointers[] = {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                                                              CUBLASLT_MATMUL_DESC_A_SCALE_POINTER};
    for (int i = 0; i < 2 && is_scaled(call->setup); i++) {
        const bool e4m3 = call->setup->buffer[SCALE_BUFFER + i].dtype == DTYPE_E4M3;
        const cublasLtMatmulMatrixScale_t mode =
            e4m3 ? CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 : CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
        const void *scales = call->buffer[SCALE_BUFFER + i];
        check(lt.cublasLtMatmulDescSetAttribute(product, modes[i], &mode, sizeof mode), "scale mode");
        check(lt.cublasLtMatmulDescSetAttribute(product, pointers[i], &scales, sizeof scales),
              "scale pointer");
    }
}

static cublasStatus_t launch(struct call *call, const struct plan *plan, cudaStream_t stream)
{
    void *const *b = call->buffer;
    const float one = 1, zero = 0; /* zero is also an integer's */
    const int32_t whole_one = 1;
    const bool whole = call->setup->buffer[0].dtype == DTYPE_U8;
    return lt.cublasLtMatmul(lt.handle, plan->product, whole ? (const void *)&whole_one : &one, b[1],
                             plan->layout[1], b[0], plan->layout[0], &zero, b[2], plan->layout[2], b[2],
                             plan->layout[2], &plan->algorithm, lt.workspace, WORKSPACE_BYTES, stream);
}

/* Seconds of some products with an algorithm; INFINITY: it fails. */
static double time_of(struct call *call, struct plan *plan, const cublasLtMatmulAlgo_t *algorithm)
{
    cudaStream_t stream;
    cudaEvent_t begin, end;
    float milliseconds = 0;
    bool failed = false;
    plan->algorithm = *algorithm;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    for (int i = 0; i <= TRIALS && !failed; i++) { /* the first one loads the kernel */
        if (i == 1)
            CUDA(cudaEventRecord(begin, stream));
        failed = launch(call, plan, stream) != CUBLAS_STATUS_SUCCESS;
    }
    CUDA(cudaEventRecord(end, stream));
    CUDA(cudaStreamSynchronize(stream));
    if (!failed)
        CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    CUDA(cudaStreamDestroy(stream));
    return failed ? INFINITY : 1e-3 * milliseconds;
}

static int fastest_of(struct call *call, struct plan *plan, const cublasLtMatmulHeuristicResult_t *all,
                      int count)
{
    double least = INFINITY;
    int best = 0;
    for (int i = 0; i < count && count > 1; i++) {
        double seconds = all[i].state == CUBLAS_STATUS_SUCCESS ? time_of(call, plan, &all[i].algo) : INFINITY;
        if (seconds < least)
            least = seconds, best = i;
    }
    return best;
}

static int ask_heuristic(const struct plan *plan, cublasLtMatmulHeuristicResult_t *all, int most)
{
    const size_t workspace = WORKSPACE_BYTES;
    cublasLtMatmulPreference_t preference;
    int found = 0;
    check(lt.cublasLtMatmulPreferenceCreate(&preference), "MatmulPreferenceCreate");
    check(lt.cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                  &workspace, sizeof workspace),
          "MatmulPreferenceSetAttribute");
    cublasStatus_t status =
        lt.cublasLtMatmulAlgoGetHeuristic(lt.handle, plan->product, plan->layout[1], plan->layout[0],
                                          plan->layout[2], plan->layout[2], preference, most, all, &found);
    lt.cublasLtMatmulPreferenceDestroy(preference);
    check(status, "heuristic");
    if (!found)
        cuda_fail("cuBLASLt has no algorithm for this product");
    return found;
}

static void choose_algorithm(struct call *call, struct plan *plan)
{
    const int wanted = GEMM_LT_ALGORITHM_OF(call->setup->shape[3]);
    cublasLtMatmulHeuristicResult_t all[GEMM_LT_ALGORITHMS];
    int most = GEMM_LT_ALGORITHMS, device = 0;
    CUDA(cudaGetDevice(&device));
    if (!wanted)
        most = cuda_attribute(cudaDevAttrComputeCapabilityMajor, device) >= 10 ? TIMED_MAX : 1;
    const int found = ask_heuristic(plan, all, most);
    if (wanted >= found)
        cuda_refuse("cuBLASLt's heuristic returns %d algorithms for this product: lt_algorithm is at most %d",
                    found, found - 1);
    const int chosen = wanted ? wanted : fastest_of(call, plan, all, found);
    check(all[chosen].state, "heuristic");
    plan->algorithm = all[chosen].algo;
}

/* What was chosen, as a hash and in words: the numbers of the library's enumerations (cublasLt.h). An
 * attribute that this release of the library lacks is left out. */
static void tell_algorithm(const cublasLtMatmulAlgo_t *algorithm, struct cuda_call *call)
{
    static const struct {
        cublasLtMatmulAlgoConfigAttributes_t attribute;
        const char *name;
    } attributes[] = {
        {CUBLASLT_ALGO_CONFIG_ID, "algorithm"},
        {CUBLASLT_ALGO_CONFIG_TILE_ID, "tile"},
        {CUBLASLT_ALGO_CONFIG_SPLITK_NUM, "split_k"},
        {CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, "reduction"},
        {CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, "swizzling"},
        {CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, "custom"},
        {CUBLASLT_ALGO_CONFIG_STAGES_ID, "stages"},
        {CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, "inner_shape"},
        {CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, "cluster"},
    };
    int length = snprintf(call->chosen, sizeof call->chosen, "cuBLASLt:");
    call->algorithm = HASH_START;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const cublasLtMatmulAlgoConfigAttributes_t attribute = attributes[i].attribute;
        uint32_t value = 0;
        size_t written = 0;
        if (lt.cublasLtMatmulAlgoConfigGetAttribute(algorithm, attribute, &value, sizeof value, &written) !=
                CUBLAS_STATUS_SUCCESS &&
            lt.cublasLtMatmulAlgoConfigGetAttribute(algorithm, attribute, &value, sizeof(uint16_t),
                                                    &written) != CUBLAS_STATUS_SUCCESS)
            continue;
        call->algorithm = hash_u64(hash_u64(call->algorithm, (uint64_t)attribute), value);
        length += snprintf(call->chosen + length, sizeof call->chosen - (size_t)length, " %s=%d",
                           attributes[i].name, (int)value);
    }
}

static int open_product(struct call *call)
{
    const uint64_t m = call->setup->shape[0], n = call->setup->shape[1], k = call->setup->shape[2];
    const bool transposed = call->setup->shape[3] & GEMM_TRANSPOSED;
    const struct buffer *buffer = call->setup->buffer;
    struct plan *plan = call->state = memory_new(1, sizeof *plan);
    if (!lt.handle)
        load();
    describe(call->setup, &plan->product);
    set_scales(call, plan->product);
    lay_out(&plan->layout[0], buffer[0].dtype, m, k);
    lay_out(&plan->layout[1], buffer[1].dtype, transposed ? n : k, transposed ? k : n);
    lay_out(&plan->layout[2], buffer[2].dtype, m, n);
    choose_algorithm(call, plan);
    call->library_version = (int)lt.cublasLtGetVersion();
    tell_algorithm(&plan->algorithm, (struct cuda_call *)call);
    return 0;
}

static int multiply(struct call *call)
{
    struct plan *plan = call->state;
    set_scales(call, plan->product); /* each set of buffers has its own */
    check(launch(call, plan, call->stream), "Matmul");
    return 0;
}

static void close_product(struct call *call)
{
    struct plan *plan = call->state;
    if (plan && plan->product)
        lt.cublasLtMatmulDescDestroy(plan->product);
    for (int i = 0; plan && i < 3; i++)
        if (plan->layout[i])
            lt.cublasLtMatrixLayoutDestroy(plan->layout[i]);
    free(plan);
}

const struct family cublas_lt_gemm = {
    .open_call = open_product, .call = multiply, .close_call = close_product};
