/* knee.h - bends of a curve: a continuous piecewise linear fit in log-log coordinates, with as few pieces as the data need.
 *
 * The model is segmented regression (Quandt 1958; Muggeo, Statistics in Medicine 22, 2003). Bends lie at measured points, all of
 * which are tried. The number of bends minimises Schwarz's criterion (BIC, Annals of Statistics 6, 1978) with two parameters per
 * bend: its place and its change of slope. A further bend must lower the criterion by more than 10, "very strong" in Kass &
 * Raftery (JASA 90, 1995): because places are searched, smaller gains occur by chance. The residual variance is at least that of
 * the points' intervals, and at least KNEE_SCATTER squared. Sizes and strides have effects of 1 to 2 % (alignment, waves of
 * blocks) that the intervals do not include, and that must not count as bends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define KNEES_MAX       2
#define KNEE_SCATTER    0.02 /* minimum relative scatter of the points around a curve */
#define KNEE_POINTS_MIN 6    /* for one bend, and two more for each further one */
#define KNEE_POINTS_MAX 64   /* no fit beyond this: the time grows with the square */

struct knee_point {
    double x, y;      /* > 0; x ascending, each once */
    double low, high; /* the 95 % interval of y; NaN: not known */
};

struct knee {
    double at;        /* the x of the bend */
    double low, high; /* 95 % profile-likelihood interval of `at` */
};

struct knee_fit {
    struct knee knee[KNEES_MAX];
    int knees;
    double
        slope[KNEES_MAX + 1]; /* of each piece: y goes as x^slope; the first alone where there is no bend */
    double scatter;           /* relative scatter of the points around the line: root mean square */
    double gain;              /* decrease of the criterion relative to a straight line */
};

/* False when there are too few points, or one is not positive: nothing is fitted then. */
bool knee_fit(const struct knee_point *point, size_t count, struct knee_fit *fit);
