/* What goes wrong on a GPU is told, by point, and the next point is none the worse. The families here are
 * wrong on purpose. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "family/rules.h"
#include "gpu_test.h"

enum { N = 100000 };

static const char *const variants[] = {"right", "wrong", "short", "overrun", "syntax", "illegal", NULL};
static const struct axis axes[] = {
    AXIS_VARIANT(variants, "right"),
    AXIS_BLOCK("256"),
    AXIS_CACHE,
    AXIS_ARCHITECTURE,
};

static const char source[] =
    "extern \"C\" __global__ void faulty(const unsigned *in, unsigned *out, unsigned n) {\n"
    "    unsigned i = blockIdx.x * 256 + threadIdx.x;\n"
    "#if defined(variant_wrong)\n"
    "    if (i < n) out[i] = in[i] + (i == 77777);\n"
    "#elif defined(variant_short)\n"
    "    if (i + 1 < n) out[i] = in[i];\n"
    "#elif defined(variant_overrun)\n"
    "    if (i < n + 3) out[i] = i < n ? in[i] : 0;\n"
    "#elif defined(variant_syntax)\n"
    "    out[i] = nonsense;\n"
    "#elif defined(variant_illegal)\n"
    "    if (i < n) *(unsigned *)(8ull * i + 4) = in[i];\n"
    "#else\n"
    "    if (i < n) out[i] = in[i];\n"
    "#endif\n"
    "}\n";

static struct setup setup(const struct point *point, const struct target *target)
{
    struct setup s = {
        .entry = "faulty",
        .buffer = {{.name = "in", .role = BUFFER_INPUT, .dtype = DTYPE_I32, .count = N},
                   {.name = "out", .role = BUFFER_OUTPUT, .dtype = DTYPE_I32, .count = N}},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U32, N}},
        .arguments = 3,
        .grid = {(N + 3 + 255) / 256, 1, 1},
        .block = {(uint32_t)point_value(point, "block", 256), 1, 1},
        .carveout = -1,
    };
    return s;
}

static struct work work(const struct point *point)
{
    return (struct work){.bytes_read = 4 * N, .bytes_written = 4 * N};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    inputs_load_range(inputs, 0, first, count, out);
}

static const struct family faulty = {
    .space = {.kernel = "faulty", .axes = axes, .count = sizeof axes / sizeof *axes},
    .summary = "wrong on purpose",
    .source = source,
    .skip = gpu_test_skip_none,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
};

static struct device device;

static void expect(const char *variant, int64_t block, enum status status, const char *words)
{
    struct point point = point_standard(&faulty.space);
    struct error error;
    axis_parse(&axes[0], variant, &point.value[0], &error);
    point.value[1] = block;
    struct result result = gpu_test_measure(&device, &point);
    printf("%s, %d threads: %s: %s\n", variant, (int)block, status_words[result.status], result.message);
    CHECK(result.status == status, "%s: %s", variant, result.message);
    CHECK(strstr(result.message, words), "%s: '%s' lacks '%s'", variant, result.message, words);
    CHECK(status != STATUS_OK || result.sample_count >= 10, "%u samples", result.sample_count);
    result_free(&result);
}

int main(int argc, char **argv)
{
    device = gpu_test_open();
    if (argc > 1) { /* the process that is lost */
        expect("illegal", 256, STATUS_CRASHED, "");
        return 0;
    }
    expect("right", 256, STATUS_OK, "");
    expect("wrong", 256, STATUS_FAILED, "[77777]");
    expect("short", 256, STATUS_FAILED, "[99999]");
    expect("overrun", 256, STATUS_FAILED, "out of bounds");
    expect("syntax", 256, STATUS_FAILED, "nonsense");
    expect("right", 4096, STATUS_FAILED, "block of 4096");
    expect("right", 256, STATUS_OK, "");
    backend_cuda.close();

    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", argv[0], "illegal", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 4, "an illegal access ended with status %x", status);
    return gpu_test_end("faults", 8);
}
