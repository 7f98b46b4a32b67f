/* The linker puts this in the place of host_device in the workers of builds with tests
 * (tests/CMakeLists.txt). WARPSWEEP_FAKE_CACHE is the size of the last-level cache in bytes, for the host
 * back end: a server's has hundreds of MB, and to find the peaks for each run, or to flush before a cold
 * sample, takes time in proportion. */
#include <stdlib.h>

#include "worker/host/host.h"

struct device __real_host_device(void);
struct device __wrap_host_device(void);

struct device __wrap_host_device(void)
{
    struct device device = __real_host_device();
    const char *cache = getenv("WARPSWEEP_FAKE_CACHE");
    if (cache)
        device.l2_bytes = strtoll(cache, NULL, 10);
    return device;
}
