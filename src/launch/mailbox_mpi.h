/* mailbox_mpi.h - a mailbox between the ranks of an MPI communicator. */
#ifndef LAUNCH_MAILBOX_MPI_H
#define LAUNCH_MAILBOX_MPI_H

#include <mpi.h>

#include "launch/mailbox.h"

struct mailbox *mailbox_mpi_open(MPI_Comm communicator);

#endif
