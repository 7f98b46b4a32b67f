/* fabric.h - whether this process could hand memory to processes of other nodes, by fabric handles (CUDA Driver API, "Virtual Memory
 * Management"). */
#pragma once

#include "core/device.h"

/* Fill device->fabric_handles: "usable", or why not. An allocation is tried and freed; an error of it is no error of the worker. */
void cuda_fabric_describe(int ordinal, struct device *device);
