#include "worker/finding.h"

#include <math.h>
#include <string.h>

/* For elements whose bits differ. NaN and infinity are right only when they are equal bit for bit: infinity
 * would otherwise pass any relative tolerance. */
static bool within(const struct tolerance *tolerance, double actual, double expected)
{
    if (tolerance->relative == 0 && tolerance->absolute == 0)
        return false;
    if (!isfinite(actual) || !isfinite(expected))
        return false;
    return fabs(actual - expected) <= tolerance->absolute + tolerance->relative * fabs(expected);
}

static double relative_error(double actual, double expected)
{
    if (!isfinite(actual) || !isfinite(expected))
        return INFINITY; /* equal bits never come here */
    if (expected == 0)
        return 0; /* no relative difference is defined; the tolerance has judged it */
    return fabs((actual - expected) / expected);
}

/* Compare the element at `index`; both point at `size` bytes. */
static inline void compare(const struct comparison *by, uint64_t index, const void *expected,
                           const void *actual, struct finding *finding)
{
    if (!memcmp(expected, actual, by->size))
        return;
    double e = dtype_load(by->dtype, expected), a = dtype_load(by->dtype, actual);
    double error = relative_error(a, e);
    if (error > finding->error_max)
        finding->error_max = error;
    if (within(&by->tolerance, a, e))
        return;
    if (!finding->mismatches || index < finding->index) {
        finding->index = index;
        finding->expected = finding->actual = 0;
        memcpy(&finding->expected, expected, by->size);
        memcpy(&finding->actual, actual, by->size);
    }
    finding->mismatches++;
}

/* Whether output may deviate, so that it is of interest how far it does. */
static bool may_deviate(const struct comparison *by)
{
    return by->tolerance.relative != 0 || by->tolerance.absolute != 0;
}

void piece_merge(struct bad_piece *to, const struct bad_piece *from)
{
    uint64_t count = to->count + from->count;
    if (from->count &&
        (!to->count || from->buffer < to->buffer || (from->buffer == to->buffer && from->index < to->index)))
        *to = *from;
    to->count = count;
}

/* Check the root mean square of the errors of a whole piece: errors that each element may have, but not all
 * of them. `squares`: of what the errors exceed `relative` by, which is what rounding to the type may make.
 * Among 2^28 elements are pieces in which it is several times its mean. */
static void check_piece(const struct comparison *by, uint64_t index, uint64_t count, double squares,
                        struct bad_piece *bad)
{
    const double rms = sqrt(squares / (double)count), allowed = by->tolerance.rms;
    if (allowed == 0 || count < VERIFY_PIECE || rms <= allowed)
        return;
    piece_merge(bad, &(struct bad_piece){
                         .count = 1, .buffer = by->buffer, .index = index, .rms = rms, .allowed = allowed});
}

void deviation_add(struct deviation *to, const struct deviation *from)
{
    to->squares += from->squares;
    to->reference_squares += from->reference_squares;
    to->count += from->count;
    if (from->largest > to->largest)
        to->largest = from->largest;
}

/* What one piece adds up to. */
struct sums {
    double squares, reference_squares, excess_squares; /* of errors, of references, of what errors exceed
                                                          `relative` by */
    double largest, relative;                          /* the largest error, and the largest relative one */
    double beyond; /* by how much an error is above what is allowed, at most */
};

enum { LANES = 8 }; /* sums side by side: the compiler makes vectors of them */

#if defined __x86_64__ && defined __GLIBC__
__attribute__((target_clones("default", "avx2", "avx512f")))
#endif
static struct sums
add_up(const struct tolerance *tolerance, const double *restrict e, const double *restrict a)
{
    double squares[LANES] = {0}, references[LANES] = {0}, excesses[LANES] = {0};
    double largest[LANES] = {0}, relative[LANES] = {0}, beyond[LANES] = {0};
    const double by_size = tolerance->relative, absolute = tolerance->absolute;
    for (int i = 0; i < VERIFY_PIECE; i += LANES)
        for (int l = 0; l < LANES; l++) {
            const double size = fabs(e[i + l]), error = fabs(a[i + l] - e[i + l]);
            const double rounding = by_size * size, over = error - (absolute + rounding);
            const double above = error - rounding, excess = above > 0 ? above : 0;
            const double ratio = (size > 0 ? error : 0) / (size > 0 ? size : 1);
            squares[l] += error * error;
            references[l] += size * size;
            excesses[l] += excess * excess;
            largest[l] = error > largest[l] ? error : largest[l];
            relative[l] = ratio > relative[l] ? ratio : relative[l];
            beyond[l] = over > beyond[l] ? over : beyond[l];
        }
    struct sums sums = {0};
    for (int l = 0; l < LANES; l++) {
        sums.squares += squares[l];
        sums.reference_squares += references[l];
        sums.excess_squares += excesses[l];
        sums.largest = fmax(sums.largest, largest[l]);
        sums.relative = fmax(sums.relative, relative[l]);
        sums.beyond = fmax(sums.beyond, beyond[l]);
    }
    return sums;
}

