/* check_words FILE... - words that overlap each other or leave their page, in what `pdftotext -bbox` says of a PDF. Its
 * boxes are as high as the font's lines: a fifth of a line's height is taken off all around, of narrow words a fifth. Prints what is wrong, and
 * ends with 1 when anything is, or when a page has fewer than four words. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"

#define SIZE_MOST (16u << 20)
#define LEAST     4    /* words of a figure */
#define TOUCH     0.2  /* of a side of a word's box */
#define LINE      10.0 /* points that a line is high, at most */
#define OUTSIDE   0.5  /* points by which a box may leave the page: less than its letters' side bearing */

struct word {
    double left, right, top, bottom;
    char text[64];
};

struct page {
    const char *path;
    double width, height;
    int number;
    struct word *word;
    size_t words, capacity;
};

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void add_word(struct page *page, const char *line)
{
    struct word word;
    if (sscanf(line, " <word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\">%63[^<]", &word.left,
               &word.top, &word.right, &word.bottom, word.text) != 5)
        return;
    page->word = memory_grow(page->word, page->words, &page->capacity, sizeof *page->word);
    page->word[page->words++] = word;
}

/* What is taken off at each end of a side: of turned words the width is a line's height. */
static double inset(double side)
{
    return TOUCH * smaller(side, LINE);
}

static bool overlap(const struct word *a, const struct word *b)
{
    double across = inset(a->right - a->left) + inset(b->right - b->left),
           down = inset(a->bottom - a->top) + inset(b->bottom - b->top);
    return a->left < b->right - across && b->left < a->right - across && a->top < b->bottom - down &&
           b->top < a->bottom - down;
}

static int check_page(const struct page *page)
{
    int wrong = 0;
    if (page->words < LEAST)
        wrong += printf("%s: page %d has %zu words\n", page->path, page->number, page->words) > 0;
    for (size_t i = 0; i < page->words; i++) {
        const struct word *word = &page->word[i];
        if (word->left < -OUTSIDE || word->right > page->width + OUTSIDE || word->top < -OUTSIDE ||
            word->bottom > page->height + OUTSIDE)
            wrong += printf("%s: page %d: '%s' leaves the page\n", page->path, page->number, word->text) > 0;
        for (size_t k = 0; k < i; k++)
            if (overlap(word, &page->word[k]))
                wrong += printf("%s: page %d: '%s' and '%s' overlap\n", page->path, page->number,
                                page->word[k].text, word->text) > 0;
    }
    return wrong;
}

static int check_file(const char *path, char *text, int *pages)
{
    struct page page = {.path = path};
    char *rest = NULL;
    int wrong = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (sscanf(line, " <page width=\"%lf\" height=\"%lf\"", &page.width, &page.height) == 2) {
            page.words = 0;
            page.number++;
        } else if (strstr(line, "</page>")) {
            wrong += check_page(&page);
        } else {
            add_word(&page, line);
        }
    }
    if (!page.number)
        wrong += printf("%s: no page\n", path) > 0;
    *pages += page.number;
    free(page.word);
    return wrong;
}

int main(int argc, char **argv)
{
    int wrong = 0, pages = 0;
    for (int i = 1; i < argc; i++) {
        struct error error;
        size_t size;
        char *text = io_read_file(argv[i], SIZE_MOST, &size, &error);
        if (!text) {
            fprintf(stderr, "%s\n", error.text);
            return 2;
        }
        wrong += check_file(argv[i], text, &pages);
        free(text);
    }
    printf("%d pages, %d faults\n", pages, wrong);
    return wrong > 0 || argc < 2;
}
