#include "toolkit/toolkit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "family/code/sass.h"
#include "family/family.h"

/* The bytes per lane of a memory access; 0: a bulk copy, whose size is an operand; -1: neither, or of a
 * kernel parameter. */
static int width_of(const struct sass_instruction *one)
{
    int width = sass_width(one->opcode);
    if (!strncmp(one->operands + strcspn(one->operands, "c"), "c[0x0]", 6))
        return -1;
    return width || sass_is_bulk(one->opcode) ? width : -1;
}

static bool same_access(const struct sass_instruction *a, const struct sass_instruction *b)
{
    size_t length = sass_mnemonic(a->opcode);
    return sass_mnemonic(b->opcode) == length && !strncmp(a->opcode, b->opcode, length) &&
           width_of(a) == width_of(b);
}

/* A line for each mnemonic and width. */
static void print_accesses(const struct sass *sass)
{
    for (size_t i = 0; i < sass->count; i++) {
        const struct sass_instruction *one = &sass->instruction[i];
        size_t first = 0;
        int in_all = 0, in_loop = 0;
        if (width_of(one) < 0)
            continue;
        while (!same_access(&sass->instruction[first], one))
            first++;
        if (first < i)
            continue;
        for (size_t k = i; k < sass->count; k++)
            if (same_access(&sass->instruction[k], one)) {
                in_all++;
                in_loop += (long)k >= sass->loop_first && (long)k <= sass->loop_last;
            }
        printf("  %-8.*s", (int)sass_mnemonic(one->opcode), one->opcode);
        if (width_of(one))
            printf(" %2d bytes per lane  %d", width_of(one), in_all);
        else
            printf(" in bulk            %d", in_all);
        if (sass_loop_length(sass))
            printf(", of which %d in the main loop", in_loop);
        putchar('\n');
    }
}

static void print_code(const struct point *point, const struct sass *sass, int registers)
{
    struct text description = {0};
    int spills = 0;
    for (size_t i = 0; i < sass->count; i++)
        spills += sass_is_local(sass->instruction[i].opcode);
    point_describe(point, &description);
    printf("\n%s\n  %zu instructions", description.data, sass->count);
    if (registers)
        printf(", %d registers per thread", registers);
    if (sass_loop_length(sass))
        printf(", main loop of %zu instructions", sass_loop_length(sass));
    else
        printf(sass->loops ? ", no loop that accesses memory" : ", no loop");
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
        return toolkit_fail(toolkit, error, TOOLKIT_MALFORMED);
    if (!ok)
        return toolkit_fail(toolkit, error, "%s", why);
    text_append(listing, text, length);
    return 0;
}

static int print_point(struct toolkit *toolkit, const struct point *point, struct error *error)
{
    const struct target target = {.capability = arch_capability(point_value(point, "arch", ARCH_NATIVE))};
    const char *entry = point_setup(point, &target).entry;
    struct text listing = {0};
    struct sass sass = {.loop_last = -1};
    int registers, failed = ask(toolkit, point, &listing, &registers, error);
    if (!failed && sass_read(listing.data ? listing.data : "", entry, &sass) != 0)
        failed = toolkit_fail(toolkit, error, "the output of nvdisasm has no kernel '%s'", entry);
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
