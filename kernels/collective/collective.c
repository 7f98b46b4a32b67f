/* collective - operations of NCCL over the first devices of a node: one process drives all of them, as
 * nccl-tests does with -g.
 *
 * `size` is counted as nccl-tests counts it: the larger of what a device gives and what it gets. bandwidth is
 * size / time, the algorithm bandwidth of nccl-tests; bus_bandwidth is the bytes that each device has to send
 * in a ring over its link / time, and so compares with a link (peer_copy). Sums are of values that are exact
 * in their type in any order: outputs are bitwise equal to the reference. With gpus=1 all is within one
 * device. NCCL is in nccl.c. */
#include "family/rules.h"

#include <stdio.h>

#include "kernels/collective/collective.h"

static const char *const algorithms[] = {"default", "ring", "tree", "nvls", NULL};
static const char *const protocols[] = {"default", "ll", "ll128", "simple", NULL};
static const char *const launches[] = {"alone", "back_to_back", NULL};
static const char *const places[] = {"no", "yes", NULL};

static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_WORDS("variant", "the operation; send_recv: each device to the next one in a ring",
                           "all_reduce", collective_operations, false),
    [GPUS] = AXIS_NUMBER("gpus", "devices", "the first so many devices of the node; 1: within one device",
                         "1", 1, DEVICES_MAX, false),
    [SIZE] = {.name = "size",
              .kind = AXIS_BYTES,
              .unit = "bytes",
              .summary = "bytes as nccl-tests counts them, rounded down to equal parts of whole elements",
              .standard = "256MiB",
              .least = 1,
              .most = INT64_C(1) << 44},
    [DTYPE] = {.name = "dtype",
               .kind = AXIS_WORD,
               .unit = "",
               .summary = "element type",
               .standard = "f32",
               .words = dtype_words},
    [IN_PLACE] = AXIS_WORDS("in_place", "whether outputs replace inputs", "no", places, false),
    [ALGORITHM] = AXIS_WORDS("algorithm", "NCCL's algorithm; default: as NCCL chooses it", "default",
                             algorithms, false),
    [PROTOCOL] =
        AXIS_WORDS("protocol", "NCCL's protocol; default: as NCCL chooses it", "default", protocols, false),
    [LAUNCH] = {.name = "launch",
                .kind = AXIS_WORD,
                .unit = "",
                .summary = "alone: all devices wait for the end of an operation before the next one; "
                           "back_to_back: 20 in the devices' streams, as nccl-tests times them",
                .standard = "alone",
                .words = launches,
                .late = true},
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* What resumed runs compare. The library and its version are not part of it. */
static const char source[] =
    "// collective has no device code of its own: it queues ncclAllReduce, ncclAllGather, "
    "ncclReduceScatter,\n"
    "// ncclBroadcast, ncclSend and ncclRecv of the installed NCCL, once per device within a group.\n";

/* ---- Sizes ---- */

static bool is_sum(const struct point *point)
{
    return operation_of(point) == ALL_REDUCE || operation_of(point) == REDUCE_SCATTER;
}

/* Sends and receives, for which NCCL has no algorithm to choose. */
static bool is_point_to_point(const struct point *point)
{
    return operation_of(point) == ALL_TO_ALL || operation_of(point) == SEND_RECV;
}

/* Elements of the larger of a device's input and output. */
static uint64_t whole_of(const struct point *point)
{
    return collective_part(point) * (collective_has_parts(point) ? (uint64_t)devices_of(point) : 1);
}

static uint64_t bytes_of(const struct point *point)
{
    return whole_of(point) * dtype_size(type_of(point));
}

/* Bytes that each device sends over its link if the operation goes round a ring: what nccl-tests makes its
 * bus bandwidth of. 2 (n - 1) / n, (n - 1) / n or 1 times the size. In one device: none. */
static uint64_t bus_bytes(const struct point *point)
{
    double n = devices_of(point), bytes = (double)bytes_of(point);
    if (n < 2)
        return 0;
    if (operation_of(point) == ALL_REDUCE)
        bytes *= 2 * (n - 1) / n;
    else if (collective_has_parts(point))
        bytes *= (n - 1) / n;
    return (uint64_t)(bytes + 0.5);
}

static struct work work(const struct point *point)
{
    return (struct work){.bytes_written = bytes_of(point), .bus_bytes = bus_bytes(point)};
}

/* ---- Unsupported points ---- */

