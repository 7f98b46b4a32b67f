/* best_points.h - what a run found, in a few lines: the best point of each family. */
#pragma once

/* Print the best points of a results file to stderr: rate, share of the roof, and the axes that vary in the
 * family. At most five families, those that are closest to their roofs; then the commands that show more. Nothing where no point has a rate. */
void best_points_print(const char *path);
