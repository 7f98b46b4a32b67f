/* yaml_write.h - a node of a YAML tree as text that reads back as the same. */
#ifndef PLAN_YAML_WRITE_H
#define PLAN_YAML_WRITE_H

#include "base/text.h"
#include "plan/yaml.h"

/* In one line: word, "quoted where needed", [lists], {mappings: of values}. */
void yaml_write(struct text *out, const struct yaml_node *node);

/* One scalar, quoted where it needs be. */
void yaml_write_scalar(struct text *out, const char *text);

#endif