static const char *skip_choice(const struct point *point, char *reason, size_t size)
{
    enum algorithm algorithm = (enum algorithm)point->value[ALGORITHM];
    bool has[] = {
        [ALGORITHM_DEFAULT] = true,
        [RING] = true,
        [TREE] = operation_of(point) == ALL_REDUCE,
        [NVLS] = operation_of(point) != BROADCAST,
    };
    if (is_point_to_point(point) &&
        (algorithm != ALGORITHM_DEFAULT || point->value[PROTOCOL] != PROTOCOL_DEFAULT))
        snprintf(reason, size,
                 "%s is sends and receives, for which NCCL has no algorithm and no protocol to choose",
                 collective_operations[operation_of(point)]);
    else if (!has[algorithm])
        snprintf(reason, size, "NCCL has no %s of algorithm %s", collective_operations[operation_of(point)],
                 algorithms[algorithm]);
    else if (algorithm == NVLS && (point->value[PROTOCOL] == LL || point->value[PROTOCOL] == LL128))
        snprintf(reason, size, "algorithm nvls has the protocol simple only");
    else if (algorithm != ALGORITHM_DEFAULT && devices_of(point) == 1)
        snprintf(reason, size, "within one device NCCL has no algorithm to choose");
    else
        return NULL;
    return reason;
}

static const char *skip_place(const struct point *point, const struct target *target)
{
    if (is_point_to_point(point))
        return "sends and receives cannot be in place";
    if (devices_of(point) == 1)
        return "in place within one device there is nothing to do";
    return target->host ? "the host back end runs the reference, which is not in place" : NULL;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    enum dtype dtype = type_of(point);
    const char *why = skip_choice(point, reason, size);
    if (!why && is_in_place(point))
        why = skip_place(point, target);
    if (!why && point->value[LAUNCH] == BACK_TO_BACK && point->value[CACHE] == CACHE_CLEAN)
        why = "back to back, an operation meets what the one before has left in L2";
    if (why)
        return why;
    if (!collective_part(point)) {
        snprintf(reason, size, "size is too small: a device's part has at least %d bytes",
                 collective_has_parts(point) ? COLLECTIVE_PART_BYTES : (int)dtype_size(dtype));
        return reason;
    }
    return is_sum(point) && !target->host && (dtype == DTYPE_E4M3 || dtype == DTYPE_E5M2)
               ? rules_capability("NCCL's sum of fp8", 90, point, target, reason, size)
               : NULL;
}

/* ---- Buffers ---- */

/* All bits of what is only moved. Of floating-point sums whole numbers from 0 on, so small that a sum of
 * eight is exact. */
static struct fill fill_of(const struct point *point)
{
    static const uint64_t numbers[DTYPE_COUNT] = {
        [DTYPE_F16] = 256,     [DTYPE_BF16] = 32, [DTYPE_F32] = 1 << 20,
        [DTYPE_F64] = 1 << 20, [DTYPE_E4M3] = 3,  [DTYPE_E5M2] = 2,
    };
    uint64_t most = is_sum(point) ? numbers[type_of(point)] : 0;
    return most ? (struct fill){.kind = FILL_RANDOM, .high = (float)most, .modulus = most}
                : (struct fill){.kind = FILL_RANDOM, .low = -1, .high = 1};
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const char *const in_names[DEVICES_MAX] = {"in0", "in1", "in2", "in3", "in4", "in5", "in6", "in7"};
    static const char *const out_names[DEVICES_MAX] = {"out0", "out1", "out2", "out3",
                                                       "out4", "out5", "out6", "out7"};
    (void)target;
    uint64_t part = collective_part(point), whole = whole_of(point);
    struct setup s = {.engine = ENGINE_CALL, .grid = {1, 1, 1}, .block = {1, 1, 1}, .carveout = -1};
    s.in_a_row = point->value[LAUNCH] == BACK_TO_BACK ? COLLECTIVE_IN_A_ROW : 0;
    for (int d = 0; d < devices_of(point); d++) {
        struct buffer *in = &s.buffer[collective_input(point, d)],
                      *out = &s.buffer[collective_output(point, d)];
        if (operation_of(point) != BROADCAST || d == 0) {
            *in = buffer_input(in_names[d], type_of(point), operation_of(point) == ALL_GATHER ? part : whole,
                               fill_of(point));
            in->device = d;
        }
        bool has_input = in == out; /* in place */
        *out = buffer_output(out_names[d], type_of(point),
                             operation_of(point) == REDUCE_SCATTER && !is_in_place(point) ? part : whole);
        out->device = d;
        if (has_input) {
            out->role = BUFFER_IN_PLACE;
            out->fill = fill_of(point);
        }
        s.buffers = collective_output(point, d) + 1;
    }
    return s;
}

