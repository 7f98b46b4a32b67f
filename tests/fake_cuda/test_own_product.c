/* References of products that the device multiplies: how operands reach it, and C comes back, in panels; with
 * a runtime whose device is the processor. */
#include "unit_test.h"

#include "../unit/family_test.h"
#include "worker/cuda/measure.h"

const char product_source[] = "";

/* ---- The runtime ---- */

static int allocations, launches;
static size_t available = UINT64_C(8) << 30;
static bool wrong; /* the device multiplies wrongly */

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    allocations++;
    *memory = malloc(bytes);
    memset(*memory, 0xff, bytes); /* NaN */
    return cudaSuccess;
}
cudaError_t cudaFree(void *memory)
{
    allocations -= memory != NULL;
    free(memory);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    *memory = malloc(bytes);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    *left = *total = available;
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t error)
{
    return "";
}
const char *cudaGetErrorName(cudaError_t error)
{
    return "";
}
cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return cudaSuccess;
}

/* What product.cu computes, by its arguments. */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *launch, const void *kernel, void **arguments)
{
    const float *a = *(float **)arguments[0], *b = *(float **)arguments[1];
    double *c = *(double **)arguments[2];
    const uint64_t rows = *(uint64_t *)arguments[3], columns = *(uint64_t *)arguments[4];
    const uint64_t pitch = *(uint64_t *)arguments[5];
    assert_true(launch->blockDim.x == 128 && launch->gridDim.x == (columns + 63) / 64);
    assert_int_equal(launch->gridDim.y, (rows + 63) / 64);
    assert_int_equal(pitch % 16, 0);
    for (uint64_t i = 0; i < rows * columns; i++) {
        double sum = wrong && i == rows * columns - 1 ? 1e-3 : 0;
        for (uint64_t p = 0; p < pitch; p++)
            sum += (double)a[i / columns * pitch + p] * (double)b[i % columns * pitch + p];
        c[i] = sum;
    }
    launches++;
    return cudaSuccess;
}

void cuda_session_load(struct cuda_session *session, const char *name, const char *source,
                       const struct cuda_named_kernel *kernels, size_t count)
{
    assert_string_equal(kernels->name, "product");
}
void cuda_session_freed(uint64_t bytes) {}

/* ---- The tests ---- */

static struct cuda_session session = {.threads = 2};

static struct family_run begin(const char *kernel, const char *settings, struct cuda_point *p)
{
    struct family_run run = family_run_new(kernel, settings);
    if (!session.staging)
        session.staging = malloc(CUDA_STAGING_BYTES);
    *p = (struct cuda_point){.session = &session, .seed = 21};
    launches = 0;
    return run;
}

/* All of C in portions of so many elements at most is the reference. */
static void assert_panels(const char *kernel, const char *settings, uint64_t most, int portions)
{
    struct cuda_point p;
    struct family_run run = begin(kernel, settings, &p);
    struct inputs inputs = {.setup = &run.setup, .seed = 21};
    const struct buffer *out = &run.setup.buffer[2];
    p.point = &run.point;
    p.family = run.family;
    run.inputs.setup = &run.setup;
    run.family->reference(&run.point, &run.inputs, 2, 0, out->count, run.data[2]);
    struct cuda_product *product = cuda_product_open(&p, &inputs);
    assert_non_null(product);
    struct verification v = verify_start(run.family, &run.point, &inputs, 2);
    v.whole = true;
    struct verify_plan plan = verify_plan_for(&v, 2, 21);
    uint64_t portion = cuda_product_portion(product, most);
    for (uint64_t first = 0; first < out->count; first += portion) {
        uint64_t count = out->count - first < portion ? out->count - first : portion;
        v.panel.values = cuda_product_multiply(product, first, count);
        v.panel.first = first;
        assert_non_null(v.panel.values);
        verify_range(&v, &plan, first, count, (char *)run.data[2] + first * dtype_size(out->dtype));
    }
    cuda_product_close(product);
    assert_true(verify_passed(&v) && v.error_max == 0);
    assert_true(v.compared == out->count && v.by_product == out->count);
    assert_int_equal(launches, portions);
    assert_int_equal(allocations, 0);
}

TEST(panels)
{
    assert_panels("matmul", "m=133 n=70 k=1000", UINT64_C(1) << 30, 1);
    assert_panels("matmul", "m=133 n=70 k=1000", 70 * 40 + 69, 4);
    assert_panels("tensor_matmul", "m=133 n=72 k=520 dtype=f16", 72, 133);
    assert_panels("tensor_matmul", "variant=wgmma sparse=on dtype=e4m3 m=133 n=72 k=1056", 72 * 100, 2);
    assert_panels("tensor_matmul", "m=40 n=72 k=1056 dtype=u8", 72 * 20, 2);
}

/* Operands in more than one portion of the staging memory: 64 MiB. */
TEST(long_rows)
{
    assert_panels("tensor_matmul", "m=24 n=8 k=1048576", UINT64_C(1) << 30, 1);
}

TEST(a_wrong_product)
{
    struct cuda_point p;
    struct family_run run = begin("matmul", "m=133 n=70 k=100", &p);
    struct inputs inputs = {.setup = &run.setup, .seed = 21};
    p.point = &run.point;
    p.family = run.family;
    struct cuda_product *product = cuda_product_open(&p, &inputs);
    wrong = true;
    assert_null(cuda_product_multiply(product, 70, 70 * 50));
    wrong = false;
    assert_non_null(cuda_product_multiply(product, 70, 70 * 50));
    cuda_product_abandon(&session); /* as after a failure */
    assert_int_equal(allocations, 0);
    cuda_product_close(product);
}

TEST(no_room)
{
    struct cuda_point p;
    struct family_run run = begin("matmul", "m=133 n=70 k=100", &p);
    struct inputs inputs = {.setup = &run.setup, .seed = 21};
    p.point = &run.point;
    p.family = run.family;
    available = CUDA_RESERVED_BYTES + 1000;
    assert_null(cuda_product_open(&p, &inputs));
    available = UINT64_C(8) << 30;
    assert_int_equal(allocations, 0);
}
