#include "figure/scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

const char *const scale_words[] = {"linear", "log2", "log10", "log2+1", NULL};

#define TICKS_MAX 64
#define FEW       12 /* up to so many values, each may have a tick */
#define DECADE    8 /* a logarithmic axis that spans this factor has ticks at 1, 2 and 5, at least two of them */

void scale_free(struct scale *scale)
{
    free(scale->tick);
    scale->tick = NULL;
    scale->ticks = 0;
}

static bool is_power_of_two(double value)
{
    int exponent;
    return frexp(value, &exponent) == 0.5;
}

enum scale_kind scale_choose(const double *value, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    bool powers = true, whole = true; /* measured values are not */
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
        powers = powers && is_power_of_two(value[i]);
        whole = whole && value[i] == floor(value[i]);
    }
    if (!(low > 0))
        return SCALE_LINEAR;
    if (powers && high > 2 * low)
        return SCALE_LOG2;
    return high < 16 * low ? SCALE_LINEAR : whole && high < 1000 * low ? SCALE_LOG2 : SCALE_LOG10;
}

double scale_coordinate(const struct scale *scale, double value)
{
    return scale->kind == SCALE_LOG2_1 ? log2(1 + value) : value;
}

static double even(const struct scale *scale, double value)
{
    return scale->kind == SCALE_LOG2 || scale->kind == SCALE_LOG10 ? log2(value)
           : scale->kind == SCALE_LOG2_1                           ? log2(1 + value)
                                                                   : value;
}

static double uneven(const struct scale *scale, double place)
{
    return scale->kind == SCALE_LOG2 || scale->kind == SCALE_LOG10 ? exp2(place)
           : scale->kind == SCALE_LOG2_1                           ? exp2(place) - 1
                                                                   : place;
}

double scale_position(const struct scale *scale, double value)
{
    double low = even(scale, scale->low), high = even(scale, scale->high);
    return (even(scale, value) - low) / (high - low);
}

void scale_widen(struct scale *scale, double below, double above)
{
    double low = even(scale, scale->low), high = even(scale, scale->high), length = high - low;
    if (!(length > 0)) /* one value: any range around it */
        length = scale->kind == SCALE_LINEAR && low != 0 ? fabs(low) : 1;
    scale->low = uneven(scale, low - below * length);
    scale->high = uneven(scale, high + above * length);
}

/* ---- Ticks ---- */

static void label_tick(const struct scale *scale, struct scale_tick *tick)
{
    double value = fabs(tick->at) < 1e-12 ? 0 : tick->at;
    if (scale->bytes && value >= 0 && value == floor(value) && value < 0x1p62)
        text_format_bytes((int64_t)value, tick->label, sizeof tick->label);
    else
        snprintf(tick->label, sizeof tick->label, "%.7g", value);
}

static void put(struct scale *scale, double at)
{
    double place = scale_position(scale, at);
    if (scale->ticks == TICKS_MAX || place < -1e-9 || place > 1 + 1e-9)
        return;
    scale->tick[scale->ticks] = (struct scale_tick){.at = at};
    label_tick(scale, &scale->tick[scale->ticks++]);
}

/* Set the ticks of a density, 0 being the densest. Returns false beyond the sparsest. */
static bool propose(struct scale *scale, int density)
{
    static const int halves[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20};
    static const double round[] = {1, 2, 5};
    scale->ticks = 0;
    if (scale->kind == SCALE_LOG2) {
        int low = (int)ceil(log2(scale->low) - 1e-9), high = (int)floor(log2(scale->high) + 1e-9);
        if (density >= (int)(sizeof halves / sizeof *halves))
            return false;
        int step = halves[density];
        for (int e = low + ((-low % step) + step) % step; e <= high; e += step)
            put(scale, exp2(e));
    } else if (scale->kind == SCALE_LOG10 && scale->high > DECADE * scale->low) {
        int low = (int)floor(log10(scale->low)), high = (int)ceil(log10(scale->high)), step = density - 1;
        if (density > 12)
            return false;
        for (int e = low; e <= high; e += step > 1 ? step : 1)
            for (int r = 0; r < (density == 0 ? 3 : 1); r++)
                put(scale, round[r] * pow(10, e));
    } else {
        double least = (scale->high - scale->low) / 40;
        const int tens = density / 3;
        double step = pow(10, floor(log10(least)) + tens) * round[density % 3];
        if (density > 12)
            return false;
        double first = ceil(scale->low / step - 1e-9);
        for (int i = 0; i < TICKS_MAX && (first + i) * step <= scale->high + 1e-9 * step; i++)
            put(scale, (first + i) * step);
    }
    return true;
}