/* ---- The reference ---- */

enum { PORTION = 1024 }; /* elements */

/* Sums wrap around, as the device's do. */
static void sum_integers(const struct point *point, const struct inputs *inputs, uint64_t first,
                         uint64_t count, void *out)
{
    enum dtype dtype = type_of(point);
    uint64_t size = dtype_size(dtype), sum[PORTION] = {0}, elements[PORTION];
    for (int d = 0; d < devices_of(point); d++) {
        inputs_load_range(inputs, collective_input(point, d), first, count, elements);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t element = 0;
            memcpy(&element, (const char *)elements + i * size, size); /* little-endian */
            sum[i] += element;
        }
    }
    for (uint64_t i = 0; i < count; i++)
        memcpy((char *)out + i * size, &sum[i], size);
}

static void sum_reals(const struct point *point, const struct inputs *inputs, uint64_t first, uint64_t count,
                      void *out)
{
    double sum[PORTION] = {0}, values[PORTION];
    uint64_t elements[PORTION]; /* aligned for any type */
    for (int d = 0; d < devices_of(point); d++) {
        inputs_real_range(inputs, collective_input(point, d), first, count, values);
        for (uint64_t i = 0; i < count; i++)
            sum[i] += values[i];
    }
    dtype_store_range(type_of(point), elements, sum, count);
    memcpy(out, elements, count * dtype_size(type_of(point)));
}

static void sum_range(const struct point *point, const struct inputs *inputs, uint64_t first, uint64_t count,
                      void *out)
{
    enum dtype dtype = type_of(point);
    bool whole = dtype == DTYPE_U8 || dtype == DTYPE_I32 || dtype == DTYPE_I64;
    for (uint64_t done = 0, some; done < count; done += some) {
        char *at = (char *)out + done * dtype_size(dtype);
        some = count - done < PORTION ? count - done : PORTION;
        if (whole)
            sum_integers(point, inputs, first + done, some, at);
        else
            sum_reals(point, inputs, first + done, some, at);
    }
}

/* Elements [first, first + count) of a device's output, which lie in one part of it. */
static void reference_of_part(const struct point *point, const struct inputs *inputs, int device,
                              uint64_t part, uint64_t first, uint64_t count, void *out)
{
    uint64_t length = collective_part(point), within = first - part * length;
    int n = devices_of(point), from = device;
    switch (operation_of(point)) {
    case ALL_REDUCE:
        sum_range(point, inputs, first, count, out);
        return;
    case REDUCE_SCATTER: /* in place, the other parts keep what they had */
        if (!is_in_place(point) || part == (uint64_t)device) {
            sum_range(point, inputs, (uint64_t)device * length + within, count, out);
            return;
        }
        break;
    case ALL_GATHER:
        from = (int)part;
        first = is_in_place(point) ? first : within;
        break;
    case ALL_TO_ALL:
        from = (int)part;
        first = (uint64_t)device * length + within;
        break;
    case BROADCAST:
        break;
    case SEND_RECV:
        from = (device + n - 1) % n;
        break;
    }
    inputs_load_range(inputs, collective_input(point, from), first, count, out);
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint64_t length = collective_part(point), size = dtype_size(type_of(point));
    for (uint64_t done = 0, some; done < count; done += some) {
        uint64_t at = first + done, part = at / length, left = (part + 1) * length - at;
        some = count - done < left ? count - done : left;
        reference_of_part(point, inputs, inputs->setup->buffer[buffer].device, part, at, some,
                          (char *)out + done * size);
    }
}

/* The first so many devices of the node. */
static struct devices devices(const struct point *point)
{
    struct devices devices = {.count = devices_of(point) > 1 ? devices_of(point) : 0};
    for (int d = 0; d < devices.count; d++)
        devices.ordinal[d] = d;
    return devices;
}

const struct family family_collective = {
    .space = {.kernel = "collective", .axes = axes, .count = AXES},
    .summary =
        "collectives of NCCL over the devices of a node, by algorithm and protocol, in and out of place",
    .node_exclusive = true,
    .memory = MEMORY_PEER,
    .data_axes = FAMILY_AXIS(VARIANT) | FAMILY_AXIS(GPUS) | FAMILY_AXIS(SIZE) | FAMILY_AXIS(DTYPE) |
                 FAMILY_AXIS(IN_PLACE),
    .source = source,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .devices = devices,
    .open_call = collective_open_call,
    .call = collective_call,
    .close_call = collective_close_call,
};
