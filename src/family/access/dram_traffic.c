#include "family/access/access.h"

#include <math.h>

/* Share of L2 that holds the last data moved by a kernel. Measured on an H200 as bytes stored less bytes
 * written back: 0.68 to 0.83. */
#define L2_HOLDS 0.75

/* Maximum share of dirty lines in L2. Measured on an H100 with 50 MiB of L2: after writes filled L2, kernels
 * that only read wrote back 23.4 to 24.6 MiB. */
#define L2_DIRTY_MAX 0.475

/* A share of partially written sectors up to this is an artefact: the edges of the sampled window cut
 * sectors. */
#define PARTIAL_MIN 0.3

/* Runs of at least so many bytes move at the full rate of DRAM. */
#define ROW_BYTES 128

/* Shorter runs are scattered by this power of the share of the buffer that is skipped. */
#define SCATTERED_POWER 3

static double buffer_bytes(const struct buffer *buffer)
{
    return (double)dtype_bytes(buffer->dtype, buffer->count);
}

/* Bytes of DRAM for one buffer if L2 reuses nothing. */
static double moved_of_buffer(const struct dram_launch *l, int b, bool store)
{
    struct footprint_part part = footprint_part(l->footprint, b, store);
    return l->all->buffer_sectors[store][b] > 0 ? l->all->buffer_sectors[store][b] * part.share : 0;
}

/* Bytes of DRAM that the accesses to one buffer fetch or write; NaN if the reuse in L2 is unknown. */
static double dram_of_buffer(const struct dram_launch *l, int b, bool store)
{
    struct footprint_part part = footprint_part(l->footprint, b, store);
    double bytes = isnan(part.saturated) ? l->all->buffer_sectors[store][b] * part.share : part.saturated;
    double granule = footprint_granule(l->footprint), together = 0;
    double most = ceil(buffer_bytes(&l->setup->buffer[b]) / granule) * granule;
    if (!(l->all->buffer_sectors[store][b] > 0))
        return 0;
    for (int i = 0; i < l->setup->buffers; i++)
        together += buffer_bytes(&l->setup->buffer[i]);
    /* Windows share sectors at their edges, so a sum slightly above the size of the buffer means all of the
     * buffer. */
    if (bytes <= 1.5 * most || most <= l->l2 / 2 || together <= l->l2)
        return bytes < most ? bytes : most;
    return NAN;
}

static double dram_bytes(const struct dram_launch *l, bool store)
{
    double useful = (double)(store ? l->work.bytes_written : l->work.bytes_read), sum = 0, room = 0;
    for (int b = 0; b < l->setup->buffers; b++) {
        const struct buffer *buffer = &l->setup->buffer[b];
        if (buffer->on_host || (!store && buffer->role != BUFFER_INPUT))
            continue;
        sum += dram_of_buffer(l, b, store);
        room += buffer_bytes(buffer);
    }
    /* Less than the useful bytes: the rest moves by uncounted instructions. Useful bytes of shared memory may
     * exceed the buffers. */
    useful = useful < room ? useful : room;
    return sum < 0.98 * useful ? useful : sum;
}

/* Partially written sectors are read from DRAM first. */
static double dram_fills(const struct dram_launch *l)
{
    double sum = 0;
    for (int b = 0; b < l->setup->buffers; b++) {
        double partial = footprint_part(l->footprint, b, true).partial;
        if (!l->setup->buffer[b].on_host && partial > PARTIAL_MIN)
            sum += partial * dram_of_buffer(l, b, true);
    }
    return sum;
}

/* Share of bytes used in the lines of L2 that stores occupy: 1, unless `fills` shows that stores skip bytes.
 * A line occupies four sectors, however many are used. */
static double density_of_stores(const struct dram_launch *l, double stored, double fills)
{
    double room = 0;
    for (int b = 0; b < l->setup->buffers; b++)
        if (l->setup->buffer[b].role == BUFFER_OUTPUT && !l->setup->buffer[b].on_host)
            room += buffer_bytes(&l->setup->buffer[b]);
    return fills > 0 ? fmin(1, fmax(stored / room, (double)SECTOR_BYTES / LINE_BYTES)) : 1;
}

/* Dirty bytes in L2, if the share `stored` of the last bytes moved was stored. */
static double dirty_bytes(const struct dram_launch *l, double stored)
{
    return fmin(L2_HOLDS * stored, L2_DIRTY_MAX) * l->l2;
}

/* How scattered the accesses to DRAM are, from 0 to 1: short runs that touch a small share of their buffer.
 * Weighted by bytes. */
static double scattered(const struct dram_launch *l, bool store)
{
    double sum = 0, weight = 0;
    for (int b = 0; b < l->setup->buffers; b++) {
        double bytes = dram_of_buffer(l, b, store), run = footprint_part(l->footprint, b, store).run;
        double dense = fmin(1, bytes / buffer_bytes(&l->setup->buffer[b]));
        if (isnan(bytes)) {
            bytes = moved_of_buffer(l, b, store);
            dense = 0;
        }
        if (l->setup->buffer[b].on_host || !(bytes > 0))
            continue;
        weight += bytes;
        sum += run < ROW_BYTES ? bytes * pow(1 - dense, SCATTERED_POWER) : 0;
    }
    return weight > 0 ? sum / weight : 0;
}

/* Bytes read without reuse in L2. */
static double moved_bytes(const struct dram_launch *l)
{
    double sum = 0;
    for (int b = 0; b < l->setup->buffers; b++)
        if (!l->setup->buffer[b].on_host)
            sum += moved_of_buffer(l, b, false);
    return sum;
}

void dram_traffic_predict(const struct dram_launch *l, struct prediction *p)
{
    double stored = dram_bytes(l, true), fills = dram_fills(l);
    p->moved_read = moved_bytes(l);
    p->scattered_read = scattered(l, false);
    p->scattered_write = scattered(l, true);
    p->dram_bytes_read = dram_bytes(l, false) + fills;
    double moved = p->dram_bytes_read + stored, density = density_of_stores(l, stored, fills);
    if (!(moved > 0))
        return;
    p->dirty_left = density * stored / moved;
    /* The last bytes moved are still in L2, dirty if stored. They have evicted older lines. */
    double left = fmin(stored, dirty_bytes(l, p->dirty_left));
    double pushed_out = dirty_bytes(l, l->dirty) * fmin(1, moved / (density * L2_HOLDS * l->l2));
    p->dram_bytes_written = stored - left + (isnan(l->dirty) ? left : pushed_out);
}
