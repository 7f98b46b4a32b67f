/* survey_print.h - what a job comes to, for people. */
#ifndef CLI_SURVEY_PRINT_H
#define CLI_SURVEY_PRINT_H

#include "prediction/survey.h"

/* One line: name, title, sweeps, points, what was left out. */
void survey_print_head(const struct job *job, const struct grid *grid);

/* Kernel by kernel: points, what cannot exist and why, what there is to compile, time, memory. */
void survey_print(const struct survey *survey);

#endif
