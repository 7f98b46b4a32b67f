#include "family/code/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

size_t sass_mnemonic(const char *opcode)
{
    return strcspn(opcode, ".");
}

/* ---- widths ---- */

/* Whether `length` bytes of an opcode are that part. */
static bool is_part(const char *opcode, size_t length, const char *part)
{
    return strlen(part) == length && !strncmp(part, opcode, length);
}

static bool accesses_memory(const char *opcode)
{
    static const char *const names[] = {"LD",  "LDG", "LDS", "LDL",    "LDC",  "LDCU",  "ULDC",  "ST",  "STG",
                                        "STS", "STL", "RED", "LDGSTS", "ATOM", "ATOMG", "ATOMS", "REDG"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= is_part(opcode, sass_mnemonic(opcode), names[i]);
    return found;
}

int sass_width(const char *opcode)
{
    static const struct {
        const char *part;
        int bytes;
    } widths[] = {{"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2}, {"64", 8}, {"128", 16}, {"256", 32}};
    if (!accesses_memory(opcode))
        return 0;
    for (const char *part = opcode + sass_mnemonic(opcode); *part == '.';) {
        size_t length = strcspn(++part, ".");
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            if (is_part(part, length, widths[i].part))
                return widths[i].bytes;
        part += length;
    }
    return 4;
}

bool sass_is_local(const char *opcode)
{
    const size_t length = sass_mnemonic(opcode);
    return is_part(opcode, length, "LDL") || is_part(opcode, length, "STL");
}

/* ---- reading ---- */

/* Labels of the function, with the instruction that follows each. */
struct labels {
    struct label {
        const char *name;
        size_t instruction;
    } * label;
    size_t count, capacity;
};

static char *skip_blanks(char *at)
{
    return at + strspn(at, " \t");
}

/* Parse the text after the address: "  @P0 BRA `(.L_x_0) ;". */
static void read_instruction(struct sass *sass, char *at)
{
    struct sass_instruction one = {.target = -1};
    at = skip_blanks(at);
    one.predicated = *at == '@';
    if (one.predicated)
        at = skip_blanks(at + strcspn(at, " \t"));
    one.opcode = at;
    at += strcspn(at, " \t;");
    bool operands = *at == ' ' || *at == '\t';
    if (*at)
        *at++ = '\0';
    char *rest = skip_blanks(at);
    size_t length = operands ? strcspn(rest, ";") : 0;
    while (length && rest[length - 1] == ' ')
        length--;
    rest[length] = '\0';
    one.operands = rest;
    char *label = strstr(rest, "`(");
    /* BRA.U.ANY does not end a loop of the source: it repeats one instruction for lanes with different
     * operands. */
    if (label && !strncmp(one.opcode, "BRA", 3) && !strstr(one.opcode, ".ANY")) {
        one.label = label + 2;
        one.predicated |= label != rest || strstr(one.opcode, ".DIV") != NULL;
        label[2 + strcspn(label + 2, ")")] = '\0';
    }
    sass->instruction =
        memory_grow(sass->instruction, sass->count, &sass->capacity, sizeof *sass->instruction);
    sass->instruction[sass->count++] = one;
}

static void read_line(struct sass *sass, struct labels *labels, char *line)
{
    char *at = skip_blanks(line), *end;
    if (!strncmp(at, "/*", 2) && (end = strstr(at, "*/"))) {
        read_instruction(sass, end + 2);
    } else if (*line == '.' && (end = strchr(line, ':'))) {
        *end = '\0';
        labels->label = memory_grow(labels->label, labels->count, &labels->capacity, sizeof *labels->label);
        labels->label[labels->count++] = (struct label){line, sass->count};
    }
}

/* The lines of the section that holds the function. */
static bool read_section(struct sass *sass, struct labels *labels, const char *name)
{
    char section[256];
    bool inside = false, found = false;
    snprintf(section, sizeof section, ".text.%s,", name);
    for (char *save, *line = strtok_r(sass->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *at = skip_blanks(line);
        if (!strncmp(at, ".section", 8) && strchr(" \t", at[8])) {
            at = skip_blanks(at + 8);
            inside = !strncmp(at, section, strlen(section));
            found |= inside;
        } else if (inside) {
            read_line(sass, labels, line);
        }
    }
    return found;
}

static void find_targets(struct sass *sass, const struct labels *labels)
{
    for (size_t i = 0; i < sass->count; i++)
        for (size_t k = 0; sass->instruction[i].label && k < labels->count; k++)
            if (!strcmp(labels->label[k].name, sass->instruction[i].label))
                sass->instruction[i].target = (int)labels->label[k].instruction;
}

/* Remove the padding: NOPs, and a branch to itself before them. */
static void cut_padding(struct sass *sass)
{
    while (sass->count) {
        const struct sass_instruction *last = &sass->instruction[sass->count - 1];
        if (strcmp(last->opcode, "NOP") != 0 && last->target != (int)sass->count - 1)
            break;
        sass->count--;
    }
}

/* ---- loops ---- */

bool sass_is_bulk(const char *opcode)
{
    static const char *const names[] = {"UBLKCP", "UTMALDG", "UTMASTG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(opcode, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Loads of constants do not count: most are kernel parameters. */
static bool is_access(const char *opcode)
{
    return sass_is_bulk(opcode) ||
           (accesses_memory(opcode) && strncmp(opcode, "LDC", 3) != 0 && strncmp(opcode, "ULDC", 4) != 0);
}

/* Does instruction `i` end a loop that accesses memory? */
static bool is_memory_loop(const struct sass *sass, size_t i)
{
    int target = sass->instruction[i].target;
    for (size_t k = (size_t)target; target >= 0 && k <= i; k++)
        if (is_access(sass->instruction[k].opcode))
            return true;
    return false;
}

static bool holds_another(const struct sass *sass, size_t i)
{
    int first = sass->instruction[i].target;
    for (size_t k = (size_t)first; k < i; k++) {
        int target = sass->instruction[k].target;
        if (target >= first && target <= (int)k && is_memory_loop(sass, k) && target > first)
            return true;
    }
    return false;
}

/* Behind the end of the kernel lies code that is seldom run, such as the repetition of a wait: a jump back
 * from there ends no loop. */
static bool comes_from_behind(const struct sass *sass, size_t i)
{
    for (size_t k = (size_t)sass->instruction[i].target; k < i; k++)
        if (!strcmp(sass->instruction[k].opcode, "EXIT") && !sass->instruction[k].predicated)
            return true;
    return false;
}

static void find_loops(struct sass *sass)
{
    sass->loop_first = 0;
    sass->loop_last = -1;
    for (size_t i = 0; i < sass->count; i++) {
        int target = sass->instruction[i].target;
        if (target < 0 || target > (int)i)
            continue;
        sass->loops = true;
        if ((long)i - target > sass->loop_last - sass->loop_first && is_memory_loop(sass, i) &&
            !holds_another(sass, i) && !comes_from_behind(sass, i)) {
            sass->loop_first = target;
            sass->loop_last = (long)i;
        }
    }
}

int sass_read(const char *listing, const char *name, struct sass *sass)
{
    struct labels labels = {0};
    *sass = (struct sass){.text = memory_text(listing), .loop_last = -1};
    bool found = read_section(sass, &labels, name);
    find_targets(sass, &labels);
    cut_padding(sass);
    find_loops(sass);
    free(labels.label);
    return found && sass->count ? 0 : -1;
}

void sass_free(struct sass *sass)
{
    free(sass->text);
    free(sass->instruction);
    *sass = (struct sass){.loop_last = -1};
}

size_t sass_loop_length(const struct sass *sass)
{
    return (size_t)(sass->loop_last - sass->loop_first + 1);
}
