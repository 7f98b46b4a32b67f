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

int fetching_await(struct store *store, struct error *error)
{
    if (!store->unread)
        return 0;
    if (fetching_start(store, error) != 0 || unread_await(store->unread, &store->data, error) != 0)
        return -1;
    size_t rows = unread_rows(store->unread);
    unread_free(store->unread);
    store->unread = NULL;
    store->fetching = false;
    versions_settle(store, rows);
    contents_rest(&store->data);
    return 0;
}
