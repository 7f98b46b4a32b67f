#include "store/hdf5_error.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdio.h>

/* Called for each entry, innermost first. */
static herr_t keep_first(unsigned number, const H5E_error2_t *entry, void *data)
{
    struct hdf5_cause *cause = data;
    if (number == 0 && entry->desc)
        snprintf(cause->text, sizeof cause->text, "%s", entry->desc);
    return 0;
}

/* Called when a function of HDF5's interface fails. */
static herr_t on_failure(hid_t stack, void *data)
{
    struct hdf5_cause *cause = data;
    if (!*cause->text)
        H5Ewalk2(stack, H5E_WALK_UPWARD, keep_first, cause);
    return 0;
}

void hdf5_listen(struct hdf5_cause *cause)
{
    *cause->text = '\0';
    H5Eset_auto2(H5E_DEFAULT, on_failure, cause);
}

void hdf5_unlisten(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

void hdf5_hold(struct hdf5_cause *cause)
{
    pthread_mutex_lock(&held);
    H5Eset_auto2(H5E_DEFAULT, on_failure, cause);
}

void hdf5_release(void)
{
    hdf5_unlisten();
    pthread_mutex_unlock(&held);
}

int hdf5_fail(struct error *error, const struct hdf5_cause *cause, const char *path, const char *what)
{
    if (!*cause->text)
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, what);
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s (HDF5: %s)", path, what, cause->text);
}
