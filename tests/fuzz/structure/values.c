#include "values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void value_integer(struct dice *dice, struct text *out)
{
    static const char *const known[] = {"0",
                                        "-1",
                                        "1",
                                        "2",
                                        "3",
                                        "-5",
                                        "7",
                                        "127",
                                        "255",
                                        "256",
                                        "1000000",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483648",
                                        "-2147483649",
                                        "4294967295",
                                        "4294967296",
                                        "1099511627776",
                                        "4503599627370497",
                                        "9223372036854775807",
                                        "9223372036854775806",
                                        "-9223372036854775808",
                                        "-9223372036854775807"};
    text_add(out, "%s", DICE_PICK(dice, known));
}

void value_real(struct dice *dice, struct text *out)
{
    static const char *const known[] = {"0",     "-0",   "1",      "-1",     "nan",     "-nan",
                                        "inf",   "-inf", "5e-324", "1e-310", "1e-300",  "-1e-9",
                                        "1e-15", "1e-9", "0.5",    "1e3",    "1e9",     "1e15",
                                        "2e18",  "1e19", "1e100",  "1e300",  "1.8e308", "-1e300"};
    text_add(out, "%s", DICE_PICK(dice, known));
}

/* Words of the tables, words that look like others, and what texts are made of at worst. */
static const char *const texts[] = {
    "",
    "ok",
    "failed",
    "crashed",
    "timed_out",
    "unsupported",
    "okay",
    "OK",
    "x",
    "copy",
    "transpose",
    "memcpy",
    "load",
    "f32",
    "f99",
    "fake",
    "cuda",
    "predicted",
    "none",
    "counted",
    "pending",
    "missing: a reason",
    "axis",
    "time",
    "counter",
    "results",
    "integer",
    "real",
    "text",
    "0",
    "-1",
    "1e999",
    "nan",
    "inf",
    "1048576",
    "18446744073709551616",
    "99999999999999999999999",
    "0x10",
    "1/0",
    "0/0",
    "3/8",
    "sm_90",
    "sm_",
    "{}",
    "[",
    "]",
    "a,b",
    "a=b",
    "a=b,c=d",
    "..",
    "../x",
    "/",
    "%n%s",
    "\\input{x}",
    "<b>",
    "\"'`$(x)",
    "a b",
    "\t\n",
    "\x1b[31m",
    "\xff\xfe",
    "\xe2\x80\xae",
    "\xf0\x9f\x98\x80",
    "\xcc\x81",
    "0000000000000000",
    "ffffffffffffffff",
    "0123456789abcde",
    "0123456789ABCDEF",
    "id",
    "status",
    "device.name",
};

void value_text(struct dice *dice, struct text *out)
{
    char bytes[6000];
    size_t count = 0;
    switch (dice_below(dice, 12)) {
    case 0: /* long */
        count = 200 + dice_below(dice, dice_one_in(dice, 8) ? 5800 : 400);
        memset(bytes, 'a' + (int)dice_below(dice, 26), count);
        break;
    case 1: { /* an integer or a real */
        struct text number = {0};
        if (dice_one_in(dice, 2))
            value_integer(dice, &number);
        else
            value_real(dice, &number);
        count = (size_t)snprintf(bytes, sizeof bytes, "%s", number.data);
        text_free(&number);
        break;
    }
    case 2: /* two words */
        count = (size_t)snprintf(bytes, sizeof bytes, "%s%s%s", DICE_PICK(dice, texts),
                                 dice_one_in(dice, 2) ? "," : " ", DICE_PICK(dice, texts));
        break;
    default:
        count = (size_t)snprintf(bytes, sizeof bytes, "%s", DICE_PICK(dice, texts));
    }
    value_escape(out, bytes, count);
}

void value_escape(struct text *out, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    if (!count)
        text_add(out, "%%");
    for (size_t i = 0; i < count; i++)
        if (isgraph(byte[i]) && byte[i] != '%' && byte[i] < 0x7f)
            text_append(out, &byte[i], 1);
        else
            text_add(out, "%%%02x", byte[i]);
}

char *value_unescape(const char *word, size_t *count)
{
    char *bytes = memory_new(strlen(word) + 1, 1);
    size_t length = 0;
    for (const char *at = word; *at; at++) {
        unsigned code;
        if (*at != '%')
            bytes[length++] = *at;
        else if (sscanf(at + 1, "%2x", &code) == 1) {
            bytes[length++] = (char)code;
            at += 2;
        }
    }
    bytes[length] = '\0';
    *count = length;
    return bytes;
}
