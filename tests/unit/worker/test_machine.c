/* The state of a node, from a made-up /proc and /sys. */
#include "folder_fixture.h"

#include "worker/machine.h"

#define PCI "0000:1b:00.0"

static struct device described(const char *pci)
{
    struct device device = device_unknown();
    snprintf(device.pci, sizeof device.pci, "%s", pci);
    machine_describe(folder, &device);
    return device;
}

TEST(nothing_is_there)
{
    struct device device = described(PCI);
    assert_true(*device.host_kernel != '\0'); /* asked of the kernel itself */
    assert_string_equal(device.transparent_hugepages, "");
    assert_string_equal(device.iommu, "");
    assert_int_equal(device.hugepages, -1);
    assert_int_equal(device.numa_node, -1);
}

TEST(a_node)
{
    put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put("/proc/meminfo", "MemTotal: 1 kB\nHugePages_Total:      12\nHugePages_Free: 3\n");
    put("/sys/bus/pci/devices/" PCI "/numa_node", "1\n");
    struct device device = described(PCI);
    assert_string_equal(device.transparent_hugepages, "madvise");
    assert_int_equal(device.hugepages, 12);
    assert_int_equal(device.numa_node, 1);
    assert_string_equal(device.iommu, "none"); /* the device is there, and in no group */
    put("/sys/bus/pci/devices/" PCI "/iommu_group/type", "DMA-FQ\n");
    assert_string_equal(described(PCI).iommu, "DMA-FQ");
    assert_string_equal(described("").iommu, ""); /* the host back end has no PCI address */
}

GROUP(make_folder, remove_folder)
