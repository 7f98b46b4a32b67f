/* collective.h - what the descriptor (collective.c) and the calls (calls.c) share: axes, and who has which
 * part (parts.c). */
#pragma once

#include "family/family.h"

enum { VARIANT, GPUS, SIZE, DTYPE, IN_PLACE, ALGORITHM, PROTOCOL, LAUNCH, CACHE, ARCH, AXES };

/* Values of the axes, in the order of their words. ALL_TO_ALL and SEND_RECV are sends and receives in a
 * group: they have no algorithm. */
enum operation { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST, SEND_RECV };
enum algorithm { ALGORITHM_DEFAULT, RING, TREE, NVLS };
enum protocol { PROTOCOL_DEFAULT, LL, LL128, SIMPLE };
enum collective_launch { ALONE, BACK_TO_BACK };
extern const char *const collective_operations[];

/* Operations of a sample of back_to_back: the default of nccl-tests (-n). */
enum { COLLECTIVE_IN_A_ROW = 20 };

static inline enum operation operation_of(const struct point *point)
{
    return (enum operation)point->value[VARIANT];
}

static inline enum dtype type_of(const struct point *point)
{
    return (enum dtype)point->value[DTYPE];
}

static inline int devices_of(const struct point *point)
{
    return (int)point->value[GPUS];
}

static inline bool is_in_place(const struct point *point)
{
    return point->value[IN_PLACE];
}

/* nccl-tests makes the part of each device a multiple of so many bytes. */
enum { COLLECTIVE_PART_BYTES = 16 };

/* Does the operation deal in parts, one of each device? */
bool collective_has_parts(const struct point *point);

/* Elements of a device's part, or of a whole buffer if the operation has no parts. */
uint64_t collective_part(const struct point *point);

/* Index of a device's input; in a broadcast only the first one has any. In place, it is its output. */
int collective_input(const struct point *point, int device);
int collective_output(const struct point *point, int device);

/* The functions of the family. */
int collective_open_call(struct call *call);
int collective_call(struct call *call);
void collective_close_call(struct call *call);