/* Make values that are no finite numbers ones that add up: equal ones do not differ, others infinitely.
 * Returns how many references are finite. Whether NaNs are the same is compared bit by bit. */
static uint64_t make_summable(double *e, double *a, uint64_t count)
{
    uint64_t finite = 0;
    for (uint64_t i = 0; i < count; i++) {
        bool is_finite = isfinite(e[i]), same = e[i] == a[i] || (isnan(e[i]) && isnan(a[i]));
        finite += is_finite;
        if (is_finite && isfinite(a[i]))
            continue;
        e[i] = is_finite ? e[i] : 0;
        a[i] = same ? e[i] : INFINITY;
    }
    return finite;
}

/* Where element i of a piece is: behind `first`, or at places of its own. */
struct place {
    uint64_t first;
    const uint64_t *own; /* NULL: behind it */
};

static uint64_t place_of(const struct place *place, uint64_t i)
{
    return place->own ? place->own[i] : place->first + i;
}

static void compare_each(const struct comparison *by, const struct place *place, const char *expected,
                         const char *actual, uint64_t count, struct finding *finding)
{
    for (uint64_t i = 0; i < count; i++)
        compare(by, place_of(place, i), expected + i * by->size, actual + i * by->size, finding);
}

/* Compare a piece, at most, of a type and tolerance that let it deviate. */
static void compare_piece(const struct comparison *by, const struct place *place, const char *expected,
                          const char *actual, uint64_t count, struct finding *finding)
{
    double e[VERIFY_PIECE] = {0}, a[VERIFY_PIECE] = {0};
    dtype_load_range(by->dtype, expected, e, count);
    dtype_load_range(by->dtype, actual, a, count);
    struct sums sums = add_up(&by->tolerance, e, a);
    const bool finite = isfinite(sums.squares) && isfinite(sums.reference_squares);
    const uint64_t summed = finite ? count : make_summable(e, a, count);
    if (!finite)
        sums = add_up(&by->tolerance, e, a);
    if (!finite || sums.beyond > 0)
        compare_each(by, place, expected, actual, count, finding);
    else
        finding->error_max = fmax(finding->error_max, sums.relative);
    const struct deviation d = {sums.squares, sums.reference_squares, sums.largest, summed};
    deviation_add(&finding->deviation, &d);
    check_piece(by, place_of(place, 0), summed, sums.excess_squares, &finding->piece);
}

void finding_compare(struct finding *finding, const struct comparison *by, uint64_t index,
                     const void *expected, const void *actual, uint64_t count)
{
    const char *e = expected, *a = actual;
    if (!may_deviate(by)) {
        const struct place place = {.first = index};
        if (memcmp(e, a, count * by->size) != 0)
            compare_each(by, &place, e, a, count, finding);
        return;
    }
    for (uint64_t done = 0; done < count; done += VERIFY_PIECE) {
        const struct place place = {.first = index + done};
        compare_piece(by, &place, e + done * by->size, a + done * by->size,
                      count - done < VERIFY_PIECE ? count - done : VERIFY_PIECE, finding);
    }
}

void finding_compare_single(struct finding *finding, const struct comparison *by, const uint64_t *index,
                            const void *expected, const void *actual, uint64_t count)
{
    const struct place place = {.own = index};
    if (may_deviate(by))
        compare_piece(by, &place, expected, actual, count, finding);
    else
        compare_each(by, &place, expected, actual, count, finding);
}
