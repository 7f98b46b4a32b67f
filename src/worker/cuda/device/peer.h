/* peer.h - opens the second device of a point in the same process: its stream, and its memory, which struct cuda_peer keeps. */
#pragma once

#include "worker/cuda/device/session.h"

/* Open the pair of a point, or close the last one if the point has one device. NULL, or why these devices cannot be a pair;
 * that may be written to `reason`. */
const char *cuda_peer_open(struct cuda_session *session, const struct ends *ends, bool mirror, char *reason,
                           size_t size);
