/* run_summary.h - the end of a run: its verdict and messages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "verdict/verdict.h"

struct run;

/* Print the command that resumes a stopped run. */
void summary_resume(struct run *run, size_t planned, const struct verdict *verdict);

/* Note what the rows of the file do not tell, and judge the file. Its verdict, which verdict_free releases,
 * is noted, too, unless the run leaves the file as it was. `unfinished`: the run was stopped before its
 * end. */
struct verdict summary_judge(struct run *run, bool unfinished);

/* Print the outcome of the run, and why the file is not good. The run began at `start`, s of clock_now. */
void summary_say(struct run *run, double start, const struct verdict *verdict);
