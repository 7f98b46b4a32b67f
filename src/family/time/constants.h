/* constants.h - constants of the time model that both its parts use; docs/model.md has the measurements. */
#pragma once

/* Delay between the starts of two warps of a block; cycles. */
#define WARP_START 16.7

/* Loop overhead per round, added to the latency of its loads: barriers and address arithmetic; cycles. */
#define ROUND_OVERHEAD 300.0
