/* report.h - the sections of `warpsweep report`, written to a document. */
#pragma once

#include "analysis/pairs.h"
#include "core/profile.h"
#include "output/document.h"
#include "prediction/judge.h"
#include "results/merge.h"
#include "store/store.h"
#include "toolkit/code_facts.h"

/* How near the time model is, by what a prediction knew. `judged`: of `use`, the others are judged here. -1 on an error of `judge`. */
int report_accuracy(struct document *document, const struct dataset *dataset, size_t device,
                    const struct profile *profile, enum code_use use, const struct verdicts *judged,
                    struct error *error);

/* For each device a table of the best point of each family, then a sentence or two for each family: its best variant, how
 * far it is from its roof and from the vendor's kernel, and where curves bend. Points whose intervals overlap are not
 * ranked. */
void report_findings(struct document *document, const struct merged *merged);

/* The tables of one textbook pair (analysis/pair.h), before and after. Returns how many there were. */
int report_pair(struct document *document, const struct merged *merged, const struct pair *pair);

/* Predicted against counted, kernel by kernel. Returns the number of disagreements; -1: nothing is predicted. */
long report_model(struct document *document, const struct merged *merged);

/* The devices of a file: which are slow, and where the variance comes from. Returns the number of outliers. */
size_t report_fleet(struct document *document, const struct dataset *dataset, double threshold);

/* The pairs of devices compared with each other over the points that have two devices, if there are any; the outliers among them. */
size_t report_links(struct document *document, const struct dataset *dataset, double threshold);

/* What another run and another unit add to the variance, from `count` files of one job; `paths`: their names. -1 when one is
 * of several devices. */
int report_runs(struct document *document, const struct dataset *file, char *const *paths, size_t count,
                struct error *error);

/* The method section of a paper, from what the file itself says. `path`: what the text calls the file. */
void report_method(struct document *document, const struct dataset *dataset, const char *path);

/* The same for a paper of several files of like jobs: in three paragraphs, with the numbers of each file where they differ. */
void report_method_once(struct document *document, const struct dataset *file, int files);

/* The roofs of each device of a file with their ranges and the data sheet's values, and the points over 100 % of theirs. */
void report_roofs(struct document *document, const struct dataset *dataset, const char *path);

/* BibTeX entries of the works that the method section cites, and of warpsweep. */
void report_bibtex(FILE *out);

/* Where the time of one file's runs went, by phase, rank and family. -1 when it has no timeline. */
int report_time(struct document *document, const struct dataset *dataset, const char *path);

/* For each device of the file what bounds its points by the time model, and where the model is wrong. `given`: the profile to
 * predict by; NULL: what the file itself measured of its device. `use`: the source of instruction counts. Adds to `wrong`
 * the number of points that are off by over 15 %. -1 where the code cannot be had. */
int report_bounds(struct document *document, const struct dataset *dataset, const char *path,
                  const struct profile *given, enum code_use use, size_t *wrong, struct error *error);

/* The profile of row `device` of /devices as JSON, with intervals, sources, knees and laws: docs/profile.schema.json. */
void report_profile_json(FILE *out, const struct dataset *dataset, size_t device,
                         const struct profile *profile, const char *path);
