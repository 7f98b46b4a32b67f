#include "statistics/line.h"

#include <math.h>

#include "statistics/student.h"

void line_add(struct line *line, double x, double y)
{
    if (line->n++ == 0) {
        line->x0 = x;
        line->y0 = y;
    }
    line->last = x;
    x -= line->x0;
    y -= line->y0;
    line->x += x;
    line->y += y;
    line->xx += x * x;
    line->xy += x * y;
    line->yy += y * y;
}

struct slope line_slope(const struct line *line)
{
    double n = line->n, xx = line->xx - line->x * line->x / n, xy = line->xy - line->x * line->y / n,
           yy = line->yy - line->y * line->y / n;
    struct slope slope = {n >= 2 ? xy / xx : NAN, NAN};
    if (n >= 3)
        slope.half = student_critical(0.05, n - 2) * sqrt(fmax(0, yy - xy * xy / xx) / (n - 2) / xx) /
                     fabs(slope.value);
    return slope;
}
