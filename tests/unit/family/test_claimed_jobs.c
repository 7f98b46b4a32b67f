/* Every kernel that jobs/paper.yaml compiles carries a claim about its machine code. device_code.sass checks
 * the claims. */
#include "unit_test.h"

#include "claims.h"
#include "family/family.h"
#include "plan/grid.h"

static bool is_claimed(const struct point *point, int capability)
{
    const char *text = family_of(point)->claims ? family_of(point)->claims : "";
    struct claim claim;
    while (claim_next(&text, &claim, NULL) > 0)
        if (claim_is_for(&claim, capability) && claim_is_of(&claim, point))
            return true;
    return false;
}

static void check_job(const char *path, const char *architecture)
{
    struct error error = {0};
    struct grid *grid;
    struct job job = {0};
    arch native;
    if (job_read(path, NULL, &job, &error) != 0 || grid_expand(&job, &grid, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(arch_parse(architecture, &native));
    struct target target = {.capability = arch_capability(native)};
    struct survey survey = survey_take(grid, &job.timing, &target, native);
    size_t unclaimed = 0;
    for (size_t i = 0; i < survey.codes; i++) {
        struct text description = {0};
        if (is_claimed(&survey.code[i], target.capability))
            continue;
        point_describe(&survey.code[i], &description);
        print_error("no claim on %s: %s\n", architecture, description.data);
        text_free(&description);
        unclaimed++;
    }
    print_message("%s: %zu of %zu kernels carry a claim\n", architecture, survey.codes - unclaimed,
                  survey.codes);
    assert_true(survey.codes > 300);
    assert_int_equal(unclaimed, 0);
    survey_free(&survey);
    grid_free(grid);
    job_free(&job);
}

TEST(paper)
{
    check_job(SOURCE_FOLDER "/jobs/paper.yaml", "sm_90a");
    check_job(SOURCE_FOLDER "/jobs/paper.yaml", "sm_100a");
}
