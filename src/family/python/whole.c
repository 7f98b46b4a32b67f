#include "family/python/python.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"

#define KEPT_MAX     2  /* the two versions of a pair */
#define FAILURES_MAX 64 /* more points than are verified before the failure is asked for */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  /* over failures */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* over what is kept: read while it is copied */
static struct whole {
    uint64_t key;
    struct whole_arrays arrays; /* inputs are given back once the outputs are computed */
} kept[KEPT_MAX];
static int oldest;
static struct failure {
    uint64_t key;
    char text[256];
} failed[FAILURES_MAX];
static int failures;

static bool is_real(enum dtype dtype)
{
    return dtype != DTYPE_U8 && dtype != DTYPE_I32 && dtype != DTYPE_I64;
}

static uint64_t element_bytes(enum dtype dtype)
{
    return is_real(dtype) ? sizeof(double) : dtype_size(dtype);
}

/* Points of one data key have the same data by their family's word; what the reference is asked for is
 * hashed, too. Two versions have the same inputs, and may have two references. */
static uint64_t key_of(const struct point *point, const struct setup *setup)
{
    uint64_t key = hash_u64(family_data_key(point), (uint64_t)(uintptr_t)family_of(point)->source);
    for (int b = 0; b < setup->buffers; b++) {
        const struct buffer *buffer = &setup->buffer[b];
        key = hash_u64(hash_u64(key, buffer->count), (uint64_t)buffer->dtype << 8 | (uint64_t)buffer->role);
        key = hash_u64(hash_u64(key, (uint64_t)buffer->fill.kind), buffer->fill.modulus);
        key = hash_bytes(key, &buffer->fill.low, sizeof buffer->fill.low);
        key = hash_bytes(key, &buffer->fill.high, sizeof buffer->fill.high);
    }
    return key;
}

/* ---- Memory that the process of references shares ---- */

