/* The arithmetic of every family by hand: tests/unit/points/FAMILY.txt. A line is
 *     [TARGET] AXIS=VALUE ... : NAME=VALUE ... the point exists there, and its launch and its work have these
 *     values [TARGET] AXIS=VALUE ... ! REASON it does not, for a reason with these words AXIS=VALUE ... ~
 *     [read] its accesses are those of its reference; loads are the bytes that it reads
 * `describe` has the names, `targets` the targets; without one, it is the H100. Values are words, or sums and
 * products of numbers. AXIS=VALUE|VALUE and AXIS=VALUE|AXIS=VALUE are as many points. */
#include "unit_test.h"

#include "family/access/model.h"
#include "family_test.h"

static const struct {
    const char *name;
    struct target target;
} targets[] = {
    {"hopper", {90, 132, 60 << 20, UINT64_C(141) << 30, 227 << 10, 228 << 10, 2048, false}},
    {"small", {90, 132, 60 << 20, UINT64_C(3) << 30, 227 << 10, 228 << 10, 2048, false}},
    {"host", {0, 16, 32 << 20, UINT64_C(64) << 30, 0, 0, 0, true}},
    {"unknown", {0}},
    {"turing", {75, 40, 4 << 20, UINT64_C(16) << 30, 64 << 10, 64 << 10, 1024, false}},
    {"ampere", {80, 108, 40 << 20, UINT64_C(80) << 30, 163 << 10, 164 << 10, 2048, false}},
    {"ada", {.capability = 89}},
    {"b200", {100, 148, 126 << 20, UINT64_C(180) << 30, 227 << 10, 228 << 10, 2048, false}},
    {"b300", {.capability = 103}},
    {"thor", {.capability = 110}},
    {"rtx", {.capability = 120}},
};
static const char *const engines[] = {"kernel",    "memcpy",      "geam",     "gemm",    "cub_reduce",
                                      "host_copy", "gemm_lt",     "cub_copy", "cub_add", "cub_silu_mul",
                                      "peer_copy", "peer_copies", "call"},
                         *const roles[] = {"input", "output", "scratch", "zeroed", "report", "in_place"},
                         *const kinds[] = {"buffer", "u32",     "u64",       "f32",
                                           "tensor", "texture", "texture2d", "part"};

/* ---- What the values of a point are called ---- */

static void add(struct text *out, const char *name, int number, uint64_t value)
{
    text_add(out, number < 0 ? "%s" : "%s%d", name, number);
    text_add(out, "=%lld ", (long long)value);
}

static void describe_buffers(const struct setup *s, struct text *out)
{
    for (int i = 0; i < s->buffers; i++) {
        const struct buffer *b = &s->buffer[i];
        text_add(out, "role%d=%s type%d=%s ", i, roles[b->role], i, dtype_words[b->dtype]);
        add(out, "count", i, b->count);
        add(out, "bytes", i, dtype_bytes(b->dtype, b->count));
        add(out, "modulus", i, b->fill.modulus);
        add(out, "device", i, (uint64_t)b->device);
        add(out, "host", i, b->on_host);
        add(out, "pageable", i, b->pageable);
        add(out, "combined", i, b->write_combined);
        add(out, "numa", i, (uint64_t)b->numa);
    }
}

/* Of an argument that is a buffer, the number of the buffer and what its address has been increased by. */
static void describe_arguments(const struct setup *s, struct text *out)
{
    for (int i = 0; i < s->arguments; i++) {
        const struct argument *a = &s->argument[i];
        const bool of_buffer = a->kind == ARGUMENT_BUFFER || a->kind == ARGUMENT_TEXTURE_2D;
        text_add(out, "kind%d=%s ", i, kinds[a->kind]);
        add(out, "argument", i, of_buffer ? (uint64_t)BUFFER_OF(a->value) : a->value);
        add(out, "from", i, of_buffer ? BUFFER_OFFSET(a->value) : 0);
    }
    for (int i = 0; i < SETUP_TENSORS_MAX; i++) {
        const struct tensor *t = &s->tensor[i];
        add(out, "tensor", i, (uint64_t)t->buffer);
        add(out, "rows", i, t->rows);
        add(out, "columns", i, t->columns);
        add(out, "box_rows", i, t->box_rows);
        add(out, "box_columns", i, t->box_columns);
        add(out, "swizzle", i, t->swizzle ? UINT64_C(16) << t->swizzle : 0);
    }
}

