#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "process/process.h"
#include "process/folders.h"

const struct reader readers[] = {
    {"table", "print rows and columns of a results file, or its best points"},
    {"show", "print all data of one point: columns, device, samples"},
    {"pivot", "tables of results files for papers: pivots, Markdown, LaTeX, derived columns"},
    {"plot", "draw figures of results files with gnuplot"},
    {"report", "ten lines of findings; best variants, model errors, run time"},
    {"paper", "write all figures, tables and the method as a LaTeX paper and a web page"},
    {"artifact", "write what an evaluation committee gets with a paper, or check it"},
    {"compare", "compare two results files, two versions or two values of a column, with verdicts"},
    {"reproduce", "hold the claims of a paper against new measurements of the same points"},
    {"history", "many runs of one job: when times changed, and what else did"},
    {"judge", "is this machine right? A results file against those of good devices"},
    {"profile", "extract a device's numbers for predictions from results files"},
    {"predict", "predict a job's times from a device profile; no GPU needed"},
    {0},
};

/* An interpreter that cannot start ends with 1, so that the command's own 1 is sent as another number. */
enum { PYTHON_FAILED = 1, SAYS_1 = 10, UNSUITABLE = 11 };

/* Modules of the working folder are not ours, and must not take the place of the standard library's or
 * numpy's. An interpreter that is too old for the package, or lacks what it imports, leaves the message to
 * the last one that is tried. */
static const char start[] =
    "import sys\n"
    "sys.path[:] = [folder for folder in sys.path if folder]\n"
    "last = sys.argv.pop(1) == 'last'\n"
    "try:\n"
    "    from warpsweep.__main__ import main\n"
    "    code = main(sys.argv[1:])\n"
    "except Exception as error:\n"
    "    code = 3 if last else 11\n"
    "    if last:\n"
    "        text = 'warpsweep: %s under Python %s: %s; WARPSWEEP_PYTHON names another Python'\n"
    "        sys.stderr.write(text % (sys.argv[1], sys.version.split()[0], error) + '\\n')\n"
    "sys.exit(10 if code == 1 else code)\n";

/* The exit code of the command, or UNSUITABLE, if this interpreter is not the last and cannot run it; -1 with
 * an error. */
static int run_python(const char *python, char **argv, bool last, struct error *error)
{
    const char *const first[] = {python, "-c", start, last ? "last" : "more"};
    size_t count = 0, before = sizeof first / sizeof *first;
    int status = 0;
    char how[128];
    while (argv[count])
        count++;
    const char **words = memory_new(before + count + 1, sizeof *words);
    memcpy(words, first, sizeof first);
    memcpy(words + before, argv, count * sizeof *words);
    int failed = process_stand_in(words, &status, error);
    free(words);
    if (failed)
        return last ? error_set(error, ERROR_ENVIRONMENT,
                                "%s needs Python: %s; WARPSWEEP_PYTHON names another one", argv[0],
                                error->text)
                    : UNSUITABLE;
    process_end_alike(status);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == EXIT_FINE || code == EXIT_USAGE || code == EXIT_ENVIRONMENT)
        return code;
    if (code == SAYS_1)
        return EXIT_POINTS;
    if (!last && (code == PYTHON_FAILED || code == UNSUITABLE))
        return UNSUITABLE;
    process_describe_end(status, how, sizeof how);
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s %s%s; WARPSWEEP_PYTHON names another Python", argv[0],
                     python, WIFEXITED(status) ? "" : "was ", how);
}

int reader_run(char **argv, struct error *error)
{
    char *folder = shipped_folder("python/src", "warpsweep/__init__.py");
    if (!folder)
        return error_set(
            error, ERROR_ENVIRONMENT,
            "%s is a command of the Python package warpsweep, which was not installed with this program",
            argv[0]);
    putenv(process_python_path(folder));    /* which keeps it */
    setenv("OPENBLAS_NUM_THREADS", "1", 0); /* threads that nobody needs take address space, and end loudly */
    setenv("PYTHONUTF8", "1", 1);           /* as this program: names of files are bytes, texts are UTF-8 */
    char *program = realpath("/proc/self/exe", NULL);
    if (program)
        setenv("WARPSWEEP_PROGRAM", program, 1);
    free(folder);
    free(program);
    int code = UNSUITABLE;
    for (int i = 0; code == UNSUITABLE; i++) {
        code = run_python(process_python(i), argv, !process_python(i + 1), error);
        unsetenv("PYTHONHOME"); /* is that of the first Python */
    }
    return code;
}
