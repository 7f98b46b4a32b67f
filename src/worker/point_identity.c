#include "base/hash.h"
#include "worker/stages.h"

static uint64_t hash_all(uint64_t hash, const uint64_t *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = hash_u64(hash, value[i]);
    return hash;
}
#define HASH_ALL(hash, ...)                                                                                  \
    hash_all(hash, (const uint64_t[]){__VA_ARGS__}, sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

/* Without contents and names. */
static uint64_t hash_buffer(uint64_t hash, const struct buffer *b)
{
    hash = hash_text(hash, dtype_words[b->dtype]);
    return HASH_ALL(hash, b->role, b->count, b->on_host, b->pageable, b->write_combined, (uint64_t)b->numa,
                    (uint64_t)b->device);
}

uint64_t identity_launch(const struct setup *s)
{
    uint64_t hash =
        HASH_ALL(HASH_START, s->engine, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1],
                 s->block[2], s->shared_dynamic, (uint64_t)s->carveout, s->programmatic_launch, s->shape[0],
                 s->shape[1], s->shape[2], s->shape[3], s->host_copy.chunks, s->host_copy.streams,
                 s->l2.window, (uint64_t)s->l2.buffer, (uint64_t)(1e6F * s->l2.hit_ratio), s->l2.fetch,
                 (uint64_t)s->parts, (uint64_t)s->group, s->idle, s->in_a_row, s->sets);
    for (int i = 0; i < s->buffers; i++)
        hash = hash_buffer(hash, &s->buffer[i]);
    for (int i = 0; i < s->arguments; i++)
        hash = HASH_ALL(hash, s->argument[i].kind, s->argument[i].value);
    for (int i = 0; i < SETUP_TENSORS_MAX; i++) {
        const struct tensor *t = &s->tensor[i];
        hash =
            HASH_ALL(hash, (uint64_t)t->buffer, t->rows, t->columns, t->box_rows, t->box_columns, t->swizzle);
    }
    return hash;
}

/* Whether a launch of a call is a graph, the call decides. Whether one of a kernel is, depends on its
 * duration. */
uint64_t identity_protocol(const struct trial *trial)
{
    const enum timer_kind timer = trial->result->timer;
    const bool graph = trial->setup.engine == ENGINE_CALL && timer == TIMER_GRAPH;
    uint64_t hash = hash_text(HASH_START, cache_words[trial->cache]);
    return HASH_ALL(hash, CONFIG_RULES, trial->config->timing.clock,
                    timer == TIMER_GRAPH || timer == TIMER_SINGLE, graph);
}
