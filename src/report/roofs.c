#include "report/report.h"

#include <math.h>
#include <string.h>

#include "base/io.h"
#include "table/units.h"

/* The sheet's column of a peak; NULL: sheets do not say. Reads come nearest to the bandwidth of a sheet, and copies and writes stay
 * below it on every chip. */
static const struct row {
    const char *name, *peak, *low, *high, *sheet;
} rows[] = {
#define ROW(words, peak, sheet)                                                                              \
    {                                                                                                        \
        words, DEVICE_COLUMN(peak), DEVICE_COLUMN(peak##_low), DEVICE_COLUMN(peak##_high), sheet             \
    }
    ROW("DRAM copy", peak_copy, DEVICE_COLUMN(datasheet)),
    ROW("DRAM read", peak_read, DEVICE_COLUMN(datasheet)),
    ROW("DRAM write", peak_write, DEVICE_COLUMN(datasheet)),
    ROW("L2 read", peak_l2_read, NULL),
    ROW("L2 copy", peak_l2_copy, NULL),
    ROW("L2 write", peak_l2_write, NULL),
    ROW("shared memory", peak_shared, NULL),
    ROW("FP16 arithmetic", peak_flop_f16, DEVICE_COLUMN(datasheet_flop_f16)),
    ROW("BF16 arithmetic", peak_flop_bf16, DEVICE_COLUMN(datasheet_flop_bf16)),
    ROW("FP32 arithmetic", peak_flop_f32, DEVICE_COLUMN(datasheet_flop_f32)),
    ROW("FP64 arithmetic", peak_flop_f64, DEVICE_COLUMN(datasheet_flop_f64)),
    ROW("FP16 tensor cores", peak_tensor_f16, NULL),
    ROW("BF16 tensor cores", peak_tensor_bf16, NULL),
    ROW("TF32 tensor cores", peak_tensor_tf32, NULL),
    ROW("FP8 tensor cores", peak_tensor_f8, NULL),
    ROW("8-bit integer tensor cores", peak_tensor_i8, NULL),
    ROW("host to device", peak_h2d, NULL),
    ROW("device to host", peak_d2h, NULL),
#undef ROW
};

static void put_rate(struct document *document, double rate, const struct unit *unit)
{
    if (isnan(rate))
        document_cell(document, "-");
    else
        document_cell(document, "%.4g %s", rate / unit->scale, unit->name);
}

static void put_row(struct document *document, const struct frame *devices, size_t device,
                    const struct row *row)
{
    double rate = frame_find_real(devices, device, row->peak),
           sheet = row->sheet ? frame_find_real(devices, device, row->sheet) : NAN;
    if (isnan(rate))
        return;
    const struct unit *unit = units_choose(strstr(row->peak, "flop") ? "flop/s" : "bytes/s", rate);
    document_cell(document, "%s", row->name);
    put_rate(document, rate, unit);
    put_rate(document, frame_find_real(devices, device, row->low), unit);
    put_rate(document, frame_find_real(devices, device, row->high), unit);
    put_rate(document, sheet, unit);
    document_number(document, "%.1f %%", 100 * rate / sheet);
}

static bool has_roof(const struct frame *devices, size_t device)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!isnan(frame_find_real(devices, device, rows[i].peak)))
            return true;
    return false;
}

/* Points that reach more than 100 % of their roof, and those of them whose interval has 100 % in it. */
static void tell_shares(struct document *document, const struct frame *results)
{
    size_t points = 0, over = 0, within = 0, unknown = 0;
    double most = 0;
    for (size_t row = 0; row < results->rows; row++) {
        double share = frame_find_real(results, row, COLUMN(fraction_peak)),
               low = frame_find_real(results, row, COLUMN(fraction_peak_low));
        if (!(share > 0) ||
            strcmp(frame_find_text(results, row, COLUMN(status)), status_words[STATUS_OK]) != 0)
            continue;
        points++;
        over += share > 1;
        unknown += share > 1 && isnan(low);
        within += share > 1 && low <= 1;
        most = fmax(most, share);
    }
    if (!points)
        return;
    document_paragraph(document,
                       "%zu rows have a share of a roof; %zu are over 100 %%. Of these, %zu are within the "
                       "interval of time and roof, %zu are truly above, and for %zu the file has no "
                       "range of the roof. The largest share is %.1f %%.",
                       points, over, within, over - within - unknown, unknown, 100 * most);
}

void report_roofs(struct document *document, const struct dataset *dataset, const char *path)
{
    static const char *const heads[] = {"roof", "median", "low", "high", "data sheet", "share of sheet"};
    const struct frame *devices = &dataset->devices;
    bool any = false;
    for (size_t device = 0; device < devices->rows; device++) {
        if (!has_roof(devices, device))
            continue;
        any = true;
        document_heading(document, 2, "%s: %s on %s", io_file_name(path),
                         frame_find_text(devices, device, DEVICE_COLUMN(name)),
                         frame_find_text(devices, device, DEVICE_COLUMN(host)));
        document_table_begin(document, "lrrrrr", heads);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            put_row(document, devices, device, &rows[i]);
        document_table_end(document);
    }
    if (!any) {
        document_paragraph(document, "%s has no measured roof.", io_file_name(path));
        return;
    }
    document_paragraph(document, "Low and high: 5th and 95th percentile of the launches that measured it; L2 "
                                 "over several places in memory. A dash: not measured, or not in the sheet.");
    tell_shares(document, &dataset->results);
}
