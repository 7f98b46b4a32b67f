#include "mailbox/trace.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"

void trace_say(const struct trace *trace, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (!trace->on)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* One write per line, so that lines of several ranks do not mix. */
    char line[1200];
    snprintf(line, sizeof line, "warpsweep: rank %d: %.3f s: %s\n", trace->rank, clock_now() - trace->start,
             text);
    fputs(line, stderr);
}
