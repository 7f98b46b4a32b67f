#include "kernels/device_headers.h"

#include <stddef.h>

/* cmake/Kernels.cmake */
extern const char fill_source[], bulk_cuh_source[], bulk_stream_cuh_source[], chase_cuh_source[],
    device_cuh_source[], element_cuh_source[], hint_cuh_source[], home_cuh_source[], mma_cuh_source[],
    pipeline_cuh_source[], rate_tcgen05_cuh_source[], sum_cuh_source[], tcgen05_cuh_source[],
    tensor_map_cuh_source[], tensor_memory_cuh_source[], tensor_mma_cuh_source[], tensor_tcgen05_cuh_source[],
    tensor_wgmma_cuh_source[], tile_order_cuh_source[], tile_shares_cuh_source[], tour_cuh_source[],
    wgmma_cuh_source[], wide_cuh_source[];

const struct device_header device_headers[DEVICE_HEADERS + 1] = {
    {"family/fill.h", fill_source},
    {"bulk.cuh", bulk_cuh_source},
    {"bulk_stream.cuh", bulk_stream_cuh_source},
    {"chase.cuh", chase_cuh_source},
    {"device.cuh", device_cuh_source},
    {"element.cuh", element_cuh_source},
    {"hint.cuh", hint_cuh_source},
    {"home.cuh", home_cuh_source},
    {"mma.cuh", mma_cuh_source},
    {"pipeline.cuh", pipeline_cuh_source},
    {"rate_tcgen05.cuh", rate_tcgen05_cuh_source},
    {"sum.cuh", sum_cuh_source},
    {"tcgen05.cuh", tcgen05_cuh_source},
    {"tensor_map.cuh", tensor_map_cuh_source},
    {"tensor_memory.cuh", tensor_memory_cuh_source},
    {"tensor_mma.cuh", tensor_mma_cuh_source},
    {"tensor_tcgen05.cuh", tensor_tcgen05_cuh_source},
    {"tensor_wgmma.cuh", tensor_wgmma_cuh_source},
    {"tile_order.cuh", tile_order_cuh_source},
    {"tile_shares.cuh", tile_shares_cuh_source},
    {"tour.cuh", tour_cuh_source},
    {"wgmma.cuh", wgmma_cuh_source},
    {"wide.cuh", wide_cuh_source},
    {NULL, NULL},
};
