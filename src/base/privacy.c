#include "base/privacy.h"

#include <ctype.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"

#define HIDDEN_PATH "PATH"
enum { WORD_MIN = 2, SOURCE_WORD_MIN = 3, UUID_LENGTH = 36 };

/* ---- Words ---- */

/* The longest first: one may begin as another does. */
static bool comes_before(const char *left, const char *right)
{
    size_t of_left = strlen(left), of_right = strlen(right);
    return of_left != of_right ? of_left > of_right : strcmp(left, right) < 0;
}

static const struct privacy_word *find(const struct privacy *privacy, const char *word)
{
    for (int i = 0; i < privacy->words; i++)
        if (!strcmp(privacy->word[i].word, word))
            return &privacy->word[i];
    return NULL;
}

static void add(struct privacy *privacy, const char *word, const char *shown, bool folder)
{
    if (!word || strlen(word) < WORD_MIN || find(privacy, word))
        return;
    privacy->word =
        memory_grow(privacy->word, (size_t)privacy->words, &privacy->capacity, sizeof *privacy->word);
    int at = privacy->words++;
    for (; at > 0 && comes_before(word, privacy->word[at - 1].word); at--)
        privacy->word[at] = privacy->word[at - 1];
    privacy->word[at] = (struct privacy_word){memory_text(word), shown ? memory_text(shown) : NULL, folder};
}

/* Accounts that say nothing of a person. */
static bool is_person(const char *name)
{
    static const char *const others[] = {"root", "user", "nobody", "ubuntu", "admin", NULL};
    return text_find(others, name) < 0;
}

struct privacy privacy_of_user(bool anonymous)
{
    struct privacy privacy = {.anonymous = anonymous, .salt = HASH_START};
    const struct passwd *entry = getpwuid(getuid());
    const char *homes[] = {getenv("HOME"), entry ? entry->pw_dir : NULL};
    char machine[64];
    if (io_read_line(machine, sizeof machine, "/etc/machine-id"))
        privacy.salt = hash_text(HASH_START, machine);
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (homes[i] && homes[i][0] == '/' && homes[i][1])
            add(&privacy, homes[i], "~", true);
    if (entry && is_person(entry->pw_name))
        add(&privacy, entry->pw_name, "$USER", false);
    if (getenv("USER") && is_person(getenv("USER"))) /* a container may not know the user */
        add(&privacy, getenv("USER"), "$USER", false);
    return privacy;
}

void privacy_free(struct privacy *privacy)
{
    for (int i = 0; i < privacy->words; i++) {
        free(privacy->word[i].word);
        free(privacy->word[i].shown);
    }
    free(privacy->word);
    *privacy = (struct privacy){0};
}

void privacy_add_host(struct privacy *privacy, const char *host, const char *shown)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(host, "."), host);
    add(privacy, host, shown, false);
    add(privacy, name, shown, false);
}

/* A host's name with the domain is before the one without. */
static bool is_named(const struct privacy *privacy, const char *name)
{
    for (int i = 0; i < privacy->words; i++)
        if (!strcmp(privacy->word[i].word, name) ||
            (privacy->word[i].shown && !strcmp(privacy->word[i].shown, name)))
            return true;
    return false;
}

void privacy_number_hosts(struct privacy *privacy)
{
    char shown[32];
    for (int i = 0, number = 1; i < privacy->words; i++) {
        struct privacy_word *host = &privacy->word[i];
        if (host->shown)
            continue;
        do
            snprintf(shown, sizeof shown, "node%d", number++);
        while (is_named(privacy, shown));
        size_t length = strcspn(host->word, ".");
        for (int k = i; k < privacy->words; k++) /* the same host */
            if (!privacy->word[k].shown && strlen(privacy->word[k].word) >= length &&
                strcspn(privacy->word[k].word, ".") == length &&
                !strncmp(privacy->word[k].word, host->word, length))
                privacy->word[k].shown = memory_text(shown);
    }
}

const char *privacy_host(const struct privacy *privacy, const char *host)
{
    const struct privacy_word *known = privacy->anonymous ? find(privacy, host) : NULL;
    return known && known->shown ? known->shown : host;
}

void privacy_add_path(struct privacy *privacy, const char *path, const char *const *kept)
{
    static const char *const common[] = {"analysis", "build",     "data", "home", "jobs",
                                         "kernels",  "results",   "root", "tmp",  "usr",
                                         "work",     "warpsweep", NULL};
    char name[256];
    for (const char *at = path; *at;) {
        at += strspn(at, "/");
        const char *next = at + strcspn(at, "/");
        size_t length = strcspn(at, "/.");
        snprintf(name, sizeof name, "%.*s", (int)(length ? length : (size_t)(next - at)), at);
        at = next;
        if (strlen(name) > WORD_MIN && text_find(common, name) < 0 && text_find(kept, name) < 0)
            add(privacy, name, HIDDEN_PATH, true);
    }
}

/* ---- Texts ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_of_path(char c)
{
    return is_word(c) || (c && strchr(".-+@%~$", c));
}

struct hiding {
    const struct privacy *privacy;
    bool source;
    const char *text; /* its start */
    struct text out;
};

