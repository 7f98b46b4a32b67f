#include "paper/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "process/process.h"

#define SECONDS      300.0 /* limit for one pass, which takes a few */
#define LOG_SIZE_MAX ((size_t)16 << 20)

static int run(const char *folder, const char *const *argv, long long dated, struct error *error)
{
    char epoch[64];
    /* Paranoid: TeX opens no file by an absolute path, above the folder, or with a dot before its name. */
    const char *setting[6] = {"max_print_line=1000", "openin_any=p", "openout_any=p", NULL};
    struct text printed = {0};
    snprintf(epoch, sizeof epoch, "SOURCE_DATE_EPOCH=%lld", dated);
    if (dated >= 0) {
        setting[3] = epoch;
        setting[4] = "FORCE_SOURCE_DATE=1";
    }
    int failed = process_run(
        &(struct process_options){.path = argv[0], .argv = argv, .folder = folder, .setting = setting},
        SECONDS, &printed, error);
    text_free(&printed);
    return failed;
}

/* TeX's error message is the first line of the log that begins with "!". */
static void explain(const char *folder, struct error *error)
{
    struct text path = {0};
    struct error ignored;
    size_t size;
    text_add(&path, "%s/paper.log", folder);
    char *log = io_read_file(path.data, LOG_SIZE_MAX, &size, &ignored),
         *wrong = log ? strstr(log, "\n! ") : NULL;
    if (wrong) {
        wrong += 3;
        wrong[strcspn(wrong, "\n")] = '\0';
        error_set(error, ERROR_ENVIRONMENT, "paper.tex does not compile: %.300s%s", wrong,
                  strstr(wrong, "not found") ? "; on Debian or Ubuntu: apt-get install " COMPILE_PACKAGES
                                             : "");
    }
    free(log);
    text_free(&path);
}

static void clean(const char *folder)
{
    static const char *const left[] = {"aux", "log", "out", "blg"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        struct text path = {0};
        text_add(&path, "%s/paper.%s", folder, left[i]);
        unlink(path.data);
        text_free(&path);
    }
}

int compile_paper(const char *folder, long long seconds, struct error *error)
{
    static const char *const latex[] = {
        "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex", NULL};
    static const char *const draft[] = {"pdflatex",
                                        "-interaction=nonstopmode",
                                        "-halt-on-error",
                                        "-no-shell-escape",
                                        "-draftmode",
                                        "paper.tex",
                                        NULL};
    static const char *const bibtex[] = {"bibtex", "paper", NULL};
    static const char *const *const passes[] = {draft, bibtex, draft, latex};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (run(folder, passes[i], seconds, error) != 0) {
            if (strstr(error->text, "cannot execute"))
                return error_set(error, ERROR_ENVIRONMENT,
                                 "no %s in PATH: on Debian or Ubuntu, apt-get install " COMPILE_PACKAGES,
                                 passes[i][0]);
            explain(folder, error);
            return -1;
        }
    clean(folder);
    return 0;
}
