#include "worker/product.h"

#include <stdlib.h>

#include "base/memory.h"
#include "worker/cuda/measure.h"
#include "worker/phases.h"

extern const char product_source[];

enum { TILE = 64, THREADS = 128 }; /* of product.cu */

#define DOWN_MAX       65535                /* blocks of a grid's second dimension */
#define PANEL_ELEMENTS (UINT64_C(8) << 20)  /* of C that are multiplied, copied back and checked at once */
#define ROW_MAX        (PANEL_ELEMENTS / 8) /* elements */

struct cuda_product {
    struct cuda_session *session;
    struct product_check *check;
    struct product_shape of;
    uint64_t pitch, bytes; /* floats of a row; of all memory on the device */
    float *a, *b;
    double *c;     /* of a panel */
    uint64_t rows; /* of C in a panel */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Copy rows of an operand to the device, as many at once as the staging memory holds. */
static void upload(struct cuda_product *product, int side, uint64_t rows, float *to)
{
    const uint64_t most = CUDA_STAGING_BYTES / (product->pitch * sizeof(float));
    cudaStream_t stream = product->session->stream;
    for (uint64_t row = 0; row < rows; row += most) {
        const uint64_t n = least(rows - row, most);
        product_load(product->check, side, row, n, (float *)product->session->staging);
        CUDA(cudaMemcpyAsync(to + row * product->pitch, product->session->staging,
                             n * product->pitch * sizeof(float), cudaMemcpyHostToDevice, stream));
        CUDA(cudaStreamSynchronize(stream));
    }
}

static void prepare(struct cuda_session *session)
{
    const struct cuda_named_kernel kernel = {"product", &session->product};
    if (session->panel)
        return;
    cuda_session_load(session, "product.cu", product_source, &kernel, 1);
    CUDA(cudaHostAlloc((void **)&session->panel, PANEL_ELEMENTS * sizeof(double), cudaHostAllocDefault));
}

void cuda_product_abandon(struct cuda_session *session)
{
    cudaFree(session->product_memory);
    session->product_memory = NULL;
}

struct cuda_product *cuda_product_open(struct cuda_point *p, const struct inputs *inputs)
{
    const struct product_shape of = p->family->product(p->point);
    const uint64_t pitch = product_pitch(&of), floats = (of.m + of.n) * pitch;
    const uint64_t rows = least(least(PANEL_ELEMENTS / of.n, of.m), (uint64_t)TILE * DOWN_MAX);
    const uint64_t bytes = floats * sizeof(float) + rows * of.n * sizeof(double);
    if (of.n > ROW_MAX || pitch * sizeof(float) > CUDA_STAGING_BYTES ||
        bytes + CUDA_RESERVED_BYTES >= cuda_memory_free())
        return NULL;
    enum phase before = phases_enter(PHASE_reference);
    prepare(p->session);
    CUDA(cudaMalloc((void **)&p->session->product_memory, bytes));
    struct cuda_product *product = memory_new(1, sizeof *product);
    *product =
        (struct cuda_product){.session = p->session, .of = of, .pitch = pitch, .bytes = bytes, .rows = rows};
    product->a = (float *)p->session->product_memory;
    product->b = product->a + of.m * pitch;
    product->c = (double *)(product->a + floats);
    product->check = product_check_new(p->family, p->point, inputs, p->session->threads);
    upload(product, 1, of.n, product->b);
    upload(product, 0, of.m, product->a);
    phases_leave(before);
    return product;
}

void cuda_product_close(struct cuda_product *product)
{
    if (!product)
        return;
    enum phase before = phases_enter(PHASE_reference);
    cuda_product_abandon(product->session);
    cuda_session_freed(product->bytes);
    product_check_free(product->check);
    free(product);
    phases_leave(before);
}

uint64_t cuda_product_portion(const struct cuda_product *product, uint64_t most)
{
    return least(most / product->of.n, product->rows) * product->of.n;
}

const double *cuda_product_multiply(struct cuda_product *product, uint64_t first, uint64_t count)
{
    struct cuda_session *session = product->session;
    const uint64_t row = first / product->of.n;
    uint64_t rows = count / product->of.n, columns = product->of.n, pitch = product->pitch;
    const float *a = product->a + row * pitch;
    void *arguments[] = {&a, &product->b, &product->c, &rows, &columns, &pitch};
    cudaLaunchConfig_t launch = {
        .gridDim = {(unsigned)((columns + TILE - 1) / TILE), (unsigned)((rows + TILE - 1) / TILE), 1},
        .blockDim = {THREADS, 1, 1},
        .stream = session->stream};
    enum phase before = phases_enter(PHASE_reference);
    CUDA(cudaLaunchKernelExC(&launch, session->product, arguments));
    session->launches++;
    CUDA(cudaMemcpyAsync(session->panel, product->c, count * sizeof(double), cudaMemcpyDeviceToHost,
                         session->stream));
    CUDA(cudaStreamSynchronize(session->stream));
    bool right = product_agrees(product->check, row, rows, session->panel);
    phases_leave(before);
    return right ? session->panel : NULL;
}
