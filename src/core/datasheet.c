#include "core/device.h"

#include <string.h>

/* Sources, all of NVIDIA:
 * A100: "NVIDIA A100 Tensor Core GPU Architecture", V1.0, table 3; bandwidth of 80 GB: data sheet of A100
 * 80GB. H100: "NVIDIA H100 Tensor Core GPU Architecture", V1.04, table 2 (SXM5 and PCIe); NVL: data sheet of
 * H100, which has no
 *       FP16 without tensor cores.
 * H200: data sheet of H200 (4.8 TB/s, FP32 67, FP64 34); FP16 and BF16: those of H100 SXM5, which has the
 * same number of
 *       multiprocessors and the same clock.
 * B200: data sheet of HGX B200, 7.7 TB/s (by github.com/datacrunch-research/blogs, blackwell-vms); 8 TB/s is
 * the announced
 *       rate of the chip. The driver's clock and bus give 7.672 TB/s (github.com/pytorch/ao/pull/4002),
 *       column `nominal`.
 * B300: data sheet of HGX B300 (8 TB/s, FP32 75, FP64 1.25; by glennklockwood.com/garden/processors/B300).
 * A100 PCIe, L4 (300 GB/s, FP32 30.3), GH200 (HBM3 4 TB/s, HBM3e 4.9 TB/s): their data sheets. GB200, GB300:
 * 8 TB/s of HBM3e for each GPU, data sheets of NVL72. GB10: 273 GB/s of LPDDR5x, data sheet of DGX Spark. RTX
 * PRO 6000: data sheets of the workstation edition (1792 GB/s, FP32 125) and of the server edition (1597
 * GB/s, 120). RTX 5090: "NVIDIA RTX Blackwell GPU Architecture", 1792 GB/s, FP32 104.8.
 * Sheets of Blackwell have no FP16 without tensor cores, and B200's FP32 and FP64 differ between editions:
 * left out. */
static const struct {
    const char *name;
    double bandwidth;           /* bytes/s */
    double f16, bf16, f32, f64; /* flop/s */
} products[] = {
    {"NVIDIA A100-SXM4-40GB", 1.555e12, 78e12, 39e12, 19.5e12, 9.7e12},
    {"NVIDIA A100-SXM4-80GB", 2.039e12, 78e12, 39e12, 19.5e12, 9.7e12},
    {"NVIDIA A100-PCIE-40GB", 1.555e12, 78e12, 39e12, 19.5e12, 9.7e12},
    {"NVIDIA A100 80GB PCIe", 1.935e12, 78e12, 39e12, 19.5e12, 9.7e12},
    {"NVIDIA L4", 3.0e11, NAN, NAN, 30.3e12, NAN},
    {"NVIDIA H100 PCIe", 2.0e12, 102.4e12, 102.4e12, 51.2e12, 25.6e12},
    {"NVIDIA H100 80GB HBM3", 3.35e12, 133.8e12, 133.8e12, 66.9e12, 33.5e12},
    {"NVIDIA H100 NVL", 3.9e12, NAN, NAN, 60e12, 30e12},
    {"NVIDIA H200", 4.8e12, 133.8e12, 133.8e12, 67e12, 34e12},
    {"NVIDIA GH200 480GB", 4.0e12, NAN, NAN, 67e12, 34e12},
    {"NVIDIA GH200 144G HBM3e", 4.9e12, NAN, NAN, 67e12, 34e12},
    {"NVIDIA B200", 7.7e12, NAN, NAN, NAN, NAN},
    {"NVIDIA GB200", 8.0e12, NAN, NAN, NAN, NAN},
    {"NVIDIA B300 SXM6 AC", 8.0e12, NAN, NAN, 75e12, 1.25e12},
    {"NVIDIA GB300", 8.0e12, NAN, NAN, NAN, NAN},
    {"NVIDIA GB10", 2.73e11, NAN, NAN, NAN, NAN},
    {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 1.792e12, NAN, NAN, 125e12, NAN},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", 1.597e12, NAN, NAN, 120e12, NAN},
    {"NVIDIA GeForce RTX 5090", 1.792e12, NAN, NAN, 104.8e12, NAN},
};

void datasheet_fill(struct device *device)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (!strcmp(products[i].name, device->name)) {
            device->datasheet = products[i].bandwidth;
            device->datasheet_flop_f16 = products[i].f16;
            device->datasheet_flop_bf16 = products[i].bf16;
            device->datasheet_flop_f32 = products[i].f32;
            device->datasheet_flop_f64 = products[i].f64;
        }
}
