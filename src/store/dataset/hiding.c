#include "store/dataset/hiding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/column_name.h"

/* Of these readers take the value apart: it is ours, whatever a host is called. */
static bool is_parsed(const char *name)
{
    static const char *const names[] = {"backend", "counters", "energy", "pairs",   "rules", "seed",
                                        "share",   "timing",   "vendor", "verdict", NULL},
                             *const begin[] = {"words.", "code.", "reference.", NULL};
    for (int i = 0; begin[i]; i++)
        if (!strncmp(name, begin[i], strlen(begin[i])))
            return true;
    return text_find(names, name) >= 0;
}

/* The command names files and folders; the job says all that was asked for. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = {"command",
                                        "merged_from",
                                        "SLURM_CLUSTER_NAME",
                                        "SLURM_JOB_ID",
                                        "SLURM_JOB_NAME",
                                        "SLURM_JOB_PARTITION",
                                        NULL};
    return text_find(names, name) >= 0;
}

char *hiding_pair(const struct privacy *privacy, const char *name, const char *value)
{
    if (privacy->anonymous && is_left_out(name))
        return NULL;
    return is_parsed(name) ? memory_text(value) : privacy_text(privacy, value);
}

int hiding_pairs(const struct privacy *privacy, struct store_pair *pair, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        char *hidden = hiding_pair(privacy, pair[i].name, pair[i].value);
        free(pair[i].value);
        pair[i].value = hidden;
        if (hidden)
            pair[kept++] = pair[i];
        else
            free(pair[i].name);
    }
    return kept;
}

char *hiding_job_path(const struct privacy *privacy, const char *path)
{
    if (privacy->anonymous)
        return memory_text(strncmp(path, "--", 2) != 0 ? "job.yaml" : path);
    return privacy_text(privacy, path);
}

static void hide_cell(const struct privacy *privacy, struct frame *frame, size_t row, int column, bool source)
{
    const char *text = column < 0 ? "" : frame_cell(frame, row, column)->text;
    if (!*text)
        return;
    char *hidden = source ? privacy_source(privacy, text) : privacy_text(privacy, text);
    if (strcmp(hidden, text) != 0)
        frame_put_text(frame, row, column, hidden);
    free(hidden);
}

void hiding_row(const struct privacy *privacy, struct dataset *dataset, size_t row)
{
    static const char *const names[] = {COLUMN(message),         COLUMN(earlier_attempt),
                                        COLUMN(counters_status), COLUMN(energy_status),
                                        COLUMN(shared),          COLUMN(activity)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        hide_cell(privacy, &dataset->results, row, frame_find_as(&dataset->results, names[i], COLUMN_TEXT),
                  false);
}

void hiding_sources(const struct privacy *privacy, struct frame *sources)
{
    int text = frame_find_as(sources, COLUMN(text), COLUMN_TEXT);
    for (size_t row = 0; row < sources->rows; row++)
        hide_cell(privacy, sources, row, text, true);
}

/* ---- A whole file ---- */

/* Words of the command that are paths. */
static void add_command(struct privacy *privacy, const char *command, const char *const *kept)
{
    char *copy = memory_text(command), *rest = copy, *word;
    while ((word = strsep(&rest, " ='")))
        if (strchr(word, '/') || strstr(word, ".h5") || strstr(word, ".yaml"))
            privacy_add_path(privacy, word, kept);
    free(copy);
}

/* The kernels' names, NULL-terminated: folders may be called as they are. */
static const char **kernels_of(const struct dataset *dataset)
{
    int column = frame_find_as(&dataset->results, COLUMN(kernel), COLUMN_TEXT), count = 0;
    const char **names = memory_new(dataset->results.rows + 1, sizeof *names);
    for (size_t row = 0; row < dataset->results.rows && column >= 0; row++) {
        const char *name = frame_cell(&dataset->results, row, column)->text;
        if (text_find(names, name) < 0)
            names[count++] = name;
    }
    return names;
}

