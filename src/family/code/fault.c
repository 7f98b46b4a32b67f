#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "family/code/plugin.h"

/* The handler runs while anything may be broken: it allocates nothing, and prints with write alone. */
static const struct {
    int number;
    const char *name;
} faults[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};
enum { FAULTS = sizeof faults / sizeof *faults, DEPTH = 64, STACK = 1 << 16 };
static struct sigaction before[FAULTS];

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* to whom? */
}

static void say_hex(uintptr_t value)
{
    char digits[2 * sizeof value + 1] = "";
    size_t at = sizeof digits - 1;
    for (; value || at == sizeof digits - 1; value /= 16)
        digits[--at] = "0123456789abcdef"[value % 16];
    say(digits + at);
}

/* Name the innermost call of a user's family; the place of a static function is all that there is of it. */
static void report(int number, siginfo_t *info, void *context)
{
    void *frame[DEPTH];
    const int depth = backtrace(frame, DEPTH);
    const char *path = NULL;
    (void)context;
    for (int i = 0; i < depth && !path; i++) {
        Dl_info at;
        path = dladdr(frame[i], &at) ? object_file(at.dli_fbase) : NULL;
        if (!path)
            continue;
        say("warpsweep: ");
        say(path);
        say(": a function of this kernel family crashed (");
        for (int k = 0; k < FAULTS; k++)
            say(faults[k].number == number ? faults[k].name : "");
        say("); addr2line -f -e ");
        say(path);
        say(" 0x");
        say_hex((uintptr_t)frame[i] - (uintptr_t)at.dli_fbase);
        say(" names it\n");
    }
    for (int k = 0; k < FAULTS; k++)
        sigaction(faults[k].number, &before[k], NULL);
    if (info->si_code <= 0) /* sent; else the instruction is met again, and the fault ends the process */
        raise(number);
}

void plugin_report_faults(void)
{
    static char stack[STACK]; /* the fault may be that the other one is full */
    void *first[1];
    backtrace(first, 1); /* loads what it needs while there is memory */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i].number,
                  &(struct sigaction){.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_ONSTACK},
                  &before[i]);
}
