#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "unit_test.h"

#include "store/journal/journal.h"
#include "results_fixture.h"

enum { RECORDS = 5 };

/* Record i has type i + 1 and i * 10 bytes of i + 1 behind its number. */
static void put_record(struct journal *to, uint32_t i)
{
    unsigned char bytes[100];
    memset(bytes, (int)i + 1, sizeof bytes);
    struct wire *wire = journal_begin(to, i + 1);
    wire_put_u32(wire, i);
    wire_put_bytes(wire, bytes, i * 10);
    journal_end(to);
}

static void write_journal(const char *path)
{
    struct journal own;
    struct error error;
    assert_int_equal(journal_open(&own, path, true, 0666, &error), 0);
    assert_int_equal(journal_restart(&own, &error), 0);
    for (uint32_t i = 0; i < RECORDS; i++)
        put_record(&own, i);
    assert_int_equal(journal_sync(&own, &error), 0);
    journal_close(&own, false);
}

/* Good records at the start of the file; fails the test when one is not what was written. */
static int count_records(const char *path)
{
    struct journal_reader image;
    struct error error;
    assert_int_equal(journal_read(path, &image, &error), 0);
    uint32_t type, count;
    struct wire_reader reader;
    int records = 0;
    while (journal_next(&image, &type, &reader)) {
        assert_int_equal(type, records + 1);
        assert_int_equal(wire_get_u32(&reader), records);
        const unsigned char *bytes = wire_get_bytes(&reader, &count);
        assert_int_equal(count, records * 10);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(bytes[i], records + 1);
        assert_false(reader.bad);
        records++;
    }
    journal_reader_free(&image);
    return records;
}

TEST(round_trip)
{
    char *path = fixture_path("j");
    struct journal_reader image;
    struct error error;
    assert_int_equal(journal_read(path, &image, &error), 0);
    assert_false(image.exists);
    write_journal(path);
    assert_int_equal(count_records(path), RECORDS);
    assert_int_equal(journal_read(path, &image, &error), 0);
    assert_true(image.exists);
    assert_false(image.writer);
    journal_reader_free(&image);
    free(path);
}

/* Whatever byte the file is cut at, the whole records before it count and nothing else does. */
TEST(torn_at_every_byte)
{
    char *path = fixture_path("j"), *torn = fixture_path("torn");
    write_journal(path);
    size_t size;
    unsigned char *bytes = fixture_read(path, &size);
    int whole = 0;
    size_t next_end = 8 + 12 + 8;
    for (size_t cut = 0; cut <= size; cut++) {
        if (cut == next_end) {
            whole++;
            next_end += 12 + 8 + (size_t)whole * 10;
        }
        fixture_write(torn, bytes, cut);
        assert_int_equal(count_records(torn), whole);
    }
    assert_int_equal(whole, RECORDS);
    free(bytes);
    free(torn);
    free(path);
}

/* The numbers of the records that can be read, as bits; and how many places were damaged. */
static unsigned read_numbers(const char *path, int *gaps)
{
    struct journal_reader image;
    struct error error;
    struct wire_reader reader;
    uint32_t type;
    unsigned numbers = 0;
    assert_int_equal(journal_read(path, &image, &error), 0);
    while (journal_next(&image, &type, &reader)) {
        uint32_t number = wire_get_u32(&reader);
        assert_int_equal(type, number + 1);
        numbers |= 1u << number;
    }
    *gaps = image.gaps;
    journal_reader_free(&image);
    return numbers;
}

/* Whatever bit of a record is damaged, that record is passed over, and those behind it count. */
TEST(damage_at_every_byte)
{
    char *path = fixture_path("j"), *damaged = fixture_path("damaged");
    write_journal(path);
    size_t size;
    unsigned char *bytes = fixture_read(path, &size);
    unsigned record = 0, all = (1u << RECORDS) - 1;
    int gaps;
    size_t end = 8 + 12 + 8;
    for (size_t at = 8; at < size; at++) {
        if (at == end) {
            record++;
            end += 12 + 8 + (size_t)record * 10;
        }
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (unsigned char)(1 << bit);
            fixture_write(damaged, bytes, size);
            assert_int_equal(read_numbers(damaged, &gaps), all & ~(1u << record));
            /* A last record that seems longer than the file is what a kill leaves. */
            assert_int_equal(gaps, record < RECORDS - 1 || gaps);
            bytes[at] ^= (unsigned char)(1 << bit);
        }
    }
    fixture_write(damaged, bytes, size);
    assert_int_equal(read_numbers(damaged, &gaps), all);
    assert_int_equal(gaps, 0);
    free(bytes);
    free(damaged);
    free(path);
}

TEST(other_files_are_told)
{
    char *path = fixture_path("other"), zeros[100] = {0};
    struct journal_reader image;
    struct error error;
    fixture_write(path, "title: my precious notes\n", 25);
    assert_int_equal(journal_read(path, &image, &error), -1);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.text, "not a journal"));
    fixture_write(path, "WSWPJNL9 and more", 17);
    assert_int_equal(journal_read(path, &image, &error), -1);
    assert_non_null(strstr(error.text, "another release"));
    fixture_write(path, zeros, sizeof zeros); /* reserved, but never written: a power cut */
    assert_int_equal(count_records(path), 0);
    assert_int_equal(journal_read(fixture_folder, &image, &error), -1);
    free(path);
}

TEST(one_writer)
{
    char *path = fixture_path("j");
    struct journal first, second;
    struct error error;
    assert_int_equal(journal_open(&first, path, true, 0666, &error), 0);
    assert_true(first.locked);
    assert_int_equal(journal_open(&second, path, false, 0666, &error), -1);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.text, "another run"));
    struct journal_reader image;
    assert_int_equal(journal_read(path, &image, &error), 0); /* readers need no lock */
    assert_true(image.writer);
    journal_reader_free(&image);
    journal_close(&first, false);
    assert_int_equal(journal_open(&second, path, true, 0666, &error), -1); /* exists already */
    assert_int_equal(journal_open(&second, path, false, 0666, &error), 0);
    journal_close(&second, true);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
}

/* A disk that fills up in the midst of a record: the rest stays pending, and goes on where it stopped. */
TEST(full_disk)
{
    char *path = fixture_path("j");
    struct journal own;
    struct error error;
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(journal_open(&own, path, true, 0666, &error), 0);
    assert_int_equal(journal_restart(&own, &error), 0);
    put_record(&own, 0);
    assert_int_equal(journal_flush(&own, &error), 0);
    small.rlim_cur = 8 + 12 + 8 + 17;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    put_record(&own, 1);
    put_record(&own, 2);
    int failed = journal_sync(&own, &error);
    int again = journal_flush(&own, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(failed, -1);
    assert_int_equal(again, -1);
    assert_non_null(strstr(error.text, strerror(EFBIG)));
    assert_int_equal(count_records(path), 1);
    assert_int_equal(journal_sync(&own, &error), 0);
    assert_int_equal(count_records(path), 3);
    journal_close(&own, false);
    free(path);
}
