/* handed.h - memory of devices that this process does not see: what the worker of another rank hands over (worker/handover), mapped
 * by the driver; and what this one hands over.
 *
 * Handed memory is an allocation of the other process (cuMemCreate) that this process maps for its own device. All that uses it runs
 * here: inputs are filled, outputs fetched, and the other device's L2 is emptied through the link. The two devices need peer
 * access. */
#pragma once

#include "protocol/config.h"
#include "worker/handover/handover.h"

/* What this process hands over of its own device, which must be current. */
extern const struct handover_source cuda_handover;

/* The device of another rank. */
struct cuda_handed;

/* Reach the worker of the rank at `seat`, and try whether its memory can be mapped here. NULL with the reason if the driver cannot.
 * Ends the point if the other worker does not answer. */
struct cuda_handed *cuda_handed_open(const struct config *config, int seat, char *reason, size_t size);
void cuda_handed_close(struct cuda_handed *handed); /* gives everything back; NULL: nothing */

int cuda_handed_seat(const struct cuda_handed *handed);

/* What the other worker has told of the device. */
const struct handover_device *cuda_handed_device(const struct cuda_handed *handed);

bool cuda_handed_is_alive(const struct cuda_handed *handed);

/* These end the point if the other worker has no room, or has ended. */
void cuda_handed_check(const struct cuda_handed *handed);
uint64_t cuda_handed_room(struct cuda_handed *handed);              /* bytes, at present */
char *cuda_handed_new(struct cuda_handed *handed, uint64_t *bytes); /* rounds up */
void cuda_handed_free(struct cuda_handed *handed, char *memory);    /* NULL: nothing */
