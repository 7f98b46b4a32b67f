/* constants.h - constants of the time model that several of its parts use; docs/model.md has the measurements. */
#pragma once

/* Delay between the starts of two warps of a block; cycles. */
#define WARP_START 16.7

/* Loop overhead per round, added to the latency of its loads: barriers and address arithmetic; cycles. */
#define ROUND_OVERHEAD 300.0

/* From the last load of a block to its end, and from there to the first instruction of the next block; cycles. */
#define BLOCK_TURNAROUND 590.0

/* Order of the norm that combines the times of busy resources: 1 would be no overlap, infinity perfect overlap. */
#define OVERLAP 2.5
