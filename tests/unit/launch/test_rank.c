/* The place of a rank according to the environment, before MPI starts. */
#include "unit_test.h"

#include "launch/launch.h"

static const char *const variables[] = {
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "PALS_LOCAL_RANKID",
    "FLUX_TASK_LOCAL_ID",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
    "PMI_RANK",
    "PMI_SIZE",
    "PMI_FD",
    "SLURM_STEP_ID",
    "SLURM_LOCALID",
    "SLURM_PROCID",
    "SLURM_STEP_NUM_TASKS",
};

/* Nothing but these: name, value, name, value ... NULL. */
static void environment(const char *name, ...)
{
    va_list arguments;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    va_start(arguments, name);
    for (; name; name = va_arg(arguments, const char *))
        setenv(name, va_arg(arguments, const char *), 1);
    va_end(arguments);
}

static void expect(bool first, int count, int on_node, bool alone)
{
    assert_int_equal(rank_is_first(), first);
    assert_int_equal(rank_count(), count);
    assert_int_equal(rank_on_node(), on_node);
    assert_int_equal(rank_is_alone(), alone);
}

TEST(places)
{
    environment(NULL);
    expect(true, 1, 0, true);
    environment("OMPI_COMM_WORLD_RANK", "5", "OMPI_COMM_WORLD_SIZE", "8", "OMPI_COMM_WORLD_LOCAL_RANK", "1",
                NULL);
    expect(false, 8, 1, false);
    environment("PMI_RANK", "3", "PMI_SIZE", "4", "MPI_LOCALRANKID", "3", NULL); /* Hydra */
    expect(false, 4, 3, false);
    environment("PMI_RANK", "6", "PMI_SIZE", "8", "PALS_LOCAL_RANKID", "2", NULL);
    expect(false, 8, 2, false);
    environment("PMIX_RANK", "5", "FLUX_TASK_LOCAL_ID", "1", NULL);
    expect(false, 1, 1, false);
    environment("SLURM_STEP_ID", "0", "SLURM_STEP_NUM_TASKS", "4", "SLURM_PROCID", "2", "SLURM_LOCALID", "2",
                "PMIX_RANK", "2", NULL);
    expect(false, 4, 2, false);
}

TEST(a_batch_script_has_a_place_too)
{
    environment("SLURM_PROCID", "0", "SLURM_LOCALID", "0", NULL); /* the script itself */
    expect(true, 1, 0, true);
    /* What mpirun starts there: its own, not the script's. */
    environment("SLURM_PROCID", "0", "SLURM_LOCALID", "0", "OMPI_COMM_WORLD_RANK", "1",
                "OMPI_COMM_WORLD_SIZE", "2", "OMPI_COMM_WORLD_LOCAL_RANK", "1", NULL);
    expect(false, 2, 1, false);
    /* A launcher that sets the rank, but not the local rank. */
    environment("SLURM_PROCID", "0", "SLURM_LOCALID", "0", "PMI_RANK", "1", "PMI_SIZE", "2", NULL);
    expect(false, 2, -1, false);
}

TEST(garbage_is_ignored)
{
    environment("OMPI_COMM_WORLD_SIZE", "x", "OMPI_COMM_WORLD_LOCAL_RANK", "-1", NULL);
    expect(true, 1, -1, false);
    environment("OMPI_COMM_WORLD_SIZE", "99999999999", "OMPI_COMM_WORLD_LOCAL_RANK", "", NULL);
    expect(true, 1, -1, false);
}
