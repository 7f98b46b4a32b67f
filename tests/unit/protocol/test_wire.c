/* The wire format: what is written reads back; what is cut or overwritten is refused, and never read beyond.
 */
#include <fcntl.h>

#include "unit_test.h"

#include "base/hash.h"
#include "base/memory.h"
#include "kernels/registry.h"
#include "protocol/wire.h"

static struct wire wire;

static int start(void **state)
{
    wire_free(&wire);
    return 0;
}

EACH(start, NULL)

static struct point some_point(void)
{
    struct point point = point_standard(family_space("copy"));
    int stride = space_axis(point.space, "stride");
    point.value[stride] = 137;
    return point;
}

static struct result some_result(void)
{
    struct result result = result_new();
    result.id = UINT64_C(0xfedcba9876543210);
    result.repeat = 3;
    result.device = 2;
    result.stop = STOP_SETTLED;
    result.formula = FORMULA_tiles;
    result.arithmetic = ROOF_tensor_f16;
    result_fail(&result, STATUS_TIMED_OUT, "no result within %d s", 60);
    result.real[REAL_time_median] = 1.25e-6;
    result.counter[1] = 42;
    result.sample_count = 3;
    result.samples = calloc(3, sizeof *result.samples);
    for (int i = 0; i < 3; i++)
        result.samples[i] = (struct sample){
            .seconds = 1e-6 * (i + 1), .sm_clock = i ? 1.98e9 : NAN, .throttle_mask = i ? 4 : NAN};
    return result;
}

static struct device some_device(void)
{
    struct device device = device_unknown();
    snprintf(device.name, sizeof device.name, "a device");
    snprintf(device.uuid, sizeof device.uuid, "GPU-1234");
    device.capability = 90;
    device.memory_bytes = INT64_C(150) << 30;
    device.peak_copy = 4.29e12;
    return device;
}

static struct config some_config(void)
{
    struct config config = config_standard();
    config.timing.cache = CACHE_ROTATE;
    config.timing.timeout = 12.5;
    config.seed = UINT64_MAX;
    config.threads = 7;
    config.share = 3;
    config.shares = 8;
    snprintf(config.cpus, sizeof config.cpus, "0-6,9");
    config.counter_count = 2;
    snprintf(config.counter[0], sizeof config.counter[0], "dram__bytes_read.sum");
    snprintf(config.counter[1], sizeof config.counter[1], "dram__bytes_write.sum");
    return config;
}

/* A pair's results travel as one. */
static void add_partner(struct result *result)
{
    result->partner = memory_new(1, sizeof *result->partner);
    *result->partner = some_result();
    result->partner->id = 99;
    result->partner->paired_with = result->id;
    result->paired_with = 99;
}

static struct todo some_pair(void)
{
    return (struct todo){.what = WIRE_TO_PAIR,
                         .id = 4,
                         .repeat = 2,
                         .dirty = 0.25,
                         .point = some_point(),
                         .turn = 3,
                         .second_id = 5,
                         .second = some_point()};
}

/* Everything of the protocol in one message. */
static void put_all(void)
{
    struct point point = some_point();
    struct result result = some_result();
    struct device device = some_device();
    struct config config = some_config();
    const struct todo todo = some_pair();
    add_partner(&result);
    wire_put_todo(&wire, &todo);
    wire_put_u32(&wire, 7);
    wire_put_u64(&wire, UINT64_MAX - 1);
    wire_put_real(&wire, -0.5);
    wire_put_text(&wire, "a text");
    wire_put_point(&wire, &point);
    wire_put_result(&wire, &result);
    wire_put_fields(&wire, wire_device, &device);
    wire_put_fields(&wire, wire_config, &config);
    result_free(&result);
}