static struct text describe(const struct point *point, const struct target *target)
{
    const struct setup s = family_of(point)->setup(point, target);
    const struct work work = family_of(point)->work(point);
    const struct tolerance tolerance = family_of(point)->tolerance(point);
    const struct devices devices = family_devices(point);
    struct access access;
    struct prediction p;
    struct text out = {0};
    text_add(&out, " engine=%s entry=%s constant=%s ", engines[s.engine], s.entry ? s.entry : "none",
             s.constant ? s.constant : "none");
    text_add(&out, "relative=%g absolute=%g ratio=%g ", tolerance.relative, tolerance.absolute,
             s.l2.hit_ratio);
    const struct {
        const char *name;
        uint64_t value;
    } values[] = {
        {"grid", s.grid[0]},
        {"block", s.block[0]},
        {"other_dimensions", s.grid[1] * s.grid[2] * s.block[1] * s.block[2]},
        {"shared", s.shared_dynamic},
        {"carveout", (uint64_t)s.carveout},
        {"buffers", (uint64_t)s.buffers},
        {"arguments", (uint64_t)s.arguments},
        {"early", s.programmatic_launch},
        {"constant_buffer", (uint64_t)s.constant_buffer},
        {"sets", s.sets},
        {"parts", (uint64_t)s.parts},
        {"group", (uint64_t)s.group},
        {"idle", s.idle},
        {"in_a_row", s.in_a_row},
        {"window", s.l2.window},
        {"window_buffer", (uint64_t)s.l2.buffer},
        {"chunks", s.host_copy.chunks},
        {"streams", s.host_copy.streams},
        {"accesses", family_of(point)->access && family_of(point)->access(point, &s, 0, 0, &access)},
        {"alone", family_of(point)->node_exclusive},
        {"materialise", family_of(point)->materialise},
        {"slows", point_slows(point)},
        {"devices", (uint64_t)devices.count},
        {"all_bytes", setup_bytes(&s, 1)},
        {"read", work.bytes_read},
        {"written", work.bytes_written},
        {"flops", work.flops},
        {"executed", work_flops_executed(&work)},
        {"bus", work.bus_bytes}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        add(&out, values[i].name, -1, values[i].value);
    for (int i = 0; i < 4; i++)
        add(&out, "shape", i, s.shape[i]);
    model_predict(point, &s, target, 0, &p);
#define X(name) text_add(&out, #name "=%.9g ", p.name);
    PREDICTIONS(X)
#undef X
    for (int i = 0; i < devices.count; i++)
        add(&out, "ordinal", i, (uint64_t)devices.ordinal[i]);
    for (int i = 0; i < s.group; i++)
        add(&out, "second_part_buffer", i, (uint64_t)setup_part_buffer(&s, 1, i));
    describe_buffers(&s, &out);
    describe_arguments(&s, &out);
    return out;
}

/* ---- Sums and products ---- */

static uint64_t sum_of(const char **at);

static uint64_t factor_of(const char **at)
{
    char text[64];
    int64_t value;
    if (**at == '(') {
        ++*at;
        value = (int64_t)sum_of(at);
        *at += **at == ')';
        return (uint64_t)value;
    }
    size_t length = strcspn(*at, "+-*/() ");
    snprintf(text, sizeof text, "%.*s", (int)length, *at);
    *at += length;
    if (!text_parse_bytes(text, &value))
        fail_msg("'%s' is no number", text);
    return (uint64_t)value;
}

static uint64_t product_of(const char **at)
{
    uint64_t value = factor_of(at);
    while (**at == '*' || **at == '/') {
        const bool divided = *(*at)++ == '/';
        const uint64_t next = factor_of(at);
        value = divided ? value / next : value * next;
    }
    return value;
}

static uint64_t sum_of(const char **at)
{
    uint64_t value = product_of(at);
    while (**at == '+' || **at == '-') {
        const bool minus = *(*at)++ == '-';
        const uint64_t next = product_of(at);
        value += minus ? -next : next;
    }
    return value;
}

static bool is_value(const char *wanted, const char *got)
{
    const size_t length = strcspn(got, " ");
    if (strlen(wanted) == length && !strncmp(wanted, got, length))
        return true;
    return strchr("0123456789(", *wanted) && strspn(got, "0123456789") == length &&
           sum_of(&wanted) == strtoull(got, NULL, 10);
}

/* ---- Lines ---- */

static const struct target *take_target(char **line)
{
    const size_t length = strcspn(*line, " ");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strlen(targets[i].name) == length && !strncmp(targets[i].name, *line, length)) {
            *line += length;
            return &targets[i].target;
        }
    return &targets[0].target;
}

