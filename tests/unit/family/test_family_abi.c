/* What is compiled into users' families must not move under them: sizes, offsets and numbers of family.h and
 * of the headers that it includes, for this FAMILY_ABI. Nothing runs: it compiles, or it does not. */
#include <stdio.h>

#include "family/family.h"

#define CHANGED "raise FAMILY_ABI when you change this, and write the new layout here"

_Static_assert(FAMILY_ABI == 17, "write the layout of the new FAMILY_ABI here");
_Static_assert(sizeof(void *) == 8, "the layouts here are of 64-bit machines");

/* The members of a struct, of BYTES in all, each with its offset. */
#define LAYOUT(type, bytes, members)                                                                         \
    __attribute__((unused)) static void layout_of_##type(void)                                               \
    {                                                                                                        \
        typedef struct type checked;                                                                         \
        _Static_assert(sizeof(checked) == (bytes), CHANGED);                                                 \
        members                                                                                              \
    }
#define AT(byte, member)    _Static_assert(offsetof(checked, member) == (byte), CHANGED);
#define NUMBER(name, value) _Static_assert((name) == (value), CHANGED);

/* clang-format off */
LAYOUT(axis, 72, AT(8, kind) AT(32, standard) AT(40, words) AT(56, most) AT(64, compiled) AT(65, late))
LAYOUT(space, 24, AT(8, axes) AT(16, count))
LAYOUT(point, 200, AT(8, value))
LAYOUT(target, 48, AT(4, multiprocessors) AT(8, l2_bytes) AT(32, shared_sm_bytes) AT(40, threads_sm) AT(44, host))
LAYOUT(fill, 40, AT(4, low) AT(32, modulus))
LAYOUT(buffer, 80, AT(8, role) AT(12, dtype) AT(16, count) AT(24, fill) AT(64, on_host) AT(65, pageable)
    AT(66, write_combined) AT(68, numa) AT(72, device))
LAYOUT(argument, 16, AT(8, value))
LAYOUT(tensor, 40, AT(8, rows) AT(24, box_rows) AT(32, swizzle))
LAYOUT(host_copy, 8, AT(4, streams))
LAYOUT(l2_policy, 24, AT(8, buffer) AT(12, hit_ratio) AT(16, fetch))
LAYOUT(setup, 1840, AT(8, entry) AT(16, buffer) AT(1296, buffers) AT(1304, argument) AT(1560, arguments)
    AT(1568, tensor) AT(1688, grid) AT(1700, block) AT(1712, shared_dynamic) AT(1716, carveout)
    AT(1720, programmatic_launch) AT(1728, constant) AT(1736, constant_buffer) AT(1744, shape) AT(1776, host_copy)
    AT(1784, l2) AT(1808, parts) AT(1812, group) AT(1816, idle) AT(1820, in_a_row) AT(1824, sets)
    AT(1828, rows_compared) AT(1832, rows))
LAYOUT(devices, 36, AT(4, ordinal))
LAYOUT(work, 48, AT(8, bytes_written) AT(16, flops) AT(24, special) AT(32, bus_bytes) AT(40, flops_of_zeros))
LAYOUT(inputs, 160, AT(8, data) AT(136, seed) AT(144, threads) AT(152, parallel))
LAYOUT(tolerance, 24, AT(8, absolute) AT(16, rms))
LAYOUT(access, 288, AT(4, store) AT(5, behind) AT(6, random) AT(7, atomic) AT(8, buffer) AT(12, width) AT(16, active)
    AT(24, address) AT(280, times))
LAYOUT(observation, 24, AT(16, latency_p95))
LAYOUT(call, 544, AT(16, buffer) AT(144, stream) AT(152, devices) AT(156, ordinal) AT(192, device_stream)
    AT(256, workspace) AT(264, workspace_bytes) AT(272, state) AT(280, reason) AT(536, unsupported)
    AT(537, unavailable) AT(540, library_version))
LAYOUT(family, 224, AT(24, summary) AT(32, node_exclusive) AT(33, materialise) AT(34, tensor_cores) AT(36, memory)
    AT(40, data_axes) AT(48, source) AT(56, claims) AT(64, code) AT(72, headers) AT(80, loaded) AT(88, skip)
    AT(96, setup) AT(104, work) AT(112, tolerance) AT(120, reference) AT(128, access) AT(136, observe)
    AT(144, devices) AT(152, open_call) AT(160, call) AT(168, close_call) AT(176, call_on_host) AT(184, failure)
    AT(192, pipeline) AT(200, chain) AT(208, product) AT(216, operand))
LAYOUT(product_shape, 24, AT(8, n) AT(16, k))
LAYOUT(chain, 40, AT(8, count) AT(32, bytes))

NUMBER(POINT_AXES_MAX, 24)
NUMBER(DEVICES_MAX, 8)
NUMBER(SETUP_BUFFERS_MAX, 16)
NUMBER(SETUP_ARGUMENTS_MAX, 16)
NUMBER(SETUP_TENSORS_MAX, 3)
NUMBER(AXIS_ARCH, 3)
NUMBER(CACHE_ROTATE, 3)
NUMBER(DTYPE_F16, 3)
NUMBER(DTYPE_F64, 6)
NUMBER(DTYPE_E5M2, 8)
NUMBER(DTYPE_E8M0, 10)
NUMBER(FILL_FEISTEL, 3)
NUMBER(FILL_METADATA, 6)
NUMBER(BUFFER_REPORT, 4)
NUMBER(BUFFER_IN_PLACE, 5)
NUMBER(ARGUMENT_TEXTURE, 5)
NUMBER(ARGUMENT_PART, 7)
NUMBER(SWIZZLE_128B, 3)
NUMBER(ENGINE_HOST_COPY, 5)
NUMBER(ACCESS_SHARED, 1)
NUMBER(ACCESS_CLUSTER, 2)
NUMBER(ENGINE_PEER_COPY, 10)
NUMBER(ENGINE_PEER_COPIES, 11)
NUMBER(ENGINE_CALL, 12)
NUMBER(MEMORY_NONE, 3)
NUMBER(MEMORY_PEER, 4)
/* clang-format on */

int main(void)
{
    printf("FAMILY_ABI %d is laid out as it was\n", FAMILY_ABI);
    return 0;
}
