#include "output/markup.h"

#include <stddef.h>
#include <string.h>

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
    for (; *text; text++) {
        const struct escape *escape = escapes[markup];
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
