#include "runner/worker_link.h"

int worker_link_start(struct worker_link *link, const char *backend, int local_rank, const char *device,
                      struct error *error)
{
    return link->kind->start(link, backend, local_rank, device, error);
}

bool worker_link_is_up(const struct worker_link *link)
{
    return link->kind->is_up(link);
}

void worker_link_send(struct worker_link *link, enum wire_type type, const struct wire *payload)
{
    if (worker_link_is_up(link))
        link->kind->send(link, type, payload);
}

enum link_event worker_link_next(struct worker_link *link, enum wire_type *type, struct wire_reader *payload,
                                 char *why, size_t size)
{
    return worker_link_is_up(link) ? link->kind->next(link, type, payload, why, size) : LINK_QUIET;
}

int worker_link_descriptor(const struct worker_link *link)
{
    return link->kind->descriptor(link);
}

double worker_link_busy(const struct worker_link *link)
{
    return link->kind->busy(link);
}

void worker_link_kill(struct worker_link *link)
{
    link->kind->kill(link);
}

void worker_link_dismiss(struct worker_link *link)
{
    link->kind->dismiss(link);
}

bool worker_link_is_free(struct worker_link *link)
{
    return link->kind->is_free(link);
}

void worker_link_free(struct worker_link *link)
{
    link->kind->free(link);
}
