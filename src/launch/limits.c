#include "launch/limits.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "process/watcher.h"

#define START_SECONDS    120
#define SECONDS_PER_RANK 0.05
#define OTHER_RANKS      2 /* s that they wait longer than rank 0 */

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

/* ---- Which ranks of this node are stopped: they are children of the process that has started this one ---- */

static pid_t launcher;

/* The rank in the environment of a process, which mpirun or srun has set; -1: none, or it cannot be read. */
static int rank_of(const char *pid)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "SLURM_PROCID="};
    char path[300], *one = NULL;
    size_t size = 0;
    int rank = -1;
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    FILE *file = fopen(path, "re");
    while (file && rank < 0 && getdelim(&one, &size, '\0', file) > 0)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (!strncmp(one, names[n], strlen(names[n])))
                rank = (int)strtol(one + strlen(names[n]), NULL, 10);
    free(one);
    if (file)
        fclose(file);
    return rank;
}

static bool is_stopped_sibling(const char *pid)
{
    char path[300], line[512], state = ' ';
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    const char *after =
        io_read_line(path, line, sizeof line) ? strrchr(line, ')') : NULL; /* behind the name */
    return after && sscanf(after + 1, " %c %d", &state, &parent) == 2 && parent == launcher &&
           (state == 'T' || state == 't');
}

/* "rank 1, 3"; nothing if none is stopped. */
static void name_stopped(struct text *out)
{
    DIR *folder = opendir("/proc");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!isdigit((unsigned char)*entry->d_name) || !is_stopped_sibling(entry->d_name))
            continue;
        int rank = rank_of(entry->d_name);
        if (rank >= 0)
            text_add(out, "%s%d", out->length ? ", " : "rank ", rank);
    }
    if (folder)
        closedir(folder);
}

/* ---- In the watching child ---- */

static unsigned start_seconds;

static void report_start(void)
{
    struct text stopped = {0};
    name_stopped(&stopped);
    fprintf(stderr,
            "warpsweep: MPI has not started all ranks within %u s: %s%s; ending the run, nothing was "
            "measured (WARPSWEEP_START_TIMEOUT allows more time)\n",
            start_seconds, stopped.length ? stopped.data : "no rank of this node",
            stopped.length ? " is stopped on this node" : " is stopped; look at the other nodes");
    text_free(&stopped);
}

static void report_end(void)
{
    fprintf(stderr,
            "warpsweep: some rank does not answer while MPI ends: ending the run; the results are safe\n");
}

/* ---- In this process ---- */

static volatile sig_atomic_t exit_code;
static struct watcher start_watcher;

static void exit_now(int number)
{
    (void)number;
    _exit(exit_code);
}

void limits_start_begin(unsigned seconds, int rank)
{
    exit_code = ERROR_ENVIRONMENT;
    start_seconds = seconds;
    launcher = getppid();
    signal(SIGALRM, exit_now);
    start_watcher = watcher_start(seconds + (rank ? OTHER_RANKS : 0), report_start);
}

void limits_start_end(void)
{
    watcher_stop(&start_watcher);
    signal(SIGALRM, SIG_DFL);
}

void limits_end_begin(unsigned seconds, int code)
{
    exit_code = code;
    signal(SIGALRM, exit_now);
    watcher_start(seconds, report_end); /* it ends with this process */
}
