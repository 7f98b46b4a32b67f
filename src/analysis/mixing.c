/* Pairs whose times do not mean the same. */
#include <math.h>
#include <string.h>

#include "analysis/comparison.h"

/* What L2 held. Until 0.1 `cold` left clean lines in L2, which is now `clean`; files from then lack the
 * column that tells how much was dirty. */
static const char *cache_state(const struct entry *entry)
{
    const struct frame *results = &entry->dataset->results;
    const char *cache = frame_find_text(results, entry->row, COLUMN(cache));
    bool old = frame_find(results, COLUMN(l2_dirty)) < 0;
    return old && !strcmp(cache, cache_words[CACHE_COLD]) ? cache_words[CACHE_CLEAN] : cache;
}

static const char *backend(const struct entry *entry)
{
    return frame_find_text(&entry->dataset->results, entry->row, COLUMN(backend));
}

/* A graph of launches and a single one are both timed by events, the overhead taken off: which it is follows from the
 * duration, and near the limit may differ from run to run. */
static const char *timer(const struct entry *entry)
{
    const char *word = frame_find_text(&entry->dataset->results, entry->row, COLUMN(timer));
    bool events = !strcmp(word, timer_words[TIMER_GRAPH]) || !strcmp(word, timer_words[TIMER_SINGLE]);
    return events ? "events" : word;
}

struct matter {
    const char *what, *column; /* the column whose comparison mixes it on purpose */
    const char *(*of)(const struct entry *entry);
    bool of_predictions; /* predicted times have it, too */
};
static const struct matter matters[] = {{"states of L2", "cache", cache_state, true},
                                        {"back ends", "backend", backend, false},
                                        {"timers", "timer", timer, false}};

static bool is_on_purpose(const char *by, const char *column)
{
    const char *dot = by ? strrchr(by, '.') : NULL;
    return by && !strcmp(dot ? dot + 1 : by, column);
}

/* How many pairs differ in it; the first that does is described. */
static size_t count_mixed(const struct comparison *comparison, const struct matter *matter,
                          struct text *example)
{
    size_t mixed = 0;
    for (size_t i = 0; i < comparison->pairs && !is_on_purpose(comparison->by, matter->column); i++) {
        const struct comparison_pair *pair = &comparison->pair[i];
        bool predicted = pair->a.predicted || pair->b.predicted;
        if ((!pair->a.cells && !pair->a.predicted) || (!pair->b.cells && !pair->b.predicted) ||
            (predicted && !matter->of_predictions))
            continue;
        const char *a = matter->of(&pair->a), *b = matter->of(&pair->b);
        if (!strcmp(a, b))
            continue;
        if (!mixed++)
            text_add(example, "%s against %s", *b ? b : "one not noted", *a ? a : "one not noted");
    }
    return mixed;
}

int comparison_check(struct comparison *comparison, bool allow, struct error *error)
{
    struct text found = {0};
    for (size_t m = 0; m < sizeof matters / sizeof *matters; m++) {
        struct text example = {0};
        size_t mixed = count_mixed(comparison, &matters[m], &example);
        if (mixed)
            text_add(&found, "%sdifferent %s at %zu point%s (%s)", found.length ? ", " : "", matters[m].what,
                     mixed, mixed == 1 ? "" : "s", example.data);
        text_free(&example);
    }
    int failed = 0;
    if (found.length && allow)
        text_add(&comparison->assumed, "Mixed: %s. Differences may be of these.\n", found.data);
    else if (found.length)
        failed = error_set(error, ERROR_USAGE, "times do not mean the same: %s; --mixed compares them anyway",
                           found.data);
    text_free(&found);
    return failed;
}
