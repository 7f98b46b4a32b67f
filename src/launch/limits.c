#include "launch/limits.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "process/watcher.h"

#define START_SECONDS    120
#define SECONDS_PER_RANK 0.05
#define OTHER_RANKS      2 /* s that they wait longer than rank 0 */
#define KILL_SECONDS     2
#define NAMED_MAX        8 /* stopped ranks that are named */

unsigned limits_start_seconds(int ranks, double time_limit)
{
    const char *text = getenv("WARPSWEEP_START_TIMEOUT");
    int64_t given = 0;
    double seconds = START_SECONDS + SECONDS_PER_RANK * ranks;
    if (text && text_parse_integer(text, &given) && given > 0 && given <= 86400)
        seconds = (double)given;
    if (time_limit > 0 && time_limit < seconds)
        seconds = time_limit;
    return seconds < 1 ? 1 : (unsigned)seconds;
}

/* ---- In the signal handler: MPI may hold any lock, so only system calls, and no memory is allocated ---- */

static unsigned start_seconds;

/* The first bytes of /proc/PID/NAME, with a NUL behind. How many; 0 if it cannot be read. */
static size_t read_proc(const char *pid, const char *name, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/%s", pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    for (ssize_t got; file >= 0 && length < size - 1; length += (size_t)got)
        if ((got = read(file, out + length, size - 1 - length)) <= 0)
            break;
    if (file >= 0)
        close(file);
    out[length] = '\0';
    return length;
}

/* The rank in the environment of a process: what mpirun or srun has set; -1: none. */
static int rank_of(const char *pid)
{
    static char environment[1 << 16];
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "SLURM_PROCID="};
    size_t length = read_proc(pid, "environ", environment, sizeof environment);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (const char *one = environment; one < environment + length; one += strlen(one) + 1)
            if (!strncmp(one, names[n], strlen(names[n])))
                return (int)strtol(one + strlen(names[n]), NULL, 10);
    return -1;
}

/* Whether a process was started by the one that has started this one, and is stopped (or traced). */
static int is_stopped_sibling(const char *pid)
{
    char stat[512], state;
    int parent;
    if (!read_proc(pid, "stat", stat, sizeof stat))
        return 0;
    const char *after = strrchr(stat, ')'); /* a program's name may have spaces and parentheses */
    return after && sscanf(after + 1, " %c %d", &state, &parent) == 2 && parent == getppid() &&
           (state == 'T' || state == 't');
}

/* One entry of getdents64(2), which glibc declares for no program. */
struct entry {
    uint64_t inode;
    int64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* The stopped ranks of this node. How many were found. */
static int find_stopped(int rank[NAMED_MAX])
{
    static char block[1 << 14] __attribute__((aligned(8)));
    int found = 0, folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long got; folder >= 0 && (got = syscall(SYS_getdents64, folder, block, sizeof block)) > 0;) {
        for (long at = 0; at < got;) {
            const struct entry *entry = (const struct entry *)(block + at);
            at += entry->length;
            if (entry->name[0] < '1' || entry->name[0] > '9' || !is_stopped_sibling(entry->name))
                continue;
            int one = rank_of(entry->name);
            if (one >= 0 && found < NAMED_MAX)
                rank[found++] = one;
        }
    }
    if (folder >= 0)
        close(folder);
    return found;
}

static void start_is_late(int number)
{
    char line[512];
    int rank[NAMED_MAX], found = find_stopped(rank);
    (void)number;
    int length =
        snprintf(line, sizeof line, "warpsweep: MPI has not started all ranks within %u s: ", start_seconds);
    for (int i = 0; i < found; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%s%d", i ? ", " : "rank ", rank[i]);
    length += snprintf(
        line + length, sizeof line - (size_t)length,
        "%s; ending the run, nothing was measured (WARPSWEEP_START_TIMEOUT allows more time)\n",
        found ? " is stopped on this node" : "no rank of this node is stopped; look at the other nodes");
    ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written; /* nobody to tell */
    _exit(ERROR_ENVIRONMENT);
}

void limits_start_begin(unsigned seconds, int rank)
{
    start_seconds = seconds;
    signal(SIGALRM, start_is_late);
    alarm(seconds + (rank ? OTHER_RANKS : 0));
}

void limits_start_end(void)
{
    alarm(0);
    signal(SIGALRM, SIG_DFL);
}

/* ---- The end ---- */

static volatile sig_atomic_t end_code;

static void end_is_late(int number)
{
    static const char line[] =
        "warpsweep: some rank does not answer while MPI ends: ending the run; the results are safe\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
    (void)written;
    _exit(end_code);
}

void limits_end_begin(unsigned seconds, int code)
{
    end_code = code;
    signal(SIGALRM, end_is_late);
    alarm(seconds);
    watcher_start(seconds + KILL_SECONDS); /* without it the alarm is left */
}
