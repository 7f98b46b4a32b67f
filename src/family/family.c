#include "family/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "core/device.h"
#include "family/code_list.h"
#include "family/rules.h"
#include "family/versions.h"

static uint64_t known(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

struct target target_of_device(const struct device *device)
{
    return (struct target){
        .capability = (int)known(device->capability),
        .multiprocessors = (int)known(device->multiprocessors),
        .l2_bytes = known(device->l2_bytes),
        .memory_bytes = known(device->memory_bytes),
        .shared_bytes = known(device->shared_bytes),
        .shared_sm_bytes = known(device->shared_sm_bytes),
        .threads_sm = (int)known(device->threads_sm),
        .host = !strcmp(device->backend, "host"),
    };
}

const struct family *family_in(const struct family *const *table, const char *kernel)
{
    for (; *table; table++)
        if (!strcmp((*table)->space.kernel, kernel))
            return *table;
    return NULL;
}

const struct family *family_of(const struct point *point)
{
    const struct family *family = (const struct family *)point->space; /* `space` is the first member */
    int axis = versions_axis(point->space);
    return axis < 0 ? family : versions_pick(family, point->value[axis]);
}

struct devices family_devices(const struct point *point)
{
    const struct family *family = family_of(point);
    return family->devices ? family->devices(point) : (struct devices){.count = 0};
}

static int within(int count, int most)
{
    if (count < 0)
        return 0;
    return count < most ? count : most;
}

struct setup point_setup(const struct point *point, const struct target *target)
{
    const struct family *family = family_of(point);
    struct setup setup = family->setup(point, target);
    setup.buffers = within(setup.buffers, SETUP_BUFFERS_MAX);
    setup.arguments = within(setup.arguments, SETUP_ARGUMENTS_MAX);
    const struct code_file *code =
        family->code ? code_list_find(family->code, point, target->capability) : NULL;
    if (code && code->entry)
        setup.entry = code->entry;
    if (code && code->shared >= 0)
        setup.shared_dynamic = (uint32_t)code->shared;
    return setup;
}

bool point_is_sparse(const struct point *point)
{
    return family_of(point)->work(point).flops_of_zeros > 0;
}

bool point_slows(const struct point *point)
{
    const struct family *family = family_of(point);
    if (!family->node_exclusive)
        return point_is_sparse(point);
    struct setup setup = point_setup(point, &(struct target){.multiprocessors = 1});
    bool kernels_and_copies = setup.engine == ENGINE_PEER_COPIES && setup.entry;
    return kernels_and_copies || (setup_has_parts(&setup) && family_devices(point).count < 2);
}

arch family_arch(const struct point *point, arch native)
{
    arch wanted = point_value(point, "arch", ARCH_NATIVE);
    const struct family *family = family_of(point);
    if (wanted != ARCH_NATIVE || native == ARCH_NATIVE || !family->code)
        return wanted == ARCH_NATIVE ? native : wanted;
    const struct code_file *code = code_list_find(family->code, point, arch_capability(native));
    return code && !arch_is_virtual(code->arch) ? code->arch : native; /* PTX is assembled for the device */
}

enum { MEMORY_ALIGNMENT = 512 }; /* of a buffer; bytes */

/* Elements converted at a time: few enough to stay in the L1 cache. */
enum { PORTION = 512 };

void inputs_load_range(const struct inputs *inputs, int buffer, uint64_t first, uint64_t count,
                       void *elements)
{
    const struct buffer *b = &inputs->setup->buffer[buffer];
    if (inputs->data[buffer])
        memcpy(elements, (const char *)inputs->data[buffer] + dtype_bytes(b->dtype, first),
               dtype_bytes(b->dtype, count));
    else
        fill_range(&b->fill, b->dtype, inputs->seed + (uint64_t)buffer, first, count, elements);
}

void inputs_real_range(const struct inputs *inputs, int buffer, uint64_t first, uint64_t count,
                       double *values)
{
    enum dtype dtype = inputs->setup->buffer[buffer].dtype;
    _Alignas(64) unsigned char elements[PORTION * sizeof(uint64_t)];
    for (uint64_t done = 0; done < count; done += PORTION) {
        uint64_t n = count - done < PORTION ? count - done : PORTION;
        inputs_load_range(inputs, buffer, first + done, n, elements);
        dtype_load_range(dtype, elements, values + done, n);
    }
}

uint64_t setup_bytes(const struct setup *setup, uint64_t alignment)
{
    uint64_t bytes = 0;
    for (int i = 0; i < setup->buffers; i++)
        bytes += (dtype_bytes(setup->buffer[i].dtype, setup->buffer[i].count) + alignment - 1) / alignment *
                 alignment;
    return bytes;
}

/* Why code for `wanted` cannot run on the target, or NULL. */
static const char *skip_architecture(arch wanted, const struct target *target, char *reason, size_t size)
{
    char name[ARCH_TEXT_SIZE];
    if (wanted == ARCH_NATIVE)
        return NULL;
    arch_format(wanted, name);
    if (target->host)
        snprintf(reason, size, "the host back end runs C, not %s code", name);
    else if (target->capability && !arch_runs_on(wanted, target->capability))
        snprintf(reason, size, "%s code does not run on compute capability %d.%d", name,
                 target->capability / 10, target->capability % 10);
    else
        return NULL;
    return reason;
}

/* ---- What makes no sense in a descriptor: users write them, too ---- */

enum { BLOCK_THREADS_MOST = 1024, BLOCK_DEPTH_MOST = 64, GRID_ROWS_MOST = 65535 };

/* Printf-like; `reason`. */
#define mistake(reason, size, ...) (snprintf(reason, size, __VA_ARGS__), reason)

static const char *in_parts(const struct setup *setup, const struct devices *devices)
{
    int most = devices->count > 1 ? devices->count : 1;
    for (int b = 0; b < setup->buffers; b++)
        if (setup->buffer[b].device < 0 || (devices->count && setup->buffer[b].device >= most))
            return "a buffer of its setup is on a device that the point does not have";
    if (!setup_has_parts(setup))
        return NULL;
    if (setup->engine != ENGINE_KERNEL && setup->engine != ENGINE_PEER_COPY &&
        setup->engine != ENGINE_PEER_COPIES)
        return "its setup has `parts`, which need ENGINE_KERNEL, ENGINE_PEER_COPY or ENGINE_PEER_COPIES";
    if (setup->parts > DEVICES_MAX || (devices->count && setup->parts > devices->count))
        return "its setup has more `parts` than the point has devices";
    return setup->group < 0 || setup->parts * setup->group > setup->buffers
               ? "the groups of its `parts` are more buffers than its setup has"
               : NULL;
}

static const char *in_arguments(const struct setup *setup, char *reason, size_t size)
{
    if (setup->arguments < 0 || setup->arguments > SETUP_ARGUMENTS_MAX)
        return mistake(reason, size, "its setup has %d arguments; expected 0 to %d", setup->arguments,
                       SETUP_ARGUMENTS_MAX);
    for (int i = 0; i < setup->arguments && setup_has_code(setup); i++) {
        const struct argument *argument = &setup->argument[i];
        int buffer = BUFFER_OF(argument->value);
        switch (argument->kind) {
        case ARGUMENT_TENSOR:
            if (argument->value >= SETUP_TENSORS_MAX)
                return mistake(reason, size, "argument %d of its setup is tensor %llu; expected 0 to %d", i,
                               (unsigned long long)argument->value, SETUP_TENSORS_MAX - 1);
            buffer = setup->tensor[argument->value].buffer;
            break;
        case ARGUMENT_BUFFER:
        case ARGUMENT_TEXTURE:
        case ARGUMENT_TEXTURE_2D:
            break;
        default:
            continue;
        }
        if (buffer < 0 || buffer >= setup->buffers)
            return mistake(reason, size, "argument %d of its setup is of buffer %d, and it has %d buffers", i,
                           buffer, setup->buffers);
    }
    return NULL;
}

static const char *in_launch(const struct setup *setup, char *reason, size_t size)
{
    const uint32_t *grid = setup->grid, *block = setup->block;
    if (!grid[0] || !grid[1] || !grid[2] || grid[0] > GRID_BLOCKS_MOST || grid[1] > GRID_ROWS_MOST ||
        grid[2] > GRID_ROWS_MOST)
        return mistake(reason, size,
                       "its setup has a grid of %u x %u x %u blocks; expected each from 1, the first up to "
                       "2^31 - 1, the others up to %d",
                       grid[0], grid[1], grid[2], GRID_ROWS_MOST);
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads < 1 || block[0] > BLOCK_THREADS_MOST || block[1] > BLOCK_THREADS_MOST ||
        threads > BLOCK_THREADS_MOST || block[2] > BLOCK_DEPTH_MOST)
        return mistake(reason, size,
                       "its setup has a block of %u x %u x %u threads; expected 1 to %d, the last at most %d",
                       block[0], block[1], block[2], BLOCK_THREADS_MOST, BLOCK_DEPTH_MOST);
    return NULL;
}

