/* results.h - write rows, retry failures, hold or quarantine devices, reassign the points of lost ranks. */
#pragma once

#include "protocol/wire.h"

struct run;

void results_take(struct run *run, int rank, struct wire_reader *payload);

/* A rank is lost: reassign what it has not finished. If it is silent, its current point counts as an attempt,
 * because the point may be the cause. */
void results_lose(struct run *run, int rank);