static void add_hosts(struct privacy *privacy, const struct dataset *dataset)
{
    int column = frame_find_as(&dataset->devices, DEVICE_COLUMN(host), COLUMN_TEXT);
    bool done = hiding_is_done(dataset);
    for (size_t row = 0; row < dataset->devices.rows && column >= 0; row++) {
        const char *host = frame_cell(&dataset->devices, row, column)->text;
        privacy_add_host(privacy, host, done ? host : NULL);
    }
    for (int i = 0; i < dataset->environment_count; i++) {
        if (strcmp(dataset->environment[i].name, "hosts") != 0)
            continue;
        char *copy = memory_text(dataset->environment[i].value), *rest = copy, *host;
        while ((host = strsep(&rest, " ")))
            privacy_add_host(privacy, host, done ? host : NULL);
        free(copy);
    }
}

static void hide_devices(const struct privacy *privacy, struct frame *devices)
{
    int host = frame_find_as(devices, DEVICE_COLUMN(host), COLUMN_TEXT),
        uuid = frame_find_as(devices, DEVICE_COLUMN(uuid), COLUMN_TEXT);
    for (size_t row = 0; row < devices->rows; row++) {
        char texts[2][DEVICE_TEXT_SIZE] = {"", ""};
        const int column[] = {host, uuid};
        for (int i = 0; i < 2; i++)
            if (column[i] >= 0)
                snprintf(texts[i], sizeof texts[i], "%s", frame_cell(devices, row, column[i])->text);
        privacy_device(privacy, texts[0], texts[1], sizeof texts[0]);
        for (int i = 0; i < 2; i++)
            if (column[i] >= 0)
                frame_put_text(devices, row, column[i], texts[i]);
    }
}

bool hiding_is_done(const struct dataset *dataset)
{
    return dataset_environment(dataset, ENVIRONMENT_ANONYMOUS) != NULL;
}

const char *hiding_host(const struct privacy *privacy, const struct dataset *file, struct device device)
{
    privacy_device(privacy, device.host, device.uuid, sizeof device.uuid);
    for (size_t row = 0; row < file->devices.rows; row++)
        if (*device.uuid && !strcmp(frame_find_text(&file->devices, row, DEVICE_COLUMN(uuid)), device.uuid))
            return frame_find_text(&file->devices, row, DEVICE_COLUMN(host));
    return NULL;
}

void hiding_match(struct privacy *privacy, const struct dataset *dataset, const struct dataset *anonymous)
{
    for (size_t row = 0; row < dataset->devices.rows; row++) {
        struct device device = dataset_device(dataset, row);
        const char *shown = hiding_host(privacy, anonymous, device);
        if (shown)
            privacy_add_host(privacy, device.host, shown);
    }
}

void hiding_learn(struct privacy *privacy, const struct dataset *dataset)
{
    const char **kernels = kernels_of(dataset);
    add_hosts(privacy, dataset);
    add_command(privacy, dataset->job_path, kernels);
    for (int i = 0; i < dataset->environment_count; i++)
        if (is_left_out(dataset->environment[i].name))
            add_command(privacy, dataset->environment[i].value, kernels);
    free(kernels);
}

void hiding_dataset(const struct privacy *privacy, struct dataset *dataset)
{
    struct store_pair mark = {(char *)ENVIRONMENT_ANONYMOUS, (char *)"yes", dataset->mark.run};
    dataset->environment_count = hiding_pairs(privacy, dataset->environment, dataset->environment_count);
    hide_devices(privacy, &dataset->devices);
    for (size_t row = 0; row < dataset->results.rows; row++)
        hiding_row(privacy, dataset, row);
    hiding_sources(privacy, &dataset->sources);
    char *job = privacy_job(privacy, dataset->job), *path = hiding_job_path(privacy, dataset->job_path);
    free(dataset->job);
    free(dataset->job_path);
    dataset->job = job;
    dataset->job_path = path;
    if (!hiding_is_done(dataset))
        dataset_add_environment(dataset, &mark, 1);
}
