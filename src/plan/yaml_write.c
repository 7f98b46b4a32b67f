#include "plan/yaml_write.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Letters, digits and characters without a meaning in YAML. A leading - or % has one. */
static bool is_plain(const char *text)
{
    if (!*text || *text == '-' || *text == '%' || *text == '.')
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("_.-+%/", *text))
            return false;
    return true;
}

void yaml_write_scalar(struct text *out, const char *text)
{
    if (is_plain(text)) {
        text_add(out, "%s", text);
        return;
    }
    text_add(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            text_add(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            text_add(out, "\\x%02x", c);
        else
            text_add(out, "%c", c);
    }
    text_add(out, "\"");
}

void yaml_write(struct text *out, const struct yaml_node *node)
{
    if (node->kind == YAML_NODE_SCALAR) {
        yaml_write_scalar(out, node->text);
        return;
    }
    bool map = node->kind == YAML_NODE_MAP;
    text_add(out, map ? "{" : "[");
    for (const struct yaml_node *one = node->first; one; one = one->next) {
        yaml_write(out, one); /* an item, or a key: a scalar */
        if (map) {
            text_add(out, ": ");
            yaml_write(out, one->value);
        }
        text_add(out, "%s", one->next ? ", " : "");
    }
    text_add(out, map ? "}" : "]");
}