/* 8-4-4-4-12 hexadecimal digits become their hash. */
static size_t hide_uuid(struct hiding *h, const char *at)
{
    for (int i = 0; i < UUID_LENGTH; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? at[i] != '-' : !isxdigit((unsigned char)at[i]))
            return 0;
    }
    text_add(&h->out, "%016" PRIx64, hash_bytes(HASH_START, at, UUID_LENGTH));
    return UUID_LENGTH;
}

/* An absolute path of at least two names, but those of the system, which any machine has. */
static size_t hide_path(struct hiding *h, const char *at)
{
    static const char *const system[] = {"usr", "proc", "sys",   "dev",  "etc",
                                         "lib", "bin",  "lib64", "sbin", NULL};
    char first[16];
    size_t length = 0, names = 0;
    if (*at != '/' || (at > h->text && (is_of_path(at[-1]) || at[-1] == '/')))
        return 0;
    while (at[length] == '/' && is_of_path(at[length + 1])) {
        names++;
        for (length++; is_of_path(at[length]); length++)
            ;
    }
    snprintf(first, sizeof first, "%.*s", (int)strcspn(at + 1, "/"), at + 1);
    if (names < 2 || text_find(system, first) >= 0)
        return 0;
    text_add(&h->out, HIDDEN_PATH);
    return length + (at[length] == '/');
}

/* Whole words. Of texts that are not anonymous: home folders, and names between slashes. */
static size_t hide_word(struct hiding *h, const char *at)
{
    const struct privacy *privacy = h->privacy;
    const char before = at > h->text ? at[-1] : '\0';
    for (int i = 0; i < privacy->words; i++) {
        const struct privacy_word *word = &privacy->word[i];
        size_t length = strlen(word->word);
        const char after = strncmp(at, word->word, length) != 0 ? 'x' : at[length];
        if (is_word(after) || (is_word(word->word[0]) ? is_word(before) : is_of_path(before)))
            continue;
        bool of_path = before == '/' || after == '/';
        if (!word->shown) /* before hosts are numbered */
            continue;
        if (h->source && (word->folder ? !of_path : length < SOURCE_WORD_MIN))
            continue;
        if (!privacy->anonymous && (!strcmp(word->shown, "~") ? is_of_path(after) : !of_path))
            continue;
        text_add(&h->out, "%s", word->shown);
        return length;
    }
    return 0;
}

static char *hide(const struct privacy *privacy, const char *text, bool source)
{
    struct hiding h = {privacy, source, text, {0}};
    for (const char *at = text; *at;) {
        bool begins = at == text || !is_word(at[-1]);
        size_t used = 0;
        if (privacy->anonymous && begins)
            used = hide_uuid(&h, at);
        if (privacy->anonymous && !used)
            used = hide_path(&h, at);
        if (begins && !used)
            used = hide_word(&h, at);
        if (!used) {
            text_append(&h.out, at, 1);
            used = 1;
        }
        at += used;
    }
    return h.out.data ? h.out.data : memory_text("");
}

char *privacy_text(const struct privacy *privacy, const char *text)
{
    return hide(privacy, text, false);
}

char *privacy_source(const struct privacy *privacy, const char *text)
{
    return privacy->anonymous ? hide(privacy, text, true) : memory_text(text);
}

/* Where the comment of a line of YAML begins, or the line's length. */
static size_t find_comment(const char *line, size_t length)
{
    char quote = '\0';
    for (size_t i = 0; i < length; i++) {
        if (quote)
            quote = line[i] == quote ? '\0' : quote;
        else if ((line[i] == '"' || line[i] == '\'') && (i == 0 || !is_word(line[i - 1])))
            quote = line[i];
        else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return i;
    }
    return length;
}

char *privacy_job(const struct privacy *privacy, const char *text)
{
    static const char title[] = "title:";
    struct text out = {0};
    if (!privacy->anonymous)
        return memory_text(text);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n"), shown = find_comment(line, length), full = shown;
        while (shown && (line[shown - 1] == ' ' || line[shown - 1] == '\t'))
            shown--;
        char *kept = memory_new(shown + 1, 1);
        memcpy(kept, line, shown);
        if (!strncmp(kept, title, sizeof title - 1)) {
            char *hidden = privacy_text(privacy, kept);
            free(kept);
            kept = hidden;
        }
        if (shown || full == length)
            text_add(&out, "%s\n", kept);
        free(kept);
        line += length + (line[length] == '\n');
    }
    return out.data ? out.data : memory_text("");
}

void privacy_device(const struct privacy *privacy, char *host, char *uuid, size_t size)
{
    if (!privacy->anonymous)
        return;
    const char *shown = privacy_host(privacy, host), *at = *host ? strstr(uuid, host) : NULL;
    const bool numbered = !strncmp(uuid, "GPU-", 4) || !strncmp(uuid, "MIG-", 4); /* by the maker */
    struct text hidden = {0};
    if (at && !numbered)
        text_add(&hidden, "%.*s%08" PRIx32 "%s", (int)(at - uuid), uuid,
                 (uint32_t)hash_text(privacy->salt, host), at + strlen(host));
    char *text = privacy_text(privacy, hidden.data ? hidden.data : uuid);
    char name[256];
    snprintf(name, sizeof name, "%s", shown);
    snprintf(uuid, size, "%s", text);
    snprintf(host, size, "%s", name);
    free(text);
    text_free(&hidden);
}
