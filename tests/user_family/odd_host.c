/* odd_host.c - preloaded by anonymous.sh: the host is called ODD_HOST, and the user ODD_USER, whose home is
 * ODD_HOME. */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int gethostname(char *name, size_t size)
{
    snprintf(name, size, "%s", getenv("ODD_HOST"));
    return 0;
}

struct passwd *getpwuid(uid_t uid)
{
    static struct passwd user;
    user = (struct passwd){
        .pw_name = getenv("ODD_USER"), .pw_dir = getenv("ODD_HOME"), .pw_uid = uid, .pw_shell = "/bin/sh"};
    return &user;
}
