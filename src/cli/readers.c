#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "process/process.h"
#include "process/folders.h"

const struct reader readers[] = {
    {"show", "print all data of one point: columns, device, samples"},
    {"pivot", "tables of results files for papers: pivots, Markdown, LaTeX, derived columns"},
    {"plot", "draw figures of results files with gnuplot"},
    {"report", "ten lines of findings; best variants, model errors, slow GPUs, run time"},
    {"paper", "write all figures, tables and the method as a LaTeX paper and a web page"},
    {"compare", "compare two results files, two versions or two values of a column, with verdicts"},
    {"history", "many runs of one job: when times changed, and what else did"},
    {"judge", "is this machine right? A results file against those of good devices"},
    {"profile", "extract a device's numbers for predictions from a results file"},
    {"predict", "predict a job's times from a device profile; no GPU needed"},
    {0},
};

/* Modules of the working folder are not ours, and must not take the place of the standard library's or
 * numpy's. */
static const char start[] =
    "import sys; sys.path[:] = [folder for folder in sys.path if folder]; import runpy; "
    "runpy.run_module('warpsweep', run_name='__main__', alter_sys=True)";

int reader_become(char **argv, struct error *error)
{
    const char *python = getenv("WARPSWEEP_PYTHON"), *others = getenv("PYTHONPATH");
    char *folder = shipped_folder("python/src", "warpsweep/__init__.py");
    struct text path = {0};
    struct error ignored;
    size_t count = 0;
    if (!folder)
        return error_set(
            error, ERROR_ENVIRONMENT,
            "%s is a command of the Python package warpsweep, which was not installed with this program",
            argv[0]);
    text_add(&path, "%s%s%s", folder, others && *others ? ":" : "", others ? others : "");
    setenv("PYTHONPATH", path.data, 1);
    char *program = realpath("/proc/self/exe", NULL);
    if (program)
        setenv("WARPSWEEP_PROGRAM", program, 1);
    text_free(&path);
    free(folder);
    free(program);
    while (argv[count])
        count++;
    const char **words = memory_new(count + 4, sizeof *words);
    words[0] = python && *python ? python : "python3";
    words[1] = "-c";
    words[2] = start;
    memcpy(words + 3, argv, count * sizeof *words);
    process_become(words, &ignored);
    error_set(error, ERROR_ENVIRONMENT,
              "%s needs Python 3.9 or newer, and %s cannot be started: install it with h5py, numpy, pandas, "
              "scipy and jinja2, or name another in WARPSWEEP_PYTHON",
              argv[0], words[0]);
    free(words);
    return -1;
}
