/* yaml_write.h - write a node of a YAML tree as text that parses to the same node. */
#ifndef PLAN_YAML_WRITE_H
#define PLAN_YAML_WRITE_H

#include "base/text.h"
#include "plan/yaml.h"

/* On one line: word, "quoted if needed", [lists], {key: value}. */
void yaml_write(struct text *out, const struct yaml_node *node);

/* One scalar, quoted if needed. */
void yaml_write_scalar(struct text *out, const char *text);

#endif