static bool have_room(const struct scale *scale, double length, double before_it, double after,
                      const struct font *font, double points)
{
    double gap = 0.7 * points / 72, before = -before_it - gap;
    for (int i = 0; i < scale->ticks; i++) {
        double half = font_width(font, scale->tick[i].label, points) / 2,
               at = length * scale_position(scale, scale->tick[i].at);
        if (at - half < before + gap || at + half > length + after)
            return false;
        before = at + half;
    }
    return true;
}

/* Drop ticks whose labels overlap those to their left. */
static void thin(struct scale *scale, double length, double before_it, double after, const struct font *font,
                 double points)
{
    double gap = 0.7 * points / 72, before = -before_it - gap;
    int kept = 0;
    for (int i = 0; i < scale->ticks; i++) {
        double half = font_width(font, scale->tick[i].label, points) / 2,
               at = length * scale_position(scale, scale->tick[i].at);
        if (at - half < before + gap || at + half > length + after)
            continue;
        scale->tick[kept++] = scale->tick[i];
        before = at + half;
    }
    scale->ticks = kept;
}

/* Every `each`-th value. */
static void put_values(struct scale *scale, const double *value, size_t values, size_t each)
{
    scale->ticks = 0;
    for (size_t i = 0; i < values; i += each)
        put(scale, value[i]);
}

/* Can each value be written with few digits? Otherwise ticks stand at round numbers. */
static bool are_short(const double *value, size_t values)
{
    for (size_t i = 0; i < values; i++) {
        char digits[32];
        snprintf(digits, sizeof digits, "%.4g", value[i]);
        if (value[i] != floor(value[i]) && strtod(digits, NULL) != value[i])
            return false;
    }
    return true;
}

void scale_tick_along(struct scale *scale, const double *value, size_t values, double length,
                      double before_it, double after, const struct font *font, double points)
{
    if (scale->kind == SCALE_NAMES) {
        thin(scale, length, before_it, after, font, points);
        return;
    }
    scale_free(scale);
    scale->tick = memory_new(TICKS_MAX, sizeof *scale->tick);
    if ((values <= FEW && are_short(value, values)) || scale->kind == SCALE_LOG2_1) {
        for (size_t each = 1; each == 1 || each < values; each++) {
            put_values(scale, value, values, each);
            if (scale->ticks > 1 && have_room(scale, length, before_it, after, font, points))
                return;
        }
    }
    if (scale->kind != SCALE_LOG2_1)
        for (int density = 0; propose(scale, density); density++)
            if (scale->ticks <= 12 && have_room(scale, length, before_it, after, font, points)) {
                if (scale->ticks >=
                    (values ? 2 : 1)) /* without values, one round number is better than none */
                    return;
                break;
            }
    put_values(scale, value, values, 1);
    thin(scale, length, before_it, after, font, points);
}

#define TICKS_UP 3 /* wanted: one or two do not tell the scale */

void scale_tick_up(struct scale *scale, double length, const struct font *font, double points)
{
    double line = font_ascent(font, points) + font_descent(font, points),
           loose = (scale->kind == SCALE_LOG10 ? 1.4 : 2.4) * line, tight = 1.4 * line;
    if (scale->kind == SCALE_NAMES)
        return;
    scale_free(scale);
    scale->tick = memory_new(TICKS_MAX, sizeof *scale->tick);
    for (int try = 0; try < 2; try++)
        for (int density = 0; propose(scale, density); density++) {
            double closest = INFINITY;
            for (int i = 1; i < scale->ticks; i++)
                closest = fmin(closest, length * (scale_position(scale, scale->tick[i].at) -
                                                  scale_position(scale, scale->tick[i - 1].at)));
            if (closest < (try ? tight : loose) || scale->ticks >= TICKS_MAX)
                continue;
            if (scale->ticks >= TICKS_UP || try)
                return;
            break;
        }
}

void scale_name(struct scale *scale, const char *const *name, int count)
{
    scale_free(scale);
    scale->kind = SCALE_NAMES;
    scale->low = -0.5;
    scale->high = count - 0.5;
    scale->tick = memory_new((size_t)count + 1, sizeof *scale->tick);
    for (int i = 0; i < count; i++) {
        scale->tick[i].at = i;
        snprintf(scale->tick[i].label, sizeof scale->tick[i].label, "%s", name[i]);
    }
    scale->ticks = count;
}

double scale_label_width(const struct scale *scale, const struct font *font, double points)
{
    double widest = 0;
    for (int i = 0; i < scale->ticks; i++)
        widest = fmax(widest, font_width(font, scale->tick[i].label, points));
    return widest;
}
