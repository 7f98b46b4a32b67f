/* cuda_launch.h - a point on the device: its code, its buffers, and its launches, of a kernel or a call. */
#pragma once

#include <cuda.h>

#include "worker/cuda/device/cuda_device.h"

/* Compile the code of the point, or take it from memory or from the cache. Set its attributes, and fill the
 * result columns about it. */
void cuda_code_load(struct cuda_point *p, struct result *result);

/* Set the attributes of the point's kernel again, and what L2 does for it: points that share a kernel may
 * need different ones. */
void cuda_code_apply(struct cuda_point *p);

/* ---- Buffers ---- */

/* Place `sets` sets of buffers in the session's arena (fewer if memory is short, but at least one), fill
 * their inputs, zero BUFFER_ZEROED buffers, and build the launch arguments. May be called again with another
 * number. */
void cuda_point_place(struct cuda_point *p, uint32_t sets);

/* Give the BUFFER_IN_PLACE and BUFFER_ZEROED buffers of the first set their first contents again: launches
 * have changed them. */
void cuda_point_refill(struct cuda_point *p);

/* Give all buffers of the first set in device memory the contents of p->seed, and what was copied of them. */
void cuda_point_renew(struct cuda_point *p);

/* Place a single set in two steps, for several points in one arena: cuda_point_need gives the bytes of a
 * point; cuda_point_place_at places it at `arena`. `filled`: the inputs are there already, from a point that
 * it fits. */
uint64_t cuda_point_need(struct cuda_point *p);
void cuda_point_place_at(struct cuda_point *p, char *arena, bool filled);

/* Can the second point reuse the buffers of the first after it? Both need the same inputs at the same
 * offsets, and no buffer that must have its initial contents. Call cuda_point_need for the second point
 * before. */
bool cuda_point_fits(const struct cuda_point *first, const struct cuda_point *second);

/* Place the second point of a pair in the buffers of the first, which are equal and placed. Release the
 * second before the first is placed again. */
void cuda_point_share(const struct cuda_point *first, struct cuda_point *second);

/* Close the call and release the resources of placing, except the session's arena. Also after a failed
 * point. */
void cuda_point_release(struct cuda_point *p);

/* ---- Launches ---- */

/* Queue a launch, of a kernel or a call, on set turn % sets. A timer_work whose context is a struct
 * cuda_point. */
void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn);

/* Kernel parameters for one set of buffers: addresses, numbers, tensor maps, textures. */
struct cuda_arguments {
    CUtensorMap tensor[SETUP_TENSORS_MAX]; /* first, because it must be aligned to 64 bytes */
    uint32_t part;
    char *address[SETUP_ARGUMENTS_MAX];
    cudaTextureObject_t texture[SETUP_ARGUMENTS_MAX];
    uint64_t array_bytes;                   /* of all arrays */
    cudaArray_t array[SETUP_ARGUMENTS_MAX]; /* behind a two-dimensional texture; owned */
    void *pointer[SETUP_ARGUMENTS_MAX];     /* for the launch; points into this struct and the setup */
};

/* The arguments of part 0 for sets 0 .. p->sets - 1, then those of the other parts (setup.parts); the caller
 * frees them with cuda_arguments_free. */
struct cuda_arguments *cuda_arguments_new(struct cuda_point *p);
void cuda_arguments_free(struct cuda_arguments *arguments, uint32_t sets);

/* Copy the buffers of the first set to the arrays of its textures again. */
void cuda_arguments_renew(const struct cuda_point *p);

/* ---- Calls: launches that a function queues, the family's own or one that is built in ---- */

/* Open the call of a point that is placed, and allocate its workspace; a kernel has nothing to open. The
 * point fails with the function's reason, or if memory is short. The point must not be copied afterwards. */
void cuda_call_open(struct cuda_point *p);

/* Hash of the library or driver that an opened point calls, after `hash`, that of its kernel or HASH_START. A
 * kernel alone has none of these. 0: unknown. */
uint64_t cuda_call_hash(const struct cuda_point *p, uint64_t hash);

/* The first launches, on set 0, and whether a launch can be captured, which is not tried for one of a row.
 * Sets `launched`; `graph` with its `kernels` and the like if it can. Otherwise the result gets a remark that
 * says why. `result` may be NULL. */
void cuda_call_probe(struct cuda_point *p, struct result *result);

/* Queue a launch on a set of buffers; `part`: of setup.parts. The point fails with the function's reason. */
void cuda_call_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part);

/* The launches between these two follow one another on each device, without waiting for the other devices
 * (setup.in_a_row). A failure in between ends the point. */
void cuda_call_begin_row(void *point, cudaStream_t stream);
void cuda_call_end_row(void *point, cudaStream_t stream);

/* Close the call and free its workspace, if it was opened. Never fails. */
void cuda_call_close(struct cuda_point *p);

/* ---- ENGINE_PEER_COPIES ---- */

/* Streams and events for the driver's copies of messages between the parts of a point that is placed; NULL
 * for other engines. The caller frees them. */
struct cuda_copies *cuda_copies_new(const struct cuda_point *p);
void cuda_copies_free(struct cuda_copies *copies);

/* Copies of one launch, of all parts. */
uint32_t cuda_copies_count(const struct setup *setup);

/* Queue the copies of a part on streams that begin after what is queued in `stream`; then let `stream` go on
 * after them. Between the two, the part's kernel may be queued in `stream`. The part's device is current. */
void cuda_copies_queue(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part);
void cuda_copies_join(struct cuda_point *p, cudaStream_t stream, int part);

/* ---- What L2 does for a point (struct l2_policy): the limits of the device, and the window of a launch */

/* Set the limits of the session's device to those of the policy, and let go of the lines that a window before
 * has kept. Limits that the policy does not name become what they were. Ends the point as unsupported if the
 * device cannot have them. */
void cuda_l2_apply(struct cuda_session *session, const struct l2_policy *policy);

/* Are they set so, for windows of which the same share persists? */
bool cuda_l2_is(const struct cuda_session *session, const struct l2_policy *policy);

/* The window of a launch on a set of buffers. */
struct cudaAccessPolicyWindow cuda_l2_window(const struct cuda_point *p, uint32_t set);
