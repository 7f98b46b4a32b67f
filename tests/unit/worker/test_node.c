/* The machine around a device, from a made-up /proc, /sys and /etc. */
#include "folder_fixture.h"

#include "base/io.h"
#include "worker/machine.h"

EACH(make_folder, remove_folder)

static struct device described(void)
{
    struct device device = device_unknown();
    machine_describe(folder, &device);
    return device;
}

static void put_topology(int cpu, const char *package, const char *siblings)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    put(path, package);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    put(path, siblings);
}

TEST(nothing_is_there)
{
    struct device device = described();
    assert_string_equal(device.host_cpu, "");
    assert_string_equal(device.host_system, "");
    assert_string_equal(device.host_distribution, "");
    assert_string_equal(device.host_hypervisor, "");
    assert_string_equal(device.host_container, "");
    assert_int_equal(device.host_sockets, -1);
    assert_int_equal(device.host_cores, -1);
    assert_int_equal(device.host_threads, -1);
    assert_int_equal(device.host_memory, -1);
}

TEST(a_server)
{
    put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: EPYC 9654\nflags\t\t: fpu vme\n");
    put("/proc/meminfo", "MemTotal:       2048 kB\n");
    put("/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n");
    put("/sys/class/dmi/id/sys_vendor", "QEMU fans\n"); /* no hypervisor's flag, no hypervisor */
    put("/sys/class/dmi/id/product_name", "Box 1\n");
    put("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    put_topology(0, "0\n", "0,4\n");
    put_topology(1, "0\n", "1\n");
    put_topology(2, "1\n", "2-3\n");
    put_topology(3, "1\n", "2-3\n");
    put_topology(4, "0\n", "0,4\n");
    put("/sys/devices/system/cpu/cpu5/online", "0\n");
    struct device device = described();
    assert_string_equal(device.host_cpu, "EPYC 9654");
    assert_int_equal(device.host_sockets, 2);
    assert_int_equal(device.host_cores, 3);
    assert_int_equal(device.host_threads, 5);
    assert_int_equal(device.host_memory, 2048 * 1024);
    assert_string_equal(device.host_system, "QEMU fans Box 1");
    assert_string_equal(device.host_distribution, "Debian GNU/Linux 12 (bookworm)");
    assert_string_equal(device.host_hypervisor, "none");
    assert_string_equal(device.host_container, "none");
}

TEST(virtual_machines)
{
    put("/proc/cpuinfo", "model name\t: Xeon\nflags\t\t: fpu hypervisor vme\n");
    put("/sys/class/dmi/id/product_name", "Virtual Machine\n");
    put("/sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
    assert_string_equal(described().host_hypervisor, "microsoft");
    put("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    assert_string_equal(described().host_hypervisor, "amazon");
    put("/sys/class/dmi/id/product_name", "p5.metal\n");
    assert_string_equal(described().host_hypervisor, "unknown hypervisor");
    put("/sys/hypervisor/type", "xen\n");
    assert_string_equal(described().host_hypervisor, "xen");
}

TEST(arm)
{
    put("/proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
    assert_string_equal(described().host_cpu, "Neoverse V2");
    put("/proc/cpuinfo", "CPU implementer\t: 0x4e\nCPU part\t: 0x004\n");
    assert_string_equal(described().host_cpu, "implementer 0x4e, part 0x004");
    assert_string_equal(described().host_hypervisor, ""); /* nothing says so */
}

TEST(containers)
{
    put("/proc/self/mountinfo", "22 1 0:50 / / rw,relatime - overlay overlay rw\n");
    assert_string_equal(described().host_container, "unknown container");
    put("/.dockerenv", "");
    assert_string_equal(described().host_container, "docker");
    put("/run/.containerenv", "");
    assert_string_equal(described().host_container, "podman");
    put("/.singularity.d/runscript", "");
    assert_string_equal(described().host_container, "apptainer");
    put("/run/systemd/container", "lxc\n");
    assert_string_equal(described().host_container, "lxc");
}

TEST(file_systems)
{
    char type[32];
    assert_false(io_filesystem(folder, "/", type, sizeof type));
    put("/proc/self/mountinfo", "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
                                "30 22 0:40 / /scratch rw - lustre mgs:/fs rw\n"
                                "31 30 0:41 / /scratch/a rw - tmpfs none rw\n"
                                "32 30 0:42 / /scratch/a rw master:2 - nfs4 server:/a rw\n");
    assert_true(io_filesystem(folder, "/scratch/ab/r.h5", type, sizeof type));
    assert_string_equal(type, "lustre");
    assert_true(io_filesystem(folder, "/scratch/a/r.h5", type, sizeof type));
    assert_string_equal(type, "nfs4"); /* mounted over the other */
    assert_true(io_filesystem(folder, "/scratchy", type, sizeof type));
    assert_string_equal(type, "ext4");
}
