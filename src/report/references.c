/* The works that the method and the paper cite, as BibTeX. */
#include "report/report.h"

#include <stdio.h>

#include "version.h"

struct reference {
    const char *type, *key, *author, *title,
        *rest; /* `rest`: fields, each in a line that ends with a comma */
};

static const struct reference references[] = {
    {"inproceedings", "kalibera2013", "Kalibera, Tomas and Jones, Richard",
     "Rigorous benchmarking in reasonable time",
     "  booktitle = {Proceedings of the 2013 International Symposium on Memory Management (ISMM)},\n"
     "  pages = {63--74},\n  year = {2013},\n"},
    {"inproceedings", "hoefler2015", "Hoefler, Torsten and Belli, Roberto",
     "Scientific benchmarking of parallel computing systems",
     "  booktitle = {Proceedings of the International Conference for High Performance Computing, Networking, "
     "Storage and Analysis (SC)},\n  year = {2015},\n"},
    {"article", "smyth2004", "Smyth, Gordon K.",
     "Linear models and empirical {Bayes} methods for assessing differential expression in microarray "
     "experiments",
     "  journal = {Statistical Applications in Genetics and Molecular Biology},\n  volume = {3},\n"
     "  number = {1},\n  year = {2004},\n"},
    {"article", "benjamini1995", "Benjamini, Yoav and Hochberg, Yosef",
     "Controlling the false discovery rate: a practical and powerful approach to multiple testing",
     "  journal = {Journal of the Royal Statistical Society B},\n  volume = {57},\n  number = {1},\n"
     "  pages = {289--300},\n  year = {1995},\n"},
    {"article", "williams2009", "Williams, Samuel and Waterman, Andrew and Patterson, David",
     "Roofline: an insightful visual performance model for multicore architectures",
     "  journal = {Communications of the ACM},\n  volume = {52},\n  number = {4},\n  pages = {65--76},\n"
     "  year = {2009},\n"},
    {"article", "mei2017", "Mei, Xinxin and Chu, Xiaowen",
     "Dissecting {GPU} memory hierarchy through microbenchmarking",
     "  journal = {IEEE Transactions on Parallel and Distributed Systems},\n  volume = {28},\n  number = "
     "{1},\n"
     "  pages = {72--86},\n  year = {2017},\n"},
    {"misc", "jia2018", "Jia, Zhe and Maggioni, Marco and Staiger, Benjamin and Scarpazza, Daniele P.",
     "Dissecting the {NVIDIA} {Volta} {GPU} architecture via microbenchmarking",
     "  note = {arXiv:1804.06826},\n  year = {2018},\n"},
    {"misc", "luo2024",
     "Luo, Weile and Fan, Ruibo and Li, Zeyu and Du, Dayou and Wang, Qiang and Chu, Xiaowen",
     "Benchmarking and dissecting the {Nvidia} {Hopper} {GPU} architecture via microbenchmarking",
     "  note = {arXiv:2402.13499},\n  year = {2024},\n"},
    {"article", "werkhoven2019", "van Werkhoven, Ben",
     "{Kernel Tuner}: a search-optimizing {GPU} code auto-tuner",
     "  journal = {Future Generation Computer Systems},\n  volume = {90},\n  pages = {347--358},\n"
     "  year = {2019},\n"},
};

void report_bibtex(FILE *out)
{
    fprintf(out,
            "@misc{warpsweep,\n  key = {warpsweep},\n  title = {warpsweep},\n  note = {Version %s},\n  year "
            "= {%s}\n}\n",
            WARPSWEEP_RELEASE, WARPSWEEP_YEAR);
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        const struct reference *r = &references[i];
        fprintf(out, "@%s{%s,\n  author = {%s},\n  title = {%s},\n%s}\n", r->type, r->key, r->author,
                r->title, r->rest);
    }
}
