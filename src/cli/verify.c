/* verify - is a results file whole, and what it was when it was written? */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>

#include "store/store.h"

static const struct command_option options[] = {{0}};

static void print_tables(const struct store_verification *found)
{
    static const char *const words[] = {"checksum right", "CHECKSUM WRONG", "no checksum"};
    for (int i = 0; i < found->tables; i++)
        printf("  /%-12s %10zu row%s  %s\n", found->table[i].name, found->table[i].rows,
               found->table[i].rows == 1 ? " " : "s", words[found->table[i].checksum]);
}

static void print_journal(const struct dataset *dataset)
{
    const struct journal_damage *damage = &dataset->journal_damage;
    if (!dataset->running)
        return;
    printf("  journal       %10zu row%s  ", dataset->journal_rows, dataset->journal_rows == 1 ? " " : "s");
    if (damage->places)
        printf("DAMAGED in %d place%s, %zu bytes; rows lost: %" PRIu64 " or more\n", damage->places,
               damage->places == 1 ? "" : "s", damage->bytes, damage->rows);
    else
        printf("every record right%s\n", dataset->writer ? "; a run is writing it" : "");
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset dataset;
    struct store_verification found;
    if (dataset_verify(arguments->operand[0], &dataset, &found, error) != 0)
        return -1;
    bool damaged = found.wrong || (dataset.journal_damage.places && !dataset.writer);
    printf("%s: %s\n", arguments->operand[0],
           damaged         ? "DAMAGED"
           : found.missing ? "types, indices and lengths are right; it has not all checksums"
                           : "whole");
    print_tables(&found);
    print_journal(&dataset);
    dataset_free(&dataset);
    return damaged ? EXIT_POINTS : EXIT_FINE;
}

const struct command command_verify = {
    .name = "verify",
    .operands = "FILE.h5",
    .least = 1,
    .most = 1,
    .summary = "is a results file whole: types, indices, lengths, checksums, journal",
    .details = "Reads all of the file and its journal and compares every table with the checksum that was "
               "written with\n"
               "it; files of releases before 0.3 have none.\n\n"
               "Exit code: 0 when everything is right, 1 when a checksum is wrong or the journal is damaged, "
               "3 when\n"
               "it cannot be read as a results file.\n",
    .examples = "  warpsweep verify results.h5\n",
    .options = options,
    .run = run,
};
