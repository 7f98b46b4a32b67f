#include "core/arch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compute capabilities that CUDA's compilers of releases 11 to 13 know (CUDA C++ Programming Guide, "Compute
 * Capabilities"). `native` needs none of them: the device and its compiler say what it is. */
static bool is_known(long capability, int suffix)
{
    static const short known[] = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80, 86,
                                  87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    static const short first[] = {0, 90, 100}; /* with the suffix: none, 'a', 'f' */
    size_t at = 0;
    while (at < sizeof known / sizeof *known && known[at] != capability)
        at++;
    return at < sizeof known / sizeof *known && capability >= first[suffix];
}

bool arch_parse(const char *text, arch *value)
{
    if (!strcmp(text, "native")) {
        *value = ARCH_NATIVE;
        return true;
    }
    bool is_virtual = !strncmp(text, "compute_", 8);
    if (!is_virtual && strncmp(text, "sm_", 3) != 0)
        return false;
    const char *digits = text + (is_virtual ? 8 : 3);
    char *end;
    if (!isdigit((unsigned char)*digits))
        return false;
    long capability = strtol(digits, &end, 10);
    int suffix = *end == 'f' ? 2 : 0;
    if (*end == 'a')
        suffix = 1;
    if (!is_known(capability, suffix) || end[suffix != 0] != '\0')
        return false;
    *value = 100 * capability + 10 * is_virtual + suffix;
    return true;
}

void arch_format(arch value, char out[ARCH_TEXT_SIZE])
{
    if (value == ARCH_NATIVE) {
        snprintf(out, ARCH_TEXT_SIZE, "native");
        return;
    }
    static const char *const suffixes[] = {"", "a", "f"};
    snprintf(out, ARCH_TEXT_SIZE, "%s%d%s", arch_is_virtual(value) ? "compute_" : "sm_",
             arch_capability(value), suffixes[value % 10 % 3]);
}

int arch_capability(arch value)
{
    return (int)(value / 100);
}

bool arch_is_virtual(arch value)
{
    return value / 10 % 10 != 0;
}

arch arch_of_device(int capability, bool specific)
{
    return 100 * (arch)capability + (specific && capability >= 90 ? 1 : 0);
}

arch arch_of_compiler(int capability, bool specific, const int *known, int count, bool families)
{
    enum { RENAMED = 101 }; /* by CUDA 12 what CUDA 13 calls 110: no relative of 100 and 103 */
    int newest = 0;
    for (int i = 0; i < count; i++)
        if ((known[i] != RENAMED || capability == RENAMED) && known[i] <= capability &&
            known[i] / 10 == capability / 10 && known[i] > newest)
            newest = known[i];
    if (!newest || newest == capability)
        return arch_of_device(capability, specific);
    return arch_of_device(newest, false) + (specific && families && newest >= 100 ? 2 : 0);
}

bool arch_runs_on(arch value, int capability)
{
    int compiled = arch_capability(value);
    bool same_major = compiled / 10 == capability / 10;
    if (value == ARCH_NATIVE)
        return true;
    if (value % 10 == 1) /* architecture-specific: that capability alone */
        return compiled == capability;
    bool any_major =
        arch_is_virtual(value) && value % 10 == 0; /* the driver compiles it for any later device */
    return (any_major || same_major) && capability >= compiled; /* family-specific: of this family */
}
