/* peer.h - opens the other devices of a point in the same process: their streams, and their memory, which struct cuda_peer keeps. */
#pragma once

#include "worker/cuda/device/session.h"

/* Open what a point needs beside the session's own device: its other devices, or the streams of `parts` on that one; close what
 * the last point had. NULL, or why these devices cannot work together; that may be written to `reason`. */
const char *cuda_peer_open(struct cuda_session *session, const struct devices *devices, int parts,
                           char *reason, size_t size);

/* The ordinals of the first two devices of which one cannot reach the other's memory. False: all can. */
bool cuda_peer_lacking(const struct cuda_session *session, int *from, int *to);

/* Whether the other devices' memory is handed over by other ranks (handed.h), as where this one sees its own device only. */
bool cuda_peer_is_handed(const struct cuda_session *session);

/* End the point if such a rank's worker has ended: the point has lost a device, although its memory can still be used. */
void cuda_peer_check(const struct cuda_session *session);
