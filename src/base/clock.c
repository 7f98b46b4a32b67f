#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

/* Field 22 of /proc/self/stat (proc(5)): clock ticks from boot to the start of this process, whose name, the
 * second field, is one of ours and has no parenthesis. 0: unknown. */
static unsigned long long start_ticks(void)
{
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    if (!file)
        return 0;
    int read = fscanf(
        file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
        &ticks);
    fclose(file);
    return read == 1 ? ticks : 0;
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

void clock_date(char *out, size_t size)
{
    time_t now = time(NULL);
    struct tm utc;
    strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}
