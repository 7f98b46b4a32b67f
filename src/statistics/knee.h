/* knee.h - where a curve bends: a continuous line of pieces through points in log-log, as few as the points call for.
 *
 * The model is segmented regression (Quandt 1958; Muggeo, Statistics in Medicine 22, 2003) with the bends at measured
 * places, all of which are tried. How many there are is for Schwarz's criterion (BIC, Annals of Statistics 6, 1978) with
 * two parameters a bend, its place and its change of slope. One more bend counts when it lowers the criterion by over 10,
 * "very strong" in Kass & Raftery (JASA 90, 1995): since places are searched, a smaller gain comes of chance. The
 * residuals' variance is taken as no less than that of the points' own intervals, nor than KNEE_SCATTER squared, so that
 * what these cannot tell from a straight line has no bend: sizes and strides have a percent or two of their own
 * (alignment, waves of blocks), which intervals know nothing of. */
#ifndef STATISTICS_KNEE_H
#define STATISTICS_KNEE_H

#include <stdbool.h>
#include <stddef.h>

#define KNEES_MAX         2
#define KNEE_SCATTER      0.02 /* of a point about any curve, relative */
#define KNEE_POINTS_MIN 6    /* for one bend, and two more for each further one */
#define KNEE_POINTS_MAX   64   /* beyond, the fit is refused: it takes time in their square */

struct knee_point {
    double x, y;      /* > 0; x ascending, each once */
    double low, high; /* the 95 % interval of y; NaN: not known */
};

struct knee {
    double at;        /* the x of the bend */
    double low, high; /* places that fit as well, by 95 % profile likelihood; `at` lies among them */
};

struct knee_fit {
    struct knee knee[KNEES_MAX];
    int knees;
    double
        slope[KNEES_MAX + 1]; /* of each piece: y goes as x^slope; the first alone where there is no bend */
    double scatter;           /* of the points about the line, relative: root of the mean square */
    double gain;              /* by which the criterion is lower than a straight line's */
};

/* False when there are too few points, or one is not positive: nothing is fitted then. */
bool knee_fit(const struct knee_point *point, size_t count, struct knee_fit *fit);

#endif
