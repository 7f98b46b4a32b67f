#include "store/open_store.h"

#include "store/contents.h"

int store_await_check(struct store *store, struct error *error)
{
    if (!store->unread || store->fetching)
        return 0;
    return unread_await(store->unread, &store->data, error);
}

int fetching_start(struct store *store, struct error *error)
{
    struct dataset *data = &store->data;
    if (!store->unread || store->fetching)
        return 0;
    if (store_await_check(store, error) != 0)
        return -1;
    frame_reserve(&data->results);
    contents_reserve_samples(data, 0);
    store->fetching = true;
    unread_fetch(store->unread, data);
    return 0;
}

bool fetching_has_ended(const struct store *store)
{
    return store->unread && store->fetching && unread_is_done(store->unread);
}

bool fetching_lacks(const struct store *store, size_t row)
{
    return store->unread && row < unread_rows(store->unread);
}

int fetching_await(struct store *store, struct error *error)
{
    if (!store->unread)
        return 0;
    if (fetching_start(store, error) != 0 || unread_await(store->unread, &store->data, error) != 0)
        return -1;
    unread_free(store->unread);
    store->unread = NULL;
    store->fetching = false;
    late_settle(&store->late, &store->index, &store->data.results);
    contents_rest(&store->data);
    return 0;
}
