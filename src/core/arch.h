/* arch.h - the axis `arch`: the architecture that a point's kernel is compiled for.
 *
 *   native       the real architecture of the device, resolved where the point runs
 *   sm_90        real: a cubin for compute capability 9.0 (runs on 9.x, x >= 0)
 *   sm_90a       real, architecture-specific: runs on 9.0 only
 *   sm_100f      real, family-specific: runs on 10.x, from 10.0 on
 *   compute_80   virtual: PTX that the driver compiles at load (runs on every later device) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* An architecture as one number, so that it can be an axis value: 0 is native; otherwise
 * 100 * compute capability (major * 10 + minor) + 10 * virtual + suffix (0, 1 for 'a', 2 for 'f'). */
typedef int64_t arch;

#define ARCH_NATIVE    ((arch)0)
#define ARCH_TEXT_SIZE 24

bool arch_parse(const char *text, arch *value);
void arch_format(arch value, char out[ARCH_TEXT_SIZE]);

/* major * 10 + minor, e.g. 90; 0 for native. */
int arch_capability(arch value);
bool arch_is_virtual(arch value);

/* The real architecture of a device: sm_90 for 90. `specific`: with the suffix 'a' if that exists (from
 * compute capability 9.0 on). */
arch arch_of_device(int capability, bool specific);

/* The same for a compiler that knows the capabilities `known[count]`. For one that it does not know, the
 * newest architecture before it whose code runs on the device: of its family (sm_100f for 103), where the
 * compiler knows `families`, else sm_100, which lacks the specific instructions. Without any,
 * arch_of_device. */
arch arch_of_compiler(int capability, bool specific, const int *known, int count, bool families);

/* Does code compiled for `value` run on a device of `capability` (CUDA C++ Programming Guide,
 * "Compute Capabilities" and "Application Compatibility"). Native always does. */
bool arch_runs_on(arch value, int capability);
