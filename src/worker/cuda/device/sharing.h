/* sharing.h - whether other processes compute on the device. */
#pragma once

#include "core/result.h"
#include "worker/cuda/device/session.h"

/* Fill result->shared, from NVML at most every half second. */
void cuda_sharing_observe(struct cuda_session *session, struct result *result);
