#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LINES_DEPTH 2 /* members up to here have lines of their own */

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

/* As the shortest text that reads back as the same, or null if it is not finite. */
static void put_real(FILE *out, double value)
{
    char text[64] = "null"; /* JSON has neither NaN nor infinity */
    for (int digits = 9; isfinite(value) && digits <= 17 && (digits == 9 || strtod(text, NULL) != value);
         digits += digits == 9 ? 6 : 1)
        snprintf(text, sizeof text, "%.*g", digits, value);
    fputs(text, out);
}

static void begin_member(struct json *json, const char *name)
{
    if (json->more)
        fputs(json->depth > LINES_DEPTH ? ", " : ",", json->out);
    if (json->depth && json->depth <= LINES_DEPTH)
        fprintf(json->out, "\n%*s", json->depth, "");
    json->more = true;
    if (name) {
        put_text(json->out, name);
        fputs(": ", json->out);
    }
}

void json_open(struct json *json, const char *name, char bracket)
{
    begin_member(json, name);
    fputc(bracket, json->out);
    json->depth++;
    json->more = false;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->more && json->depth < LINES_DEPTH)
        fprintf(json->out, "\n%*s", json->depth, "");
    fputc(bracket, json->out);
    json->more = true;
    if (!json->depth)
        fputc('\n', json->out);
}

void json_add_text(struct json *json, const char *name, const char *text)
{
    begin_member(json, name);
    if (text)
        put_text(json->out, text);
    else
        fputs("null", json->out);
}

void json_add_integer(struct json *json, const char *name, int64_t value)
{
    begin_member(json, name);
    fprintf(json->out, "%" PRId64, value);
}

void json_add_real(struct json *json, const char *name, double value)
{
    begin_member(json, name);
    put_real(json->out, value);
}

void json_add_bool(struct json *json, const char *name, bool value)
{
    begin_member(json, name);
    fputs(value ? "true" : "false", json->out);
}
