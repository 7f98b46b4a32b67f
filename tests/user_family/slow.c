/* A call that takes DELAY microseconds on the host, for tests of which code was measured. With -DHELPER=NAME
 * a function of that name takes the time, of this file with -DOWN, else of a library. */
#include <string.h>
#include <unistd.h>

#include "family/rules.h"

#ifndef BYTES
#define BYTES (uint64_t) point->value[SIZE]
#endif
#ifndef WORD
#define WORD "w"
#endif

#ifdef HELPER
void HELPER(void);
#ifdef OWN
void HELPER(void)
{
    usleep(DELAY);
}
#endif
#define WAIT() HELPER()
#else
#define WAIT() usleep(DELAY)
#endif

static const char *const variants[] = {"v", WORD, NULL};
enum { VARIANT, SIZE, DTYPE, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "v"),
    [SIZE] = AXIS_SIZE("4KiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)point, (void)target, (void)reason, (void)size;
    return NULL;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    uint64_t count = (uint64_t)point->value[SIZE] / 4;
    (void)target;
    return (struct setup){
        .engine = ENGINE_CALL,
        .buffer = {buffer_output("a", DTYPE_F32, count), buffer_input("b", DTYPE_F32, count, random)},
        .buffers = 2,
        .carveout = -1};
}

static struct work work(const struct point *point)
{
    return (struct work){.bytes_read = BYTES, .bytes_written = BYTES};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)point, (void)buffer;
    for (uint64_t i = 0; i < count; i++)
        ((float *)out)[i] = (float)inputs_real(inputs, 1, first + i);
}

static int call(struct call *call)
{
    WAIT();
    memcpy(call->buffer[0], call->buffer[1], (size_t)call->point->value[SIZE]);
    return 0;
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {.space = {.kernel = "slow", .axes = axes, .count = AXES},
                                        .summary = "a call of a fixed duration",
                                        .skip = skip,
                                        .setup = setup,
                                        .work = work,
                                        .tolerance = rules_exact,
                                        .reference = reference,
                                        .call = call,
                                        .call_on_host = true};
