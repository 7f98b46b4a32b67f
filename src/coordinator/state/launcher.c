#include "coordinator/state/launcher.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "coordinator/state/environment.h"

enum { COMMAND_MAX = 1 << 16, WORDS_MAX = 4096 };

static bool is_launcher(const char *path)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun"};
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Split the command line of the parent process, which is stored in `text`, into words. 0 if it cannot be read. */
static int parent_words(char text[COMMAND_MAX], char *word[WORDS_MAX])
{
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)getppid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : io_read_full(fd, text, COMMAND_MAX - 1);
    if (fd >= 0)
        close(fd);
    for (ssize_t at = 0; at < got && count < WORDS_MAX; at += (ssize_t)strlen(text + at) + 1) {
        text[got] = '\0';
        word[count++] = text + at;
    }
    return count;
}

/* How many words precede `argv`, if the last words are `argv`; else 0. */
static int words_before(char *const *word, int words, int argc, char *const *argv)
{
    int before = words - argc;
    for (int i = 0; i < argc && before > 0; i++)
        if (strcmp(word[before + i], argv[i]) != 0)
            before = 0;
    return before > 0 ? before : 0;
}

char *launcher_command(int ranks, int argc, char **argv)
{
    struct text command = {0};
    char *text = memory_new(COMMAND_MAX, 1), **word = memory_new(WORDS_MAX, sizeof *word);
    bool srun = getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE");
    int words = parent_words(text, word);
    int before = words && is_launcher(word[0]) ? words_before(word, words, argc, argv) : 0;
    if (before) {
        char *own = environment_command(before, word);
        text_add(&command, "%s ", own);
        free(own);
    } else if (srun && ranks > 1) {
        text_add(&command, "srun --mpi=pmix -n %d ", ranks);
    } else if (ranks > 1) {
        text_add(&command, "mpirun -n %d ", ranks);
    }
    free(text);
    free(word);
    return command.data ? command.data : memory_text("");
}
