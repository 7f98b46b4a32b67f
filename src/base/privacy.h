/* privacy.h - what texts of a results file must not say of people and machines.
 *
 * Always: home folders become ~, and the user's name in a path $USER. Anonymous texts also lose paths, names
 * of hosts and users, names of the run's folders, and UUIDs. Hiding what is hidden changes nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from privacy_of_user; privacy_free releases it. One of {0} hides nothing. */
struct privacy {
    bool anonymous;
    uint64_t salt; /* of hashed host names: this machine's, or they could be guessed */
    struct privacy_word {
        char *word, *shown; /* owned */
        bool folder;        /* which may mean something else in users' sources, but beside a slash */
    } * word;               /* the longest first */
    int words;
    size_t capacity;
};

/* The home folders and names of the user who calls. */
struct privacy privacy_of_user(bool anonymous);
void privacy_free(struct privacy *privacy);

/* A host is shown as `shown`, also by its name without the domain; NULL: privacy_number_hosts gives it a
 * name. Nothing if it was added before. */
void privacy_add_host(struct privacy *privacy, const char *host, const char *shown);

/* Name the hosts that have no name yet: node1, node2, ..., but not as any host is called or shown. */
void privacy_number_hosts(struct privacy *privacy);

/* What the host is shown as. */
const char *privacy_host(const struct privacy *privacy, const char *host);

/* Hide the names of the folders and of the file of a path, but those in `kept` (NULL-terminated) and those
 * that any machine has. */
void privacy_add_path(struct privacy *privacy, const char *path, const char *const *kept);

/* Each returns a text that the caller frees: of messages and notes; of a user's sources, which keep what is
 * only a folder's name; of a job, which loses its comments when it is anonymous. */
char *privacy_text(const struct privacy *privacy, const char *text);
char *privacy_source(const struct privacy *privacy, const char *text);
char *privacy_job(const struct privacy *privacy, const char *text);

/* Hide the host and the UUID of a device, whose texts have room for `size` bytes. */
void privacy_device(const struct privacy *privacy, char *host, char *uuid, size_t size);