static uint64_t page_up(uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Outputs lie first, whole pages of them, and inputs behind. */
static void place(const struct setup *setup, enum buffer_role role, struct whole_arrays *arrays)
{
    for (int b = 0; b < setup->buffers; b++) {
        const struct buffer *buffer = &setup->buffer[b];
        if (buffer->role != role)
            continue;
        arrays->offset[b] = arrays->bytes;
        arrays->size[b] = buffer->count * element_bytes(buffer->dtype);
        arrays->bytes += (arrays->size[b] + 63) / 64 * 64;
    }
    arrays->bytes = page_up(arrays->bytes);
}

static int map_arrays(const struct setup *setup, struct whole_arrays *arrays, struct error *error)
{
    *arrays = (struct whole_arrays){.file = memfd_create("reference", MFD_CLOEXEC)};
    place(setup, BUFFER_OUTPUT, arrays);
    arrays->kept = arrays->bytes;
    place(setup, BUFFER_INPUT, arrays);
    void *memory = MAP_FAILED;
    if (arrays->file >= 0 && ftruncate(arrays->file, (off_t)arrays->bytes) == 0)
        memory = mmap(NULL, arrays->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arrays->file, 0);
    if (memory == MAP_FAILED)
        return error_set(error, ERROR_ENVIRONMENT, "no memory for its reference: %s", strerror(errno));
    arrays->memory = memory;
    return 0;
}

/* Give back what lies behind the first `bytes`. */
static void shrink(struct whole_arrays *arrays, uint64_t bytes)
{
    if (arrays->memory && arrays->bytes > bytes)
        munmap(arrays->memory + bytes, arrays->bytes - bytes);
    if (arrays->file >= 0 && ftruncate(arrays->file, (off_t)bytes) != 0)
        bytes = arrays->bytes; /* it takes memory until it is closed */
    if (arrays->file >= 0)
        close(arrays->file);
    arrays->file = -1;
    arrays->bytes = bytes;
}

/* ---- Computing ---- */

struct filling {
    const struct inputs *inputs;
    int buffer;
    char *data;
};

static void fill_some(void *context, uint64_t first, uint64_t count)
{
    const struct filling *f = context;
    enum dtype dtype = f->inputs->setup->buffer[f->buffer].dtype;
    char *at = f->data + first * element_bytes(dtype);
    if (is_real(dtype))
        inputs_real_range(f->inputs, f->buffer, first, count, (double *)at);
    else
        inputs_load_range(f->inputs, f->buffer, first, count, at);
}

static int compute(struct whole_arrays *arrays, const struct point *point, const struct inputs *inputs,
                   whole_compute function, struct error *error)
{
    const struct setup *setup = inputs->setup;
    if (map_arrays(setup, arrays, error) != 0)
        return -1;
    for (int b = 0; b < setup->buffers; b++) {
        struct filling filling = {inputs, b, arrays->memory + arrays->offset[b]};
        if (setup->buffer[b].role == BUFFER_INPUT)
            inputs_parallel(inputs, setup->buffer[b].count, UINT64_C(1) << 16, fill_some, &filling);
    }
    return function(point, arrays, inputs->threads, error);
}

static void keep(struct whole *whole, const struct point *point, const struct inputs *inputs,
                 whole_compute function)
{
    struct error error = {0};
    int wrong = compute(&whole->arrays, point, inputs, function, &error);
    shrink(&whole->arrays, wrong ? 0 : whole->arrays.kept);
    if (!wrong)
        return;
    whole->arrays = (struct whole_arrays){.file = -1};
    pthread_mutex_lock(&mutex);
    struct failure *failure = &failed[failures++ % FAILURES_MAX];
    failure->key = key_of(point, inputs->setup);
    snprintf(failure->text, sizeof failure->text, "%.255s", error.text);
    pthread_mutex_unlock(&mutex);
}

static const struct whole *find(uint64_t key)
{
    for (int i = 0; i < KEPT_MAX; i++)
        if (kept[i].key == key)
            return &kept[i];
    return NULL;
}

/* In the place of the oldest, unless another thread has done it. */
static void compute_missing(const struct point *point, const struct inputs *inputs, whole_compute function,
                            uint64_t key)
{
    pthread_rwlock_wrlock(&lock);
    if (!find(key)) {
        struct whole *whole = &kept[oldest];
        oldest = (oldest + 1) % KEPT_MAX;
        if (whole->arrays.memory)
            munmap(whole->arrays.memory, whole->arrays.bytes);
        whole->key = key;
        keep(whole, point, inputs, function);
    }
    pthread_rwlock_unlock(&lock);
}

void whole_copy(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                uint64_t count, void *out, whole_compute function)
{
    enum dtype dtype = inputs->setup->buffer[buffer].dtype;
    uint64_t key = hash_u64(key_of(point, inputs->setup), inputs->seed);
    const struct whole *whole;
    pthread_rwlock_rdlock(&lock);
    while (!(whole = find(key))) {
        pthread_rwlock_unlock(&lock);
        compute_missing(point, inputs, function, key);
        pthread_rwlock_rdlock(&lock);
    }
    if (whole->arrays.memory) {
        const char *data = whole->arrays.memory + whole->arrays.offset[buffer] + first * element_bytes(dtype);
        if (is_real(dtype))
            dtype_store_range(dtype, out, (const double *)data, count);
        else
            memcpy(out, data, count * dtype_size(dtype));
    }
    pthread_rwlock_unlock(&lock);
}

const char *whole_failure(const struct point *point, const struct setup *setup)
{
    uint64_t key = key_of(point, setup);
    const char *text = NULL;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < FAILURES_MAX && !text; i++)
        text = failed[i].key == key ? failed[i].text : NULL;
    pthread_mutex_unlock(&mutex);
    return text;
}

uint64_t whole_bytes(const struct setup *setup)
{
    uint64_t bytes = 0;
    for (int b = 0; b < setup->buffers; b++)
        if (setup->buffer[b].role != BUFFER_SCRATCH)
            bytes += setup->buffer[b].count * element_bytes(setup->buffer[b].dtype);
    return bytes;
}
