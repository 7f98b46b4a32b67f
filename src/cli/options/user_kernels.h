/* user_kernels.h - the option --kernels. */
#pragma once

#include "cli/options/options.h"

/* The option's row in a command's table. */
#define OPTION_KERNELS                                                                                       \
    {                                                                                                        \
        "kernels", 0, "DIR", NULL, NULL,                                                                     \
            "folder of your own kernels: NAME.py, or NAME.so with NAME.cu or NAME.code; twice, as "          \
            "NAME=DIR: two versions, which run measures in pairs"                                            \
    }

/* Load the families of the folder, or of the folders of two versions, here and in the workers that this process starts. Does
 * nothing without the option. */
int user_kernels_load(const struct arguments *arguments, struct error *error);
