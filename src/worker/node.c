#include "worker/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/hash.h"
#include "base/io.h"
#include "base/key_set.h"

#define PATH_SIZE 512
#define CPUS_MAX  8192

static bool is_there(const char *root, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s%s", root, name);
    return access(path, F_OK) == 0;
}

/* ---- Processors ---- */

/* Kernels of AArch64 give numbers in place of a model's name (Arm, Main ID Register). */
static void read_arm(const char *root, char *out, size_t size)
{
    static const struct part {
        const char *number, *name;
    } parts[] = {{"0xd0c", "Neoverse N1"},
                 {"0xd40", "Neoverse V1"},
                 {"0xd49", "Neoverse N2"},
                 {"0xd4f", "Neoverse V2"}};
    char implementer[16], part[16];
    if (!io_read_field("CPU implementer", implementer, sizeof implementer, "%s/proc/cpuinfo", root) ||
        !io_read_field("CPU part", part, sizeof part, "%s/proc/cpuinfo", root))
        return;
    snprintf(out, size, "implementer %s, part %s", implementer, part);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(implementer, "0x41") && !strcmp(part, parts[i].number))
            snprintf(out, size, "%s", parts[i].name);
}

void node_processor(const char *root, char *out, size_t size)
{
    if (!io_read_field("model name", out, size, "%s/proc/cpuinfo", root))
        read_arm(root, out, size);
}

/* Those that are online, whatever this process may use. */
static void count_processors(const char *root, struct device *device)
{
    struct keys packages = {0}, cores = {0};
    int64_t threads = 0;
    char name[96], line[256];
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%d", cpu);
        if (!is_there(root, name))
            break;
        if (!io_read_line(line, sizeof line, "%s/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                          root, cpu))
            continue;
        threads++;
        keys_add(&packages, hash_text(HASH_START, line));
        if (io_read_line(line, sizeof line, "%s/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                         root, cpu))
            keys_add(&cores, hash_text(HASH_START, line));
    }
    if (threads) {
        device->host_sockets = (int64_t)packages.count;
        device->host_cores = cores.count ? (int64_t)cores.count : -1;
        device->host_threads = threads;
    }
    keys_free(&packages);
    keys_free(&cores);
}

/* ---- System ---- */

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" */
static void read_distribution(const char *root, char *out, size_t size)
{
    static const char *const files[] = {"/etc/os-release", "/usr/lib/os-release"}, key[] = "PRETTY_NAME=";
    char path[PATH_SIZE], line[256];
    for (size_t i = 0; i < sizeof files / sizeof *files && !*out; i++) {
        snprintf(path, sizeof path, "%s%s", root, files[i]);
        FILE *file = fopen(path, "re");
        while (file && !*out && fgets(line, sizeof line, file)) {
            const char *value = line + sizeof key - 1;
            if (strncmp(line, key, sizeof key - 1) != 0)
                continue;
            value += strspn(value, "\"'");
            snprintf(out, size, "%.*s", (int)strcspn(value, "\"'\n"), value);
        }
        if (file)
            fclose(file);
    }
}

/* Maker and product, which the DMI tables have; not serial numbers, which only root may read. */
static void read_system(const char *root, char *out, size_t size)
{
    char maker[64], product[64];
    if (io_read_line(maker, sizeof maker, "%s/sys/class/dmi/id/sys_vendor", root) && *maker &&
        io_read_line(product, sizeof product, "%s/sys/class/dmi/id/product_name", root) && *product)
        snprintf(out, size, "%.40s %.50s", maker, product);
    else /* of AArch64 */
        io_read_line(out, size, "%s/proc/device-tree/model", root);
}

/* The hypervisor's own name of 12 letters, which the processor gives (leaf 0x40000000). */
static void ask_processor(char signature[13])
{
#if defined(__x86_64__)
    unsigned leaf, words[3];
    __cpuid(0x40000000, leaf, words[0], words[1], words[2]);
    memcpy(signature, words, sizeof words);
#endif
    signature[12] = '\0';
}

/* As systemd-detect-virt: by the DMI tables, by Xen's file, else by the processor. */
static void find_hypervisor(const char *root, char *out, size_t size)
{
    static const struct known {
        const char *mark, *name;
    } known[] = {
        {"KVM", "kvm"},
        {"QEMU", "qemu"},
        {"VMware", "vmware"},
        {"Xen", "xen"},
        {"Microsoft", "microsoft"},
        {"innotek", "virtualbox"},
        {"bhyve", "bhyve"},
        {"Google Compute", "kvm"},
        {"Amazon EC2", "amazon"},
        {"TCGTCG", "qemu"},
        {"OpenStack", "kvm"},
        {"VBox", "virtualbox"},
        {"Parallels", "parallels"},
    };
    char flags[8192], system[DEVICE_TEXT_SIZE] = "", signature[13] = "";
    bool x86 = io_read_field("flags", flags, sizeof flags, "%s/proc/cpuinfo", root);
    if (x86 && !strstr(flags, " hypervisor")) {
        snprintf(out, size, "none"); /* also on the metal of Amazon, and of makers of hypervisors */
        return;
    }
    read_system(root, system, sizeof system);
    if (!*root && x86)
        ask_processor(signature);
    for (size_t i = 0; i < sizeof known / sizeof *known && !*out; i++)
        if (strstr(signature, known[i].mark))
            snprintf(out, size, "%s", known[i].name);
    for (size_t i = 0; i < sizeof known / sizeof *known && !*out && !strstr(system, "metal"); i++)
        if (strstr(system, known[i].mark))
            snprintf(out, size, "%s", known[i].name);
    if (!*out && x86)
        io_read_line(out, size, "%s/sys/hypervisor/type", root);
    if (!*out && x86)
        snprintf(out, size, "unknown hypervisor");
}

/* By what each engine leaves in a container's root folder; others have an overlay as root. */
static void find_container(const char *root, char *out, size_t size)
{
    static const struct known {
        const char *file, *name;
    } known[] = {
        {"/.singularity.d", "apptainer"}, {"/run/.containerenv", "podman"}, {"/.dockerenv", "docker"}};
    char type[32];
    if (io_read_line(out, size, "%s/run/systemd/container", root) && *out)
        return;
    for (size_t i = 0; i < sizeof known / sizeof *known && !*out; i++)
        if (is_there(root, known[i].file))
            snprintf(out, size, "%s", known[i].name);
    if (*out || !io_filesystem(root, "/", type, sizeof type))
        return;
    snprintf(out, size, "%s", strcmp(type, "overlay") != 0 ? "none" : "unknown container");
}

static void read_memory(const char *root, struct device *device)
{
    char line[64];
    if (io_read_field("MemTotal", line, sizeof line, "%s/proc/meminfo", root))
        device->host_memory = strtoll(line, NULL, 10) * 1024; /* kB */
}

void node_describe(const char *root, struct device *device)
{
    node_processor(root, device->host_cpu, sizeof device->host_cpu);
    count_processors(root, device);
    read_memory(root, device);
    read_system(root, device->host_system, sizeof device->host_system);
    read_distribution(root, device->host_distribution, sizeof device->host_distribution);
    find_hypervisor(root, device->host_hypervisor, sizeof device->host_hypervisor);
    find_container(root, device->host_container, sizeof device->host_container);
}