static bool get_all(struct wire_reader *reader)
{
    char text[16];
    struct point point;
    struct result result;
    struct device device;
    struct config config;
    struct todo todo;
    wire_get_todo(reader, family_space, &todo);
    wire_get_u32(reader);
    wire_get_u64(reader);
    wire_get_real(reader);
    wire_get_text(reader, text, sizeof text);
    wire_get_point(reader, family_space, &point);
    wire_get_result(reader, &result);
    result_free(&result);
    wire_get_fields(reader, wire_device, &device);
    wire_get_fields(reader, wire_config, &config);
    return !reader->bad;
}

TEST(numbers_and_texts)
{
    char text[8];
    uint32_t count;
    wire_put_u32(&wire, UINT32_C(0x01020304));
    wire_put_u64(&wire, UINT64_MAX - 1);
    wire_put_real(&wire, NAN);
    wire_put_text(&wire, "longer than eight");
    wire_put_bytes(&wire, "\0\1\2", 3);
    assert_int_equal(wire.data[0], 4); /* little-endian on any machine */
    struct wire_reader reader = wire_read(wire.data, wire.length);
    assert_int_equal(wire_get_u32(&reader), UINT32_C(0x01020304));
    assert_true(wire_get_u64(&reader) == UINT64_MAX - 1);
    assert_true(isnan(wire_get_real(&reader)));
    wire_get_text(&reader, text, sizeof text);
    assert_string_equal(text, "longer ");
    assert_memory_equal(wire_get_bytes(&reader, &count), "\0\1\2", 3);
    assert_int_equal(count, 3);
    assert_false(reader.bad);
    assert_int_equal(wire_get_u32(&reader), 0);
    assert_true(reader.bad);
}

TEST(point_reads_back)
{
    struct point sent = some_point(), got;
    wire_put_point(&wire, &sent);
    struct wire_reader reader = wire_read(wire.data, wire.length);
    assert_true(wire_get_point(&reader, family_space, &got));
    assert_ptr_equal(got.space, sent.space);
    assert_true(point_id(&got) == point_id(&sent));
}

/* A value that its axis cannot have must not reach code that indexes words with it. */
TEST(point_with_impossible_values)
{
    const struct space *space = family_space("copy");
    for (int axis = 0; axis < space->count; axis++) {
        if (space->axes[axis].kind == AXIS_ARCH)
            continue;
        wire_reset(&wire);
        struct point sent = some_point(), got;
        sent.value[axis] = -1;
        wire_put_point(&wire, &sent);
        struct wire_reader reader = wire_read(wire.data, wire.length);
        assert_false(wire_get_point(&reader, family_space, &got));
    }
}

TEST(unknown_kernel)
{
    struct point got;
    wire_put_text(&wire, "no such kernel");
    wire_put_u32(&wire, 0);
    struct wire_reader reader = wire_read(wire.data, wire.length);
    assert_false(wire_get_point(&reader, family_space, &got));
}

TEST(result_reads_back)
{
    struct result sent = some_result(), got;
    wire_put_result(&wire, &sent);
    struct wire_reader reader = wire_read(wire.data, wire.length);
    assert_true(wire_get_result(&reader, &got));
    assert_true(got.id == sent.id);
    assert_int_equal(got.repeat, 3);
    assert_int_equal(got.device, 2);
    assert_int_equal(got.status, STATUS_TIMED_OUT);
    assert_int_equal(got.stop, STOP_SETTLED);
    assert_int_equal(got.formula, FORMULA_tiles);
    assert_int_equal(got.arithmetic, ROOF_tensor_f16);
    assert_string_equal(got.message, "no result within 60 s");
    assert_memory_equal(got.real, sent.real, sizeof sent.real);
    assert_int_equal(got.sample_count, 3);
    assert_memory_equal(got.samples, sent.samples, 3 * sizeof *sent.samples);
    result_free(&sent);
    result_free(&got);
}