static bool is_tolerance(double value)
{
    return isfinite(value) && value >= 0;
}

static const char *in_setup(const struct point *point, const struct setup *setup, char *reason, size_t size)
{
    const struct family *family = family_of(point);
    if (setup->buffers < 0 || setup->buffers > SETUP_BUFFERS_MAX)
        return mistake(reason, size, "its setup has %d buffers; expected 0 to %d", setup->buffers,
                       SETUP_BUFFERS_MAX);
    if (setup->engine >= ENGINES)
        return "its setup has an engine that this warpsweep does not have";
    if (setup->engine == ENGINE_CALL && !family->call)
        return "its setup has ENGINE_CALL, but the family has no function `call`";
    if (setup->engine == ENGINE_KERNEL && !setup->entry && !family->code)
        return "its setup has no `entry`, the name of its kernel";
    for (int b = 0; b < setup->buffers; b++) {
        if (!setup->buffer[b].name && !setup->buffer[b].count)
            return mistake(reason, size, "its setup has %d buffers, but does not describe buffer %d",
                           setup->buffers, b);
        if (buffer_is_compared(&setup->buffer[b]) && setup->buffer[b].dtype == DTYPE_E2M1)
            return "an output of its setup is of e2m1: outputs are compared by bytes";
    }
    struct devices devices = family_devices(point);
    const char *why = in_parts(setup, &devices);
    if (!why)
        why = in_arguments(setup, reason, size);
    if (!why && setup->engine == ENGINE_KERNEL)
        why = in_launch(setup, reason, size);
    return why;
}

