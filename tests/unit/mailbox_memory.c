#include "mailbox_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct letter {
    struct letter *next;
    int from;
    enum wire_type message;
    size_t length;
    unsigned char bytes[];
};

struct box {
    struct letter *first, **last;
    bool queued; /* its rank is in `fresh` */
};

struct post {
    struct box *box; /* of each rank */
    int ranks;
    int *fresh; /* ring buffer: ranks with messages that post_next has not returned */
    int fresh_head, fresh_count;
    size_t bytes, peak_bytes;
};

struct mailbox {
    struct post *post;
    int rank;
    struct letter *read; /* owns the last payload */
};

struct post *post_open(int ranks)
{
    struct post *post = memory_new(1, sizeof *post);
    post->box = memory_new((size_t)ranks, sizeof *post->box);
    post->fresh = memory_new((size_t)ranks, sizeof *post->fresh);
    post->ranks = ranks;
    for (int i = 0; i < ranks; i++)
        post->box[i].last = &post->box[i].first;
    return post;
}

void post_close(struct post *post)
{
    for (int i = 0; i < post->ranks; i++) {
        for (struct letter *letter = post->box[i].first, *next; letter; letter = next) {
            next = letter->next;
            free(letter);
        }
    }
    free(post->box);
    free(post->fresh);
    free(post);
}

int post_next(struct post *post)
{
    if (!post->fresh_count)
        return -1;
    int rank = post->fresh[post->fresh_head];
    post->fresh_head = (post->fresh_head + 1) % post->ranks;
    post->fresh_count--;
    post->box[rank].queued = false;
    return rank;
}

size_t post_peak_bytes(const struct post *post)
{
    return post->peak_bytes;
}

void mailbox_send(struct mailbox *mailbox, int rank, enum wire_type message, const struct wire *payload)
{
    struct post *post = mailbox->post;
    struct box *box = &post->box[rank];
    size_t length = payload ? payload->length : 0;
    struct letter *letter = memory_new(1, sizeof *letter + length);
    letter->from = mailbox->rank;
    letter->message = message;
    letter->length = length;
    if (length)
        memcpy(letter->bytes, payload->data, length);
    *box->last = letter;
    box->last = &letter->next;
    if (!box->queued)
        post->fresh[(post->fresh_head + post->fresh_count++) % post->ranks] = rank;
    box->queued = true;
    post->bytes += sizeof *letter + length;
    post->peak_bytes = post->bytes > post->peak_bytes ? post->bytes : post->peak_bytes;
}

bool mailbox_receive(struct mailbox *mailbox, int *rank, enum wire_type *message, struct wire_reader *payload)
{
    struct box *box = &mailbox->post->box[mailbox->rank];
    struct letter *letter = box->first;
    if (!letter)
        return false;
    box->first = letter->next;
    if (!box->first)
        box->last = &box->first;
    free(mailbox->read);
    mailbox->read = letter;
    mailbox->post->bytes -= sizeof *letter + letter->length;
    *rank = letter->from;
    *message = letter->message;
    *payload = wire_read(letter->bytes, letter->length);
    return true;
}

bool mailbox_is_empty(struct mailbox *mailbox)
{
    (void)mailbox; /* messages arrive as they are sent */
    return true;
}

void mailbox_close(struct mailbox *mailbox)
{
    free(mailbox->read);
    free(mailbox);
}

struct mailbox *mailbox_memory_open(struct post *post, int rank)
{
    struct mailbox *mailbox = memory_new(1, sizeof *mailbox);
    mailbox->post = post;
    mailbox->rank = rank;
    return mailbox;
}
