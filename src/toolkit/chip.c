#include "toolkit/chip.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/metric.h"
#include "toolkit/chip_list.h"

/* What CUPTI, or else the list, says of the columns. */
struct answer {
    bool *has;
    uint32_t passes;
    bool from_list;
};

/* The list knows nothing of CUPTI's own names: the chip is taken to have them. */
static void ask_list(const struct chip_known *known, const char *const *columns, int count,
                     struct answer *answer)
{
    answer->from_list = true;
    for (int i = 0; i < count; i++)
        answer->has[i] = chip_list_has(known, columns[i]);
}

static int ask(struct toolkit *toolkit, const char *chip, const char *const *columns, int count,
               struct answer *answer, struct error *error)
{
    const struct chip_known *known = chip_list_find(chip);
    if (!toolkit->no_cupti &&
        toolkit_ask_chip(toolkit, chip, columns, count, answer->has, &answer->passes, error) == 0)
        return 0;
    if (!known) {
        if (toolkit->no_cupti)
            error_set(error, ERROR_ENVIRONMENT,
                      "CUPTI fails, and the list of this release has no chip '%.40s'", chip);
        return -1;
    }
    if (!toolkit->no_cupti)
        fprintf(stderr,
                "warpsweep: note: %s; from here on the list of this release answers, which was made with "
                "%s\n",
                error->text, CHIP_LIST_SOURCE);
    toolkit->no_cupti = true;
    ask_list(known, columns, count, answer);
    return 0;
}

int chip_print(struct toolkit *toolkit, const char *chip, const char *what, const char *const *columns,
               int count, struct error *error)
{
    struct answer answer = {.has = memory_new((size_t)count + 1, sizeof *answer.has)};
    struct text missing = {0}, passes = {0};
    int lacks = 0, metrics_lack = 0, failed = ask(toolkit, chip, columns, count, &answer, error);
    for (int i = 0; i < count && !failed; i++)
        if (!answer.has[i]) {
            text_add(&missing, "%s%s", lacks++ ? ", " : "", columns[i]);
            metrics_lack += !metric_find(columns[i]);
        }
    text_add(&passes, "%s", "");
    if (!answer.from_list)
        text_add(&passes, ", in %u pass%s", answer.passes, answer.passes == 1 ? "" : "es");
    if (!failed && !lacks)
        printf("%s: all %d columns of %s%s\n", chip, count, what, passes.data);
    else if (!failed)
        printf("%s: %d of %d columns of %s%s; it has no %s\n", chip, count - lacks, count, what, passes.data,
               missing.data);
    text_free(&missing);
    text_free(&passes);
    free(answer.has);
    return failed ? -1 : metrics_lack;
}
