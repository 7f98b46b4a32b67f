#include "family/python/python.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define KEPT_MAX     2  /* the two versions of a pair */
#define FAILURES_MAX 64 /* more points than are verified before the failure is asked for */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct whole {
    uint64_t key;
    void *data[SETUP_BUFFERS_MAX]; /* outputs; owned */
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

static void free_data(void *data[SETUP_BUFFERS_MAX])
{
    for (int b = 0; b < SETUP_BUFFERS_MAX; b++) {
        free(data[b]);
        data[b] = NULL;
    }
}

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

static void compute(struct whole *whole, const struct point *point, const struct inputs *inputs,
                    whole_compute function)
{
    const struct setup *setup = inputs->setup;
    struct error error = {0};
    void *address[SETUP_BUFFERS_MAX] = {NULL};
    for (int b = 0; b < setup->buffers; b++) {
        const struct buffer *buffer = &setup->buffer[b];
        if (buffer->role != BUFFER_SCRATCH)
            address[b] = memory_new(buffer->count, element_bytes(buffer->dtype));
        struct filling filling = {inputs, b, address[b]};
        if (buffer->role == BUFFER_INPUT)
            inputs_parallel(inputs, buffer->count, UINT64_C(1) << 16, fill_some, &filling);
    }
    int wrong = function(point, address, &error);
    for (int b = 0; b < setup->buffers; b++)
        if (setup->buffer[b].role == BUFFER_OUTPUT && !wrong) {
            whole->data[b] = address[b];
            address[b] = NULL;
        }
    free_data(address);
    if (!wrong)
        return;
    struct failure *failure = &failed[failures++ % FAILURES_MAX];
    failure->key = key_of(point, setup);
    snprintf(failure->text, sizeof failure->text, "%.255s", error.text);
}

static const struct whole *find(const struct point *point, const struct inputs *inputs,
                                whole_compute function)
{
    uint64_t key = hash_u64(key_of(point, inputs->setup), inputs->seed);
    for (int i = 0; i < KEPT_MAX; i++)
        if (kept[i].key == key)
            return &kept[i];
    struct whole *whole = &kept[oldest];
    oldest = (oldest + 1) % KEPT_MAX;
    free_data(whole->data);
    whole->key = key;
    compute(whole, point, inputs, function);
    return whole;
}

void whole_copy(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                uint64_t count, void *out, whole_compute function)
{
    enum dtype dtype = inputs->setup->buffer[buffer].dtype;
    pthread_mutex_lock(&mutex); /* held while copying, too: another thread may evict */
    const char *data = find(point, inputs, function)->data[buffer];
    if (data) {
        data += first * element_bytes(dtype);
        if (is_real(dtype))
            dtype_store_range(dtype, out, (const double *)data, count);
        else
            memcpy(out, data, count * dtype_size(dtype));
    }
    pthread_mutex_unlock(&mutex);
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
