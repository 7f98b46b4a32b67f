/* l2_policy.h - what L2 does for a point (struct l2_policy): the limits of the device, and the window of a launch. */
#pragma once

#include "worker/cuda/device/point.h"

/* Set the limits of the session's device to those of the policy, and let go of the lines that a window before has kept. Limits that
 * the policy does not name become what they were. Ends the point as unsupported if the device cannot have them. */
void cuda_l2_apply(struct cuda_session *session, const struct l2_policy *policy);

/* Are they set so, for windows of which the same share persists? */
bool cuda_l2_is(const struct cuda_session *session, const struct l2_policy *policy);

/* The window of a launch on a set of buffers. */
struct cudaAccessPolicyWindow cuda_l2_window(const struct cuda_point *p, uint32_t set);
