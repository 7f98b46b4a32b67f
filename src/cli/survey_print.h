/* survey_print.h - print the survey of a job. */
#pragma once

#include "plan/survey.h"

/* One line: name, title, sweeps, points, excluded points. */
void survey_print_head(const struct job *job, const struct grid *grid);

/* Per kernel: points, unsupported points with reasons, kernels to compile, time of so many processes per point, memory. */
void survey_print(const struct survey *survey, uint32_t replicates);