TEST(pair_reads_back)
{
    struct result sent = some_result(), got;
    struct todo todo = some_pair(), todo_got;
    add_partner(&sent);
    wire_put_result(&wire, &sent);
    wire_put_todo(&wire, &todo);
    struct wire_reader reader = wire_read(wire.data, wire.length);
    assert_true(wire_get_result(&reader, &got) && wire_get_todo(&reader, family_space, &todo_got));
    assert_non_null(got.partner);
    assert_true(got.paired_with == 99 && got.partner->id == 99 && got.partner->paired_with == sent.id);
    assert_int_equal(got.partner->sample_count, 3);
    assert_null(got.partner->partner);
    assert_true(todo_got.what == WIRE_TO_PAIR && todo_got.id == 4 && todo_got.repeat == 2);
    assert_true(todo_got.dirty == 0.25 && todo_got.turn == 3 && todo_got.second_id == 5);
    assert_memory_equal(todo_got.second.value, todo.second.value, sizeof todo.second.value);
    result_free(&sent);
    result_free(&got);
}

TEST(device_and_config_read_back)
{
    struct device device = some_device(), device_got;
    struct config config = some_config(), config_got;
    wire_put_fields(&wire, wire_device, &device);
    wire_put_fields(&wire, wire_config, &config);
    struct wire_reader reader = wire_read(wire.data, wire.length);
    assert_true(wire_get_fields(&reader, wire_device, &device_got));
    assert_string_equal(device_got.uuid, "GPU-1234");
    assert_true(device_got.memory_bytes == device.memory_bytes && device_got.bus_width == -1);
    assert_true(device_got.peak_copy == 4.29e12 && isnan(device_got.peak_read));
    assert_true(wire_get_fields(&reader, wire_config, &config_got));
    assert_int_equal(config_got.timing.cache, CACHE_ROTATE);
    assert_true(config_got.timing.timeout == 12.5 && config_got.seed == UINT64_MAX);
    assert_int_equal(config_got.threads, 7);
    assert_string_equal(config_got.cpus, "0-6,9");
    assert_true(config_got.share == 3 && config_got.shares == 8);
    assert_string_equal(config_got.counter[1], "dram__bytes_write.sum");
    assert_int_equal(reader.at, reader.length);
}

TEST(truncation_at_every_byte)
{
    put_all();
    struct wire_reader whole = wire_read(wire.data, wire.length);
    assert_true(get_all(&whole));
    for (size_t length = 0; length < wire.length; length++) {
        unsigned char *cut = malloc(length + !length); /* exact: a read beyond it shows */
        memcpy(cut, wire.data, length);
        struct wire_reader reader = wire_read(cut, length);
        assert_false(get_all(&reader));
        free(cut);
    }
}

/* Overwritten bytes: reading ends, within bounds, in time and without claiming samples that are not there. */
TEST(fuzzed_bytes)
{
    uint64_t random = 1;
    int refused = 0;
    put_all();
    for (int round = 0; round < 20000; round++) {
        unsigned char *bytes = malloc(wire.length);
        memcpy(bytes, wire.data, wire.length);
        for (int i = 0; i <= round % 8; i++) {
            random = hash_mix(random + (uint64_t)round);
            bytes[random % wire.length] = (unsigned char)(random >> 32);
        }
        struct wire_reader reader = wire_read(bytes, wire.length);
        refused += !get_all(&reader);
        assert_true(reader.at <= reader.length);
        free(bytes);
    }
    assert_true(refused > 1000);
}

