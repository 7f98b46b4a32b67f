/* Pairs whose times are not comparable. */
#include <string.h>

#include "analysis/comparison.h"
#include "base/text.h"

/* The state of L2. In release 0.1 `cold` left clean lines in L2, which is now called `clean`; its files lack the column
 * l2_dirty. */
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

/* `graph` and `single` are both timed by events with the overhead subtracted. Which one is used depends on the duration,
 * and may differ from run to run near the limit. */
static const char *timer(const struct entry *entry)
{
    const char *word = frame_find_text(&entry->dataset->results, entry->row, COLUMN(timer));
    bool events = !strcmp(word, timer_words[TIMER_GRAPH]) || !strcmp(word, timer_words[TIMER_SINGLE]);
    return events ? "events" : word;
}

struct matter {
    const char *what, *column; /* comparing by this column mixes it on purpose */
    const char *(*of)(const struct entry *entry);
    bool of_predictions; /* predicted times have it, too */
};
static const struct matter matters[] = {{"states of L2", "cache", cache_state, true},
                                        {"back ends", "backend", backend, false},
                                        {"timers", "timer", timer, false}};

static bool is_on_purpose(const char *by, const char *column)
{
    const char *dot = by ? strrchr(by, '.') : NULL;
    return by && text_lists(dot ? dot + 1 : by, column);
}

/* The number of pairs that differ in it; the first is described. */
static size_t count_mixed(const struct comparison *comparison, const struct matter *matter,
                          struct text *example)
{
    size_t mixed = 0;
    for (size_t i = 0; i < comparison->pairs && !is_on_purpose(comparison->by, matter->column); i++) {
        comparison_evict_at(comparison, i);
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
        text_add(&comparison->assumed, "Mixed: %s. Differences may come from these.\n", found.data);
    else if (found.length)
        failed = error_set(error, ERROR_USAGE, "times are not comparable: %s; --mixed compares them anyway",
                           found.data);
    text_free(&found);
    return failed;
}
