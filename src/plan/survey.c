#include "plan/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/memory.h"

#define REASONS_MAX 1000 /* distinct reasons per kernel */

static struct survey_kernel *find_kernel(struct survey *survey, const struct family *family)
{
    for (int i = 0; i < survey->kernels; i++)
        if (survey->kernel[i].family == family)
            return &survey->kernel[i];
    survey->kernel = memory_resize(survey->kernel, (size_t)survey->kernels + 1, sizeof *survey->kernel);
    survey->kernel[survey->kernels] = (struct survey_kernel){.family = family};
    return &survey->kernel[survey->kernels++];
}

static void count_reason(struct survey_kernel *kernel, const char *text, bool fails)
{
    kernel->unsupported++;
    for (size_t i = 0; i < kernel->reasons; i++) {
        if (!strncmp(kernel->reason[i].text, text, sizeof kernel->reason[i].text - 1)) {
            kernel->reason[i].points++;
            return;
        }
    }
    if (kernel->reasons == REASONS_MAX)
        return;
    kernel->reason =
        memory_grow(kernel->reason, kernel->reasons, &kernel->reason_capacity, sizeof *kernel->reason);
    struct survey_reason *reason = &kernel->reason[kernel->reasons++];
    snprintf(reason->text, sizeof reason->text, "%s", text);
    reason->points = 1;
    reason->fails = fails;
}

/* The point with the architecture that its code is compiled for. */
static struct point point_of_code(struct point point, arch native)
{
    int axis = space_axis(point.space, "arch");
    if (axis >= 0)
        point.value[axis] = family_arch(&point, native);
    return point;
}

static void count_code(struct survey *survey, struct survey_kernel *kernel, const struct point *code,
                       struct keys *seen)
{
    if (!keys_add(seen, family_code_key(code, 0)))
        return;
    kernel->codes++;
    survey->code = memory_grow(survey->code, survey->codes, &survey->code_capacity, sizeof *survey->code);
    survey->code[survey->codes++] = *code;
}

static int compare_reasons(const void *a, const void *b)
{
    const struct survey_reason *x = a, *y = b;
    return x->points != y->points ? (x->points < y->points) - (x->points > y->points)
                                  : strcmp(x->text, y->text);
}

struct survey survey_take(const struct grid *grid, const struct timing *timing, const struct target *target,
                          arch native)
{
    struct survey survey = {0};
    struct keys seen = {0};
    char text[256];
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, i), code = point_of_code(point, native);
        struct survey_kernel *kernel = find_kernel(&survey, family_of(&point));
        kernel->points++;
        const char *reason = family_skip(&point, target, text, sizeof text);
        struct setup setup = {0};
        if (!reason) {
            setup = point_setup(&point, target);
            if (native != ARCH_NATIVE && setup_has_code(&setup)) /* sm_100f has less than sm_100a */
                reason = family_skip(&code, target, text, sizeof text);
        }
        const char *failure = reason ? NULL : family_failure(&point, target, text, sizeof text);
        if (reason || failure) {
            count_reason(kernel, reason ? reason : failure, failure != NULL);
            kernel->failing += failure != NULL;
            survey.failing += failure != NULL;
            continue;
        }
        uint64_t bytes = setup_bytes(&setup, 512);
        if (bytes >= kernel->largest_bytes) {
            kernel->largest_bytes = bytes;
            kernel->largest = point;
        }
        expected_add(&kernel->expected, &point, timing);
        if (setup_has_code(&setup))
            count_code(&survey, kernel, &code, &seen);
    }
    for (int k = 0; k < survey.kernels; k++)
        if (survey.kernel[k].reasons)
            qsort(survey.kernel[k].reason, survey.kernel[k].reasons, sizeof *survey.kernel[k].reason,
                  compare_reasons);
    keys_free(&seen);
    return survey;
}

void survey_free(struct survey *survey)
{
    for (int k = 0; k < survey->kernels; k++)
        free(survey->kernel[k].reason);
    free(survey->kernel);
    free(survey->code);
    *survey = (struct survey){0};
}
