#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Field 22 of /proc/self/stat (proc(5)): clock ticks from boot to the start of this process. The second field is the
 * program's name, which may hold any character, so parsing starts behind its last parenthesis. 0: unknown. */
static unsigned long long start_ticks(void)
{
    char line[1024];
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[length] = '\0';
    const char *at = strrchr(line, ')');
    if (!at ||
        sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &ticks) != 1)
        return 0;
    return ticks;
}

double clock_process_start(void)
{
    struct timespec boot;
    double now = clock_now();
    unsigned long long ticks = start_ticks();
    long per_second = sysconf(_SC_CLK_TCK);
    if (!ticks || per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
        return now;
    double age = (double)boot.tv_sec + 1e-9 * (double)boot.tv_nsec - (double)ticks / (double)per_second;
    return age > 0 ? now - age : now;
}
