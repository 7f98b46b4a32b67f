/* user_kernels.h - the option --kernels of the commands that look families up. */
#ifndef CLI_OPTIONS_USER_KERNELS_H
#define CLI_OPTIONS_USER_KERNELS_H

#include "cli/options/options.h"

/* The option's row in a command's table. */
#define OPTION_KERNELS                                                                                       \
    {                                                                                                        \
        "kernels", 0, "DIR", NULL, NULL,                                                                     \
            "kernels of your own: a folder of NAME.so and NAME.cu, or NAME.code"                             \
    }

/* Load the families of the folder that was given, here and in the workers that this process starts. Nothing
 * to do without the option. */
int user_kernels_load(const struct arguments *arguments, struct error *error);

#endif
