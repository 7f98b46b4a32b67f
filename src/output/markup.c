#include "output/markup.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"

static const struct escape {
    char character;
    const char *written;
} latex[] = {{'#', "\\#"},
             {'$', "\\$"},
             {'%', "\\%"},
             {'&', "\\&"},
             {'_', "\\_"},
             {'{', "\\{"},
             {'}', "\\}"},
             {'~', "\\textasciitilde{}"},
             {'^', "\\textasciicircum{}"},
             {'\\', "\\textbackslash{}"},
             {'<', "$<$"},
             {'>', "$>$"},
             {'\n', " "},
             {'\r', " "},
             {'\t', " "},
             {0}},
  md[] = {{'|', "\\|"}, {'\\', "\\\\"}, {'`', "\\`"}, {'*', "\\*"}, {'_', "\\_"}, {'<', "\\<"}, {'>', "\\>"},
          {'[', "\\["}, {']', "\\]"},   {'\n', " "},  {'\r', " "},  {'\t', " "},  {0}},
  html[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {0}}, none[] = {{0}};

void markup_print(FILE *out, enum markup markup, const char *text)
{
    static const struct escape *const escapes[MARKUP_COUNT] = {
        [MARKUP_TEXT] = none, [MARKUP_MD] = md, [MARKUP_LATEX] = latex, [MARKUP_HTML] = html};
    for (const char *begin = text; *text; text++) {
        const struct escape *escape = escapes[markup];
        size_t power = markup == MARKUP_LATEX && *text == '^' ? strspn(text + 1, "-.0123456789") : 0;
        if (power) {
            fprintf(out, "$^{%.*s}$", (int)power, text + 1);
            text += power;
            continue;
        }
        if (markup == MARKUP_LATEX && text > begin && isdigit((unsigned char)text[-1]) && text[0] == ' ' &&
            text[1] == '%') {
            fputc('~', out); /* a line does not end before the sign */
            continue;
        }
        while (escape->character && escape->character != *text)
            escape++;
        if (escape->character)
            fputs(escape->written, out);
        else
            fputc(*text, out);
        if (markup == MARKUP_LATEX && text[0] == '-' && text[1] == '-')
            fputs("{}", out); /* TeX would join them to a dash */
    }
}

struct markup_name markup_name(const char *text)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    enum { SHOWN = 24 };
    struct markup_name name;
    size_t length = strlen(text);
    if (length && length < sizeof name.text && *text != '.' && strspn(text, safe) == length) {
        snprintf(name.text, sizeof name.text, "%s", text);
        return name;
    }
    size_t shown = length < SHOWN ? length : SHOWN;
    for (size_t i = 0; i < shown; i++)
        name.text[i] = strchr(safe, text[i]) && text[i] != '.' ? text[i] : '-';
    snprintf(name.text + shown, sizeof name.text - shown, "-%016llx",
             (unsigned long long)hash_text(HASH_START, text));
    return name;
}
