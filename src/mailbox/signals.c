#include "mailbox/signals.h"

#include <signal.h>
#include <stddef.h>

/* Signal handlers can only reach globals. */
static volatile sig_atomic_t interrupts, terminates, users;

static void count_signal(int number)
{
    if (number == SIGINT)
        interrupts++;
    else if (number == SIGTERM || number == SIGHUP)
        terminates++;
    else
        users++;
}

void signals_take(void)
{
    struct sigaction before, action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGXCPU, &action, NULL); /* the soft limit of processor time: there is some left */
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

struct signals signals_seen(void)
{
    return (struct signals){.interrupts = interrupts, .terminates = terminates, .users = users};
}
