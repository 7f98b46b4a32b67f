/* launches.cu - a launch of cute_matmul.c: a product that CUTLASS's builders put together from CuTe's atoms
 * for sm_90a (TMA, WGMMA, warps with roles). `build` compiles this file once for each product, with the
 * macros
 *
 *   QUEUE                          name of the function
 *   ELEMENT                        f16 or bf16
 *   SCHEDULE                       cooperative or pingpong
 *   TILE_M, TILE_N, CLUSTER        rows and columns of C of a block; blocks below each other that share B
 *
 * All other choices are CUTLASS's: as many stages as fit, slices of 64 columns here, results by TMA. */
#include <cutlass/cutlass.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/gemm/kernel/tile_scheduler.hpp>
#include <cutlass/util/packed_stride.hpp>

#include "launches.h"

typedef cutlass::half_t f16;
typedef cutlass::bfloat16_t bf16;
typedef ELEMENT element;

struct cooperative {
    using multiply = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
    using store = cutlass::epilogue::TmaWarpSpecializedCooperative;
};
struct pingpong {
    using multiply = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
    using store = cutlass::epilogue::TmaWarpSpecialized;
};

using tile = cute::Shape<cute::Int<TILE_M>, cute::Int<TILE_N>, cute::_64>;
using cluster = cute::Shape<cute::Int<CLUSTER>, cute::_1, cute::_1>;
using rows = cutlass::layout::RowMajor;
constexpr int ALIGNMENT = 8; /* elements: 16 bytes */

using storing = cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, tile, cluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, rows, ALIGNMENT, element, rows,
    ALIGNMENT, SCHEDULE::store>::CollectiveOp;
using multiplying = cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, element, rows, ALIGNMENT, element,
    cutlass::layout::ColumnMajor, ALIGNMENT, float, tile, cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<(int)sizeof(storing::SharedStorage)>,
    SCHEDULE::multiply>::CollectiveOp;
using kernel = cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, multiplying, storing,
                                                    cutlass::gemm::PersistentScheduler>;
using device = cutlass::gemm::device::GemmUniversalAdapter<kernel>;

/* NULL, or why nothing was queued. */
extern "C" const char *QUEUE(const struct cute_launch *l)
{
    device::Arguments arguments{
        cutlass::gemm::GemmUniversalMode::kGemm,
        {l->m, l->n, l->k, 1},
        {(const element *)l->a, cutlass::make_cute_packed_stride(kernel::StrideA{}, {l->m, l->k, 1}),
         (const element *)l->b, cutlass::make_cute_packed_stride(kernel::StrideB{}, {l->n, l->k, 1})},
        {{1.f, 0.f},
         nullptr,
         {},
         (element *)l->c,
         cutlass::make_cute_packed_stride(kernel::StrideD{}, {l->m, l->n, 1})}};
    arguments.hw_info.sm_count = l->multiprocessors;
    arguments.scheduler.max_swizzle_size = l->swizzle;
    if (device::get_workspace_size(arguments) > 0)
        return "CUTLASS asks for a workspace, which the family does not give";
    device product;
    cutlass::Status status = product.can_implement(arguments);
    if (status == cutlass::Status::kSuccess)
        status = product.initialize(arguments, nullptr, (cudaStream_t)l->stream);
    if (status == cutlass::Status::kSuccess)
        status = product.run((cudaStream_t)l->stream);
    return status == cutlass::Status::kSuccess ? nullptr : cutlassGetStatusString(status);
}
