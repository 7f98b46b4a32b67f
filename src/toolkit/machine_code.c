#include "toolkit/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "family/code/sass.h"
#include "family/family.h"

/* Accesses of one mnemonic and width. */
struct tally {
    const char *opcode;
    int width, in_all, in_loop;
};
enum { TALLIES_MAX = 32 };

static bool same_access(const struct tally *tally, const char *opcode, int width)
{
    size_t length = sass_mnemonic(opcode);
    return tally->width == width && sass_mnemonic(tally->opcode) == length &&
           !strncmp(tally->opcode, opcode, length);
}

/* Memory accesses, and bulk copies, whose size is an operand. */
static int tally_up(const struct sass *sass, struct tally tally[TALLIES_MAX])
{
    int count = 0;
    for (size_t i = 0; i < sass->count; i++) {
        const char *opcode = sass->instruction[i].opcode;
        int width = sass_width(opcode), at = 0;
        if (!strncmp(sass->instruction[i].operands + strcspn(sass->instruction[i].operands, "c"), "c[0x0]",
                     6))
            continue; /* a kernel parameter */
        if (!width && !sass_is_bulk(opcode))
            continue;
        while (at < count && !same_access(&tally[at], opcode, width))
            at++;
        if (at == TALLIES_MAX)
            continue;
        if (at == count)
            tally[count++] = (struct tally){opcode, width, 0, 0};
        tally[at].in_all++;
        tally[at].in_loop += (long)i >= sass->loop_first && (long)i <= sass->loop_last;
    }
    return count;
}

static void print_accesses(const struct sass *sass)
{
    struct tally tally[TALLIES_MAX];
    int count = tally_up(sass, tally);
    for (int i = 0; i < count; i++) {
        printf("  %-8.*s", (int)sass_mnemonic(tally[i].opcode), tally[i].opcode);
        if (tally[i].width)
            printf(" %2d bytes per lane", tally[i].width);
        else
            printf(" in bulk          ");
        printf("  %d", tally[i].in_all);
        if (sass_loop_length(sass))
            printf(", of which %d in the main loop", tally[i].in_loop);
        putchar('\n');
    }
}

static int local_accesses(const struct sass *sass)
{
    int count = 0;
    for (size_t i = 0; i < sass->count; i++)
        count += sass_is_local(sass->instruction[i].opcode);
    return count;
}

static void print_code(const struct point *point, const struct sass *sass, int registers)
{
    struct text description = {0};
    point_describe(point, &description);
    printf("\n%s\n  %zu instructions", description.data, sass->count);
    if (registers)
        printf(", %d registers per thread", registers);
    if (sass_loop_length(sass))
        printf(", main loop of %zu instructions", sass_loop_length(sass));
    else
        printf(sass->loops ? ", no loop that accesses memory" : ", no loop");
    int spills = local_accesses(sass);
    if (spills)
        printf(", %d accesses to local memory", spills);
    putchar('\n');
    print_accesses(sass);
    text_free(&description);
}

static int ask(struct toolkit *toolkit, const struct point *point, struct text *listing, int *registers,
               struct error *error)
{
    struct wire_reader answer;
    char why[1000];
    uint32_t length;
    wire_reset(&toolkit->request);
    wire_put_point(&toolkit->request, point);
    if (toolkit_send(toolkit, WIRE_DISASSEMBLE, error) != 0 ||
        toolkit_receive(toolkit, WIRE_LISTING, &answer, error) != 0)
        return -1;
    uint32_t ok = wire_get_u32(&answer);
    wire_get_text(&answer, why, sizeof why);
    *registers = (int)wire_get_u32(&answer);
    const void *text = wire_get_bytes(&answer, &length);
    if (answer.bad)
        return toolkit_malformed(toolkit, error);
    if (!ok)
        return error_set(error, ERROR_ENVIRONMENT, "cannot %s: %s", toolkit->purpose, why);
    text_append(listing, text, length);
    return 0;
}

/* The name of its kernel. */
static const char *entry_of(const struct point *point)
{
    struct target target = {.capability = arch_capability(point_value(point, "arch", ARCH_NATIVE))};
    return point_setup(point, &target).entry;
}

static int print_point(struct toolkit *toolkit, const struct point *point, struct error *error)
{
    struct text listing = {0};
    struct sass sass = {.loop_last = -1};
    int registers, failed = ask(toolkit, point, &listing, &registers, error);
    if (!failed && sass_read(listing.data ? listing.data : "", entry_of(point), &sass) != 0)
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot %s: the output of nvdisasm has no kernel '%s'",
                           toolkit->purpose, entry_of(point));
    if (!failed)
        print_code(point, &sass, registers);
    sass_free(&sass);
    text_free(&listing);
    return failed;
}

int machine_code_print(const struct point *points, size_t count, struct error *error)
{
    struct toolkit toolkit;
    if (!count)
        return 0;
    int failed = compiler_start(&toolkit, "disassemble", error);
    for (size_t i = 0; i < count && !failed; i++)
        failed = print_point(&toolkit, &points[i], error);
    toolkit_stop(&toolkit);
    return failed;
}
