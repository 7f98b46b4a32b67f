#include "results/fixes.h"

#include <math.h>
#include <string.h>

#include "core/roof.h"
#include "family/time/roof.h"

static double peak_at(const struct dataset *dataset, size_t row)
{
    const struct frame *results = &dataset->results;
    int link = frame_find(results, COLUMN(device));
    int64_t device = link < 0 ? -1 : frame_row(results, row)[link].integer;
    return device < 0 || (uint64_t)device >= dataset->devices.rows
               ? NAN
               : frame_find_real(&dataset->devices, (size_t)device, DEVICE_COLUMN(peak_shared));
}

void mend_shared_roofs(struct dataset *dataset)
{
    struct frame *results = &dataset->results;
    int rate = frame_find(results, COLUMN(roof_rate)), share = frame_find(results, COLUMN(fraction_peak));
    if (rate < 0 || share < 0)
        return;
    for (size_t row = 0; row < results->rows; row++) {
        if (strcmp(frame_find_text(results, row, COLUMN(roof)), roof_words[ROOF_shared]) != 0)
            continue;
        bool reads = frame_find_real(results, row, COLUMN(bytes_read)) > 0;
        double mended =
            roof_of_shared(peak_at(dataset, row),
                           frame_find_real(results, row, reads ? COLUMN(bytes_read) : COLUMN(bytes_written)),
                           frame_find_real(results, row,
                                           reads ? COLUMN(predicted_shared_load_wavefronts)
                                                 : COLUMN(predicted_shared_store_wavefronts)),
                           frame_find_real(results, row,
                                           reads ? COLUMN(predicted_shared_load_conflicts)
                                                 : COLUMN(predicted_shared_store_conflicts)));
        if (!(mended > 0))
            continue;
        frame_put_real(results, row, rate, mended);
        frame_put_real(results, row, share, frame_find_real(results, row, COLUMN(bandwidth)) / mended);
    }
}
