/* mailbox_mpi.h - a mailbox between the ranks of an MPI communicator. */
#ifndef MAILBOX_MAILBOX_MPI_H
#define MAILBOX_MAILBOX_MPI_H

#include <mpi.h>

#include "mailbox/mailbox.h"

struct mailbox *mailbox_mpi_open(MPI_Comm communicator);

#endif