/* What is wrong with a point, or nothing. */
static void check_values(const struct point *point, const struct target *target, const char *expected,
                         struct text *wrong)
{
    struct text got = describe(point, target);
    char wanted[512], *save;
    snprintf(wanted, sizeof wanted, "%s", expected);
    for (char *one = strtok_r(wanted, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        char name[64];
        const size_t length = strcspn(one, "=");
        snprintf(name, sizeof name, " %.*s=", (int)length, one);
        const char *found = strstr(got.data, name);
        if (!found)
            text_add(wrong, "there is no%.*s; ", (int)length + 1, name);
        else if (!is_value(one + length + 1, found + length + 2))
            text_add(wrong, "%s is %.*s; ", one, (int)strcspn(found + 1, " "), found + 1);
    }
    text_free(&got);
}

static void check_accesses(const struct point *point, const char *settings, const char *expected,
                           struct text *wrong)
{
    uint64_t loaded[SETUP_BUFFERS_MAX];
    family_assert_accesses(point->space->kernel, settings, loaded);
    for (int b = 1; b < SETUP_BUFFERS_MAX; b++)
        loaded[0] += loaded[b];
    if (*expected && loaded[0] != family_of(point)->work(point).bytes_read)
        text_add(wrong, "%s: %llu bytes are loaded", settings, (unsigned long long)loaded[0]);
}

static void check_point(const char *kernel, const struct target *target, const char *settings, char sign,
                        const char *expected, struct text *wrong)
{
    char reason[256];
    const struct point point = family_point(kernel, settings);
    const char *why = family_skip(&point, target, reason, sizeof reason);
    if (sign == '!' && (!why || !strstr(why, expected)))
        text_add(wrong, "expected '%s', got '%s'", expected, why ? why : "(it exists)");
    else if (sign == ':' && why)
        text_add(wrong, "%s", why);
    else if (sign == ':')
        check_values(&point, target, expected, wrong);
    else if (sign == '~')
        check_accesses(&point, settings, expected, wrong);
}

/* Of the first word with alternatives, each in turn: "a=1|2|b=3". */
static void check_line(const char *kernel, const struct target *target, const char *settings, char sign,
                       const char *expected, struct text *wrong)
{
    const char *bar = strchr(settings, '|'), *first = bar;
    if (!bar) {
        check_point(kernel, target, settings, sign, expected, wrong);
        return;
    }
    while (first > settings && first[-1] != ' ')
        first--;
    const size_t length = strcspn(first, " "), name = strcspn(first, "=") + 1;
    for (const char *one = first; one < first + length; one += strcspn(one, "| ") + 1) {
        char line[512];
        const int size = (int)strcspn(one, "| ");
        const bool named = memchr(one, '=', (size_t)size);
        snprintf(line, sizeof line, "%.*s%.*s%.*s%s", (int)(first - settings), settings,
                 named ? 0 : (int)name, first, size, one, first + length);
        check_line(kernel, target, line, sign, expected, wrong);
    }
}

static void split_line(const char *kernel, char *line, struct text *wrong)
{
    const struct target *target = take_target(&line);
    char *expected = line + strcspn(line, ":!~"), sign = *expected;
    *expected = '\0';
    if (!sign)
        text_add(wrong, "no :, ! or ~");
    else
        check_line(kernel, target, line, sign, expected + 1 + strspn(expected + 1, " "), wrong);
}

static int check_family(const char *kernel)
{
    char path[512], line[512];
    int failed = 0, number = 0;
    snprintf(path, sizeof path, SOURCE_FOLDER "/tests/unit/points/%s.txt", kernel);
    FILE *file = fopen(path, "r");
    if (!file) {
        print_error("there is no %s\n", path);
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        struct text wrong = {0};
        char *comment = strstr(line, "# ");
        size_t length = comment ? (size_t)(comment - line) : strcspn(line, "\n");
        number++;
        while (length > 0 && line[length - 1] == ' ')
            length--;
        line[length] = '\0';
        if (length > 0)
            split_line(kernel, line, &wrong);
        if (wrong.data)
            print_error("%s:%d: %s\n", path, number, wrong.data);
        failed += wrong.data != NULL;
        text_free(&wrong);
    }
    fclose(file);
    return failed;
}

TEST(points)
{
    int failed = 0;
    for (const struct family *const *f = families; *f; f++)
        failed += check_family((*f)->space.kernel);
    assert_int_equal(failed, 0);
}
