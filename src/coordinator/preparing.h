/* preparing.h - the second phase: measure the peaks of the devices. Done when team.unanswered is 0. */
#pragma once

#include "protocol/wire.h"

struct run;

/* Characterise the devices. On a node whose ranks have a device each: all at once, then their host links one
 * after another. If the ranks share the processor and memory of the node: one after another. */
void preparing_characterise(struct run *run);
void preparing_take_device(struct run *run, int rank, struct wire_reader *payload);
void preparing_take_failure(struct run *run, int rank, const char *why);

/* A rank is lost: stop waiting for it. */
void preparing_lose(struct run *run, int rank);
