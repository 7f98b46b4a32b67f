#include "cli/status.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

static void add_verdict(struct json *json, const struct verdict *verdict)
{
    json_add_bool(json, "good", verdict_is_good(verdict));
    json_open(json, "reasons", '[');
    for (size_t i = 0; i < verdict->items; i++) {
        json_open(json, NULL, '{');
        json_add_text(json, "reason", verdict_reason_words[verdict->item[i].reason]);
        json_add_integer(json, "count", (int64_t)verdict->item[i].count);
        json_add_text(json, "text", verdict->item[i].text);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_add_text(json, "next", verdict_step_words[verdict->step]);
    json_add_text(json, "next_text", verdict_step_texts[verdict->step]);
}

static void add_statuses(struct json *json, const char *name, const size_t points[STATUS_COUNT])
{
    json_open(json, name, '{');
    for (int s = 0; s < STATUS_COUNT; s++)
        json_add_integer(json, status_words[s], (int64_t)points[s]);
    json_close(json, '}');
}

static size_t count_of(const struct verdict *verdict, enum verdict_reason reason)
{
    for (size_t i = 0; i < verdict->items; i++)
        if (verdict->item[i].reason == reason)
            return verdict->item[i].count;
    return 0;
}

static void add_points(struct json *json, const struct verdict *verdict)
{
    json_open(json, "points", '{');
    json_add_integer(json, "of", (int64_t)(verdict->done + verdict->left));
    json_add_integer(json, "done", (int64_t)verdict->done);
    json_add_integer(json, "failed", (int64_t)count_of(verdict, REASON_failed));
    json_add_integer(json, "left", (int64_t)verdict->left);
    json_add_integer(json, "missing", (int64_t)count_of(verdict, REASON_missing));
    json_add_integer(json, "retry", (int64_t)count_of(verdict, REASON_retry));
    json_add_integer(json, "lack_processes", (int64_t)count_of(verdict, REASON_processes));
    json_add_integer(json, "lack_counters", (int64_t)count_of(verdict, REASON_counters));
    add_statuses(json, "by_status", verdict->status);
    json_open(json, "by_counters", '{');
    for (int s = 0; s < COUNTERS_STATE_COUNT; s++)
        json_add_integer(json, counters_words[s], (int64_t)verdict->counters[s]);
    json_close(json, '}');
    json_close(json, '}');
}

static void add_run(struct json *json, const struct status_report *report)
{
    const struct dataset *dataset = report->dataset;
    json_open(json, "run", '{');
    json_add_text(json, "state", report->state);
    json_add_integer(json, "runs", dataset->mark.run);
    json_add_integer(json, "journal_rows", (int64_t)dataset->journal_rows);
    json_add_real(json, "journal_age_seconds", report->written);
    json_add_integer(json, "journal_damages", dataset->journal_damage.places);
    json_add_integer(json, "journal_rows_lost", (int64_t)dataset->journal_damage.rows);
    json_close(json, '}');
}

static void add_kernels(struct json *json, const struct status_report *report)
{
    json_open(json, "kernels", '[');
    for (int k = 0; k < report->kernels; k++) {
        json_open(json, NULL, '{');
        json_add_text(json, "kernel", report->kernel[k].name);
        add_statuses(json, "by_status", report->kernel[k].points);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_devices(struct json *json, const struct status_report *report)
{
    static const char *const names[] = {DEVICE_COLUMN(name), DEVICE_COLUMN(backend), DEVICE_COLUMN(host),
                                        DEVICE_COLUMN(uuid), DEVICE_COLUMN(driver),  NULL};
    const struct frame *devices = &report->dataset->devices;
    json_open(json, "devices", '[');
    for (size_t d = 0; d < devices->rows; d++) {
        json_open(json, NULL, '{');
        json_add_integer(json, "device", (int64_t)d);
        for (const char *const *name = names; *name; name++)
            json_add_text(json, *name, frame_find_text(devices, d, *name));
        json_add_integer(json, "rows", (int64_t)report->device_rows[d]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_failures(struct json *json, const struct status_report *report)
{
    const struct dataset *dataset = report->dataset;
    const struct frame *results = &dataset->results;
    json_open(json, "failures", '[');
    for (size_t i = 0; i < report->failures && i < STATUS_FAILURES_SHOWN; i++) {
        const size_t row = report->failure[i];
        json_open(json, NULL, '{');
        json_add_text(json, "id", frame_find_text(results, row, COLUMN(id)));
        json_add_text(json, "kernel", frame_find_text(results, row, COLUMN(kernel)));
        json_add_bool(json, "canary", !dataset_is_point(dataset, row));
        json_add_text(json, "status", status_words[dataset_status(dataset, row)]);
        json_add_text(json, "message", frame_find_text(results, row, COLUMN(message)));
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* What runs have noted of their ranks and devices, the earliest first. */
static void add_notes(struct json *json, const struct dataset *dataset)
{
    static const char *const others[] = {"shared", "counters_note", "counting_died", NULL};
    json_open(json, "notes", '[');
    for (int i = dataset->environment_count; i-- > 0;) {
        const struct store_pair *pair = &dataset->environment[i];
        int reason = text_find(verdict_reason_words, pair->name);
        if ((reason < 0 || !verdict_is_incident((enum verdict_reason)reason)) &&
            text_find(others, pair->name) < 0)
            continue;
        json_open(json, NULL, '{');
        json_add_integer(json, "run", pair->run);
        json_add_text(json, "note", pair->name);
        json_add_text(json, "text", pair->value);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void status_print_json(const struct status_report *report)
{
    const struct verdict *verdict = &report->verdict;
    struct json json = {.out = stdout};
    char *path = clean_copy(report->path);
    json_open(&json, NULL, '{');
    json_add_text(&json, "file", path);
    json_add_text(&json, "title", verdict->job.title);
    add_verdict(&json, verdict);
    add_points(&json, verdict);
    json_open(&json, "processes", '{');
    json_add_integer(&json, "asked", verdict->job.replicates);
    json_add_bool(&json, "all_devices", verdict->job.all_devices);
    json_add_real(&json, "left", verdict->lacking);
    json_close(&json, '}');
    json_add_real(&json, "remaining_seconds", report->remaining);
    json_open(&json, "share", '{');
    json_add_integer(&json, "number", verdict->share.of ? verdict->share.number : 1);
    json_add_integer(&json, "of", verdict->share.of ? verdict->share.of : 1);
    json_add_integer(&json, "planned", (int64_t)report->dataset->planned);
    json_close(&json, '}');
    add_run(&json, report);
    add_kernels(&json, report);
    add_devices(&json, report);
    add_failures(&json, report);
    add_notes(&json, report->dataset);
    json_close(&json, '}');
    free(path);
}
