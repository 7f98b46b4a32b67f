/* orders.c - handle messages of the coordinator. */
#include "base/clock.h"
#include "family/code/plugin.h"
#include "kernels/registry.h"
#include "process/folders.h"
#include "runner/binding.h"
#include "runner/runner_state.h"

#define CHARACTERISE_LIMIT 300.0

static void restart_as(struct runner *runner, struct wire_reader *payload)
{
    worker_link_kill(runner->worker);
    wire_get_text(payload, runner->backend, sizeof runner->backend);
    runner->greeted = false;
    runner->failures = 0;
    runner_start_worker_when_free(runner);
}

static void take_config(struct runner *runner, struct wire_reader *payload)
{
    if (!wire_get_fields(payload, wire_config, &runner->config))
        runner->config = config_standard();
    cache_folder_find(runner->config.cache_folder, sizeof runner->config.cache_folder, NULL);
    binding_choose(runner->pci, &runner->config);
    runner->configured = true;
    /* What families in Python import takes ten seconds, which is longer than the next worker may measure. */
    runner->spares_max = plugin_needs_python() ? WORKER_SPARES_MAX : 1;
    trace_say(&runner->options.trace, "configured: CPUs %s, %d thread%s, %d counters",
              runner->config.cpus[0] ? runner->config.cpus : "as they were", runner->config.threads,
              runner->config.threads == 1 ? "" : "s", runner->config.counter_count);
    if (runner->state == RUNNER_IDLE)
        runner_configure_worker(runner);
}

void runner_characterise(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, runner->peaks);
    runner->peaks_tries--;
    runner_watch_worker(runner);
    runner->state = RUNNER_CHARACTERISING;
    runner->began = clock_now();
    runner->deadline = runner->began + CHARACTERISE_LIMIT;
    runner_enter(runner, PHASE_messages);
    worker_link_send(runner->worker, WIRE_CHARACTERISE, &runner->out);
}

static void take_measure(struct runner *runner, struct wire_reader *payload)
{
    uint32_t count = wire_get_u32(payload);
    bool fresh = wire_get_u32(payload);
    runner->measured = true;
    runner->tasks = runner->done = 0;
    for (uint32_t i = 0; i < count && i < WIRE_BATCH_MAX; i++) {
        struct todo *task = &runner->task[i];
        if (!wire_get_todo(payload, family_space, task)) {
            runner->tasks = 0;
            runner_give_up(runner, "it does not know the points of rank 0: are warpsweep and the kernels the "
                                   "same on all nodes?");
            return;
        }
        runner->counts = task->what == WIRE_TO_COUNT; /* a batch is timed or counted as a whole */
        runner->tasks++;
    }
    if (fresh && runner->state == RUNNER_IDLE) { /* else a new one is starting already */
        worker_link_dismiss(runner->worker);
        runner_start_worker_when_free(runner);
    }
    if (runner->state != RUNNER_IDLE)
        return; /* a new worker is starting, and gets them from take_hello */
    batch_send(runner);
    runner_prepare_worker(runner);
}

void runner_receive(struct runner *runner, enum wire_type message, struct wire_reader *payload)
{
    runner->heard = heartbeat_now(&runner->heartbeat);
    switch (message) {
    case WIRE_START:
        restart_as(runner, payload);
        break;
    case WIRE_CONFIG:
        take_config(runner, payload);
        break;
    case WIRE_CHARACTERISE:
        runner->peaks = (enum peaks_part)wire_get_u32(payload);
        runner->peaks_tries = 2;
        if (runner->state == RUNNER_IDLE) /* else take_hello does it */
            runner_characterise(runner);
        break;
    case WIRE_COMPILE:
        compiling_take(runner, payload);
        break;
    case WIRE_MEASURE:
        take_measure(runner, payload);
        break;
    case WIRE_RECALL:
        batch_recall(runner);
        break;
    case WIRE_STOP:
        runner->stopping = true;
        compiling_end(runner);
        runner->stop_at = clock_now() + wire_get_real(payload);
        break;
    case WIRE_END:
        runner->over = true;
        if (runner->state == RUNNER_MEASURING) /* its current point is dropped */
            timeline_rename(&runner->timeline, PHASE_lost);
        runner_enter(runner, PHASE_end);
        report_phases(runner, true);
        break;
    default:
        break; /* the coordinator sends nothing else */
    }
}