/* Samples that no results file may have; NaN is a clock that is not known. */
TEST(impossible_samples)
{
    static const struct sample bad[] = {
        {.seconds = NAN, .sm_clock = NAN},   {.seconds = INFINITY, .sm_clock = NAN},
        {.seconds = -1e-6, .sm_clock = NAN}, {.seconds = 1e-6, .sm_clock = INFINITY},
        {.seconds = 1e-6, .sm_clock = -1},   {.seconds = 1e-6, .sm_clock = NAN, .throttle_mask = -1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct result sent = some_result(), got;
        wire_reset(&wire);
        sent.samples[1] = bad[i];
        wire_put_result(&wire, &sent);
        struct wire_reader reader = wire_read(wire.data, wire.length);
        assert_false(wire_get_result(&reader, &got));
        assert_true(reader.bad && !got.samples && !got.sample_count);
        free(sent.samples);
    }
}

TEST(impossible_devices)
{
    for (int i = 0; i < 4; i++) {
        struct device sent = some_device(), got;
        wire_reset(&wire);
        *(i == 0 ? &sent.bus_width : &sent.l2_bytes) = (const int64_t[]){-5, -5, -1, -1}[i];
        *(i == 2 ? &sent.peak_copy : &sent.launch_floor) = (const double[]){NAN, NAN, -1, INFINITY}[i];
        wire_put_fields(&wire, wire_device, &sent);
        struct wire_reader reader = wire_read(wire.data, wire.length);
        assert_false(wire_get_fields(&reader, wire_device, &got));
    }
}

TEST(frames_in_pieces)
{
    int pipe_ends[2], slow[2];
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(pipe2(slow, O_NONBLOCK), 0);
    put_all();
    assert_int_equal(wire_send(pipe_ends[1], WIRE_RESULT, &wire), 0);
    assert_int_equal(wire_send(pipe_ends[1], WIRE_QUIT, NULL), 0);
    close(pipe_ends[1]);

    struct wire_stream stream = {0};
    struct wire_reader payload;
    enum wire_type type;
    unsigned char byte;
    int messages = 0;
    assert_int_equal(wire_stream_fill(&stream, slow[0]), 0); /* nothing there yet */
    while (read(pipe_ends[0], &byte, 1) == 1) {
        assert_int_equal(write(slow[1], &byte, 1), 1);
        assert_int_equal(wire_stream_fill(&stream, slow[0]), 1);
        while (wire_stream_next(&stream, &type, &payload) > 0) {
            assert_int_equal(type, messages ? WIRE_QUIT : WIRE_RESULT);
            if (!messages)
                assert_true(get_all(&payload));
            messages++;
        }
    }
    assert_int_equal(messages, 2);
    close(slow[1]);
    assert_int_equal(wire_stream_fill(&stream, slow[0]), -1); /* end of file */
    wire_stream_free(&stream);
    close(slow[0]);
    close(pipe_ends[0]);
}

static void expect_rubbish(const unsigned char *bytes, size_t size)
{
    int ends[2];
    struct wire_stream stream = {0};
    struct wire_reader payload;
    enum wire_type type;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), size);
    assert_int_equal(wire_stream_fill(&stream, ends[0]), 1);
    assert_int_equal(wire_stream_next(&stream, &type, &payload), -1);
    wire_stream_free(&stream);
    close(ends[0]);
    close(ends[1]);
}

TEST(rubbish_frames)
{
    static const unsigned char too_long[] = {0xff, 0xff, 0xff, 0xff, WIRE_RESULT, 0, 0, 0};
    static const unsigned char no_such_type[] = {0, 0, 0, 0, 99, 0, 0, 0};
    expect_rubbish(too_long, sizeof too_long);
    expect_rubbish(no_such_type, sizeof no_such_type);
}

/* More than a pipe holds, through one stream: it may not grow without end. */
TEST(many_messages)
{
    int ends[2];
    struct wire_stream stream = {0};
    struct wire_reader payload;
    enum wire_type type;
    uint32_t expected = 0;
    assert_int_equal(pipe(ends), 0);
    for (uint32_t i = 0; i < 20000; i++) {
        wire_reset(&wire);
        wire_put_u32(&wire, i);
        assert_int_equal(wire_send(ends[1], WIRE_STAGE, &wire), 0);
        if (i % 100 != 99)
            continue;
        assert_int_equal(wire_stream_fill(&stream, ends[0]), 1);
        while (wire_stream_next(&stream, &type, &payload) > 0)
            assert_int_equal(wire_get_u32(&payload), expected++);
    }
    assert_int_equal(expected, 20000);
    assert_true(stream.capacity <= 1u << 20);
    wire_stream_free(&stream);
    close(ends[0]);
    close(ends[1]);
}
