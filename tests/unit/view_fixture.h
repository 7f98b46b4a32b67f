/* view_fixture.h - a small dataset for tests of conditions, views and tables: five rows, two devices. */
#pragma once

#include <math.h>

#include "table/table.h"

/* row  kernel  dtype  stride  size    status       time_median  bandwidth (low, high)  device
 * 0    copy    f16    8       64 KiB  ok           2e-6         5e11 (4.9e11, 5.1e11)  0
 * 1    copy    u8     1       1 GiB   ok           1e-3         3e12 (none)            1
 * 2    copy    f16    2       64 KiB  unsupported  missing      missing                none
 * 3    reduce  (none) (none)  3 B     failed       missing      missing                0
 * 4    reduce  f64    2       3 B     ok           3e-6         1e10 (9e9, 1.1e10)     0 */
static struct dataset fixture_dataset(void)
{
    static const struct {
        const char *kernel, *dtype, *status;
        int64_t stride, size, device;
        double time, rate, half;
    } rows[] = {
        {"copy", "f16", "ok", 8, 65536, 0, 2e-6, 5e11, 1e10},
        {"copy", "u8", "ok", 1, 1 << 30, 1, 1e-3, 3e12, NAN},
        {"copy", "f16", "unsupported", 2, 65536, -1, NAN, NAN, NAN},
        {"reduce", "", "failed", FRAME_NO_INTEGER, 3, 0, NAN, NAN, NAN},
        {"reduce", "f64", "ok", 2, 3, 0, 3e-6, 1e10, 1e9},
    };
    struct dataset dataset = {.results = frame_new(), .devices = frame_new()};
    struct frame *results = &dataset.results;
    int name = frame_add_column(&dataset.devices, DEVICE_COLUMN(name), COLUMN_TEXT, ROLE_OTHER, "", "");
    int peak =
        frame_add_column(&dataset.devices, DEVICE_COLUMN(peak_copy), COLUMN_REAL, ROLE_OTHER, "bytes/s", "");
    for (size_t d = 0; d < 2; d++) {
        frame_add_row(&dataset.devices);
        frame_put_text(&dataset.devices, d, name, d ? "second_device" : "first|device");
        frame_put_real(&dataset.devices, d, peak, d ? 4e12 : 2e12);
    }
    const int kernel = frame_add_column(results, COLUMN(kernel), COLUMN_TEXT, ROLE_IDENTITY, "", ""),
              dtype = frame_add_column(results, COLUMN(dtype), COLUMN_TEXT, ROLE_AXIS, "", ""),
              stride = frame_add_column(results, "stride", COLUMN_INTEGER, ROLE_AXIS, "accesses", ""),
              size = frame_add_column(results, "size", COLUMN_INTEGER, ROLE_AXIS, "bytes", ""),
              status = frame_add_column(results, COLUMN(status), COLUMN_TEXT, ROLE_STATUS, "", ""),
              time = frame_add_column(results, COLUMN(time_median), COLUMN_REAL, ROLE_TIME, "s", ""),
              rate = frame_add_column(results, COLUMN(bandwidth), COLUMN_REAL, ROLE_RATE, "bytes/s", ""),
              low = frame_add_column(results, COLUMN(bandwidth_low), COLUMN_REAL, ROLE_RATE, "bytes/s", ""),
              high = frame_add_column(results, COLUMN(bandwidth_high), COLUMN_REAL, ROLE_RATE, "bytes/s", ""),
              device = frame_add_column(results, COLUMN(device), COLUMN_INTEGER, ROLE_IDENTITY, "", "");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        frame_add_row(results);
        frame_put_text(results, row, kernel, rows[row].kernel);
        frame_put_text(results, row, dtype, rows[row].dtype);
        frame_put_integer(results, row, stride, rows[row].stride);
        frame_put_integer(results, row, size, rows[row].size);
        frame_put_text(results, row, status, rows[row].status);
        frame_put_real(results, row, time, rows[row].time);
        frame_put_real(results, row, rate, rows[row].rate);
        frame_put_real(results, row, low, rows[row].rate - rows[row].half);
        frame_put_real(results, row, high, rows[row].rate + rows[row].half);
        frame_put_integer(results, row, device, rows[row].device < 0 ? FRAME_NO_INTEGER : rows[row].device);
    }
    return dataset;
}

static void fixture_free(struct dataset *dataset)
{
    frame_free(&dataset->results);
    frame_free(&dataset->devices);
}
