#include "cli/command.h"

#include <inttypes.h>
#include <stdio.h>

#include "store/store.h"

static void print_tables(const struct store_verification *found)
{
    static const char *const words[] = {"checksum ok", "CHECKSUM WRONG", "no checksum", "CHECKSUM MISSING"};
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
        printf("CORRUPT in %d place%s, %zu bytes; at least %" PRIu64 " rows lost\n", damage->places,
               damage->places == 1 ? "" : "s", damage->bytes, damage->rows);
    else
        printf("all records ok%s\n", dataset->writer ? "; a run is writing it" : "");
}

int verify_file(const char *path, struct error *error)
{
    struct dataset dataset;
    struct store_verification found;
    if (dataset_verify(path, &found, &dataset, error) != 0)
        return -1;
    bool damaged = found.wrong || dataset.lost_timeline || (dataset.journal_damage.places && !dataset.writer);
    printf("%s: %s\n", path,
           damaged         ? "CORRUPT"
           : found.missing ? "types, indices and lengths ok; some tables have no checksum"
                           : "ok");
    print_tables(&found);
    if (dataset.lost_timeline)
        printf("  /timeline     DAMAGED, other tables are read without it: %s\n", dataset.lost_timeline);
    print_journal(&dataset);
    dataset_free(&dataset);
    return damaged ? EXIT_POINTS : EXIT_FINE;
}