const char *family_failure(const struct point *point, const struct target *target, char *reason, size_t size)
{
    const struct family *family = family_of(point);
    point_setup(point, target); /* only then there is a failure */
    const char *why = family->failure ? family->failure(point) : NULL;
    return why ? why : family_mistake(point, target, reason, size);
}

const char *family_mistake(const struct point *point, const struct target *target, char *reason, size_t size)
{
    const struct family *family = family_of(point);
    struct setup setup = family->setup(point, target); /* as written: point_setup has its counts in bounds */
    const char *why = in_setup(point, &setup, reason, size);
    if (why)
        return why;
    struct tolerance tolerance = family->tolerance(point);
    if (is_tolerance(tolerance.relative) && is_tolerance(tolerance.absolute) && is_tolerance(tolerance.rms))
        return NULL;
    return mistake(reason, size, "its tolerance is %g relative, %g absolute, %g rms; expected numbers from 0",
                   tolerance.relative, tolerance.absolute, tolerance.rms);
}

/* ---- Which points a target supports ---- */

/* Bytes of the buffers of the device that has the most. */
static uint64_t most_bytes(const struct setup *setup, const struct devices *devices)
{
    uint64_t most = 0;
    if (devices->count < 2)
        return setup_bytes(setup, MEMORY_ALIGNMENT);
    for (int d = 0; d < devices->count; d++) {
        struct setup own = {.buffers = 0};
        for (int b = 0; b < setup->buffers; b++)
            if (setup->buffer[b].device == d)
                own.buffer[own.buffers++] = setup->buffer[b];
        uint64_t bytes = setup_bytes(&own, MEMORY_ALIGNMENT);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Why no code takes elements of the point's type, or NULL. */
static const char *skip_type(const struct point *point, char *reason, size_t size)
{
    for (int i = 0; i < point->space->count && !family_of(point)->block_scales; i++) {
        const enum dtype dtype = (enum dtype)point->value[i];
        if (!dtype_are_words(point->space->axes[i].words) || (dtype != DTYPE_E2M1 && dtype != DTYPE_E8M0))
            continue;
        snprintf(reason, size, "%s is a type of block-scaled products alone", dtype_words[dtype]);
        return reason;
    }
    return NULL;
}

const char *family_skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    const struct family *family = family_of(point);
    const char *why = skip_architecture(point_value(point, "arch", ARCH_NATIVE), target, reason, size);
    if (!why)
        why = skip_type(point, reason, size);
    if (!why)
        why = family->skip(point, target, reason, size);
    if (!why && family->code && !code_list_find(family->code, point, target->capability))
        why = code_list_lack(family->code, point, target->capability, reason, size);
    if (why || (!target->memory_bytes && family->call))
        return why;
    if (family_mistake(point, target, reason, size))
        return NULL; /* the point fails, and tells why */
    struct setup setup = point_setup(point, target);
    struct devices devices = family_devices(point);
    if (target->host && devices.count > 1 &&
        setup.engine != ENGINE_CALL) /* of a call it runs the reference */
        return "the host back end has one device";
    if (target->host && setup.engine >= ENGINE_GEAM && setup.engine <= ENGINE_CUB_SILU_MUL &&
        setup.engine != ENGINE_HOST_COPY)
        return "the host back end has none of the vendor's libraries";
    if (!target->memory_bytes)
        return NULL;
    uint64_t bytes = most_bytes(&setup, &devices);
    if (bytes <= target->memory_bytes)
        return NULL;
    snprintf(reason, size, "its buffers need %.4g GiB; the device has %.4g GiB", (double)bytes / 0x1p30,
             (double)target->memory_bytes / 0x1p30);
    return reason;
}

/* Hashes the values and not their macros: the coordinator calls this for each of up to a million points. */
uint64_t family_code_key(const struct point *point, int capability)
{
    uint64_t key = hash_text(HASH_START, point->space->kernel);
    for (int i = 0; i < point->space->count; i++) {
        const struct axis *axis = &point->space->axes[i];
        if (axis->compiled && axis->kind != AXIS_ARCH)
            key = hash_u64(key, (uint64_t)point->value[i]);
    }
    if (versions_is_second(point))
        key = hash_text(key, VERSIONS_AXIS);
    return hash_u64(key, (uint64_t)family_arch(point, arch_of_device(capability, true)));
}

uint64_t family_data_key(const struct point *point)
{
    uint64_t axes = family_of(point)->data_axes, key = hash_text(HASH_START, point->space->kernel);
    if (!axes)
        return point_id(point);
    for (int i = 0; i < point->space->count; i++)
        key = axes & FAMILY_AXIS(i) ? hash_u64(key, (uint64_t)point->value[i]) : key;
    return key;
}
